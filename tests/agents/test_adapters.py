"""Evaluations accept functions, torch modules, and models of Stable-Baselines3."""

from typing import Any

import numpy as np
import pytest
import torch

import parlour
from parlour.agents import as_agent, from_function, from_torch
from parlour.envs import find_game
from parlour.envs.core.turn import IllegalActionError

PYRAMID = find_game("pyramid")


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    return int(mask.argmax())


class FirstLegal:
    """The same policy as an agent."""

    def act(self, turn: Any) -> np.ndarray:
        return np.asarray(turn.masks.argmax(axis=1))


def test_a_function_plays_as_an_agent_does() -> None:
    one = parlour.evaluate("pyramid", first_legal, deals=50)
    other = parlour.evaluate("pyramid", FirstLegal(), deals=50)
    assert one.agent == "first_legal"
    assert np.array_equal(one.results.facts["score"], other.results.facts["score"])


@pytest.mark.parametrize(
    ("encoding", "width"),
    [("onehot", PYRAMID.features.columns), ("codes", PYRAMID.features.width)],
)
def test_a_function_gets_one_observation_and_its_mask(encoding: str, width: int) -> None:
    shapes = set()

    def decide(observation: np.ndarray, mask: np.ndarray) -> int:
        shapes.add((observation.shape, mask.shape, mask.dtype.name))
        return int(np.flatnonzero(mask)[-1])

    parlour.evaluate("pyramid", from_function(decide, encoding=encoding), deals=3)
    assert shapes == {((width,), (PYRAMID.actions,), "bool")}


@pytest.mark.parametrize("action", [None, "draw", 1.5])
def test_a_function_must_return_an_integer(action: Any) -> None:
    with pytest.raises(IllegalActionError, match="must be integers of shape"):
        parlour.evaluate("pyramid", lambda observation, mask: action, deals=2)


def test_a_function_must_return_one_action() -> None:
    with pytest.raises(TypeError, match=r"must return an integer, got \[3\]"):
        parlour.evaluate("pyramid", lambda observation, mask: [3], deals=2)


def test_a_function_must_return_a_legal_action() -> None:
    with pytest.raises(IllegalActionError, match="must be"):
        parlour.evaluate("pyramid", lambda observation, mask: int(mask.argmin()), deals=2)


class Prefers(torch.nn.Module):
    """Logits that rise with the number of the action, and a value."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(PYRAMID.features.columns, actions)
        torch.nn.init.zeros_(self.linear.weight)
        self.linear.bias.data = torch.arange(actions, dtype=torch.float32)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.linear(observations), observations.mean(dim=1)


def last_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


def test_a_torch_module_plays_its_highest_legal_logit() -> None:
    one = parlour.evaluate("pyramid", Prefers(PYRAMID.actions), deals=30)
    other = parlour.evaluate("pyramid", last_legal, deals=30)
    assert one.agent == "Prefers"
    assert np.array_equal(one.results.facts["score"], other.results.facts["score"])
    assert np.array_equal(one.results.facts["moves"], other.results.facts["moves"])


def test_a_torch_module_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must return logits of shape \(\d+, \d+\), got"):
        parlour.evaluate("pyramid", from_torch(Prefers(PYRAMID.actions + 1)), deals=2)


def test_from_torch_refuses_other_objects() -> None:
    with pytest.raises(ValueError, match=r"module must be a torch\.nn\.Module, got int"):
        from_torch(3)


def test_other_objects_are_refused() -> None:
    with pytest.raises(ValueError, match=r"agent must be an object with a method act\(turn\)"):
        as_agent(3)
