"""Klondike solver: positions, ignoring the order of columns and moves that can be taken back.

A *head* is the first visible card of a column, unless it is a king at the foot of the column. It is
where it was dealt. All other visible cards are *loose*: kings at the foot of a column, and cards
on other cards. A card *carries* another card that is directly on it.

If parts of a run may move, two positions with the same heads, foundations, stock and waste are
equivalent: it does not matter which of two twins carries a card. If only one twin carries a card,
the carried part can move to the other twin. If both twins carry cards, neither can be moved or
covered.

So a position consists of the number of cards of each column that are as dealt, the number of cards
of each suit on the foundations (those cards are *up*), and the stock.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....core.kernel.bits import count, lowest
from ....core.kernel.jit import jit
from .card_sets import (
    ACES,
    ALL_CARDS,
    FIRST_TWINS,
    KINGS,
    NEXT,
    RANKS,
    SUITS,
    cards_up,
    height,
    open_pairs,
)

COLUMNS = 7
LONGEST_COLUMN = 7
STOCK = 24
UP_CODES = (RANKS + 1) ** 4
"""Number of codes of `code_up`."""
ALL_UP = 0xDDDD
"""The foundations with 13 cards each."""
FREE = -1
"""Marks a free slot of a table."""
SLOTS = 1 << 12
"""Number of slots of a new table. The table doubles when it is half full."""

FRAMES = 256
"""Capacity for a line of commits. In the longest line, every card leaves its place once and goes
up once."""
QUEUE = 1 << 16
"""Capacity for the foundations of all positions reached by moves that can be taken back."""
CANDIDATES = 1 << 18
"""Capacity for the commits listed for a position."""
COMMITS = 1 << 20
"""Capacity for the commits of all positions on a line."""
ORDERS = 7
"""Number of different orders in which commits are tried."""

REACH = np.dtype(
    [
        ("number", np.int64),  # number of the card in the stock
        ("card", np.int64),  # the card as a set
        ("waste", np.int64),  # the waste left after taking it, as in a `Board`
        ("redeals", np.int64),  # the redeals left after taking it
        ("takes_redeal", np.int64),  # whether a redeal comes first
    ]
)
"""A card of stock or waste that can be taken; see `list_reachable`."""
CANDIDATE = np.dtype(
    [
        ("commit", np.int64),  # see `depth_first.pack_commit`
        ("order", np.int64),  # priority of the commit
        ("takes_redeal", np.int64),
    ]
)
"""A commit listed for a position."""
MOST_AFTER = 128
"""Capacity for the successors of a position with whole runs."""
SUCCESSOR = np.dtype(
    [
        ("columns", np.int64),  # as in a `Board`
        ("stock", np.int64),
        ("waste", np.int64),
        ("redeals", np.int64),
        ("up", np.int64),  # the foundations
        ("onto", np.int64),  # see `whole_runs`
        ("move", np.int64),  # see `whole_runs.pack_move`
    ]
)
"""A successor of a position with whole runs."""
FRAME = np.dtype(
    [
        ("columns", np.int64),  # as in a `Board`
        ("stock", np.int64),
        ("waste", np.int64),
        ("redeals", np.int64),
        ("up", np.int64),  # the foundations on entry
        ("first", np.int64),  # first position of its commits on the stack
        ("next", np.int64),  # end of its commits on the stack; the last commit comes next
        ("commit", np.int64),  # the commit being tried
    ]
)
"""A position whose commits are being tried."""
SEARCH = np.dtype(
    [
        ("dealt", np.int64, (COLUMNS, LONGEST_COLUMN)),  # a column's cards from below, as sets
        ("buried", np.int64, (COLUMNS, LONGEST_COLUMN)),  # the cards below each of them, as sets
        ("cards", np.int64, STOCK),  # of waste, from below, and stock, from above, as sets
        ("draw", np.int64),
        ("any_passes", np.int64),
        ("worry_back", np.int64),
        ("limit", np.int64),  # maximum number of positions
        ("used", np.int64),  # number of positions in the table
        ("full", np.int64),  # whether commits were left out because room ran out
        ("depth", np.int64),  # number of the deepest frame
        ("size", np.int64),  # size of the stack of commits
        ("reached", np.int64),  # number of cards listed in ``reach``
        ("reach", REACH, STOCK),  # see `list_reachable`
        ("queued", np.int64),  # number of foundations in ``queue``
        ("queue", np.int64, QUEUE),
        ("candidates", CANDIDATE, CANDIDATES),
        ("places", np.int64, ORDERS),  # see `depth_first.push_candidates`
        ("listed", np.int64),  # number of positions in ``successors``
        ("successors", SUCCESSOR, MOST_AFTER),
        ("commits", np.int64, COMMITS),
        ("frames", FRAME, FRAMES),
    ]
)
"""The working memory of a search, except for the table, which grows.

The memory is a record because Numba counts the references to an array at every call.
"""
Search: TypeAlias = Any
"""One record of SEARCH."""


def make_search() -> np.ndarray:
    """Return the working memory of a search, an array (1,) of SEARCH.

    It is not initialized: the kernels write a field before they read it, and clearing 15 MB takes
    longer than most searches.
    """
    return np.empty(1, SEARCH)


class Board(NamedTuple):
    """A position without its foundations."""

    columns: int
    """Number of cards that are as dealt, including heads, four bits for each column."""
    stock: int
    """The cards that are still in stock or waste. Bit i stands for card i of the dealt stock."""
    waste: int
    """The number of these cards in the waste."""
    redeals: int
    """The redeals left; 0 with unlimited passes."""


class Sight(NamedTuple):
    """The visible cards of a board, as sets of cards."""

    heads: int
    known: int
    """The visible cards of the tableau, and the cards that are up."""
    stock: int
    reachable: int
    """The cards of the stock that can be taken; see `list_reachable`."""
    free: int
    """The number of columns without a head."""


# Columns


@jit
def read_board(record: Any) -> Board:
    """Return the board in a record with its fields."""
    return Board(record["columns"], record["stock"], record["waste"], record["redeals"])


@jit
def write_board(record: Any, board: Board) -> None:
    """Write a board into a record with its fields."""
    record["columns"], record["stock"] = board.columns, board.stock
    record["waste"], record["redeals"] = board.waste, board.redeals


@jit
def left_in(columns: int, column: int) -> int:
    """Return the number of cards of a column that are as dealt."""
    return columns >> 4 * column & 15


@jit
def head_of(columns: int, column: int, search: Search) -> int:
    """Return the set with the head of a column; empty if it has none."""
    left = left_in(columns, column)
    return search["dealt"][column, left - 1] if left else 0


@jit
def take_head(columns: int, column: int, search: Search) -> int:
    """Return the columns without the head of one column.

    A king that is then alone in its column becomes loose. It does not matter which column is empty.
    """
    columns -= 1 << 4 * column
    if left_in(columns, column) == 1 and search["dealt"][column, 0] & KINGS:
        columns -= 1 << 4 * column
    return columns


@jit
def look(board: Board, stock: int, search: Search) -> Sight:
    """Return the visible cards of a board. The caller has called `list_reachable`."""
    heads, hidden, free, reachable = 0, 0, 0, 0
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if left:
            heads |= search["dealt"][column, left - 1]
            hidden |= search["buried"][column, left - 1]
        else:
            free += 1
    for row in range(search["reached"]):
        reachable |= search["reach"][row]["card"]
    return Sight(heads, ALL_CARDS & ~hidden & ~stock, stock, reachable, free)


@jit
def count_empty(sight: Sight, loose: int) -> int:
    """Return the number of empty columns: those without a head and without a loose king."""
    return sight.free - count(loose & KINGS)


# Stock and waste


@jit
def list_reachable(board: Board, search: Search) -> int:
    """List the cards of stock and waste that can be taken, in order, in ``reach``.

    A card that can be taken in the current pass is not listed for the next pass, which would lead
    to the same position with one redeal less. With unlimited passes, the size of the waste is
    written as 0 if a pass from the beginning reaches the same waste, or if the waste has all cards.
    Then the same cards can be taken as at the beginning of a pass.

    With unlimited passes, a redeal requires a legal move since the last redeal. This condition
    never matters here: if a card can be taken and played after the redeal, it was in play at the
    same position in the previous pass, or a move was made in that pass.

    Returns:
        The set of all cards of stock and waste.
    """
    draw, any_passes, reach, cards = (
        search["draw"],
        search["any_passes"],
        search["reach"],
        search["cards"],
    )
    can_redeal = any_passes or board.redeals > 0
    rest, last = board.stock, count(board.stock) - 1
    reached, all_cards = 0, 0
    step = 0  # position within a turn, for a pass from the beginning
    ahead = -board.waste  # position within a turn of the current pass; negative for the waste
    for place in range(last + 1):
        number = lowest(rest)
        rest &= rest - 1
        card = cards[number]
        all_cards |= card
        is_turned = ahead == draw - 1
        in_this_pass = is_turned or ahead == -1 or (place == last and ahead >= 0)
        if in_this_pass or (can_redeal and (step == draw - 1 or place == last)):
            row = reach[reached]
            row["number"], row["card"] = number, card
            row["waste"], row["redeals"], row["takes_redeal"] = place, board.redeals, 0
            if any_passes and (step == 0 or place == last):
                row["waste"] = 0
            if not in_this_pass:
                row["redeals"] -= not any_passes
                row["takes_redeal"] = 1
            reached += 1
        step = 0 if step == draw - 1 else step + 1
        ahead = 0 if is_turned else ahead + 1
    search["reached"] = reached
    return all_cards


@jit
def find_safe_stock(board: Board, safe: int, search: Search) -> int:
    """Return the row of ``reach`` of a safe card that can never hurt to send up; -1 if none.

    `depth_first` describes these cards.
    """
    if search["any_passes"] and (search["draw"] == 1 or board.waste == 0):
        first = 0 if search["draw"] == 1 else max(search["reached"] - 1, 0)
        for row in range(first, search["reached"]):
            if search["reach"][row]["card"] & safe:
                return row
    return -1


@jit
def last_of_stock(board: Board, search: Search) -> int:
    """Return the set with the last card of the stock if it can be taken on the way to a redeal.

    This is possible with unlimited passes and ``draw`` 3.
    """
    if search["any_passes"] and search["draw"] > 1 and board.stock:
        return search["reach"][search["reached"] - 1]["card"]
    return 0


# The table of positions. Each position has a unique number.


@jit
def code_board(board: Board) -> int:
    """Return a number below 2**32 for the columns, the waste and the redeals left.

    The columns have at most 1, 2, ... 7 cards in some fixed order, ascending or descending.
    """
    code = board.redeals * (STOCK + 1) + board.waste
    for column in range(COLUMNS):
        code = code * (column + 2) + left_in(board.columns, column)
    return code


@jit
def code_up(up: int) -> int:
    """Return a number below `UP_CODES` for the foundations."""
    base = RANKS + 1
    return (((up >> 12) * base + (up >> 8 & 15)) * base + (up >> 4 & 15)) * base + (up & 15)


@jit
def join_codes(board_code: int, up: int, stock: int) -> int:
    """Return the number of a position, below 2**63, given the code of its board."""
    return (board_code * UP_CODES + code_up(up)) << STOCK | stock


@jit
def key_of(board: Board, up: int) -> int:
    """Return the number of a position, below 2**63."""
    return join_codes(code_board(board), up, board.stock)


@jit
def make_keys(size: int) -> np.ndarray:
    """Return a table of free slots; ``size`` is a power of two."""
    return np.full(size, FREE, np.int64)


@jit(inline="always")  # Otherwise Numba counts references to the array at every call.
def find_slot(keys: np.ndarray, key: int) -> int:
    """Return the slot of a position, or the free slot where it belongs."""
    mask = len(keys) - 1
    word = (key ^ key >> 31) * 0x1D8E4E27C47D124F
    slot = (word ^ (word >> 29) & 0x7FFFFFFFF) & mask
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@jit
def double_keys(keys: np.ndarray) -> np.ndarray:
    """Return the table with twice the slots."""
    doubled = make_keys(2 * len(keys))
    for key in keys:
        if key != FREE:
            doubled[find_slot(doubled, key)] = key
    return doubled


# Ends


@jit
def is_won(board: Board, up: int, search: Search) -> bool:
    """Return whether all cards of the tableau are visible and all cards of the stock can be taken.

    Then the position is won: the lowest card that is not up can always go up, because no lower card
    is on it.
    """
    if board.stock and not (search["draw"] == 1 and search["any_passes"]):
        return False
    columns = board.columns
    return up == ALL_UP or columns & 0x6666666 == 0


@jit
def is_hopeless(board: Board, up: int, sight: Sight, search: Search) -> bool:
    """Return whether a position is lost even in an easier game.

    The easier game never uses up a free place. A pair of twins that can carry one card can carry
    any number of cards, an empty column takes all kings, and a card that went up also stays in its
    old place. Once one card of the stock can be played, all of them can. A full pair of twins
    becomes open as soon as a loose card that fits on it has gone up, or one more card of the pair
    is visible. If not all cards can go up in the easier game, the position is lost.
    """
    columns, raised = board.columns, cards_up(up)
    visible = sight.known & ~raised
    loose = visible & ~sight.heads
    carriers, seen, stock = open_pairs(visible, loose), visible, sight.reachable
    has_empty = count_empty(sight, loose) > 0
    while True:
        before = seen, raised, columns
        new = seen & ~visible | (raised & loose) << 4
        carriers |= ((new | new >> 1) & FIRST_TWINS) * 3
        has_empty = has_empty or raised & loose & KINGS != 0
        slots = carriers >> 4 | (KINGS if has_empty else 0)
        if stock & (slots | raised):
            stock = sight.stock
        seen |= stock & slots
        if search["worry_back"]:
            seen |= raised & ~ACES & slots
        ready = seen & carriers | stock
        for suit in range(SUITS):
            rank = height(up, suit)
            while rank < RANKS and ready & NEXT[suit, rank]:
                raised |= NEXT[suit, rank]
                rank += 1
                up += 1 << 4 * suit
        for column in range(COLUMNS):
            left = left_in(columns, column)
            while left and search["dealt"][column, left - 1] & (slots | raised):
                left -= 1
                columns -= 1 << 4 * column
                if left:
                    seen |= search["dealt"][column, left - 1]
                else:
                    has_empty = True
        if up == ALL_UP:
            return False
        if before == (seen, raised, columns):
            return True
