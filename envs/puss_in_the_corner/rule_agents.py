"""Puss in the Corner: players by rule, a second baseline beside the heuristic."""

import numpy as np

from ..core.aliases import RulesRecord, Scores, State, Weights
from ..core.jit import jit
from .heuristic import PLAYED_BONUS, WEIGHTS, heuristic
from .rules import PILES, PLACE

SORTED = {"under_own": 10.0, "under_other": 10.0, "top": 1.0}
"""The heuristic's weights for a stock in order: bury nothing, and keep the tops high."""
LATER = np.array([SORTED.get(name, 0.0) for name in WEIGHTS])


@jit
def pile_of(value: int) -> int:
    """The pile of a card by the tip: kings to tens, nines to sevens, sixes to fours, the rest."""
    return 0 if value >= 10 else 1 if value >= 7 else 2 if value >= 4 else 3


@jit
def tip(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """The tip published with the game (002): in the first pass sort the cards by value into piles.

    The piles turned over, high cards come first: in later passes hardly one need be buried, and the
    heuristic plays with weights for that. Which card is played first is always left to it.
    """
    if s["shown"]["redeals_left"] < rules.redeals:
        heuristic(s, rules, LATER, scores)
        return
    heuristic(s, rules, weights, scores)
    if s["shown"]["card"]:
        for pile in range(PILES):
            scores[PLACE + pile] = 0.0
        scores[PLACE + pile_of(s["shown"]["card"] >> 2)] = PLAYED_BONUS / 2
