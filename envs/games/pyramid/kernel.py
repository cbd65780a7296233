"""Kernels of Pyramid.

The module contains, in this order: the pyramid and its covered cards, the player's view, the cards
on the table, stock and waste, legal clicks, legal redeals, moves and undo, and the deal.

Cards are stored as sets in an int64. Bit p of a set of places stands for place p, which is also the
action that clicks the card. Stock and waste are sets of deck positions, which keep the original
order through every redeal. The lowest position is the top of the stock, and the highest position is
the top of a waste pile.
"""

import numpy as np

from ...core.batch import Over, make_batch_kernels
from ...core.kernel.bits import count, highest, lowest
from ...core.kernel.cards import PACK_SIZE, shuffle_pack
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.schema import show_options
from ...core.type_aliases import Action, CardCode, Places, Positions, RulesRecord, State
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
TABLE_SET = (1 << TABLE) - 1
ALL_POSITIONS = (1 << PACK_SIZE) - 1
IN_STOCK = 1
IN_WASTE = 2
"""Codes of the piece ``pile_where``. IN_WASTE + k is waste pile k, counted from 0."""
LAST = 64
"""Added to a click that completed a removal, in the list that UNDO replays."""
LANE = TARGET + 1
"""Number of bits of `count_points` for the totals 0 to 13 of one number of cards."""
LANES = 4
"""Maximum number of stock and waste cards in play: the tops of three waste piles and the stock."""


# The pyramid


def _list_covers() -> tuple[np.ndarray, np.ndarray]:
    """Return the set of the two coverers of each slot, and the slots that it covers (-1: none)."""
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


COVERERS, COVERS = _list_covers()
ROWS = np.array([((2 << row) - 1) << (row * (row + 1) // 2) for row in range(7)])
"""The set of slots of each row."""


@jit
def find_uncovered(table: Places) -> Places:
    """Return the set of all pyramid cards with no coverer left.

    Slot i of row r is covered by slots i + r + 1 and i + r + 2.
    """
    uncovered = table & ROWS[6]
    for row in range(6):
        uncovered |= table & ROWS[row] & ~(table >> (row + 1)) & ~(table >> (row + 2))
    return uncovered


@jit
def is_uncovered(s: State, slot: int, taken: Places) -> bool:
    """Return whether a pyramid card is there and all its coverers are gone or among ``taken``."""
    table = s["table"]
    return (table >> slot) & 1 != 0 and table & ~taken & COVERERS[slot] == 0


# The player's view


@jit
def reveal(s: State, position: int) -> None:
    """Turn up the card at a deck position. The player learns cards only through this kernel."""
    if (s["seen"] >> position) & 1 == 0:
        card = s["deck"][position]
        s["seen"] |= 1 << position
        s["shown"]["pile_cards"][position - PYRAMID] = card
        s["shown"]["unseen"][(card >> 2) - 1] -= 1


@jit
def forget_positions(s: State, positions: int) -> None:
    """Make the cards at a set of deck positions unknown."""
    s["seen"] &= ~positions
    shown = s["shown"]
    while positions:
        position = lowest(positions)
        positions &= positions - 1
        shown["pile_cards"][position - PYRAMID] = 0
        shown["unseen"][(s["deck"][position] >> 2) - 1] += 1


@jit
def show_known(s: State) -> None:
    """Write the known cards into the observation, given the options and ``seen``."""
    shown = s["shown"]
    for value in range(KING):
        shown["unseen"][value] = 4
    for position in range(PACK_SIZE):
        is_known = (s["seen"] >> position) & 1
        card = s["deck"][position]
        if is_known:
            shown["unseen"][(card >> 2) - 1] -= 1
        if position >= PYRAMID:
            in_extra_row = position < TABLE and shown["extra_row"]
            shown["pile_cards"][position - PYRAMID] = card if is_known and not in_extra_row else 0


@jit
def shuffle_positions(s: State, positions: int) -> None:
    """Put the cards at a set of deck positions into a random order."""
    while positions:
        other = positions
        for _ in range(random_below(s, count(positions))):
            other &= other - 1
        first, swap = lowest(positions), lowest(other)
        card = s["deck"][first]
        s["deck"][first] = s["deck"][swap]
        s["deck"][swap] = card
        positions &= positions - 1


# The cards on the table


@jit
def lay_card(s: State, place: int, card: CardCode, in_play: bool) -> None:
    """Lay a face-up card (0: none) on a place. Only a card in play can be part of removals."""
    places = s["shown"]["places"]
    bit = 1 << place
    old = places[place]
    s["by_value"][old >> 2] &= ~bit
    if in_play:
        s["by_value"][card >> 2] |= bit
    places[place] = card


@jit
def show_stock(s: State, rules: RulesRecord) -> None:
    """Update the stock's count, and its top card or the held card."""
    stock = s["stock"]
    s["shown"]["stock_count"] = count(stock)
    card = 0
    if rules.held:
        if s["held"]:
            card = s["deck"][lowest(s["held"])]
    elif stock:
        top = lowest(stock)
        if rules.stock_view:
            reveal(s, top)
        if (s["seen"] >> top) & 1:
            card = s["deck"][top]
    in_play = card != 0 and (rules.stock_play or rules.held)
    lay_card(s, STOCK, card, in_play)
    s["free"] &= ~(1 << STOCK)
    if in_play:
        s["free"] |= 1 << STOCK


@jit
def show_waste(s: State, pile: int) -> None:
    """Update the top card and the count of a waste pile."""
    waste = s["waste"][pile]
    place = WASTE + pile
    s["shown"]["waste_counts"][pile] = count(waste)
    if waste:
        lay_card(s, place, s["deck"][highest(waste)], True)
        s["free"] |= 1 << place
    else:
        lay_card(s, place, 0, False)
        s["free"] &= ~(1 << place)


@jit
def lay_stock(s: State, rules: RulesRecord) -> None:
    """Show the locations of the stock's cards, and its face-up cards."""
    rest = s["stock"]
    while rest:
        position = lowest(rest)
        rest &= rest - 1
        s["shown"]["pile_where"][position - PYRAMID] = IN_STOCK
        if rules.stock_view == 2:
            reveal(s, position)
    show_stock(s, rules)


@jit
def lay_table(s: State, rules: RulesRecord) -> None:
    """Lay out all cards by the sets of places and deck positions, with no card clicked."""
    shown = s["shown"]
    for place in range(PLACES):
        shown["places"][place] = 0
        shown["picked"][place] = 0
    for value in range(KING + 1):
        s["by_value"][value] = 0
    for i in range(PILE):
        shown["pile_where"][i] = 0
    table = s["table"]
    s["free"] = find_uncovered(table & PYRAMID_SET) | table & ~PYRAMID_SET
    s["score"] = PYRAMID - count(table & PYRAMID_SET)
    while table:
        lay_card(s, lowest(table), s["deck"][lowest(table)], True)
        table &= table - 1
    for pile in range(3):
        waste = s["waste"][pile]
        while waste:
            shown["pile_where"][lowest(waste) - PYRAMID] = IN_WASTE + pile
            waste &= waste - 1
        show_waste(s, pile)
    if s["held"]:
        shown["pile_where"][lowest(s["held"]) - PYRAMID] = IN_STOCK
    lay_stock(s, rules)
    s["picked"] = 0
    shown["need"] = 0
    shown["redeals_left"] = rules.passes - 1 - s["redeals"] if rules.passes else 9


# Stock and waste


@jit
def stock_start(rules: RulesRecord) -> int:
    """Return the deck position at which the stock begins: the number of cards on the table."""
    return TABLE if rules.extra_row else PYRAMID


@jit
def all_waste(s: State) -> Positions:
    """Return the set of cards of all waste piles."""
    return s["waste"][0] | s["waste"][1] | s["waste"][2]


@jit
def lay_on_waste(s: State, position: int, pile: int) -> None:
    """Lay the card at a deck position on a waste pile."""
    s["waste"][pile] |= 1 << position
    s["shown"]["pile_where"][position - PYRAMID] = IN_WASTE + pile
    show_waste(s, pile)


@jit
def turn_card(s: State) -> int:
    """Turn up the top card of the stock, and return its deck position."""
    position = lowest(s["stock"])
    s["stock"] &= s["stock"] - 1
    reveal(s, position)
    return position


@jit
def hold_next(s: State) -> None:
    """Lay the held card on the waste, and turn up and hold the next card."""
    if s["held"]:
        lay_on_waste(s, lowest(s["held"]), 0)
        s["held"] = 0
    if s["stock"]:
        s["held"] = 1 << turn_card(s)


@jit
def deal_cards(s: State, rules: RulesRecord) -> None:
    """Turn cards from the stock onto each waste pile or, with ``held``, hold the next card."""
    if rules.held:
        hold_next(s)
    else:
        for pile in range(rules.waste_piles):
            for _ in range(rules.turn):
                if s["stock"]:
                    lay_on_waste(s, turn_card(s), pile)
    show_stock(s, rules)


@jit
def redeal(s: State, rules: RulesRecord) -> None:
    """Make the waste the stock again, in the order of the deck or shuffled."""
    s["stock"] = all_waste(s)
    for pile in range(rules.waste_piles):
        s["waste"][pile] = 0
        show_waste(s, pile)
    if rules.shuffle_redeal:
        forget_positions(s, s["stock"])
        shuffle_positions(s, s["stock"])
    s["redeals"] += 1
    s["shown"]["removal_seen"] = 0
    if rules.passes:
        s["shown"]["redeals_left"] -= 1
    lay_stock(s, rules)


@jit
def turn_stock(s: State, rules: RulesRecord) -> None:
    """Make a DEAL, or a REDEAL if the stock is empty. They are never both legal."""
    if s["stock"] | s["held"]:
        deal_cards(s, rules)
    else:
        redeal(s, rules)
    s["turns"] += 1


# Legal clicks. The cards of a removal are clicked from the highest place down.


@jit
def find_pair_clicks(s: State) -> Places:
    """Return the set of first clicks of pairs of free cards: the higher place of each pair."""
    free = s["free"]
    by_value = s["by_value"]
    clicks = 0
    for value in range(1, 7):
        low = by_value[value] & free
        high = by_value[TARGET - value] & free
        clicks |= low & -(high & -high) | high & -(low & -low)
    return clicks


@jit
def find_cover_clicks(s: State) -> Places:
    """Return the set of first clicks of pairs of a free pyramid card and a card only it covers."""
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
                and is_uncovered(s, under, 1 << slot)
            ):
                clicks |= 1 << slot
    return clicks


@jit
def find_sum_clicks(s: State, top: int, need: int) -> Places:
    """Return the set of clicks below ``top`` on free cards that can lead to the missing points.

    The loop goes through the places upward. Bit p of ``totals`` is set if lower places can make p
    points.
    """
    clicks = 0
    totals = 1
    rest = s["free"] & ((1 << top) - 1)
    places = s["shown"]["places"]
    while rest:
        place = lowest(rest)
        rest &= rest - 1
        value = places[place] >> 2
        if value <= need:
            clicks |= ((totals >> (need - value)) & 1) << place
            totals |= totals << value
    return clicks


@jit
def can_join(s: State, place: int, taken: Places) -> bool:
    """Return whether a card is free, possibly only after the cards taken are removed."""
    if (s["free"] >> place) & 1:
        return True
    return place < PYRAMID and is_uncovered(s, place, taken)


@jit
def can_complete_chain(s: State, taken: Places, need: int) -> bool:
    """Return whether lower cards can make the missing points if coverers go in the same removal.

    This is a depth-first search. Its stack is the set of cards taken, of which the lowest was taken
    last. (Numba cannot cache a recursive kernel.)
    """
    start = taken
    places = s["shown"]["places"]
    place = lowest(taken) - 1
    while True:
        while place >= 0:
            value = places[place] >> 2
            if 0 < value <= need and can_join(s, place, taken):
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
def find_chain_clicks(s: State, taken: Places, top: int, need: int) -> Places:
    """Do the same as `find_sum_clicks` if coverers may go in the same removal."""
    clicks = 0
    places = s["shown"]["places"]
    for place in range(top):
        value = places[place] >> 2
        if 0 < value <= need and can_join(s, place, taken):
            bit = 1 << place
            if value == need or can_complete_chain(s, taken | bit, need - value):
                clicks |= bit
    return clicks


@jit
def find_first_clicks(s: State, rules: RulesRecord) -> Places:
    """Return the set of clicks with which a removal can begin."""
    kings = s["free"]
    if rules.covered_kings:
        kings |= s["table"]
    clicks = s["by_value"][KING] & kings
    if not rules.many_sum:
        clicks |= find_pair_clicks(s)
        if rules.match_cover:
            clicks |= find_cover_clicks(s)
    elif rules.match_cover:
        clicks |= find_chain_clicks(s, 0, PLACES, TARGET)
    else:
        clicks |= find_sum_clicks(s, PLACES, TARGET)
    return clicks


@jit
def find_next_clicks(s: State, rules: RulesRecord) -> Places:
    """Return the set of clicks that can continue the current removal."""
    picked = s["picked"]
    last = lowest(picked)
    need = s["shown"]["need"]
    if rules.many_sum:
        if rules.match_cover:
            return find_chain_clicks(s, picked, last, need)
        return find_sum_clicks(s, last, need)
    partners = s["by_value"][need] & ((1 << last) - 1)
    clicks = partners & s["free"]
    if rules.match_cover and last < PYRAMID:
        for side in range(2):
            under = COVERS[last, side]
            if under >= 0 and (partners >> under) & 1 and is_uncovered(s, under, picked):
                clicks |= 1 << under
    return clicks


# Legal redeals


@jit
def count_cards_in_play(rules: RulesRecord, num_cards: int) -> int:
    """Return the maximum number of cards, out of a stock's, that are in play together in a pass."""
    on_each_pile = 1 if rules.held else rules.turn
    if num_cards > rules.waste_piles * on_each_pile:
        return rules.waste_piles + (rules.stock_play or rules.held)
    return (num_cards + on_each_pile - 1) // on_each_pile


@jit
def count_points(s: State, positions: Positions) -> int:
    """Return the set of totals of cards at deck positions: bit 14 (n - 1) + p if n cards make p."""
    totals = 0
    while positions:
        value = s["deck"][lowest(positions)] >> 2
        positions &= positions - 1
        with_card = 1 << value
        for lane in range(LANES - 1):
            of_lane = (totals >> (lane * LANE)) & ((1 << (LANE - value)) - 1)
            with_card |= of_lane << (value + (lane + 1) * LANE)
        totals |= with_card
    return totals


@jit
def can_table_make(s: State, rules: RulesRecord, need: int) -> bool:
    """Return whether one free card of the table, or several with ``many_sum``, total ``need``."""
    if need == 0:
        return True
    if not rules.many_sum:
        return s["by_value"][need] & s["free"] & TABLE_SET != 0
    if rules.match_cover:
        return find_chain_clicks(s, 0, TABLE, need) != 0
    return find_sum_clicks(s, TABLE, need) != 0


@jit
def can_shuffle_help(s: State, rules: RulesRecord) -> bool:
    """Return whether some order of the waste as the new stock allows removing one of its cards.

    These cards can be removed with each other or with free cards of the table.
    """
    waste = all_waste(s)
    most = count_cards_in_play(rules, count(waste))
    if not rules.many_sum:
        most = min(most, 2)
    totals = count_points(s, waste)
    for lane in range(most):
        for points in range(1, TARGET + 1):
            can_use_table = rules.many_sum or lane == 0 or points == TARGET
            if (
                (totals >> (lane * LANE + points)) & 1
                and can_use_table
                and can_table_make(s, rules, TARGET - points)
            ):
                return True
    return False


@jit
def has_redeal(s: State, rules: RulesRecord) -> bool:
    """Return whether a REDEAL is left.

    With ``passes=0`` and no UNDO, a REDEAL is legal only while it could lead to a removal, so that
    the game ends. With UNDO, only a win or ``max_moves`` ends the game.
    """
    if rules.passes == 0:
        if rules.shuffle_redeal:
            return can_shuffle_help(s, rules)
        return rules.undo or s["shown"]["removal_seen"] != 0
    return s["redeals"] + 1 < rules.passes


# Moves


@jit
def update_legal(s: State, rules: RulesRecord) -> None:
    """Write the legal actions after a completed move, and whether the game is over."""
    clicks = find_first_clicks(s, rules)
    if clicks:
        s["shown"]["removal_seen"] = 1
    waste = all_waste(s)
    legal = clicks
    if rules.deal_when == 0 or clicks == 0:
        if s["stock"] | s["held"]:
            legal |= 1 << DEAL
        elif waste and has_redeal(s, rules):
            legal |= 1 << REDEAL
    if rules.undo and (s["turns"] or s["clicks"]):
        legal |= 1 << UNDO
    must_go = s["table"] & PYRAMID_SET
    if rules.clear_all:
        must_go = s["table"] | s["stock"] | s["held"] | waste
    if must_go == 0:
        s["won"] = 1
        legal = 0
    s["legal"] = legal
    s["over"] = Over.RUNNING if legal else Over.TERMINATED


@jit
def remove_card(s: State, rules: RulesRecord, place: int) -> None:
    """Remove one card of a completed removal."""
    if place < TABLE:
        s["table"] &= ~(1 << place)
        lay_card(s, place, 0, False)
        s["score"] += place < PYRAMID
        s["free"] = s["free"] & ~PYRAMID_SET & ~(1 << place) | find_uncovered(s["table"])
    elif place < STOCK:
        pile = place - WASTE
        position = highest(s["waste"][pile])
        s["waste"][pile] &= ~(1 << position)
        s["shown"]["pile_where"][position - PYRAMID] = 0
        show_waste(s, pile)
    else:
        position = lowest(s["held"] if rules.held else s["stock"])
        s["shown"]["pile_where"][position - PYRAMID] = 0
        s["held"] = 0
        s["stock"] &= ~(1 << position)
        show_stock(s, rules)


@jit
def click(s: State, rules: RulesRecord, place: int) -> bool:
    """Click a card of a removal, and return whether the click completes the removal."""
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
        remove_card(s, rules, place)
    return True


@jit
def undo(s: State, rules: RulesRecord) -> None:
    """Take back the last move: lay out the deck again and replay all earlier moves."""
    turns = s["turns"]
    clicks = s["clicks"]
    if clicks and s["click_turn"][clicks - 1] == turns:
        clicks -= 1
        while clicks and s["click_place"][clicks - 1] < LAST:
            clicks -= 1
    else:
        turns -= 1
    recorded = s["clicks"]
    lay_out(s, rules)
    s["clicks"] = clicks
    for i in range(clicks, recorded):
        s["click_place"][i] = 0
        s["click_turn"][i] = 0
    update_legal(s, rules)
    for i in range(clicks):
        while s["turns"] < s["click_turn"][i]:
            turn_stock(s, rules)
            update_legal(s, rules)
        if click(s, rules, s["click_place"][i] & ~LAST):
            update_legal(s, rules)
    while s["turns"] < turns:
        turn_stock(s, rules)
        update_legal(s, rules)


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Make a legal action."""
    if action == UNDO:
        undo(s, rules)
    elif action >= DEAL:
        turn_stock(s, rules)
    else:
        is_complete = click(s, rules, action)
        if rules.undo:
            s["click_place"][s["clicks"]] = action | LAST if is_complete else action
            s["click_turn"][s["clicks"]] = s["turns"]
            s["clicks"] += 1
        if not is_complete:
            s["legal"] = find_next_clicks(s, rules)
            return
    s["moves"] += 1
    update_legal(s, rules)


# The deal


@jit
def lay_out(s: State, rules: RulesRecord) -> None:
    """Lay out the deck as at the start. Cards that the player has seen stay known."""
    s["table"] = (1 << stock_start(rules)) - 1
    s["stock"] = ALL_POSITIONS & ~s["table"]
    s["held"] = 0
    for pile in range(3):
        s["waste"][pile] = 0
    s["redeals"] = 0
    s["turns"] = 0
    s["clicks"] = 0
    s["shown"]["removal_seen"] = 0
    lay_table(s, rules)
    if rules.first_deal:
        deal_cards(s, rules)


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a game with the deck in the state."""
    show_options(s["shown"], rules)
    s["seen"] = (1 << stock_start(rules)) - 1
    show_known(s)
    for i in range(PACK_SIZE):  # also without undo, since the previous game may have used it
        s["click_place"][i] = 0
        s["click_turn"][i] = 0
    lay_out(s, rules)
    update_legal(s, rules)


@jit
def shuffle(s: State, rules: RulesRecord) -> None:
    """Shuffle the deck with the state's generator."""
    shuffle_pack(s, s["deck"])


kernels = make_batch_kernels(shuffle, deal, step, ACTIONS, 1 / PYRAMID)
