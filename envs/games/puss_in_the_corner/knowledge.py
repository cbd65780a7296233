"""Puss in the Corner: hidden cards and validation of states.

The player knows every card that has been turned up. `resample_hidden` replaces the other cards.

`STATE_CHECK` validates a state from outside. The deck, the number of cards turned up, the piles and
the foundations determine a state.
"""

import numpy as np

from ...core.batch import Over
from ...core.checks import make_state_check
from ...core.game import HiddenCards
from ...core.kernel.bits import count
from ...core.kernel.cards import PACK_SIZE, shuffle
from ...core.kernel.jit import jit
from ...core.schema import CARD, Piece, show_options
from ...core.type_aliases import RulesRecord, Seat, State, States
from .kernel import (
    card_actions,
    finish_group,
    gather,
    playable_tops,
    record_place,
    show_next,
)
from .rules import (
    ACES,
    ACTIONS,
    BUILT,
    CARDS,
    END,
    FEATURES,
    FIRST,
    GATHER,
    KING,
    PILE,
    PILES,
    SEVEN,
    STATE,
    STOCK,
    TURNED,
    UNSEEN,
)

# ---- hidden cards ---------------------------------------------------------------------------


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Shuffle the unseen cards of the stock.

    The cards are sorted first, so that the result does not depend on their actual order. A face-up
    top card of the stock stays in place.
    """
    first = place = s["next"] + (s["shown"]["next_card"] != 0)
    for card in range(CARDS):
        if s["shown"]["where"][card] == UNSEEN:
            s["deck"][place] = FIRST + card
            place += 1
    shuffle(s, s["deck"], first, place)


def read_hidden(states: States) -> np.ndarray:
    """Return the unseen cards of the stock in order, int8 (n, 48), then zeros."""
    start = states["next"] + (states["shown"]["next_card"] != 0)
    num_unseen = (states["shown"]["where"] == UNSEEN).sum(axis=1)[:, None]
    places = np.minimum(start.astype(np.int64)[:, None] + np.arange(CARDS), CARDS - 1)
    cards = np.take_along_axis(states["deck"], places, axis=1)
    return np.where(np.arange(CARDS) < num_unseen, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece("hidden", CARDS, CARD, "the cards of the stock not seen yet, in order"), read_hidden
)
"""The hidden cards as an observation piece; see `core.game.HiddenCards`."""


# ---- validation of states -------------------------------------------------------------------

ALLOWED = (
    ("shown.redeals_left", "0 to the number of redeals in the rules"),
    ("shown.stock_count", "number of cards from next to the end of the deck or packet"),
    ("next", "1 to 48; if no card is turned up, the end of a group"),
    ("count", "number of cards in each pile, in total at most the number of cards turned up"),
    ("pile", "cards that were turned up, each once, then zeros"),
    ("shown.foundations", "value of the top card of each foundation"),
    ("gathered", "number of gathered piles while piles are gathered, otherwise 0"),
    ("shown.packet_left", "0 or, with sevens and if the last card turned up is a seven, 1"),
    ("shown.gathered", "1, 2 ... for piles in the order of gathering; 0 for other piles"),
)
REDEALS_LEFT, STOCK_COUNT, NEXT, COUNT, PILE_CARDS, FOUNDATIONS = range(1, 7)
GATHERED, PACKET_LEFT, ORDER = range(7, len(ALLOWED) + 1)
GATHERING = ((1 << PILES) - 1) << GATHER
COLORS = 0b1001, 0b0110
"""Sets of the suits of each color."""


@jit
def packet(s: State, rules: RulesRecord) -> int:
    """Return the size of the last full stock. Cards at later deck positions are on foundations."""
    if s["shown"]["redeals_left"] == rules.redeals:
        return CARDS
    return s["next"] + s["shown"]["stock_count"]


@jit
def set_of(cards: np.ndarray, first: int, last: int) -> int:
    """Return the set of the card codes in a part of the deck."""
    codes = 0
    for place in range(first, last):
        codes |= 1 << cards[place]
    return codes


@jit
def set_of_piles(s: State) -> int:
    """Return the set of the cards in the piles; -1 if an entry of a pile is wrong."""
    codes = 0
    for pile in range(PILES):
        for place in range(CARDS):
            card = s["pile"][pile][place]
            if place >= s["count"][pile]:
                if card:
                    return -1
            elif card < FIRST or card >= FIRST + CARDS or (codes >> card) & 1:
                return -1
            else:
                codes |= 1 << card
    return codes


@jit
def find_wrong_stock(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about stock and group; 0 for none."""
    shown, at = s["shown"], s["next"]
    if shown["redeals_left"] > rules.redeals:
        return REDEALS_LEFT
    if at < 1 or at > CARDS:
        return NEXT
    last = packet(s, rules)
    if last > CARDS or shown["stock_count"] != last - at:
        return STOCK_COUNT
    if shown["card"] == 0 and at % rules.deal_size and at != last:
        return NEXT
    if shown["packet_left"] and not (rules.sevens and s["deck"][at - 1] >> 2 == SEVEN):
        return PACKET_LEFT
    return 0


@jit
def fits_foundations(s: State, rules: RulesRecord, built: int) -> bool:
    """Return whether the foundations match a set of cards on foundations."""
    heights = s["shown"]["foundations"]
    for value in range(1, KING + 1):
        cards = (built >> (4 * value)) & 15
        reached = 0
        for foundation in range(ACES):
            reached |= (heights[foundation] >= value) << foundation
        if value == 1:
            if reached != 15:
                return False
        elif rules.suits:
            if cards != reached:
                return False
        else:
            for suits in COLORS:
                if count(cards & suits) != count(reached & suits):
                    return False
    return True


@jit
def find_wrong_cards(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about locations of cards; 0 for none."""
    shown, deck = s["shown"], s["deck"]
    total = 0
    for pile in range(PILES):
        if s["count"][pile] < 0 or s["count"][pile] > CARDS:
            return COUNT
        total += s["count"][pile]
    if total > s["next"] - (shown["card"] != 0):
        return COUNT
    in_piles = set_of_piles(s)
    turned = set_of(deck, 0, s["next"] - (shown["card"] != 0))
    if in_piles < 0 or in_piles & ~turned:
        return PILE_CARDS
    built = set_of(deck, packet(s, rules), CARDS)
    if not fits_foundations(s, rules, turned & ~in_piles | built):
        return FOUNDATIONS
    return 0


@jit
def find_wrong_order(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about gathering; 0 for none."""
    shown, gathered = s["shown"], s["gathered"]
    is_gathering = s["legal"] & GATHERING and rules.choose_pickup
    if gathered < 0 or gathered > PILES:
        return GATHERED
    if not is_gathering:
        if gathered:
            return GATHERED
    elif shown["card"] or shown["stock_count"] or shown["redeals_left"] == 0:
        return GATHERED
    turns = num_gathered = 0
    for pile in range(PILES):
        turn = shown["gathered"][pile]
        num_gathered += turn > 0
        turns |= 1 << turn
        if turn and s["count"][pile] == 0:
            return ORDER
    return 0 if num_gathered == gathered and turns >> 1 == (1 << gathered) - 1 else ORDER


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first invalid field; 0 for none."""
    wrong = find_wrong_stock(s, rules)
    if wrong == 0:
        wrong = find_wrong_cards(s, rules)
    if wrong == 0:
        wrong = find_wrong_order(s, rules)
    return wrong


@jit
def derive_places(s: State, rules: RulesRecord) -> None:
    """Write the locations of all cards, the tops of the piles and the score."""
    shown, deck = s["shown"], s["deck"]
    last = packet(s, rules)
    known = shown["redeals_left"] < rules.redeals
    for place in range(CARDS):
        stock = s["next"] <= place < last
        if not stock:
            record_place(s, deck[place], BUILT, 0)
        else:
            record_place(s, deck[place], STOCK if known else UNSEEN, place + 1 if known else 0)
    cards = 0
    for pile in range(PILES):
        high = s["count"][pile]
        cards += high
        for place in range(high):
            record_place(s, s["pile"][pile][place], PILE + pile, place + 1)
        shown["tops"][pile] = s["pile"][pile][high - 1] if high else 0
    s["score"] = PACK_SIZE - (last - s["next"]) - (shown["card"] != 0) - cards


@jit
def derive_group(s: State, rules: RulesRecord) -> None:
    """Write the group of the turned-up card, and the legal actions."""
    shown, at = s["shown"], s["next"] - 1
    card = s["deck"][at]
    first = at - at % rules.deal_size
    shown["card"] = card
    record_place(s, card, TURNED, 0)
    shown["group_left"] = min(rules.deal_size, packet(s, rules) - first) - (at - first)
    s["legal"] = card_actions(s, rules)


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write the fields that follow from other fields."""
    shown = s["shown"]
    has_ended = s["over"] == Over.TERMINATED and s["legal"] == 0
    is_gathering = s["legal"] & GATHERING and rules.choose_pickup
    show_options(shown, rules)
    derive_places(s, rules)
    show_next(s, rules)
    s["over"] = Over.RUNNING
    s["won"] = 0
    if shown["card"]:
        derive_group(s, rules)
        return
    shown["group_left"] = 0
    if is_gathering and (rules.hold_back or not playable_tops(s, rules)):
        gather(s, rules)
    else:
        finish_group(s, rules)
    if has_ended and (s["legal"] >> END) & 1:
        s["legal"] = 0
        s["over"] = Over.TERMINATED


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
