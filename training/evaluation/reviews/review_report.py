"""Reports of reviews: tables, Parquet (one row per decision), JSON, and a plot."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..report.report import interval_text, show_evaluation_seed, write_files
from ..report.terminal_tables import make_terminal_table, print_fitting
from .review import REVIEW_FILES, Review
from .review_deal_set import DealSetReview
from .review_words import list_moves, tell_move

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHAPES = ((True, True), (False, True), (False, False))
"""Layouts of the table of a game, from wide to narrow: whether it has the columns unseen and luck,
and whether it has the best alternatives."""
MOST_ACTIONS = 3
"""Number of alternative actions in a row of the table."""


def save(review: Review | DealSetReview, folder: Path | str) -> list[Path]:
    """Write decisions.parquet, summary.json and review (png, svg, pdf) into a folder.

    Each file appears whole or not at all. Returns the paths of the files. Raises OSError if the
    folder cannot be written.
    """
    return write_files(
        folder, episodes(review), review.summary(), lambda: draw(review), REVIEW_FILES
    )


def draw(review: Review | DealSetReview) -> "Figure":
    """Return the plot of a review."""
    from .review_plots import plot_deal_set, plot_game  # Matplotlib takes a second to load

    return plot_deal_set(review) if isinstance(review, DealSetReview) else plot_game(review)


def reviews_of(review: Review | DealSetReview) -> list[Review]:
    """Return the reviews of single games."""
    return review.reviews if isinstance(review, DealSetReview) else [review]


def episodes(review: Review | DealSetReview) -> pa.Table:
    """Return a table with a row for each decision, and the summary as JSON in its metadata.

    The column ``legal`` has the values of all legal actions as a list of records.
    """
    rows = []
    for one in reviews_of(review):
        named = {"game": one.game.name, "variant": one.variant, "deal": one.deal}
        named |= {"agent": one.agent, "seat": one.seat}  # type: ignore[dict-item]
        for i, decision in enumerate(one.decisions()):
            taken = {"value": float(one.values[i]), "error": float(one.errors[i])}
            groups = {"kind": one.kinds[i], "phase": one.phases[i]}
            rows.append(named | decision | taken | groups)
    table = pa.Table.from_pylist(rows)
    return table.replace_schema_metadata({"parlour": json.dumps(review.summary())})


def show(review: Review | DealSetReview, console: Console) -> None:
    """Print the tables of a review, or of an agent's reviews over a deal set."""
    if isinstance(review, DealSetReview):
        _show_deal_set(review, console)
    else:
        _show_game(review, console)


def _show_game(review: Review, console: Console) -> None:
    agent = f": {review.agent}" if review.agent else ""
    console.print(Text(f"{review.game.title}, {review.variant}, {review.deal}{agent}", "bold"))
    print_fitting(console, [_game_table(review, *shape) for shape in SHAPES])
    if dead := len(review.actions) - len(_telling(review)):
        console.print(
            Text(f"Not shown: {dead} decisions in which no sampled world could be won.", "dim")
        )
    for move in list_moves(review):
        if review.lost[move.first : move.stop].any():
            number = review.steps[move.first] + 1
            console.print(Text(f"#{number}: {tell_move(review, move)}", "bold"))
    console.print(Text(_end_text(review)))
    for text in (_open_cards_text(review), _points_text(review)):
        if text is not None:
            console.print(Text(text))
    _show_judge(review, console)


def _show_judge(review: Review | DealSetReview, console: Console) -> None:
    judge = review.judge
    console.print(Text(f"Values: {judge.text}. Seed of the worlds: {judge.seed}.", "dim"))
    undecided = sum(int(one.judged.undecided.sum()) for one in reviews_of(review))
    if undecided:
        dealt = judge.worlds * sum(len(one.actions) for one in reviews_of(review))
        text = (
            f"The solver left {undecided:,} of {dealt:,} worlds undecided; each counts as half won."
        )
        console.print(Text(text, "dim"))
    console.print(
        Text(
            "Chance: value of the position. Loss: value of the best action minus value of the "
            "action taken. Unseen: chance minus value of the best action, the effect of hidden "
            "cards. Luck: effect of the cards turned up. ±: standard error.",
            "dim",
        )
    )


def _game_table(review: Review, with_luck: bool, with_others: bool) -> Table:
    """Return a table with a row for each decision."""
    heads = ["action", "value", "loss", *(["unseen", "luck"] if with_luck else [])]
    heads += ["best alternatives"] if with_others else []
    table = make_terminal_table("", "#", "chance", *heads, "note")
    for column in table.columns[-1 - with_others :]:
        column.justify = "left"
    for i in _telling(review):
        loss = review.losses[i]
        unseen_and_luck = (
            (review.number_text(review.unseen[i]), _luck_text(review, i)) if with_luck else ()
        )
        mark = Text("made unwinnable", "bold red") if review.made_unwinnable[i] else Text("")
        if review.costs[i] > 0:
            mark = Text(f"lost {review.costs[i]:g} points", "red")
        table.add_row(
            Text(str(review.steps[i] + 1)),
            _with_error(review, review.chances[i], review.judged.chance_errors[i]),
            Text(review.action_text(i)),
            _with_error(review, review.values[i], review.errors[i]),
            Text(review.number_text(loss), "red" if loss > 2 * review.errors[i] else ""),
            *unseen_and_luck,
            *((Text(_others_text(review, i)),) if with_others else ()),
            mark,
        )
    return table


def _telling(review: Review) -> np.ndarray:
    """Return the decisions with a row: all but those without a chance and without a loss."""
    if review.judge.unit != "won":
        return np.arange(len(review.actions))
    dead = (review.chances == 0) & (review.losses == 0) & ~review.made_unwinnable
    return np.flatnonzero(~dead)


def _with_error(review: Review, value: float, error: float) -> str:
    return f"{review.number_text(value)} ±{review.number_text(error).removesuffix(' %')}"


def _luck_text(review: Review, i: int) -> str:
    return "" if np.isnan(review.luck[i]) else review.number_text(review.luck[i], sign=True)


def _others_text(review: Review, i: int) -> str:
    """Return the best of the other legal actions, with their values."""
    values = np.where(np.arange(review.game.actions) == review.actions[i], np.nan, 1)
    values = review.judged.values[i] * values
    order = [a for a in np.argsort(-values, kind="stable") if not np.isnan(values[a])]
    named = [
        f"{review.action_text(i, a)} {review.number_text(values[a])}" for a in order[:MOST_ACTIONS]
    ]
    left = len(order) - len(named)
    return ", ".join(named) + (f", {left} more" if left > 0 else "")


def _end_text(review: Review) -> str:
    """Return the sum from the first chance to the outcome as text."""
    totals = {
        name: "?" if value is None else review.number_text(value)
        for name, value in review.totals().items()
    }
    lost = f"First chance {totals['first_chance']} − losses {totals['loss']}"
    if review.outcome is None:
        return f"{lost} − unseen {totals['unseen']} so far; the game is not over."
    return (
        f"{lost} − unseen {totals['unseen']} + luck {totals['luck']} = outcome {totals['outcome']}"
    )


def _open_cards_text(review: Review) -> str | None:
    """Return the solver's result with all cards known, as text."""
    if review.open_values is None:
        return None
    first = {1.0: "is winnable", 0.0: "is not winnable"}.get(review.open_values[0], "is undecided")
    where = [
        f"#{review.steps[i] + 1} ({review.move_text(i)})" for i in _list_made_unwinnable(review)
    ]
    thrown = f"; {', '.join(where)} made it unwinnable" if where else ""
    return f"With all cards known, this deal {first}{thrown}."


def _points_text(review: Review) -> str | None:
    """Return the double-dummy points of the played cards, as text."""
    if review.points is None:
        return None
    known = np.flatnonzero(~np.isnan(review.costs))
    if len(known) == 0:
        return None
    first = known[0]
    cost = [
        f"#{review.steps[i] + 1} ({review.action_text(int(i))}) {review.costs[i]:g}"
        for i in known
        if review.costs[i] > 0
    ]
    return (
        f"Double dummy, with all cards known: at #{review.steps[first] + 1} the bidder's side "
        f"would take {review.points[first, 0]:g} points. "
        + (
            f"Points lost by cards of this seat: {', '.join(cost)}."
            if cost
            else "No card of this seat lost points."
        )
    )


def _list_made_unwinnable(review: Review) -> list[int]:
    return [int(i) for i in np.flatnonzero(review.made_unwinnable)]


def _show_deal_set(review: DealSetReview, console: Console) -> None:
    spec, n = review.spec, len(review.reviews)
    console.print(
        Text(f"{spec.game.title}, {spec.variant}, deal set {spec.deal_set}: {review.agent}")
    )
    if review.lost_from is not None:
        number = f"the first {n:,} of {review.lost_from:,}" if n < review.lost_from else f"{n:,}"
        console.print(Text(f"{number} winnable deals that the agent lost", "bold"))
    elif n < spec.deals:
        console.print(Text(f"Only {n:,} of {spec.deals:,} deals were reviewed.", "bold red"))
    times = 100 if review.judge.unit == "won" else 1
    table = make_terminal_table(
        f"mean over {n:,} deals", "", "%" if times == 100 else review.judge.unit
    )
    for name, estimate in review.estimates.items():
        sign = {"loss": "− ", "unseen": "− ", "luck": "+ ", "outcome": "= "}.get(name, "")
        table.add_row(Text(sign + name.replace("_", " ")), interval_text(estimate, times))
    if review.luck_corrected is not None:
        table.add_row(Text("luck-corrected"), interval_text(review.luck_corrected, times))
    print_fitting(console, [table])
    if review.winnable is not None:
        text = (
            f"{review.winnable:,} of {n:,} deals are winnable; the agent made "
            f"{review.made_unwinnable:,} of them unwinnable."
        )
        console.print(Text(f"With all cards known, {text}", "bold"))
    print_fitting(console, [_group_table("by kind of action", review, review.by_kind)])
    print_fitting(console, [_group_table("by phase", review, review.by_phase)])
    if review.lost_from is not None:
        print_fitting(
            console,
            [
                _decisions_table(
                    "decisions that made a deal unwinnable", _list_all_made_unwinnable(review)
                )
            ],
        )
    print_fitting(console, [_decisions_table("worst decisions", review.worst)])
    _show_judge(review, console)
    show_evaluation_seed(spec.evaluation_seed, console)


def _group_table(title: str, review: DealSetReview, groups: list[dict[str, Any]]) -> Table:
    open_cards = review.winnable is not None
    heads = ("choices", "loss per choice", "loss per deal", "with a loss %")
    table = make_terminal_table(title, "", *heads, *(("made unwinnable",) if open_cards else ()))
    for group in groups:
        table.add_row(
            Text(group["name"]),
            f"{group['decisions']:,}",
            review.number_text(group["loss"]),
            review.number_text(group["loss_a_deal"]),
            f"{100 * group['lossy']:.1f}",
            *((str(group["made_unwinnable"]),) if open_cards else ()),
        )
    return table


def _list_all_made_unwinnable(review: DealSetReview) -> list[tuple[Review, int]]:
    return [(one, i) for one in review.reviews for i in _list_made_unwinnable(one)]


def _decisions_table(title: str, places: list[tuple[Review, int]]) -> Table:
    table = make_terminal_table(title, "deal", "#", "action", "value", "loss", "best alternatives")
    table.columns[-1].justify = "left"
    for one, i in places:
        mark = Text("  made unwinnable", "bold red") if one.made_unwinnable[i] else Text("")
        table.add_row(
            Text(one.deal.split(" of ")[0].removeprefix("deal ")),
            str(one.steps[i] + 1),
            Text(one.action_text(i)),
            _with_error(one, one.values[i], one.errors[i]),
            Text(one.number_text(one.losses[i]), "red"),
            Text(_others_text(one, i)) + mark,
        )
    return table
