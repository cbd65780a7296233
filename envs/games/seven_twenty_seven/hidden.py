"""Seven Twenty-Seven: what the others hold, which the seat that acts is not shown."""

import numpy as np

from ...core.aliases import States
from ...core.game import HiddenCards
from ...core.schema import Piece, whole_number
from .rules import FAR, SEATS

OTHERS = np.arange(1, SEATS)
"""Seats after the one that acts, clockwise."""


def read_hidden(states: States) -> np.ndarray:
    """Return what the others that are still in hold, int8 (n, 27): nine seats, clockwise.

    Of each there are its distances from 7 and from 27 and its lowest total, in half points and one
    more, at most 63 (63: far off, or it cannot win). All are 0 for a seat that is not in.
    """
    players = states["shown"]["players"].astype(np.int64)[:, None]
    seats = (states["turn"][:, None] + OTHERS) % players
    rows = np.arange(len(states))[:, None]
    totals = np.stack(
        [*np.moveaxis(states["rank"][rows, seats] >> 1, 2, 0), states["low"][rows, seats]], axis=2
    )
    inside = (players > OTHERS) & ((states["live"][:, None] >> seats) & 1 == 1)
    held = np.where(inside[:, :, None], np.minimum(totals, FAR) + 1, 0)
    return held.reshape(len(states), -1).astype(np.int8)


HIDDEN = HiddenCards(
    Piece(
        "others",
        3 * len(OTHERS),
        whole_number(FAR + 1),
        "of each other seat still in, clockwise: 1 more than its distances from 7 and 27 and its "
        "lowest total, in half points",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
