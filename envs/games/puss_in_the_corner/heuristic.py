"""Puss in the Corner: what the greedy agent thinks of a position. Uses only what the player knows.

An action is worth the position that it leads to, once all has been played that then fits. What
counts there are the cards that lie under higher ones: in a pile without them every card can be
played in its turn. A pile that is spoilt takes further high cards almost for nothing. It has no
opinion on the order in which piles are gathered: the first comes first. It lays no pile upon
another.
"""

from typing import Any

import numpy as np

from ...core.aliases import Action, CardCode, RulesRecord, Scores, State, Weights
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from .rules import (
    ACES,
    ACTIONS,
    FOUNDATION,
    KING,
    PACKET,
    PILES,
    PLACE,
    PLAY,
)

# Found by CMA-ES for the mean score by no-redeal, with a table in the place of "fades"; rounded. By
#   parlour train puss-in-the-corner --variant no-redeal --method cma-es
# come weights that win 2.0 % of these deals, not 1.6 %, but by suits 74 %, not 81 %: not taken.
WEIGHTS = {
    "under_own": 1.0,
    "under_other": -1.4,
    "depth": 1.5,
    "fades": 0.085,
    "lowest": 0.064,
    "top": 0.084,
    "built": 1.34,
    "height": -0.0043,
    "next_card": 2.2,
    "rest": 0.072,
}
"""Costs of a card under a higher one of its colour, of the other colour, and for each value that
the highest above it is higher; how much less these are for each card that must be built before it.
What is worth something: each value of the lowest card and of the top of a pile (an empty pile is
better than a king), each card built. Costs of the square of a pile's height, of the next card where
it does least harm, and of all cards to come."""
UNDER_OWN, UNDER_OTHER, DEPTH, FADES, LOWEST, TOP, BUILT, HEIGHT, NEXT_CARD, REST = range(10)

PLAYED_BONUS = 1e4
"""Added to the worth of what brings a card to a foundation: that comes before anything else."""
ONE_SUIT = sum(1 << (4 * value) for value in range(KING + 1))
"""All cards of clubs, as a set of card codes."""
BLACK = 0b1001 * ONE_SUIT

# How far things have come is held in two numbers, so that a position can be played on without
# touching the state: the heights of the piles, six bits each, and the top values of the
# foundations, four bits each. A card not yet in the state lies as ``extra`` on the pile ``on``.


@jit
def same_foundation_cards(rules: RulesRecord, card: CardCode) -> int:
    """The set of all cards that are built on the same foundations as this one."""
    suit = card & 3
    if rules.suits:
        return ONE_SUIT << suit
    return BLACK if suit == 0 or suit == 3 else BLACK ^ (ONE_SUIT * 15)


@jit
def cards_before(rules: RulesRecord, built: int, card: CardCode) -> int:
    """How many cards must be built before a card fits; 0: it fits now."""
    suit, value = card & 3, card >> 2
    own = (built >> (4 * suit)) & 15
    if not rules.suits:
        other = (built >> (4 * (ACES - 1 - suit))) & 15
        own = max(own, other) if value > max(own, other) else min(own, other)
    return value - own - 1


@jit
def build_card(rules: RulesRecord, built: int, card: CardCode) -> int:
    """The foundations with a card that fits on them."""
    suit = card & 3
    twin = ACES - 1 - suit
    if rules.suits:
        return built + (1 << (4 * suit))
    first, second = min(suit, twin), max(suit, twin)
    fits_first = (built >> (4 * first)) & 15 == (card >> 2) - 1
    return built + (1 << (4 * (first if fits_first else second)))


@jit
def card_at(s: State, pile: int, place: int, extra: int, on: int) -> int:
    """The card on a place of a pile, from 0 at the bottom."""
    return extra if pile == on and place == s["count"][pile] else s["pile"][pile][place]


@jit
def play_on(s: State, rules: RulesRecord, heights: int, built: int, extra: int, on: int) -> Any:
    """The heights and foundations when nothing fits any more, first piles played first."""
    pile = 0
    while pile < PILES:
        height = (heights >> (6 * pile)) & 63
        card = card_at(s, pile, height - 1, extra, on) if height else 0
        if card and cards_before(rules, built, card) == 0:
            built = build_card(rules, built, card)
            heights -= 1 << (6 * pile)
            pile = 0
        else:
            pile += 1
    return heights, built


@jit
def urgency(rules: RulesRecord, weights: Weights, built: int, card: CardCode) -> float:
    """How much it matters that a card is buried: the less, the later it is needed."""
    return max(1.0 - weights[FADES] * cards_before(rules, built, card), 0.0)


@jit
def harm(
    rules: RulesRecord, weights: Weights, built: int, card: CardCode, above: int, highest: int
) -> float:
    """What it costs that a card lies under higher ones: a set, and the highest value in it."""
    own = above & same_foundation_cards(rules, card)
    total = weights[DEPTH] * (highest - (card >> 2))
    total += weights[UNDER_OWN] if own else 0.0
    total += weights[UNDER_OTHER] if above ^ own else 0.0
    return total * urgency(rules, weights, built, card)


@jit
def weigh_pile(
    s: State,
    rules: RulesRecord,
    weights: Weights,
    pile: int,
    height: int,
    built: int,
    extra: int,
    on: int,
    row: np.ndarray,
) -> None:
    """Write what a pile of some height costs, and what it would to bury its cards.

    ``row``, float64 (KING + 1,), receives the cost in its first entry and, for each value from 2
    on, how much it would matter to lay a card of that value there: the urgencies of all lower
    cards that lie under no higher one yet.
    """
    for value in range(KING + 1):
        row[value] = 0.0
    if height == 0:
        row[0] = -(KING + 1) * (weights[LOWEST] + weights[TOP])
        return
    total = weights[HEIGHT] * height * height
    above = highest = 0
    lowest = KING
    for i in range(height):
        card = card_at(s, pile, height - 1 - i, extra, on)
        value = card >> 2
        higher = above & (-1 << (4 * value + 4))
        if higher:
            total += harm(rules, weights, built, card, higher, highest)
        elif value < KING:
            row[value + 1] += urgency(rules, weights, built, card)
        above |= 1 << card
        highest, lowest = max(highest, value), min(lowest, value)
    for value in range(3, KING + 1):
        row[value] += row[value - 1]
    top = card_at(s, pile, height - 1, extra, on) >> 2
    row[0] = total - weights[LOWEST] * lowest - weights[TOP] * top


@jit
def position_value(
    weights: Weights,
    built: int,
    ahead: int,
    a: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    d: np.ndarray,
) -> float:
    """What a position is worth whose piles `weigh_pile` has weighed.

    The cards still in the stock are each put where they do least harm.
    """
    total = -(a[0] + b[0] + c[0] + d[0])
    for foundation in range(ACES):
        total += weights[BUILT] * ((built >> (4 * foundation)) & 15)
    buried = 0.0
    for value in range(2, KING + 1):
        least = min(a[value], b[value], c[value], d[value])
        buried += count((ahead >> (4 * value)) & 15) * least
    return total - buried * (weights[REST] + weights[NEXT_CARD] / max(count(ahead), 1))


@jit
def unturned_cards(s: State) -> int:
    """The cards still to come, a set of card codes."""
    ahead, first = 0, s["next"]
    for place in range(first, first + s["shown"]["stock_count"]):
        ahead |= 1 << s["deck"][place]
    return ahead


@jit
def foundations(s: State) -> int:
    """The tops of the four foundations, four bits each."""
    packed = 0
    for foundation in range(ACES):
        packed |= s["shown"]["foundations"][foundation] << (4 * foundation)
    return packed


@jit
def pile_heights(s: State) -> int:
    """The heights of the piles, six bits each."""
    packed = 0
    for pile in range(PILES):
        packed |= s["count"][pile] << (6 * pile)
    return packed


@jit
def score_action(
    s: State, rules: RulesRecord, weights: Weights, action: Action, ahead: int, rows: np.ndarray
) -> float:
    """What the position is worth that a PLACE, PLAY or FOUNDATION leads to.

    ``rows``, float64 (2 * PILES, KING + 1): the first half has the piles as they lie
    (`weigh_piles`), the other is room.
    """
    shown = s["shown"]
    before, start = pile_heights(s), foundations(s)
    heights, built, card, on = before, start, 0, -1
    if action < PLAY:
        card, on = shown["card"], action - PLACE
        heights += 1 << (6 * on)
    elif action < FOUNDATION:
        built = build_card(rules, built, shown["tops"][action - PLAY])
        heights -= 1 << (6 * (action - PLAY))
    else:
        built = build_card(rules, built, shown["card"])
    if action >= PLAY or shown["group_left"] == 1:
        heights, built = play_on(s, rules, heights, built, card, on)
    new = 0
    for pile in range(PILES):
        height = (heights >> (6 * pile)) & 63
        if built != start or height != (before >> (6 * pile)) & 63:
            row = rows[PILES + pile]
            weigh_pile(s, rules, weights, pile, height, built, card, on, row)
            new |= PILES << (3 * pile)
    return position_value(
        weights, built, ahead,
        rows[new & 7], rows[1 + (new >> 3 & 7)], rows[2 + (new >> 6 & 7)], rows[3 + (new >> 9)],
    )  # fmt: skip


@jit
def weigh_piles(s: State, rules: RulesRecord, weights: Weights) -> np.ndarray:
    """The rows of `score_action`; the piles are weighed where a card is to be placed."""
    rows = np.empty((2 * PILES, KING + 1))
    built = foundations(s)
    if s["shown"]["card"]:
        for pile in range(PILES):
            height = s["count"][pile]
            weigh_pile(s, rules, weights, pile, height, built, 0, -1, rows[pile])
    return rows


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: whatever plays a card first, then what it leads to."""
    ahead, rows = unturned_cards(s), weigh_piles(s, rules, weights)
    for action in range(FOUNDATION + 1):
        if (s["legal"] >> action) & 1:
            first = 0.0 if action < PLAY else PLAYED_BONUS
            scores[action] = first + score_action(s, rules, weights, action, ahead, rows)
    for action in range(PACKET, ACTIONS):
        scores[action] = -PLAYED_BONUS
