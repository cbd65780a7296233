"""``parlour solve``: solutions of deals and positions."""

import json
import re
from collections.abc import Iterator

import pytest

from parlour.envs import CardEnv, find_game
from parlour.envs.core.kernel.cards import card_name, card_symbol, parse_card
from parlour.envs.core.kernel.compiling import CompilationListener
from parlour.training.cli import main
from tests.fake_solver import FakeSolver, solved

GAME = find_game("pyramid")
RULES = GAME.make_rules()


@pytest.fixture(autouse=True)
def fake() -> Iterator[FakeSolver]:
    with solved(GAME) as fake:
        yield fake


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main.main(["solve", "pyramid", *words]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def deals_by_code(fake: FakeSolver) -> dict[int, int]:
    """An unwinnable, an undecided, and a winnable deal."""
    env, result = CardEnv(GAME), {}
    for deal in range(60):
        env.reset(options={"deal": deal})
        result.setdefault(fake(env.clone(), RULES).winnable_code, deal)
    assert set(result) == {-1, 0, 1}
    return result


def test_it_says_yes_no_or_undecided(fake: FakeSolver, capsys: pytest.CaptureFixture[str]) -> None:
    deals = deals_by_code(fake)
    for code, word in ((1, "yes, in "), (0, "no\n"), (-1, "undecided\n")):
        text = output(capsys, "--deal", str(deals[code]))
        assert text.startswith(f"Pyramid, three-passes, deal {deals[code]}, deal set pyramid-1\n")
        assert f"winnable: {word}" in text
        assert " positions searched" in text


def test_the_way_wins(fake: FakeSolver, capsys: pytest.CaptureFixture[str]) -> None:
    deal = deals_by_code(fake)[1]
    result = json.loads(output(capsys, "--deal", str(deal), "--fewest", "--json"))
    assert (result["winnable"], result["deal"], result["deal_set"]) == (True, deal, "pyramid-1")
    env = CardEnv(GAME)
    env.reset(options={"deal": deal})
    deck = [int(card) for card in env.state["deck"]]
    for action in result["actions"]:
        *_, info = env.step(action)
    assert info["won"]
    assert info["moves"] == result["fewest"]
    assert len(result["moves"]) == len(result["actions"])

    names = " ".join(map(card_name, deck))
    of_deck = json.loads(output(capsys, "--deck", names, "--json"))
    assert of_deck["actions"] == result["actions"]
    assert of_deck["deck"] == names


def test_a_position_after_some_actions(
    fake: FakeSolver, capsys: pytest.CaptureFixture[str]
) -> None:
    deal = deals_by_code(fake)[1]
    whole = json.loads(output(capsys, "--deal", str(deal), "--json"))["actions"]
    names = [GAME.label(action).upper() for action in whole[:5]]
    for given in (names, [str(action) for action in whole[:5]]):
        rest = json.loads(output(capsys, "--deal", str(deal), "--json", "--actions", *given))
        assert rest["actions"] == whole[5:]
    end = json.loads(output(capsys, "--deal", str(deal), "--json", "--actions", *map(str, whole)))
    assert (end["winnable"], end["moves"], end["nodes"]) == (True, [], 0)


def test_moves_name_cards_and_the_time_is_the_solvers(
    fake: FakeSolver, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = deals_by_code(fake)[1]
    result = json.loads(output(capsys, "--deal", str(deal), "--json"))
    shown = output(capsys, "--deal", str(deal)).splitlines()
    env = CardEnv(GAME)
    env.reset(options={"deal": deal})
    for line, cards in zip(shown[2:-1], result["cards"], strict=True):
        names = cards.split()
        values = [parse_card(name) // 4 for name in names]
        assert sum(values) == 13 if names else "deal from" in line or "waste over" in line
        assert all(card_symbol(parse_card(name)) in line for name in names)
    assert re.fullmatch(r"solved in [\d.]+ [µm]?s, \d+ positions searched.*", shown[-1])

    slow = FakeSolver.__call__

    def compiling(self: FakeSolver, *given: object, **keywords: object) -> object:
        monkeypatch.setattr(CompilationListener, "seconds", 95.0)
        return slow(self, *given, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(CompilationListener, "seconds", 0.0)
    monkeypatch.setattr(FakeSolver, "__call__", compiling)
    last = output(capsys, "--deal", str(deal)).splitlines()[-1]
    assert last.endswith(" (plus 95 s to compile the solver on first use)")
    assert "solved in " in last


def test_variants_and_deal_sets(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(
        capsys, "--deal", "3", "--deal-set", "mine", "--variant", "web", "--option", "passes=2"
    )
    assert text.startswith("Pyramid, web + passes=2, deal 3, deal set mine\n")


def test_a_game_played_for_its_score(capsys: pytest.CaptureFixture[str]) -> None:
    squares = find_game("poker_squares")
    with solved(squares):
        assert main.main(["solve", "poker_squares", "--deal", "3"]) == 0
        text = capsys.readouterr().out
        assert "best score found: " in text
        assert ", 25 moves\n" in text
        assert main.main(["solve", "poker_squares", "--deal", "3", "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
    assert result["winnable"] is None
    assert isinstance(result["score"], int)


def test_contracts_of_a_deal_of_partners(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["solve", "28", "--deal", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Twenty-Eight, classic, deal 3, deal set twenty_eight-1"
    assert [line.split(":")[0] for line in lines[2:6]] == [f"  seat {n}" for n in range(4)]
    assert main.main(["solve", "28", "--deal", "3", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["contracts"]
    best = max(result, key=lambda one: one["points"])
    assert lines[-1] == f"best contract: seat {best['seat']}, {best['making']}: {best['points']}"
    assert main.main(["solve", "28", "--deal", "3", "--limit", "3"]) == 0
    assert capsys.readouterr().out.endswith("undecided within the search limit (--limit)\n")


def test_a_contract_in_play(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", "29", "--deal", "3", "--actions", "bid 29", "trumps clubs"]
    assert main.main(words) == 0
    output = capsys.readouterr().out
    assert main.main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert f"the bidder's side takes {result['points']} points and does not make its" in output
    assert main.main([*words, "--limit", "3"]) == 0
    assert "exact points undecided after" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            "solve 28 --deal 1 --actions 42",
            "the position must have a contract",
        ),
        ("solve pyramid", "either --deal NUMBER or --deck CARDS must be given, not both"),
        (
            "solve pyramid --deal 1 --deck Ac",
            "either --deal NUMBER or --deck CARDS must be given, not both",
        ),
        ("solve pyramid --deck Ac --deal-set mine", "--deal-set must not be combined with --deck"),
        ("solve pyramid --deck Ac,Ac", "deck: card 2: Ac is in the deck twice"),
        ("solve pyramid --deal -1", "deal must be an integer >= 0, got -1"),
        ("solve pyramid --deal 1 --actions 41", "got 41 (undo the last move)"),
        (
            "solve pyramid --deal 1 --actions REDAEL",
            "action must be one of 22 (pyramid 22), 39 (DEAL), got 'REDAEL'\n",
        ),
        (
            "solve pyramid --deal 1 --actions pyramid_2",
            "got 'pyramid_2'. Did you mean '22 (pyramid 22)'",
        ),
        ("solve 28 --deal 1 --actions 42 57 x", "(ask for trumps)"),
        (
            "solve 28 --deal 1 --actions wibble",
            "action must be one of 38 (bid 14), 39 (bid 15), 40 (bid",
        ),
        (
            "solve 28 --deal 1 --actions 42 pass wibble",
            "action must be one of 44 (bid 20), 45 (bid",
        ),
        ("solve pyramid --deal 1 --limit 0", "limit must be an integer >= 1, got 0"),
        ("solve seven-twenty-seven --deal 1", "Seven Twenty-Seven has no solver. Games with"),
        ("solve poker_squares --variant duel --deal 1", "has a solver only for one player, got 2"),
    ],
)
def test_errors(capsys: pytest.CaptureFixture[str], words: str, error: str) -> None:
    assert main.main(words.split()) == 2
    assert error in capsys.readouterr().err


def test_rules_that_the_solver_refuses(
    fake: FakeSolver, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.refuses = "undo is not for solvers"
    assert main.main(["solve", "pyramid", "--deal", "1"]) == 2
    assert "undo is not for solvers" in capsys.readouterr().err
    with pytest.raises(ValueError, match="undo is not for solvers"):
        CardEnv(GAME, winnable=True)


def test_a_wrong_way_is_not_shown(
    fake: FakeSolver, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = deals_by_code(fake)[1]
    right = FakeSolver.__call__

    def cut(self: FakeSolver, *given: object, **keywords: object) -> object:
        result = right(self, *given, **keywords)  # type: ignore[arg-type]
        return result._replace(actions=result.actions and result.actions[:-1])

    monkeypatch.setattr(FakeSolver, "__call__", cut)
    assert main.main(["solve", "pyramid", "--deal", str(deal)]) == 2
    assert (
        "Contradiction: Pyramid: won of the solver's solution must be True"
        in capsys.readouterr().err
    )


def test_a_solver_without_contracts_says_what_comes_of_play(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start = ["bid 28", "in clubs", *["pass"] * 5]
    words = ["solve", "56", "--deal", "3", "--limit", "2000", "--actions", *start]
    assert main.main(words) == 0
    output = capsys.readouterr().out
    assert main.main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    low, high = result["bounds"]
    assert result["points"] is None
    assert 0 <= low < high <= 56
    assert f"the bidder's side takes between {low} and {high} points and " in output
    assert main.main(["solve", "56", "--deal", "3"]) == 2
    assert "the position must have a contract" in capsys.readouterr().err
