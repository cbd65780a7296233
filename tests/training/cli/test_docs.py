"""Generated tables are up to date, and the check names outdated files."""

import re
import shutil
from pathlib import Path

import gymnasium as gym
import pytest

from parlour.envs import GAMES, CardEnv
from parlour.training.cli.docs import list_documents, main
from parlour.training.cli.main import GAMES_FILE
from parlour.training.cli.output import ROOT, renew_blocks


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for path in (*list_documents(ROOT), GAMES_FILE):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (tmp_path / "benchmarks").mkdir()
    shutil.copy(ROOT / "benchmarks" / "methods.json", tmp_path / "benchmarks")
    results, without_runs = "benchmarks/results", shutil.ignore_patterns("runs")
    shutil.copytree(ROOT / results, tmp_path / results, ignore=without_runs)
    trained = "agents/pretrained"
    shutil.copytree(ROOT / trained, tmp_path / trained, dirs_exist_ok=True)
    return tmp_path


def test_the_tables_are_up_to_date() -> None:
    assert main(["--check"]) == 0


def test_an_old_table_is_named_and_renewed(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = clone / "envs/games/pyramid/README.md"
    new = readme.read_text(encoding="utf-8")
    readme.write_text(new.replace("`three-passes` (default)", "`three-passes`"), encoding="utf-8")
    old = readme.read_bytes()
    assert main(["--check"], clone) == 1
    assert capsys.readouterr().out == "out of date: envs/games/pyramid/README.md\n"
    assert readme.read_bytes() == old
    assert main([], clone) == 0
    assert readme.read_text(encoding="utf-8") == new
    assert main(["--check"], clone) == 0


def test_a_page_that_is_missing_is_named(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clone / "docs/api/pyramid.md").unlink()
    assert main([], clone) == 2
    assert (
        capsys.readouterr().err
        == f"{clone} must be a clone of the repository: docs/api/pyramid.md missing\n"
    )


def test_every_game_shows_all_its_tables(clone: Path) -> None:
    for name, game in GAMES.items():
        text = (clone / "envs" / "games" / name / "README.md").read_text(encoding="utf-8")
        assert all(f"| `{variant}`" in text for variant in game.variants)
        assert all(f"| `{option}` |" in text for option in game.rules._fields)
        for piece in game.features.pieces:  # of several seats the first stands for all
            group, thing, _ = (*piece.name.split("."), "0", "")[:3]
            printed = f"| `{piece.name}` |" if thing == "0" else f"| `{group}.1` … `{group}."
            assert printed in text, piece.name


def play(env: gym.Env) -> set[str]:
    """Return the keys of ``info`` in a game of random legal actions."""
    _, info = env.reset(seed=1)
    keys, over = set(info), False
    while not over:
        action = env.action_space.sample(mask=info["action_mask"])
        _, _, terminated, truncated, info = env.step(action)
        keys, over = keys | set(info), terminated or truncated
    return keys


@pytest.mark.parametrize("name", GAMES)
def test_every_game_shows_what_info_says(name: str) -> None:
    text = (ROOT / "envs" / "games" / name / "README.md").read_text(encoding="utf-8")
    part = text.partition("## Information\n")[2].partition("\n## ")[0]
    shown = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[^|]+) \|", part, re.MULTILINE))))
    game = GAMES[name]
    printed = {key for variant in game.variants for key in play(CardEnv(game, variant))}
    assert shown - {"winnable"} == printed
    assert ("winnable" in shown) == (game.solve is not None and game.measure == "won")


def test_wrong_markers_are_told() -> None:
    with pytest.raises(ValueError, match=r"x\.md: block must be one of options.*, got 'optoins'"):
        renew_blocks("<!-- generated: optoins -->\n<!-- end -->", {"options": str}, "x.md")
    with pytest.raises(ValueError, match=r"x\.md: a generated block has no"):
        renew_blocks("<!-- generated: options -->\n", {"options": str}, "x.md")
