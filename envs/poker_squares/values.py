"""Poker Squares: the features of an afterstate, one for each line that is not full.

A line's feature is the product of: row or column, how its cards match, whether it may still become
a flush and how many cards of that suit are unseen, how many straights it may still become, how many
cards are unseen that would match, and how many cards lie on the grid.
"""

from typing import Any

import numpy as np

from ..core.cards import FIRST_CARD, PACK, RANKS
from ..core.hands import category
from ..core.jit import jit
from ..core.values import Values
from .rules import LINES, SIZE, SQUARES

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
FLUSHES = len(RANKS) + 1
RUNS = 6
MATCHES = 21
"""Unseen cards that match: of the ranks that match already, and (up to 6) of the others."""
OTHERS = 7
PER_KIND = SHAPES * FLUSHES * RUNS * MATCHES * SQUARES
TABLE = 2 * PER_KIND
WINDOWS = [0b11111 << low for low in range(len(RANKS) - 4)] + [0b1111 << (len(RANKS) - 4) | 1]
WINDOW = np.array(WINDOWS, np.int64)


@jit
def runs_of(s: Any, ranks: int) -> int:
    """How many straights a set of different ranks may become with the cards still unseen."""
    missing = 0
    for rank in range(len(RANKS)):
        if s["ranks"][rank] == 0:
            missing |= 1 << rank
    found = 0
    for window in WINDOW:
        if ranks & ~window == 0 and window & missing & ~ranks == 0:
            found += 1
    return min(found, RUNS - 1)


@jit
def feature(s: Any, first: int, stride: int, card: int, lie: int) -> int:
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
    if cards == SIZE:
        return -1
    flush = 0
    if suits == 1 << suit and equals == 0 and s["suits"][suit] >= SIZE - cards:
        flush = s["suits"][suit]
    runs = 0 if equals or cards == 0 else runs_of(s, ranks)
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
def line_of(number: int) -> Any:
    """The first square of a line and its stride; rows have numbers 0-4, columns 5-9."""
    return (number * SIZE, 1) if number < SIZE else (number - SIZE, SIZE)


@jit
def gain(s: Any, table: Any, number: int) -> float:
    """What a line with an empty square gains by the card in hand."""
    first, stride = line_of(number)
    card, lie = s["shown"]["card"], s["shown"]["placed"] + 1
    before = table[feature(s, first, stride, 0, lie)]
    after = feature(s, first, stride, card, lie)
    if after >= 0:
        return table[after] - before
    line = s["shown"]["grid"][first : first + 4 * stride + 1 : stride]
    for i in range(SIZE):
        if line[i] == 0:
            line[i] = card
            points = s["points"][category(line)]
            line[i] = 0
            return points - before
    return 0.0


@jit
def appraise(s: Any, rules: Any, table: Any, scores: Any) -> None:
    """See `Values`: a card changes one row and one column."""
    legal = s["legal"]
    for square in range(SQUARES):
        scores[square] = 0.0
    for i in range(SIZE):
        in_row = legal >> (SIZE * i) & 0b11111
        if in_row:
            gained = gain(s, table, i)
            for j in range(SIZE):
                scores[SIZE * i + j] += gained
        in_column = 0
        for j in range(SIZE):
            in_column |= legal >> (SIZE * j + i) & 1
        if in_column:
            gained = gain(s, table, SIZE + i)
            for j in range(SIZE):
                scores[SIZE * j + i] += gained


@jit
def after(s: Any, rules: Any, action: int, ids: Any) -> int:
    """See `Values`: a feature for each of the ten lines."""
    card, lie = s["shown"]["card"], s["shown"]["placed"] + 1
    for number in range(LINES):
        first, stride = line_of(number)
        holds = action // SIZE == number or action % SIZE + SIZE == number
        full = 0
        for i in range(SIZE):
            full += s["shown"]["grid"][first + i * stride] != 0
        ids[number] = -1 if full == SIZE else feature(s, first, stride, card if holds else 0, lie)
    return LINES


@jit
def outcomes(s: Any, rules: Any, points: Any) -> None:
    """See `Values`: the points of the ten lines."""
    for number in range(LINES):
        first, stride = line_of(number)
        line = s["shown"]["grid"][first : first + 4 * stride + 1 : stride]
        points[number] = s["points"][category(line)]


@jit
def draws(s: Any, cards: Any) -> int:
    """See `Values`: all unseen cards."""
    found = 0
    for card in range(PACK):
        if s["shown"]["unseen"][card]:
            cards[found] = FIRST_CARD + card
            found += 1
    return found


@jit
def draw(s: Any, card: int) -> None:
    """See `Values`: the card changes places with the top of the stock."""
    top = s["next"]
    for place in range(top, PACK):
        if s["deck"][place] == card:
            s["deck"][place] = s["deck"][top]
    s["deck"][top] = card


VALUES = Values(TABLE, LINES, appraise, after, draws, draw, outcomes)
