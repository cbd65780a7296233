"""The oracle: it sees every card, and follows a way to win that the game's solver has found."""

from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.rows import copy_states
from parlour.envs.core.upper_bound import solver_of

from .planner import Planner

FEWEST = "fewest"
"""Behind ``oracle:``: it wins in the fewest moves."""


class OracleAgent(Planner):
    """Plays what ``game.solve`` says of the true state; where a deal is lost, greedily.

    Each deal is solved once: the plan is played ahead, and the action remembered for each position
    on the way. A position that cannot be won, or that is undecided by ``limit``, gets the greedy
    agent's play as its plan. In a game that is played for its score the plan is that of the best
    score found.
    """

    sees_all = True
    at_once = 64
    """Games that an evaluation plays side by side: all their plans are remembered, and the time of
    solving them counts, which it does not in the first call."""

    def __init__(
        self, game: Game, rules: Any, fewest: bool = False, limit: int | None = None
    ) -> None:
        super().__init__(game, rules)
        self.fewest, self.limit = fewest, limit
        self.name = f"oracle-{FEWEST}" if fewest else "oracle"
        self.unit = "won or not" if game.measure == "won" else "best score found"
        self.solve = solver_of(game, rules)

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return the whole state; how many steps led there does not matter."""
        states = copy_states(states)
        states["steps"] = 0
        return states.tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the way to win, or to the best score; worth 1 or 0, or that score."""
        found = self.solve(states, self.rules, optimal=self.fewest, limit=self.limit)
        known = found.winnable if self.game.measure == "won" else found.score
        return found.actions or [], np.nan if known is None else float(known)


def make_oracle(game: Game, rules: Any, option: str = "") -> OracleAgent:
    """Return ``oracle`` or ``oracle:fewest`` for these rules.

    Raises ValueError for another option, and where game or rules have no solver, naming the games
    that have one.
    """
    if option not in ("", FEWEST):
        raise ValueError(f"agent 'oracle:{option}': allowed are oracle and oracle:{FEWEST}")
    return OracleAgent(game, rules, option == FEWEST)
