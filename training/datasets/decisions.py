"""Labeled decisions: agents play random games, a judge and a solver label each decision.

A decision has the observation of the seat to act, its legal actions, the action taken, the values
of the legal actions, the solver label of the deal, and the result of the game. `COLUMNS` lists the
columns. The values are those of `reviews`: the exact solver or play-outs judge the actions in
sampled worlds, so they depend on nothing that the seat cannot know.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from parlour import __version__
from parlour.agents.agent_spec import check_repeatable, parse_spec
from parlour.agents.registry import FixedAgent, digest_saved, load_agent
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.contract import Solve
from parlour.envs.core.kernel.jit import digest_code
from parlour.envs.core.kernel.rng import draw_seed, key_words, mix64
from parlour.envs.core.options import check_range, to_plain
from parlour.envs.core.rows import Rows, copy_states, observation_codes
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.solve import solver_of
from parlour.envs.core.turn import legal_masks

from ..evaluation.labels.label_comparison import verify_solution
from ..evaluation.labels.labels import columns_of, is_scored
from ..evaluation.lineups import digest_parlour
from ..evaluation.play import play_steps
from ..evaluation.reviews.review_judges import (
    UNDECIDED_VALUE,
    Judge,
    are_known,
    best_values,
    can_judge,
    describe_judge,
    make_judge,
)

FORMAT = 1
"""Version of the columns and of the metadata."""
WORLDS = 16
"""Default number of sampled worlds per decision."""
EPISODES = 1000
"""Default number of games."""
OPPONENTS = ("greedy",)
"""Default agents in the other seats."""
DRAWS = key_words("dataset")
"""Words of the key from which the agents' draws derive. They also depend on the deal."""

COLUMNS = {
    "episode": "number of the game: `env.reset(seed=episode)` deals the same cards",
    "step": "number of the step in the game, from 0",
    "seat": "seat that acts",
    "agent": "name of the agent that acts",
    "observation": "observation of the seat in the encoding `codes`",
    "action_mask": "whether each action is legal",
    "action": "action that the agent took",
    "values": "value of each action; NaN for illegal actions; null for a decision without values",
    "winnable": "solver label of the deal: 1 winnable, 0 not winnable, -1 undecided; null without "
    "such a solver",
    "best_score": "best score that the solver found for the deal, in games played for their score; "
    "null in other games",
    "won": "whether the game reached its goal; in games for several players, whether the net "
    "result of the seat is above 0",
    "score": "score of the game; in games for several players, the net result of the seat",
    "return": "sum of the rewards of the seat in the game, with the default reward `progress`",
    "truncated": "whether the game was truncated",
}
"""Description of each column."""


@dataclass(frozen=True)
class DatasetSpec:
    """The games of a dataset, and the judge of its decisions.

    Episode i is the game that an environment deals with ``reset(seed=seed + i)``. Its deal is
    random and in no deal set.

    Args:
        game: The game.
        variant: The variant (None: the game's default).
        options: Rule options that override those of the variant.
        agent: Spec of the agent.
        seat: Games for several players: seat of the agent (None: 0).
        opponents: Games for several players: specs of the agents in the other seats, repeated in
            order (None: greedy).
        episodes: Number of games.
        seed: Number of the first episode.
        worlds: Number of sampled worlds per decision, from which the judge computes the values; 0:
            no values.
        player: Agent that plays the sampled worlds to the end, see `review_judges.make_judge`.
        max_moves: Number of moves after which a game is truncated.
        exact: Give values only to decisions in which nothing is hidden: all sampled worlds are
            equal, and the exact solver decides every action.

    Raises:
        ValueError: A value is out of range, or unknown, or does not fit the rules.
    """

    game: Game
    variant: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    agent: str = "greedy"
    seat: int | None = None
    opponents: Sequence[str] | None = None
    episodes: int = EPISODES
    seed: int = 0
    worlds: int = WORLDS
    player: str | None = None
    max_moves: int = MAX_MOVES
    exact: bool = False

    def __post_init__(self) -> None:
        """Check the fields."""
        check_range("episodes", self.episodes, 1)
        check_range("seed", self.seed, 0)
        check_range("worlds", self.worlds, 0)
        if self.num_players == 1 and (self.seat is not None or self.opponents is not None):
            raise ValueError(
                "seat and opponents must be left out, because these rules of "
                f"{self.game.title} are for one player"
            )
        if self.num_players > 1:
            check_range("seat", self.seat or 0, 0, self.num_players - 1)
            count = 1 if self.opponents is None else len(self.opponents)
            if not 1 <= count < self.num_players:
                raise ValueError(
                    f"opponents must be 1 to {self.num_players - 1} agents, got {count}"
                )
        if self.worlds == 0 and self.player is not None:
            raise ValueError(
                f"player must be left out without sampled worlds (worlds 0), got {self.player!r}"
            )
        if self.exact:
            check_range("worlds", self.worlds, 2)
            if self.judge is None or not self.judge.exact:
                raise ValueError(
                    f"exact must be False, because these rules of {self.game.title} have no exact "
                    "solver or an agent plays the worlds out, got True"
                )

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields only, because worker processes load their own agents and solvers."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def rules(self) -> Any:
        """The rules of all games."""
        return self.game.make_rules(self.variant, self.options)

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self.game.num_players(self.rules)

    @cached_property
    def judge(self) -> Judge | None:
        """The judge of the decisions; None without sampled worlds."""
        if self.worlds == 0:
            return None
        return make_judge(self.game, self.rules, self.worlds, player=self.player)

    @cached_property
    def solve(self) -> Solve | None:
        """The solver that labels the deals; None if the rules have none."""
        try:
            return solver_of(self.game, self.rules)
        except ValueError:
            return None

    @property
    def seating(self) -> list[str]:
        """The spec of the agent in each seat."""
        players, seat = self.num_players, self.seat or 0
        others = self.opponents or OPPONENTS
        around = [self.agent, *(others[i % len(others)] for i in range(players - 1))]
        return [around[(i - seat) % players] for i in range(players)]

    def load_agents(self) -> list[FixedAgent]:
        """Return the agent of each seat, one object for each spec.

        Raises:
            ValueError: An agent cannot be loaded, or cannot repeat its games: it is a person, or a
                search with a time limit.
        """
        for spec in self.seating:
            check_repeatable(parse_spec(spec, self.game))
        loaded = {
            spec: FixedAgent(load_agent(spec, self.game, self.rules)) for spec in {*self.seating}
        }
        return [loaded[spec] for spec in self.seating]

    def describe(self) -> dict[str, Any]:
        """Return everything that a decision of the dataset depends on, for JSON."""
        game, rules = self.game, self.rules
        agents = zip(self.seating, self.load_agents(), strict=True)
        return {
            "format": FORMAT,
            "parlour": __version__,
            "code": digest_parlour(),
            "game": game.name,
            "variant": describe_rules(game, rules, self.variant),
            "rules": to_plain(rules),
            "rules_digest": game.rules_digest(rules),
            "goal": game.goal_name(rules),
            "seed": self.seed,
            "max_moves": self.max_moves,
            "agents": [
                {
                    "name": agent.name,
                    "spec": spec,
                    "digest": digest_saved(spec, game, rules),
                    "sees_all": agent.sees_all,
                }
                for spec, agent in agents
            ],
            "judge": None if self.judge is None else describe_judge(self.judge),
            "exact": self.exact,
            "solver": None if self.solve is None else digest_code(self.solve),
            "encoding": "codes",
            "features_digest": game.features_digest,
            "pieces": [
                {"name": piece.name, "size": piece.size, "meaning": piece.doc}
                for piece in game.features.pieces
            ],
            "actions": [game.label(action) for action in range(game.actions)],
        }


def play_decisions(spec: DatasetSpec, first: int, n: int) -> dict[str, np.ndarray]:
    """Play n games of a dataset, and return their labeled decisions in order.

    Args:
        spec: The dataset.
        first: Index of the first game, from 0.
        n: Number of games.

    Returns:
        An array for each column in `COLUMNS`; ``agent`` has the index of the agent's seat.
        ``values`` is float32 (decisions, actions), all NaN for decisions without values.
        ``winnable`` or ``best_score`` is missing if no solver labels it.
    """
    agents = spec.load_agents()
    size = min([n, *(agent.max_batch for agent in agents if agent.max_batch)])
    batches = [
        _play_batch(spec, agents, np.arange(i, min(i + size, first + n)) + spec.seed)
        for i in range(first, first + n, size)
    ]
    return {name: np.concatenate([one[name] for one in batches]) for name in batches[0]}


def _play_batch(
    spec: DatasetSpec, agents: Sequence[FixedAgent], episodes: np.ndarray
) -> dict[str, np.ndarray]:
    """Play one game for each episode number, int64 (n,); see `play_decisions`."""
    game, rules = spec.game, spec.rules
    config = StepConfig(reset=int(Autoreset.DISABLED), max_moves=spec.max_moves)
    rows = Rows(game, rules, len(episodes), config)
    rows.seed([draw_seed(np.random.default_rng(episode)) for episode in episodes.tolist()])
    rows.start(DealSource.DRAW)
    labels = label_deals(spec, rows.states)
    returns = rows.buffers.rewards.copy()
    steps: list[dict[str, np.ndarray]] = []
    before = copy_states(rows.states)
    for step in play_steps(rows, agents, DRAWS):
        states = copy_states(before, step.games)
        masks = legal_masks(game, states)
        steps.append(
            {
                "game": step.games,
                "step": states["steps"].astype(np.int32),
                "seat": step.seats.astype(np.int8),
                "observation": observation_codes(states),
                "action_mask": masks,
                "action": step.actions[step.games].astype(np.int16),
                "values": judge_decisions(spec, states, masks, episodes[step.games]),
            }
        )
        returns[step.games] += rows.buffers.rewards[step.games]
        before = copy_states(rows.states)
    if not steps:  # All games were over at the deal.
        steps = [_no_decisions(game)]
    columns = {name: np.concatenate([one[name] for one in steps]) for name in steps[0]}
    order = np.argsort(columns["game"], kind="stable")
    columns = {name: values[order] for name, values in columns.items()}
    games, seats = columns.pop("game"), columns["seat"].astype(np.int64)
    result = game.results(copy_states(rows.states, games), rules, seats)
    return columns | {
        "episode": episodes[games],
        "agent": columns["seat"],
        **{name: values[games] for name, values in labels.items()},
        "won": result[game.goal_name(rules)].astype(np.bool_),
        "score": result["score"].astype(np.int32),
        "return": returns[games, seats].astype(np.float32),
        "truncated": rows.states["over"][games] == Over.TRUNCATED,
    }


def _no_decisions(game: Game) -> dict[str, np.ndarray]:
    """Return the columns of a step without running games."""
    return {
        "game": np.zeros(0, np.int64),
        "step": np.zeros(0, np.int32),
        "seat": np.zeros(0, np.int8),
        "observation": np.zeros((0, game.features.width), np.int8),
        "action_mask": np.zeros((0, game.actions), np.bool_),
        "action": np.zeros(0, np.int16),
        "values": np.zeros((0, game.actions), np.float32),
    }


def judge_decisions(
    spec: DatasetSpec, states: np.ndarray, masks: np.ndarray, episodes: np.ndarray
) -> np.ndarray:
    """Return the value of each action, float32 (n, actions), NaN for illegal actions.

    All values are NaN for a decision with only one legal action, for a decision that the judge does
    not support, and without a judge. If ``spec.exact``, they are also NaN for a decision in which
    cards are hidden or an action is undecided.

    Args:
        spec: The dataset.
        states: The states before the decisions, (n,).
        masks: Their legal actions, bool (n, actions).
        episodes: Their episodes, int64 (n,), which seed the sampled worlds.
    """
    values = np.full(masks.shape, np.nan, np.float32)
    if spec.judge is None:
        return values
    chosen = np.flatnonzero(masks.sum(axis=1) > 1)
    chosen = chosen[can_judge(spec.judge, copy_states(states, chosen))]
    numbers = mix64(episodes.astype(np.uint64)) + states["steps"].astype(np.uint64)
    if spec.exact:
        chosen = chosen[are_known(spec.judge, copy_states(states, chosen), numbers[chosen])]
    if len(chosen):
        values[chosen] = spec.judge.judge(copy_states(states, chosen), numbers[chosen]).values
    if spec.exact:
        values[(values == UNDECIDED_VALUE).any(axis=1)] = np.nan
    return values


def label_deals(spec: DatasetSpec, states: np.ndarray) -> dict[str, np.ndarray]:
    """Return the solver labels of deals, an array (n,) for each column; none without a solver."""
    if spec.solve is None:
        return {}
    solutions = []
    for i in range(len(states)):
        state = states[i : i + 1]
        solution = spec.solve(state, spec.rules, optimal=False, limit=None)
        solutions.append(verify_solution(spec.game, spec.rules, state, solution))
    if is_scored(spec.game):
        return {"best_score": columns_of(solutions, True)["score"]}
    return {"winnable": columns_of(solutions, False)["winnable"]}


def are_equal(game: Game, values: np.ndarray) -> np.ndarray:
    """Return whether all actions except UNDO have equal values, bool (n,)."""
    return np.asarray(best_values(game, values) == -best_values(game, -values))
