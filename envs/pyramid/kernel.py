"""Pyramid: how it is played. Top to bottom: what lies where, legal clicks, moves, the deal.

Everything that can be free is a set of places in an int64 (bit = place = action); stock and waste
are sets of deck positions, which keeps the original order through every redeal: the stock's top is
its lowest member, a waste pile's top its highest.
"""

from typing import Any

import numpy as np

from ..core.batch import Over, make_play
from ..core.bits import count, highest, lowest
from ..core.cards import PACK, below, shuffle_pack
from ..core.jit import jit
from .rules import (
    ACTIONS,
    DEAL,
    KING,
    PILE,
    PLACES,
    PYRAMID,
    REDEAL,
    STOCK,
    TABLE,
    TARGET,
    UNDO,
    WASTE,
)

PYRAMID_SET = (1 << PYRAMID) - 1
ALL_POSITIONS = (1 << PACK) - 1
IN_STOCK = 1
IN_WASTE = 2
"""Codes of ``pile_where``; IN_WASTE + k for pile k from 0."""
LAST = 64
"""Marks, in the list that UNDO replays, the click that completed a removal."""


def _covers() -> tuple[np.ndarray, np.ndarray]:
    """For each slot: the set of its two coverers, and the slots it covers (-1: none)."""
    coverers = np.zeros(PYRAMID, np.int64)
    covers = np.full((PYRAMID, 2), -1, np.int64)
    for row in range(6):
        for column in range(row + 1):
            slot = row * (row + 1) // 2 + column
            left = slot + row + 1
            coverers[slot] = 1 << left | 1 << (left + 1)
            covers[left, 1] = slot
            covers[left + 1, 0] = slot
    return coverers, covers


COVERERS, COVERS = _covers()
ROWS = np.array([((2 << row) - 1) << (row * (row + 1) // 2) for row in range(7)])
"""The set of slots of each row."""


@jit
def put(s: Any, place: int, card: int, in_play: bool) -> None:
    """Lay a face-up card (0: none) on a place; in play it can be part of removals."""
    places = s["shown"]["places"]
    bit = 1 << place
    old = places[place]
    s["by_value"][old >> 2] &= ~bit
    if in_play:
        s["by_value"][card >> 2] |= bit
    places[place] = card


@jit
def reveal(s: Any, position: int) -> None:
    """Turn the card at a deck position up. All that the player learns passes through here."""
    s["seen"] |= 1 << position
    s["shown"]["pile_cards"][position - PYRAMID] = s["deck"][position]


@jit
def show_stock(s: Any, rules: Any) -> None:
    """Bring the stock's top and count up to date."""
    stock = s["stock"]
    s["shown"]["stock_count"] = count(stock)
    card = 0
    if stock:
        top = lowest(stock)
        if rules.stock_view:
            reveal(s, top)
        if (s["seen"] >> top) & 1:
            card = s["deck"][top]
    in_play = rules.stock_play and card != 0
    put(s, STOCK, card, in_play)
    s["free"] &= ~(1 << STOCK)
    if in_play:
        s["free"] |= 1 << STOCK


@jit
def show_waste(s: Any, pile: int) -> None:
    """Bring a waste pile's top and count up to date."""
    waste = s["waste"][pile]
    place = WASTE + pile
    s["shown"]["waste_counts"][pile] = count(waste)
    if waste:
        put(s, place, s["deck"][highest(waste)], True)
        s["free"] |= 1 << place
    else:
        put(s, place, 0, False)
        s["free"] &= ~(1 << place)


@jit
def uncovered(s: Any, slot: int, taken: int) -> bool:
    """Whether a pyramid card is there and all its coverers are gone or among ``taken``."""
    table = s["table"]
    return (table >> slot) & 1 != 0 and table & ~taken & COVERERS[slot] == 0


@jit
def uncovered_set(table: int) -> int:
    """The set of all pyramid cards with no coverer left: of slot i in row r, i + r + 1 and the next."""
    found = table & ROWS[6]
    for row in range(6):
        found |= table & ROWS[row] & ~(table >> (row + 1)) & ~(table >> (row + 2))
    return found


@jit
def pairs(s: Any) -> int:
    """First clicks of pairs of free cards that total 13: the higher place of each pair."""
    free = s["free"]
    by_value = s["by_value"]
    clicks = 0
    for value in range(1, 7):
        low = by_value[value] & free
        high = by_value[TARGET - value] & free
        clicks |= low & -(high & -high) | high & -(low & -low)
    return clicks


@jit
def covered_pairs(s: Any) -> int:
    """First clicks of pairs of a free pyramid card and the card that it alone covers."""
    clicks = 0
    places = s["shown"]["places"]
    rest = s["free"] & PYRAMID_SET
    while rest:
        slot = lowest(rest)
        rest &= rest - 1
        for side in range(2):
            under = COVERS[slot, side]
            if (
                under >= 0
                and (places[under] >> 2) + (places[slot] >> 2) == TARGET
                and uncovered(s, under, 1 << slot)
            ):
                clicks |= 1 << slot
    return clicks


@jit
def sums(s: Any, top: int, need: int) -> int:
    """Clicks below ``top`` on free cards from which the missing points can be made up.

    Goes through the places upward; bit p of ``made`` says that p points can be made below here.
    """
    clicks = 0
    made = 1
    rest = s["free"] & ((1 << top) - 1)
    places = s["shown"]["places"]
    while rest:
        place = lowest(rest)
        rest &= rest - 1
        value = places[place] >> 2
        if value <= need:
            clicks |= ((made >> (need - value)) & 1) << place
            made |= made << value
    return clicks


@jit
def goes_with(s: Any, place: int, taken: int) -> bool:
    """Whether a card is free by itself or once the cards taken are gone."""
    if (s["free"] >> place) & 1:
        return True
    return place < PYRAMID and uncovered(s, place, taken)


@jit
def chain_can_end(s: Any, taken: int, need: int) -> bool:
    """Whether cards below those taken can make up the missing points, coverers going with them.

    A search in depth whose stack is the set of cards taken: its lowest is the last (a kernel that
    called itself could not be linked from Numba's cache).
    """
    start = taken
    places = s["shown"]["places"]
    place = lowest(taken) - 1
    while True:
        while place >= 0:
            value = places[place] >> 2
            if 0 < value <= need and goes_with(s, place, taken):
                if value == need:
                    return True
                taken |= 1 << place
                need -= value
            place -= 1
        if taken == start:
            return False
        place = lowest(taken)
        taken &= taken - 1
        need += places[place] >> 2
        place -= 1


@jit
def chains(s: Any, taken: int, top: int, need: int) -> int:
    """The same as `sums` where a card also counts as free once its coverers are in the removal."""
    clicks = 0
    places = s["shown"]["places"]
    for place in range(top):
        value = places[place] >> 2
        if 0 < value <= need and goes_with(s, place, taken):
            bit = 1 << place
            if value == need or chain_can_end(s, taken | bit, need - value):
                clicks |= bit
    return clicks


@jit
def first_clicks(s: Any, rules: Any) -> int:
    """The set of clicks with which a removal can begin."""
    kings = s["free"]
    if rules.covered_kings:
        kings |= s["table"]
    clicks = s["by_value"][KING] & kings
    if not rules.many_sum:
        clicks |= pairs(s)
        if rules.match_cover:
            clicks |= covered_pairs(s)
    elif rules.match_cover:
        clicks |= chains(s, 0, PLACES, TARGET)
    else:
        clicks |= sums(s, PLACES, TARGET)
    return clicks


@jit
def next_clicks(s: Any, rules: Any) -> int:
    """The set of clicks that can go on with the removal begun."""
    picked = s["picked"]
    last = lowest(picked)
    need = s["shown"]["need"]
    if rules.many_sum:
        return chains(s, picked, last, need) if rules.match_cover else sums(s, last, need)
    holding = s["by_value"][need] & ((1 << last) - 1)
    clicks = holding & s["free"]
    if rules.match_cover and last < PYRAMID:
        for side in range(2):
            under = COVERS[last, side]
            if under >= 0 and (holding >> under) & 1 and uncovered(s, under, picked):
                clicks |= 1 << under
    return clicks


@jit
def redeals_left(s: Any, rules: Any) -> bool:
    """Whether the waste may be gone through again."""
    if rules.passes == 0:
        return s["shown"]["removal_seen"] != 0
    return s["redeals"] + 1 < rules.passes


@jit
def find_legal(s: Any, rules: Any) -> None:
    """After a completed move: the legal actions, and whether the game is over."""
    clicks = first_clicks(s, rules)
    if clicks:
        s["shown"]["removal_seen"] = 1
    waste = s["waste"][0] | s["waste"][1] | s["waste"][2]
    legal = clicks
    if rules.deal_when == 0 or clicks == 0:
        if s["stock"]:
            legal |= 1 << DEAL
        elif waste and redeals_left(s, rules):
            legal |= 1 << REDEAL
    if rules.undo and (s["turns"] or s["clicks"]):
        legal |= 1 << UNDO
    left = s["table"] & PYRAMID_SET
    if rules.clear_all:
        left = s["table"] | s["stock"] | waste
    if left == 0:
        s["won"] = 1
        legal = 0
    s["legal"] = legal
    s["over"] = Over.RUNNING if legal else Over.TERMINATED


@jit
def remove(s: Any, rules: Any, place: int) -> None:
    """Take one card of a complete removal off the table."""
    if place < TABLE:
        s["table"] &= ~(1 << place)
        put(s, place, 0, False)
        s["score"] += place < PYRAMID
        s["free"] = s["free"] & ~PYRAMID_SET & ~(1 << place) | uncovered_set(s["table"])
    elif place < STOCK:
        pile = place - WASTE
        position = highest(s["waste"][pile])
        s["waste"][pile] &= ~(1 << position)
        s["shown"]["pile_where"][position - PYRAMID] = 0
        show_waste(s, pile)
    else:
        s["shown"]["pile_where"][lowest(s["stock"]) - PYRAMID] = 0
        s["stock"] &= s["stock"] - 1
        show_stock(s, rules)


@jit
def click(s: Any, rules: Any, place: int) -> bool:
    """Click a card of a removal; True when that completes it."""
    shown = s["shown"]
    need = shown["need"]
    if need == 0:
        need = TARGET
    need -= shown["places"][place] >> 2
    picked = s["picked"] | 1 << place
    if need:
        s["picked"] = picked
        shown["picked"][place] = 1
        shown["need"] = need
        return False
    s["picked"] = 0
    shown["need"] = 0
    while picked:
        place = lowest(picked)
        picked &= picked - 1
        shown["picked"][place] = 0
        remove(s, rules, place)
    return True


@jit
def deal_cards(s: Any, rules: Any) -> None:
    """Turn one card from the stock onto each waste pile."""
    for pile in range(rules.waste_piles):
        if s["stock"] == 0:
            break
        position = lowest(s["stock"])
        s["stock"] &= s["stock"] - 1
        s["waste"][pile] |= 1 << position
        reveal(s, position)
        s["shown"]["pile_where"][position - PYRAMID] = IN_WASTE + pile
        show_waste(s, pile)
    show_stock(s, rules)


@jit
def mix(s: Any, positions: int) -> None:
    """Put the cards at a set of deck positions into a random order."""
    while positions:
        other = positions
        for _ in range(below(s, count(positions))):
            other &= other - 1
        first, swap = lowest(positions), lowest(other)
        card = s["deck"][first]
        s["deck"][first] = s["deck"][swap]
        s["deck"][swap] = card
        positions &= positions - 1


@jit
def forget(s: Any, positions: int) -> None:
    """The player no longer knows which cards lie at these positions."""
    s["seen"] &= ~positions
    while positions:
        s["shown"]["pile_cards"][lowest(positions) - PYRAMID] = 0
        positions &= positions - 1


@jit
def redeal(s: Any, rules: Any) -> None:
    """Make the waste the stock again, in the order of the deck or shuffled."""
    s["stock"] = s["waste"][0] | s["waste"][1] | s["waste"][2]
    for pile in range(rules.waste_piles):
        s["waste"][pile] = 0
        show_waste(s, pile)
    if rules.shuffle_redeal:
        forget(s, s["stock"])
        mix(s, s["stock"])
    s["redeals"] += 1
    s["shown"]["removal_seen"] = 0
    if rules.passes:
        s["shown"]["redeals_left"] -= 1
    lay_stock(s, rules)


@jit
def lay_stock(s: Any, rules: Any) -> None:
    """Show where the stock's cards are, and those that lie face up."""
    rest = s["stock"]
    while rest:
        position = lowest(rest)
        rest &= rest - 1
        s["shown"]["pile_where"][position - PYRAMID] = IN_STOCK
        if rules.stock_view == 2:
            reveal(s, position)
    show_stock(s, rules)


@jit
def turn(s: Any, rules: Any) -> None:
    """DEAL, or REDEAL once the stock is empty: never both are legal."""
    if s["stock"]:
        deal_cards(s, rules)
    else:
        redeal(s, rules)
    s["turns"] += 1


@jit
def undo(s: Any, rules: Any) -> None:
    """Take the last move back: lay the deck out again and replay all moves before it."""
    turns = s["turns"]
    clicks = s["clicks"]
    if clicks and s["click_turn"][clicks - 1] == turns:
        clicks -= 1
        while clicks and s["click_place"][clicks - 1] < LAST:
            clicks -= 1
    else:
        turns -= 1
    lay(s, rules)
    s["clicks"] = clicks
    find_legal(s, rules)
    for i in range(clicks):
        while s["turns"] < s["click_turn"][i]:
            turn(s, rules)
            find_legal(s, rules)
        if click(s, rules, s["click_place"][i] & ~LAST):
            find_legal(s, rules)
    while s["turns"] < turns:
        turn(s, rules)
        find_legal(s, rules)


@jit
def step(s: Any, rules: Any, action: int) -> None:
    """Play a legal action."""
    if action == UNDO:
        undo(s, rules)
    elif action >= DEAL:
        turn(s, rules)
    else:
        complete = click(s, rules, action)
        if rules.undo:
            s["click_place"][s["clicks"]] = action | LAST if complete else action
            s["click_turn"][s["clicks"]] = s["turns"]
            s["clicks"] += 1
        if not complete:
            s["legal"] = next_clicks(s, rules)
            return
    s["moves"] += 1
    find_legal(s, rules)


@jit
def lay(s: Any, rules: Any) -> None:
    """Lay out the deck as at the start; what has been seen stays seen."""
    shown = s["shown"]
    shown["need"] = 0
    shown["redeals_left"] = rules.passes - 1 if rules.passes else 9
    shown["removal_seen"] = 0
    for place in range(PLACES):
        shown["places"][place] = 0
        shown["picked"][place] = 0
    for value in range(KING + 1):
        s["by_value"][value] = 0
    first = TABLE if rules.extra_row else PYRAMID
    for i in range(PILE):
        shown["pile_where"][i] = 0
    for place in range(first):
        put(s, place, s["deck"][place], True)
    s["table"] = (1 << first) - 1
    s["free"] = (1 << first) - (1 << (PYRAMID - 7))
    s["picked"] = 0
    s["stock"] = ALL_POSITIONS & ~s["table"]
    s["score"] = 0
    s["redeals"] = 0
    s["turns"] = 0
    s["clicks"] = 0
    for pile in range(3):
        s["waste"][pile] = 0
        shown["waste_counts"][pile] = 0
    lay_stock(s, rules)
    if rules.first_deal:
        deal_cards(s, rules)


@jit
def deal(s: Any, rules: Any) -> None:
    """Begin a game with the deck as it stands in the state."""
    shown = s["shown"]
    for i in range(PILE):
        shown["pile_cards"][i] = 0
    s["seen"] = (1 << (TABLE if rules.extra_row else PYRAMID)) - 1
    shown["passes"] = rules.passes
    shown["shuffle_redeal"] = rules.shuffle_redeal
    shown["deal_when"] = rules.deal_when
    shown["first_deal"] = rules.first_deal
    shown["extra_row"] = rules.extra_row
    shown["covered_kings"] = rules.covered_kings
    shown["match_cover"] = rules.match_cover
    shown["many_sum"] = rules.many_sum
    shown["waste_piles"] = rules.waste_piles
    shown["stock_view"] = rules.stock_view
    shown["stock_play"] = rules.stock_play
    shown["clear_all"] = rules.clear_all
    shown["undo"] = rules.undo
    lay(s, rules)
    find_legal(s, rules)


@jit
def shuffle(s: Any, rules: Any) -> None:
    """Fill the deck from the state's generator."""
    shuffle_pack(s, s["deck"])


@jit
def hide(s: Any, rules: Any, seat: int) -> None:
    """Redeal, from the state's generator, the stock cards whose place the player does not know."""
    mix(s, s["stock"] & ~s["seen"])


play = make_play(shuffle, deal, step, ACTIONS, 1 / PYRAMID)
