"""The greedy baselines: the action that a heuristic of the game scores highest.

It is the game's own, by its own weights or by learned ones, or that of a rule agent.
"""

from pathlib import Path

import numpy as np

from parlour.envs import Game
from parlour.envs.core.baselines import HeuristicAgent
from parlour.envs.core.turn import Agent, Turn, best_actions

from .. import saved as artefact
from ..explanation import Explanation, certain, of_legal

HEURISTIC_NETWORK = "heuristic"
"""What ``agent.json`` calls the network of an agent that plays by learned weights."""
WEIGHTS_TENSOR = "weights"
"""The name of their tensor."""
LARGEST = 1e100
"""The largest weight allowed, so that all scores stay finite."""


class GreedyAgent(HeuristicAgent):
    """Takes the best action by ``game.score_actions``; see `HeuristicAgent`."""

    @classmethod
    def load(cls, path: str | Path, game: Game, rules: object = None) -> "GreedyAgent":
        """Load saved weights to play ``game`` by ``rules`` (None: those that they were learned by).

        Raises `artefact.ArtefactError`, a ValueError, naming the file and the reason.
        """
        size = 8 * len(game.heuristic_weights)
        found = artefact.load_artefact(
            path, game, rules, lambda _: size, lambda _: artefact.NO_ENCODING
        )
        with artefact.blame_file(found.folder):
            names = found.trained.get("weights")
            if names != list(game.heuristic_weights):
                raise ValueError(
                    f"weights for {names}; in this version of the game the heuristic has "
                    f"{list(game.heuristic_weights)}: learn them anew"
                )
            weights = found.weights[WEIGHTS_TENSOR].copy()  # what was read cannot be written to
            fits = weights.dtype == np.float64 and weights.shape == (len(game.heuristic_weights),)
            if not fits:
                raise ValueError(
                    f"tensor {WEIGHTS_TENSOR!r} must be float64 ({len(game.heuristic_weights)},), "
                    f"got {weights.dtype} {weights.shape}"
                )
            if np.abs(weights).max() > LARGEST:
                raise ValueError(
                    f"weights of agent {found.name!r} must be from {-LARGEST} to {LARGEST}, got "
                    f"{weights[np.abs(weights).argmax()]}: scores could become infinite"
                )
        return cls(found.name, weights)

    def explain(self, turn: Turn) -> Explanation:
        """Return the heuristic's scores, and that it plays the highest."""
        scores = self.score(turn)
        actions = best_actions(turn.masks, scores)
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            action_values=of_legal(turn, scores),
            unit="scores of a heuristic",
        )


def make(seed: int = 0) -> Agent:
    """Return the agent; it makes no random choices, so the seed does not matter."""
    return GreedyAgent()
