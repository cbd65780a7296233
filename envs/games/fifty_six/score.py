"""Fifty-Six: what a contract pays."""

from ...core.aliases import RulesRecord, State
from ...core.kernel.jit import jit
from .auction import same_side
from .rules import LEVELS, Doubling


@jit
def points_of(s: State, rules: RulesRecord, seat: int) -> int:
    """The card points that the side of a seat has taken."""
    found = 0
    for other in range(rules.players):
        if same_side(seat, other):
            found += s["seats"][other]["points"]
    return found


@jit
def contract_pays(s: State, rules: RulesRecord) -> int:
    """What the bidder's side scores at the end: one point more is lost than would be won."""
    number, doubled = s["shown"]["number"], s["shown"]["doubled"]
    made = points_of(s, rules, s["bidder"]) >= number
    stake = 0 if made else 1
    for level in LEVELS:
        stake += number >= level
    if rules.doubling == Doubling.ADD:
        stake += doubled
    elif rules.doubling == Doubling.TIMES:
        stake <<= doubled
    return stake if made else -stake


@jit
def pay_sides(s: State, rules: RulesRecord, score: int) -> None:
    """Let the bidder's side score, and the other one lose as much."""
    for seat in range(rules.players):
        s["net"][seat] = score if same_side(seat, s["bidder"]) else -score
