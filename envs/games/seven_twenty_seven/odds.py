"""Seven Twenty-Seven: the part of the pot that a seat may expect of a showdown as all stand.

Exact where `pot_share.EXACT` allows: two seats in, and few cards unknown. Otherwise hands are dealt
by chance, and the answer comes with a 95 % interval.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...core.aliases import RulesRecords, States
from ...core.game import find_game
from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from ...core.options import as_record
from ...core.upper_bound import make_position
from .pot_share import EXACT, exact_shares, pack_rival, sample_shares
from .rules import SEATS, Declare, Rules
from .showdown import SAYS_7, SAYS_27
from .unseen import ACE, Pool, hash_number, make_pool

DEFAULT_SAMPLES = 4096
"""Hands dealt by chance, if no other number is asked for: a half interval of at most 0.016."""
BATCHES = 32
"""So many parts of the samples say by how much they differ how far off their mean may be."""
STUDENT = 2.0395
"""97.5 % point of Student's distribution with `BATCHES` - 1 degrees of freedom."""
RULE_OF_THREE = 3.0
"""What never happened in n trials has a chance below 3 / n: 95 % sure (Hanley, 1983)."""


class Equity(NamedTuple):
    """A part of the pot, 0 to 1: expected, and the limits of its 95 % interval.

    Where it is ``exact_shares`` the limits are the mean itself.
    """

    mean: float
    low: float
    high: float
    exact: bool


@jit
def weigh_batches(
    states: States, table: RulesRecords, most: int, samples: int, room: np.ndarray, sums: np.ndarray
) -> bool:
    """Write the weighed sums of what the seat whose turn it is gets; return whether it is exact.

    ``most``: so many unknown cards of one other seat, or fewer, are gone through. ``samples``: of
    each batch. ``sums``, float64 (batches, 4): by declaring 7, 27 or both, and the weight of all;
    where the cards speak, of the 7 and of the 27 side. If exact, the first row has all. ``room``:
    float64 (seats,).
    """
    s, rules = states[0], table[0]
    seat, live = s["turn"], s["live"]
    many = 0 if rules.declare == Declare.CARDS_SPEAK else count(live)
    pool = make_pool(s, rules, seat)
    own = s["low"][seat] + ACE * s["cards"][seat][0]
    hidden, left = 0, live & ~(1 << seat)
    while left:
        other = lowest(left)
        left &= left - 1
        room[other] = pack_rival(s, rules, other)
        hidden += s["seats"][other]["hidden"]
    simple = count(live) == 2 and hidden <= most
    for batch in range(1 if simple else len(sums)):
        if simple:
            known = int(room[lowest(live & ~(1 << seat))])
            found, total = exact_shares(pool, own, 0, known, rules.nearness, many)
        else:
            dealt = Pool(pool.lower, pool.upper, 1, hash_number(pool.seed ^ (batch + 1)))
            terms = (0, rules.nearness, many)
            found, total = sample_shares(s, dealt, own, 0, terms, samples, room)
        sums[batch, 0], sums[batch, 1] = found.seven, found.twenty_seven
        sums[batch, 2], sums[batch, 3] = found.both, total
    return simple


def equity(state: np.ndarray, rules: Rules, seat: int, samples: int = DEFAULT_SAMPLES) -> Equity:
    """Return the part of the pot that a seat may expect if it came to a showdown now.

    ``state``: one record of the game's state. Used is what the seat knows: its own hand and what is
    public; the cards that it does not see are random, under ``over_is_bust`` such that the others
    still in have not busted. Nobody takes another card. Odd chips are not counted. Where seats
    declare, the seat declares as it has done publicly, else what brings most; each of the others as
    it has done publicly, else the side that it is nearer to.

    ``samples``, rounded up to a multiple of `BATCHES`, are dealt where the answer is not exact;
    their chance comes from what the seat sees, so that equal sights have equal answers.

    Raises ValueError for a seat that is not in any more, for a hand that is over, and for fewer
    samples than `BATCHES`.
    """
    copy = make_position(find_game("seven_twenty_seven"), rules, state)
    if copy["over"][0]:
        raise ValueError("the hand is over: there is no showdown to come")
    if not 0 <= seat < rules.players or not copy["live"][0] >> seat & 1:
        raise ValueError(f"seat {seat} is not in: its part of the pot is nothing")
    if samples < BATCHES:
        raise ValueError(f"samples={samples}: allowed are numbers from {BATCHES}")
    copy["turn"] = seat
    return _equity(copy, rules, -(-samples // BATCHES), EXACT)


def _equity(state: np.ndarray, rules: Rules, each: int, most: int) -> Equity:
    """The equity of the seat to act; ``each``: samples of a batch, see `weigh_batches`."""
    sums, seat = np.zeros((BATCHES, 4)), int(state["turn"][0])
    simple = weigh_batches(state, as_record(rules), most, each, np.zeros(SEATS), sums)
    parts, weights = _parts(sums, rules, int(state["seats"]["declared"][0, seat]))
    mean = float(parts.sum() / weights.sum())
    if simple:
        return Equity(mean, mean, mean, True)
    return _interval(mean, parts, weights, each * BATCHES)


def _parts(sums: np.ndarray, rules: Rules, said: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each batch: the weighed sum of the parts of the pot, and the weight."""
    weights = sums[:, 3]
    if rules.declare == Declare.CARDS_SPEAK:
        return (sums[:, 0] + sums[:, 1]) / 2, weights
    chosen = {SAYS_7: 0, SAYS_27: 1, SAYS_7 | SAYS_27: 2}.get(said)
    best = int(sums[:, :3].sum(axis=0).argmax()) if chosen is None else chosen
    return sums[:, best], weights


def _interval(mean: float, parts: np.ndarray, weights: np.ndarray, samples: int) -> Equity:
    """The interval of a ratio of two sums, by how much the batches differ from it."""
    spread = float(((parts - mean * weights) ** 2).sum())
    error = sqrt(spread * BATCHES / (BATCHES - 1)) / float(weights.sum())
    half = max(STUDENT * error, RULE_OF_THREE / samples)
    return Equity(mean, max(mean - half, 0.0), min(mean + half, 1.0), False)
