"""Fifty-Six: dealing anew what a seat does not know.

Every world that fits what the seat knows is equally likely: who holds which unseen card, both of a
kind counted as two cards, and which of them lies face down. Bids tell nothing here. The state's
generator draws.
"""

import numpy as np

from ...core.aliases import RulesRecord, Seat, State
from ...core.batch import is_finished
from ...core.kernel.cards import random_below
from ...core.kernel.jit import jit
from ...core.seating import wrap_seat
from ...core.tricks.tricks import NO_SUIT, suit_set
from ...core.tricks.unseen_hands import deal_secret, deal_unseen
from .auction import first_speaker, same_side
from .cards import copies_held, hand_count, lowest_rank, put_card
from .kernel import find_legal, is_dealt_again, lack_trumps, place_of
from .play import trump_suit
from .rules import CARDS, CODES, COPIES, RANKS, SEATS
from .seat_view import view
from .state import NO_TRUMP_YET

SUITS = 4
ALL_VOID = (1 << SUITS) - 1
APART = SEATS
"""Who holds the card that lies face down, beside the seats."""
HOLDERS = SEATS + 1


@jit
def is_trump_open(s: State, seat: Seat) -> bool:
    """Whether a seat knows what trumps are, or that there are none to know."""
    return s["made"] == NO_TRUMP_YET or s["shown"]["trumps_shown"] != 0 or seat == s["bidder"]


@jit
def list_unseen(s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray) -> int:
    """Write the cards of which a seat does not know where they are; return how many."""
    n, bidder = 0, s["bidder"]
    for card in range(CARDS):
        if card % RANKS < lowest_rank(rules):
            continue
        left = 2 - copies_held(s, seat, card)
        for copy in range(2 * card, 2 * card + 2):
            left -= s["player_of"][copy] != 0
        if card == s["laid"] - 1 and seat != bidder and s["shown"]["laid_back"]:
            left -= 1
        if card == s["card"] - 1 and seat == bidder:
            left -= 1
        for _ in range(left):
            cards[n] = card
            n += 1
    return n


@jit
def list_holders(
    s: State, rules: RulesRecord, seat: Seat, sizes: np.ndarray, voids: np.ndarray
) -> None:
    """Write how many unseen cards each holder has, and in which suits it is known to be void."""
    sizes[:] = 0
    voids[:] = 0
    for other in range(rules.players):
        if other != seat:
            sizes[other] = hand_count(s, other)
        for suit in range(SUITS):
            voids[other] |= s["seats"][other]["voids"][suit] << suit
    if s["bidder"] >= 0 and seat != s["bidder"] and s["shown"]["laid_back"]:
        sizes[s["bidder"]] -= 1
    sizes[APART] = s["card"] > 0 and seat != s["bidder"]


@jit
def voids_of_bidder(s: State, suit: int) -> int:
    """The suits that the bidder cannot have if this one is trumps; -1: it cannot be."""
    shown = s["shown"]
    if suit == NO_SUIT or not shown["led_secretly"][suit]:
        return 0
    return -1 if shown["not_trumps"][suit] else ALL_VOID & ~(1 << suit)


@jit
def is_void(s: State) -> bool:
    """Whether the hand ended before the first trick since the bidder's opponents lack trumps."""
    return is_finished(s) and s["tricks"] == 0 and s["made"] != NO_TRUMP_YET


@jit
def suppose_trumps(s: State, seat: Seat, suit: int, voids: np.ndarray) -> bool:
    """Write the voids that follow if this suit is trumps; return whether it can be."""
    bidder = s["bidder"]
    bound = voids_of_bidder(s, suit)
    if bound > 0 and seat != bidder:
        voids[bidder] |= bound
    if is_void(s):
        for other in range(SEATS):
            if not same_side(other, bidder):
                voids[other] |= 1 << suit
        if not same_side(seat, bidder) and s["hands"][seat] & suit_set(suit, RANKS):
            return False
    return bound >= 0


@jit
def deal_worlds(
    s: State,
    seat: Seat,
    suits: np.ndarray,
    sizes: np.ndarray,
    known: np.ndarray,
    holders: np.ndarray,
) -> None:
    """Deal the unseen cards; where trumps are secret, the card that makes them is one of these."""
    bidder = s["bidder"]
    if is_trump_open(s, seat):
        if bidder >= 0:
            suppose_trumps(s, seat, trump_suit(s), known)
        deal_unseen(s, suits, sizes, known, holders)
        return
    voids = np.empty((SUITS, HOLDERS), np.int64)
    possible = np.empty(SUITS, np.bool_)
    for suit in range(SUITS):
        voids[suit] = known
        possible[suit] = suppose_trumps(s, seat, suit, voids[suit])
        voids[suit, APART] = ALL_VOID & ~(1 << suit)
    s["made"] = 1 + deal_secret(s, suits, sizes, voids, possible, holders)


@jit
def give_out(
    s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray, holders: np.ndarray
) -> None:
    """Put the unseen cards where they were dealt to."""
    for other in range(rules.players):
        if other != seat:
            s["hands"][other] = 0
            s["twice"][other] = 0
    if s["bidder"] >= 0 and seat != s["bidder"] and s["shown"]["laid_back"]:
        put_card(s, s["bidder"], s["laid"] - 1)
    for i in range(len(holders)):
        if holders[i] == APART:
            s["card"] = 1 + cards[i]
            s["laid"] = 1 + cards[i]
            s["history"][s["laid_at"]] = 1 + cards[i]
        else:
            put_card(s, holders[i], cards[i])


@jit
def stack_hand(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write into the deck what a seat was dealt, in an order drawn by chance."""
    order = wrap_seat(seat - first_speaker(s, rules) + rules.players, rules.players)
    n = 0
    for card in range(CARDS):
        copies = copies_held(s, seat, card)
        for copy in range(2 * card, 2 * card + 2):
            copies += s["player_of"][copy] == 1 + seat
        copies += seat == s["bidder"] and card == s["card"] - 1
        for _ in range(copies):
            # The n cards before it lie in an order by chance; so do n + 1 after this exchange.
            other = place_of(rules, order, random_below(s, n + 1))
            s["deck"][place_of(rules, order, n)] = s["deck"][other]
            s["deck"][other] = CODES[card]
            n += 1


@jit
def is_playable(s: State, rules: RulesRecord) -> bool:
    """Whether the hand is one that is not void before the first trick, unless it was."""
    suit = trump_suit(s)
    if not rules.void_without or suit == NO_SUIT or is_void(s):
        return True
    bidder = s["bidder"]
    for copy in range(2 * suit * RANKS, 2 * (suit + 1) * RANKS):
        by = s["player_of"][copy] - 1
        if by >= 0 and not same_side(by, bidder):
            return True
    return not lack_trumps(s, rules)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Deal anew, from the state's generator, all that a seat does not know."""
    room = np.empty(COPIES, np.int64)
    cards = room[: list_unseen(s, rules, seat, room)]
    suits, holders = cards // RANKS, np.empty(len(cards), np.int64)
    sizes, known = np.empty(HOLDERS, np.int64), np.empty(HOLDERS, np.int64)
    list_holders(s, rules, seat, sizes, known)
    while True:
        deal_worlds(s, seat, suits, sizes, known, holders)
        give_out(s, rules, seat, cards, holders)
        for other in range(rules.players):
            if other != seat:
                stack_hand(s, rules, other)
        if is_playable(s, rules) and not is_dealt_again(s, rules):
            break
    viewer = s["viewer"]
    find_legal(s, rules)
    view(s, rules, viewer)
