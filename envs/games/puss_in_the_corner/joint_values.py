"""Puss in the Corner: the features of all four piles together, by their lowest cards and tops.

What the cards to come will bury hangs on the four piles at once: a low card is safe on any pile, a
high one only on a pile without lower ones, and one such pile is enough.
"""

from math import comb
from typing import Any

import numpy as np

from ...core.aliases import FeatureIds, State
from ...core.kernel.jit import jit
from .rules import CARDS, KING, PILES

STAGES = CARDS // PILES + 1
"""Groups of the stock that are left."""
EMPTY_END = KING + 1
"""Stands for both ends of an empty pile."""
SETS = comb(EMPTY_END + PILES - 1, PILES)
"""Ways in which four values may lie on four piles, whatever their order."""
PASSES = 3
NUM_JOINT_FEATURES = PASSES * 2 * STAGES * SETS


def _number_sets() -> np.ndarray:
    """Number the sets of four values, 1 to `EMPTY_END`, four bits each: int16 (2 ** 16,)."""
    nibbles = np.arange(1 << 4 * PILES)[:, None] >> 4 * np.arange(PILES) & 15
    places = np.sort(np.clip(nibbles, 1, EMPTY_END) - 1, axis=1) + np.arange(PILES)
    most = EMPTY_END + PILES - 1
    ways = np.array([[comb(n, k + 1) for k in range(PILES)] for n in range(most)])
    return ways[places, np.arange(PILES)].sum(axis=1).astype(np.int16)


SET_NUMBER = _number_sets()


@jit
def pack_ends(s: State, placed: int, played: int) -> Any:
    """The lowest cards of all piles, and their tops: four bits for each pile.

    The card in hand lies on the pile ``placed``, the top of ``played`` is gone (-1: none).
    """
    lows = tops = 0
    for pile in range(PILES):
        low = top = EMPTY_END
        for i in range(s["count"][pile] - (pile == played)):
            top = s["pile"][pile][i] >> 2
            low = min(low, top)
        if pile == placed:
            top = s["shown"]["card"] >> 2
            low = min(low, top)
        lows |= low << (4 * pile)
        tops |= top << (4 * pile)
    return lows, tops


@jit
def write_joint_features(
    s: State, first: int, placed: int, played: int, ids: FeatureIds, at: int
) -> int:
    """Write the two features, numbered from ``first`` on, and return where they end."""
    stage = (s["shown"]["stock_count"] + PILES - 1) // PILES
    kind = s["shown"]["redeals_left"] * 2 * STAGES + stage
    lows, tops = pack_ends(s, placed, played)
    ids[at] = first + kind * SETS + SET_NUMBER[lows]
    ids[at + 1] = first + (kind + STAGES) * SETS + SET_NUMBER[tops]
    return at + 2
