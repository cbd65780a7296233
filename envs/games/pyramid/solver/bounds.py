"""Pyramid solver: lower bounds on moves, and detection of lost positions without a search.

The cards of two values that total 13 form a group of eight cards, which can be removed only with
each other. (This does not hold with ``many_sum``, so nothing here applies to it.) For each
remaining subset of a group, the table ``needs`` has the minimum number of removals that remove all
cards that must go, under the assumption that all cards are always free; `IMPOSSIBLE` if there are
none.

Two cards can never be removed together if one of them covers the other, directly or indirectly,
because the upper card must go first (exception: ``match_cover`` and a direct cover). The same holds
for two cards of the deck if the top of a single waste pile is the only card of the deck in play.
Kings need no partner.
"""

import numpy as np

from ....core.kernel.bits import count, highest, lowest
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ....core.type_aliases import Positions, RulesRecord
from ..kernel import COVERERS, PYRAMID_SET, stock_start
from ..rules import KING, PYRAMID, TARGET
from .position import GROUP_SIZE, GROUPS, SUBSETS, Facts, Position

IMPOSSIBLE = 100


# Facts that never change during a game


@jit
def fill_above(facts: Facts, rules: RulesRecord, above: np.ndarray) -> None:
    """Fill ``above`` (28,) with the sets of cards that cover each slot, directly or indirectly.

    With ``covered_kings``, a card that covers a slot only through a king does not count, because
    the king can go first.
    """
    for slot in range(PYRAMID - 1, -1, -1):
        above[slot] = COVERERS[slot]
        rest = COVERERS[slot]
        while rest:
            upper = lowest(rest)
            rest &= rest - 1
            if not rules.covered_kings or facts["ranks"][upper] != KING:
                above[slot] |= above[upper]


@jit
def can_pair(first: int, second: int, above: np.ndarray, start: int, rules: RulesRecord) -> bool:
    """Return whether two cards that total 13, in deck order, could ever be removed together."""
    if second < PYRAMID:
        if (above[first] >> second) & 1 == 0:
            return True
        return rules.match_cover and (COVERERS[first] >> second) & 1 != 0
    if first >= start:
        return rules.stock_play or rules.held or rules.waste_piles > 1
    return True


@jit
def number_groups(facts: Facts, members: np.ndarray) -> None:
    """Number the cards within their groups.

    Writes ``group_bits`` of the facts: the bit of each card among the 48 cards of all groups, 0 for
    kings. Writes ``members`` (6, 8): the deck positions of each group's cards, lower value first.
    """
    low, high = np.zeros(KING + 1, np.int64), np.zeros(KING + 1, np.int64)
    for place in range(PACK_SIZE):
        value = facts["ranks"][place]
        if value == KING:
            continue
        group = min(value, TARGET - value) - 1
        if value == group + 1:
            number = low[group]
            low[group] += 1
        else:
            number = GROUP_SIZE // 2 + high[group]
            high[group] += 1
        facts["group_bits"][place] = 1 << (group * GROUP_SIZE + number)
        members[group, number] = place


@jit
def find_least_removals(
    subset: int, must_go: int, partners: np.ndarray, facts: Facts, group: int
) -> int:
    """Return the minimum number of removals for a subset of a group, from smaller subsets."""
    if must_go == 0:
        return 0
    best = IMPOSSIBLE
    card = lowest(must_go)
    rest = partners[card] & subset
    while rest:
        partner = lowest(rest)
        rest &= rest - 1
        best = min(best, 1 + facts["needs"][group, subset & ~(1 << card) & ~(1 << partner)])
    return best


@jit
def fill_needs(facts: Facts, members: np.ndarray, cards: Positions, rules: RulesRecord) -> None:
    """Fill ``partners``, the possible partners of each card, and the ``needs`` of subsets.

    A king is its own partner. ``needs`` is filled for the subsets of ``cards`` only, because the
    number of subsets doubles with each card of a group.
    """
    for place in range(PACK_SIZE):
        facts["partners"][place] = 1 << place if facts["ranks"][place] == KING else 0
    above, partners = np.zeros(PYRAMID, np.int64), np.zeros(GROUP_SIZE, np.int64)
    fill_above(facts, rules, above)
    for group in range(GROUPS):
        must_go, largest = 0, 0
        for i in range(GROUP_SIZE):
            partners[i] = 0
            largest |= ((cards >> members[group, i]) & 1) << i
            if rules.clear_all or members[group, i] < PYRAMID:
                must_go |= 1 << i
        for i in range(GROUP_SIZE // 2):
            for j in range(GROUP_SIZE // 2, GROUP_SIZE):
                low, high = members[group, i], members[group, j]
                first, second = min(low, high), max(low, high)
                if can_pair(first, second, above, facts["stock_start"], rules):
                    partners[i] |= 1 << j
                    partners[j] |= 1 << i
                    facts["partners"][low] |= 1 << high
                    facts["partners"][high] |= 1 << low
        subset = 0
        while True:  # Subsets of a subset come first.
            least = find_least_removals(subset, subset & must_go, partners, facts, group)
            facts["needs"][group, subset] = least
            if subset == largest:
                break
            subset = (subset - largest) & largest


@jit
def fill_facts(facts: Facts, deck: np.ndarray, cards: Positions, rules: RulesRecord) -> None:
    """Fill a record of FACTS.

    Args:
        facts: The record: zeros, or the facts of another deck with the same rules.
        deck: Card codes, (52,).
        cards: Set of cards that may be left in a position: the bounds hold for its subsets only.
        rules: The rules.
    """
    facts["stock_start"] = stock_start(rules)
    facts["goal"] = -1 if rules.clear_all else PYRAMID_SET
    for value in range(KING + 1):
        facts["cards_of"][value] = 0
    for place in range(PACK_SIZE):
        facts["group_bits"][place] = 0
        value = deck[place] >> 2
        facts["ranks"][place] = value
        facts["cards_of"][value] |= 1 << place
    members = np.zeros((GROUPS, GROUP_SIZE), np.int64)
    number_groups(facts, members)
    if not rules.many_sum:
        fill_needs(facts, members, cards, rules)


# Groups


@jit
def group_cards(cards: Positions, facts: Facts) -> int:
    """Convert a set of cards to the numbering of `number_groups`."""
    groups = 0
    while cards:
        groups |= facts["group_bits"][lowest(cards)]
        cards &= cards - 1
    return groups


@jit
def count_needs(groups: int, group: int, facts: Facts) -> int:
    """Return the minimum number of removals for a group."""
    return facts["needs"][group, (groups >> (group * GROUP_SIZE)) & (SUBSETS - 1)]


@jit
def is_lost(groups: int, gone: int, facts: Facts) -> bool:
    """Return whether a group that lost cards of ``gone`` can no longer be removed."""
    while gone:
        group = lowest(gone) // GROUP_SIZE
        gone &= ~((SUBSETS - 1) << (group * GROUP_SIZE))
        if count_needs(groups, group, facts) >= IMPOSSIBLE:
            return True
    return False


# Lower bounds


@jit
def bound_removals(groups: int, facts: Facts) -> int:
    """Return a lower bound on the number of removals of all groups, without kings."""
    total = 0
    for group in range(GROUPS):
        total += count_needs(groups, group, facts)
    return total


@jit
def cards_before(cards: Positions, number: int) -> Positions:
    """Return the mask of all positions before card ``number`` of a set, counted from 1.

    The mask is 0 if the set has fewer cards.
    """
    for _ in range(number - 1):
        cards &= cards - 1
    return (cards & -cards) - 1 if cards else 0


@jit
def bound_turns(at: Position, groups: int, facts: Facts, rules: RulesRecord) -> int:
    """Return a lower bound on the number of turns, which is added to `bound_removals`.

    If more cards of a value must go than there are partners outside the stock, the missing partners
    must be dealt from the stock. At best they are the first such cards of the stock. All cards
    before the last missing partner must be dealt, ``turn`` cards per move on each pile (one card
    with ``held``). The partner itself must also be dealt, unless the stock's top card is in play;
    see `bound_direct_play`.
    """
    remaining, stock = at.remaining, at.remaining >> at.stock_top << at.stock_top
    must_go = remaining & facts["goal"]
    is_direct = rules.stock_play != 0
    most = 0
    if rules.clear_all:
        if is_direct:
            return 0
        most = count(stock)
    for value in range(1, TARGET):
        partners = facts["cards_of"][TARGET - value] & remaining
        num_missing = count(facts["cards_of"][value] & must_go) - count(partners & ~stock)
        if num_missing > 0:
            before = stock & cards_before(partners & stock, num_missing)
            turns = count(before) + 1
            if is_direct:
                turns = bound_direct_play(before, must_go, groups, facts)
            most = max(most, turns)
    cards_per_turn = rules.waste_piles * rules.turn
    if cards_per_turn > 1:
        return (most + cards_per_turn - 1) // cards_per_turn
    if is_direct or rules.held or rules.clear_all:
        return most
    return max(most, bound_next_pass(at, must_go, facts))


@jit
def bound_next_pass(at: Position, must_go: Positions, facts: Facts) -> int:
    """Return a lower bound on the number of turns if needed cards are under a card that stays.

    Returns 0 otherwise. The bound holds for a single waste pile whose cards can be removed only
    with cards of the table, if a win requires only the pyramid. A card of the deck without a
    partner on the table stays, and the cards under it stay until the waste is turned over. So the
    whole stock must be dealt, then again all cards that stay above the needed cards, and the needed
    cards.
    """
    remaining, stock = at.remaining, at.remaining >> at.stock_top << at.stock_top
    tableau = remaining & ((1 << facts["stock_start"]) - 1)
    deck = remaining & ~tableau
    staying = 0
    for value in range(1, TARGET):
        if facts["cards_of"][TARGET - value] & tableau == 0:
            staying |= facts["cards_of"][value] & deck
    staying_waste = staying & ~stock
    if staying_waste == 0:
        return 0
    under = deck & ((1 << highest(staying_waste)) - 1)
    most = 0
    for value in range(1, TARGET):
        partners = facts["cards_of"][TARGET - value] & remaining
        buried = partners & under
        num_missing = count(facts["cards_of"][value] & must_go) - count(partners & ~under)
        if num_missing > 0 and buried:
            num_before = count(staying & cards_before(buried, num_missing))
            most = max(most, count(stock) + 1 + num_before + num_missing)
    return most


@jit
def bound_direct_play(before: Positions, must_go: Positions, groups: int, facts: Facts) -> int:
    """Return a lower bound on the number of turns if the stock's top card is in play.

    Removing a card straight from the stock together with a card that must go costs no deal. In a
    group of n cards that must go and need m removals, 2 m - n removals use a card of the deck. So
    at most 2 m - n deals are saved, plus two for each removal beyond m.
    """
    num_saved, num_more = 0, 0
    for group in range(GROUPS):
        low, high = facts["cards_of"][group + 1], facts["cards_of"][TARGET - 1 - group]
        num_pairs = min(count(before & low), count(must_go & high))
        num_pairs += min(count(before & high), count(must_go & low))
        with_deck = 2 * count_needs(groups, group, facts) - count(must_go & (low | high))
        certain = min(num_pairs, with_deck)
        num_saved += certain
        num_more += num_pairs - certain
    rest = count(before) - num_saved
    if rest <= 0:
        return 0
    if rest <= num_more:
        return (rest + 1) // 2
    return (num_more + 1) // 2 + rest - num_more
