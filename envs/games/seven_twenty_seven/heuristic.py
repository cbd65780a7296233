"""Seven Twenty-Seven: the heuristic of the greedy agent, and the rule-based agents made from it.

It uses only what its seat knows. `expected_shares` estimates the seat's share of the pot if nobody
folds any more and all go on to draw by a simple rule. The heuristic compares that share with what
the pot costs.
"""

import numpy as np

from ...core.aliases import RulesRecord, Scores, State, Weights
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from .kernel import level_chips
from .pot_share import (
    BOTH_SIDES,
    DECISION_SAMPLES,
    NOW,
    SEVEN_SIDE,
    THEN,
    TWENTY_SEVEN_SIDE,
    cards_allowed,
    expected_shares,
)
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
from .showdown import SAYS_7, SAYS_27

# Found by scans and CMA-ES against each other and against the rule-based agents; rounded. The
# winners of all searches were within 0.1 antes a hand of one another.
WEIGHTS = {"call": 0.06, "fear": 0.08, "raise": -0.005, "draw": 0.005}
"""call: subtracted from the share before paying a bet, for the bets still to come; fear: fraction
of the share subtracted for each bet and raise of this round, for the hands that make them; raise:
margin over a fair share needed to bet or raise, slightly negative so that a sure half bets against
one other seat; draw: how much more than standing a card must bring."""
CALLING, FEAR, RAISING, DRAWING = range(len(WEIGHTS))

TIGHT = np.array([0.12, 0.1, 0.2, 0.02])
LOOSE = np.array([-0.1, 0.0, -0.05, 0.001])
"""Weights of the rule-based agents, in the order of `WEIGHTS`. Tight takes a card only for a clear
gain, loose for any gain. Zero would not do: two seats that are sure of a half each by declaring
would draw to the last card."""


@jit
def pot_share(shares: np.ndarray, row: int, cards_speak: bool) -> float:
    """Return the share of the whole pot: of both sides, or by the best declaration."""
    share_7, share_27 = shares[row, SEVEN_SIDE], shares[row, TWENTY_SEVEN_SIDE]
    if cards_speak:
        return (share_7 + share_27) / 2
    return max(share_7, max(share_27, shares[row, BOTH_SIDES]))


@jit
def score_bets(
    s: State, rules: RulesRecord, weights: Weights, share: float, scores: Scores
) -> None:
    """Score fold, call and raise by their expected chips.

    All others are taken to call a raise: it wins the share of as many more chips from each.
    """
    seat, others = s["turn"], count(s["live"]) - 1
    pot, to_call = s["pot"], s["high"] - s["staked"][seat]
    share *= 1.0 - weights[FEAR] * (s["raises"] + (s["high"] > 0))
    scores[FOLD] = 0.0
    scores[CALL] = share * pot
    if to_call:
        scores[CALL] = (share - weights[CALLING]) * (pot + to_call) - to_call
    for level in range(LEVELS):
        if (s["legal"] >> (RAISE + level)) & 1:
            chips = level_chips(rules, level)
            gain = (share - weights[RAISING]) * chips * (1 + others)
            scores[RAISE + level] = scores[CALL] + gain - chips


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Score every legal action: by expected chips in rounds of bets, else by shares of the pot."""
    legal, phase = s["legal"], s["phase"]
    if legal == 0:
        return
    draws_on = phase != Phase.LAST_BET and phase != Phase.DECLARING and phase != Phase.AFTER_BET
    max_draws = cards_allowed(s, rules, s["turn"]) if draws_on else 0
    shares = expected_shares(s, rules, max_draws, draws_on, DECISION_SAMPLES)
    if phase == Phase.DECLARING:
        scores[DECLARE_7] = shares[NOW, SEVEN_SIDE]
        scores[DECLARE_27] = shares[NOW, TWENTY_SEVEN_SIDE]
        scores[DECLARE_BOTH] = shares[NOW, BOTH_SIDES]
        return
    if phase == Phase.AFTER_BET:
        declared = s["said"][s["turn"]]
        side = BOTH_SIDES
        if declared == SAYS_7:
            side = SEVEN_SIDE
        elif declared == SAYS_27:
            side = TWENTY_SEVEN_SIDE
        score_bets(s, rules, weights, shares[NOW, side], scores)
        return
    cards_speak = rules.declare == Declare.CARDS_SPEAK
    now, then = pot_share(shares, NOW, cards_speak), pot_share(shares, THEN, cards_speak)
    if (legal >> DRAW) & 1:
        scores[DRAW] = then
        scores[STAND] = now + weights[DRAWING]
    else:
        score_bets(s, rules, weights, max(now, then), scores)


@jit
def tight(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Score as an agent that plays few hands, folds early and raises only when it is strong."""
    heuristic(s, rules, TIGHT, scores)


@jit
def loose(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Score as an agent that calls and raises a lot and takes many cards."""
    heuristic(s, rules, LOOSE, scores)
