"""Klondike's solver: the commits of a position, and of all that lie a few returns away.

From a position the search goes through all that can be reached by sending loose cards up and
bringing cards back, and lists the commits of all of them. Some commits can never hurt. Where there
is one, it is the only one that is tried:

- A head that is safe to go up: see `moves.highest_safe`.
- With any number of passes and ``draw`` 1: a card of the stock that is safe to go up. (One that is
  merely the next to go up may be missed: the card below it could not come back.)
- With any number of passes and ``draw`` 3 the same of the last card of the stock, if the waste
  counts as empty. Who takes it is at the end of the pass, and can have all that he could have
  before. If the waste does not count as empty, no card is tried that takes a redeal: the last card
  can be taken on the way.

Left out are:

- With ``worry_back`` one of two ways of a card that can go up as well as to the tableau: it can
  change from one to the other afterwards. A head then moves, a card of the stock goes up.
- A head with nothing under it that moves to a card, unless a king takes its column at once and no
  other is empty: until then it would take up room for nothing.
- An ace that moves to a card.
- With any number of passes, ``draw`` 1 and ``worry_back`` a card of the stock to the tableau, as
  long as a twin of it can carry a card: it can be had later, when it is needed.
"""

import numpy as np

from ....core.kernel.bits import lowest
from ....core.kernel.jit import jit
from .card_sets import (
    ACES,
    KINGS,
    NEXT,
    SUITS,
    cards_next,
    cards_up,
    height,
    open_pairs,
    suit_of,
)
from .frames import COLUMNS, COMMITS, FOUND, STOCK, Search
from .moves import (
    KING_DOWN,
    LOOSE_UP,
    REVEAL,
    REVEAL_UP,
    STOCK_DOWN,
    STOCK_UP,
    pack_commit,
    pack_stock,
    safe_to_go,
    useful_to_return,
)
from .position import UP_CODES, Board, Sight, code_board, code_up, count_empty, left_in, look
from .relaxed import is_hopeless
from .stock import list_reachable
from .table import FREE, double_keys, find_slot, key_of

CLASS = 40
"""Where the order in which commits are tried stands in a found one."""
CLASSES = 7
LATER = 1 << 39
"""Of a found commit: that it takes a redeal."""


@jit
def push_single(commit: int, search: Search) -> None:
    """Put the only commit that is tried on the stack."""
    if search["size"] == COMMITS:
        search["full"] = 1
        return
    search["commits"][search["size"]] = commit
    search["size"] += 1


@jit
def find(order: int, commit: int, found: int, search: Search) -> int:
    """Note a commit to be tried; return how many there are."""
    if found == FOUND:
        search["full"] = 1
        return found
    search["found"][found] = commit | order << CLASS
    return found + 1


@jit
def push_forced(board: Board, up: int, rises: int, safe: int, sight: Sight, search: Search) -> bool:
    """Push a commit that can never hurt; whether there is one."""
    cards = rises & safe
    if cards & ~sight.heads:
        push_single(pack_commit(up, LOOSE_UP, suit_of(lowest(cards & ~sight.heads)), 0), search)
        return True
    if cards:
        for column in range(COLUMNS):
            left = left_in(board.columns, column)
            if left and search["dealt"][column, left - 1] & cards:
                push_single(pack_commit(up, REVEAL_UP, column, 0), search)
                return True
    if search["any_passes"] and (search["draw"] == 1 or board.waste == 0):
        first = 0 if search["draw"] == 1 else max(search["reached"] - 1, 0)
        for row in range(first, search["reached"]):
            if search["reach"][row, 1] & safe:
                push_single(pack_stock(up, STOCK_UP, row, 0, search), search)
                return True
    return False


@jit
def find_kings(board: Board, up: int, cleared: int, shut: int, found: int, search: Search) -> int:
    """Find the kings that can move to a column that is emptied for them."""
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if left > 1 and search["dealt"][column, left - 1] & KINGS:
            found = find(3, pack_commit(up, REVEAL, column, cleared), found, search)
    for row in range(search["reached"]):
        if search["reach"][row, 1] & KINGS & ~shut:
            later = search["reach"][row, 4] * LATER
            commit = pack_stock(up, STOCK_DOWN, row, cleared, search) | later
            found = find(5, commit, found, search)
    if search["worry_back"]:
        back = useful_to_return(up) & KINGS
        while back:
            commit = pack_commit(up, KING_DOWN, suit_of(lowest(back)), cleared)
            found = find(6, commit, found, search)
            back &= back - 1
    return found


@jit
def find_heads(
    board: Board, up: int, rises: int, slots: int, shut: int, found: int, search: Search
) -> int:
    """Find the commits that move heads."""
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if not left:
            continue
        head = search["dealt"][column, left - 1]
        if left > 1 and head & slots:
            found = find(0, pack_commit(up, REVEAL, column, 0), found, search)
            if search["worry_back"]:
                continue
        if head & rises:
            order = 1 if left > 1 else 2
            found = find(order, pack_commit(up, REVEAL_UP, column, 0), found, search)
        if left == 1 and head & slots and not slots & KINGS:
            found = find_kings(board, up, column + 1, shut, found, search)
    return found


@jit
def find_stock(up: int, nexts: int, slots: int, found: int, search: Search) -> int:
    """Find the commits that take cards of the stock."""
    for row in range(search["reached"]):
        card, later = search["reach"][row, 1], search["reach"][row, 4] * LATER
        if card & nexts:
            commit = pack_stock(up, STOCK_UP, row, 0, search) | later
            found = find(2, commit, found, search)
            if search["worry_back"]:
                continue
        if card & slots & ~ACES:
            commit = pack_stock(up, STOCK_DOWN, row, 0, search) | later
            found = find(4, commit, found, search)
    return found


@jit
def push_found(found: int, past_redeal: bool, search: Search) -> None:
    """Put the commits found on the stack, those to be tried first on top."""
    size = search["size"]
    if size + found > COMMITS:
        search["full"] = 1
        return
    for order in range(CLASSES - 1, -1, -1):
        for number in range(found - 1, -1, -1):
            commit = search["found"][number]
            if commit >> CLASS == order and (past_redeal or commit & LATER == 0):
                search["commits"][size] = commit & (LATER - 1)
                size += 1
    search["size"] = size


@jit
def open_position(board: Board, up: int, keys: np.ndarray, search: Search) -> np.ndarray:
    """Put the commits of a position on the stack, and the position into the table.

    With it go all positions that moves which can be taken back lead to. Returns the table, which
    may have grown.
    """
    stock = list_reachable(board, search)
    sight = look(board, stock, search)
    keys[find_slot(keys, key_of(board, up))] = key_of(board, up)
    search["used"] += 1
    if is_hopeless(board, up, sight, search):
        return keys
    base, worry_back = code_board(board) * UP_CODES, search["worry_back"]
    spare = search["any_passes"] and search["draw"] == 1 and worry_back
    last = 0
    if search["any_passes"] and search["draw"] > 1 and board.stock:
        last = search["reach"][search["reached"] - 1, 1]
    past_redeal = True
    queue = search["queue"]
    queue[0], begin, end, found = up, 0, 1, 0
    while begin < end:
        up = queue[begin]
        begin += 1
        there = sight.known & ~cards_up(up)
        loose = there & ~sight.heads
        able, nexts, safe = open_pairs(there, loose), cards_next(up), safe_to_go(up, worry_back)
        rises = there & nexts & able
        slots = able >> 4 | (KINGS if count_empty(sight, loose) > 0 else 0)
        if worry_back:
            ups, downs = rises & loose, useful_to_return(up) & slots
            if ups & safe:
                ups &= safe
                ups &= -ups
                downs = 0
            for suit in range(SUITS):
                rank = height(up, suit)
                for way in range(2):
                    if way == 0 and NEXT[suit, rank] & ups:
                        new = up + (1 << 4 * suit)
                    elif way == 1 and rank and NEXT[suit, rank - 1] & downs:
                        new = up - (1 << 4 * suit)
                    else:
                        continue
                    key = (base + code_up(new)) << STOCK | board.stock
                    slot = find_slot(keys, key)
                    if keys[slot] == FREE:
                        keys[slot] = key
                        queue[end] = new
                        end += 1
                        search["used"] += 1
                        if 2 * search["used"] > len(keys):
                            keys = double_keys(keys)
            if rises & loose & safe:
                continue
        if push_forced(board, up, rises, safe, sight, search):
            return keys
        if last & safe:
            past_redeal = False
        shut = able if spare else 0
        found = find_heads(board, up, rises, slots, shut, found, search)
        found = find_stock(up, nexts, slots & ~shut, found, search)
        if not worry_back:
            ups = rises & loose
            while ups:
                commit = pack_commit(up, LOOSE_UP, suit_of(lowest(ups)), 0)
                found = find(2, commit, found, search)
                ups &= ups - 1
    push_found(found, past_redeal, search)
    return keys
