"""Game: tables that do not fit are refused, rules are read, results are told, names are found."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs.core.contract import Solution, Solving
from parlour.envs.core.game import GAMES, Game, digest16, find_game, register
from parlour.envs.core.options import Option
from tests.core.tiny import GAME, LEAVE, STOP, TAKE, UNIT, Rules, begin, make_game, play

ALONE = make_game(seats=None)
SCORED = make_game(seats=None, goal="reached")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    monkeypatch.setitem(GAMES, GAME.name, GAME)
    yield GAME


def test_variants_without_a_source_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match="variants and sources must have the same names, got a difference in three, two",
    ):
        make_game(sources={"short": "here"})


def test_an_option_that_is_not_observed_is_refused() -> None:
    class More(NamedTuple):
        players: Annotated[int, Option("how many", 1, 3)] = 1
        secret: Annotated[int, Option("not shown", 1, 3)] = 1

    with pytest.raises(
        ValueError, match="features must have a piece for each option, missing: secret"
    ):
        make_game(rules=More)


def test_a_game_is_pickled_as_its_name(registered: Game) -> None:
    assert pickle.loads(pickle.dumps(registered)) is registered
    assert len(pickle.dumps(registered)) < 100


def test_a_second_game_of_a_name_is_refused(registered: Game) -> None:
    assert register(registered) is registered
    with pytest.raises(ValueError, match="game name must be new, got 'take_or_leave'"):
        register(make_game())
    assert GAMES["take_or_leave"] is registered


@pytest.mark.parametrize(
    "name",
    ["take_or_leave", "take-or-leave", "Take or Leave", "take or leave", "parlour/TakeOrLeave-v0"],
)
def test_a_game_is_found_by_its_name_title_and_id(registered: Game, name: str) -> None:
    assert find_game(name) is registered


def test_a_game_is_found_by_a_title_that_differs_from_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = make_game(name="Tiny", title="A Small Game")
    monkeypatch.setitem(GAMES, "Tiny", game)
    for name in ("Tiny", "a small game", "parlour/ASmallGame-v0"):
        assert find_game(name) is game


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("take_or_leav", "game must be .*, got 'take_or_leav'. Did you mean 'take_or_leave'"),
        ("parlour/TakeOrLeave-v7", "game must be .*, got 'parlour/TakeOrLeave-v7'"),
        (None, "None"),
    ],
)
def test_an_unknown_game_is_named(registered: Game, name: Any, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        find_game(name)


def test_players_are_those_of_the_rules_where_there_are_seats() -> None:
    assert [GAME.num_players(Rules(players=n)) for n in (1, 2, 3)] == [1, 2, 3]
    assert ALONE.num_players(Rules(players=3)) == 1
    assert (GAME.max_players, ALONE.max_players) == (3, 1)


def test_a_game_has_a_dealer_if_its_state_has() -> None:
    dealt = np.dtype([*((name, GAME.state[name]) for name in GAME.state.names), ("dealer", "i1")])
    assert (GAME.has_dealer, make_game(state=dealt).has_dealer) == (False, True)


def test_the_unit_of_rewards_is_that_of_the_seats() -> None:
    assert GAME.reward_unit(Rules()) == UNIT
    with pytest.raises(ValueError, match="reward_unit needs a multiplayer game, got Take or Leave"):
        ALONE.reward_unit(Rules())


def test_players_are_compared_by_wins_only_where_one_player_wins() -> None:
    assert [game.measure for game in (ALONE, SCORED, GAME)] == ["won", "score", "score"]


def test_at_a_table_of_several_the_aim_is_to_win() -> None:
    reached = make_game(goal="reached")
    assert [reached.goal_name(Rules(players=n)) for n in (1, 2)] == ["reached", "won"]
    assert SCORED.goal_name(Rules(players=2)) == "reached"


def test_the_id_is_made_from_title_and_version() -> None:
    assert GAME.id == "parlour/TakeOrLeave-v0"
    assert make_game(title="Seven-card stud", version=3).id == "parlour/SevenCardStud-v3"


def test_a_solver_is_told_where_there_is_one() -> None:
    def solve(*_: object, **__: object) -> Solution:
        return Solution(None, None, 1)

    assert (GAME.solve, GAME.winnable_after) == (None, None)
    assert make_game(solving=Solving(solve)).solve is solve


def test_rules_are_a_variant_with_options_put_in() -> None:
    assert GAME.make_rules() == Rules()
    assert GAME.make_rules("two", {"target": "9"}) == Rules(players=2, target=9)


def test_an_unknown_variant_is_named() -> None:
    with pytest.raises(ValueError, match=r"variant must be .*, got 'too'. Did you mean 'two'"):
        GAME.make_rules("too")


def test_rules_that_the_game_refuses_are_not_made() -> None:
    with pytest.raises(ValueError, match="dead=yes: players must be 1"):
        GAME.make_rules("two", {"dead": True})


def test_rules_are_named_if_they_are_a_variant() -> None:
    assert GAME.variant_name(Rules(players=2)) == "two"
    assert GAME.variant_name(Rules(players=2, target=9)) is None


def test_another_game_version_or_option_has_another_digest() -> None:
    digests = {
        GAME.rules_digest(Rules()),
        GAME.rules_digest(Rules(target=9)),
        make_game(version=1).rules_digest(Rules()),
        make_game(name="other").rules_digest(Rules()),
    }
    assert len(digests) == 4
    assert GAME.rules_digest(Rules()) == make_game().rules_digest(Rules())


def test_other_actions_have_another_digest_of_features() -> None:
    assert GAME.features_digest == make_game(version=1).features_digest
    assert GAME.features_digest != make_game(actions=4).features_digest


def test_a_digest_is_16_hex_digits() -> None:
    assert len(digest16("a")) == 16
    assert int(digest16("a"), 16) != int(digest16("b"), 16)


def test_actions_are_scored_by_the_heuristic_and_illegal_ones_by_0() -> None:
    rows = begin(2)
    assert GAME.score_actions(rows.states, rows.rules).tolist() == [[1.0, 3.5, 0.0]] * 2


def test_weights_and_rules_replace_the_heuristic() -> None:
    rows = begin()
    assert GAME.score_actions(rows.states, rows.rules, np.array([2.0]))[0, LEAVE] == 2.0
    assert GAME.score_actions(rows.states, rows.rules, None, "last")[0].tolist() == [0, 1, 2]


def told(rows: Any, seat: int) -> dict[str, Any]:
    result = GAME.results(rows.states, rows.rules, np.array([seat]))
    return {name: array.tolist()[0] for name, array in result.items()}


def test_the_results_of_one_player_are_won_and_score() -> None:
    rows = begin(target=1)
    play(rows, TAKE, STOP)
    result = {name: array.tolist() for name, array in GAME.results(rows.states, rows.rules).items()}
    assert result == {
        "won": [True], "score": [1], "moves": [2], "illegal_action": [False], "left": [4],
    }  # fmt: skip


def test_the_results_of_a_seat_are_its_net() -> None:
    rows = begin(players=3)
    play(rows, TAKE, TAKE, STOP)
    assert [(told(rows, n)["won"], told(rows, n)["score"]) for n in range(3)] == [
        (False, -1), (True, 2), (False, -1),
    ]  # fmt: skip


def test_a_seat_that_comes_out_even_has_not_won() -> None:
    rows = begin(players=2)
    play(rows, TAKE, STOP)
    rows.states["net"] = 0
    assert told(rows, 0)["won"] is False


def test_an_illegal_action_is_reported_for_the_seat_that_chose_it() -> None:
    rows = begin(players=3)
    play(rows, TAKE, 9, STOP)
    assert [told(rows, n)["illegal_action"] for n in range(3)] == [False, True, False]


def test_every_game_has_the_id_by_which_it_was_registered() -> None:
    """`parlour.envs` registers the games without importing them, so it derives the IDs."""
    registered = [one for one in gym.registry if one.startswith("parlour/")]
    assert registered == [game.id for game in GAMES.values()]
    assert list(GAMES) == [game.name for game in GAMES.values()]
    assert list(reversed(GAMES)) == list(GAMES)[::-1]


def test_importing_the_environments_imports_no_game() -> None:
    code = "import sys, parlour.envs; "
    code += "print([one for one in sys.modules if one.startswith('parlour.envs.games')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
