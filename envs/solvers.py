"""Who can say whether a position is still to be won: a game's solver, checked before it is asked.

A solver knows where every card lies. What it says tells of hidden cards.
"""

from typing import Any

import numpy as np

from .core.batch import Over
from .core.game import Game
from .core.truth import LOST, WINNABLE, Solver, position

FIRST_LOOK = 1
"""Positions that a solver looks at to show that it takes the rules; it is compiled by that, too."""


def solver_of(game: Game, rules: Any) -> Solver:
    """Return the game's ``solve``; it is asked about one deal, so that it refuses rules at once.

    Raises ValueError if the game has none, naming the games that do, or if these rules have none.
    """
    if game.solve is None:
        raise ValueError(f"{game.title} has no solver; games that have one: {', '.join(solved())}")
    if game.players_of(rules) > 1:
        raise ValueError(f"{game.title} by these rules is for several players: no solver for them")
    game.solve(position(game, rules, list(game.pack(rules))), rules, limit=FIRST_LOOK)
    return game.solve


def solved() -> list[str]:
    """Return the names of the games that have a solver."""
    from . import GAMES  # this package imports the shells, and they this module

    return [name for name, game in GAMES.items() if game.solve is not None]


class Winnable:
    """Says of states whether one who knew all cards could still win them.

    Raises ValueError for games and rules without a solver, and for games that nobody wins.
    """

    def __init__(self, game: Game, rules: Any) -> None:
        self.solve, self.rules = solver_of(game, rules), rules
        if game.goal_of(rules) != "won":
            raise ValueError(f"truth: {game.title} is played for its score: nobody wins it")

    def __call__(self, states: np.ndarray) -> np.ndarray:
        """Return 1 yes, 0 no, -1 undecided for each state, int8 (n,); of finished games: won."""
        found = np.where(states["won"] != 0, WINNABLE, LOST).astype(np.int8)
        for row in np.flatnonzero(states["over"] == Over.RUNNING):
            found[row] = self.solve(states[row : row + 1], self.rules).code
        return found
