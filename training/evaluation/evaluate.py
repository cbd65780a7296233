"""Evaluation: one agent plays numbered deals of a bank; what came of each deal, with intervals.

The deals depend on the bank alone, so all agents that are compared meet the same ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from parlour.agents.registry import (
    Agent,
    FixedAgent,
    Turn,
    choose_actions,
    load_agent,
    make_turn,
)
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.keys import derive_key, key_words, new_key, shuffle_order, turn_seeds
from parlour.envs.core.rows import Rows, copy_states

from .labels import Labels
from .presented import Presented
from .spec import DEALS, EvaluationSpec, make_specs
from .stats import CONFIDENCE, Estimate, bootstrap_mean, wilson_rate
from .truth import Truth, check_against_labels, measure_truth

CHUNK = 4096
"""Games played side by side: enough for speed, some megabytes of memory."""

SEES_ALL, LOOKS_AHEAD, OTHER_RULES = "*", "+", "~"
"""Behind an agent's name in tables: it sees the hidden cards; it looks a step ahead; it was trained
by other rules."""

Progress = Callable[[int], None]
"""Called with the number of deals that have ended since the last call."""


@dataclass(frozen=True, eq=False, repr=False)
class EpisodeResults:
    """What came of n deals, in the order of their seeds.

    ``facts`` has an array (n,) for each fact of the game (won, score, moves and more) and
    ``truncated``, ``decisions`` (how often the agent was asked). ``milliseconds`` is the time of
    one decision in the agent's own ``act``, asked for a whole batch of games at once.
    """

    facts: dict[str, np.ndarray]
    milliseconds: float

    def __repr__(self) -> str:
        """Return on one line what there is: the arrays are long."""
        return f"<{type(self).__name__}: {len(self.score)} deals, {', '.join(self.facts)}>"

    @property
    def score(self) -> np.ndarray:
        """The game's score of each deal, int64 (n,)."""
        return self.facts["score"]

    @property
    def moves(self) -> np.ndarray:
        """The moves made in each deal, int64 (n,)."""
        return self.facts["moves"]

    @property
    def decisions(self) -> int:
        """How many decisions the agent made in all."""
        return int(self.facts["decisions"].sum())


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Presented):
    """How an agent plays what a specification says: the results of its deals.

    ``to_pandas()`` and ``save(folder)`` hand them on: see `presented.Presented`.
    """

    spec: EvaluationSpec
    agent: str
    """Its name in tables."""
    sees_all: bool
    looks_ahead: bool
    """Whether it is a saved agent that does not play by its policy."""
    results: EpisodeResults
    other_rules: bool = False
    """Whether it was trained by other rules than those played."""
    report = "report"

    def headline(self) -> str:
        """See `Presented.headline`."""
        found = ", ".join(
            f"{fact} {self.estimate(fact).text()}" for fact in dict.fromkeys((self.goal, "score"))
        )
        return f"{self.game.name}, {self.variant}, {self.spec.deals_text}: {self.agent}, {found}"

    @property
    def goal(self) -> str:
        """The fact that says whether the game's aim was reached, ``"won"`` in most games."""
        return self.game.goal_name(self.rules)

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.spec.game

    @property
    def rules(self) -> Any:
        """The rules that it was played by."""
        return self.spec.rules

    @property
    def variant(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return self.spec.variant

    @property
    def key(self) -> str:
        """The secret that all draws came from: with it the same games can be played again."""
        return self.spec.key

    @property
    def deals(self) -> np.ndarray:
        """The numbers of the deals in their bank, int64 (n,)."""
        return self.spec.numbers

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """For each fact its rate (yes or no) or mean (a number), with an interval."""
        return {
            name: (wilson_rate if values.dtype == np.bool_ else bootstrap_mean)(
                values, self.spec.confidence
            )
            for name, values in self.results.facts.items()
        }

    @cached_property
    def truth(self) -> Truth | None:
        """How the agent played beside what could be reached; None where nothing is labelled."""
        spec = self.spec
        if spec.labels is None:
            return None
        return measure_truth(spec.labels, self.results.facts, spec.first, spec.confidence)

    def estimate(self, fact: str) -> Estimate:
        """Return the rate or mean of one fact, such as ``"won"``."""
        return self.estimates[fact]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it: an ``{"mean", "low", "high", "n"}`` for each fact."""
        spec = self.spec
        return {
            **spec.rules_summary(),
            "agent": self.agent,
            "sees_all": self.sees_all,
            "looks_ahead": self.looks_ahead,
            "other_rules": self.other_rules,
            "bank": spec.bank,
            "first": spec.first,
            "seed": spec.seed,
            "key": spec.key,
            "confidence": spec.confidence,
            "won": None,  # in a game that nobody wins
            **{name: found._asdict() for name, found in self.estimates.items()},
            "ms_per_decision": self.results.milliseconds,
            "truth": None if self.truth is None else self.truth.summary(),
        }


def evaluate(
    game: Game | str,
    agent: Agent | str = "uniform",
    *,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    bank: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
    truth: Labels | Path | str | None = None,
    key: str | None = None,
    name: str | None = None,
    any_rules: bool = False,
) -> Evaluation:
    """Let an agent play deals of a bank (None: the game's own, such as ``"pyramid-1"``).

    ``agent`` is one, or what `parlour.agents.registry.load_agent` takes; ``seed`` is that of its
    own random choices; ``max_moves`` None or 0 never cuts a game off. ``key`` is the secret that
    draws come from (`play_deals`), None: a new one; give an evaluation's own to repeat it. ``name``
    is what tables call the agent (None: its own name), and tells the draws of two agents apart.
    ``truth`` are labels of the deals, or their file; None: those that `labels.find_labels` finds;
    ``"no"``: none. ``any_rules`` lets a saved agent play that was trained by other rules of the
    game: `Evaluation.other_rules` is then True, and tables mark it. Raises ValueError naming what
    is unknown or out of range, and what is allowed; `truth.Contradiction` if a deal is won that is
    labelled not winnable.
    """
    (spec,) = make_specs(
        game,
        None if variant is None else [variant],
        options,
        deals=deals,
        bank=bank,
        first=first,
        seed=seed,
        key=key,
        confidence=confidence,
        max_moves=max_moves,
        truth=truth,
        any_rules=any_rules,
    )
    player = load_player(spec, agent)
    return evaluate_spec(spec, name or player.name, player, progress)


def load_player(spec: EvaluationSpec, agent: Agent | str) -> FixedAgent:
    """Return an agent, given or named, that plays by the rules of a specification."""
    if isinstance(agent, str):
        agent = load_agent(agent, spec.game, spec.rules, spec.seed, spec.any_rules)
    return FixedAgent(agent)


def evaluate_spec(
    spec: EvaluationSpec, name: str, agent: FixedAgent, progress: Progress | None = None
) -> Evaluation:
    """Let an agent, which tables call by ``name``, play alone what a specification says.

    Raises `truth.Contradiction` if a deal is won that is labelled not winnable.
    """
    results = play_deals(
        spec.game,
        spec.rules,
        agent,
        spec.seeds,
        max_moves=spec.max_moves,
        key=derive_key(spec.key, name),
        progress=progress,
    )
    if spec.labels is not None:
        check_against_labels(spec.labels, results.facts, spec.first, name)
    looks_ahead = agent.lookahead_config is not None
    return Evaluation(spec, name, agent.sees_all, looks_ahead, results, agent.other_rules)


class TimedAgent(FixedAgent):
    """An agent whose time to think is measured, without its first call: that one compiles."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.act = self.act_timed
        self.calls = self.decisions = 0
        self.seconds = 0.0

    def act_timed(self, turn: Turn) -> np.ndarray:
        """Return what the agent chooses, and measure it."""
        begun = perf_counter()
        actions = self.agent.act(turn)
        seconds = perf_counter() - begun
        if self.calls <= 1:
            self.seconds, self.decisions = 0.0, 0
        self.calls += 1
        self.seconds += seconds
        self.decisions += len(turn.masks)
        return actions

    @property
    def milliseconds(self) -> float:
        """The time of one decision."""
        return 1000 * self.seconds / max(self.decisions, 1)


def play_deals(
    game: Game,
    rules: Any,
    agent: Agent,
    seeds: np.ndarray,
    *,
    max_moves: int | None = MAX_MOVES,
    key: str | None = None,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> EpisodeResults:
    """Let an agent play one game for each of ``seeds`` (uint64 (n,), see `deals.bank_seeds`).

    Games are cut off after ``max_moves`` moves (None or 0: never). What the agent draws, and the
    hidden cards that are dealt anew for it, depend on ``key`` (any text; None: a new secret), the
    rules, the deal and the turn alone: so whoever makes no random choices of his own gets the same
    results in any batch. The games are played in an order that the key tells, too: neither the
    place in a batch nor the seeds say which deal it is. Raises IllegalActionError for an action
    that is not legal, ValueError if there are no seeds.
    """
    if len(seeds) == 0:
        raise ValueError("no deals to play: give at least one seed")
    timed, max_moves = TimedAgent(agent), max_moves or 0
    chunk = timed.at_once or chunk  # a person plays one game at a time
    own = derive_key(new_key() if key is None else key, game.rules_digest(rules))
    order, words = shuffle_order(own, len(seeds)), key_words(own)
    parts = [
        _play_chunk(game, rules, timed, seeds[order[i : i + chunk]], max_moves, words, progress)
        for i in range(0, len(seeds), chunk)
    ]
    facts = {name: np.empty(len(seeds), values.dtype) for name, values in parts[0].items()}
    for name, values in facts.items():
        values[order] = np.concatenate([part[name] for part in parts])
    return EpisodeResults(facts, timed.milliseconds)


def _play_chunk(
    game: Game,
    rules: Any,
    agent: Agent,
    seeds: np.ndarray,
    max_moves: int,
    words: np.ndarray,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Play some deals side by side, asking only for the games that still run."""
    rows = Rows(game, rules, len(seeds), StepConfig(reset=Autoreset.DISABLED, max_moves=max_moves))
    rows.seed(seeds)
    rows.start(DealSource.SEED)
    actions = np.zeros(rows.n, np.int64)
    left = rows.n
    while left:
        live = np.flatnonzero(rows.states["over"] == Over.RUNNING)
        if progress is not None and len(live) < left:
            progress(left - len(live))
        left = len(live)
        if left:
            states = copy_states(rows.states, live)
            turn = make_turn(agent, game, rules, states, turn_seeds(words, states))
            actions[live] = choose_actions(agent, turn)
            rows.step(actions)
    facts = game.results(rows.states, rules)
    del facts["illegal_action"]  # `choose_actions` raises on the first one
    facts["truncated"] = rows.states["over"] == Over.TRUNCATED
    facts["decisions"] = rows.states["steps"].astype(np.int64)
    return facts
