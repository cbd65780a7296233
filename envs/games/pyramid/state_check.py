"""Pyramid: which records are states of a game. See `core.state_check`.

What says everything are the deck, the sets of places and deck positions, and the counts of turns.
With UNDO the list of moves must lead to the position: it is played again, as UNDO would.
"""

from ...core.aliases import RulesRecord, State
from ...core.checks import make_state_check
from ...core.kernel.bits import count, highest, lowest
from ...core.kernel.cards import PACK_SIZE
from ...core.kernel.jit import jit
from .clicks import PYRAMID_SET, ROWS, find_uncovered, next_clicks
from .kernel import (
    ALL_POSITIONS,
    LAST,
    click,
    lay_out,
    show_rules,
    update_legal,
)
from .rules import (
    ACTIONS,
    DEAL,
    FEATURES,
    KING,
    PILE,
    PLACES,
    PYRAMID,
    REDEAL,
    STATE,
    TABLE,
)
from .stock import IN_STOCK, IN_WASTE, lay_stock, turn_stock
from .tableau import lay_card, show_waste

ALLOWED = (
    ("table", "a set of the places dealt to, in the pyramid with all cards that lie on others"),
    ("stock", "a set of deck positions behind the table"),
    ("waste", "sets of deck positions before those of the stock, one for each pile played with"),
    ("held", "with held, the set of one deck position between waste and stock, or 0"),
    ("seen", "a set of deck positions, all but some of the stock"),
    ("picked", "a set of places 0-38"),
    ("redeals", "0 or more, below the number of passes, and not more than turns"),
    ("turns", "0 or more"),
    ("clicks", "0 to 52 with undo, else 0"),
    ("click_place", "places 0-38, 64 more for the last of a removal, then zeros"),
    ("click_turn", "numbers from 0 to turns that never fall, then zeros"),
)
TABLE_SET, STOCK_SET, WASTE_SETS, HELD, SEEN, PICKED = range(1, 7)
REDEALS, TURNS, CLICKS, PLACE, CLICK_TURN = range(7, len(ALLOWED) + 1)


@jit
def covered_set(table: int) -> int:
    """The set of all slots of the pyramid on which a card lies."""
    found = 0
    for row in range(6):
        found |= ROWS[row] & (table >> (row + 1) | table >> (row + 2))
    return found


@jit
def could_go(s: State, rules: RulesRecord) -> bool:
    """Whether each card that is gone was free, or a king that need not be."""
    table = s["table"] & PYRAMID_SET
    gone = PYRAMID_SET & ~table & covered_set(table)
    while gone:
        if not rules.covered_kings or s["deck"][lowest(gone)] >> 2 != KING:
            return False
        gone &= gone - 1
    return True


@jit
def could_hold(held: int, waste: int, stock: int, behind: int, rules: RulesRecord) -> bool:
    """Whether a set can be that of the card held."""
    if held == 0:
        return True
    return (
        rules.held
        and held & ~behind == 0
        and held & (held - 1) == 0
        and (waste == 0 or highest(waste) < lowest(held))
        and (stock == 0 or lowest(held) < lowest(stock))
    )


@jit
def find_wrong_cards(s: State, rules: RulesRecord) -> int:
    """Return which of the sets of cards is wrong; 0 for none."""
    first = TABLE if rules.extra_row else PYRAMID
    dealt = (1 << first) - 1
    if s["table"] & ~dealt or not could_go(s, rules):
        return TABLE_SET
    stock, behind = s["stock"], ALL_POSITIONS & ~dealt
    if stock & ~behind:
        return STOCK_SET
    waste = cards = 0
    for pile in range(3):
        one = s["waste"][pile]
        if one & ~behind or (one and pile >= rules.waste_piles):
            return WASTE_SETS
        waste |= one
        cards += count(one)
    if count(waste) != cards or (waste and stock and highest(waste) >= lowest(stock)):
        return WASTE_SETS
    if not could_hold(s["held"], waste, stock, behind, rules):
        return HELD
    if s["seen"] & ~ALL_POSITIONS or ALL_POSITIONS & ~s["seen"] & ~stock:
        return SEEN
    return 0


@jit
def find_wrong_clicks(s: State, rules: RulesRecord) -> int:
    """Return what is wrong in the list that UNDO replays; 0 for nothing."""
    clicks = s["clicks"]
    if clicks < 0 or clicks > PACK_SIZE or (clicks and not rules.undo):
        return CLICKS
    if not rules.undo:
        return 0
    before = 0
    for i in range(PACK_SIZE):
        place, turns = s["click_place"][i], s["click_turn"][i]
        if place < 0 or place & ~LAST >= PLACES or (i >= clicks and place):
            return PLACE
        if (i < clicks and (turns < before or turns > s["turns"])) or (i >= clicks and turns):
            return CLICK_TURN
        before = turns
    return 0


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first field out of its range; 0 for none."""
    wrong = find_wrong_cards(s, rules)
    if wrong:
        return wrong
    if s["picked"] < 0 or s["picked"] >> PLACES:
        return PICKED
    if s["turns"] < 0:
        return TURNS
    redeals = s["redeals"]
    if redeals < 0 or redeals > s["turns"] or (rules.passes and redeals >= rules.passes):
        return REDEALS
    return find_wrong_clicks(s, rules)


@jit
def show_known(s: State) -> None:
    """Show the cards that the player knows, by their deck positions."""
    shown = s["shown"]
    for value in range(KING):
        shown["unseen"][value] = 4
    for position in range(PACK_SIZE):
        known = (s["seen"] >> position) & 1
        card = s["deck"][position]
        if known:
            shown["unseen"][(card >> 2) - 1] -= 1
        if position >= PYRAMID:
            in_row = position < TABLE and shown["extra_row"]
            shown["pile_cards"][position - PYRAMID] = card if known and not in_row else 0


@jit
def lay_again(s: State, rules: RulesRecord) -> None:
    """Lay out the cards where the sets say, and find what is legal with nothing clicked."""
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
    rest = table
    while rest:
        lay_card(s, lowest(rest), s["deck"][lowest(rest)], True)
        rest &= rest - 1
    for pile in range(3):
        rest = s["waste"][pile]
        while rest:
            shown["pile_where"][lowest(rest) - PYRAMID] = IN_WASTE + pile
            rest &= rest - 1
        show_waste(s, pile)
    if s["held"]:
        shown["pile_where"][lowest(s["held"]) - PYRAMID] = IN_STOCK
    lay_stock(s, rules)
    shown["need"] = 0
    shown["redeals_left"] = rules.passes - 1 - s["redeals"] if rules.passes else 9
    s["picked"] = 0
    update_legal(s, rules)


@jit
def click_again(s: State, rules: RulesRecord, picked: int) -> None:
    """Click cards of a removal from the highest place down, as far as that is legal."""
    while picked:
        place = highest(picked)
        picked &= ~(1 << place)
        if not (s["legal"] >> place) & 1 or click(s, rules, place):
            return
        s["legal"] = next_clicks(s, rules)


@jit
def turn_again(s: State, rules: RulesRecord, turns: int) -> bool:
    """Make turns until there are so many; whether all were legal."""
    while s["turns"] < turns:
        if not s["legal"] & (1 << DEAL | 1 << REDEAL):
            return False
        turn_stock(s, rules)
        update_legal(s, rules)
    return True


@jit
def replay(s: State, rules: RulesRecord) -> None:
    """Play the list of moves again from the deal on, as far as that is legal."""
    clicks, turns = s["clicks"], s["turns"]
    lay_out(s, rules)
    s["clicks"] = clicks
    update_legal(s, rules)
    for i in range(clicks):
        place = s["click_place"][i] & ~LAST
        if not turn_again(s, rules, s["click_turn"][i]) or not (s["legal"] >> place) & 1:
            return
        complete = click(s, rules, place)
        if complete != (s["click_place"][i] >= LAST):
            return
        if complete:
            update_legal(s, rules)
        else:
            s["legal"] = next_clicks(s, rules)
    turn_again(s, rules, turns)


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write all that follows from the other fields."""
    show_rules(s, rules)
    show_known(s)
    s["won"] = 0
    if rules.undo:
        replay(s, rules)
    else:
        picked = s["picked"]
        lay_again(s, rules)
        click_again(s, rules, picked)


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
