"""Pyramid as if all cards of the deck lay open: who cannot win so cannot win at all."""

import numpy as np

from ....core.aliases import Positions, RulesRecord
from ....core.kernel.jit import jit
from ..clicks import PYRAMID_SET, find_uncovered
from ..rules import KING
from .position import FIRST, SETS, free_kings


@jit
def relaxed_free_cards(there: Positions, facts: np.ndarray) -> Positions:
    """The cards that are free on the table, and the first of each value in the deck."""
    tableau = there & ((1 << facts[FIRST]) - 1)
    free = find_uncovered(tableau & PYRAMID_SET) | tableau & ~PYRAMID_SET
    for value in range(1, KING + 1):
        cards = facts[SETS + value] & there & ~tableau
        free |= cards & -cards
    return free


@jit
def remove_forced_relaxed(there: Positions, facts: np.ndarray, rules: RulesRecord) -> Positions:
    """Let the kings of the pyramid go that can."""
    while True:
        free = find_uncovered(there & PYRAMID_SET)
        kings = free_kings(there, free, facts[SETS + KING], rules) & PYRAMID_SET
        if kings == 0:
            return there
        there &= ~kings
