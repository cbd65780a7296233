"""Pyramid solver: a depth-first search that decides whether positions can be won.

The search uses these shortcuts:

- It makes forced removals immediately; see `position`.
- It stops at positions that `bounds.is_lost` finds lost, except with ``many_sum``.
- It does not try removals of cards that could all have been removed before the last turn; see
  `position.drop_stale`.
- It does not search a position in the transposition table again, with two exceptions: more redeals
  are left now (with unlimited redeals: a removal has been legal since the last redeal now, but not
  in the earlier search), or some removals were left out in the earlier search.
- It first ignores the order of the stock. In this *relaxed* game every card of the deck is open. A
  position that is lost in the relaxed game is lost. This shortcut is not used with ``clear_all`` or
  ``many_sum``.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ....core.type_aliases import Positions, RulesRecord
from .bounds import group_cards, is_lost
from .position import (
    FACTS,
    NO_LIMIT,
    NO_STOCK,
    TURN,
    Position,
    can_turn,
    drop_stale,
    free_cards,
    hash_position,
    keep_touching,
    note_removal,
    pack_cards,
    push,
    push_pairs,
    push_removals,
    read_position,
    relaxed_free_cards,
    remove_cards,
    remove_forced,
    remove_forced_relaxed,
    turn_stock,
    unpack_cards,
)

FRAMES = 2048
"""Maximum length of a line: 52 removals, and the whole stock once between any two of them."""
LONGEST = FRAMES + PACK_SIZE
"""Capacity for a line with its forced removals."""
MOVES = 1 << 15
"""Capacity for the moves of all positions on a line."""
EXPANDED = 2
"""Verdict on a position whose moves must be tried. Other verdicts are `LOST`, `WINNABLE` and, if
the search reaches its limit, `UNDECIDED`."""

SLOTS = 1 << 7
"""Number of slots of a new transposition table. The table doubles when it is half full."""
EMPTY_SLOT = -1
NEVER_LOST, NEVER_WON = -1, 100
SLOT = np.dtype(
    [
        ("word", np.int64),  # of the position: see `position.pack_cards`; or `EMPTY_SLOT`
        ("piles", np.int64),
        ("stale", np.int64),  # cards whose removals were not tried
        ("knowledge", np.int64),  # see `pack_knowledge`
    ]
)
"""A position of the transposition table."""
Slot: TypeAlias = Any  # one record of SLOT

FRAME = np.dtype(
    [
        ("word", np.int64),  # of the position: see `position.pack_cards`
        ("piles", np.int64),
        ("redeals_left", np.int64),
        ("removal_seen", np.int64),
        ("groups", np.int64),  # as in a `Node`
        ("stale", np.int64),
        ("length", np.int64),
        ("free", np.int64),  # the free cards
        ("slot", np.int64),  # number of its slot in the table
        ("next", np.int64),  # size of the stack of moves down to its next move
        ("last", np.int64),  # size of the stack of moves below its moves
    ]
)
"""A position whose moves are being tried."""
SEARCH = np.dtype(
    [
        ("relaxed", np.int64),
        ("limit", np.int64),  # maximum number of nodes
        ("used", np.int64),  # number of used slots of the table
        ("nodes", np.int64),  # number of visited positions
        ("depth", np.int64),  # number of the deepest frame; -1: none
        ("size", np.int64),  # size of the stack of moves
        ("facts", FACTS),
        ("line", np.int64, LONGEST),
        ("moves", np.int64, MOVES),
        ("frames", FRAME, FRAMES),
    ]
)
"""The working memory of a search, except for the table, which grows.

The memory is a record because Numba counts the references to an array at every call. A record does
not keep its array alive, so only functions that receive the array may take the record out of it.
"""
Search: TypeAlias = Any  # one record of SEARCH


class Node(NamedTuple):
    """A position that a search visits, and facts about the line to it."""

    at: Position
    groups: int
    """The remaining cards in the numbering of `bounds.number_groups`."""
    stale: Positions
    """The cards that were free before the last turn."""
    length: int
    """Number of moves on the line to it."""


# The transposition table


@jit
def make_slots(size: int) -> np.ndarray:
    """Return empty slots; ``size`` is a power of two."""
    slots = np.empty(size, SLOT)
    for number in range(size):
        slots[number]["word"] = EMPTY_SLOT
    return slots


@jit(inline="always")  # Otherwise Numba counts references to the arrays at every call.
def find_slot(slots: np.ndarray, word: int, piles: int) -> int:
    """Return the number of a position's slot, or of the empty slot where it belongs."""
    mask = len(slots) - 1
    number = hash_position(word, piles) & mask
    while slots[number]["word"] != EMPTY_SLOT:
        if slots[number]["word"] == word and slots[number]["piles"] == piles:
            break
        number = (number + 1) & mask
    return number


@jit
def double_slots(slots: np.ndarray, search: Search) -> np.ndarray:
    """Return the table with twice the slots, and update the slots of the frames."""
    doubled = make_slots(2 * len(slots))
    for old in range(len(slots)):
        slot = slots[old]
        if slot["word"] != EMPTY_SLOT:
            doubled[find_slot(doubled, slot["word"], slot["piles"])] = slot
    for depth in range(search["depth"] + 1):
        frame = search["frames"][depth]
        frame["slot"] = find_slot(doubled, frame["word"], frame["piles"])
    return doubled


@jit
def pack_knowledge(lost_rank: int, won_rank: int, root: int) -> int:
    """Pack the knowledge of a position: lost up to one rank (`rank_of`), won from another rank on.

    `NEVER_LOST` and `NEVER_WON` stand for no rank. ``root`` is the root of the search that gained
    the knowledge.
    """
    return lost_rank + 1 | won_rank << 8 | root << 16


@jit(inline="always")  # Otherwise Numba counts references to the arrays at every call.
def claim_slot(slots: np.ndarray, at: Position, root: int) -> tuple[int, bool]:
    """Return the number of a position's slot, and whether the slot is new."""
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
    """Return the number of redeals left as a rank. With a higher rank, more can be won."""
    return at.removal_seen if at.redeals_left == NO_LIMIT else at.redeals_left


@jit
def look_up(slot: Slot, at: Position, root: int, stale: Positions, verdicts: np.ndarray) -> int:
    """Return the table's verdict on a position: `WINNABLE`, `LOST`, or `UNDECIDED` if unknown.

    An entry from another root counts as lost only if that root is lost: only then was the position
    searched to the end.
    """
    knowledge, rank = slot["knowledge"], rank_of(at)
    if rank >= (knowledge >> 8) & 255:
        return WINNABLE
    entry_root = knowledge >> 16
    if (
        rank <= (knowledge & 255) - 1
        and (entry_root == root or verdicts[entry_root] == LOST)
        and slot["stale"] & ~stale & at.remaining == 0
    ):
        return LOST
    return UNDECIDED


@jit
def note_search(slot: Slot, at: Position, root: int, stale: Positions) -> None:
    """Record that a position is being searched. It counts as lost until it is won."""
    won_rank = (slot["knowledge"] >> 8) & 255
    slot["knowledge"], slot["stale"] = pack_knowledge(rank_of(at), won_rank, root), stale


@jit
def note_win(slot: Slot, at: Position, root: int) -> None:
    """Record that a position is won."""
    slot["knowledge"] = pack_knowledge(NEVER_LOST, rank_of(at), root)


# The stack of positions


@jit
def push_frame(node: Node, slot: int, free: Positions, size: int, search: Search) -> None:
    """Push a position whose moves are on the stack of moves, from its old size to ``size``."""
    at = node.at
    search["depth"] += 1
    frame = search["frames"][search["depth"]]
    frame["word"], frame["piles"] = pack_cards(at), at.piles
    frame["redeals_left"], frame["removal_seen"] = at.redeals_left, at.removal_seen
    frame["groups"], frame["stale"], frame["length"] = node.groups, node.stale, node.length
    frame["free"], frame["slot"] = free, slot
    frame["next"], frame["last"] = size, search["size"]


@jit
def backtrack(search: Search) -> bool:
    """Go back to the deepest position with an untried move, and return whether there is one."""
    while search["depth"] >= 0:
        frame = search["frames"][search["depth"]]
        if frame["next"] != frame["last"]:
            return True
        search["depth"] -= 1
    return False


@jit
def position_of(frame: Any) -> Position:
    """Return the position of a frame."""
    remaining, stock_top = unpack_cards(frame["word"])
    return Position(
        remaining, stock_top, frame["piles"], frame["redeals_left"], frame["removal_seen"]
    )


@jit
def record_win(root: int, search: Search, slots: np.ndarray) -> None:
    """Record that all positions on the line are won."""
    for depth in range(search["depth"] + 1):
        frame = search["frames"][depth]
        note_win(slots[frame["slot"]], position_of(frame), root)


# The search


@jit
def decide_winnable(
    searches: np.ndarray,
    roots: np.ndarray,
    rules: RulesRecord,
    limit: int,
    verdicts: np.ndarray,
    line: np.ndarray,
) -> tuple[int, int]:
    """Decide whether each root can be won, and write the verdicts.

    Args:
        searches: Working memory, a SEARCH (1,), with the facts of the deck and of the roots' cards.
            It may have served other searches.
        roots: Positions, records of `position.POSITION` (n,).
        rules: The rules.
        limit: Maximum number of positions to visit; after that, roots stay `UNDECIDED`.
        verdicts: Receives the verdicts, int64 (n,).
        line: Receives the moves of a win if there is one root.

    Returns:
        The number of moves in ``line``, and the number of positions visited.
    """
    verdicts[:] = UNDECIDED
    nodes = 0
    if not rules.clear_all and not rules.many_sum and roots[0]["redeals_left"] > 0:
        _, nodes = search_roots(searches, roots, rules, limit, True, verdicts, line)
        for root in range(len(roots)):
            if verdicts[root] == WINNABLE:
                verdicts[root] = UNDECIDED
    rest = max(limit - nodes, 0)
    length, more_nodes = search_roots(searches, roots, rules, rest, False, verdicts, line)
    return length, nodes + more_nodes


@jit
def search_roots(
    searches: np.ndarray,
    roots: np.ndarray,
    rules: RulesRecord,
    limit: int,
    relaxed: bool,
    verdicts: np.ndarray,
    line: np.ndarray,
) -> tuple[int, int]:
    """Do what `decide_winnable` does for the roots that are `UNDECIDED`.

    ``relaxed`` searches the relaxed game, in which all cards of the deck are always open. (Of equal
    cards the first one is taken.) A position that is lost there is lost. The relaxed search is
    fast, because it does not matter which cards have been dealt. It is not valid with ``clear_all``
    or ``many_sum``.
    """
    search, slots, length = searches[0], make_slots(SLOTS), 0
    search["relaxed"], search["limit"] = relaxed, limit
    search["used"] = search["nodes"] = 0
    for root in range(len(roots)):
        if verdicts[root] != UNDECIDED:
            continue
        at = read_position(roots[root])
        if relaxed:
            at = Position(at.remaining, NO_STOCK, 0, NO_LIMIT, 1)
        win_length, slots = search_root(at, root, search, rules, slots, verdicts)
        if verdicts[root] == UNDECIDED:
            break
        if verdicts[root] == WINNABLE:
            length = win_length
            line[:length] = search["line"][:length]
    return length, search["nodes"]


@jit
def search_root(
    at: Position,
    root: int,
    search: Search,
    rules: RulesRecord,
    slots: np.ndarray,
    verdicts: np.ndarray,
) -> tuple[int, np.ndarray]:
    """Write the verdict on a root, and return the length of the win and the table.

    If the search reaches its limit, the root stays `UNDECIDED` and ``nodes`` exceeds the limit.
    """
    groups = group_cards(at.remaining, search["facts"])
    search["depth"], search["size"] = -1, 0
    node = Node(at, groups, 0, 0)
    lost = not rules.many_sum and is_lost(groups, groups, search["facts"])
    while True:
        if not lost:
            if 2 * search["used"] > len(slots):
                slots = double_slots(slots, search)
            verdict, length = visit(node, root, search, rules, slots, verdicts)
            if verdict == WINNABLE:
                record_win(root, search, slots)
            if verdict in (WINNABLE, UNDECIDED):
                verdicts[root] = verdict
                return length, slots
        if not backtrack(search):
            verdicts[root] = LOST
            return 0, slots
        node, lost = play_next(search, rules)


@jit(inline="always")  # Otherwise Numba counts references to the arrays at every call.
def visit(
    node: Node,
    root: int,
    search: Search,
    rules: RulesRecord,
    slots: np.ndarray,
    verdicts: np.ndarray,
) -> tuple[int, int]:
    """Make forced removals, look up the position, and expand it unless the table decides it.

    Returns the verdict (see `EXPANDED`), and the length of the line to the position.
    """
    at, length = make_forced_removals(node, search, rules)
    if at.remaining & search["facts"]["goal"] == 0:
        return WINNABLE, length
    groups, lost = leave_groups(node.groups, node.at.remaining & ~at.remaining, search, rules)
    if lost:
        return LOST, length
    search["nodes"] += 1
    if search["nodes"] > search["limit"]:
        return UNDECIDED, length
    number, is_new = claim_slot(slots, at, root)
    search["used"] += is_new
    free, size = push_all_removals(at, search, rules)
    at = note_removal(at, size > search["size"])
    verdict = look_up(slots[number], at, root, node.stale, verdicts)
    if verdict != UNDECIDED:
        return verdict, length
    note_search(slots[number], at, root, node.stale)
    if not search["relaxed"]:
        size = finish_moves(at, size, node.stale, search, rules)
    if size > MOVES or search["depth"] + 1 == FRAMES:
        search["nodes"] = search["limit"] + 1
        return UNDECIDED, length
    push_frame(Node(at, groups, node.stale, length), number, free, size, search)
    return EXPANDED, length


@jit
def make_forced_removals(node: Node, search: Search, rules: RulesRecord) -> tuple[Position, int]:
    """Make the forced removals; return the position and the length of the line to it."""
    at = node.at
    if search["relaxed"]:
        remaining = remove_forced_relaxed(at.remaining, search["facts"], rules)
        after = Position(remaining, at.stock_top, at.piles, at.redeals_left, at.removal_seen)
        return after, node.length
    return remove_forced(at, -1, search["facts"], rules, search["line"], node.length)


@jit
def leave_groups(
    groups: int, gone: Positions, search: Search, rules: RulesRecord
) -> tuple[int, bool]:
    """Take cards out of their groups; return the rest, and whether one can never go now."""
    if gone == 0 or rules.many_sum:
        return groups, False
    gone_groups = group_cards(gone, search["facts"])
    groups &= ~gone_groups
    return groups, is_lost(groups, gone_groups, search["facts"])


@jit
def push_all_removals(at: Position, search: Search, rules: RulesRecord) -> tuple[Positions, int]:
    """Push the removals on the stack of moves, and return the free cards and the stack's size."""
    facts, moves, start = search["facts"], search["moves"], search["size"]
    if search["relaxed"]:
        free = relaxed_free_cards(at.remaining, facts)
        size = push_pairs(at.remaining, free, facts, rules, moves, start)
        return free, keep_touching(moves, start, size, (1 << facts["stock_start"]) - 1)
    free = free_cards(at, facts["stock_start"], rules)
    return free, push_removals(at.remaining, free, facts, rules, moves, start)


@jit
def finish_moves(
    at: Position, size: int, stale: Positions, search: Search, rules: RulesRecord
) -> int:
    """Drop the stale removals, add the turn if it is legal, and return the stack's size."""
    facts, moves, start = search["facts"], search["moves"], search["size"]
    is_turn_legal = can_turn(at, size > start, facts["stock_start"], rules)
    if size <= MOVES:
        size = drop_stale(moves, start, size, stale, facts, rules)
    if is_turn_legal:
        size = push(moves, size, TURN)
        if size <= MOVES:  # the turn is tried last
            moves[size - 1], moves[start] = moves[start], TURN
    return size


@jit
def play_next(search: Search, rules: RulesRecord) -> tuple[Node, bool]:
    """Make the next move of the deepest position, and return the node and whether it is lost."""
    frame = search["frames"][search["depth"]]
    frame["next"] -= 1
    search["size"] = frame["next"]
    at, move, length = position_of(frame), search["moves"][frame["next"]], frame["length"]
    search["line"][length] = move
    if move == TURN:
        at = turn_stock(at, search["facts"]["stock_start"], rules)
        return Node(at, frame["groups"], frame["free"], length + 1), False
    groups, lost = leave_groups(frame["groups"], move, search, rules)
    return Node(remove_cards(at, move), groups, frame["stale"], length + 1), lost
