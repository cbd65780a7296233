"""What is kept and shown of play at tables of several seats: as `report` does for one player."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..duplicate_results import (
    DEALER,
    DuplicateComparison,
    DuplicateDifference,
    DuplicateEvaluation,
    as_comparison,
    per_hand,
    position_names,
)
from ..spec import EvaluationSpec
from ..stats import Estimate
from .report import (
    agent_label,
    coloured_text,
    interval_style,
    interval_text,
    show_key,
    show_marks,
    write_files,
)
from .terminal import time_text
from .terminal_tables import make_table, print_fitting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHAPES = ((True, True), (True, False), (False, True), (False, False))
"""From wide to narrow: whether with the mean at each position, whether with time."""


def save(found: DuplicateComparison | DuplicateEvaluation, folder: Path | str) -> list[Path]:
    """Write episodes.parquet, summary.json and comparison (png, svg, pdf) into a folder.

    Returns the paths of what was written.

    Each file appears whole or not at all. Raises OSError if the folder cannot be written.
    """
    found = as_comparison(found)
    return write_files(folder, episodes(found), found.summary(), lambda: draw(found))


def draw(found: DuplicateComparison | DuplicateEvaluation) -> "Figure":
    """Return the picture of a comparison of several seats."""
    from .duplicate_plots import plot_duplicate  # Matplotlib takes a second to load

    return plot_duplicate(found)


def episodes(found: DuplicateComparison | DuplicateEvaluation) -> pa.Table:
    """Return a row for each deal and position of each match.

    Beside what names them it has ``position`` (from 1, the dealer's left), ``net`` in chips and all
    facts, as sums over the ``hands`` of the deal; ``pair``: one agent in all other seats. The
    summary, as JSON, is in the table's metadata under ``parlour``.
    """
    found = as_comparison(found)
    whole = pa.concat_tables([_rows(one) for one in found.matches], promote_options="default")
    return whole.replace_schema_metadata({"parlour": json.dumps(found.summary())})


def _rows(one: DuplicateEvaluation) -> pa.Table:
    spec, facts = one.spec, {"net": one.results.nets} | one.results.facts
    deals, players = one.results.nets.shape
    words = {
        "game": spec.game.name,
        "variant": spec.variant,
        "agent": one.agent,
        "field": ", ".join(one.field),
        "bank": spec.bank,
    }
    columns: dict[str, Any] = {
        name: pa.array([word] * (deals * players)).dictionary_encode()
        for name, word in words.items()
    }
    columns |= {"pair": pa.array([one.pair] * (deals * players))}
    columns |= {"sees_all": pa.array([one.sees_all] * (deals * players))}
    columns |= {"other_rules": pa.array([one.other_rules] * (deals * players))}
    columns |= {"deal": np.repeat(one.deals, players)}
    columns |= {"position": np.tile(np.arange(1, players + 1), deals)}
    columns |= {"hands": np.full(deals * players, spec.hands)}
    return pa.table(columns | {name: values.reshape(-1) for name, values in facts.items()})


def show(found: DuplicateComparison | DuplicateEvaluation, console: Console) -> None:
    """Print the tables: how each agent did, by how much they differ, each among each other."""
    found = as_comparison(found)
    spec = found.matches[0].spec
    sessions = f", each a session of {spec.hands} hands" if spec.hands > 1 else ""
    console.print(Text(f"{spec.game.title}, {spec.deals_text}{sessions}, from every seat"))
    for variant, group in found.variants.items():
        print_fitting(console, [_results_table(variant, group, *shape) for shape in SHAPES])
        differences = [one for one in found.differences if one.variant == variant]
        if differences:
            print_fitting(console, [differences_table(differences, group[0].spec)])
        if pairs := found.pairs(variant):
            tables = [_pairs_table(group, pairs, with_interval) for with_interval in (True, False)]
            print_fitting(console, tables)
    others = "".join(name[-2:] for one in found.matches for name in one.field)
    show_marks(found.matches, console, others)
    console.print(f"[dim]{_notes(found, spec)}[/]")
    show_key(spec.key, console)


def _notes(found: DuplicateComparison, spec: EvaluationSpec) -> str:
    said = [
        f"In brackets, or after ±: {spec.confidence:.0%} intervals (Student); a deal counts "
        "once, as the mean of its seats."
    ]
    if spec.game.has_dealer:
        said.append("Positions: 1 is at the dealer's left.")
    if found.differences:
        said.append(
            "Differences are paired: the same deals, seats and field. Holm: corrected for the "
            "number of positions."
        )
    return " ".join([*said, "time: of a decision, in a batch."])


def _results_table(
    variant: str, group: list[DuplicateEvaluation], positions: bool, costs: bool
) -> Table:
    """The table of how each agent did in the field."""
    spec = group[0].spec
    places = position_names(spec) if positions else []
    heads = [per_hand(spec), "won %", *places, *(["time"] if costs else [])]
    mate = f", with {group[0].partner}" if group[0].partner else ""
    table = make_table(f"{variant}, among {', '.join(group[0].field)}{mate}", "agent", *heads)
    for one in group:
        means = [f"{at.mean:+.2f}" for at in one.position_means] if positions else []
        spent = [time_text(one.results.milliseconds)] if costs else []
        won = f"{100 * one.estimates['won'].mean:.1f}"
        table.add_row(agent_label(one), interval_text(one.net), won, *means, *spent)
    return table


def differences_table(found: list[DuplicateDifference], spec: EvaluationSpec) -> Table:
    """Return the table of paired differences, overall and at each position."""
    table = make_table("", "difference", per_hand(spec), "Holm", "p")
    for one in found:
        table.add_row(Text(f"{one.agent} − {one.minus}"), coloured_text(one.net), "", "")
        for place, at in zip(position_names(spec), one.positions, strict=True):
            as_place = f"  {'as' if place == DEALER else 'at'} {place}"
            wide = f"[{interval_style(at.holm)}]\\[{at.holm.low:+.2f}, {at.holm.high:+.2f}][/]"
            p = "< 0.0001" if at.p < 0.0001 else f"{at.p:.4f}"
            table.add_row(as_place, coloured_text(at.own), wide, p)
    return table


def _pairs_table(
    group: list[DuplicateEvaluation],
    pairs: dict[tuple[str, str], DuplicateEvaluation],
    with_interval: bool,
) -> Table:
    """The table of each agent (a line) among seats all played by another (a column)."""
    names = [one.agent for one in group]
    table = make_table(f"{per_hand(group[0].spec)}: line among column", "agent", *names)
    for one in group:
        found = [pairs.get((one.agent, other)) for other in names]
        cells = ["·" if match is None else _net_text(match.net, with_interval) for match in found]
        table.add_row(agent_label(one), *cells)
    return table


def _net_text(net: Estimate, with_interval: bool) -> str:
    half = f" ± {net.high - net.mean:.2f}" if with_interval else ""
    return f"[{interval_style(net)}]{net.mean:+.2f}{half}[/]"
