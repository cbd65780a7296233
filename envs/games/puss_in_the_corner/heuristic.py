"""Puss in the Corner: action scores of the greedy agent and of the rule-based agents based on it.

All agents use only what the player knows. The heuristic scores an action by the position after it,
when all cards that fit have been played. Most important are cards under higher cards: in a pile
without any, every card can be played in order, while a pile that already has some takes more high
cards at almost no cost. The heuristic does not rank the orders of gathering, so it gathers the
first pile first. It never moves a pile onto another.

A position is two packed numbers, so that it can be played out without changing the state: the
heights of the piles, six bits each, and the top values of the foundations, four bits each. A card
that is not in a pile of the state yet is passed as ``extra``, on top of the pile ``on``.
"""

from typing import Any

import numpy as np

from ...core.afterstates import HOPELESS, best_legal
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.type_aliases import Action, CardCode, RulesRecord, Scores, State, Weights
from .rules import ACES, ACTIONS, CARDS, FOUNDATION, KING, PACKET, PILES, PLACE, PLAY
from .solver.alive import DEAD, check_alive, make_alive_memory, pack_tops

# Optimized with CMA-ES for the mean score in no-redeal, with a table instead of "fades", and
# rounded. The command parlour train puss-in-the-corner --variant no-redeal --method cma-es finds
# weights that win 2.0 % of these deals instead of 1.6 %, but 74 % with suits instead of 81 %.
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
"""Weights of the greedy agent.

- under_own, under_other: costs of a card under a higher card of its own or of the other foundations
- depth: cost for each value by which the highest card above a card is higher
- fades: decrease of these costs for each card that must be played before the card
- lowest, top: worth of each value of the lowest card and of the top card of a pile; an empty pile
  counts more than a king
- built: worth of each card on a foundation
- height: cost of the square of a pile's height
- next_card, rest: costs of the next card on its best pile, and of all cards to come
"""
UNDER_OWN, UNDER_OTHER, DEPTH, FADES, LOWEST, TOP, BUILT, HEIGHT, NEXT_CARD, REST = range(10)

PLAYED_BONUS = 1e4
"""Bonus for actions that move a card to a foundation, so that they come first."""
ONE_SUIT = sum(1 << (4 * value) for value in range(KING + 1))
"""Set of the card codes of all clubs."""
BLACK = 0b1001 * ONE_SUIT


@jit
def same_foundation_cards(rules: RulesRecord, card: CardCode) -> int:
    """Return the set of all cards that go to the same foundations as a card."""
    suit = card & 3
    if rules.suits:
        return ONE_SUIT << suit
    return BLACK if suit == 0 or suit == 3 else BLACK ^ (ONE_SUIT * 15)


@jit
def cards_before(rules: RulesRecord, built: int, card: CardCode) -> int:
    """Return the number of cards that must be played before a card fits; 0 if it fits now."""
    suit, value = card & 3, card >> 2
    top = (built >> (4 * suit)) & 15
    if not rules.suits:
        other_top = (built >> (4 * (ACES - 1 - suit))) & 15
        top = max(top, other_top) if value > max(top, other_top) else min(top, other_top)
    return value - top - 1


@jit
def build_card(rules: RulesRecord, built: int, card: CardCode) -> int:
    """Return the foundations after playing a card that fits."""
    suit = card & 3
    twin = ACES - 1 - suit
    if rules.suits:
        return built + (1 << (4 * suit))
    first, second = min(suit, twin), max(suit, twin)
    fits_first = (built >> (4 * first)) & 15 == (card >> 2) - 1
    return built + (1 << (4 * (first if fits_first else second)))


@jit
def card_at(s: State, pile: int, index: int, extra: int, on: int) -> int:
    """Return the card at an index of a pile, from 0 at the bottom."""
    return extra if pile == on and index == s["count"][pile] else s["pile"][pile][index]


@jit
def play_on(s: State, rules: RulesRecord, heights: int, built: int, extra: int, on: int) -> Any:
    """Play all cards that fit, first piles first, and return the heights and foundations."""
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
    """Return the weight of a buried card, which decreases with the time until it is needed."""
    return max(1.0 - weights[FADES] * cards_before(rules, built, card), 0.0)


@jit
def harm(
    rules: RulesRecord, weights: Weights, built: int, card: CardCode, above: int, highest: int
) -> float:
    """Return the cost of a card under higher cards.

    ``above`` is the set of the higher cards, ``highest`` the highest value in it.
    """
    same_foundation = above & same_foundation_cards(rules, card)
    total = weights[DEPTH] * (highest - (card >> 2))
    total += weights[UNDER_OWN] if same_foundation else 0.0
    total += weights[UNDER_OTHER] if above ^ same_foundation else 0.0
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
    """Write the cost of a pile with a given height, and the costs of burying its cards.

    The first entry of ``row``, float64 (KING + 1,), receives the cost of the pile. The entry of
    each value from 2 on receives the cost of placing a card of that value on the pile: the sum of
    the urgencies of all lower cards that are not under a higher card yet.
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
    """Return the value of a position from the rows that `weigh_pile` has written for its piles.

    Each card still in the stock counts with its lowest cost over all piles.
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
    """Return the set of codes of the cards to come."""
    ahead, first = 0, s["next"]
    for place in range(first, first + s["shown"]["stock_count"]):
        ahead |= 1 << s["deck"][place]
    return ahead


@jit
def foundations(s: State) -> int:
    """Return the tops of the four foundations, four bits each."""
    packed = 0
    for foundation in range(ACES):
        packed |= s["shown"]["foundations"][foundation] << (4 * foundation)
    return packed


@jit
def pile_heights(s: State) -> int:
    """Return the heights of the piles, six bits each."""
    packed = 0
    for pile in range(PILES):
        packed |= s["count"][pile] << (6 * pile)
    return packed


@jit
def score_action(
    s: State, rules: RulesRecord, weights: Weights, action: Action, ahead: int, rows: np.ndarray
) -> float:
    """Return the value of the position after a PLACE, PLAY or FOUNDATION.

    ``rows``, float64 (2 * PILES, KING + 1), has the current piles in its first half
    (`weigh_piles`); its second half is scratch.
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
    new_rows = 0
    for pile in range(PILES):
        height = (heights >> (6 * pile)) & 63
        if built != start or height != (before >> (6 * pile)) & 63:
            row = rows[PILES + pile]
            weigh_pile(s, rules, weights, pile, height, built, card, on, row)
            new_rows |= PILES << (3 * pile)
    return position_value(
        weights,
        built,
        ahead,
        rows[new_rows & 7],
        rows[1 + (new_rows >> 3 & 7)],
        rows[2 + (new_rows >> 6 & 7)],
        rows[3 + (new_rows >> 9)],
    )


@jit
def weigh_piles(s: State, rules: RulesRecord, weights: Weights) -> np.ndarray:
    """Return the rows for `score_action`. Piles are weighed only if a card must be placed."""
    rows = np.empty((2 * PILES, KING + 1))
    built = foundations(s)
    if s["shown"]["card"]:
        for pile in range(PILES):
            height = s["count"][pile]
            weigh_pile(s, rules, weights, pile, height, built, 0, -1, rows[pile])
    return rows


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action. Plays come first, then positions are compared."""
    ahead, rows = unturned_cards(s), weigh_piles(s, rules, weights)
    for action in range(FOUNDATION + 1):
        if (s["legal"] >> action) & 1:
            first = 0.0 if action < PLAY else PLAYED_BONUS
            scores[action] = first + score_action(s, rules, weights, action, ahead, rows)
    for action in range(PACKET, ACTIONS):
        scores[action] = -PLAYED_BONUS


# ---- rule-based agents ----------------------------------------------------------------------

SORTED = {"under_own": 10.0, "under_other": 10.0, "top": 1.0}
"""Weights for a sorted stock: bury no card, and keep the tops high."""
SORTED_WEIGHTS = np.array([SORTED.get(name, 0.0) for name in WEIGHTS])
DEFAULT_WEIGHTS = np.array(list(WEIGHTS.values()))
# Optimized with CMA-ES for games of `hopeful` in no-redeal, and rounded. A win counts 1, and a game
# that is surely lost with n cards still to place counts exp(-0.15 (n + 1)).
ONE_PASS = {
    "under_own": -0.41,
    "under_other": -0.43,
    "depth": 0.45,
    "fades": -0.0509,
    "lowest": 0.22,
    "top": 0.102,
    "built": -0.0509,
    "height": -0.0276,
    "next_card": 3.72,
    "rest": 0.146,
}
"""Weights for variants without a redeal, optimized for wins instead of for the score."""
ONE_PASS_WEIGHTS = np.array([ONE_PASS[name] for name in WEIGHTS])
TRIES, REMEMBERED = 200, 64
"""Maximum number of positions that `check_alive` visits and remembers for each action."""


@jit
def pile_of(value: int) -> int:
    """Return the pile that the tip gives a value: kings to 10s, 9s to 7s, 6s to 4s, the rest."""
    return 0 if value >= 10 else 1 if value >= 7 else 2 if value >= 4 else 3


@jit
def tip(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the scores of the published tip (002): in the first pass, sort the cards by value.

    In later passes high cards come first, and almost no card must be buried. There the agent uses
    the heuristic with special weights. The heuristic also chooses the cards to play in all passes.
    """
    if s["shown"]["redeals_left"] < rules.redeals:
        heuristic(s, rules, SORTED_WEIGHTS, scores)
        return
    heuristic(s, rules, weights, scores)
    if s["shown"]["card"]:
        for pile in range(PILES):
            scores[PLACE + pile] = 0.0
        scores[PLACE + pile_of(s["shown"]["card"] >> 2)] = PLAYED_BONUS / 2


@jit
def weigh_by_both(s: State, rules: RulesRecord) -> Any:
    """Return the rows by the heuristic's weights and, after a redeal, by those of `tip`."""
    rows = weigh_piles(s, rules, DEFAULT_WEIGHTS)
    first_pass = s["shown"]["redeals_left"] == rules.redeals
    return rows, rows if first_pass else weigh_piles(s, rules, SORTED_WEIGHTS)


@jit
def pack_piles(s: State, placed: int, played: int, piles: np.ndarray, cards: np.ndarray) -> None:
    """Write the piles in the form of `check_alive`, numbering their cards pile by pile.

    The turned-up card is added to the pile ``placed``, and the top of ``played`` is removed (-1:
    none).
    """
    n = 0
    for pile in range(PILES):
        first, height = n, s["count"][pile] - (pile == played)
        for i in range(height):
            cards[n] = s["pile"][pile][i]
            n += 1
        if pile == placed:
            cards[n] = s["shown"]["card"]
            n += 1
        piles[pile] = (1 << n) - (1 << first)


@jit
def make_scratch() -> Any:
    """Return scratch space of `is_dead`: piles, cards and memory."""
    return np.empty(PILES, np.int64), np.empty(CARDS, np.int64), make_alive_memory(REMEMBERED)


@jit
def is_dead(
    s: State, suits: bool, placed: int, played: int, built: int, ahead: int, scratch: Any
) -> bool:
    """Return whether a position surely loses: also if all cards to come were free.

    Args:
        s: A state of the last pass.
        suits: Whether foundations are built by suit.
        placed: The pile on which the turned-up card is placed first (-1: none).
        played: The pile whose top card is played first (-1: none).
        built: The foundations after this.
        ahead: The set of codes of the cards to come.
        scratch: See `make_scratch`.
    """
    piles, cards, memory = scratch
    pack_piles(s, placed, played, piles, cards)
    tops = pack_tops(built & 15, (built >> 4) & 15, (built >> 8) & 15, (built >> 12) & 15, suits)
    return check_alive(piles, tops, ahead, cards, suits, TRIES, memory) == DEAD


@jit
def leaves_hope(s: State, rules: RulesRecord, action: Action, ahead: int, scratch: Any) -> bool:
    """Return whether the game after an action of the last pass could be won if all cards were free.

    ``ahead`` is the set of the cards to come.
    """
    if action > FOUNDATION:
        return True
    placed, played = action if action < PLAY else -1, -1
    built = foundations(s)
    if action == FOUNDATION:
        built = build_card(rules, built, s["shown"]["card"])
    elif action >= PLAY:
        played = action - PLAY
        built = build_card(rules, built, s["shown"]["tops"][played])
    return not is_dead(s, rules.suits, placed, played, built, ahead, scratch)


@jit
def hopeful(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the heuristic's scores, but avoid actions of the last pass that surely lose the game.

    A game is surely lost if it cannot be won even when all cards to come are free: then no order of
    these cards helps. Actions are checked in the order of their scores until one is not surely
    lost. Without a redeal the agent uses the weights `ONE_PASS`.
    """
    heuristic(s, rules, weights if rules.redeals else ONE_PASS_WEIGHTS, scores)
    if s["shown"]["redeals_left"] or rules.sevens:  # moving a pile onto another can free cards
        return
    left, ahead, scratch = s["legal"], unturned_cards(s), make_scratch()
    while left:
        action = best_legal(left, scores)
        if leaves_hope(s, rules, action, ahead, scratch):
            return
        scores[action] += HOPELESS
        left &= ~(1 << action)
