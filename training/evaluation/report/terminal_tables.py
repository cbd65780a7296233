"""Rich tables that fit the terminal: a table that is too wide becomes a block for each row.

Rich is optional, so modules that must work without it use only `terminal`.
"""

import shutil
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table
from rich.text import Span, Text

from .terminal import ENDLESS, find_width, plain_text

NARROWEST = 20
"""Fewest columns for which records are wrapped; a narrower terminal wraps lines itself."""


PLAIN_BOX = Box(str(SIMPLE_HEAD).replace("─", "-"), ascii=True)
"""Table borders for encodings without line-drawing characters."""


def open_console() -> Console:
    """Return a console on stdout with the width of the terminal or ``COLUMNS``, endless in a pipe.

    Without explicit width and height, Rich assumes 80 columns for a pipe and for ``TERM=dumb``.
    """
    return Console(width=find_width(), height=shutil.get_terminal_size().lines, emoji=False)


def make_terminal_table(title: str, first: str, *numbers: str) -> Table:
    """Return an empty table with a first column for names, followed by columns of numbers.

    The title and heads are plain text without markup. Add names as `Text`.
    """
    table = Table(
        box=SIMPLE_HEAD,
        title=Text(title, "bold") if title else None,
        title_justify="left",
        pad_edge=False,
    )
    table.add_column(Text(first), no_wrap=True)
    for head in numbers:
        table.add_column(Text(head), justify="right", no_wrap=True)
    return table


def print_fitting(console: Console, tables: Sequence[Table]) -> None:
    """Print the first table that fits; if no table fits, print the first one as records.

    The first table has all columns. A line below the printed table lists the omitted columns.
    """
    for table in tables:
        _make_plain(table, console.encoding)
    for table in tables:
        if _needed_width(console, table) <= console.width:
            console.print(table)
            left_out = [head for head in _heads(tables[0]) if head not in _heads(table)]
            if left_out:
                text = f"Columns that do not fit: {', '.join(left_out)}"
                console.print(Text(text, "dim"))
            return
    print_records(console, tables[0])


def _make_plain(table: Table, encoding: str) -> None:
    """Replace unencodable characters in all cells before their widths are measured."""
    if encoding.startswith("utf"):
        return
    table.box = PLAIN_BOX
    table.title = table.title and _plain_cell(table.title, encoding)
    for column in table.columns:
        column.header = _plain_cell(column.header, encoding)
        column._cells = [_plain_cell(cell, encoding) for cell in column._cells]


def _plain_cell(cell: object, encoding: str) -> Text:
    """Return one cell; a replacement keeps the style of its character."""
    letters = _as_text(cell).divide(range(1, len(_as_text(cell))))
    for letter in letters:
        styles = [span.style for span in letter.spans]
        letter.plain = plain_text(letter.plain, encoding)
        letter.spans = [Span(0, len(letter), style) for style in styles]
    return Text.assemble(*letters, style=_as_text(cell).style)


def _heads(table: Table) -> list[str]:
    return [str(column.header) for column in table.columns]


def _needed_width(console: Console, table: Table) -> int:
    """Return the width of a table with its title on one line."""
    endless = console.options.update(max_width=ENDLESS)
    title = table.title.cell_len if isinstance(table.title, Text) else 0
    return max(console.measure(table, options=endless).maximum, title)


def print_records(console: Console, table: Table) -> None:
    """Print each row as a block: its name, then one line per field that is not empty."""
    options = console.options.update(width=max(console.width, NARROWEST))
    if isinstance(table.title, Text):
        console.print(*table.title.wrap(console, options.max_width), sep="\n")
    heads = [column.header for column in table.columns]
    columns = [list(column.cells) for column in table.columns]
    for name, *cells in zip(*columns, strict=True):
        _print_wrapped(console, _as_text(name), options.max_width)
        for head, cell in zip(heads[1:], cells, strict=True):
            if value := _as_text(cell):
                field = Text.assemble(_as_text(head), ": ", value)
                _print_wrapped(console, field, options.max_width, 2)
        console.print()


def _as_text(cell: object) -> Text:
    return cell if isinstance(cell, Text) else Text.from_markup(str(cell), emoji=False)


def _print_wrapped(console: Console, text: Text, width: int, indent: int = 0) -> None:
    """Print text wrapped to ``width`` columns; only a longer word is broken."""
    for number, line in enumerate(text.wrap(console, width - 2 - indent, overflow="fold")):
        margin = indent + 2 * (number > 0)
        line.rstrip()
        line.pad_left(margin)
        console.print(line, soft_wrap=True, highlight=False)
