"""Five-card poker hands: which of the ten categories five cards are. Table-driven, compiled."""

from enum import IntEnum

import numpy as np

from .cards import RANKS
from .jit import jit


class Hand(IntEnum):
    """The categories of five cards, lowest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9


ACE_HIGH = 2
"""In `RUNS`: ten to ace."""


HIGHEST = 0b1111 << (len(RANKS) - 4) | 1
STRAIGHTS = np.array([*(0b11111 << low for low in range(len(RANKS) - 4)), HIGHEST], np.int64)
"""The ten straights as sets of ranks (bit 0 the ace), ten to ace last."""


def _runs() -> np.ndarray:
    """For each set of ranks: 1 if it is a straight, `ACE_HIGH` if ten to ace."""
    runs = np.zeros(1 << len(RANKS), np.int8)
    runs[STRAIGHTS] = 1
    runs[HIGHEST] = ACE_HIGH
    return runs


RUNS = _runs()
BY_EQUALS = np.array([0, 1, 2, 3, 6, 0, 7], np.int8)
"""The category by how many pairs of cards have equal ranks: four of a kind make six such pairs."""
BY_RUN = np.array([[0, 4, 4], [5, 8, 9]], np.int8)
"""The category of five different ranks: [flush][run]."""


@jit
def category(hand: np.ndarray) -> int:
    """Return the `Hand` of five card codes, in any order."""
    equals = ranks = 0
    flush = 1
    for i in range(5):
        ranks |= 1 << ((hand[i] >> 2) - 1)
        flush &= (hand[i] ^ hand[0]) & 3 == 0
        for j in range(i):
            equals += hand[i] >> 2 == hand[j] >> 2
    if equals:
        return BY_EQUALS[equals]
    return BY_RUN[flush, RUNS[ranks]]
