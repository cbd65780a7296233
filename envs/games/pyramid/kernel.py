"""Pyramid: how it is played. Top to bottom: moves, undoing, the deal."""

from ...core.aliases import Action, RulesRecord, Seat, State
from ...core.batch import Over, make_batch_kernels
from ...core.kernel.bits import highest, lowest
from ...core.kernel.cards import PACK_SIZE, shuffle_pack
from ...core.kernel.jit import jit
from .clicks import PYRAMID_SET, find_uncovered, first_clicks, next_clicks
from .redeals import has_redeal
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
from .stock import deal_cards, lay_stock, shuffle_positions, sort_positions, turn_stock
from .tableau import lay_card, show_stock, show_waste

ALL_POSITIONS = (1 << PACK_SIZE) - 1
LAST = 64
"""Marks, in the list that UNDO replays, the click that completed a removal."""


@jit
def update_legal(s: State, rules: RulesRecord) -> None:
    """After a completed move: the legal actions, and whether the game is over."""
    clicks = first_clicks(s, rules)
    if clicks:
        s["shown"]["removal_seen"] = 1
    waste = s["waste"][0] | s["waste"][1] | s["waste"][2]
    legal = clicks
    if rules.deal_when == 0 or clicks == 0:
        if s["stock"] | s["held"]:
            legal |= 1 << DEAL
        elif waste and has_redeal(s, rules):
            legal |= 1 << REDEAL
    if rules.undo and (s["turns"] or s["clicks"]):
        legal |= 1 << UNDO
    left = s["table"] & PYRAMID_SET
    if rules.clear_all:
        left = s["table"] | s["stock"] | s["held"] | waste
    if left == 0:
        s["won"] = 1
        legal = 0
    s["legal"] = legal
    s["over"] = Over.RUNNING if legal else Over.TERMINATED


@jit
def remove(s: State, rules: RulesRecord, place: int) -> None:
    """Take one card of a complete removal off the table."""
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
def undo(s: State, rules: RulesRecord) -> None:
    """Take the last move back: lay the deck out again and replay all moves before it."""
    turns = s["turns"]
    clicks = s["clicks"]
    if clicks and s["click_turn"][clicks - 1] == turns:
        clicks -= 1
        while clicks and s["click_place"][clicks - 1] < LAST:
            clicks -= 1
    else:
        turns -= 1
    made = s["clicks"]
    lay_out(s, rules)
    s["clicks"] = clicks
    for i in range(clicks, made):
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
    """Play a legal action."""
    if action == UNDO:
        undo(s, rules)
    elif action >= DEAL:
        turn_stock(s, rules)
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
    update_legal(s, rules)


@jit
def lay_out(s: State, rules: RulesRecord) -> None:
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
        lay_card(s, place, s["deck"][place], True)
    s["table"] = (1 << first) - 1
    s["free"] = (1 << first) - (1 << (PYRAMID - 7))
    s["picked"] = 0
    s["stock"] = ALL_POSITIONS & ~s["table"]
    s["held"] = 0
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
def show_rules(s: State, rules: RulesRecord) -> None:
    """Write the options into the observation."""
    shown = s["shown"]
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
    shown["held"] = rules.held
    shown["turn"] = rules.turn


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a game with the deck as it stands in the state."""
    shown = s["shown"]
    for i in range(PILE):
        shown["pile_cards"][i] = 0
    for value in range(KING):
        shown["unseen"][value] = 4
    first = TABLE if rules.extra_row else PYRAMID
    s["seen"] = (1 << first) - 1
    for place in range(first):
        shown["unseen"][(s["deck"][place] >> 2) - 1] -= 1
    show_rules(s, rules)
    for i in range(PACK_SIZE):  # also without undo: the game before may have had it
        s["click_place"][i] = 0
        s["click_turn"][i] = 0
    lay_out(s, rules)
    update_legal(s, rules)


@jit
def shuffle(s: State, rules: RulesRecord) -> None:
    """Fill the deck from the state's generator."""
    shuffle_pack(s, s["deck"])


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Redeal, from the state's generator, the stock cards whose place the player does not know.

    Sorted first, so that what comes does not depend on how they lay.
    """
    unknown = s["stock"] & ~s["seen"]
    sort_positions(s, unknown)
    shuffle_positions(s, unknown)


kernels = make_batch_kernels(shuffle, deal, step, ACTIONS, 1 / PYRAMID)
