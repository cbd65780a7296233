"""Puss in the Corner: what the greedy agent thinks of a position. Uses only what the player knows.

A card put on a pile costs something for each card that it buries, and for the gap to the top.
"""

from typing import Any

from ..core.jit import jit
from .rules import FOUNDATION, GATHER, KING, PILES, PLACE, PLAY

WEIGHTS = {
    "buried_of_colour": 3.0,
    "buried_other": 2.0,
    "gap": 1.0,
    "empty_pile": 5.0,
    "uncovers": 1.0,
    "low_card": 0.1,
}
"""Costs of a card: for each lower card of its colour, and of the other, below it; for each value
that the top is higher by; for taking an empty pile, a king none. What playing a top is worth: for
each value that the next card is lower than the king, and that it is itself."""
BURIED_OF_COLOUR, BURIED_OTHER, GAP, EMPTY, UNCOVERS, LOW_CARD = range(6)


@jit
def is_black(card: int) -> bool:
    """Whether a card is of clubs or spades."""
    return card & 3 == 0 or card & 3 == 3


@jit
def cost(s: Any, weights: Any, pile: int, card: int) -> float:
    """What it costs to put a card on a reserve pile."""
    value = card >> 2
    top = s["shown"]["tops"][pile]
    if top == 0:
        return weights[EMPTY] * (KING - value) / KING
    total = weights[GAP] * max((top >> 2) - value, 0)
    for i in range(s["count"][pile]):
        other = s["pile"][pile, i]
        if other >> 2 < value:
            same = is_black(other) == is_black(card)
            total += weights[BURIED_OF_COLOUR if same else BURIED_OTHER]
    return total


@jit
def heuristic(s: Any, rules: Any, weights: Any, scores: Any) -> None:
    """Write a score for each legal action: whatever plays a card first, placings by their cost."""
    shown = s["shown"]
    for action in range(len(scores)):
        if (s["legal"] >> action) & 1 == 0:
            continue
        if action < PLAY:
            scores[action] = -cost(s, weights, action - PLACE, shown["card"])
        elif action < FOUNDATION:
            pile = action - PLAY
            below = s["pile"][pile, s["count"][pile] - 2] if s["count"][pile] > 1 else 0
            worth = weights[UNCOVERS] * (KING - (below >> 2)) if below else 0.0
            scores[action] = 100.0 + worth + weights[LOW_CARD] * (KING - (shown["tops"][pile] >> 2))
        elif action == FOUNDATION:
            scores[action] = 100.0
        elif action >= GATHER and action < GATHER + PILES:
            scores[action] = 0.0
