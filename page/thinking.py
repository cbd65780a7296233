"""Agents of the page: which agents a page may name, and where they run.

A page may not name paths or modules, because it must not make the server run code. Fast agents run
in this process, all others in worker processes.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from parlour.agents.agent_spec import AgentSpec, SpecKind, parse_spec, read_budget
from parlour.agents.explanation import explain
from parlour.agents.registry import (
    Agent,
    IllegalActionError,
    can_load,
    choose_actions,
    find_pretrained_folder,
    load_agent,
)
from parlour.agents.saved import PRETRAINED_SPEC
from parlour.envs import Game, find_game
from parlour.envs.core.solve import solver_of
from parlour.envs.core.turn import agent_field
from parlour.training.evaluation.replays.replay import Replay
from parlour.training.evaluation.replays.replay_files import parse_replay, replay_line
from parlour.training.evaluation.reviews.review import review_replay
from parlour.training.evaluation.reviews.review_words import review_data
from parlour.training.play.solitaire import make_agent_turn

from .workers import Requester, WorkerPool

QUICK = ("uniform", "greedy")
"""Agents, in addition to the rule-based ones, that answer within a millisecond."""
MOST_AGENTS = 8
"""Number of agents that a worker keeps in memory."""
WORLDS = 50
"""Number of sampled worlds per decision in reviews on the page."""
SEARCHES = ("mcts", "pimc", "rollouts", "hindsight", "nested")
"""Search agents that a page may name."""
MOST_TRIES, MOST_MILLISECONDS = 10_000, 10_000
"""Largest search budgets per decision, because others wait for it."""


class Thinking:
    """Runs the work of one session: in workers, or in this process if there is no pool."""

    def __init__(self, pool: WorkerPool | None = None) -> None:
        self.pool, self.requester, self.reviewer = pool, Requester(), Requester()

    def leave(self) -> None:
        """Stop all work of the session, because no tab shows it."""
        if self.pool is not None:
            self.pool.leave(self.requester)
            self.pool.leave(self.reviewer)

    def come_back(self) -> None:
        """Let workers work for the session again."""
        if self.pool is not None:
            self.pool.come_back(self.requester)
            self.pool.come_back(self.reviewer)

    def review(self, replay: Replay, seat: int) -> dict[str, Any]:
        """Return the review of a recorded game. Raises ValueError if it has none."""
        work = replay_line(replay), seat
        if self.pool is None:
            return _review(*work)
        return dict(self.pool.run(self.reviewer, _review, *work))

    def stop_review(self) -> None:
        """Stop the current review, because another one is requested."""
        if self.pool is not None:
            self.pool.stop(self.reviewer)


class PageAgent:
    """An agent by its name for some rules. Raises ValueError if a page may not use the name.

    ``server_agents`` are the agents that the server was started with.
    """

    def __init__(
        self,
        spec: str,
        game: Game,
        rules: Any,
        server_agents: tuple[str, ...],
        thinking: Thinking,
    ) -> None:
        self.spec, self.game, self.rules, self.thinking = spec, game, rules, thinking
        self.agent = load_page_agent(spec, game, rules, server_agents)
        self.is_quick = spec in (*QUICK, *game.rule_agents)

    def choose(self, states: np.ndarray, words: np.ndarray) -> int:
        """Return the agent's action in a position (1,); see `make_agent_turn`."""
        return int(self._ask(_choose, states, words))

    def advise(self, states: np.ndarray, words: np.ndarray) -> dict[str, Any]:
        """Return the agent's explanation of a position (1,); see `Explanation.summary`."""
        return dict(self._ask(_advise, states, words))

    def _ask(self, work: Any, states: np.ndarray, words: np.ndarray) -> Any:
        pool = self.thinking.pool
        if pool is None or self.is_quick:
            return work(self.agent, self.game, self.rules, states, words)
        position = self.spec, self.game.name, self.rules, states.tobytes(), words
        return pool.run(self.thinking.requester, _ask_in_worker, work, *position)


def _choose(agent: Agent, game: Game, rules: Any, states: np.ndarray, words: np.ndarray) -> int:
    return int(choose_actions(agent, make_agent_turn(agent, game, rules, states, words))[0])


def _advise(
    agent: Agent, game: Game, rules: Any, states: np.ndarray, words: np.ndarray
) -> dict[str, Any]:
    return explain(agent, make_agent_turn(agent, game, rules, states, words)).summary()


def _ask_in_worker(work: Any, spec: str, name: str, rules: Any, states: bytes, words: Any) -> Any:
    """Ask an agent in a worker process; states are bytes, because pickling changes their type."""
    game = find_game(name)
    position = np.frombuffer(states, game.state)
    try:
        return work(_load(spec, game, rules), game, rules, position, words)
    except IllegalActionError as error:
        raise ValueError(str(error)) from error


@lru_cache(MOST_AGENTS)
def _load(spec: str, game: Game, rules: Any) -> Agent:
    return load_agent(spec, game, rules)


def _review(line: str, seat: int) -> dict[str, Any]:
    return review_data(review_replay(parse_replay(line), seat, WORLDS))


def list_agents(game: Game, rules: Any, server_agents: tuple[str, ...] = ()) -> list[str]:
    """Return the agents that a page offers for these rules, including those of the server."""
    names = ["greedy", *game.rule_agents, "uniform", "mcts@200"]
    if _has_pretrained(game, rules):
        names.insert(0, "pretrained")
    if can_load("hindsight@1", game, rules):
        names.append("hindsight@200")
    if has_solver(game, rules):
        names += ["pimc@8", "oracle"] if game.goal_name(rules) == "won" else ["oracle"]
    if game.num_players(rules) > 1:
        names += ["rollouts@20:greedy", *(["pimc@8"] if game.winnable_after is not None else [])]
    return [*names, *server_agents]


def has_solver(game: Game, rules: Any) -> bool:
    """Return whether a solver for one player supports the rules."""
    try:
        solver_of(game, rules)
    except ValueError:
        return False
    return True


def _has_pretrained(game: Game, rules: Any) -> bool:
    try:
        find_pretrained_folder(game, rules)
    except ValueError:
        return False
    return True


def load_page_agent(
    spec: str, game: Game, rules: Any, server_agents: tuple[str, ...] = ()
) -> Agent:
    """Return an agent by its name. Raises ValueError for a name that a page may not use.

    At a table of several players, a page may not ask an agent that sees the hidden cards.
    """
    if spec in server_agents:
        return load_agent(spec, game, rules)
    _check_spec(spec, game)
    agent = load_agent(spec, game, rules)
    if game.num_players(rules) > 1 and agent_field(agent, "sees_all"):
        raise ValueError(f"agent must not see the hidden cards in {game.title}, got {spec!r}")
    return agent


def _check_spec(text: str, game: Game) -> None:
    spec = parse_spec(text, game)
    words = ("uniform", "greedy", PRETRAINED_SPEC, *game.rule_agents)
    if not _is_allowed(spec, words):
        raise ValueError(
            f"agent must be one of {', '.join(words)}, oracle, mcts@N, pimc@N, hindsight@N, "
            f"nested@N, rollouts@N:NAME, or an agent of the server's option --agents, got {text!r}"
        )
    if spec.budget is None:
        return
    budget = read_budget(spec)
    most = MOST_TRIES if budget.milliseconds is None else MOST_MILLISECONDS
    if not 1 <= (budget.number or budget.milliseconds or 0) <= most:
        raise ValueError(f"search budget must be from 1 to {most:,}, got agent {text!r}")


def _is_allowed(spec: AgentSpec, words: tuple[str, ...]) -> bool:
    """Return whether a page may name an agent: one of some words, alone or guiding a search."""
    if spec.name is not None:
        return False
    if spec.kind is SpecKind.SEARCH:
        leader = spec.leader
        is_led = leader is None or (leader.name is None and leader.text in words)
        return is_led and spec.word in SEARCHES
    return spec.text in (*words, "oracle", "oracle:fewest")
