"""Reports of sequential comparisons: tables, Parquet (one row per game), JSON, and a plot."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.markup import escape

from ..compare_until import (
    BETTER,
    EQUIVALENT,
    UNDECIDED,
    WORSE,
    SequentialComparison,
    find_measure,
)
from ..evaluation_spec import EvaluationSpec
from ..result import per_hand
from .report import (
    agent_label,
    coloured_text,
    make_title,
    show_evaluation_seed,
    show_marks,
    write_files,
)
from .report import episodes as list_episodes
from .terminal import percent_text, time_text
from .terminal_tables import make_terminal_table, print_fitting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save(result: SequentialComparison, folder: Path | str) -> list[Path]:
    """Write episodes.parquet, summary.json and comparison (png, svg, pdf) into a folder.

    Each file appears whole or not at all. Returns the paths of the files. Raises OSError if the
    folder cannot be written.
    """
    return write_files(folder, episodes(result), result.summary(), lambda: draw(result))


def episodes(result: SequentialComparison) -> pa.Table:
    """Return the rows of both agents as `report.episodes` does, with this result's summary."""
    rows = list_episodes(result.comparison)
    return rows.replace_schema_metadata({"parlour": json.dumps(result.summary())})


def draw(result: SequentialComparison) -> "Figure":
    """Return a plot of the difference and its interval by the number of deals."""
    from matplotlib.figure import Figure  # Matplotlib takes a second to load

    spec, (name, times) = result.spec, _name_measure(result.spec)
    figure = Figure(figsize=(8, 4.5), dpi=110, layout="constrained")
    axes = figure.subplots()
    band = times * result.until
    axes.axhspan(-band, band, color="#8a8a8a", alpha=0.15, lw=0)
    axes.axhline(0, color="#222222", lw=0.8)
    mean, low, high = times * np.array([one[:3] for one in result.looks]).T
    axes.errorbar(
        [one.n for one in result.looks],
        mean,
        (mean - low, high - mean),
        color="#4c78a8",
        marker=".",
        capsize=3,
        lw=1.3,
    )
    axes.set_xlabel("deals")
    axes.set_ylabel(f"{result.agent} − {result.minus}, {name}", parse_math=False)
    axes.set_title(
        f"{spec.game.title}, {spec.variant}: {_conclusion_text(result)}", parse_math=False
    )
    return figure


def show(result: SequentialComparison, console: Console) -> None:
    """Print the means of both agents, their difference with its interval, and the conclusion."""
    spec, comparison = result.spec, result.comparison
    name, times = _name_measure(spec)
    head = "won %" if result.measure == "won" else name
    first = comparison.evaluations[0]
    opponents = f"; opponents: {', '.join(first.opponents)}" if first.opponents else ""
    partner = f"; partner: {first.partner}" if first.partner else ""
    title = f"{first.variant}{opponents}{partner}"
    table = make_terminal_table(title, "agent", head, "time")
    for one in comparison.evaluations:
        mean = f"{times * one.estimate(result.measure).mean:.2f}"
        table.add_row(agent_label(one), mean, time_text(one.results.milliseconds))
    difference = make_terminal_table("", "difference", name, "deals", "maximum")
    difference.add_row(
        f"{escape(result.agent)} − {escape(result.minus)}",
        coloured_text(result.difference, times),
        f"{spec.deals:,}",
        f"{result.most_deals:,}",
    )
    console.print(make_title(spec), markup=False)
    print_fitting(console, [table])
    print_fitting(console, [difference])
    show_marks(comparison, console)
    console.print(f"[bold]Conclusion:[/] {escape(_conclusion_text(result))}\n")
    console.print(
        f"[dim]Brackets show an anytime-valid {percent_text(spec.confidence)} interval: it allows "
        "for the choice of the number of\ndeals. The difference is paired: the same deals. Time is "
        "CPU time per decision in batches.[/]"
    )
    show_evaluation_seed(spec.evaluation_seed, console)


def _name_measure(spec: EvaluationSpec) -> tuple[str, float]:
    """Return the measure with its unit, for headings, and the factor to that unit."""
    measure = find_measure(spec)
    if measure == "won":
        return "won, % points", 100.0
    return (per_hand(spec) if measure == "net" else measure), 1.0


def _smallest_text(result: SequentialComparison) -> str:
    """Return the smallest difference of interest with its unit."""
    measure = find_measure(result.spec)
    if measure == "won":
        return f"{100 * result.until:g} % points"
    if measure == "score":
        return f"a score of {result.until:g}"
    return f"{result.until:g} {per_hand(result.spec)}"


def _conclusion_text(result: SequentialComparison) -> str:
    """Return the conclusion as a sentence without a period."""
    smallest = _smallest_text(result)
    return {
        BETTER: f"{result.agent} is better than {result.minus}",
        WORSE: f"{result.agent} is worse than {result.minus}",
        EQUIVALENT: f"the difference is smaller than {smallest}",
        UNDECIDED: f"undecided; the difference may be 0, or {smallest} and more",
    }[result.conclusion]
