"""The random baseline: uniform over the legal actions."""

from typing import Any

import numpy as np

from parlour.envs.core.jit import jit

from .agent import Agent, Turn


@jit
def pick(masks: Any, draws: Any, actions: Any) -> None:
    """For each row take the legal action at the share ``draws`` (0 <= x < 1) of their number."""
    for i in range(len(masks)):
        total = 0
        for action in range(masks.shape[1]):
            total += masks[i, action]
        left = int(draws[i] * total)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


class UniformAgent:
    """Chooses uniformly over the mask."""

    name = "uniform"
    sees_all = False

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> np.ndarray:
        """Return a random legal action for each game."""
        actions = np.zeros(len(turn.masks), np.int64)
        pick(turn.masks, self.rng.random(len(actions)), actions)
        return actions


def make(seed: int = 0) -> Agent:
    """Return the agent."""
    return UniformAgent(seed)
