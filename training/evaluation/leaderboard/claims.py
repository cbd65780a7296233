"""Claims of a leaderboard, which play all deals of an entry, and their verification.

The evaluation seed is fixed, so an agent repeats its results whenever it plays the same deals. A
claim keeps a digest of the results of its first deals; verification plays them again.

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

from parlour import __version__
from parlour.agents.registry import Agent, IllegalActionError
from parlour.agents.validation import join_lines, shorten
from parlour.envs.core.contract import UNDECIDED, WINNABLE

from ...parallel.tasks import Cluster
from ..compare import ProgressFactory, compare_specs
from ..evaluation_spec import EvaluationSpec, make_specs, read_options
from ..labels.labels import NO_LABELS, NO_SCORE, Labels, find_labels, is_scored
from ..result import describe_machine
from ..stats import CONFIDENCE, Estimate, bootstrap_mean, student_mean, wilson_rate
from .entries import Claim, Entry, check_code, digest_saved, seal_of, write_cell

EVALUATION_SEED = "leaderboard"
"""The evaluation seed: ``parlour evaluate --evaluation-seed leaderboard`` plays the same games."""
OPPONENTS = ("greedy",)
"""The opponents in games for several players."""
FIRST_SECONDS = 1.0
"""Approximate seconds of play of the first deals, whose digest is part of a claim."""
ALL_SECONDS = 10.0
"""Most seconds of an entry of which verification plays all deals by default."""
SPREAD_DEALS = 1000
"""Most deals of a sample that grows because its spread does not fit the claimed interval."""
FIRST_LEAST, FIRST_MOST = 10, 200
"""Limits of the number of first deals, whose digest is part of a claim."""
SURE = 0.999
"""Confidence level of a sample's interval, so that one true claim in a thousand fails by chance."""
TIME_FACTOR, TIME_LEAST = 20, 0.005
"""Largest allowed factor between the claimed time per decision and the time on this machine, since
machine, load, and batch size each account for a factor of a few. Times below `TIME_LEAST`
milliseconds count as `TIME_LEAST`, since they are mostly the overhead of the call."""
SPREAD_FACTOR = 4
"""Largest allowed factor between the standard deviations of a claim and of a sample."""
VERSION = re.compile(r"\d+(\.\d+)+[\w.+-]{0,40}")
UNCHECKED = ("parlour", "machine", "date")
"""Cells about the origin of the result, of which only the format can be checked."""


class Fault(NamedTuple):
    """A wrong cell of a claim, or several ``cells`` whose combination is wrong."""

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


class Verdict(NamedTuple):
    """The result of verifying a claim: its faults, and the number of deals played for it."""

    faults: list[Fault]
    deals: int = 0

    @property
    def mark(self) -> str:
        """The mark for the line, empty if the claim holds."""
        return "; ".join(f"{fault.cells}: {fault.reason}" for fault in self.faults)

    @property
    def is_time_only(self) -> bool:
        """Whether only the time per decision is wrong, perhaps because the machine is busy."""
        return [fault.cells for fault in self.faults] == ["ms"]


def make_spec(entry: Entry, deals: int, labels: Labels | str = NO_LABELS) -> EvaluationSpec:
    """Return the evaluation of the first deals of an entry."""
    (spec,) = make_specs(
        entry.game,
        [entry.variant],
        read_options(entry.options.split()),
        deals=deals,
        deal_set=entry.deal_set,
        evaluation_seed=EVALUATION_SEED,
        labels=labels,
    )
    return spec


def play_spec(
    spec: EvaluationSpec,
    agent: Agent | str,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
) -> Played:
    """Play an evaluation; ValueError if the agent is unknown or cannot play it."""
    opponents = OPPONENTS if spec.is_multiplayer else None
    comparison = compare_specs([spec], [agent], opponents=opponents, report=report, cluster=cluster)
    evaluation, results = comparison.evaluations[0], comparison.evaluations[0].results
    if spec.is_multiplayer:
        values = evaluation.nets.mean(axis=1)
    else:
        values = results.facts[spec.game.measure]
    return Played(values, evaluation.sees_all, results.milliseconds, results.decisions)


def make_claim(
    entry: Entry,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
    allow_code: bool = False,
) -> Claim:
    """Play all deals of an entry and return its claim.

    Raises ValueError as `play_spec` does, for ``module:Class`` without ``allow_code``, and for an
    agent that does not repeat its results on the same deals.
    """
    agent = check_code(entry, allow_code)
    agent_digest = digest_saved(entry)  # before playing, so that a damaged folder fails early
    spec = make_spec(entry, entry.deals, find_shipped_labels(entry) or NO_LABELS)
    played = play_spec(spec, agent, report, cluster)
    first = _count_first(entry, played)
    first_digest = digest_values(played.values[:first])
    if (
        digest_values(play_spec(make_spec(entry, max(first, 2)), agent).values[:first])
        != first_digest
    ):
        raise ValueError(
            f"agent {entry.agent!r} must repeat its results on the same deals, got other results "
            f"in a second run of the first {first} deals. Draw random numbers only from Turn.seeds"
        )
    estimate = estimate_values(entry, played.values)
    bound = find_bound(entry)
    return Claim(
        score=round_cell(estimate.mean),
        low=round_cell(estimate.low),
        high=round_cell(estimate.high),
        bound=None if bound is None else round_cell(bound),
        ms=float(f"{played.milliseconds:.3g}"),
        sees_all=played.sees_all,
        first=first,
        first_digest=first_digest,
        rules_digest=entry.game.rules_digest(entry.rules),
        agent_digest=agent_digest,
        parlour=__version__,
        machine=describe_machine(),
        date=date.today().isoformat(),
    )


def _count_first(entry: Entry, played: Played) -> int:
    """Return the number of deals that verification plays again."""
    seconds = played.milliseconds * played.decisions / 1000
    most = min(FIRST_MOST, int(FIRST_SECONDS * entry.deals / max(seconds, 1e-9)))
    return min(entry.deals, max(FIRST_LEAST, most))


def _count_seconds(entry: Entry, played: Played) -> float:
    """Return the estimated seconds that all deals of an entry take."""
    return played.milliseconds * played.decisions / 1000 * entry.deals / len(played.values)


def verify_entry(
    entry: Entry,
    deals: int | None = None,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
    allow_code: bool = False,
) -> Verdict:
    """Verify the claim of an entry.

    First, `check_claim` checks the cells that need no play; if one is wrong, nothing is played.
    Then the function plays the first ``deals``, at least those of the claim's digest, and compares
    them with the claim (`check_played`). If all deals are played, every digit must agree. Without
    ``deals``, all are played if that takes at most `ALL_SECONDS`.
    """
    claim = entry.claim
    if claim is None:
        return Verdict([])
    try:
        agent = check_code(entry, allow_code)
    except ValueError as error:
        return Verdict([Fault("agent", join_lines(error))])
    if faults := check_claim(entry):
        return Verdict(faults)
    number = min(max(deals or 0, claim.first), entry.deals)
    try:
        played = _play_until_spread(entry, agent, number, report, cluster)
        if deals is None and _count_seconds(entry, played) <= ALL_SECONDS:
            played = play_spec(make_spec(entry, entry.deals), agent, report, cluster)
        if claim.ms < played.milliseconds and find_time_fault(claim, played):
            # Compiling, or another process, may have slowed the agent down: measure again.
            again = play_spec(make_spec(entry, max(claim.first, 2)), agent)
            least = min(played.milliseconds, again.milliseconds)
            played = played._replace(milliseconds=least)
    except (ValueError, IllegalActionError) as error:
        return Verdict([Fault("agent", f"cannot be played: {join_lines(error)}")])
    return Verdict(check_played(entry, claim, played), len(played.values))


def _play_until_spread(
    entry: Entry,
    agent: str,
    number: int,
    report: ProgressFactory | None,
    cluster: Cluster | None,
) -> Played:
    """Play the first deals, and more if their spread does not fit the claimed interval."""
    assert entry.claim is not None
    limit = min(entry.deals, SPREAD_DEALS)
    while True:
        played = play_spec(make_spec(entry, number), agent, report, cluster)
        if number >= limit or has_spread(entry, entry.claim, played.values):
            return played
        number = min(2 * number, limit)


def round_cell(value: float) -> float:
    """Return a number rounded to the digits of a cell."""
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

    The upper bound is the share of winnable deals, or the mean of the best scores found.
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
            deals = f"deals={entry.deals} of deal_set {entry.deal_set}"
            expected = write_cell(bound) or f"empty: no solver labels ship for {deals}"
            yield Fault("bound", f"must be {expected}, got {write_cell(claim.bound) or 'nothing'}")
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
    """Return whether the spread of results fits the claimed interval.

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
    """Return the faults that played deals reveal; they include at least the claim's first deals."""
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
            f"deal_set {entry.deal_set}, got {shorten(claim.first_digest)}"
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
        sampled = f"[{write_cell(low)}, {write_cell(high)}]"
        reason = f"must overlap {sampled}, the 99.9 % interval of the first {n} deals"
        yield Fault("score, low, high", f"{reason}, got {_text(claim)}")
    if not has_spread(entry, claim, played.values):
        reason = (
            f"the width of the interval must fit deals={entry.deals} and the spread of the first "
            f"{n} results within a factor of {SPREAD_FACTOR}, got {_text(claim)}"
        )
        yield Fault("low, high", reason)


def find_time_fault(claim: Claim, played: Played) -> Fault | None:
    """Return the fault of the claimed time per decision, None if it is plausible."""
    measured = played.milliseconds
    ratio = max(claim.ms, TIME_LEAST) / max(measured, TIME_LEAST)
    if 1 / TIME_FACTOR <= ratio <= TIME_FACTOR:
        return None
    reason = f"must be within a factor of {TIME_FACTOR} of {measured:.3g}, measured on this machine"
    return Fault("ms", f"{reason}, got {write_cell(claim.ms)}")


def _text(claim: Claim) -> str:
    return f"{write_cell(claim.score)} [{write_cell(claim.low)}, {write_cell(claim.high)}]"
