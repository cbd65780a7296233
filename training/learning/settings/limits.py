"""Validation of settings: the type and the range of each field, and limits on several together."""

from dataclasses import fields
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from parlour.agents.validation import is_finite, shorten

MOST_STEPS = 10**11
"""Names of checkpoints have twelve digits, and must sort as the numbers do."""
MOST_ROLLOUT = 1 << 26
"""Steps of a rollout, all games together: they are held in memory."""
MOST_SETS = 10_000
"""Option sets of a run: each one is written into the agent's file."""
MOST_WEIGHTS = 1 << 30
"""Weights of the hidden layers: 4 GiB."""
MOST_SEED = (1 << 31) - 1
"""Row numbers and the training seed make one seed of 64 bits, whose top bit is reserved."""
NAME_BYTES = 100
"""Bytes of a run's name: with game and variant before it, it is the name of a folder."""
LONGEST_TEXT = 4096


class Range(NamedTuple):
    """The lowest and the highest allowed number; part of a field's annotation."""

    low: float
    high: float


Share = Annotated[float, Range(0, 1)]
Steps = Annotated[int, Range(1, MOST_STEPS)]
Deals = Annotated[int, Range(1, 10**7)]


def convert_whole_numbers(settings: Any) -> None:
    """Replace whole numbers that were given as floats, such as 1e6, by ints."""
    settings_class: Any = type(settings)
    for name, (kind, _) in _read_annotations(settings_class).items():
        value = getattr(settings, name)
        if kind is int and type(value) is float and value.is_integer():
            object.__setattr__(settings, name, int(value))


def check_fields(settings: Any) -> None:
    """Check every field of a dataclass against its annotation: first types, then ranges.

    Raises:
        ValueError: a value has another type or is out of range; the text names setting, value and
            what is allowed.
    """
    settings_class: Any = type(settings)
    annotations = _read_annotations(settings_class)
    for name, (kind, _) in annotations.items():
        check_kind(name, getattr(settings, name), kind)
    for name, (_, limits) in annotations.items():
        value = getattr(settings, name)
        if limits and not limits.low <= value <= limits.high:
            raise ValueError(
                f"{name}={shorten(value)}: allowed are numbers from {limits.low} to {limits.high}"
            )


@cache
def _read_annotations(settings_class: Any) -> dict[str, tuple[Any, Range | None]]:
    """Return the type of each field of a dataclass, and its range if it has one."""
    bare = get_type_hints(settings_class)
    full = get_type_hints(settings_class, include_extras=True)
    annotations = {}
    for field in fields(settings_class):
        metadata = getattr(full[field.name], "__metadata__", ())
        ranges = [mark for mark in metadata if isinstance(mark, Range)]
        annotations[field.name] = bare[field.name], ranges[0] if ranges else None
    return annotations


def check_kind(name: str, value: Any, kind: Any) -> None:
    """Raise ValueError, naming setting, value and what is allowed, for a value of another type."""
    origin, kinds = get_origin(kind), get_args(kind)
    if origin is Literal:
        fine, allowed = isinstance(value, str) and value in kinds, ", ".join(map(repr, kinds))
    elif kind is float:
        fine, allowed = _is_number(value), "a number"
    elif kind is int:
        fine, allowed = type(value) is int, "a whole number"
    elif origin is tuple:
        words = {int: "whole numbers", str: "names"}
        fine, allowed = isinstance(value, tuple), words[kinds[0]]
        fine = fine and all(type(one) is kinds[0] for one in value)
    elif origin is dict:
        fine, allowed = isinstance(value, dict), "dict"
        for key, one in value.items() if fine else ():
            _check_option(f"{name}.{key}" if isinstance(key, str) else name, one)
    else:
        fine, allowed = isinstance(value, kind), str(getattr(kind, "__name__", kind))
    if not fine:
        raise ValueError(f"{name}={shorten(value)}: allowed is {allowed}")
    for text in value if origin is tuple else (value,):
        if isinstance(text, str) and not _is_text(text):
            raise ValueError(
                f"{name}={shorten(text)}: allowed are up to {LONGEST_TEXT} characters without "
                "control characters"
            )


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_text(value: str) -> bool:
    return len(value) <= LONGEST_TEXT and not any(c < " " or c == "\x7f" for c in value)


def _check_option(name: str, value: Any) -> None:
    """Raise ValueError for a value that no option can have, such as a table."""
    simple = isinstance(value, bool) or is_finite(value)
    row = isinstance(value, list | tuple) and len(value) < 100
    row = row and all(map(is_finite, value))
    if not simple and not row and not (isinstance(value, str) and _is_text(value)):
        raise ValueError(
            f"{name}={shorten(value)}: allowed are a finite number, yes or no, a word, or a row of "
            "numbers"
        )


def check_seeds(seeds: tuple[int, ...]) -> None:
    """Raise ValueError for no seed, duplicate seeds, and numbers that are no seeds."""
    twice = len(set(seeds)) < len(seeds)
    if not seeds or twice or min(seeds) < 0 or max(seeds) > MOST_SEED:
        raise ValueError(
            f"seeds={shorten(seeds)}: at least one, from 0 to {MOST_SEED}, none of them twice"
        )


def check_sizes(settings: Any) -> None:
    """Raise ValueError for sizes that are too large together, or leave a minibatch of one."""
    rollout, size = settings.n_envs * settings.n_steps, settings.width**2 * settings.depth
    if rollout > MOST_ROLLOUT:
        raise ValueError(
            f"n_envs={settings.n_envs}, n_steps={settings.n_steps}: allowed are "
            f"{MOST_ROLLOUT} steps in a rollout, all games together"
        )
    if size > MOST_WEIGHTS:
        raise ValueError(
            f"width={settings.width}, depth={settings.depth}: allowed are {MOST_WEIGHTS} for "
            "width x width x depth"
        )
    if settings.batch_size == 1 or rollout % settings.batch_size == 1:
        raise ValueError(
            f"batch_size={settings.batch_size}: leaves a minibatch of one of the "
            f"{settings.n_envs} x {settings.n_steps} steps of a rollout, and one has no standard "
            "deviation"
        )


def check_name(name: str) -> None:
    """Raise ValueError for a run name that is not a plain folder name."""
    fine = name.strip(". ") and name.isprintable() and not set(name) & set("/\\")
    if not fine or len(name.encode()) > NAME_BYTES:
        raise ValueError(
            f"name={shorten(name)}: allowed are printable characters but / and \\, at most "
            f"{NAME_BYTES} bytes, not dots or blanks alone"
        )
