"""Poker Squares: the features of an afterstate in which lines meet.

Each empty square has one: how the cards of its row match, whether its column may become a flush,
and how many unseen cards would serve both. Each line has one by how many of its empty squares may
be reached, and each rank one by the rows that it lies in and the cards of it that are unseen.
"""

import numpy as np

from ...core.aliases import Action, CardCode, FeatureIds, RulesRecord, Scores, State, Table
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import PACK_SIZE, RANKS
from ...core.kernel.jit import jit
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
def line_with(ids: FeatureIds, ranks: int, line: int, card: CardCode) -> int:
    """A line's number with a card more; from ``ranks`` on ``ids`` has the ranks' and the lines'."""
    rank, number = (card >> 2) - 1, ids[ranks + len(RANKS) + line]
    same = ids[ranks + rank] >> (ROW_BITS * line) & 7 if line < SIZE else number >> rank & 1
    return add_to_line(number, card, same)


@jit
def line_kind(s: State, line: int, number: int) -> int:
    """The kind of a line by its number."""
    return row_kind(number) if line < SIZE else column_kind(s, number)


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
def square_feature(unseen: int, row: int, column: int, lie: int, reached: int) -> int:
    """The feature of an empty square, by the kinds of its row and its column."""
    kind = column >> 2
    outs = 0
    if SLACKS <= kind < BROKEN * SLACKS:
        of_suit = unseen >> ((column & 3) * len(RANKS))
        outs = min(count(of_suit & row & ALL_RANKS), OUTS - 1)
    number = ((row >> len(RANKS)) * COLUMNS * SLACKS + kind) * OUTS + outs
    return BY_SQUARE + (lie * PER_LIE + number) * 2 + reached


@jit
def write_empty_squares(
    unseen: int, empty: int, reached: int, lie: int, ids: FeatureIds, at: int, room: int
) -> int:
    """Write the features of the empty squares; return where they end."""
    while empty:
        square = lowest(empty)
        empty &= empty - 1
        row, column = ids[room + square // SIZE], ids[room + SIZE + square % SIZE]
        ids[at] = square_feature(unseen, row, column, lie, reached >> square & 1)
        at += 1
    return at


@jit
def line_squares(number: int) -> int:
    """The squares of a line; rows have numbers 0-4, columns 5-9."""
    return COLUMN << (number - SIZE) if number >= SIZE else ROW << (SIZE * number)


@jit
def reach_feature(number: int, kind: int, reached: int, lie: int) -> int:
    """The feature of a line by how many of its squares may be reached."""
    is_column = number >= SIZE
    place = number - SIZE if is_column else number
    kind = kind // (4 * SLACKS) if is_column else kind >> len(RANKS)
    kind += (is_column * PLACES + min(place, SIZE - 1 - place)) * SHAPES
    return BY_LINE + (kind * (SIZE + 1) + count(reached & line_squares(number))) * SQUARES + lie


@jit
def write_lines(empty: int, reached: int, lie: int, ids: FeatureIds, at: int, room: int) -> int:
    """Write the features of the lines that are not full; return where they end."""
    for number in range(LINES):
        if empty & line_squares(number):
            ids[at] = reach_feature(number, ids[room + number], reached, lie)
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
    row, column = action // SIZE, SIZE + action % SIZE
    row_before, column_before = ids[room + row], ids[room + column]
    ids[room + row] = line_kind(s, row, line_with(ids, room + LINES, row, card))
    ids[room + column] = line_kind(s, column, line_with(ids, room + LINES, column, card))
    filled = s["filled"] | 1 << action
    empty = ALL & ~filled
    bound = rules.adjacent == Adjacent.ALL
    reached = adjacent_squares(filled) & empty if bound else empty
    at = write_empty_squares(unseen, empty, reached, lie, ids, at, room)
    if bound:
        at = write_lines(empty, reached, lie, ids, at, room)
    ids[room + row], ids[room + column] = row_before, column_before
    return at


@jit
def add_square_values(
    unseen: int,
    filled: int,
    reached: int,
    lie: int,
    before: FeatureIds,
    after: FeatureIds,
    table: Table,
    scores: Scores,
) -> float:
    """Add to each empty square what all of them gain by a card on it; return what they have.

    ``before`` and ``after`` are the kinds of the lines without the card and with it, ``table`` the
    values from `BY_SQUARE` on. A square that the card makes reachable still counts as it was.
    """
    empty, total = ALL & ~filled, 0.0
    for line in range(LINES):
        is_column = line >= SIZE
        gained = 0.0
        rest = empty & line_squares(line)
        while rest:
            square = lowest(rest)
            rest &= rest - 1
            row, column, bit = square // SIZE, SIZE + square % SIZE, reached >> square & 1
            old = table[square_feature(unseen, before[row], before[column], lie, bit)]
            if is_column:
                new = table[square_feature(unseen, before[row], after[column], lie, bit)]
                scores[square] -= new
            else:
                new = table[square_feature(unseen, after[row], before[column], lie, bit)]
                scores[square] += old - new
                total += old
            gained += new - old
        rest = empty & line_squares(line)
        while rest:
            scores[lowest(rest)] += gained
            rest &= rest - 1
    return total


@jit
def add_reach_values(
    unseen: int,
    filled: int,
    legal: int,
    lie: int,
    before: FeatureIds,
    after: FeatureIds,
    table: Table,
    scores: Scores,
) -> None:
    """Add to each legal square what the squares bring that a card on it makes reachable.

    That is what `add_square_values` leaves out, and the lines by what of them may be reached.
    """
    empty = ALL & ~filled
    reached = adjacent_squares(filled) & empty
    while legal:
        place = lowest(legal)
        legal &= legal - 1
        beside = adjacent_squares(1 << place) & empty
        fresh = beside & ~reached
        while fresh:
            square = lowest(fresh)
            fresh &= fresh - 1
            row, column = square // SIZE, SIZE + square % SIZE
            along = row == place // SIZE
            row = after[row] if along else before[row]
            column = before[column] if along else after[column]
            number = square_feature(unseen, row, column, lie, 0)
            scores[place] += table[number + 1] - table[number]
        left = empty & ~(1 << place)
        for line in range(LINES):
            squares = line_squares(line)
            if left & squares:
                kind = after[line] if squares >> place & 1 else before[line]
                scores[place] += table[reach_feature(line, kind, (reached | beside) & left, lie)]


@jit
def rank_gain(s: State, table: Table, ids: FeatureIds, first: int, row: int, lie: int) -> float:
    """What the ranks gain by the card in hand in a row, their numbers in ``ids`` from ``first``."""
    gained = 0.0
    action = lowest(~s["filled"] & ROW << (SIZE * row))
    for rank in range(len(RANKS)):
        number = ids[first + rank]
        after = rank_after(s, action, number, rank)
        if after != number:
            gained += table[rank_feature(s, rank, after, lie)]
            gained -= table[rank_feature(s, rank, number, lie)]
    return gained


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
