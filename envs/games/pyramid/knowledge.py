"""Pyramid: hidden cards and validation of states.

The player knows every card that has been face up. `resample_hidden` replaces the other cards.

`STATE_CHECK` validates a state from outside. The deck, the sets of places and deck positions, and
the counts of turns determine a state. With UNDO, the recorded moves must lead to the position; the
check replays them, as UNDO does.
"""

import numpy as np

from ...core.checks import make_state_check
from ...core.game import HiddenCards
from ...core.kernel.bits import count, highest, lowest
from ...core.kernel.cards import PACK_SIZE
from ...core.kernel.jit import jit
from ...core.schema import RANK, Piece, show_options
from ...core.type_aliases import Places, Positions, RulesRecord, Seat, State, States
from .kernel import (
    ALL_POSITIONS,
    LAST,
    PYRAMID_SET,
    ROWS,
    click,
    find_next_clicks,
    lay_out,
    lay_table,
    show_known,
    shuffle_positions,
    stock_start,
    turn_stock,
    update_legal,
)
from .rules import ACTIONS, DEAL, FEATURES, KING, PILE, PLACES, PYRAMID, REDEAL, STATE

# Hidden cards


@jit
def sort_positions(s: State, positions: int) -> None:
    """Sort the cards at a set of deck positions by code."""
    cards = 0
    rest = positions
    while rest:
        cards |= 1 << s["deck"][lowest(rest)]
        rest &= rest - 1
    while positions:
        s["deck"][lowest(positions)] = lowest(cards)
        cards &= cards - 1
        positions &= positions - 1


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Shuffle the stock cards whose positions the player does not know.

    The cards are sorted first, so that the result does not depend on their actual positions.
    """
    unknown = s["stock"] & ~s["seen"]
    sort_positions(s, unknown)
    shuffle_positions(s, unknown)


def read_hidden(states: States) -> np.ndarray:
    """Return cards 29-52 of the deck, int8 (n, 24); 0 for cards not hidden in the stock."""
    unknown = states["stock"] & ~states["seen"]
    hidden = unknown[:, None] >> np.arange(PYRAMID, PACK_SIZE) & 1
    return states["deck"][:, PYRAMID:] * hidden.astype(np.int8)


HIDDEN = HiddenCards(
    Piece(
        "hidden",
        PILE,
        RANK,
        "cards 29-52 of the deck in dealing order; 0: not hidden in the stock",
        where="pile_where",
    ),
    read_hidden,
)
"""The hidden cards as an observation piece; see `core.game.HiddenCards`."""


# Validation of states

ALLOWED = (
    ("table", "a set of dealt places; a pyramid card may be missing only if it could be removed"),
    ("stock", "a set of deck positions after those of the table"),
    ("waste", "sets of deck positions before those of the stock, one for each waste pile in use"),
    ("held", "0 or, with held, the set of one deck position between waste and stock"),
    ("seen", "a set of deck positions; only positions of the stock may be missing"),
    ("picked", "a set of places 0-38"),
    ("redeals", "0 or more, below the number of passes and not above turns"),
    ("turns", "0 or more"),
    ("clicks", "0 to 52 with undo, otherwise 0"),
    ("click_place", "places 0-38, plus 64 for the last click of a removal, then zeros"),
    ("click_turn", "numbers from 0 to turns that never decrease, then zeros"),
)
TABLE_SET, STOCK_SET, WASTE_SETS, HELD, SEEN, PICKED = range(1, 7)
REDEALS, TURNS, CLICKS, PLACE, CLICK_TURN = range(7, len(ALLOWED) + 1)


@jit
def find_covered(table: Places) -> Places:
    """Return the set of all pyramid slots that are covered by a card."""
    covered = 0
    for row in range(6):
        covered |= ROWS[row] & (table >> (row + 1) | table >> (row + 2))
    return covered


@jit
def could_all_go(s: State, rules: RulesRecord) -> bool:
    """Return whether each removed card was free, or a king that may be removed when covered."""
    table = s["table"] & PYRAMID_SET
    gone_under_cards = PYRAMID_SET & ~table & find_covered(table)
    while gone_under_cards:
        if not rules.covered_kings or s["deck"][lowest(gone_under_cards)] >> 2 != KING:
            return False
        gone_under_cards &= gone_under_cards - 1
    return True


@jit
def could_hold(
    held: Positions, waste: Positions, stock: Positions, behind: Positions, rules: RulesRecord
) -> bool:
    """Return whether ``held`` is valid. ``behind`` is the set of positions not on the table."""
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
    """Return the number of the wrong set of cards; 0 for none."""
    on_table = (1 << stock_start(rules)) - 1
    if s["table"] & ~on_table or not could_all_go(s, rules):
        return TABLE_SET
    stock, behind = s["stock"], ALL_POSITIONS & ~on_table
    if stock & ~behind:
        return STOCK_SET
    waste = num_cards = 0
    for pile in range(3):
        cards = s["waste"][pile]
        if cards & ~behind or (cards and pile >= rules.waste_piles):
            return WASTE_SETS
        waste |= cards
        num_cards += count(cards)
    if count(waste) != num_cards or (waste and stock and highest(waste) >= lowest(stock)):
        return WASTE_SETS
    if not could_hold(s["held"], waste, stock, behind, rules):
        return HELD
    if s["seen"] & ~ALL_POSITIONS or ALL_POSITIONS & ~s["seen"] & ~stock:
        return SEEN
    return 0


@jit
def find_wrong_clicks(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong part of the list that UNDO replays; 0 for none."""
    clicks = s["clicks"]
    if clicks < 0 or clicks > PACK_SIZE or (clicks and not rules.undo):
        return CLICKS
    if not rules.undo:
        return 0
    turns_before = 0
    for i in range(PACK_SIZE):
        place, turns = s["click_place"][i], s["click_turn"][i]
        if place < 0 or place & ~LAST >= PLACES or (i >= clicks and place):
            return PLACE
        if (i < clicks and (turns < turns_before or turns > s["turns"])) or (i >= clicks and turns):
            return CLICK_TURN
        turns_before = turns
    return 0


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first invalid field; 0 for none."""
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
def click_cards(s: State, rules: RulesRecord, picked: Places) -> None:
    """Click the cards of a removal from the highest place down, as long as the clicks are legal."""
    while picked:
        place = highest(picked)
        picked &= ~(1 << place)
        if not (s["legal"] >> place) & 1 or click(s, rules, place):
            return
        s["legal"] = find_next_clicks(s, rules)


@jit
def turn_until(s: State, rules: RulesRecord, turns: int) -> bool:
    """Turn the stock until ``turns`` turns are made, and return whether all turns were legal."""
    while s["turns"] < turns:
        if not s["legal"] & (1 << DEAL | 1 << REDEAL):
            return False
        turn_stock(s, rules)
        update_legal(s, rules)
    return True


@jit
def replay(s: State, rules: RulesRecord) -> None:
    """Replay the recorded moves from the deal, as long as they are legal."""
    clicks, turns = s["clicks"], s["turns"]
    lay_out(s, rules)
    s["clicks"] = clicks
    update_legal(s, rules)
    for i in range(clicks):
        place = s["click_place"][i] & ~LAST
        if not turn_until(s, rules, s["click_turn"][i]) or not (s["legal"] >> place) & 1:
            return
        is_complete = click(s, rules, place)
        if is_complete != (s["click_place"][i] >= LAST):
            return
        if is_complete:
            update_legal(s, rules)
        else:
            s["legal"] = find_next_clicks(s, rules)
    turn_until(s, rules, turns)


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write the fields that follow from other fields."""
    show_options(s["shown"], rules)
    show_known(s)
    s["won"] = 0
    if rules.undo:
        replay(s, rules)
    else:
        picked = s["picked"]
        lay_table(s, rules)
        update_legal(s, rules)
        click_cards(s, rules, picked)


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
