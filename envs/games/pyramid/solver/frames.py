"""Pyramid with all cards known: what the search in depth works with, and its stack of positions."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....core.aliases import Positions
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from .bounds import NUM_FACTS
from .position import Position, pack_cards, unpack_cards
from .transpositions import double_slots, find_slot, note_win

FRAMES = 2048
"""The longest line: 52 removals, and between any two of them the whole stock once."""
LONGEST = FRAMES + PACK_SIZE
"""Room for a line: what is forced is on it, too."""
MOVES = 1 << 15
FRAME = np.dtype(
    [
        ("word", np.int64),  # of the position: see `pack_cards`
        ("piles", np.int64),
        ("left", np.int64),
        ("seen", np.int64),
        ("groups", np.int64),  # as in a `Node`
        ("stale", np.int64),
        ("length", np.int64),
        ("free", np.int64),  # the free cards
        ("slot", np.int64),  # in the table
        ("next", np.int64),  # which of its moves on their stack come next ...
        ("last", np.int64),  # ... and last
    ]
)
"""A position whose moves are tried."""
SEARCH = np.dtype(
    [
        ("relaxed", np.int64),
        ("limit", np.int64),
        ("used", np.int64),  # slots of the table
        ("nodes", np.int64),  # positions looked at
        ("depth", np.int64),  # of the deepest frame, -1: none
        ("size", np.int64),  # moves on their stack
        ("facts", np.int64, NUM_FACTS),
        ("line", np.int64, LONGEST),
        ("moves", np.int64, MOVES),
        ("frames", FRAME, FRAMES),
    ]
)
"""What one search works with, but for what grows.

A record, because Numba counts the references to an array at every call. A record keeps nothing
alive: it is taken out of its array in functions that are handed the array.
"""
Search: TypeAlias = Any  # one record of SEARCH


class Node(NamedTuple):
    """A position that a search comes to, and how."""

    at: Position
    groups: int
    """The cards that are there, as `bounds.group_cards` numbers them."""
    stale: Positions
    """The cards that were free before the last turn."""
    length: int
    """Moves on the line to it."""


@jit
def set_up_search(searches: np.ndarray, facts: np.ndarray, limit: int, relaxed: bool) -> None:
    """Write what a search begins with into zeros (1,)."""
    search = searches[0]
    search["facts"][:] = facts
    search["limit"], search["relaxed"] = limit, relaxed


@jit
def push_frame(node: Node, slot: int, free: Positions, size: int, search: Search) -> None:
    """Put a position on the stack whose moves lie on theirs from the last size on."""
    at = node.at
    search["depth"] += 1
    frame = search["frames"][search["depth"]]
    frame["word"], frame["piles"] = pack_cards(at), at.piles
    frame["left"], frame["seen"] = at.left, at.seen
    frame["groups"], frame["stale"], frame["length"] = node.groups, node.stale, node.length
    frame["free"], frame["slot"] = free, slot
    frame["next"], frame["last"] = size, search["size"]


@jit
def take_back(search: Search) -> bool:
    """Go back to the deepest position with a move that was not tried; whether there is one."""
    while search["depth"] >= 0:
        frame = search["frames"][search["depth"]]
        if frame["next"] != frame["last"]:
            return True
        search["depth"] -= 1
    return False


@jit
def position_of(frame: Any) -> Position:
    """The position of a frame."""
    there, p = unpack_cards(frame["word"])
    return Position(there, p, frame["piles"], frame["left"], frame["seen"])


@jit
def grow_table(slots: np.ndarray, search: Search) -> np.ndarray:
    """The slots in twice the room; the frames are told where theirs are."""
    more = double_slots(slots)
    for depth in range(search["depth"] + 1):
        frame = search["frames"][depth]
        frame["slot"] = find_slot(more, frame["word"], frame["piles"])
    return more


@jit
def record_win(root: int, search: Search, slots: np.ndarray) -> None:
    """Write of all positions on the line that they are won."""
    for depth in range(search["depth"] + 1):
        frame = search["frames"][depth]
        note_win(slots[frame["slot"]], position_of(frame), root)
