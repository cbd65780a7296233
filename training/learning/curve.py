"""The learning curve of a run: how its agents did on the validation deals, step by step."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parlour.envs import Game

from ..evaluation.report.plots import BASELINES, COLOURS, plain_axes
from ..files import write_bytes
from .progress import FILE, read

PICTURE = "curve.png"
TOO_LITTLE = "too little to draw"
DARK = "#333333"
NAME_HEIGHT = 0.055
"""Of a line's name, as a part of the picture's height."""


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure as PNG, whole or not at all."""
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
    """Return what a run's logs say, a colour for each training seed.

    Dots are evaluations on the validation deals, thin lines the play of training. ``folder`` is the
    run's. ``lines`` are baselines and bounds, each with its name and what it comes to, in the
    game's measure. Raises ValueError naming a log that is damaged.
    """
    figure = Figure(figsize=(9, 5), dpi=110, layout="constrained")
    axes, times = figure.subplots(), 100 if game.measure == "won" else 1
    longest = 0
    for place, seed in enumerate(seeds):
        log = read(folder / f"seed-{seed}" / FILE)
        for kind in ("play", "eval"):
            name = f"{kind}/{game.measure}"
            points = [(line["steps"], times * line[name]) for line in log if name in line]
            longest = max(longest, len(points))
            style = {"lw": 0.8, "alpha": 0.5} if kind == "play" else {"marker": "o", "ms": 5}
            label = f"seed {seed}" if kind == "eval" else None
            steps, values = zip(*points, strict=True) if points else ((), ())
            axes.plot(steps, values, color=COLOURS[place % len(COLOURS)], label=label, **style)
    if longest < 2:
        say_too_little(axes, f"{longest} point in the log")
    axes.plot([], [], color="#777777", lw=0.8, label="play in training")
    draw_levels(axes, [(said, times * value) for said, value in lines])
    axes.set_xlabel(unit)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel("deals won, %" if times == 100 else "mean score")
    axes.set_title(f"{folder.name}: dots are validation deals", loc="left", parse_math=False)
    plain_axes(axes)
    if lines:  # they have their names beside them, on the right; this stays clear of all lines
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 0.99), ncols=4, fontsize=9)
        axes.set_title(axes.get_title(loc="left"), loc="left", pad=27, parse_math=False)
    else:
        axes.legend(frameon=False)
    return figure


def draw_levels(axes: Axes, levels: Sequence[tuple[str, float]]) -> None:
    """Draw what does not learn as dashed lines, names and values at their right ends.

    Names are moved up where they would lie on each other.
    """
    for name, value in levels:
        axes.axhline(value, color=BASELINES.get(name, DARK), ls="--", lw=1.3, zorder=1)
    bottom, top = axes.get_ylim()
    free = bottom
    for name, value in sorted(levels, key=lambda level: level[1]):
        place = max(value, free)
        free = place + NAME_HEIGHT * (top - bottom)
        axes.annotate(
            f"{name} {value:.3g}", (1, place), (4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", color=BASELINES.get(name, DARK), fontsize=9,
            parse_math=False,
        )  # fmt: skip


def say_too_little(axes: Axes, what: str) -> None:
    """Write across a picture that its lines cannot be seen, and why."""
    axes.text(0.5, 0.5, f"{TOO_LITTLE}: {what}", transform=axes.transAxes, ha="center")
