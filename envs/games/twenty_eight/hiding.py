"""Twenty-Eight and Twenty-Nine: resampling the hidden cards.

Every sampled world that fits what the seat knows is equally likely: who holds which unseen card,
and which card or suit makes trumps. Bids do not change the probabilities. Random
numbers come from the state's generator.
"""

import numpy as np

from ...core.aliases import Places, RulesRecord, Seat, State
from ...core.batch import is_finished
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import random_below
from ...core.kernel.jit import jit
from ...core.tricks.tricks import NO_SUIT, suit_set
from ...core.tricks.unseen_hands import deal_secret, deal_unseen
from .auction import FIRST_CARDS, all_seats, first_size, hand_size, side_of, speaking_order
from .kernel import find_legal, is_dealt_again
from .play import trump_suit
from .rules import CARDS, CODES, LOWEST_RANK, MAKE, MAKE_SEVENTH, NUMBERS, RANKS, SEATS, TrumpBy
from .seat_view import view
from .state import LAID_ANYWHERE, LAID_FIRST, NO_TRUMP_YET, NONE, OVER, PLAY, REVERSED

SUITS = 4
ALL_VOID = (1 << SUITS) - 1
APART, UNDEALT = SEATS, SEATS + 1
"""Holders of unseen cards beside the seats: the card that makes trumps, and the rest of the deck.
"""
HOLDERS = SEATS + 2


@jit
def played_by(s: State, seat: Seat) -> Places:
    """The set of cards that a seat has played."""
    found = 0
    for card in range(CARDS):
        if s["player_of"][card] == 1 + seat:
            found |= 1 << card
    return found


@jit
def knows_card(s: State, seat: Seat) -> bool:
    """Whether a seat knows the card that is kept apart."""
    return seat == s["maker"]


@jit
def unseen_cards(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """The set of cards of which a seat does not know where they are."""
    unseen = s["hands"][seat]
    for other in range(rules.players):
        unseen |= s["seen"][other]
    if s["card"] and knows_card(s, seat):
        unseen |= 1 << (s["card"] - 1)
    found = 0
    for card in range(CARDS):
        if card % RANKS >= LOWEST_RANK[rules.players] and not s["player_of"][card]:
            found |= 1 << card
    return found & ~unseen


@jit
def is_trump_open(s: State, seat: Seat) -> bool:
    """Whether a seat knows what trumps are, or that there are none to know."""
    return s["made"] == 0 or s["shown"]["trumps_shown"] != 0 or seat == s["maker"]


@jit
def voids_of_bidder(s: State, suit: int) -> int:
    """The suits that the bidder cannot have if this one is trumps; -1: it cannot be."""
    shown = s["shown"]
    if suit == NO_SUIT or not shown["led_secretly"][suit]:
        return 0
    return -1 if shown["not_trumps"][suit] else ALL_VOID & ~(1 << suit)


@jit
def is_void(s: State, rules: RulesRecord) -> bool:
    """Whether the hand ended before the first trick because the bidder's opponents lack trumps."""
    if not rules.void_without or s["alone"] >= 0:
        return False
    return is_finished(s) and s["tricks"] == 0 and s["made"] != NO_TRUMP_YET


@jit
def suppose_trumps(s: State, rules: RulesRecord, seat: Seat, suit: int, voids: np.ndarray) -> bool:
    """Add the voids that follow if this suit is trumps; return whether it can be trumps."""
    bidder = s["bidder"]
    bound = voids_of_bidder(s, suit)
    if bound > 0 and seat != bidder:
        voids[bidder] |= bound
    if is_void(s, rules):
        if suit == NO_SUIT:
            return False
        opponents = all_seats(rules) & ~side_of(rules, bidder)
        for other in range(rules.players):
            if (opponents >> other) & 1:
                voids[other] |= 1 << suit
        if (opponents >> seat) & 1 and s["hands"][seat] & suit_set(suit, RANKS):
            return False
    return bound >= 0


@jit
def list_holders(
    s: State, rules: RulesRecord, seat: Seat, sizes: np.ndarray, voids: np.ndarray
) -> None:
    """Write how many unseen cards each holder has, and in which suits it is known to be void."""
    sizes[:] = 0
    voids[:] = 0
    for other in range(rules.players):
        if other != seat:
            sizes[other] = count(s["hands"][other] & ~s["seen"][other])
        for suit in range(SUITS):
            voids[other] |= s["seats"][other]["voids"][suit] << suit
    sizes[APART] = s["card"] > 0 and not knows_card(s, seat)
    if not s["shown"]["all_dealt"]:
        sizes[UNDEALT] = (rules.players != SEATS) * rules.players * FIRST_CARDS


@jit
def deal_with_secret(
    s: State,
    rules: RulesRecord,
    seat: Seat,
    suits: np.ndarray,
    sizes: np.ndarray,
    known: np.ndarray,
    holders: np.ndarray,
) -> int:
    """Deal the unseen cards, draw the secret trumps, and return these."""
    kinds = REVERSED if rules.no_trumps and s["card"] == 0 else SUITS
    voids, possible = np.empty((kinds, HOLDERS), np.int64), np.empty(kinds, np.bool_)
    for k in range(kinds):
        suit = k if k < SUITS else NO_SUIT
        for holder in range(HOLDERS):
            voids[k, holder] = known[holder]
        possible[k] = suppose_trumps(s, rules, seat, suit, voids[k])
        if s["card"]:
            voids[k, APART] = ALL_VOID & ~(1 << suit)
    return 1 + deal_secret(s, suits, sizes, voids, possible, holders)


@jit
def give_out(
    s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray, holders: np.ndarray
) -> None:
    """Put the unseen cards where they were dealt to."""
    for other in range(rules.players):
        if other != seat:
            s["hands"][other] &= s["seen"][other]
    for i in range(len(cards)):
        if holders[i] < SEATS:
            s["hands"][holders[i]] |= 1 << cards[i]
        elif holders[i] == APART:
            s["card"] = 1 + cards[i]
            s["laid"] = 1 + cards[i]


@jit
def nth_card(cards: Places, n: int) -> int:
    """Card n of a set, counted from the lowest, 0."""
    for _ in range(n):
        cards &= cards - 1
    return lowest(cards)


@jit
def draw_card(s: State, cards: Places) -> int:
    """Return a card of a set by chance."""
    return nth_card(cards, random_below(s, count(cards)))


@jit
def place_of(rules: RulesRecord, order: int, k: int) -> int:
    """The place in the deck of card k of the hand that is dealt as number ``order``."""
    size = first_size(rules)
    return (k // size * rules.players + order) * size + k % size


@jit
def stack_cards(
    s: State, rules: RulesRecord, order: int, first: int, last: int, cards: Places
) -> None:
    """Write cards into the deck by chance: those that hand ``order`` gets as first to last - 1."""
    for k in range(first, last):
        card = draw_card(s, cards)
        cards &= ~(1 << card)
        s["deck"][place_of(rules, order, k)] = CODES[card]


@jit
def stack_hand(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write into the deck what a seat was dealt, in an order drawn by chance."""
    order, size, last = speaking_order(s, rules, seat), first_size(rules), hand_size(rules)
    hand = s["hands"][seat] | played_by(s, seat)
    if seat != s["maker"] or s["laid"] == 0 or s["laid_from"] == LAID_ANYWHERE:
        if s["card"] and seat == s["maker"]:
            hand |= 1 << (s["card"] - 1)
        stack_cards(s, rules, order, 0, last if s["shown"]["all_dealt"] else size, hand)
        return
    hand &= ~(1 << (s["laid"] - 1))
    place = random_below(s, size) if s["laid_from"] == LAID_FIRST else size + 2
    stack_cards(s, rules, order, 0, place, hand)
    for k in range(place):
        hand &= ~(1 << NUMBERS[s["deck"][place_of(rules, order, k)]])
    s["deck"][place_of(rules, order, place)] = CODES[s["laid"] - 1]
    stack_cards(s, rules, order, place + 1, last, hand)


@jit
def stack_deck(
    s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray, holders: np.ndarray
) -> None:
    """Write the deck from which these hands came."""
    for other in range(rules.players):
        if other != seat:
            stack_hand(s, rules, other)
    place = rules.players * first_size(rules)
    undealt = 0
    for i in range(len(cards)):
        if holders[i] == UNDEALT:
            undealt |= 1 << cards[i]
    while undealt:
        card = draw_card(s, undealt)
        undealt &= ~(1 << card)
        s["deck"][place] = CODES[card]
        place += 1


@jit
def made_action(s: State, rules: RulesRecord) -> int:
    """The action that made trumps."""
    if rules.trump_by == TrumpBy.CARD:
        return s["laid"] - 1
    return MAKE + s["made"] - 1 if s["made"] < NONE else MAKE + s["made"]


@jit
def draw_made_action(s: State, rules: RulesRecord, maker: Seat, again: int) -> int:
    """Draw an action that made trumps which count no more."""
    if rules.trump_by == TrumpBy.CARD:
        k = random_below(s, hand_size(rules) if again else first_size(rules))
        return NUMBERS[s["deck"][place_of(rules, speaking_order(s, rules, maker), k)]]
    made = random_below(s, REVERSED if rules.no_trumps else SUITS)
    return MAKE + made if made < SUITS else MAKE + made + 1


@jit
def rewrite_history(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write what trumps were made, where the seat does not know it."""
    for again in range(2):
        maker, at = s["makers"][again], s["made_at"][again]
        if maker < 0 or maker == seat or s["history"][at] == 1 + MAKE_SEVENTH:
            continue
        is_last = again == 1 or s["makers"][1] < 0
        if is_last and s["made"] and s["alone"] < 0:
            if not is_trump_open(s, seat):
                s["history"][at] = 1 + made_action(s, rules)
        else:
            s["history"][at] = 1 + draw_made_action(s, rules, maker, again)


@jit
def is_below(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Whether no other seat has a trump above those that it can have."""
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
    """Whether a hand in play, or played, was not void before the first trick."""
    suit, phase = trump_suit(s), s["shown"]["phase"]
    if not rules.void_without or suit == NO_SUIT or s["alone"] >= 0 or is_void(s, rules):
        return True
    if phase not in (PLAY, OVER):
        return True
    trumps, held = suit_set(suit, RANKS), 0
    for seat in range(rules.players):
        if not (side_of(rules, s["bidder"]) >> seat) & 1:
            held |= s["hands"][seat] | played_by(s, seat)
    return held & trumps != 0


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Resample the cards that a seat does not know, from the state's generator."""
    unseen = unseen_cards(s, rules, seat)
    cards, suits = np.empty(count(unseen), np.int64), np.empty(count(unseen), np.int64)
    for i in range(len(cards)):
        cards[i] = nth_card(unseen, i)
        suits[i] = cards[i] // RANKS
    sizes, known = np.empty(HOLDERS, np.int64), np.empty(HOLDERS, np.int64)
    list_holders(s, rules, seat, sizes, known)
    holders = np.empty(len(cards), np.int64)
    is_open = is_trump_open(s, seat)
    if is_open and s["bidder"] >= 0:
        suppose_trumps(s, rules, seat, trump_suit(s), known)
    while True:
        if is_open:
            deal_unseen(s, suits, sizes, known, holders)
        else:
            s["made"] = deal_with_secret(s, rules, seat, suits, sizes, known, holders)
        give_out(s, rules, seat, cards, holders)
        stack_deck(s, rules, seat, cards, holders)
        if is_below(s, rules, seat) and is_playable(s, rules) and not is_dealt_again(s, rules):
            break
    rewrite_history(s, rules, seat)
    viewer = s["viewer"]
    find_legal(s, rules)
    view(s, rules, viewer)
