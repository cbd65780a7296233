"""Tables and plots of benchmark results: each method's aggregate score, and its score per task."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from rich.table import Table
from rich.text import Text

from ..evaluation.report.plots import agent_colours, plain_axes
from ..evaluation.report.report_page import embed_picture, format_html, frame_page
from ..evaluation.report.terminal_tables import make_terminal_table
from ..evaluation.stats import Estimate
from ..files import write_bytes
from .entries import BenchmarkEntry
from .leaderboard import NOTHING
from .scores import aggregate, improvement, profile
from .tasks import TASKS, TIME_CLASSES, VERSION

THRESHOLDS = np.linspace(-0.1, 1.1, 241)
"""Thresholds of performance profiles."""
MARK = "*"
NOTE = (
    "Scores are normalized: 0 is the uniform agent, 1 the exact upper bound or the best known "
    "result. Aggregate: interquartile mean over tasks and training seeds, with 95 % bootstrap "
    "intervals over seeds; a task with a single seed varies by its deals. Compare only methods "
    "with the same tasks. A method has the number of seeds that all its tasks have. *: recorded "
    "games without an agent, whose time is unknown and which may have seen hidden cards."
)


class Method(NamedTuple):
    """The entries of a method, with its normalized scores and their standard errors by task."""

    name: str
    entries: list[BenchmarkEntry]
    scores: dict[str, np.ndarray]
    errors: dict[str, float]

    @property
    def aggregate(self) -> Estimate:
        """The aggregate score over all tasks of the method."""
        errors = {task: np.array([error]) for task, error in self.errors.items()}
        return aggregate(self.scores, errors=errors)

    @property
    def label(self) -> str:
        """The name of the method with its number of tasks, for plots."""
        number = len(self.scores)
        return f"{self.name} ({number} task{'s' * (number != 1)})"

    @property
    def has_games_only(self) -> bool:
        """Whether an entry has no agent, only recorded games."""
        return any(not one.agent for one in self.entries)

    @property
    def time_class(self) -> str:
        """The time class of the slowest entry."""
        order = list(TIME_CLASSES)
        return max((one.time_class for one in self.entries), key=order.index)

    @property
    def training_seconds(self) -> float:
        """The mean wall time of training, per task and seed."""
        return float(np.mean([one.training_seconds for one in self.entries]))


def group_methods(entries: Sequence[BenchmarkEntry]) -> list[Method]:
    """Return the methods of entries, most tasks first, and then the highest aggregate first.

    Entries of tasks that are not scored, and of agents that see hidden cards, do not count.
    """
    by_method: dict[str, list[BenchmarkEntry]] = {}
    for entry in entries:
        if entry.task in TASKS and not entry.sees_all:
            by_method.setdefault(entry.method, []).append(entry)
    methods = []
    for name, group in by_method.items():
        tasks = [task for task in TASKS if any(one.task == task for one in group)]
        by_task = {task: [one.score for one in group if one.task == task] for task in tasks}
        seeds = min(map(len, by_task.values()))  # otherwise a task with more seeds weighs more
        scores = {task: np.array(values[:seeds]) for task, values in by_task.items()}
        errors = {task: next(one.error for one in group if one.task == task) for task in tasks}
        methods.append(Method(name, group, scores, errors))
    return sorted(methods, key=lambda one: (-len(one.scores), -one.aggregate.mean, one.name))


AGGREGATE_HEADS = ("method", "aggregate score", "tasks", "seeds", "time class", "training")


def list_aggregates(methods: Sequence[Method]) -> list[tuple[str, ...]]:
    """Return a row of `AGGREGATE_HEADS` for each method."""
    rows: list[tuple[str, ...]] = []
    for one in methods:
        seeds = len(next(iter(one.scores.values())))  # the same for all tasks
        minutes = one.training_seconds / 60
        rows.append(
            (
                one.name + MARK * one.has_games_only,
                one.aggregate.text(decimals=3),
                f"{len(one.scores)} of {len(TASKS)}",
                str(seeds),
                NOTHING if one.has_games_only else one.time_class,
                f"{minutes:.1f} min" if minutes else NOTHING,
            )
        )
    return rows


def list_task_scores(methods: Sequence[Method]) -> list[tuple[str, ...]]:
    """Return a row for each method: its name, and its mean normalized score on each task."""
    return [
        (
            one.name,
            *(
                f"{one.scores[task].mean():.3f}" if task in one.scores else NOTHING
                for task in TASKS
            ),
        )
        for one in methods
    ]


def make_tables(methods: Sequence[Method]) -> list[Table]:
    """Return the tables of a report: aggregates, tasks, and probabilities of improvement."""
    aggregates = make_terminal_table(f"Benchmark version {VERSION}", *AGGREGATE_HEADS)
    tasks = make_terminal_table("Normalized score by task", "method", *TASKS)
    for rows, table in ((list_aggregates(methods), aggregates), (list_task_scores(methods), tasks)):
        for row in rows:
            table.add_row(*map(Text, row))
    tables = [aggregates, tasks]
    if len(methods) > 1:
        names = [one.name for one in methods]
        better = make_terminal_table(
            "Probability that a run of the row's method scores higher than one of the column's",
            "method",
            *names,
        )
        for one in methods:
            better.add_row(Text(one.name), *(_improve_text(one, other) for other in methods))
        tables.append(better)
    return tables


def _improve_text(first: Method, second: Method) -> str:
    if first is second or not set(first.scores) & set(second.scores):
        return NOTHING
    return f"{improvement(first.scores, second.scores):.2f}"


def draw_profiles(methods: Sequence[Method]) -> Figure:
    """Return the performance profiles of methods: the share of runs with at least each score."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    colours = agent_colours(one.name for one in methods)
    for one in methods:
        axes.plot(
            THRESHOLDS,
            profile(one.scores, THRESHOLDS),
            color=colours[one.name],
            label=one.label,
        )
    axes.set(xlabel="normalized score", ylabel="share of runs with at least this score")
    axes.set_ylim(0, 1.02)
    plain_axes(axes)
    axes.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def draw_aggregates(methods: Sequence[Method]) -> Figure:
    """Return the aggregate scores of methods with their intervals."""
    figure = Figure(figsize=(8, 0.9 + 0.36 * len(methods)), layout="constrained")
    axes = figure.subplots()
    colours = agent_colours(one.name for one in methods)
    for place, one in enumerate(methods):
        mean, low, high, _ = one.aggregate
        axes.barh(place, mean, height=0.7, color=colours[one.name], alpha=0.85)
        axes.plot([low, high], [place, place], color="#222222", lw=1.4)
    axes.set_yticks(range(len(methods)), [one.label for one in methods])
    axes.invert_yaxis()
    axes.set_xlabel("aggregate score (interquartile mean)")
    plain_axes(axes)
    return figure


def write_report(methods: Sequence[Method], path: Path) -> None:
    """Write tables and plots as one self-contained HTML file."""
    title = f"Parlour benchmark, version {VERSION}"
    pictures: Mapping[str, Any] = {
        "Aggregate scores": draw_aggregates(methods),
        "Performance profiles": draw_profiles(methods),
    }
    body = "\n".join(
        [
            f'<p class="note">{escape(NOTE)}</p>',
            *(format_html(table) for table in make_tables(methods)),
            *(embed_picture(name, figure) for name, figure in pictures.items()),
        ]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, frame_page(title, body).encode())
