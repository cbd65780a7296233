"""Klondike's solver: positions that are lost for a reason that is soon seen.

The reason is looked for in an easier game, in which nothing that is free is ever taken: a pair of
twins that can carry one card can carry any number, an empty column takes all kings, a card that
went up is still where it was, and once a card of the stock can be played all of them can be had.
Who cannot bring all cards up there cannot do so in the game.
"""

from ....core.kernel.jit import jit
from .card_sets import (
    ACES,
    FIRST_TWINS,
    KINGS,
    NEXT,
    RANKS,
    SUITS,
    cards_up,
    height,
    open_pairs,
)
from .frames import COLUMNS, Search
from .position import Board, Sight, count_empty, left_in

ALL_UP = 0xDDDD
"""The foundations with 13 cards each."""


@jit
def is_hopeless(board: Board, up: int, sight: Sight, search: Search) -> bool:
    """Whether a position is lost even in the easier game.

    A pair that carries all it can is open there as soon as a loose card that it may carry has gone
    up, or one more card of it has come.
    """
    columns, raised = board.columns, cards_up(up)
    there = sight.known & ~raised
    loose = there & ~sight.heads
    able, seen, stock = open_pairs(there, loose), there, sight.reachable
    empty = count_empty(sight, loose) > 0
    while True:
        before = seen, raised, columns
        fresh = seen & ~there | (raised & loose) << 4
        able |= ((fresh | fresh >> 1) & FIRST_TWINS) * 3
        empty = empty or raised & loose & KINGS != 0
        slots = able >> 4 | (KINGS if empty else 0)
        if stock & (slots | raised):
            stock = sight.stock
        seen |= stock & slots
        if search["worry_back"]:
            seen |= raised & ~ACES & slots
        ready = seen & able | stock
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
                    empty = True
        if up == ALL_UP:
            return False
        if before == (seen, raised, columns):
            return True
