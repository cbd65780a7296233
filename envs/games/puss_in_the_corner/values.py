"""Puss in the Corner: the features of an afterstate.

What counts is which card lies on which, and before a redeal on which pile, for the piles are
gathered in turn. A card's gap says how many cards must go to its colour's foundation before it
does. Each card has features by its gap, by how many cards lie upon it, how many of them go later
than itself, by its pile, and by each of the next cards upon it. Each pile has two, by its three top
cards and by its height, its lowest card and its top. The rest are the foundations of each colour,
the empty piles, how deep the cards lie that are needed next, and all piles together
(`joint_values`), by the cards left in the stock. Last, an action has one by what the game's
heuristic thinks of it, and after a redeal one by what the player `tip` does. All features are told
apart by the redeals left, and in the last pass by the quarter of the stock.
"""

from hashlib import sha256
from typing import Any

import numpy as np

from ...core.aliases import Action, CardCode, FeatureIds, RulesRecord, Scores, State, Table
from ...core.kernel.jit import jit
from ...core.values import AfterstateFeatures
from .heuristic import WEIGHTS, build_card, cards_before, foundations, score_action, unturned_cards
from .joint_values import NUM_JOINT_FEATURES, STAGES, write_joint_features
from .rule_agents import HAND_SET, LATER, SORTED, weigh_by_both
from .rules import (
    ACES,
    CARDS,
    END,
    FIRST,
    FOUNDATION,
    KING,
    PILE,
    PILES,
    PLAY,
    TURNED,
    UNSEEN,
)

GAPS = 12
RANKED = KING + 1
"""Values of cards, and 0 for none."""
NEAR = 7
"""Cards upon a card that have a feature with it: the next one, and five more."""
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
"""How deep a needed card lies: so many cards upon it, or it has not been seen."""
BY_HEURISTIC = NEEDED + 2 * DEEP * STAGES
BUCKETS, LEAST = 160, -80
"""Of the heuristic's scores: one for each whole number."""
BY_PILE = BY_HEURISTIC + BUCKETS
PER_PHASE = BY_PILE + PILES * RANKED
QUARTERS = 4
PHASES = QUARTERS + 2
"""The quarters of the last pass through the stock, and the passes before it."""
JOINT = PHASES * PER_PHASE
"""Where the features of all piles together begin. Tables learned before there were any end here."""
BY_SORTED = JOINT + NUM_JOINT_FEATURES
"""Once piles were turned over: by what the heuristic thinks with the weights of `tip`."""
SIZE = BY_SORTED + BUCKETS
MOST = CARDS * (NEAR + 4) + 2 * PILES + 11  # each card's, two of each pile, eleven of all


@jit
def foundation_gap(rules: RulesRecord, built: int, card: CardCode) -> int:
    """How many cards must go before a card to the foundation that will take it."""
    return min(cards_before(rules, built, card), GAPS - 1)


@jit
def same_colour(card: CardCode, other: int) -> int:
    """1 if two cards are of one colour, else 0."""
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
    """Write the features of a pile with ``card`` (0: none) on it, or its top ``played`` (1)."""
    lying = s["pile"][pile]
    height = s["count"][pile] - played
    if card:
        lying[height] = card
        height += 1
    lowest = RANKED - 1
    for i in range(height):
        gap = foundation_gap(rules, built, lying[i])
        lowest = min(lowest, lying[i] >> 2)
        blockers = 0
        for j in range(i + 1, height):
            upper = foundation_gap(rules, built, lying[j])
            blockers += upper > gap
            colour = same_colour(lying[i], lying[j])
            pair = (colour * GAPS + gap) * GAPS + upper
            if j == i + 1:
                ids[at] = phase + NEXT_GAPS + pair
                values = (colour * RANKED + (lying[i] >> 2)) * RANKED + (lying[j] >> 2)
                ids[at + 1] = phase + NEXT_VALUES + values
                at += 2
            elif j < i + NEAR:
                ids[at] = phase + FARTHER + pair
                at += 1
        ids[at] = phase + BY_DEPTH + min(height - 1 - i, DEPTHS - 1) * GAPS + gap
        ids[at + 1] = phase + BY_BLOCKERS + min(blockers, BLOCKERS - 1) * GAPS + gap
        ids[at + 2] = phase + BY_PILE + pile * RANKED + (lying[i] >> 2)
        at += 3
    top = second = third = 0
    if height:
        top = lying[height - 1] >> 2
    if height > 1:
        code = lying[height - 2]
        second = same_colour(code, lying[height - 1]) * RANKED + (code >> 2)
    if height > 2:
        code = lying[height - 3]
        third = same_colour(code, lying[height - 1]) * RANKED + (code >> 2)
    ids[at] = phase + TOPS + (top * 2 * RANKED + second) * 2 * RANKED + third
    shape = (min(height, HEIGHTS - 1) * RANKED + lowest) * RANKED + top
    ids[at + 1] = phase + SHAPES + shape
    if card:
        lying[height - 1] = 0
    return at + 2


@jit
def phase_offset(s: State) -> int:
    """Where the features of this part of the game begin."""
    left = s["shown"]["redeals_left"]
    if left:
        return (QUARTERS - 1 + left) * PER_PHASE
    return min(s["shown"]["stock_count"] * QUARTERS // CARDS, QUARTERS - 1) * PER_PHASE


@jit
def card_depth(s: State, card: CardCode, placed: int, played: int) -> int:
    """How many cards lie upon a card; piles ``placed`` and ``played`` have one more, one less."""
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
    """Write how deep the card lies that each foundation needs next, the nearer of two."""
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
    for colour in range(2):
        one, two = (built >> (4 * colour)) & 15, (built >> (4 * (ACES - 1 - colour))) & 15
        pair = max(one, two) * RANKED + min(one, two)
        ids[at] = phase + BUILT + stage * RANKED * RANKED + pair
        at += 1
    ids[at] = phase + EMPTY + stage * (PILES + 1) + empty
    return at + 1


@jit
def active_features(s: State, rules: RulesRecord, action: Action, ids: FeatureIds) -> int:
    """See `AfterstateFeatures`. After END there is nothing to come: no features."""
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
        gone = 1 if pile == played else 0
        empty += s["count"][pile] - gone == 0 and not card
        at = write_pile_features(s, rules, phase, pile, card, gone, built, ids, at)
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
    """Write what the heuristic thinks of an action, after a redeal by two sets of weights."""
    ahead, (own, later) = unturned_cards(s), rows
    score = score_action(s, rules, HAND_SET, action, ahead, own)
    ids[at] = phase + BY_HEURISTIC + score_bucket(score)
    if s["shown"]["redeals_left"] == rules.redeals:
        return at + 1
    ids[at + 1] = BY_SORTED + score_bucket(score_action(s, rules, LATER, action, ahead, later))
    return at + 2


@jit
def score_bucket(score: float) -> int:
    """A score as a whole number from 0 to `BUCKETS` - 1."""
    return int(min(max(score - LEAST, 0.0), BUCKETS - 1.0))


@jit
def sum_values(table: Table, ids: FeatureIds, first: int, last: int) -> float:
    """The sum of the values of some features."""
    total = 0.0
    for i in range(first, last):
        total += table[ids[i]]
    return total


@jit
def state_value(s: State, rules: RulesRecord, table: Table, ids: FeatureIds) -> float:
    """See `AfterstateFeatures`: the score, and the tableau without the card in hand."""
    found = active_features(s, rules, FOUNDATION + 1, ids)
    return s["score"] + sum_values(table, ids, 0, found)


@jit
def score_afterstates(
    s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores
) -> None:
    """See `AfterstateFeatures`: placing changes one pile and the empty ones, all else is summed."""
    legal, score = s["legal"], s["score"]
    built, phase = foundations(s), phase_offset(s)
    now = state_value(s, rules, table, ids) if legal >> PLAY else 0.0  # placing needs it not
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
            gained = sum_values(table, ids, old, both) - sum_values(table, ids, 0, old)
            needed = write_needed_features(s, rules, phase, -1, -1, built, ids, 0)
            twice = write_needed_features(s, rules, phase, action, -1, built, ids, needed)
            gained += sum_values(table, ids, needed, twice) - sum_values(table, ids, 0, needed)
            write_joint_features(s, JOINT, -1, -1, ids, 0)
            write_joint_features(s, JOINT, action, -1, ids, 2)
            gained += sum_values(table, ids, 2, 4) - sum_values(table, ids, 0, 2)
            if s["count"][action] == 0:
                write_shared_features(s, phase, empty, built, ids, 0)
                gained -= table[ids[2]]
                write_shared_features(s, phase, empty - 1, built, ids, 0)
                gained += table[ids[2]]
            found = write_heuristic_features(s, rules, phase, action, rows, ids, 0)
            scores[action] = gained + sum_values(table, ids, 0, found)
            continue
        found = active_features(s, rules, action, ids)
        points = 1 if action <= FOUNDATION else 0
        scores[action] = points + score + sum_values(table, ids, 0, found) - now


@jit
def part_scores(s: State, rules: RulesRecord, points: np.ndarray) -> None:
    """See `AfterstateFeatures`: no part of a position can be told what it brought."""


@jit
def possible_cards(s: State, cards: np.ndarray) -> int:
    """See `AfterstateFeatures`: all cards not seen yet; once the stock is known, its top."""
    found = 0
    for card in range(CARDS):
        if s["shown"]["where"][card] == UNSEEN:
            cards[found] = FIRST + card
            found += 1
    if found == 0 and s["shown"]["stock_count"]:
        cards[0] = s["deck"][s["next"]]
        found = 1
    return found


def number_version(*weights: dict[str, float]) -> int:
    """Return a number for sets of weights: by others the features mean something else."""
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
    earlier=((number_version(WEIGHTS), JOINT),),
)
