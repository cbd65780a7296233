"""The pages of docs/develop quote existing code; the example's README is that of a game."""

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
PAGES = sorted((ROOT / "docs" / "develop").glob("*.md"))
TUTORIAL = ROOT / "docs" / "develop" / "add_game.md"
MOST_WORDS = 1800
"""The tutorial must stay short."""
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SMALL = {
    "cma-es": "--generations 2 --candidate-deals 40",
    "ppo": "--total-steps 2048 --n-envs 32 --n-steps 32 --batch-size 256 --width 8",
}


def bare(text: str) -> str:
    """Return the lines of a text without indentation: a block may be nested in its file."""
    return "\n".join(["", *(line.strip() for line in text.splitlines()), ""])


def list_blocks() -> list[str]:
    """All blocks that quote a file. `tests/test_readme.py` runs the other blocks of code.

    A ``txt`` block quotes a file if it begins with a comment; others show commands.
    """
    texts = (page.read_text("utf-8") for page in PAGES)
    found = [(kind, dedent(text)) for page in texts for _, kind, text in BLOCK.findall(page)]
    quoted = [one for one in found if one[0] not in ("python", "console")]
    return [text for kind, text in quoted if kind != "txt" or text.startswith("# ")]


def test_every_page_of_a_game_quotes_code() -> None:
    assert len(list_blocks()) > 25


@pytest.mark.parametrize("block", list_blocks(), ids=lambda block: " ".join(block.split())[:60])
def test_a_block_is_part_of_a_file(block: str) -> None:
    """The first line names the file, which contains the other lines unchanged."""
    place, _, shown = block.partition("\n")
    assert bare(shown) in bare((ROOT / place.removeprefix("# ")).read_text(encoding="utf-8"))


def test_the_tutorial_is_short() -> None:
    assert len(TUTORIAL.read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_the_tutorial_names_every_file_of_the_example() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
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
