"""Pyramid with all cards known: the nodes of the search for the fewest moves, and room for them."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....core.aliases import Positions
from ....core.kernel.jit import jit
from .position import Position, hash_position, pack_cards, unpack_cards

ROOM = 1 << 15
"""Room for so many nodes at first, and for as many entries of the queue; both double."""
NONE = -1
NODE = np.dtype(
    [
        ("word", np.int64),  # of the position: see `pack_node`
        ("second", np.int64),  # likewise
        ("move", np.int64),  # that led to it
        ("stale", np.int64),  # cards that were free before the last turn
        ("parent", np.int32),  # node in which the move was made, NONE at the root
        ("length", np.int32),  # moves made on the way
        ("closed", np.int32),  # as many when it was last expanded
    ]
)
Node: TypeAlias = Any  # one record of NODE
LEFT_AT, SEEN_AT = 48, 52
"""In a node's second word ``left`` and ``seen`` stand above ``piles``."""


class Tables(NamedTuple):
    """What grows: its arrays are replaced then."""

    nodes: np.ndarray
    """NODE (room,): all positions met, in the order in which they were."""
    slots: np.ndarray
    """int32 (2 room,), a hash table: numbers of nodes, or `NONE`."""
    entries: np.ndarray
    """int32 (room, 2), entries of the queue: a node, and the entry behind, or `NONE`."""


class Way(NamedTuple):
    """How a position is reached."""

    move: int
    parent: int
    """The node that the move was made in, `NONE` at the root."""
    there: Positions
    """The cards that were there then."""
    groups: int
    """The same, as `bounds.group_cards` numbers them."""
    stale: Positions
    """The cards that were free before the last turn."""
    length: int
    """The moves made, this one included."""


@jit
def make_tables() -> Tables:
    """Make empty tables."""
    slots = np.full(2 * ROOM, NONE, np.int32)
    return Tables(np.empty(ROOM, NODE), slots, np.empty((ROOM, 2), np.int32))


@jit
def double_nodes(tables: Tables) -> Tables:
    """The tables with the nodes in twice the room, and new slots."""
    size = len(tables.nodes)
    nodes, slots = np.empty(2 * size, NODE), np.full(4 * size, NONE, np.int32)
    nodes[:size] = tables.nodes
    for number in range(size):
        slots[find_node(nodes, slots, nodes[number]["word"], nodes[number]["second"])] = number
    return Tables(nodes, slots, tables.entries)


@jit
def double_queue(tables: Tables) -> Tables:
    """The tables with the queue in twice the room."""
    size = len(tables.entries)
    entries = np.empty((2 * size, 2), np.int32)
    entries[:size] = tables.entries
    return Tables(tables.nodes, tables.slots, entries)


@jit(inline="always")  # else Numba counts references to the arrays at every call
def find_node(nodes: np.ndarray, slots: np.ndarray, word: int, second: int) -> int:
    """The slot of a position, or the empty one where it belongs."""
    mask = len(slots) - 1
    slot = hash_position(word, second) & mask
    while slots[slot] != NONE:
        node = nodes[slots[slot]]
        if node["word"] == word and node["second"] == second:
            break
        slot = (slot + 1) & mask
    return slot


@jit
def pack_node(at: Position) -> tuple[int, int]:
    """The two words of a node that say what its position is."""
    return pack_cards(at), at.piles | at.left << LEFT_AT | at.seen << SEEN_AT


@jit
def unpack_node(node: Node) -> Position:
    """The position of a node."""
    there, p = unpack_cards(node["word"])
    second = node["second"]
    piles, left = second & ((1 << LEFT_AT) - 1), (second >> LEFT_AT) & 15
    return Position(there, p, piles, left, second >> SEEN_AT)


@jit
def write_way(node: Node, way: Way, length: int) -> None:
    """Write how a node is reached, in ``length`` moves together with those that were forced."""
    node["move"], node["stale"] = way.move, way.stale
    node["parent"], node["length"] = way.parent, length


@jit
def is_wider(node: Node, there: Positions, stale: Positions, length: int) -> bool:
    """Whether a node is reached in as many moves as before, but with removals not tried then."""
    return length == node["length"] and node["stale"] & ~stale & there != 0


@jit
def trace_moves(nodes: np.ndarray, last: int, moves: np.ndarray) -> int:
    """Write the moves chosen on the way to a node; return their number."""
    length, number = 0, last
    while nodes[number]["parent"] != NONE:
        length += 1
        number = nodes[number]["parent"]
    number = last
    for i in range(length - 1, -1, -1):
        moves[i] = nodes[number]["move"]
        number = nodes[number]["parent"]
    return length
