"""An agent that compares plans with a learned network, and follows the best one."""

from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import GAMES, Game
from parlour.envs.core.plan_values import PlanNetwork, PlanValues
from parlour.envs.core.rows import observation_codes
from parlour.envs.core.turn import Agent

from ..saved import PLANS, SavedAgentError, load_saved_agent
from ..search.planner import Planner
from ..validation import name_file_in_errors

PLAN_NETWORK = "plans"
"""The network name of such an agent in ``agent.json``."""


def require_plan_values(game: Game) -> PlanValues:
    """Return the plan values of a game. Raises ValueError if it has none."""
    if game.plan_values is None:
        able = ", ".join(one.name for one in GAMES.values() if one.plan_values)
        raise ValueError(f"game must be one of {able} for values of plans, got {game.title}")
    return game.plan_values


def list_shapes(num_features: int, width: int, units: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a `PlanNetwork`, by name."""
    shapes = ((num_features, width), (units, width), (units,), (units,), (1,))
    return dict(zip(PlanNetwork._fields, shapes, strict=True))


class PlanNetworkAgent(Planner):
    """Agent that follows the plan with the highest value until the next card is turned up.

    If no card is hidden any more, or no plan is left, ``player`` plays to the end.

    Args:
        game: The game to play, which must have plan values.
        rules: Its rules.
        network: The network.
        name: The name of the agent.
        player: The agent that plays without plans (None: greedy).

    Raises:
        ValueError: The game has no plan values.
    """

    unit = "estimated chance of winning"

    def __init__(
        self,
        game: Game,
        rules: Any,
        network: PlanNetwork,
        name: str = "plans",
        player: Agent | None = None,
    ) -> None:
        super().__init__(game, rules, player)
        self.choose_plan = require_plan_values(game).choose_plan
        self.plan_network, self.name = network, name

    @classmethod
    def load(cls, path: str | Path, game: Game, rules: Any = None) -> "PlanNetworkAgent":
        """Load a saved agent.

        Args:
            path: The agent's folder, or its ``agent.json``.
            game: The game to play.
            rules: The rules to play by (None: the rules of the training).

        Raises:
            SavedAgentError: The agent cannot be used. SavedAgentError is a ValueError; its message
                names the file and the reason.
        """
        values = require_plan_values(game)

        def count_bytes(net: Any) -> int:
            shapes = list_shapes(values.num_features, net["width"], _read_units(net))
            return 4 * sum(int(np.prod(shape)) for shape in shapes.values())

        saved = load_saved_agent(path, game, rules, count_bytes, lambda _: PLANS)
        net = saved.network
        with name_file_in_errors(saved.folder, SavedAgentError):
            if net["name"] != PLAN_NETWORK:
                raise ValueError(f"the network must be {PLAN_NETWORK!r}, got {net['name']!r}")
            version = net["options"].get("version")
            if version != values.version:
                raise ValueError(
                    f"the network must have features version {values.version} in this version of "
                    f"the game, got version {version}. Retrain the agent"
                )
            shapes = list_shapes(values.num_features, net["width"], _read_units(net))
            for layer, shape in shapes.items():
                array = saved.weights.get(layer)
                if array is None or array.dtype != np.float32 or array.shape != shape:
                    found = "none" if array is None else f"{array.dtype} {array.shape}"
                    raise ValueError(f"layer {layer!r} must be float32 {shape}, got {found}")
            network = PlanNetwork(**{layer: saved.weights[layer] for layer in shapes})
        return cls(game, saved.rules if rules is None else rules, network, saved.name)

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return the observation."""
        return observation_codes(states).tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the plan, and the estimated chance of winning."""
        plan = self.choose_plan(states, self.rules, self.plan_network)
        return plan.actions, np.nan if plan.value is None else plan.value


def _read_units(net: Any) -> int:
    """Return the number of hidden units in the description of a network."""
    units = net["options"].get("units")
    if type(units) is not int or not 1 <= units <= 1 << 12:
        raise SavedAgentError(f"network.options.units must be from 1 to {1 << 12}, got {units!r}")
    return units
