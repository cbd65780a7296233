"""Seats around a table: who follows whom.

A set of seats has bit n for seat n. Whoever follows whom goes round by the numbers of the seats, so
"the next of a set from a seat on" is all the order there is.
"""

from .aliases import Seat
from .bits import lowest
from .jit import jit


@jit
def next_seat(seats: int, seat: Seat) -> int:
    """The first of a set of seats, which is not empty, from a seat on, around the table."""
    onward = seats >> seat << seat
    return lowest(onward if onward else seats)


@jit
def wrap_seat(seat: Seat, players: int) -> int:
    """The seat of a number that may lie one round too high."""
    return seat - players if seat >= players else seat
