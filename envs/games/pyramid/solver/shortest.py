"""Pyramid with all cards known: the fewest moves to a win. A* with all positions in one table.

The bound adds up the removals that each group needs (`bounds.bound_removals`), one for each king
that must go, and the deals without which the stock cannot give up what is needed
(`bounds.bound_turns`); with ``many_sum`` it is the points that must go, thirteen a removal. At once
and without asking go only cards of which the way they go is certain (see `forced`): kings that must
go, and a card that must go together with the last one that it can go with; so a king of the deck
stays, unless ``clear_all`` asks for it.
"""

from typing import Any, TypeAlias

import numpy as np

from ....core.aliases import Positions, RulesRecord
from ....core.kernel.bits import count, lowest
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ..rules import KING, TARGET
from .bounds import (
    IMPOSSIBLE,
    NUM_FACTS,
    bound_removals,
    bound_turns,
    group_cards_of,
    make_facts,
)
from .forced import remove_forced
from .frames import LONGEST, MOVES
from .node_table import (
    NONE,
    Tables,
    Way,
    double_nodes,
    double_queue,
    find_node,
    is_wider,
    make_tables,
    pack_node,
    trace_moves,
    unpack_node,
    write_way,
)
from .position import (
    FIRST,
    GOAL,
    RANKS,
    SETS,
    TURN,
    Position,
    can_turn,
    free_cards,
    leaves_no_trace,
    note_removal,
    play_move,
    read_position,
)
from .removals import drop_stale, push, push_removals

SEARCH = np.dtype(
    [
        ("limit", np.int64),  # of nodes
        ("upper", np.int64),  # moves of a win that is known
        ("used", np.int64),  # nodes
        ("queued", np.int64),  # entries of the queue
        ("least", np.int64),  # for less moves in total nothing is queued
        ("facts", np.int64, NUM_FACTS),
        ("line", np.int64, LONGEST + PACK_SIZE),  # what is forced beyond the longest is on it, too
        ("moves", np.int64, MOVES),
        ("heads", np.int64, LONGEST + 1),  # of the queue: its first entry for each total, or NONE
    ]
)
"""What one search works with, but for what grows: see `frames.SEARCH`."""
Search: TypeAlias = Any  # one record of SEARCH


@jit
def find_shortest(
    root: np.ndarray,
    deck: np.ndarray,
    rules: RulesRecord,
    limit: int,
    upper: int,
    line: np.ndarray,
) -> tuple[int, int]:
    """Find the shortest win of a root of fewer than ``upper`` moves, at most `LONGEST`.

    ``root``, int64 (5,): the fields of a `Position`. Returns its length, ``upper`` if there is
    none, -1 after ``limit`` positions; and their number. ``line`` receives its moves.
    """
    searches = np.zeros(1, SEARCH)
    set_up_search(searches, make_facts(deck, rules), limit, upper)
    return search_root(read_position(root), searches, rules, line)


@jit
def set_up_search(searches: np.ndarray, facts: np.ndarray, limit: int, upper: int) -> None:
    """Write what a search begins with into zeros (1,)."""
    search = searches[0]
    search["facts"][:] = facts
    search["heads"][:] = NONE
    search["limit"], search["upper"] = limit, upper


@jit
def search_root(
    root: Position, searches: np.ndarray, rules: RulesRecord, line: np.ndarray
) -> tuple[int, int]:
    """Do what `find_shortest` says with a search that is set up."""
    search, tables = searches[0], make_tables()
    groups = group_cards_of(root.there, search["facts"])
    way = Way(TURN, NONE, root.there, groups, 0, 0)
    if not enter(root, way, tables.nodes, tables.slots, tables.entries, search, rules):
        return -1, search["used"]
    while True:
        number = pop_node(tables, search)
        if number == NONE:
            return search["upper"], search["used"]
        node = tables.nodes[number]
        at = unpack_node(node)
        if at.there & search["facts"][GOAL] == 0:
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
    """Double nodes and queue until so many more have room."""
    while search["used"] + size > len(tables.nodes):
        tables = double_nodes(tables)
    while search["queued"] + size > len(tables.entries):
        tables = double_queue(tables)
    return tables


@jit
def lower_bound(at: Position, groups: int, facts: np.ndarray, rules: RulesRecord) -> int:
    """A number of moves without which there is no win, or at least `IMPOSSIBLE`."""
    must = at.there & facts[GOAL]
    if rules.many_sum:
        points = 0
        while must:
            points += facts[RANKS + lowest(must)]
            must &= must - 1
        return (points + TARGET - 1) // TARGET
    least = bound_removals(groups, facts)
    if least >= IMPOSSIBLE:
        return least
    return least + count(must & facts[SETS + KING]) + bound_turns(at, groups, facts, rules)


@jit(inline="always")  # else Numba counts references to the arrays at every call
def enter(
    at: Position,
    way: Way,
    nodes: np.ndarray,
    slots: np.ndarray,
    entries: np.ndarray,
    search: Search,
    rules: RulesRecord,
) -> bool:
    """Let go what is forced, and queue the position unless it is known to be reached as well.

    Returns False where it would be one more than the limit.
    """
    facts = search["facts"]
    at, length = remove_forced(at, facts[GOAL], facts, rules, search["line"], way.length)
    word, second = pack_node(at)
    slot = find_node(nodes, slots, word, second)
    number, wider = slots[slot], False
    if number != NONE:
        wider = is_wider(nodes[number], at.there, way.stale, length)
        if length >= nodes[number]["length"] and not wider:
            return True
    groups = way.groups & ~group_cards_of(way.there & ~at.there, facts)
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
    """Queue a node through which a win takes so many moves in total at least."""
    heads, entry = search["heads"], search["queued"]
    search["queued"] += 1
    entries[entry, 0], entries[entry, 1] = number, heads[total]
    heads[total] = entry
    search["least"] = min(search["least"], total)


@jit
def pop_node(tables: Tables, search: Search) -> int:
    """Take a node of the least total out of the queue, of equal ones the last; or `NONE`."""
    heads = search["heads"]
    while True:
        while search["least"] < search["upper"] and heads[search["least"]] == NONE:
            search["least"] += 1
        if search["least"] == search["upper"]:
            return NONE
        entry = heads[search["least"]]
        number, heads[search["least"]] = tables.entries[entry, 0], tables.entries[entry, 1]
        node = tables.nodes[number]
        if node["closed"] > node["length"]:  # else it was expanded since, as near as it is now
            node["closed"] = node["length"]
            return number


@jit
def list_moves(
    at: Position, stale: Positions, search: Search, rules: RulesRecord
) -> tuple[Position, Positions, int]:
    """List the moves of a position, the one to be made first last.

    Returns the position, with what removals are legal now noted, the free cards, and how many moves
    there are: -1 if too many.
    """
    facts, moves, first = search["facts"], search["moves"], search["facts"][FIRST]
    free = free_cards(at, first, rules)
    size = push_removals(at.there, free, facts, rules, moves, 0)
    if size >= MOVES:
        return at, free, -1
    at = note_removal(at, size > 0)
    turn = can_turn(at, size > 0, first, rules)
    king_on_stock = free >> at.p & facts[SETS + KING] >> at.p & 1
    if rules.stock_play and leaves_no_trace(rules) and king_on_stock:
        turn = False  # to take it costs no more, and is better
    size = drop_stale(moves, 0, size, stale, first, rules)
    return at, free, push(moves, size, TURN) if turn else size


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
    """Enter all positions that a move of a node leads to; False where the limit is met."""
    nodes, slots, entries = tables
    node, groups = nodes[number], group_cards_of(at.there, search["facts"])
    length, first = int(node["length"]) + 1, search["facts"][FIRST]
    for i in range(size - 1, -1, -1):
        move = search["moves"][i]
        stale = free if move == TURN else node["stale"]
        way = Way(move, number, at.there, groups, stale, length)
        after = play_move(at, move, first, rules)
        if not enter(after, way, nodes, slots, entries, search, rules):
            return False
    return True


@jit
def replay_line(
    at: Position, chosen: int, search: Search, rules: RulesRecord, line: np.ndarray
) -> int:
    """Write the moves chosen and those made without asking into ``line``; return their number."""
    facts, moves, length = search["facts"], search["moves"], 0
    for i in range(chosen + 1):
        at, length = remove_forced(at, facts[GOAL], facts, rules, line, length)
        if i < chosen:
            line[length] = moves[i]
            length += 1
            at = play_move(at, moves[i], facts[FIRST], rules)
    return length
