"""The greedy baseline: the action that the game's own heuristic scores highest."""

import numpy as np

from .agent import Agent, Turn


class GreedyAgent:
    """Takes the best action by ``game.judge``; of equals the one with the lowest number."""

    name = "greedy"
    sees_all = False

    def act(self, turn: Turn) -> np.ndarray:
        """Return the highest-scored legal action of each game."""
        scores = turn.game.judged(turn.states, turn.rules)
        return np.where(turn.masks, scores, -np.inf).argmax(axis=1)


def make(seed: int = 0) -> Agent:
    """Return the agent; it makes no random choices, so the seed does not matter."""
    return GreedyAgent()
