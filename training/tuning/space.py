"""What a search for settings tries: for each setting a range or some values, in TOML."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from parlour.agents.validation import is_finite, naming, naming_part, read_text, shorten
from parlour.envs.core.options import unknown_text

from ..learning.methods import METHODS, explain_foreign
from ..learning.settings.base import Settings, list_settings

SPACES = Path(__file__).parents[1] / "learning" / "spaces.toml"
KEYS = ("low", "high", "log", "step", "values")
FIXED = (
    *("game", "variant", "options", "max_moves", "variants", "option_sets", "option_names"),
    *("option_split", "initial", "seeds", "eval_deals", "runs", "name", "minutes", "profile"),
    *("total_steps", "eval_interval", "checkpoint_interval", "generations", "threads", "device"),
)
"""Settings that are the same in all trials: by others they could not be compared."""

Value = bool | int | float | str


@dataclass(frozen=True)
class Dimension:
    """What one setting may be: one of ``values``, or a number from ``low`` to ``high``.

    ``log``: as many below the geometric middle as above. ``step``: of a row of numbers from
    ``low`` on. ``whole``: whole numbers.
    """

    name: str
    low: float = 0
    high: float = 0
    log: bool = False
    step: float | None = None
    values: tuple[Value, ...] = ()
    whole: bool = False

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it, and a space file."""
        if self.values:
            return {"values": list(self.values)}
        shown: dict[str, Any] = {"low": self.low, "high": self.high}
        return (
            shown | ({"log": True} if self.log else {}) | ({"step": self.step} if self.step else {})
        )

    def holds(self, value: Any) -> bool:
        """Whether a value is in it."""
        return value in self.values if self.values else self.low <= value <= self.high


Space = tuple[Dimension, ...]


def read_space(base: Settings, file: Path | None = None) -> Space:
    """Return what is searched by the method of settings: its table in a file, or Parlour's own.

    ``base``: what the settings that are not searched are. Raises ValueError naming the file, the
    setting, the value and what is allowed.
    """
    path = SPACES if file is None else file
    with naming(path):
        tables = tomllib.loads(read_text(path))
    for name in tables:
        if name not in METHODS:
            raise ValueError(f"{path}: {unknown_text('method', name, METHODS)}")
    if base.method not in tables:
        raise ValueError(
            f"{path}: no table [{base.method}]; there are {', '.join(tables) or 'none'}"
        )
    with naming_part(f"{path} [{base.method}]"):
        return make_space(base, tables[base.method])


def make_space(base: Settings, table: Any) -> Space:
    """Return a space from what a table of a file has; `Dimension.plain` is a row of it.

    Raises ValueError naming the setting, the value and what is allowed.
    """
    if not isinstance(table, Mapping) or not table:
        raise ValueError(f"a table of settings is needed, got {shorten(table)}")
    return tuple(_make_dimension(base, name, given) for name, given in table.items())


def _make_dimension(base: Settings, name: str, given: Any) -> Dimension:
    kind = type(base)
    if name not in list_settings(kind):
        raise ValueError(explain_foreign(base.method, name))
    if name in FIXED:
        raise ValueError(f"setting {name!r} is the same in all trials: it cannot be searched")
    with naming_part(name):
        found = _read_dimension(name, given, get_type_hints(kind)[name])
    for value in found.values or (found.low, found.high):
        changed: dict[str, Any] = {name: value}
        replace(base, **changed)  # ValueError naming setting, value and what is allowed
    return found


def _read_dimension(name: str, given: Any, kind: Any) -> Dimension:
    if not isinstance(given, Mapping):
        raise ValueError(f"{shorten(given)}: allowed are low and high, or values")
    for key in given:
        if key not in KEYS:
            raise ValueError(unknown_text("key", key, KEYS))
    if "values" in given:
        return _read_values(name, given)
    if kind not in (int, float):
        raise ValueError("no number, so it has no range: allowed is values = [...]")
    for key in ("low", "high"):
        if key not in given:
            raise ValueError(f"{key} is missing: allowed are low and high, or values")
    for key in ("low", "high", "step"):
        if not is_finite(given.get(key, 0)):
            raise ValueError(f"{key}={shorten(given[key])}: allowed is a finite number")
    low, high, step, log = given["low"], given["high"], given.get("step"), given.get("log", False)
    if kind is int and any(value != int(value) for value in (low, high, step or 1)):
        raise ValueError(f"{low} to {high}, step {step}: allowed are whole numbers")
    if not low < high:
        raise ValueError(f"low={low}, high={high}: low must be less than high")
    if type(log) is not bool or (log and (low <= 0 or step is not None)):
        raise ValueError(f"log={shorten(log)}: allowed is true, from above 0 and without step")
    if step is not None and not 0 < step <= high - low:
        raise ValueError(f"step={step}: allowed are numbers above 0, up to {high - low}")
    cast = int if kind is int else float
    return Dimension(name, cast(low), cast(high), log, step and cast(step), whole=kind is int)


def _read_values(name: str, given: Mapping[str, Any]) -> Dimension:
    values = given["values"]
    if len(given) > 1:
        raise ValueError("values go alone, without low, high, log and step")
    simple = isinstance(values, list) and all(isinstance(one, Value) for one in values)
    if not simple or len(values) < 2 or len(set(map(repr, values))) < len(values):
        raise ValueError(
            f"values={shorten(values)}: allowed are two or more different numbers, words, yes or no"
        )
    return Dimension(name, values=tuple(values))
