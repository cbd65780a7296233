"""Saved network agents, for tests of all packages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.networks.build import CardNetwork
from parlour.envs import Game
from parlour.envs.core.plan_values import PlanNetwork
from parlour.envs.core.rules_table import make_table
from parlour.training.learning.save_agent import save_agent, weights_bytes

NONE: Mapping[str, Any] = {}


def make_plan_network(num_features: int, width: int = 16, units: int = 8) -> PlanNetwork:
    """Return a network of random weights that values plans."""
    draws = np.random.default_rng(0)
    shapes = ((num_features, width), (units, width), (units,), (units,), (1,))
    return PlanNetwork(*(draws.normal(0, 1, shape).astype(np.float32) for shape in shapes))


def save_network(
    folder: Path,
    name: str,
    game: Game,
    rules: Any,
    network: CardNetwork,
    spec: Mapping[str, Any],
    trained: Mapping[str, Any] = NONE,
    scored: Mapping[str, Any] = NONE,
) -> None:
    """Save a network agent; ``spec`` has the name, width, depth and options of the network."""
    spec = {**spec, "encoding": network.encoding}
    save_agent(folder, name, make_table(game, rules), weights_bytes(network), spec, trained, scored)
