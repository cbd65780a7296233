"""Klondike: which cards the player knows, and how the cards not seen yet are resampled.

Everything the player learns passes through `show_card`.
"""

import numpy as np

from ...core.aliases import CardCode, CardSet, RulesRecord, Seat, State, States
from ...core.game import HiddenCards
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.schema import CARD, Piece
from .rules import COLUMN, COLUMNS, STOCK, STOCK_SIZE, TABLEAU_SIZE, UNSEEN, deck_place

place_in_deck = jit(deck_place)


# What the observation shows


@jit
def show_card(s: State, card: CardCode, where: int, place: int) -> None:
    """Write where a card is."""
    s["shown"]["where"][card - FIRST_CARD] = where
    s["shown"]["place"][card - FIRST_CARD] = place


@jit
def show_ends(s: State, column: int) -> None:
    """Write the first and the last face-up card of a column."""
    shown, size = s["shown"], s["count"][column]
    shown["first"][column] = s["column"][column][shown["face_down"][column]] if size else 0
    shown["last"][column] = s["column"][column][size - 1] if size else 0


@jit
def show_waste(s: State) -> None:
    """Write the top of the waste."""
    size = s["shown"]["waste_count"]
    s["shown"]["waste_top"] = s["waste"][size - 1] if size else 0


@jit
def show_face_down(s: State) -> None:
    """Write which cards are face down in the columns."""
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column]):
            show_card(s, s["column"][column][row], COLUMN + column, row + 1)


@jit
def show_stock(s: State) -> None:
    """Write which cards are in the stock."""
    size = s["shown"]["waste_count"] + s["shown"]["stock_count"]
    for place in range(s["shown"]["stock_count"]):
        show_card(s, s["stock"][place], STOCK, size - place)


# Resampling


@jit
def lay_columns(s: State) -> None:
    """Lay the face-down cards of the columns in the order of the deck."""
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column]):
            s["column"][column][row] = s["deck"][place_in_deck(column, row)]


@jit
def lay_stock(s: State) -> None:
    """Lay the stock of the first pass in the order of the deck."""
    for place in range(s["shown"]["stock_count"]):
        s["stock"][place] = s["deck"][PACK_SIZE - 1 - place]


@jit
def draw_card(s: State, cards: CardSet) -> CardCode:
    """Return a random card of a set, drawn by the state's generator."""
    for _ in range(random_below(s, count(cards))):
        cards &= cards - 1
    return lowest(cards)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Resample the cards not seen yet among the places that they have."""
    unseen = 0
    for card in range(PACK_SIZE):
        unseen |= (s["shown"]["where"][card] == UNSEEN) << (FIRST_CARD + card)
    for place in range(PACK_SIZE):
        if s["shown"]["where"][s["deck"][place] - FIRST_CARD] == UNSEEN:
            card = draw_card(s, unseen)
            unseen &= ~(1 << card)
            s["deck"][place] = card
    lay_columns(s)
    if s["redeals"] == 0:
        lay_stock(s)


# The hidden cards as an observation piece

_DOWN = tuple(
    deck_place(column, row) for row in range(COLUMNS) for column in range(row + 1, COLUMNS)
)
_HIDDEN_PLACES = np.array([*_DOWN, *range(TABLEAU_SIZE, TABLEAU_SIZE + STOCK_SIZE)])
"""The places in the deck of the cards dealt face down to the columns, then of the stock."""


def read_hidden(states: States) -> np.ndarray:
    """Return the cards not seen yet by their places in the deck, int8 (n, 45), else 0."""
    cards = states["deck"][:, _HIDDEN_PLACES]
    where = np.take_along_axis(
        states["shown"]["where"], cards.astype(np.int64) - FIRST_CARD, axis=1
    )
    return np.where(where == UNSEEN, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece(
        "hidden",
        len(_HIDDEN_PLACES),
        CARD,
        "the cards dealt face down to the columns, row by row, then the stock: each while nobody "
        "has seen it, else 0",
    ),
    read_hidden,
)
"""The hidden cards as an observation piece: see `core.game.HiddenCards`."""
