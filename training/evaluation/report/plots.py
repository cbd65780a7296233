"""Plots of comparisons: each variant, several variants, and games for several players."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..result import (
    DEALER,
    Comparison,
    Evaluation,
    SolitaireEvaluation,
    TableEvaluation,
    as_comparison,
    per_hand,
    position_names,
)
from .terminal import cut_middle, cut_names

BASELINES = {"uniform": "#8a8a8a", "greedy": "#4c78a8"}
"""Colors of the baselines, which are in most plots."""
COLOURS = (
    *("#f58518", "#2f9e6e", "#b279a2", "#e45756", "#17a2b0", "#9d755d", "#d4a72c", "#6a51a3"),
    *("#8ecae6", "#7a9a01", "#1b7837", "#a50f15", "#2c3e9e", "#00c2a0", "#c51b8a", "#5d4037"),
)
"""Colors of the other agents; the name determines the color."""
NAME_LENGTH = 30
"""Most letters of an agent's name next to its bar."""
BAR, PANEL, WIDTH = 0.32, 1.6, 10.5
"""Sizes in inches: height of one agent's bar, additional height of a variant's panels (labels and
title), width of the figure."""
TABLE_CELL, TABLE_PANEL, TABLE_WIDTH = 0.62, 1.7, 13.5
"""The same sizes for games for several players, where the first is a row of the heat map."""
TABLE_NAME_LENGTH = 18
LINE, MARGIN, LINES_WIDTH = 0.24, 1.5, 9.5
"""Sizes in inches of a plot over variants: an agent's line, title and labels, width."""
PERCENTILES = (5, 25, 50, 75, 95)
"""Percentiles of the plotted scores."""


class Picture(Figure):
    """A figure that notebooks show as a picture, with and without ``%matplotlib inline``."""

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        self.savefig(image, format="png")
        return image.getvalue()


def plot_comparison(result: Comparison[Any] | Evaluation) -> Figure:
    """Return a figure with a row of panels for each variant; no display is needed.

    In games for one player, the panels show win rates (or mean scores) with intervals, and the
    distribution of scores. In multiplayer games, they show the heat map of all pairs (if there are
    any), and the mean net results against the opponents, in total and at each seat (counted from
    the dealer's left).

    Args:
        result: A comparison or an evaluation.
    """
    comparison = as_comparison(result)
    is_multiplayer = comparison.spec.is_multiplayer
    return _plot_tables(comparison) if is_multiplayer else _plot_solitaire(comparison)


def _make_panels(
    comparison: Comparison[Any],
    size: tuple[float, float],
    widths: Sequence[float],
    heights: Sequence[float],
) -> tuple[Figure, Any]:
    """Return a figure with a title, and its axes: a row of panels for each variant."""
    spec = comparison.spec
    figure = Picture(figsize=size, dpi=110, layout="constrained")
    sessions = f" of {spec.hands} hands" if spec.is_multiplayer and spec.hands > 1 else ""
    seats = ", each from every seat" if spec.is_multiplayer else ""
    figure.suptitle(
        f"{spec.game.title}: {spec.deals:,} deals{sessions} of deal set {spec.deal_set}{seats}, "
        f"{100 * spec.confidence:.0f} % intervals",
        fontsize=12,
        parse_math=False,  # a $ in a name must not start a formula
    )
    axes = figure.subplots(
        len(heights), len(widths), squeeze=False, width_ratios=widths, height_ratios=heights
    )
    return figure, axes


def _plot_solitaire(comparison: Comparison[SolitaireEvaluation]) -> Figure:
    """Return a figure with a row of two panels for each variant."""
    colours = agent_colours(one.agent for one in comparison.evaluations)
    variants = comparison.variants
    heights = [max(BAR * len(group), 1.1) for group in variants.values()]
    size = WIDTH, sum(heights) + PANEL * len(heights) + 0.5
    figure, axes = _make_panels(comparison, size, (1, 1), heights)
    for line, (variant, group) in zip(axes, variants.items(), strict=True):
        _draw_means(line[0], variant, group, colours)
        _draw_scores(line[1], group, colours)
    return figure


def _draw_means(
    axes: Axes, variant: str, group: list[SolitaireEvaluation], colours: Mapping[str, str]
) -> None:
    measure = group[0].game.measure
    times, unit = (100, " %") if measure == "won" else (1, "")
    estimates = [one.estimate(measure) for one in group]
    bound = _upper_bound(group[0], times)
    top = max([times * one.high for one in estimates] + [bound or 0.0]) or 1.0
    for place, one in enumerate(estimates):
        mean, low, high = (times * value for value in one[:3])
        draw_bar(axes, place, (mean, low, high), colours[group[place].agent], height=0.62)
        axes.text(
            high + 0.02 * top,
            place,
            f"{mean:.2f}{unit}",
            va="center",
            fontsize=9,
        )
    axes.set_yticks(range(len(group)), axis_labels(group, NAME_LENGTH), parse_math=False)
    axes.invert_yaxis()
    lowest = min(times * one.low for one in estimates)
    axes.set_xlim(min(0.0, 1.16 * lowest), max(1.16 * top, 0.0))
    label = "deals won, %" if measure == "won" else "mean score"
    if bound is not None:
        axes.axvline(bound, ls="--", color="#444444", lw=1.2)
        label += f" (dashed: {'winnable' if measure == 'won' else 'best found'}, {bound:.2f}{unit})"
    axes.set_xlabel(label)
    axes.set_title(variant, loc="left", fontsize=11, fontweight="bold")
    plain_axes(axes)


def _upper_bound(one: SolitaireEvaluation, times: int) -> float | None:
    """Return the mean of the upper bound times a factor; None without labeled deals."""
    compared = one.label_comparison
    return None if compared is None or compared.bound is None else times * compared.bound.mean


def _draw_scores(axes: Axes, group: list[SolitaireEvaluation], colours: Mapping[str, str]) -> None:
    """Draw the share of deals that reach each score; the line of a better agent is higher."""
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
    axes.set_ylabel("deals with at least this score, %")
    plain_axes(axes)


def _plot_tables(comparison: Comparison[TableEvaluation]) -> Figure:
    """Return a figure with a row of two or three panels for each variant."""
    colours = agent_colours(one.agent for one in comparison.evaluations)
    variants = comparison.variants
    heights = [max(TABLE_CELL * len(group), 2.4) + TABLE_PANEL for group in variants.values()]
    has_pairs = any(one.pair for one in comparison.evaluations)
    widths = (0.9, 0.8, 1.0) if has_pairs else (0.8, 1.0)
    size = TABLE_WIDTH if has_pairs else 0.7 * TABLE_WIDTH, sum(heights) + 0.5
    figure, axes = _make_panels(comparison, size, widths, heights)
    for line, (variant, group) in zip(axes, variants.items(), strict=True):
        if has_pairs:
            _draw_pairs(line[0], group, comparison.pairs(variant))
        _draw_nets(line[-2], group, colours)
        _draw_positions(line[-1], group, colours)
    return figure


def _draw_pairs(
    axes: Axes, group: list[TableEvaluation], pairs: dict[tuple[str, str], TableEvaluation]
) -> None:
    """Draw a cell for each agent (row) with another agent (column) in all opposing seats."""
    names = [one.agent for one in group]
    nets = np.full((len(names), len(names)), np.nan)
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            if (name, other) in pairs:
                nets[i, j] = pairs[name, other].net.mean
    shades = np.sign(nets) * np.sqrt(
        np.abs(nets)
    )  # so that one large value does not make all others pale
    most = float(np.nanmax(np.abs(shades), initial=0.0)) or 1.0
    axes.imshow(shades, cmap="RdBu", vmin=-1.15 * most, vmax=1.15 * most, aspect="auto")
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            if (name, other) in pairs:
                net = pairs[name, other].net
                ink = "white" if abs(shades[i, j]) > 0.6 * most else "#222222"
                axes.text(j, i - 0.08, f"{net.mean:+.2f}", ha="center", va="center", color=ink)
                half = f"± {net.high - net.mean:.2f}"
                axes.text(j, i + 0.22, half, ha="center", va="center", color=ink, fontsize=8)
    room = max(6, 42 // len(names))
    axes.set_xticks(range(len(names)), cut_names(names, room), parse_math=False)
    axes.set_yticks(range(len(names)), axis_labels(group, TABLE_NAME_LENGTH), parse_math=False)
    axes.set_xlabel("agent in all opposing seats")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    spec = group[0].spec
    title = f"{spec.variant}: pairs, {per_hand(spec)}"
    axes.set_title(title, loc="left", fontsize=11)


def _draw_nets(axes: Axes, group: list[TableEvaluation], colours: Mapping[str, str]) -> None:
    """Draw the mean net result of each agent against the opponents."""
    span = max(abs(limit) for one in group for limit in one.net[1:3]) or 1.0
    for place, one in enumerate(group):
        mean, low, high, _ = one.net
        draw_bar(axes, place, (mean, low, high), colours[one.agent], height=0.6)
        free = max(high, 0.0) + 0.03 * span  # right of the bar, or of the axis for negative values
        axes.text(free, place, f"{mean:+.2f}", va="center", fontsize=9)
    axes.axvline(0, color="#222222", lw=0.8)
    axes.set_yticks(range(len(group)), axis_labels(group, TABLE_NAME_LENGTH), parse_math=False)
    middle, reach = (len(group) - 1) / 2, max(len(group), 3) / 2
    axes.set_ylim(middle + reach, middle - reach)
    lows, highs = zip(*(one.net[1:3] for one in group), strict=True)
    axes.set_xlim(min(0.0, *lows) - 0.05 * span, max(0.0, *highs) + 0.3 * span)
    spec = group[0].spec
    axes.locator_params("x", nbins=6)
    axes.set_xlabel(per_hand(spec))
    opponents = ", ".join(group[0].opponents)
    title = f"{spec.variant}; opponents: {cut_middle(opponents, 28)}"
    axes.set_title(title, loc="left", fontsize=11, parse_math=False)
    plain_axes(axes)


def _draw_positions(axes: Axes, group: list[TableEvaluation], colours: Mapping[str, str]) -> None:
    """Draw the mean net result of each agent at each position, against the opponents."""
    places = np.arange(group[0].spec.num_players)
    for place, one in enumerate(group):
        apart = 0.5 * (place - (len(group) - 1) / 2) / max(len(group), 2)
        means, lows, highs, _ = (np.array(part) for part in zip(*one.position_means, strict=True))
        axes.errorbar(
            places + apart, means, yerr=[means - lows, highs - means], fmt="o", ms=5,
            color=colours[one.agent], capsize=3, lw=1.3,
        )  # fmt: skip
    axes.axhline(0, color="#222222", lw=0.8)
    names = position_names(group[0].spec)
    axes.set_xticks(places, names)
    axes.set_xlabel("position (1: at the dealer's left)" if names[-1] == DEALER else "position")
    axes.set_ylabel(per_hand(group[0].spec))
    same = " (same colors)" if len(group) > 1 else ""
    axes.set_title(f"by position{same}", loc="left", fontsize=11)
    plain_axes(axes)


def plot_variants(result: Comparison[SolitaireEvaluation] | SolitaireEvaluation) -> Figure:
    """Return a figure with a row for each variant, in their order, and a dot for each agent.

    The dots are win rates, or mean scores in games without winners. Bars are intervals; a tick
    marks the upper bound of labeled deals. No display is needed.
    """
    comparison = as_comparison(result)
    measure = comparison.spec.game.measure
    times = 100 if measure == "won" else 1
    groups = list(comparison.variants.values())
    figure, axes, colours = _start(comparison, groups)
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


def plot_scores(result: Comparison[SolitaireEvaluation] | SolitaireEvaluation) -> Figure:
    """Return a figure of the score distribution of each agent with each variant.

    The thick bar contains the middle half of the deals, the thin bar nine out of ten. A dot marks
    the median, a triangle the mean. No display is needed.
    """
    comparison = as_comparison(result)
    groups = list(comparison.variants.values())
    figure, axes, colours = _start(comparison, groups)
    for place, group in enumerate(groups):
        for one, y in zip(group, _lines(place, len(group)), strict=True):
            low, left, middle, right, high = np.percentile(one.results.score, PERCENTILES)
            colour = colours[one.agent]
            axes.plot([low, high], [y, y], color=colour, lw=1.4)
            axes.plot([left, right], [y, y], color=colour, lw=6.5, alpha=0.5, solid_capstyle="butt")
            axes.plot(middle, y, "o", color=colour, ms=5.5)
            axes.plot(one.results.score.mean(), y, "^", color="#222222", ms=4)
    axes.set_xlabel("score (thick bar: middle 50 % of deals, thin bar: 90 %, ● median, ▲ mean)")
    _name_agents(axes, groups[0], colours)
    return figure


def _start(
    comparison: Comparison[SolitaireEvaluation], groups: list[list[SolitaireEvaluation]]
) -> tuple[Figure, Axes, Mapping[str, str]]:
    """Return an empty figure with a row for each variant, and the agents' colors."""
    spec, lines = comparison.spec, sum(len(group) + 1 for group in groups)
    figure = Picture(figsize=(LINES_WIDTH, LINE * lines + MARGIN), dpi=110, layout="constrained")
    axes = figure.subplots()
    names = [cut_middle(group[0].variant, NAME_LENGTH) for group in groups]
    axes.set_yticks(range(len(groups)), names, parse_math=False)
    axes.set_ylim(len(groups) - 0.45, -0.55)
    for place in range(1, len(groups)):
        axes.axhline(place - 0.5, color="#e6e6e6", lw=0.8)
    title = f"{spec.game.title}: {spec.deals:,} deals of deal set {spec.deal_set} with each variant"
    axes.set_title(title, loc="left", fontsize=12, parse_math=False)
    plain_axes(axes)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    return figure, axes, agent_colours(one.agent for one in comparison.evaluations)


def _lines(place: int, agents: int) -> np.ndarray:
    """Return the y coordinates of the agents of a variant, float64 (agents,)."""
    return place + (np.arange(agents) - (agents - 1) / 2) * min(0.26, 0.7 / max(agents, 1))


def _draw_bound(axes: Axes, one: SolitaireEvaluation, place: int, times: int) -> None:
    bound = _upper_bound(one, times)
    if bound is None:
        return
    axes.plot([bound, bound], [place - 0.36, place + 0.36], color="#222222", lw=1.6)
    if place == 0:
        label = "winnable" if times == 100 else "best found"
        axes.annotate(label, (bound, place - 0.36), (4, 1), textcoords="offset points", fontsize=9)


def _name_agents(axes: Axes, group: list[SolitaireEvaluation], colours: Mapping[str, str]) -> None:
    """Write the agents' names in their colors above the rows."""
    axes.set_title(axes.get_title(loc="left"), loc="left", fontsize=12, pad=26, parse_math=False)
    x = 0.0
    for one in group:
        name = cut_middle(one.agent, NAME_LENGTH)
        axes.annotate(
            f"● {name}", (x, 1), (0, 7), xycoords="axes fraction", textcoords="offset points",
            color=colours[one.agent], fontsize=10, fontweight="bold", parse_math=False,
        )  # fmt: skip
        x += 0.018 * (len(name) + 5)


def axis_labels(group: Sequence[Evaluation], longest: int) -> list[str]:
    """Return agents' names for an axis, with the marks of the tables in words."""
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
    """Return a color for each agent, the same in every plot.

    The color depends on the name alone, unless two agents of one plot collide: then the later one
    in alphabetical order takes the next color. With more agents than colors, some share a color.
    """
    colours: dict[str, str] = {}
    for name in sorted(set(names)):
        first = sha256(name.encode()).digest()[0] % len(COLOURS)
        wanted = [BASELINES.get(name), *COLOURS[first:], *COLOURS[:first]]
        free = (colour for colour in wanted if colour and colour not in colours.values())
        colours[name] = next(free, COLOURS[first])
    return colours


def plain_axes(axes: Axes) -> None:
    """Draw a grid behind the data, and no frame above or to the right."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="both", color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
