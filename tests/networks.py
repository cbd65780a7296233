"""Saved network agents, for tests of all packages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parlour.agents.networks.build import CardNetwork
from parlour.envs import Game
from parlour.envs.core.rules_table import make_table
from parlour.training.learning.save_agent import save_agent, weights_bytes

NONE: Mapping[str, Any] = {}


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
