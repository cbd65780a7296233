"""Poker Squares: the features of an afterstate in which lines meet.

Each empty square has one: how the cards of its row match, whether its column may become a flush,
and how many unseen cards would serve both. Each line has one by how many of its empty squares may
be reached, and each rank one by the rows that it lies in and the cards of it that are unseen.
"""

import numpy as np

from ..core.aliases import Action, CardCode, FeatureIds, RulesRecord, State
from ..core.bits import count, lowest
from ..core.cards import PACK_SIZE, RANKS
from ..core.jit import jit
from .kernel import ALL, COLUMN, ROW, adjacent_squares
from .rules import LINES, SIZE, SQUARES, Adjacent

SHAPES = 12
"""How up to four cards match: none, 1, 1-1, 2, 1-1-1, 2-1, 3, 1-1-1-1, 2-1-1, 2-2, 3-1, 4."""
SHAPE = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0],
        [2, 3, 0, 0, 0, 0, 0],
        [4, 5, 0, 6, 0, 0, 0],
        [7, 8, 9, 10, 0, 0, 11],
    ],
    np.int64,
)
"""[cards][pairs of equal ranks among them] -> shape."""
BROKEN = SIZE
"""Of a column: it is no flush any more; before it, how many cards of one suit lie in it."""
COLUMNS, SLACKS, OUTS = BROKEN + 2, 4, 4
"""What is told apart of columns (broken ones with a pair, too), of cards to spare for a flush (by
two), of cards that serve row and column."""
PLACES = SIZE // 2 + 1
"""Of lines: how far they lie from the edge."""
UNSEEN_OF_RANK = 5
PER_LIE = SHAPES * COLUMNS * SLACKS * OUTS
BY_SQUARE = 0
BY_LINE = BY_SQUARE + PER_LIE * 2 * SQUARES
BY_RANK = BY_LINE + 2 * PLACES * SHAPES * (SIZE + 1) * SQUARES
NUM_SQUARE_FEATURES = BY_RANK + SHAPES * UNSEEN_OF_RANK * SQUARES
MOST_SQUARE_FEATURES = SQUARES + LINES + len(RANKS)
ROOM = 2 * LINES + len(RANKS)
"""Numbers kept beside the features while they are found: the kinds of rows and columns, a number
of each rank, the numbers of rows and columns."""
EQUALS_AT, SUITS_AT, CARDS_AT = len(RANKS), len(RANKS) + 3, len(RANKS) + 7
"""A line's number is the set of its ranks; above them equal pairs, its suits, its cards."""
ALL_RANKS = (1 << len(RANKS)) - 1
ROW_BITS = 3
"""In a rank's number, for each row: how many cards of the rank lie in it, if it is not full."""


def _rank_shapes() -> np.ndarray:
    """The shape of each number of a rank: `SHAPE` of the cards that it counts."""
    numbers = np.arange(1 << ROW_BITS * SIZE)
    counts = np.stack([numbers >> ROW_BITS * row & (1 << ROW_BITS) - 1 for row in range(SIZE)])
    cards, pairs = counts.sum(axis=0), (counts * (counts - 1) // 2).sum(axis=0)
    known = cards < SIZE
    return np.where(known, SHAPE[np.where(known, cards, 0), np.where(known, pairs, 0)], 0)


RANK_SHAPE = _rank_shapes()


@jit
def add_to_line(number: int, card: CardCode, same: int) -> int:
    """The number of a line with one card more; ``same`` of its cards are of that rank."""
    number |= 1 << ((card >> 2) - 1) | 1 << (SUITS_AT + (card & 3))
    return number + (same << EQUALS_AT) + (1 << CARDS_AT)


@jit
def row_kind(number: int) -> int:
    """The ranks in a row, a set, and above them how they match; 0 for a full row."""
    cards = number >> CARDS_AT
    shape = SHAPE[cards, number >> EQUALS_AT & 7] if cards < SIZE else 0
    return shape << len(RANKS) | number & ALL_RANKS


@jit
def column_kind(s: State, number: int) -> int:
    """What a column may become, cards to spare for that, and its suit; 0 for a full column."""
    cards, suits, pairs = number >> CARDS_AT, number >> SUITS_AT & 15, number >> EQUALS_AT & 7
    if cards == 0 or cards == SIZE:
        return 0
    suit = lowest(suits)
    spare = s["suits"][suit] - (SIZE - cards)
    if suits != 1 << suit or pairs or spare < 0:
        return (BROKEN + (pairs > 0)) * SLACKS * 4
    return (cards * SLACKS + min(spare // 2, SLACKS - 1)) * 4 + suit


@jit
def unseen_cards(s: State) -> int:
    """All unseen cards, a set, suit after suit."""
    found = 0
    for card in range(PACK_SIZE):
        if s["shown"]["unseen"][card]:
            found |= 1 << ((card & 3) * len(RANKS) + (card >> 2))
    return found


@jit
def write_numbers(s: State, ids: FeatureIds, room: int) -> None:
    """Write what is kept of rows, columns and ranks, from ``room`` on: see `ROOM`."""
    ranks, rows = room + LINES, room + LINES + len(RANKS)
    for i in range(len(RANKS) + LINES):
        ids[ranks + i] = 0
    for square in range(SQUARES):
        code = s["shown"]["grid"][square]
        if code:
            row, column = rows + square // SIZE, rows + SIZE + square % SIZE
            rank = (code >> 2) - 1
            same = ids[ranks + rank] >> (ROW_BITS * (square // SIZE)) & 7
            ids[row] = add_to_line(ids[row], code, same)
            ids[column] = add_to_line(ids[column], code, ids[column] >> rank & 1)
            ids[ranks + rank] += 1 << (ROW_BITS * (square // SIZE))
    for line in range(SIZE):
        ids[room + line] = row_kind(ids[rows + line])
        ids[room + SIZE + line] = column_kind(s, ids[rows + SIZE + line])
        if ids[rows + line] >> CARDS_AT == SIZE:
            for rank in range(len(RANKS)):
                ids[ranks + rank] &= ~(7 << (ROW_BITS * line))


@jit
def write_empty_squares(
    unseen: int, empty: int, reached: int, lie: int, ids: FeatureIds, at: int, room: int
) -> int:
    """Write the features of the empty squares; return where they end."""
    while empty:
        square = lowest(empty)
        empty &= empty - 1
        row, column = ids[room + square // SIZE], ids[room + SIZE + square % SIZE]
        kind = column >> 2
        outs = 0
        if SLACKS <= kind < BROKEN * SLACKS:
            of_suit = unseen >> ((column & 3) * len(RANKS))
            outs = min(count(of_suit & row & ALL_RANKS), OUTS - 1)
        number = ((row >> len(RANKS)) * COLUMNS * SLACKS + kind) * OUTS + outs
        ids[at] = BY_SQUARE + (lie * PER_LIE + number) * 2 + (reached >> square & 1)
        at += 1
    return at


@jit
def write_lines(empty: int, reached: int, lie: int, ids: FeatureIds, at: int, room: int) -> int:
    """Write the features of the lines that are not full; return where they end."""
    for number in range(LINES):
        is_column = number >= SIZE
        place = number - SIZE if is_column else number
        squares = COLUMN << place if is_column else ROW << (SIZE * place)
        if empty & squares == 0:
            continue
        kind = ids[room + number]
        kind = kind // (4 * SLACKS) if is_column else kind >> len(RANKS)
        kind += (is_column * PLACES + min(place, SIZE - 1 - place)) * SHAPES
        ids[at] = BY_LINE + (kind * (SIZE + 1) + count(reached & squares)) * SQUARES + lie
        at += 1
    return at


@jit
def write_changed_squares(
    s: State, rules: RulesRecord, unseen: int, action: Action, ids: FeatureIds, at: int, room: int
) -> int:
    """Write the features of an afterstate's empty squares, and of its lines where cards must touch.

    ``room``: where `write_numbers` has written; it is left as it was. Returns where they end.
    """
    card, lie = s["shown"]["card"], s["shown"]["placed"] + 1
    row, column = room + action // SIZE, room + SIZE + action % SIZE
    rank, numbers = (card >> 2) - 1, LINES + len(RANKS)
    row_before, column_before = ids[row], ids[column]
    same = ids[room + LINES + rank] >> (ROW_BITS * (action // SIZE)) & 7
    ids[row] = row_kind(add_to_line(ids[row + numbers], card, same))
    number = ids[column + numbers]
    ids[column] = column_kind(s, add_to_line(number, card, number >> rank & 1))
    filled = s["filled"] | 1 << action
    empty = ALL & ~filled
    bound = rules.adjacent == Adjacent.ALL
    reached = adjacent_squares(filled) & empty if bound else empty
    at = write_empty_squares(unseen, empty, reached, lie, ids, at, room)
    if bound:
        at = write_lines(empty, reached, lie, ids, at, room)
    ids[row], ids[column] = row_before, column_before
    return at


@jit
def rank_feature(s: State, rank: int, number: int, lie: int) -> int:
    """The feature of a rank."""
    shape = RANK_SHAPE[number]
    return BY_RANK + (lie * SHAPES + shape) * UNSEEN_OF_RANK + s["ranks"][rank]


@jit
def rank_after(s: State, action: Action, number: int, rank: int) -> int:
    """A rank's number once the card in hand lies on a square; a row that is then full drops out."""
    row = action // SIZE
    if (s["filled"] | 1 << action) >> (SIZE * row) & ROW == ROW:
        return number & ~(((1 << ROW_BITS) - 1) << (ROW_BITS * row))
    return number + ((rank == (s["shown"]["card"] >> 2) - 1) << (ROW_BITS * row))
