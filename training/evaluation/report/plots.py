"""The picture of a comparison: win rates, or scores, with intervals, and the spread of scores."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..compare import Comparison, as_comparison
from ..duplicate_results import DuplicateEvaluation
from ..evaluate import Evaluation
from .terminal import cut_names

BASELINES = {"uniform": "#8a8a8a", "greedy": "#4c78a8"}
"""The colours of those that stand in most pictures."""
COLOURS = (
    *("#f58518", "#2f9e6e", "#b279a2", "#e45756", "#17a2b0", "#9d755d", "#d4a72c", "#6a51a3"),
    *("#8ecae6", "#7a9a01", "#1b7837", "#a50f15", "#2c3e9e", "#00c2a0", "#c51b8a", "#5d4037"),
)
"""Those of the others, by their names."""
LABEL_LENGTH = 30
"""Letters of an agent's name beside its bar."""
BAR = 0.32
"""Height of one agent's bar, inches."""
PANEL = 1.6
"""Height of a variant's panels beside its bars, inches: labels, title."""
WIDTH = 10.5


def plot_comparison(comparison: Comparison | Evaluation) -> Figure:
    """Return a figure with a line of two panels for each variant; needs no display."""
    comparison = as_comparison(comparison)
    colours = agent_colours(one.agent for one in comparison.evaluations)
    variants = comparison.variants
    heights = [max(BAR * len(group), 1.1) for group in variants.values()]
    figure = Figure(
        figsize=(WIDTH, sum(heights) + PANEL * len(heights) + 0.5), dpi=110, layout="constrained"
    )
    spec = comparison.evaluations[0].spec
    figure.suptitle(
        f"{spec.game.title}: {spec.deals:,} deals of bank {spec.bank}, "
        f"{spec.confidence:.0%} intervals",
        fontsize=12,
        parse_math=False,  # names are text: a $ in them begins no formula
    )
    axes = figure.subplots(
        len(heights), 2, squeeze=False, width_ratios=(1, 1), height_ratios=heights
    )
    for line, (variant, group) in zip(axes, variants.items(), strict=True):
        _draw_means(line[0], variant, group, colours)
        _draw_scores(line[1], group, colours)
    return figure


def _draw_means(
    axes: Axes, variant: str, group: list[Evaluation], colours: Mapping[str, str]
) -> None:
    measure = group[0].game.measure
    times, unit = (100, " %") if measure == "won" else (1, "")
    found = [one.estimate(measure) for one in group]
    truth = group[0].truth
    bound = times * truth.bound.mean if truth is not None and truth.bound is not None else None
    top = max([times * one.high for one in found] + [bound or 0.0]) or 1.0
    for place, one in enumerate(found):
        mean, low, high = (times * value for value in one[:3])
        draw_bar(axes, place, (mean, low, high), colours[group[place].agent], height=0.62)
        axes.text(
            high + 0.02 * top,
            place,
            f"{mean:.{3 if times == 100 else 4}g}{unit}",
            va="center",
            fontsize=9,
        )
    axes.set_yticks(range(len(group)), axis_labels(group, LABEL_LENGTH), parse_math=False)
    axes.invert_yaxis()
    lowest = min(times * one.low for one in found)
    axes.set_xlim(min(0.0, 1.16 * lowest), max(1.16 * top, 0.0))
    said = "deals won, %" if measure == "won" else "mean score"
    if bound is not None:
        axes.axvline(bound, ls="--", color="#444444", lw=1.2)
        said += f" (dashed: {'winnable' if measure == 'won' else 'best found'}, {bound:.3g})"
    axes.set_xlabel(said)
    axes.set_title(variant, loc="left", fontsize=11, fontweight="bold")
    plain_axes(axes)


def _draw_scores(axes: Axes, group: list[Evaluation], colours: Mapping[str, str]) -> None:
    """The share of deals that reached at least each score: an upper line is a better agent."""
    lowest = min(int(one.results.score.min()) for one in group)
    highest = max(int(one.results.score.max()) for one in group)
    marks = np.arange(lowest, highest + 1)
    for one in group:
        ordered = np.sort(one.results.score)
        share = 100 * (1 - np.searchsorted(ordered, marks) / len(ordered))
        colour = colours[one.agent]
        axes.plot(marks, share, drawstyle="steps-mid", color=colour, alpha=0.85)
        mean = one.results.score.mean()
        axes.plot(mean, 0, marker="^", color=colour, clip_on=False, ms=6, zorder=3)
    axes.set_ylim(0, 102)
    axes.set_xlabel("score (▲ mean)")
    axes.set_ylabel("deals that reach it, %")
    plain_axes(axes)


def axis_labels(group: Sequence[Evaluation | DuplicateEvaluation], longest: int) -> list[str]:
    """Return agents' names for an axis, each with what marks it in tables, in words."""
    names = cut_names([one.agent for one in group], longest)
    return [
        name + "\n(sees all)" * one.sees_all + "\n(other rules)" * one.other_rules
        for name, one in zip(names, group, strict=True)
    ]


def draw_bar(
    axes: Axes, place: int, limits: tuple[float, float, float], colour: str, *, height: float
) -> None:
    """Draw the bar of an agent with its interval; ``limits`` are mean, low and high."""
    mean, low, high = limits
    axes.barh(place, mean, height=height, color=colour, alpha=0.85)
    axes.errorbar(
        mean, place, xerr=[[mean - low], [high - mean]], color="#222222", capsize=3, lw=1.2
    )


def agent_colours(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each agent, which it has in every picture.

    It comes from the name alone; only where two in one picture would have the same, the later one
    by the alphabet takes the next. With more agents than colours some are shared.
    """
    found: dict[str, str] = {}
    for name in sorted(set(names)):
        first = sha256(name.encode()).digest()[0] % len(COLOURS)
        wanted = [BASELINES.get(name), *COLOURS[first:], *COLOURS[:first]]
        free = (colour for colour in wanted if colour and colour not in found.values())
        found[name] = next(free, COLOURS[first])
    return found


def plain_axes(axes: Axes) -> None:
    """Draw a grid behind the data, and no frame above or to the right."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="both", color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)


picture = plot_comparison
"""The public name of before."""
