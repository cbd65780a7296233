"""Poker Squares: the features of an afterstate, one for each line that is not full and each suit.

A line's feature is the product of: row or column, how its cards match, whether it may still become
a flush and how many cards of that suit are unseen, how many straights it may still become, how many
cards are unseen that would match, and how many cards lie on the grid. A suit's feature says how far
the columns that may become flushes of it compete for its unseen cards.
"""

from typing import Any

import numpy as np

from ..core.aliases import Action, CardCode, FeatureIds, RulesRecord, Scores, State, Table
from ..core.cards import FIRST_CARD, PACK_SIZE, RANKS
from ..core.hands import STRAIGHTS
from ..core.jit import jit
from ..core.values import AfterstateFeatures
from .kernel import line_points, points_with
from .rules import LINES, SIZE, SQUARES
from .square_values import (
    MOST_SQUARE_FEATURES,
    NUM_SQUARE_FEATURES,
    ROOM,
    SHAPE,
    SHAPES,
    rank_after,
    rank_feature,
    unseen_cards,
    write_changed_squares,
    write_numbers,
)

FLUSHES = len(RANKS) + 1
RUNS = 6
MATCHES = 21
"""Unseen cards that match: of the ranks that match already, and (up to 6) of the others."""
OTHERS = 7
PER_KIND = SHAPES * FLUSHES * RUNS * MATCHES * SQUARES
RIVALS, NEEDED = 4, 13
"""Columns that may become a flush of one suit, and cards that they need: values told apart."""
NUM_SUIT_FEATURES = RIVALS * NEEDED * (len(RANKS) + 1) * SQUARES
MEETING = 2 * PER_KIND + NUM_SUIT_FEATURES
"""Where the features begin in which lines meet. Tables that were learned before there were any
end here."""
NUM_FEATURES = MEETING + NUM_SQUARE_FEATURES
MOST = LINES + 4 + MOST_SQUARE_FEATURES
SUITED = 5 * 4
"""How many bits `pack_columns` takes for the suits of all columns; the counts come above them."""


@jit
def count_straights(s: State, ranks: int) -> int:
    """How many straights a set of different ranks may become with the cards still unseen."""
    missing = 0
    for rank in range(len(RANKS)):
        if s["ranks"][rank] == 0:
            missing |= 1 << rank
    found = 0
    for straight in STRAIGHTS:
        if ranks & ~straight == 0 and straight & missing & ~ranks == 0:
            found += 1
    return min(found, RUNS - 1)


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
        ranks |= rank
        for j in range(i):
            equals += grid[first + j * stride] >> 2 == code >> 2
    if cards >= SIZE:
        return -1
    flush = 0
    if suits == 1 << suit and equals == 0 and s["suits"][suit] >= SIZE - cards:
        flush = s["suits"][suit]
    runs = 0 if equals or cards == 0 else count_straights(s, ranks)
    matched = other = 0
    for rank in range(len(RANKS)):
        if (several >> rank) & 1:
            matched += s["ranks"][rank]
        elif (ranks >> rank) & 1:
            other += s["ranks"][rank]
    match = matched * OTHERS + min(other, OTHERS - 1) if equals else other
    shape = SHAPE[cards, equals]
    number = ((shape * FLUSHES + flush) * RUNS + runs) * MATCHES + min(match, MATCHES - 1)
    return (number * SQUARES + lie) * 2 + (stride == 1)


@jit
def line_start(number: int) -> Any:
    """The first square of a line and its stride; rows have numbers 0-4, columns 5-9."""
    return (number * SIZE, 1) if number < SIZE else (number - SIZE, SIZE)


@jit
def line_value_gain(s: State, table: Table, number: int) -> float:
    """What a line with an empty square gains by the card in hand."""
    first, stride = line_start(number)
    card, lie = s["shown"]["card"], s["shown"]["placed"] + 1
    before = table[line_feature(s, first, stride, 0, lie)]
    after = line_feature(s, first, stride, card, lie)
    if after >= 0:
        return table[after] - before
    return points_with(s, first, stride, card) - before


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


@jit
def score_afterstates(
    s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores
) -> None:
    """See `AfterstateFeatures`: a card changes one row and one column."""
    legal = s["legal"]
    packed = pack_columns(s)
    for square in range(SQUARES):
        scores[square] = 0.0
    for i in range(SIZE):
        in_row = legal >> (SIZE * i) & 0b11111
        if in_row:
            gained = line_value_gain(s, table, i)
            for j in range(SIZE):
                scores[SIZE * i + j] += gained
        in_column = 0
        for j in range(SIZE):
            in_column |= legal >> (SIZE * j + i) & 1
        if in_column:
            gained = line_value_gain(s, table, SIZE + i) + suit_gain(s, table, packed, i)
            for j in range(SIZE):
                scores[SIZE * j + i] += gained
    if s["shown"]["placed"] + 1 < SQUARES:
        add_meeting_values(s, rules, table, ids, scores)


@jit
def add_meeting_values(
    s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores
) -> None:
    """Add what the features are worth in which lines meet: of squares and lines all of it."""
    unseen, lie = unseen_cards(s), s["shown"]["placed"] + 1
    write_numbers(s, ids, MOST)
    for square in range(SQUARES):
        if s["legal"] >> square & 1:
            for i in range(write_changed_squares(s, rules, unseen, square, ids, 0, MOST)):
                scores[square] += table[MEETING + ids[i]]
            for rank in range(len(RANKS)):
                before = ids[MOST + LINES + rank]
                after = rank_after(s, square, before, rank)
                if after != before:
                    scores[square] += table[MEETING + rank_feature(s, rank, after, lie)]
                    scores[square] -= table[MEETING + rank_feature(s, rank, before, lie)]


@jit
def active_features(s: State, rules: RulesRecord, action: Action, ids: FeatureIds) -> int:
    """See `AfterstateFeatures`: of the ten lines, then of the four suits and where lines meet."""
    card, lie = s["shown"]["card"], s["shown"]["placed"] + 1
    for number in range(LINES):
        first, stride = line_start(number)
        holds = action // SIZE == number or action % SIZE + SIZE == number
        ids[number] = line_feature(s, first, stride, card if holds else 0, lie)
    packed = add_card(pack_columns(s), action % SIZE, card)
    for suit in range(4):
        ids[LINES + suit] = -1 if lie == SQUARES else suit_feature(s, packed, suit, lie)
    found = LINES + 4
    if lie < SQUARES:
        write_numbers(s, ids, MOST)
        found = write_changed_squares(s, rules, unseen_cards(s), action, ids, found, MOST)
        for rank in range(len(RANKS)):
            number = rank_after(s, action, ids[MOST + LINES + rank], rank)
            ids[found] = rank_feature(s, rank, number, lie)
            found += 1
        for i in range(LINES + 4, found):
            ids[i] += MEETING
    return found


@jit
def state_value(s: State, rules: RulesRecord, table: Table, ids: FeatureIds) -> float:
    """See `AfterstateFeatures`: score, lines, suits and ranks without the card in hand."""
    lie = s["shown"]["placed"] + 1
    total = float(s["score"])
    for number in range(LINES):
        first, stride = line_start(number)
        line = line_feature(s, first, stride, 0, lie)
        if line >= 0:
            total += table[line]
    if lie < SQUARES:
        packed = pack_columns(s)
        for suit in range(4):
            total += table[suit_feature(s, packed, suit, lie)]
        write_numbers(s, ids, MOST)
        for rank in range(len(RANKS)):
            total += table[MEETING + rank_feature(s, rank, ids[MOST + LINES + rank], lie)]
    return total


@jit
def part_scores(s: State, rules: RulesRecord, points: np.ndarray) -> None:
    """See `AfterstateFeatures`: the points of the ten lines."""
    for number in range(LINES):
        first, stride = line_start(number)
        points[number] = line_points(s, first, stride)


@jit
def possible_cards(s: State, cards: np.ndarray) -> int:
    """See `AfterstateFeatures`: all unseen cards."""
    found = 0
    for card in range(PACK_SIZE):
        if s["shown"]["unseen"][card]:
            cards[found] = FIRST_CARD + card
            found += 1
    return found


AFTERSTATES = AfterstateFeatures(
    NUM_FEATURES,
    MOST + ROOM,
    score_afterstates,
    state_value,
    active_features,
    part_scores,
    possible_cards,
    LINES,
    version=2,
    earlier=((1, MEETING),),
)
