"""Hindsight: worlds are dealt, the game's own search finds the plan that wins in most of them."""

from typing import Any

import numpy as np

from parlour.envs import GAMES, Game
from parlour.envs.core.rows import observation_codes
from parlour.envs.core.turn import Agent, check_agent, is_person
from parlour.envs.core.upper_bound import make_position

from .planner import Planner

ITERATIONS = 1000
"""For each plan, where no budget is named."""


class HindsightAgent(Planner):
    """Plays the plans that ``game.solving.plan_ahead`` finds: up to the next card turned up.

    Where no plan wins, ``player`` goes on. ``iterations`` of the search for each plan. The worlds
    that it deals depend on what is known alone, so it plays the same position the same way. Raises
    ValueError for a game or rules without such a search, and for a player who sees hidden cards, or
    is a person.
    """

    unit = "share of worlds that the plan wins, as far as was seen"
    at_once = 64
    """Games that an evaluation plays side by side: see `OracleAgent`."""

    def __init__(
        self, game: Game, rules: Any, player: Agent | None = None, iterations: int | None = None
    ) -> None:
        if game.solving is None or game.solving.plan_ahead is None:
            able = [one.name for one in GAMES.values() if one.solving and one.solving.plan_ahead]
            raise ValueError(
                f"hindsight: {game.title} has no search for plans; there is one for "
                f"{', '.join(able)}"
            )
        super().__init__(game, rules, player)
        self.player = player = check_agent(self.player)
        if player.sees_all or is_person(player):
            raise ValueError(f"hindsight: {player.name} cannot go on for it; name another player")
        iterations = ITERATIONS if iterations is None else iterations
        self.plan_ahead, self.iterations = game.solving.plan_ahead, iterations
        self.plan_ahead(make_position(game, rules, list(game.pack(rules))), rules, iterations, 0)
        self.name = "hindsight" if player.name == "greedy" else f"{player.name}-hindsight"

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return what the player knows."""
        return observation_codes(states).tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the plan that was found, and the share of worlds that it wins."""
        plan = self.plan_ahead(states, self.rules, self.iterations, seed)
        return plan.actions, np.nan if plan.value is None else plan.value
