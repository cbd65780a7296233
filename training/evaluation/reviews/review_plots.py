"""Plots of reviews: the chance over a game, and the losses of an agent."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..report.plots import COLOURS, Picture, plain_axes
from .review import Review

if TYPE_CHECKING:
    from .review_deal_set import DealSetReview

CHANCE, OPEN_CARDS, LOST = "#4c78a8", "#777777", "#c0392b"
NAMED = 4
"""Number of losses that the plot labels."""
ERRORS = 2
"""Number of standard errors on each side of the line."""


def plot_game(review: Review) -> Figure:
    """Return a figure of the chance over a game, and of the loss of each decision below it."""
    figure = Picture(figsize=(10.5, 5.6), dpi=110, layout="constrained")
    agent = f": {review.agent}" if review.agent else ""
    title = f"{review.game.title}, {review.variant}, {review.deal}{agent}"
    figure.suptitle(title, fontsize=12, parse_math=False)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
    times = _times(review)
    _draw_chance(upper, review, times)
    _draw_losses(lower, review, times)
    lower.set_xlabel(f"action of the game ({review.judge.text})", fontsize=9)
    lower.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _times(review: "Review | DealSetReview") -> int:
    """Return the factor of plotted values: 100 for shares, which are shown in percent."""
    return 100 if review.judge.unit == "won" else 1


def _unit(review: "Review | DealSetReview") -> str:
    return "%" if review.judge.unit == "won" else review.judge.unit


def _draw_chance(axes: Axes, review: Review, times: int) -> None:
    places, chances = _with_outcome(review, review.chances, review.outcome)
    errors = ERRORS * np.append(
        review.judged.chance_errors, [0.0] * (len(places) - len(review.steps))
    )
    axes.fill_between(
        places,
        times * _inside(review, chances - errors),
        times * _inside(review, chances + errors),
        color=CHANCE,
        alpha=0.18,
        lw=0,
        label=f"± {ERRORS} standard errors",
    )
    axes.plot(places, times * chances, color=CHANCE, marker="o", ms=3.5, label="known cards only")
    if review.open_values is not None:
        ends = review.open_values[-1] if review.outcome is not None else None
        where, open_values = _with_outcome(review, review.open_values[:-1], ends)
        label = "all cards known"
        axes.step(
            where, times * open_values, where="pre", color=OPEN_CARDS, ls="--", lw=1.2, label=label
        )
    for i in np.flatnonzero(review.made_unwinnable):
        axes.axvline(review.steps[i] + 1, color=LOST, lw=1.2)
        text = f"made unwinnable: {review.move_text(int(i))}"
        axes.annotate(
            text,
            (review.steps[i] + 1, 0.5),
            xycoords=("data", "axes fraction"),
            xytext=(-4, 0),
            textcoords="offset points",
            rotation=90,
            color=LOST,
            ha="right",
            va="center",
            fontsize=9,
            parse_math=False,
        )
    if times == 100:
        axes.set_ylim(-3, 103)
    axes.set_ylabel("chance to win, %" if times == 100 else f"expected {_unit(review)}")
    axes.legend(loc="best", fontsize=9, frameon=True, framealpha=0.9, edgecolor="none")
    plain_axes(axes)


def _with_outcome(review: Review, values: np.ndarray, last: float | None) -> tuple[Any, Any]:
    """Return the x coordinates of values, and the values, each with the end appended."""
    places = review.steps + 1
    if last is None:
        return places, values
    return np.append(places, review.length + 1), np.append(values, last)


def _inside(review: Review, values: np.ndarray) -> np.ndarray:
    return values.clip(0, 1) if review.judge.unit == "won" else values


def _draw_losses(axes: Axes, review: Review, times: int) -> None:
    losses = times * review.losses
    width = 0.8 if review.length < 60 else 0.012 * review.length
    axes.bar(review.steps + 1, losses, width=width, color=LOST)
    top = max(losses.max(initial=0), times * 0.05)
    for i in np.argsort(-losses, kind="stable")[:NAMED]:
        if losses[i] > 0.04 * top:
            label = review.move_text(int(i))
            axes.annotate(
                label,
                (review.steps[i] + 1, losses[i]),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                parse_math=False,
            )
    axes.set_ylim(min(1.2 * losses.min(initial=0), 0), 1.3 * top)
    axes.set_ylabel(f"loss, {_unit(review)}")
    plain_axes(axes)


def plot_deal_set(review: "DealSetReview") -> Figure:
    """Return a figure of losses by kind of action, by phase, and by deal."""
    figure = Picture(figsize=(10.5, 4.4), dpi=110, layout="constrained")
    title = (
        f"{review.game.title}, {review.spec.variant}: {review.agent}, {len(review.reviews)} deals"
    )
    figure.suptitle(f"{title} of deal set {review.spec.deal_set}", fontsize=12, parse_math=False)
    kinds, phases, spread = figure.subplots(1, 3)
    times, unit = _times(review), _unit(review)
    for axes, groups, colour in (
        (kinds, review.by_kind, LOST),
        (phases, review.by_phase, COLOURS[0]),
    ):
        names = [group["name"] for group in groups]
        values = [times * group["loss_a_deal"] for group in groups]
        axes.barh(range(len(names)), values, color=colour, height=0.62)
        axes.set_yticks(range(len(names)), names, parse_math=False)
        axes.invert_yaxis()
        axes.set_xlabel(f"loss per deal, {unit}")
        plain_axes(axes)
    kinds.set_title("by kind of action", loc="left", fontsize=11)
    phases.set_title("by phase", loc="left", fontsize=11)
    losses = np.sort([times * one.losses.sum() for one in review.reviews])[::-1]
    spread.plot(100 * (np.arange(len(losses)) + 0.5) / len(losses), losses, color=CHANCE)
    spread.set_title("by deal", loc="left", fontsize=11)
    spread.set_xlabel("deals, %, largest loss first")
    spread.set_ylabel(f"loss, {unit}")
    plain_axes(spread)
    return figure
