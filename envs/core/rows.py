"""The class `Rows`, a batch of games that the interfaces and the evaluation share."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .batch import FINISHED, DealSource, Over, StepConfig, make_buffers
from .checks import read_table_states
from .game import Game
from .kernel.cards import deal_seeds
from .kernel.jit import jit
from .kernel.rng import draw_rules, draw_seed, draw_training_seed
from .legal import has_action, unpack_actions
from .options import as_record
from .rules_table import make_table
from .scene.scene import Scene
from .threads import make_pool
from .type_aliases import States

TERMINATED, TRUNCATED = int(Over.TERMINATED), int(Over.TRUNCATED)
"""Plain ints, because NumPy takes 10 µs to compare with an enumeration member."""
NO_SEATS = np.zeros(1, np.int64)
"""Seats of a batch of size 1 in games for one player."""
HIDDEN_SALT = 0x48494445
"""Separates the seeds of hidden cards from those of deals, so equal seeds reveal nothing."""
SPLIT_STEP = True, False, False, True, True, True
SPLIT_RESET = True, False, False, True, False, True
"""Which arguments of `contract.StepRows` and `contract.ResetRows` have one entry per row."""


class Rows:
    """Batch of ``n`` games: their states, and the buffers that a step writes.

    All arrays are reused by the next step, so copy what you keep. In a multiplayer game, the caller
    plays all seats; `seat.SeatRows` is a batch in which the caller plays one seat.

    Attributes:
        states: The states, (n,), with the dtype ``game.state``.
        buffers: Rewards, flags and masks of the last step.

    Args:
        game: The game.
        rules: The rules of all games, or several sets of rules: a list or a
            `rules_table.RulesTable`. With several sets, the generator of a row chooses the set of
            each new game (`rng.draw_rules`). The choice does not change the deals.
        n: Number of games.
        config: Reward, limits and other settings.
        num_threads: Number of threads that share the rows; see `threads.make_pool`.
    """

    codes: np.ndarray
    """The observations as ``codes``, int8 (n, width): a view of ``states``."""

    def __init__(
        self,
        game: Game,
        rules: Any,
        n: int,
        config: StepConfig = StepConfig(),  # noqa: B008
        num_threads: int = 1,
    ) -> None:
        self.game, self.config, self.n = game, config, n
        self.pool = make_pool(num_threads, n)
        self.config_record = as_record(config)
        self.set_rules(rules)
        self.states = np.zeros(n, game.state)
        self.buffers = make_buffers(n, game.actions, game.state, game.max_players)
        self.all_rows = np.ones(n, np.bool_)
        self.__setstate__({})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out ``codes``, because a copied view would not refer to the copied states."""
        return {name: value for name, value in self.__dict__.items() if name != "codes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the attributes and the view ``codes``."""
        self.__dict__.update(state)
        assert self.game.state.fields is not None
        first, width = self.game.state.fields["shown"][1], self.game.features.width
        self.codes = self.states.view(np.int8).reshape(self.n, -1)[:, first : first + width]

    def set_rules(self, rules: Any) -> None:
        """Replace the rules of all games. Begin new games in all rows afterwards.

        Args:
            rules: The rules of all games, or several sets of rules; see the class.
        """
        self.table = make_table(self.game, rules)
        self.rules_record = self.table.records

    @property
    def rules(self) -> Any:
        """The rules of all games; ValueError if there are several sets of rules."""
        return self.table.only

    def rules_of(self, row: int) -> Any:
        """Return the rules of the current game in a row."""
        return self.table.rules[self.buffers.rules[row]]

    def scene(self, row: int) -> Scene:
        """Return the scene of one row as its player sees it."""
        return self.game.layout(self.states[row], self.rules_of(row))

    @property
    def rewards(self) -> np.ndarray:
        """Rewards of seat 0 in the last step, float64 (n,)."""
        return self.buffers.rewards[:, 0]

    @property
    def played(self) -> np.ndarray:
        """Actions that the last step played, int64 (n,); -1: none, such as after a reset."""
        return self.buffers.played

    @property
    def seats(self) -> np.ndarray:
        """Seat to act in each row, int64 (n,); observations and results are those of this seat."""
        return self.states["turn"].astype(np.int64)

    @property
    def goal_name(self) -> str:
        """Key of the goal in the results."""
        return self.game.goal_name(self.table.rules[0])

    def start(
        self,
        source: DealSource,
        which: np.ndarray | None = None,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """Begin new games.

        Args:
            source: Source of the deals.
            which: Mask of the rows, bool (n,) (None: all rows).
            dealer: The seat that deals (None: random).
            rules: Indices in the `rules_table.RulesTable`, int (n,) (None: random).
        """
        which = self.all_rows if which is None else which
        if rules is not None:
            np.copyto(self.buffers.rules, rules, where=which)
        elif self.table.has_several:
            draw_row_rules(self.states, which, len(self.table.rules), self.buffers.rules)
        self._start(source, which)
        if dealer is not None:
            self.states["dealer"][which] = dealer
            self._start(DealSource.DECK, which)

    def _start(self, source: DealSource, which: np.ndarray) -> None:
        arguments = self.states, self.rules_record, self.config_record, which, int(source)
        self.call(self.game.kernels.reset_rows, (*arguments, self.buffers), SPLIT_RESET)

    def call(
        self,
        kernel: Callable[..., Any],
        arguments: tuple[Any, ...],
        split: tuple[Any, ...],
        has_sums: bool = False,
    ) -> Any:
        """Call a kernel over all rows, in several threads if ``num_threads`` is above 1.

        Args:
            kernel: The kernel.
            arguments: Its arguments.
            split: For each argument, how the threads divide it; see `ThreadPool.run`.
            has_sums: Whether the kernel returns two integers, which are added over the threads.

        Returns:
            The result of the kernel.
        """
        if self.pool is None:
            return kernel(*arguments)
        return self.pool.run(kernel, arguments, split, self.n, has_sums)

    def close(self) -> None:
        """End the threads, if there are any. The next call starts new ones."""
        if self.pool is not None:
            self.pool.close()

    def results(self, states: np.ndarray, which: np.ndarray) -> dict[str, np.ndarray]:
        """Return the results of games in some rows; see `Game.info_facts`.

        Args:
            states: The states of these games, (k,).
            which: Mask of the k rows, bool (n,).
        """
        seats = None if self.game.seats is None else self.seats[which]
        if not self.table.has_several:
            return self.game.info_facts(states, self.table.rules[0], seats)
        return self.table.gather(states, partial(self._facts_at, states, seats))

    def _facts_at(
        self, states: np.ndarray, seats: np.ndarray | None, rules: Any, places: np.ndarray
    ) -> dict[str, np.ndarray]:
        row_seats = None if seats is None else seats[places]
        return self.game.info_facts(copy_states(states, places), rules, row_seats)

    def one_result(self) -> dict[str, Any]:
        """Return the results of the only game of a batch of size 1 as Python values."""
        seats = NO_SEATS if self.game.seats is None else self.seats
        return self.game.info_of_one(self.states, self.rules_of(0), seats)

    def seed(self, seeds: np.ndarray | Sequence[int]) -> None:
        """Seed the random generators of all rows, uint64 (n,)."""
        self.states["rng"] = seeds

    def reseed(self, row: int, rng: np.random.Generator) -> None:
        """Draw a new seed for a row, which determines all its following games."""
        self.states["rng"][row] = draw_seed(rng)

    def draw_seeds(self) -> None:
        """Advance the generator of each row by one seed, as a random deal does."""
        draw_seeds(self.states)

    def deal_numbered(
        self,
        deal_set: str,
        deals: Sequence[int] | np.ndarray,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """Begin numbered deals of a deal set.

        Args:
            deal_set: Name of the deal set.
            deals: Number of the deal in each row, (n,).
            dealer: See `start`.
            rules: See `start`.

        Raises:
            ValueError: A number is not an integer >= 0.
        """
        self.seed(deal_seeds(deal_set, deals))
        self.start(DealSource.SEED, dealer=dealer, rules=rules)

    def deal_deck(
        self, deck: Any, dealer: int | None = None, rules: np.ndarray | None = None
    ) -> None:
        """Begin a game with a chosen deck in each row.

        Args:
            deck: Card names or codes in dealing order.
            dealer: The seat that deals, in games with a dealer (None: the last seat).
            rules: See `start`.

        Raises:
            ValueError: A card is unknown, repeated or missing, or the rules require a redeal of
                the deck.
        """
        cards = self.table.read_deck(deck)
        self.states["deck"] = 0
        self.states["deck"][:, : len(cards)] = cards
        if dealer is None and self.game.has_dealer:
            dealer = self.table.players - 1
        self.start(DealSource.DECK, dealer=dealer, rules=rules)

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Play one action per row.

        Args:
            actions: The actions, contiguous int64 (n,).
            which: Mask of the rows to step, bool (n,) (None: all rows).
        """
        which = self.all_rows if which is None else which
        arguments = self.states, self.rules_record, self.config_record, which, actions
        self.call(self.game.kernels.step_rows, (*arguments, self.buffers), SPLIT_STEP)

    def restore(self, states: np.ndarray) -> None:
        """Restore copies of states, (n,), after a check.

        Raises:
            ValueError: A state is not a valid state of the game. In this case, no row changes.
        """
        self.take_over(read_table_states(self.table, states, self.n))

    def take_over(self, states: np.ndarray) -> None:
        """Continue from valid states, (n,), without a check; see `restore`."""
        write_states(self.states, slice(None), states)
        self.buffers.rules[:] = self.table.find(states)
        self.start(DealSource.DECK, ~self.all_rows)
        self.buffers.rewards[:] = 0
        self.played[:] = -1
        over = states["over"]
        self.buffers.terminated[:] = over == TERMINATED
        self.buffers.truncated[:] = over == TRUNCATED

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return copies of everything that the following games depend on."""
        return {"states": copy_states(self.states)}

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """Restore the arrays of `state_dict`; see `restore`."""
        self.restore(saved["states"])


@jit
def draw_seeds(states: States) -> None:
    """Restart the generator of each state at a training seed that it draws."""
    for i in range(len(states)):
        draw_training_seed(states[i])


@jit
def draw_row_rules(states: States, which: np.ndarray, k: int, numbers: np.ndarray) -> None:
    """Draw the index of one of k rules for each row in ``which``; see `rng.draw_rules`."""
    for i in range(len(states)):
        if which[i]:
            numbers[i] = draw_rules(states[i], k)


@jit
def first_illegal(states: States, actions: np.ndarray, limit: int) -> int:
    """Return the first row whose action is illegal, or -1. In finished rows, all are legal.

    ``limit`` is the number of actions of the game.
    """
    for i in range(len(states)):
        if states[i]["over"] == 0:
            legal, action = states[i]["legal"], actions[i]
            if action < 0 or action >= limit or not has_action(legal, action):
                return i
    return -1


def _bytes(records: np.ndarray) -> np.ndarray:
    """Return a view of records as bytes. NumPy copies bytes 30 times as fast as records."""
    return records.view(f"V{records.itemsize}")


def copy_states(states: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Return copies of the states in ``rows``: indices, a slice or bool (n,) (default: all)."""
    copied = _bytes(states)[rows]
    return (copied.copy() if isinstance(rows, slice) else copied).view(states.dtype)


def write_states(states: np.ndarray, rows: np.ndarray | slice, values: np.ndarray) -> None:
    """Write states or other records into ``rows``."""
    _bytes(states)[rows] = _bytes(values)


def view_states(game: Game, rules: Any, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return copies of states with the observations of ``seats``, int64 (n,), in ``shown``."""
    copies = copy_states(states)
    if game.seats is not None:
        game.seats.view(copies, as_record(rules), seats)
    return copies


def describe_move(game: Game, rules: Any, state: States, actions: Sequence[int]) -> str:
    """Return the phrase of a move of one or more actions, which is that of its last action.

    ``state``, (1,), is the position before the first action. The actions must be legal.
    """
    *first, last = actions
    if first:
        rows = Rows(game, rules, 1)
        rows.restore(state)
        for action in first:
            rows.step(np.array([action]))
        state = rows.states
    return game.describe_action(state[0], rules, last)


def are_finished(states: np.ndarray) -> np.ndarray:
    """Return which games are finished, bool (n,); see `batch.FINISHED`."""
    over = states["over"]
    return np.asarray((over == FINISHED[0]) | (over == FINISHED[1]))


def mask_states(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the action masks of states, bool (n, actions), as a step writes them.

    The mask of a finished game is all ones; a truncated game keeps its legal actions.
    """
    masks = unpack_actions(states["legal"], game.actions)
    masks[are_finished(states)] = True
    return masks


def observation_codes(states: np.ndarray) -> np.ndarray:
    """Return the ``codes`` observations of states, int8 (n, width), in a new array."""
    shown = copy_states(states["shown"])
    return shown.view(np.int8).reshape(len(states), shown.itemsize)


def resample_copies(
    game: Game, rules: Any, states: np.ndarray, seed: int | np.ndarray, seat: int = -1
) -> np.ndarray:
    """Return copies of states with resampled hidden cards.

    Args:
        game: The game.
        rules: The rules of the states.
        states: The states, (n,).
        seed: One seed for all states; or uint64 (n,), one seed per state, so that the result of a
            state does not depend on the other states.
        seat: The seat that keeps what it knows; -1: the seat to act in each state.
    """
    copies = copy_states(states)
    if not isinstance(seed, np.ndarray):
        draws = np.random.default_rng([seed, HIDDEN_SALT])
        seed = draws.integers(0, 2**63, len(copies), np.uint64)
    resample_in_place(game, rules, copies, seed, seat)
    return copies


def resample_in_place(
    game: Game, rules: Any, states: np.ndarray, seeds: np.ndarray, seat: int = -1
) -> None:
    """Resample hidden cards in place, given ``seeds`` uint64 (n,); see `resample_copies`."""
    states["rng"] = seeds
    game.resample_rows(states, as_record(rules), seat)
