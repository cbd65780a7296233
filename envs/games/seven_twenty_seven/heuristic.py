"""Seven Twenty-Seven: what the greedy agent thinks of a position. Uses only what its seat knows.

It asks `expected_shares` for its part of the pot if all went on to take cards by a plain rule and
nobody folded any more, and compares that with what the pot costs.
"""

from ...core.aliases import RulesRecord, Scores, State, Weights
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from .chips import level_chips
from .pot_share import DECISION_SAMPLES, expected_shares
from .rules import (
    CALL,
    DECLARE_7,
    DECLARE_27,
    DECLARE_BOTH,
    DRAW,
    FOLD,
    LEVELS,
    RAISE,
    STAND,
    Declare,
    Phase,
)
from .unseen import cards_allowed

# Found by scans and CMA-ES against each other and against the players by rule; rounded. The winners
# of all searches lay within 0.1 antes a hand of one another.
WEIGHTS = {"call": 0.06, "fear": 0.08, "raise": -0.005, "draw": 0.005}
"""call: what is taken off its part of the pot before it pays a bet, for the bets still to come;
fear: the share of that part that each bet and raise of this round takes off, for the hands that
make them; raise: how far that part must lie above a fair one before it bets or raises, a little
below 0 so that a sure half is bet against one other seat; draw: how much more a card must bring
than standing."""
CALLING, FEAR, RAISING, DRAWING = range(4)


@jit
def pot_part(first: float, second: float, both: float, speak: bool) -> float:
    """The part of the pot, of the two sides or by the best declaration."""
    return (first + second) / 2 if speak else max(first, max(second, both))


@jit
def score_bets(
    s: State, rules: RulesRecord, weights: Weights, share: float, scores: Scores
) -> None:
    """Score folding, calling and raising by the chips they are worth from here on.

    A raise is taken to be called by all others: it wins its part of so many more chips.
    """
    seat, others = s["turn"], count(s["live"]) - 1
    pot, missing = s["pot"], s["high"] - s["staked"][seat]
    share *= 1.0 - weights[FEAR] * (s["raises"] + (s["high"] > 0))
    scores[FOLD] = 0.0
    scores[CALL] = share * pot
    if missing:
        scores[CALL] = (share - weights[CALLING]) * (pot + missing) - missing
    for level in range(LEVELS):
        if (s["legal"] >> (RAISE + level)) & 1:
            more = level_chips(rules, level)
            won = (share - weights[RAISING]) * more * (1 + others)
            scores[RAISE + level] = scores[CALL] + won - more


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: parts of the pot, or chips where bets are made."""
    legal, phase = s["legal"], s["phase"]
    if legal == 0:
        return
    on = phase != Phase.LAST_BET and phase != Phase.DECLARING and phase != Phase.AFTER_BET
    draws = cards_allowed(s, rules, s["turn"]) if on else 0
    found = expected_shares(s, rules, draws, on, DECISION_SAMPLES, scores)
    if phase == Phase.DECLARING:
        scores[DECLARE_7] = found.seven
        scores[DECLARE_27] = found.twenty_seven
        scores[DECLARE_BOTH] = found.both
        return
    if phase == Phase.AFTER_BET:
        said = s["said"][s["turn"]]
        share = found.seven if said == 1 else found.twenty_seven if said == 2 else found.both
        score_bets(s, rules, weights, share, scores)
        return
    speak = rules.declare == Declare.CARDS_SPEAK
    now = pot_part(found.seven, found.twenty_seven, found.both, speak)
    then = pot_part(found.then_seven, found.then_twenty_seven, found.then_both, speak)
    if (legal >> DRAW) & 1:
        scores[DRAW] = then
        scores[STAND] = now + weights[DRAWING]
    else:
        score_bets(s, rules, weights, max(now, then), scores)
