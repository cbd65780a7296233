"""The cards, places, options and decks of the reference Pyramid, from the same rule page.

Places and actions have the same numbers: pyramid slots 0-27, extra row 28-34, waste tops
35-37, stock top or card held 38, DEAL 39, REDEAL 40, UNDO 41.
"""

from collections.abc import Container
from dataclasses import dataclass, fields
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "cdhs"
TARGET = 13

PYRAMID = range(0, 28)
EXTRA = range(28, 35)
WASTE_TOPS = range(35, 38)
STOCK_TOP = 38
DEAL, REDEAL, UNDO = 39, 40, 41


def slot(row: int, column: int) -> int:
    """The pyramid slot at `row` and `column`, both counted from 0."""
    return row * (row + 1) // 2 + column


def _direct_coverers() -> dict[int, list[int]]:
    """For each pyramid slot, the two slots that cover it (none for the bottom row)."""
    coverers: dict[int, list[int]] = {place: [] for place in PYRAMID}
    for row in range(6):
        for column in range(row + 1):
            below = [slot(row + 1, column), slot(row + 1, column + 1)]
            coverers[slot(row, column)] = below
    return coverers


COVERERS = _direct_coverers()


def value(card: str) -> int:
    """Ace 1, number cards their number, jack 11, queen 12, king 13."""
    return RANKS.index(card[0]) + 1


@dataclass(frozen=True)
class Rules:
    """The options of one game, with the page's defaults."""

    passes: int = 1
    shuffle_redeal: bool = False
    deal_when: str = "always"
    first_deal: bool = False
    extra_row: bool = False
    covered_kings: bool = False
    match_cover: bool = False
    many_sum: bool = False
    waste_piles: int = 1
    stock_view: str = "down"
    stock_play: bool = False
    clear_all: bool = False
    held: bool = False
    turn: int = 1
    undo: bool = False
    max_moves: int = 500


ALLOWED: dict[str, Container[Any]] = {
    "passes": range(0, 10),
    "deal_when": ("always", "blocked"),
    "waste_piles": (1, 2, 3),
    "stock_view": ("down", "top", "all"),
    "turn": (1, 2, 3),
}


def refused(options: dict[str, Any]) -> bool:
    """Whether the page refuses these options (those not named have their default).

    True as well for a value out of range and for a name that is no option.
    """
    if not set(options) <= {option.name for option in fields(Rules)}:
        return True
    rules = Rules(**options)
    if not isinstance(rules.max_moves, int) or rules.max_moves < 1:
        return True
    for option in fields(Rules):
        allowed = ALLOWED.get(option.name, (False, True))
        if option.name != "max_moves" and getattr(rules, option.name) not in allowed:
            return True
    if rules.shuffle_redeal and (rules.passes == 1 or rules.undo):
        return True
    if rules.stock_play and rules.stock_view == "down":
        return True
    return rules.held and _is_refused_with_held(rules)


def _is_refused_with_held(rules: Rules) -> bool:
    several = rules.waste_piles > 1
    return several or rules.stock_view != "down" or rules.stock_play or rules.first_deal


def read_deck(deck: list[str]) -> list[str]:
    """The deck with "10h" written "Th"; ValueError unless it is a 52-card pack."""
    cards = ["T" + card[2:] if card.startswith("10") else card for card in deck]
    if sorted(cards) != sorted(rank + suit for rank in RANKS for suit in SUITS):
        raise ValueError(f"not a pack of 52 cards: {deck}")
    return cards
