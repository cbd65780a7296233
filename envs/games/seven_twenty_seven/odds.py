"""Seven Twenty-Seven: equity, the share of the pot that a seat can expect at a showdown now.

Exact with two seats in and at most `pot_share.EXACT` unknown cards. Otherwise hands are sampled,
and the result has a 95 % interval.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...core.aliases import RulesRecords, States
from ...core.game import find_game
from ...core.kernel.jit import jit
from ...core.options import as_record
from ...core.solve import make_position
from .pot_share import (
    BOTH_SIDES,
    EXACT,
    NOW,
    SEVEN_SIDE,
    TWENTY_SEVEN_SIDE,
    Pool,
    can_count_cases,
    clear_shares,
    exact_shares,
    hash_number,
    make_pool,
    make_question,
    sample_shares,
)
from .rules import Declare, Rules
from .showdown import SAYS_7, SAYS_27

DEFAULT_SAMPLES = 4096
"""Sampled hands by default: half an interval is at most 0.016."""
BATCHES = 32
"""Batches of samples, whose spread gives the interval."""
STUDENT = 2.0395
"""97.5 % point of Student's distribution with `BATCHES` - 1 degrees of freedom."""
RULE_OF_THREE = 3.0
"""An event that did not occur in n trials has a probability below 3 / n, with 95 % confidence
(Hanley, 1983)."""
WEIGHT = 3
"""Column of the weights in the sums of the batches."""


class Equity(NamedTuple):
    """A share of the pot, 0 to 1: the mean, and the limits of its 95 % interval.

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
    """Write the weighted sums of the shares of the seat whose turn it is; return whether exact.

    Args:
        states: the position, (1,).
        records: the rules, (1,).
        max_unknown: the largest number of unknown cards of which every case is counted.
        samples: samples in each batch.
        sums: float64 (batches, 4), the columns of `expected_shares` and the sum of weights. An
            exact answer is in the first row.
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
    """Return the share of the pot that a seat can expect if there were a showdown now.

    Only what the seat knows is used: its own hand and what is public. The cards that it does not
    see are random; under ``over_is_bust``, such that the others still in have not busted. Nobody
    takes another card, and odd chips are not counted. Where seats declare, the seat declares as it
    has done publicly, else what brings most; each of the others as it has done publicly, else the
    side that it is nearer to.

    Args:
        state: one record of the game's state.
        rules: the rules of the hand.
        seat: the seat, still in.
        samples: hands to sample if the answer is not exact, rounded up to a multiple of `BATCHES`.
            The seed depends on what the seat sees, so that equal views give equal answers.

    Raises:
        ValueError: for a seat that is not in, a hand that is over, and fewer samples than
        `BATCHES`.
    """
    position = make_position(find_game("seven_twenty_seven"), rules, state)
    if position["over"][0]:
        raise ValueError("the hand is over: there is no showdown to come")
    if not 0 <= seat < rules.players or not position["live"][0] >> seat & 1:
        raise ValueError(f"seat {seat} is not in: its part of the pot is nothing")
    if samples < BATCHES:
        raise ValueError(f"samples={samples}: allowed are numbers from {BATCHES}")
    position["turn"] = seat
    return _equity(position, rules, -(-samples // BATCHES), EXACT)


def _equity(state: np.ndarray, rules: Rules, batch_samples: int, max_unknown: int) -> Equity:
    """Return the equity of the seat whose turn it is; see `sum_batches`."""
    sums, seat = np.zeros((BATCHES, 4)), int(state["turn"][0])
    is_exact = sum_batches(state, as_record(rules), max_unknown, batch_samples, sums)
    shares = _choose_shares(sums, rules, int(state["seats"]["declared"][0, seat]))
    weights = sums[:, WEIGHT]
    mean = float(shares.sum() / weights.sum())
    if is_exact:
        return Equity(mean, mean, mean, True)
    return _add_interval(mean, shares, weights, batch_samples * BATCHES)


def _choose_shares(sums: np.ndarray, rules: Rules, declared: int) -> np.ndarray:
    """Return the weighted sum of the shares of the pot, for each batch."""
    if rules.declare == Declare.CARDS_SPEAK:
        return (sums[:, SEVEN_SIDE] + sums[:, TWENTY_SEVEN_SIDE]) / 2
    columns = {SAYS_7: SEVEN_SIDE, SAYS_27: TWENTY_SEVEN_SIDE, SAYS_7 | SAYS_27: BOTH_SIDES}
    best = int(sums[:, :WEIGHT].sum(axis=0).argmax())
    return sums[:, columns.get(declared, best)]


def _add_interval(mean: float, shares: np.ndarray, weights: np.ndarray, samples: int) -> Equity:
    """Return the interval of a ratio of two sums, from the spread of the batches."""
    spread = float(((shares - mean * weights) ** 2).sum())
    error = sqrt(spread * BATCHES / (BATCHES - 1)) / float(weights.sum())
    half = max(STUDENT * error, RULE_OF_THREE / samples)
    return Equity(mean, max(mean - half, 0.0), min(mean + half, 1.0), False)
