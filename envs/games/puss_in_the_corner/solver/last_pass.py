"""Puss in the Corner: search of the last pass with the order of the stock known.

If no redeal is left, every pile is in the order of dealing, so a pile is a set of dealt positions.
A position of the game is four such sets and the tops of the foundations. The order of the piles
does not matter, so the four sets are kept sorted.

`search_last_pass` is a beam search. It places the cards to come one after the other, each on any of
the piles, and keeps the ``width`` most promising different positions of each level. If it never
drops a position, it has seen all positions that matter, so a game that it does not win is lost. For
every width, the search leaves out the following moves and positions. This is sound with all options
in the last pass.

- Dead positions (`check_alive`), which no order of the cards to come wins. A free card is never
  worse than a card in a pile.
- Keeping a card that fits the lower foundation of its color or, with ``suits``, any card that fits
  (`play_safe_cards`). Its twin also fits there or has been built, so no card is stranded. If
  playing is compulsory, the card is played in this phase anyway; with ``hold_back``, playing it
  makes no other play compulsory. The search does not assume the foundation play of ``direct``,
  because it could make another card fit that would then have to be played.
- Building free cards before they are needed, inside `check_alive`. A card built early can only take
  the place of its twin.

`reconstruct_actions` turns the positions of a win into actions.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.bits import count as count_bits
from ....core.kernel.bits import highest, lowest
from ....core.kernel.jit import jit
from ....core.type_aliases import RulesRecord, RulesRecords
from ..rules import DEAL, FOUNDATION, KING, PILES, PLACE, PLAY, Rules
from .alive import (
    DEAD,
    NIBBLE,
    REMEMBERED,
    AliveMemory,
    build_on_tops,
    check_alive,
    fit_kind,
    make_alive_memory,
    play_safe_cards,
    top_shift,
)

PLAY_DEPTH = 256
"""Capacity of the stack of `expand_plays`, which makes 24 choices at most."""
TRIES, LAST_TRIES = 3000, 1 << 40
"""Limits of `check_alive`, in positions: while cards are still to come, and after the last card."""
CONTINUES, FULL = 0, -1
"""Results of adding a position, besides `WINNABLE`: the search continues, or the level is full."""

MAX_COST = (1 << 12) - 1
COST_OFFSET, COST_SCALE = 500, 16
# Tuned with random changes for six minutes, at width 60, on a separate deal set.
UNDER, DEPTH, SAME_FOUNDATION, FADES = 0.48, 0.217, 0.717, 0.053
"""Costs of a card under a higher card: a fixed cost, a cost for each value of the difference, and a
cost if both belong to the same foundations. `FADES` is the decrease for each card that must be
built before the card."""
NO_PILE, TOO_LOW, TOO_HIGH, GROWS, TOP = 0.457, 2.4, 0.09, 1.03, 0.043
"""Costs of each card to come: if no pile can take it without harm, for each value by which the best
pile is too low, and for each value by which it is higher than needed. `GROWS` is the factor from
one
card to the next. `TOP` is the worth of each value of the highest card of a pile."""

POSITION = np.dtype(
    [
        ("piles", np.int64, (PILES,)),  # sets of dealt positions, sorted in a level
        ("tops", np.int64),  # the foundations, see `alive.pack_tops`
        ("parent", np.int64),  # row of its predecessor in the previous level; -1: none
    ]
)
"""A position of the last pass, between two cards."""


class LastPass(NamedTuple):
    """A position in the last pass and the cards to come."""

    piles: list[int]  # sets of indices into `cards`
    tops: int
    next_card: int  # index of the next card to place
    is_turned_up: bool  # that card is turned up; otherwise tops can be played before it
    cards: np.ndarray  # card codes in the order of dealing, int64 (n,)
    ends_group: np.ndarray  # whether a group ends with each card, bool (n,)
    rules: Rules


class Deal(NamedTuple):
    """The cards of a last pass, in the order of dealing."""

    codes: np.ndarray  # int64 (n,)
    ahead: np.ndarray  # set of the codes from each card on, int64 (n + 1,)
    ends_group: np.ndarray  # bool (n,)


class Level(NamedTuple):
    """Distinct positions after the same number of cards, and a hash table of their rows."""

    positions: np.ndarray  # POSITION (capacity,)
    costs: np.ndarray  # int64 (capacity,), 0 (promising) to MAX_COST
    slots: np.ndarray  # int32, -1: empty


class SearchMemory(NamedTuple):
    """Memory of `search_last_pass`."""

    level: Level  # the level under construction
    plays: np.ndarray  # POSITION (PLAY_DEPTH,): stack of `expand_plays`
    alive: AliveMemory


class SearchResult(NamedTuple):
    """Outcome of `search_last_pass`."""

    outcome: int  # WINNABLE, LOST or UNDECIDED
    nodes: int  # positions seen
    level: int  # level of the win; its position is row 0 of that level of the beam


def make_search_memory(width: int) -> SearchMemory:
    """Return the memory for a search with a given width."""
    capacity = 6 * width + PLAY_DEPTH
    return SearchMemory(
        Level(
            np.empty(capacity, POSITION),
            np.empty(capacity, np.int64),
            np.empty(2 * capacity + 1, np.int32),
        ),
        np.empty(PLAY_DEPTH, POSITION),
        make_alive_memory(REMEMBERED),
    )


# ---- cost of a position ---------------------------------------------------------------------


@jit
def pile_disorder_cost(pile: int, tops: int, codes: np.ndarray, suits: bool) -> Any:
    """Return the cost of the order of a pile's cards, and the lowest and highest value."""
    cost, top, low, foundation_tops = 0.0, 0, KING + 1, 0
    while pile:
        position = highest(pile)
        pile ^= 1 << position
        card = codes[position]
        value, shift = card >> 2, top_shift(card, suits)
        urgency = max(0.0, 1.0 - FADES * (value - 1 - ((tops >> shift) & NIBBLE)))
        if top > value:
            cost += urgency * (UNDER + DEPTH * (top - value))
            if (foundation_tops >> shift) & NIBBLE > value:
                cost += urgency * SAME_FOUNDATION
        if value > (foundation_tops >> shift) & NIBBLE:
            foundation_tops += (value - ((foundation_tops >> shift) & NIBBLE)) << shift
        top, low = max(top, value), min(low, value)
    return cost, low, top


@jit
def position_cost(position: Any, next_card: int, codes: np.ndarray, suits: bool) -> int:
    """Return the estimated cost of a position, 0 (promising) to `MAX_COST`."""
    total, lows, best = 0.0, 0, 0
    for pile in range(PILES):
        cost, low, top = pile_disorder_cost(position["piles"][pile], position["tops"], codes, suits)
        total += cost - TOP * top
        lows |= 1 << low
        best = max(best, low)
    weight = NO_PILE
    for card in range(next_card, len(codes)):
        value = codes[card] >> 2
        high_enough = lows >> value
        if high_enough:
            total += weight * TOO_HIGH * lowest(high_enough)
        else:
            total += weight * (1 + TOO_LOW * (value - best))
        weight *= GROWS
    return min(int(total * COST_SCALE + COST_OFFSET), MAX_COST)


@jit
def copy_position(source: Any, target: Any) -> None:
    """Copy a position field by field. Copying a record stalls on fields that were just written."""
    for pile in range(PILES):
        target["piles"][pile] = source["piles"][pile]
    target["tops"], target["parent"] = source["tops"], source["parent"]


# ---- one level of the search ----------------------------------------------------------------


@jit
def insert_position(position: Any, cost: int, count: int, level: Level) -> int:
    """Append a position with sorted piles to the level if it is new, and return the new count."""
    piles = position["piles"]
    a, b, c, d = piles[0], piles[1], piles[2], piles[3]
    if a < b:
        a, b = b, a
    if c < d:
        c, d = d, c
    if a < c:
        a, c = c, a
    if b < d:
        b, d = d, b
    if b < c:
        b, c = c, b
    h = (a * 0x9E3779B97F4A7C1) ^ (b * 0x2545F4914F6CDD1D) ^ (c * 0x369DEA0F31A53F85) ^ d
    h = (h ^ (h >> 31)) * 0x5851F42D4C957F2D
    slots, positions = level.slots, level.positions
    size = len(slots)
    slot = ((h ^ (h >> 33)) & 0x7FFFFFFFFFFFFFFF) % size
    while slots[slot] >= 0:
        there = positions[slots[slot]]["piles"]
        if there[0] == a and there[1] == b and there[2] == c and there[3] == d:
            return count
        slot = slot + 1 if slot + 1 < size else 0
    slots[slot] = count
    level.costs[count] = cost
    new = positions[count]
    new["tops"], new["parent"] = position["tops"], position["parent"]
    piles = new["piles"]
    piles[0], piles[1], piles[2], piles[3] = a, b, c, d
    return count + 1


@jit
def add_if_alive(
    position: Any, next_card: int, count: int, deal: Deal, suits: bool, memory: SearchMemory
) -> Any:
    """Add a position to the level unless it is dead or already in the level.

    Returns the new count, and `WINNABLE` if the game is won there, `FULL` or `CONTINUES`.
    """
    is_last = next_card == len(deal.codes)
    if count == len(memory.level.positions):
        return count, FULL
    alive = check_alive(
        position["piles"],
        position["tops"],
        deal.ahead[next_card],
        deal.codes,
        suits,
        LAST_TRIES if is_last else TRIES,
        memory.alive,
    )
    if alive == DEAD:
        return count, CONTINUES
    cost = 0 if is_last else position_cost(position, next_card, deal.codes, suits)
    count = insert_position(position, cost, count, memory.level)
    return count, WINNABLE if is_last else CONTINUES


@jit
def expand_plays(
    next_card: int, count: int, deal: Deal, rules: RulesRecord, memory: SearchMemory
) -> Any:
    """Add every position that plays after a group can lead to, from the first one of ``plays``.

    Returns the new count, the status as in `add_if_alive`, and the number of positions seen.
    """
    plays, codes = memory.plays, deal.codes
    depth, status, nodes = 1, CONTINUES, 0
    while depth:
        position = plays[depth - 1]
        piles = position["piles"]
        position["tops"], _ = play_safe_cards(piles, position["tops"], 0, codes, rules.suits)
        playable = 0
        for pile in range(PILES):
            if piles[pile] and fit_kind(position["tops"], codes[highest(piles[pile])], rules.suits):
                playable |= 1 << pile
        if playable == 0 or rules.hold_back:
            nodes += 1
            count, added = add_if_alive(position, next_card, count, deal, rules.suits, memory)
            if added == WINNABLE:
                return count, WINNABLE, nodes
            status = min(status, added)
        depth += count_bits(playable) - 1
        place = depth  # The last play goes first, because the first one overwrites the position.
        while playable:
            pile = highest(playable)
            playable ^= 1 << pile
            place -= 1
            top, child = highest(piles[pile]), plays[place]
            copy_position(position, child)
            child["piles"][pile] ^= 1 << top
            child["tops"] = build_on_tops(child["tops"], codes[top], rules.suits)
    return count, status, nodes


@jit
def keep_best(count: int, width: int, level: Level, kept: np.ndarray) -> int:
    """Copy the ``width`` cheapest positions of a level to ``kept``, and return their number.

    The positions keep their order. Of positions with equal costs the first ones are taken.
    """
    positions, costs = level.positions, level.costs
    limit, spare = MAX_COST + 1, 0
    if count > width:
        counts = np.zeros(MAX_COST + 1, np.int64)
        for i in range(count):
            counts[costs[i]] += 1
        limit = total = 0
        while total + counts[limit] <= width:
            total += counts[limit]
            limit += 1
        spare = width - total
    num_kept = 0
    for i in range(count):
        cost = costs[i]
        if cost < limit or (cost == limit and spare > 0):
            spare -= cost == limit
            kept[num_kept] = positions[i]
            num_kept += 1
    return num_kept


@jit
def expand_level(
    parents: np.ndarray, num_parents: int, next_card: int, deal: Deal, rules: RulesRecord,
    memory: SearchMemory,
) -> Any:  # fmt: skip
    """Place the next card in every way on each kept position.

    Returns the number of new positions, the status, and the number of positions seen. The status is
    `WINNABLE` if the last position is won, `FULL` if a position was dropped, otherwise `CONTINUES`.
    """
    position, card = memory.plays[0], deal.codes[next_card]
    count, status, nodes = 0, CONTINUES, 0
    for parent in range(num_parents):
        for pile in range(PILES + 1):
            copy_position(parents[parent], position)
            position["parent"] = parent
            piles, tops = position["piles"], position["tops"]
            if pile < PILES:
                if pile and piles[pile] == piles[pile - 1]:
                    continue
                piles[pile] |= 1 << next_card
            elif rules.direct and fit_kind(tops, card, rules.suits):
                position["tops"] = build_on_tops(tops, card, rules.suits)
            else:
                continue
            seen = 1
            if deal.ends_group[next_card]:
                count, added, seen = expand_plays(next_card + 1, count, deal, rules, memory)
            else:
                count, added = add_if_alive(
                    position, next_card + 1, count, deal, rules.suits, memory
                )
            nodes += seen
            if added == WINNABLE:
                return count, WINNABLE, nodes
            status = min(status, added)
    return count, status, nodes


@jit
def clear_slots(level: Level) -> None:
    """Empty the hash table of a level."""
    slots = level.slots
    for slot in range(len(slots)):
        slots[slot] = -1


@jit
def search_last_pass(
    start: np.ndarray,
    next_card: int,
    is_turned_up: bool,
    deal: Deal,
    rules_record: RulesRecords,
    width: int,
    limit: int,
    beam: np.ndarray,
    memory: SearchMemory,
) -> SearchResult:
    """Search the last pass from a position; see the module.

    Args:
        start: The position, POSITION (1,).
        next_card: Index of the next card to place.
        is_turned_up: Whether this card is turned up. Otherwise top cards can be played before it.
        deal: The cards.
        rules_record: The rules, an array (1,).
        width: Number of positions to keep on each level.
        limit: Maximum number of positions.
        beam: Receives the kept positions of each level, POSITION (levels, width). After a win it
            has the positions on the winning path.
        memory: See `make_search_memory`.
    """
    rules, level = rules_record[0], memory.level
    count, status, nodes, depth, is_complete = 0, CONTINUES, 0, 0, True
    clear_slots(level)
    if is_turned_up:
        count = insert_position(start[0], 0, 0, level)
    else:
        copy_position(start[0], memory.plays[0])
        count, status, nodes = expand_plays(next_card, 0, deal, rules, memory)
    while count:
        if status == WINNABLE:
            beam[depth, 0] = level.positions[count - 1]
            return SearchResult(WINNABLE, nodes, depth)
        is_complete = is_complete and status != FULL and count <= width
        num_kept = keep_best(count, width, level, beam[depth])
        if nodes > limit:
            return SearchResult(UNDECIDED, nodes, 0)
        clear_slots(level)
        count, status, seen = expand_level(beam[depth], num_kept, next_card, deal, rules, memory)
        nodes += seen
        depth += 1
        next_card += 1
    is_complete = is_complete and status != FULL
    return SearchResult(LOST if is_complete else UNDECIDED, nodes, 0)


# ---- the actions of a win -------------------------------------------------------------------


class Tableau(NamedTuple):
    """Piles, as sets of indices into `LastPass.cards`, and the tops of the foundations."""

    piles: list[int]
    tops: int


def _list_plays(tableau: Tableau, last_pass: LastPass) -> Iterator[tuple[int, Tableau]]:
    """Yield the piles whose top can be played, safe cards first, and the tableau after it."""
    for wanted in (2, 1):
        for p, pile in enumerate(tableau.piles):
            if pile:
                top = highest(pile)
                card = int(last_pass.cards[top])
                if fit_kind(tableau.tops, card, last_pass.rules.suits) == wanted:
                    piles = [*tableau.piles[:p], pile ^ 1 << top, *tableau.piles[p + 1 :]]
                    yield (
                        p,
                        Tableau(piles, build_on_tops(tableau.tops, card, last_pass.rules.suits)),
                    )


def _find_plays(
    start: Tableau, last_pass: LastPass, target: list[int]
) -> tuple[list[int] | None, list[int]]:
    """Play cards until the sorted piles equal ``target``.

    Returns the piles (None if this is impossible) and the actions.
    """
    stack: list[tuple[Tableau, list[int]]] = [(start, [])]
    visited: set[tuple[int, ...]] = set()
    remaining = sum(target)
    while stack:
        tableau, actions = stack.pop()
        if sorted(tableau.piles) == sorted(target):
            return tableau.piles, actions
        key = (*tableau.piles, tableau.tops)
        if key in visited or sum(tableau.piles) & remaining != remaining:
            continue
        visited.add(key)
        after = [(then, [*actions, PLAY + p]) for p, then in _list_plays(tableau, last_pass)]
        stack += after[::-1]
    return None, []


def _list_placements(
    tableau: Tableau, last_pass: LastPass, next_card: int
) -> Iterator[tuple[int, Tableau]]:
    """Yield the actions that place the next card, and the tableau after each action."""
    piles, tops = tableau
    for p in range(PILES):
        yield PLACE + p, Tableau([*piles[:p], piles[p] | 1 << next_card, *piles[p + 1 :]], tops)
    card = int(last_pass.cards[next_card])
    if last_pass.rules.direct and fit_kind(tops, card, last_pass.rules.suits):
        yield FOUNDATION, Tableau(piles, build_on_tops(tops, card, last_pass.rules.suits))


def reconstruct_actions(last_pass: LastPass, path: list[Tableau]) -> list[int]:
    """Return the actions of a win.

    Args:
        last_pass: The position from which the game is won.
        path: The tableaus after each card of the win, with sorted piles.
    """
    piles = list(last_pass.piles)
    actions: list[int] = []
    next_card, is_turned_up = last_pass.next_card, last_pass.is_turned_up
    if not is_turned_up:
        start, actions = _find_plays(Tableau(piles, last_pass.tops), last_pass, path[0].piles)
        assert start is not None
        piles = start
    for before, after in pairwise(path):
        ends_group = last_pass.ends_group[next_card]
        if not is_turned_up and last_pass.rules.hold_back:
            actions.append(DEAL)
        for action, placed in _list_placements(Tableau(piles, before.tops), last_pass, next_card):
            then = placed.piles if sorted(placed.piles) == sorted(after.piles) else None
            plays: list[int] = []
            if ends_group:
                then, plays = _find_plays(placed, last_pass, after.piles)
            if then is not None:
                piles = then
                actions += [action, *plays]
                break
        is_turned_up = not ends_group
        next_card += 1
    return actions + _find_plays(Tableau(piles, path[-1].tops), last_pass, [0] * PILES)[1]
