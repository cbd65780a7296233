"""Poker Squares: what the greedy agent thinks of a position. Uses only what the player knows.

A line that is not full is worth the points of hands it may still become, times chances found by
search. Placing a card changes two lines, so a square is worth what its row and its column gain.
"""

from ...core.aliases import CardCode, RulesRecord, Scores, State, Weights
from ...core.kernel.bits import count
from ...core.kernel.hands import STRAIGHTS, Hand
from ...core.kernel.jit import jit
from .kernel import points_with
from .rules import SIZE, SQUARES

# By: parlour train poker-squares --method cma-es --generations 40 --candidate-deals 2000
# Rounded; straights of two to four cards are as set by hand, for the sake of the English points.
WEIGHTS = {
    "column_flush_1": 0.09,
    "column_flush_2": 0.18,
    "column_flush_3": 0.45,
    "column_flush_4": 0.71,
    "row_flush_1": 0.03,
    "row_flush_2": 0.02,
    "row_flush_3": 0.08,
    "row_flush_4": 0.77,
    "straight_1": 0.0,
    "straight_2": 0.05,
    "straight_3": 0.12,
    "straight_4": 0.3,
    "single": 0.1,
    "pair": 0.19,
    "two_pair": 0.13,
    "three": 0.08,
}
"""Chances by name. flush, straight: that a line of so many cards which may become one does;
single: that a card in a row is matched, as a share of a pair; pair: that one becomes three of a
kind or better, two_pair and three: that these become a full house."""
COLUMN_FLUSH, ROW_FLUSH, STRAIGHT, SINGLE, PAIR, TWO_PAIR, THREE = 0, 4, 8, 12, 13, 14, 15


@jit
def is_run(ranks: int) -> bool:
    """Whether a set of ranks (bit 0 the ace) fits into five in a row, the ace low or high."""
    fits = 0
    for straight in STRAIGHTS:
        fits += ranks & ~straight == 0
    return fits > 0


@jit
def line_value(
    s: State, weights: Weights, first: int, stride: int, square: int, card: CardCode
) -> float:
    """What a line is worth with ``card`` on ``square`` (-1: as it is): ``first``, ``stride``."""
    grid, points = s["shown"]["grid"], s["points"]
    cards = ranks = equals = suits = suit = 0
    for i in range(SIZE):
        place = first + i * stride
        other = card if place == square else grid[place]
        if other == 0:
            continue
        cards += 1
        suit = other & 3
        suits |= 1 << suit
        ranks |= 1 << ((other >> 2) - 1)
        for j in range(i):
            before = first + j * stride
            code = card if before == square else grid[before]
            equals += code >> 2 == other >> 2
    if cards == 0:
        return 0.0
    total = 0.0
    if count(suits) == 1 and equals == 0 and s["suits"][suit] >= SIZE - cards:
        chances = COLUMN_FLUSH if stride == SIZE else ROW_FLUSH
        total = weights[chances + cards - 1] * points[Hand.FLUSH]
    if equals == 0:
        if is_run(ranks):
            total += weights[STRAIGHT + cards - 1] * points[Hand.STRAIGHT]
        if stride == 1:
            total += weights[SINGLE] * points[Hand.PAIR] * (SIZE - cards) / SIZE
        return total
    if equals == 1:
        return points[Hand.PAIR] + weights[PAIR] * (SIZE - cards) / 2 * points[Hand.THREE]
    if equals == 2:
        return points[Hand.TWO_PAIR] + weights[TWO_PAIR] * points[Hand.FULL_HOUSE]
    if equals == 3:
        return points[Hand.THREE] + weights[THREE] * (SIZE - cards) / 2 * points[Hand.FULL_HOUSE]
    return points[Hand.FOUR]


@jit
def line_gain(s: State, weights: Weights, first: int, stride: int, square: int) -> float:
    """By how much a line gains when the card in hand is placed on one of its squares."""
    card = s["shown"]["card"]
    line = s["shown"]["grid"][first : first + 4 * stride + 1 : stride]
    empty = 0
    for i in range(SIZE):
        empty += line[i] == 0
    before = line_value(s, weights, first, stride, -1, 0)
    if empty > 1:
        return line_value(s, weights, first, stride, square, card) - before
    return points_with(s, first, stride, card) - before


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: what its row and its column gain."""
    for action in range(SQUARES):
        if (s["legal"] >> action) & 1:
            row, column = action // SIZE, action % SIZE
            scores[action] = line_gain(s, weights, row * SIZE, 1, action) + line_gain(
                s, weights, column, SIZE, action
            )
