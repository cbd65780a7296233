"""The random baseline: uniform over the legal actions."""

from parlour.envs.core import baselines
from parlour.envs.core.baselines import pick_uniform
from parlour.envs.core.turn import Turn

from ..explanation import Explanation

__all__ = ["UniformAgent", "pick_uniform"]


class UniformAgent(baselines.UniformAgent):
    """Chooses uniformly among the legal actions."""

    def explain(self, turn: Turn) -> Explanation:
        """Return its actions, and the uniform probabilities that it draws them by."""
        probabilities = turn.masks / turn.masks.sum(axis=1, keepdims=True)
        return Explanation(self.name, turn, self.act(turn), probabilities)
