"""Heuristic of Higher or Lower, for the greedy agent. It uses only what the player knows."""

from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.type_aliases import RulesRecord, Scores, State, Weights
from tests.example_game.kernel import is_right
from tests.example_game.rules import ACTIONS, KING

WEIGHTS = {"unseen": 1.0, "values": 0.0}
"""Weights of the number of unseen cards, and of values, that make a guess right.

Counting cards is optimal: the next card does not depend on the guess.
"""
UNSEEN, VALUES = 0, 1


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action."""
    shown = s["shown"]
    for action in range(ACTIONS):
        if (s["legal"] >> action) & 1 == 0:
            continue
        cards = values = 0
        for value in range(KING):
            if is_right(shown["card"], (value + 1) << 2, rules, action):
                cards += shown["unseen"][value]
                values += 1
        scores[action] = weights[UNSEEN] * cards + weights[VALUES] * values
