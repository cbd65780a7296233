"""Poker Squares: the features of an afterstate's lines and suits.

A line's feature is the product of: row or column, how its cards match, whether it may still become
a flush and how many cards of that suit are unseen, how many straights it may still become, how many
cards are unseen that would match, and how many cards lie on the grid. A suit's feature says how far
the columns that may become flushes of it compete for its unseen cards.
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
from .square_values import SHAPE, SHAPES

FLUSHES = len(RANKS) + 1
RUNS = 6
MATCHES = 21
"""Unseen cards that match: of the ranks that match already, and (up to 6) of the others."""
OTHERS = 7
PER_KIND = SHAPES * FLUSHES * RUNS * MATCHES * SQUARES
RIVALS, NEEDED = 4, 13
"""Columns that may become a flush of one suit, and cards that they need: values told apart."""
NUM_SUIT_FEATURES = RIVALS * NEEDED * (len(RANKS) + 1) * SQUARES
NUM_LINE_FEATURES = 2 * PER_KIND + NUM_SUIT_FEATURES
SUITED = 5 * 4
"""How many bits `pack_columns` takes for the suits of all columns; the counts come above them."""


def _straights(belong: Callable[[int, int], bool]) -> np.ndarray:
    """For each set of ranks the straights, as a set of ten, that belong to it."""
    found = np.zeros(1 << len(RANKS), np.int64)
    for number, straight in enumerate(STRAIGHTS.tolist()):
        found |= [belong(ranks, straight) << number for ranks in range(1 << len(RANKS))]
    return found


WITHIN = _straights(lambda ranks, straight: ranks & ~straight == 0)
"""The straights that a set of ranks may become."""
SPOILED = _straights(lambda ranks, straight: ranks & straight != 0)
"""The straights that need one of a set of ranks."""


@jit
def count_straights(s: State, ranks: int) -> int:
    """How many straights a set of different ranks may become with the cards still unseen."""
    found = WITHIN[ranks]
    if found == 0:
        return 0
    missing = 0
    for rank in range(len(RANKS)):
        missing |= (s["ranks"][rank] == 0) << rank
    return min(count(found & ~SPOILED[missing & ~ranks]), RUNS - 1)


@jit
def line_feature(s: State, first: int, stride: int, card: CardCode, lie: int) -> int:
    """The feature of a line, with ``card`` (0: none) added, ``lie`` cards lying; -1: it is full."""
    grid = s["shown"]["grid"]
    cards = ranks = several = equals = suits = suit = 0
    for i in range(SIZE + 1):
        code = card if i == SIZE else grid[first + i * stride]
        if code == 0:
            continue
        cards += 1
        suit = code & 3
        suits |= 1 << suit
        rank = 1 << ((code >> 2) - 1)
        several |= ranks & rank
        if ranks & rank:
            for j in range(i):
                equals += grid[first + j * stride] >> 2 == code >> 2
        ranks |= rank
    if cards >= SIZE:
        return -1
    flush = 0
    if suits == 1 << suit and equals == 0 and s["suits"][suit] >= SIZE - cards:
        flush = s["suits"][suit]
    runs = 0 if equals or cards == 0 else count_straights(s, ranks)
    matched = other = 0
    single = ranks & ~several
    while several:
        matched += s["ranks"][lowest(several)]
        several &= several - 1
    while single:
        other += s["ranks"][lowest(single)]
        single &= single - 1
    match = matched * OTHERS + min(other, OTHERS - 1) if equals else other
    shape = SHAPE[cards, equals]
    number = ((shape * FLUSHES + flush) * RUNS + runs) * MATCHES + min(match, MATCHES - 1)
    return (number * SQUARES + lie) * 2 + (stride == 1)


@jit
def line_start(number: int) -> Any:
    """The first square of a line and its stride; rows have numbers 0-4, columns 5-9."""
    return (number * SIZE, 1) if number < SIZE else (number - SIZE, SIZE)


@jit
def line_value(s: State, table: Table, number: int, card: CardCode, lie: int) -> float:
    """What a line is worth with ``card`` (0: none) added; if that fills it, its points."""
    first, stride = line_start(number)
    feature = line_feature(s, first, stride, card, lie)
    return table[feature] if feature >= 0 else float(points_with(s, first, stride, card))


@jit
def line_value_gain(s: State, table: Table, number: int) -> float:
    """What a line with an empty square gains by the card in hand."""
    lie = s["shown"]["placed"] + 1
    held = line_value(s, table, number, 0, lie)
    return line_value(s, table, number, s["shown"]["card"], lie) - held


@jit
def pack_columns(s: State) -> int:
    """The suits in each column, four bits each, and above them its cards, three bits each."""
    packed = 0
    for square in range(SQUARES):
        code = s["shown"]["grid"][square]
        if code:
            packed = add_card(packed, square % SIZE, code)
    return packed


@jit
def add_card(packed: int, column: int, card: CardCode) -> int:
    """The same with one card more in a column."""
    return (packed | 1 << (4 * column + (card & 3))) + (1 << (SUITED + 3 * column))


@jit
def suit_feature(s: State, packed: int, suit: int, lie: int) -> int:
    """How many columns may become flushes of a suit, how much they need, and what is unseen."""
    rivals = needed = 0
    for column in range(SIZE):
        cards = (packed >> (SUITED + 3 * column)) & 7
        one_suit = (packed >> (4 * column)) & 15 == 1 << suit
        if one_suit and cards < SIZE and s["suits"][suit] >= SIZE - cards:
            rivals += 1
            needed += SIZE - cards
    number = min(rivals, RIVALS - 1) * NEEDED + min(needed, NEEDED - 1)
    return 2 * PER_KIND + (number * (len(RANKS) + 1) + s["suits"][suit]) * SQUARES + lie


@jit
def suit_gain(s: State, table: Table, packed: int, column: int) -> float:
    """What the four suits gain by the card in hand in a column."""
    card, lie = s["shown"]["card"], s["shown"]["placed"] + 1
    after = add_card(packed, column, card)
    touched = (packed >> (4 * column)) & 15 | 1 << (card & 3)
    gained = 0.0
    if lie == SQUARES:
        return gained
    for suit in range(4):
        if (touched >> suit) & 1:
            gained += table[suit_feature(s, after, suit, lie)]
            gained -= table[suit_feature(s, packed, suit, lie)]
    return gained
