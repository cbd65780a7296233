"""Comparison: several agents on the same deals, deal by deal, by one or more sets of rules."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from parlour.agents.registry import Agent, FixedAgent
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES

from ..parallel.tasks import Cluster, join_cluster
from .evaluate import Evaluation, Progress, load_player, make_evaluation, play_alone
from .labels.labels import Labels
from .report.terminal import as_line
from .result import Presented
from .spec import DEALS, EvaluationSpec, make_specs
from .stats import CONFIDENCE, Estimate, paired_difference

T = TypeVar("T")
ProgressFactory = Callable[[str, str], Progress | None]
"""Called with agent and variant before they play; returns what is called as deals end."""


class Difference(NamedTuple):
    """How much better ``agent`` did than ``minus`` on the same deals: means of goal and score.

    ``goal`` is the game's (see `Game`), ``"won"`` in most; ``reached`` is the difference in it.
    """

    variant: str
    agent: str
    minus: str
    goal: str
    reached: Estimate
    score: Estimate

    def summary(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        named = {"variant": self.variant, "agent": self.agent, "minus": self.minus}
        return named | {self.goal: self.reached._asdict(), "score": self.score._asdict()}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Presented):
    """What several agents made of the same deals: by variant, then in the order they were given.

    ``to_pandas()`` and ``save(folder)`` hand it on: see `presented.Presented`.
    """

    evaluations: list[Evaluation]
    report = "report"

    def headline(self) -> str:
        """See `Presented.headline`."""
        spec, names = self.evaluations[0].spec, (one.agent for one in self.evaluations)
        who, variants = ", ".join(dict.fromkeys(names)), ", ".join(self.variants)
        return f"{spec.game.name}, {variants}, {spec.deals_text}: {who}"

    @property
    def variants(self) -> dict[str, list[Evaluation]]:
        """The evaluations of each variant."""
        found: dict[str, list[Evaluation]] = {}
        for one in self.evaluations:
            found.setdefault(one.variant, []).append(one)
        return found

    @cached_property
    def differences(self) -> list[Difference]:
        """The paired differences of all agents, each less those given before it.

        Neighbours come first: of a, b and c they are b - a, c - b, then c - a.
        """
        return [
            _difference(variant, one, other)
            for variant, group in self.variants.items()
            for one, other in ordered_pairs(group)
        ]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it: ``{"results": [...], "differences": [...]}``."""
        return {
            "results": [one.summary() for one in self.evaluations],
            "differences": [one.summary() for one in self.differences],
        }


def as_comparison(found: Comparison | Evaluation) -> Comparison:
    """Return what can be shown as a comparison: an evaluation as one of a single agent."""
    return found if isinstance(found, Comparison) else Comparison([found])


def compare(
    game: Game | str,
    agents: Sequence[Agent | str],
    *,
    variants: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    bank: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    confidence: float = CONFIDENCE,
    report: ProgressFactory | None = None,
    finished: list[Evaluation] | None = None,
    truth: Labels | Path | str | None = None,
    key: str | None = None,
    any_rules: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
) -> Comparison:
    """Let each agent play the same deals by each variant (None: the game's default).

    The keywords are those of `evaluate`; what each agent draws comes from ``key`` and its name, so
    none learns from another what a seed stands for. ``finished``, a list of one's own, gets each
    evaluation as it ends, so that they are there if an agent fails later. Raises ValueError before
    any game is played if an agent cannot play one of the variants, or something is unknown or out
    of range.
    """
    specs = make_specs(
        game,
        variants,
        options,
        deals=deals,
        bank=bank,
        first=first,
        seed=seed,
        key=key,
        confidence=confidence,
        max_moves=max_moves,
        truth=truth,
        any_rules=any_rules,
        record=record,
    )
    return compare_specs(specs, agents, report, finished, cluster)


def compare_specs(
    specs: Sequence[EvaluationSpec],
    agents: Sequence[Agent | str],
    report: ProgressFactory | None = None,
    finished: list[Evaluation] | None = None,
    cluster: Cluster | None = None,
) -> Comparison:
    """Let each agent play, alone, what specifications say; see `compare`."""
    teams = [load_agents(spec, agents) for spec in specs]
    found = [] if finished is None else finished
    with join_cluster(cluster):
        for spec, team in zip(specs, teams, strict=True):
            for given, (name, agent) in zip(agents, team.items(), strict=True):
                progress = report(name, spec.base_variant) if report else None
                results = play_alone(spec, name, agent, given, cluster, progress)
                found.append(make_evaluation(spec, name, agent, results))
    return Comparison(list(found))


def load_agents(spec: EvaluationSpec, agents: Sequence[Agent | str]) -> dict[str, FixedAgent]:
    """Return the agents, given or named, that play, by names that tell them apart."""
    if not agents:
        raise ValueError("agents: give at least one")
    players = [load_player(spec, one) for one in agents]
    return dict(zip(_names(players, agents), players, strict=True))


def _names(players: Sequence[Agent], given: Sequence[Agent | str]) -> list[str]:
    """A name for each agent: its own, with its path or a number where two have the same."""
    names = [player.name for player in players]
    found = list(names)
    for i, spec in enumerate(given):
        if names.count(names[i]) > 1 and spec != names[i] and isinstance(spec, str):
            found[i] = f"{names[i]} ({as_line(spec)})"
    return number_names(found)


def number_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names of which no two are the same, nor one of ``taken``: later ones get a number."""
    known, found = set(taken), []
    for name in names:
        numbered = (f"{name} #{number}" for number in count(2))
        free = next(one for one in chain([name], numbered) if one not in known)
        known.add(free)
        found.append(free)
    return found


def ordered_pairs(group: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield all pairs, the later one first; neighbours come before those farther apart."""
    for apart in range(1, len(group)):
        for i in range(apart, len(group)):
            yield group[i], group[i - apart]


def _difference(variant: str, one: Evaluation, other: Evaluation) -> Difference:
    facts, others = one.results.facts, other.results.facts
    reached, score = (
        paired_difference(facts[f], others[f], one.spec.confidence) for f in (one.goal, "score")
    )
    return Difference(variant, one.agent, other.agent, one.goal, reached, score)
