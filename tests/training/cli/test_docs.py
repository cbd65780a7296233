"""The generated tables are up to date, and what is out of date is named."""

import shutil
from pathlib import Path

import pytest

from parlour.envs import GAMES
from parlour.training.cli.docs import ROOT, main, renew_blocks


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in ("README.md", *(f"envs/{game}/README.md" for game in GAMES)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_tables_are_up_to_date() -> None:
    assert main(["--check"]) == 0


def test_an_old_table_is_named_and_renewed(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = clone / "envs/pyramid/README.md"
    new = readme.read_text(encoding="utf-8")
    readme.write_text(new.replace("`three-passes` (default)", "`three-passes`"), encoding="utf-8")
    old = readme.read_bytes()
    assert main(["--check"], clone) == 1
    assert capsys.readouterr().out == "out of date: envs/pyramid/README.md\n"
    assert readme.read_bytes() == old
    assert main([], clone) == 0
    assert readme.read_text(encoding="utf-8") == new
    assert main(["--check"], clone) == 0


def test_every_game_shows_all_its_tables(clone: Path) -> None:
    for name, game in GAMES.items():
        text = (clone / "envs" / name / "README.md").read_text(encoding="utf-8")
        assert all(f"| `{variant}`" in text for variant in game.variants)
        assert all(f"| `{option}` |" in text for option in game.rules._fields)
        for piece in game.features.pieces:  # of several seats the first stands for all
            group, thing, _ = (*piece.name.split("."), "0", "")[:3]
            said = f"| `{piece.name}` |" if thing == "0" else f"| `{group}.1` … `{group}."
            assert said in text, piece.name


def test_wrong_markers_are_told() -> None:
    with pytest.raises(ValueError, match=r"x\.md: no block 'optoins'; there are options"):
        renew_blocks("<!-- generated: optoins -->\n<!-- end -->", {"options": str}, "x.md")
    with pytest.raises(ValueError, match=r"x\.md: a generated block has no"):
        renew_blocks("<!-- generated: options -->\n", {"options": str}, "x.md")
