"""Poker Squares: one ply further, the mean over the cards that may come of the best answer.

The first card changes one row and one column, the second another of each. So each line is valued
with and without either, once for all the actions that are compared: what `values.score_by_steps`
plays out, a grid for every action and every card, comes from the sums of a few hundred numbers.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.aliases import CardCode, FeatureIds, RulesRecord, Scores, State, States, Table
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, RANKS
from ...core.kernel.jit import jit
from ...core.values import best_legal
from .kernel import ALL, ROW, adjacent_squares, legal_squares, points_with
from .line_values import (
    NUM_LINE_FEATURES,
    add_card,
    line_start,
    line_value,
    pack_columns,
    suit_feature,
    suit_gain,
)
from .rules import LINES, SIZE, SQUARES, Adjacent
from .square_values import (
    add_reach_values,
    add_square_values,
    line_kind,
    line_squares,
    line_with,
    rank_after,
    rank_feature,
    rank_gain,
    unseen_cards,
    write_numbers,
)

RANKS_AT = LINES
NUMBERS_AT = LINES + len(RANKS)
"""Where `write_numbers` writes what it keeps of ranks and lines."""


class Room(NamedTuple):
    """What two cards make of the lines: [0] without the first card, [1] with it."""

    ids: np.ndarray  # int32 [2, row of the first card][...]: what `write_numbers` keeps, see there
    kinds: np.ndarray  # int32 [2][2: without the second card, with it][line]
    held: np.ndarray  # float64 [2][line]: what a line is worth without the second card
    gained: np.ndarray  # float64 [2][line]: and what it gains by it
    suits: np.ndarray  # float64 [column of the first card][column of the second; last: without it]
    ranks: np.ndarray  # float64 [row of the first card][row of the second; last: without it]
    before: np.ndarray  # int32 [line]: the kinds with the first card where it lies
    after: np.ndarray  # int32 [line]: and with the second card, too
    answers: np.ndarray  # float64 [square]: what each is worth to the second card


@jit
def make_room() -> Any:
    """Return room for one decision."""
    kept = NUMBERS_AT + LINES
    return Room(
        np.zeros((1 + SIZE, kept), np.int32),
        np.zeros((2, 2, LINES), np.int32),
        np.zeros((2, LINES)),
        np.zeros((2, LINES)),
        np.zeros((SIZE, SIZE + 1)),
        np.zeros((SIZE, SIZE + 1)),
        np.zeros(LINES, np.int32),
        np.zeros(LINES, np.int32),
        np.zeros(SQUARES),
    )


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
    """See `ExpectAnswers`."""
    work[0] = s
    ahead = work[0]
    write_points(s, actions, scores)
    if s["shown"]["placed"] + 1 == SQUARES:
        return
    room, unseen = make_room(), unseen_cards(s)
    write_first_card(s, room)
    ahead["shown"]["placed"] += 1
    share = 1 / count(unseen)
    for card in range(FIRST_CARD, FIRST_CARD + PACK_SIZE):
        if s["shown"]["unseen"][card - FIRST_CARD]:
            turn_up(ahead, card, -1)
            left = unseen & ~(1 << ((card & 3) * len(RANKS) + (card >> 2) - 1))
            write_second_card(ahead, table, s["shown"]["card"], room)
            for action in actions:
                ahead["filled"] = s["filled"] | 1 << action
                scores[action] += share * best_answer(ahead, rules, table, left, action, room)
            ahead["filled"] = s["filled"]
            turn_up(ahead, card, 1)


@jit
def turn_up(s: State, card: CardCode, change: int) -> None:
    """Take a card into the hand with ``change`` -1, and let it be unseen again with 1."""
    s["shown"]["card"] = card
    s["suits"][card & 3] += change
    s["ranks"][(card >> 2) - 1] += change


@jit
def write_points(s: State, actions: np.ndarray, scores: Scores) -> None:
    """Write the score after each action."""
    filled = s["filled"]
    for action in actions:
        scores[action] = s["score"]
        for line in (action // SIZE, SIZE + action % SIZE):
            if line_squares(line) & ~filled == 1 << action:
                first, stride = line_start(line)
                scores[action] += points_with(s, first, stride, s["shown"]["card"])


@jit
def write_first_card(s: State, room: Room) -> None:
    """Write what the card in hand makes of the lines: see `Room`."""
    before = room.ids[0]
    write_numbers(s, before, 0)
    for row in range(SIZE):
        ids = room.ids[1 + row]
        ids[:] = before
        empty = ROW << (SIZE * row) & ~s["filled"]
        if empty:
            for rank in range(len(RANKS)):
                ids[RANKS_AT + rank] = rank_after(s, lowest(empty), before[RANKS_AT + rank], rank)
        for line in range(LINES):
            if line == row or line >= SIZE:
                ids[NUMBERS_AT + line] = line_with(before, RANKS_AT, line, s["shown"]["card"])


@jit
def write_second_card(s: State, table: Table, first: CardCode, room: Room) -> None:
    """Write what the card in hand makes of the lines, without the first card and with it."""
    lie = s["shown"]["placed"] + 1
    for line in range(LINES):
        write_line(s, table, first, line, lie, room)
    if lie == SQUARES:
        return
    meeting, filled, packed = table[NUM_LINE_FEATURES:], s["filled"], pack_columns(s)
    for i in range(SIZE):
        with_first = add_card(packed, i, first)
        room.suits[i, SIZE] = 0.0
        for suit in range(4):
            room.suits[i, SIZE] += table[suit_feature(s, with_first, suit, lie)]
        for j in range(SIZE):
            room.suits[i, j] = suit_gain(s, table, with_first, j)
        empty = ROW << (SIZE * i) & ~filled
        if empty == 0:
            continue
        s["filled"] = filled | 1 << lowest(empty)
        ids = room.ids[1 + i]
        room.ranks[i, SIZE] = 0.0
        for rank in range(len(RANKS)):
            room.ranks[i, SIZE] += meeting[rank_feature(s, rank, ids[RANKS_AT + rank], lie)]
        for j in range(SIZE):
            if ROW << (SIZE * j) & ~s["filled"]:
                room.ranks[i, j] = rank_gain(s, meeting, ids, RANKS_AT, j, lie)
        s["filled"] = filled


@jit
def write_line(s: State, table: Table, first: CardCode, line: int, lie: int, room: Room) -> None:
    """Write kinds and values of one line; on which of its squares a card lies does not matter."""
    card, grid = s["shown"]["card"], s["shown"]["grid"]
    empty = line_squares(line) & ~s["filled"]
    for both in range(2):
        ids = room.ids[0 if both == 0 else 1 if line >= SIZE else 1 + line]
        room.kinds[both, 0, line] = line_kind(s, line, ids[NUMBERS_AT + line])
        room.kinds[both, 1, line] = line_kind(s, line, line_with(ids, RANKS_AT, line, card))
        room.held[both, line] = room.gained[both, line] = 0.0
        if both and empty:
            place = lowest(empty)
            empty &= empty - 1
            grid[place] = first
        if empty:
            held = line_value(s, table, line, 0, lie)
            room.held[both, line] = held
            room.gained[both, line] = line_value(s, table, line, card, lie) - held
    if line_squares(line) & ~s["filled"]:
        grid[lowest(line_squares(line) & ~s["filled"])] = 0


@jit
def best_answer(
    s: State, rules: RulesRecord, table: Table, unseen: int, action: int, room: Room
) -> float:
    """What the best square is worth to the card in hand, the first card lying on ``action``."""
    lie, filled, legal = s["shown"]["placed"] + 1, s["filled"], legal_squares(s, rules)
    row, column = action // SIZE, action % SIZE
    held = 0.0
    for line in range(LINES):
        both = int(line == row or line == SIZE + column)
        held += room.held[both, line]
        room.before[line], room.after[line] = room.kinds[both, 0, line], room.kinds[both, 1, line]
    for square in range(SQUARES):
        i, j = square // SIZE, square % SIZE
        room.answers[square] = room.gained[int(i == row), i]
        room.answers[square] += room.gained[int(j == column), SIZE + j]
        if lie < SQUARES:
            room.answers[square] += room.suits[column, j] + room.ranks[row, i]
    if lie < SQUARES:
        meeting, bound = table[NUM_LINE_FEATURES:], rules.adjacent == Adjacent.ALL
        reached = adjacent_squares(filled) if bound else ALL
        held += room.suits[column, SIZE] + room.ranks[row, SIZE]
        held += add_square_values(
            unseen, filled, reached, lie, room.before, room.after, meeting, room.answers
        )
        if bound:
            add_reach_values(
                unseen, filled, legal, lie, room.before, room.after, meeting, room.answers
            )
    return held + room.answers[best_legal(legal, room.answers)]
