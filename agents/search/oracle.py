"""The oracle: sees all cards and follows the line of play that the game's solver finds."""

from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.rows import copy_states
from parlour.envs.core.solve import solver_of

from .planner import Planner

FEWEST = "fewest"
"""The option of the spec ``oracle:fewest``: win in the fewest moves."""


class OracleAgent(Planner):
    """Plays the solution of ``game.solve`` for the true state, and greedily in a lost deal.

    Each deal is solved once. In a game that is played for its score, the plan leads to the best
    score found.

    Args:
        game: the game to play.
        rules: its rules.
        fewest: win in the fewest moves.
        limit: the node limit of the solver; a position undecided by then counts as lost.

    Raises:
        ValueError: game or rules have no solver.
    """

    sees_all = True
    at_once = 64
    """Maximum number of games in a turn.

    An evaluation excludes its first call from the time per decision. With few games in a turn, most
    of the solving happens in later calls.
    """

    def __init__(
        self, game: Game, rules: Any, fewest: bool = False, limit: int | None = None
    ) -> None:
        super().__init__(game, rules)
        self.fewest, self.limit = fewest, limit
        self.name = f"oracle-{FEWEST}" if fewest else "oracle"
        self.unit = "won or not" if game.measure == "won" else "best score found"
        self.solve = solver_of(game, rules)

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return the whole state except the number of steps that led to it."""
        states = copy_states(states)
        states["steps"] = 0
        return states.tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the actions to a win, or to the best score, and their value.

        The value is 1 or 0 for a win or none, or the score.
        """
        solution = self.solve(states, self.rules, optimal=self.fewest, limit=self.limit)
        value = solution.winnable if self.game.measure == "won" else solution.score
        return solution.actions or [], np.nan if value is None else float(value)


def make_oracle(game: Game, rules: Any, option: str = "") -> OracleAgent:
    """Return the agent of the spec ``oracle`` or ``oracle:fewest``.

    Raises ValueError for another option, and if game or rules have no solver.
    """
    if option not in ("", FEWEST):
        raise ValueError(f"agent 'oracle:{option}': allowed are oracle and oracle:{FEWEST}")
    return OracleAgent(game, rules, option == FEWEST)
