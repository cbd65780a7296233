"""What OpenSpiel's states refuse: actions, outcomes and seats that do not exist, in every game."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES

pyspiel = pytest.importorskip("pyspiel")
pytest.importorskip("parlour.envs.interfaces.openspiel")

NAMES = [f"parlour_{name}" for name in GAMES]
every_game = pytest.mark.parametrize("name", NAMES)
LOOKS = ("observation_string", "observation_tensor", "information_state_string")


def points(name: str, seed: int = 0) -> list[Any]:
    """Every state of a game: chance nodes, decisions and the end."""
    rng = np.random.default_rng(seed)
    state = pyspiel.load_game(name).new_initial_state()
    result = [state.clone()]
    while not state.is_terminal():
        outcomes = [one for one, _ in state.chance_outcomes()] if state.is_chance_node() else None
        state.apply_action(int(rng.choice(outcomes or state.legal_actions())))
        result.append(state.clone())
    return result


def refuses(call: Callable[[], Any], output: str) -> None:
    with pytest.raises(pyspiel.SpielError, match=output) as caught:
        call()
    assert "\n" not in str(caught.value)


def seats_of(state: Any) -> str:
    """The seats of a game, as messages name them."""
    last = state.num_players() - 1
    return f"an integer from 0 to {last}" if last else "0"


@every_game
def test_illegal_actions_are_refused_and_change_nothing(name: str) -> None:
    result = points(name)
    actions = pyspiel.load_game(name).num_distinct_actions()
    kinds = set()
    for state in result[:40] + result[-3:]:
        legal = state.legal_actions()
        before = str(state), state.history(), state.returns()
        for action in {-5, 999_999, *range(actions + 1)} - set(legal):
            refuses(lambda state=state, action=action: state.apply_action(action), f"got {action}")
            assert (str(state), state.history(), state.returns()) == before
        kinds.add((state.is_chance_node(), state.is_terminal()))
        if legal:
            state.apply_action(legal[-1])
            assert state.history() != before[1]
    assert kinds == {(True, False), (False, False), (False, True)}


@every_game
def test_the_error_says_what_is_allowed(name: str) -> None:
    result = points(name)
    start, end = result[0], result[-1]
    refuses(lambda: start.apply_action(10**6), "^action must be .*, got 1000000$")
    refuses(lambda: end.apply_action(0), "^action is illegal because the game is over, got 0$")
    open_state = next(state for state in result if state.current_player() >= 0)
    legal = ", ".join(map(str, open_state.legal_actions()))
    refuses(lambda: open_state.apply_action(-5), f"^action must be one of {legal}, got -5$")


@every_game
def test_seats_that_do_not_exist_are_refused(name: str) -> None:
    result = points(name)
    for state in (result[0], result[len(result) // 2], result[-1]):
        for player in (-4, -1, state.num_players(), 99):
            for look in LOOKS[:2]:
                refuses(
                    lambda state=state, look=look, player=player: getattr(state, look)(player),
                    f"^player must be {seats_of(state)}, got {player}$",
                )
        observer = state.get_game().make_py_observer()
        for call in (observer.set_from, observer.string_from):
            refuses(
                lambda call=call, state=state: call(state, 99),
                f"^player must be {seats_of(state)}, got 99$",
            )


@every_game
def test_a_seat_must_be_given_if_no_seat_acts(name: str) -> None:
    result = points(name)
    for state, where in ((result[0], "at a chance node"), (result[-1], "at the end")):
        for look in LOOKS[:2]:
            refuses(getattr(state, look), f"^player must be {seats_of(state)} {where}, got None")
            assert len(getattr(state, look)(0)) > 0


@every_game
def test_information_states_are_there_or_named_as_missing(name: str) -> None:
    result = points(name)
    kind = result[0].get_game().get_type()
    for state in (result[0], result[-1]):
        refuses(lambda state=state: state.information_state_tensor(0), "observation_tensor$")
        if kind.provides_information_state_string:
            refuses(
                state.information_state_string,
                r"^player must be an integer from 0 to \d+ at .*, got None",
            )
            refuses(lambda state=state: state.information_state_string(99), "^player must be")
            assert state.information_state_string(0).startswith("seat0")
        else:
            refuses(lambda state=state: state.information_state_string(0), "use observation_string")


@every_game
def test_only_the_seat_to_act_has_legal_actions(name: str) -> None:
    """OpenSpiel's own mask for a seat at a chance node writes outside its memory."""
    result = points(name)
    actions = pyspiel.load_game(name).num_distinct_actions()
    for state in result[:30] + result[-1:]:
        for player in range(state.num_players()):
            legal = state.legal_actions() if player == state.current_player() else []
            assert state.legal_actions(player) == legal
            mask = np.zeros(actions, int)
            mask[legal] = 1
            assert state.legal_actions_mask(player) == mask.tolist()
        mask = np.zeros(len(state.legal_actions_mask()), int)
        mask[state.legal_actions()] = 1
        assert state.legal_actions_mask() == mask.tolist()
    assert result[-1].legal_actions() == []


@every_game
def test_labels_of_actions_that_do_not_exist_are_refused(name: str) -> None:
    for state in points(name)[:3]:
        for action in (-5, 10**6):
            with pytest.raises(ValueError, match=str(action)):
                state.action_to_string(state.current_player(), action)
