"""The result of a finished run over its seeds: as JSON, as text and as a learning curve."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parlour.agents.validation import (
    NUMBER,
    TABLE,
    TEXT,
    check_fields,
    name_file_in_errors,
    read_json,
    whole,
)
from parlour.envs import Game, find_game
from parlour.envs.core.contract import WINNABLE

from ..evaluation.labels.labels import NO_SCORE, find_labels, is_scored
from ..evaluation.report.plots import BASELINES, COLOURS, plain_axes
from ..files import seal, unseal, write_bytes, write_json
from .progress import FILE, read
from .run import RESULT_FILE
from .settings.base import Settings

PICTURE = "curve.png"
TOO_LITTLE = "not enough data to draw"
DARK = "#333333"
NAME_HEIGHT = 0.055
"""Height of a line's label, as a fraction of the picture's height."""

RESULT_FIELDS = {
    "steps": whole(0, 10**18),
    "seconds": NUMBER,
    "final": TABLE,
    "baselines": TABLE,
    "unit": TEXT,
}
"""Fields of a seed's result that this module reads."""


def summarise(settings: Settings, folder: Path) -> None:
    """Write ``result.json`` and the learning curve of a run, from the results of its seeds.

    Raises ValueError, naming the file and the field, for an invalid result of a seed.
    """
    game = find_game(settings.game)
    goal = game.goal_name(settings.list_rules().rules[0])
    seeds = [_read_result(folder / f"seed-{k}" / RESULT_FILE, goal) for k in settings.seeds]
    summary: dict[str, Any] = {
        "seeds": list(settings.seeds),
        "steps": seeds[0]["steps"],
        "unit": seeds[0]["unit"],
    }
    for fact in (goal, "score"):
        values = np.array([result["final"][fact]["mean"] for result in seeds])
        spread = float(values.std(ddof=1)) if len(values) > 1 else None
        summary[fact] = {
            "mean": float(values.mean()),
            "standard_deviation": spread,
            "by_seed": values.tolist(),
        }
    summary["seconds"] = [result["seconds"] for result in seeds]
    lines = [*_average_baselines(seeds), *_read_bound(settings)]
    figure = plot_curve(game, folder, settings.seeds, summary["unit"], lines)
    write_figure(folder / PICTURE, figure)
    write_json(folder / RESULT_FILE, seal(summary))


def _average_baselines(seeds: list[dict[str, Any]]) -> list[tuple[str, float]]:
    """Return the mean result of each baseline over the training seeds, by name."""
    return [
        (name, float(np.mean([result["baselines"][name] for result in seeds])))
        for name in seeds[0]["baselines"]
    ]


def _read_bound(settings: Settings) -> list[tuple[str, float]]:
    """Return the upper bound from the solver labels; nothing for several sets of rules.

    The labeled deals are not the validation deals, but come from the same distribution.
    """
    table = settings.list_rules()
    labels = None if table.has_several else find_labels(table.game, table.rules[0])
    if labels is None:
        return []
    name = "best found" if is_scored(table.game) else "winnable"
    if is_scored(table.game):
        values = labels.score[labels.score != NO_SCORE]
    else:
        values = labels.winnable == WINNABLE
    return [(f"{name}, {labels.deal_set}", float(values.mean()))] if len(values) else []


def _read_result(file: Path, goal: str) -> dict[str, Any]:
    """Return the result of a seed. Raises ValueError, naming file and field, if it is invalid."""
    with name_file_in_errors(file):
        result = unseal(read_json(file), file.name)
        check_fields(result, RESULT_FIELDS)
        baselines = result["baselines"]
        check_fields(baselines, dict.fromkeys(baselines, NUMBER), "baselines.")
        check_fields(result["final"], {goal: TABLE, "score": TABLE}, "final.")
        for fact in (goal, "score"):
            check_fields(result["final"][fact], {"mean": NUMBER}, f"final.{fact}.")
        return result


def report(folder: Path) -> str:
    """Return the result of a finished run as text."""
    with name_file_in_errors(folder / RESULT_FILE):
        summary = unseal(read_json(folder / RESULT_FILE), RESULT_FILE)
    goal = next(fact for fact in summary if fact not in ("seeds", "steps", "unit"))
    reached, score = summary[goal], summary["score"]
    played = f"{summary['steps']:,} {summary['unit']}"
    lines = [f"{folder}: {played}, evaluated on its validation deals:"]
    for k, seed in enumerate(summary["seeds"]):
        lines.append(
            f"  seed {seed}: {goal} {reached['by_seed'][k]:.1%}, score {score['by_seed'][k]:.2f}, "
            f"{summary['seconds'][k]:,.0f} s, agent in {folder / f'seed-{seed}' / 'agent'}"
        )
    lines.append(f"  learning curve: {folder / PICTURE}")
    if len(summary["seeds"]) > 1:
        means = [
            f"{name} {values['mean']:{form}}, standard deviation over seeds "
            f"{values['standard_deviation']:{form}}"
            for name, values, form in ((goal, reached, ".1%"), ("score", score, ".2f"))
        ]
        lines.append(f"  all: {'; '.join(means)}")
    return "\n".join(lines)


def time_table(folder: Path) -> str:
    """Return the time of each seed by phase, as text."""
    lines = []
    for path in sorted(folder.glob(f"seed-*/{RESULT_FILE}")):
        with name_file_in_errors(path):
            result = unseal(read_json(path), path.name)
        seconds = result["seconds_by_phase"]
        total = sum(seconds.values())
        parts = ", ".join(f"{name} {part / total:.1%}" for name, part in seconds.items())
        speed = f"{result['steps_per_second']:,.0f} {result['unit']}/s"
        lines.append(f"  seed {result['seed']}: {speed}: {parts}")
    return "\n".join(lines)


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure as a PNG file, completely or not at all."""
    image = BytesIO()
    figure.savefig(image, format="png")
    write_bytes(path, image.getvalue())


def plot_curve(
    game: Game,
    folder: Path,
    seeds: Sequence[int],
    unit: str = "steps",
    lines: Sequence[tuple[str, float]] = (),
) -> Figure:
    """Return the learning curve of a run, with one color per training seed.

    Dots are evaluations on the validation deals; thin lines are training games.

    Args:
        game: the game.
        folder: the folder of the run.
        seeds: the training seeds.
        unit: the unit of the steps.
        lines: baselines and upper bounds, each with its name and its value in the game's measure.

    Raises:
        ValueError: a log is damaged.
    """
    figure = Figure(figsize=(9, 5), dpi=110, layout="constrained")
    axes, times = figure.subplots(), 100 if game.measure == "won" else 1
    longest = 0
    for number, seed in enumerate(seeds):
        log, color = read(folder / f"seed-{seed}" / FILE), COLOURS[number % len(COLOURS)]
        for source in ("play", "eval"):
            name = f"{source}/{game.measure}"
            points = [(line["steps"], times * line[name]) for line in log if name in line]
            longest = max(longest, len(points))
            style = {"lw": 0.8, "alpha": 0.5} if source == "play" else {"marker": "o", "ms": 5}
            label = f"seed {seed}" if source == "eval" else None
            steps, values = zip(*points, strict=True) if points else ((), ())
            axes.plot(steps, values, color=color, label=label, **style)
    if longest < 2:
        write_too_little(axes, f"{longest} point in the log")
    axes.plot([], [], color="#777777", lw=0.8, label="training games")
    draw_levels(axes, [(name, times * value) for name, value in lines])
    axes.set_xlabel(unit)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel("deals won, %" if times == 100 else "mean score")
    axes.set_title(f"{folder.name}: dots are validation deals", loc="left", parse_math=False)
    plain_axes(axes)
    if lines:  # labels are on the right; a legend above the axes covers no line
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 0.99), ncols=4, fontsize=9)
        axes.set_title(axes.get_title(loc="left"), loc="left", pad=27, parse_math=False)
    else:
        axes.legend(frameon=False)
    return figure


def draw_levels(axes: Axes, levels: Sequence[tuple[str, float]]) -> None:
    """Draw levels as dashed lines, labeled with name and value at their right ends.

    Labels that would overlap are moved up.
    """
    for name, value in levels:
        axes.axhline(value, color=BASELINES.get(name, DARK), ls="--", lw=1.3, zorder=1)
    bottom, top = axes.get_ylim()
    free = bottom
    for name, value in sorted(levels, key=lambda level: level[1]):
        height = max(value, free)
        free = height + NAME_HEIGHT * (top - bottom)
        axes.annotate(
            f"{name} {value:.3g}", (1, height), (4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", color=BASELINES.get(name, DARK), fontsize=9,
            parse_math=False,
        )  # fmt: skip


def write_too_little(axes: Axes, reason: str) -> None:
    """Write into a picture that there is too little data to draw, and why."""
    axes.text(0.5, 0.5, f"{TOO_LITTLE}: {reason}", transform=axes.transAxes, ha="center")
