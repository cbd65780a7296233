"""Notices for a person who plays alone: the deal, or the position, cannot be won."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.contract import Solve
from parlour.envs.core.upper_bound import solver_of

LIMIT = 100_000
"""Positions that the solver looks at for one answer: some tens of milliseconds."""
HOPELESS = "This deal cannot be won, whatever is played."
GONE = "That gave the last chance away: this game can no longer be won (u takes it back)."

MOST_KNOWN = 2_000
"""Answers that are kept: a person may go back and forth for hours."""


class Notice:
    """What a solver knows about the positions of one game; silent in games without such a solver.

    If the rules have an UNDO action, the solver ignores it (`contract.Solve`).
    """

    def __init__(self, game: Game, rules: Any, wanted: bool) -> None:
        self.game, self.rules = game, rules
        self.wanted = wanted and game.solve is not None and game.goal_name(rules) == "won"
        self.solve: Solve | None = None
        self.known: dict[bytes, bool | None] = {}
        """Whether positions can be won, by their bytes, as far as it was asked for."""
        self.deal: bool | None = None
        """Whether the deal can be won."""

    def judge(self, history: Sequence[np.ndarray]) -> list[bool | None]:
        """Return whether each position of a history can be won; none of them if nobody can say."""
        if not self._is_able():
            return []
        if len(self.known) > MOST_KNOWN:
            self.known.clear()
        found: list[bool | None] = []
        goes_back = bool(getattr(self.rules, "undo", False))  # then a lost game may be won again
        for position in history:
            lost = not goes_back and bool(found) and found[-1] is False
            found.append(False if lost else self._ask(position))
        self.deal = found[0]
        return found

    def at_start(self, history: Sequence[np.ndarray]) -> str:
        """Return the notice if the deal cannot be won; else an empty text."""
        self.judge(history[:1])
        return HOPELESS if self.deal is False else ""

    def after_move(self, history: Sequence[np.ndarray], over: bool) -> str:
        """Return the notice if the last move has made the game unwinnable; else an empty text."""
        found = [] if over else self.judge(history)
        return GONE if found and found[-2] and found[-1] is False else ""

    def at_end(self, won: bool) -> str:
        """Return whether a lost deal could have been won, if that is known."""
        if won or self.deal is None:
            return ""
        return "This deal could have been won." if self.deal else "This deal could not be won."

    def _is_able(self) -> bool:
        """Whether the solver takes these rules; the first call may have to compile it."""
        if self.wanted and self.solve is None:
            try:
                self.solve = solver_of(self.game, self.rules)
            except ValueError:
                self.wanted = False
        return self.wanted

    def _ask(self, position: np.ndarray) -> bool | None:
        key = position.tobytes()
        if key not in self.known:
            assert self.solve is not None
            self.known[key] = self.solve(position, self.rules, limit=LIMIT).winnable
        return self.known[key]


def best_text(notice: Notice, deal: np.ndarray) -> str:
    """Say what a solver reaches from a deal, states (1,), seeing all; empty: nobody can say."""
    game, rules = notice.game, notice.rules
    try:
        found = solver_of(game, rules)(deal, rules, limit=LIMIT)
    except ValueError:
        return ""
    if found.score is not None:
        return f"all cards known, a solver reaches {found.score}"
    if found.winnable is None:
        return ""
    won = f"won in {len(found.moves or ())} moves" if found.winnable else "not to be won"
    return f"all cards known, this deal is {won}"
