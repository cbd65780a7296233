"""Klondike: convert deals between Parlour and other programs.

- *KSolve* (also Klondike-Solver, MinimalKlondike, pyksolve): 156 digits, three for each card: the
  value 01 to 13, the suit 1 clubs, 2 diamonds, 3 hearts, 4 spades; in dealing order, like decks in
  Parlour; 000 is an unknown card.
- *PySol* (PySolFC, pysol_cards, boards of KSolve and fc-solve): a line "Talon:" with the stock from
  its top, then a line for each column from its first card to the one face up. Face-down cards are
  in angle brackets: "<2C> 7S". KSolve writes a position the same way, with a colon before each
  column, and "==>" and "<==" around the stock, after the waste.
- *Solvitaire*: JSON with "tableau piles", each from its first card to the one face up, and "stock",
  whose last card is its top. Cards are written "10H", "AS" or "aS".
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.kernel.cards import PACK_SIZE, card_name, parse_deck, split_cards
from ...core.type_aliases import CardCode
from .rules import COLUMNS, STOCK_SIZE, TABLEAU_SIZE, deck_place

DIGITS = 3
"""Digits of a card in a string of KSolve."""
UNKNOWN = "000"
TALON, STOCK_BEGINS, STOCK_ENDS = "talon:", "==>", "<=="
EMPTY_PILES = ("foundations", "waste")
"""The piles of Solvitaire that are empty in a deal."""


def from_ksolve(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a string of KSolve.

    Raises ValueError for other text, and for unknown, repeated or missing cards.
    """
    digits = "".join(split_cards(text))
    if len(digits) != DIGITS * PACK_SIZE or not digits.isascii() or not digits.isdigit():
        raise ValueError(f"deck: {DIGITS * PACK_SIZE} digits are needed, got {text!r}")
    cards = [digits[k : k + DIGITS] for k in range(0, len(digits), DIGITS)]
    for number, card in enumerate(cards, 1):
        if card != UNKNOWN and not (1 <= int(card[:2]) <= 13 and card[2] in "1234"):
            raise ValueError(
                f"deck: card {number} is {card!r}; allowed is 01 to 13 with a suit of 1 to 4"
            )
    return parse_deck(
        [0 if card == UNKNOWN else 4 * int(card[:2]) + int(card[2]) - 1 for card in cards]
    )


def to_ksolve(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, codes in dealing order, as a string of KSolve."""
    return "".join(f"{int(card) >> 2:02d}{(int(card) & 3) + 1}" for card in deck)


def from_pysol(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a board that PySol, KSolve or fc-solve writes.

    Raises ValueError for other text, for a position after the deal, and for unknown, repeated or
    missing cards.
    """
    lines = [line.lstrip("\ufeff ").lstrip(":").strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if lines and lines[0].lower().startswith("foundations:"):
        built = [word for word in split_cards(lines.pop(0))[1:] if not word.endswith(("-0", "-"))]
        if built:
            raise ValueError(f"deck must be a deal, got foundations with cards: {' '.join(built)}")
    if len(lines) != COLUMNS + 1 or not lines[0].lower().startswith(TALON):
        raise ValueError(
            f'deck must be a line "Talon: ..." and {COLUMNS} lines of columns, '
            f"got {len(lines)} lines"
        )
    stock = split_cards(lines[0][len(TALON) :].replace(STOCK_ENDS, " "))
    if STOCK_BEGINS in stock:
        begin = stock.index(STOCK_BEGINS)
        if begin:
            raise ValueError(f"deck must be a deal, got a waste of {begin} cards")
        stock = stock[1:]
    columns = [[_strip_brackets(card) for card in split_cards(line)] for line in lines[1:]]
    return _join_piles(columns, stock, "a talon")


def _strip_brackets(card: str) -> str:
    return card[1:-1] if card.startswith("<") and card.endswith(">") and len(card) > 2 else card


def _join_piles(columns: Sequence[Sequence[Any]], stock: Sequence[Any], name: str) -> np.ndarray:
    """Return the deck of columns, from the first card of each, and a stock, from its top."""
    sizes = [len(column) for column in columns]
    if sizes != list(range(1, COLUMNS + 1)) or len(stock) != STOCK_SIZE:
        raise ValueError(
            f"deck must have columns of 1, 2, ... 7 cards and {name} of {STOCK_SIZE}, "
            f"got {sizes} and {len(stock)}"
        )
    deck = [*[""] * TABLEAU_SIZE, *stock]
    for column, cards in enumerate(columns):
        for row, card in enumerate(cards):
            deck[deck_place(column, row)] = card
    return parse_deck(deck)


def to_pysol(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, codes in dealing order, as a board of PySol."""
    names = [card_name(int(card)).upper() for card in deck]
    lines = [f"Talon: {' '.join(names[TABLEAU_SIZE:])}"]
    for column in range(COLUMNS):
        *hidden, shown = [names[deck_place(column, row)] for row in range(column + 1)]
        lines.append(" ".join([*(f"<{card}>" for card in hidden), shown]))
    return "\n".join(lines)


def from_solvitaire(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a deal of Solvitaire.

    Raises ValueError for other text, for a position after the deal, and for unknown, repeated or
    missing cards.
    """
    try:
        deal = json.loads(text.lstrip("\ufeff"))
        columns, stock = deal.pop("tableau piles"), deal.pop("stock")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError('deck: JSON with "tableau piles" and "stock" is needed') from None
    if not isinstance(columns, list) or not all(map(_are_names, (*columns, stock))):
        raise ValueError('deck: "tableau piles" must be lists of cards such as "10H", "stock" one')
    full = [
        name for name, cards in deal.items() if name in EMPTY_PILES and cards not in ([], [[]] * 4)
    ]
    if full:
        raise ValueError(f"deck: {full[0]!r} has cards: it is a position later than the deal")
    return _join_piles(columns, stock[::-1], "a stock")


def _are_names(cards: Any) -> bool:
    return isinstance(cards, list) and all(isinstance(card, str | None) for card in cards)


def to_solvitaire(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, codes in dealing order, as a deal of Solvitaire."""
    names = [card_name(int(card)).upper().replace("T", "10") for card in deck]
    columns = [
        [names[deck_place(column, row)] for row in range(column + 1)] for column in range(COLUMNS)
    ]
    return json.dumps({"tableau piles": columns, "stock": names[: TABLEAU_SIZE - 1 : -1]})
