"""Fifty-Six: what a seat sees."""

from ...core.aliases import RulesRecord, Seat, State
from ...core.batch import is_finished
from ...core.kernel.jit import jit
from ...core.seating import make_turned_codes, wrap_seat
from .rules import CARDS, COPIES, SEATS
from .state import BIDS, HAND, NO_TRUMP_YET

TURNED = make_turned_codes(SEATS)


@jit
def view(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Show what a seat sees: what is public, turned so that it is seat 0, and its own cards."""
    shown, players = s["shown"], rules.players
    turned = TURNED[players, seat]
    s["viewer"] = seat
    for k in range(players):
        shown["seats"][k] = s["seats"][wrap_seat(seat + k, players)]
    hand, twice = s["hands"][seat], s["twice"][seat]
    for card in range(CARDS):
        shown["own"][card] = (hand >> card & 1) + (twice >> card & 1)
    for copy in range(COPIES):
        shown["played_by"][copy] = turned[s["player_of"][copy] & 15]
    for trick in range(HAND):
        shown["winners"][trick] = turned[s["taken_by"][trick] & 15]
    for bid in range(BIDS):
        shown["bids"][bid] = turned[s["bid_by"][bid] & 15]
        shown["doubles"][bid] = turned[s["doubled_by"][bid] & 15]
    shown["lead_by"] = turned[s["lead_by"] + 1]
    shown["turn"] = 0 if is_finished(s) else turned[s["turn"] + 1]
    shown["dealer"] = turned[s["dealer"] + 1]
    shown["bidder"] = turned[s["bidder"] + 1]
    shown["redoubler"] = turned[s["redoubled_by"]]
    shown["asker"] = turned[s["asker"] + 1]
    knows = shown["trumps_shown"] or seat == s["bidder"]
    shown["trump_suit"] = s["made"] if knows else NO_TRUMP_YET
    shown["laid"] = s["laid"] if knows else 0


@jit
def clear_seat(public: State) -> None:
    """Make what is public of a seat as it is before the first card."""
    for suit in range(4):
        public["voids"][suit] = 0
    public["said"] = 0
    public["number"] = 0
    public["strain"] = 0
    public["hand"] = 0
    public["tricks"] = 0
    public["points"] = 0


@jit
def clear_shown(shown: State) -> None:
    """Make what all see alike as it is before the first card."""
    for suit in range(4):
        shown["led_secretly"][suit] = 0
        shown["not_trumps"][suit] = 0
    shown["number"] = 0
    shown["doubled"] = 0
    shown["trumps_shown"] = 0
    shown["apart"] = 0
    shown["laid_back"] = 0
    shown["shown_trick"] = 0
    shown["shown_after"] = 0
    shown["must_trump"] = 0


@jit
def show_rules(s: State, rules: RulesRecord) -> None:
    """Write the options into the observation."""
    shown = s["shown"]
    shown["players"] = rules.players
    shown["small_pack"] = rules.small_pack
    shown["trumps"] = rules.trumps
    shown["forced"] = rules.forced
    shown["honours"] = rules.honours
    shown["leader"] = rules.leader
    shown["doubling"] = rules.doubling
    shown["void_pointless"] = rules.void_pointless
    shown["void_without"] = rules.void_without
