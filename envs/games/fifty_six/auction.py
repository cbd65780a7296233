"""Fifty-Six: bidding, doubling, naming strains."""

from ...core.aliases import Action, RulesRecord, Seat, State
from ...core.kernel.jit import jit
from ...core.legal import add_action
from ...core.seating import wrap_seat
from .rules import (
    BID,
    DOUBLE,
    HIGHEST_BID,
    LEVELS,
    LOWEST_BID,
    NO_TRUMPS,
    PASS,
    REDOUBLE,
    STRAIN,
    Doubling,
    Trumps,
)
from .state import AUCTION, BID_LAST, DOUBLED, NAMING, PASSED, REDOUBLED


@jit
def first_speaker(s: State, rules: RulesRecord) -> Seat:
    """The seat that speaks first."""
    return wrap_seat(s["dealer"] + 1, rules.players)


@jit
def same_side(seat: Seat, other: Seat) -> bool:
    """Whether two seats play together."""
    return (seat ^ other) & 1 == 0


@jit
def lowest_bid(s: State, rules: RulesRecord) -> int:
    """The lowest number that the seat at turn may bid."""
    number, bidder = s["shown"]["number"], s["bidder"]
    if bidder < 0:
        return LOWEST_BID
    if rules.honours and same_side(bidder, s["turn"]):
        for level in LEVELS:
            if level > number:
                return level
    return number + 1


@jit
def add_words(s: State, rules: RulesRecord) -> None:
    """Write what the seat at turn may say."""
    legal, bidder, doubled = s["legal"], s["bidder"], s["shown"]["doubled"]
    if s["shown"]["phase"] == NAMING:
        for strain in range(STRAIN, NO_TRUMPS + 1):
            add_action(legal, strain)
        return
    for number in range(lowest_bid(s, rules), HIGHEST_BID + 1):
        add_action(legal, BID + number - LOWEST_BID)
    if bidder >= 0 or not rules.forced:
        add_action(legal, PASS)
    if bidder < 0 or rules.doubling == Doubling.NONE:
        return
    ours = same_side(bidder, s["turn"])
    if doubled == 0 and not ours:
        add_action(legal, DOUBLE)
    elif doubled == 1 and ours:
        add_action(legal, REDOUBLE)


@jit
def take_bid(s: State, number: int) -> None:
    """Write who has bid what; a bid cancels a double."""
    seat, shown = s["turn"], s["shown"]
    s["bidder"] = seat
    s["bid_by"][number - LOWEST_BID] = 1 + seat
    s["passes"] = 0
    shown["number"] = number
    shown["doubled"] = 0
    s["seats"][seat]["said"] = BID_LAST
    s["seats"][seat]["number"] = number
    s["seats"][seat]["strain"] = 0


@jit
def name_strain(s: State, strain: int) -> None:
    """Write in what trumps the last number is bid, 1 more than the suit, or 5 for none."""
    s["shown"]["strains"][s["shown"]["number"] - LOWEST_BID] = strain
    s["seats"][s["turn"]]["strain"] = strain


@jit
def speak(s: State, rules: RulesRecord, action: Action) -> bool:
    """Let the seat at turn say something; return whether that ends the auction."""
    seat, shown = s["turn"], s["shown"]
    public = s["seats"][seat]
    if action == PASS:
        public["said"] = PASSED
        s["passes"] += 1
        return s["passes"] == rules.players - (s["bidder"] >= 0)
    if action == DOUBLE:
        public["said"] = DOUBLED
        s["passes"] = 0
        shown["doubled"] = 1
        s["doubled_by"][shown["number"] - LOWEST_BID] = 1 + seat
        return False
    if action == REDOUBLE:
        public["said"] = REDOUBLED
        shown["doubled"] = 2
        s["redoubled_by"] = 1 + seat
        return True
    if shown["phase"] == NAMING:
        name_strain(s, 1 + action - STRAIN)
        shown["phase"] = AUCTION
    else:
        take_bid(s, action - BID + LOWEST_BID)
        if rules.trumps == Trumps.OPEN:
            shown["phase"] = NAMING
            return False
    return shown["number"] == HIGHEST_BID
