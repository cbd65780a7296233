"""An agent that plays with a table of afterstate values, directly or one ply ahead."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import (
    FAR_BEHIND,
    AfterstateFeatures,
    AfterstateScorers,
    make_afterstate_scorers,
)
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Turn, best_actions

from ..explanation import Explanation, mask_illegal, one_hot_choice
from ..saved import AFTERSTATES, SavedAgentError, load_saved_agent
from ..validation import name_file_in_errors

VALUE_TABLE_NETWORK = "values"
"""The network name of such an agent in ``agent.json``, and the name of its tensor."""
POINTS_APART = "points, up to a constant shared by all actions"
"""Unit of action values that come directly from the table."""
POINTS = "final points, with a bonus for reaching the goal"
"""Unit of action values one ply ahead, and of games played to their end."""


def require_afterstates(game: Game) -> AfterstateFeatures:
    """Return the afterstate features of a game. Raises ValueError if it has none."""
    if game.afterstates is None:
        raise ValueError(
            f"a value table requires a game with afterstate features, got {game.title}"
        )
    return game.afterstates


@cache
def afterstate_scorers(name: str) -> AfterstateScorers:
    """Return a game's compiled functions that score actions with a table of values."""
    game = find_game(name)
    return make_afterstate_scorers(require_afterstates(game), game.kernels)


class ValueTableAgent:
    """Agent that plays the action whose afterstate has the highest value in a table.

    Args:
        table: The values of the afterstate features, float32 (size,).
        name: The name of the agent.
        width: Number of best actions that are compared one ply ahead (0: none). The value of such
            an action is the mean, over all possible next cards, of the value of the best action
            that follows.
    """

    sees_all = False

    def __init__(self, table: np.ndarray, name: str = "values", width: int = 0) -> None:
        self.table, self.width = table, width
        self.name = f"{name}-expectimax" if width else name

    @classmethod
    def load(
        cls, path: str | Path, game: Game, rules: Any = None, width: int = 0
    ) -> "ValueTableAgent":
        """Load a saved table.

        Args:
            path: The agent's folder, or its ``agent.json``.
            game: The game to play.
            rules: The rules to play by (None: the rules of the training).
            width: See the class.

        Raises:
            SavedAgentError: The agent cannot be used. SavedAgentError is a ValueError; its message
                names the file and the reason.
        """
        features = require_afterstates(game)
        size = 4 * features.num_features
        saved = load_saved_agent(path, game, rules, lambda _: size, lambda _: AFTERSTATES)
        net = saved.network
        with name_file_in_errors(saved.folder, SavedAgentError):
            if net["name"] != VALUE_TABLE_NETWORK or VALUE_TABLE_NETWORK not in saved.weights:
                raise ValueError(
                    f"the agent must be a table of values, got network {net['name']!r}"
                )
            version, num_values = net["options"].get("version"), net["width"]
            if (version, num_values) != (features.version, features.num_features):
                raise ValueError(
                    f"the table must have {features.num_features} values, features version "
                    f"{features.version}, in this version of the game, got {num_values}, "
                    f"version {version}. Retrain the agent"
                )
            table = saved.weights[VALUE_TABLE_NETWORK]
            if table.dtype != np.float32 or table.shape != (num_values,):
                raise ValueError(
                    f"table {VALUE_TABLE_NETWORK!r} must be float32 ({num_values},), got "
                    f"{table.dtype} {table.shape}"
                )
        return cls(table, saved.name, width)

    def act(self, turn: Turn) -> np.ndarray:
        """Return the best legal action of each game, int64 (n,); ties go to the lowest number."""
        return best_actions(turn.masks, self.score(turn))

    def score(self, turn: Turn) -> np.ndarray:
        """Return the value of each action in points, float64 (n, actions).

        With ``width``, the values of actions that are not compared one ply ahead are reduced by
        `FAR_BEHIND` points, so that these actions are never chosen.
        """
        game = turn.game
        scores = np.zeros((len(turn.states), game.actions))
        ids = np.zeros(require_afterstates(game).max_active, np.int32)
        scorers, rules = afterstate_scorers(game.name), as_record(turn.rules)
        states = copy_states(turn.states)  # read-only arrays would compile again
        if self.width:
            work = np.zeros(1, game.state)
            scorers.score_by_expectation(states, rules, self.table, ids, scores, work, self.width)
        else:
            scorers.score_by_value(states, rules, self.table, ids, scores)
        return scores

    def explain(self, turn: Turn) -> Explanation:
        """Return the values of the actions that were compared."""
        scores = self.score(turn)
        actions = best_actions(turn.masks, scores)
        compared = scores > -FAR_BEHIND / 2
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            action_values=mask_illegal(turn, np.where(compared, scores, np.nan)),
            unit=POINTS if self.width else POINTS_APART,
        )
