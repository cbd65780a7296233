"""Checks of a claim, cell by cell: first those that need no play, then those of played deals.

No cell is trusted: each one is recomputed, or compared with recomputed values. `UNCHECKED` names
the three cells that cannot be checked later.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from hashlib import sha256
from math import sqrt
from typing import NamedTuple

import numpy as np

from parlour.agents.validation import join_lines, shorten
from parlour.envs.core.contract import UNDECIDED, WINNABLE

from ..labels.labels import NO_SCORE, Labels, find_labels, is_scored
from ..stats import CONFIDENCE, Estimate, bootstrap_mean, student_mean, wilson_rate
from .leaderboard import Claim, Entry, seal_of, write_cell
from .leaderboard_agents import digest_saved

FIRST_LEAST, FIRST_MOST = 10, 200
"""Limits of the number of first deals whose results a claim keeps a digest of."""
SURE = 0.999
"""Confidence of the interval of a sample: one true claim in a thousand fails by chance."""
TIME_FACTOR, TIME_LEAST = 20, 0.005
"""How far apart a claimed time per decision and the one measured here may be: machines, load, and
the size of a batch each account for a factor of a few. Times below `TIME_LEAST`,
in milliseconds, count as that: they are mostly the cost of the call."""
SPREAD_FACTOR = 4
"""How far apart the standard deviation behind a claimed interval and that of a sample may be."""
VERSION = re.compile(r"\d+(\.\d+)+[\w.+-]{0,40}")
UNCHECKED = ("parlour", "machine", "date")
"""Cells of which only the format is checked: where and when the result was measured."""


class Fault(NamedTuple):
    """A wrong cell of a claim; ``cells`` names several where only their combination is wrong."""

    cells: str
    reason: str


class Played(NamedTuple):
    """Results of the first deals of an entry: ``values`` (n,), one per deal.

    ``milliseconds`` is the time per decision, ``decisions`` their number.
    """

    values: np.ndarray
    sees_all: bool
    milliseconds: float
    decisions: int


def round_cell(value: float) -> float:
    """Return a number with the digits that a cell keeps."""
    return float(write_cell(float(value)))


def digest_values(values: np.ndarray) -> str:
    """Return the digest of results, 16 hex digits."""
    return sha256(values.astype("<f8").tobytes()).hexdigest()[:16]


def estimate_values(entry: Entry, values: np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of results, one per deal, with the interval that evaluations use."""
    if entry.is_multiplayer:
        return student_mean(values, confidence)
    return (wilson_rate if values.dtype == np.bool_ else bootstrap_mean)(values, confidence)


def find_shipped_labels(entry: Entry) -> Labels | None:
    """Return the solver labels of all deals of an entry that ship with Parlour, if there are any.

    Labels of the user are ignored, so that a claim is judged the same way everywhere.
    """
    if entry.is_multiplayer:
        return None
    labels = find_labels(entry.game, entry.rules, entry.deal_set, 0, entry.deals, folder=None)
    covers = labels is not None and labels.overlap(0, entry.deals)[0] == slice(0, entry.deals)
    return labels if covers else None


def find_bound(entry: Entry) -> float | None:
    """Return the upper bound of an entry's deals from shipped solver labels, None without labels.

    That is the share of winnable deals, or the mean of the best scores found.
    """
    labels = find_shipped_labels(entry)
    if labels is None:
        return None
    if is_scored(entry.game):
        best = labels.score[: entry.deals]
        known = best[best != NO_SCORE]
        return float(known.mean()) if len(known) else None
    return float((labels.winnable[: entry.deals] == WINNABLE).mean())


def check_claim(entry: Entry) -> list[Fault]:
    """Return the faults of a claim that can be found without playing."""
    claim = entry.claim
    if claim is None:
        return []
    checks = (_check_digests, _check_score, _check_bound, _check_first, _check_origin)
    return [fault for check in checks for fault in check(entry, claim)]


def _check_digests(entry: Entry, claim: Claim) -> Iterator[Fault]:
    if not entry.is_sealed:
        reason = f"must be {seal_of(entry)}, got {shorten(entry.seal)}: the line was edited"
        yield Fault("seal", reason)
    rules_digest = entry.game.rules_digest(entry.rules)
    if claim.rules_digest != rules_digest:
        reason = f"must be {rules_digest}, the current digest of game, variant, and options"
        yield Fault("rules_digest", f"{reason}, got {shorten(claim.rules_digest)}")
    try:
        agent_digest = digest_saved(entry)
    except (ValueError, OSError) as error:
        yield Fault("agent", join_lines(error))
        return
    if claim.agent_digest != agent_digest:
        reason = f"must be {agent_digest}, the current digest of the saved agent"
        reason = reason if agent_digest else "must be empty for an agent that is not a saved one"
        yield Fault("agent_digest", f"{reason}, got {shorten(claim.agent_digest)}")


def _check_score(entry: Entry, claim: Claim) -> Iterator[Fault]:
    if not claim.low <= claim.score <= claim.high:
        reason = f"must be low <= score <= high, got {_text(claim)}"
        yield Fault("score, low, high", reason)
    elif entry.is_rate:
        yield from _check_rate(entry, claim)
    else:
        yield from _check_mean(entry, claim)


def _check_rate(entry: Entry, claim: Claim) -> Iterator[Fault]:
    """Check a rate, which determines the number of deals won and the whole interval."""
    deals = entry.deals
    won = round(claim.score * deals)
    if not 0 <= won <= deals or round_cell(won / deals) != claim.score:
        reason = f"must be a number of deals won, divided by deals={deals}"
        yield Fault("score", f"{reason}, got {write_cell(claim.score)}")
        return
    wilson = wilson_rate(np.arange(deals) < won)
    expected = [round_cell(limit) for limit in wilson[1:3]]
    if [claim.low, claim.high] != expected:
        interval = f"[{', '.join(map(write_cell, expected))}]"
        reason = f"must be {interval} for score={write_cell(claim.score)} and deals={deals}"
        yield Fault("low, high", f"{reason}, got {_text(claim)}")


def _check_mean(entry: Entry, claim: Claim) -> Iterator[Fault]:
    """Check that a mean is possible in its game, and near the middle of its interval."""
    width = claim.high - claim.low
    digits = 1e-5 * max(abs(claim.low), abs(claim.high))  # each cell has six
    off = abs((claim.low + claim.high) / 2 - claim.score)
    if off > digits + (0 if entry.is_multiplayer else width / 4):
        where = "in" if entry.is_multiplayer else "near"
        reason = f"score must be {where} the middle of low and high, got {_text(claim)}"
        yield Fault("score, low, high", reason)
    if entry.is_multiplayer:
        return
    lowest, highest = entry.game.score_range
    if claim.low < lowest or claim.high > highest:
        reason = f"must be from {lowest} to {highest} in this game, got {_text(claim)}"
        yield Fault("score, low, high", reason)


def _check_bound(entry: Entry, claim: Claim) -> Iterator[Fault]:
    bound = find_bound(entry)
    if bound is None or claim.bound is None:
        if (bound is None) != (claim.bound is None):
            deals = f"deals={entry.deals} of deal set {entry.deal_set}"
            told = write_cell(bound) or f"empty: no solver labels ship for {deals}"
            yield Fault("bound", f"must be {told}, got {write_cell(claim.bound) or 'nothing'}")
        return
    if round_cell(bound) != claim.bound:
        reason = f"must be {write_cell(bound)}, by the solver labels of these deals"
        yield Fault("bound", f"{reason}, got {write_cell(claim.bound)}")
    labels = find_shipped_labels(entry)
    if entry.is_rate and labels is not None:
        possible = bound + float((labels.winnable[: entry.deals] == UNDECIDED).mean())
        if claim.score > round_cell(possible):
            share = "the share of deals not known to be unwinnable"
            reason = f"must be at most {write_cell(possible)}, {share}"
            yield Fault("score", f"{reason}, got {write_cell(claim.score)}")


def _check_first(entry: Entry, claim: Claim) -> Iterator[Fault]:
    most = min(FIRST_MOST, entry.deals)
    if not FIRST_LEAST <= claim.first <= most:
        yield Fault("first", f"must be from {FIRST_LEAST} to {most}, got {claim.first}")


def _check_origin(_: Entry, claim: Claim) -> Iterator[Fault]:
    if claim.ms <= 0:
        yield Fault("ms", f"must be above 0, got {write_cell(claim.ms)}")
    try:
        day = date.fromisoformat(claim.date)
    except ValueError:
        yield Fault("date", f"must be a date such as 2026-01-31, got {shorten(claim.date)}")
    else:
        if day > date.today() + timedelta(days=1):  # time zones
            yield Fault("date", f"must not be in the future, got {claim.date}")
    if not VERSION.fullmatch(claim.parlour):
        yield Fault("parlour", f"must be a version such as 0.1.0, got {shorten(claim.parlour)}")
    if not claim.machine or not claim.machine.isprintable():
        yield Fault("machine", f"must name a machine, got {shorten(claim.machine)}")


def has_spread(entry: Entry, claim: Claim, values: np.ndarray) -> bool:
    """Return whether results vary about as much as the claimed interval says.

    A rate determines its interval, so for rates this is always True.
    """
    if entry.is_rate:
        return True
    claimed = (claim.high - claim.low) / 2 / 1.96 * sqrt(entry.deals)
    spread = float(values.std(ddof=1))
    if not claimed or not spread:
        return claimed == spread
    return 1 / SPREAD_FACTOR <= claimed / spread <= SPREAD_FACTOR


def check_played(entry: Entry, claim: Claim, played: Played) -> list[Fault]:
    """Return the faults that played deals show; these are at least the claim's first deals."""
    whole = len(played.values) == entry.deals
    checks = (_check_results, _check_whole if whole else _check_sample)
    faults = [fault for check in checks for fault in check(entry, claim, played)]
    time_fault = find_time_fault(claim, played)
    return [*faults, time_fault] if time_fault else faults


def _check_results(entry: Entry, claim: Claim, played: Played) -> Iterator[Fault]:
    digest = digest_values(played.values[: claim.first])
    if digest != claim.first_digest:
        reason = (
            f"must be {digest}, that of agent {entry.agent!r} on the first={claim.first} deals of "
            f"deal set {entry.deal_set}, got {shorten(claim.first_digest)}"
        )
        yield Fault("first_digest", reason)
    if played.sees_all != claim.sees_all:
        reason = f"must be {write_cell(played.sees_all)}, got {write_cell(claim.sees_all)}"
        yield Fault("sees_all", reason)


def _check_whole(entry: Entry, claim: Claim, played: Played) -> Iterator[Fault]:
    """Check the digits of the score and its interval; all deals were played."""
    estimate = estimate_values(entry, played.values)
    for name, value in zip(("score", "low", "high"), estimate[:3], strict=True):
        expected, claimed = write_cell(value), write_cell(getattr(claim, name))
        if claimed != expected:
            reason = f"must be {expected}, by all deals={entry.deals}, got {claimed}"
            yield Fault(name, reason)


def _check_sample(entry: Entry, claim: Claim, played: Played) -> Iterator[Fault]:
    """Check mean and spread; only some deals were played."""
    n = len(played.values)
    estimate = estimate_values(entry, played.values, SURE)
    low, high = round_cell(estimate.low), round_cell(estimate.high)
    if high < claim.low or claim.high < low:
        said = f"[{write_cell(low)}, {write_cell(high)}]"
        reason = f"must overlap {said}, the 99.9 % interval of the first {n} deals"
        yield Fault("score, low, high", f"{reason}, got {_text(claim)}")
    if not has_spread(entry, claim, played.values):
        reason = (
            f"the width of the interval must fit deals={entry.deals} and the spread of the first "
            f"{n} results within a factor of {SPREAD_FACTOR}, got {_text(claim)}"
        )
        yield Fault("low, high", reason)


def find_time_fault(claim: Claim, played: Played) -> Fault | None:
    """Return the fault of the claimed time per decision, None if it holds."""
    measured = played.milliseconds
    ratio = max(claim.ms, TIME_LEAST) / max(measured, TIME_LEAST)
    if 1 / TIME_FACTOR <= ratio <= TIME_FACTOR:
        return None
    reason = f"must be within a factor of {TIME_FACTOR} of {measured:.3g}, measured here now"
    return Fault("ms", f"{reason}, got {write_cell(claim.ms)}")


def _text(claim: Claim) -> str:
    return f"{write_cell(claim.score)} [{write_cell(claim.low)}, {write_cell(claim.high)}]"
