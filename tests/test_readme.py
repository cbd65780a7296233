"""What the README shows runs: its Python in order, its commands with small numbers."""

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from parlour.training.cli.main import COMMANDS, main

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w-]+\.(?:py|toml))\n")
SMALL = {
    "train": "--total-steps 2048 --n-envs 32 --n-steps 32 --width 16 --eval-deals 20",
    "evaluate": "--deals 40",
    "compare": "--deals 40",
    "bench": "--rows 64 --seconds 0.05",
}
OTHERS = ("git clone <this repository> parlour", "cd parlour", "make demo", "pip install -e ")


class Block(NamedTuple):
    """A fenced block: its language, its text, the line on which the text begins."""

    language: str
    text: str
    line: int


BLOCKS = [
    Block(found[1], found[2], TEXT.count("\n", 0, found.start()) + 2)
    for found in FENCE.finditer(TEXT)
]


def commands() -> Iterator[tuple[int, str]]:
    """Each command shown, with its line."""
    for block in BLOCKS:
        if block.language == "console":
            for number, line in enumerate(block.text.splitlines(), block.line):
                assert line.startswith("$ "), f"README.md:{number}: no command: {line}"
                yield number, line.removeprefix("$ ")


def run(command: str, line: int) -> None:
    """Run ``parlour ...`` with small numbers; it must succeed."""
    name, *words = shlex.split(command)[1:]
    small = [] if "--resume" in words else shlex.split(SMALL.get(name, ""))
    assert main([name, *words, *small]) == 0, f"README.md:{line}: {command}"


def execute(block: Block, names: dict[str, object]) -> str:
    """Execute Python; return what it prints."""
    said = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, "README.md", "exec")
    with contextlib.redirect_stdout(said):
        exec(code, names)
    return said.getvalue()


def test_what_is_shown_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the top, in one folder; a ``text`` block is what the Python before it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    names: dict[str, object] = {"__name__": "readme"}
    printed = ""
    for block in BLOCKS:
        if file := FILE.match(block.text):
            (tmp_path / file[1]).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            printed = execute(block, names)
        elif block.language == "text":
            assert [line.rstrip() for line in printed.splitlines()] == block.text.splitlines()
        elif block.language == "console":
            for line, command in commands():
                if block.line <= line < block.line + block.text.count("\n") and command.startswith(
                    "parlour "
                ):
                    monkeypatch.setattr("sys.stdin", io.StringIO("?\nh\nq\n"))
                    run(command, line)
    assert (tmp_path / "results" / "comparison.png").stat().st_size > 10_000


def test_every_command_is_shown_and_no_other() -> None:
    shown = [command for _, command in commands()]
    used = {command.split()[1] for command in shown if command.startswith("parlour ")}
    assert used == set(COMMANDS)
    assert [one for one in shown if not one.startswith(("parlour ", *OTHERS))] == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_links_and_targets_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", text)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:^\$ |`)make ([a-z-]+)", text, re.MULTILINE))
    assert {t for t in targets if not re.search(rf"^{t}:", makefile, re.MULTILINE)} == set()
    assert targets
