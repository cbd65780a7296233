"""Twenty-Eight and Twenty-Nine: what the greedy agent thinks of a position."""

from ..core.aliases import RulesRecord, Scores, State, Weights
from ..core.jit import jit

WEIGHTS = {"length": 1.0}


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action."""
