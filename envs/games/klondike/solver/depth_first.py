"""Klondike solver: a depth-first search that decides whether positions can be won.

A *commit* is a move that cannot be taken back: it turns a card up, empties a column, or takes a
card from the stock. Between two commits, cards go up to the foundations and come back. With
``worry_back`` each of these moves can be taken back: a card that goes up leaves its place free, and
a card that comes back is the next card to go up. So all positions connected by such moves are won
or lost together. From a position, the search therefore visits all positions that can be reached by
sending loose cards up and bringing cards back, and lists the commits of all of them.

Some commits can never hurt. If the position has such a commit, the search tries no other commit:

- A head that is safe to go up (see `highest_safe`).
- With unlimited passes and ``draw`` 1: a card of the stock that is safe to go up. (A card that can
  go up but is not safe may be missed later, because the card below it cannot come back.)
- With unlimited passes and ``draw`` 3: the last card of the stock, if it is safe to go up and the
  waste counts as empty. Taking it ends the pass, and afterwards the same cards can be taken as
  before. If the waste does not count as empty, the search tries no card that requires a redeal,
  because the last card can be taken on the way.

The search leaves out:

- With ``worry_back``, one of the two moves of a card that can go up and to the tableau, because the
  card can change from one to the other afterwards. For a head the search tries the move to the
  tableau; for a card of the stock it tries the move up.
- Moving a head with nothing under it to another card, unless no column is empty and a king takes
  the emptied column immediately. Otherwise the move uses up space without a gain.
- Moving an ace to another card.
- With unlimited passes, ``draw`` 1 and ``worry_back``: moving a card of the stock to the tableau,
  as long as a twin of the card can carry a card. The card can be taken later, when it is needed.
"""

from typing import NamedTuple

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.bits import lowest
from ....core.kernel.jit import jit
from .card_sets import (
    ACES,
    KING,
    KINGS,
    NEXT,
    SUITS,
    cards_next,
    cards_up,
    height,
    open_pairs,
    suit_of,
)
from .position import (
    CANDIDATES,
    COLUMNS,
    COMMITS,
    FREE,
    ORDERS,
    SLOTS,
    Board,
    Search,
    Sight,
    code_board,
    count_empty,
    double_keys,
    find_safe_stock,
    find_slot,
    head_of,
    is_hopeless,
    is_won,
    join_codes,
    key_of,
    last_of_stock,
    left_in,
    list_reachable,
    look,
    make_keys,
    read_board,
    take_head,
    write_board,
)

REVEAL, REVEAL_UP, STOCK_DOWN, STOCK_UP, KING_DOWN, LOOSE_UP = range(6)
"""Kinds of commits: a head moves to a card or, if it is a king, to an empty column; a head goes up;
a card of the stock goes to the tableau; a card of the stock goes up; a king comes back to a column
that is emptied for it; a loose card goes up and cannot come back."""
KIND_AT, NUMBER_AT, CLEARED_AT, WASTE_AT, REDEALS_AT = 16, 20, 25, 28, 33
"""Bit offsets of the parts of a commit above the foundations; see `pack_commit`, `pack_stock`."""
(HEAD_DOWN, HEAD_UP, CARD_UP, HEAD_KING, STOCK_CARD, STOCK_KING, KING_BACK) = range(ORDERS)
"""The order in which commits are tried: a head moves to a card; it goes up and uncovers a card;
another card goes up; a king among the heads moves; a card or a king of the stock goes to the
tableau; a king comes back."""

MAX_NEIGHBORS = 2 * SUITS
"""Maximum number of foundations that differ by one card up or back."""


class Movable(NamedTuple):
    """Sets of cards that can move, for given foundations."""

    up: int
    """Heights of the foundations, four bits for each suit."""
    loose: int
    """Visible cards that are not heads."""
    carriers: int
    """The pairs of twins that can carry one more card; see `card_sets.open_pairs`."""
    nexts: int
    """The cards that fit on the foundations next."""
    safe: int
    """The next cards that can go up without being missed; see `safe_to_go`."""
    rises: int
    """The cards of the tableau that can go up."""
    slots: int
    """The cards that the tableau can take."""


# Commits


@jit
def pack_commit(up: int, kind: int, number: int, cleared: int) -> int:
    """Pack a commit into a number.

    Args:
        up: The foundations before the commit.
        kind: The kind of the commit, such as `REVEAL`.
        number: The column, the number in the stock or the suit, depending on the kind.
        cleared: The column whose last head moves away first, plus 1; 0 for none.
    """
    return up | kind << KIND_AT | number << NUMBER_AT | cleared << CLEARED_AT


@jit
def pack_stock(up: int, kind: int, row: int, cleared: int, search: Search) -> int:
    """Pack a commit with a card of the stock, and the waste and redeals that it leaves."""
    reach = search["reach"][row]
    commit = pack_commit(up, kind, reach["number"], cleared)
    return commit | reach["waste"] << WASTE_AT | reach["redeals"] << REDEALS_AT


@jit
def kind_of(commit: int) -> int:
    """Return the kind of a commit."""
    return commit >> KIND_AT & 15


@jit
def number_of(commit: int) -> int:
    """Return the column, stock number or suit of a commit."""
    return commit >> NUMBER_AT & 31


@jit
def cleared_by(commit: int) -> int:
    """Return the column that a commit empties first; -1 for none."""
    return (commit >> CLEARED_AT & 7) - 1


@jit
def board_after(board: Board, commit: int, search: Search) -> Board:
    """Return the board after a commit."""
    columns = board.columns
    kind, number, cleared = kind_of(commit), number_of(commit), cleared_by(commit)
    if cleared >= 0:
        columns = take_head(columns, cleared, search)
    if kind in (REVEAL, REVEAL_UP):
        columns = take_head(columns, number, search)
    if kind in (STOCK_DOWN, STOCK_UP):
        stock = board.stock & ~(1 << number)
        return Board(columns, stock, commit >> WASTE_AT & 31, commit >> REDEALS_AT & 15)
    return Board(columns, board.stock, board.waste, board.redeals)


@jit
def up_after(board: Board, commit: int, search: Search) -> int:
    """Return the foundations after a commit."""
    up, kind, number = commit & 0xFFFF, kind_of(commit), number_of(commit)
    if kind == REVEAL_UP:
        return up + (1 << 4 * suit_of(lowest(head_of(board.columns, number, search))))
    if kind == STOCK_UP:
        return up + (1 << 4 * suit_of(lowest(search["cards"][number])))
    if kind == LOOSE_UP:
        return up + (1 << 4 * number)
    if kind == KING_DOWN:
        return up - (1 << 4 * number)
    return up


# Foundations


@jit
def highest_safe(up: int, suit: int, worry_back: bool) -> int:
    """Return the highest rank at which the next card of a suit can go up and never be missed.

    A card on a foundation is missed only if it could carry another card. It can carry the two cards
    of the other color that are one rank lower. Aces need no carrier, because they can always go up.
    So a two is safe. Any other card is safe if the two cards that it can carry are up and need not
    come back. They would come back only to carry the card of the same color as the first card, of
    the other suit and two ranks lower. So that card must be up, too, or be an ace. Then no card
    below it ever needs to come back, because such cards carry only each other.
    """
    red = (suit ^ suit >> 1) & 1
    rank = min(height(up, 0), height(up, 3)) if red else min(height(up, 1), height(up, 2))
    if worry_back:
        rank = min(rank, max(height(up, 3 - suit) + 1, 2))
    return max(rank, 1)


@jit
def safe_to_go(up: int, worry_back: bool) -> int:
    """Return the set of next cards that can go up without being missed."""
    cards = 0
    for suit in range(SUITS):
        rank = height(up, suit)
        if rank <= KING and rank <= highest_safe(up, suit, worry_back):
            cards |= NEXT[suit, rank]
    return cards


@jit
def useful_to_return(up: int) -> int:
    """Return the set of top cards of the foundations that may be missed on the tableau.

    If both kings of a color are up, the rules let only the king of the lower suit code come back.
    All cards of both suits are up then, so the choice does not matter.
    """
    cards = 0
    for suit in range(SUITS):
        rank = height(up, suit) - 1
        if rank == KING and suit >= 2 and height(up, 3 - suit) > KING:
            continue
        if rank > highest_safe(up, suit, True):
            cards |= NEXT[suit, rank]
    return cards


@jit(inline="always")  # Otherwise the tuple goes through memory at every call.
def list_movable(up: int, sight: Sight, search: Search) -> Movable:
    """Return the cards that can move, for given foundations."""
    visible = sight.known & ~cards_up(up)
    loose = visible & ~sight.heads
    carriers, nexts = open_pairs(visible, loose), cards_next(up)
    safe = safe_to_go(up, search["worry_back"])
    slots = carriers >> 4 | (KINGS if count_empty(sight, loose) > 0 else 0)
    return Movable(up, loose, carriers, nexts, safe, visible & nexts & carriers, slots)


# The commits of a position


@jit
def push_single(commit: int, search: Search) -> None:
    """Push the only commit to try."""
    if search["size"] == COMMITS:
        search["full"] = 1
        return
    search["commits"][search["size"]] = commit
    search["size"] += 1


@jit
def push_forced(board: Board, up: int, rises: int, safe: int, heads: int, search: Search) -> bool:
    """Push a commit that can never hurt, and return whether there is one."""
    cards = rises & safe
    if cards & ~heads:
        push_single(pack_commit(up, LOOSE_UP, suit_of(lowest(cards & ~heads)), 0), search)
        return True
    if cards:
        for column in range(COLUMNS):
            if head_of(board.columns, column, search) & cards:
                push_single(pack_commit(up, REVEAL_UP, column, 0), search)
                return True
    row = find_safe_stock(board, safe, search)
    if row >= 0:
        push_single(pack_stock(up, STOCK_UP, row, 0, search), search)
    return row >= 0


@jit
def add_candidate(commit: int, order: int, takes_redeal: int, listed: int, search: Search) -> int:
    """Add a commit to the list of commits to try, and return the length of the list."""
    if listed == CANDIDATES:
        search["full"] = 1
        return listed
    candidate = search["candidates"][listed]
    candidate["commit"], candidate["order"] = commit, order
    candidate["takes_redeal"] = takes_redeal
    return listed + 1


@jit
def add_stock_card(
    up: int, kind: int, row: int, cleared: int, order: int, listed: int, search: Search
) -> int:
    """List a commit with a card of the stock, and return the length of the list."""
    takes_redeal = search["reach"][row]["takes_redeal"]
    commit = pack_stock(up, kind, row, cleared, search)
    return add_candidate(commit, order, takes_redeal, listed, search)


@jit
def add_kings(
    board: Board, up: int, cleared: int, deferred: int, listed: int, search: Search
) -> int:
    """List the kings that can move to a column emptied for them, and return the list's length."""
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if left > 1 and search["dealt"][column, left - 1] & KINGS:
            commit = pack_commit(up, REVEAL, column, cleared)
            listed = add_candidate(commit, HEAD_KING, 0, listed, search)
    for row in range(search["reached"]):
        if search["reach"][row]["card"] & KINGS & ~deferred:
            listed = add_stock_card(up, STOCK_DOWN, row, cleared, STOCK_KING, listed, search)
    if search["worry_back"]:
        kings = useful_to_return(up) & KINGS
        while kings:
            commit = pack_commit(up, KING_DOWN, suit_of(lowest(kings)), cleared)
            listed = add_candidate(commit, KING_BACK, 0, listed, search)
            kings &= kings - 1
    return listed


@jit
def add_heads(
    board: Board, up: int, rises: int, slots: int, deferred: int, listed: int, search: Search
) -> int:
    """List the commits that move heads, and return the length of the list."""
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if not left:
            continue
        head = search["dealt"][column, left - 1]
        if left > 1 and head & slots:
            commit = pack_commit(up, REVEAL, column, 0)
            listed = add_candidate(commit, HEAD_DOWN, 0, listed, search)
            if search["worry_back"]:
                continue
        if head & rises:
            order = HEAD_UP if left > 1 else CARD_UP
            commit = pack_commit(up, REVEAL_UP, column, 0)
            listed = add_candidate(commit, order, 0, listed, search)
        if left == 1 and head & slots and not slots & KINGS:
            listed = add_kings(board, up, column + 1, deferred, listed, search)
    return listed


@jit
def add_stock(up: int, nexts: int, slots: int, listed: int, search: Search) -> int:
    """List the commits that take cards of the stock, and return the length of the list."""
    for row in range(search["reached"]):
        card = search["reach"][row]["card"]
        if card & nexts:
            listed = add_stock_card(up, STOCK_UP, row, 0, CARD_UP, listed, search)
            if search["worry_back"]:
                continue
        if card & slots & ~ACES:
            listed = add_stock_card(up, STOCK_DOWN, row, 0, STOCK_CARD, listed, search)
    return listed


@jit
def add_loose(up: int, cards: int, listed: int, search: Search) -> int:
    """List the loose cards that go up and cannot come back, and return the length of the list."""
    while cards:
        commit = pack_commit(up, LOOSE_UP, suit_of(lowest(cards)), 0)
        listed = add_candidate(commit, CARD_UP, 0, listed, search)
        cards &= cards - 1
    return listed


@jit
def push_candidates(listed: int, may_redeal: bool, search: Search) -> None:
    """Push the listed commits, with the commits to try first on top."""
    size = search["size"]
    if size + listed > COMMITS:
        search["full"] = 1
        return
    candidates, places = search["candidates"], search["places"]
    for order in range(ORDERS):
        places[order] = 0
    for number in range(listed):
        if may_redeal or not candidates[number]["takes_redeal"]:
            places[candidates[number]["order"]] += 1
    for order in range(ORDERS - 1, -1, -1):  # convert counts to positions on the stack
        count, places[order] = places[order], size
        size += count
    for number in range(listed - 1, -1, -1):
        candidate = candidates[number]
        if may_redeal or not candidate["takes_redeal"]:
            search["commits"][places[candidate["order"]]] = candidate["commit"]
            places[candidate["order"]] += 1
    search["size"] = size


# The search


@jit(inline="always")  # Otherwise Numba counts references to the array at every call.
def queue_foundations(
    up: int, board_code: int, stock: int, keys: np.ndarray, search: Search
) -> None:
    """Queue foundations and add their position to the table if it is new."""
    key = join_codes(board_code, up, stock)
    slot = find_slot(keys, key)
    if keys[slot] == FREE:
        keys[slot] = key
        search["queue"][search["queued"]] = up
        search["queued"] += 1
        search["used"] += 1


@jit(inline="always")  # Otherwise Numba counts references to the array at every call.
def queue_neighbors(
    movable: Movable, board_code: int, stock: int, keys: np.ndarray, search: Search
) -> None:
    """Queue the foundations that differ by one loose card up or one card back.

    If a loose card is safe to go up, only that one is queued. There are at most `MAX_NEIGHBORS`.
    """
    up = movable.up
    ups, downs = movable.rises & movable.loose, useful_to_return(up) & movable.slots
    if ups & movable.safe:
        ups &= movable.safe
        ups &= -ups
        downs = 0
    for suit in range(SUITS):
        rank = height(up, suit)
        if NEXT[suit, rank] & ups:
            queue_foundations(up + (1 << 4 * suit), board_code, stock, keys, search)
        if rank and NEXT[suit, rank - 1] & downs:
            queue_foundations(up - (1 << 4 * suit), board_code, stock, keys, search)


@jit
def open_position(board: Board, up: int, keys: np.ndarray, search: Search) -> np.ndarray:
    """Push the commits of a position and of all positions connected to it by moves up and back.

    All these positions are added to the table. Returns the table, which may have grown.
    """
    stock_cards = list_reachable(board, search)
    sight = look(board, stock_cards, search)
    board_code, stock, worry_back = code_board(board), board.stock, search["worry_back"]
    key = join_codes(board_code, up, stock)
    keys[find_slot(keys, key)] = key
    search["used"] += 1
    if is_hopeless(board, up, sight, search):
        return keys
    can_defer_stock = search["any_passes"] and search["draw"] == 1 and worry_back
    last_card, may_redeal = last_of_stock(board, search), True
    search["queue"][0] = up
    search["queued"], begin, listed = 1, 0, 0
    while begin < search["queued"]:
        movable = list_movable(search["queue"][begin], sight, search)
        up, rises, slots, safe = movable.up, movable.rises, movable.slots, movable.safe
        begin += 1
        if worry_back:
            if 2 * (search["used"] + MAX_NEIGHBORS) > len(keys):
                keys = double_keys(keys)
            queue_neighbors(movable, board_code, stock, keys, search)
            if rises & movable.loose & safe:
                continue
        if push_forced(board, up, rises, safe, sight.heads, search):
            return keys
        if last_card & safe:
            may_redeal = False
        deferred = movable.carriers if can_defer_stock else 0
        listed = add_heads(board, up, rises, slots, deferred, listed, search)
        listed = add_stock(up, movable.nexts, slots & ~deferred, listed, search)
        if not worry_back:
            listed = add_loose(up, rises & movable.loose, listed, search)
    push_candidates(listed, may_redeal, search)
    return keys


@jit
def push_position(
    board: Board, up: int, depth: int, keys: np.ndarray, search: Search
) -> np.ndarray:
    """Push a position and its commits, and return the table, which may have grown."""
    frame = search["frames"][depth]
    write_board(frame, board)
    frame["up"], frame["first"] = up, search["size"]
    search["depth"] = depth
    if 2 * search["used"] + 2 > len(keys):
        keys = double_keys(keys)
    keys = open_position(board, up, keys, search)
    frame["next"] = search["size"]
    return keys


@jit
def decide_winnable(board: Board, up: int, search: Search) -> int:
    """Return the verdict on a position. The frames up to ``depth`` are the win.

    The verdict is `UNDECIDED` after ``limit`` positions, or if the capacity for commits is
    exceeded.
    """
    search["used"] = search["full"] = search["size"] = search["depth"] = 0
    keys = make_keys(SLOTS)
    if is_won(board, up, search):
        return WINNABLE
    keys = push_position(board, up, 0, keys, search)
    depth = 0
    while depth >= 0:
        frame = search["frames"][depth]
        if frame["next"] == frame["first"]:
            depth -= 1
            continue
        frame["next"] -= 1
        commit = search["commits"][frame["next"]]
        frame["commit"] = commit
        before = read_board(frame)
        after, up = board_after(before, commit, search), up_after(before, commit, search)
        if keys[find_slot(keys, key_of(after, up))] != FREE:
            continue
        search["size"] = frame["next"]
        depth += 1
        if is_won(after, up, search):
            last = search["frames"][depth]
            last["columns"], last["stock"], last["up"] = after.columns, after.stock, up
            search["depth"] = depth
            return WINNABLE
        if search["used"] >= search["limit"]:
            return UNDECIDED
        keys = push_position(after, up, depth, keys, search)
    return UNDECIDED if search["full"] else LOST
