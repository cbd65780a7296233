"""Poker Squares: action scores of the greedy agent and of a rule-based agent.

Both agents use only what the player knows. The value of an incomplete line is the sum of the points
of the hands that it can become, multiplied by optimized probabilities. Placing a card changes two
lines, so the score of a square is the gain of its row plus the gain of its column.
"""

from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.type_aliases import CardCode, RulesRecord, Scores, State, Weights
from .kernel import STRAIGHTS, points_with
from .rules import SIZE, SQUARES, Hand

# Optimized with parlour train poker-squares --method cma-es --generations 40 --candidate-deals 2000
# and rounded. The probabilities of straights with two to four cards were set by hand for the
# English points.
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
"""Probabilities used by the greedy agent.

- flush, straight: that a line with this number of cards that can become the hand does so
- single: that a single card is matched, as a fraction of a pair
- pair: that a pair becomes three of a kind or better
- two_pair, three: that the hand becomes a full house
"""
COLUMN_FLUSH, ROW_FLUSH, STRAIGHT, SINGLE, PAIR, TWO_PAIR, THREE = 0, 4, 8, 12, 13, 14, 15


@jit
def is_run(ranks: int) -> bool:
    """Return whether a set of ranks (bit 0 is the ace, low or high) fits into a straight."""
    fits = 0
    for straight in STRAIGHTS:
        fits += ranks & ~straight == 0
    return fits > 0


@jit
def line_value(
    s: State, weights: Weights, first: int, stride: int, square: int, card: CardCode
) -> float:
    """Return the value of a line with ``card`` on ``square`` (-1: without it).

    The line is given by its first square and the stride of its squares.
    """
    grid, points = s["shown"]["grid"], s["points"]
    cards = ranks = pairs = suits = suit = 0
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
            pairs += code >> 2 == other >> 2
    if cards == 0:
        return 0.0
    total = 0.0
    if count(suits) == 1 and pairs == 0 and s["suits"][suit] >= SIZE - cards:
        flush_weights = COLUMN_FLUSH if stride == SIZE else ROW_FLUSH
        total = weights[flush_weights + cards - 1] * points[Hand.FLUSH]
    if pairs == 0:
        if is_run(ranks):
            total += weights[STRAIGHT + cards - 1] * points[Hand.STRAIGHT]
        if stride == 1:
            total += weights[SINGLE] * points[Hand.PAIR] * (SIZE - cards) / SIZE
        return total
    if pairs == 1:
        return points[Hand.PAIR] + weights[PAIR] * (SIZE - cards) / 2 * points[Hand.THREE]
    if pairs == 2:
        return points[Hand.TWO_PAIR] + weights[TWO_PAIR] * points[Hand.FULL_HOUSE]
    if pairs == 3:
        return points[Hand.THREE] + weights[THREE] * (SIZE - cards) / 2 * points[Hand.FULL_HOUSE]
    return points[Hand.FOUR]


@jit
def line_gain(s: State, weights: Weights, first: int, stride: int, square: int) -> float:
    """Return the gain of a line when the card in hand is placed on one of its squares."""
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
    """Write a score for each legal action: the gain of its row plus the gain of its column."""
    for action in range(SQUARES):
        if (s["legal"] >> action) & 1:
            row, column = action // SIZE, action % SIZE
            scores[action] = line_gain(s, weights, row * SIZE, 1, action) + line_gain(
                s, weights, column, SIZE, action
            )


SUIT_COLUMN, LAST_COLUMN = 3 * SQUARES, 2 * SQUARES
"""Scores of the column of the card's suit, and of the last column."""


@jit
def columns(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the scores of the literature's rule-based agent, which collects flushes in columns.

    Each suit has a column. A card goes to the first empty row of its suit's column, otherwise to
    the last column, otherwise to the emptiest of the other columns.
    """
    suit = s["shown"]["card"] & 3
    for action in range(SQUARES):
        if (s["legal"] >> action) & 1 == 0:
            continue
        row, column = action // SIZE, action % SIZE
        empty = 0
        for i in range(SIZE):
            empty += s["shown"]["grid"][i * SIZE + column] == 0
        other_score = LAST_COLUMN if column == SIZE - 1 else SIZE * empty
        scores[action] = (SUIT_COLUMN if column == suit else other_score) - row
