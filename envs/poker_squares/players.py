"""Poker Squares: players by rule, a second baseline beside the heuristic."""

from typing import Any

from ..core.jit import jit
from .rules import SIZE, SQUARES

OWN, LAST = 300.0, 200.0
"""How much a column is preferred: that of the card's suit, and the last one."""


@jit
def matches(s: Any, row: int) -> int:
    """How many cards of the card's rank a row holds."""
    found = 0
    for column in range(SIZE):
        other = s["shown"]["grid"][row * SIZE + column]
        found += other != 0 and other >> 2 == s["shown"]["card"] >> 2
    return found


@jit
def columns(s: Any, rules: Any, weights: Any, scores: Any) -> None:
    """Flushes in columns, the rule player of the literature: a column for each suit, one for rest.

    Suits have the columns in order. A card goes into that of its suit, when it is full into the
    last, when that is full too into the emptiest other; of the rows, into the one that holds most
    cards of its rank.
    """
    suit = s["shown"]["card"] & 3
    for action in range(SQUARES):
        if (s["legal"] >> action) & 1 == 0:
            continue
        row, column = action // SIZE, action % SIZE
        empty = 0
        for i in range(SIZE):
            empty += s["shown"]["grid"][i * SIZE + column] == 0
        rank = OWN if column == suit else LAST if column == SIZE - 1 else 10.0 * empty
        scores[action] = rank + matches(s, row)
