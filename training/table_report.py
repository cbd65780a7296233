"""What is kept and shown of play at tables of several seats: as `report` does for one player."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from .hands import has_dealer
from .matches import Match, SeatDifference, Setting, Tournament
from .report import LOOKS_AHEAD, SEES_ALL, coloured, interval, plain_table, show_key, write
from .stats import Estimate

DEALER = "dealer"
SHAPES = ((True, True), (True, False), (False, True), (False, False))
"""From wide to narrow: whether with the mean at each position, whether with ms."""


def save(found: Tournament, folder: Path | str) -> list[Path]:
    """Write episodes.parquet, summary.json and comparison.png into a folder; return their paths.

    Each file appears whole or not at all. Raises OSError if the folder cannot be written.
    """
    from .table_plots import picture  # Matplotlib takes a second to load

    return write(folder, episodes(found), found.summary(), picture(found))


def episodes(found: Tournament) -> pa.Table:
    """Return a row for each deal and position of each match.

    Beside what names them it has ``position`` (from 1, the dealer's left), ``net`` in chips and all
    facts, as sums over the ``hands`` of the deal; ``pair``: one agent in all other seats. The
    summary, as JSON, is in the table's metadata under ``parlour``.
    """
    whole = pa.concat_tables([_rows(one) for one in found.matches], promote_options="default")
    return whole.replace_schema_metadata({"parlour": json.dumps(found.summary())})


def _rows(one: Match) -> pa.Table:
    setting, facts = one.setting, {"net": one.results.nets} | one.results.facts
    deals, players = one.results.nets.shape
    words = {
        "game": setting.game.name,
        "variant": setting.variant,
        "agent": one.agent,
        "field": ", ".join(one.field),
        "bank": setting.bank,
    }
    columns: dict[str, Any] = {
        name: pa.array([word] * (deals * players)).dictionary_encode()
        for name, word in words.items()
    }
    columns |= {"pair": pa.array([one.pair] * (deals * players))}
    columns |= {"sees_all": pa.array([one.sees_all] * (deals * players))}
    columns |= {"deal": np.repeat(one.deals, players)}
    columns |= {"position": np.tile(np.arange(1, players + 1), deals)}
    columns |= {"hands": np.full(deals * players, setting.hands)}
    return pa.table(columns | {name: values.reshape(-1) for name, values in facts.items()})


def show(found: Tournament, console: Console) -> None:
    """Print the tables: how each agent did, by how much they differ, each among each other."""
    first = found.matches[0].setting
    last = first.first + first.deals - 1
    sessions = f", each a session of {first.hands} hands" if first.hands > 1 else ""
    console.print(
        f"{first.game.title}, deals {first.first} to {last} of bank {first.bank}{sessions}, from "
        "every seat"
    )
    for variant, group in found.variants.items():
        console.print(results_table(variant, group, console))
        differences = [one for one in found.differences if one.variant == variant]
        if differences:
            console.print(differences_table(differences, group[0].setting))
        if pairs := found.pairs(variant):
            console.print(pairs_table(group, pairs, console))
    if any(one.sees_all for one in found.matches):
        console.print(f"{SEES_ALL} sees the hidden cards")
    if any(one.looks_ahead for one in found.matches):
        console.print(f"{LOOKS_AHEAD} looks a step ahead")
    console.print(f"[dim]{_notes(found, first)}[/]")
    show_key(first.key, console)


def _notes(found: Tournament, setting: Setting) -> str:
    said = [
        f"In brackets, or after ±: {setting.confidence:.0%} intervals (Student); a deal counts "
        "once, as the mean of its seats."
    ]
    if has_dealer(setting.game):
        said.append("Positions: 1 is at the dealer's left.")
    if found.differences:
        said.append(
            "Differences are paired: the same deals, seats and field. Holm: corrected for the "
            "number of positions."
        )
    return " ".join([*said, "ms: a decision, in a batch."])


def results_table(variant: str, group: list[Match], console: Console) -> Table:
    """Return the table of how each agent did in the field, as full as the console is wide."""
    endless = console.options.update(max_width=10_000)
    for positions, costs in SHAPES:
        table = _results(variant, group, positions, costs)
        if console.measure(table, options=endless).maximum <= console.width:
            break
    return table


def _results(variant: str, group: list[Match], positions: bool, costs: bool) -> Table:
    setting, names = group[0].setting, [_marked(one) for one in group]
    places = position_names(setting) if positions else []
    heads = [per_hand(setting), "won %", *places, *(["ms"] if costs else [])]
    title = f"{variant}, among {', '.join(group[0].field)}"
    table = plain_table(title, "agent", *heads, width=min(max(map(len, names)), 24))
    for name, one in zip(names, group, strict=True):
        means = [f"{at.mean:+.2f}" for at in one.by_position] if positions else []
        spent = [f"{one.results.milliseconds:.2g}"] if costs else []
        won = f"{100 * one.estimates['won'].mean:.1f}"
        table.add_row(name, interval(one.net), won, *means, *spent)
    return table


def differences_table(found: list[SeatDifference], setting: Setting) -> Table:
    """Return the table of paired differences, overall and at each position."""
    names = [f"{one.agent} − {one.minus}" for one in found]
    width = min(max(map(len, names)), 20)
    table = plain_table("", "difference", per_hand(setting), "Holm", "p", width=width)
    for name, one in zip(names, found, strict=True):
        table.add_row(name, coloured(one.net), "", "")
        for place, at in zip(position_names(setting), one.positions, strict=True):
            as_place = f"  {'as' if place == DEALER else 'at'} {place}"
            wide = f"[{_style(at.holm)}]\\[{at.holm.low:+.2f}, {at.holm.high:+.2f}][/]"
            p = "< 0.0001" if at.p < 0.0001 else f"{at.p:.4f}"
            table.add_row(as_place, coloured(at.own), wide, p)
    return table


def pairs_table(group: list[Match], pairs: dict[tuple[str, str], Match], console: Console) -> Table:
    """Return the table of each agent (a line) among seats all played by another (a column)."""
    endless = console.options.update(max_width=10_000)
    for with_interval in (True, False):
        table = _pairs(group, pairs, with_interval)
        if console.measure(table, options=endless).maximum <= console.width:
            break
    return table


def _pairs(group: list[Match], pairs: dict[tuple[str, str], Match], with_interval: bool) -> Table:
    names = [one.agent for one in group]
    title = f"{per_hand(group[0].setting)}: line among column"
    table = plain_table(title, "agent", width=min(max(map(len, names)) + 2, 24))
    for name in names:
        table.add_column(name, justify="right", overflow="fold", max_width=16)
    for one in group:
        found = [pairs.get((one.agent, other)) for other in names]
        cells = ["·" if match is None else _cell(match.net, with_interval) for match in found]
        table.add_row(_marked(one), *cells)
    return table


def _cell(net: Estimate, with_interval: bool) -> str:
    half = f" ± {net.high - net.mean:.2f}" if with_interval else ""
    return f"[{_style(net)}]{net.mean:+.2f}{half}[/]"


def _style(found: Estimate) -> str:
    return "green" if found.low > 0 else "red" if found.high < 0 else "dim"


def _marked(one: Match) -> str:
    return one.agent + SEES_ALL * one.sees_all + LOOKS_AHEAD * one.looks_ahead


def per_hand(setting: Setting) -> str:
    """Return what nets are counted in, as headings have it."""
    return f"{setting.unit_name} a {'hand' if has_dealer(setting.game) else 'game'}"


def position_names(setting: Setting) -> list[str]:
    """Return what positions are called: by number, the last one dealer."""
    names = [str(place) for place in range(1, setting.players + 1)]
    return [*names[:-1], DEALER] if has_dealer(setting.game) else names
