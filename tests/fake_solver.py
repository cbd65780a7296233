"""A fast fake solver that returns the game of the greedy agent as its solution. It is often wrong.

Deals that greedy wins are winnable. The other deals are undecided if the code of their first card
is odd, otherwise not winnable.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.baselines import GreedyAgent
from parlour.envs import Game
from parlour.envs.core.batch import Over
from parlour.envs.core.contract import Solution, Solving
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.solve import make_position
from parlour.envs.core.turn import prepare_turn


class SeesAll(GreedyAgent):
    """A greedy agent that sees the true states, so that no hidden cards are resampled."""

    name, sees_all = "greedy", True


class Played(NamedTuple):
    """The actions and the result of a game that greedy has played."""

    actions: list[int]
    score: int
    won: bool
    moves: int


PLAYED: dict[tuple[str, Any, bytes], tuple[Played, int]] = {}
"""By game, rules and state: the played game, and the index of the next action in this state."""


def play_greedily(game: Game, rules: Any, begin: np.ndarray) -> tuple[Played, int]:
    """Play from a state, and return the game and the index of its next action.

    States that occurred in earlier games are not played again.
    """
    rows, actions, states = Rows(game, rules, 1), list[int](), list[bytes]()
    rows.restore(begin)
    while rows.states["over"][0] == Over.RUNNING and rows.states["moves"][0] < 300:
        states.append(rows.states.tobytes())
        if len(states) == 1 and (game.name, rules, states[0]) in PLAYED:
            return PLAYED[game.name, rules, states[0]]
        turn = prepare_turn(SeesAll(), game, rules, copy_states(rows.states), 0)
        actions.append(int(SeesAll().act(turn)[0]))
        rows.step(np.array(actions[-1:]))
    s = rows.states[0]
    played = Played(actions, int(s["score"]), bool(s["won"]), int(s["moves"]))
    for at, state in enumerate(states):
        PLAYED[game.name, rules, state] = played, at
    return played, 0


class FakeSolver:
    """A replacement of a game's ``solve``.

    Attributes:
        asked: Number of calls.
        lies: Whether deals that greedy wins are reported like those that it loses.
        refuses: Message of the ValueError that each call raises (empty: no error).
    """

    def __init__(self, game: Game) -> None:
        self.game, self.asked, self.lies, self.refuses = game, 0, False, ""

    def __call__(
        self, deck_or_state: Any, rules: Any, optimal: bool = False, limit: int | None = None
    ) -> Solution:
        if self.refuses:
            raise ValueError(self.refuses)
        begin = make_position(self.game, rules, deck_or_state)
        if begin["over"][0]:  # Such a call only tests whether the solver supports the rules.
            return Solution(False, None, 0)
        self.asked += 1
        played, at = play_greedily(self.game, rules, begin)
        actions = played.actions[at:]
        if self.game.measure == "score":
            return Solution(None, [self.game.label(a) for a in actions], 7, actions, played.score)
        if not played.won or self.lies:
            return Solution(None if begin["deck"][0, 0] % 2 else False, None, 9)
        moves = played.moves - int(begin["moves"][0])
        words = [self.game.label(action) for action in actions]
        return Solution(True, words, len(actions), actions, None, moves if optimal else None)


@contextmanager
def solved(game: Game) -> Iterator[FakeSolver]:
    """Replace the solver of a game within a ``with`` block."""
    before, fake = game.solving, FakeSolver(game)
    object.__setattr__(game, "solving", Solving(fake))
    try:
        yield fake
    finally:
        object.__setattr__(game, "solving", before)
