"""Seats around a table: who follows whom.

A set of seats has bit n for seat n. Whoever follows whom goes round by the numbers of the seats, so
"the next of a set from a seat on" is all the order there is.
"""

import numpy as np

from .aliases import Seat
from .kernel.bits import lowest
from .kernel.jit import jit


def make_turned_codes(seats: int) -> np.ndarray:
    """Return who is who for each viewer, int8 (seats + 1, seats, seats + 1).

    By how many play, the viewer, and 1 more than a seat: 1 more than that seat as the viewer counts
    on from itself; 0, nobody, stays 0.
    """
    found = np.zeros((seats + 1, seats, seats + 1), np.int8)
    for players in range(1, seats + 1):
        for viewer in range(players):
            for seat in range(players):
                found[players, viewer, seat + 1] = 1 + (seat - viewer) % players
    return found


@jit
def next_seat(seats: int, seat: Seat) -> int:
    """The first of a set of seats, which is not empty, from a seat on, around the table."""
    onward = seats >> seat << seat
    return lowest(onward if onward else seats)


@jit
def wrap_seat(seat: Seat, players: int) -> int:
    """The seat of a number that may lie one round too high."""
    return seat - players if seat >= players else seat
