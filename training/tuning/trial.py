"""One trial of a hyperparameter search: the space of its settings, and its training run.

This module does not import Optuna. `study` draws and records trials.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from parlour.agents.validation import (
    is_finite,
    name_file_in_errors,
    name_part_in_errors,
    read_json,
    read_text,
    shorten,
)
from parlour.envs import find_game
from parlour.envs.core.options import unknown_text

from ..files import unseal
from ..learning import checkpoint
from ..learning.run import RESULT_FILE, SETTINGS_FILE
from ..learning.settings.base import Settings, list_settings
from ..learning.settings.files import read_saved
from ..learning.settings.methods import SETTINGS, explain_foreign
from ..learning.train import name_folder, resume, train

SPACES = Path(__file__).parent / "spaces.toml"
"""The default search space of each method."""
KEYS = ("low", "high", "log", "step", "values")
FIXED = (
    *("game", "variant", "options", "max_moves", "variants", "option_sets", "option_names"),
    *("option_split", "initial", "seeds", "eval_deals", "runs", "name", "minutes", "profile"),
    *("total_steps", "eval_interval", "checkpoint_interval", "generations", "threads", "device"),
)
"""Settings that must be the same in all trials, so that trials can be compared."""

Value = bool | int | float | str
Report = Callable[[int, float], None]
"""A callback that receives the number of an evaluation, from 1, and its value. It may raise to end
the run."""


@dataclass(frozen=True)
class Dimension:
    """The allowed values of one setting: one of ``values``, or a number from ``low`` to ``high``.

    ``log`` samples on a logarithmic scale, ``step`` samples only ``low`` plus multiples of the
    step, and ``whole`` samples only integers.
    """

    name: str
    low: float = 0
    high: float = 0
    log: bool = False
    step: float | None = None
    values: tuple[Value, ...] = ()
    whole: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the row of a space file for this dimension, as JSON values."""
        if self.values:
            return {"values": list(self.values)}
        row: dict[str, Any] = {"low": self.low, "high": self.high}
        if self.log:
            row["log"] = True
        if self.step:
            row["step"] = self.step
        return row

    def holds(self, value: Any) -> bool:
        """Return whether the setting may have this value."""
        return value in self.values if self.values else self.low <= value <= self.high


Space = tuple[Dimension, ...]


def read_space(base: Settings, file: Path | None = None) -> Space:
    """Read the search space of a method from a file.

    Args:
        base: settings of the method, which provide all other settings.
        file: TOML file with a table for each method (default: Parlour's own, `SPACES`).

    Raises:
        ValueError: the file is invalid. The message names the file, the setting, its value and the
            allowed values.
    """
    path = SPACES if file is None else file
    with name_file_in_errors(path):
        tables = tomllib.loads(read_text(path))
    for name in tables:
        if name not in SETTINGS:
            raise ValueError(f"{path}: {unknown_text('method', name, SETTINGS)}")
    if base.method not in tables:
        raise ValueError(
            f"{path}: a table [{base.method}] is missing; existing tables: "
            f"{', '.join(tables) or 'none'}"
        )
    with name_part_in_errors(f"{path} [{base.method}]"):
        return make_space(base, tables[base.method])


def make_space(base: Settings, table: Any) -> Space:
    """Return the search space of a table, with rows in the form of `Dimension.plain`.

    Raises:
        ValueError: the table is invalid. The message names the setting, its value and the allowed
            values.
    """
    if not isinstance(table, Mapping) or not table:
        raise ValueError(f"space must be a table of settings, got {shorten(table)}")
    return tuple(_make_dimension(base, name, row) for name, row in table.items())


def _make_dimension(base: Settings, name: str, row: Any) -> Dimension:
    settings_class = type(base)
    if name not in list_settings(settings_class):
        raise ValueError(explain_foreign(base.method, name))
    if name in FIXED:
        raise ValueError(
            f"setting {name!r} cannot be searched, because it must be the same in all trials"
        )
    with name_part_in_errors(name):
        dimension = _read_dimension(name, row, get_type_hints(settings_class)[name])
    for value in dimension.values or (dimension.low, dimension.high):
        changed: dict[str, Any] = {name: value}
        replace(base, **changed)  # raises ValueError for a value that is out of range
    return dimension


def _read_dimension(name: str, row: Any, value_type: Any) -> Dimension:
    if not isinstance(row, Mapping):
        raise ValueError(f"must be a table with low and high, or with values, got {shorten(row)}")
    for key in row:
        if key not in KEYS:
            raise ValueError(unknown_text("key", key, KEYS))
    if "values" in row:
        return _read_values(name, row)
    if value_type not in (int, float):
        raise ValueError("must have values = [...], because the setting is not a number")
    for key in ("low", "high"):
        if key not in row:
            raise ValueError(f"must have low and high, or values, but {key} is missing")
    for key in ("low", "high", "step"):
        if not is_finite(row.get(key, 0)):
            raise ValueError(f"{key} must be a finite number, got {shorten(row[key])}")
    low, high, step, log = row["low"], row["high"], row.get("step"), row.get("log", False)
    if value_type is int and any(value != int(value) for value in (low, high, step or 1)):
        raise ValueError(f"low, high and step must be integers, got {low}, {high} and {step or 1}")
    if not low < high:
        raise ValueError(f"low must be less than high, got low={low}, high={high}")
    if type(log) is not bool or (log and (low <= 0 or step is not None)):
        raise ValueError(
            f"log must be true or false; true requires low above 0 and no step, got "
            f"log={shorten(log)}"
        )
    if step is not None and not 0 < step <= high - low:
        raise ValueError(f"step must be above 0 and at most {high - low}, got {step}")
    cast = int if value_type is int else float
    return Dimension(name, cast(low), cast(high), log, step and cast(step), whole=value_type is int)


def _read_values(name: str, row: Mapping[str, Any]) -> Dimension:
    values = row["values"]
    if len(row) > 1:
        raise ValueError("values must not be combined with low, high, log or step")
    is_simple = isinstance(values, list) and all(isinstance(value, Value) for value in values)
    if not is_simple or len(values) < 2 or len(set(map(repr, values))) < len(values):
        raise ValueError(
            "values must be a list of two or more different numbers, strings or booleans, got "
            f"{shorten(values)}"
        )
    return Dimension(name, values=tuple(values))


@dataclass(frozen=True)
class TunePlan:
    """The plan of a search, from the arguments of `study.tune`. It can be pickled.

    Args:
        base: settings of all trials, except those in the space.
        space: settings that are searched.
        folder: folder of the search.
        storage: URL of Optuna's database, or path of Optuna's journal.
        trials: number of trials.
        seed: training seed of all trials, and seed of the search.
        parts: number of evaluations per run, including the one at its end.
        pruner: name of the pruner.
        quiet: whether to print no line for each trial.
    """

    base: Settings
    space: Space
    folder: Path
    storage: str
    trials: int
    seed: int
    parts: int
    pruner: str
    quiet: bool = False

    @property
    def measure(self) -> str:
        """The measure by which trials are compared, `Game.measure`; higher is better."""
        return find_game(self.base.game).measure

    def settings_of(self, run: str, params: Mapping[str, Any]) -> Settings:
        """Return the settings of a trial with these values, whose run has the name ``run``."""
        given: dict[str, Any] = {"seeds": (self.seed,), "runs": str(self.folder / "trials")}
        return replace(self.base.with_evaluations(self.parts), **given, name=run, **params)

    def part_of(self, steps: int) -> int:
        """Return the number of evaluations that are due after a number of steps."""
        return self.base.count_evaluations(steps, self.parts)


@dataclass(frozen=True)
class TunedTrial:
    """A trial of a search.

    ``state`` is done, pruned, failed or running. ``value`` is the game's measure on the validation
    deals (None: not evaluated yet); for a pruned trial, it is the value at pruning. ``part`` is the
    number of evaluations so far.
    """

    number: int
    state: str
    value: float | None
    part: int
    seconds: float | None
    settings: Mapping[str, Any]
    run: str
    error: str | None = None


def run_trial(plan: TunePlan, run: str, params: Mapping[str, Any], report: Report) -> float:
    """Train with the settings of a trial; return the result on the validation deals.

    A run of that name resumes from its last checkpoint; ``report`` then gets its earlier
    evaluations, too.

    Args:
        plan: plan of the search.
        run: name of the run.
        params: values of the settings in the space.
        report: takes each evaluation. An exception that it raises ends the run.

    Raises:
        ValueError: the settings do not go together.
        Interrupted: as `train` does.
    """
    settings = plan.settings_of(run, params)
    folder = name_folder(settings)
    reported = 0

    def watch(evaluation: Mapping[str, Any]) -> None:
        nonlocal reported
        part = plan.part_of(evaluation["steps"])
        if reported < part < plan.parts:  # the last one is reported when the run has ended
            reported = part
            report(part, float(evaluation[plan.measure]["mean"]))

    if (folder / SETTINGS_FILE).exists():
        _check_same(folder / SETTINGS_FILE, settings)
        for evaluation in _read_evaluations(folder / f"seed-{plan.seed}"):
            watch(evaluation)
        resume(folder, quiet=True, watch=watch, allow_code=True)  # the settings are the caller's
    else:
        train(settings, quiet=True, watch=watch)
    value = _read_evaluations(folder / f"seed-{plan.seed}")[-1][plan.measure]["mean"]
    report(plan.parts, float(value))
    return float(value)


def _check_same(file: Path, settings: Settings) -> None:
    """Raise ValueError if a run has other settings, because it belongs to another search."""
    with name_file_in_errors(file):
        saved = read_saved(read_json(file), str(file)).plain()
    wanted = settings.plain()
    names = (saved.keys() | wanted.keys()) - {"runs"}  # the folder may have been moved
    different = sorted(name for name in names if saved.get(name) != wanted.get(name))
    if different:
        raise ValueError(
            f"{file.parent}: the run belongs to another search; these settings differ: "
            f"{', '.join(different)}"
        )


def _read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """Return the evaluations of the run of one seed so far, in order."""
    if (folder / RESULT_FILE).exists():
        with name_file_in_errors(folder / RESULT_FILE):
            result = unseal(read_json(folder / RESULT_FILE), RESULT_FILE)
            return list(result["evaluations"])
    latest = checkpoint.latest(folder)
    return list(latest.values["history"]["evaluations"]) if latest else []
