"""Seven Twenty-Seven: the heuristic of the greedy agent, the rule-based agents, and equity.

All of them use only what their seat knows. `expected_shares` estimates the seat's share of the pot
if no more seats fold and all seats draw by a simple rule. The heuristic compares this share with
the price of staying in. The rule-based agents are the heuristic with other weights.

`equity` is the expected share of the pot of a seat if the showdown came now. It is exact if two
seats are in and at most `expected_share.EXACT` cards are unknown. Otherwise it is estimated from
sampled hands, with a 95 % interval.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...core.game import find_game
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.options import as_record
from ...core.solve import make_position
from ...core.type_aliases import RulesRecord, RulesRecords, Scores, State, States, Weights
from .expected_share import (
    BOTH_SIDES,
    DECISION_SAMPLES,
    EXACT,
    NOW,
    SEVEN_SIDE,
    THEN,
    TWENTY_SEVEN_SIDE,
    Pool,
    can_count_cases,
    cards_allowed,
    clear_shares,
    exact_shares,
    expected_shares,
    hash_number,
    make_pool,
    make_question,
    sample_shares,
)
from .kernel import bet_range
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
    Rules,
)
from .showdown import SAYS_7, SAYS_27

# Optimized with scans and CMA-ES, in play against each other and against the rule-based agents, and
# rounded. The best weights of all searches differed by at most 0.1 antes per hand.
WEIGHTS = {"call": 0.06, "fear": 0.08, "raise": -0.005, "draw": 0.005}
"""Weights of the greedy agent.

- call: subtracted from the share before paying a bet, to account for later bets
- fear: fraction of the share subtracted for each bet and raise of this round, to account for the
  stronger hands that make them
- raise: margin over a fair share required to bet or raise; slightly negative, so that a seat with a
  sure half bets against one other seat
- draw: gain over standing that is required to draw a card
"""
CALLING, FEAR, RAISING, DRAWING = range(len(WEIGHTS))

TIGHT = np.array([0.12, 0.1, 0.2, 0.02])
LOOSE = np.array([-0.1, 0.0, -0.05, 0.001])
"""Weights of the rule-based agents, in the order of `WEIGHTS`. The agent ``tight`` takes a card
only for a clear gain, ``loose`` for any gain. The required gain must not be 0: two seats that are
each
sure of a half by declaring would draw until the last card."""


@jit
def pot_share(shares: np.ndarray, row: int, cards_speak: bool) -> float:
    """Return the share of the whole pot: the sum of both sides, or that of the best declaration."""
    share_7, share_27 = shares[row, SEVEN_SIDE], shares[row, TWENTY_SEVEN_SIDE]
    if cards_speak:
        return (share_7 + share_27) / 2
    return max(share_7, max(share_27, shares[row, BOTH_SIDES]))


@jit
def score_bets(
    s: State, rules: RulesRecord, weights: Weights, share: float, scores: Scores
) -> None:
    """Write the scores of fold, call and raise: their expected chips.

    The score of a raise assumes that all other seats call it. An action that keeps a range of
    amounts has the score of its lowest amount.
    """
    seat, others = s["turn"], count(s["live"]) - 1
    pot, to_call = s["pot"], s["high"] - s["staked"][seat]
    share *= 1.0 - weights[FEAR] * (s["raises"] + (s["high"] > 0))
    call = share * pot
    if to_call:
        call = (share - weights[CALLING]) * (pot + to_call) - to_call
    scores[FOLD] = 0.0
    if (s["legal"] >> CALL) & 1:  # not while the seat chooses the amount of a bet
        scores[CALL] = call
    for level in range(LEVELS):
        if (s["legal"] >> (RAISE + level)) & 1:
            chips, _ = bet_range(s, rules, level)
            gain = (share - weights[RAISING]) * chips * (1 + others)
            scores[RAISE + level] = call + gain - chips


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: expected chips for bets, otherwise pot shares."""
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
    """Write the scores of an agent that plays few hands, folds early and raises only if strong."""
    heuristic(s, rules, TIGHT, scores)


@jit
def loose(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the scores of an agent that often calls and raises and takes many cards."""
    heuristic(s, rules, LOOSE, scores)


# ---- equity ---------------------------------------------------------------------------------

DEFAULT_SAMPLES = 4096
"""Default number of sampled hands, with which half an interval is at most 0.016."""
BATCHES = 32
"""Number of batches of samples. Their spread gives the interval."""
STUDENT = 2.0395
"""97.5 % quantile of Student's distribution with `BATCHES` - 1 degrees of freedom."""
RULE_OF_THREE = 3.0
"""An event that did not occur in n trials has a probability below 3 / n, with 95 % confidence
(Hanley, 1983)."""
WEIGHT = 3
"""Column of the sum of weights in the sums of the batches."""


class Equity(NamedTuple):
    """A share of the pot, 0 to 1: the mean and the limits of its 95 % interval.

    An ``exact`` mean equals its limits.
    """

    mean: float
    low: float
    high: float
    exact: bool


@jit
def sum_batches(
    states: States, records: RulesRecords, max_unknown: int, samples: int, sums: np.ndarray
) -> bool:
    """Write the weighted sums of the shares of the seat to act, and return whether they are exact.

    Args:
        states: The position, (1,).
        records: The rules, (1,).
        max_unknown: Maximum number of unknown cards for which every case is counted.
        samples: Number of samples in each batch.
        sums: Receives the sums, float64 (batches, 4): the columns of `expected_shares` and the sum
            of weights. An exact answer is in the first row.
    """
    s, rules = states[0], records[0]
    question, pool = make_question(s, rules, 0, False), make_pool(s, rules, s["turn"])
    shares = np.empty((2, 3))
    is_exact = can_count_cases(question, max_unknown)
    for batch in range(1 if is_exact else len(sums)):
        clear_shares(shares)
        if is_exact:
            sums[batch, WEIGHT] = exact_shares(question, pool, shares)
        else:
            seeded = Pool(pool.lower, pool.upper, 1, hash_number(pool.seed ^ (batch + 1)))
            sums[batch, WEIGHT] = sample_shares(question, seeded, samples, shares)
        for side in range(3):
            sums[batch, side] = shares[NOW, side]
    return is_exact


def equity(state: np.ndarray, rules: Rules, seat: int, samples: int = DEFAULT_SAMPLES) -> Equity:
    """Return a seat's expected share of the pot in an immediate showdown.

    The function uses only the seat's own hand and public information. The unseen cards are random.
    With ``over_is_bust``, the other seats still in are assumed not to be bust. No seat takes
    another card, and odd chips are not counted. In rules with declarations, a public declaration
    stays as it is. Without a public declaration, ``seat`` makes the declaration with the largest
    expected share, and every other seat declares the half, 7 or 27, to which it is nearer.

    Args:
        state: One record of the game's state.
        rules: The rules of the hand.
        seat: A seat that is still in.
        samples: Number of hands to sample if there are too many unseen hands for an exact result,
            rounded up to a multiple of 32 (`BATCHES`). The seed depends only on the information of
            the seat, so the result is reproducible.

    Returns:
        The expected share with its 95 % interval.

    Raises:
        ValueError: The seat is not in, the hand is over, or there are fewer samples than `BATCHES`.
    """
    position = make_position(find_game("seven_twenty_seven"), rules, state)
    if position["over"][0]:
        raise ValueError("state must be a hand that is not over")
    if not 0 <= seat < rules.players or not position["live"][0] >> seat & 1:
        raise ValueError(f"seat must be a seat that is still in, got {seat}")
    if samples < BATCHES:
        raise ValueError(f"samples must be {BATCHES} or more, got {samples}")
    position["turn"] = seat
    return _equity(position, rules, -(-samples // BATCHES), EXACT)


def _equity(state: np.ndarray, rules: Rules, batch_samples: int, max_unknown: int) -> Equity:
    """Return the equity of the seat to act; see `sum_batches`."""
    sums, seat = np.zeros((BATCHES, 4)), int(state["turn"][0])
    is_exact = sum_batches(state, as_record(rules), max_unknown, batch_samples, sums)
    shares = _choose_shares(sums, rules, int(state["seats"]["declared"][0, seat]))
    weights = sums[:, WEIGHT]
    mean = float(shares.sum() / weights.sum())
    if is_exact:
        return Equity(mean, mean, mean, True)
    return _add_interval(mean, shares, weights, batch_samples * BATCHES)


def _choose_shares(sums: np.ndarray, rules: Rules, declared: int) -> np.ndarray:
    """Return the weighted sum of the pot shares of each batch."""
    if rules.declare == Declare.CARDS_SPEAK:
        return (sums[:, SEVEN_SIDE] + sums[:, TWENTY_SEVEN_SIDE]) / 2
    columns = {SAYS_7: SEVEN_SIDE, SAYS_27: TWENTY_SEVEN_SIDE, SAYS_7 | SAYS_27: BOTH_SIDES}
    best = int(sums[:, :WEIGHT].sum(axis=0).argmax())
    return sums[:, columns.get(declared, best)]


def _add_interval(mean: float, shares: np.ndarray, weights: np.ndarray, samples: int) -> Equity:
    """Return the interval of a ratio of two sums from the spread of the batches."""
    spread = float(((shares - mean * weights) ** 2).sum())
    error = sqrt(spread * BATCHES / (BATCHES - 1)) / float(weights.sum())
    half = max(STUDENT * error, RULE_OF_THREE / samples)
    return Equity(mean, max(mean - half, 0.0), min(mean + half, 1.0), False)
