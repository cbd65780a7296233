"""Rule options: how a game's ``Rules`` are described, read from keywords and checked."""

import difflib
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple, get_origin, get_type_hints

import numpy as np

BOOL_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
"""How booleans are written, in any case."""
TEXT_LENGTH = 80
"""Of a value in an error message, characters."""
LOG10_OF_2 = 0.30103


class Option(NamedTuple):
    """Description and allowed values of a field of ``Rules``."""

    doc: str
    low: int = 0
    high: int = 1
    size: int = 0
    """Length, for options that are tuples of integers."""
    values: tuple[int, ...] = ()
    """The whole numbers allowed, where they are not all of ``low`` .. ``high``."""
    is_later: bool = False
    """It came after labels and agents had been saved: see `digest_items`."""

    def allows(self, number: Any) -> bool:
        """Whether the option may have this number, a whole one."""
        return _is_int(number) and (
            int(number) in self.values if self.values else self.low <= int(number) <= self.high
        )


class OptionRow(NamedTuple):
    """An option as the documentation shows it."""

    name: str
    values: str
    default: str
    doc: str


def unknown_text(
    what: str, name: Any, allowed: Iterable[str], known: Iterable[str] | None = None
) -> str:
    """Return the error text for a name that does not exist: the nearest name, and all allowed ones.

    The nearest is one of ``known``, if those are more than are allowed here.
    """
    names = list(allowed)
    near = []
    if isinstance(name, str) and len(name) <= TEXT_LENGTH:
        near = difflib.get_close_matches(name, names if known is None else list(known), 1, 0.5)
    hint = f" did you mean {near[0]!r}?" if near else ""
    return f"unknown {what} {shorten(name)};{hint} allowed: {', '.join(names)}"


def shorten(value: Any) -> str:
    """Return ``repr(value)`` as one line of an error message, at most `TEXT_LENGTH` characters."""
    if isinstance(value, str | bytes):
        value = value[: TEXT_LENGTH + 1]  # the rest would be cut anyway
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a number of more than 4300 digits, or any object whose repr fails
        text = f"<{type(value).__name__}>"
        if isinstance(value, int):
            text = f"a number of about {round(value.bit_length() * LOG10_OF_2)} digits"
    return text if len(text) <= TEXT_LENGTH else f"{text[:TEXT_LENGTH]}..."


def replace_options(default: Any, options: Mapping[str, Any]) -> Any:
    """Return ``default`` (a game's Rules) with ``options`` put in, each converted and in range.

    Booleans take True/False, 0/1 and yes/no/true/false; enumerations their member or its name in
    any case; numbers an int; tuples a sequence of them, or one text with commas between. Raises
    ValueError naming field, value and what is allowed.
    """
    if not isinstance(options, Mapping):
        raise ValueError(f"options={shorten(options)}: allowed is a dictionary of options")
    hints = get_type_hints(type(default), include_extras=True)
    values = {}
    for field, value in options.items():
        if field not in hints:
            raise ValueError(unknown_text("option", field, hints))
        kind, option = hints[field].__origin__, hints[field].__metadata__[0]
        values[field] = _convert(field, value, kind, option)
    return default._replace(**values)


def _convert(field: str, value: Any, kind: Any, option: Option) -> Any:
    if kind is bool:
        switch = _read_bool(value)
        if switch is not None:
            return switch
    elif get_origin(kind) is tuple:
        numbers = value.split(",") if isinstance(value, str) else value
        if isinstance(numbers, np.ndarray):
            numbers = numbers.tolist()
        if isinstance(numbers, list | tuple) and _is_row(numbers, option):
            return tuple(int(number) for number in numbers)
    elif issubclass(kind, IntEnum) and (isinstance(value, str) or is_integer(value)):
        names: dict[str | int, Any] = {member.name.lower(): member for member in kind}
        names |= {int(member): member for member in kind}
        names |= {str(int(member)): member for member in kind}
        key = value.lower() if isinstance(value, str) else int(value)
        if key in names:
            return names[key]
    elif not issubclass(kind, IntEnum) and option.allows(value):
        return int(value)
    raise ValueError(f"option {field}={shorten(value)}: allowed are {_allowed_text(kind, option)}")


def parse_bool(field: str, value: Any) -> bool:
    """Return a keyword's boolean, read as those of the rules are; ValueError naming it."""
    parsed = _read_bool(value)
    if parsed is None:
        raise ValueError(f"{field}={shorten(value)}: allowed are no, yes")
    return parsed


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of Python or NumPy; booleans are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_range(field: str, value: Any, low: int, high: int | None = None) -> int:
    """Return an integer from ``low`` to ``high``, or without an upper limit if that is None.

    Raises ValueError, naming the field, for any other value.
    """
    if not is_integer(value) or value < low or (high is not None and value > high):
        allowed = f"from {low}" if high is None else f"{low}–{high}"
        raise ValueError(f"{field}={shorten(value)}: allowed are whole numbers {allowed}")
    return int(value)


def _read_bool(value: Any) -> bool | None:
    """Return the boolean that a word, a boolean or 0 or 1 stands for; None for anything else."""
    if isinstance(value, str):
        return BOOL_WORDS.get(value.lower())
    if isinstance(value, bool | np.bool_ | int | np.integer) and value in (0, 1):
        return bool(value)
    return None


def _is_int(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or np.ma.is_masked(value):
        return False
    try:
        return np.ndim(value) == 0 and int(value) == float(value)
    except (TypeError, ValueError, ArithmeticError):
        return False


def _is_row(numbers: Any, option: Option) -> bool:
    return len(numbers) == option.size and all(map(option.allows, numbers))


def _allowed_text(kind: Any, option: Option) -> str:
    if kind is bool:
        return "no, yes"
    if get_origin(kind) is tuple:
        return f"{option.size} numbers {option.low}–{option.high}, with commas between"
    if issubclass(kind, IntEnum):
        return ", ".join(member.name.lower() for member in kind)
    if option.values:
        return ", ".join(map(str, option.values))
    return f"{option.low}–{option.high}"


def to_plain(rules: Any) -> dict[str, Any]:
    """Return rules as plain values for JSON and keywords: enumerations by name, tuples as lists."""
    return {field: _plain(value) for field, value in rules._asdict().items()}


def digest_items(rules: Any) -> list[tuple[str, Any]]:
    """Return what a digest of rules is made from: plain values by name, in order of the names.

    Options that came later are left out at their default, so that a new option leaves the digests
    of rules without it, and so what was saved under them, as they were.
    """
    hints = get_type_hints(type(rules), include_extras=True)
    defaults = to_plain(type(rules)())
    return sorted(
        (field, value)
        for field, value in to_plain(rules).items()
        if not hints[field].__metadata__[0].is_later or value != defaults[field]
    )


def _plain(value: Any) -> Any:
    if isinstance(value, IntEnum):
        return value.name.lower()
    return list(value) if isinstance(value, tuple) else value


def as_record(rules: Any) -> np.ndarray:
    """Return rules, or any tuple of whole numbers with names, as kernels take them.

    That is a table of one record of int64: handing over the tuple itself costs 0.1 µs a field, and
    20 µs for each enumeration.
    """
    kind: Any = type(rules)
    try:
        return _known_record(kind, rules).copy()
    except TypeError:  # a list among the values
        return _make_record(rules)


@lru_cache(maxsize=256)
def _known_record(kind: Any, rules: Any) -> np.ndarray:
    """`_make_record`, kept: it takes 0.1 ms. ``kind`` tells tuples of equal numbers apart."""
    return _make_record(rules)


def _make_record(rules: Any) -> np.ndarray:
    table = np.zeros(
        1, [(field, np.int64, np.shape(value)) for field, value in rules._asdict().items()]
    )
    for field, value in rules._asdict().items():
        table[field] = value
    return table


def changed_options(rules: Any, base: Any) -> dict[str, Any]:
    """Return the fields in which ``rules`` differ from ``base``, as plain values."""
    was = to_plain(base)
    return {field: value for field, value in to_plain(rules).items() if value != was[field]}


def describe_options(rules: Any) -> list[OptionRow]:
    """Return every option of a game: name, allowed values, default, what it does.

    ``rules`` is the game's type of rules, or rules, whose values then stand for the defaults.
    """
    hints = get_type_hints(rules if isinstance(rules, type) else type(rules), include_extras=True)
    values = to_plain(rules() if isinstance(rules, type) else rules)
    return [
        OptionRow(
            field,
            _allowed_text(hint.__origin__, hint.__metadata__[0]),
            value_text(values[field]),
            hint.__metadata__[0].doc,
        )
        for field, hint in hints.items()
    ]


def value_text(value: Any) -> str:
    """Write a plain value as a command line takes it: yes and no for booleans."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def options_text(values: Mapping[str, Any]) -> str:
    """Write plain values as ``"passes=2, undo=yes"``."""
    return ", ".join(f"{field}={value_text(value)}" for field, value in values.items())
