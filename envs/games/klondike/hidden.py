"""Klondike: the cards that nobody sees."""

import numpy as np

from ...core.aliases import States
from ...core.game import HiddenCards
from ...core.kernel.cards import FIRST_CARD
from ...core.schema import CARD, Piece
from .rules import COLUMNS, STOCK_SIZE, TABLEAU_SIZE, UNSEEN, deck_place

DOWN = tuple(
    deck_place(column, row) for row in range(COLUMNS) for column in range(row + 1, COLUMNS)
)
"""The places in the deck of the cards that are dealt face down."""
PLACES = np.array([*DOWN, *range(TABLEAU_SIZE, TABLEAU_SIZE + STOCK_SIZE)])


def read_hidden(states: States) -> np.ndarray:
    """Return the cards not seen yet by their places in the deck, int8 (n, 45), else 0."""
    cards = states["deck"][:, PLACES]
    where = np.take_along_axis(
        states["shown"]["where"], cards.astype(np.int64) - FIRST_CARD, axis=1
    )
    return np.where(where == UNSEEN, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece(
        "hidden",
        len(PLACES),
        CARD,
        "the cards dealt face down to the columns, row by row, then the stock: each while nobody "
        "has seen it, else 0",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
