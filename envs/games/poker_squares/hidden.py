"""Poker Squares: the cards that nobody sees."""

import numpy as np

from ...core.aliases import States
from ...core.game import HiddenCards
from ...core.kernel.cards import PACK_SIZE
from ...core.schema import CARD, Piece
from .rules import SQUARES

COMING = SQUARES - 1
"""Cards that come after the first: the others of the pack are never dealt."""


def read_hidden(states: States) -> np.ndarray:
    """Return the next cards of the stock in order, int8 (n, 24), then zeros."""
    places = states["next"].astype(np.int64)[:, None] + np.arange(COMING)
    cards = np.take_along_axis(states["deck"], np.minimum(places, PACK_SIZE - 1), axis=1)
    return np.where(places < PACK_SIZE, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece("hidden", COMING, CARD, "the next cards of the stock, in order"), read_hidden
)
"""See `core.game.HiddenCards`."""
