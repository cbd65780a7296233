"""Rule options: the description of a game's ``Rules``, and the parsing and checking of values."""

import difflib
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple, get_origin, get_type_hints

import numpy as np

BOOL_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
"""Accepted spellings of booleans; case does not matter."""
TEXT_LENGTH = 80
"""Maximum length of a value in an error message, in characters."""
LOG10_OF_2 = 0.30103
BOOL_REQUIRED = "True, False, yes or no"
"""Allowed values of booleans in error messages."""


class Option(NamedTuple):
    """Description and allowed values of one field of a game's ``Rules``."""

    doc: str
    """Description of the option, as tables and help texts show it."""
    low: int = 0
    """Smallest allowed integer."""
    high: int = 1
    """Largest allowed integer."""
    size: int = 0
    """Number of integers, for options that are tuples."""
    values: tuple[int, ...] = ()
    """The allowed integers, if they are not all integers from ``low`` to ``high``."""
    is_later: bool = False
    """Whether the option was added after labels and agents had been saved; see `digest_items`."""

    def allows(self, number: Any) -> bool:
        """Return whether ``number`` is an integer that the option may have."""
        return _is_int(number) and (
            int(number) in self.values if self.values else self.low <= int(number) <= self.high
        )


class OptionRow(NamedTuple):
    """One row of the option table in the documentation."""

    name: str
    values: str
    default: str
    doc: str


def unknown_text(
    what: str, name: Any, allowed: Iterable[str], aliases: Mapping[str, str] | None = None
) -> str:
    """Return the error message for a name that is not allowed, with the nearest match as a hint.

    Args:
        what: What the name stands for, such as ``"variant"``.
        name: The name that was given; may be of any type.
        allowed: The allowed names.
        aliases: See `nearest_name`.

    Returns:
        ``"variant must be one of book, web, got 'wep'. Did you mean 'web'?"``
    """
    names = list(allowed)
    if not names:
        return f"no {what} is allowed here, got {shorten(name)}"
    nearest = nearest_name(name, names, aliases)
    hint = "" if nearest is None else f". Did you mean {nearest!r}?"
    return f"{what} must be {choices_text(names)}, got {shorten(name)}{hint}"


def nearest_name(
    name: Any, allowed: Iterable[str], aliases: Mapping[str, str] | None = None
) -> str | None:
    """Return the allowed name that is most similar to a name; None if no name is similar.

    Args:
        name: The name that was given; may be of any type.
        allowed: The allowed names.
        aliases: Allowed names by common names for the same thing, such as ``"lr"``.
    """
    names = list(allowed)
    if not isinstance(name, str) or len(name) > TEXT_LENGTH:
        return None
    if aliases and aliases.get(name) in names:
        return aliases[name]
    return next(iter(difflib.get_close_matches(name, names, 1, 0.5)), None)


def add_allowed(text: str, others: str) -> str:
    """Return the message of `unknown_text` with other allowed values appended."""
    return f"{text}{'' if text.endswith('?') else '.'} Also allowed: {others}"


def choices_text(names: Iterable[str]) -> str:
    """Return the names of an error message: ``"one of a, b, c"``, or the only name."""
    listed = list(names)
    return listed[0] if len(listed) == 1 else f"one of {', '.join(listed)}"


def shorten(value: Any) -> str:
    """Return ``repr(value)`` for an error message: one line of at most `TEXT_LENGTH` characters."""
    if isinstance(value, str | bytes):
        value = value[: TEXT_LENGTH + 1]  # The rest would be cut anyway.
    try:
        text = " ".join(repr(value).split())
    except Exception:  # repr fails for some objects and for integers of more than 4300 digits.
        text = f"<{type(value).__name__}>"
        if isinstance(value, int):
            text = f"a number of about {round(value.bit_length() * LOG10_OF_2)} digits"
    return text if len(text) <= TEXT_LENGTH else f"{text[:TEXT_LENGTH]}..."


def replace_options(default: Any, options: Mapping[str, Any]) -> Any:
    """Return a copy of rules with some options replaced by converted and checked values.

    Args:
        default: The ``Rules`` to start from.
        options: New values by option name. A boolean is True, False, 0, 1, yes, no, true or false;
            an enumeration is a member, its number or its name in any case; a number is an integer;
            a tuple is a sequence of integers, or a string of integers separated by commas.

    Raises:
        ValueError: An option does not exist, or a value is not allowed.
    """
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dictionary, got {shorten(options)}")
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
    raise ValueError(f"option {field} must be {_required(kind, option)}, got {shorten(value)}")


def parse_bool(field: str, value: Any) -> bool:
    """Return the boolean value of a keyword, with the spellings that options accept.

    Raises:
        ValueError: The value is not a boolean; the message names ``field``.
    """
    parsed = _read_bool(value)
    if parsed is None:
        raise ValueError(f"{field} must be {BOOL_REQUIRED}, got {shorten(value)}")
    return parsed


def is_integer(value: Any) -> bool:
    """Return whether a value is a Python or NumPy integer; booleans are not integers here."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_range(field: str, value: Any, low: int, high: int | None = None) -> int:
    """Return an integer after a range check.

    Args:
        field: Name of the value in the error message.
        value: The value.
        low: Smallest allowed integer.
        high: Largest allowed integer (None: no limit).

    Raises:
        ValueError: The value is not an integer in the range.
    """
    if not is_integer(value) or value < low or (high is not None and value > high):
        raise ValueError(f"{field} must be {range_text(low, high)}, got {shorten(value)}")
    return int(value)


def range_text(low: int, high: int | None = None) -> str:
    """Return the range of an error message: ``"an integer >= 1"``, ``"an integer from 0 to 9"``."""
    if low == high:
        return str(low)
    return f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"


def _read_bool(value: Any) -> bool | None:
    """Return the boolean value of a word, a boolean, 0 or 1; None for any other value."""
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


def _required(kind: Any, option: Option) -> str:
    """Return the allowed values of an option as an error message states them."""
    if kind is bool:
        return BOOL_REQUIRED
    if get_origin(kind) is tuple:
        return _allowed_text(kind, option)
    if issubclass(kind, IntEnum):
        return choices_text(member.name.lower() for member in kind)
    if option.values:
        return choices_text(map(str, option.values))
    return range_text(option.low, option.high)


def _allowed_text(kind: Any, option: Option) -> str:
    """Return the allowed values of an option as its table row states them."""
    if kind is bool:
        return "no, yes"
    if get_origin(kind) is tuple:
        return f"{option.size} numbers {option.low}–{option.high}, separated by commas"
    if issubclass(kind, IntEnum):
        return ", ".join(member.name.lower() for member in kind)
    if option.values:
        return ", ".join(map(str, option.values))
    return f"{option.low}–{option.high}"


def to_plain(rules: Any) -> dict[str, Any]:
    """Return rules as values for JSON and keywords: enumerations as names, tuples as lists."""
    return {field: _plain(value) for field, value in rules._asdict().items()}


def digest_items(rules: Any) -> list[tuple[str, Any]]:
    """Return the content of a digest of rules: pairs of option name and plain value, sorted.

    An option with ``is_later`` is left out while it has its default value. A new option thus does
    not change the digests of existing rules, and saved labels and agents stay valid.
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
    """Return rules, or any named tuple of integers, in the form that kernels take.

    Passing the tuple itself to a kernel costs 0.1 µs per field, and 20 µs per enumeration.

    Returns:
        Structured array (1,) with int64 fields.
    """
    kind: Any = type(rules)
    try:
        return _known_record(kind, rules).copy()
    except TypeError:  # A value is a list, which cannot be hashed.
        return _make_record(rules)


@lru_cache(maxsize=256)
def _known_record(kind: Any, rules: Any) -> np.ndarray:
    """Cache `_make_record`, which takes 0.1 ms; ``kind`` separates types with equal numbers."""
    return _make_record(rules)


def _make_record(rules: Any) -> np.ndarray:
    table = np.zeros(
        1, [(field, np.int64, np.shape(value)) for field, value in rules._asdict().items()]
    )
    for field, value in rules._asdict().items():
        table[field] = value
    return table


def changed_options(rules: Any, base: Any) -> dict[str, Any]:
    """Return the options in which ``rules`` differ from ``base``, as plain values by name."""
    was = to_plain(base)
    return {field: value for field, value in to_plain(rules).items() if value != was[field]}


def describe_options(rules: Any) -> list[OptionRow]:
    """Return a table row for every option: name, allowed values, default and description.

    Args:
        rules: The game's ``Rules`` class, or an instance whose values are shown as the defaults.
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


MOST_CHOICES = 32
"""Maximum number of values that are listed one by one."""


def list_choices(rules: type[Any]) -> dict[str, list[str]]:
    """Return the allowed values of each option in the spelling of the command line.

    The list is empty for an option with more than `MOST_CHOICES` values, and for tuples.
    """
    hints = get_type_hints(rules, include_extras=True)
    return {
        field: _choices_of(hint.__origin__, hint.__metadata__[0]) for field, hint in hints.items()
    }


def _choices_of(kind: Any, option: Option) -> list[str]:
    if kind is bool:
        return ["no", "yes"]
    if get_origin(kind) is tuple:
        return []
    if issubclass(kind, IntEnum):
        return [member.name.lower() for member in kind]
    numbers = option.values or range(option.low, option.high + 1)
    return [str(number) for number in numbers] if len(numbers) <= MOST_CHOICES else []


def value_text(value: Any) -> str:
    """Return a plain value in the spelling of the command line, such as ``"yes"`` for True."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def options_text(values: Mapping[str, Any]) -> str:
    """Return plain values as one text, such as ``"passes=2, undo=yes"``."""
    return ", ".join(f"{field}={value_text(value)}" for field, value in values.items())
