"""An agent that plays by a table of afterstate values, at once or one ply of expectation ahead."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Turn, best_actions
from parlour.envs.core.values import (
    FAR_BEHIND,
    AfterstateFeatures,
    AfterstateScorers,
    make_afterstate_scorers,
)

from .. import saved as artefact
from ..explanation import Explanation, certain, of_legal

VALUE_TABLE_NETWORK = "values"
"""What ``agent.json`` calls the network of such an agent, and the name of its table."""
POINTS_APART = "points, without what all actions have in common"
POINTS = "points at the end, with a bonus for reaching the goal"
"""What the values of actions count: by the table alone, and a ply further."""


def require_afterstates(game: Game) -> AfterstateFeatures:
    """Return what a game says of its afterstates; ValueError if it says nothing."""
    if game.afterstates is None:
        raise ValueError(f"{game.title} names no features of afterstates: no table can be learned")
    return game.afterstates


@cache
def afterstate_scorers(name: str) -> AfterstateScorers:
    """Return the compiled scorers of a game."""
    game = find_game(name)
    return make_afterstate_scorers(require_afterstates(game), game.kernels)


class ValueTableAgent:
    """Plays the action with the most valuable afterstate by ``table``, float32 (size,).

    With ``width`` it compares the best so many actions by expectation instead: over all cards that
    may come next, the mean of what the best answer to each is worth.
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

        Raises `artefact.ArtefactError`, a ValueError, naming the file and the reason.
        """
        values = require_afterstates(game)
        size = 4 * values.num_features
        found = artefact.load_artefact(
            path, game, rules, lambda _: size, lambda _: artefact.AFTERSTATES
        )
        net = found.network
        with artefact.blame_file(found.folder):
            if net["name"] != VALUE_TABLE_NETWORK or VALUE_TABLE_NETWORK not in found.weights:
                raise ValueError(f"no table of values but a network {net['name']!r}")
            made = net["options"].get("version"), net["width"]
            if made not in ((values.version, values.num_features), *values.earlier):
                raise ValueError(
                    f"a table of {made[1]} values, features version {made[0]}; this "
                    f"version of the game has {values.num_features}, version "
                    f"{values.version}: train it anew"
                )
            table = found.weights[VALUE_TABLE_NETWORK]
            fits = table.dtype == np.float32 and table.shape == (net["width"],)
            if not fits:
                raise ValueError(
                    f"table {VALUE_TABLE_NETWORK!r} must be float32 ({net['width']},), got "
                    f"{table.dtype} {table.shape}"
                )
        whole = np.zeros(values.num_features, np.float32)
        whole[: len(table)] = table  # features that came since are worth nothing to it
        return cls(whole, found.name, width)

    def act(self, turn: Turn) -> np.ndarray:
        """Return the best legal action of each game, int64 (n,); of equals the lowest."""
        return best_actions(turn.masks, self.score(turn))

    def score(self, turn: Turn) -> np.ndarray:
        """Return what it thinks each action worth, float64 (n, actions), in points.

        With ``width`` those that it does not compare fall `FAR_BEHIND`.
        """
        game = turn.game
        scores = np.zeros((len(turn.states), game.actions))
        ids = np.zeros(require_afterstates(game).max_active, np.int32)
        found, rules = afterstate_scorers(game.name), as_record(turn.rules)
        states = copy_states(turn.states)  # read-only arrays would be compiled for once more
        if self.width:
            work = np.zeros(1, game.state)
            found.score_by_expectation(states, rules, self.table, ids, scores, work, self.width)
        else:
            found.score_by_value(states, rules, self.table, ids, scores)
        return scores

    def explain(self, turn: Turn) -> Explanation:
        """Return the values of the actions, of those that it has compared."""
        scores = self.score(turn)
        actions = best_actions(turn.masks, scores)
        looked_at = scores > -FAR_BEHIND / 2
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            action_values=of_legal(turn, np.where(looked_at, scores, np.nan)),
            unit=POINTS if self.width else POINTS_APART,
        )
