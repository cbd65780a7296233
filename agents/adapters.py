"""Agents from other objects: functions, torch modules and models of Stable-Baselines3."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from parlour.envs.core.turn import Agent, Turn

Decide = Callable[[np.ndarray, np.ndarray], int]
"""Chooses an action from an observation and the mask of legal actions, bool (actions,)."""


class FunctionAgent:
    """Plays the action that a function returns; `from_function` makes it."""

    sees_all = False

    def __init__(self, decide: Decide, encoding: str, name: str) -> None:
        self.decide, self.encoding, self.name = decide, encoding, name

    def act(self, turn: Turn) -> np.ndarray:
        """Return one action for each game, (n,); TypeError if one is not a single number."""
        pairs = zip(turn.observations, turn.masks, strict=True)
        actions = [self.decide(observation, mask) for observation, mask in pairs]
        for action in actions:
            if np.shape(action) != ():
                raise TypeError(f"agent {self.name!r} must return an integer, got {action!r}")
        return np.array(actions)


def from_function(
    decide: Decide, *, encoding: str = "onehot", name: str | None = None
) -> FunctionAgent:
    """Return an agent that calls a function for each game.

    Args:
        decide: Function ``(observation, mask) -> action``. The mask is a bool array (actions,).
        encoding: Encoding of the observations, ``"onehot"`` as in the environments, or ``"codes"``.
        name: Name of the agent (None: the name of the function).
    """
    default = getattr(decide, "__name__", type(decide).__name__)
    return FunctionAgent(decide, encoding, default if name is None else name)


def as_agent(policy: Any) -> Agent:
    """Return an agent for any policy that an evaluation accepts.

    Args:
        policy: An agent; a model of Stable-Baselines3 or sb3-contrib (see `from_sb3`); a torch
            module (see `from_torch`); or a function ``(observation, mask) -> action`` (see
            `from_function`).

    Raises:
        ValueError: The object is none of these.
    """
    if hasattr(policy, "act"):
        return cast(Agent, policy)
    if hasattr(policy, "policy") and hasattr(policy, "observation_space"):
        from .networks.learned import from_sb3

        return from_sb3(policy)
    if hasattr(policy, "state_dict") and callable(policy):
        from .networks.learned import from_torch

        return from_torch(policy)
    if callable(policy) and not isinstance(policy, type):
        return from_function(policy)
    raise ValueError(
        "agent must be an object with a method act(turn), a model of Stable-Baselines3, a torch "
        f"module or a function (observation, mask) -> action, got {policy!r}"
    )
