"""Results of evaluations, with intervals and paired differences.

In games for one player, the unit of replication is the deal. In games for several players, it is
the deal played from every seat; its value is the mean over all seats, or at one position the value
of one seat. Positions are counted from the dealer's left, since they, not seat numbers, affect the
result: the first position acts first in every round, the last is the dealer. In games without a
dealer, positions are seats. Net results are in the game's unit per hand, such as antes.
"""

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from parlour.envs import Game

from .evaluation_spec import EvaluationSpec
from .labels.label_comparison import LabelComparison, compare_with_labels
from .play import EpisodeResults
from .stats import (
    Estimate,
    TestedMean,
    bootstrap_mean,
    paired_difference,
    student_mean,
    student_means,
    wilson_rate,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from rich.console import Console

T = TypeVar("T")
EPISODES, SUMMARY = "episodes.parquet", "summary.json"
PICTURES = ("comparison.png", "comparison.svg", "comparison.pdf")
"""File names of the plot: for pages, for scaling, and for print."""
FILES = (EPISODES, SUMMARY, *PICTURES)
"""The files of a saved comparison."""
SEES_ALL, OTHER_RULES = "*", "~"
"""Marks of agents in tables that see the hidden cards, or were trained with other rules."""
DEALER = "dealer"
"""The name of the last position, in games with a dealer."""
PAGE_WIDTH = 140
"""Width of the tables in a notebook."""
FONTS = "ui-monospace, Menlo, 'DejaVu Sans Mono', Consolas, 'Courier New', monospace"
PAGE = (
    f'<pre style="font-family: {FONTS}; line-height: normal; overflow-x: auto; white-space: pre">'
    "{code}</pre>"
)
"""HTML of tables, with its own font, since notebooks and exports set another one for ``pre``."""
CPU_FILE = Path("/proc/cpuinfo")


class Result:
    """A result that the module ``report`` can show and save.

    That module imports this one, so it is imported on first use, and with it Matplotlib and pandas.
    """

    report: ClassVar[str]

    def headline(self) -> str:
        """Return game, variant, deals, agents, and result on one line."""
        raise NotImplementedError

    def to_pandas(self) -> "DataFrame":
        """Return a data frame with a row for each game."""
        return self._import_report().episodes(self).to_pandas()

    def plot(self) -> "Figure":
        """Return the plot as a Matplotlib figure; no display is needed."""
        figure: Figure = self._import_report().draw(self)
        return figure

    def save(self, folder: Path | str) -> list[Path]:
        """Write rows (Parquet), summary (JSON) and plot (PNG, SVG, PDF) into a folder.

        Each file appears whole or not at all.

        Args:
            folder: The folder, which is created if it is missing.

        Returns:
            The paths of the files.

        Raises:
            OSError: The folder cannot be written.
        """
        paths: list[Path] = self._import_report().save(self, folder)
        return paths

    def _repr_html_(self) -> str:
        return self._show("truecolor").export_html(inline_styles=True, code_format=PAGE)

    def __str__(self) -> str:
        """Return the tables as text."""
        return self._show(None).export_text()

    def _show(self, colors: Literal["truecolor"] | None) -> "Console":
        """Return a recording console of page width, with the printed tables."""
        from rich.console import Console  # an optional package

        console = Console(
            record=True,
            file=StringIO(),
            width=PAGE_WIDTH,
            color_system=colors,
            force_jupyter=False,
            highlight=False,
            emoji=False,
        )
        self._import_report().show(self, console)
        return console

    def __repr__(self) -> str:
        """Return the headline, since results have too many numbers."""
        return f"<{type(self).__name__}: {self.headline()}>"

    def _import_report(self) -> Any:
        return import_module(self.report)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """The results of an agent on the deals of a specification.

    ``to_pandas()`` returns a row for each game, ``plot()`` a Matplotlib figure, and
    ``save(folder)`` writes rows, summary and plot to files.
    """

    spec: EvaluationSpec
    """The specification: game, rules, deals, limits and seeds."""
    agent: str
    """The agent's name in tables."""
    sees_all: bool
    """Whether the agent sees the hidden cards."""
    results: EpisodeResults
    """The results of each game."""
    other_rules: bool = False
    """Whether the agent was trained with other rules."""
    opponents: tuple[str, ...] = ()
    """The names of the agents in the opposing seats.

    A name ends in ``*`` if the agent sees the hidden cards, and in ``~`` if the agent was trained
    with other rules.
    """
    pair: bool = False
    """Whether another compared agent plays all opposing seats."""
    partner: str | None = None
    """The name of the agent in the other seats of the agent's side; None: the agent itself."""
    report = "parlour.training.evaluation.report.report"

    @property
    def goal(self) -> str:
        """Name of the result that says whether the goal was reached, ``"won"`` in most games."""
        return self.game.goal_name(self.rules)

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.spec.game

    @property
    def rules(self) -> Any:
        """The rules of the game."""
        return self.spec.rules

    @property
    def variant(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return self.spec.variant

    @property
    def evaluation_seed(self) -> str:
        """The evaluation seed, with which the evaluation can be repeated."""
        return self.spec.evaluation_seed

    @property
    def deals(self) -> np.ndarray:
        """The numbers of the deals in their deal set, int64 (n,)."""
        return self.spec.numbers

    @property
    def label_comparison(self) -> LabelComparison | None:
        """The results on labeled deals; None if no deal is labeled."""
        return None

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean (or rate, for bool results) of each result, with an interval."""
        raise NotImplementedError

    def estimate(self, fact: str) -> Estimate:
        """Return the rate or mean of one result with its interval.

        Args:
            fact: Name of the result, such as ``"won"`` or ``"score"``.
        """
        return self.estimates[fact]

    def subtract(self, other: Any) -> "Difference":
        """Return the paired difference, this agent minus the other, on the same deals."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """Return all results for JSON, with the keys mean, low, high and n for each result."""
        raise NotImplementedError

    def _summarize_agent(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "sees_all": self.sees_all,
            "other_rules": self.other_rules,
            **({"usage": self.results.usage} if self.results.usage else {}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class SolitaireEvaluation(Evaluation):
    """The results of an agent in a game for one player."""

    def headline(self) -> str:
        """See `Result.headline`."""
        facts = ", ".join(
            f"{fact} {self.estimate(fact).text()}" for fact in dict.fromkeys((self.goal, "score"))
        )
        return f"{self.game.name}, {self.variant}, {self.spec.deals_text}: {self.agent}, {facts}"

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The rate (of bool facts) or mean of each fact, with an interval."""
        return {
            name: (wilson_rate if values.dtype == np.bool_ else bootstrap_mean)(
                values, self.spec.confidence
            )
            for name, values in self.results.facts.items()
        }

    @cached_property
    def label_comparison(self) -> LabelComparison | None:
        """See `Evaluation.label_comparison`."""
        spec = self.spec
        if spec.labels is None:
            return None
        return compare_with_labels(spec.labels, self.results.facts, spec.first, spec.confidence)

    def subtract(self, other: "SolitaireEvaluation") -> "SolitaireDifference":
        """See `Evaluation.subtract`."""
        facts, others = self.results.facts, other.results.facts
        reached, score = (
            paired_difference(facts[fact], others[fact], self.spec.confidence)
            for fact in (self.goal, "score")
        )
        return SolitaireDifference(self.variant, self.agent, other.agent, self.goal, reached, score)

    def summary(self) -> dict[str, Any]:
        """See `Evaluation.summary`."""
        spec, compared = self.spec, self.label_comparison
        return {
            **spec.rules_summary(),
            **self._summarize_agent(),
            "deal_set": spec.deal_set,
            "first": spec.first,
            "seed": spec.seed,
            "evaluation_seed": spec.evaluation_seed,
            "confidence": spec.confidence,
            "won": None,  # in games without winners
            **{name: estimate._asdict() for name, estimate in self.estimates.items()},
            "ms_per_decision": self.results.milliseconds,
            "label_comparison": None if compared is None else compared.summary(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class TableEvaluation(Evaluation):
    """The results of an agent in a game for several players, over all seats of the same deals."""

    def headline(self) -> str:
        """See `Result.headline`."""
        spec = self.spec
        played = f"{spec.game.name}, {spec.variant}, {spec.deals_text}"
        opponents, net = ", ".join(self.opponents), f"{self.net.text()} {per_hand(spec)}"
        return f"{played}: {self.agent} against {opponents}, {net}"

    @cached_property
    def nets(self) -> np.ndarray:
        """The net result of each deal at each position, in units per hand, float64 (n, players)."""
        return np.asarray(self.results.nets / (self.results.hands * unit_chips(self.spec)))

    @property
    def net(self) -> Estimate:
        """The mean net result over all seats, in units per hand."""
        return self.estimates["net"]

    @cached_property
    def position_means(self) -> list[Estimate]:
        """The mean net result at each position."""
        return [student_mean(column, self.spec.confidence) for column in self.nets.T]

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean of each fact per hand: net results in units, bool facts as shares."""
        by_hand = {
            name: values.mean(axis=1) / self.results.hands
            for name, values in self.results.facts.items()
        }
        by_hand["net"] = self.nets.mean(axis=1)
        return {name: student_mean(means, self.spec.confidence) for name, means in by_hand.items()}

    def subtract(self, other: "TableEvaluation") -> "TableDifference":
        """See `Evaluation.subtract`."""
        nets, confidence = self.nets - other.nets, self.spec.confidence
        return TableDifference(
            self.variant,
            self.agent,
            other.agent,
            student_mean(nets.mean(axis=1), confidence),
            student_means(nets, confidence),
        )

    def summary(self) -> dict[str, Any]:
        """See `Evaluation.summary`."""
        spec = self.spec
        facts = {name: estimate._asdict() for name, estimate in self.estimates.items()}
        return {
            **spec.rules_summary(),
            "deal_set": spec.deal_set,
            "first": spec.first,
            "hands": spec.hands,
            "seed": spec.seed,
            "evaluation_seed": spec.evaluation_seed,
            "confidence": spec.confidence,
            "unit": unit_name(spec.rules),
            **self._summarize_agent(),
            "opponents": list(self.opponents),
            "partner": self.partner,
            "net": facts.pop("net"),
            "positions": [estimate._asdict() for estimate in self.position_means],
            **facts,
            "ms_per_decision": self.results.milliseconds,
        }


class SolitaireDifference(NamedTuple):
    """The paired difference of ``agent`` and ``minus`` on the same deals, in goal and score.

    ``goal`` is the goal of the game (see `Game`), ``"won"`` in most games; ``reached`` is the
    difference in the share of deals that reached it.
    """

    variant: str
    agent: str
    minus: str
    goal: str
    reached: Estimate
    score: Estimate

    def summary(self) -> dict[str, Any]:
        """Return the difference for JSON."""
        named = {"variant": self.variant, "agent": self.agent, "minus": self.minus}
        return named | {self.goal: self.reached._asdict(), "score": self.score._asdict()}


class TableDifference(NamedTuple):
    """The paired difference of ``agent`` and ``minus`` in the same seats of the same deals.

    ``net`` is the mean over all seats; ``positions`` has the mean at each position, corrected for
    the number of positions by Holm's method.
    """

    variant: str
    agent: str
    minus: str
    net: Estimate
    positions: list[TestedMean]

    @property
    def below(self) -> list[int]:
        """The positions, from 1, at which the corrected interval is below 0."""
        return [place for place, one in enumerate(self.positions, 1) if one.holm.high < 0]

    @property
    def above(self) -> list[int]:
        """The positions, from 1, at which the corrected interval is above 0."""
        return [place for place, one in enumerate(self.positions, 1) if one.holm.low > 0]

    def summary(self) -> dict[str, Any]:
        """Return the difference for JSON."""
        return {
            "variant": self.variant,
            "agent": self.agent,
            "minus": self.minus,
            "net": self.net._asdict(),
            "positions": [
                one.alone._asdict()
                | {"holm": {"low": one.holm.low, "high": one.holm.high, "p": one.p}}
                for one in self.positions
            ],
            "below": self.below,
            "above": self.above,
        }


Difference = SolitaireDifference | TableDifference
E = TypeVar("E", bound=Evaluation)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result, Generic[E]):
    """The evaluations of several agents on the same deals, by variant, then in the given order.

    In multiplayer games, each agent plays against the opponents, and then against each of the other
    compared agents. In the second case, one agent plays all opposing seats. ``to_pandas()`` returns
    a row for each game, ``plot()`` a Matplotlib figure, and ``save(folder)`` writes rows, summary
    and plot to files.
    """

    evaluations: list[E]
    report = "parlour.training.evaluation.report.report"

    @property
    def spec(self) -> EvaluationSpec:
        """The specification of the first variant."""
        return self.evaluations[0].spec

    def headline(self) -> str:
        """Return game, variants, deals, and agents on one line."""
        agents = ", ".join(dict.fromkeys(one.agent for one in self.evaluations))
        variants = ", ".join(self.variants)
        return f"{self.spec.game.name}, {variants}, {self.spec.deals_text}: {agents}"

    @property
    def variants(self) -> dict[str, list[E]]:
        """The evaluations of each variant, in the order of the agents, except for `pairs`."""
        by_variant: dict[str, list[E]] = {}
        for one in self.evaluations:
            evaluations = by_variant.setdefault(one.variant, [])
            if not one.pair:
                evaluations.append(one)
        return by_variant

    def pairs(self, variant: str) -> dict[tuple[str, str], E]:
        """Return the evaluations of each agent against every other compared agent.

        Args:
            variant: Name of the variant in tables.

        Returns:
            The evaluations by pairs of names: the agent and its opponent.
        """
        return {
            (one.agent, one.opponents[0]): one
            for one in self.evaluations
            if one.pair and one.variant == variant
        }

    @cached_property
    def differences(self) -> list[Any]:
        """The paired differences of each agent minus the agents given before it.

        Neighbors come first: for a, b, and c, the differences are b - a, c - b, then c - a.
        """
        return [
            one.subtract(other)
            for group in self.variants.values()
            for one, other in ordered_pairs(group)
        ]

    def summary(self) -> dict[str, Any]:
        """Return everything for JSON: ``{"results": [...], "differences": [...]}``.

        In multiplayer games, there is also ``"pairs"``.
        """
        summary = {"results": [one.summary() for one in self.evaluations if not one.pair]}
        if self.spec.is_multiplayer:
            summary["pairs"] = [one.summary() for one in self.evaluations if one.pair]
        return summary | {"differences": [one.summary() for one in self.differences]}


def as_comparison(result: Comparison[E] | E) -> Comparison[E]:
    """Return a comparison unchanged, and an evaluation as a comparison of one agent."""
    if isinstance(result, Comparison):
        return result
    return Comparison([replace(result, pair=False) if result.pair else result])


def ordered_pairs(group: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield all pairs with the later item first; neighbors come before pairs farther apart."""
    for apart in range(1, len(group)):
        for i in range(apart, len(group)):
            yield group[i], group[i - apart]


def unit_chips(spec: EvaluationSpec) -> float:
    """Return the number of chips in one unit of net results."""
    return spec.game.reward_unit(spec.rules)


def unit_name(rules: Any) -> str:
    """Return the name of the unit of net results."""
    return "antes" if hasattr(rules, "ante") else "stakes"


def per_hand(spec: EvaluationSpec) -> str:
    """Return the unit of net results for headings, such as ``"antes per hand"``."""
    return f"{unit_name(spec.rules)} per {'hand' if spec.game.has_dealer else 'game'}"


def position_names(spec: EvaluationSpec) -> list[str]:
    """Return the names of the positions: numbers, and `DEALER` for the last in most games."""
    names = [str(place) for place in range(1, spec.num_players + 1)]
    return [*names[:-1], DEALER] if spec.game.has_dealer else names


def describe_machine() -> str:
    """Return the names of processor and Python version, on which times depend."""
    model = platform.processor() or platform.machine()
    if CPU_FILE.exists():
        text = CPU_FILE.read_text(encoding="utf-8", errors="replace")
        named = (line for line in text.splitlines() if line.startswith("model name"))
        model = next(named, f":{model}").partition(":")[2].strip()
    return f"{model}, Python {platform.python_version()}"
