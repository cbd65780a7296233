"""Pyramid: the cards that nobody sees."""

import numpy as np

from ...core.aliases import States
from ...core.game import HiddenCards
from ...core.kernel.cards import PACK_SIZE
from ...core.schema import RANK, Piece
from .rules import PILE, PYRAMID


def read_hidden(states: States) -> np.ndarray:
    """Return deck cards 29-52 that lie unknown in the stock, int8 (n, 24), else 0."""
    unknown = states["stock"] & ~states["seen"]
    hidden = unknown[:, None] >> np.arange(PYRAMID, PACK_SIZE) & 1
    return states["deck"][:, PYRAMID:] * hidden.astype(np.int8)


HIDDEN = HiddenCards(
    Piece(
        "hidden",
        PILE,
        RANK,
        "deck cards 29-52 in dealing order that lie unknown in the stock, else 0",
        where="pile_where",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
