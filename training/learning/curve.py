"""The learning curve of a run: how its agents did on the validation deals, step by step."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parlour.envs import Game

from ..evaluation.plots import COLOURS, plain_axes
from ..files import write_bytes
from .progress import FILE, read

PICTURE = "curve.png"
TOO_LITTLE = "too little to draw"


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure as PNG, whole or not at all."""
    image = BytesIO()
    figure.savefig(image, format="png")
    write_bytes(path, image.getvalue())


def plot_curve(game: Game, folder: Path, seeds: Sequence[int], unit: str = "steps") -> Figure:
    """Return what a run's logs say, a colour for each training seed.

    Dots are evaluations on the validation deals, thin lines the play of training. ``folder`` is the
    run's. Raises ValueError naming a log that is damaged.
    """
    figure = Figure(figsize=(9, 5), dpi=110, layout="constrained")
    axes, times = figure.subplots(), 100 if game.measure == "won" else 1
    longest = 0
    for place, seed in enumerate(seeds):
        lines = read(folder / f"seed-{seed}" / FILE)
        for kind in ("play", "eval"):
            name = f"{kind}/{game.measure}"
            points = [(line["steps"], times * line[name]) for line in lines if name in line]
            longest = max(longest, len(points))
            style = {"lw": 0.8, "alpha": 0.5} if kind == "play" else {"marker": "o", "ms": 5}
            label = f"seed {seed}" if kind == "eval" else None
            steps, values = zip(*points, strict=True) if points else ((), ())
            axes.plot(steps, values, color=COLOURS[place % len(COLOURS)], label=label, **style)
    if longest < 2:
        say_too_little(axes, f"{longest} point in the log")
    axes.plot([], [], color="#777777", lw=0.8, label="play in training")
    axes.set_xlabel(unit)
    axes.set_ylabel("deals won, %" if times == 100 else "mean score")
    axes.set_title(f"{folder.name}: dots are validation deals", loc="left", parse_math=False)
    plain_axes(axes)
    axes.legend(frameon=False)
    return figure


def say_too_little(axes: Axes, what: str) -> None:
    """Write across a picture that its lines cannot be seen, and why."""
    axes.text(0.5, 0.5, f"{TOO_LITTLE}: {what}", transform=axes.transAxes, ha="center")
