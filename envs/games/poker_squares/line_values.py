"""Poker Squares: features of single lines and suits, for the values of afterstates.

The feature of a line is the product of: row or column, the shape of its matching cards, whether it
can still become a flush and how many cards of that suit are unseen, how many straights it can still
become, how many unseen cards would match, and how many cards are on the grid. The feature of a suit
says how far the columns that can become flushes of it compete for its unseen cards.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.aliases import CardCode, State, Table
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import RANKS
from ...core.kernel.hands import STRAIGHTS
from ...core.kernel.jit import jit
from .kernel import points_with
from .rules import SIZE, SQUARES

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
"""Shape by number of cards and number of pairs of equal ranks among them."""
NUM_FLUSHES = len(RANKS) + 1
NUM_STRAIGHTS = 6
NUM_MATCHES = 21
"""Unseen cards that match, of the ranks that match already, and (up to 6) of the others."""
NUM_OTHER_MATCHES = 7
PER_DIRECTION = SHAPES * NUM_FLUSHES * NUM_STRAIGHTS * NUM_MATCHES * SQUARES
NUM_RIVALS, NUM_NEEDED = 4, 13
"""Distinguished numbers of columns that can become a flush of one suit, and of cards they need."""
NUM_SUIT_FEATURES = NUM_RIVALS * NUM_NEEDED * (len(RANKS) + 1) * SQUARES
NUM_LINE_FEATURES = 2 * PER_DIRECTION + NUM_SUIT_FEATURES
COUNTS_SHIFT = 5 * 4
"""Bits of the suits of all columns in `pack_columns`; the counts come above them."""


def _tabulate_straights(belongs: Callable[[int, int], bool]) -> np.ndarray:
    """Return for each set of ranks the set of straights, out of ten, that belong to it."""
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
    """Return how many straights a set of ranks can still become with the unseen cards."""
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
    """Return the value of a line with ``card`` (0: none) added; its points if that fills it."""
    first, stride = line_start(line)
    feature = line_feature(s, first, stride, card, num_placed)
    return table[feature] if feature >= 0 else float(points_with(s, first, stride, card))


@jit
def line_value_gain(s: State, table: Table, line: int) -> float:
    """Return how much a line with an empty square gains by the card in hand."""
    num_placed = s["shown"]["placed"] + 1
    before = line_value(s, table, line, 0, num_placed)
    return line_value(s, table, line, s["shown"]["card"], num_placed) - before


@jit
def pack_columns(s: State) -> int:
    """Return the set of suits in each column, four bits each, and above them its count, three."""
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
    """Return how much the four suits gain by the card in hand in a column."""
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
