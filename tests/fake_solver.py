"""A solver that is none: it takes the greedy agent's way for the only one. Quick, and often wrong.

Deals that greedy wins are winnable; of the others those with an odd card first are undecided.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from parlour.agents.baselines import GreedyAgent
from parlour.envs import Game
from parlour.envs.core.batch import Over
from parlour.envs.core.contract import Solution, Solving
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.solve import make_position
from parlour.envs.core.turn import prepare_turn


class SeesAll(GreedyAgent):
    """Greedy that is shown the true states, so that nothing is dealt anew."""

    name, sees_all = "greedy", True


class FakeSolver:
    """``solve`` of a game; ``asked`` counts the calls, ``lies`` makes deals greedy wins lost."""

    def __init__(self, game: Game) -> None:
        self.game, self.asked, self.lies, self.refuses = game, 0, False, ""

    def __call__(
        self, deck_or_state: Any, rules: Any, optimal: bool = False, limit: int | None = None
    ) -> Solution:
        if self.refuses:
            raise ValueError(self.refuses)
        begin = make_position(self.game, rules, deck_or_state)
        if limit == 1:  # `solver_of` tries out whether the rules are taken
            return Solution(None, None, 1)
        self.asked += 1
        rows, actions = Rows(self.game, rules, 1), []
        rows.restore(begin)
        while rows.states["over"][0] == Over.RUNNING and rows.states["moves"][0] < 300:
            turn = prepare_turn(SeesAll(), self.game, rules, copy_states(rows.states), 0)
            actions.append(int(SeesAll().act(turn)[0]))
            rows.step(np.array(actions[-1:]))
        score = int(rows.states["score"][0])
        if self.game.measure == "score":
            return Solution(None, [self.game.label(a) for a in actions], 7, actions, score)
        if not rows.states["won"][0] or self.lies:
            return Solution(None if begin["deck"][0, 0] % 2 else False, None, 9)
        moves = int(rows.states["moves"][0] - begin["moves"][0])
        words = [self.game.label(action) for action in actions]
        return Solution(True, words, len(actions), actions, None, moves if optimal else None)


@contextmanager
def solved(game: Game) -> Iterator[FakeSolver]:
    """Give a game this solver while the block lasts."""
    before, fake = game.solving, FakeSolver(game)
    object.__setattr__(game, "solving", Solving(fake))
    try:
        yield fake
    finally:
        object.__setattr__(game, "solving", before)
