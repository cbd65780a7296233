"""What is played in rows side by side, game by game: handed over as games end."""

from collections.abc import Callable

import numpy as np

from parlour.envs.core.batch import Over
from parlour.envs.core.rows import Rows, copy_states

Ended = Callable[[np.ndarray, list[list[int]], np.ndarray], None]
"""Called with rows, int64 (k,), the actions played in each, and copies of their states (k,)."""


class ActionLog:
    """Keeps the actions of each row; ``ended`` (None: nothing is kept) gets those of games over."""

    def __init__(self, rows: Rows, ended: Ended | None) -> None:
        self.rows, self.ended = rows, ended
        self.made: list[list[int]] = [[] for _ in range(rows.n if ended else 0)]
        if ended is not None:
            self._hand_over(np.arange(rows.n))  # a game may be over at the deal

    def add(self, live: np.ndarray, actions: np.ndarray) -> None:
        """Note the step that the rows ``live`` have just made, of ``actions``, int64 (n,)."""
        if self.ended is None:
            return
        for row, action in zip(live.tolist(), actions[live].tolist(), strict=True):
            self.made[row].append(action)
        self._hand_over(live)

    def _hand_over(self, live: np.ndarray) -> None:
        assert self.ended is not None
        over = live[self.rows.states["over"][live] != Over.RUNNING]
        if len(over):
            made = [self.made[row] for row in over.tolist()]
            self.ended(over, made, copy_states(self.rows.states, over))
