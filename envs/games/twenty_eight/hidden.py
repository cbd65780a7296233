"""Twenty-Eight and Twenty-Nine: what the seat that acts is not shown."""

import numpy as np

from ...core.aliases import States
from ...core.game import HiddenCards
from ...core.schema import Piece, whole_number
from .rules import CARDS, SEATS

APART = SEATS
"""Where a card lies that makes trumps, if not with another seat."""


def read_hidden(states: States) -> np.ndarray:
    """Return who holds each card that the seat to act does not see, and what trumps are: int8.

    They are (n, 36 + 1): of each card k if the k-th seat after the one that acts holds it, 6 if it
    lies apart and makes trumps; at the end trumps that this seat does not know, as in ``made``.
    """
    rows, turn = np.arange(len(states)), states["turn"]
    held = states["hands"] & ~states["seen"]
    players = states["shown"]["players"].astype(np.int64)
    found = np.zeros((len(states), CARDS + 1), np.int8)
    for k in range(1, SEATS):
        cards = np.where(k < players, held[rows, (turn + k) % players], 0)
        found[:, :CARDS] += (cards[:, None] >> np.arange(CARDS) & 1).astype(np.int8) * k
    kept = (states["maker"] != turn) & (states["card"] > 0)
    found[kept, states["card"][kept] - 1] = APART
    secret = (states["maker"] != turn) & (states["shown"]["trumps_shown"] == 0)
    found[:, CARDS] = np.where(secret, states["made"], 0)
    return found


HIDDEN = HiddenCards(
    Piece(
        "others",
        CARDS + 1,
        whole_number(APART),
        "of each card the seat after the viewer that holds it unseen, 6 apart; then secret trumps",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
