"""Seven Twenty-Seven: players by rule, of the greedy agent's thoughts and another temper."""

import numpy as np

from ...core.aliases import RulesRecord, Scores, State, Weights
from ...core.kernel.jit import jit
from .heuristic import heuristic

TIGHT = np.array([0.12, 0.1, 0.2, 0.02])
LOOSE = np.array([-0.1, 0.0, -0.05, 0.001])
"""In the order of `heuristic.WEIGHTS`. Loose takes a card for any gain at all, tight for a clear
one. For none would not do: two seats sure of a half each by declaring would draw to the last card.
"""


@jit
def tight(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Plays few hands, folds early, and raises only when it is strong."""
    heuristic(s, rules, TIGHT, scores)


@jit
def loose(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Calls and raises a lot, and takes many cards."""
    heuristic(s, rules, LOOSE, scores)
