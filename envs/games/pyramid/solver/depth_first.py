"""Pyramid with all cards known: can a position be won? A search in depth that forgets nothing.

What it does without asking, and when that is sound:

- What is forced goes at once: see `forced`.
- `bounds.is_lost` ends a line: never with ``many_sum``.
- Removals of cards that could all have gone before the last turn are not tried: see
  `position.drop_stale`.
- A position met before is not searched again unless there are more redeals left than then (where
  these have no limit: unless a removal has been legal since the last, and had not then), or
  removals are to be tried that were not then.
- The order of the stock is left out at first: every card of the deck counts as open. A position
  that is lost then is lost. Not with ``clear_all`` or ``many_sum``.
"""

import numpy as np

from ....core.aliases import Positions, RulesRecord
from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.jit import jit
from .bounds import group_cards_of, is_lost, make_facts
from .forced import remove_forced
from .frames import (
    FRAMES,
    MOVES,
    SEARCH,
    Node,
    Search,
    grow_table,
    position_of,
    push_frame,
    record_win,
    set_up_search,
    take_back,
)
from .position import (
    FIRST,
    GOAL,
    NO_LIMIT,
    NO_STOCK,
    TURN,
    Position,
    can_turn,
    free_cards,
    note_removal,
    read_position,
    remove_cards,
    turn_stock,
)
from .relaxed import relaxed_free_cards, remove_forced_relaxed
from .removals import drop_stale, keep_touching, push, push_pairs, push_removals
from .transpositions import SLOTS, claim_slot, look_up, make_slots, note_search

EXPANDED = 2
"""Of a position that was entered: its moves are to be tried. Or it is `LOST`, `WINNABLE`, or, where
the search has to end, `UNDECIDED`."""


@jit
def decide_winnable(
    roots: np.ndarray,
    deck: np.ndarray,
    rules: RulesRecord,
    limit: int,
    found: np.ndarray,
    line: np.ndarray,
) -> tuple[int, int]:
    """Say of each root in ``found`` whether it can be won.

    ``roots``, int64 (n, 5): the fields of a `Position` each. With one root ``line`` receives the
    moves that win. Returns how many those are, and how many positions were looked at; after
    ``limit`` of them the rest stays `UNDECIDED`.
    """
    facts = make_facts(deck, rules)
    found[:] = UNDECIDED
    nodes = 0
    if not rules.clear_all and not rules.many_sum and roots[0, 3] > 0:
        _, nodes = search_roots(roots, facts, rules, limit, True, found, line)
        for root in range(len(roots)):
            if found[root] == WINNABLE:
                found[root] = UNDECIDED
    length, more = search_roots(roots, facts, rules, max(limit - nodes, 0), False, found, line)
    return length, nodes + more


@jit
def search_roots(
    roots: np.ndarray,
    facts: np.ndarray,
    rules: RulesRecord,
    limit: int,
    relaxed: bool,
    found: np.ndarray,
    line: np.ndarray,
) -> tuple[int, int]:
    """Do what `decide_winnable` says for the roots that are `UNDECIDED`.

    ``relaxed``: as if all cards of the deck lay open at all times (of equal ones the first is
    taken). Who cannot win so cannot win at all; that is found out soon, for it does not matter what
    has been dealt. Not with ``clear_all`` or ``many_sum``.
    """
    searches = np.zeros(1, SEARCH)
    set_up_search(searches, facts, limit, relaxed)
    return search_undecided(roots, searches, rules, found, line)


@jit
def search_undecided(
    roots: np.ndarray,
    searches: np.ndarray,
    rules: RulesRecord,
    found: np.ndarray,
    line: np.ndarray,
) -> tuple[int, int]:
    """Do what `search_roots` says with a search that is set up."""
    search, slots, length = searches[0], make_slots(SLOTS), 0
    for root in range(len(roots)):
        if found[root] != UNDECIDED:
            continue
        at = read_position(roots[root])
        if search["relaxed"]:
            at = Position(at.there, NO_STOCK, 0, NO_LIMIT, 1)
        won_in, slots = search_root(at, root, search, rules, slots, found)
        if found[root] == UNDECIDED:
            break
        if found[root] == WINNABLE:
            length = won_in
            line[:length] = search["line"][:length]
    return length, search["nodes"]


@jit
def search_root(
    at: Position,
    root: int,
    search: Search,
    rules: RulesRecord,
    slots: np.ndarray,
    found: np.ndarray,
) -> tuple[int, np.ndarray]:
    """Write in ``found`` what a root is; return the length of the win, and the slots.

    The root stays `UNDECIDED` where the search has to end: then more nodes are counted than the
    limit.
    """
    groups = group_cards_of(at.there, search["facts"])
    search["depth"], search["size"] = -1, 0
    node = Node(at, groups, 0, 0)
    lost = not rules.many_sum and is_lost(groups, groups, search["facts"])
    while True:
        if not lost:
            if 2 * search["used"] > len(slots):
                slots = grow_table(slots, search)
            verdict, length = enter(node, root, search, rules, slots, found)
            if verdict == WINNABLE:
                record_win(root, search, slots)
            if verdict in (WINNABLE, UNDECIDED):
                found[root] = verdict
                return length, slots
        if not take_back(search):
            found[root] = LOST
            return 0, slots
        node, lost = play_next(search, rules)


@jit(inline="always")  # else Numba counts references to the arrays at every call
def enter(
    node: Node,
    root: int,
    search: Search,
    rules: RulesRecord,
    slots: np.ndarray,
    found: np.ndarray,
) -> tuple[int, int]:
    """Let go what is forced, look the position up, and expand it if nothing is known of it.

    Returns what it is (see `EXPANDED`), and the length of the line to it.
    """
    at, length = settle_position(node, search, rules)
    if at.there & search["facts"][GOAL] == 0:
        return WINNABLE, length
    groups, lost = leave_groups(node.groups, node.at.there & ~at.there, search, rules)
    if lost:
        return LOST, length
    search["nodes"] += 1
    if search["nodes"] > search["limit"]:
        return UNDECIDED, length
    number, new = claim_slot(slots, at, root)
    search["used"] += new
    free, size = list_removals(at, search, rules)
    at = note_removal(at, size > search["size"])
    known = look_up(slots[number], at, root, node.stale, found)
    if known != UNDECIDED:
        return known, length
    note_search(slots[number], at, root, node.stale)
    if not search["relaxed"]:
        size = finish_moves(at, size, node.stale, search, rules)
    if size > MOVES or search["depth"] + 1 == FRAMES:
        search["nodes"] = search["limit"] + 1
        return UNDECIDED, length
    push_frame(Node(at, groups, node.stale, length), number, free, size, search)
    return EXPANDED, length


@jit
def settle_position(node: Node, search: Search, rules: RulesRecord) -> tuple[Position, int]:
    """Let go what goes without asking; return the position and the length of the line to it."""
    at = node.at
    if search["relaxed"]:
        there = remove_forced_relaxed(at.there, search["facts"], rules)
        return Position(there, at.p, at.piles, at.left, at.seen), node.length
    return remove_forced(at, -1, search["facts"], rules, search["line"], node.length)


@jit
def leave_groups(
    groups: int, gone: Positions, search: Search, rules: RulesRecord
) -> tuple[int, bool]:
    """Take cards out of their groups; say, too, whether the rest of one can never go then."""
    if gone == 0 or rules.many_sum:
        return groups, False
    gone_groups = group_cards_of(gone, search["facts"])
    groups &= ~gone_groups
    return groups, is_lost(groups, gone_groups, search["facts"])


@jit
def list_removals(at: Position, search: Search, rules: RulesRecord) -> tuple[Positions, int]:
    """Put the removals on the stack of moves; return the free cards and the size of the stack."""
    facts, moves, start = search["facts"], search["moves"], search["size"]
    if search["relaxed"]:
        free = relaxed_free_cards(at.there, facts)
        size = push_pairs(at.there, free, facts, rules, moves, start)
        return free, keep_touching(moves, start, size, (1 << facts[FIRST]) - 1)
    free = free_cards(at, facts[FIRST], rules)
    return free, push_removals(at.there, free, facts, rules, moves, start)


@jit
def finish_moves(
    at: Position, size: int, stale: Positions, search: Search, rules: RulesRecord
) -> int:
    """Drop the stale removals, and add the turn where it is legal; return the stack's size."""
    moves, start, first = search["moves"], search["size"], search["facts"][FIRST]
    turn = can_turn(at, size > start, first, rules)
    if size <= MOVES:
        size = drop_stale(moves, start, size, stale, first, rules)
    if turn:
        size = push(moves, size, TURN)
        if size <= MOVES:  # the turn is to be tried last
            moves[size - 1], moves[start] = moves[start], TURN
    return size


@jit
def play_next(search: Search, rules: RulesRecord) -> tuple[Node, bool]:
    """Play the next move of the deepest position; say, too, whether that is lost at sight."""
    first = search["facts"][FIRST]
    frame = search["frames"][search["depth"]]
    frame["next"] -= 1
    search["size"] = frame["next"]
    at, move, length = position_of(frame), search["moves"][frame["next"]], frame["length"]
    search["line"][length] = move
    if move == TURN:
        at = turn_stock(at, first, rules)
        return Node(at, frame["groups"], frame["free"], length + 1), False
    groups, lost = leave_groups(frame["groups"], move, search, rules)
    return Node(remove_cards(at, move), groups, frame["stale"], length + 1), lost
