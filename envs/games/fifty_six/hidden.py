"""Fifty-Six: what the seat that acts is not shown."""

import numpy as np

from ...core.aliases import States
from ...core.game import HiddenCards
from ...core.schema import Piece, whole_number
from .rules import CARDS, COPIES, SEATS

APART = SEATS
"""Where the card lies that was laid down."""


def read_hidden(states: States) -> np.ndarray:
    """Return who holds each card that the seat to act does not see, and what trumps are: int8.

    They are (n, 2 * 32 + 1): of each card k if the k-th seat after the one that acts holds it, 8 if
    it lies face down; the same of the other one of its kind; at the end trumps that this seat does
    not know, as ``made`` has them.
    """
    rows, turn, kinds = np.arange(len(states)), states["turn"], np.arange(CARDS)
    players = states["shown"]["players"].astype(np.int64)
    found = np.zeros((len(states), COPIES + 1), np.int8)
    first, second = found[:, :CARDS], found[:, CARDS:COPIES]
    for k in range(1, SEATS):
        seat = (turn + k) % players
        for sets in ("hands", "twice"):
            cards = np.where(k < players, states[sets][rows, seat], 0)
            here = (cards[:, None] >> kinds & 1).astype(np.bool_)
            second[here & (first > 0)] = k
            first[here & (first == 0)] = k
    unknown = (states["bidder"] != turn) & (states["shown"]["trumps_shown"] == 0)
    kept = np.flatnonzero(unknown & (states["card"] > 0))
    laid = states["card"][kept] - 1
    found[kept, np.where(found[kept, laid] > 0, CARDS, 0) + laid] = APART
    found[:, COPIES] = np.where(unknown, states["made"], 0)
    return found


HIDDEN = HiddenCards(
    Piece(
        "others",
        COPIES + 1,
        whole_number(APART),
        "of each card, and the other of its kind, the seat after the viewer that has it, 8 apart; "
        "then secret trumps",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
