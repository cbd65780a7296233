"""An agent that plays by a table of afterstate values, directly or one ply of expectation ahead."""

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
"""The name of the network in ``agent.json`` of such an agent, and of the tensor of its table."""
POINTS_APART = "points, without what all actions have in common"
"""The unit of action values by the table alone."""
POINTS = "points at the end, with a bonus for reaching the goal"
"""The unit of action values one ply further, and of games played to their end."""


def require_afterstates(game: Game) -> AfterstateFeatures:
    """Return the afterstate features of a game; ValueError if it has none."""
    if game.afterstates is None:
        raise ValueError(f"{game.title} names no features of afterstates: no table can be learned")
    return game.afterstates


@cache
def afterstate_scorers(name: str) -> AfterstateScorers:
    """Return a game's compiled scorers of actions by a table of values."""
    game = find_game(name)
    return make_afterstate_scorers(require_afterstates(game), game.kernels)


class ValueTableAgent:
    """Plays the action whose afterstate a table values most.

    Args:
        table: the values of the afterstate features, float32 (size,).
        name: the name of the agent.
        width: 0, or the number of best actions to compare by expectation: over all cards that may
            come next, the mean value of the best answer to each.
    """

    sees_all = False

    def __init__(self, table: np.ndarray, name: str = "values", width: int = 0) -> None:
        self.table, self.width = table, width
        self.name = f"{name}-expectimax" if width else name

    @classmethod
    def load(
        cls, path: str | Path, game: Game, rules: Any = None, width: int = 0
    ) -> "ValueTableAgent":
        """Load a saved table to play ``game`` by ``rules`` (None: those that it was trained by).

        Raises `SavedAgentError`, a ValueError, naming the file and the reason.
        """
        features = require_afterstates(game)
        size = 4 * features.num_features
        saved = load_saved_agent(path, game, rules, lambda _: size, lambda _: AFTERSTATES)
        net = saved.network
        with name_file_in_errors(saved.folder, SavedAgentError):
            if net["name"] != VALUE_TABLE_NETWORK or VALUE_TABLE_NETWORK not in saved.weights:
                raise ValueError(f"must be a table of values, got network {net['name']!r}")
            version, num_values = net["options"].get("version"), net["width"]
            if (version, num_values) != (features.version, features.num_features):
                raise ValueError(
                    f"a table of {num_values} values, features version {version}; this version "
                    f"of the game has {features.num_features}, version {features.version}: "
                    "retrain it"
                )
            table = saved.weights[VALUE_TABLE_NETWORK]
            if table.dtype != np.float32 or table.shape != (num_values,):
                raise ValueError(
                    f"table {VALUE_TABLE_NETWORK!r} must be float32 ({num_values},), got "
                    f"{table.dtype} {table.shape}"
                )
        return cls(table, saved.name, width)

    def act(self, turn: Turn) -> np.ndarray:
        """Return the best legal action of each game, int64 (n,); of equals the lowest."""
        return best_actions(turn.masks, self.score(turn))

    def score(self, turn: Turn) -> np.ndarray:
        """Return the value of each action in points, float64 (n, actions).

        With ``width``, actions that are not compared are `FAR_BEHIND` the others.
        """
        game = turn.game
        scores = np.zeros((len(turn.states), game.actions))
        ids = np.zeros(require_afterstates(game).max_active, np.int32)
        scorers, rules = afterstate_scorers(game.name), as_record(turn.rules)
        states = copy_states(turn.states)  # read-only arrays would need another compilation
        if self.width:
            work = np.zeros(1, game.state)
            scorers.score_by_expectation(states, rules, self.table, ids, scores, work, self.width)
        else:
            scorers.score_by_value(states, rules, self.table, ids, scores)
        return scores

    def explain(self, turn: Turn) -> Explanation:
        """Return the values of the actions that it has compared."""
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
