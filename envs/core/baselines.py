"""Players that need nothing but the game: by chance, and by one of its judges."""

from typing import Any

import numpy as np

from .game import Game
from .jit import jit
from .options import unknown
from .rows import taken
from .turn import Agent, Turn, draws


@jit
def pick(masks: Any, shares: Any, actions: Any) -> None:
    """For each row take the legal action at the share (0 <= x < 1) of their number."""
    for i in range(len(masks)):
        total = 0
        for action in range(masks.shape[1]):
            total += masks[i, action]
        left = int(shares[i] * total)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


class Uniform:
    """Chooses uniformly over the mask."""

    name = "uniform"
    sees_all = False

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def act(self, turn: Turn) -> np.ndarray:
        """Return a random legal action for each game."""
        actions = np.zeros(len(turn.masks), np.int64)
        pick(turn.masks, draws(turn.seeds, self.seed), actions)
        return actions


class HeuristicAgent:
    """Takes the best action by ``game.judged``; of equals the one with the lowest number.

    ``weights``, float64, replace the heuristic's own; ``player`` names one of ``game.players``,
    which judges instead.
    """

    name = "greedy"
    sees_all = False

    def __init__(
        self,
        name: str | None = None,
        weights: np.ndarray | None = None,
        player: str | None = None,
    ) -> None:
        self.name, self.weights, self.player = name or self.name, weights, player

    def act(self, turn: Turn) -> np.ndarray:
        """Return the highest-scored legal action of each game."""
        states = taken(turn.states)  # read-only arrays would be compiled for once more
        scores = turn.game.judged(states, turn.rules, self.weights, self.player)
        return np.asarray(np.where(turn.masks, scores, -np.inf).argmax(axis=1))


def named(name: str, game: Game, seed: int = 0) -> Agent:
    """Return ``"uniform"``, ``"greedy"`` or a player by rule of the game; ValueError for others."""
    if name == Uniform.name:
        return Uniform(seed)
    if name == HeuristicAgent.name:
        return HeuristicAgent()
    if name not in game.players:
        raise ValueError(
            unknown("player", name, (Uniform.name, HeuristicAgent.name, *game.players))
        )
    return HeuristicAgent(name, player=name)
