"""Pyramid with all cards known: which positions are lost at sight, and how many moves are needed.

Cards of two values that total 13 form a group: at most eight cards, that can only go with one
another (not so with ``many_sum``, where none of this holds). For each subset of a group's cards
still there, a table says how many removals it takes at least until those that must go are gone, if
each removal were free to be made: `NEVER` where there is no way at all. Two cards can never go
together if one of them lies, directly or not, on the other: the upper one must go first
(``match_cover``: unless it covers the other directly); nor can two cards of one waste pile with no
top of the stock in play. Kings need nobody.
"""

from typing import Any, NamedTuple

import numpy as np

from ..core.bits import count, highest, lowest
from ..core.cards import PACK
from ..core.jit import jit
from .clicks import COVERERS, PYRAMID_SET
from .position import read_deck, stock_begin
from .rules import KING, PYRAMID, TARGET

GROUPS = TARGET // 2
EIGHT = 8
SUBSETS = 1 << EIGHT
NEVER = 100


@jit
def lie_on(ranks: Any, rules: Any, above: Any) -> None:
    """Fill ``above`` (28): for each slot the cards that lie on it, directly or not.

    Under ``covered_kings`` what lies on it by a king alone does not count: that king can go first.
    """
    for slot in range(PYRAMID - 1, -1, -1):
        above[slot] = COVERERS[slot]
        rest = COVERERS[slot]
        while rest:
            upper = lowest(rest)
            rest &= rest - 1
            if not rules.covered_kings or ranks[upper] != KING:
                above[slot] |= above[upper]


@jit
def can_pair(one: int, other: int, above: Any, first: int, rules: Any) -> bool:
    """Whether two cards that total 13, the lower deck position first, could ever go together."""
    if other < PYRAMID:
        if (above[one] >> other) & 1 == 0:
            return True
        return rules.match_cover and (COVERERS[one] >> other) & 1 != 0
    if one >= first:
        return rules.stock_play or rules.waste_piles > 1
    return True


@jit
def group_cards(ranks: Any, bits: Any, members: Any) -> None:
    """Number the cards within their groups.

    ``bits`` (52): the bit of each card among the 48 of all groups, 0 for kings; ``members``
    (6, 8): the deck positions of each group's cards, its lower value first.
    """
    low, high = np.zeros(KING + 1, np.int64), np.zeros(KING + 1, np.int64)
    for place in range(PACK):
        value = ranks[place]
        if value == KING:
            bits[place] = 0
            continue
        group = min(value, TARGET - value) - 1
        if value == group + 1:
            number = low[group]
            low[group] += 1
        else:
            number = EIGHT // 2 + high[group]
            high[group] += 1
        bits[place] = 1 << (group * EIGHT + number)
        members[group, number] = place


@jit
def fill_needs(ranks: Any, members: Any, first: int, rules: Any, partners: Any, needs: Any) -> None:
    """Fill ``partners`` (52), with whom each card could go, and ``needs`` (6, 256); see above.

    A king's partner is itself.
    """
    for place in range(PACK):
        partners[place] = 1 << place
    for group in range(GROUPS):
        for i in range(EIGHT):
            partners[members[group, i]] = 0
    above, goes = np.zeros(PYRAMID, np.int64), np.zeros(EIGHT, np.int64)
    lie_on(ranks, rules, above)
    for group in range(GROUPS):
        must = 0
        for i in range(EIGHT):
            goes[i] = 0
            if rules.clear_all or members[group, i] < PYRAMID:
                must |= 1 << i
        for i in range(EIGHT // 2):
            for j in range(EIGHT // 2, EIGHT):
                one, other = members[group, i], members[group, j]
                if can_pair(min(one, other), max(one, other), above, first, rules):
                    goes[i] |= 1 << j
                    goes[j] |= 1 << i
                    partners[one] |= 1 << other
                    partners[other] |= 1 << one
        for subset in range(SUBSETS):
            needs[group, subset] = removals(subset, subset & must, goes, needs[group])


@jit
def removals(subset: int, must: int, goes: Any, needs: Any) -> int:
    """How many removals a subset of a group takes, from what smaller subsets take."""
    if must == 0:
        return 0
    best = NEVER
    card = lowest(must)
    others = goes[card] & subset
    while others:
        other = lowest(others)
        others &= others - 1
        best = min(best, 1 + needs[subset & ~(1 << card) & ~(1 << other)])
    return best


class Facts(NamedTuple):
    """What of a deck, by some rules, never changes.

    ``first``: the deck position at which the stock begins; ``goal``: the cards that must go;
    ``ranks`` (52): the value at each position, ``sets`` (14): the positions of each value;
    ``bits`` (52), ``partners`` (52) and ``needs`` (6, 256): see `group_cards` and `fill_needs`.
    """

    first: int
    goal: int
    ranks: np.ndarray
    sets: np.ndarray
    bits: np.ndarray
    partners: np.ndarray
    needs: np.ndarray


@jit
def facts_of(deck: Any, rules: Any) -> Facts:
    """Read a deck (52 codes)."""
    first = stock_begin(rules)
    ranks, sets = np.zeros(PACK, np.int64), np.zeros(KING + 1, np.int64)
    bits, members = np.zeros(PACK, np.int64), np.zeros((GROUPS, EIGHT), np.int64)
    partners, needs = np.zeros(PACK, np.int64), np.zeros((GROUPS, SUBSETS), np.int64)
    read_deck(deck, ranks, sets)
    group_cards(ranks, bits, members)
    if not rules.many_sum:
        fill_needs(ranks, members, first, rules, partners, needs)
    goal = -1 if rules.clear_all else PYRAMID_SET
    return Facts(first, goal, ranks, sets, bits, partners, needs)


@jit
def groups_of(there: int, bits: Any) -> int:
    """The cards of a set, as `group_cards` numbers them."""
    groups = 0
    while there:
        groups |= bits[lowest(there)]
        there &= there - 1
    return groups


@jit
def is_lost(groups: int, gone: int, needs: Any) -> bool:
    """Whether, after the cards ``gone`` (numbered so) have gone, a group of theirs never can."""
    while gone:
        group = lowest(gone) // EIGHT
        gone &= ~(255 << (group * EIGHT))
        if needs[group, (groups >> (group * EIGHT)) & 255] >= NEVER:
            return True
    return False


@jit
def removals_left(groups: int, needs: Any) -> int:
    """How many removals all groups take at least, kings left out."""
    total = 0
    for group in range(GROUPS):
        total += needs[group, (groups >> (group * EIGHT)) & 255]
    return total


@jit
def turns_left(there: int, p: int, groups: int, facts: Any, rules: Any) -> int:
    """How many moves beside `removals_left` it takes at least until the stock has given up enough.

    If more cards of a value must go than partners of theirs lie outside the stock, partners have to
    come out of it: those dealt first. Whatever lies before the last of these has to be dealt, a
    card a move on each pile, and so has that one, unless the stock's top is in play: see
    `not_straight`.
    """
    sets = facts.sets
    stock = there >> p << p
    must = there & facts.goal
    direct = rules.stock_play != 0
    most = 0
    if rules.clear_all:
        if direct:
            return 0
        most = count(stock)
    for value in range(1, TARGET):
        partners = sets[TARGET - value] & there
        lack = count(sets[value] & must) - count(partners & ~stock)
        if lack > 0:
            rest = partners & stock
            for _ in range(lack - 1):
                rest &= rest - 1
            before = stock & (rest & -rest) - 1 if rest else 0
            cards = count(before) + 1
            if direct:
                cards = not_straight(before, must, groups, facts)
            most = max(most, cards)
    if rules.waste_piles > 1:
        return (most + rules.waste_piles - 1) // rules.waste_piles
    return most if direct or rules.clear_all else max(most, next_pass(there, p, must, facts))


@jit
def next_pass(there: int, p: int, must: int, facts: Any) -> int:
    """How many turns it takes at least if what is needed lies under a card that stays; else 0.

    For one pile, with the stock's top not in play, where a win is the pyramid's: a card of the deck
    of whose partners none is on the table any more stays, and so does what lies under it until the
    waste is turned over. For that the whole stock has to be dealt, and then again all that stays
    above what is needed, and this itself.
    """
    sets, table = facts.sets, there & ((1 << facts.first) - 1)
    stock = there >> p << p
    deck = there & ~table
    stays = 0
    for value in range(1, TARGET):
        if sets[TARGET - value] & table == 0:
            stays |= sets[value] & deck
    above = stays & ~stock
    if above == 0:
        return 0
    under = deck & ((1 << highest(above)) - 1)
    most = 0
    for value in range(1, TARGET):
        partners = sets[TARGET - value] & there
        buried = partners & under
        lack = count(sets[value] & must) - count(partners & ~under)
        if lack > 0 and buried:
            rest = buried
            for _ in range(lack - 1):
                rest &= rest - 1
            before = count(stays & ((rest & -rest) - 1)) if rest else 0
            most = max(most, count(stock) + 1 + before + lack)
    return most


@jit
def not_straight(before: int, must: int, groups: int, facts: Any) -> int:
    """What it costs at least to be rid of these stock cards where the stock's top is in play.

    A card that goes straight from the stock with one that must go costs no deal. In a group of n
    cards that must go, of which `removals_left` counts m removals, 2 m - n go with cards of the
    deck: so many deals are saved at most, and two more for each removal beyond m.
    """
    saved, more = 0, 0
    for group in range(GROUPS):
        low, high = facts.sets[group + 1], facts.sets[TARGET - 1 - group]
        fit = min(count(before & low), count(must & high))
        fit += min(count(before & high), count(must & low))
        needed = facts.needs[group, (groups >> (group * EIGHT)) & 255]
        sure = min(fit, 2 * needed - count(must & (low | high)))
        saved += sure
        more += fit - sure
    rest = count(before) - saved
    if rest <= 0:
        return 0
    if rest <= more:
        return (rest + 1) // 2
    return (more + 1) // 2 + rest - more
