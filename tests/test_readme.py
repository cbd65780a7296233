"""The code blocks of README, guides and developer pages run; commands run with small settings."""

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from parlour.training.cli.main import COMMANDS, main, make_parser
from tests.llm_server import first_listed, serve
from tests.marks import slow_if

ROOT = Path(__file__).parents[1]
GUIDES = sorted(
    path.relative_to(ROOT).as_posix()
    for part in ("start", "guides", "develop")
    for path in ROOT.glob(f"docs/{part}/**/*.md")
)
METHODS = tuple(name for name in GUIDES if name.startswith("docs/guides/methods/"))
SLOW = (
    *(
        f"docs/guides/{name}.md"
        for name in ("cluster", "evaluating", "language_models", "reviewing")
    ),
    *(f"docs/guides/{name}.md" for name in ("search", "training", "tuning")),
    *METHODS,
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w-]+\.(?:py|toml))\n")
SMALL = {
    "train": "--total-steps 2048 --n-envs 32 --n-steps 32 --width 16 --eval-deals 20",
    "train td": "--total-steps 2048 --eval-deals 20",  # no network
    "train plan-td": "--total-steps 500 --games 20 --eval-deals 20",
    "train plan-search": "--total-steps 100 --games 10 --search-iterations 20 --eval-deals 20",
    "train cma-es": "--generations 2 --candidate-deals 20 --eval-deals 20",  # no steps
    "tune": "--total-steps 2048 --n-envs 32 --n-steps 32 --eval-deals 20",
    "evaluate": "--deals 40",
    "compare": "--deals 40",
    "model-card": "--deals 40",
    "dataset make": "--episodes 4",
    "review": "--worlds 2",
    "bench": "--rows 64 --seconds 0.05",
}
SERVER = "http://127.0.0.1:8000"
"""Address of a language model in the documents; a stub stands in for it."""
OTHERS = (
    *("git clone <this repository> parlour", "cd parlour", "make demo", "pip install -e "),
    ". .venv/bin/activate",
)
DEMO_RECIPE = re.compile(r"^\t\$\(BIN\)/parlour (compare .*)$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line on which the text begins."""

    language: str
    text: str
    line: int


@cache
def blocks(document: str) -> tuple[Block, ...]:
    """Return the fenced blocks of a document."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return tuple(
        Block(result[1], result[2], text.count("\n", 0, result.start()) + 2)
        for result in FENCE.finditer(text)
    )


def commands(document: str, *shown: Block) -> Iterator[tuple[str, str]]:
    """Return each command in some blocks of a document (default: all blocks), with its location."""
    for block in shown or blocks(document):
        if block.language == "console":
            for number, line in enumerate(block.text.splitlines(), block.line):
                assert line.startswith("$ "), f"{document}:{number}: no command: {line}"
                yield f"{document}:{number}", line.removeprefix("$ ")


def run(command: str, place: str) -> None:
    """Run ``parlour ...`` with small settings; it must succeed. ``serve`` is only parsed."""
    if SERVER in command:
        with serve(first_listed) as stub:
            run(command.replace(SERVER, stub.url), place)
        return
    name, *words = shlex.split(command)[1:]
    if name == "serve":
        assert make_parser([name]).parse_args([name, *words]).command == name
        return
    special = {"td", "plan-td", "plan-search", "cma-es", "make"} & {*words}
    kind = f"{name} {special.pop()}" if special else name
    small = [] if "--resume" in words else shlex.split(SMALL.get(kind, ""))
    assert main([name, *words, *small]) == 0, f"{place}: {command}"


def execute(block: Block, names: dict[str, object], document: str) -> str:
    """Execute Python code; return its output."""
    output = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, document, "exec")
    with contextlib.redirect_stdout(output):
        exec(code, names)
    return output.getvalue()


@pytest.mark.parametrize(
    "document", [slow_if(each in SLOW, each) for each in ("README.md", *GUIDES)]
)
def test_code_blocks_run(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks run in order in one folder. A ``text`` block is the output of the Python before it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    names: dict[str, object] = {"__name__": "readme"}
    printed = ""
    for block in blocks(document):
        if file := FILE.match(block.text):
            (tmp_path / file[1]).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            printed = execute(block, names, document)
        elif block.language == "text":
            assert [line.rstrip() for line in printed.splitlines()] == block.text.splitlines()
        elif block.language == "console":
            for place, command in commands(document, block):
                if command.startswith("parlour "):
                    monkeypatch.setattr("sys.stdin", io.StringIO("?\nh\nq\n"))
                    run(command, place)
    for folder in tmp_path.glob("results"):
        assert (folder / "comparison.png").stat().st_size > 10_000


def test_documents_show_every_command_and_no_other() -> None:
    shown = [command for each in ("README.md", *GUIDES) for _, command in commands(each)]
    used = {command.split()[1] for command in shown if command.startswith("parlour ")}
    assert used == set(COMMANDS)
    assert [one for one in shown if not one.startswith(("parlour ", *OTHERS))] == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_targets_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:^\$ |`)make ([a-z-]+)", text, re.MULTILINE))
    assert {t for t in targets if not re.search(rf"^{t}:", makefile, re.MULTILINE)} == set()
    assert targets


def generated(name: str) -> str:
    """Return a generated block of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition(f"<!-- generated: {name} -->")[2].partition("<!-- end -->")[0].strip()


def test_the_table_of_the_demo_is_the_output_of_the_demo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Times are not compared, nor the trained agent, because its training takes minutes."""
    (recipe,) = DEMO_RECIPE.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
    words = [word for word in shlex.split(recipe.partition(" --out")[0]) if "$(" not in word]
    assert words[:5] == ["compare", "pyramid", "--agents", "uniform", "greedy"]
    monkeypatch.setenv("COLUMNS", "200")
    assert main(words) == 0

    def rows(text: str) -> list[str]:
        result = [" ".join(re.sub(r"[\d.]+ µs", "", line).split()) for line in text.splitlines()]
        wanted = ("Pyramid, deals", "uniform ", "greedy ", "Upper bound: ", "Evaluation seed: ")
        return [line for line in result if line.startswith(wanted)]

    now, shown = rows(capsys.readouterr().out), rows(generated("benchmarks.demo"))
    # The header, results, upper bound, labels, difference and evaluation seed.
    assert len(now) == 1 + 2 + 1 + 2 + 1 + 1
    assert shown == now


@pytest.mark.parametrize("document", ["README.md"])
def test_the_readme_shows_the_demo_and_the_result_of_search(document: str) -> None:
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split())
    for part in ("make demo", "`pimc@8`", "wins 61 % of the first 4,000"):
        assert part in text


def test_the_speeds_in_the_readme_are_the_measured_ones() -> None:
    rows = json.loads((ROOT / "benchmarks" / "steps.json").read_text(encoding="utf-8"))["rows"]
    speeds = {row["name"]: row["median"] / 1e6 for row in rows if "error" not in row}
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"{speeds['pyramid-classic-kernel-4096']:.0f} million steps per second" in text
    assert f"solitaire runs at {speeds['openspiel-solitaire-observer']:.2f} million" in text
    assert f"hold'em at {speeds['rlcard-limit-holdem']:.2f} million" in text


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("target", ["demo", "install"])
def test_make_ends_by_saying_how_to_activate(target: str) -> None:
    # The tests may run under make, which would print the directory.
    command = ["make", "-n", "--no-print-directory", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ". .venv/bin/activate" in done.stdout.splitlines()[-1]
    assert "`. .venv/bin/activate`" in (ROOT / "README.md").read_text(encoding="utf-8")
