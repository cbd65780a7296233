"""Judges of decisions, which estimate the value of each legal action from the known cards.

The judge samples worlds, the same for all actions: assignments of the hidden cards that fit what
the seat knows. With an exact solver, the value of an action is the share of worlds that can still
be won after it. Otherwise an agent plays out each action in each world, a one-step search.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent, FixedAgent, can_load, load_agent
from parlour.agents.search.pimc import find_known, sample_worlds
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Autoreset, StepConfig
from parlour.envs.core.kernel.rng import key_words, mix64
from parlour.envs.core.options import check_range
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.solve import WinnableInfo
from parlour.envs.core.turn import legal_masks

from ..play import play_steps

WORLDS = 100
"""Default number of worlds for each decision."""
MOST_WORLDS = 100_000
LIMIT = 20_000
"""Most positions that the solver searches per world; an undecided world counts as half won."""
UNDECIDED_VALUE = 0.5
"""Value of an action in a world that the solver leaves undecided."""
CHUNK = 1 << 13
"""Most worlds in memory."""
POINTS_LIMIT = 1_000_000
"""Most positions that the double-dummy solver searches; beyond, points are unknown."""
TAKES_BACK = "UNDO"
"""The label of the action that takes a move back."""
DOUBLE_DUMMY = "double-dummy"
"""Name of a player: the solver judges a game for several players as if all cards were known."""
PLAYERS = ("pretrained", "greedy")
"""Agents that play worlds out without a solver; the first one that supports the rules is used."""


class Judged(NamedTuple):
    """The judgments of n decisions.

    Attributes:
        values: The value of each action, float64 (n, actions): the share of worlds that can still
            be won, or the mean result. NaN for illegal actions.
        errors: The standard errors of ``values``.
        chances: The value of each position, float64 (n,).
        chance_errors: The standard errors of ``chances``.
        undecided: The number of worlds that the solver left undecided, int64 (n,).
    """

    values: np.ndarray
    errors: np.ndarray
    chances: np.ndarray
    chance_errors: np.ndarray
    undecided: np.ndarray

    @staticmethod
    def empty(n: int, actions: int) -> "Judged":
        """Return arrays for n decisions, to be filled."""
        values, errors = np.full((2, n, actions), np.nan)
        chances, chance_errors = np.zeros((2, n))
        return Judged(values, errors, chances, chance_errors, np.zeros(n, np.int64))

    def take(self, rows: np.ndarray | slice) -> "Judged":
        """Return the judgments of these decisions."""
        return Judged(*(part[rows] for part in self))


@dataclass(frozen=True)
class Judge(ABC):
    """A judge of actions in sampled worlds: the exact solver, or an agent that plays worlds out."""

    game: Game
    rules: Any
    worlds: int
    """Number of sampled worlds per decision."""
    seed: int
    """The seed of the sampled worlds."""

    @property
    @abstractmethod
    def text(self) -> str:
        """A description of the judge's method."""

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether an exact solver judges, so that values are shares of winnable worlds."""

    @property
    @abstractmethod
    def unit(self) -> str:
        """The unit of values: won (a share), score, or net (in the game's unit)."""

    @abstractmethod
    def judge(self, states: np.ndarray, numbers: np.ndarray) -> Judged:
        """Judge the decisions of the seat to act in each of ``states`` (n,), none of them over.

        ``numbers``, int (n,), are the indices of the decisions in their game, which seed the
        worlds. The result depends only on them, on what the seat knows, and on the seed.
        """


def check_seat(judge: Judge, seat: int) -> None:
    """Raise ValueError for a seat that the game does not have."""
    players = judge.game.num_players(judge.rules)
    check_range("seat", seat, 0, players - 1)


def describe_judge(judge: Judge) -> dict[str, Any]:
    """Return a description of the judge for JSON."""
    description = {"judge": judge.text, "exact": judge.exact, "unit": judge.unit}
    return description | {"worlds": judge.worlds, "seed": judge.seed}


@dataclass(frozen=True)
class SolverJudge(Judge):
    """A judge that uses the game's exact solver."""

    unit = "won"

    @property
    def exact(self) -> bool:
        """See `Judge`; False for several players, where the solver is only double-dummy."""
        return self.game.num_players(self.rules) == 1

    @property
    def text(self) -> str:
        """See `Judge`."""
        method = "exact solver" if self.exact else "double-dummy solver, all cards known"
        return f"share of {self.worlds:,} sampled worlds that can still be won ({method})"

    def judge(self, states: np.ndarray, numbers: np.ndarray) -> Judged:
        """See `Judge`. A chance is the share of worlds that can be won after some action.

        UNDO does not count as such an action. Standard errors add one won and one lost world to
        the sample, so that 100 of 100 is not certain; they are 0 if no card is hidden.
        """
        judged = Judged.empty(len(states), self.game.actions)
        size = max(1, CHUNK // self.worlds)
        for i in range(0, len(states), size):
            self._judge_some(judged.take(slice(i, i + size)), states[i : i + size], numbers[i:])
        return judged

    def _judge_some(self, judged: Judged, states: np.ndarray, numbers: np.ndarray) -> None:
        n = len(states)
        seeds = decision_seeds(self.seed, numbers[:n])
        worlds = sample_worlds(self.game, self.rules, states, seeds, 0, self.worlds)
        different, numbers_of_worlds = np.unique(
            worlds.view(f"V{worlds.itemsize}"), return_inverse=True
        )
        assert self.game.winnable_after is not None
        wins = self.game.winnable_after(different.view(worlds.dtype), self.rules, LIMIT)
        wins = wins[numbers_of_worlds].reshape(n, self.worlds, -1)
        by_decision = numbers_of_worlds.reshape(n, -1)
        is_hidden = (by_decision != by_decision[:, :1]).any(axis=1)
        masks = legal_masks(self.game, states)
        judged.values[masks] = wins.mean(axis=1)[masks]
        judged.errors[masks] = (self._errors(judged.values) * is_hidden[:, None])[masks]
        continues = masks & ~takes_back(self.game)
        best = np.where(continues[:, None], wins, 0).max(axis=2)
        judged.chances[:] = best.mean(axis=1)
        judged.chance_errors[:] = self._errors(judged.chances) * is_hidden
        judged.undecided[:] = (best == 0.5).sum(axis=1)

    def _errors(self, shares: np.ndarray) -> np.ndarray:
        """The standard errors of shares."""
        near = (shares * self.worlds + 1) / (self.worlds + 2)
        return np.sqrt(near * (1 - near) / self.worlds)


@dataclass(frozen=True)
class PlayOutJudge(Judge):
    """A judge that plays games to the end, with ``player`` in all seats."""

    player: Agent
    given: Agent | str
    """The player as the caller gave it."""
    exact = False

    @property
    def text(self) -> str:
        """See `Judge`."""
        return (
            f"mean {self.unit} over {self.worlds:,} sampled worlds, played out by "
            f"{self.player.name} (an estimate, no proof)"
        )

    @property
    def unit(self) -> str:
        """See `Judge`."""
        if self.game.num_players(self.rules) > 1:
            return "net"
        return self.game.measure

    def judge(self, states: np.ndarray, numbers: np.ndarray) -> Judged:
        """See `Judge`. A chance is the value of the best action.

        The maximum of several means is biased upwards a little.
        """
        judged = Judged.empty(len(states), self.game.actions)
        masks, seeds = legal_masks(self.game, states), decision_seeds(self.seed, numbers)
        for i in range(len(states)):
            legal = np.flatnonzero(masks[i])
            results = self._play_out(states[i : i + 1], seeds[i : i + 1], legal)
            judged.values[i, legal] = results.mean(axis=1)
            judged.errors[i, legal] = results.std(axis=1) / np.sqrt(max(self.worlds - 1, 1))
            best = np.nanargmax(judged.values[i])
            judged.chances[i], judged.chance_errors[i] = (
                judged.values[i, best],
                judged.errors[i, best],
            )
        return judged

    def _play_out(self, state: np.ndarray, seeds: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """The result of each action in each world, float64 (actions, worlds)."""
        worlds = sample_worlds(self.game, self.rules, state, seeds, 0, self.worlds)
        worlds["rng"] = mix64(seeds + np.arange(self.worlds, dtype=np.uint64))
        states = copy_states(worlds, np.tile(np.arange(self.worlds), len(legal)))
        config = StepConfig(reset=int(Autoreset.DISABLED), max_moves=MAX_MOVES)
        rows = Rows(self.game, self.rules, len(states), config)
        rows.take_over(states)
        rows.step(np.repeat(legal, self.worlds))
        players = [self.player] * self.game.num_players(self.rules)
        for _ in play_steps(rows, players, key_words("review")):
            pass
        seats = np.full(len(states), int(state["turn"][0]))
        return result_values(self, rows.states, seats).reshape(len(legal), -1)


def result_values(judge: Judge, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the results of finished games in the unit of a judge, float64 (n,)."""
    game, rules = judge.game, judge.rules
    facts = game.results(states, rules, seats)
    if judge.unit == "net":
        return np.asarray(facts["score"] / game.reward_unit(rules))
    return facts[judge.unit].astype(np.float64)


def make_judge(
    game: Game,
    rules: Any,
    worlds: int = WORLDS,
    seed: int = 0,
    player: Agent | str | None = None,
) -> SolverJudge | PlayOutJudge:
    """Return the judge of decisions: the exact solver, unless a player is given or needed.

    Args:
        game: The game.
        rules: The rules.
        worlds: Number of sampled worlds per decision.
        seed: Seed of the sampled worlds.
        player: Agent that plays the worlds out, or its name (None: the exact solver, or without one
            the first of `PLAYERS` for these rules; `DOUBLE_DUMMY`: the solver of a game for
            several players).

    Raises:
        ValueError: A number is out of range, or the player is unknown or sees hidden cards.
    """
    check_range("worlds", worlds, 1)
    check_range("seed", seed, 0)
    if worlds > MOST_WORLDS:
        raise ValueError(f"worlds must be at most {MOST_WORLDS:,}, got {worlds}")
    several = game.num_players(rules) > 1
    if player == DOUBLE_DUMMY:
        if not is_double_dummy(game, rules):
            raise ValueError(
                f"player must be an agent because these rules of {game.title} have no double-dummy "
                f"solver, got {player!r}"
            )
        return SolverJudge(game, rules, worlds, seed)
    if player is None and not several and is_solvable(game, rules):
        return SolverJudge(game, rules, worlds, seed)
    if player is None:
        player = next(name for name in PLAYERS if can_load(name, game, rules))
    agent = FixedAgent(load_agent(player, game, rules, seed) if isinstance(player, str) else player)
    if agent.sees_all:
        raise ValueError(f"player must not see the hidden cards, got {agent.name!r}")
    return PlayOutJudge(game, rules, worlds, seed, agent, player)


def is_solvable(game: Game, rules: Any) -> bool:
    """Return whether the game has a solver that judges every action under these rules."""
    if game.winnable_after is None:
        return False
    try:
        game.winnable_after(np.zeros(0, game.state), rules)
    except ValueError:
        return False
    return True


def decision_seeds(seed: int, numbers: np.ndarray) -> np.ndarray:
    """Return the seed of the worlds of each decision, uint64 (n,)."""
    return mix64(mix64(np.full(len(numbers), seed, np.uint64)) + numbers.astype(np.uint64))


def takes_back(game: Game) -> np.ndarray:
    """Return whether each action takes a move back, bool (actions,)."""
    return np.array([game.label(action) == TAKES_BACK for action in range(game.actions)])


def best_values(game: Game, values: np.ndarray) -> np.ndarray:
    """Return the best value of an action except UNDO, float64 (n,); NaN if there is none."""
    known = ~np.isnan(values) & ~takes_back(game)
    best = np.where(known, values, -np.inf).max(axis=1)
    return np.where(known.any(axis=1), best, np.nan)


def find_regrets(game: Game, values: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return the regret of each action taken, float64 (n,): the best value minus its value.

    UNDO does not count as the best action. Decisions without values have NaN.

    Args:
        game: The game.
        values: The value of each action, float (n, actions), NaN for illegal actions.
        actions: The actions taken, int (n,).
    """
    best = best_values(game, values)
    return np.asarray(best - values[np.arange(len(actions)), actions], np.float64)


def can_judge(judge: Judge, states: np.ndarray) -> np.ndarray:
    """Return whether a judge supports the decision in each state, bool (n,).

    A double-dummy solver judges the play of the cards, but no bids.
    """
    if isinstance(judge, SolverJudge) and not judge.exact:
        return is_in_play(judge.game, judge.rules, states)
    return np.ones(len(states), np.bool_)


def are_known(judge: Judge, states: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return whether all worlds that a judge samples for a decision are equal, bool (n,).

    Then nothing is hidden from the seat to act, or by chance all samples agree: with two unknown
    cards, the probability is 2 to the power 1 - ``judge.worlds``.

    Args:
        judge: The judge.
        states: The states before the decisions, (n,).
        numbers: Their numbers, as for `Judge.judge`.
    """
    are_equal = np.zeros(len(states), np.bool_)
    size = max(1, CHUNK // judge.worlds)
    for i in range(0, len(states), size):
        seeds = decision_seeds(judge.seed, numbers[i : i + size])
        chunk = copy_states(states, np.arange(i, i + len(seeds)))
        known, _ = find_known(judge.game, judge.rules, chunk, seeds, judge.worlds)
        are_equal[i + known] = True
    return are_equal


def find_decisions(game: Game, states: np.ndarray, seat: int) -> np.ndarray:
    """Return the positions of a seat's first turn and of its choices, int64 (n,)."""
    own_turn = states["turn"][:-1] == seat
    several = legal_masks(game, states[:-1]).sum(axis=1) > 1
    return np.union1d(np.flatnonzero(own_turn & several), np.flatnonzero(own_turn)[:1])


def find_open_values(judge: Judge, states: np.ndarray) -> np.ndarray | None:
    """Return whether each position can be won with all cards known, float64 (n,).

    The values are 1 (yes), 0 (no), or 0.5 (undecided). None if the judge is not an exact solver.
    """
    if not judge.exact:
        return None
    codes = WinnableInfo(judge.game, judge.rules)(states).astype(np.float64)
    return np.where(codes < 0, 0.5, codes)


def is_double_dummy(game: Game, rules: Any) -> bool:
    """Return whether the rules are for several players and the game has a double-dummy solver."""
    return game.num_players(rules) > 1 and game.winnable_after is not None


def find_points(game: Game, rules: Any, states: np.ndarray, steps: np.ndarray) -> np.ndarray | None:
    """Return the double-dummy points of the bidder's side before and after steps, float64 (n, 2).

    ``states`` has all positions of the game. Points are NaN if no contract is being played, in
    hands played alone, and if the search reaches `POINTS_LIMIT`. None for games without such a
    solver.
    """
    if not is_double_dummy(game, rules):
        return None
    points = [
        [_solve_points(game, rules, states[i + after : i + after + 1]) for after in (0, 1)]
        for i in steps
    ]
    return np.array(points, np.float64).reshape(-1, 2)


def _solve_points(game: Game, rules: Any, state: np.ndarray) -> float:
    assert game.solving is not None
    try:
        score = game.solving.solve(state, rules, limit=POINTS_LIMIT).score
    except ValueError:  # no contract to play
        return np.nan
    return np.nan if score is None else score


def is_in_play(game: Game, rules: Any, states: np.ndarray) -> np.ndarray:
    """Return whether the solver supports the contract in play at each position, bool (n,)."""
    assert game.solving is not None
    in_play = np.ones(len(states), np.bool_)
    for i in range(len(states)):
        try:
            game.solving.solve(states[i : i + 1], rules, limit=1)
        except ValueError:
            in_play[i] = False
    return in_play
