"""Agents in a user's code: optional attributes, and the encoding that they request."""

from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO

from parlour.agents import from_sb3
from parlour.agents.registry import Turn, check_agent, choose_actions, prepare_turn
from parlour.agents.search.pimc import PimcAgent
from parlour.envs import CardEnv, find_game
from parlour.envs.core.rows import Rows, observation_codes
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training.equilibrium import exploitability, game_tree
from parlour.training.evaluation.compare import compare
from parlour.training.evaluation.play import play_deals, play_duplicate

PYRAMID, TABLE = find_game("pyramid"), find_game("seven_twenty_seven")
RULES = PYRAMID.make_rules()
MINI = TABLE.make_rules("mini")
SEEDS = np.arange(4, dtype=np.uint64)


class Bare:
    """An agent without optional attributes."""

    def act(self, turn: Turn) -> np.ndarray:
        return turn.masks.argmax(axis=1)


class Closed:
    """An agent that does not allow attributes."""

    __slots__ = ()

    def act(self, turn: Turn) -> np.ndarray:
        return turn.masks.argmax(axis=1)


class Reader(Bare):
    """An agent that requests one-hot observations and records what it receives."""

    encoding = "onehot"

    def __init__(self) -> None:
        self.seen: list[np.ndarray] = []

    def act(self, turn: Turn) -> np.ndarray:
        self.seen.append(turn.observations)
        assert turn.observations.shape == (len(turn.states), turn.game.features.columns)
        assert turn.observations.dtype == np.uint8
        return super().act(turn)


def positions(rules: Any = RULES, n: int = 4) -> np.ndarray:
    rows = Rows(PYRAMID, rules, n)
    rows.deal_numbered("pyramid-1", range(n))
    return rows.states


def play_seat(opponent: Any) -> None:
    env = CardEnv(TABLE, "mini", opponents=opponent)
    env.reset(seed=1)
    while not env.step(int(env.action_masks().argmax()))[2]:
        pass


@pytest.mark.parametrize("kind", [Bare, Closed])
def test_an_object_may_say_nothing_of_itself(kind: Any) -> None:
    turn = prepare_turn(kind(), PYRAMID, RULES, positions(), 0)
    assert choose_actions(kind(), turn).shape == (4,)
    assert turn.observations.shape == (4, PYRAMID.features.width)
    result = compare(PYRAMID, [kind(), "greedy"], deals=4, max_moves=20).evaluations[0]
    assert (result.agent, result.sees_all) == (kind.__name__, False)
    play_deals(PYRAMID, RULES, kind(), SEEDS, max_moves=9)
    play_duplicate(TABLE, MINI, kind(), [kind()], SEEDS)
    compare(TABLE, [kind()], variants=["mini"], deals=2, opponents=[kind()])
    play_seat(kind())
    exploitability.extract_policy(kind(), game_tree.build_tree(MINI))
    assert check_agent(kind()).name == kind.__name__


def test_an_agent_gets_the_encoding_that_it_declares() -> None:
    reader, states = Reader(), positions()
    turn = prepare_turn(reader, PYRAMID, RULES, states, 0)
    assert not turn.observations.flags.writeable
    expected = PYRAMID.features.onehot(observation_codes(states))
    assert np.array_equal(turn.observations, expected)
    asks = (
        lambda: compare(PYRAMID, [reader], deals=4, max_moves=9),
        lambda: play_duplicate(TABLE, MINI, Bare(), [reader], SEEDS),
        lambda: play_seat(reader),
        lambda: PimcAgent(PYRAMID, RULES, reader, 1).act(
            prepare_turn(PimcAgent(PYRAMID, RULES, reader), PYRAMID, RULES, states, 0)
        ),
    )
    for number, ask in enumerate(asks):
        reader.seen.clear()
        ask()
        assert reader.seen, number


def test_an_unknown_encoding_is_refused() -> None:
    class Odd(Bare):
        encoding = "one-hot"

    output = r"encoding must be one of onehot, codes, got 'one-hot'"
    for ask in (
        lambda: compare(PYRAMID, [Odd()], deals=1),
        lambda: CardEnv(TABLE, "mini", opponents=Odd()),
        lambda: prepare_turn(Odd(), PYRAMID, RULES, positions(), 0),
    ):
        with pytest.raises(ValueError, match=output):
            ask()


def env_of(encoding: str, chosen: Any = PYRAMID) -> CardVecEnv:
    return CardVecEnv(chosen, 4, encoding=encoding)


@pytest.mark.parametrize("encoding", ["onehot", "codes"])
@pytest.mark.parametrize("kind", [MaskablePPO, PPO, DQN])
def test_a_model_of_stable_baselines_plays(kind: Any, encoding: str) -> None:
    model = kind("MlpPolicy", env_of(encoding), device="cpu", seed=0)
    agent = from_sb3(model)
    result = compare(PYRAMID, [agent, from_sb3(model, name="mine")], deals=4, max_moves=30)
    assert [one.agent for one in result.evaluations] == [kind.__name__, "mine"]
    if kind is MaskablePPO:  # its own choice is that of the agent
        states = positions()
        turn = prepare_turn(agent, PYRAMID, RULES, states, 0)
        chosen, _ = model.predict(
            turn.observations, action_masks=turn.masks.copy(), deterministic=True
        )
        assert choose_actions(agent, turn).tolist() == chosen.tolist()
        drawn = from_sb3(model, deterministic=False)
        assert drawn.probabilities(turn)[~turn.masks].max() == 0


def test_what_is_no_model_for_the_game_is_refused() -> None:
    with pytest.raises(ValueError, match="model must be a MaskablePPO, PPO, A2C or DQN, got Bare"):
        from_sb3(Bare())
    agent = from_sb3(PPO("MlpPolicy", env_of("onehot", find_game("poker_squares")), device="cpu"))
    with pytest.raises(
        ValueError, match=r"agent 'PPO' must be trained on observations .* to play Pyramid, got "
    ):
        compare(PYRAMID, [agent], deals=1)
