"""The random baseline: uniform over the legal actions."""

from parlour.envs.core import baselines
from parlour.envs.core.baselines import pick_uniform
from parlour.envs.core.turn import Agent, Turn

from ..explanation import Explanation

__all__ = ["UniformAgent", "make", "pick_uniform"]


class UniformAgent(baselines.UniformAgent):
    """Chooses uniformly over the mask."""

    def explain(self, turn: Turn) -> Explanation:
        """Return what it plays, and that every legal action was as likely."""
        chances = turn.masks / turn.masks.sum(axis=1, keepdims=True)
        return Explanation(self.name, turn, self.act(turn), chances)


def make(seed: int = 0) -> Agent:
    """Return the agent."""
    return UniformAgent(seed)
