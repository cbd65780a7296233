"""Format text for terminals of any width and encoding, and for pipes."""

import codecs
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence

ENDLESS = 10_000
"""Columns of a pipe, where no line is wrapped."""
WIDEST = 100
"""Most columns of wrapped text in a wide terminal."""
INDENT, FIRST = 18, 15
"""First column of text next to a heading, and columns of the heading."""
NO_BREAK = "\u00a0"
LONGEST_ITEM = 32
"""Most characters of an item of a list; a line with longer items between commas is prose."""
COLOR = re.compile(r"\x1b\[[\d;]*m")
ROOM = 24
"""Fewest columns for text next to a heading; with fewer, the text goes below the heading."""


PLAIN = "parlour-plain"
"""Name of the error handler that replaces unencodable characters by those of `PLAIN_SIGNS`.

The commands use it for standard output and standard error.
"""
PLAIN_SIGNS = {
    **dict(zip("♣♦♥♠♧♢♡♤", "cdhscdhs", strict=True)),
    **dict.fromkeys("‐‑–—−─━╌╴╶╸╺", "-"),
    **dict.fromkeys("│┃╎╵╷", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╞╡╪", "+"),
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("▒█", "#"),
    **dict.fromkeys("·•", "."),
    "±": "+/-",
    "…": "...",
    "µ": "u",
    "μ": "u",
    "×": "x",
    "✗": "x",
    "≈": "~",
    "→": ">",
    "●": "*",
    "▲": "^",
    "\u00a0": " ",
}
"""Replacements of characters that an encoding lacks; one character where columns must align."""


def replace_signs(error: UnicodeError) -> tuple[str, int]:
    """Return replacements for unencodable characters; characters without one become escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(PLAIN_SIGNS.get(sign) or ascii(sign)[1:-1] for sign in missing), error.end


codecs.register_error(PLAIN, replace_signs)


def plain_text(text: str, encoding: str) -> str:
    """Return text as it appears in an encoding, so that its columns can be counted."""
    return text.encode(encoding, PLAIN).decode(encoding)


def as_line(text: str) -> str:
    """Return text as one line, with single spaces, and escapes for unprintable characters."""
    line = " ".join(text.split())
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def cut_middle(text: str, longest: int) -> str:
    """Return text cut in the middle to ``longest`` characters, since ends distinguish names."""
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def cut_names(names: Sequence[str], longest: int) -> list[str]:
    """Return names cut by `cut_middle`, longer if two would otherwise become equal."""
    while True:
        cut = [cut_middle(name, longest) for name in names]
        if len(set(cut)) == len(set(names)):
            return cut
        longest += 1


def print_notice(text: str) -> None:
    """Print a notice on stderr, separate from the results."""
    print(f"parlour: notice: {text}", file=sys.stderr, flush=True)


def percent_text(share: float) -> str:
    """Return a share as a percentage, such as ``"95 %"``."""
    return f"{100 * share:.0f} %"


def time_text(milliseconds: float) -> str:
    """Return a time in a suitable unit: ``"0.3 µs"``, ``"1.5 ms"``, ``"95 s"``."""
    value, unit = milliseconds * 1000, "µs"
    for larger in ("ms", "s"):
        if float(f"{value:.2g}") >= 1000:  # compare the rounded value: 999.6 µs is 1 ms
            value, unit = value / 1000, larger
    return f"{float(f'{value:.2g}'):g} {unit}"


def find_width() -> int:
    """Return the columns of the terminal or of ``COLUMNS``, `ENDLESS` without either."""
    return shutil.get_terminal_size((ENDLESS, 24)).columns


def wrap_beside(heading: str, text: str) -> str:
    """Return text next to a heading, or below the heading in a narrow terminal.

    Words and numbers are never broken.
    """
    width = find_width()
    width = width if width == ENDLESS else min(width, WIDEST)
    if width < INDENT + ROOM:
        return f"  {heading}\n{wrap_words(text, width, '    ')}"
    head = f"  {heading:<{FIRST}} "
    return wrap_words(text, width, " " * INDENT, head)


def wrap_lines(text: str) -> str:
    """Return text wrapped to the width of the terminal.

    Lists are wrapped between items, other lines between words: a line is a list if the parts
    between its commas are short. Color codes have no width.
    """
    width = find_width()
    return "\n".join(
        line if _count_columns(line) <= width else _wrap_line(line, width)
        for line in text.split("\n")
    )


def print_wrapped(text: str) -> None:
    """Print text, wrapped to the width of the terminal."""
    print(wrap_lines(text))


def _count_columns(line: str) -> int:
    return len(COLOR.sub("", line))


def _wrap_line(line: str, width: int) -> str:
    items = [item.rpartition(": ") for item in line.split(", ")]
    longest = max(_count_columns(item) for _, _, item in items)
    if len(items) > 1 and longest < min(LONGEST_ITEM, width):
        line = ", ".join(
            f"{head}{colon}{item.replace(' ', NO_BREAK)}" for head, colon, item in items
        )
    lines, free = [""], width
    for gap, word in re.findall("( *)([^ ]+)", line):
        if len(gap) + _count_columns(word) > free and lines[-1].strip():
            lines.append(word)
            free = width - _count_columns(word)
        else:
            lines[-1] += gap + word
            free -= len(gap) + _count_columns(word)
    return "\n".join(lines).replace(NO_BREAK, " ")


def wrap_words(text: str, width: int, indent: str = "", first: str | None = None) -> str:
    """Return text wrapped to ``width`` columns; only a longer word makes a line longer."""
    return textwrap.fill(
        text,
        max(width, len(indent) + 1),
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
