"""The contract of a game: what each of its functions takes, returns and writes.

Kernels of one state are compiled functions of a record and its rules; kernels over rows take arrays
of records, of rules one (1,) or several (k,). They allocate nothing.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from .aliases import (
    Action,
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
from .scene.scene import Scene

UNDECIDED, LOST, WINNABLE = -1, 0, 1
"""How arrays (int8) say what `Solution.winnable` says: None, False, True."""


class ShuffleKernel(Protocol):
    """Fills ``deck`` from the state's generator, and draws what else chance decides at a deal."""

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
    """Says what is played in the place of an illegal action."""

    def __call__(self, s: State, rules: RulesRecord, /) -> Action:
        """Return a legal action; -1: none, the episode ends. Write nothing."""


class ResampleKernel(Protocol):
    """Deals anew, in one state, all that a seat does not know."""

    def __call__(self, s: State, rules: RulesRecord, seat: Seat, /) -> None:
        """Draw from the state's generator; write nothing that the seat is shown."""


class ResampleRows(Protocol):
    """`ResampleKernel` over rows; `row_kernels.make_resample_rows` makes it."""

    def __call__(self, states: States, rules: RulesRecords, seat: Seat, /) -> None:
        """Deal anew what a seat does not know; -1: the seat whose turn it is, in each row."""


class ScoreKernel(Protocol):
    """Scores the legal actions of one state, knowing only what the player knows."""

    def __call__(self, s: State, rules: RulesRecord, weights: Weights, scores: Scores, /) -> None:
        """Write ``scores`` (actions,) of legal actions; leave the others."""


class ScoreRows(Protocol):
    """`ScoreKernel` over rows; `row_kernels.make_score_rows` makes it."""

    def __call__(
        self, states: States, rules: RulesRecords, weights: Weights, scores: Scores, /
    ) -> None:
        """Write ``scores`` (n, actions) of legal actions; leave the others."""


class ViewKernel(Protocol):
    """Makes the shown pieces of one state those of a seat, whosever turn it is."""

    def __call__(self, s: State, rules: RulesRecord, seat: Seat, /) -> None:
        """Write ``shown``."""


class ViewRows(Protocol):
    """`ViewKernel` over rows; `row_kernels.make_view_rows` makes it."""

    def __call__(self, states: States, rules: RulesRecords, seats: np.ndarray, /) -> None:
        """Write ``shown``; ``seats``, int64 (n,), one for each row."""


class RewardUnit(Protocol):
    """In what a seat's net is counted in rewards and tables: antes, wagers."""

    def __call__(self, rules: Any, /) -> float:
        """Return so many chips, or points, for the rules or their record."""


class Buffers(NamedTuple):
    """What a step writes, one row a game; owned by the caller."""

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
    """int64 (n,): the action that was played, of an illegal one what was instead; -1: none."""
    rules: np.ndarray
    """int64 (n,): which record of rules a row is played by; drawn where a step begins a game."""


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
    """Writes what games that are over pay at their end."""

    def __call__(
        self,
        states: States,
        rules: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        buffers: Buffers,
        /,
    ) -> None:
        """Write ``buffers.rewards`` of the rows in ``which``; see `ResetRows`."""


class BeginKernel(Protocol):
    """Begins a new game on one state."""

    def __call__(self, s: State, rules: RulesRecord, source: int, /) -> None:
        """Deal as `batch.DealSource` says; write every field."""


class AdvanceKernel(Protocol):
    """Makes the step of one row, as `StepRows` makes it: checked, paid, cut off."""

    def __call__(
        self, s: State, rules: RulesRecord, config: Any, action: Action, rewards: np.ndarray, /
    ) -> Action:
        """Add to ``rewards`` (seats,); return what was played, -1 if nothing was."""


class WriteMask(Protocol):
    """Writes the mask of one row."""

    def __call__(self, s: State, i: int, buffers: Buffers, /) -> None:
        """Write ``buffers.masks[i]``: the legal actions, all actions if the game is finished."""


class BatchKernels(NamedTuple):
    """A game's functions over rows, and two of one state that other kernels build on."""

    reset_rows: ResetRows
    """Begins new games."""
    step_rows: StepRows
    """Makes one step."""
    begin: BeginKernel
    """Begins a new game on one state."""
    step: StepKernel
    """Plays a legal action on one state."""
    pay_finished: PayFinished
    """Writes what finished games pay."""
    score_scale: float
    """What the reward "progress" pays for a point of ``progress``."""
    win_bonus: float
    """What it pays for a win."""
    advance: AdvanceKernel
    """Makes the step of one row."""
    write_mask: WriteMask
    """Writes the mask of one row."""
    progress: Progress
    """What the reward "progress" counts: the score, unless the game says otherwise."""


class AfterstateScore(Protocol):
    """Scores what each action leads to, by a table of the values of features."""

    def __call__(
        self, s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores, /
    ) -> None:
        """Write for legal actions points gained and value, less `StateValue`; ``ids`` is room."""


class StateValue(Protocol):
    """What all afterstates of a state have in common; the score so far is in it."""

    def __call__(self, s: State, rules: RulesRecord, table: Table, ids: FeatureIds, /) -> float:
        """Return it; ``ids`` is room for the numbers of features."""


class ActiveFeatures(Protocol):
    """Lists the features of an afterstate."""

    def __call__(self, s: State, rules: RulesRecord, action: Action, ids: FeatureIds, /) -> int:
        """Write their numbers from 0 on, -1 for a part that has none; return how many entries."""


class PartScores(Protocol):
    """What each part of a finished game brought."""

    def __call__(self, s: State, rules: RulesRecord, points: np.ndarray, /) -> None:
        """Write ``points``, float64 (parts,)."""


class PossibleCards(Protocol):
    """Lists the cards that may be turned up next."""

    def __call__(self, s: State, cards: np.ndarray, /) -> int:
        """Write their codes, int8, and return how many there are."""


class Layout(Protocol):
    """Says where each card of one state lies."""

    def __call__(self, s: Any, rules: Any, /) -> Scene:
        """Return the scene that the seat at turn sees; ``s`` is one record."""


class ActionWords(Protocol):
    """Says what a person may call the actions in sight."""

    def __call__(self, s: Any, rules: Any, /) -> dict[Action, tuple[str, ...]]:
        """Return the words of actions, the best word first; ``h``, ``q`` and ``?`` are taken."""


class FinalInfo(Protocol):
    """What ``info`` says beside won, score and moves, from the deal to the end."""

    def __call__(self, states: States, rules: Any, seats: np.ndarray, /) -> dict[str, np.ndarray]:
        """Return arrays (n,), a fact each, as seats (n,) may know it; of running games, too."""


class Solution(NamedTuple):
    """What a solver found out about a position, all cards known."""

    winnable: bool | None
    """None where a limit was met before the answer was certain, and in games that nobody wins."""
    moves: list[str] | None
    """In words, how the aim is reached; None where no way was found."""
    nodes: int
    """Positions looked at."""
    actions: list[int] | None = None
    """The same as numbers of actions."""
    score: int | None = None
    """The best score found, in a game that is played for its score."""
    fewest: int | None = None
    """Moves of the shortest win, where that was asked for and proven."""
    bounds: tuple[int, int] | None = None
    """The least and the most that ``score`` can be, where a solver proves both."""

    @property
    def winnable_code(self) -> int:
        """``winnable`` as an array has it."""
        return UNDECIDED if self.winnable is None else int(self.winnable)


class Solve(Protocol):
    """Finds out what one who knew all cards could reach."""

    def __call__(
        self, deck_or_state: Any, rules: Any, optimal: bool = False, limit: int | None = None
    ) -> Solution:
        """Return what is found out within so many positions; ``optimal``: the shortest win.

        ``deck_or_state`` is what `truth.make_position` takes. Raises ValueError for rules that the
        solver does not know.
        """


class WinnableAfter(Protocol):
    """Says after which actions a win is left to one who knew all cards."""

    def __call__(self, states: States, rules: Any, limit: int | None = None) -> np.ndarray:
        """Return float32 (n, actions): 1 yes, 0 no or not legal, 0.5 if the limit came first."""


def play_alone(rules: Any) -> tuple[int, ...]:
    """Return a side of its own for each seat."""
    return tuple(range(int(rules.players)))


class Seats(NamedTuple):
    """What a game for several seats adds."""

    most: int
    """So many can play at most; the option ``players`` says how many do."""
    view: ViewRows
    """Makes the shown pieces those of a seat."""
    reward_unit: RewardUnit
    """In what a seat's net is counted."""
    sides: Callable[[Any], tuple[int, ...]] = play_alone
    """Says who plays together: the number of its side for each seat, by rules."""
    check_deck: Callable[[np.ndarray, Any], None] | None = None
    """``check_deck(deck, rules)``: ValueError for a deck that the rules would deal again."""
    verbs: tuple[str, ...] = ()
    """The first words of `Game.action_words` that take an s when another's action is told."""
