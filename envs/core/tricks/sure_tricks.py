"""Points that the side of who leads takes for sure, before anything is tried. Knows no game.

Who leads takes the tricks of the cards that nobody can beat, one after the other: of a suit the
highest that there are, as long as nobody who has trumps must leave the suit. Into these tricks its
partners put their best cards of that suit, the others at least their worst. Of two identical cards
the one that is led wins.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..aliases import Places, Seat, SeatSet, State
from ..kernel.bits import count, highest, lowest
from ..kernel.jit import jit

SECRET = -2
"""In the place of the trumps: they are there, but not all know them."""
MANY = 99


def make_sure_points(rank_points: np.ndarray, twice_of: Callable[[State, Seat], Places]) -> Any:
    """Return the kernel that says how many points the side at turn takes at least.

    ``twice_of`` says which cards a seat holds twice. It takes a position at the start of a trick,
    with ``hands`` and ``turn``, the set of seats that play, the side, trumps (a suit, `NO_SUIT` or
    `SECRET`), the suit that may not be led, or `NO_SUIT`, and all points that are left.
    """
    ranks = len(rank_points)
    whole = (1 << ranks) - 1

    @jit
    def extreme_points(held: Places, twice: Places, cards: int, best: bool) -> int:
        found = 0
        while cards and held:
            rank = highest(held) if best else lowest(held)
            copies = min(cards, 1 + (twice >> rank & 1))
            found += copies * rank_points[rank]
            cards -= copies
            held &= ~(1 << rank)
        return found

    @jit
    def run_length(w: State, seats: SeatSet, suit: int, trumps: int) -> int:
        """How many cards of a suit win when they are led, one after the other."""
        leader, first = w["turn"], suit * ranks
        own = w["hands"][leader] >> first & whole
        twice = twice_of(w, leader) >> first & whole
        others, most, bound, rest = 0, 0, MANY, seats & ~(1 << leader)
        while rest:
            seat = lowest(rest)
            rest &= rest - 1
            held = w["hands"][seat] >> first & whole
            number = count(held) + count(twice_of(w, seat) >> first & whole)
            others |= held
            most = max(most, number)
            ruffs = trumps == SECRET
            if trumps >= 0 and suit != trumps:
                ruffs = w["hands"][seat] >> (trumps * ranks) & whole != 0
            if ruffs:
                bound = min(bound, number)
        top = highest(others) if others else 0
        run = count(own >> top) + count(twice >> top)
        if run >= most:
            run = count(own) + count(twice)
        return min(run, bound)

    @jit
    def sure_points(
        w: State, seats: SeatSet, side: SeatSet, trumps: int, barred: int, left: int
    ) -> int:
        leader = w["turn"]
        ours = (side >> leader) & 1
        found = tricks = 0
        for suit in range(4):
            first = suit * ranks
            if suit == barred or w["hands"][leader] >> first & whole == 0:
                continue
            run = run_length(w, seats, suit, trumps)
            tricks += run
            rest = seats if run else 0
            while rest:
                seat = lowest(rest)
                rest &= rest - 1
                held = w["hands"][seat] >> first & whole
                twice = twice_of(w, seat) >> first & whole
                found += extreme_points(held, twice, run, (side >> seat) & 1 == ours)
        cards = count(w["hands"][leader]) + count(twice_of(w, leader))
        return left if tricks == cards and trumps != SECRET else found

    return sure_points
