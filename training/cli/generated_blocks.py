"""Generated blocks of Markdown documents, ``<!-- generated: NAME -->`` to ``<!-- end -->``."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..files import write_bytes

ROOT = Path(__file__).resolve().parents[2]
"""Root of the clone, if Parlour is installed from one."""
BLOCK = re.compile(r"(<!-- generated: (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MEASURED = ("benchmarks.", "research.")
"""Prefixes of blocks of measurements, which the module of that name writes."""


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

    def fill(found: re.Match[str]) -> str:
        if found[2].startswith(MEASURED):
            return found[0]
        if found[2] not in blocks:
            raise ValueError(f"{source}: no block {found[2]!r}; there are {', '.join(blocks)}")
        return f"{found[1]}\n{blocks[found[2]]().strip()}\n\n{found[4]}"

    return BLOCK.sub(fill, text)


def renew_page(path: Path, title: str, name: str, make: Callable[[], str]) -> str:
    """Return the text of a page with new text in its block ``name``; write nothing.

    A missing page gets a title, and a missing block is added at the end. Raises ValueError as
    `renew_blocks` does, and OSError if the page cannot be read.
    """
    begin = f"<!-- generated: {name} -->"
    text = path.read_text(encoding="utf-8") if path.is_file() else f"# {title}\n"
    if begin not in text:
        text = f"{text.rstrip()}\n\n{begin}\n\n<!-- end -->\n"
    return renew_blocks(text, {name: make}, str(path))


def write_page(path: Path, title: str, name: str, make: Callable[[], str]) -> bool:
    """Write a page with `renew_page`; return whether it changed."""
    new = renew_page(path, title, name, make).encode()
    if path.is_file() and path.read_bytes() == new:
        return False
    write_bytes(path, new)
    return True
