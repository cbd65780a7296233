"""Validation of files that other people may have written: size, encoding and fields.

Error messages are one line that names the file, the field, its value and the allowed values.
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
from parlour.envs.core.options import unknown_text

MAX_TEXT_BYTES = 1 << 24
"""Maximum size in bytes of a text file, such as a settings file."""
OTHER_MARKS = {  # UTF-32 first, since its mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Byte order marks of encodings that are not supported."""
HUGE = 1 << 63
FILE_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def read_number(text: str) -> int:
    """Parse an integer such as ``12``, ``1_000_000`` or ``1e6``.

    Raises ValueError for other text.
    """
    try:
        return int(text)
    except ValueError:
        if not re.fullmatch(r"\d+(\.\d+)?[eE]\+?\d{1,2}", text) or Decimal(text) % 1:
            raise
        return int(Decimal(text))


def join_lines(error: object) -> str:
    """Return the text of an error without its line breaks."""
    return " ".join(str(error).split())


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file of at most ``max_bytes`` bytes.

    Raises:
        ValueError: the file is larger, or is a folder, pipe or device. The function does not open a
            pipe, which would wait for its writer.
        OSError: the file does not exist.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        kind = FILE_KINDS.get(stat.S_IFMT(status.st_mode), "a device")
        raise ValueError(f"must be a file, got {kind}")
    if status.st_size > max_bytes:
        raise ValueError(f"must have at most {max_bytes:,} bytes, got {status.st_size:,}")
    return path.read_bytes()


def decode_text(data: bytes) -> str:
    """Decode UTF-8 text, without a byte order mark.

    Raises ValueError for other encodings; the message recognizes UTF-16 and UTF-32.
    """
    for mark, name in OTHER_MARKS.items():
        if data.startswith(mark):
            raise ValueError(f"text must be UTF-8, got {name}. Save the file as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = data[error.start]
        raise ValueError(f"text must be UTF-8, got byte 0x{got:02x} at {error.start:,}") from None


def read_text(path: Path) -> str:
    """Return the text of a file. Raises the errors of `read_bytes` and `decode_text`."""
    return decode_text(read_bytes(path, MAX_TEXT_BYTES))


def parse_json(text: str, **keywords: Any) -> Any:
    """Return the value of a JSON text; ``keywords`` are those of `json.loads`.

    Raises ValueError saying that the text is not JSON.
    """
    try:
        return json.loads(text, **keywords)
    except json.JSONDecodeError as error:
        raise ValueError(f"text must be JSON: {error}") from None


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises the errors of `read_text`, and ValueError if the file does not contain an object. NaN and
    infinity, which Python reads although JSON does not allow them, are errors.
    """
    content = parse_json(read_text(path), parse_constant=_refuse)
    if not isinstance(content, dict):
        raise ValueError("must contain a JSON object")
    return content


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"numbers must be finite, got {word}, which JSON does not allow")


@contextmanager
def name_file_in_errors(path: Path, error_class: type[ValueError] = ValueError) -> Iterator[None]:
    """Turn errors caused by the content of a file into one line that begins with the path."""
    try:
        yield
    except OSError as error:
        raise error_class(f"{path}: {error.strerror or error}") from error
    except RecursionError as error:
        raise error_class(f"{path}: nested too deeply") from error
    except KeyError as error:
        raise error_class(f"{path}: {error} is missing") from error
    except (ValueError, TypeError, RuntimeError) as error:
        raise error_class(f"{path}: {join_lines(error)}") from error


@contextmanager
def name_part_in_errors(name: str) -> Iterator[None]:
    """Prefix an error with the part of the input that caused it, such as a field or a line."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from error


def is_finite(value: Any) -> bool:
    """Return whether a value is a finite number that fits into an array; a bool is not a number."""
    return (type(value) is float and isfinite(value)) or (type(value) is int and abs(value) < HUGE)


class Field(NamedTuple):
    """The allowed values of a field."""

    allowed: str
    """Description of the allowed values."""
    fits: Callable[[Any], bool]
    """Function that returns whether a value is allowed."""
    optional: bool = False
    """Whether the field may be missing."""


def whole(low: int, high: int) -> Field:
    """Return a field for integers from ``low`` to ``high``; bools are not allowed."""
    return Field(
        f"an integer from {low} to {high}",
        lambda value: type(value) is int and low <= value <= high,
    )


def maybe(field: Field) -> Field:
    """Return a field that may also be null or missing."""
    return Field(
        f"{field.allowed}, or null",
        lambda value: value is None or field.fits(value),
        optional=True,
    )


TEXT = Field(
    "a string of at most 200 printable characters",
    lambda value: isinstance(value, str) and len(value) <= 200 and value.isprintable(),
)
TABLE = Field("an object", lambda value: isinstance(value, dict))
YES_OR_NO = Field("true or false", lambda value: isinstance(value, bool))
NUMBER = Field("a finite number", is_finite)


def check_fields(table: Mapping[str, Any], fields: Mapping[str, Field], prefix: str = "") -> None:
    """Check that a table has these fields with allowed values. Other fields are ignored.

    Raises ValueError naming the field (with ``prefix`` before it), its value and the allowed
    values.
    """
    for name, field in fields.items():
        if name not in table:
            if not field.optional:
                raise ValueError(f"field {prefix}{name} must be {field.allowed}, but is missing")
        elif not field.fits(table[name]):
            got = shorten(table[name])
            raise ValueError(f"field {prefix}{name} must be {field.allowed}, got {got}")


def check_known(table: Mapping[str, Any], fields: Mapping[str, Field], prefix: str = "") -> None:
    """Check that a table has no other fields. Raises ValueError naming the unknown field."""
    for name in table:
        if name not in fields:
            known = [prefix + field for field in fields]
            raise ValueError(unknown_text("field", f"{prefix}{name}", known))
