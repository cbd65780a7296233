"""The contract of a game: what each of its functions takes, returns and writes.

Kernels of one state are compiled functions of a record and its rules. Kernels over rows take arrays
of records; their rules are an array of one record (1,), or of several (k,). Kernels allocate
nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from .scene.scene import Scene
from .type_aliases import (
    Action,
    CardSet,
    FeatureIds,
    Masks,
    Progress,
    RulesRecord,
    RulesRecords,
    Scores,
    Seat,
    State,
    States,
    Table,
    Weights,
)

# ---- kernels of one state, and of rows ------------------------------------------------------


class ShuffleKernel(Protocol):
    """Fills ``deck`` from the state's generator, and draws all other chance of a deal."""

    def __call__(self, s: State, rules: RulesRecord, /) -> None:
        """Write ``deck`` and ``rng``."""


class DealKernel(Protocol):
    """Lays out a game from the state's deck."""

    def __call__(self, s: State, rules: RulesRecord, /) -> None:
        """Write every field but ``deck``, ``rng`` and those that `batch` sets to 0 before."""


class StepKernel(Protocol):
    """Plays an action that is known to be legal."""

    def __call__(self, s: State, rules: RulesRecord, action: Action, /) -> None:
        """Write all that changes: ``legal``, ``shown``, ``score``, ``moves``; at the end ``over``.

        A finished game has ``won`` and, in a game for several seats, ``net``; its ``legal`` is 0.
        """


class FallbackAction(Protocol):
    """Chooses what is played instead of an illegal action."""

    def __call__(self, s: State, rules: RulesRecord, /) -> Action:
        """Return a legal action, or -1 to end the episode. Write nothing."""


class ResampleKernel(Protocol):
    """Resamples, in one state, all that a seat does not know."""

    def __call__(self, s: State, rules: RulesRecord, seat: Seat, /) -> None:
        """Draw from the state's generator; write nothing that the seat is shown."""


class ResampleRows(Protocol):
    """`ResampleKernel` over rows; `batch.make_resample_rows` makes it."""

    def __call__(self, states: States, rules: RulesRecords, seat: Seat, /) -> None:
        """Resample what a seat does not know; -1: the seat to act, in each row."""


class ScoreKernel(Protocol):
    """Scores the legal actions of one state, knowing only what the player knows."""

    def __call__(self, s: State, rules: RulesRecord, weights: Weights, scores: Scores, /) -> None:
        """Write ``scores`` (actions,) of legal actions; leave the others."""


class ScoreRows(Protocol):
    """`ScoreKernel` over rows; `batch.make_score_rows` makes it."""

    def __call__(
        self, states: States, rules: RulesRecords, weights: Weights, scores: Scores, /
    ) -> None:
        """Write ``scores`` (n, actions) of legal actions; leave the others."""


class ViewKernel(Protocol):
    """Makes ``shown`` the observation of a seat, which need not be the seat to act."""

    def __call__(self, s: State, rules: RulesRecord, seat: Seat, /) -> None:
        """Write ``shown``."""


class ViewRows(Protocol):
    """`ViewKernel` over rows; `batch.make_view_rows` makes it."""

    def __call__(self, states: States, rules: RulesRecords, seats: np.ndarray, /) -> None:
        """Write ``shown``; ``seats``, int64 (n,), one for each row."""


class RewardUnit(Protocol):
    """The unit of a seat's net in rewards and tables, such as an ante."""

    def __call__(self, rules: Any, /) -> float:
        """Return its size in chips, or points, for the rules or their record."""


# ---- the batch kernels ----------------------------------------------------------------------


class Buffers(NamedTuple):
    """Output arrays of a step, one row for each game; the caller owns them."""

    rewards: np.ndarray
    """float64 (n, seats)."""
    terminated: np.ndarray
    """bool (n,)."""
    truncated: np.ndarray
    """bool (n,)."""
    masks: Masks
    """int8 (n, actions); all ones on a finished row."""
    final_states: States
    """With SAME_STEP the finished game of a row that has just ended."""
    played: np.ndarray
    """int64 (n,): the action played, or what replaced an illegal action; -1: none."""
    rules: np.ndarray
    """int64 (n,): index of the row's record of rules; drawn where a step begins a game."""


class ResetRows(Protocol):
    """Begins new games; rules and configs (`batch.StepConfig`) are made by `options.as_record`."""

    def __call__(
        self,
        states: States,
        rules: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        source: int,
        buffers: Buffers,
        /,
    ) -> None:
        """Deal, as `batch.DealSource` says, on the rows in ``which``, bool (n,), and no others."""


class StepRows(Protocol):
    """Makes one step on rows."""

    def __call__(
        self,
        states: States,
        rules: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        actions: np.ndarray,
        buffers: Buffers,
        /,
    ) -> None:
        """Play ``actions``, int64 (n,), on the rows in ``which``; see `ResetRows`."""


class PayFinished(Protocol):
    """Writes the final rewards of games that are over."""

    def __call__(
        self,
        states: States,
        rules: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        buffers: Buffers,
        /,
    ) -> None:
        """Write ``Buffers.rewards`` of the rows in ``which``; see `ResetRows`."""


class BeginKernel(Protocol):
    """Begins a new game on one state."""

    def __call__(self, s: State, rules: RulesRecord, source: int, /) -> None:
        """Deal as `batch.DealSource` says; write every field."""


class AdvanceKernel(Protocol):
    """Makes the step of one row: checks the action, plays it, truncates and pays."""

    def __call__(
        self, s: State, rules: RulesRecord, config: Any, action: Action, rewards: np.ndarray, /
    ) -> Action:
        """Add to ``rewards`` (seats,); return the action played, or -1."""


class WriteMask(Protocol):
    """Writes the mask of one row."""

    def __call__(self, s: State, i: int, buffers: Buffers, /) -> None:
        """Write ``buffers.masks[i]``: the legal actions, all actions if the game is finished."""


class BatchKernels(NamedTuple):
    """A game's kernels over rows, and those of one state that other kernels build on."""

    reset_rows: ResetRows
    """Begins new games."""
    step_rows: StepRows
    """Makes one step."""
    begin: BeginKernel
    """Begins a new game on one state."""
    step: StepKernel
    """Plays a legal action on one state."""
    pay_finished: PayFinished
    """Writes the final rewards of finished games."""
    score_scale: float
    """Reward "progress" for each point of ``progress``."""
    win_bonus: float
    """Reward "progress" for a win, in addition."""
    advance: AdvanceKernel
    """Makes the step of one row."""
    write_mask: WriteMask
    """Writes the mask of one row."""
    progress: Progress
    """The quantity whose change the reward "progress" pays, such as the score."""


# ---- values of afterstates ------------------------------------------------------------------


class AfterstateScore(Protocol):
    """Scores the afterstate of each action by a table of feature values."""

    def __call__(
        self, s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores, /
    ) -> None:
        """Write points gained plus value, minus `StateValue`; ``ids`` is scratch."""


class StateValue(Protocol):
    """The part of the value that all afterstates of a state share, with the score so far."""

    def __call__(self, s: State, rules: RulesRecord, table: Table, ids: FeatureIds, /) -> float:
        """Return it; ``ids`` is scratch for feature numbers."""


class ActiveFeatures(Protocol):
    """Lists the features of an afterstate."""

    def __call__(self, s: State, rules: RulesRecord, action: Action, ids: FeatureIds, /) -> int:
        """Write their numbers from 0 on, -1 for a part that has none; return how many entries."""


class PartScores(Protocol):
    """The points of each part of a finished game."""

    def __call__(self, s: State, rules: RulesRecord, points: np.ndarray, /) -> None:
        """Write ``points``, float64 (parts,)."""


class PossibleCards(Protocol):
    """Lists the cards that may be turned up next."""

    def __call__(self, s: State, cards: np.ndarray, /) -> int:
        """Write their codes, int8, and return how many there are."""


# ---- what people see ------------------------------------------------------------------------


class Layout(Protocol):
    """Describes one state as a scene."""

    def __call__(self, s: Any, rules: Any, /) -> Scene:
        """Return the scene that the seat to act sees; ``s`` is one record."""


class ActionWords(Protocol):
    """Lists the words by which a person may name the legal actions."""

    def __call__(self, s: Any, rules: Any, /) -> dict[Action, tuple[str, ...]]:
        """Return the words of actions, the best word first; ``h``, ``q`` and ``?`` are taken."""


class FinalInfo(Protocol):
    """Additional entries of ``info`` beside won, score and moves, from the deal to the end."""

    def __call__(self, states: States, rules: Any, seats: np.ndarray, /) -> dict[str, np.ndarray]:
        """Return the game's additional entries of ``info``.

        Each is an array (n,) with what the seats (n,) may know, for running games, too.
        """


# ---- solvers --------------------------------------------------------------------------------


UNDECIDED, LOST, WINNABLE = -1, 0, 1
"""Codes (int8) for `Solution.winnable` in arrays: None, False, True."""


class Solution(NamedTuple):
    """A solver's result for a position, with all cards known."""

    winnable: bool | None
    """None if the limit was reached first, and in games that are not won or lost."""
    moves: list[str] | None
    """The solution in words; None if none was found."""
    nodes: int
    """Number of positions searched."""
    actions: list[int] | None = None
    """The solution as action numbers."""
    score: int | None = None
    """The best score found, in a game that is played for its score."""
    fewest: int | None = None
    """Moves of the shortest win, if requested and proven."""
    bounds: tuple[int, int] | None = None
    """Proven lower and upper bound of ``score``, if the solver has them."""

    @property
    def winnable_code(self) -> int:
        """``winnable`` as an array has it."""
        return UNDECIDED if self.winnable is None else int(self.winnable)


class Solve(Protocol):
    """Finds the best result with all cards known."""

    def __call__(
        self, deck_or_state: Any, rules: Any, optimal: bool = False, limit: int | None = None
    ) -> Solution:
        """Return the result of a search of ``limit`` positions; ``optimal``: the shortest win.

        ``deck_or_state`` is what `parlour.envs.core.solve.make_position` takes. Raises ValueError
        for rules that the solver does not support.
        """


class WinnableAfter(Protocol):
    """Tells after which actions the game can still be won, with all cards known."""

    def __call__(self, states: States, rules: Any, limit: int | None = None) -> np.ndarray:
        """Return float32 (n, actions): 1 yes, 0 no or not legal, 0.5 if the limit came first."""


class Plan(NamedTuple):
    """The actions to play from a position until the next hidden card is turned up."""

    actions: list[int]
    """Empty if no way to win was found."""
    value: float | None
    """The estimated share of sampled worlds that it wins; None if nothing was searched."""
    worlds: int = 0
    """Number of sampled worlds; 0 if nothing is hidden."""


class PlanAhead(Protocol):
    """Searches for the plan that wins most sampled worlds."""

    def __call__(self, states: States, rules: Any, iterations: int, seed: int) -> Plan:
        """Return a plan for a position (1,); ``seed`` draws the worlds.

        Raises ValueError for rules or numbers of iterations that it does not support.
        """


class Contract(NamedTuple):
    """The result of one contract of an open deal: a side takes it, and one seat makes trumps."""

    seat: int
    """The seat that bids and makes trumps."""
    making: str
    """The action that makes trumps: the card laid face down, or a suit."""
    points: int | None
    """Points of its side when all play as well as possible; None: unknown.

    The value of a pair, for or against the contract, is included.
    """


class ListContracts(Protocol):
    """Finds the result of every contract of an open deal."""

    def __call__(
        self, deck_or_state: Any, rules: Any, limit: int | None = None
    ) -> tuple[Contract, ...]:
        """Return the contracts of a deal without bids; each searches at most ``limit`` positions.

        Raises ValueError for a position in which somebody has bid.
        """


class Solving(NamedTuple):
    """The additional functions of a game with a solver."""

    solve: Solve
    """Finds the best result with all cards known."""
    winnable_after: WinnableAfter | None = None
    """Tells the same for every action; None in games that are not won or lost."""
    plan_ahead: PlanAhead | None = None
    """The game's own search without knowledge of hidden cards; None if it has none."""
    world_limit: int = 5000
    """Positions that PIMC searches in each world; an undecided world counts as half a win."""
    list_contracts: ListContracts | None = None
    """Finds the result of each contract of an open deal; None in games without an auction."""


# ---- seats ----------------------------------------------------------------------------------


def play_alone(rules: Any) -> tuple[int, ...]:
    """Return a different side for each seat."""
    return tuple(range(int(rules.players)))


class Seats(NamedTuple):
    """The additional facts and functions of a game for several seats."""

    most: int
    """The largest number of players; the option ``players`` has the actual number."""
    view: ViewRows
    """Makes ``shown`` the observation of a seat."""
    reward_unit: RewardUnit
    """The unit of a seat's net."""
    sides: Callable[[Any], tuple[int, ...]] = play_alone
    """Returns the side of each seat: partners have the same number."""
    check_deck: Callable[[np.ndarray, Any], None] | None = None
    """``check_deck(deck, rules)`` raises ValueError for a deck that the rules would redeal."""
    verbs: tuple[str, ...] = ()
    """Words of `Game.action_words` that take an s in the third person."""


# ---- states from outside --------------------------------------------------------------------


class StateCheckKernel(Protocol):
    """Finds the first record that play could not have made; see `make_state_check`."""

    def __call__(
        self,
        states: States,
        raw: np.ndarray,
        rules: RulesRecords,
        players: int,
        pack: CardSet,
        size: int,
        /,
    ) -> tuple[int, int, int]:
        """Return the row, the number of its fault, and the byte of the fault; row -1: no fault.

        ``states`` (n + 1,) ends with a scratch state; ``raw``, int8 (n + 1, bytes), is the same
        memory; ``pack`` is the set of the codes of a deck of ``size`` cards, each once or each
        twice.
        """


class StateCheck(NamedTuple):
    """The check of state records that come from outside."""

    check: StateCheckKernel
    """Finds the first record that play could not have made."""
    allowed: Sequence[tuple[str, str]]
    """Field (such as ``"shown.card"``) and allowed values for each number of a fault, from 1."""
