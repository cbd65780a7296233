"""Agents: baselines, search, learned and human agents with one batched interface."""

if __name__ != "parlour.agents":
    raise ImportError(
        "this folder is the package parlour.agents. Install the repository (pip install -e .) "
        "and use: import parlour.agents"
    )

from typing import TYPE_CHECKING, Any

from parlour.envs.core import (
    Agent,
    IllegalActionError,
    Turn,
    choose_actions,
    prepare_turn,
    random_floats,
)
from parlour.extras import name_extra

from .adapters import as_agent, from_function
from .baselines import GreedyAgent, UniformAgent
from .explanation import Explanation, explain
from .networks.policy_table import PolicyTableAgent
from .networks.value_table import ValueTableAgent
from .policy import Policy, load_policy
from .registry import load_agent
from .search.mcts import MCTSAgent
from .search.pimc import PimcAgent
from .search.planner import OracleAgent
from .search.rollouts import RolloutAgent

if TYPE_CHECKING:
    from .networks.learned import LearnedAgent, from_sb3, from_torch

__all__ = [
    "Agent",
    "Explanation",
    "GreedyAgent",
    "IllegalActionError",
    "LearnedAgent",
    "MCTSAgent",
    "OracleAgent",
    "PimcAgent",
    "Policy",
    "PolicyTableAgent",
    "RolloutAgent",
    "Turn",
    "UniformAgent",
    "ValueTableAgent",
    "as_agent",
    "choose_actions",
    "explain",
    "from_function",
    "from_sb3",
    "from_torch",
    "load_agent",
    "load_policy",
    "prepare_turn",
    "random_floats",
]


def __getattr__(name: str) -> Any:
    """Import the names that need torch only when they are used."""
    if name not in ("LearnedAgent", "from_sb3", "from_torch"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with name_extra(f"{__name__}.{name}"):
        from .networks import learned  # torch

    return getattr(learned, name)
