"""The random baseline: uniform over the legal actions."""

from parlour.envs.core.baselines import UniformAgent as UniformAgent
from parlour.envs.core.baselines import pick_uniform
from parlour.envs.core.turn import Agent

__all__ = ["UniformAgent", "make", "pick_uniform"]


def make(seed: int = 0) -> Agent:
    """Return the agent."""
    return UniformAgent(seed)
