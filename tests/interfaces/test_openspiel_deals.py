"""Games of numbered deals for OpenSpiel: they are the kernel's games, and nothing leaks."""

import copy
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, Game
from parlour.envs.core.batch import StepConfig
from parlour.envs.core.rows import Rows, observation_codes, resample_copies, view_states
from tests.contract.cases import CASES
from tests.marks import slow_if

pyspiel = pytest.importorskip("pyspiel")
pytest.importorskip("parlour.envs.interfaces.openspiel")

BRIDGED = [case for case in CASES if case.game.name != "seven_twenty_seven"]
each = pytest.mark.parametrize(
    ("game", "variant"),
    [
        pytest.param(
            case.game,
            case.variant,
            id=str(case),
            marks=[] if case.is_quick else [pytest.mark.slow],
        )
        for case in BRIDGED
    ],
)


def load(game: Game, variant: str, **parameters: Any) -> Any:
    return pyspiel.load_game(f"parlour_{game.name}", {"variant": variant, **parameters})


def test_all_games_are_bridged() -> None:
    names = {kind.short_name for kind in pyspiel.registered_games()}
    assert {f"parlour_{name}" for name in GAMES} <= names


@pytest.mark.slow
@each
def test_openspiels_own_test(game: Game, variant: str) -> None:
    """With states written and read again."""
    pyspiel.random_sim_test(load(game, variant), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("deals", [(0,), slow_if(True, (0, 17))], ids=len)
@each
def test_it_is_the_kernels_game(game: Game, variant: str, deals: tuple[int, ...]) -> None:
    spiel, rules, rng = load(game, variant), game.make_rules(variant), np.random.default_rng(3)
    players = spiel.num_players()
    observer = spiel.make_py_observer()
    for deal in deals:
        rows = Rows(game, rules, 1, StepConfig(max_steps=1000 if players == 1 else 0))
        rows.deal_numbered("openspiel", [deal])
        state, paid = spiel.new_initial_state(), rows.buffers.rewards[0, :players].copy()
        assert state.is_chance_node()
        assert dict(state.chance_outcomes())[deal] == 1 / 1000
        state.apply_action(deal)
        while not state.is_terminal():
            seat = state.current_player()
            assert seat == rows.seats[0]
            assert state.legal_actions() == np.flatnonzero(rows.buffers.masks[0]).tolist()
            for player in range(players):
                seen = view_states(game, rules, rows.states, np.array([player]))
                onehot = game.features.onehot(observation_codes(seen))[0]
                observer.set_from(state, player)
                assert np.array_equal(observer.tensor, onehot)
            action = int(rng.choice(state.legal_actions()))
            assert state.action_to_string(seat, action) == game.label(action)
            assert state.returns() == [0] * players
            before, other = str(state), state.clone()
            state.apply_action(action)
            assert str(other) == before == str(copy.deepcopy(other))
            rows.step(np.array([action]))
            paid += rows.buffers.rewards[0, :players]
        assert rows.states["over"][0]
        assert np.allclose(state.returns(), paid)
        assert all(spiel.min_utility() <= one <= spiel.max_utility() for one in state.returns())
        assert len(state.history()) <= spiel.max_game_length() + 1


@each
def test_a_seat_sees_nothing_hidden(game: Game, variant: str) -> None:
    spiel, observer = load(game, variant), load(game, variant).make_py_observer()
    state = spiel.new_initial_state()
    state.apply_action(5)
    for _ in range(8):
        if state.is_terminal():
            break
        for player in range(spiel.num_players()):
            output = observer.string_from(state, player)
            here = state.rows.states.copy()
            state.rows.states[:] = resample_copies(game, state.rows.rules, here, 3, player)
            assert observer.string_from(state, player) == output
            state.rows.states[:] = here
        state.apply_action(state.legal_actions()[-1])


def test_invalid_arguments_are_named() -> None:
    for game, variant in [(BRIDGED[0].game, BRIDGED[0].variant)]:
        with pytest.raises(ValueError, match="deals must be an integer >= 1, got 0"):
            load(game, variant, deals=0)
        with pytest.raises(ValueError, match=r"variant must be one of .*, got "):
            load(game, "nosuch")
        with pytest.raises(ValueError, match="params must be empty, got "):
            load(game, variant).make_py_observer(None, {"a": 1})
        assert load(game, variant, deals=3).max_chance_outcomes() == 3
    nothing = pyspiel.IIGObservationType(
        perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    assert load(BRIDGED[0].game, BRIDGED[0].variant).make_py_observer(nothing) is None


def test_options_are_parameters() -> None:
    squares = GAMES["poker_squares"]
    game = load(squares, "classic", scoring="custom", points="0,1,2,3,4,5,6,7,8,9", target=9)
    assert game.rules.points == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    assert game.rules.target == 9
