"""Hindsight: follows the plan that wins in most sampled worlds, by a search of the game's own."""

from typing import Any

import numpy as np

from parlour.envs import GAMES, Game
from parlour.envs.core.rows import observation_codes
from parlour.envs.core.solve import make_position
from parlour.envs.core.turn import Agent, check_agent, is_person

from .budget import choose_number
from .planner import Planner

ITERATIONS = 1000
"""Default number of iterations for each plan."""


class HindsightAgent(Planner):
    """Plays the plans of ``game.solving.plan_ahead``, each up to the next card that is turned up.

    Its worlds depend on nothing but what is known, so it plays equal positions alike.

    Args:
        game: the game to play; it needs a search for plans.
        rules: its rules.
        player: the agent that plays where no plan wins (None: greedy).
        iterations: number of iterations for each plan (None: `ITERATIONS`).

    Raises:
        ValueError: game or rules have no such search, or the player sees hidden cards or is a
            person.
    """

    unit = "share of worlds that the plan wins, as far as was seen"
    at_once = 64
    """Maximum number of games in a turn: see `OracleAgent`."""

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
        self.plan_ahead = game.solving.plan_ahead
        self.iterations = choose_number("iterations", iterations, ITERATIONS)
        deck = list(game.pack(rules))
        self.plan_ahead(make_position(game, rules, deck), rules, self.iterations, 0)  # checks rules
        self.name = "hindsight" if player.name == "greedy" else f"{player.name}-hindsight"

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return the observation."""
        return observation_codes(states).tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the plan, and the share of worlds that it wins."""
        plan = self.plan_ahead(states, self.rules, self.iterations, seed)
        return plan.actions, np.nan if plan.value is None else plan.value
