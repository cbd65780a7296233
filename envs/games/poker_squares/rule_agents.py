"""Poker Squares: players by rule, a second baseline beside the heuristic."""

from ...core.aliases import RulesRecord, Scores, State, Weights
from ...core.kernel.jit import jit
from .rules import SIZE, SQUARES

OWN, LAST = 3 * SQUARES, 2 * SQUARES
"""How much a column is preferred: that of the card's suit, and the last one."""


@jit
def columns(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Flushes in columns, the rule player of the literature: a column for each suit, one for rest.

    A card goes into the first row that is empty in the column of its suit; when that is full, in
    the last column; then in the emptiest of the others.
    """
    suit = s["shown"]["card"] & 3
    for action in range(SQUARES):
        if (s["legal"] >> action) & 1 == 0:
            continue
        row, column = action // SIZE, action % SIZE
        empty = 0
        for i in range(SIZE):
            empty += s["shown"]["grid"][i * SIZE + column] == 0
        other = LAST if column == SIZE - 1 else SIZE * empty
        scores[action] = (OWN if column == suit else other) - row
