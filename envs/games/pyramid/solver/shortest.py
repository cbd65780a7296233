"""Pyramid solver: an A* search for a win with the fewest moves.

The lower bound is the sum of the removals that each group needs (`bounds.bound_removals`), one
removal for each king that must go, and the turns needed to get cards out of the stock
(`bounds.bound_turns`). With ``many_sum`` the bound is the number of points that must go divided by
13. Forced removals (see `position`) are made only for kings that must go, and for a card that must
go together with its last partner. So a king of the deck stays, unless ``clear_all`` requires its
removal.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....core.kernel.bits import count, lowest
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ....core.type_aliases import Positions, RulesRecord
from ..rules import KING, TARGET
from .bounds import IMPOSSIBLE, bound_removals, bound_turns, fill_facts, group_cards
from .depth_first import LONGEST, MOVES
from .position import (
    FACTS,
    TURN,
    Facts,
    Position,
    can_turn,
    drop_stale,
    free_cards,
    hash_position,
    leaves_no_trace,
    note_removal,
    pack_cards,
    play_move,
    push,
    push_removals,
    read_position,
    remove_forced,
    unpack_cards,
)

ROOM = 1 << 15
"""Initial capacities for nodes and for entries of the queue. Both double when needed."""
NONE = -1
NODE = np.dtype(
    [
        ("word", np.int64),  # first word of the position, see `pack_node`
        ("second", np.int64),  # second word of the position
        ("move", np.int64),  # the move that led to it
        ("stale", np.int64),  # cards that were free before the last turn
        ("parent", np.int32),  # node in which the move was made, NONE at the root
        ("length", np.int32),  # number of moves on the path
        ("closed", np.int32),  # the length at the last expansion
    ]
)
Node: TypeAlias = Any  # one record of NODE
LEFT_AT, SEEN_AT = 48, 52
"""Offsets of ``redeals_left`` and ``removal_seen`` above ``piles`` in a node's second word."""


ENTRY = np.dtype(
    [
        ("node", np.int32),
        ("next", np.int32),  # the next entry with the same total, or NONE
    ]
)
"""An entry of the queue."""


class Tables(NamedTuple):
    """The growing parts of the working memory, whose arrays are replaced when they grow."""

    nodes: np.ndarray
    """NODE (room,): all positions in the order in which they were reached."""
    slots: np.ndarray
    """int32 (2 room,), a hash table of numbers of nodes, or `NONE`."""
    entries: np.ndarray
    """ENTRY (room,): entries of the queue."""


class Way(NamedTuple):
    """The path to a position."""

    move: int
    parent: int
    """The node in which the move was made, `NONE` at the root."""
    remaining: Positions
    """The cards remaining at that node."""
    groups: int
    """The same cards in the numbering of `bounds.number_groups`."""
    stale: Positions
    """The cards that were free before the last turn."""
    length: int
    """The number of moves, including this one."""


SEARCH = np.dtype(
    [
        ("limit", np.int64),  # maximum number of nodes
        ("upper", np.int64),  # number of moves of a known win
        ("used", np.int64),  # number of nodes
        ("queued", np.int64),  # number of entries of the queue
        ("least", np.int64),  # lower bound on the totals of all entries
        ("facts", FACTS),
        ("line", np.int64, LONGEST + PACK_SIZE),  # capacity for forced removals beyond `LONGEST`
        ("moves", np.int64, MOVES),
        ("heads", np.int64, LONGEST + 1),  # first queue entry for each total, or NONE
    ]
)
"""The working memory of a search, except for the tables; see `depth_first.SEARCH`."""
Search: TypeAlias = Any  # one record of SEARCH


# Nodes and queue


@jit
def make_tables() -> Tables:
    """Return empty tables."""
    slots = np.full(2 * ROOM, NONE, np.int32)
    return Tables(np.empty(ROOM, NODE), slots, np.empty(ROOM, ENTRY))


@jit
def double_nodes(tables: Tables) -> Tables:
    """Return the tables with twice the capacity for nodes, and new slots."""
    size = len(tables.nodes)
    nodes, slots = np.empty(2 * size, NODE), np.full(4 * size, NONE, np.int32)
    nodes[:size] = tables.nodes
    for number in range(size):
        slots[find_node(nodes, slots, nodes[number]["word"], nodes[number]["second"])] = number
    return Tables(nodes, slots, tables.entries)


@jit
def double_queue(tables: Tables) -> Tables:
    """Return the tables with twice the capacity of the queue."""
    size = len(tables.entries)
    entries = np.empty(2 * size, ENTRY)
    entries[:size] = tables.entries
    return Tables(tables.nodes, tables.slots, entries)


@jit(inline="always")  # otherwise Numba counts references to the arrays at every call
def find_node(nodes: np.ndarray, slots: np.ndarray, word: int, second: int) -> int:
    """Return the slot of a position, or the empty slot where it belongs."""
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
    """Pack a position into the two words of a node."""
    return pack_cards(at), at.piles | at.redeals_left << LEFT_AT | at.removal_seen << SEEN_AT


@jit
def unpack_node(node: Node) -> Position:
    """Return the position of a node."""
    remaining, stock_top = unpack_cards(node["word"])
    second = node["second"]
    piles, redeals_left = second & ((1 << LEFT_AT) - 1), (second >> LEFT_AT) & 15
    return Position(remaining, stock_top, piles, redeals_left, second >> SEEN_AT)


@jit
def write_way(node: Node, way: Way, length: int) -> None:
    """Write the path to a node, with ``length`` moves including forced removals."""
    node["move"], node["stale"] = way.move, way.stale
    node["parent"], node["length"] = way.parent, length


@jit
def is_wider(node: Node, remaining: Positions, stale: Positions, length: int) -> bool:
    """Return whether a node is reached in equally many moves, but with new removals to try."""
    return length == node["length"] and node["stale"] & ~stale & remaining != 0


@jit
def trace_moves(nodes: np.ndarray, last: int, moves: np.ndarray) -> int:
    """Write the chosen moves on the path to a node, and return their number."""
    length, number = 0, last
    while nodes[number]["parent"] != NONE:
        length += 1
        number = nodes[number]["parent"]
    number = last
    for i in range(length - 1, -1, -1):
        moves[i] = nodes[number]["move"]
        number = nodes[number]["parent"]
    return length


# The search


@jit
def find_shortest(
    root: np.ndarray,
    deck: np.ndarray,
    rules: RulesRecord,
    limit: int,
    upper: int,
    line: np.ndarray,
) -> tuple[int, int]:
    """Find a shortest win with fewer than ``upper`` moves, and at most `LONGEST`.

    Args:
        root: A record of `position.POSITION`.
        deck: Card codes, (52,).
        rules: The rules.
        limit: Maximum number of positions to reach.
        upper: The length of a known win.
        line: Receives the moves of the win.

    Returns:
        The length of the win, ``upper`` if there is none, or -1 if the limit was reached; and the
        number of positions reached.
    """
    searches, at = np.zeros(1, SEARCH), read_position(root)
    set_up_search(searches, deck, at.remaining, rules, limit, upper)
    return search_root(at, searches, rules, line)


@jit
def set_up_search(
    searches: np.ndarray,
    deck: np.ndarray,
    cards: Positions,
    rules: RulesRecord,
    limit: int,
    upper: int,
) -> None:
    """Prepare zeroed working memory, a SEARCH (1,), for a root with these cards."""
    search = searches[0]
    fill_facts(search["facts"], deck, cards, rules)
    search["heads"][:] = NONE
    search["limit"], search["upper"] = limit, upper


@jit
def search_root(
    root: Position, searches: np.ndarray, rules: RulesRecord, line: np.ndarray
) -> tuple[int, int]:
    """Do what `find_shortest` does, with prepared working memory."""
    search, tables = searches[0], make_tables()
    groups = group_cards(root.remaining, search["facts"])
    way = Way(TURN, NONE, root.remaining, groups, 0, 0)
    if not reach(root, way, tables.nodes, tables.slots, tables.entries, search, rules):
        return -1, search["used"]
    while True:
        number = pop_node(tables, search)
        if number == NONE:
            return search["upper"], search["used"]
        node = tables.nodes[number]
        at = unpack_node(node)
        if at.remaining & search["facts"]["goal"] == 0:
            chosen = trace_moves(tables.nodes, number, search["moves"])
            return replay_line(root, chosen, search, rules, line), search["used"]
        at, free, size = list_moves(at, node["stale"], search, rules)
        if size < 0:
            return -1, search["used"]
        tables = reserve_room(tables, size, search)
        if not expand(number, at, free, size, tables, search, rules):
            return -1, search["used"]


@jit
def reserve_room(tables: Tables, size: int, search: Search) -> Tables:
    """Double nodes and queue until each has capacity for ``size`` more entries."""
    while search["used"] + size > len(tables.nodes):
        tables = double_nodes(tables)
    while search["queued"] + size > len(tables.entries):
        tables = double_queue(tables)
    return tables


@jit
def lower_bound(at: Position, groups: int, facts: Facts, rules: RulesRecord) -> int:
    """Return a lower bound on the number of moves of a win; at least `IMPOSSIBLE` for no win."""
    must_go = at.remaining & facts["goal"]
    if rules.many_sum:
        points = 0
        while must_go:
            points += facts["ranks"][lowest(must_go)]
            must_go &= must_go - 1
        return (points + TARGET - 1) // TARGET
    least = bound_removals(groups, facts)
    if least >= IMPOSSIBLE:
        return least
    return least + count(must_go & facts["cards_of"][KING]) + bound_turns(at, groups, facts, rules)


@jit(inline="always")  # otherwise Numba counts references to the arrays at every call
def reach(
    at: Position,
    way: Way,
    nodes: np.ndarray,
    slots: np.ndarray,
    entries: np.ndarray,
    search: Search,
    rules: RulesRecord,
) -> bool:
    """Make forced removals, and queue the position unless it was reached equally well before.

    Returns False if this would exceed the limit.
    """
    facts = search["facts"]
    at, length = remove_forced(at, facts["goal"], facts, rules, search["line"], way.length)
    word, second = pack_node(at)
    slot = find_node(nodes, slots, word, second)
    number, wider = slots[slot], False
    if number != NONE:
        wider = is_wider(nodes[number], at.remaining, way.stale, length)
        if length >= nodes[number]["length"] and not wider:
            return True
    groups = way.groups & ~group_cards(way.remaining & ~at.remaining, facts)
    total = length + lower_bound(at, groups, facts, rules)
    if total >= search["upper"]:
        return True
    if number == NONE:
        if search["used"] == search["limit"]:
            return False
        number = search["used"]
        search["used"] += 1
        slots[slot] = number
        nodes[number]["word"], nodes[number]["second"] = word, second
    if wider:
        nodes[number]["stale"] &= way.stale
    else:
        write_way(nodes[number], way, length)
    nodes[number]["closed"] = search["upper"]
    queue_node(number, total, entries, search)
    return True


@jit
def queue_node(number: int, total: int, entries: np.ndarray, search: Search) -> None:
    """Queue a node. Every win through it takes at least ``total`` moves."""
    heads, entry = search["heads"], search["queued"]
    search["queued"] += 1
    entries[entry]["node"], entries[entry]["next"] = number, heads[total]
    heads[total] = entry
    search["least"] = min(search["least"], total)


@jit
def pop_node(tables: Tables, search: Search) -> int:
    """Remove the latest node with the smallest total from the queue, and return it, or `NONE`."""
    heads = search["heads"]
    while True:
        while search["least"] < search["upper"] and heads[search["least"]] == NONE:
            search["least"] += 1
        if search["least"] == search["upper"]:
            return NONE
        entry = heads[search["least"]]
        number = tables.entries[entry]["node"]
        heads[search["least"]] = tables.entries[entry]["next"]
        node = tables.nodes[number]
        if node["closed"] > node["length"]:  # otherwise it has been expanded at this length
            node["closed"] = node["length"]
            return number


@jit
def list_moves(
    at: Position, stale: Positions, search: Search, rules: RulesRecord
) -> tuple[Position, Positions, int]:
    """List the moves of a position. The last one will be made first.

    Returns the position with an updated `Position.removal_seen`, the free cards, and the number of
    moves (-1 if there are too many).
    """
    facts, moves = search["facts"], search["moves"]
    free = free_cards(at, facts["stock_start"], rules)
    size = push_removals(at.remaining, free, facts, rules, moves, 0)
    if size >= MOVES:
        return at, free, -1
    at = note_removal(at, size > 0)
    tries_turn = can_turn(at, size > 0, facts["stock_start"], rules)
    king_on_stock = (free & facts["cards_of"][KING]) >> at.stock_top & 1
    if rules.stock_play and leaves_no_trace(rules) and king_on_stock:
        tries_turn = False  # taking the king costs no more, and is better
    size = drop_stale(moves, 0, size, stale, facts, rules)
    return at, free, push(moves, size, TURN) if tries_turn else size


@jit
def expand(
    number: int,
    at: Position,
    free: Positions,
    size: int,
    tables: Tables,
    search: Search,
    rules: RulesRecord,
) -> bool:
    """Reach all successors of a node, and return False if the limit is reached."""
    nodes, slots, entries = tables
    node, groups = nodes[number], group_cards(at.remaining, search["facts"])
    length, start = int(node["length"]) + 1, search["facts"]["stock_start"]
    for i in range(size - 1, -1, -1):
        move = search["moves"][i]
        stale = free if move == TURN else node["stale"]
        way = Way(move, number, at.remaining, groups, stale, length)
        after = play_move(at, move, start, rules)
        if not reach(after, way, nodes, slots, entries, search, rules):
            return False
    return True


@jit
def replay_line(
    at: Position, chosen: int, search: Search, rules: RulesRecord, line: np.ndarray
) -> int:
    """Write the chosen and forced moves into ``line``, and return their number."""
    facts, moves, length = search["facts"], search["moves"], 0
    for i in range(chosen + 1):
        at, length = remove_forced(at, facts["goal"], facts, rules, line, length)
        if i < chosen:
            line[length] = moves[i]
            length += 1
            at = play_move(at, moves[i], facts["stock_start"], rules)
    return length
