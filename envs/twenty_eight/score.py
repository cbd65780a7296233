"""Twenty-Eight and Twenty-Nine: what a contract pays, and when it is decided."""

from ..core.aliases import RulesRecord, State
from ..core.jit import jit
from .auction import side_of
from .rules import PACK_POINTS, PAIR_WORTH, Scoring


@jit
def points_of(s: State, seats: int) -> int:
    """The points that a set of seats has taken."""
    found = 0
    for seat in range(len(s["seats"])):
        if (seats >> seat) & 1:
            found += s["seats"][seat]["points"]
    return found


@jit
def tricks_of(s: State, seats: int) -> int:
    """The tricks that a set of seats has taken."""
    found = 0
    for seat in range(len(s["seats"])):
        if (seats >> seat) & 1:
            found += s["seats"][seat]["tricks"]
    return found


@jit
def change_target(s: State, rules: RulesRecord) -> None:
    """Let the pair that the seat at turn shows change what the bidder's side must take."""
    shown = s["shown"]
    if (side_of(rules, s["bidder"]) >> s["turn"]) & 1:
        if shown["bid"] >= rules.pair_from:
            shown["target"] = max(shown["target"] - PAIR_WORTH, rules.min_bid)
    else:
        shown["target"] = min(shown["target"] + PAIR_WORTH, PACK_POINTS)


@jit
def step_of(rules: RulesRecord, bid: int) -> int:
    """What a bid pays when it is made."""
    if rules.scoring == Scoring.ONE:
        return 1
    if rules.scoring == Scoring.STEPS:
        return 1 if bid < 20 else 2 if bid < 25 else 3
    return 1 if bid < 20 else 2 if bid < 24 else 3 if bid < 28 else 4


@jit
def contract_pays(s: State, rules: RulesRecord) -> int:
    """What the bidder's side scores at the end."""
    shown, side = s["shown"], side_of(rules, s["bidder"])
    made = points_of(s, side) >= shown["target"]
    score = step_of(rules, shown["bid"])
    if not made:
        score += rules.scoring != Scoring.ONE
    score *= shown["stake"]
    if rules.cot and made and tricks_of(s, side) == s["tricks"]:
        score *= 2
    return score if made else -score


@jit
def pay_side(s: State, rules: RulesRecord, side: int, score: int) -> None:
    """Let a side score: each seat's net is its side's less the other's, of three seats twice."""
    alone = rules.players == 3
    for seat in range(rules.players):
        if (side >> seat) & 1:
            s["net"][seat] = 2 * score if alone else score
        else:
            s["net"][seat] = -score


@jit
def is_sure(s: State, rules: RulesRecord) -> bool:
    """Whether it is decided who scores, and what."""
    return False
