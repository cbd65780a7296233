"""Klondike: convert deals between Parlour and other programs.

- *KSolve* (also Klondike-Solver, MinimalKlondike, pyksolve): 156 digits, three for each card. The
  first two digits are the value, 01 to 13; the third is the suit, 1 clubs, 2 diamonds, 3 hearts, 4
  spades. 000 is an unknown card. The cards are in dealing order, like decks in Parlour.
- *PySol* (PySolFC, pysol_cards, boards of KSolve and fc-solve): a line "Talon:" with the stock from
  its top, then a line for each column from its first card to the face-up card. Face-down cards are
  in angle brackets: "<2C> 7S". KSolve writes a position the same way, with a colon before each
  column, and "==>" and "<==" around the stock, after the waste.
- *Solvitaire*: JSON with "tableau piles", each from its first card to the face-up card, and
  "stock", whose last card is its top. Cards are written "10H", "AS" or "aS".
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.kernel.cards import PACK_SIZE, card_name, parse_deck, split_cards
from ...core.type_aliases import CardCode
from .rules import COLUMNS, STOCK_SIZE, TABLEAU_SIZE, deck_place

DIGITS = 3
"""Number of digits of a card in a KSolve string."""
UNKNOWN = "000"
TALON, STOCK_BEGINS, STOCK_ENDS = "talon:", "==>", "<=="
EMPTY_PILES = ("foundations", "waste")
"""The piles that are empty in a Solvitaire deal."""


def from_ksolve(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a KSolve string.

    Raises:
        ValueError: The text has another format, or has unknown, repeated or missing cards.
    """
    digits = "".join(split_cards(text))
    if len(digits) != DIGITS * PACK_SIZE or not digits.isascii() or not digits.isdigit():
        raise ValueError(f"deck must be {DIGITS * PACK_SIZE} digits, got {text!r}")
    cards = [digits[k : k + DIGITS] for k in range(0, len(digits), DIGITS)]
    for number, card in enumerate(cards, 1):
        if card != UNKNOWN and not (1 <= int(card[:2]) <= 13 and card[2] in "1234"):
            raise ValueError(
                f"deck: card {number} must be a value 01 to 13 and a suit 1 to 4, got {card!r}"
            )
    return parse_deck(
        [0 if card == UNKNOWN else 4 * int(card[:2]) + int(card[2]) - 1 for card in cards]
    )


def to_ksolve(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, card codes in dealing order, as a KSolve string."""
    return "".join(f"{int(card) >> 2:02d}{(int(card) & 3) + 1}" for card in deck)


def from_pysol(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a board in the format of PySol, KSolve or fc-solve.

    Raises:
        ValueError: The text has another format, is a position after the deal, or has unknown,
            repeated or missing cards.
    """
    lines = [line.lstrip("\ufeff ").lstrip(":").strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if lines and lines[0].lower().startswith("foundations:"):
        built = [word for word in split_cards(lines.pop(0))[1:] if not word.endswith(("-0", "-"))]
        if built:
            raise ValueError(
                f"deck must be the start of a game, got foundations with cards: {' '.join(built)}"
            )
    if len(lines) != COLUMNS + 1 or not lines[0].lower().startswith(TALON):
        raise ValueError(
            f'deck must be a line "Talon: ..." and {COLUMNS} lines of columns, '
            f"got {len(lines)} lines"
        )
    stock = split_cards(lines[0][len(TALON) :].replace(STOCK_ENDS, " "))
    if STOCK_BEGINS in stock:
        begin = stock.index(STOCK_BEGINS)
        if begin:
            raise ValueError(f"deck must be the start of a game, got a waste of {begin} cards")
        stock = stock[1:]
    columns = [[_strip_brackets(card) for card in split_cards(line)] for line in lines[1:]]
    return _join_piles(columns, stock, "a talon")


def _strip_brackets(card: str) -> str:
    return card[1:-1] if card.startswith("<") and card.endswith(">") and len(card) > 2 else card


def _join_piles(columns: Sequence[Sequence[Any]], stock: Sequence[Any], name: str) -> np.ndarray:
    """Return the deck for columns, each from its first card, and a stock from its top."""
    sizes = [len(column) for column in columns]
    if sizes != list(range(1, COLUMNS + 1)) or len(stock) != STOCK_SIZE:
        raise ValueError(
            f"deck must have columns of 1, 2, ... 7 cards and {name} of {STOCK_SIZE} cards, "
            f"got {sizes} and {len(stock)}"
        )
    deck = [*[""] * TABLEAU_SIZE, *stock]
    for column, cards in enumerate(columns):
        for row, card in enumerate(cards):
            deck[deck_place(column, row)] = card
    return parse_deck(deck)


def to_pysol(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, card codes in dealing order, as a PySol board."""
    names = [card_name(int(card)).upper() for card in deck]
    lines = [f"Talon: {' '.join(names[TABLEAU_SIZE:])}"]
    for column in range(COLUMNS):
        *hidden, shown = [names[deck_place(column, row)] for row in range(column + 1)]
        lines.append(" ".join([*(f"<{card}>" for card in hidden), shown]))
    return "\n".join(lines)


def from_solvitaire(text: str) -> np.ndarray:
    """Return the deck, int8 (52,), of a Solvitaire deal.

    Raises:
        ValueError: The text has another format, is a position after the deal, or has unknown,
            repeated or missing cards.
    """
    try:
        deal = json.loads(text.lstrip("\ufeff"))
        columns, stock = deal.pop("tableau piles"), deal.pop("stock")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError('deck must be JSON with "tableau piles" and "stock"') from None
    if not isinstance(columns, list) or not all(map(_are_names, (*columns, stock))):
        raise ValueError(
            'deck: "tableau piles" must be lists of cards such as "10H", and "stock" one such list'
        )
    full = [
        name for name, cards in deal.items() if name in EMPTY_PILES and cards not in ([], [[]] * 4)
    ]
    if full:
        raise ValueError(f"deck must be the start of a game, got cards in {full[0]!r}")
    return _join_piles(columns, stock[::-1], "a stock")


def _are_names(cards: Any) -> bool:
    return isinstance(cards, list) and all(isinstance(card, str | None) for card in cards)


def to_solvitaire(deck: Sequence[CardCode] | np.ndarray) -> str:
    """Return a deck, card codes in dealing order, as a Solvitaire deal."""
    names = [card_name(int(card)).upper().replace("T", "10") for card in deck]
    columns = [
        [names[deck_place(column, row)] for row in range(column + 1)] for column in range(COLUMNS)
    ]
    return json.dumps({"tableau piles": columns, "stock": names[: TABLEAU_SIZE - 1 : -1]})
