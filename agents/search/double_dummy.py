"""The oracle of games for several players: it knows all cards and solves the true position."""

from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Turn

from ..baselines import GreedyAgent
from ..explanation import Explanation, mask_illegal, one_hot_choice, rows_with_choice
from .pimc import check_solver

LIMIT_FACTOR = 10
"""Node limit of a position, as a multiple of PIMC's limit for one world."""


class DoubleDummyAgent:
    """Agent that knows all cards and plays as if all other seats knew them, too.

    Among the actions with which its side still reaches its goal, it plays the one that greedy
    prefers. Before the cards are played, all actions count as equal, so it bids like greedy. It is
    not an upper bound: opponents who do not know the cards make mistakes, and another agent may
    profit more from them.

    Args:
        game: the game to play, which must have a double-dummy solver.
        rules: its rules.

    Raises:
        ValueError: the game or the rules have no such solver.
    """

    name = "oracle"
    sees_all = True
    max_batch = 64
    """Maximum number of games in a turn; see `OracleAgent`."""

    def __init__(self, game: Game, rules: Any) -> None:
        check_solver(self.name, game, rules)
        assert game.solving is not None
        self.limit = LIMIT_FACTOR * game.solving.world_limit
        self.greedy = GreedyAgent()

    def act(self, turn: Turn) -> np.ndarray:
        """Return the chosen legal action of each game, int64 (n,)."""
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return whether the side of the seat still reaches its goal after each action.

        The value is 1 if it does, 0 if not, and 0.5 before the first card and where the solver
        reached its limit.
        """
        assert turn.game.winnable_after is not None
        actions, values = turn.masks.argmax(axis=1), np.full(turn.masks.shape, np.nan)
        rows = rows_with_choice(turn)
        if len(rows):
            states = copy_states(turn.states, rows)
            values[rows] = turn.game.winnable_after(states, turn.rules, self.limit)
            legal = np.where(turn.masks[rows], values[rows], -1.0)
            best = legal == legal.max(axis=1, keepdims=True)
            actions[rows] = self.greedy.act(turn.take(rows)._replace(masks=best))
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            action_values=mask_illegal(turn, values),
            unit="1 if the side can still reach its goal, all cards known, else 0",
            sees_all=True,
        )
