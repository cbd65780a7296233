"""Puss in the Corner: values of afterstates from a learned table of features.

The order of the cards in the piles matters. Before a redeal the pile of a card also matters,
because the piles are gathered in order. The gap of a card is the number of cards that must go to
its foundations before it. The features are:

- for each card in a pile: its gap, combined with the number of cards on it, with the number of
  these cards that are needed later, and with the gap and value of each of the next cards on it; and
  its pile;
- for each pile: its three top cards; its height, lowest card and top;
- for the table: the foundations of each color, the empty piles, and the depth of the cards that are
  needed next, each combined with the number of cards left in the stock;
- for all four piles together: their lowest cards and their tops, ignoring the order of the piles.
  The harm of the cards to come depends on all piles together: a low card is safe on any pile, a
  high card only on a pile without lower cards, and one such pile is enough;
- for the action: the score of the heuristic and, after a redeal, the score of the agent `tip`.

All features also depend on the number of redeals left, and in the last pass on the quarter of the
stock.
"""

from hashlib import sha256
from math import comb
from typing import Any

import numpy as np

from ...core.afterstates import AfterstateFeatures
from ...core.kernel.jit import jit
from ...core.type_aliases import Action, CardCode, FeatureIds, RulesRecord, Scores, State, Table
from .heuristic import (
    DEFAULT_WEIGHTS,
    SORTED,
    SORTED_WEIGHTS,
    WEIGHTS,
    build_card,
    cards_before,
    foundations,
    score_action,
    unturned_cards,
    weigh_by_both,
)
from .rules import ACES, CARDS, END, FIRST, FOUNDATION, KING, PILE, PILES, PLAY, TURNED, UNSEEN

# ---- features of all piles together ---------------------------------------------------------

STAGES = CARDS // PILES + 1
"""Numbers of groups left in the stock."""
EMPTY_END = KING + 1
"""Stands for the values of both ends of an empty pile."""
SETS = comb(EMPTY_END + PILES - 1, PILES)
"""Number of sets of four values, one for each pile."""
PASSES = 3
NUM_JOINT_FEATURES = PASSES * 2 * STAGES * SETS


def _number_sets() -> np.ndarray:
    """Number the sets of four values, 1 to `EMPTY_END`, four bits each: int16 (2 ** 16,)."""
    nibbles = np.arange(1 << 4 * PILES)[:, None] >> 4 * np.arange(PILES) & 15
    places = np.sort(np.clip(nibbles, 1, EMPTY_END) - 1, axis=1) + np.arange(PILES)
    most = EMPTY_END + PILES - 1
    ways = np.array([[comb(n, k + 1) for k in range(PILES)] for n in range(most)])
    return ways[places, np.arange(PILES)].sum(axis=1).astype(np.int16)


SET_NUMBER = _number_sets()


@jit
def pack_ends(s: State, placed: int, played: int) -> Any:
    """Return the lowest cards and the tops of all piles, four bits for each pile.

    The card in hand is added to the pile ``placed``, and the top of ``played`` is removed (-1:
    none).
    """
    lows = tops = 0
    for pile in range(PILES):
        low = top = EMPTY_END
        for i in range(s["count"][pile] - (pile == played)):
            top = s["pile"][pile][i] >> 2
            low = min(low, top)
        if pile == placed:
            top = s["shown"]["card"] >> 2
            low = min(low, top)
        lows |= low << (4 * pile)
        tops |= top << (4 * pile)
    return lows, tops


@jit
def write_joint_features(
    s: State, first: int, placed: int, played: int, ids: FeatureIds, at: int
) -> int:
    """Write the two joint features of all piles, numbered from ``first``; return the new end."""
    stage = (s["shown"]["stock_count"] + PILES - 1) // PILES
    kind = s["shown"]["redeals_left"] * 2 * STAGES + stage
    lows, tops = pack_ends(s, placed, played)
    ids[at] = first + kind * SETS + int(SET_NUMBER[lows])
    ids[at + 1] = first + (kind + STAGES) * SETS + int(SET_NUMBER[tops])
    return at + 2


# ---- features of piles, foundations and scores ----------------------------------------------

GAPS = 12
RANKED = KING + 1
"""Number of card values, including 0 for no card."""
NEAR = 7
"""Number of cards on a card that share a feature with it: the next card and five more."""
DEPTHS, BLOCKERS, HEIGHTS = 8, 6, 16

BY_DEPTH = 0
BY_BLOCKERS = BY_DEPTH + DEPTHS * GAPS
NEXT_GAPS = BY_BLOCKERS + BLOCKERS * GAPS
NEXT_VALUES = NEXT_GAPS + 2 * GAPS * GAPS
FARTHER = NEXT_VALUES + 2 * RANKED * RANKED
TOPS = FARTHER + 2 * GAPS * GAPS
SHAPES = TOPS + RANKED * (2 * RANKED) ** 2
BUILT = SHAPES + HEIGHTS * RANKED * RANKED
EMPTY = BUILT + STAGES * RANKED * RANKED
NEEDED = EMPTY + STAGES * (PILES + 1)
DEEP = 10
"""Number of depths of a needed card: cards on it; the last depth is for deeper or unseen cards."""
BY_HEURISTIC = NEEDED + 2 * DEEP * STAGES
BUCKETS, LEAST = 160, -80
"""Number of buckets of the heuristic's scores, one for each integer, and the lowest score."""
BY_PILE = BY_HEURISTIC + BUCKETS
PER_PHASE = BY_PILE + PILES * RANKED
QUARTERS = 4
PHASES = QUARTERS + 2
"""Parts of the game: the quarters of the last pass, and the passes before it."""
JOINT = PHASES * PER_PHASE
"""First feature of all piles together."""
BY_SORTED = JOINT + NUM_JOINT_FEATURES
"""First feature of scores by the weights of `tip`, after a redeal."""
SIZE = BY_SORTED + BUCKETS
MOST = CARDS * (NEAR + 4) + 2 * PILES + 11  # for each card, for each pile, for all piles


@jit
def foundation_gap(rules: RulesRecord, built: int, card: CardCode) -> int:
    """Return the number of cards that must go to a card's foundation before it."""
    return min(cards_before(rules, built, card), GAPS - 1)


@jit
def same_color(card: CardCode, other: int) -> int:
    """Return 1 if two cards have the same color, otherwise 0."""
    return (card & 3 == other & 3) or (card & 3) + (other & 3) == ACES - 1


@jit
def write_pile_features(
    s: State,
    rules: RulesRecord,
    phase: int,
    pile: int,
    card: CardCode,
    played: int,
    built: int,
    ids: FeatureIds,
    at: int,
) -> int:
    """Write the features of one pile, and return the new end of ``ids``.

    Args:
        s: the state.
        rules: the rules.
        phase: offset of the features of this part of the game.
        pile: number of the pile.
        card: card to put on the pile, 0 for none.
        played: 1 to remove the top of the pile, otherwise 0.
        built: the foundations, see `heuristic`.
        ids: receives the features.
        at: end of the features already in ``ids``.
    """
    cards = s["pile"][pile]
    height = s["count"][pile] - played
    if card:
        cards[height] = card
        height += 1
    lowest = RANKED - 1
    for i in range(height):
        gap = foundation_gap(rules, built, cards[i])
        lowest = min(lowest, cards[i] >> 2)
        blockers = 0
        for j in range(i + 1, height):
            upper = foundation_gap(rules, built, cards[j])
            blockers += upper > gap
            is_same_color = same_color(cards[i], cards[j])
            pair = (is_same_color * GAPS + gap) * GAPS + upper
            if j == i + 1:
                ids[at] = phase + NEXT_GAPS + pair
                values = (is_same_color * RANKED + (cards[i] >> 2)) * RANKED + (cards[j] >> 2)
                ids[at + 1] = phase + NEXT_VALUES + values
                at += 2
            elif j < i + NEAR:
                ids[at] = phase + FARTHER + pair
                at += 1
        ids[at] = phase + BY_DEPTH + min(height - 1 - i, DEPTHS - 1) * GAPS + gap
        ids[at + 1] = phase + BY_BLOCKERS + min(blockers, BLOCKERS - 1) * GAPS + gap
        ids[at + 2] = phase + BY_PILE + pile * RANKED + (cards[i] >> 2)
        at += 3
    top = second = third = 0
    if height:
        top = cards[height - 1] >> 2
    if height > 1:
        code = cards[height - 2]
        second = same_color(code, cards[height - 1]) * RANKED + (code >> 2)
    if height > 2:
        code = cards[height - 3]
        third = same_color(code, cards[height - 1]) * RANKED + (code >> 2)
    ids[at] = phase + TOPS + (top * 2 * RANKED + second) * 2 * RANKED + third
    shape = (min(height, HEIGHTS - 1) * RANKED + lowest) * RANKED + top
    ids[at + 1] = phase + SHAPES + shape
    if card:
        cards[height - 1] = 0
    return at + 2


@jit
def phase_offset(s: State) -> int:
    """Return the offset of the features of this part of the game."""
    left = s["shown"]["redeals_left"]
    if left:
        return (QUARTERS - 1 + left) * PER_PHASE
    return min(s["shown"]["stock_count"] * QUARTERS // CARDS, QUARTERS - 1) * PER_PHASE


@jit
def card_depth(s: State, card: CardCode, placed: int, played: int) -> int:
    """Return the number of cards on a card. ``placed`` has one more card, ``played`` one less."""
    where = s["shown"]["where"][card - FIRST]
    if where == TURNED:
        return 0 if placed >= 0 else DEEP - 1
    if where < PILE or where >= PILE + PILES:
        return DEEP - 1
    pile = where - PILE
    upon = s["count"][pile] - s["shown"]["order"][card - FIRST]
    return upon + (pile == placed) - (pile == played)


@jit
def write_needed_features(
    s: State,
    rules: RulesRecord,
    phase: int,
    placed: int,
    played: int,
    built: int,
    ids: FeatureIds,
    at: int,
) -> int:
    """Write the depth of the card that each foundation needs next; of two cards, the nearer one."""
    stage = (s["shown"]["stock_count"] + 3) // 4
    for foundation in range(ACES):
        partner = ACES - 1 - foundation
        top, other = (built >> (4 * foundation)) & 15, (built >> (4 * partner)) & 15
        first = 1 if top < other or (top == other and foundation < partner) else 0
        depth = 0
        if top < KING:
            depth = card_depth(s, 4 * (top + 1) + foundation, placed, played)
            if not rules.suits:
                depth = min(depth, card_depth(s, 4 * (top + 1) + partner, placed, played))
        ids[at] = phase + NEEDED + (first * DEEP + min(depth, DEEP - 1)) * STAGES + stage
        at += 1
    return at


@jit
def write_shared_features(
    s: State, phase: int, empty: int, built: int, ids: FeatureIds, at: int
) -> int:
    """Write the features of the foundations and of the empty piles."""
    stage = (s["shown"]["stock_count"] + 3) // 4
    for color in range(2):
        one, two = (built >> (4 * color)) & 15, (built >> (4 * (ACES - 1 - color))) & 15
        pair = max(one, two) * RANKED + min(one, two)
        ids[at] = phase + BUILT + stage * RANKED * RANKED + pair
        at += 1
    ids[at] = phase + EMPTY + stage * (PILES + 1) + empty
    return at + 1


@jit
def active_features(s: State, rules: RulesRecord, action: Action, ids: FeatureIds) -> int:
    """Implement `AfterstateFeatures`. There are no features after END."""
    if action == END:
        return 0
    phase, built, placed, played = phase_offset(s), foundations(s), -1, -1
    if action < PLAY:
        placed = action
    elif action < FOUNDATION:
        played = action - PLAY
        built = build_card(rules, built, s["shown"]["tops"][played])
    elif action == FOUNDATION:
        built = build_card(rules, built, s["shown"]["card"])
    at = empty = 0
    for pile in range(PILES):
        card = s["shown"]["card"] if pile == placed else 0
        removed = 1 if pile == played else 0
        empty += s["count"][pile] - removed == 0 and not card
        at = write_pile_features(s, rules, phase, pile, card, removed, built, ids, at)
    at = write_shared_features(s, phase, empty, built, ids, at)
    at = write_needed_features(s, rules, phase, placed, played, built, ids, at)
    at = write_joint_features(s, JOINT, placed, played, ids, at)
    if (s["legal"] >> action) & 1 and action <= FOUNDATION:
        rows = weigh_by_both(s, rules)
        at = write_heuristic_features(s, rules, phase, action, rows, ids, at)
    return at


@jit
def write_heuristic_features(
    s: State, rules: RulesRecord, phase: int, action: Action, rows: Any, ids: FeatureIds, at: int
) -> int:
    """Write the features of an action's heuristic score and, after a redeal, its score by `tip`."""
    ahead, (own_rows, sorted_rows) = unturned_cards(s), rows
    score = score_action(s, rules, DEFAULT_WEIGHTS, action, ahead, own_rows)
    ids[at] = phase + BY_HEURISTIC + score_bucket(score)
    if s["shown"]["redeals_left"] == rules.redeals:
        return at + 1
    ids[at + 1] = BY_SORTED + score_bucket(
        score_action(s, rules, SORTED_WEIGHTS, action, ahead, sorted_rows)
    )
    return at + 2


@jit
def score_bucket(score: float) -> int:
    """Return a score as an integer from 0 to `BUCKETS` - 1."""
    return int(min(max(score - LEAST, 0.0), BUCKETS - 1.0))


# ---- values of afterstates ------------------------------------------------------------------


@jit
def sum_values(table: Table, ids: FeatureIds, first: int, last: int) -> float:
    """Return the sum of the values of some features."""
    total = 0.0
    for i in range(first, last):
        total += table[ids[i]]
    return total


@jit
def state_value(s: State, rules: RulesRecord, table: Table, ids: FeatureIds) -> float:
    """Implement `AfterstateFeatures`: the score, and the tableau without the card in hand."""
    end = active_features(s, rules, FOUNDATION + 1, ids)
    return s["score"] + sum_values(table, ids, 0, end)


@jit
def score_afterstates(
    s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores
) -> None:
    """Implement `AfterstateFeatures`. A placed card changes one pile and the empty-pile feature."""
    legal, score = s["legal"], s["score"]
    built, phase = foundations(s), phase_offset(s)
    now = state_value(s, rules, table, ids) if legal >> PLAY else 0.0  # not needed for placing
    empty, rows = 0, weigh_by_both(s, rules)
    for pile in range(PILES):
        empty += s["count"][pile] == 0
    for action in range(len(scores)):
        if (legal >> action) & 1 == 0:
            continue
        if action < PLAY:
            card = s["shown"]["card"]
            old = write_pile_features(s, rules, phase, action, 0, 0, built, ids, 0)
            both = write_pile_features(s, rules, phase, action, card, 0, built, ids, old)
            gain = sum_values(table, ids, old, both) - sum_values(table, ids, 0, old)
            needed = write_needed_features(s, rules, phase, -1, -1, built, ids, 0)
            twice = write_needed_features(s, rules, phase, action, -1, built, ids, needed)
            gain += sum_values(table, ids, needed, twice) - sum_values(table, ids, 0, needed)
            write_joint_features(s, JOINT, -1, -1, ids, 0)
            write_joint_features(s, JOINT, action, -1, ids, 2)
            gain += sum_values(table, ids, 2, 4) - sum_values(table, ids, 0, 2)
            if s["count"][action] == 0:
                write_shared_features(s, phase, empty, built, ids, 0)
                gain -= table[ids[2]]
                write_shared_features(s, phase, empty - 1, built, ids, 0)
                gain += table[ids[2]]
            end = write_heuristic_features(s, rules, phase, action, rows, ids, 0)
            scores[action] = gain + sum_values(table, ids, 0, end)
            continue
        end = active_features(s, rules, action, ids)
        points = 1 if action <= FOUNDATION else 0
        scores[action] = points + score + sum_values(table, ids, 0, end) - now


@jit
def part_scores(s: State, rules: RulesRecord, points: np.ndarray) -> None:
    """Implement `AfterstateFeatures`: no part has its own score."""


@jit
def possible_cards(s: State, cards: np.ndarray) -> int:
    """Implement `AfterstateFeatures`: all unseen cards, or the top card of a known stock."""
    n = 0
    for card in range(CARDS):
        if s["shown"]["where"][card] == UNSEEN:
            cards[n] = FIRST + card
            n += 1
    if n == 0 and s["shown"]["stock_count"]:
        cards[0] = s["deck"][s["next"]]
        n = 1
    return n


def number_version(*weights: dict[str, float]) -> int:
    """Return a version number of sets of weights, which change the meaning of features."""
    return int(sha256(", ".join(map(repr, weights)).encode()).hexdigest()[:8], 16)


AFTERSTATES = AfterstateFeatures(
    SIZE,
    2 * MOST,
    score_afterstates,
    state_value,
    active_features,
    part_scores,
    possible_cards,
    version=number_version(WEIGHTS, SORTED),
)
