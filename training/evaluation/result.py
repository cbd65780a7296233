"""Results of evaluations: how agents played, with intervals and paired differences.

In a game for one player the unit of replication is the deal. At a table of several seats it is the
deal played from every seat: its value is the mean over all seats, or at one position that of one
seat. A position is counted from the dealer's left, since that, not the number of the seat, is what
matters: the first of n positions is the first to act in every round, the last is the dealer. In a
game without a dealer positions are seats. Nets are counted in the game's unit (such as antes) a
hand.
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
"""Pictures for pages, for scaling and for print."""
FILES = (EPISODES, SUMMARY, *PICTURES)
"""The files of a saved comparison."""
SEES_ALL, OTHER_RULES = "*", "~"
"""Marks behind an agent's name in tables: it sees the hidden cards; it was trained by other
rules."""
DEALER = "dealer"
"""The name of the last position, where a seat deals."""
PAGE_WIDTH = 140
"""Columns of the tables in a notebook."""
FONTS = "ui-monospace, Menlo, 'DejaVu Sans Mono', Consolas, 'Courier New', monospace"
PAGE = (
    f'<pre style="font-family: {FONTS}; line-height: normal; overflow-x: auto; white-space: pre">'
    "{code}</pre>"
)
"""Named here, because style sheets of notebooks and exports set another font for `pre`."""
CPU_FILE = Path("/proc/cpuinfo")


class Result:
    """A result that can be shown and saved by the module that ``report`` names.

    That module imports this one, so it is imported when it is needed. Matplotlib and pandas are
    loaded only then.
    """

    report: ClassVar[str]

    def headline(self) -> str:
        """Return game, variant, deals, agents and result on one line."""
        raise NotImplementedError

    def to_pandas(self) -> "DataFrame":
        """Return a row for each game played; see ``episodes`` of the module `report` names."""
        return self._import_report().episodes(self).to_pandas()

    def plot(self) -> "Figure":
        """Return the picture that `save` writes; needs no display."""
        figure: Figure = self._import_report().draw(self)
        return figure

    def save(self, folder: Path | str) -> list[Path]:
        """Write rows (Parquet), summary (JSON) and picture (PNG, SVG, PDF) into a folder.

        It is made where it is missing; each file appears whole or not at all. Returns the paths.
        Raises OSError if the folder cannot be written.
        """
        paths: list[Path] = self._import_report().save(self, folder)
        return paths

    def _repr_html_(self) -> str:
        return self._show("truecolor").export_html(inline_styles=True, code_format=PAGE)

    def __str__(self) -> str:
        """The tables, as text: what ``print`` shows."""
        return self._show(None).export_text()

    def _show(self, colors: Literal["truecolor"] | None) -> "Console":
        """A recording console of the width of a page on which the tables have been printed."""
        from rich.console import Console  # to play needs no extra

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
        """The headline: results have too many numbers to be printed."""
        return f"<{type(self).__name__}: {self.headline()}>"

    def _import_report(self) -> Any:
        return import_module(self.report)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """How an agent played the deals of a specification.

    ``to_pandas()`` and ``save(folder)`` hand the results on: see `Result`.
    """

    spec: EvaluationSpec
    agent: str
    """The agent's name in tables."""
    sees_all: bool
    results: EpisodeResults
    other_rules: bool = False
    """Whether it was trained by other rules than those played."""
    opponents: tuple[str, ...] = ()
    """The names of the agents in the other seats, marked as in tables by `SEES_ALL` and
    `OTHER_RULES`."""
    pair: bool = False
    """Whether one agent that is compared, too, sits in all other seats."""
    partner: str | None = None
    """The name of the agent in the other seats of its side; None: it sits there itself."""
    report = "parlour.training.evaluation.report.report"

    @property
    def goal(self) -> str:
        """The fact that says whether the game's aim was reached, ``"won"`` in most games."""
        return self.game.goal_name(self.rules)

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.spec.game

    @property
    def rules(self) -> Any:
        """The rules that it was played by."""
        return self.spec.rules

    @property
    def variant(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return self.spec.variant

    @property
    def evaluation_seed(self) -> str:
        """The evaluation seed: it repeats all games."""
        return self.spec.evaluation_seed

    @property
    def deals(self) -> np.ndarray:
        """The numbers of the deals in their deal set, int64 (n,)."""
        return self.spec.numbers

    @property
    def label_comparison(self) -> LabelComparison | None:
        """How the agent did on the labelled deals; None if no deal is labelled."""
        return None

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean of each fact, of yes or no a rate, with an interval."""
        raise NotImplementedError

    def estimate(self, fact: str) -> Estimate:
        """Return the rate or mean of one fact, such as ``"won"``."""
        return self.estimates[fact]

    def subtract(self, other: Any) -> "Difference":
        """Return the paired difference of this agent and another on the same deals."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """Return all results for JSON: a ``{"mean", "low", "high", "n"}`` for each fact."""
        raise NotImplementedError

    def _summarize_agent(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "sees_all": self.sees_all,
            "other_rules": self.other_rules,
        }


@dataclass(frozen=True, eq=False, repr=False)
class SolitaireEvaluation(Evaluation):
    """How an agent played a game for one player."""

    def headline(self) -> str:
        """See `Result.headline`."""
        facts = ", ".join(
            f"{fact} {self.estimate(fact).text()}" for fact in dict.fromkeys((self.goal, "score"))
        )
        return f"{self.game.name}, {self.variant}, {self.spec.deals_text}: {self.agent}, {facts}"

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """For each fact its rate (yes or no) or mean (a number), with an interval."""
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
            "won": None,  # in a game that nobody wins
            **{name: estimate._asdict() for name, estimate in self.estimates.items()},
            "ms_per_decision": self.results.milliseconds,
            "label_comparison": None if compared is None else compared.summary(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class TableEvaluation(Evaluation):
    """How an agent played, in every seat of the same deals, with others in the other seats."""

    def headline(self) -> str:
        """See `Result.headline`."""
        spec = self.spec
        played = f"{spec.game.name}, {spec.variant}, {spec.deals_text}"
        among, net = ", ".join(self.opponents), f"{self.net.text()} {per_hand(spec)}"
        return f"{played}: {self.agent} among {among}, {net}"

    @cached_property
    def nets(self) -> np.ndarray:
        """The net of each deal at each position, in units a hand, float64 (n, players)."""
        return np.asarray(self.results.nets / (self.results.hands * unit_chips(self.spec)))

    @property
    def net(self) -> Estimate:
        """The mean net over all seats, in units a hand."""
        return self.estimates["net"]

    @cached_property
    def position_means(self) -> list[Estimate]:
        """The mean net at each position."""
        return [student_mean(column, self.spec.confidence) for column in self.nets.T]

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean of each fact a hand: the net in units, of facts of yes or no a share."""
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
            "unit": unit_name(spec),
            **self._summarize_agent(),
            "opponents": list(self.opponents),
            "partner": self.partner,
            "net": facts.pop("net"),
            "positions": [estimate._asdict() for estimate in self.position_means],
            **facts,
            "ms_per_decision": self.results.milliseconds,
        }


class SolitaireDifference(NamedTuple):
    """How much better ``agent`` played than ``minus`` on the same deals: means of goal and score.

    ``goal`` is the game's (see `Game`), ``"won"`` in most; ``reached`` is the difference in it.
    """

    variant: str
    agent: str
    minus: str
    goal: str
    reached: Estimate
    score: Estimate

    def summary(self) -> dict[str, Any]:
        """Return it for JSON."""
        named = {"variant": self.variant, "agent": self.agent, "minus": self.minus}
        return named | {self.goal: self.reached._asdict(), "score": self.score._asdict()}


class TableDifference(NamedTuple):
    """How much more ``agent`` won than ``minus``, in the same seats of the same deals.

    ``net`` is the mean over all seats; ``positions`` has each single one, corrected for their
    number by Holm's method.
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
        """Return it for JSON."""
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
    """The evaluations of several agents on the same deals, by variant, then in their order.

    At a table of several each agent plays among the opponents, and then with one other agent in
    all other seats. ``to_pandas()`` and ``save(folder)`` hand the results on: see `Result`.
    """

    evaluations: list[E]
    report = "parlour.training.evaluation.report.report"

    @property
    def spec(self) -> EvaluationSpec:
        """The specification of the first variant."""
        return self.evaluations[0].spec

    def headline(self) -> str:
        """See `Result.headline`."""
        agents = ", ".join(dict.fromkeys(one.agent for one in self.evaluations))
        variants = ", ".join(self.variants)
        return f"{self.spec.game.name}, {variants}, {self.spec.deals_text}: {agents}"

    @property
    def variants(self) -> dict[str, list[E]]:
        """The evaluations of each variant, in the order of the agents, without `pairs`."""
        by_variant: dict[str, list[E]] = {}
        for one in self.evaluations:
            evaluations = by_variant.setdefault(one.variant, [])
            if not one.pair:
                evaluations.append(one)
        return by_variant

    def pairs(self, variant: str) -> dict[tuple[str, str], E]:
        """Return the evaluations of an agent among seats all played by another, by their names."""
        return {
            (one.agent, one.opponents[0]): one
            for one in self.evaluations
            if one.pair and one.variant == variant
        }

    @cached_property
    def differences(self) -> list[Any]:
        """The paired differences of all agents, each less those given before it.

        Neighbours come first: of a, b and c they are b - a, c - b, then c - a.
        """
        return [
            one.subtract(other)
            for group in self.variants.values()
            for one, other in ordered_pairs(group)
        ]

    def summary(self) -> dict[str, Any]:
        """Return all of it for JSON: ``{"results": [...], "differences": [...]}``.

        In games for several there are ``pairs``, too.
        """
        summary = {"results": [one.summary() for one in self.evaluations if not one.pair]}
        if self.spec.is_multiplayer:
            summary["pairs"] = [one.summary() for one in self.evaluations if one.pair]
        return summary | {"differences": [one.summary() for one in self.differences]}


def as_comparison(result: Comparison[E] | E) -> Comparison[E]:
    """Return a result as a comparison: an evaluation becomes one of a single agent."""
    if isinstance(result, Comparison):
        return result
    return Comparison([replace(result, pair=False) if result.pair else result])


def ordered_pairs(group: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield all pairs, the later one first; neighbours come before those farther apart."""
    for apart in range(1, len(group)):
        for i in range(apart, len(group)):
            yield group[i], group[i - apart]


def unit_chips(spec: EvaluationSpec) -> float:
    """Return the chips of one unit, in which nets are counted."""
    return spec.game.reward_unit(spec.rules)


def unit_name(spec: EvaluationSpec) -> str:
    """Return the name of that unit."""
    return "antes" if hasattr(spec.rules, "ante") else "stakes"


def per_hand(spec: EvaluationSpec) -> str:
    """Return the unit of nets for headings: ``"antes a hand"``."""
    return f"{unit_name(spec)} a {'hand' if spec.game.has_dealer else 'game'}"


def position_names(spec: EvaluationSpec) -> list[str]:
    """Return the names of the positions: numbers, the last one `DEALER`."""
    names = [str(place) for place in range(1, spec.num_players + 1)]
    return [*names[:-1], DEALER] if spec.game.has_dealer else names


def describe_machine() -> str:
    """Return the names of the processor and Python, on which times depend."""
    model = platform.processor() or platform.machine()
    if CPU_FILE.exists():
        text = CPU_FILE.read_text(encoding="utf-8", errors="replace")
        named = (line for line in text.splitlines() if line.startswith("model name"))
        model = next(named, f":{model}").partition(":")[2].strip()
    return f"{model}, Python {platform.python_version()}"
