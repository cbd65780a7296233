"""Rich tables that fit the terminal: a table that is too wide becomes a block for each line.

Rich is optional, so modules that must work without it use `terminal` alone.
"""

import shutil
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table
from rich.text import Span, Text

from .terminal import ENDLESS, find_width, plain_text

NARROWEST = 20
"""Least columns for which records are wrapped; a narrower terminal breaks lines by itself."""


PLAIN_BOX = Box(str(SIMPLE_HEAD).replace("─", "-"), ascii=True)
"""Table borders for encodings without line-drawing signs."""


def open_console() -> Console:
    """Return a console on stdout: as wide as the terminal or ``COLUMNS`` says, endless in a pipe.

    Rich takes 80 columns for a pipe and for ``TERM=dumb``, unless width and height are given.
    """
    return Console(width=find_width(), height=shutil.get_terminal_size().lines, emoji=False)


def make_terminal_table(title: str, first: str, *numbers: str) -> Table:
    """Return an empty table: a first column for names, then columns of numbers.

    The title and all heads are taken as they are, without markup; names are to be added as `Text`.
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
    """Print the first table that fits; if none does, print the first one as records.

    The first table has all columns. A line below the printed table names the columns left out.
    """
    for table in tables:
        _make_plain(table, console.encoding)
    for table in tables:
        if _needed_width(console, table) <= console.width:
            console.print(table)
            left_out = [head for head in _heads(tables[0]) if head not in _heads(table)]
            if left_out:
                console.print(Text(f"(no room for: {', '.join(left_out)})", "dim"))
            return
    print_records(console, tables[0])


def _make_plain(table: Table, encoding: str) -> None:
    """Replace unencodable signs in all cells before they are measured and aligned."""
    if encoding.startswith("utf"):
        return
    table.box = PLAIN_BOX
    table.title = table.title and _plain_cell(table.title, encoding)
    for column in table.columns:
        column.header = _plain_cell(column.header, encoding)
        column._cells = [_plain_cell(cell, encoding) for cell in column._cells]


def _plain_cell(cell: object, encoding: str) -> Text:
    """Return one cell; a replacement has the style of the sign."""
    letters = _as_text(cell).divide(range(1, len(_as_text(cell))))
    for letter in letters:
        styles = [span.style for span in letter.spans]
        letter.plain = plain_text(letter.plain, encoding)
        letter.spans = [Span(0, len(letter), style) for style in styles]
    return Text.assemble(*letters, style=_as_text(cell).style)


def _heads(table: Table) -> list[str]:
    return [str(column.header) for column in table.columns]


def _needed_width(console: Console, table: Table) -> int:
    """The columns that a table takes where there is room, its title on one line."""
    endless = console.options.update(max_width=ENDLESS)
    title = table.title.cell_len if isinstance(table.title, Text) else 0
    return max(console.measure(table, options=endless).maximum, title)


def print_records(console: Console, table: Table) -> None:
    """Print each line of a table as a block: its name, then a field a line, empty ones left out."""
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
    """Print text in lines of ``width`` columns; only a longer word is broken."""
    for number, line in enumerate(text.wrap(console, width - 2 - indent, overflow="fold")):
        margin = indent + 2 * (number > 0)
        line.rstrip()
        line.pad_left(margin)
        console.print(line, soft_wrap=True, highlight=False)
