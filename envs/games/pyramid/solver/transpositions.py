"""Pyramid with all cards known: the table of the positions met, and what is known of each.

A position of the table is lost or won with so much time left: see `rank_of`.
"""

from typing import Any, TypeAlias

import numpy as np

from ....core.aliases import Positions
from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.jit import jit
from .position import NO_LIMIT, Position, hash_position, pack_cards

SLOTS = 1 << 10
"""So many slots at first; they double."""
EMPTY_SLOT = -1
NEVER_LOST, NEVER_WON = -1, 100
SLOT = np.dtype(
    [
        ("word", np.int64),  # of the position: see `position.pack_cards`; or `EMPTY_SLOT`
        ("piles", np.int64),
        ("stale", np.int64),  # cards of which no removals were tried
        ("knowledge", np.int64),  # see `pack_knowledge`
    ]
)
Slot: TypeAlias = Any  # one record of SLOT


@jit
def make_slots(size: int) -> np.ndarray:
    """Make empty slots; ``size`` is a power of two."""
    slots = np.empty(size, SLOT)
    for number in range(size):
        slots[number]["word"] = EMPTY_SLOT
    return slots


@jit(inline="always")  # else Numba counts references to the arrays at every call
def find_slot(slots: np.ndarray, word: int, piles: int) -> int:
    """The number of a position's slot, or of the empty one where it belongs."""
    mask = len(slots) - 1
    number = hash_position(word, piles) & mask
    while slots[number]["word"] != EMPTY_SLOT:
        if slots[number]["word"] == word and slots[number]["piles"] == piles:
            break
        number = (number + 1) & mask
    return number


@jit
def double_slots(slots: np.ndarray) -> np.ndarray:
    """The slots in twice the room."""
    more = make_slots(2 * len(slots))
    for old in range(len(slots)):
        slot = slots[old]
        if slot["word"] != EMPTY_SLOT:
            more[find_slot(more, slot["word"], slot["piles"])] = slot
    return more


@jit
def pack_knowledge(lost: int, won: int, root: int) -> int:
    """Pack what is known of a position: it is lost with the rank ``lost``, won with ``won``.

    `NEVER_LOST` and `NEVER_WON` stand for neither. ``root`` is the root that it was reached from.
    """
    return lost + 1 | won << 8 | root << 16


@jit(inline="always")  # else Numba counts references to the arrays at every call
def claim_slot(slots: np.ndarray, at: Position, root: int) -> tuple[int, bool]:
    """The number of a position's slot, and whether it is new: then it is written into it."""
    word = pack_cards(at)
    number = find_slot(slots, word, at.piles)
    slot = slots[number]
    if slot["word"] != EMPTY_SLOT:
        return number, False
    slot["word"], slot["piles"], slot["stale"] = word, at.piles, 0
    slot["knowledge"] = pack_knowledge(NEVER_LOST, NEVER_WON, root)
    return number, True


@jit
def rank_of(at: Position) -> int:
    """How much time is left: the more of it, the more can be won."""
    return at.seen if at.left == NO_LIMIT else at.left


@jit
def look_up(slot: Slot, at: Position, root: int, stale: Positions, found: np.ndarray) -> int:
    """What is known of a position from before: `WINNABLE`, `LOST` or, if nothing, `UNDECIDED`.

    That it was searched from another root says nothing until that root is known to be lost: only
    then has the search gone through all of it.
    """
    knowledge, rank = slot["knowledge"], rank_of(at)
    if rank >= (knowledge >> 8) & 255:
        return WINNABLE
    teller = knowledge >> 16
    if (
        rank <= (knowledge & 255) - 1
        and (teller == root or found[teller] == LOST)
        and slot["stale"] & ~stale & at.there == 0
    ):
        return LOST
    return UNDECIDED


@jit
def note_search(slot: Slot, at: Position, root: int, stale: Positions) -> None:
    """Write that a position is searched: who comes to it again before it is won finds it lost."""
    won = (slot["knowledge"] >> 8) & 255
    slot["knowledge"], slot["stale"] = pack_knowledge(rank_of(at), won, root), stale


@jit
def note_win(slot: Slot, at: Position, root: int) -> None:
    """Write that a position is won."""
    slot["knowledge"] = pack_knowledge(NEVER_LOST, rank_of(at), root)
