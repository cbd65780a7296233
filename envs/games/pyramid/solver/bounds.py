"""Pyramid with all cards known: which positions are lost at sight, and how many moves are needed.

Cards of two values that total 13 form a group: at most eight cards, that can only go with one
another (not so with ``many_sum``, where none of this holds). For each subset of a group's cards
still there, a table says how many removals it takes at least until those that must go are gone, if
each removal were free to be made: `IMPOSSIBLE` where there is no way at all. Two cards can never go
together if one of them lies, directly or not, on the other: the upper one must go first
(``match_cover``: unless it covers the other directly); nor can two cards of the deck where a single
waste pile's top is all of it that is in play. Kings need nobody.
"""

import numpy as np

from ....core.aliases import Positions, RulesRecord
from ....core.kernel.bits import count, highest, lowest
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ..clicks import COVERERS, PYRAMID_SET
from ..rules import KING, PYRAMID, TARGET
from .position import BITS, FIRST, GOAL, NEEDS, PARTNERS, RANKS, SETS, Position, stock_start

GROUPS = TARGET // 2
GROUP_SIZE = 8
SUBSETS = 1 << GROUP_SIZE
IMPOSSIBLE = 100
NUM_FACTS = NEEDS + GROUPS * SUBSETS


@jit
def fill_above(facts: np.ndarray, rules: RulesRecord, above: np.ndarray) -> None:
    """Fill ``above`` (28): for each slot the cards that lie on it, directly or not.

    Under ``covered_kings`` what lies on it by a king alone does not count: that king can go first.
    """
    for slot in range(PYRAMID - 1, -1, -1):
        above[slot] = COVERERS[slot]
        rest = COVERERS[slot]
        while rest:
            upper = lowest(rest)
            rest &= rest - 1
            if not rules.covered_kings or facts[RANKS + upper] != KING:
                above[slot] |= above[upper]


@jit
def can_pair(one: int, other: int, above: np.ndarray, first: int, rules: RulesRecord) -> bool:
    """Whether two cards that total 13, the lower deck position first, could ever go together."""
    if other < PYRAMID:
        if (above[one] >> other) & 1 == 0:
            return True
        return rules.match_cover and (COVERERS[one] >> other) & 1 != 0
    if one >= first:
        return rules.stock_play or rules.held or rules.waste_piles > 1
    return True


@jit
def group_cards(facts: np.ndarray, members: np.ndarray) -> None:
    """Number the cards within their groups.

    `BITS` of the facts: the bit of each card among the 48 of all groups, 0 for kings; ``members``
    (6, 8): the deck positions of each group's cards, its lower value first.
    """
    low, high = np.zeros(KING + 1, np.int64), np.zeros(KING + 1, np.int64)
    for place in range(PACK_SIZE):
        value = facts[RANKS + place]
        if value == KING:
            continue
        group = min(value, TARGET - value) - 1
        if value == group + 1:
            number = low[group]
            low[group] += 1
        else:
            number = GROUP_SIZE // 2 + high[group]
            high[group] += 1
        facts[BITS + place] = 1 << (group * GROUP_SIZE + number)
        members[group, number] = place


@jit
def fill_needs(facts: np.ndarray, members: np.ndarray, rules: RulesRecord) -> None:
    """Fill `PARTNERS`, with whom each card could go, and `NEEDS` of each subset; see above.

    A king's partner is itself.
    """
    for place in range(PACK_SIZE):
        facts[PARTNERS + place] = 1 << place if facts[RANKS + place] == KING else 0
    above, goes = np.zeros(PYRAMID, np.int64), np.zeros(GROUP_SIZE, np.int64)
    fill_above(facts, rules, above)
    for group in range(GROUPS):
        must = 0
        for i in range(GROUP_SIZE):
            goes[i] = 0
            if rules.clear_all or members[group, i] < PYRAMID:
                must |= 1 << i
        for i in range(GROUP_SIZE // 2):
            for j in range(GROUP_SIZE // 2, GROUP_SIZE):
                one, other = members[group, i], members[group, j]
                if can_pair(min(one, other), max(one, other), above, facts[FIRST], rules):
                    goes[i] |= 1 << j
                    goes[j] |= 1 << i
                    facts[PARTNERS + one] |= 1 << other
                    facts[PARTNERS + other] |= 1 << one
        needs = facts[NEEDS + group * SUBSETS : NEEDS + (group + 1) * SUBSETS]
        for subset in range(SUBSETS):
            needs[subset] = min_removals(subset, subset & must, goes, needs)


@jit
def min_removals(subset: int, must: int, goes: np.ndarray, needs: np.ndarray) -> int:
    """How many removals a subset of a group takes, from what smaller subsets take."""
    if must == 0:
        return 0
    best = IMPOSSIBLE
    card = lowest(must)
    others = goes[card] & subset
    while others:
        other = lowest(others)
        others &= others - 1
        best = min(best, 1 + needs[subset & ~(1 << card) & ~(1 << other)])
    return best


@jit
def make_facts(deck: np.ndarray, rules: RulesRecord) -> np.ndarray:
    """Return what of a deck (52 codes), by some rules, never changes: numbers, int64.

    One array, for speed: `FIRST`, the deck position at which the stock begins; `GOAL`, the cards
    that must go; from `RANKS` on the value at each position, from `SETS` on the positions of each
    value 0-13; `BITS`, `PARTNERS`, and 256 `NEEDS` for each group: see `group_cards`, `fill_needs`.
    """
    facts = np.zeros(NUM_FACTS, np.int64)
    facts[FIRST] = stock_start(rules)
    facts[GOAL] = -1 if rules.clear_all else PYRAMID_SET
    for place in range(PACK_SIZE):
        rank = deck[place] >> 2
        facts[RANKS + place] = rank
        facts[SETS + rank] |= 1 << place
    members = np.zeros((GROUPS, GROUP_SIZE), np.int64)
    group_cards(facts, members)
    if not rules.many_sum:
        fill_needs(facts, members, rules)
    return facts


@jit
def group_cards_of(there: Positions, facts: np.ndarray) -> int:
    """The cards of a set, as `group_cards` numbers them."""
    groups = 0
    while there:
        groups |= facts[BITS + lowest(there)]
        there &= there - 1
    return groups


@jit
def is_lost(groups: int, gone: int, facts: np.ndarray) -> bool:
    """Whether, after the cards ``gone`` (numbered so) have gone, a group of theirs never can."""
    while gone:
        group = lowest(gone) // GROUP_SIZE
        gone &= ~(255 << (group * GROUP_SIZE))
        if facts[NEEDS + group * SUBSETS + ((groups >> (group * GROUP_SIZE)) & 255)] >= IMPOSSIBLE:
            return True
    return False


@jit
def bound_removals(groups: int, facts: np.ndarray) -> int:
    """How many removals all groups take at least, kings left out."""
    total = 0
    for group in range(GROUPS):
        total += facts[NEEDS + group * SUBSETS + ((groups >> (group * GROUP_SIZE)) & 255)]
    return total


@jit
def bound_turns(at: Position, groups: int, facts: np.ndarray, rules: RulesRecord) -> int:
    """How many moves beside `bound_removals` it takes at least until the stock has given up enough.

    If more cards of a value must go than partners of theirs lie outside the stock, partners have to
    come out of it: those dealt first. Whatever lies before the last of these has to be dealt,
    ``turn`` cards a move on each pile (with ``held`` one is turned up), and so has that one, unless
    the stock's top is in play: see `bound_direct_play`.
    """
    there, stock = at.there, at.there >> at.p << at.p
    must = there & facts[GOAL]
    direct = rules.stock_play != 0
    most = 0
    if rules.clear_all:
        if direct:
            return 0
        most = count(stock)
    for value in range(1, TARGET):
        partners = facts[SETS + TARGET - value] & there
        lack = count(facts[SETS + value] & must) - count(partners & ~stock)
        if lack > 0:
            rest = partners & stock
            for _ in range(lack - 1):
                rest &= rest - 1
            before = stock & (rest & -rest) - 1 if rest else 0
            cards = count(before) + 1
            if direct:
                cards = bound_direct_play(before, must, groups, facts)
            most = max(most, cards)
    dealt_at_once = rules.waste_piles * rules.turn
    if dealt_at_once > 1:
        return (most + dealt_at_once - 1) // dealt_at_once
    if direct or rules.held or rules.clear_all:
        return most
    return max(most, bound_next_pass(at, must, facts))


@jit
def bound_next_pass(at: Position, must: Positions, facts: np.ndarray) -> int:
    """How many turns it takes at least if what is needed lies under a card that stays; else 0.

    For one pile whose cards go with the table's only, where a win is the pyramid's: a card of the
    deck of whose partners none is on the table any more stays, and so does what lies under it until
    the waste is turned over. For that the whole stock has to be dealt, and then again all that
    stays above what is needed, and this itself.
    """
    there, stock = at.there, at.there >> at.p << at.p
    tableau = there & ((1 << facts[FIRST]) - 1)
    deck = there & ~tableau
    stays = 0
    for value in range(1, TARGET):
        if facts[SETS + TARGET - value] & tableau == 0:
            stays |= facts[SETS + value] & deck
    above = stays & ~stock
    if above == 0:
        return 0
    under = deck & ((1 << highest(above)) - 1)
    most = 0
    for value in range(1, TARGET):
        partners = facts[SETS + TARGET - value] & there
        buried = partners & under
        lack = count(facts[SETS + value] & must) - count(partners & ~under)
        if lack > 0 and buried:
            rest = buried
            for _ in range(lack - 1):
                rest &= rest - 1
            before = count(stays & ((rest & -rest) - 1)) if rest else 0
            most = max(most, count(stock) + 1 + before + lack)
    return most


@jit
def bound_direct_play(before: Positions, must: Positions, groups: int, facts: np.ndarray) -> int:
    """What it costs at least to be rid of these stock cards where the stock's top is in play.

    A card that goes straight from the stock with one that must go costs no deal. In a group of n
    cards that must go, of which `bound_removals` counts m removals, 2 m - n go with cards of the
    deck: so many deals are saved at most, and two more for each removal beyond m.
    """
    saved, more = 0, 0
    for group in range(GROUPS):
        low, high = facts[SETS + group + 1], facts[SETS + TARGET - 1 - group]
        fit = min(count(before & low), count(must & high))
        fit += min(count(before & high), count(must & low))
        needed = facts[NEEDS + group * SUBSETS + ((groups >> (group * GROUP_SIZE)) & 255)]
        sure = min(fit, 2 * needed - count(must & (low | high)))
        saved += sure
        more += fit - sure
    rest = count(before) - saved
    if rest <= 0:
        return 0
    if rest <= more:
        return (rest + 1) // 2
    return (more + 1) // 2 + rest - more
