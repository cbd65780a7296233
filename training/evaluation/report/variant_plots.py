"""Pictures over variants: win rates, or scores, side by side, and how scores are spread."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..compare import Comparison, as_comparison
from ..evaluate import Evaluation
from .plots import agent_colours, plain_axes
from .terminal import cut_middle

LINE, MARGIN = 0.24, 1.5
"""Heights of an agent's line in a variant, and of title and labels, inches."""
WIDTH = 9.5
NAME_LENGTH = 30
PARTS = (5, 25, 50, 75, 95)
"""Percentiles of scores that are shown."""


def plot_variants(found: Comparison | Evaluation) -> Figure:
    """Return a figure with a line for each variant, best first, and a dot for each agent.

    Bars are the intervals; a tick is what could be reached, where deals are labelled. It shows win
    rates, or mean scores in a game that nobody wins; needs no display.
    """
    found = as_comparison(found)
    measure = found.evaluations[0].game.measure
    times = 100 if measure == "won" else 1
    groups = sorted(
        found.variants.values(), key=lambda group: -max(one.estimate(measure).mean for one in group)
    )
    figure, axes, colours = _start(found, groups)
    for place, group in enumerate(groups):
        for one, y in zip(group, _lines(place, len(group)), strict=True):
            mean, low, high = (times * value for value in one.estimate(measure)[:3])
            axes.plot([low, high], [y, y], color=colours[one.agent], lw=2.2, alpha=0.55)
            axes.plot(mean, y, "o", color=colours[one.agent], ms=6, clip_on=False)
        _draw_bound(axes, group[0], place, times)
    axes.set_xlabel("deals won, %" if times == 100 else "mean score")
    axes.set_xlim(left=0 if axes.get_xlim()[0] > -0.1 * times else None)
    _name_agents(axes, groups[0], colours)
    return figure


def plot_scores(found: Comparison | Evaluation) -> Figure:
    """Return a figure of the scores of each agent by each variant; needs no display.

    Half of the deals lie in the thick bar, nine of ten in the thin one; a dot is the median, a
    triangle the mean.
    """
    found = as_comparison(found)
    groups = list(found.variants.values())
    figure, axes, colours = _start(found, groups)
    for place, group in enumerate(groups):
        for one, y in zip(group, _lines(place, len(group)), strict=True):
            low, left, middle, right, high = np.percentile(one.results.score, PARTS)
            colour = colours[one.agent]
            axes.plot([low, high], [y, y], color=colour, lw=1.4)
            axes.plot([left, right], [y, y], color=colour, lw=6.5, alpha=0.5, solid_capstyle="butt")
            axes.plot(middle, y, "o", color=colour, ms=5.5)
            axes.plot(one.results.score.mean(), y, "^", color="#222222", ms=4)
    axes.set_xlabel("score: half of the deals thick, nine of ten thin, ● median, ▲ mean")
    _name_agents(axes, groups[0], colours)
    return figure


def _start(
    found: Comparison, groups: list[list[Evaluation]]
) -> tuple[Figure, Axes, Mapping[str, str]]:
    """An empty figure with a line for each variant, and the agents' colours."""
    spec, lines = found.evaluations[0].spec, sum(len(group) + 1 for group in groups)
    figure = Figure(figsize=(WIDTH, LINE * lines + MARGIN), dpi=110, layout="constrained")
    axes = figure.subplots()
    names = [cut_middle(group[0].variant, NAME_LENGTH) for group in groups]
    axes.set_yticks(range(len(groups)), names, parse_math=False)
    axes.set_ylim(len(groups) - 0.45, -0.55)
    for place in range(1, len(groups)):
        axes.axhline(place - 0.5, color="#e6e6e6", lw=0.8)
    title = f"{spec.game.title}: {spec.deals:,} deals of bank {spec.bank} by each set of rules"
    axes.set_title(title, loc="left", fontsize=12, parse_math=False)
    plain_axes(axes)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    return figure, axes, agent_colours(e.agent for e in found.evaluations)


def _lines(place: int, agents: int) -> np.ndarray:
    """Where the agents of a variant lie, float64 (agents,)."""
    return place + (np.arange(agents) - (agents - 1) / 2) * min(0.26, 0.7 / max(agents, 1))


def _draw_bound(axes: Axes, one: Evaluation, place: int, times: int) -> None:
    if one.truth is None or one.truth.bound is None:
        return
    bound = times * one.truth.bound.mean
    axes.plot([bound, bound], [place - 0.36, place + 0.36], color="#222222", lw=1.6)
    if place == 0:
        said = "winnable" if times == 100 else "best found"
        axes.annotate(said, (bound, place - 0.36), (4, 1), textcoords="offset points", fontsize=9)


def _name_agents(axes: Axes, group: list[Evaluation], colours: Mapping[str, str]) -> None:
    """Write each agent's name in its colour above the lines, in their order."""
    axes.set_title(axes.get_title(loc="left"), loc="left", fontsize=12, pad=26, parse_math=False)
    x = 0.0
    for one in group:
        name = cut_middle(one.agent, NAME_LENGTH)
        axes.annotate(
            f"● {name}", (x, 1), (0, 7), xycoords="axes fraction", textcoords="offset points",
            color=colours[one.agent], fontsize=10, fontweight="bold", parse_math=False,
        )  # fmt: skip
        x += 0.018 * (len(name) + 5)
