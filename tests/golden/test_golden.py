"""Every variant repeats its golden playthrough, and deal sets keep their deals."""

import re

import pytest

from parlour.envs import GAMES, Game
from parlour.envs.core.kernel.cards import default_deal_set
from tests.golden.make import (
    DEAL_SETS,
    DEALS,
    FOLDER,
    deal_set_line,
    deal_sets_written,
    playthrough,
)
from tests.marks import slow_if

GOLDEN = [(game, variant) for game in GAMES.values() for variant in game.variants]
HINT = "meant? then: make goldens, and look at what git says has changed"


def missing(game: Game, variant: str) -> str:
    path = f"tests/golden/{game.name}/{variant}.txt"
    return f"{game.name}: no golden game {path}: make goldens GAME={game.name}"


@pytest.mark.parametrize("every_deal", [False, slow_if(True, True)])
@pytest.mark.parametrize(("game", "variant"), GOLDEN, ids=[f"{g.name}-{v}" for g, v in GOLDEN])
def test_playthrough(game: Game, variant: str, every_deal: bool) -> None:
    """The deal that the file shows is played as it is there, and is the best of all deals."""
    file = FOLDER / game.name / f"{variant}.txt"
    assert file.exists(), missing(game, variant)
    golden = file.read_bytes().decode()
    shown = re.search(r"^deal +(\d+) of ", golden, re.M)
    assert shown, HINT
    now = playthrough(game, variant, range(DEALS) if every_deal else [int(shown[1])])
    assert now.split("\n") == golden.split("\n"), HINT


def test_none_is_missing_or_stale() -> None:
    wanted = {f"{game.name}/{variant}.txt" for game, variant in GOLDEN} | {DEAL_SETS}
    there = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*") if file.is_file()}
    there = {name for name in there if not name.endswith((".py", ".pyc"))}
    assert there >= wanted, f"missing: {sorted(wanted - there)}: make goldens"
    assert there == wanted, f"of no variant: {sorted(there - wanted)}: make goldens"


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_default_deal_set_deals_what_it_always_dealt(game: Game) -> None:
    deal_set, lines = default_deal_set(game.name), deal_sets_written()
    known = deal_set in {line.split()[0] for line in lines}
    assert known, f"{game.name}: no line for {deal_set} in tests/golden/{DEAL_SETS}: make goldens"
    assert deal_set_line(game) in lines, f"{deal_set} has changed"


def test_some_golden_games_are_won_and_some_are_not() -> None:
    ends = set()
    for game, variant in GOLDEN:
        file = FOLDER / game.name / f"{variant}.txt"
        assert file.exists(), missing(game, variant)
        text = file.read_text(encoding="utf-8")
        goal = game.goal_name(game.variants[variant])
        ends |= {word for word in text.partition(f"\n{goal} ")[2].split("\n")[0].split()}
    assert ends == {"yes", "no"}
