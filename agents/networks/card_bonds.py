"""Which cards of an observation have a bond: pairs that can go together. See `networks.Bonds`."""

import numpy as np

from parlour.envs.core.aliases import Codes
from parlour.envs.core.kernel.jit import jit

PLACE_CLASSES = 2
"""Where a card is counts as one of so many classes: code 1, and all above."""


@jit
def list_bonds(
    codes: Codes,
    cards: np.ndarray,
    wheres: np.ndarray,
    firsts: np.ndarray,
    bonds: np.ndarray,
    rows: np.ndarray,
    ends: np.ndarray,
) -> int:
    """List the bonds of each observation as numbers of pairs of places; return how many in all.

    A place is an entry of ``cards`` and its class; ``wheres`` has the entry that says where the
    card is (-1: none), ``firsts`` the number of an entry's first place. Pair (a, b), a > b, has
    number ``a * (a - 1) / 2 + b``. ``ends`` receives where the list of each observation begins.
    """
    found = 0
    place = np.empty(len(cards), np.int64)
    code = np.empty(len(cards), np.int64)
    for i in range(len(codes)):
        ends[i] = found
        held = 0
        for k in range(len(cards)):
            card = codes[i, cards[k]]
            where = 1 if wheres[k] < 0 else codes[i, wheres[k]]
            if card > 0 and where > 0:
                for other in range(held):
                    if bonds[card, code[other]]:
                        high = firsts[k] + min(where, PLACE_CLASSES) - 1
                        rows[found] = high * (high - 1) // 2 + place[other]
                        found += 1
                place[held] = firsts[k] + min(where, PLACE_CLASSES) - 1
                code[held] = card
                held += 1
    return found
