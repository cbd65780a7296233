"""The baseline agents: uniform, and greedy with its own or with learned weights.

A greedy agent plays the action that a heuristic of the game scores highest. The heuristic is the
game's own or that of a rule-based agent.
"""

from pathlib import Path

import numpy as np

from parlour.envs import Game
from parlour.envs.core.baselines import HeuristicAgent, UniformAgent
from parlour.envs.core.turn import Turn, best_actions

from .explanation import Explanation, mask_illegal, one_hot_choice
from .saved import NO_ENCODING, SavedAgentError, load_saved_agent
from .validation import name_file_in_errors

__all__ = ["HEURISTIC_NETWORK", "WEIGHTS_TENSOR", "GreedyAgent", "UniformAgent"]

HEURISTIC_NETWORK = "heuristic"
"""The name of the network in ``agent.json`` of an agent with learned weights."""
WEIGHTS_TENSOR = "weights"
"""The name of the tensor of these weights."""
MAX_WEIGHT = 1e100
"""The largest weight allowed, so that all scores stay finite."""


class GreedyAgent(HeuristicAgent):
    """Plays the action that ``game.score_actions`` scores highest; see `HeuristicAgent`."""

    @classmethod
    def load(cls, path: str | Path, game: Game, rules: object = None) -> "GreedyAgent":
        """Load saved weights to play ``game`` by ``rules`` (None: those that they were learned by).

        Raises `SavedAgentError`, a ValueError, naming the file and the reason.
        """
        size = 8 * len(game.heuristic_weights)
        saved = load_saved_agent(path, game, rules, lambda _: size, lambda _: NO_ENCODING)
        with name_file_in_errors(saved.folder, SavedAgentError):
            names = saved.trained.get("weights")
            if names != list(game.heuristic_weights):
                raise ValueError(
                    f"weights for {names}; in this version of the game the heuristic has "
                    f"{list(game.heuristic_weights)}: learn them anew"
                )
            weights = saved.weights[WEIGHTS_TENSOR].copy()  # the loaded array is read-only
            fits = weights.dtype == np.float64 and weights.shape == (len(game.heuristic_weights),)
            if not fits:
                raise ValueError(
                    f"tensor {WEIGHTS_TENSOR!r} must be float64 ({len(game.heuristic_weights)},), "
                    f"got {weights.dtype} {weights.shape}"
                )
            if np.abs(weights).max() > MAX_WEIGHT:
                raise ValueError(
                    f"weights of agent {saved.name!r} must be from {-MAX_WEIGHT} to {MAX_WEIGHT}, "
                    f"got {weights[np.abs(weights).argmax()]}: scores could become infinite"
                )
        return cls(saved.name, weights)

    def explain(self, turn: Turn) -> Explanation:
        """Return the heuristic's scores, and the actions that score highest."""
        scores = self.score(turn)
        actions = best_actions(turn.masks, scores)
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            action_values=mask_illegal(turn, scores),
            unit="scores of a heuristic",
        )
