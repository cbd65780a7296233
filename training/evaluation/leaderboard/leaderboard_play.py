"""Playing the entries of a leaderboard: making a claim, and verifying one.

The evaluation seed is fixed, so an agent repeats its results whenever it plays the same deals. A
claim keeps a digest of the results of its first deals; verification plays them again.
"""

from datetime import date
from typing import NamedTuple

from parlour import __version__
from parlour.agents.registry import IllegalActionError
from parlour.agents.validation import join_lines

from ...parallel.tasks import Cluster
from ..compare import ProgressFactory, compare_specs
from ..labels.labels import NO_LABELS, Labels
from ..result import describe_machine
from ..spec import EvaluationSpec, make_specs, read_options
from .leaderboard import Claim, Entry
from .leaderboard_agents import check_code, digest_saved
from .leaderboard_checks import (
    FIRST_LEAST,
    FIRST_MOST,
    Fault,
    Played,
    check_claim,
    check_played,
    digest_values,
    estimate_values,
    find_bound,
    find_shipped_labels,
    find_time_fault,
    has_spread,
    round_cell,
)

KEY = "leaderboard"
"""The evaluation seed: ``parlour evaluate --key leaderboard`` plays the same games."""
FIELD = ("greedy",)
"""The agents in the other seats of a game with several."""
FIRST_SECONDS = 1.0
"""Seconds of play for the first deals whose digest a claim keeps; their number has limits."""
ALL_SECONDS = 10.0
"""Verification plays all deals of an entry that takes no longer than this."""
SPREAD_DEALS = 1000
"""Most deals of a sample that grows because its spread does not fit the claimed interval."""


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


def make_spec(entry: Entry, deals: int, truth: Labels | str = NO_LABELS) -> EvaluationSpec:
    """Return the evaluation of the first deals of an entry."""
    (spec,) = make_specs(
        entry.game,
        [entry.variant],
        read_options(entry.options.split()),
        deals=deals,
        deal_set=entry.deal_set,
        key=KEY,
        truth=truth,
    )
    return spec


def play_spec(
    spec: EvaluationSpec,
    agent: str,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
) -> Played:
    """Play an evaluation; ValueError for an agent that is not found or cannot play it."""
    field = FIELD if spec.is_multiplayer else None
    comparison = compare_specs([spec], [agent], field=field, report=report, cluster=cluster)
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

    Raises ValueError as `play_spec` does, unless ``allow_code`` for an agent that is code, and for
    an agent that does not repeat its results on the same deals.
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
            f"agent {entry.agent!r} must repeat its results on the same deals, got others when it "
            f"played the first {first} again: draw random numbers from Turn.seeds"
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

    Cells that need no play come first (`check_claim`); if one is wrong, nothing is played. Then the
    first ``deals`` are played, at least those that the claim keeps a digest of, and compared with
    the claim (`check_played`). If all deals of the entry are played, every digit must agree.
    Without ``deals``, all are played if that takes no more than `ALL_SECONDS`.
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
    """Play the first deals; more of them if too few results differ to judge the interval."""
    assert entry.claim is not None
    limit = min(entry.deals, SPREAD_DEALS)
    while True:
        played = play_spec(make_spec(entry, number), agent, report, cluster)
        if number >= limit or has_spread(entry, entry.claim, played.values):
            return played
        number = min(2 * number, limit)
