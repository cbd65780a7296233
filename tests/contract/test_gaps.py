"""No game lacks a part or forgets a piece; if one does, it is told which, and where to put it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.envs import GAMES, Game
from parlour.envs.core.scene.scene import Item, Scene
from tests.contract import cases, gaps
from tests.contract.cases import Case
from tests.core import tiny
from tests.marks import slow_if
from tests.reference import match

ROOT = Path(__file__).parents[2]
Check = Callable[[Game], list[str]]


@pytest.mark.parametrize("check", gaps.BY_PLAY, ids=lambda check: check.__name__)
@pytest.mark.parametrize("many", [False, slow_if(True, True)])
def test_nothing_is_forgotten(
    game: Game, check: Check, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not many and check is not gaps.find_unwritten:  # that one needs many positions
        for name, number in {"ROWS": 8, "STEPS": 40, "MIXED": 4}.items():
            monkeypatch.setattr(gaps, name, number)
    result = check(game)
    assert not result, "\n".join(result)


@pytest.mark.parametrize("name", GAMES)
def test_no_file_is_missing(name: str) -> None:
    result = gaps.find_missing_files(GAMES[name], ROOT)
    assert not result, "\n".join(result)


# ---- the same of broken games: what is said of them --------------------------------------------


@pytest.fixture(autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain Python is slow: watch the tiny game for a short time."""
    if "game" not in request.fixturenames:
        for name, number in {"ROWS": 8, "STEPS": 8, "MIXED": 3, "MOST_STEPS": 60}.items():
            monkeypatch.setattr(gaps, name, number)
        for module in (cases, match):
            monkeypatch.setattr(module, "MOST_STEPS", 60)


def layout(s: Any, rules: Any) -> Scene:
    card = int(s["shown"]["card"])
    return Scene("Take or Leave", (Item(0, 0, card),) if card else (), ())


def broken(**kernels: Any) -> Game:
    return tiny.make_game(layout=layout, kernels=tiny.make_kernels(**kernels))


def step_forever(s: Any, rules: Any, action: int) -> None:
    s["moves"] += 1


def step_into_nothing(s: Any, rules: Any, action: int) -> None:
    s["legal"] = 0


def deal_without_target(s: Any, rules: Any) -> None:
    tiny.deal(s, rules)
    s["shown"]["target"] = 0


def deal_without_points(s: Any, rules: Any) -> None:
    kept = list(s["points"])
    tiny.deal(s, rules)
    s["points"][:] = kept


def step_below_zero(s: Any, rules: Any, action: int) -> None:
    tiny.step(s, rules, action)
    s["shown"]["target"] = -1


def step_without_net(s: Any, rules: Any, action: int) -> None:
    tiny.step(s, rules, action)
    s["net"][:] = 0


WHOLE = broken()
ENDLESS = broken(step=step_forever)
EMPTY = tiny.make_game(layout=lambda s, rules: Scene("Take or Leave", (), ()))


@pytest.mark.parametrize("check", gaps.BY_PLAY[:-1], ids=lambda check: check.__name__)
def test_a_complete_game_has_no_gaps(check: Check) -> None:
    assert check(WHOLE) == []


@pytest.mark.parametrize(
    ("check", "made", "output"),
    [
        (
            gaps.find_no_end,
            ENDLESS,
            "take_or_leave: a game with {'players': 1, 'target': 6, 'forced': False, 'dead': False}"
            ' has not ended after 60 steps: step writes s["over"] = Over.TERMINATED and '
            's["legal"] = 0 at the end (envs/games/take_or_leave/kernel.py)',
        ),
        (
            gaps.find_no_end,
            broken(step=step_into_nothing),
            "take_or_leave: a game is over and something legal, or nothing is legal and it is not "
            'over: at the end step writes s["over"] = Over.TERMINATED and s["legal"] = 0 '
            "(envs/games/take_or_leave/kernel.py)",
        ),
        (
            gaps.find_unwritten,
            broken(deal=deal_without_target),
            "take_or_leave: piece 'target' of the observation is 0 in all positions by all rules: "
            "deal and step write it (envs/games/take_or_leave/kernel.py)",
        ),
        (
            gaps.find_unwritten,
            broken(step=step_without_net),
            "take_or_leave: field 'net' of the state is 0 in all positions by all rules: deal and "
            "step write it (envs/games/take_or_leave/kernel.py)",
        ),
        (
            gaps.find_out_of_range,
            broken(step=step_below_zero),
            "take_or_leave: piece 'target' of the observation shows numbers below 0 or above 21: "
            "its kind in FEATURES, or what writes it, is wrong "
            "(envs/games/take_or_leave/rules.py, kernel.py)",
        ),
        (
            gaps.find_left_over,
            broken(deal=deal_without_points),
            "take_or_leave: field 'points' of the state keeps what an earlier game left there: "
            "deal must set it (envs/games/take_or_leave/kernel.py)",
        ),
        (
            gaps.find_hidden_options,
            broken(deal=deal_without_target),
            "take_or_leave: the observation does not show the option 'target' as it is played: "
            'deal writes s["shown"]["target"] (envs/games/take_or_leave/kernel.py)',
        ),
        (
            gaps.find_not_on_the_table,
            EMPTY,
            "take_or_leave: cards that piece 'card' of the observation shows never lie face up on "
            "the table: layout returns an Item for each (envs/games/take_or_leave/layout.py)",
        ),
        (
            gaps.find_unchecked,
            WHOLE,
            "take_or_leave: restore takes any value of field 'points' of the state: derive must "
            "write it, or find_wrong refuse it (envs/games/take_or_leave/knowledge.py)",
        ),
    ],
)
def test_a_broken_game_is_told_what_it_has_forgotten(check: Check, made: Game, output: str) -> None:
    assert output in check(made)


def test_a_game_that_never_ends_keeps_no_test_going() -> None:
    """At a table of several there is no limit of moves."""
    case = Case(ENDLESS, "three")
    with pytest.raises(AssertionError, match=r"take_or_leave: a game with .* has not ended after"):
        list(cases.positions(case.whole(), 1, seed=0, every=10_000))


def test_a_game_that_never_ends_is_no_match_for_its_reference() -> None:
    class Reference:
        def step(self, action: int) -> None: ...

    ignore = lambda *_: None  # noqa: E731
    played = match.Match(ENDLESS, lambda rows: Reference(), ignore, ignore, max_moves=0)
    with pytest.raises(AssertionError, match=r"take_or_leave: a game with .* has not ended after"):
        played.games("short", 1)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a clone of the repository has of Pyramid, and of no other game."""
    for path in ("mkdocs.yml", "tests/games/test_pyramid_matches_reference.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    files = ["envs/games/pyramid/README.md", "docs/api/pyramid.md", "docs/rules/pyramid.md"]
    files += ["tests/reference/pyramid.py"]
    files += [f"tests/golden/pyramid/{variant}.txt" for variant in GAMES["pyramid"].variants]
    for path in files:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("docs/rules/pyramid.md", encoding="utf-8")
    return tmp_path


def test_a_game_with_all_its_files_is_told_nothing(clone: Path) -> None:
    assert gaps.find_missing_files(GAMES["pyramid"], clone) == []


@pytest.mark.parametrize(
    ("path", "output"),
    [
        ("envs/games/pyramid/README.md", "its page"),
        ("docs/rules/pyramid.md", "its rules, whole, with their sources"),
        ("docs/api/pyramid.md", "its page of the API"),
        ("tests/reference/pyramid.py", "the game once more, plain, from the rules alone"),
        ("tests/golden/pyramid/web.txt", "its golden games: make goldens GAME=pyramid"),
    ],
)
def test_a_missing_file_is_named(clone: Path, path: str, output: str) -> None:
    (clone / path).unlink()
    (result,) = gaps.find_missing_files(GAMES["pyramid"], clone)
    assert result.startswith(f"pyramid: no {path}: {output}")


@pytest.mark.parametrize("path", ["envs/games/pyramid/README.md", "tests/reference/pyramid.py"])
def test_what_does_not_name_the_rules_is_named(clone: Path, path: str) -> None:
    (clone / path).write_text("by heart", encoding="utf-8")
    (result,) = gaps.find_missing_files(GAMES["pyramid"], clone)
    assert result == f"pyramid: {path} does not name docs/rules/pyramid.md, the rules it is by"


def test_a_missing_match_and_lines_of_the_site_are_named(clone: Path) -> None:
    (clone / "tests/games/test_pyramid_matches_reference.py").unlink()
    site = (clone / "mkdocs.yml").read_text(encoding="utf-8")
    lines = [line for line in site.splitlines() if "games/pyramid.md" not in line]
    (clone / "mkdocs.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    page, beside = gaps.find_missing_files(GAMES["pyramid"], clone)
    assert page == "pyramid: no line in mkdocs.yml below nav: '- Pyramid: games/pyramid.md'"
    assert beside.startswith("pyramid: no test in tests/games plays it beside tests/reference/")
    assert "tests/games/test_pyramid_matches_reference.py, with tests.reference.match" in beside
