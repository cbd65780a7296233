"""Records of states that come from outside: checked before anything is played on them.

Kernels trust a state: they use its numbers as indexes and walk its sets. So a record is taken only
if it is one that play could have made. A game names the fields that say everything, checks their
ranges (``find_wrong``), and makes all others from them anew (``derive``). What it makes must be the
record to the byte.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from .aliases import CardSet, RulesRecord, RulesRecords, State, States
from .batch import Over
from .kernel.cards import FIRST_CARD
from .kernel.jit import jit
from .legal import fits_actions, is_empty
from .schema import Features

HEAD_ALLOWED = (
    ("moves", "0 or more"),
    ("steps", "0 or more"),
    ("over", "0 running, 1 terminated, 2 truncated, and with several seats 3 untold"),
    ("won", "0 or 1"),
    ("illegal", "a set of seats"),
    ("turn", "the number of a seat"),
    ("legal", "a set of actions, not empty while the game runs"),
    ("deck", "every card of the pack once, then zeros"),
)
"""Of each field that all games have: its name, and what is allowed."""
(MOVES, STEPS, OVER, WON, ILLEGAL, TURN, LEGAL, DECK) = range(1, len(HEAD_ALLOWED) + 1)
SHOWN, DERIVED = 1000, 1001
"""Found wrong: a shown code out of its bounds; a byte that the other fields do not make."""


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
        """Return row, what is wrong with it, and at which byte; row -1 if nothing is.

        ``states`` (n + 1,) ends with room for one state; ``raw``, int8 (n + 1, bytes), is the same
        memory; ``pack`` is the set of the codes of a deck of ``size`` cards, all once or all twice.
        """


class StateCheck(NamedTuple):
    """How records of states that come from outside are checked."""

    check: StateCheckKernel
    """Finds the first one that play could not have made."""
    allowed: Sequence[tuple[str, str]]
    """For what `StateCheckKernel` calls wrong, from 1 on: the field (``"shown.card"``: inside
    another), and what it allows."""


@jit
def find_nothing(s: State, rules: RulesRecord) -> int:
    """Find nothing wrong: for a game that does not say what its fields allow."""
    return 0


@jit
def derive_nothing(s: State, rules: RulesRecord) -> None:
    """Take the fields as they are; a game without a legal action is over."""
    s["over"] = Over.TERMINATED if is_empty(s["legal"]) else Over.RUNNING


@jit
def find_wrong_head(s: State, players: int, actions: int) -> int:
    """Return which of the fields that all games have is out of its range; 0 for none."""
    if s["moves"] < 0:
        return MOVES
    if s["steps"] < 0:
        return STEPS
    if s["over"] < 0 or s["over"] > (Over.ENDED_BEFORE_TURN if players > 1 else Over.TRUNCATED):
        return OVER
    if s["won"] < 0 or s["won"] > 1:
        return WON
    if s["illegal"] < 0 or s["illegal"] >> players:
        return ILLEGAL
    if s["turn"] < 0 or s["turn"] >= players:
        return TURN
    if not fits_actions(s["legal"], actions):
        return LEGAL
    if is_empty(s["legal"]) and s["over"] == Over.RUNNING:
        return LEGAL
    return 0


@jit
def is_whole(deck: np.ndarray, pack: CardSet, size: int) -> bool:
    """Whether a deck has every card of a pack, or of two equal packs, and nothing behind them."""
    found = again = more = rest = 0
    outside = False
    for place in range(len(deck)):
        if place < size:
            outside |= deck[place] < FIRST_CARD
            card = 1 << (deck[place] & 63)
            more |= again & card
            again |= found & card
            found |= card
            outside |= deck[place] > 63
        else:
            rest |= deck[place]
    return found == pack and more == 0 and rest == 0 and not outside


@jit
def end_as_told(s: State, over: int) -> None:
    """Let a derived state be over as the record says, where that can be.

    A game that could go on may have been truncated, or ended by an illegal action.
    """
    if s["over"] == Over.RUNNING:
        if over == Over.TRUNCATED or (over == Over.TERMINATED and s["illegal"]):
            s["over"] = over
    elif over == Over.ENDED_BEFORE_TURN:
        s["over"] = over


def make_state_check(
    state: np.dtype,
    features: Features,
    actions: int,
    allowed: Sequence[tuple[str, str]] = (),
    find_wrong: Callable[..., int] = find_nothing,
    derive: Callable[..., None] = derive_nothing,
) -> StateCheck:
    """Build the check of a game's records.

    ``find_wrong(s, rules)`` returns 1 + the number in ``allowed`` of the first field that is wrong,
    0 for none; it may trust what all games have in common. ``derive(s, rules)`` then writes every
    field that follows from others, ``legal`` and ``over`` among them.
    """
    assert state.fields is not None
    first, high = state.fields["shown"][1], features.high
    head = len(HEAD_ALLOWED)

    @jit
    def check(
        states: States, raw: np.ndarray, records: RulesRecords, players: int, pack: int, size: int
    ) -> tuple[int, int, int]:
        rules, last = records[0], len(states) - 1
        for i in range(last):
            s = states[i]
            wrong = find_wrong_head(s, players, actions)
            if wrong:
                return i, wrong, 0
            if not is_whole(s["deck"], pack, size):
                return i, DECK, 0
            codes = raw[i, first : first + len(high)]
            outside = 0
            for entry in range(len(high)):
                outside |= (codes[entry] < 0) | (codes[entry] > high[entry])
            if outside:
                for entry in range(len(high)):
                    if codes[entry] < 0 or codes[entry] > high[entry]:
                        return i, SHOWN, first + entry
            wrong = find_wrong(s, rules)
            if wrong:
                return i, head + wrong, 0
            states[last] = s
            derive(states[last], rules)
            end_as_told(states[last], s["over"])
            differ = 0
            for byte in range(raw.shape[1]):
                differ |= raw[i, byte] ^ raw[last, byte]
            if differ:
                for byte in range(raw.shape[1]):
                    if raw[i, byte] != raw[last, byte]:
                        return i, DERIVED, byte
        return -1, 0, 0

    return StateCheck(check, (*HEAD_ALLOWED, *allowed))
