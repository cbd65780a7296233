"""Entries of the benchmark: the values of one agent on one task, as a JSON file.

An entry holds the value of every deal and no derived number, so its score cannot contradict its
values. `FIELDS` is the schema. The file of an entry is ``METHOD/TASK-seed-K.json`` in the folder of
results.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.validation import (
    NUMBER,
    TEXT,
    YES_OR_NO,
    Field,
    check_fields,
    check_known,
    name_file_in_errors,
    read_json,
    shorten,
    whole,
)

from ..evaluation.stats import Estimate, bootstrap_mean, student_mean, wilson_rate
from ..files import write_bytes
from .tasks import ALL_TASKS, BUDGETS, TIME_CLASSES, VERSION, Task, find_task

FORMAT = 1
MOST_VALUES = 100_000
METHOD = re.compile(r"[a-z0-9][a-z0-9.@:-]{0,79}")
"""Names of methods, which are folder names, too."""
RUNS = "runs"
"""Folder of training runs, inside the folder of results."""
DIGEST = re.compile(r"([0-9a-f]{16})?")
PARLOUR = re.compile(r"\d+(\.\d+)+[\w.+-]{0,40}")
"""Version numbers of Parlour."""


def _is_values(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_VALUES and all(map(NUMBER.fits, value))


def _is_method(value: Any) -> bool:
    return isinstance(value, str) and METHOD.fullmatch(value) is not None and value != RUNS


def _is_date(value: Any) -> bool:
    with suppress(TypeError, ValueError):
        return date.fromisoformat(value).isoformat() == value
    return False


def _one_of(names: Iterable[str]) -> Field:
    allowed = list(names)
    return Field(f"one of {', '.join(allowed)}", lambda value: value in allowed)


NOT_NEGATIVE = Field("a number >= 0", lambda value: NUMBER.fits(value) and value >= 0)
FIELDS = {
    "format": Field(f"{FORMAT}", lambda value: value == FORMAT),
    "benchmark": Field(f"{VERSION}, the version of the benchmark", lambda value: value == VERSION),
    "method": Field(
        "lower-case letters, digits and . @ : - (at most 80)",
        lambda value: _is_method(value),
    ),
    "task": _one_of(ALL_TASKS),
    "budget": _one_of(BUDGETS),
    "seed": whole(0, (1 << 31) - 1),
    "agent": TEXT,
    "agent_digest": Field(
        "16 hex digits, or empty",
        lambda value: isinstance(value, str) and DIGEST.fullmatch(value) is not None,
    ),
    "games": TEXT,
    "rules_digest": TEXT,
    "steps": whole(0, 10**12),
    "training_seconds": NOT_NEGATIVE,
    "time_class": _one_of(TIME_CLASSES),
    "ms": NOT_NEGATIVE,
    "single_ms": NOT_NEGATIVE,
    "sees_all": YES_OR_NO,
    "values": Field(f"a list of at most {MOST_VALUES:,} finite numbers", _is_values),
    "parlour": Field(
        "a version such as 0.1.0",
        lambda value: isinstance(value, str) and PARLOUR.fullmatch(value) is not None,
    ),
    "machine": Field(
        "the name of a machine",
        lambda value: isinstance(value, str) and value.strip() != "" and value.isprintable(),
    ),
    "date": Field("a date such as 2026-01-31", _is_date),
}
"""The schema: the allowed values of each field."""


@dataclass(frozen=True)
class BenchmarkEntry:
    """The result of one agent on one task."""

    method: str
    """The name of the method. Entries with the same method differ in task and seed."""
    task: str
    budget: str
    """The training budget, a name in `BUDGETS`."""
    seed: int
    """The training seed; for agents without training, 0."""
    agent: str
    """The spec of the agent that plays the task again; empty if only ``games`` are available. A
    path is relative to the folder of results."""
    agent_digest: str
    """The digest of a saved agent; empty for other agents."""
    games: str
    """The file with the recorded games of all deals, next to the entry; empty: none."""
    rules_digest: str
    steps: int
    """Number of timesteps of training."""
    training_seconds: float
    """Wall time of training."""
    time_class: str
    """The time class of the agent's decisions, a name in `TIME_CLASSES`."""
    ms: float
    """Milliseconds per decision in batches."""
    single_ms: float
    """Milliseconds per decision, one game at a time."""
    sees_all: bool
    """Whether the agent sees hidden cards."""
    values: tuple[float, ...]
    """The value of each deal (see `Task.measure`)."""
    parlour: str
    machine: str
    date: str

    @property
    def task_object(self) -> Task:
        """The task."""
        return ALL_TASKS[self.task]

    @property
    def title(self) -> str:
        """The name of the entry in reports."""
        return f"{self.method}, {self.task}, seed {self.seed}"

    @cached_property
    def deal_values(self) -> np.ndarray:
        """The value of each deal, float64 (deals,).

        With several sets of rules, it is the mean over them: the results of one deal under
        different rules are not independent.
        """
        sets = self.task_object.test_sets or 1
        return np.asarray(self.values, np.float64).reshape(sets, -1).mean(axis=0)

    @cached_property
    def raw(self) -> Estimate:
        """The mean of the values with its 95 % interval over deals."""
        task, values = self.task_object, self.deal_values
        if len(values) == 1:
            return Estimate(values[0], values[0], values[0], 1)
        if task.measure == "won" and not task.test_sets:
            return wilson_rate(values > 0)
        return (student_mean if task.is_multiplayer or task.test_sets else bootstrap_mean)(values)

    @property
    def score(self) -> float:
        """The normalized score. Raises ValueError for a task that is not scored."""
        return float(self.task_object.normalize(self.raw.mean))

    @property
    def error(self) -> float:
        """The standard error of the normalized score over deals."""
        task, n = self.task_object, len(self.deal_values)
        spread = float(np.std(self.deal_values, ddof=1)) if n > 1 else 0.0
        return float((task.normalize(spread) - task.normalize(0.0)) / np.sqrt(n))


def locate_entry(folder: Path, method: str, task: str, seed: int) -> Path:
    """Return the path of an entry in a folder of results."""
    return folder / method.replace(":", "-") / f"{task}-seed-{seed}.json"


def write_entry(folder: Path, entry: BenchmarkEntry) -> Path:
    """Write an entry into a folder of results, atomically, and return its path.

    Raises ValueError for a field with a value that is not allowed, and if the file has an entry of
    another method.
    """
    table = {"format": FORMAT, "benchmark": VERSION} | asdict(entry)
    check_fields(table | {"values": list(entry.values)}, FIELDS)
    path = locate_entry(folder, entry.method, entry.task, entry.seed)
    if path.exists() and (other := read_entry(path)).method != entry.method:
        raise ValueError(
            f"method must not have the same file as {other.method}, got {entry.method}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    whole_as_int = [int(value) if value.is_integer() else value for value in entry.values]
    text = json.dumps(table | {"values": None}, indent=2)
    # One line with all values, which are thousands.
    text = text.replace('"values": null', f'"values": {json.dumps(whole_as_int)}')
    write_bytes(path, f"{text}\n".encode())
    return path


def read_entry(path: Path) -> BenchmarkEntry:
    """Return the entry in a file.

    Raises:
        ValueError: A field is missing, unknown or wrong; or the number of values is not that of the
            task. The message names the file and the field.
        OSError: The file cannot be read.
    """
    with name_file_in_errors(path):
        table = read_json(path)
        check_fields(table, FIELDS)
        check_known(table, FIELDS)
        task = find_task(table["task"])
        values = table["values"]
        if len(values) != task.num_values:
            raise ValueError(
                f"field values must have {task.num_values:,} values for task {task.name}, got "
                f"{len(values):,}"
            )
        _check_values(task, values)
        if not table["agent"] and not table["games"]:
            raise ValueError("field agent must name an agent, or field games a file of games")
        fields = {name: table[name] for name in table if name not in ("format", "benchmark")}
        return BenchmarkEntry(**fields | {"values": tuple(map(float, values))})


def _check_values(task: Task, values: list[float]) -> None:
    """Raise ValueError for a value that the game cannot give."""
    for deal, value in enumerate(values):
        if task.measure == "won":
            allowed, fits = "0 or 1", value in (0, 1)
        elif task.measure == "score":
            low, high = task.game_object.score_range
            allowed, fits = f"a score from {low:g} to {high:g}", low <= value <= high
        else:
            continue
        if not fits:
            raise ValueError(
                f"field values must have {allowed}, got {shorten(value)} (deal {deal})"
            )


def list_entries(folder: Path) -> list[Path]:
    """Return the files of entries in a folder of results.

    Raises:
        ValueError: The folder does not exist.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: must be a folder of benchmark results")
    return sorted(folder.glob("*/*-seed-*.json"))


def read_located(path: Path, folder: Path) -> BenchmarkEntry:
    """Return the entry in a file of a folder of results.

    Raises:
        ValueError: The entry is wrong, or the file has another name than `locate_entry` gives it.
    """
    entry = read_entry(path)
    if path != locate_entry(folder, entry.method, entry.task, entry.seed):
        raise ValueError(
            f"{path}: must be the file of method {entry.method}, task {entry.task}, seed "
            f"{entry.seed}"
        )
    return entry


def read_results(folder: Path) -> list[BenchmarkEntry]:
    """Return all entries of a folder of results, by method, task and seed.

    Raises:
        ValueError: The folder does not exist, an entry is wrong, or entries contradict each other.
    """
    entries = [read_located(path, folder) for path in list_entries(folder)]
    check_consistent(entries)
    return sorted(entries, key=lambda one: (one.method, list(ALL_TASKS).index(one.task), one.seed))


def check_consistent(entries: Iterable[BenchmarkEntry]) -> None:
    """Check that entries do not contradict each other.

    Raises:
        ValueError: Two seeds of a method have the same agent or, without a digest of the agent, the
            same values; or a method has several budgets.
    """
    budgets: dict[str, str] = {}
    agents: dict[tuple[str, str, Any], int] = {}
    for one in entries:
        if budgets.setdefault(one.method, one.budget) != one.budget:
            raise ValueError(f"{one.title}: budget must be {budgets[one.method]}, as in its method")
        is_constant = len(set(one.values)) == 1  # bad agents may lose all deals
        identity = one.agent_digest or ("" if is_constant else one.values)
        same = agents.setdefault((one.method, one.task, identity), one.seed)
        if identity and same != one.seed:
            raise ValueError(f"{one.title}: must have another agent than seed {same}")
