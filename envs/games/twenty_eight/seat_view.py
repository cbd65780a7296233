"""Twenty-Eight and Twenty-Nine: what a seat sees."""

import numpy as np

from ...core.aliases import RulesRecord, Seat, State
from ...core.batch import is_finished
from ...core.kernel.bits import lowest
from ...core.kernel.jit import jit
from ...core.seating import make_turned_codes, wrap_seat
from .rules import CARDS, SEATS
from .state import BIDS, FACE_DOWN, HAND, HELD, OWN, PLAYED, UNSEEN

TURNED = make_turned_codes(SEATS)
IN_PLAY = np.where(TURNED > 0, TURNED + PLAYED - 1, UNSEEN).astype(np.int8)
"""Where a card is that a seat has played, for each viewer: UNSEEN where nobody has."""


@jit
def view_cards(s: State, seat: Seat, players: int) -> None:
    """Show where each card is, as far as a seat knows."""
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
    """Show what a seat sees: what is public, turned so that it is seat 0, and its own cards."""
    shown, players = s["shown"], rules.players
    s["viewer"] = seat
    for k in range(players):
        shown["seats"][k] = s["seats"][wrap_seat(seat + k, players)]
    view_cards(s, seat, players)
    turned = TURNED[players, seat]
    for trick in range(HAND):
        shown["winners"][trick] = turned[s["taken_by"][trick] & 7]
    for bid in range(BIDS):
        shown["bids"][bid] = turned[s["bid_by"][bid] & 7]
    shown["leader"] = turned[s["leader"] + 1]
    shown["turn"] = 0 if is_finished(s) else turned[s["turn"] + 1]
    shown["dealer"] = turned[s["dealer"] + 1]
    shown["bidder"] = turned[s["bidder"] + 1]
    shown["asker"] = turned[s["asker"] + 1]
    shown["pair_shown"] = turned[s["pair_by"] + 1]
    shown["alone"] = turned[s["alone"] + 1]
    shown["trumps"] = s["made"] if shown["trumps_shown"] or seat == s["maker"] else 0


@jit
def clear_seat(public: State) -> None:
    """Make what is public of a seat as it is before the first card."""
    for suit in range(4):
        public["voids"][suit] = 0
    public["bid"] = 0
    public["passed"] = 0
    public["second"] = 0
    public["called"] = 0
    public["single"] = 0
    public["below"] = 0
    public["hand"] = 0
    public["tricks"] = 0
    public["points"] = 0


@jit
def clear_shown(shown: State) -> None:
    """Make what all see alike as it is before the first card."""
    for suit in range(4):
        shown["led_secretly"][suit] = 0
        shown["not_trumps"][suit] = 0
    shown["bid"] = 0
    shown["apart"] = 0
    shown["target"] = 0
    shown["doubled"] = 0
    shown["all_dealt"] = 0
    shown["stake"] = 0
    shown["trumps_shown"] = 0
    shown["shown_trick"] = 0
    shown["shown_after"] = 0
    shown["must_trump"] = 0


@jit
def show_rules(s: State, rules: RulesRecord) -> None:
    """Write the options into the observation."""
    shown = s["shown"]
    shown["players"] = rules.players
    shown["min_bid"] = rules.min_bid
    shown["forced"] = rules.forced
    shown["partner_min"] = rules.partner_min
    shown["match"] = rules.match
    shown["trump_by"] = rules.trump_by
    shown["seventh"] = rules.seventh
    shown["no_trumps"] = rules.no_trumps
    shown["second_auction"] = rules.second_auction
    shown["ask"] = rules.ask
    shown["asker_trumps"] = rules.asker_trumps
    shown["force"] = rules.force
    shown["never_shown"] = rules.never_shown
    shown["overtrump"] = rules.overtrump
    shown["pair"] = rules.pair
    shown["pair_from"] = rules.pair_from
    shown["last_trick"] = rules.last_trick
    shown["early_end"] = rules.early_end
    shown["doubles"] = rules.doubles
    shown["single_hand"] = rules.single_hand
    shown["cot"] = rules.cot
    shown["auto_double"] = rules.auto_double
    shown["scoring"] = rules.scoring
    shown["redeal_pointless"] = rules.redeal_pointless
    shown["redeal_jacks"] = rules.redeal_jacks
    shown["void_without"] = rules.void_without
