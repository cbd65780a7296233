"""Playing the entries of a leaderboard: making a claim, and finding out whether one holds.

Deals and draws come from the bank and from one key, so an agent that makes no random choices of its
own does the same on each deal whenever it is played. A claim keeps a digest of its first deals: to
verify it these are played again.
"""

from datetime import date
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from parlour import __version__
from parlour.agents.artefact import digest_agent
from parlour.agents.reading import one_line
from parlour.agents.registry import IllegalActionError, find_saved

from ..cluster.tasks import Cluster
from .compare import ProgressFactory, compare_specs
from .duplicate import compare_duplicate_specs
from .leaderboard import Claim, Entry, write_cell
from .machine import describe_machine
from .parts import digest_game_code
from .spec import EvaluationSpec, make_specs, read_options
from .stats import CONFIDENCE, Estimate, bootstrap_mean, student_mean, wilson_rate
from .truth import NO_LABELS

KEY = "leaderboard"
"""What all draws come from: whoever gives it to ``parlour evaluate`` plays the same games."""
FIELD = ("greedy",)
"""Who takes the other seats at a table of several."""
SURE = 0.999
"""Of the intervals that a claim is verified by: a true one fails by chance once in a thousand."""
FIRST_MOST, FIRST_LEAST, FIRST_SECONDS = 200, 10, 1.0
"""Deals that are kept for verifying: as many as take so long, within these limits."""


class Played(NamedTuple):
    """What an agent made of the first deals of an entry: ``values`` (n,), a result a deal.

    ``bound`` is the mean that labels of all these deals allow, ``milliseconds`` the time of one of
    its ``decisions``.
    """

    values: np.ndarray
    sees_all: bool
    bound: float | None
    milliseconds: float
    decisions: int


def make_spec(entry: Entry, deals: int, truth: str | None = NO_LABELS) -> EvaluationSpec:
    """Return what playing the first deals of an entry is; ``truth`` as in `evaluate.evaluate`."""
    (spec,) = make_specs(
        entry.game,
        [entry.variant],
        read_options(entry.options.split()),
        several=entry.is_multiplayer,
        deals=deals,
        bank=entry.bank,
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
    """Let an agent play; ValueError for one that is not there or cannot play."""
    return (_play_seats if spec.is_multiplayer else _play_alone)(spec, agent, report, cluster)


def _play_alone(
    spec: EvaluationSpec, agent: str, report: ProgressFactory | None, cluster: Cluster | None
) -> Played:
    (found,) = compare_specs([spec], [agent], report, cluster=cluster).evaluations
    truth, results = found.truth, found.results
    bound = truth.bound if truth and truth.deals == spec.deals else None
    return Played(
        results.facts[spec.game.measure],
        found.sees_all,
        bound.mean if bound else None,
        results.milliseconds,
        results.decisions,
    )


def _play_seats(
    spec: EvaluationSpec, agent: str, report: ProgressFactory | None, cluster: Cluster | None
) -> Played:
    found = compare_duplicate_specs([spec], [agent], FIELD, report, cluster=cluster).matches[0]
    asked = int(found.results.facts["decisions"].sum())
    values = found.nets.mean(axis=1)
    return Played(values, found.sees_all, None, found.results.milliseconds, asked)


def estimate_values(entry: Entry, values: np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of results, a value a deal, with the interval that evaluations have."""
    if entry.is_multiplayer:
        return student_mean(values, confidence)
    return (wilson_rate if values.dtype == np.bool_ else bootstrap_mean)(values, confidence)


def digest_values(values: np.ndarray) -> str:
    """Return 16 hex digits that differ when one of the results, a value a deal, does."""
    return sha256(values.astype("<f8").tobytes()).hexdigest()[:16]


def digest_saved(entry: Entry) -> str:
    """Return the digest of the saved agent that plays an entry or leads who does; else empty."""
    folder = find_saved(entry.agent, entry.game, entry.rules)
    return "" if folder is None else digest_agent(folder)


def make_claim(
    entry: Entry, report: ProgressFactory | None = None, cluster: Cluster | None = None
) -> Claim:
    """Play all deals of an entry and return what is to be claimed; raises as `play_spec` does."""
    agent_digest = digest_saved(entry)  # before: what is wrong with it is said at once
    played = play_spec(make_spec(entry, entry.deals, None), entry.agent, report, cluster)
    seconds = played.milliseconds * played.decisions / 1000
    most = min(FIRST_MOST, int(FIRST_SECONDS * entry.deals / max(seconds, 1e-9)))
    first = min(entry.deals, max(FIRST_LEAST, most))
    found = estimate_values(entry, played.values)
    return Claim(
        score=_round(found.mean),
        low=_round(found.low),
        high=_round(found.high),
        bound=None if played.bound is None else _round(played.bound),
        ms=float(f"{played.milliseconds:.3g}"),
        sees_all=played.sees_all,
        first=first,
        first_score=_round(played.values[:first].mean()),
        first_digest=digest_values(played.values[:first]),
        rules_digest=entry.game.rules_digest(entry.rules),
        agent_digest=agent_digest,
        code_digest=digest_game_code(entry.game),
        parlour=__version__,
        machine=describe_machine(),
        date=date.today().isoformat(),
    )


def _round(value: float) -> float:
    """As a cell has it, so that a claim and its line are the same."""
    return float(write_cell(float(value)))


def find_change(entry: Entry) -> str:
    """Return what makes a claim stale: that rules or agent are others now; empty if nothing does.

    Raises ValueError where the agent cannot be looked at.
    """
    claim = entry.claim
    if claim is None:
        return ""
    if claim.rules_digest != entry.game.rules_digest(entry.rules):
        return "stale: the rules are others now"
    if claim.agent_digest != digest_saved(entry):
        return "stale: the saved agent is another now"
    return ""


def judge_claim(
    entry: Entry,
    deals: int | None = None,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
) -> str:
    """Return why a claim does not hold, for its mark; empty if it does, or if there is none.

    Without playing: its line is as the command wrote it, rules and agent are as they were. Then the
    first ``deals`` (None: those kept for it) are played, and `judge_values` says the rest.
    """
    if entry.claim is None:
        return ""
    if not entry.is_sealed:
        return "changed: the line is not as parlour board --run wrote it"
    try:
        if change := find_change(entry):
            return change
        number = min(max(deals or entry.claim.first, 2), entry.deals)  # one deal has no interval
        values = play_spec(make_spec(entry, number), entry.agent, report, cluster).values
    except (ValueError, IllegalActionError) as error:
        return f"cannot be played: {one_line(error)}"
    wrong = judge_values(entry, entry.claim, values)
    if wrong and entry.claim.code_digest != digest_game_code(entry.game):
        wrong += "; the game's code is another since"
    return wrong


def judge_values(entry: Entry, claim: Claim, values: np.ndarray) -> str:
    """Return why a claim does not fit the results of its first deals, ``values`` (n,); or nothing.

    The results are those that were kept, deal by deal; or else, as of agents that draw by
    themselves, their mean's 99.9 % interval holds the mean of those kept. In both cases the 99.9 %
    interval of all n meets the claim's interval; and where the kept ones are the same and all deals
    were played, the claim is the same to its last digit.
    """
    found = estimate_values(entry, values, SURE)
    first = values[: claim.first]
    is_same = digest_values(first) == claim.first_digest
    if is_same and len(values) == entry.deals:
        whole = estimate_values(entry, values)
        told = [write_cell(value) for value in whole[:3]]
        is_right = told == [write_cell(value) for value in claim[:3]]
        return "" if is_right else _explain(entry, claim.score, whole)
    if not is_same and len(values) >= claim.first:
        kept = estimate_values(entry, first, SURE)
        if not kept.low <= claim.first_score <= kept.high:
            return _explain(entry, claim.first_score, kept)
    meets = found.low <= claim.high and claim.low <= found.high
    has_width = found.low < found.high  # equal results of a few deals say nothing of the others
    return "" if meets or not has_width else _explain(entry, claim.score, found)


def _explain(entry: Entry, claimed: float, found: Estimate) -> str:
    times = entry.times
    said = f"{times * claimed:.2f} claimed, {found.text(times)} found on {found.n} deals"
    return f"does not reproduce: {said}"
