"""Klondike's solver: which moves there are, and those that can never hurt.

Moves that cannot be taken back are *commits*: they turn a card up, empty a column, or take a card
from the stock. Between two commits cards go up to the foundations and come back. With
``worry_back`` each such move can be taken back: a card that goes up leaves its place free, and one
that comes back is the next to go up. So all positions that they lead to are won or lost together.
"""

from ....core.kernel.bits import lowest
from ....core.kernel.jit import jit
from .card_sets import KING, NEXT, SUITS, height, suit_of
from .frames import Search
from .position import Board, left_in, take_head

REVEAL, REVEAL_UP, STOCK_DOWN, STOCK_UP, KING_DOWN, LOOSE_UP = range(6)
"""Kinds of commits: a head moves to a card or, a king, to an empty column; a head goes up; a card
of the stock goes to the tableau; one goes up; a king comes back to a column that is emptied for it;
a loose card goes up and cannot come back."""


@jit
def pack_commit(up: int, kind: int, number: int, cleared: int) -> int:
    """Pack a commit: the foundations before it, its kind, the column, stock number or suit.

    ``cleared`` is one more than the column whose last head moves away first, 0 for none.
    """
    return up | kind << 16 | number << 20 | cleared << 25


@jit
def pack_stock(up: int, kind: int, row: int, cleared: int, search: Search) -> int:
    """Pack a commit with a card of the stock: also the waste and the redeals that it leaves."""
    reach = search["reach"][row]
    return pack_commit(up, kind, reach[0], cleared) | reach[2] << 28 | reach[3] << 33


@jit
def kind_of(commit: int) -> int:
    """The kind of a commit."""
    return commit >> 16 & 15


@jit
def number_of(commit: int) -> int:
    """The column, stock number or suit of a commit."""
    return commit >> 20 & 31


@jit
def cleared_by(commit: int) -> int:
    """The column that a commit empties first; -1 for none."""
    return (commit >> 25 & 7) - 1


@jit
def board_after(board: Board, commit: int, search: Search) -> Board:
    """The board after a commit."""
    columns = board.columns
    kind, number, cleared = kind_of(commit), number_of(commit), cleared_by(commit)
    if cleared >= 0:
        columns = take_head(columns, cleared, search)
    if kind in (REVEAL, REVEAL_UP):
        columns = take_head(columns, number, search)
    if kind in (STOCK_DOWN, STOCK_UP):
        stock = board.stock & ~(1 << number)
        return Board(columns, stock, commit >> 28 & 31, commit >> 33 & 15)
    return Board(columns, board.stock, board.waste, board.redeals)


@jit
def up_after(board: Board, commit: int, search: Search) -> int:
    """The foundations after a commit."""
    up, kind, number = commit & 0xFFFF, kind_of(commit), number_of(commit)
    if kind == REVEAL_UP:
        head = search["dealt"][number, left_in(board.columns, number) - 1]
        return up + (1 << 4 * suit_of(lowest(head)))
    if kind == STOCK_UP:
        return up + (1 << 4 * suit_of(lowest(search["cards"][number])))
    if kind == LOOSE_UP:
        return up + (1 << 4 * number)
    if kind == KING_DOWN:
        return up - (1 << 4 * number)
    return up


@jit
def highest_safe(up: int, suit: int, worry_back: bool) -> int:
    """The highest rank at which the next card of a suit can go up and never be missed.

    A card that is up is missed only where it could carry one. The cards that it carries are the
    two of the other colour, one rank lower. Aces need no carrier: they can go up wherever they are
    in play. So a two may go up, and any card whose two are up themselves, if they need not come
    back. They would come back to carry the card of its own colour two ranks lower and other suit,
    so that must be up, too, or be an ace. Then no card below it need ever come back: such cards
    carry only each other.
    """
    red = (suit ^ suit >> 1) & 1
    rank = min(height(up, 0), height(up, 3)) if red else min(height(up, 1), height(up, 2))
    if worry_back:
        rank = min(rank, max(height(up, 3 - suit) + 1, 2))
    return max(rank, 1)


@jit
def safe_to_go(up: int, worry_back: bool) -> int:
    """The next cards of the foundations that may go up without being missed, as a set."""
    cards = 0
    for suit in range(SUITS):
        rank = height(up, suit)
        if rank <= KING and rank <= highest_safe(up, suit, worry_back):
            cards |= NEXT[suit, rank]
    return cards


@jit
def useful_to_return(up: int) -> int:
    """The top cards of the foundations that may be missed on the tableau, as a set.

    Where both kings of a colour are up, the rules let the one of the lower suit code come back:
    with all cards of both suits up it does not matter which.
    """
    cards = 0
    for suit in range(SUITS):
        rank = height(up, suit) - 1
        if rank == KING and suit >= 2 and height(up, 3 - suit) > KING:
            continue
        if rank > highest_safe(up, suit, True):
            cards |= NEXT[suit, rank]
    return cards
