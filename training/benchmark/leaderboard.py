"""Leaderboards: all methods with results on a task, best first.

A leaderboard is computed from the entries of a folder of results, and has no file of its own.
"""

from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from parlour.agents.registry import imports_code
from parlour.agents.saved import AGENT_FILE, PRETRAINED_FOLDER, digest_agent
from parlour.envs import GAMES

from ..evaluation.report.terminal import time_text
from ..evaluation.result import per_hand
from ..evaluation.stats import Estimate, student_mean
from .entries import BenchmarkEntry
from .tasks import ALL_TASKS, DEAL_SET, NONE, OPPONENTS, Task

NOTHING = "–"
HEADS = (
    "below upper bound",
    "training",
    "seeds",
    "time per decision",
    "sees hidden cards",
    "source",
)
"""Heads of the columns after method and result."""


class Row(NamedTuple):
    """The results of a method on a task."""

    entries: Sequence[BenchmarkEntry]
    """The entries of the method, one for each training seed."""
    below: float | None
    """The distance to the best agent that sees hidden cards (None: there is no such agent)."""

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.entries[0].method

    @property
    def task(self) -> Task:
        """The task."""
        return self.entries[0].task_object

    @property
    def model(self) -> str:
        """The name of the pretrained agent that plays, alone or in a search; empty if none does."""
        return find_model(self.entries[0].agent_digest)

    @property
    def estimate(self) -> Estimate:
        """The mean with its 95 % interval: over training seeds, or over deals for one seed."""
        return estimate_entries(self.entries)

    @property
    def ms(self) -> float:
        """The mean time per decision in milliseconds, 0 if it is unknown."""
        return float(np.mean([one.ms for one in self.entries]))

    @property
    def sees_all(self) -> bool:
        """Whether the agent sees hidden cards."""
        return self.entries[0].sees_all

    @property
    def cells(self) -> tuple[str, ...]:
        """The text of all columns: method, result, and those of `HEADS`."""
        mean, times = self.estimate, self.task.times
        steps = max(one.steps for one in self.entries)
        budget = self.entries[0].budget
        return (
            self.method,
            mean.text(times) if mean.n > 1 else f"{times * mean.mean:.2f}",
            NOTHING if self.below is None else f"≈ {times * self.below:.2f}",
            NOTHING if budget == NONE else f"{budget}, {steps:,} steps" if steps else budget,
            str(len(self.entries)),
            time_text(self.ms) if self.ms else NOTHING,
            "yes" if self.sees_all else "no",
            self.model or describe_source(self.entries[0]),
        )

    def has_agent(self, digest: str) -> bool:
        """Return whether the saved agent with a digest plays, alone or in a search."""
        return digest in [one.agent_digest for one in self.entries]


def estimate_entries(entries: Sequence[BenchmarkEntry]) -> Estimate:
    """Return the mean result of one method, whose entries have different training seeds."""
    if len(entries) == 1:
        return entries[0].raw
    return student_mean(np.array([one.raw.mean for one in entries]))


def list_rows(entries: Sequence[BenchmarkEntry], task: Task) -> list[Row]:
    """Return the leaderboard of a task, best first."""
    by_method: dict[str, list[BenchmarkEntry]] = {}
    for entry in entries:
        if entry.task == task.name:
            by_method.setdefault(entry.method, []).append(entry)
    means = {name: estimate_entries(group).mean for name, group in by_method.items()}
    seen = [means[name] for name, group in by_method.items() if group[0].sees_all]
    order = sorted(by_method, key=lambda name: (-means[name], name))
    return [Row(by_method[name], max(seen) - means[name] if seen else None) for name in order]


def list_leaderboards(
    entries: Sequence[BenchmarkEntry], tasks: Collection[str] = ALL_TASKS
) -> dict[str, list[Row]]:
    """Return the leaderboards of tasks with results, by name, the tasks of a game in sequence."""
    chosen = [task for task in ALL_TASKS.values() if task.name in tasks]
    chosen.sort(key=lambda task: list(GAMES).index(task.game))
    rows = {task.name: list_rows(entries, task) for task in chosen}
    return {name: group for name, group in rows.items() if group}


def title_task(task: Task) -> str:
    """Return the title of a leaderboard: game and rules."""
    rules = f"{task.test_sets} sets of rules" if task.kind == "rules" else task.variant
    return f"{task.game_object.title}, {rules}"


def describe_deals(task: Task) -> str:
    """Return the deals of a task in words."""
    if task.kind == "exploitability":
        return "a best response to the agent, without deals"
    deals = f"deals 0 to {task.deals - 1:,} of {DEAL_SET}"
    return f"{deals} with each set of rules" if task.kind == "rules" else deals


def describe_unit(task: Task) -> str:
    """Return the head of the column of results."""
    if task.measure == "won":
        return "won, %"
    if not task.is_multiplayer:
        return task.measure
    unit = per_hand(next(task.make_specs(deals=2)))
    if task.kind == "exploitability":
        return f"minus exploitability, {unit}"
    return f"{unit}, opponents: {', '.join(OPPONENTS)}"


def describe_conditions(rows: Sequence[Row]) -> str:
    """Return a sentence about the origin of results."""
    machines, versions, dates = (
        sorted({getattr(one, name) for row in rows for one in row.entries})
        for name in ("machine", "parlour", "date")
    )
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"Measured with Parlour {', '.join(versions)}, {days}, on {'; '.join(machines)}."


@cache
def _list_models() -> dict[str, str]:
    """Return the names of the pretrained agents by their digests."""
    folders = sorted(path.parent for path in PRETRAINED_FOLDER.glob(f"*/{AGENT_FILE}"))
    return {digest_agent(folder): folder.name for folder in folders}


def find_model(digest: str) -> str:
    """Return the name of the pretrained agent with a digest, empty if there is none."""
    return _list_models().get(digest, "")


def describe_source(entry: BenchmarkEntry) -> str:
    """Return the source of an agent: files next to the entry, code, or Parlour itself."""
    if entry.games:
        return "recorded games"
    if entry.agent_digest:
        return "saved agent"
    if imports_code(entry.agent):
        return f"code: {entry.agent}"
    return "built in" if entry.agent == entry.method else f"built in: {entry.agent}"
