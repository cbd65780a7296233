"""Agents that plan several moves at once, and follow the plan while the game goes as it says."""

from collections import OrderedDict
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Over
from parlour.envs.core.rows import Rows, copy_states, resample_copies
from parlour.envs.core.turn import Agent, Turn, prepare_turn

from ..baselines.greedy import GreedyAgent
from ..explanation import Explanation, certain

MAX_PLANS = 1 << 18
"""Positions whose action is remembered, those met longest ago forgotten first: some 55 MB."""


class Planner:
    """Looks for a plan once, and remembers the action of each position on its way.

    Where it finds none, ``player`` goes on. A subclass says by which bytes a position is told apart
    (`position_bytes`) and what it plans (`make_plan`).
    """

    name: str
    unit: str
    """What its values count, in words."""
    sees_all = False

    def __init__(self, game: Game, rules: Any, player: Agent | None = None) -> None:
        self.game, self.rules, self.player = game, rules, player or GreedyAgent()
        self.plans: OrderedDict[bytes, tuple[int, float]] = OrderedDict()
        """The action of a position, and what the plan comes to."""

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return what tells a position (1,) from all others for this agent."""
        raise NotImplementedError

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the actions from a position (1,) on, and what they come to (nan: not known).

        ``seed`` comes from the position alone, so a plan that is remembered is the one that would
        be made anew; it has dealt what is hidden, too, but for an agent that sees all.
        """
        raise NotImplementedError

    def act(self, turn: Turn) -> np.ndarray:
        """Return the action of each game's plan, int64 (n,).

        Raises ValueError for another game or other rules than those it was made for.
        """
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the actions of its plans, and what they come to, nan where that is not known."""
        if turn.game.name != self.game.name or turn.rules != self.rules:
            raise ValueError(f"agent {self.name!r} was made for other rules: {self.rules}")
        states = copy_states(turn.states)  # read-only arrays would be compiled for once more
        plans = [self._find(states[i : i + 1]) for i in range(len(states))]
        actions = np.array([action for action, _ in plans], np.int64)
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            state_values=np.array([worth for _, worth in plans], np.float64),
            unit=self.unit,
            sees_all=self.sees_all,
        )

    def _find(self, states: np.ndarray) -> tuple[int, float]:
        key = self._key(states)
        if key not in self.plans:
            return self._begin(states)
        self.plans.move_to_end(key)
        return self.plans[key]

    def _key(self, states: np.ndarray) -> bytes:
        return blake2b(self.position_bytes(states), digest_size=16).digest()

    def _seed(self, states: np.ndarray) -> int:
        return int.from_bytes(self._key(states)[:8], "little")

    def _begin(self, states: np.ndarray) -> tuple[int, float]:
        """Make a plan, play it through and remember it; return its first action and its worth."""
        if not self.sees_all:  # the plan hangs on nothing but what is seen
            seeds = np.array([self._seed(states)], np.uint64)
            states = resample_copies(self.game, self.rules, states, seeds)
        actions, worth = self.make_plan(states, self._seed(states))
        rows = Rows(self.game, self.rules, 1)
        rows.restore(states)
        for made, action in enumerate(actions or self._go_on(rows), 1):
            self.plans[self._key(rows.states)] = action, worth
            rows.step(np.array([action]))
            if rows.states["over"][0] != Over.RUNNING or made == MAX_MOVES:
                break
        found = self.plans[self._key(states)]  # the last of them, where a plan comes back to it
        while len(self.plans) > MAX_PLANS:
            self.plans.popitem(last=False)
        return found

    def _go_on(self, rows: Rows) -> Iterator[int]:
        """What the player plays, as long as it is asked."""
        while True:
            seeds = np.array([self._seed(rows.states)], np.uint64)
            turn = prepare_turn(self.player, self.game, self.rules, rows.states, seeds)
            yield int(self.player.act(turn)[0])
