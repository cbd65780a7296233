"""Reports of a hyperparameter search: a table, Parquet, JSON, a figure and a preset file."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from rich.console import Console
from rich.text import Text

from parlour.envs import find_game

from ..evaluation.report.plots import plain_axes
from ..evaluation.report.report import write_files
from ..files import write_bytes
from ..learning.run import format_measure
from ..learning.settings.base import Settings, default_of
from ..learning.settings.files import preset
from ..learning.summary import write_too_little
from .study import Tuned
from .trial import TunedTrial

FILES = ("trials.parquet", "tune.json", "tune.png")
BEST = "best.toml"
LEFT_OUT = ("game", "method", "runs", "name", "seeds", "profile")
"""Settings that the file with the best settings omits."""
MOST_SHOWN = 30
"""Maximum number of rows of the table in the terminal."""
SLICES = 4
"""Number of settings that have their own plot."""
COLOURS = {"done": "#2f9e6e", "pruned": "#bbbbbb"}


def save(tuned: Tuned, folder: Path | str) -> list[Path]:
    """Write trials.parquet, tune.json, best.toml and tune.png into a folder; return the paths.

    Each file is written completely or not at all. Raises OSError if the folder cannot be written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / BEST, best_preset(tuned).encode())
    preset(
        tuned.plan.base.game, file=folder / BEST
    )  # raises ValueError if the file is not readable
    written = write_files(folder, episodes(tuned), summary(tuned), lambda: draw(tuned), FILES)
    return [*written, folder / BEST]


def episodes(tuned: Tuned) -> pa.Table:
    """Return a table with a row for each trial and a column for each setting."""
    rows = []
    for trial in tuned.trials:
        row = asdict(trial)
        settings = row.pop("settings")
        rows.append(row | {name: settings.get(name) for name in _names(tuned)})
    return pa.Table.from_pylist(rows)


def _names(tuned: Tuned) -> list[str]:
    """Return the settings that were searched, most important first."""
    names = [dimension.name for dimension in tuned.plan.space]
    return sorted(names, key=lambda name: -tuned.importance.get(name, 0.0))


def summary(tuned: Tuned) -> dict[str, Any]:
    """Return the search as JSON values."""
    base = tuned.plan.base
    return {
        "game": base.game,
        "variant": base.name_rules(),
        "method": base.method,
        "measure": tuned.plan.measure,
        "seed": tuned.plan.seed,
        "space": {dimension.name: dimension.plain() for dimension in tuned.plan.space},
        "best": asdict(tuned.best),
        "importance": dict(tuned.importance),
        "trials": [asdict(trial) for trial in tuned.trials],
        "folder": str(tuned.folder),
        "settings": tuned.settings.plain(),
    }


def best_preset(tuned: Tuned) -> str:
    """Return the text of a preset file whose [default] has the settings of the best trial."""
    best, base = tuned.best, tuned.plan.base
    head = [
        f"# Best of {len(tuned.trials)} trials of parlour tune {base.game}: trial "
        f"{best.number}, {tuned.plan.measure} {best.value:.4g} on",
        f"# {base.eval_deals:,} validation deals. To train with these settings:",
        f"#   parlour train {base.game} --settings {BEST}",
        "",
        "[default]",
        f"method = {write_toml(base.method)}",
    ]
    changed = _list_changed(tuned.settings)
    lines = [f"{name} = {write_toml(value)}" for name, value in changed.items()]
    return "\n".join([*head, *lines]) + "\n"


def _list_changed(settings: Settings) -> dict[str, Any]:
    """Return the settings that differ from the defaults of their method."""
    changed = {}
    for setting in fields(settings):
        value = getattr(settings, setting.name)
        if setting.name in LEFT_OUT or value is None:
            continue
        if value != default_of(setting):
            changed[setting.name] = value
    return changed


def write_toml(value: Any) -> str:
    """Return the value of a setting as TOML."""
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(name)} = {write_toml(item)}" for name, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def show(tuned: Tuned, console: Console) -> None:
    """Print the trials as a table, and the importance of each setting."""
    from ..evaluation.report.terminal_tables import make_terminal_table, print_fitting

    names, base = _names(tuned), tuned.plan.base
    title = f"{find_game(base.game).title}, {base.name_rules()}: trials of {base.method}"
    table = make_terminal_table(title, "trial", tuned.plan.measure, "state", "s", *names)
    short = make_terminal_table(title, "trial", tuned.plan.measure, "state", *names[:3])
    for trial in tuned.trials[:MOST_SHOWN]:
        values = [_cell(trial.settings.get(name)) for name in names]
        head = (Text(str(trial.number)), _value(tuned, trial), trial.state)
        table.add_row(*head, _cell(trial.seconds and round(trial.seconds)), *values)
        short.add_row(*head, *values[:3])
    print_fitting(console, [table, short])
    if len(tuned.trials) > MOST_SHOWN:
        console.print(f"({len(tuned.trials) - MOST_SHOWN} more in {FILES[0]})")
    if tuned.importance:
        shares = (f"{name} {tuned.importance.get(name, 0):.0%}" for name in names)
        console.print(Text(f"importance (PED-ANOVA): {', '.join(shares)}"))


def _value(tuned: Tuned, trial: TunedTrial) -> str:
    return "–" if trial.value is None else format_measure(tuned.plan.measure, trial.value)


def _cell(value: Any) -> Text:
    return Text("" if value is None else f"{value:.3g}" if type(value) is float else str(value))


def draw(tuned: Tuned) -> Figure:
    """Return a figure with the values of the trials, in order and by setting."""
    tried = {name for trial in tuned.trials for name in trial.settings}
    names = [name for name in _names(tuned) if name in tried][:SLICES]
    figure = Figure(figsize=(10.5, 6.5), dpi=110, layout="constrained")
    figure.suptitle(tuned.headline(), fontsize=12, parse_math=False)
    grid = figure.add_gridspec(2, max(len(names), 1))
    _draw_history(figure.add_subplot(grid[0, :]), tuned)
    for column, name in enumerate(names):
        _draw_slice(figure.add_subplot(grid[1, column]), tuned, name)
    return figure


def _list_points(tuned: Tuned, state: str) -> list[tuple[TunedTrial, float]]:
    """Return the trials of a state that have a value, in order, with the values to draw.

    Win rates are drawn in percent.
    """
    factor = 100 if tuned.plan.measure == "won" else 1
    trials = sorted(tuned.trials, key=lambda trial: trial.number)
    return [
        (trial, factor * trial.value)
        for trial in trials
        if trial.state == state and trial.value is not None
    ]


def _draw_history(axes: Axes, tuned: Tuned) -> None:
    for state, color in COLOURS.items():
        points = _list_points(tuned, state)
        if points:
            numbers, values = [trial.number for trial, _ in points], [value for _, value in points]
            axes.scatter(numbers, values, s=18, color=color, label=state)
    done = _list_points(tuned, "done")
    best = [max(value for _, value in done[: i + 1]) for i in range(len(done))]
    numbers = [trial.number for trial, _ in done]
    axes.step(numbers, best, where="post", color="#333333", label="best")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("trial")
    is_share = tuned.plan.measure == "won"
    axes.set_ylabel("deals won, %" if is_share else f"mean {tuned.plan.measure}")
    plain_axes(axes)
    axes.legend(frameon=False, loc="lower right")
    if len(done) < 2:
        write_too_little(axes, f"{len(done)} finished trial")


def _draw_slice(axes: Axes, tuned: Tuned, name: str) -> None:
    dimension = next(each for each in tuned.plan.space if each.name == name)
    choices = dimension.values
    for state, color in COLOURS.items():
        points = [
            (trial.settings[name], value)
            for trial, value in _list_points(tuned, state)
            if name in trial.settings
        ]
        if choices:  # equally spaced, in the order of the space file
            points = [(choices.index(x), value) for x, value in points if x in choices]
        axes.scatter([x for x, _ in points], [value for _, value in points], s=14, color=color)
    if choices:
        axes.set_xticks(range(len(choices)), [str(choice) for choice in choices])
    elif dimension.log:
        axes.set_xscale("log")
    share = tuned.importance.get(name)
    axes.set_xlabel(name if share is None else f"{name} ({share:.0%})", parse_math=False)
    plain_axes(axes)
