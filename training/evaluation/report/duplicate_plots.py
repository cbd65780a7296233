"""The picture of play at tables of several seats: each among each other, and all in one field."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..duplicate_results import (
    DEALER,
    DuplicateComparison,
    DuplicateEvaluation,
    as_comparison,
    per_hand,
    position_names,
)
from .plots import agent_colours, axis_labels, draw_bar, plain_axes
from .terminal import cut_middle, cut_names

CELL, BAR = 0.62, 0.42
"""Heights of a line of the heat map and of an agent's bar, inches."""
PANEL = 1.7
"""Height of a variant's panels beside that, inches: labels, title."""
WIDTH = 13.5
NAME_LENGTH = 18
"""Letters of an agent's name."""


def plot_duplicate(found: DuplicateComparison | DuplicateEvaluation) -> Figure:
    """Return a figure with a line of panels for each variant; needs no display.

    They are the heat map of all pairs, where there are any, the means in the field, and the means
    at each position.
    """
    found = as_comparison(found)
    colours = agent_colours(one.agent for one in found.matches)
    variants = found.variants
    heights = [max(CELL * len(group), 2.4) + PANEL for group in variants.values()]
    has_pairs = any(one.pair for one in found.matches)
    ratios = (0.9, 0.8, 1.0) if has_pairs else (0.8, 1.0)
    figure = Figure(
        figsize=(WIDTH if has_pairs else 0.7 * WIDTH, sum(heights) + 0.5),
        dpi=110,
        layout="constrained",
    )
    spec = found.matches[0].spec
    sessions = f" of {spec.hands} hands" if spec.hands > 1 else ""
    figure.suptitle(
        f"{spec.game.title}: {spec.deals:,} deals{sessions} of bank {spec.bank}, each "
        f"from every seat, {spec.confidence:.0%} intervals",
        fontsize=12,
        parse_math=False,  # names are text: a $ in them begins no formula
    )
    axes = figure.subplots(
        len(heights), len(ratios), squeeze=False, width_ratios=ratios, height_ratios=heights
    )
    for line, (variant, group) in zip(axes, variants.items(), strict=True):
        if has_pairs:
            _draw_pairs(line[0], group, found.pairs(variant))
        _draw_field(line[-2], group, colours)
        _draw_positions(line[-1], group, colours)
    return figure


def _draw_pairs(
    axes: Axes, group: list[DuplicateEvaluation], pairs: dict[tuple[str, str], DuplicateEvaluation]
) -> None:
    """A cell for each agent (line) among seats all played by another (column)."""
    names = [one.agent for one in group]
    nets = np.full((len(names), len(names)), np.nan)
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            if (name, other) in pairs:
                nets[i, j] = pairs[name, other].net.mean
    shades = np.sign(nets) * np.sqrt(np.abs(nets))  # so that one rout does not pale all others
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
    axes.set_yticks(range(len(names)), axis_labels(group, NAME_LENGTH), parse_math=False)
    axes.set_xlabel("in all other seats")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    spec = group[0].spec
    title = f"{spec.variant}: line among column, {per_hand(spec)}"
    axes.set_title(title, loc="left", fontsize=11)


def _draw_field(axes: Axes, group: list[DuplicateEvaluation], colours: Mapping[str, str]) -> None:
    """The mean of each agent in the field."""
    span = max(abs(limit) for one in group for limit in one.net[1:3]) or 1.0
    for place, one in enumerate(group):
        mean, low, high, _ = one.net
        draw_bar(axes, place, (mean, low, high), colours[one.agent], height=0.6)
        free = max(high, 0.0) + 0.03 * span  # right of the bar, or of the axis if it lies left
        axes.text(free, place, f"{mean:+.2f}", va="center", fontsize=9)
    axes.axvline(0, color="#222222", lw=0.8)
    axes.set_yticks(range(len(group)), axis_labels(group, NAME_LENGTH), parse_math=False)
    middle, reach = (len(group) - 1) / 2, max(len(group), 3) / 2
    axes.set_ylim(middle + reach, middle - reach)
    lows, highs = zip(*(one.net[1:3] for one in group), strict=True)
    axes.set_xlim(min(0.0, *lows) - 0.05 * span, max(0.0, *highs) + 0.3 * span)
    spec = group[0].spec
    axes.locator_params("x", nbins=6)
    axes.set_xlabel(per_hand(spec))
    among = ", ".join(group[0].field)
    title = f"{spec.variant}, among {cut_middle(among, 34)}"
    axes.set_title(title, loc="left", fontsize=11, parse_math=False)
    plain_axes(axes)


def _draw_positions(
    axes: Axes, group: list[DuplicateEvaluation], colours: Mapping[str, str]
) -> None:
    """The mean of each agent at each position, in the field."""
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
    beside = " (colours as beside)" if len(group) > 1 else ""
    axes.set_title(f"there, by position{beside}", loc="left", fontsize=11)
    plain_axes(axes)
