"""Poker Squares: values of afterstates from a learned table of features.

An afterstate has these features:

- Each line has a feature that combines: row or column, the shape of its matching cards, whether it
  can become a flush and the number of unseen cards of that suit, the number of straights that it
  can become, the number of unseen cards that would match, and the number of cards on the grid.
- Each suit has a feature that describes how the columns that can become flushes of the suit compete
  for its unseen cards.
- Each empty square has a feature that combines: the shape of its row, whether its column can become
  a flush, and the number of unseen cards that would help both.
- Each rank has a feature that combines the rows that contain it and its unseen cards.
- If cards must touch, each line has a feature for the number of its empty squares that can be
  reached.

`score_afterstates` compares the squares for the card in hand. `expect_answers` looks one ply
further: it returns the mean value, over all possible next cards, of the best square for that card.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.afterstates import AfterstateFeatures, best_legal
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, RANKS
from ...core.kernel.jit import jit
from ...core.type_aliases import (
    Action,
    CardCode,
    CardSet,
    FeatureIds,
    RulesRecord,
    Scores,
    State,
    States,
    Table,
)
from .kernel import (
    ALL,
    COLUMN,
    ROW,
    STRAIGHTS,
    adjacent_squares,
    legal_squares,
    line_points,
    points_with,
)
from .rules import LINES, SIZE, SQUARES, Adjacent

# ---- features of single lines and suits -----------------------------------------------------

SHAPES = 12
"""Number of shapes: the ways in which up to four cards match (none, 1, 1-1, 2, ... 3-1, 4)."""
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
"""Shape by the number of cards and the number of pairs of equal ranks."""
NUM_FLUSHES = len(RANKS) + 1
NUM_STRAIGHTS = 6
NUM_MATCHES = 21
"""Numbers of unseen matching cards: of ranks that already match, and of other ranks (up to 6)."""
NUM_OTHER_MATCHES = 7
PER_DIRECTION = SHAPES * NUM_FLUSHES * NUM_STRAIGHTS * NUM_MATCHES * SQUARES
NUM_RIVALS, NUM_NEEDED = 4, 13
"""Distinguished numbers of columns that can become a flush of one suit, and of cards they need."""
NUM_SUIT_FEATURES = NUM_RIVALS * NUM_NEEDED * (len(RANKS) + 1) * SQUARES
NUM_LINE_FEATURES = 2 * PER_DIRECTION + NUM_SUIT_FEATURES
COUNTS_SHIFT = 5 * 4
"""Number of bits of all columns' suits in `pack_columns`. The counts follow above them."""


def _tabulate_straights(belongs: Callable[[int, int], bool]) -> np.ndarray:
    """Return a table by sets of ranks of the sets of straights that belong to them."""
    straights = np.zeros(1 << len(RANKS), np.int64)
    for number, straight in enumerate(STRAIGHTS.tolist()):
        straights |= [belongs(ranks, straight) << number for ranks in range(1 << len(RANKS))]
    return straights


POSSIBLE_STRAIGHTS = _tabulate_straights(lambda ranks, straight: ranks & ~straight == 0)
"""The straights that a set of ranks can become."""
SPOILED_STRAIGHTS = _tabulate_straights(lambda ranks, straight: ranks & straight != 0)
"""The straights that need one of a set of ranks."""


@jit
def count_straights(s: State, ranks: int) -> int:
    """Return the number of straights that a set of ranks can still become with the unseen cards."""
    possible = POSSIBLE_STRAIGHTS[ranks]
    if possible == 0:
        return 0
    exhausted = 0
    for rank in range(len(RANKS)):
        exhausted |= (s["ranks"][rank] == 0) << rank
    return min(count(possible & ~SPOILED_STRAIGHTS[exhausted & ~ranks]), NUM_STRAIGHTS - 1)


@jit
def line_feature(s: State, first: int, stride: int, card: CardCode, num_placed: int) -> int:
    """Return the feature of a line, -1 if it is full.

    Args:
        s: the state.
        first: first square of the line.
        stride: distance of its squares: 1 for a row, `SIZE` for a column.
        card: card to add to the line, 0 for none.
        num_placed: cards on the grid.
    """
    grid = s["shown"]["grid"]
    cards = ranks = repeated = pairs = suits = suit = 0
    for i in range(SIZE + 1):
        code = card if i == SIZE else grid[first + i * stride]
        if code == 0:
            continue
        cards += 1
        suit = code & 3
        suits |= 1 << suit
        rank = 1 << ((code >> 2) - 1)
        repeated |= ranks & rank
        if ranks & rank:
            for j in range(i):
                pairs += grid[first + j * stride] >> 2 == code >> 2
        ranks |= rank
    if cards >= SIZE:
        return -1
    flush = 0
    if suits == 1 << suit and pairs == 0 and s["suits"][suit] >= SIZE - cards:
        flush = s["suits"][suit]
    straights = 0 if pairs or cards == 0 else count_straights(s, ranks)
    matching = other = 0
    single = ranks & ~repeated
    while repeated:
        matching += s["ranks"][lowest(repeated)]
        repeated &= repeated - 1
    while single:
        other += s["ranks"][lowest(single)]
        single &= single - 1
    match = other
    if pairs:
        match = matching * NUM_OTHER_MATCHES + min(other, NUM_OTHER_MATCHES - 1)
    number = (SHAPE[cards, pairs] * NUM_FLUSHES + flush) * NUM_STRAIGHTS + straights
    number = number * NUM_MATCHES + min(match, NUM_MATCHES - 1)
    return (number * SQUARES + num_placed) * 2 + (stride == 1)


@jit
def line_start(line: int) -> Any:
    """Return the first square of a line and its stride. Lines 0-4 are rows, 5-9 columns."""
    return (line * SIZE, 1) if line < SIZE else (line - SIZE, SIZE)


@jit
def line_value(s: State, table: Table, line: int, card: CardCode, num_placed: int) -> float:
    """Return the value of a line with ``card`` (0: none) added; its points if it is then full."""
    first, stride = line_start(line)
    feature = line_feature(s, first, stride, card, num_placed)
    return table[feature] if feature >= 0 else float(points_with(s, first, stride, card))


@jit
def line_value_gain(s: State, table: Table, line: int) -> float:
    """Return the gain of a line with an empty square from the card in hand."""
    num_placed = s["shown"]["placed"] + 1
    before = line_value(s, table, line, 0, num_placed)
    return line_value(s, table, line, s["shown"]["card"], num_placed) - before


@jit
def pack_columns(s: State) -> int:
    """Return the packed suits of all columns, four bits each, then the counts, three each."""
    packed = 0
    for square in range(SQUARES):
        code = s["shown"]["grid"][square]
        if code:
            packed = add_to_column(packed, square % SIZE, code)
    return packed


@jit
def add_to_column(packed: int, column: int, card: CardCode) -> int:
    """Return packed columns with one more card in a column."""
    return (packed | 1 << (4 * column + (card & 3))) + (1 << (COUNTS_SHIFT + 3 * column))


@jit
def suit_feature(s: State, packed: int, suit: int, num_placed: int) -> int:
    """Return the feature of a suit: the columns that compete for it, and its unseen cards."""
    rivals = needed = 0
    for column in range(SIZE):
        cards = (packed >> (COUNTS_SHIFT + 3 * column)) & 7
        is_one_suit = (packed >> (4 * column)) & 15 == 1 << suit
        if is_one_suit and cards < SIZE and s["suits"][suit] >= SIZE - cards:
            rivals += 1
            needed += SIZE - cards
    number = min(rivals, NUM_RIVALS - 1) * NUM_NEEDED + min(needed, NUM_NEEDED - 1)
    number = (number * (len(RANKS) + 1) + s["suits"][suit]) * SQUARES + num_placed
    return 2 * PER_DIRECTION + number


@jit
def suit_gain(s: State, table: Table, packed: int, column: int) -> float:
    """Return the gain of the four suits from the card in hand in a column."""
    card, num_placed = s["shown"]["card"], s["shown"]["placed"] + 1
    after = add_to_column(packed, column, card)
    touched = (packed >> (4 * column)) & 15 | 1 << (card & 3)
    gain = 0.0
    if num_placed == SQUARES:
        return gain
    for suit in range(4):
        if (touched >> suit) & 1:
            gain += table[suit_feature(s, after, suit, num_placed)]
            gain -= table[suit_feature(s, packed, suit, num_placed)]
    return gain


# ---- the scratch record ---------------------------------------------------------------------
#
# Numba frees an array that is no longer used, even if one of its records is still used. So
# functions take arrays of scratch records instead of records.

COUNTED_GRID = np.dtype(
    [
        ("lines", np.int32, (LINES,)),  # number of each line, see `add_to_line`
        ("ranks", np.int32, (len(RANKS),)),  # number of each rank, see `ROW_BITS`
        ("kinds", np.int32, (LINES,)),  # kind of each line, see `line_kind`
        ("kinds_with", np.int32, (LINES,)),  # kind of each line with the next card added
    ]
)
"""Facts about a grid that the crossing features need, computed once."""

SCRATCH = np.dtype(
    [
        ("grids", COUNTED_GRID, (1 + SIZE,)),  # without the first card; with it in each row
        ("kinds", np.int32, (2, 2, LINES)),  # indices: first card in the line?, second card in it?
        ("held", np.float64, (2, LINES)),  # value of each line without the second card
        ("gained", np.float64, (2, LINES)),  # gain of the line from the second card
        # indices: column (or row) of the first and of the second card; last: no second card
        ("suits", np.float64, (SIZE, SIZE + 1)),  # by columns
        ("ranks", np.float64, (SIZE, SIZE + 1)),  # by rows
        ("answers", np.float64, (SQUARES,)),  # value of each square for the second card
        ("before", np.int32, (LINES,)),  # kinds with the first card placed
        ("after", np.int32, (LINES,)),  # kinds with both cards placed
    ]
)
"""Scratch record of `expect_answers`: each line without and with the first and second card."""

ALL_RANKS = (1 << len(RANKS)) - 1
PAIRS_SHIFT, SUITS_SHIFT, CARDS_SHIFT = len(RANKS), len(RANKS) + 3, len(RANKS) + 7
"""Bit offsets in the number of a line: set of ranks, pairs of equal ranks, suits, cards."""
ROW_BITS = 3
"""Bits in the number of a rank for each row: the number of cards of the rank, if not full."""
ROW_MASK = (1 << ROW_BITS) - 1
BROKEN = SIZE
"""Flush state of a column that cannot become a flush; below it, the number of its cards."""
FLUSH_STATES, SLACKS, OUTS = BROKEN + 2, 4, 4
"""Distinguished flush states (two for broken columns: without and with a pair), spare cards of the
suit (by two), and unseen cards that serve row and column."""


@jit
def add_to_line(number: int, card: CardCode, same_rank: int) -> int:
    """Return the number of a line with one more card; ``same_rank`` of its cards have that rank."""
    number |= 1 << ((card >> 2) - 1) | 1 << (SUITS_SHIFT + (card & 3))
    return number + (same_rank << PAIRS_SHIFT) + (1 << CARDS_SHIFT)


@jit
def row_kind(number: int) -> int:
    """Return the set of ranks in a row, and above it the shape of its cards, 0 for a full row."""
    cards = number >> CARDS_SHIFT
    shape = SHAPE[cards, number >> PAIRS_SHIFT & 7] if cards < SIZE else 0
    return shape << len(RANKS) | number & ALL_RANKS


@jit
def column_kind(s: State, number: int) -> int:
    """Return the flush state of a column, spare cards and suit, packed; 0 for a full column."""
    cards, suits = number >> CARDS_SHIFT, number >> SUITS_SHIFT & 15
    pairs = number >> PAIRS_SHIFT & 7
    if cards == 0 or cards == SIZE:
        return 0
    suit = lowest(suits)
    spare = s["suits"][suit] - (SIZE - cards)
    if suits != 1 << suit or pairs or spare < 0:
        return (BROKEN + (pairs > 0)) * SLACKS * 4
    return (cards * SLACKS + min(spare // 2, SLACKS - 1)) * 4 + suit


@jit
def line_kind(s: State, line: int, number: int) -> int:
    """Return the kind of a line with this number."""
    return row_kind(number) if line < SIZE else column_kind(s, number)


@jit
def line_with(grid: Any, line: int, card: CardCode) -> int:
    """Return the number of a line with one more card; ``grid`` is a record of `COUNTED_GRID`."""
    rank, number = (card >> 2) - 1, grid["lines"][line]
    if line < SIZE:
        return add_to_line(number, card, grid["ranks"][rank] >> (ROW_BITS * line) & ROW_MASK)
    return add_to_line(number, card, number >> rank & 1)


@jit
def count_grid(s: State, grids: np.ndarray) -> None:
    """Write numbers and kinds of the grid to the first record of ``grids``."""
    grid = grids[0]
    lines, ranks = grid["lines"], grid["ranks"]
    for line in range(LINES):
        lines[line] = 0
    for rank in range(len(RANKS)):
        ranks[rank] = 0
    for square in range(SQUARES):
        code = s["shown"]["grid"][square]
        if code:
            row, column, rank = square // SIZE, SIZE + square % SIZE, (code >> 2) - 1
            in_row = ranks[rank] >> (ROW_BITS * row) & ROW_MASK
            lines[row] = add_to_line(lines[row], code, in_row)
            lines[column] = add_to_line(lines[column], code, lines[column] >> rank & 1)
            ranks[rank] += 1 << (ROW_BITS * row)
    for line in range(LINES):
        grid["kinds"][line] = line_kind(s, line, lines[line])
    for row in range(SIZE):
        if lines[row] >> CARDS_SHIFT == SIZE:
            for rank in range(len(RANKS)):
                ranks[rank] &= ~(ROW_MASK << (ROW_BITS * row))


@jit
def unseen_cards(s: State) -> CardSet:
    """Return the set of unseen cards, suit after suit."""
    cards = 0
    for card in range(PACK_SIZE):
        if s["shown"]["unseen"][card]:
            cards |= 1 << ((card & 3) * len(RANKS) + (card >> 2))
    return cards


# ---- features of crossing lines -------------------------------------------------------------

EDGE_DISTANCES = SIZE // 2 + 1
UNSEEN_OF_RANK = 5
PER_PLACED = SHAPES * FLUSH_STATES * SLACKS * OUTS
BY_SQUARE = 0
BY_LINE = BY_SQUARE + PER_PLACED * 2 * SQUARES
BY_RANK = BY_LINE + 2 * EDGE_DISTANCES * SHAPES * (SIZE + 1) * SQUARES
NUM_CROSSING_FEATURES = BY_RANK + SHAPES * UNSEEN_OF_RANK * SQUARES
MAX_CROSSING_FEATURES = SQUARES + LINES + len(RANKS)
"""The largest number of crossing features that an afterstate has."""


def _make_rank_shapes() -> np.ndarray:
    """Tabulate the shape of each number of a rank: `SHAPE` of the cards that it counts."""
    numbers = np.arange(1 << ROW_BITS * SIZE)
    counts = np.stack([numbers >> ROW_BITS * row & ROW_MASK for row in range(SIZE)])
    cards, pairs = counts.sum(axis=0), (counts * (counts - 1) // 2).sum(axis=0)
    known = cards < SIZE
    return np.where(known, SHAPE[np.where(known, cards, 0), np.where(known, pairs, 0)], 0)


RANK_SHAPE = _make_rank_shapes()


@jit
def square_feature(unseen: CardSet, row: int, column: int, num_placed: int, is_reached: int) -> int:
    """Return the feature of an empty square, by the kinds of its row and its column."""
    flush = column >> 2
    outs = 0
    if SLACKS <= flush < BROKEN * SLACKS:
        of_suit = unseen >> ((column & 3) * len(RANKS))
        outs = min(count(of_suit & row & ALL_RANKS), OUTS - 1)
    number = ((row >> len(RANKS)) * FLUSH_STATES * SLACKS + flush) * OUTS + outs
    return BY_SQUARE + (num_placed * PER_PLACED + number) * 2 + is_reached


@jit
def line_squares(line: int) -> int:
    """Return the set of squares of a line. Lines 0-4 are rows, 5-9 columns."""
    return COLUMN << (line - SIZE) if line >= SIZE else ROW << (SIZE * line)


@jit
def reach_feature(line: int, kind: int, reached: int, num_placed: int) -> int:
    """Return the feature of a line by how many of its squares can be reached."""
    is_column = line >= SIZE
    index = line - SIZE if is_column else line
    shape = kind // (4 * SLACKS) if is_column else kind >> len(RANKS)
    shape += (is_column * EDGE_DISTANCES + min(index, SIZE - 1 - index)) * SHAPES
    number = shape * (SIZE + 1) + count(reached & line_squares(line))
    return BY_LINE + number * SQUARES + num_placed


@jit
def rank_feature(s: State, rank: int, number: int, num_placed: int) -> int:
    """Return the feature of a rank with this number."""
    shape = RANK_SHAPE[number]
    return BY_RANK + (num_placed * SHAPES + shape) * UNSEEN_OF_RANK + s["ranks"][rank]


@jit
def rank_after(s: State, square: int, number: int, rank: int) -> int:
    """Return a rank's number after placing the card in hand; a row that is then full drops out."""
    row = square // SIZE
    if (s["filled"] | 1 << square) >> (SIZE * row) & ROW == ROW:
        return number & ~(ROW_MASK << (ROW_BITS * row))
    return number + ((rank == (s["shown"]["card"] >> 2) - 1) << (ROW_BITS * row))


@jit
def rank_gain(s: State, table: Table, ranks: np.ndarray, row: int, num_placed: int) -> float:
    """Return how much the ranks, whose numbers are given, gain by the card in hand in a row."""
    gain = 0.0
    square = lowest(~s["filled"] & ROW << (SIZE * row))
    for rank in range(len(RANKS)):
        number = ranks[rank]
        after = rank_after(s, square, number, rank)
        if after != number:
            gain += table[rank_feature(s, rank, after, num_placed)]
            gain -= table[rank_feature(s, rank, number, num_placed)]
    return gain


@jit
def write_crossing_features(
    s: State, rules: RulesRecord, action: Action, grids: np.ndarray, ids: FeatureIds, end: int
) -> int:
    """Write the crossing features of an afterstate to ``ids`` from ``end`` on; return the new end.

    Overwrites the first record of ``grids`` with the counted grid.
    """
    count_grid(s, grids)
    grid, unseen = grids[0], unseen_cards(s)
    kinds, ranks = grid["kinds"], grid["ranks"]
    card, num_placed = s["shown"]["card"], s["shown"]["placed"] + 1
    row, column = action // SIZE, SIZE + action % SIZE
    kinds[row] = line_kind(s, row, line_with(grid, row, card))
    kinds[column] = line_kind(s, column, line_with(grid, column, card))
    filled = s["filled"] | 1 << action
    empty = ALL & ~filled
    must_touch = rules.adjacent == Adjacent.ALL
    reached = adjacent_squares(filled) & empty if must_touch else empty
    left = empty
    while left:
        square = lowest(left)
        left &= left - 1
        is_reached = reached >> square & 1
        ids[end] = square_feature(
            unseen, kinds[square // SIZE], kinds[SIZE + square % SIZE], num_placed, is_reached
        )
        end += 1
    if must_touch:
        for line in range(LINES):
            if empty & line_squares(line):
                ids[end] = reach_feature(line, kinds[line], reached, num_placed)
                end += 1
    for rank in range(len(RANKS)):
        number = rank_after(s, action, ranks[rank], rank)
        ids[end] = rank_feature(s, rank, number, num_placed)
        end += 1
    return end


@jit
def add_square_values(
    unseen: CardSet,
    filled: int,
    reached: int,
    num_placed: int,
    before: np.ndarray,
    after: np.ndarray,
    table: Table,
    scores: Scores,
) -> float:
    """Add to the score of each empty square the total gain of all empty squares from a card on it.

    Squares that the card makes reachable keep their value here; see `add_reach_values`.

    Args:
        unseen: the unseen cards.
        filled: squares with a card.
        reached: squares that can be reached.
        num_placed: cards on the grid after the card.
        before: kinds of the lines without the card.
        after: kinds of the lines with the card.
        table: the values of the crossing features.
        scores: a score for each square.

    Returns:
        The value of all empty squares before the card.
    """
    empty, total = ALL & ~filled, 0.0
    for line in range(LINES):
        is_column = line >= SIZE
        gained = 0.0
        left = empty & line_squares(line)
        while left:
            square = lowest(left)
            left &= left - 1
            row, column, bit = square // SIZE, SIZE + square % SIZE, reached >> square & 1
            old = table[square_feature(unseen, before[row], before[column], num_placed, bit)]
            if is_column:
                new = table[square_feature(unseen, before[row], after[column], num_placed, bit)]
                scores[square] -= new
            else:
                new = table[square_feature(unseen, after[row], before[column], num_placed, bit)]
                scores[square] += old - new
                total += old
            gained += new - old
        left = empty & line_squares(line)
        while left:
            scores[lowest(left)] += gained
            left &= left - 1
    return total


@jit
def add_reach_values(
    unseen: CardSet,
    filled: int,
    legal: int,
    num_placed: int,
    before: np.ndarray,
    after: np.ndarray,
    table: Table,
    scores: Scores,
) -> None:
    """Add the values that `add_square_values` leaves out to the scores of the legal squares.

    These are the values of the squares that a card makes reachable, and the features of lines by
    reach. The arguments are those of `add_square_values`; ``legal`` is the set of legal squares.
    """
    empty = ALL & ~filled
    reached = adjacent_squares(filled) & empty
    while legal:
        placed = lowest(legal)
        legal &= legal - 1
        adjacent = adjacent_squares(1 << placed) & empty
        newly_reached = adjacent & ~reached
        while newly_reached:
            square = lowest(newly_reached)
            newly_reached &= newly_reached - 1
            row, column = square // SIZE, SIZE + square % SIZE
            is_same_row = row == placed // SIZE
            row_kind_now = after[row] if is_same_row else before[row]
            column_kind_now = before[column] if is_same_row else after[column]
            feature = square_feature(unseen, row_kind_now, column_kind_now, num_placed, 0)
            scores[placed] += table[feature + 1] - table[feature]
        left = empty & ~(1 << placed)
        for line in range(LINES):
            squares = line_squares(line)
            if left & squares:
                kind = after[line] if squares >> placed & 1 else before[line]
                feature = reach_feature(line, kind, (reached | adjacent) & left, num_placed)
                scores[placed] += table[feature]


# ---- the values of afterstates --------------------------------------------------------------

CROSSING = NUM_LINE_FEATURES
"""First crossing feature."""
NUM_FEATURES = CROSSING + NUM_CROSSING_FEATURES
MAX_ACTIVE = LINES + 4 + MAX_CROSSING_FEATURES


@jit
def score_afterstates(
    s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores
) -> None:
    """Implement `AfterstateFeatures`. A card changes one row and one column."""
    legal = s["legal"]
    packed = pack_columns(s)
    for square in range(SQUARES):
        scores[square] = 0.0
    for i in range(SIZE):
        if legal >> (SIZE * i) & ROW:
            gain = line_value_gain(s, table, i)
            for j in range(SIZE):
                scores[SIZE * i + j] += gain
        if legal >> i & COLUMN:
            gain = line_value_gain(s, table, SIZE + i) + suit_gain(s, table, packed, i)
            for j in range(SIZE):
                scores[SIZE * j + i] += gain
    if s["shown"]["placed"] + 1 < SQUARES:
        add_crossing_values(s, rules, table, np.empty(1, COUNTED_GRID), scores)


@jit
def add_crossing_values(
    s: State, rules: RulesRecord, table: Table, grids: np.ndarray, scores: Scores
) -> None:
    """Add the values of the crossing features: the gains of ranks, and the totals of the others."""
    count_grid(s, grids)
    grid, unseen, filled = grids[0], unseen_cards(s), s["filled"]
    card, num_placed = s["shown"]["card"], s["shown"]["placed"] + 1
    before, after, crossing = grid["kinds"], grid["kinds_with"], table[CROSSING:]
    for line in range(LINES):
        after[line] = line_kind(s, line, line_with(grid, line, card))
    must_touch = rules.adjacent == Adjacent.ALL
    reached = adjacent_squares(filled) if must_touch else ALL
    total = add_square_values(unseen, filled, reached, num_placed, before, after, crossing, scores)
    if must_touch:
        add_reach_values(unseen, filled, s["legal"], num_placed, before, after, crossing, scores)
    for row in range(SIZE):
        if s["legal"] >> (SIZE * row) & ROW:
            gain = total + rank_gain(s, crossing, grid["ranks"], row, num_placed)
            for j in range(SIZE):
                scores[SIZE * row + j] += gain


@jit
def active_features(s: State, rules: RulesRecord, action: Action, ids: FeatureIds) -> int:
    """Implement `AfterstateFeatures`: features of lines, of suits, then of crossing lines."""
    card, num_placed = s["shown"]["card"], s["shown"]["placed"] + 1
    for line in range(LINES):
        first, stride = line_start(line)
        is_changed = action // SIZE == line or action % SIZE + SIZE == line
        ids[line] = line_feature(s, first, stride, card if is_changed else 0, num_placed)
    packed = add_to_column(pack_columns(s), action % SIZE, card)
    for suit in range(4):
        is_full = num_placed == SQUARES
        ids[LINES + suit] = -1 if is_full else suit_feature(s, packed, suit, num_placed)
    start = end = LINES + 4
    if num_placed < SQUARES:
        end = write_crossing_features(s, rules, action, np.empty(1, COUNTED_GRID), ids, start)
        for i in range(start, end):
            ids[i] += CROSSING
    return end


@jit
def state_value(s: State, rules: RulesRecord, table: Table, ids: FeatureIds) -> float:
    """Implement `AfterstateFeatures`: score, lines, suits and ranks without the card in hand."""
    num_placed = s["shown"]["placed"] + 1
    total = float(s["score"])
    for line in range(LINES):
        first, stride = line_start(line)
        feature = line_feature(s, first, stride, 0, num_placed)
        if feature >= 0:
            total += table[feature]
    if num_placed < SQUARES:
        packed = pack_columns(s)
        for suit in range(4):
            total += table[suit_feature(s, packed, suit, num_placed)]
        grids = np.empty(1, COUNTED_GRID)
        count_grid(s, grids)
        for rank in range(len(RANKS)):
            feature = rank_feature(s, rank, grids[0]["ranks"][rank], num_placed)
            total += table[CROSSING + feature]
    return total


@jit
def part_scores(s: State, rules: RulesRecord, points: np.ndarray) -> None:
    """Implement `AfterstateFeatures`: the points of the ten lines."""
    for line in range(LINES):
        first, stride = line_start(line)
        points[line] = line_points(s, first, stride)


@jit
def possible_cards(s: State, cards: np.ndarray) -> int:
    """Implement `AfterstateFeatures`: all unseen cards."""
    n = 0
    for card in range(PACK_SIZE):
        if s["shown"]["unseen"][card]:
            cards[n] = FIRST_CARD + card
            n += 1
    return n


# ---- one ply further ------------------------------------------------------------------------
#
# Each of the two cards changes one row and one column. So each line is evaluated once, without and
# with each card, for all compared actions. The value of a square for a second card is then a sum of
# a few of these numbers, without placing the cards on a grid.


@jit
def expect_answers(
    s: State,
    rules: RulesRecord,
    table: Table,
    ids: FeatureIds,
    actions: np.ndarray,
    scores: Scores,
    work: States,
) -> None:
    """Implement `ExpectAnswers`."""
    work[0] = s
    ahead = work[0]
    write_points(s, actions, scores)
    if s["shown"]["placed"] + 1 == SQUARES:
        return
    scratch, unseen = np.zeros(1, SCRATCH), unseen_cards(s)
    value_first_card(s, scratch)
    ahead["shown"]["placed"] += 1
    weight = 1 / count(unseen)
    for card in range(FIRST_CARD, FIRST_CARD + PACK_SIZE):
        if s["shown"]["unseen"][card - FIRST_CARD]:
            turn_up(ahead, card, -1)
            left = unseen & ~(1 << ((card & 3) * len(RANKS) + (card >> 2) - 1))
            value_second_card(ahead, table, s["shown"]["card"], scratch)
            for action in actions:
                ahead["filled"] = s["filled"] | 1 << action
                scores[action] += weight * best_answer(ahead, rules, table, left, action, scratch)
            ahead["filled"] = s["filled"]
            turn_up(ahead, card, 1)


@jit
def turn_up(s: State, card: CardCode, change: int) -> None:
    """Take a card into the hand (``change`` -1), or make it unseen again (1)."""
    s["shown"]["card"] = card
    s["suits"][card & 3] += change
    s["ranks"][(card >> 2) - 1] += change


@jit
def write_points(s: State, actions: np.ndarray, scores: Scores) -> None:
    """Write the score of the game after each action."""
    filled = s["filled"]
    for action in actions:
        scores[action] = s["score"]
        for line in (action // SIZE, SIZE + action % SIZE):
            if line_squares(line) & ~filled == 1 << action:
                first, stride = line_start(line)
                scores[action] += points_with(s, first, stride, s["shown"]["card"])


@jit
def value_first_card(s: State, scratch: np.ndarray) -> None:
    """Write the grids without the card in hand and with it in each row; see `SCRATCH`.

    Each grid with the card has it in all columns, because the ranks depend only on the row.
    """
    grids = scratch[0]["grids"]
    count_grid(s, grids)
    card, ranks = s["shown"]["card"], grids[0]["ranks"]
    for row in range(SIZE):
        grid = grids[1 + row]
        for rank in range(len(RANKS)):
            grid["ranks"][rank] = ranks[rank]
        empty = ROW << (SIZE * row) & ~s["filled"]
        if empty:
            for rank in range(len(RANKS)):
                grid["ranks"][rank] = rank_after(s, lowest(empty), ranks[rank], rank)
        for line in range(LINES):
            grid["lines"][line] = grids[0]["lines"][line]
            if line == row or line >= SIZE:
                grid["lines"][line] = line_with(grids[0], line, card)


@jit
def value_second_card(s: State, table: Table, first: CardCode, scratch: np.ndarray) -> None:
    """Write values with and without the card in hand, both without and with the first card."""
    values, num_placed = scratch[0], s["shown"]["placed"] + 1
    for line in range(LINES):
        value_line(s, table, first, line, scratch)
    if num_placed == SQUARES:
        return
    crossing, filled, packed = table[CROSSING:], s["filled"], pack_columns(s)
    for i in range(SIZE):
        with_first = add_to_column(packed, i, first)
        values["suits"][i, SIZE] = 0.0
        for suit in range(4):
            values["suits"][i, SIZE] += table[suit_feature(s, with_first, suit, num_placed)]
        for j in range(SIZE):
            values["suits"][i, j] = suit_gain(s, table, with_first, j)
        empty = ROW << (SIZE * i) & ~filled
        if empty == 0:
            continue
        s["filled"] = filled | 1 << lowest(empty)
        ranks = values["grids"][1 + i]["ranks"]
        values["ranks"][i, SIZE] = 0.0
        for rank in range(len(RANKS)):
            feature = rank_feature(s, rank, ranks[rank], num_placed)
            values["ranks"][i, SIZE] += crossing[feature]
        for j in range(SIZE):
            if ROW << (SIZE * j) & ~s["filled"]:
                values["ranks"][i, j] = rank_gain(s, crossing, ranks, j, num_placed)
        s["filled"] = filled


@jit
def value_line(s: State, table: Table, first: CardCode, line: int, scratch: np.ndarray) -> None:
    """Write the kinds and values of a line. The order of the cards in the line does not matter."""
    values, num_placed = scratch[0], s["shown"]["placed"] + 1
    card, grid = s["shown"]["card"], s["shown"]["grid"]
    empty = line_squares(line) & ~s["filled"]
    for with_first in range(2):
        counted = values["grids"][0 if with_first == 0 else 1 if line >= SIZE else 1 + line]
        kinds = values["kinds"][with_first]
        kinds[0, line] = line_kind(s, line, counted["lines"][line])
        kinds[1, line] = line_kind(s, line, line_with(counted, line, card))
        held = gained = 0.0
        if with_first and empty:
            grid[lowest(empty)] = first
            empty &= empty - 1
        if empty:
            held = line_value(s, table, line, 0, num_placed)
            gained = line_value(s, table, line, card, num_placed) - held
        values["held"][with_first, line] = held
        values["gained"][with_first, line] = gained
    if line_squares(line) & ~s["filled"]:
        grid[lowest(line_squares(line) & ~s["filled"])] = 0


@jit
def best_answer(
    s: State, rules: RulesRecord, table: Table, unseen: CardSet, action: Action, scratch: np.ndarray
) -> float:
    """Return the value of the best square for the card in hand; the first card is on ``action``."""
    values, num_placed = scratch[0], s["shown"]["placed"] + 1
    filled, legal = s["filled"], legal_squares(s, rules)
    row, column = action // SIZE, action % SIZE
    before, after, answers = values["before"], values["after"], values["answers"]
    held = 0.0
    for line in range(LINES):
        with_first = int(line == row or line == SIZE + column)
        held += values["held"][with_first, line]
        before[line] = values["kinds"][with_first, 0, line]
        after[line] = values["kinds"][with_first, 1, line]
    for square in range(SQUARES):
        i, j = square // SIZE, square % SIZE
        answers[square] = values["gained"][int(i == row), i]
        answers[square] += values["gained"][int(j == column), SIZE + j]
        if num_placed < SQUARES:
            answers[square] += values["suits"][column, j] + values["ranks"][row, i]
    if num_placed < SQUARES:
        crossing, must_touch = table[CROSSING:], rules.adjacent == Adjacent.ALL
        reached = adjacent_squares(filled) if must_touch else ALL
        held += values["suits"][column, SIZE] + values["ranks"][row, SIZE]
        held += add_square_values(
            unseen, filled, reached, num_placed, before, after, crossing, answers
        )
        if must_touch:
            add_reach_values(unseen, filled, legal, num_placed, before, after, crossing, answers)
    return held + answers[best_legal(legal, answers)]


AFTERSTATES = AfterstateFeatures(
    NUM_FEATURES,
    MAX_ACTIVE,
    score_afterstates,
    state_value,
    active_features,
    part_scores,
    possible_cards,
    LINES,
    expect_answers,
    version=2,
)
