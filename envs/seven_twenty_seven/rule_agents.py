"""Seven Twenty-Seven: players by rule, of the greedy agent's thoughts and another temper."""

from typing import Any

import numpy as np

from ..core.jit import jit
from .heuristic import heuristic

TIGHT = np.array([0.12, 0.1, 0.2, 0.02])
LOOSE = np.array([-0.1, 0.0, -0.05, 0.001])
"""In the order of `heuristic.WEIGHTS`. Loose takes a card for any gain at all, tight for a clear
one. For none would not do: two seats sure of a half each by declaring would draw to the last card.
"""


@jit
def tight(s: Any, rules: Any, weights: Any, scores: Any) -> None:
    """Plays few hands, folds early, and raises only when it is strong."""
    heuristic(s, rules, TIGHT, scores)


@jit
def loose(s: Any, rules: Any, weights: Any, scores: Any) -> None:
    """Calls and raises a lot, and takes many cards."""
    heuristic(s, rules, LOOSE, scores)
