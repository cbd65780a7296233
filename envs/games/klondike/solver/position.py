"""Klondike's solver: a position up to the order of columns, and up to moves that can be taken back.

A *head* is the first card in sight of a column, if a card is under it or if it is no king: it lies
where it was dealt. All other cards in sight are *loose*: kings at the foot of a column, and cards
on a card that carries them. Which of two twins carries a card is left out. Two positions with the
same heads, foundations, stock and waste can be turned into each other as far as it matters, if a
part of a run may move: where one twin carries and the other is bare, the carried part moves over;
and where both carry, neither can be moved or covered, whichever carries which. So a position is:
how many cards of each column still lie as dealt, how many of each suit are up, and the stock.
"""

from typing import NamedTuple

from ....core.kernel.bits import count
from ....core.kernel.jit import jit
from .card_sets import ALL_CARDS, KINGS, RANKS
from .frames import COLUMNS, STOCK, Search

UP_CODES = (RANKS + 1) ** 4


class Board(NamedTuple):
    """A position without its foundations."""

    columns: int
    """Cards that lie as dealt, heads included: four bits a column."""
    stock: int
    """The cards of the deal's stock that are in stock or waste: bit i stands for the ith."""
    waste: int
    """How many of them are in the waste."""
    redeals: int
    """How many redeals are left; 0 if any number."""


@jit
def left_in(columns: int, column: int) -> int:
    """How many cards of a column lie as dealt."""
    return columns >> 4 * column & 15


@jit
def take_head(columns: int, column: int, search: Search) -> int:
    """The columns without the head of one.

    A king that then lies there alone is loose at once: it does not matter which column is empty.
    """
    columns -= 1 << 4 * column
    if left_in(columns, column) == 1 and search["dealt"][column, 0] & KINGS:
        columns -= 1 << 4 * column
    return columns


class Sight(NamedTuple):
    """What can be seen of a board, as sets of cards."""

    heads: int
    known: int
    """The cards in sight on the tableau, and those that are up."""
    stock: int
    reachable: int
    """Those of the stock that can be had from where one stands."""
    free: int
    """How many columns have no head."""


@jit
def look(board: Board, stock: int, search: Search) -> Sight:
    """Look at a board; ``stock`` are its cards, and those that can be had are listed."""
    heads, hidden, free, reachable = 0, 0, 0, 0
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if left:
            heads |= search["dealt"][column, left - 1]
            hidden |= search["buried"][column, left - 1]
        else:
            free += 1
    for row in range(search["reached"]):
        reachable |= search["reach"][row, 1]
    return Sight(heads, ALL_CARDS & ~hidden & ~stock, stock, reachable, free)


@jit
def count_empty(sight: Sight, loose: int) -> int:
    """How many columns are empty: those without a head and without a loose king."""
    return sight.free - count(loose & KINGS)


@jit
def code_board(board: Board) -> int:
    """A number below 2**32 for the columns, the waste and the redeals left.

    A column has 1, 2, ... 7 cards at most, or 7, 6, ... 1: any order does, as long as it is kept.
    """
    code = board.redeals * (STOCK + 1) + board.waste
    for column in range(COLUMNS):
        code = code * (column + 2) + left_in(board.columns, column)
    return code


@jit
def code_up(up: int) -> int:
    """A number below `UP_CODES` for the foundations."""
    base = RANKS + 1
    return (((up >> 12) * base + (up >> 8 & 15)) * base + (up >> 4 & 15)) * base + (up & 15)
