"""Twenty-Eight and Twenty-Nine: bidding, doubling, making trumps."""

from ...core.aliases import RulesRecord, Seat, State
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.legal import add_action, add_members
from ...core.seating import next_seat, wrap_seat
from .rules import (
    BID,
    CARDS,
    DOUBLE,
    LOWEST_BID,
    MAKE,
    MAKE_NONE,
    MAKE_REVERSED,
    MAKE_SEVENTH,
    NUMBERS,
    PACK_POINTS,
    PASS,
    RANKS,
    REDOUBLE,
    SEATS,
    SINGLE,
    Forced,
    TrumpBy,
)
from .state import (
    AUCTION,
    DOUBLING,
    HAND,
    LAID_ANYWHERE,
    LAID_FIRST,
    LAID_SEVENTH,
    NO_TRUMP_YET,
    NONE,
    REDOUBLING,
    REVERSED,
    SECOND,
    SINGLES,
)

FIRST_CARDS = 4
"""Dealt before the auction, where not six play."""


@jit
def first_speaker(s: State, rules: RulesRecord) -> Seat:
    """The seat that speaks and leads first."""
    return wrap_seat(s["dealer"] + 1, rules.players)


@jit
def speaking_order(s: State, rules: RulesRecord, seat: Seat) -> int:
    """How many seats speak before this one."""
    return wrap_seat(seat - first_speaker(s, rules) + rules.players, rules.players)


@jit
def side_of(rules: RulesRecord, seat: Seat) -> int:
    """The set of seats that play together with this one, it among them."""
    if rules.players == 3:
        return 1 << seat
    return 0b010101 << (seat & 1) & ((1 << rules.players) - 1)


@jit
def highest_bid(rules: RulesRecord) -> int:
    """The highest bid that there is."""
    return PACK_POINTS + rules.last_trick


@jit
def all_seats(rules: RulesRecord) -> int:
    """The set of all seats."""
    return (1 << rules.players) - 1


@jit
def first_size(rules: RulesRecord) -> int:
    """How many cards each seat has in the auction."""
    return 6 if rules.players == 6 else FIRST_CARDS


@jit
def hand_size(rules: RulesRecord) -> int:
    """How many cards each seat gets in all."""
    return first_size(rules) if rules.players == SEATS else HAND


@jit
def give_cards(s: State, rules: RulesRecord, place: int, size: int) -> None:
    """Give each seat ``size`` cards of the deck, which lie together from a place on."""
    first = first_speaker(s, rules)
    for k in range(rules.players):
        seat = wrap_seat(first + k, rules.players)
        for _ in range(size):
            s["hands"][seat] |= 1 << NUMBERS[s["deck"][place]]
            place += 1
        s["seats"][seat]["hand"] += size


@jit
def enter_phase(s: State, phase: int, pending: int, seat: Seat) -> None:
    """Begin a phase in which seats speak: those pending, from a seat on."""
    s["shown"]["phase"] = phase
    s["pending"] = pending
    s["turn"] = next_seat(pending, seat)


@jit
def lowest_bid(s: State, rules: RulesRecord, seat: Seat) -> int:
    """The lowest number that a seat may bid."""
    bid, bidder = s["shown"]["bid"], s["bidder"]
    if bidder < 0:
        return rules.min_bid
    number = bid + 1
    if rules.match and speaking_order(s, rules, seat) < speaking_order(s, rules, bidder):
        number = bid
    if seat != bidder and (side_of(rules, bidder) >> seat) & 1:
        number = max(number, rules.partner_min)
    return number


@jit
def must_bid(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Whether a seat may not pass in the auction."""
    if s["bidder"] >= 0:
        return False
    if rules.forced == Forced.FIRST:
        return seat == first_speaker(s, rules)
    return rules.forced == Forced.DEALER and s["pending"] == 1 << s["dealer"]


@jit
def add_bids(s: State, rules: RulesRecord, number: int) -> None:
    """Let bids be legal from a number on."""
    for bid in range(number, highest_bid(rules) + 1):
        add_action(s["legal"], BID + bid - LOWEST_BID)


@jit
def add_words(s: State, rules: RulesRecord) -> None:
    """Write what the seat at turn may say."""
    legal, phase, seat = s["legal"], s["shown"]["phase"], s["turn"]
    if phase == AUCTION:
        add_bids(s, rules, lowest_bid(s, rules, seat))
    elif phase == SECOND:
        add_bids(s, rules, max(rules.second_auction, s["shown"]["bid"] + 1))
    elif phase == DOUBLING:
        add_action(legal, DOUBLE)
    elif phase == REDOUBLING:
        add_action(legal, REDOUBLE)
    elif phase == SINGLES:
        add_action(legal, SINGLE)
    else:
        add_trumps(s, rules)
        return
    if phase != AUCTION or not must_bid(s, rules, seat):
        add_action(legal, PASS)


@jit
def add_trumps(s: State, rules: RulesRecord) -> None:
    """Write what trumps the bidder may make."""
    legal = s["legal"]
    if rules.trump_by == TrumpBy.CARD:
        add_members(legal, s["hands"][s["turn"]])
        return
    for suit in range(4):
        add_action(legal, MAKE + suit)
    if rules.seventh and s["seats"][s["turn"]]["hand"] == FIRST_CARDS:
        add_action(legal, MAKE_SEVENTH)
    if rules.no_trumps:
        add_action(legal, MAKE_NONE)
        add_action(legal, MAKE_REVERSED)


@jit
def take_bid(s: State, rules: RulesRecord, bid: int) -> None:
    """Write who has bid what; a bid over another cancels doubles."""
    seat, shown = s["turn"], s["shown"]
    s["bidder"] = seat
    s["bid_by"][bid - LOWEST_BID] = 1 + seat
    shown["bid"] = bid
    shown["target"] = bid
    shown["doubled"] = 0
    shown["stake"] = 2 if rules.auto_double and bid >= rules.auto_double else 1


@jit
def return_card(s: State) -> None:
    """Give back the card that makes trumps to the seat that laid it down."""
    if s["card"]:
        s["hands"][s["maker"]] |= 1 << (s["card"] - 1)
        s["seats"][s["maker"]]["hand"] += 1
        s["card"] = 0
        s["shown"]["apart"] = 0


@jit
def give_up_trumps(s: State) -> None:
    """Let trumps be none any more, before they are made anew or a seat plays alone."""
    return_card(s)
    s["maker"] = -1
    s["made"] = NO_TRUMP_YET
    s["laid"] = 0
    s["laid_from"] = LAID_ANYWHERE


@jit
def is_outbid(s: State, rules: RulesRecord) -> bool:
    """Whether somebody has bid in the second auction."""
    most = 0
    for seat in range(rules.players):
        most = max(most, s["seats"][seat]["second"])
    return most > 1


@jit
def speak(s: State, rules: RulesRecord, action: int) -> None:
    """Let the seat at turn say something in one of the phases before the bidder makes trumps."""
    seat, phase = s["turn"], s["shown"]["phase"]
    public = s["seats"][seat]
    if action == PASS:
        s["pending"] &= ~(1 << seat)
        if phase == AUCTION:
            public["passed"] = s["shown"]["bid"] + 1
        elif phase == SECOND:
            public["second"] = 1
        elif phase == SINGLES:
            public["single"] = 1
        else:
            public["called"] = 1
    elif phase == AUCTION:
        take_bid(s, rules, action - BID + LOWEST_BID)
        public["bid"] = s["shown"]["bid"]
        if s["shown"]["bid"] == highest_bid(rules):
            s["pending"] = 1 << seat
    elif phase == SECOND:
        take_bid(s, rules, action - BID + LOWEST_BID)
        public["second"] = s["shown"]["bid"]
        s["pending"] &= ~(1 << seat)
        if s["shown"]["bid"] == highest_bid(rules):
            s["pending"] = 0
    elif phase == SINGLES:
        public["single"] = 2
        s["alone"] = seat
        s["pending"] = 0
    else:
        public["called"] = 2 if action == DOUBLE else 3
        s["shown"]["doubled"] += 1
        s["shown"]["stake"] *= 2
        s["pending"] = 0


@jit
def make_trumps(s: State, rules: RulesRecord, action: int, at: int) -> None:
    """Write what trumps the bidder makes; ``at`` is where in the history that stands."""
    seat = s["bidder"]
    s["maker"] = seat
    again = s["makers"][0] >= 0
    s["makers"][int(again)] = seat
    s["made_at"][int(again)] = at
    s["laid"] = 0
    s["laid_from"] = LAID_ANYWHERE
    if action < CARDS:
        s["laid"] = 1 + action
        s["laid_from"] = LAID_ANYWHERE if again else LAID_FIRST
        s["shown"]["apart"] = LAID_FIRST
        s["hands"][seat] &= ~(1 << action)
        s["seats"][seat]["hand"] -= 1
        s["card"] = 1 + action
        s["made"] = 1 + action // RANKS
    elif action < MAKE_SEVENTH:
        s["made"] = 1 + action - MAKE
    elif action > MAKE_SEVENTH:
        s["made"] = NONE if action == MAKE_NONE else REVERSED


@jit
def set_seventh_apart(s: State, rules: RulesRecord) -> None:
    """Take the third of the bidder's second cards out of the hand: it makes trumps, unseen."""
    order = speaking_order(s, rules, s["bidder"])
    card = NUMBERS[s["deck"][FIRST_CARDS * (rules.players + order) + 2]]
    s["hands"][s["bidder"]] &= ~(1 << card)
    s["seats"][s["bidder"]]["hand"] -= 1
    s["made"] = 1 + card // RANKS
    s["card"] = 1 + card
    s["laid"] = 1 + card
    s["laid_from"] = LAID_SEVENTH
    s["shown"]["apart"] = LAID_SEVENTH


@jit
def is_said(s: State) -> bool:
    """Whether all has been said in this phase."""
    if s["shown"]["phase"] == AUCTION and s["bidder"] >= 0:
        return count(s["pending"]) == 1
    return s["pending"] == 0
