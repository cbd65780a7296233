"""Seven Twenty-Seven: what follows from the fields that say everything. See `record`."""

from ...core.aliases import RulesRecord, Seat, State
from ...core.batch import Over
from ...core.kernel.jit import jit
from ...core.seating import wrap_seat
from .chips import (
    bet_actions,
    distinct_level_actions,
    is_betting,
    is_drawing,
    show_pot,
    write_digits,
)
from .hiding import bust_violation
from .kernel import DECLARES, DRAWS, clear_seat, deal_card, first_seat, pack_size
from .rules import CLASSES, FACE, SEATS, Declare, Nearness, Phase, Status
from .seat_view import show_rules, view
from .showdown import finish_hand
from .totals import LOWEST_BUST, write_ranks


@jit
def is_done(s: State, first: int, seat: Seat, players: int) -> bool:
    """Whether a seat came before the one whose turn it is, from the first of the round on."""
    return (seat - first + players) % players < (s["turn"] - first + players) % players


@jit
def first_of_round(s: State, rules: RulesRecord) -> int:
    """The seat from which on seats act, or answer the last bet, in this phase."""
    if is_betting(s) and s["high"]:
        return wrap_seat(s["bettor"] + 1, rules.players)
    return first_seat(s, rules)


@jit
def derive_cards(s: State, rules: RulesRecord) -> None:
    """Give all cards again to those who have them."""
    for seat in range(SEATS):
        for kind in range(CLASSES):
            s["cards"][seat][kind] = 0
        s["low"][seat] = 0
        public = s["seats"][seat]
        for kind in range(FACE):
            public["up"][kind] = 0
        public["up_faces"] = 0
        public["hidden"] = 0
    dealt, at = rules.players * (1 + rules.start_down), s["next"]
    s["up"] = 0
    s["next"] = 0
    for place in range(at):
        face_up = place < rules.players or (place >= dealt and rules.draw_up)
        deal_card(s, rules, s["owner"][place] - 1, face_up)
    for seat in range(rules.players):
        write_ranks(s, rules, seat)


@jit
def derive_busts(s: State, rules: RulesRecord) -> None:
    """Where over is bust, put who cannot be in out, and take back cards taken after that."""
    for seat in range(rules.players):
        if bust_violation(s, rules, seat):
            if (s["live"] >> seat) & 1:
                s["live"] &= ~(1 << seat)
            else:
                place = s["next"] - 1
                while s["owner"][place] != seat + 1:
                    place -= 1
                s["owner"][place] = 0


@jit
def is_said_openly(s: State, rules: RulesRecord) -> bool:
    """Whether all hear what has been declared: at once, or once all have."""
    waits = s["phase"] == Phase.DECLARING or (s["phase"] == Phase.OVER and not rules.bets_after)
    return rules.declare == Declare.SEQUENTIAL or not waits


@jit
def derive_seats(s: State, rules: RulesRecord) -> None:
    """Write what is public of each seat."""
    busts = rules.nearness == Nearness.OVER_IS_BUST
    s["pot"] = 0
    s["drawn"] = 0
    for seat in range(rules.players):
        public = s["seats"][seat]
        out = Status.BUSTED if busts and s["low"][seat] >= LOWEST_BUST else Status.FOLDED
        public["status"] = Status.IN if (s["live"] >> seat) & 1 else out
        public["taken"] = s["taken"][seat]
        public["stands"] = s["stands"][seat]
        public["declared"] = s["said"][seat] if is_said_openly(s, rules) else 0
        write_digits(public["paid"], s["paid"][seat])
        write_digits(public["staked"], s["staked"][seat])
        s["net"][seat] = 0
        s["pot"] += s["paid"][seat]
        s["drawn"] |= public["drew"][0]
    for seat in range(rules.players, SEATS):
        clear_seat(s, seat)
        s["shown"]["seats"][seat] = s["seats"][seat]


@jit
def derive_turn(s: State, rules: RulesRecord) -> None:
    """Write who has still to act, and what the seat whose turn it is may do."""
    first, betting = first_of_round(s, rules), is_betting(s)
    s["pending"] = 0
    for seat in range(rules.players):
        if not is_done(s, first, seat, rules.players):
            s["pending"] |= 1 << seat
    s["pending"] &= s["live"]
    if betting and s["high"]:
        s["pending"] &= ~(1 << s["bettor"])
    if betting:
        s["legal"] = bet_actions(s, rules, s["turn"])
    else:
        s["legal"] = DRAWS if is_drawing(s) else DECLARES


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write all that follows from the other fields."""
    shown = s["shown"]
    s["size"] = pack_size(rules)
    s["levels"] = distinct_level_actions(rules)
    show_rules(s, rules)
    derive_cards(s, rules)
    derive_seats(s, rules)
    if rules.nearness == Nearness.OVER_IS_BUST:
        derive_busts(s, rules)
    show_pot(s, rules)
    shown["stock"] = s["size"] - s["next"]
    shown["phase"] = s["phase"]
    shown["raises_left"] = rules.max_raises - s["raises"] if is_betting(s) else 0
    s["won"] = 0
    s["score"] = 0
    if s["phase"] == Phase.OVER:
        s["pending"] = s["live"]
        if s["live"]:
            finish_hand(s, rules)
    else:
        s["over"] = Over.RUNNING
        derive_turn(s, rules)
    view(s, rules, s["viewer"])
