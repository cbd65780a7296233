"""Reports of comparisons: tables, Parquet (one row per game), JSON, and a plot."""

import json
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
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
from ..evaluation_spec import EvaluationSpec
from ..labels.label_comparison import LabelComparison
from ..labels.labels import NO_SCORE, UNKNOWN_FEWEST
from ..result import (
    DEALER,
    FILES,
    OTHER_RULES,
    SEES_ALL,
    Comparison,
    Evaluation,
    SolitaireDifference,
    SolitaireEvaluation,
    TableDifference,
    TableEvaluation,
    as_comparison,
    per_hand,
    position_names,
)
from ..stats import Estimate
from .terminal import percent_text, time_text
from .terminal_tables import make_terminal_table, print_fitting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHAPES = ((2, True), (1, True), (2, False), (1, False))
"""Layouts of the table of a game for one player, from wide to narrow: number of decimals, and
whether the table has the columns moves and time."""
TABLE_SHAPES = ((True, True), (True, False), (False, True), (False, False))
"""Layouts of the table of a game for several players, from wide to narrow: whether the table has
the mean at each position, and whether it has the column time."""


def save(result: Comparison[Any] | Evaluation, folder: Path | str) -> list[Path]:
    """Write episodes.parquet, summary.json and comparison (png, svg, pdf) into a folder.

    Each file appears whole or not at all.

    Args:
        result: A comparison or an evaluation.
        folder: The folder, which is created if it is missing.

    Returns:
        The paths of the files.

    Raises:
        OSError: The folder cannot be written.
    """
    comparison = as_comparison(result)
    return write_files(folder, episodes(comparison), comparison.summary(), lambda: draw(comparison))


def draw(result: Comparison[Any] | Evaluation) -> "Figure":
    """Return the plot of a comparison."""
    from .plots import plot_comparison  # Matplotlib takes a second to load

    return plot_comparison(result)


def write_files(
    folder: Path | str,
    rows: pa.Table,
    summary: dict[str, Any],
    draw: Callable[[], Any],
    files: Sequence[str] = FILES,
) -> list[Path]:
    """Write rows, summary and the Matplotlib figure that ``draw`` returns into a folder.

    ``files`` are the names of rows, summary and plots. The plot is written last, so that an error
    in it loses no numbers. Raises as `save` does.
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
    """Write a Matplotlib figure in the format of the path's suffix; see `write_bytes`.

    A PDF keeps its text as text. The same figure gives the same bytes, since no date is written.
    """
    from matplotlib import rc_context

    image, kind = BytesIO(), path.suffix[1:]
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with warnings.catch_warnings(), rc_context({"pdf.fonttype": 42, "svg.hashsalt": "parlour"}):
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # for names in other scripts
        figure.savefig(image, format=kind, metadata=undated)
    write_bytes(path, image.getvalue())


def episodes(result: Comparison[Any] | Evaluation) -> pa.Table:
    """Return the rows of all evaluations, with all facts of the game.

    Games for one player have one row per game: game, variant, agent, deal_set, deal, and facts.
    Games for several players have one row per deal and position (from 1, the dealer's left), with
    sums over the ``hands`` of the deal; ``pair`` tells whether one agent has all opposing seats. A
    fact that a variant does not have is null. The table's metadata has the summary as JSON under
    ``parlour``.
    """
    comparison = as_comparison(result)
    to_rows = _list_positions if comparison.spec.is_multiplayer else _list_deals
    tables = [to_rows(evaluation) for evaluation in comparison.evaluations]
    whole = pa.concat_tables(tables, promote_options="default")
    return whole.replace_schema_metadata({"parlour": json.dumps(comparison.summary())})


def _list_deals(evaluation: SolitaireEvaluation) -> pa.Table:
    """Return a table with a row for each deal."""
    spec, n = evaluation.spec, evaluation.spec.deals
    columns = {
        **_repeat(n, game=spec.game.name, variant=spec.variant, agent=evaluation.agent),
        **_repeat(n, deal_set=spec.deal_set),
        **_repeat(n, sees_all=evaluation.sees_all, other_rules=evaluation.other_rules),
        "deal": evaluation.deals,
        **evaluation.results.facts,
        **_list_labels(evaluation),
    }
    return pa.table(columns)


def _list_labels(evaluation: Evaluation) -> dict[str, pa.Array]:
    """Return the solver labels of each deal, null for deals without a label."""
    labels, n = evaluation.spec.labels, evaluation.spec.deals
    if labels is None:
        return {}
    played, labelled = labels.overlap(evaluation.spec.first, n)
    columns = {}
    for name, unknown in (("winnable", None), ("fewest", UNKNOWN_FEWEST), ("score", NO_SCORE)):
        if name in labels.columns:
            label = labels.columns[name]
            values, missing = np.zeros(n, label.dtype), np.ones(n, np.bool_)
            values[played], missing[played] = label[labelled], label[labelled] == unknown
            columns["best_score" if name == "score" else name] = pa.array(values, mask=missing)
    return columns


def _list_positions(evaluation: TableEvaluation) -> pa.Table:
    """Return a table with a row for each deal and position."""
    spec, facts = evaluation.spec, evaluation.results.facts
    deals, players = evaluation.results.nets.shape
    n, opponents = deals * players, ", ".join(evaluation.opponents)
    columns = {
        **_repeat(n, game=spec.game.name, variant=spec.variant, agent=evaluation.agent),
        **_repeat(n, opponents=opponents, deal_set=spec.deal_set, pair=evaluation.pair),
        **_repeat(n, sees_all=evaluation.sees_all, other_rules=evaluation.other_rules),
        "deal": np.repeat(evaluation.deals, players),
        "position": np.tile(np.arange(1, players + 1), deals),
        "hands": np.full(n, spec.hands),
        **{name: values.reshape(-1) for name, values in facts.items()},
    }
    return pa.table(columns)


def _repeat(n: int, **values: str | bool) -> dict[str, pa.Array]:
    """Return columns with one repeated value each; text is stored once."""
    columns = {name: pa.array([value] * n) for name, value in values.items()}
    return {
        name: column.dictionary_encode() if isinstance(values[name], str) else column
        for name, column in columns.items()
    }


def show(result: Comparison[Any] | Evaluation, console: Console) -> None:
    """Print the tables of a comparison: the results of each agent, and the paired differences.

    In games for several players, a third table has each pair of agents.
    """
    comparison = as_comparison(result)
    is_multiplayer = comparison.spec.is_multiplayer
    show_variant = _show_table_variant if is_multiplayer else _show_solitaire_variant
    list_notes = _list_table_notes if is_multiplayer else _list_solitaire_notes
    console.print(Text(make_title(comparison.spec)))
    for variant in comparison.variants:
        show_variant(comparison, variant, console)
    show_marks(comparison, console)
    _show_usage(comparison, console)
    for note in list_notes(comparison):
        console.print(note)
    show_evaluation_seed(comparison.spec.evaluation_seed, console)


def make_title(spec: EvaluationSpec) -> str:
    """Return game and deals, as the title above the tables."""
    title = f"{spec.game.title}, {spec.deals_text}"
    if not spec.is_multiplayer:
        return title
    sessions = f", sessions of {spec.hands} hands" if spec.hands > 1 else ""
    return f"{title}{sessions}, from every seat"


def show_marks(comparison: Comparison[Any], console: Console) -> None:
    """Explain the marks of agents' names in the tables."""
    evaluations = comparison.evaluations
    marks_of_others = "".join(name[-2:] for one in evaluations for name in one.opponents)
    for mark, attribute, meaning in (
        (SEES_ALL, "sees_all", "sees the hidden cards"),
        (OTHER_RULES, "other_rules", "was trained with other rules"),
    ):
        if mark in marks_of_others or any(
            getattr(one, attribute) for one in comparison.evaluations
        ):
            console.print(f"{mark} {meaning}")


def _show_usage(comparison: Comparison[Any], console: Console) -> None:
    """Print what the agents used, such as requests and tokens, with their numbers."""
    for one in comparison.evaluations:
        if one.results.usage:
            name = f"{one.agent} among {one.opponents[0]}" if one.pair else one.agent
            counts = [
                f"{count:,} {what}" if isinstance(count, int) else f"{what} {count:,.4g}"
                for what, count in one.results.usage.items()
            ]
            console.print(Text(f"{name}, {one.variant}: {', '.join(counts)}"))


def show_evaluation_seed(evaluation_seed: str, console: Console) -> None:
    """Print the evaluation seed, with which ``--evaluation-seed`` repeats the results."""
    console.print(
        f"[dim]Evaluation seed: {escape(shlex.quote(evaluation_seed))}[/]", soft_wrap=True
    )


def _show_solitaire_variant(
    comparison: Comparison[SolitaireEvaluation], variant: str, console: Console
) -> None:
    group = comparison.variants[variant]
    print_fitting(console, [_solitaire_table(variant, group, *shape) for shape in SHAPES])
    if group[0].label_comparison is not None:
        console.print(_upper_bound_line(group[0].label_comparison))
        print_fitting(console, [_labels_table(group, *shape) for shape in SHAPES])
    if len(group) > 1:
        differences = [one for one in comparison.differences if one.variant == variant]
        print_fitting(console, [_solitaire_differences(differences)])


def _solitaire_table(
    variant: str, group: list[SolitaireEvaluation], decimals: int, costs: bool
) -> Table:
    """Return the table of each agent's results."""
    goal = group[0].game.goal
    truncated = any(one.results.facts["truncated"].any() for one in group)
    heads = (
        *(f"{goal} %", "score"),
        *(("truncated %",) if truncated else ()),
        *(("moves", "time") if costs else ()),
    )
    table = make_terminal_table(variant, "agent", *heads)
    for one in group:
        share = f"{100 * one.results.facts['truncated'].mean():.2f}"
        cost = f"{one.results.moves.mean():.1f}", time_text(one.results.milliseconds)
        table.add_row(
            agent_label(one),
            interval_text(one.estimate(goal), 100, decimals),
            interval_text(one.estimate("score"), 1, decimals),
            *((share,) if truncated else ()),
            *(cost if costs else ()),
        )
    return table


def _upper_bound_line(compared: LabelComparison) -> str:
    """Return a line with the upper bound of the labeled deals, which all agents have played."""
    if compared.winnable is not None:
        value = f"{interval_text(compared.winnable, 100)} % winnable"
    else:
        best = "none found" if compared.best is None else interval_text(compared.best)
        value = f"best score {best}"
    undecided = f", {compared.undecided:,} undecided" if compared.undecided else ""
    return f"[bold]Upper bound:[/] {value} ({compared.deals:,} labeled deals{undecided})"


def _labels_table(group: list[SolitaireEvaluation], decimals: int, costs: bool) -> Table:
    """Return the table of each agent's results on the labeled deals."""
    is_won = group[0].game.measure == "won"
    heads = ("winnable won %", "winnable lost", *(("extra moves",) if costs else ()))
    table = make_terminal_table("", "agent", *(heads if is_won else ("regret",)))
    for one in group:
        if (compared := one.label_comparison) is None:
            continue
        if not is_won:
            table.add_row(agent_label(one), _interval_or_dash(compared.regret, 1, decimals))
            continue
        cost = (_interval_or_dash(compared.extra_moves, 1, decimals),) if costs else ()
        won = _interval_or_dash(compared.won, 100, decimals)
        table.add_row(agent_label(one), won, f"{compared.lost:,}", *cost)
    return table


def _solitaire_differences(differences: list[SolitaireDifference]) -> Table:
    """Return the table of paired differences."""
    table = make_terminal_table("", "difference", f"{differences[0].goal}, % points", "score")
    for one in differences:
        pair = Text(f"{one.agent} − {one.minus}")
        table.add_row(pair, coloured_text(one.reached, 100), coloured_text(one.score))
    return table


def _list_solitaire_notes(comparison: Comparison[SolitaireEvaluation]) -> Iterator[str]:
    spec = comparison.spec
    if any(one.results.facts["truncated"].any() for one in comparison.evaluations):
        yield f"Truncated games ended after {spec.max_moves} moves (--max-moves), not won or lost."
    if any(one.label_comparison and one.game.measure == "won" for one in comparison.evaluations):
        yield (
            "[dim]Winnable won %: share of the winnable deals that the agent won. Extra moves: "
            "moves\nabove the fewest possible, as a mean over its wins.[/]"
        )
    intervals = f"[dim]Brackets show {percent_text(spec.confidence)} intervals: Wilson for rates, "
    if comparison.differences:
        yield (
            f"{intervals}Newcombe for paired rates, bootstrap for\nmeans. Differences are paired: "
            "the same deals. Time is CPU time per decision in batches.[/]"
        )
    else:
        yield (f"{intervals}bootstrap for means.\nTime is CPU time per decision in batches.[/]")


def _show_table_variant(
    comparison: Comparison[TableEvaluation], variant: str, console: Console
) -> None:
    group = comparison.variants[variant]
    print_fitting(console, [_opponents_table(variant, group, *shape) for shape in TABLE_SHAPES])
    differences = [one for one in comparison.differences if one.variant == variant]
    if differences:
        print_fitting(console, [_table_differences(differences, group[0].spec)])
    if pairs := comparison.pairs(variant):
        tables = [_pairs_table(group, pairs, with_interval) for with_interval in (True, False)]
        print_fitting(console, tables)


def _opponents_table(
    variant: str, group: list[TableEvaluation], with_positions: bool, costs: bool
) -> Table:
    """Return the table of each agent's results against the opponents."""
    spec = group[0].spec
    positions = position_names(spec) if with_positions else []
    heads = [per_hand(spec), "won %", *positions, *(["time"] if costs else [])]
    partner = f"; partner: {group[0].partner}" if group[0].partner else ""
    title = f"{variant}; opponents: {', '.join(group[0].opponents)}{partner}"
    table = make_terminal_table(title, "agent", *heads)
    for one in group:
        means = [f"{mean.mean:+.2f}" for mean in one.position_means] if with_positions else []
        cost = [time_text(one.results.milliseconds)] if costs else []
        won = f"{100 * one.estimates['won'].mean:.2f}"
        table.add_row(agent_label(one), interval_text(one.net), won, *means, *cost)
    return table


def _table_differences(differences: list[TableDifference], spec: EvaluationSpec) -> Table:
    """Return the table of paired differences, overall and at each position."""
    table = make_terminal_table("", "difference", per_hand(spec), "Holm", "p")
    for one in differences:
        table.add_row(Text(f"{one.agent} − {one.minus}"), coloured_text(one.net), "", "")
        for position, tested in zip(position_names(spec), one.positions, strict=True):
            name = f"  {'as' if position == DEALER else 'at'} {position}"
            limits = f"\\[{tested.holm.low:+.2f}, {tested.holm.high:+.2f}]"
            holm = f"[{_interval_style(tested.holm)}]{limits}[/]"
            p = "< 0.0001" if tested.p < 0.0001 else f"{tested.p:.4f}"
            table.add_row(name, coloured_text(tested.alone), holm, p)
    return table


def _pairs_table(
    group: list[TableEvaluation],
    pairs: dict[tuple[str, str], TableEvaluation],
    with_interval: bool,
) -> Table:
    """Return the table of each agent (row) with another agent (column) in all opposing seats."""
    names = [one.agent for one in group]
    title = f"{per_hand(group[0].spec)}: row against column"
    table = make_terminal_table(title, "agent", *names)
    for one in group:
        row = [pairs.get((one.agent, other)) for other in names]
        cells = ["·" if pair is None else _net_text(pair.net, with_interval) for pair in row]
        table.add_row(agent_label(one), *cells)
    return table


def _list_table_notes(comparison: Comparison[TableEvaluation]) -> Iterator[str]:
    spec = comparison.spec
    notes = [
        f"Brackets (and ±) show {percent_text(spec.confidence)} intervals (Student). Each deal "
        "counts once, as the mean of its seats."
    ]
    if spec.game.has_dealer:
        notes.append("Position 1 is at the dealer's left.")
    if comparison.differences:
        notes.append(
            "Differences are paired: the same deals, seats, and opponents. Holm intervals and p "
            "are corrected for the number of positions."
        )
    if any(one.pair for one in comparison.evaluations):
        notes.append("Row against column: the column agent has all opposing seats.")
    yield f"[dim]{' '.join([*notes, 'Time is CPU time per decision in batches.'])}[/]"


def agent_label(one: Evaluation) -> Text:
    """Return an agent's name for tables, with the marks that `show_marks` explains."""
    return Text(one.agent + SEES_ALL * one.sees_all + OTHER_RULES * one.other_rules)


def interval_text(estimate: Estimate, times: float = 1.0, decimals: int = 2) -> str:
    """Return `Estimate.text`, escaped for tables."""
    return escape(estimate.text(times, decimals))


def _interval_or_dash(estimate: Estimate | None, times: float, decimals: int) -> str:
    return "–" if estimate is None else interval_text(estimate, times, decimals)


def _interval_style(difference: Estimate) -> str:
    """Return the style of a difference: green or red if its interval excludes 0."""
    return "green" if difference.low > 0 else "red" if difference.high < 0 else "dim"


def coloured_text(difference: Estimate, times: float = 1.0) -> str:
    """Return a difference and its interval, in its style."""
    mean, low, high = (times * value for value in difference[:3])
    return f"[{_interval_style(difference)}]{mean:+.2f} \\[{low:+.2f}, {high:+.2f}][/]"


def _net_text(net: Estimate, with_interval: bool) -> str:
    half = f" ± {net.high - net.mean:.2f}" if with_interval else ""
    return f"[{_interval_style(net)}]{net.mean:+.2f}{half}[/]"
