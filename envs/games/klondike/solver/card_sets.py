"""Klondike's solver: sets of cards in which a card lies beside its twin, and above what it carries.

Twins are the two cards of one value and color. Bit ``4 * rank + 2 * strand + twin`` stands for a
card: rank 0 is the ace, 12 the king, and the strand is the color, swapped at every second rank.
So a pair of twins is two adjacent bits, and the pair that fits on it is 4 bits lower.
"""

import numpy as np

from ....core.kernel.jit import jit
from ....core.type_aliases import CardCode

RANKS = 13
SUITS = 4
KING = RANKS - 1
ALL_CARDS = (1 << 4 * RANKS) - 1
KINGS = 15 << 4 * KING
ACES = 15
FIRST_TWINS = ALL_CARDS // 3
"""The first of every pair of twins."""


def is_red(card: CardCode) -> bool:
    """Return whether a card is a diamond or a heart; faster outside kernels than the kernel's."""
    return card & 3 in (1, 2)


def place_of(card: CardCode) -> int:
    """Return the bit of a card code."""
    rank, suit = (card >> 2) - 1, card & 3
    return 4 * rank + 2 * (is_red(card) ^ rank & 1) + (suit >> 1)


PLACE = np.array([place_of(card) if card >= 4 else 0 for card in range(4 * RANKS + 4)], np.int64)
"""The bit of each card code."""
CARD_AT = np.zeros(4 * RANKS, np.int64)
"""The card code of each bit."""
NEXT = np.zeros((SUITS, RANKS + 1), np.int64)
"""The next card of a suit on a foundation of that height, as a set; empty after the king."""
UP = np.zeros((SUITS, RANKS + 1), np.int64)
"""The cards of a suit on a foundation of that height, as a set."""
for _suit in range(SUITS):
    for _rank in range(RANKS):
        _code = 4 * (_rank + 1) + _suit
        CARD_AT[place_of(_code)] = _code
        NEXT[_suit, _rank] = 1 << place_of(_code)
        UP[_suit, _rank + 1] = UP[_suit, _rank] | NEXT[_suit, _rank]


@jit
def height(up: int, suit: int) -> int:
    """Return the height of a suit's foundation; ``up`` has four bits for each suit."""
    return up >> 4 * suit & 15


@jit
def cards_up(up: int) -> int:
    """Return the cards on the foundations."""
    return UP[0, up & 15] | UP[1, up >> 4 & 15] | UP[2, up >> 8 & 15] | UP[3, up >> 12 & 15]


@jit
def cards_next(up: int) -> int:
    """Return the cards that the foundations take next."""
    return NEXT[0, up & 15] | NEXT[1, up >> 4 & 15] | NEXT[2, up >> 8 & 15] | NEXT[3, up >> 12 & 15]


@jit
def suit_of(card: int) -> int:
    """Return the suit of a card, given by its bit."""
    return CARD_AT[card] & 3


@jit
def open_pairs(visible: int, loose: int) -> int:
    """Return the pairs of twins of which one more can carry a card, as a set of both.

    ``visible`` are the visible cards of the tableau. ``loose`` are those of them that lie on
    another card, and kings at the foot of a column. A pair is open if it has more visible cards
    than there are loose cards that fit on it. It never has fewer, because each of these cards lies
    on one.
    """
    carried = loose << 4
    odd = visible ^ visible >> 1 ^ carried ^ carried >> 1
    bare = (visible | visible >> 1) & ~(carried | carried >> 1)
    return ((odd | bare) & FIRST_TWINS) * 3
