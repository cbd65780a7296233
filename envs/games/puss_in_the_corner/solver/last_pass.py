"""Puss in the Corner: a search through the last pass by one who knows the order of the stock.

No redeal being left, a pile is a set of dealt cards: the order of dealing orders it. So a position
is four sets of places in that order, and what the foundations show. Which pile is which does not
matter any more, so that the four sets are kept sorted.

`search_last_pass` goes through the cards to come level by level, each on any of the piles, and
keeps the ``width`` most promising different positions of a level. Where it never had to leave one
out it has seen all that matters: then a game that it does not win is lost. It leaves out, whatever
the width:

- positions that are dead though all cards still to come lay open (`check_alive`). To lie open is
  never worse than to lie in a pile: sound by all options, in the last pass.
- not to play a card that fits the lower foundation of its colour, or by suits any that fits
  (`play_safe_cards`). Its twin fits there too, or has been built, so that nothing is stranded.
  Where playing is compulsory it is played in this phase anyway, sooner or later; with ``hold_back``
  nothing else becomes compulsory by it. Sound by all options, in the last pass. What ``direct``
  allows is never taken for granted: another card that then fits might have to be played.
- to play free cards before they are needed, inside `check_alive`: a card built early may only
  take the place of its twin.

A card's twin is the other one of its value and colour.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....core.aliases import RulesRecord, RulesRecords
from ....core.kernel.bits import highest, lowest
from ....core.kernel.jit import jit
from ..rules import KING, PILES, Rules
from .alive import (
    NIBBLE,
    SEEN,
    build_on_tops,
    check_alive,
    fit_kind,
    make_alive_room,
    play_safe_cards,
    top_shift,
)

Arrays: TypeAlias = tuple[np.ndarray, ...]
Piles: TypeAlias = Any
"""Four sets of places: an array or a tuple."""
WAITING = 256
"""Room for positions while `expand_plays` goes through plays: there are 24 choices at most."""
TRIES = 3000
"""Positions after which `check_alive` gives up, while cards are still to come."""
WORST = (1 << 12) - 1
LONG = 1 << 40

# Found by trying changes at random for six minutes, at width 60, on deals of a bank of their own.
UNDER, DEPTH, OWN, FADES = 0.48, 0.217, 0.717, 0.053
"""Costs of a card under a higher one, for each value that this is higher, and if it is of the same
foundations; and how much less these are for each card that must be built before it."""
NEXT_COST, OVER, GAP, GROWS, TOP = 0.457, 2.4, 0.09, 1.03, 0.043
"""Costs of each card to come which no pile could take without harm, and for each value that the
best pile is too low; for each value that the best pile is higher than needed; how these grow from
one card to the next. What the highest card of a pile is worth, for each value."""
FIRST_COST, FINE = 500, 16


class LastPass(NamedTuple):
    """A position in the last pass, as `search_last_pass` takes it."""

    piles: list[int]
    tops: int
    nxt: int
    begun: bool
    cards: np.ndarray
    ends: np.ndarray
    rules: Rules


@jit
def pile_disorder_cost(pile: int, tops: int, cards: np.ndarray, suits: bool) -> Any:
    """What it costs how the cards of a pile lie; and its lowest and its highest value."""
    total, top, low, own = 0.0, 0, KING + 1, 0
    while pile:
        place = highest(pile)
        pile ^= 1 << place
        card = cards[place]
        value, at = card >> 2, top_shift(card, suits)
        pressing = max(0.0, 1.0 - FADES * (value - 1 - ((tops >> at) & NIBBLE)))
        if top > value:
            total += pressing * (UNDER + DEPTH * (top - value))
            if (own >> at) & NIBBLE > value:
                total += pressing * OWN
        if value > (own >> at) & NIBBLE:
            own += (value - ((own >> at) & NIBBLE)) << at
        top, low = max(top, value), min(low, value)
    return total, low, top


@jit
def position_cost(piles: np.ndarray, tops: int, nxt: int, cards: np.ndarray, suits: bool) -> int:
    """How unpromising a position looks, 0 to `WORST`; ``nxt``: the place of the next card."""
    total, lows, best = 0.0, 0, 0
    for p in range(PILES):
        more, low, top = pile_disorder_cost(piles[p], tops, cards, suits)
        total += more - TOP * top
        lows |= 1 << low
        best = max(best, low)
    weight = NEXT_COST
    for i in range(nxt, len(cards)):
        value = cards[i] >> 2
        enough = lows >> value
        if enough:
            total += weight * GAP * lowest(enough)
        else:
            total += weight * (1 + OVER * (value - best))
        weight *= GROWS
    return min(int(total * FINE + FIRST_COST), WORST)


@jit
def insert_position(
    piles: np.ndarray, tops: int, parent: int, worth: int, found: int, out: Any, slots: np.ndarray
) -> int:
    """Add a position, its piles sorted, unless it is there; return how many there are."""
    masks, more = out
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
    size = len(slots)
    slot = ((h ^ (h >> 33)) & 0x7FFFFFFFFFFFFFFF) % size
    while slots[slot] >= 0:
        m = masks[slots[slot]]
        if m[0] == a and m[1] == b and m[2] == c and m[3] == d:
            return found
        slot = slot + 1 if slot + 1 < size else 0
    slots[slot] = found
    m = masks[found]
    m[0], m[1], m[2], m[3] = a, b, c, d
    more[found, 0] = tops
    more[found, 1] = parent
    more[found, 2] = worth
    return found + 1


@jit
def add_if_alive(
    piles: np.ndarray, tops: int, parent: int, nxt: int, found: int, deck: Any, suits: bool,
    out: Any, room: Any,
) -> Any:  # fmt: skip
    """Add a position unless it is dead or there already.

    Returns how many there are, and 1 if the game is won there, -1 if there is no room, else 0.
    """
    cards, free, _ = deck
    masks, more, table, dead = out[0], out[1], out[2], room
    last = nxt == len(cards)
    if found == len(masks):
        return found, -1
    if check_alive(piles, tops, free[nxt], cards, suits, LONG if last else TRIES, dead) == 0:
        return found, 0
    worth = 0 if last else position_cost(piles, tops, nxt, cards, suits)
    return insert_position(piles, tops, parent, worth, found, (masks, more), table), int(last)


@jit
def expand_plays(
    piles: np.ndarray, tops: int, parent: int, nxt: int, found: int, deck: Any, rules: RulesRecord,
    out: Any, room: Any, todo: np.ndarray,
) -> Any:  # fmt: skip
    """Offer all positions that playing after a group leads to: as `add_if_alive`, and how many."""
    cards = deck[0]
    for p in range(PILES):
        todo[0, p] = piles[p]
    todo[0, 4] = tops
    many, state, nodes = 1, 0, 0
    while many:
        many -= 1
        at = todo[many]
        at[4], _ = play_safe_cards(at, at[4], 0, cards, rules.suits)
        a, b, c, d, shown = at[0], at[1], at[2], at[3], at[4]
        leads = 0
        for p in range(PILES):
            if at[p] and fit_kind(shown, cards[highest(at[p])], rules.suits):
                leads |= 1 << p
        if leads == 0 or rules.hold_back:
            nodes += 1
            found, one = add_if_alive(at, shown, parent, nxt, found, deck, rules.suits, out, room)
            if one > 0:
                return found, one, nodes
            state = min(state, one)
        while leads:
            p = lowest(leads)
            leads &= leads - 1
            more = todo[many]
            more[0], more[1], more[2], more[3] = a, b, c, d
            place = highest(more[p])
            more[p] ^= 1 << place
            more[4] = build_on_tops(shown, cards[place], rules.suits)
            many += 1
    return found, state, nodes


@jit
def keep_best(
    many: int, width: int, out: Any, kept_masks: np.ndarray, kept_more: np.ndarray
) -> int:
    """Keep the best positions of a level, at most so many; return how many."""
    masks, more = out[0], out[1]
    limit, spare = WORST + 1, 0
    if many > width:
        counts = np.zeros(WORST + 1, np.int64)
        for i in range(many):
            counts[more[i, 2]] += 1
        limit = total = 0
        while total + counts[limit] <= width:
            total += counts[limit]
            limit += 1
        spare = width - total
    here = 0
    for i in range(many):
        worth = more[i, 2]
        if worth < limit or (worth == limit and spare > 0):
            spare -= worth == limit
            kept_masks[here] = masks[i]
            kept_more[here] = more[i]
            here += 1
    return here


@jit
def search_last_pass(
    piles: np.ndarray, tops: int, nxt: int, begun: bool, deck: Any, rules_record: RulesRecords,
    width: int, most: int, kept: Any, out: Any, room: Any,
) -> Any:  # fmt: skip
    """Search the last pass from a position: see the module.

    ``piles``, int64 (4,), and ``tops`` as `play_safe_cards` has them; ``nxt``: the place of the
    next card to be placed; ``begun``: it has been turned up, otherwise tops may be played before.
    ``deck``: codes by place; the set of cards from each place on; whether a group ends with each
    place. ``most``: positions after which it gives up; the rest is room, see `make_search_room`.
    Returns 1 won, 0 lost, -1 open; the positions seen; the level at which it is won, whose line
    leads back through ``kept`` from its row 0.
    """
    rules, (cards, _, ends) = rules_record[0], deck
    kept_masks, kept_more = kept
    work, todo = np.zeros(8, np.int64), np.zeros((WAITING, 8), np.int64)
    nodes, level, many, state, complete = 0, 0, 0, 0, True
    out[2][:] = -1
    if begun:
        many = insert_position(piles, tops, -1, 0, 0, (out[0], out[1]), out[2])
    else:
        many, state, nodes = expand_plays(piles, tops, -1, nxt, 0, deck, rules, out, room, todo)
    while many:
        if state > 0:
            kept_masks[level, 0], kept_more[level, 0] = out[0][many - 1], out[1][many - 1]
            return 1, nodes, level
        complete = complete and many <= width
        here = keep_best(many, width, out, kept_masks[level], kept_more[level])
        if nodes > most:
            return -1, nodes, 0
        out[2][:] = -1
        many = 0
        for way in range(here * (PILES + 1)):
            i, p = way // (PILES + 1), way % (PILES + 1)
            for q in range(PILES):
                work[q] = kept_masks[level, i, q]
            now = kept_more[level, i, 0]
            if p < PILES:
                if p and work[p] == work[p - 1]:
                    continue
                work[p] |= 1 << nxt
            elif rules.direct and fit_kind(now, cards[nxt], rules.suits):
                now = build_on_tops(now, cards[nxt], rules.suits)
            else:
                continue
            seen = 1
            at = nxt + 1
            if ends[nxt]:
                many, state, seen = expand_plays(
                    work, now, i, at, many, deck, rules, out, room, todo
                )
            else:
                many, state = add_if_alive(work, now, i, at, many, deck, rules.suits, out, room)
            nodes += seen
            complete = complete and state >= 0
            if state > 0:
                break
        level += 1
        nxt += 1
    return (0 if complete else -1), nodes, 0


def make_search_room(width: int, levels: int) -> tuple[Any, Any, Any]:
    """Return room for `search_last_pass`: kept, out and the room of `check_alive`."""
    most = 6 * width + WAITING
    kept = np.empty((levels, width, PILES), np.int64), np.empty((levels, width, 3), np.int64)
    out = (
        np.empty((most, PILES), np.int64),
        np.empty((most, 3), np.int64),
        np.empty(2 * most + 1, np.int32),
    )
    return kept, out, make_alive_room(SEEN)
