"""The baseline agents: uniform, and greedy with default or learned weights.

A greedy agent plays the action with the highest score of a heuristic: that of the game, or that of
a rule-based agent.
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
"""The network name of an agent with learned weights in ``agent.json``."""
WEIGHTS_TENSOR = "weights"
"""The name of the tensor with these weights."""
MAX_WEIGHT = 1e100
"""The largest weight allowed; it keeps all scores finite."""


class GreedyAgent(HeuristicAgent):
    """Agent that plays the action with the highest score of `Game.score_actions`.

    Ties go to the lowest action.

    Args:
        name: Name of the agent (None: ``"greedy"``).
        weights: Weights of the heuristic, float64 (None: the game's default weights).
        rule_agent: Name of the rule-based agent that scores the actions (None: the heuristic).
    """

    @classmethod
    def load(cls, path: str | Path, game: Game, rules: object = None) -> "GreedyAgent":
        """Load saved weights.

        Args:
            path: The agent's folder, or its ``agent.json``.
            game: The game to play.
            rules: The rules to play by (None: the rules of the training).

        Raises:
            SavedAgentError: The agent cannot be used. SavedAgentError is a ValueError; its message
                names the file and the reason.
        """
        size = 8 * len(game.heuristic_weights)
        saved = load_saved_agent(path, game, rules, lambda _: size, lambda _: NO_ENCODING)
        with name_file_in_errors(saved.folder, SavedAgentError):
            names = saved.trained.get("weights")
            if names != list(game.heuristic_weights):
                raise ValueError(
                    f"weights must be those of {list(game.heuristic_weights)} in this version of "
                    f"the game, got {names}. Train them again"
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
                    f"got {weights[np.abs(weights).argmax()]}: larger weights can make scores "
                    "infinite"
                )
        return cls(saved.name, weights)

    def explain(self, turn: Turn) -> Explanation:
        """Return the score of each action, and the actions with the highest scores."""
        scores = self.score(turn)
        actions = best_actions(turn.masks, scores)
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            action_values=mask_illegal(turn, scores),
            unit="heuristic scores",
        )
