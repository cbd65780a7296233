"""An agent that compares plans with a learned network, and follows the best one."""

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import GAMES, Game
from parlour.envs.core.plan_values import PlanNetwork, PlanValues

from ..saved import PLANS, SavedAgentError, load_saved_agent
from ..search.planner import Planner
from ..validation import name_file_in_errors

PLAN_NETWORK = "plans"
"""The network name of a `PlanNetworkAgent` in ``agent.json``."""
MOST_UNITS = 1 << 12
"""Maximum number of units in the second layer."""


def require_plan_values(game: Game) -> PlanValues:
    """Return the plan values of a game. Raises ValueError if it has none."""
    if game.plan_values is None:
        able = ", ".join(one.name for one in GAMES.values() if one.plan_values)
        raise ValueError(f"values of plans require {able}, got {game.title}")
    return game.plan_values


class PlanNetworkAgent(Planner):
    """Agent that follows the plan with the highest value until the next card is turned up.

    If no card is hidden any more, or no plan is left, greedy plays to the end.

    Args:
        game: The game to play, which must have plan values.
        rules: Its rules.
        network: The network.
        name: The name of the agent.

    Raises:
        ValueError: The game has no plan values, or the rules have no plans.
    """

    unit = "estimated chance of winning"

    def __init__(self, game: Game, rules: Any, network: PlanNetwork, name: str = "plans") -> None:
        super().__init__(game, rules)
        values = require_plan_values(game)
        values.check_rules(rules)
        self.choose_plan = values.choose_plan
        self.plan_network, self.name = network, name

    @classmethod
    def load(
        cls,
        path: str | Path,
        game: Game,
        rules: Any = None,
        allow_rules_mismatch: bool = False,
    ) -> "PlanNetworkAgent":
        """Load a saved agent.

        Args:
            path: The agent's folder, or its ``agent.json``.
            game: The game to play.
            rules: The rules to play by (None: the rules of the training).
            allow_rules_mismatch: Whether the agent may have been trained on other rules.

        Raises:
            ValueError: The rules have no plans.
            SavedAgentError: The agent cannot be used. SavedAgentError is a ValueError; its message
                names the file and the reason.
        """
        values = require_plan_values(game)
        trained = None if allow_rules_mismatch else rules
        saved = load_saved_agent(
            path, game, trained, lambda net: _count_bytes(_list_shapes(net, values)), _encoding
        )
        with name_file_in_errors(saved.folder, SavedAgentError):
            network = _read_network(saved.network, saved.weights, values)
        return cls(game, saved.rules if rules is None else rules, network, saved.name)

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the plan, and the estimated chance of winning."""
        plan = self.choose_plan(states, self.rules, self.plan_network)
        return plan.actions, np.nan if plan.value is None else plan.value


def _encoding(net: Mapping[str, Any]) -> str:
    """Return the encoding of the network. Raises ValueError for another kind of network."""
    if net["name"] != PLAN_NETWORK:
        raise ValueError(f"network must be {PLAN_NETWORK!r}, got {net['name']!r}")
    return PLANS


def _list_shapes(net: Mapping[str, Any], values: PlanValues) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a `PlanNetwork`, by name."""
    width, units = net["width"], net["options"].get("units")
    if type(units) is not int or not 1 <= units <= MOST_UNITS:
        raise ValueError(f"network.options.units must be from 1 to {MOST_UNITS}, got {units!r}")
    shapes = ((values.num_features, width), (units, width), (units,), (units,), (1,))
    return dict(zip(PlanNetwork._fields, shapes, strict=True))


def _count_bytes(shapes: Mapping[str, tuple[int, ...]]) -> int:
    return 4 * sum(prod(shape) for shape in shapes.values())


def _read_network(
    net: Mapping[str, Any], weights: Mapping[str, np.ndarray], values: PlanValues
) -> PlanNetwork:
    """Return the network of a saved agent. Raises ValueError if it does not fit the game."""
    version = net["options"].get("version")
    if version != values.version:
        raise ValueError(
            f"the network must have features version {values.version} in this version of the game, "
            f"got version {version}. Retrain the agent"
        )
    shapes = _list_shapes(net, values)
    for layer, shape in shapes.items():
        array = weights.get(layer)
        if array is None or array.dtype != np.float32 or array.shape != shape:
            text = "none" if array is None else f"{array.dtype} {array.shape}"
            raise ValueError(f"layer {layer!r} must be float32 {shape}, got {text}")
    return PlanNetwork(**{layer: weights[layer] for layer in shapes})
