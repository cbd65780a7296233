"""Solving with all cards known: positions, lines of actions, and checks of solvers."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.contract import Solution, Solving
from parlour.envs.core.game import GAMES
from parlour.envs.core.solve import (
    WinnableInfo,
    make_position,
    play_actions,
    solvable,
    solver_of,
)
from tests.core.tiny import CARDS, GAME, LEAVE, STOP, TAKE, Rules, begin, make_game, play


class Solver:
    """Says of each position whether the next card is odd; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, int | None]] = []

    def __call__(self, position: Any, rules: Any, optimal: bool = False, limit: int | None = None):
        self.asked.append((position, limit))
        if rules.target == 21:
            raise ValueError("no solver for this target")
        return Solution(position["deck"][0, position["next"][0]] % 8 == 4, None, 1)


def solved(**changes: Any) -> tuple[Any, Solver]:
    solver = Solver()
    return make_game(seats=None, solving=Solving(solver), **changes), solver


def test_a_deck_becomes_its_deal() -> None:
    result = make_position(GAME, Rules(), "6c 5c 4c 3c 2c Ac")
    assert result.shape == (1,)
    assert result["deck"].tolist() == [list(CARDS[::-1])]
    assert result["shown"]["card"] == [CARDS[-1]]


@pytest.mark.parametrize("as_record", [False, True])
def test_a_state_becomes_a_copy_of_itself(as_record: bool) -> None:
    rows = begin()
    play(rows, TAKE)
    result = make_position(GAME, rows.rules, rows.states[0] if as_record else rows.states)
    assert result.tobytes() == rows.states.tobytes()
    assert not np.shares_memory(result, rows.states)


@pytest.mark.parametrize("wrong", [begin(2).states, np.zeros(1, [("deck", np.int8)])])
def test_a_position_must_be_one_state_of_the_game(wrong: Any) -> None:
    with pytest.raises(ValueError, match="state must be one record of Take or Leave, got"):
        make_position(GAME, Rules(), wrong)


def test_actions_are_played_from_a_position() -> None:
    rows = begin()
    result = play_actions(GAME, rows.rules, rows.states[0], [TAKE, LEAVE, TAKE])
    assert (result["score"], result["moves"]) == ([4], [3])
    assert rows.states["moves"] == [0]


@pytest.mark.parametrize(
    ("actions", "output"),
    [
        ([TAKE, TAKE, TAKE], r"action 3 must be 1 \(leave\), got 0 \(take\)"),
        ([STOP, LEAVE], r"action 2 is illegal because the game is over, got 1 \(leave\)"),
    ],
)
def test_the_first_illegal_action_is_named(actions: list[int], output: str) -> None:
    rows = begin(forced=True)
    with pytest.raises(ValueError, match=f"^{output}$"):
        play_actions(GAME, rows.rules, rows.states, actions)


def test_a_solver_is_called_once_before_it_is_returned() -> None:
    game, solver = solved()
    assert solver_of(game, Rules()) is solver
    ((position, limit),) = solver.asked
    assert position["over"] and limit is None  # there is nothing to solve


def test_rules_that_a_solver_does_not_support_are_rejected() -> None:
    with pytest.raises(ValueError, match="no solver for this target"):
        solver_of(solved()[0], Rules(target=21))


def test_the_error_for_a_missing_solver_names_games_with_a_solver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(GAMES, "solved", solved(name="solved")[0])
    monkeypatch.setitem(GAMES, GAME.name, GAME)
    assert "solved" in solvable() and GAME.name not in solvable()
    with pytest.raises(
        ValueError, match=r"Take or Leave has no solver. Games with a solver: .*, solved$"
    ):
        solver_of(GAME, Rules())


def test_multiplayer_rules_have_no_solver() -> None:
    with pytest.raises(ValueError, match="Leave has a solver only for one player, got 2 players"):
        solver_of(make_game(solving=Solving(Solver())), Rules(players=2))


def test_unfinished_games_are_solved_and_finished_ones_return_their_result() -> None:
    game, solver = solved()
    info = WinnableInfo(game, Rules())
    solver.asked.clear()
    states = begin(4).states
    states["next"] = [0, 1, 0, 1]
    states["over"] = [0, 0, 1, 2]
    states["won"] = [0, 0, 1, 0]
    result = info(states)
    assert (result.tolist(), result.dtype) == ([1, 0, 1, 0], np.int8)
    assert len(solver.asked) == 3


def test_an_undecided_solution_is_undecided() -> None:
    game, _ = solved()
    info = WinnableInfo(game, Rules())
    info.solve = lambda *_, **__: Solution(None, None, 1)
    assert info(begin().states).tolist() == [-1]


def test_games_without_a_win_have_no_winnable_info() -> None:
    with pytest.raises(
        ValueError, match="winnable needs a game that can be won, got Take or Leave"
    ):
        WinnableInfo(solved(goal="reached")[0], Rules())
