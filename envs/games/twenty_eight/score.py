"""Twenty-Eight and Twenty-Nine: what a contract pays, and when it is decided."""

from ...core.aliases import RulesRecord, State
from ...core.kernel.jit import jit
from ...core.tricks.tricks import NO_SUIT
from .auction import all_seats, highest_bid, side_of
from .play import trump_suit
from .rules import KING, PACK_POINTS, PAIR_WORTH, QUEEN, RANKS, NeverShown, Scoring


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
def lowered_target(s: State, rules: RulesRecord) -> int:
    """What the bidder's side must take once it has shown the pair."""
    target = s["shown"]["target"]
    if s["shown"]["bid"] < rules.pair_from:
        return target
    return max(target - PAIR_WORTH, rules.min_bid)


@jit
def raised_target(s: State) -> int:
    """What it must take once the others have shown the pair."""
    target = s["shown"]["target"]
    return max(target, min(target + PAIR_WORTH, PACK_POINTS))


@jit
def change_target(s: State, rules: RulesRecord) -> None:
    """Let the pair that the seat at turn shows change what the bidder's side must take."""
    if (side_of(rules, s["bidder"]) >> s["turn"]) & 1:
        s["shown"]["target"] = lowered_target(s, rules)
    else:
        s["shown"]["target"] = raised_target(s)


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
def may_pair_come(s: State, rules: RulesRecord) -> bool:
    """Whether, for all that is public, the pair may still be shown."""
    if not rules.pair or s["pair_by"] >= 0:
        return False
    if not s["shown"]["trumps_shown"]:
        return True
    suit = trump_suit(s)
    if suit == NO_SUIT:
        return False
    return s["player_of"][suit * RANKS + KING] == 0 and s["player_of"][suit * RANKS + QUEEN] == 0


@jit
def is_sure(s: State, rules: RulesRecord) -> bool:
    """Whether, for all that is public, nothing can change any more who scores and how much."""
    if s["alone"] >= 0:
        return s["seats"][s["alone"]]["tricks"] < s["tricks"]
    if not s["shown"]["trumps_shown"] and rules.never_shown == NeverShown.VOID:
        return False
    side = side_of(rules, s["bidder"])
    points, others = points_of(s, side), points_of(s, all_seats(rules) & ~side)
    least = most = s["shown"]["target"]
    if may_pair_come(s, rules):
        least, most = lowered_target(s, rules), raised_target(s)
    if highest_bid(rules) - others < least:
        return True
    return points >= most and not (rules.cot and tricks_of(s, side) == s["tricks"])
