"""Puss in the Corner: the cards that nobody sees."""

import numpy as np

from ...core.aliases import States
from ...core.game import HiddenCards
from ...core.schema import CARD, Piece
from .rules import CARDS, UNSEEN


def read_hidden(states: States) -> np.ndarray:
    """Return the cards of the stock that were not seen yet in order, int8 (n, 48), then zeros."""
    first = states["next"] + (states["shown"]["next_card"] != 0)
    left = (states["shown"]["where"] == UNSEEN).sum(axis=1)[:, None]
    places = np.minimum(first.astype(np.int64)[:, None] + np.arange(CARDS), CARDS - 1)
    cards = np.take_along_axis(states["deck"], places, axis=1)
    return np.where(np.arange(CARDS) < left, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece("hidden", CARDS, CARD, "the cards of the stock not seen yet, in order"), read_hidden
)
"""See `core.game.HiddenCards`."""
