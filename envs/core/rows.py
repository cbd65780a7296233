"""Rows: a batch of games of one kind, as every shell and the evaluator hold it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .batch import How, Over, Source, make_buffers
from .cards import parse_deck
from .deals import bank_seeds
from .game import Game
from .jit import jit
from .options import compiled

HIDE = 0x48494445
"""Keeps the seeds of hidden cards apart from those of deals: equal seeds must give nothing away."""


class Rows:
    """``n`` games: their states and the buffers that a step writes.

    ``states`` (n,) records of ``game.state``; ``out`` the last step's rewards, flags, masks and
    shown pieces; ``codes``, int8 (n, width), those pieces as observations (a view). All arrays are
    reused: copy what is to be kept.
    """

    codes: np.ndarray

    def __init__(self, game: Game, rules: Any, n: int, how: How = How()) -> None:  # noqa: B008
        self.game, self.rules, self.how, self.n = game, rules, how, n
        self.rules_table, self.how_table = compiled(rules), compiled(how)
        self.states = np.zeros(n, game.state)
        self.out = make_buffers(n, game.actions, game.state)
        self.__setstate__({})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the view: a copy of it would not look at the copied buffer."""
        return {name: value for name, value in self.__dict__.items() if name != "codes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put all back, and the view."""
        self.__dict__.update(state)
        self.codes = self.out.shown.view(np.int8).reshape(self.n, -1)

    def start(self, source: Source, which: np.ndarray | None = None) -> None:
        """Begin a new game on the rows in ``which`` (bool (n,); None: all)."""
        which = np.ones(self.n, np.bool_) if which is None else which
        self.game.play.start(self.states, self.rules_table, which, int(source), self.out)

    def seed(self, seeds: np.ndarray | Sequence[int]) -> None:
        """Set the generators (uint64 (n,))."""
        self.states["rng"] = seeds

    def deal_bank(self, bank: str, deals: Sequence[int] | np.ndarray) -> None:
        """Begin numbered deals of a bank, one a row."""
        self.seed(bank_seeds(bank, deals))
        self.start(Source.SEED)

    def deal_deck(self, deck: Any) -> None:
        """Begin a game with a chosen deck (names or codes in dealing order) on every row.

        Raises ValueError naming the first card that is unknown, twice there or missing.
        """
        self.states["deck"] = parse_deck(deck, self.game.pack)
        self.start(Source.DECK)

    def step(self, actions: np.ndarray) -> None:
        """Make one step on every row; ``actions`` is int64 (n,), contiguous."""
        self.game.play.play(self.states, self.rules_table, self.how_table, actions, self.out)

    def restore(self, states: np.ndarray) -> None:
        """Put back states copied earlier, and what they show. Raises ValueError if they differ."""
        if states.dtype != self.game.state or states.shape != self.states.shape:
            raise ValueError(
                f"a state of {self.game.title} is a record array {self.states.shape} of "
                f"{self.game.state.itemsize} bytes a row; got {states.shape} of {states.dtype}"
            )
        self.states[:] = states
        self.start(Source.DECK, np.zeros(self.n, np.bool_))
        self.out.rewards[:] = 0
        self.out.terminated[:] = states["over"] == Over.TERMINATED
        self.out.truncated[:] = states["over"] == Over.TRUNCATED


@jit
def first_illegal(states: Any, actions: Any) -> int:
    """Return the first row whose action is not legal, or -1. Finished rows take any."""
    for i in range(len(states)):
        if states[i]["over"] == 0:
            legal = states[i]["legal"]
            if actions[i] < 0 or actions[i] > 62 or (legal >> actions[i]) & 1 == 0:
                return i
    return -1


def codes_of(states: np.ndarray) -> np.ndarray:
    """Return the ``codes`` observations of states, int8 (n, width), in an array of their own."""
    return states["shown"].copy().view(np.int8).reshape(len(states), -1)


def hidden(
    game: Game, rules: Any, states: np.ndarray, seed: int | np.ndarray, seat: int = 0
) -> np.ndarray:
    """Return copies of states in which all that a seat does not know is dealt anew.

    ``seed`` is one seed for all, or uint64 (n,), one for each state whatever stands beside it.
    """
    copies = states.copy()
    if isinstance(seed, np.ndarray):
        copies["rng"] = seed
    else:
        draws = np.random.default_rng([seed, HIDE])
        copies["rng"] = draws.integers(0, 2**63, len(copies), np.uint64)
    game.hide(copies, compiled(rules), seat)
    return copies
