"""The notice that a person alone gets: that the last chance is gone, by the true cards."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.contract import Solve
from parlour.envs.core.truth import solver_of

LIMIT = 100_000
"""Positions that the solver looks at for one answer: some tens of milliseconds."""
GONE = "That gave the last chance away: this game can no longer be won (u takes it back)."


class Notice:
    """What a solver knows of the positions of one game; silent where there is none that can say.

    A deal that could not be won from the start is told of at the end alone.
    """

    def __init__(self, game: Game, rules: Any, wanted: bool) -> None:
        self.game, self.rules = game, rules
        self.wanted = wanted and game.solve is not None and game.goal_name(rules) == "won"
        self.solve: Solve | None = None
        self.known: list[bool | None] = []
        """Whether each position of the history can be won, as far as it was asked for."""

    def after_move(self, history: Sequence[np.ndarray], over: bool) -> str:
        """Return the notice if the last move has lost the game; else an empty text."""
        if over or not self._is_able():
            return ""
        del self.known[len(history) - 1 :]  # some may have been taken back
        for position in history[len(self.known) :]:
            lost = bool(self.known) and self.known[-1] is False
            self.known.append(False if lost else self._ask(position))
        before, now = self.known[-2:]
        return GONE if before and now is False else ""

    def at_end(self, won: bool) -> str:
        """Return whether a lost deal could have been won, where that is known."""
        first = self.known[0] if self.known else None
        if won or first is None:
            return ""
        return "This deal could have been won." if first else "This deal could not be won."

    def _is_able(self) -> bool:
        """Whether the solver takes these rules; the first call may have to compile it."""
        if self.wanted and self.solve is None:
            try:
                self.solve = solver_of(self.game, self.rules)
            except ValueError:
                self.wanted = False
        return self.wanted

    def _ask(self, position: np.ndarray) -> bool | None:
        assert self.solve is not None
        return self.solve(position, self.rules, limit=LIMIT).winnable
