"""Functions for multiplayer games: seats in turn, suits as sets of cards, and card strength.

A set of seats has bit n for seat n, and seats act in ascending order. A trick-taking game numbers
its cards ``suit * ranks + rank``, with the weakest rank first, and a set of cards is an int64 with
bit n for card n. If a deck has two equal cards, the first of them in a trick wins.
"""

import numpy as np

from ..type_aliases import Places, Seat, SeatSet
from .bits import lowest
from .jit import jit

# ---- seats ----------------------------------------------------------------------------------


def make_turned_codes(seats: int) -> np.ndarray:
    """Return the seat numbers relative to each viewer.

    Args:
        seats: Largest number of players.

    Returns:
        int8 (seats + 1, seats, seats + 1). The indices are the number of players, the viewer, and
        1 plus a seat. The value is 1 plus the distance from the viewer to that seat. Index 0, which
        stands for no seat, has the value 0.
    """
    codes = np.zeros((seats + 1, seats, seats + 1), np.int8)
    for players in range(1, seats + 1):
        for viewer in range(players):
            for seat in range(players):
                codes[players, viewer, seat + 1] = 1 + (seat - viewer) % players
    return codes


@jit
def next_seat(seats: SeatSet, seat: Seat) -> int:
    """Return the first seat of a nonempty set, starting at ``seat`` and going clockwise."""
    onward = seats >> seat << seat
    return lowest(onward if onward else seats)


@jit
def wrap_seat(seat: Seat, players: int) -> int:
    """Return a seat number below ``players``, given one below ``2 * players``."""
    return seat - players if seat >= players else seat


# ---- suits and tricks -----------------------------------------------------------------------

NO_SUIT = -1
"""Value of a suit that stands for no trumps."""


@jit
def suit_set(suit: int, ranks: int) -> Places:
    """Return the set of all cards of a suit; the empty set for `NO_SUIT`."""
    return ((1 << ranks) - 1) << (suit * ranks) if suit >= 0 else 0


@jit
def follow(hand: Places, led: int, ranks: int) -> Places:
    """Return the cards of a hand that follow the led suit; all cards if the hand has none."""
    following = hand & suit_set(led, ranks)
    return following if following else hand


@jit
def card_strength(card: int, led: int, trumps: int, ranks: int, reverse: bool) -> int:
    """Return the strength of a card in a trick, or -1 for a card that cannot win the trick.

    The strongest card wins. Trumps are stronger than the led suit. ``reverse`` reverses the order
    of the ranks.
    """
    suit, rank = card // ranks, card % ranks
    if reverse:
        rank = ranks - 1 - rank
    if suit == trumps:
        return ranks + rank
    return rank if suit == led else -1
