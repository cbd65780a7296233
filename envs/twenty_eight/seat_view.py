"""Twenty-Eight and Twenty-Nine: what a seat sees."""

from ..core.aliases import RulesRecord, Seat, State
from ..core.bits import lowest
from ..core.jit import jit
from ..core.seating import wrap_seat
from .rules import CARDS
from .state import BIDS, FACE_DOWN, HAND, HELD, OWN, PLAYED, SEVENTH, UNSEEN


@jit
def seat_code(seat: Seat, viewer: Seat, players: int) -> int:
    """Return 1 more than a seat as the viewer counts them; 0 for nobody, -1."""
    return 0 if seat < 0 else 1 + wrap_seat(seat - viewer + players, players)


@jit
def view_cards(s: State, seat: Seat, players: int) -> None:
    """Show where each card is, as far as a seat knows."""
    where, own = s["shown"]["where"], s["hands"][seat]
    for card in range(CARDS):
        by = s["player_of"][card]
        if by:
            where[card] = PLAYED + wrap_seat(by - 1 - seat + players, players)
        else:
            where[card] = OWN if (own >> card) & 1 else UNSEEN
    for other in range(players):
        seen = s["seen"][other]
        while seen:
            where[lowest(seen)] = HELD + wrap_seat(other - seat + players, players)
            seen &= seen - 1
    if s["card"] and seat == s["bidder"] and s["made"] != SEVENTH:
        where[s["card"] - 1] = FACE_DOWN


@jit
def view(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Show what a seat sees: what is public, turned so that it is seat 0, and its own cards."""
    shown, players = s["shown"], rules.players
    s["viewer"] = seat
    for k in range(players):
        shown["seats"][k] = s["seats"][wrap_seat(seat + k, players)]
    view_cards(s, seat, players)
    for trick in range(HAND):
        shown["winners"][trick] = seat_code(s["taken_by"][trick] - 1, seat, players)
    for bid in range(BIDS):
        shown["bids"][bid] = seat_code(s["bid_by"][bid] - 1, seat, players)
    shown["leader"] = seat_code(s["leader"], seat, players)
    shown["turn"] = 0 if s["over"] else seat_code(s["turn"], seat, players)
    shown["dealer"] = seat_code(s["dealer"], seat, players)
    shown["bidder"] = seat_code(s["bidder"], seat, players)
    shown["asker"] = seat_code(s["asker"], seat, players)
    shown["pair_shown"] = seat_code(s["pair_by"], seat, players)
    shown["alone"] = seat_code(s["alone"], seat, players)
    shown["trumps"] = s["made"] if shown["trumps_shown"] or seat == s["bidder"] else 0


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
