"""What docs/guides/own_game.md shows is the example's code, its page is made as those of games."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from parlour.training.cli.docs import ABOUT_GAME, renew_blocks
from parlour.training.cli.main import main
from tests.example_game import GAME
from tests.test_house import HEADINGS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GUIDE = ROOT / "docs" / "guides" / "own_game.md"
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SMALL = {
    "cma-es": "--generations 2 --candidate-deals 40",
    "ppo": "--total-steps 2048 --n-envs 32 --n-steps 32 --batch-size 256 --width 8",
}


def bare(text: str) -> str:
    """The lines of a text without their indentation: a block may lie deeper in its file."""
    return "\n".join(["", *(line.strip() for line in text.splitlines()), ""])


def list_blocks() -> list[str]:
    """The blocks of code, and of text that begins as they do: what no formatter takes for code."""
    result = [(kind, dedent(text)) for _, kind, text in BLOCK.findall(GUIDE.read_text("utf-8"))]
    return [text for kind, text in result if kind != "txt" or text.startswith("# ")]


@pytest.mark.parametrize("block", list_blocks(), ids=lambda block: " ".join(block.split())[:60])
def test_the_guide_shows_what_stands_in_a_file(block: str) -> None:
    """The first line of a block names the file, in which the others stand as they are."""
    place, _, shown = block.partition("\n")
    assert bare(shown) in bare((ROOT / place.removeprefix("# ")).read_text(encoding="utf-8"))


def test_the_guide_names_every_file_of_the_example() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    files = sorted(path.name for path in HERE.iterdir() if path.is_file())
    assert [name for name in files if f"`{name}`" not in text] == []


def test_the_page_is_that_of_a_game() -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [*HEADINGS]
    blocks = {make.__name__: lambda make=make: make(GAME) for make in ABOUT_GAME}
    assert text == renew_blocks(text, blocks, "README.md")
    assert all(f"<!-- generated: {name} -->" in text for name in blocks)


@pytest.mark.parametrize("name", SMALL)
def test_it_can_be_trained(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--settings", str(HERE / "preset.toml"), "--preset", name, "--name", name]
    small = [*SMALL[name].split(), "--eval-deals", "20"]
    assert main(["train", GAME.name, *words, *small]) == 0
    agent = f"runs/higher_or_lower-classic-{name}/seed-0/agent"
    assert main(["evaluate", GAME.name, "--agent", agent, "--deals", "20"]) == 0
