"""Protocols of a game's functions: their arguments, results and side effects.

A kernel is a compiled function. Kernels of one state take a state record and the record of its
rules. Kernels over rows take arrays of state records; their rules are an array of one record, shape
(1,), or of several records, shape (k,). Kernels allocate no memory.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from .scene.items import Item
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
    """Kernel that shuffles the deck and makes all other random draws of a deal."""

    def __call__(self, s: State, rules: RulesRecord, /) -> None:
        """Write ``deck`` and ``rng``."""


class DealKernel(Protocol):
    """Kernel that lays out a game from the state's deck."""

    def __call__(self, s: State, rules: RulesRecord, /) -> None:
        """Write every field except ``deck``, ``rng`` and those that `batch` has set to 0."""


class StepKernel(Protocol):
    """Kernel that plays a legal action."""

    def __call__(self, s: State, rules: RulesRecord, action: Action, /) -> None:
        """Update the state: ``legal``, ``shown``, ``score`` and ``moves``; ``over`` at the end.

        At the end of a game, the kernel also writes ``won`` and, in multiplayer games, ``net``, and
        sets ``legal`` to 0.
        """


class FallbackAction(Protocol):
    """Kernel that chooses the replacement of an illegal action."""

    def __call__(self, s: State, rules: RulesRecord, /) -> Action:
        """Return a legal action, or -1 to end the episode. Do not write to the state."""


class ResampleKernel(Protocol):
    """Kernel that resamples everything that a seat does not know in one state."""

    def __call__(self, s: State, rules: RulesRecord, seat: Seat, /) -> None:
        """Draw from the state's generator. Do not change anything that the seat can see."""


class ResampleRows(Protocol):
    """`ResampleKernel` over rows, made by `batch.make_resample_rows`."""

    def __call__(self, states: States, rules: RulesRecords, seat: Seat, /) -> None:
        """Resample what a seat does not know. Seat -1 is the seat to act in each row."""


class ScoreKernel(Protocol):
    """Kernel that scores the legal actions of one state, using only what the player knows."""

    def __call__(self, s: State, rules: RulesRecord, weights: Weights, scores: Scores, /) -> None:
        """Write the entries of ``scores`` (actions,) for legal actions only."""


class ScoreRows(Protocol):
    """`ScoreKernel` over rows, made by `batch.make_score_rows`."""

    def __call__(
        self, states: States, rules: RulesRecords, weights: Weights, scores: Scores, /
    ) -> None:
        """Write the entries of ``scores`` (n, actions) for legal actions only."""


class ViewKernel(Protocol):
    """Kernel that writes the observation of any seat into ``shown``."""

    def __call__(self, s: State, rules: RulesRecord, seat: Seat, /) -> None:
        """Write ``shown``."""


class ViewRows(Protocol):
    """`ViewKernel` over rows, made by `batch.make_view_rows`."""

    def __call__(self, states: States, rules: RulesRecords, seats: np.ndarray, /) -> None:
        """Write ``shown`` for one seat per row, ``seats`` int64 (n,)."""


class RewardUnit(Protocol):
    """Function that returns the unit of net results in rewards and tables, such as an ante."""

    def __call__(self, rules: Any, /) -> float:
        """Return the size of the unit in chips or points, given the rules or their record."""


# ---- the batch kernels ----------------------------------------------------------------------


class Buffers(NamedTuple):
    """Output arrays of a step, with one row per game. The caller owns the arrays."""

    rewards: np.ndarray
    """float64 (n, seats)."""
    terminated: np.ndarray
    """bool (n,)."""
    truncated: np.ndarray
    """bool (n,)."""
    masks: Masks
    """int8 (n, actions), 1 for legal actions; all ones in rows of finished games."""
    final_states: States
    """With SAME_STEP, the final state of each game that ended in this step."""
    played: np.ndarray
    """int64 (n,): the action played, or the replacement of an illegal action; -1: none."""
    rules: np.ndarray
    """int64 (n,): index of the rules of each row; drawn when a step begins a game."""


class ResetRows(Protocol):
    """Kernel that begins new games; `options.as_record` makes the records of its arguments."""

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
        """Deal from ``source``, a `batch.DealSource`, in the rows ``which``, bool (n,)."""


class StepRows(Protocol):
    """Kernel that makes one step in each row."""

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
        """Play ``actions``, int64 (n,), in the rows ``which``; see `ResetRows`."""


class PayFinished(Protocol):
    """Kernel that writes the final rewards of finished games."""

    def __call__(
        self,
        states: States,
        rules: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        buffers: Buffers,
        /,
    ) -> None:
        """Write ``Buffers.rewards`` in the rows ``which``; see `ResetRows`."""


class BeginKernel(Protocol):
    """Kernel that begins a new game in one state."""

    def __call__(self, s: State, rules: RulesRecord, source: int, /) -> None:
        """Deal from ``source``, a `batch.DealSource`, and write every field."""


class AdvanceKernel(Protocol):
    """Kernel of one step of one row: checks and plays the action, truncates and rewards."""

    def __call__(
        self, s: State, rules: RulesRecord, config: Any, action: Action, rewards: np.ndarray, /
    ) -> Action:
        """Add to ``rewards`` (seats,) and return the action that was played, or -1."""


class WriteMask(Protocol):
    """Kernel that writes the mask of one row."""

    def __call__(self, s: State, i: int, buffers: Buffers, /) -> None:
        """Write ``buffers.masks[i]``: the legal actions, or all ones if the game is finished."""


class BatchKernels(NamedTuple):
    """A game's kernels over rows, and the kernels of one state that other kernels call."""

    reset_rows: ResetRows
    """Begins new games."""
    step_rows: StepRows
    """Makes one step."""
    begin: BeginKernel
    """Begins a new game in one state."""
    step: StepKernel
    """Plays a legal action in one state."""
    pay_finished: PayFinished
    """Writes the final rewards of finished games."""
    score_scale: float
    """Factor of the reward "progress": reward per point of ``progress``."""
    win_bonus: float
    """Additional reward "progress" for a win."""
    advance: AdvanceKernel
    """Makes one step of one row."""
    write_mask: WriteMask
    """Writes the mask of one row."""
    progress: Progress
    """Returns the quantity whose change is the reward "progress", such as the score."""


# ---- values of afterstates ------------------------------------------------------------------


class AfterstateScore(Protocol):
    """Kernel that scores the afterstate of each action with a table of feature values."""

    def __call__(
        self, s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores, /
    ) -> None:
        """Write the points gained plus the value, minus `StateValue`; ``ids`` is scratch space."""


class StateValue(Protocol):
    """Kernel of the score so far plus the part of the value that all afterstates share."""

    def __call__(self, s: State, rules: RulesRecord, table: Table, ids: FeatureIds, /) -> float:
        """Return the common part; ``ids`` is scratch space for feature numbers."""


class ActiveFeatures(Protocol):
    """Kernel that lists the features of an afterstate."""

    def __call__(self, s: State, rules: RulesRecord, action: Action, ids: FeatureIds, /) -> int:
        """Write the feature numbers, -1 for parts without feature; return the number of entries."""


class PartScores(Protocol):
    """Kernel that writes the points of each part of a finished game."""

    def __call__(self, s: State, rules: RulesRecord, points: np.ndarray, /) -> None:
        """Write ``points``, float64 (parts,)."""


class PossibleCards(Protocol):
    """Kernel that lists the cards that may be turned up next."""

    def __call__(self, s: State, cards: np.ndarray, /) -> int:
        """Write the card codes, int8, and return their number."""


# ---- what people see ------------------------------------------------------------------------


class Layout(Protocol):
    """Function that describes one state as a scene."""

    def __call__(self, s: Any, rules: Any, /) -> Scene:
        """Return the scene that the seat to act sees; ``s`` is one state record."""


class ActionWords(Protocol):
    """Function that lists the words for the legal actions, which a person can type."""

    def __call__(self, s: Any, rules: Any, /) -> dict[Action, tuple[str, ...]]:
        """Return the words by action, the best word first; ``h``, ``q`` and ``?`` are reserved."""


class DescribeAction(Protocol):
    """Function that describes an action as an imperative phrase."""

    def __call__(self, s: Any, rules: Any, action: Action, /) -> str:
        """Return an imperative phrase of at most 48 characters, such as ``"take 2♣ with J♦"``.

        The phrase names visible cards, never a hidden card. Each legal action of a state has a
        different phrase. If a move takes several actions, the phrase of the last action describes
        the whole move. An illegal action without a sensible phrase gets its label.
        """


class HowToPlay(Protocol):
    """Function that explains the game to a person."""

    def __call__(self, rules: Any, /) -> list[str]:
        """Return the lines ``"Aim: ..."``, ``"Cards: ..."`` and ``"Points: ..."``, then sentences.

        The lines describe the game under these rules: an option that changes the play changes the
        text.
        """


class Prompt(Protocol):
    """Function that tells a person what to do now."""

    def __call__(self, s: Any, rules: Any, selected: Sequence[Action] = ()) -> str:
        """Return one or two short sentences, such as ``"Bid at least 17, or pass."``.

        The text uses only what the viewer of ``s``, one state record, may know. If another seat is
        to act, it names the seat.

        Args:
            s: The state record.
            rules: Its rules.
            selected: Actions that the person has selected but not played, such as the first card
                of a pair.
        """


class Refusal(Protocol):
    """Function that explains why a click or a drag is not a legal move."""

    def __call__(self, s: Any, rules: Any, item: Item, onto: Item | None = None) -> str:
        """Return the reason as a sentence, such as ``"You must follow spades."``.

        The text uses only what the viewer of ``s`` may know.

        Args:
            s: The state record.
            rules: Its rules.
            item: The item of the scene that was clicked or dragged.
            onto: The target of the drag, or the second card of a selection; None for a click.
        """


class FinalInfo(Protocol):
    """Function that returns the game's own entries of ``info``."""

    def __call__(self, states: States, rules: Any, seats: np.ndarray, /) -> dict[str, np.ndarray]:
        """Return the entries, in addition to the common ones such as ``score`` and ``moves``.

        Each entry is an array (n,) that contains only what the seats (n,) may know. The keys are
        the same for running and finished games.
        """


# ---- solvers --------------------------------------------------------------------------------


UNDECIDED, LOST, WINNABLE = -1, 0, 1
"""Codes (int8) of `Solution.winnable` in arrays, for None, False and True."""


class Solution(NamedTuple):
    """A solver's result for a position, with all cards known."""

    winnable: bool | None
    """Whether the position can be won; None if the search reached its limit, and in games without
    a win."""
    moves: list[str] | None
    """The solution as action labels; None if none was found."""
    nodes: int
    """Number of positions searched."""
    actions: list[int] | None = None
    """The solution as action numbers."""
    score: int | None = None
    """The best score, in a game that is played for its score."""
    fewest: int | None = None
    """Number of moves of the shortest win, if requested and proven."""
    bounds: tuple[int, int] | None = None
    """Proven lower and upper bound of ``score``, if the solver has them."""

    @property
    def winnable_code(self) -> int:
        """Code of ``winnable`` in arrays of solver labels: 1, 0, or -1 for undecided."""
        return UNDECIDED if self.winnable is None else int(self.winnable)


class Solve(Protocol):
    """Function that finds the best result with all cards known."""

    def __call__(
        self, deck_or_state: Any, rules: Any, optimal: bool = False, limit: int | None = None
    ) -> Solution:
        """Search for the best result.

        Args:
            deck_or_state: A deck or a state; see `parlour.envs.core.solve.make_position`.
            rules: The rules.
            optimal: Whether to search for a win with the fewest moves.
            limit: Maximum number of positions to search (None: no limit).

        Raises:
            ValueError: The solver does not support the rules.
        """


class WinnableAfter(Protocol):
    """Function that tells for each action whether the game can be won, with all cards known."""

    def __call__(self, states: States, rules: Any, limit: int | None = None) -> np.ndarray:
        """Return float32 (n, actions): 1 yes, 0 no or illegal, 0.5 if the limit was reached."""


class Plan(NamedTuple):
    """The actions to play from a position until the next hidden card is turned up."""

    actions: list[int]
    """The actions; empty if no way to win was found."""
    value: float | None
    """Estimated share of sampled worlds that the plan wins; None if nothing was searched."""
    worlds: int = 0
    """Number of sampled worlds; 0 if nothing is hidden."""


class PlanAhead(Protocol):
    """Function that searches for the plan that wins the most sampled worlds."""

    def __call__(
        self,
        states: States,
        rules: Any,
        iterations: int,
        seed: int,
        network: Any = None,
    ) -> Plan:
        """Return a plan for one state, shape (1,).

        Args:
            states: The state, (1,).
            rules: Its rules.
            iterations: Number of iterations of the search.
            seed: Seed of the sampled worlds.
            network: The `plan_values.PlanNetwork` that guides the search (None: none).

        Raises:
            ValueError: The rules or the number of iterations are not supported.
        """


class Contract(NamedTuple):
    """Result of one contract, with all cards known: one seat bids for its side and makes trumps."""

    seat: int
    """The seat that bids and makes trumps."""
    making: str
    """The action that makes trumps: the card laid face down, or a suit."""
    points: int | None
    """Points of the bidder's side with optimal play by all; None: unknown.

    The value of a pair is included, for or against the contract.
    """


class ListContracts(Protocol):
    """Function that finds the result of every contract, with all cards known."""

    def __call__(
        self, deck_or_state: Any, rules: Any, limit: int | None = None
    ) -> tuple[Contract, ...]:
        """Return the contracts of a deal before the auction.

        Args:
            deck_or_state: A deck or a state; see `parlour.envs.core.solve.make_position`.
            rules: The rules.
            limit: Maximum number of positions to search per contract (None: no limit).

        Raises:
            ValueError: A seat has already bid.
        """


class Solving(NamedTuple):
    """The additional functions of a game with a solver."""

    solve: Solve
    """Finds the best result with all cards known."""
    winnable_after: WinnableAfter | None = None
    """Tells for each action whether the game can be won; None in games without a win."""
    plan_ahead: PlanAhead | None = None
    """The game's own search that does not use hidden cards; None if the game has none."""
    world_limit: int = 5000
    """Number of positions that PIMC searches per world. An undecided world counts as half a win."""
    list_contracts: ListContracts | None = None
    """Finds the result of each contract; None in games without an auction."""


# ---- seats ----------------------------------------------------------------------------------


def play_alone(rules: Any) -> tuple[int, ...]:
    """Return a different side for each seat: no seat has a partner."""
    return tuple(range(int(rules.players)))


class Seats(NamedTuple):
    """Additional properties and functions of a multiplayer game."""

    most: int
    """Largest number of players. The option ``players`` has the actual number."""
    view: ViewRows
    """Writes the observation of a seat into ``shown``."""
    reward_unit: RewardUnit
    """Returns the unit of net results."""
    sides: Callable[[Any], tuple[int, ...]] = play_alone
    """Returns the side of each seat: partners have the same number."""
    check_deck: Callable[[np.ndarray, Any], None] | None = None
    """``check_deck(deck, rules)`` raises ValueError for a deck that the rules redeal."""


# ---- states from outside --------------------------------------------------------------------


class StateCheckKernel(Protocol):
    """Kernel that finds the first unreachable state record; see `checks.make_state_check`."""

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
        """Find the first faulty record.

        Args:
            states: The states and a scratch state at the end, (n + 1,).
            raw: The same memory as bytes, int8 (n + 1, bytes).
            rules: The rules, (1,).
            players: Number of players.
            pack: Set of the card codes of a deck, each of which is in the deck once or twice.
            size: Number of cards in a deck.

        Returns:
            The row (-1: no fault), the number of the fault, and the byte of the fault.
        """


class StateCheck(NamedTuple):
    """Check of state records that a caller passes in."""

    check: StateCheckKernel
    """Finds the first state record that is unreachable by play."""
    allowed: Sequence[tuple[str, str]]
    """Field, such as ``"shown.card"``, and its allowed values, for each fault number from 1."""
