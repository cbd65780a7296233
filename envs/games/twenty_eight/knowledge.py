"""Views, inference, resampling and hidden cards in Twenty-Eight and Twenty-Nine."""

import numpy as np

from ...core.game import HiddenCards
from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.kernel.table import NO_SUIT, make_turned_codes, suit_set
from ...core.schema import Piece, whole_number
from ...core.type_aliases import Action, Places, RulesRecord, Seat, State, States
from ..bidding.knowledge import (
    HiddenHands,
    is_void,
    knows_trumps,
    make_resample,
    note_asking,
    note_bidder,
    note_voids,
    view_table,
)
from ..bidding.play import (
    led_suit,
    place_in_deck,
    same_side,
    speaking_order,
    trump_suit,
)
from ..bidding.rules import NONE, OVER, SUITS
from .play import (
    FIRST_CARDS,
    first_size,
    hand_size,
    highest_trump,
    is_dealt_again,
    is_seventh_alone,
    must_play_shown,
    write_legal,
)
from .rules import (
    ASK,
    BIDS,
    CARDS,
    CODES,
    FACE_DOWN,
    HELD,
    LAID_ANYWHERE,
    LAID_FIRST,
    LOWEST_RANK,
    MAKE,
    MAKE_SEVENTH,
    NUMBERS,
    OWN,
    PLAY,
    PLAYED,
    RANKS,
    REVERSED,
    SEATS,
    UNSEEN,
    TrumpBy,
)

# ---- views ----------------------------------------------------------------------------------

TURNED = make_turned_codes(SEATS)
IN_PLAY = np.where(TURNED > 0, TURNED + PLAYED - 1, UNSEEN).astype(np.int8)
"""Values of the piece ``where`` for a card that a seat has played, for each viewer."""


@jit
def view_cards(s: State, seat: Seat, players: int) -> None:
    """Write the location of each card as far as a seat knows it."""
    where, own, turned = s["shown"]["where"], s["hands"][seat], IN_PLAY[players, seat]
    for card in range(CARDS):
        where[card] = turned[s["player_of"][card] & 7]
    while own:
        where[lowest(own)] = OWN
        own &= own - 1
    for other in range(players):
        seen = s["seen"][other]
        while seen:
            where[lowest(seen)] = HELD + TURNED[players, seat, other + 1] - 1
            seen &= seen - 1
    if s["card"] and seat == s["maker"]:
        where[s["card"] - 1] = FACE_DOWN


@jit
def view(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write the observation of a seat: public facts, with the seat as seat 0, and its own cards."""
    shown, players = s["shown"], rules.players
    turned = TURNED[players, seat]
    view_table(s, players, seat, turned)
    view_cards(s, seat, players)
    for bid in range(BIDS):
        shown["bids"][bid] = turned[s["bid_by"][bid] & 7]
    shown["leader"] = turned[s["leader"] + 1]
    shown["pair_shown"] = turned[s["pair_by"] + 1]
    shown["alone"] = turned[s["alone"] + 1]
    shown["setter"] = turned[s["set_by"] + 1]
    shown["trumps"] = s["made"] if shown["trumps_shown"] or seat == s["maker"] else 0


# ---- inference from what is played ----------------------------------------------------------


@jit
def note_overtrumping(s: State, rules: RulesRecord, card: int) -> None:
    """Record that the seat to act has no higher trump, if the card that it plays shows this.

    The trick is not empty. With ``overtrump``, a seat that plays a trump on another suit must beat
    the highest trump in the trick if it can, unless it must play the card that it has just shown.
    """
    trumps, public = trump_suit(s), s["seats"][s["turn"]]
    trumping = s["shown"]["trumps_shown"] and card // RANKS == trumps != led_suit(s, RANKS)
    if rules.overtrump and trumping and not must_play_shown(s, rules, s["turn"]):
        highest = highest_trump(s, rules)
        if highest > card % RANKS:
            public["below"] = min(1 + highest, public["below"]) if public["below"] else 1 + highest


@jit
def note_action(s: State, rules: RulesRecord, action: Action) -> None:
    """Record the public facts that follow from the action that the seat to act is about to make."""
    seat = s["turn"]
    if action == ASK:
        note_asking(s, RANKS)
    elif action < CARDS:
        if s["size"]:
            note_voids(s, action, RANKS)
            note_overtrumping(s, rules, action)
        if seat == s["bidder"] and not rules.lead_secret:
            note_bidder(s, action, RANKS)
        s["seen"][seat] &= ~(1 << action)
        s["seats"][seat]["hand"] -= 1
        s["player_of"][action] = 1 + seat
        s["shown"]["when"][action] = 1 + s["tricks"]


# ---- unseen cards and their holders ---------------------------------------------------------

APART, UNDEALT = SEATS, SEATS + 1
"""Holders of unseen cards besides the seats: the place of the card that sets trumps, and the rest
of the deck."""


@jit
def played_by(s: State, seat: Seat) -> Places:
    """Return the set of cards that a seat has already played."""
    cards = 0
    for card in range(CARDS):
        if s["player_of"][card] == 1 + seat:
            cards |= 1 << card
    return cards


@jit
def list_unseen(s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray) -> int:
    """Write the cards that a seat cannot locate, and return their number."""
    located = s["hands"][seat]
    for other in range(rules.players):
        located |= s["seen"][other]
    if s["card"] and seat == s["maker"]:
        located |= 1 << (s["card"] - 1)
    n = 0
    for card in range(CARDS):
        if card % RANKS < LOWEST_RANK[rules.players] or s["player_of"][card]:
            continue
        if not (located >> card) & 1:
            cards[n] = card
            n += 1
    return n


@jit
def count_held(s: State, rules: RulesRecord, seat: Seat, sizes: np.ndarray) -> None:
    """Write, for each holder, the number of its cards that a seat cannot locate."""
    for other in range(rules.players):
        if other != seat:
            sizes[other] = count(s["hands"][other] & ~s["seen"][other])
    sizes[APART] = s["card"] > 0 and seat != s["maker"]
    if not s["shown"]["all_dealt"] and rules.players != SEATS:
        sizes[UNDEALT] = rules.players * FIRST_CARDS


@jit
def count_trumps(s: State, rules: RulesRecord) -> int:
    """Return the number of kinds of secret trumps: the suits, and two kinds without trumps."""
    return REVERSED if rules.no_trumps and s["card"] == 0 else SUITS


@jit
def give_out(
    s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray, world: np.ndarray
) -> None:
    """Give the unseen cards to their holders in a sampled world."""
    for other in range(rules.players):
        if other != seat:
            s["hands"][other] &= s["seen"][other]
    for i in range(len(cards)):
        if world[i] < SEATS:
            s["hands"][world[i]] |= 1 << cards[i]
        elif world[i] == APART:
            s["card"] = 1 + cards[i]
            s["laid"] = 1 + cards[i]


@jit
def is_below(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether no other seat has a trump above its recorded limit."""
    suit = trump_suit(s)
    for other in range(rules.players):
        below = s["seats"][other]["below"]
        if other != seat and below and suit != NO_SUIT:
            above = suit_set(suit, RANKS) & ~((1 << (suit * RANKS + below)) - 1)
            if s["hands"][other] & ~s["seen"][other] & above:
                return False
    return True


@jit
def is_playable(s: State, rules: RulesRecord) -> bool:
    """Return whether a sampled world fits the fact that the hand was not void."""
    suit, phase = trump_suit(s), s["shown"]["phase"]
    if not rules.void_without or suit == NO_SUIT or s["alone"] >= 0 or is_void(s):
        return True
    if phase not in (PLAY, OVER) or s["leader"] < 0:  # the hand may end before the play
        return True
    held = 0
    for seat in range(rules.players):
        if not same_side(rules, s["bidder"], seat):
            held |= s["hands"][seat] | played_by(s, seat)
    return held & suit_set(suit, RANKS) != 0


@jit
def fits_seventh(s: State, rules: RulesRecord) -> bool:
    """Return whether a sampled world fits the fact that a seventh card did, or did not, end it."""
    if not rules.seventh_void or not s["shown"]["all_dealt"]:
        return True
    if s["makers"][0] < 0 or s["history"][s["made_at"][0]] != 1 + MAKE_SEVENTH:
        return True
    is_ended = s["shown"]["phase"] == OVER and s["leader"] < 0
    return is_seventh_alone(s, rules) == is_ended


@jit
def fits(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether a sampled world fits what a seat knows besides hand sizes and voids."""
    if not is_below(s, rules, seat) or not is_playable(s, rules):
        return False
    return fits_seventh(s, rules) and not is_dealt_again(s, rules)


# ---- the deck and the history of a sampled world --------------------------------------------


@jit
def draw_card(s: State, cards: Places) -> int:
    """Return a random card of a set, drawn with the state's generator."""
    for _ in range(random_below(s, count(cards))):
        cards &= cards - 1
    return lowest(cards)


@jit
def stack_cards(
    s: State, rules: RulesRecord, order: int, first: int, last: int, cards: Places
) -> None:
    """Write random cards of a set to the deck as cards ``first`` to ``last - 1`` of a hand."""
    for k in range(first, last):
        card = draw_card(s, cards)
        cards &= ~(1 << card)
        s["deck"][place_in_deck(rules, first_size(rules), order, k)] = CODES[card]


@jit
def stack_hand(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write the cards that a seat was dealt to the deck, in a random order."""
    order, size = speaking_order(s, rules, seat), first_size(rules)
    last = hand_size(rules) if s["shown"]["all_dealt"] else size
    hand = s["hands"][seat] | played_by(s, seat)
    if seat != s["maker"] or s["laid"] == 0 or s["laid_from"] == LAID_ANYWHERE:
        if s["card"] and seat == s["maker"]:
            hand |= 1 << (s["card"] - 1)
        stack_cards(s, rules, order, 0, last, hand)
        return
    hand &= ~(1 << (s["laid"] - 1))
    laid_at = random_below(s, size) if s["laid_from"] == LAID_FIRST else size + 2
    stack_cards(s, rules, order, 0, laid_at, hand)
    for k in range(laid_at):
        hand &= ~(1 << NUMBERS[s["deck"][place_in_deck(rules, size, order, k)]])
    s["deck"][place_in_deck(rules, size, order, laid_at)] = CODES[s["laid"] - 1]
    stack_cards(s, rules, order, laid_at + 1, last, hand)


@jit
def stack_deck(
    s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray, world: np.ndarray
) -> None:
    """Write a deck from which the hands of a sampled world would have been dealt."""
    for other in range(rules.players):
        if other != seat:
            stack_hand(s, rules, other)
    place = rules.players * first_size(rules)
    undealt = 0
    for i in range(len(cards)):
        if world[i] == UNDEALT:
            undealt |= 1 << cards[i]
    while undealt:
        card = draw_card(s, undealt)
        undealt &= ~(1 << card)
        s["deck"][place] = CODES[card]
        place += 1


@jit
def read_making(s: State, rules: RulesRecord) -> Action:
    """Return the action that chose the current trumps."""
    if rules.trump_by == TrumpBy.CARD:
        return s["laid"] - 1
    return MAKE + s["made"] - 1 if s["made"] < NONE else MAKE + s["made"]


@jit
def draw_making(s: State, rules: RulesRecord, maker: Seat, again: int) -> Action:
    """Return a random action that could have chosen earlier, canceled trumps."""
    if rules.trump_by == TrumpBy.CARD:
        k = random_below(s, hand_size(rules) if again else first_size(rules))
        order = speaking_order(s, rules, maker)
        return NUMBERS[s["deck"][place_in_deck(rules, first_size(rules), order, k)]]
    made = random_below(s, REVERSED if rules.no_trumps else SUITS)
    return MAKE + made if made < SUITS else MAKE + made + 1


@jit
def rewrite_history(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Replace the actions that chose trumps if the seat does not know them."""
    for again in range(2):
        maker, at = s["makers"][again], s["made_at"][again]
        if maker < 0 or maker == seat or s["history"][at] == 1 + MAKE_SEVENTH:
            continue
        is_last = again == 1 or s["makers"][1] < 0
        if is_last and s["made"] and s["alone"] < 0:
            if not knows_trumps(s, seat, s["maker"]):
                s["history"][at] = 1 + read_making(s, rules)
        else:
            s["history"][at] = 1 + draw_making(s, rules, maker, again)


resample_hidden = make_resample(
    HiddenHands(
        ranks=RANKS,
        pack_size=CARDS,
        holders=SEATS + 2,
        apart=APART,
        maker="maker",
        list_unseen=list_unseen,
        count_held=count_held,
        count_trumps=count_trumps,
        give_out=give_out,
        stack_deck=stack_deck,
        fits=fits,
        rewrite_history=rewrite_history,
        write_legal=write_legal,
        view=view,
    )
)

# ---- the hidden cards as an observation piece -----------------------------------------------


def read_hidden(states: States) -> np.ndarray:
    """Return the facts that the seats to act do not see: holders of cards, and secret trumps.

    Returns:
        int8 (n, 36 + 1). The first 36 entries are for the cards: k if the k-th seat after the seat
        to act holds the card unseen, 6 if the card sets trumps and is not in a hand, otherwise 0.
        The last entry is the trumps, coded as in ``made``, if the seat does not know them.
    """
    rows, turn = np.arange(len(states)), states["turn"]
    unseen = states["hands"] & ~states["seen"]
    players = states["shown"]["players"].astype(np.int64)
    holders = np.zeros((len(states), CARDS + 1), np.int8)
    for k in range(1, SEATS):
        cards = np.where(k < players, unseen[rows, (turn + k) % players], 0)
        holders[:, :CARDS] += (cards[:, None] >> np.arange(CARDS) & 1).astype(np.int8) * k
    is_apart = (states["maker"] != turn) & (states["card"] > 0)
    holders[is_apart, states["card"][is_apart] - 1] = APART
    is_secret = (states["maker"] != turn) & (states["shown"]["trumps_shown"] == 0)
    holders[:, CARDS] = np.where(is_secret, states["made"], 0)
    return holders


HIDDEN = HiddenCards(
    Piece(
        "others",
        CARDS + 1,
        whole_number(APART),
        "for each card: the holder as its distance after the viewer, if the card is unseen, 6: "
        "set aside as the card that sets trumps; then secret trumps",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
