"""What each card cost by all the cards: the points that the bidder's side takes, double dummy.

For games of partners with such a solver. The deal is the one that was played, and from there on all
play as well as can be, all cards known to all.
"""

from typing import Any

import numpy as np

from parlour.envs import Game

LIMIT = 1_000_000
"""Positions that the solver looks at; where they do not suffice the points are not known."""


def is_double_dummy(game: Game, rules: Any) -> bool:
    """Whether several play by these rules, and the game has a double-dummy solver."""
    return game.num_players(rules) > 1 and game.winnable_after is not None


def find_points(
    game: Game, rules: Any, states: np.ndarray, steps: np.ndarray, limit: int = LIMIT
) -> np.ndarray | None:
    """Return what the bidder's side takes in all before and after some steps, float64 (n, 2).

    ``states`` are all positions of the game. NaN where no contract is being played, in a hand
    played alone, and where ``limit`` was met. None for games without such a solver.
    """
    if not is_double_dummy(game, rules):
        return None
    found = [
        [_solve(game, rules, states[i + after : i + after + 1], limit) for after in (0, 1)]
        for i in steps
    ]
    return np.array(found, np.float64).reshape(-1, 2)


def _solve(game: Game, rules: Any, state: np.ndarray, limit: int) -> float:
    assert game.solving is not None
    try:
        score = game.solving.solve(state, rules, limit=limit).score
    except ValueError:  # nothing that it could play
        return np.nan
    return np.nan if score is None else score


def is_in_play(game: Game, rules: Any, states: np.ndarray) -> np.ndarray:
    """Return in which positions a contract is being played that the solver knows, bool (n,)."""
    assert game.solving is not None
    found = np.ones(len(states), np.bool_)
    for i in range(len(states)):
        try:
            game.solving.solve(states[i : i + 1], rules, limit=1)
        except ValueError:
            found[i] = False
    return found
