"""Card tables: seats that act in turn, suits as sets of cards, strength of cards in a trick.

A set of seats has bit n for seat n; play goes around the table by the numbers of the seats. A game
of tricks numbers its cards ``suit * ranks + rank``, the weakest rank first; a set of cards is an
int64 with bit n for card n. Of two equal cards in a trick, where a pack has such, the first wins.
"""

import numpy as np

from ..type_aliases import Places, Seat, SeatSet
from .bits import lowest
from .jit import jit

# ---- seats ----------------------------------------------------------------------------------


def make_turned_codes(seats: int) -> np.ndarray:
    """Return the numbers of the seats as each viewer counts them.

    The array is int8 (seats + 1, seats, seats + 1). The indices are the number of players, the
    viewer, and 1 more than a seat. The value is 1 more than the distance from the viewer to that
    seat; index 0, nobody, has the value 0.
    """
    codes = np.zeros((seats + 1, seats, seats + 1), np.int8)
    for players in range(1, seats + 1):
        for viewer in range(players):
            for seat in range(players):
                codes[players, viewer, seat + 1] = 1 + (seat - viewer) % players
    return codes


@jit
def next_seat(seats: SeatSet, seat: Seat) -> int:
    """Return the first seat of a set, which is not empty, from ``seat`` on around the table."""
    onward = seats >> seat << seat
    return lowest(onward if onward else seats)


@jit
def wrap_seat(seat: Seat, players: int) -> int:
    """Return the seat of a number that may be one round too high."""
    return seat - players if seat >= players else seat


# ---- suits and tricks -----------------------------------------------------------------------

NO_SUIT = -1
"""In the place of a suit: no trumps."""


@jit
def suit_set(suit: int, ranks: int) -> Places:
    """Return the set of all cards of a suit; of `NO_SUIT` the empty one."""
    return ((1 << ranks) - 1) << (suit * ranks) if suit >= 0 else 0


@jit
def follow(hand: Places, led: int, ranks: int) -> Places:
    """Return the cards of a hand that follow the suit led: all of them if it has none of it."""
    following = hand & suit_set(led, ranks)
    return following if following else hand


@jit
def card_strength(card: int, led: int, trumps: int, ranks: int, reverse: bool) -> int:
    """Return the strength of a card in a trick, -1 for a card that cannot win it.

    The highest wins: trumps are above the suit led. ``reverse`` reverses the order of the ranks.
    """
    suit, rank = card // ranks, card % ranks
    if reverse:
        rank = ranks - 1 - rank
    if suit == trumps:
        return ranks + rank
    return rank if suit == led else -1
