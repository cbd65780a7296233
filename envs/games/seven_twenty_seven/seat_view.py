"""Seven Twenty-Seven: what a seat sees."""

from ...core.aliases import RulesRecord, Seat, State
from ...core.batch import is_finished
from ...core.kernel.jit import jit
from ...core.schema import DIGIT_BASE
from ...core.seating import wrap_seat
from .chips import write_digits
from .rules import FACE, FAR
from .totals import NO_TOTAL


@jit
def shown_distance(rank: int) -> int:
    """The distance of a total from its target as it is shown."""
    return FAR + 1 if rank == NO_TOTAL else min(rank >> 1, FAR)


@jit
def view(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Show what a seat sees: what is public, turned so that it is seat 0, and its own cards."""
    shown, players = s["shown"], rules.players
    s["viewer"] = seat
    for k in range(players):
        shown["seats"][k] = s["seats"][wrap_seat(seat + k, players)]
    cards, rank = s["cards"][seat], s["rank"][seat]
    for kind in range(FACE):
        shown["own"][kind] = cards[kind]
    shown["own_faces"] = cards[FACE]
    write_digits(shown["low"], s["low"][seat])
    shown["off_7"] = shown_distance(rank[0])
    shown["off_27"] = shown_distance(rank[1])
    shown["over_7"] = s["above"][seat][0]
    shown["over_27"] = s["above"][seat][1]
    shown["turn"] = 0 if is_finished(s) else 1 + wrap_seat(s["turn"] - seat + players, players)
    shown["dealer"] = 1 + wrap_seat(s["dealer"] - seat + players, players)
    shown["lead"] = 1 + wrap_seat(s["lead"] - seat + players, players)
    bettor = s["bettor"]
    shown["bettor"] = 0 if bettor < 0 else 1 + wrap_seat(bettor - seat + players, players)
    missing = s["high"] - s["staked"][seat] if (s["live"] >> seat) & 1 else 0
    write_digits(shown["to_call"], missing)
    shown["odds"] = DIGIT_BASE * missing // (s["pot"] + missing) if missing else 0


@jit
def show_rules(s: State, rules: RulesRecord) -> None:
    """Write the options into the observation."""
    shown = s["shown"]
    shown["players"] = rules.players
    write_digits(shown["ante"], rules.ante)
    write_digits(shown["min_bet"], rules.min_bet)
    write_digits(shown["max_bet"], rules.max_bet)
    shown["max_raises"] = rules.max_raises
    shown["start_down"] = rules.start_down
    shown["draw_up"] = rules.draw_up
    shown["nearness"] = rules.nearness
    shown["declare"] = rules.declare
    shown["max_extra"] = rules.max_extra
    shown["max_stands"] = rules.max_stands
    shown["last_bets"] = rules.last_bets
    shown["half_tens"] = rules.half_tens
    shown["pack"] = rules.pack
    shown["bet_first"] = rules.bet_first
    shown["rotating_lead"] = rules.rotating_lead
    shown["perfect"] = rules.perfect
    shown["bets_after"] = rules.bets_after
    shown["both_tie"] = rules.both_tie
