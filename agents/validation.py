"""Reading what others may have written: only files, of a size that can be, with fields that fit.

What is wrong is said in one line: the file, the field, its value and what is allowed.
"""

import codecs
import json
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from parlour.envs.core.options import shorten as shorten

TEXT_MOST = 1 << 24
"""Bytes that a file of settings or of a description may have."""
OTHER_MARKS = {  # UTF-32 first, since its mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Byte order marks of encodings that are not supported."""
HUGE = 1 << 63
KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def read_number(text: str) -> int:
    """Read a whole number as people write it: ``12``, ``1_000_000``, ``1e6``; else ValueError."""
    try:
        return int(text)
    except ValueError:
        if not re.fullmatch(r"\d+(\.\d+)?[eE]\+?\d{1,2}", text) or Decimal(text) % 1:
            raise
        return int(Decimal(text))


def one_line(error: object) -> str:
    """Return the text of an error without its line breaks."""
    return " ".join(str(error).split())


def read_bytes(path: Path, most: int) -> bytes:
    """Return the content of a file of at most ``most`` bytes.

    Raises ValueError for a larger one, and for a folder, pipe or device, without opening it (a pipe
    would wait for its writer); OSError if there is none.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{KINDS.get(stat.S_IFMT(status.st_mode), 'a device')}, not a file")
    if status.st_size > most:
        raise ValueError(f"{status.st_size:,} bytes; at most {most:,} can belong there")
    return path.read_bytes()


def decode_text(data: bytes) -> str:
    """Return UTF-8 as text, without a byte order mark.

    Raises ValueError for other encodings; the message names UTF-16 and UTF-32.
    """
    for mark, name in OTHER_MARKS.items():
        if data.startswith(mark):
            raise ValueError(f"text must be UTF-8, got {name}: save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = data[error.start]
        raise ValueError(f"text must be UTF-8, got byte 0x{got:02x} at {error.start:,}") from None


def read_text(path: Path) -> str:
    """Return the text of a file. Raises what `read_bytes` and `decode_text` raise."""
    return decode_text(read_bytes(path, TEXT_MOST))


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; errors as `read_bytes` has them, ValueError for no object.

    NaN and infinity, which Python would read and JSON does not have, are refused.
    """
    found = json.loads(read_text(path), parse_constant=_refuse)
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn what goes wrong in reading ``path`` into a ValueError of one line that names it."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{path}: {one_line(error)}") from error


@contextmanager
def naming_part(name: str) -> Iterator[None]:
    """Name a part of what is read, such as a field or a line, in what is wrong with it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from error


def is_finite(value: Any) -> bool:
    """Whether a value is a number that arrays can hold: not NaN, infinite, a bool, or huge."""
    return (type(value) is float and isfinite(value)) or (type(value) is int and abs(value) < HUGE)


class Field(NamedTuple):
    """What a field may hold, in words and as a test; ``optional``: it may be missing."""

    said: str
    fits: Callable[[Any], bool]
    optional: bool = False


def whole(low: int, high: int) -> Field:
    """Return a field of whole numbers from ``low`` to ``high``; True and False are none."""
    return Field(
        f"a whole number from {low} to {high}",
        lambda value: type(value) is int and low <= value <= high,
    )


def maybe(field: Field) -> Field:
    """Return a field that may be null, or missing."""
    return Field(
        f"{field.said}, or null,", lambda value: value is None or field.fits(value), optional=True
    )


TEXT = Field(
    "a str of at most 200 printable characters",
    lambda value: isinstance(value, str) and len(value) <= 200 and value.isprintable(),
)
TABLE = Field("a dict", lambda value: isinstance(value, dict))
YES_OR_NO = Field("true or false", lambda value: isinstance(value, bool))
NUMBER = Field("a finite number", is_finite)


def check_fields(table: Mapping[str, Any], fields: Mapping[str, Field], prefix: str = "") -> None:
    """Refuse a table unless it has these fields, each as it may be.

    Raises ValueError naming the field, behind ``prefix``, its value and what is needed.
    """
    for name, field in fields.items():
        if name not in table:
            if not field.optional:
                raise ValueError(f"field {prefix}{name}: {field.said} is needed, it is missing")
        elif not field.fits(table[name]):
            got = shorten(table[name])
            raise ValueError(f"field {prefix}{name}: {field.said} is needed, got {got}")


def check_known(table: Mapping[str, Any], fields: Mapping[str, Field], prefix: str = "") -> None:
    """Refuse a table with other fields than these: ValueError naming one, and all there are."""
    for name in table:
        if name not in fields:
            allowed = ", ".join(fields)
            raise ValueError(f"unknown field {prefix}{shorten(name)}; allowed: {allowed}")
