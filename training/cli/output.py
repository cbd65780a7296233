"""Output of commands: progress on stderr, results on stdout, and generated Markdown pages."""

import argparse
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..evaluation.play import Progress
from ..files import write_bytes

if TYPE_CHECKING:
    from rich.console import Console

ROOT = Path(__file__).resolve().parents[2]
"""Root of the clone, if Parlour is installed from one."""
BLOCK = re.compile(r"(<!-- generated: (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MEASURED = ("benchmarks.", "research.")
"""Prefixes of blocks with measurements; the module of that name writes each of them."""
FIRST_LINE, NEXT_LINE = 4.0, 30.0
"""Seconds until the first progress line, and between two lines, without a progress bar."""
SLOW = 4.0
"""Seconds after which `notify_if_slow` prints its line."""


# Progress: a bar if stderr is a terminal and tqdm is installed, otherwise occasional lines.


def find_tqdm() -> Any:
    """Return tqdm, or None if it is not installed or stderr is not a terminal."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return None
    return tqdm if sys.stderr.isatty() else None


@contextmanager
def notify_if_slow(text: str) -> Iterator[None]:
    """Print a line on stderr if the block takes longer than `SLOW`."""
    timer = threading.Timer(SLOW, lambda: print(text, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def write_lines(label: str, total: int) -> Progress:
    """Return a progress function that takes numbers of finished deals and prints lines."""
    done, due = 0, time.monotonic() + FIRST_LINE

    def update(finished: int) -> None:
        nonlocal done, due
        done += finished
        if time.monotonic() >= due and done < total:
            due = time.monotonic() + NEXT_LINE
            print(f"{label}: {done:,}/{total:,} deals", file=sys.stderr, flush=True)

    return update


@contextmanager
def progress_bars(deals: int) -> Iterator[Callable[[str, str], Progress | None]]:
    """Yield a function that returns the progress function of an agent and a variant."""
    tqdm = find_tqdm()
    open_bars: list[Any] = []

    def begin(agent: str, variant: str) -> Progress | None:
        while open_bars:
            open_bars.pop().close()
        title = f"{variant}: {agent}"
        if agent == "human":
            return None
        if tqdm is None:
            return write_lines(title, deals)
        open_bars.append(tqdm(total=deals, desc=title, unit="deal", leave=False, file=sys.stderr))
        return open_bars[0].update

    try:
        yield begin
    finally:
        while open_bars:
            open_bars.pop().close()


# Results.


@contextmanager
def reserve_stdout(arguments: argparse.Namespace) -> Iterator[None]:
    """With ``--json``, redirect the output of the block to stderr; stdout has only JSON."""
    with redirect_stdout(sys.stderr if arguments.json else sys.stdout):
        yield


@contextmanager
def report_finished(finished: Sequence[Any], report: Callable[[], None]) -> Iterator[None]:
    """Call ``report`` after the block, which fills ``finished``.

    If an error or a signal ends the block, the report covers the finished results.
    """
    try:
        yield
    finally:
        if finished:
            report()


def print_and_save(
    arguments: argparse.Namespace,
    summary: Callable[[], Mapping[str, Any]],
    show: Callable[["Console"], None],
    save: Callable[[], list[Path]],
) -> None:
    """Print a result, then save it and print the paths of its files.

    The result is printed first, since saving may fail.

    Args:
        arguments: Arguments of the command; ``json`` selects JSON instead of tables.
        summary: Returns the result as JSON values.
        show: Prints the tables of the result.
        save: Writes the files of the result, and returns their paths.
    """
    try:
        if arguments.json:
            print(json.dumps(summary()), flush=True)
        else:
            from ..evaluation.report.terminal_tables import open_console

            show(open_console())
            sys.stdout.flush()
    finally:
        paths = save()
    if not arguments.json:
        for path in paths:
            print(f"written: {path}")


# Markdown pages with generated blocks, ``<!-- generated: NAME -->`` to ``<!-- end -->``.


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def renew_blocks(text: str, blocks: Mapping[str, Callable[[], str]], source: str) -> str:
    """Return a document with new text in its generated blocks.

    Raises ValueError naming ``source`` if a block is unknown or has no end.
    """
    if text.count("<!-- generated: ") != len(BLOCK.findall(text)):
        raise ValueError(f"{source}: a generated block has no <!-- end -->")

    def fill(match: re.Match[str]) -> str:
        if match[2].startswith(MEASURED):
            return match[0]
        if match[2] not in blocks:
            raise ValueError(
                f"{source}: block must be one of {', '.join(blocks)}, got {match[2]!r}"
            )
        return f"{match[1]}\n{blocks[match[2]]().strip()}\n\n{match[4]}"

    return BLOCK.sub(fill, text)


def renew_page(path: Path, title: str, name: str, make: Callable[[], str]) -> str:
    """Return a page with new text in its block ``name``, without writing it.

    A missing page gets a title, and a missing block is appended. Raises ValueError as
    `renew_blocks` does, and OSError if the page cannot be read.
    """
    begin = f"<!-- generated: {name} -->"
    text = path.read_text(encoding="utf-8") if path.is_file() else f"# {title}\n"
    if begin not in text:
        text = f"{text.rstrip()}\n\n{begin}\n\n<!-- end -->\n"
    return renew_blocks(text, {name: make}, str(path))


def write_page(path: Path, title: str, name: str, make: Callable[[], str]) -> bool:
    """Write a page as `renew_page` returns it; return whether the file changed."""
    new = renew_page(path, title, name, make).encode()
    if path.is_file() and path.read_bytes() == new:
        return False
    write_bytes(path, new)
    return True
