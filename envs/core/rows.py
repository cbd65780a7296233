"""Rows: a batch of games of one kind, as every shell and the evaluator hold it."""

from collections.abc import Sequence
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
from .type_aliases import States

TERMINATED, TRUNCATED = int(Over.TERMINATED), int(Over.TRUNCATED)
"""NumPy takes 10 µs to compare with a member of an enumeration."""
NO_SEATS = np.zeros(1, np.int64)
"""Seat index used for games for one player."""
HIDDEN_SALT = 0x48494445
"""Keeps the seeds of hidden cards apart from those of deals: equal seeds must give nothing away."""


class Rows:
    """``n`` games: their states and the buffers that a step writes.

    ``rules`` are those of all games; or several, a list or a `rules_table.RulesTable`: then every
    new game of a row is played by one of them, which the row's own generator chooses
    (`rng.draw_rules`), so that it deals what a batch by those rules alone deals from there.

    ``states`` (n,) records of ``game.state``; ``buffers`` the last step's rewards, flags and masks;
    ``codes``, int8 (n, width), the observations, a view of the states. All arrays are reused: copy
    what is to be kept. In a game for several seats whoever steps plays them all.
    """

    codes: np.ndarray

    def __init__(self, game: Game, rules: Any, n: int, config: StepConfig = StepConfig()) -> None:  # noqa: B008
        self.game, self.config, self.n = game, config, n
        self.config_record = as_record(config)
        self.set_rules(rules)
        self.states = np.zeros(n, game.state)
        self.buffers = make_buffers(n, game.actions, game.state, game.max_players)
        self.all_rows = np.ones(n, np.bool_)
        self.__setstate__({})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the view: a copy of it would not look at the copied buffer."""
        return {name: value for name, value in self.__dict__.items() if name != "codes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put all back, and the view."""
        self.__dict__.update(state)
        assert self.game.state.fields is not None
        first, width = self.game.state.fields["shown"][1], self.game.features.width
        self.codes = self.states.view(np.int8).reshape(self.n, -1)[:, first : first + width]

    def set_rules(self, rules: Any) -> None:
        """Go on by other rules, one or several: new games are to begin on all rows then."""
        self.table = make_table(self.game, rules)
        self.rules_record = self.table.records

    @property
    def rules(self) -> Any:
        """The rules of all games; ValueError where rows have rules of their own."""
        return self.table.only

    def rules_of(self, row: int) -> Any:
        """Return the rules by which a row is played."""
        return self.table.rules[self.buffers.rules[row]]

    def scene(self, row: int) -> Scene:
        """Return which card lies where in one game, as its player sees it."""
        return self.game.layout(self.states[row], self.rules_of(row))

    @property
    def rewards(self) -> np.ndarray:
        """The last step's rewards of the player, float64 (n,): those of the first seat."""
        return self.buffers.rewards[:, 0]

    @property
    def played(self) -> np.ndarray:
        """The action that the last step played, int64 (n,); -1: none, such as after a reset."""
        return self.buffers.played

    @property
    def seats(self) -> np.ndarray:
        """The seat that observations and results speak of, int64 (n,): the one that acts."""
        return self.states["turn"].astype(np.int64)

    @property
    def goal_name(self) -> str:
        """What results call the aim that is reached or not."""
        return self.game.goal_name(self.table.rules[0])

    def start(
        self,
        source: DealSource,
        which: np.ndarray | None = None,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """Begin a new game on the rows in ``which`` (bool (n,); None: all).

        ``dealer``, a seat, deals instead of the one whom chance would choose; ``rules``, int (n,),
        are numbers of the table's rules, instead of those that the generators choose.
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
        self.game.kernels.reset_rows(
            self.states, self.rules_record, self.config_record, which, int(source), self.buffers
        )

    def results(self, states: np.ndarray, which: np.ndarray) -> dict[str, np.ndarray]:
        """Return the facts of games, which are played on the rows in ``which`` (bool)."""
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
        """Return the facts of the only game there is, as plain values."""
        seats = NO_SEATS if self.game.seats is None else self.seats
        return self.game.info_of_one(self.states, self.rules_of(0), seats)

    def seed(self, seeds: np.ndarray | Sequence[int]) -> None:
        """Set the generators (uint64 (n,))."""
        self.states["rng"] = seeds

    def reseed(self, row: int, rng: np.random.Generator) -> None:
        """Draw all that a row's games to come depend on: what a seeded reset does."""
        self.states["rng"][row] = draw_seed(rng)

    def draw_seeds(self) -> None:
        """Move the generators on by a seed, as a new game that chance deals does."""
        draw_seeds(self.states)

    def deal_numbered(
        self,
        deal_set: str,
        deals: Sequence[int] | np.ndarray,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """Begin numbered deals of a deal set, one a row; for ``rules`` see `start`."""
        self.seed(deal_seeds(deal_set, deals))
        self.start(DealSource.SEED, dealer=dealer, rules=rules)

    def deal_deck(
        self, deck: Any, dealer: int | None = None, rules: np.ndarray | None = None
    ) -> None:
        """Begin a game with a chosen deck (names or codes in dealing order) on every row.

        Where there is a dealer, it is the last seat if none is named. For ``rules`` see `start`.

        Raises ValueError naming the first card that is unknown, twice there or missing, and for a
        deck that the rules would deal again.
        """
        cards = self.table.read_deck(deck)
        self.states["deck"] = 0
        self.states["deck"][:, : len(cards)] = cards
        if dealer is None and self.game.has_dealer:
            dealer = self.table.players - 1
        self.start(DealSource.DECK, dealer=dealer, rules=rules)

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Make one step on the rows in ``which`` (None: all); actions: int64 (n,), contiguous."""
        which = self.all_rows if which is None else which
        self.game.kernels.step_rows(
            self.states, self.rules_record, self.config_record, which, actions, self.buffers
        )

    def restore(self, states: np.ndarray) -> None:
        """Put back states copied earlier, and what they show.

        Raises ValueError for anything else, naming field and what is allowed; nothing changes then.
        """
        self.take_over(read_table_states(self.table, states, self.n))

    def take_over(self, states: np.ndarray) -> None:
        """Go on from states (n,) known to be sound, and what they show; see `restore`."""
        write_states(self.states, slice(None), states)
        self.buffers.rules[:] = self.table.find(states)
        self.start(DealSource.DECK, ~self.all_rows)
        self.buffers.rewards[:] = 0
        self.played[:] = -1
        over = states["over"]
        self.buffers.terminated[:] = over == TERMINATED
        self.buffers.truncated[:] = over == TRUNCATED

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return copies of all that the games to come depend on."""
        return {"states": copy_states(self.states)}

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """Go on from what `state_dict` returned; see `restore`."""
        self.restore(saved["states"])


@jit
def draw_seeds(states: States) -> None:
    """Draw a seed of training for each state, and begin its generator there."""
    for i in range(len(states)):
        draw_training_seed(states[i])


@jit
def draw_row_rules(states: States, which: np.ndarray, k: int, numbers: np.ndarray) -> None:
    """Write by which of k rules the rows in ``which`` are played next; see `rng.draw_rules`."""
    for i in range(len(states)):
        if which[i]:
            numbers[i] = draw_rules(states[i], k)


@jit
def first_illegal(states: States, actions: np.ndarray, limit: int) -> int:
    """Return the first row whose action is not legal, or -1. Finished rows take any.

    ``limit`` is the number of the game's actions.
    """
    for i in range(len(states)):
        if states[i]["over"] == 0:
            legal, action = states[i]["legal"], actions[i]
            if action < 0 or action >= limit or not has_action(legal, action):
                return i
    return -1


def _bytes(records: np.ndarray) -> np.ndarray:
    """Records as plain bytes: NumPy copies these at once, records field by field (30 x slower)."""
    return records.view(f"V{records.itemsize}")


def copy_states(states: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Return copies of states: of all, or of some rows (numbers, or bool (n,))."""
    copied = _bytes(states)[rows]
    return (copied.copy() if isinstance(rows, slice) else copied).view(states.dtype)


def write_states(states: np.ndarray, rows: np.ndarray | slice, values: np.ndarray) -> None:
    """Write states, or other records, into some rows."""
    _bytes(states)[rows] = _bytes(values)


def view_states(game: Game, rules: Any, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return copies of states that show what a seat sees, int64 (n,), whosever turn it is."""
    copies = copy_states(states)
    if game.seats is not None:
        game.seats.view(copies, as_record(rules), seats)
    return copies


def are_finished(states: np.ndarray) -> np.ndarray:
    """Return which games are finished, bool (n,): see `batch.FINISHED`."""
    over = states["over"]
    return np.asarray((over == FINISHED[0]) | (over == FINISHED[1]))


def mask_states(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the masks of states, bool (n, actions), as `step` writes them.

    All actions of a finished game count as legal; a truncated game keeps its legal actions.
    """
    masks = unpack_actions(states["legal"], game.actions)
    masks[are_finished(states)] = True
    return masks


def observation_codes(states: np.ndarray) -> np.ndarray:
    """Return the ``codes`` observations of states, int8 (n, width), in an array of their own."""
    shown = copy_states(states["shown"])
    return shown.view(np.int8).reshape(len(states), shown.itemsize)


def resample_copies(
    game: Game, rules: Any, states: np.ndarray, seed: int | np.ndarray, seat: int = -1
) -> np.ndarray:
    """Return copies of states in which all that a seat does not know is dealt anew.

    ``seed`` is one seed for all, or uint64 (n,), one for each state whatever stands beside it.
    Seat -1 stands for the one whose turn it is, in each row.
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
    """Do in place what `resample_copies` does with copies; ``seeds`` uint64 (n,)."""
    states["rng"] = seeds
    game.resample_rows(states, as_record(rules), seat)
