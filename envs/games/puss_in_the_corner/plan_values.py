"""Puss in the Corner: values of plans, estimated by a learned network.

A *plan* places the turned-up card, and plays cards after the last card of a group. The network
reads the position after the plan, with the next card still unknown. Its features ignore the order
of the piles, and do not distinguish a card from its twin, the other card of its value and color.
"""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...core.batch import DealSource
from ...core.contract import Plan
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.kernel.rng import GAMMA, finish_word
from ...core.options import as_record
from ...core.plan_values import (
    PlanNetwork,
    PlanValues,
    PlayedPlans,
    allocate_plans,
    chance_of_winning,
    evaluate_features,
    is_explored,
    trim_plans,
)
from ...core.type_aliases import (
    Action,
    CardCode,
    CardSet,
    FeatureIds,
    RulesRecord,
    RulesRecords,
    State,
    States,
)
from .heuristic import foundations, is_dead, make_scratch, unturned_cards
from .kernel import kernels
from .rules import CARDS, FOUNDATION, KING, PILES, PLAY, STATE, Rules
from .solver.alive import twins

VALUES = KING - 1
KINDS = 2 * VALUES
"""Number of kinds of cards: the values from two to king, of each color."""
DEEP = 12
"""Number of cards on top of a card that are distinguished, from 0."""

COVERED = 0
UNDER = COVERED + KINDS * (KING + 1) * (KING + 1)
DEPTH = UNDER + KINDS * KINDS
BUILT = DEPTH + KINDS * DEEP
AHEAD = BUILT + 2 * (KING + 1) * (KING + 1)
STOCK = AHEAD + KINDS * 2
GROUP = STOCK + CARDS + 1
EMPTY = GROUP + PILES
NUM_FEATURES = EMPTY + PILES + 1
"""First numbers of the features: cards of the piles by the highest cards of each color above them,
by the card directly above them, and by the number of cards above them; the foundations of a color;
cards to come, by their number; the number of cards to come; the number of cards left in the group;
the number of empty piles."""
MOST_ACTIVE = 3 * CARDS + 2 + KINDS + 1 + 1 + 1
"""Largest number of features of a position."""
MOST_PLANS = 256
"""Maximum number of positions that are visited to list the plans of a position."""
NONE = -1


class Tree(NamedTuple):
    """The positions that can be reached before the next card is turned up; first, the root."""

    states: np.ndarray
    """STATE (MOST_PLANS,)."""
    parents: np.ndarray
    """The position before each position, int64 (MOST_PLANS,)."""
    actions: np.ndarray
    """The action that led to each position, int64 (MOST_PLANS,)."""


def make_tree() -> Tree:
    """Return scratch space for the plans of a position."""
    integers = np.zeros((2, MOST_PLANS), np.int64)
    return Tree(np.zeros(MOST_PLANS, STATE), integers[0], integers[1])


# Plans


@jit
def is_after_plan(s: State) -> bool:
    """Return whether a plan ends here: a card has been turned up, or the game is over."""
    return s["over"] or s["shown"]["card"]


@jit
def find_safe_play(s: State) -> Action:
    """Return a PLAY to the lower foundation of a color, which cannot be a mistake; NONE if none.

    The twin of such a card has been built, or fits after this card too.
    """
    shown = s["shown"]
    for pile in range(PILES):
        suit, value = shown["tops"][pile] & 3, shown["tops"][pile] >> 2
        one, two = shown["foundations"][suit], shown["foundations"][PILES - 1 - suit]
        if value > 0 and value == min(one, two) + 1:
            return PLAY + pile
    return NONE


@jit
def is_repeated(tree: Tree, size: int) -> bool:
    """Return whether the position ``size`` equals an earlier one that follows from the root."""
    last = tree.states[size]
    for number in range(1, size):
        other, equal = tree.states[number], True
        for pile in range(PILES):
            equal &= other["count"][pile] == last["count"][pile]
            equal &= other["shown"]["tops"][pile] == last["shown"]["tops"][pile]
            equal &= other["shown"]["foundations"][pile] == last["shown"]["foundations"][pile]
        if equal:
            return True
    return False


@jit
def list_plans(s: State, rules: RulesRecord, tree: Tree) -> int:
    """List the positions that can be reached before the next card is turned up.

    Positions after plans are those for which `is_after_plan` is true, except the first position.
    Of several empty piles, a card is placed only on the first. A safe play is the only one.

    Returns:
        The number of positions.
    """
    tree.states[0] = s
    tree.parents[0] = tree.actions[0] = NONE
    size, number = 1, 0
    while number < size:
        legal, safe, empty = tree.states[number]["legal"], NONE, False
        if number > 0 and is_after_plan(tree.states[number]):
            number += 1
            continue
        if legal >> PLAY:
            safe = find_safe_play(tree.states[number])
        for action in range(FOUNDATION):
            if (legal >> action) & 1 == 0 or (safe != NONE and action != safe):
                continue
            if action < PLAY and tree.states[number]["count"][action] == 0:
                if empty:
                    continue
                empty = True
            if size == MOST_PLANS:
                break
            tree.states[size] = tree.states[number]
            kernels.step(tree.states[size], rules, action)
            tree.parents[size], tree.actions[size] = number, action
            if not is_repeated(tree, size):
                size += 1
        number += 1
    return size


@jit
def cards_ahead(s: State) -> CardSet:
    """Return the set of codes of the cards to come, with the turned-up card."""
    card = s["shown"]["card"]
    return unturned_cards(s) | (1 << card if card else 0)


@jit
def is_lost(s: State, ahead: CardSet, scratch: Any) -> bool:
    """Return whether no order of the cards to come can win the game."""
    if s["over"]:
        return not s["won"]
    return is_dead(s, False, NONE, NONE, foundations(s), ahead, scratch)


# Features


@jit
def kind_of(card: CardCode) -> int:
    """Return the kind of a card: its value from two, plus 12 if it is red."""
    suit = card & 3
    return (card >> 2) - 2 + (0 if suit == 0 or suit == 3 else VALUES)


@jit
def write_features(s: State, ahead: CardSet, ids: FeatureIds) -> int:
    """Write the features of a position after a plan.

    Args:
        s: The position. Its turned-up card is ignored.
        ahead: The cards to come; see `cards_ahead`.
        ids: Written: the features, int16 (`MOST_ACTIVE`,).

    Returns:
        The number of features.
    """
    shown, size, num_empty = s["shown"], 0, 0
    for pile in range(PILES):
        height = s["count"][pile]
        num_empty += height == 0
        highest_black = highest_red = above = 0
        for i in range(height):
            card = s["pile"][pile][height - 1 - i]
            kind, value = kind_of(card), card >> 2
            is_red = kind >= VALUES
            own, other = highest_black, highest_red
            if is_red:
                own, other = highest_red, highest_black
            ids[size] = COVERED + (kind * (KING + 1) + own) * (KING + 1) + other
            ids[size + 1] = DEPTH + kind * DEEP + min(i, DEEP - 1)
            size += 2
            if i > 0:
                ids[size] = UNDER + kind * KINDS + above
                size += 1
            above = kind
            if is_red:
                highest_red = max(highest_red, value)
            else:
                highest_black = max(highest_black, value)
    for color in range(2):
        one, two = shown["foundations"][color], shown["foundations"][PILES - 1 - color]
        pair = min(one, two) * (KING + 1) + max(one, two)
        ids[size] = BUILT + color * (KING + 1) * (KING + 1) + pair
        size += 1
    num_ahead = 0
    for value in range(2, KING + 1):
        for color in range(2):
            number = count(ahead & twins(4 * value + color, False))
            if number:
                ids[size] = AHEAD + 2 * (color * VALUES + value - 2) + number - 1
                size += 1
                num_ahead += number
    ids[size] = STOCK + num_ahead
    ids[size + 1] = GROUP + num_ahead % PILES
    ids[size + 2] = EMPTY + num_empty
    return size + 3


def list_symmetries() -> np.ndarray:
    """Return the numberings of the features without and with exchanged colors."""
    tops, same = KING + 1, np.arange(NUM_FEATURES + 1)
    swapped = same.copy()
    for first, shape, axes_of_colors in (
        (COVERED, (KINDS, tops, tops), (0,)),
        (UNDER, (KINDS, KINDS), (0, 1)),
        (DEPTH, (KINDS, DEEP), (0,)),
        (BUILT, (2, tops, tops), (0,)),
        (AHEAD, (KINDS, 2), (0,)),
    ):
        numbers = first + np.arange(prod(shape)).reshape(shape)
        for axis in axes_of_colors:
            numbers = np.roll(numbers, shape[axis] // 2, axis)
        swapped[first : first + numbers.size] = numbers.ravel()
    return np.array([same, swapped])


# Playing


@jit
def find_best_plan(
    tree: Tree,
    size: int,
    only: int,
    network: PlanNetwork,
    ids: np.ndarray,
    scratch: Any,
) -> tuple[int, float, int]:
    """Find the plan with the highest value among those that do not surely lose.

    Args:
        tree: The tree with the plans.
        size: The number of its positions.
        only: Take the first plan from this position on, in circular order (NONE: the best plan).
        network: The network.
        ids: Written: the features of the best plan in row 0, int16 (2, `MOST_ACTIVE`).
        scratch: See `heuristic.make_scratch`.

    Returns:
        The position after the plan (NONE if every plan loses), its logit, and the number of its
        features. A plan that wins has the logit inf and no features.
    """
    sums = np.empty(network.embedding.shape[1], np.float32)
    best, highest, size_of_best = NONE, -np.inf, 0
    for k in range(size):
        number = k if only == NONE else (only + k) % size
        s = tree.states[number]
        if number == 0 or not is_after_plan(s):
            continue
        ahead = cards_ahead(s)
        if is_lost(s, ahead, scratch):
            continue
        if s["over"]:
            return number, np.inf, 0
        num_ids = write_features(s, ahead, ids[1])
        logit = evaluate_features(ids[1], num_ids, network, sums)
        if logit > highest:
            best, highest, size_of_best = number, logit, num_ids
            ids[0, :num_ids] = ids[1, :num_ids]
        if only != NONE:
            break
    return best, highest, size_of_best


@jit
def play_with_network(
    rules: RulesRecords,
    network: PlanNetwork,
    seeds: np.ndarray,
    explore: float,
    tree: Tree,
    played: PlayedPlans,
) -> int:
    """Play one game for each seed, and return the number of plans; see `play_games`."""
    ids, plans, scratch = np.empty((2, MOST_ACTIVE), np.int16), 0, make_scratch()
    states = tree.states[:1].copy()
    for game in range(len(seeds)):
        states[0]["rng"] = seeds[game]
        kernels.begin(states[0], rules[0], DealSource.SEED)
        word = finish_word(seeds[game])
        while True:
            size, only = list_plans(states[0], rules[0], tree), NONE
            word = word + GAMMA
            drawn = finish_word(word)
            if is_explored(drawn, explore):
                only = int(drawn & np.uint64((1 << 32) - 1)) % size
            best, logit, num_ids = find_best_plan(tree, size, only, network, ids, scratch)
            if best == NONE:
                played.num_hidden[game] = count(cards_ahead(states[0]))
                break
            states[0] = tree.states[best]
            if states[0]["over"]:
                played.won[game] = True
                break
            played.ids[plans, :num_ids] = ids[0, :num_ids]
            played.logits[plans], played.games[plans] = logit, game
            plans += 1
    return plans


def check_plan_rules(rules: Rules) -> None:
    """Raise ValueError for rules without plans."""
    if rules.redeals:
        raise ValueError(f"rules must have redeals=0 for plans, got redeals={rules.redeals}")
    for name in ("hold_back", "direct", "suits", "sevens", "next_open"):
        if getattr(rules, name):
            raise ValueError(f"rules must have {name}=no for plans, got {name}=yes")


def play_games(
    rules: Rules, network: PlanNetwork, seeds: np.ndarray, explore: float
) -> PlayedPlans:
    """Play games with a network, and record its plans; see `core.plan_values.PlayGames`.

    A game ends when no order of the cards to come can win it.
    """
    check_plan_rules(rules)
    played = allocate_plans(len(seeds), CARDS, MOST_ACTIVE, NUM_FEATURES)
    size = play_with_network(as_record(rules), network, seeds, explore, make_tree(), played)
    return trim_plans(played, size)


@jit
def find_plan_to_play(
    states: States, rules: RulesRecords, network: PlanNetwork, tree: Tree
) -> tuple[int, float]:
    """Return the position after the plan with the highest value (NONE if none), and its logit."""
    ids, size = np.empty((2, MOST_ACTIVE), np.int16), list_plans(states[0], rules[0], tree)
    best, logit, _ = find_best_plan(tree, size, NONE, network, ids, make_scratch())
    return best, logit


def choose_plan(states: States, rules: Rules, network: PlanNetwork) -> Plan:
    """Return the plan that a network prefers; see `core.plan_values.ChoosePlan`."""
    check_plan_rules(rules)
    tree = make_tree()
    best, logit = find_plan_to_play(states, as_record(rules), network, tree)
    if best == NONE:
        return Plan([], 0.0)
    actions: list[int] = []
    while best > 0:
        actions.append(int(tree.actions[best]))
        best = int(tree.parents[best])
    return Plan(actions[::-1], chance_of_winning(logit))


PLAN_VALUES = PlanValues(
    NUM_FEATURES,
    CARDS,
    check_plan_rules,
    play_games,
    choose_plan,
    list_symmetries(),
    max_length=2.0,  # each card is placed and played at most once
)
