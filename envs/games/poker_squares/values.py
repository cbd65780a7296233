"""Poker Squares: the features of an afterstate.

Each line that is not full has one, and each suit (`line_values`); and those in which lines meet
(`square_values`): each empty square, each rank, and each line by what of it may be reached.
"""

import numpy as np

from ...core.aliases import Action, FeatureIds, RulesRecord, Scores, State, Table
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, RANKS
from ...core.kernel.jit import jit
from ...core.values import AfterstateFeatures
from .answers import expect_answers
from .kernel import ALL, ROW, adjacent_squares, line_points
from .line_values import (
    NUM_LINE_FEATURES,
    add_card,
    line_feature,
    line_start,
    line_value_gain,
    pack_columns,
    suit_feature,
    suit_gain,
)
from .rules import LINES, SIZE, SQUARES, Adjacent
from .square_values import (
    MOST_SQUARE_FEATURES,
    NUM_SQUARE_FEATURES,
    ROOM,
    add_reach_values,
    add_square_values,
    line_kind,
    line_with,
    rank_after,
    rank_feature,
    rank_gain,
    unseen_cards,
    write_changed_squares,
    write_numbers,
)

MEETING = NUM_LINE_FEATURES
"""Where the features begin in which lines meet. Tables that were learned before there were any
end here."""
NUM_FEATURES = MEETING + NUM_SQUARE_FEATURES
MOST = LINES + 4 + MOST_SQUARE_FEATURES


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
    unseen, lie, filled = unseen_cards(s), s["shown"]["placed"] + 1, s["filled"]
    card, meeting, ranks = s["shown"]["card"], table[MEETING:], MOST + LINES
    write_numbers(s, ids, MOST)
    for line in range(LINES):
        ids[line] = line_kind(s, line, line_with(ids, ranks, line, card))
    before, after = ids[MOST:ranks], ids[:LINES]
    bound = rules.adjacent == Adjacent.ALL
    reached = adjacent_squares(filled) if bound else ALL
    total = add_square_values(unseen, filled, reached, lie, before, after, meeting, scores)
    if bound:
        add_reach_values(unseen, filled, s["legal"], lie, before, after, meeting, scores)
    for row in range(SIZE):
        if s["legal"] >> (SIZE * row) & ROW:
            gained = total + rank_gain(s, meeting, ids, ranks, row, lie)
            for j in range(SIZE):
                scores[SIZE * row + j] += gained


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
    expect_answers,
    version=2,
    earlier=((1, MEETING),),
)
