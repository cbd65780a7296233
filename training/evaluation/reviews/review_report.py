"""What is kept and shown of reviews: tables, Parquet (a row a decision), JSON, a picture."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..check_outputs import REVIEW_FILES
from ..report.report import interval_text, show_key, write_files
from ..report.terminal_tables import make_table, print_fitting
from .review import Review
from .review_bank import BankReview

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ACTIONS = 3
"""Other actions that a line of the table names, the best ones."""


def save(found: Review | BankReview, folder: Path | str) -> list[Path]:
    """Write decisions.parquet, summary.json and review (png, svg, pdf) into a folder.

    Returns the paths of what was written. Each file appears whole or not at all. Raises OSError if
    the folder cannot be written.
    """
    return write_files(folder, episodes(found), found.summary(), lambda: draw(found), REVIEW_FILES)


def draw(found: Review | BankReview) -> "Figure":
    """Return the picture of a review."""
    from .review_plots import plot_review  # Matplotlib takes a second to load

    return plot_review(found)


def reviews_of(found: Review | BankReview) -> list[Review]:
    """Return the reviews of single games."""
    return found.reviews if isinstance(found, BankReview) else [found]


def episodes(found: Review | BankReview) -> pa.Table:
    """Return a row for each decision; the summary, as JSON, is in the table's metadata.

    Values of all legal actions are in the column ``legal``, a list of records.
    """
    rows = []
    for one in reviews_of(found):
        named = {"game": one.game.name, "variant": one.variant, "deal": one.deal}
        named |= {"agent": one.agent, "seat": one.seat}  # type: ignore[dict-item]
        for i, decision in enumerate(one.decisions()):
            more = {"value": float(one.values[i]), "error": float(one.errors[i])}
            groups = {"kind": one.kinds[i], "phase": one.phases[i]}
            rows.append(named | decision | more | groups)
    table = pa.Table.from_pylist(rows)
    return table.replace_schema_metadata({"parlour": json.dumps(found.summary())})


def show(found: Review | BankReview, console: Console) -> None:
    """Print the tables of a review, or of an agent's reviews over a bank."""
    if isinstance(found, BankReview):
        _show_bank(found, console)
    else:
        _show_game(found, console)


def _show_game(found: Review, console: Console) -> None:
    who = f": {found.agent}" if found.agent else ""
    console.print(Text(f"{found.game.title}, {found.variant}, {found.deal}{who}", "bold"))
    print_fitting(console, [_game_table(found, wide) for wide in (True, False)])
    if dead := len(found.actions) - len(_telling(found)):
        console.print(Text(f"and {dead} decisions where no world could be won", "dim"))
    console.print(Text(_end_text(found)))
    for said in (_truth_text(found), _points_text(found)):
        if said is not None:
            console.print(Text(said))
    _show_judge(found, console)


def _show_judge(found: Review | BankReview, console: Console) -> None:
    judge = found.judge
    console.print(Text(f"values: {judge.text}; --seed {judge.seed}", "dim"), soft_wrap=True)
    undecided = sum(int(one.judged.undecided.sum()) for one in reviews_of(found))
    if undecided:
        dealt = judge.worlds * sum(len(one.actions) for one in reviews_of(found))
        said = f"{undecided:,} of {dealt:,} worlds were given up undecided: each counts as half won"
        console.print(Text(said, "dim"))
    console.print(
        Text(
            "loss: best action less the one taken. unseen: what not to know the hidden cards cost,"
            "\nwhatever was done. luck: what the cards turned up brought. ±: standard error.",
            "dim",
        )
    )


def _game_table(found: Review, wide: bool) -> Table:
    """A line for each decision."""
    heads = ("action", "value", "loss", *(("unseen", "luck") if wide else ()), "best others")
    table = make_table("", "#", "chance", *heads)
    table.columns[-1].justify = "left"
    for i in _telling(found):
        loss = found.losses[i]
        more = (found.number_text(found.unseen[i]), _luck_text(found, i)) if wide else ()
        mark = Text("  threw it away", "bold red") if found.threw_away[i] else Text("")
        if found.costs[i] > 0:
            mark = Text(f"  cost {found.costs[i]:g} of the points", "red")
        table.add_row(
            Text(str(found.steps[i] + 1)),
            _with_error(found, found.chances[i], found.judged.chance_errors[i]),
            Text(found.game.label(int(found.actions[i]))),
            _with_error(found, found.values[i], found.errors[i]),
            Text(found.number_text(loss), "red" if loss > 2 * found.errors[i] else ""),
            *more,
            Text(_others_text(found, i)) + mark,
        )
    return table


def _telling(found: Review) -> np.ndarray:
    """The decisions that have a line: not those where nothing was left to win, nor to lose."""
    if found.judge.unit != "won":
        return np.arange(len(found.actions))
    dead = (found.chances == 0) & (found.losses == 0) & ~found.threw_away
    return np.flatnonzero(~dead)


def _with_error(found: Review, value: float, error: float) -> str:
    return f"{found.number_text(value)} ±{found.number_text(error).removesuffix(' %')}"


def _luck_text(found: Review, i: int) -> str:
    return "" if np.isnan(found.luck[i]) else found.number_text(found.luck[i], sign=True)


def _others_text(found: Review, i: int) -> str:
    """The best of the other legal actions, with their values."""
    values = np.where(np.arange(found.game.actions) == found.actions[i], np.nan, 1)
    values = found.judged.values[i] * values
    order = [a for a in np.argsort(-values, kind="stable") if not np.isnan(values[a])]
    named = [
        f"{found.game.label(int(a))} {found.number_text(values[a])}" for a in order[:MOST_ACTIONS]
    ]
    left = len(order) - len(named)
    return ", ".join(named) + (f", {left} more" if left > 0 else "")


def _end_text(found: Review) -> str:
    """The way from the first chance to the outcome."""
    totals = {
        name: "?" if value is None else found.number_text(value)
        for name, value in found.totals().items()
    }
    lost = f"first chance {totals['first_chance']} − losses {totals['loss']}"
    if found.outcome is None:
        return f"{lost} − unseen {totals['unseen']} so far; the game goes on"
    return (
        f"{lost} − unseen {totals['unseen']} + luck {totals['luck']} = outcome {totals['outcome']}"
    )


def _truth_text(found: Review) -> str | None:
    """What one who knew all cards says."""
    if found.truths is None:
        return None
    first = {1.0: "could be won", 0.0: "could not be won"}.get(found.truths[0], "was not decided")
    where = [
        f"#{found.steps[i] + 1} ({found.game.label(int(found.actions[i]))})" for i in _thrown(found)
    ]
    thrown = f"; thrown away by {', '.join(where)}" if where else ""
    return f"truth, all cards known: this deal {first}{thrown}"


def _points_text(found: Review) -> str | None:
    """What the solver of a game of partners says of the cards that were played."""
    if found.points is None:
        return None
    known = np.flatnonzero(~np.isnan(found.costs))
    if len(known) == 0:
        return None
    first = known[0]
    cost = [
        f"#{found.steps[i] + 1} ({found.game.label(int(found.actions[i]))}) {found.costs[i]:g}"
        for i in known
        if found.costs[i] > 0
    ]
    return (
        f"double dummy, all cards known to all: at #{found.steps[first] + 1} the bidder's side "
        f"would take {found.points[first, 0]:g} points; of this seat's cards "
        + (f"these cost its side points: {', '.join(cost)}" if cost else "none cost a point")
    )


def _thrown(found: Review) -> list[int]:
    return [int(i) for i in np.flatnonzero(found.threw_away)]


def _show_bank(found: BankReview, console: Console) -> None:
    spec, n = found.spec, len(found.reviews)
    console.print(Text(f"{spec.game.title}, {spec.variant}, bank {spec.bank}: {found.agent}"))
    if found.lost_from is not None:
        some = f"the first {n:,} of {found.lost_from:,}" if n < found.lost_from else f"{n:,}"
        console.print(Text(f"{some} deals lost though they could be won", "bold"))
    elif n < spec.deals:
        console.print(Text(f"{n:,} of {spec.deals:,} deals were reviewed", "bold red"))
    times = 100 if found.judge.unit == "won" else 1
    table = make_table(f"a deal, mean of {n:,}", "", "%" if times == 100 else found.judge.unit)
    for name, estimate in found.estimates.items():
        sign = {"loss": "− ", "unseen": "− ", "luck": "+ ", "outcome": "= "}.get(name, "")
        table.add_row(Text(sign + name.replace("_", " ")), interval_text(estimate, times))
    print_fitting(console, [table])
    if found.winnable is not None:
        said = f"{found.winnable:,} of {n:,} deals could be won; {found.thrown:,} were thrown away"
        console.print(Text(f"truth, all cards known: {said}", "bold"))
    print_fitting(console, [_group_table("by kind of action", found, found.by_kind)])
    print_fitting(console, [_group_table("by phase", found, found.by_phase)])
    if found.lost_from is not None:
        print_fitting(console, [_decisions_table("where each was lost", _all_thrown(found))])
    print_fitting(console, [_decisions_table("worst decisions", found.worst)])
    _show_judge(found, console)
    show_key(spec.key, console)


def _group_table(title: str, found: BankReview, groups: list[dict[str, Any]]) -> Table:
    truth = found.winnable is not None
    heads = ("choices", "loss each", "loss a deal", "cost something %")
    table = make_table(title, "", *heads, *(("threw it away",) if truth else ()))
    for group in groups:
        table.add_row(
            Text(group["name"]),
            f"{group['decisions']:,}",
            found.number_text(group["loss"]),
            found.number_text(group["loss_a_deal"]),
            f"{100 * group['lossy']:.1f}",
            *((str(group["threw_away"]),) if truth else ()),
        )
    return table


def _all_thrown(found: BankReview) -> list[tuple[Review, int]]:
    return [(one, i) for one in found.reviews for i in _thrown(one)]


def _decisions_table(title: str, places: list[tuple[Review, int]]) -> Table:
    table = make_table(title, "deal", "#", "action", "value", "loss", "best others")
    table.columns[-1].justify = "left"
    for one, i in places:
        mark = Text("  threw it away", "bold red") if one.threw_away[i] else Text("")
        table.add_row(
            Text(one.deal.split(" of ")[0].removeprefix("deal ")),
            str(one.steps[i] + 1),
            Text(one.game.label(int(one.actions[i]))),
            _with_error(one, one.values[i], one.errors[i]),
            Text(one.number_text(one.losses[i]), "red"),
            Text(_others_text(one, i)) + mark,
        )
    return table
