"""Klondike solver: sets of cards with a bit order that suits the rules for building columns.

Twins are the two cards of one value and color. A card has the bit ``4 * rank + 2 * strand + twin``.
Rank 0 is the ace and 12 the king. The strand is the color, swapped at every second rank. So a pair
of twins has two adjacent bits, and the pair that fits on it is 4 bits lower.
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
    """Return whether a card is a diamond or a heart. This version is faster outside kernels."""
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
"""Set with the next card of a suit for a foundation of each height; empty after the king."""
UP = np.zeros((SUITS, RANKS + 1), np.int64)
"""Set of the cards of a suit on a foundation of each height."""
for _suit in range(SUITS):
    for _rank in range(RANKS):
        _code = 4 * (_rank + 1) + _suit
        CARD_AT[place_of(_code)] = _code
        NEXT[_suit, _rank] = 1 << place_of(_code)
        UP[_suit, _rank + 1] = UP[_suit, _rank] | NEXT[_suit, _rank]


@jit
def height(up: int, suit: int) -> int:
    """Return the height of a suit's foundation. ``up`` has four bits for each suit."""
    return up >> 4 * suit & 15


@jit
def cards_up(up: int) -> int:
    """Return the set of cards on the foundations."""
    return UP[0, up & 15] | UP[1, up >> 4 & 15] | UP[2, up >> 8 & 15] | UP[3, up >> 12 & 15]


@jit
def cards_next(up: int) -> int:
    """Return the set of cards that fit on the foundations next."""
    return NEXT[0, up & 15] | NEXT[1, up >> 4 & 15] | NEXT[2, up >> 8 & 15] | NEXT[3, up >> 12 & 15]


@jit
def suit_of(card: int) -> int:
    """Return the suit of the card with a bit."""
    return CARD_AT[card] & 3


@jit
def open_pairs(visible: int, loose: int) -> int:
    """Return the set of open pairs of twins: pairs that can carry one more card.

    ``visible`` is the set of visible cards of the tableau. ``loose`` is the subset of cards that
    are on another card, and of kings at the foot of a column. A pair is open if it has more visible
    cards than there are loose cards that fit on it. It never has fewer, because each of these loose
    cards is on a card of the pair.
    """
    carried = loose << 4
    odd = visible ^ visible >> 1 ^ carried ^ carried >> 1
    bare = (visible | visible >> 1) & ~(carried | carried >> 1)
    return ((odd | bare) & FIRST_TWINS) * 3
