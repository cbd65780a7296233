"""Klondike: deals as other programs write them, to decks of this one and back.

- *KSolve* (also Klondike-Solver, MinimalKlondike, pyksolve): 156 digits, three a card: the value 01
  to 13, the suit 1 clubs, 2 diamonds, 3 hearts, 4 spades; in dealing order, as decks are here.
- *Solvitaire*: JSON with "tableau piles", each from its first card to the one face up, and "stock",
  whose last card is its top. Cards are written "10H", "AS" or "aS".
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.aliases import CardCode
from ..core.cards import PACK_SIZE, card_name, parse_deck
from .rules import COLUMNS, TABLEAU_SIZE, deck_place

DIGITS = 3
"""Of a card in a string of KSolve."""
LATER = ("foundations", "waste")
"""Of a deal of Solvitaire: no cards are there yet."""


def from_ksolve(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a string of KSolve.

    Raises ValueError for a text that is none.
    """
    digits = "".join(text.split())
    if len(digits) != DIGITS * PACK_SIZE or not digits.isascii() or not digits.isdigit():
        raise ValueError(f"deck: {DIGITS * PACK_SIZE} digits are needed, got {text!r}")
    cards = [digits[k : k + DIGITS] for k in range(0, len(digits), DIGITS)]
    for number, card in enumerate(cards, 1):
        if not (1 <= int(card[:2]) <= 13 and card[2] in "1234"):
            raise ValueError(
                f"deck: card {number} is {card!r}; allowed is 01 to 13 with a suit of 1 to 4"
            )
    return parse_deck([4 * int(card[:2]) + int(card[2]) - 1 for card in cards])


def to_ksolve(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, codes in dealing order, as KSolve writes it."""
    return "".join(f"{int(card) >> 2:02d}{(int(card) & 3) + 1}" for card in deck)


def from_solvitaire(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a deal of Solvitaire.

    Raises ValueError for a text that is none, or a position later than the deal.
    """
    try:
        deal = json.loads(text)
        columns, stock = deal.pop("tableau piles"), deal.pop("stock")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError('deck: JSON with "tableau piles" and "stock" is needed') from None
    if not isinstance(columns, list) or not all(map(_are_names, (*columns, stock))):
        raise ValueError('deck: "tableau piles" must be lists of cards such as "10H", "stock" one')
    later = [name for name, cards in deal.items() if name in LATER and cards not in ([], [[]] * 4)]
    if later:
        raise ValueError(f"deck: {later[0]!r} has cards: it is a position later than the deal")
    high = [len(column) for column in columns]
    if high != list(range(1, COLUMNS + 1)) or len(stock) != PACK_SIZE - TABLEAU_SIZE:
        raise ValueError(
            "deck: tableau piles of 1, 2, ... 7 cards and a stock of 24 are needed, "
            f"got {high} and {len(stock)}"
        )
    deck = [""] * TABLEAU_SIZE + stock[::-1]
    for column, cards in enumerate(columns):
        for row, card in enumerate(cards):
            deck[deck_place(column, row)] = card
    return parse_deck(deck)


def _are_names(cards: Any) -> bool:
    return isinstance(cards, list) and all(isinstance(card, str) for card in cards)


def to_solvitaire(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, codes in dealing order, as a deal of Solvitaire."""
    names = [card_name(int(card)).upper().replace("T", "10") for card in deck]
    columns = [
        [names[deck_place(column, row)] for row in range(column + 1)] for column in range(COLUMNS)
    ]
    return json.dumps({"tableau piles": columns, "stock": names[: TABLEAU_SIZE - 1 : -1]})
