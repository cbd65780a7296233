"""Parlour: a reinforcement-learning suite of card games.

Importing this package registers every game with Gymnasium:

>>> import gymnasium as gym
>>> import parlour
>>> env = gym.make("parlour/Pyramid-v0", variant="three-passes")

The public names of `parlour.envs`, `parlour.agents` and `parlour.training` are also available here:

>>> env = parlour.make("pyramid", variant="three-passes")
>>> observation, info = env.reset(seed=0)

A package is imported on the first use of one of its names.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .registration import register_games

if TYPE_CHECKING:
    from .agents import *
    from .envs import *
    from .training import *

__all__ = [
    "GAMES",
    "Agent",
    "CardEnv",
    "CardVectorEnv",
    "Cluster",
    "Comparison",
    "Dataset",
    "DatasetComparison",
    "DatasetSpec",
    "DealSetReview",
    "DictObservation",
    "DictVectorObservation",
    "Evaluation",
    "Explanation",
    "Game",
    "GreedyAgent",
    "IllegalActionError",
    "LearnedAgent",
    "LostDeal",
    "MCTSAgent",
    "OracleAgent",
    "PimcAgent",
    "Policy",
    "PolicyTableAgent",
    "ProcessReward",
    "Replay",
    "Review",
    "RolloutAgent",
    "SequentialComparison",
    "Settings",
    "Tuned",
    "Turn",
    "UniformAgent",
    "ValueTableAgent",
    "__version__",
    "as_agent",
    "choose_actions",
    "compare",
    "compare_on_datasets",
    "compare_until",
    "draw_grid",
    "draw_picture",
    "evaluate",
    "explain",
    "find_game",
    "find_lost",
    "from_function",
    "from_sb3",
    "from_torch",
    "load_agent",
    "load_dataset",
    "load_policy",
    "load_replays",
    "make",
    "make_dataset",
    "make_settings",
    "make_vec",
    "plot_comparison",
    "prepare_turn",
    "preset",
    "random_floats",
    "resume",
    "review_deal_set",
    "review_game",
    "review_lost",
    "review_replay",
    "save_html",
    "save_picture",
    "show",
    "train",
    "tune",
    "verify_replays",
]

__version__ = "0.1.0"
"""Version of Parlour."""

_PACKAGES = ("envs", "agents", "training")
"""The packages with public names, from the bottom to the top."""

register_games()


def __getattr__(name: str) -> Any:
    """Import a package, or a public name from its package."""
    if name in _PACKAGES:
        return import_module(f"parlour.{name}")
    if name in __all__:
        for package in _PACKAGES:
            module = import_module(f"parlour.{package}")
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
