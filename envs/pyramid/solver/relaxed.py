"""Pyramid as if all cards of the deck lay open: who cannot win so cannot win at all."""

from typing import Any

from ...core.jit import jit
from ..clicks import PYRAMID_SET, find_uncovered
from ..rules import KING
from .position import FIRST, SETS, free_kings


@jit
def relaxed_free_cards(there: int, facts: Any) -> int:
    """The cards that are free on the table, and the first of each value in the deck."""
    table = there & ((1 << facts[FIRST]) - 1)
    free = find_uncovered(table & PYRAMID_SET) | table & ~PYRAMID_SET
    for value in range(1, KING + 1):
        cards = facts[SETS + value] & there & ~table
        free |= cards & -cards
    return free


@jit
def remove_forced_relaxed(there: int, facts: Any, rules: Any) -> int:
    """Let the kings of the pyramid go that can."""
    while True:
        free = find_uncovered(there & PYRAMID_SET)
        kings = free_kings(there, free, facts[SETS + KING], rules) & PYRAMID_SET
        if kings == 0:
            return there
        there &= ~kings
