"""Sequential comparison of two agents: play deals until their difference is clear.

After each batch of deals, a sequential test decides between three conclusions: the first agent is
better, the second one is better, or the difference is smaller than the smallest difference of
interest. The conclusions are read off an anytime-valid interval (`stats.anytime_mean`), so that the
interval and the conclusion agree, and a conclusion can be wrong only if the interval misses the
true difference. The batches depend on nothing but the number of deals, so the same deals are played
in one process, in several, and after an interruption.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.registry import Agent, is_person
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES

from ..parallel.tasks import Cluster, join_cluster
from .compare import ProgressFactory, evaluate_lineup, list_lineups
from .evaluation_spec import DEALS, EvaluationSpec, make_specs
from .labels.labels import Labels
from .lineups import join_results
from .play import DealCounter
from .result import Comparison, Evaluation, Result, TableEvaluation
from .stats import CONFIDENCE, Estimate, anytime_mean

BATCH = 100
"""Fewest deals of a batch. The test approximates the distribution of the mean as normal, which
needs this many deals before its first decision."""
GROWTH = 10
"""A batch has the number of deals that have been played, divided by this number."""
LEAST_CHUNK = 25
"""Fewest deals that a worker process plays at a time; a quarter of the first batch."""
TUNED = 0.8
"""The difference for which the tests are tuned, as a share of the smallest difference of interest.
If the difference is half the smallest one, 1 needs a third more deals than a comparison of fixed
size, and 0.8 about as many. Strong differences need up to 18 % more deals with 0.8 than with 1
(``python -m research.sequential_tests``)."""

BETTER, WORSE, EQUIVALENT, UNDECIDED = "better", "worse", "equivalent", "undecided"


@dataclass(frozen=True, eq=False, repr=False)
class SequentialComparison(Result):
    """The result of `compare_until`.

    ``to_pandas()`` returns a row for each game, ``plot()`` a Matplotlib figure, and
    ``save(folder)`` writes rows, summary and plot to files.
    """

    comparison: Comparison[Any]
    """The evaluations of both agents on the deals that were played.

    Its intervals are those of a fixed number of deals, so they are too narrow here.
    """
    until: float
    """The smallest difference of interest."""
    most_deals: int
    """The maximum number of deals."""
    looks: tuple[Estimate, ...]
    """The difference after each batch, with its anytime-valid interval."""
    report = "parlour.training.evaluation.report.report_until"

    @property
    def spec(self) -> EvaluationSpec:
        """The specification: game, rules, the played deals, limits and seeds."""
        return self.comparison.spec

    @property
    def agent(self) -> str:
        """The name of the second agent, from whose results those of the first are subtracted."""
        return self.comparison.evaluations[1].agent

    @property
    def minus(self) -> str:
        """The name of the first agent."""
        return self.comparison.evaluations[0].agent

    @property
    def measure(self) -> str:
        """The compared result: ``"won"``, ``"score"`` or ``"net"``."""
        return find_measure(self.spec)

    @property
    def difference(self) -> Estimate:
        """The mean paired difference, ``agent`` minus ``minus``, with its anytime-valid interval.

        The mean tends to be too far from 0, because the comparison stops when the difference is
        clear.
        """
        return self.looks[-1]

    @property
    def conclusion(self) -> str:
        """The conclusion about the difference.

        ``"better"`` or ``"worse"`` if the interval excludes 0; ``"equivalent"`` if all its values
        are smaller than ``until`` in absolute value; ``"undecided"`` otherwise.
        """
        return conclude(self.difference, self.until)

    def headline(self) -> str:
        """See `Result.headline`."""
        return (
            f"{self.spec.game.name}, {self.comparison.evaluations[0].variant}, "
            f"{self.spec.deals_text}: {self.agent} − {self.minus}, {self.measure} "
            f"{self.difference.text(sign='+')}, {self.conclusion}"
        )

    def summary(self) -> dict[str, Any]:
        """Return everything for JSON.

        ``results`` has the mean of each result of each agent, without intervals.
        """
        spec = self.spec
        results = [_drop_limits(one.summary()) for one in self.comparison.evaluations]
        for one in results:
            one.pop("label_comparison", None)
        return {
            **spec.rules_summary(),
            "deal_set": spec.deal_set,
            "first": spec.first,
            "evaluation_seed": spec.evaluation_seed,
            "confidence": spec.confidence,
            "agent": self.agent,
            "minus": self.minus,
            "measure": self.measure,
            "until": self.until,
            "conclusion": self.conclusion,
            "difference": self.difference._asdict(),
            "most_deals": self.most_deals,
            "looks": [one._asdict() for one in self.looks],
            "results": results,
        }


def compare_until(
    game: Game | str,
    agents: Sequence[Agent | str],
    until: float,
    *,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    deal_set: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    opponents: Agent | str | Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    hands: int = 1,
    confidence: float = CONFIDENCE,
    report: ProgressFactory | None = None,
    labels: Labels | Path | str | None = None,
    evaluation_seed: str | None = None,
    allow_rules_mismatch: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
) -> SequentialComparison:
    """Compare two agents on the same deals until their difference is clear.

    The agents play batches of deals. After each batch, a sequential test concludes that the second
    agent is better or worse than the first, or that their difference is smaller than ``until``. If
    no conclusion is possible, the next batch follows. Whatever the true difference is, the
    probability of a wrong conclusion is at most ``1 - confidence``, up to the normal approximation
    of the mean.

    Args:
        game: The game, or its name.
        agents: The two agents; see `evaluate`.
        until: The smallest difference of interest: a share of won deals (0.02 means 2 % points), a
            score, or a net result per hand, whichever the game is measured by.
        variant: See `evaluate`, which also describes the arguments that are not listed here.
        deals: The maximum number of deals.
        confidence: The probability that the interval contains the true difference.
        report: Function that is called with the names of the agents and the variant, and returns
            the argument ``progress`` of `evaluate`.

    Returns:
        The conclusion, the difference with its interval, and the results of the played deals.

    Raises:
        ValueError: An agent cannot play the variant, or a value is unknown or out of range; raised
            before any game is played.
        label_comparison.Contradiction: An agent won a deal that is labeled not winnable.
    """
    (spec,) = make_specs(
        game,
        None if variant is None else [variant],
        options,
        deals=deals,
        deal_set=deal_set,
        first=first,
        seed=seed,
        evaluation_seed=evaluation_seed,
        confidence=confidence,
        max_moves=max_moves,
        hands=hands,
        labels=labels,
        allow_rules_mismatch=allow_rules_mismatch,
        record=record,
    )
    *_, last = play_until(
        spec,
        agents,
        until,
        opponents=opponents,
        partner=partner,
        report=report,
        cluster=cluster,
    )
    return last


def play_until(
    spec: EvaluationSpec,
    agents: Sequence[Agent | str],
    until: float,
    *,
    opponents: Agent | str | Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
) -> Iterator[SequentialComparison]:
    """Yield the comparison after each batch of deals; the last one is the result.

    ``spec`` has the maximum number of deals. See `compare_until`.
    """
    check_until(spec, until)
    if isinstance(agents, str) or not isinstance(agents, Sequence) or len(agents) != 2:
        raise ValueError(f"agents must be a list of two agents, got {agents!r}")
    lineups = [one for one in list_lineups(spec, agents, opponents, partner) if not one.pair]
    title = f"{lineups[1].title} − {lineups[0].title}"
    hidden = any(is_person(one.agent) for one in lineups)  # a bar would overwrite the game
    progress = report(title, spec.base_variant) if report and not hidden else None
    count = None if progress is None else DealCounter(len(lineups), progress)
    evaluations: list[Evaluation] = []
    looks: list[Estimate] = []
    with join_cluster(cluster):
        while not looks or (looks[-1].n < spec.deals and conclude(looks[-1], until) == UNDECIDED):
            done = looks[-1].n if looks else 0
            size = next_look(done, spec.deals) - done
            batch = replace(spec, first=spec.first + done, deals=size)
            played = [evaluate_lineup(batch, one, cluster, count, LEAST_CHUNK) for one in lineups]
            pairs = zip(evaluations, played, strict=True) if evaluations else ()
            evaluations = [_join(*pair) for pair in pairs] or played
            first, second = (read_values(one) for one in evaluations)
            looks.append(estimate_difference(first, second, until, spec.confidence))
            yield SequentialComparison(Comparison(evaluations), until, spec.deals, tuple(looks))


def check_until(spec: EvaluationSpec, until: float) -> None:
    """Raise ValueError if a smallest difference is not possible in the measure of the game."""
    if find_measure(spec) == "won":
        if not 0 < until < 1:
            raise ValueError(
                "until must be a share of won deals between 0 and 1, such as 0.02 for 2 % points, "
                f"got {until}"
            )
    elif not (isfinite(until) and until > 0):
        raise ValueError(f"until must be a positive number, got {until}")


def find_measure(spec: EvaluationSpec) -> str:
    """Return the result by which agents are compared: ``"won"``, ``"score"`` or ``"net"``."""
    return "net" if spec.is_multiplayer else spec.game.measure


def _join(before: Evaluation, after: Evaluation) -> Evaluation:
    """Return one evaluation of consecutive deals."""
    spec = replace(before.spec, deals=before.spec.deals + after.spec.deals)
    return replace(before, spec=spec, results=join_results([before.results, after.results]))


def next_look(done: int, most: int) -> int:
    """Return the number of deals after the next batch, when ``done`` of ``most`` are played."""
    return min(done + max(BATCH, done // GROWTH // BATCH * BATCH), most)


def estimate_difference(
    first: np.ndarray, second: np.ndarray, until: float, confidence: float = CONFIDENCE
) -> Estimate:
    """Return the mean of ``second - first`` with its anytime-valid interval.

    Args:
        first: The results of the first agent, bool (n,) for won deals, otherwise float64 (n,).
        second: The results of the second agent on the same deals.
        until: The smallest difference of interest.
        confidence: The probability that the intervals contain the true difference.
    """
    differences = second.astype(np.float64) - first
    if first.dtype == np.bool_:
        one = anytime_mean(differences, TUNED * until, confidence, largest=1.0)
        return one._replace(low=max(one.low, -1.0), high=min(one.high, 1.0))
    # If the agents have not differed yet, the range of their results tells by how much they could.
    largest = float(np.abs(differences).max() or np.ptp([first, second]))
    return anytime_mean(differences, TUNED * until, confidence, largest=largest)


def conclude(difference: Estimate, until: float) -> str:
    """Return the conclusion from a difference; see `SequentialComparison.conclusion`."""
    if difference.low > 0:
        return BETTER
    if difference.high < 0:
        return WORSE
    return EQUIVALENT if max(-difference.low, difference.high) < until else UNDECIDED


def read_values(evaluation: Evaluation) -> np.ndarray:
    """Return the compared result of each deal, bool or float64 (n,)."""
    if isinstance(evaluation, TableEvaluation):
        return np.asarray(evaluation.nets.mean(axis=1))
    return np.asarray(evaluation.results.facts[evaluation.game.measure])


def _drop_limits(value: Any) -> Any:
    """Return JSON values without the limits of intervals, which are those of a fixed size."""
    if isinstance(value, dict):
        return {
            name: _drop_limits(one) for name, one in value.items() if name not in ("low", "high")
        }
    return [_drop_limits(one) for one in value] if isinstance(value, list) else value
