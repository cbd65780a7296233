"""What is kept and shown of a comparison: tables, Parquet (a row a game), JSON, a picture."""

import json
import shlex
import warnings
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...files import write_bytes, write_json
from ..check_outputs import FILES
from ..compare import Comparison, Difference, as_comparison
from ..duplicate_results import DuplicateEvaluation
from ..evaluate import LOOKS_AHEAD, OTHER_RULES, SEES_ALL, Evaluation
from ..labels.label_checks import NO_SCORE, UNKNOWN_FEWEST
from ..labels.truth import Truth
from ..stats import Estimate
from .terminal import time_text
from .terminal_tables import make_table, print_fitting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHAPES = ((2, True), (1, True), (2, False), (1, False))
"""From wide to narrow: decimals, and whether with what play cost (moves, time)."""


def save(comparison: Comparison | Evaluation, folder: Path | str) -> list[Path]:
    """Write episodes.parquet, summary.json and comparison (png, svg, pdf) into a folder.

    Returns the paths of what was written.

    Each file appears whole or not at all. Raises OSError if the folder cannot be written.
    """
    comparison = as_comparison(comparison)
    return write_files(folder, episodes(comparison), comparison.summary(), lambda: draw(comparison))


def draw(comparison: Comparison | Evaluation) -> "Figure":
    """Return the picture of a comparison."""
    from .plots import plot_comparison  # Matplotlib takes a second to load

    return plot_comparison(comparison)


def write_files(
    folder: Path | str,
    rows: pa.Table,
    summary: dict[str, Any],
    draw: Callable[[], Any],
    files: Sequence[str] = FILES,
) -> list[Path]:
    """Write rows, summary and what ``draw`` returns, a Matplotlib figure, into a folder.

    ``files`` are the names of rows, summary and pictures. The picture comes last: what goes wrong
    with it costs no numbers. Raises as `save` does.
    """
    folder = Path(folder)
    rows_name, summary_name, *pictures = files
    try:
        folder.mkdir(parents=True, exist_ok=True)
        table = BytesIO()
        pq.write_table(rows, table)
        write_bytes(folder / rows_name, table.getvalue())
        write_json(folder / summary_name, summary)
        figure = draw()
        for name in pictures:
            write_picture(folder / name, figure)
    except OSError as error:
        raise OSError(f"{folder}: could not be written: {error}") from error
    return [folder / name for name in files]


def write_picture(path: Path, figure: Any) -> None:
    """Write a Matplotlib figure in the format that the path ends with; see `write_bytes`.

    Text stays text in a PDF, and the same figure gives the same bytes: no date is in them.
    """
    from matplotlib import rc_context

    image, kind = BytesIO(), path.suffix[1:]
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with warnings.catch_warnings(), rc_context({"pdf.fonttype": 42, "svg.hashsalt": "parlour"}):
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # a name in other letters
        figure.savefig(image, format=kind, metadata=undated)
    write_bytes(path, image.getvalue())


def episodes(comparison: Comparison | Evaluation) -> pa.Table:
    """Return a row for each game played: game, variant, agent, bank, deal, and all facts of it.

    A fact that a variant does not have is null. The summary, as JSON, is in the table's metadata
    under ``parlour``.
    """
    comparison = as_comparison(comparison)
    tables = [_rows(one) for one in comparison.evaluations]
    whole = pa.concat_tables(tables, promote_options="default")
    return whole.replace_schema_metadata({"parlour": json.dumps(comparison.summary())})


def _rows(one: Evaluation) -> pa.Table:
    spec, n = one.spec, one.spec.deals
    words = {
        "game": spec.game.name,
        "variant": spec.variant,
        "agent": one.agent,
        "bank": spec.bank,
    }
    repeated: dict[str, Any] = {
        name: pa.array([word] * n).dictionary_encode() for name, word in words.items()
    }
    repeated["sees_all"] = pa.array([one.sees_all] * n)
    repeated["other_rules"] = pa.array([one.other_rules] * n)
    return pa.table(repeated | {"deal": one.deals} | one.results.facts | _label_columns(one))


def _label_columns(one: Evaluation) -> dict[str, pa.Array]:
    """What is known of each deal, null where it is not: labelled ones are some of those played."""
    labels, n = one.spec.labels, one.spec.deals
    if labels is None:
        return {}
    mine, theirs = labels.overlap(one.spec.first, n)
    found = {}
    for name, unknown in (("winnable", None), ("fewest", UNKNOWN_FEWEST), ("score", NO_SCORE)):
        if name in labels.columns:
            label = labels.columns[name]
            values, missing = np.zeros(n, label.dtype), np.ones(n, np.bool_)
            values[mine], missing[mine] = label[theirs], label[theirs] == unknown
            found["best_score" if name == "score" else name] = pa.array(values, mask=missing)
    return found


def show(comparison: Comparison | Evaluation, console: Console) -> None:
    """Print the tables of a comparison: how each agent did, and by how much they differ."""
    comparison = as_comparison(comparison)
    spec = comparison.evaluations[0].spec
    console.print(Text(f"{spec.game.title}, {spec.deals_text}"))
    found = comparison.differences
    for variant, group in comparison.variants.items():
        print_fitting(console, [_results_table(variant, group, *shape) for shape in SHAPES])
        if group[0].truth is not None:
            console.print(truth_line(group[0].truth))
            print_fitting(console, [_truth_table(group, *shape) for shape in SHAPES])
        if len(group) > 1:
            mine = [one for one in found if one.variant == variant]
            print_fitting(console, [differences_table(mine)])
    show_marks(comparison.evaluations, console)
    if any(one.results.facts["truncated"].any() for one in comparison.evaluations):
        console.print(f"cut off: after {spec.max_moves} moves (--max-moves), neither won nor lost")
    console.print(
        f"[dim]In brackets: {spec.confidence:.0%} intervals (rates Wilson, paired rates Newcombe, "
        "means\nbootstrap). Differences are paired: the same deals.\n"
        "time: of a decision, in a batch.[/]"
    )
    show_key(spec.key, console)


def show_marks(
    found: Sequence[Evaluation | DuplicateEvaluation], console: Console, others: str = ""
) -> None:
    """Say what the marks behind agents' names mean, of those that there are.

    ``others`` are the marks of who plays the other seats.
    """
    for mark, field, said in (
        (SEES_ALL, "sees_all", "sees the hidden cards"),
        (LOOKS_AHEAD, "looks_ahead", "looks a step ahead"),
        (OTHER_RULES, "other_rules", "was trained by other rules"),
    ):
        if mark in others or any(getattr(one, field) for one in found):
            console.print(f"{mark} {said}")


def show_key(key: str, console: Console) -> None:
    """Say by which key the same draws can be made again."""
    console.print(f"[dim]Draws: --key {escape(shlex.quote(key))}[/]", soft_wrap=True)


def _results_table(variant: str, group: list[Evaluation], decimals: int, costs: bool) -> Table:
    goal = group[0].game.goal
    cut = any(one.results.facts["truncated"].any() for one in group)
    heads = (
        *(f"{goal} %", "score"),
        *(("cut off %",) if cut else ()),
        *(("moves", "time") if costs else ()),
    )
    table = make_table(variant, "agent", *heads)
    for one in group:
        share = f"{100 * one.results.facts['truncated'].mean():.2f}"
        spent = f"{one.results.moves.mean():.1f}", time_text(one.results.milliseconds)
        table.add_row(
            agent_label(one),
            interval_text(one.estimate(goal), 100, decimals),
            interval_text(one.estimate("score"), 1, decimals),
            *((share,) if cut else ()),
            *(spent if costs else ()),
        )
    return table


def truth_line(truth: Truth) -> str:
    """Return what the solver says of the deals that all have played."""
    undecided = f", {truth.undecided} undecided" if truth.undecided else ""
    if truth.winnable is None:
        best = "none found" if truth.best is None else interval_text(truth.best)
        return (
            f"[bold]truth[/] best score found, of {truth.deals:,} labelled deals: {best}{undecided}"
        )
    can = interval_text(truth.winnable, 100)
    return f"[bold]truth[/] winnable, of {truth.deals:,} labelled deals: {can} %{undecided}"


def _truth_table(group: list[Evaluation], decimals: int, costs: bool) -> Table:
    """The table of how each agent did beside what could be reached."""
    won = group[0].game.measure == "won"
    heads = ("of these won %", "lost", *(("extra moves",) if costs else ()))
    table = make_table("", "agent", *(heads if won else ("regret",)))
    for one in group:
        if (truth := one.truth) is None:
            continue
        if not won:
            table.add_row(agent_label(one), _interval_or_dash(truth.regret, 1, decimals))
            continue
        spent = (_interval_or_dash(truth.extra_moves, 1, decimals),) if costs else ()
        table.add_row(
            agent_label(one), _interval_or_dash(truth.won, 100, decimals), f"{truth.lost:,}", *spent
        )
    return table


def _interval_or_dash(found: Estimate | None, times: float, decimals: int) -> str:
    return "–" if found is None else interval_text(found, times, decimals)


def agent_label(one: Evaluation | DuplicateEvaluation) -> Text:
    """Return an agent's name for tables, with the marks that `show_marks` explains."""
    return Text(
        one.agent
        + SEES_ALL * one.sees_all
        + LOOKS_AHEAD * one.looks_ahead
        + OTHER_RULES * one.other_rules
    )


def differences_table(found: list[Difference]) -> Table:
    """Return the table of paired differences; green or red where the interval leaves out 0."""
    table = make_table("", "difference", f"{found[0].goal}, points", "score")
    for one in found:
        pair = Text(f"{one.agent} − {one.minus}")
        table.add_row(pair, coloured_text(one.reached, 100), coloured_text(one.score))
    return table


def interval_text(found: Estimate, times: float = 1.0, decimals: int = 2) -> str:
    """Write an estimate as `Estimate.text` does, for tables."""
    return escape(found.text(times, decimals))


def interval_style(found: Estimate) -> str:
    """Return the style of a difference: green or red where its interval leaves out 0."""
    return "green" if found.low > 0 else "red" if found.high < 0 else "dim"


def coloured_text(found: Estimate, times: float = 1.0) -> str:
    """Write a difference with its interval, in its style."""
    mean, low, high = (times * value for value in found[:3])
    return f"[{interval_style(found)}]{mean:+.2f} \\[{low:+.2f}, {high:+.2f}][/]"
