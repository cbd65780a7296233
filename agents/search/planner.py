"""Base class of agents that plan several moves and follow the plan as long as it fits the game."""

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
"""Maximum number of positions whose planned action is remembered, about 55 MB."""


class Planner:
    """Makes a plan once and remembers its action for each position on the way.

    Where there is no plan, ``player`` plays to the end (None: greedy). Subclasses define the
    identity of positions (`position_bytes`) and the plan (`make_plan`).
    """

    name: str
    unit: str
    """The unit of its values, in words."""
    sees_all = False

    def __init__(self, game: Game, rules: Any, player: Agent | None = None) -> None:
        self.game, self.rules, self.player = game, rules, player or GreedyAgent()
        self.plans: OrderedDict[bytes, tuple[int, float]] = OrderedDict()
        """The action and the value of the plan for each position, those used longest ago first."""

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return bytes that identify a position (1,) for this agent."""
        raise NotImplementedError

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the actions of the plan from a position (1,), and its value (nan if unknown).

        ``seed`` depends on nothing but the position, and so do the hidden cards in it unless the
        agent sees all: a remembered plan is the same as a new one.
        """
        raise NotImplementedError

    def act(self, turn: Turn) -> np.ndarray:
        """Return the action of each game's plan, int64 (n,).

        Raises ValueError for a turn of another game or by other rules.
        """
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the actions and the values of its plans, nan if unknown."""
        if turn.game.name != self.game.name or turn.rules != self.rules:
            raise ValueError(f"agent {self.name!r} was made for other rules: {self.rules}")
        states = copy_states(turn.states)  # read-only arrays would need another compilation
        plans = [self._find(states[i : i + 1]) for i in range(len(states))]
        actions = np.array([action for action, _ in plans], np.int64)
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            state_values=np.array([value for _, value in plans], np.float64),
            unit=self.unit,
            sees_all=self.sees_all,
        )

    def _find(self, states: np.ndarray) -> tuple[int, float]:
        key = self._key(states)
        if key not in self.plans:
            return self._plan(states)
        self.plans.move_to_end(key)
        return self.plans[key]

    def _key(self, states: np.ndarray) -> bytes:
        return blake2b(self.position_bytes(states), digest_size=16).digest()

    def _seed(self, states: np.ndarray) -> int:
        return int.from_bytes(self._key(states)[:8], "little")

    def _plan(self, states: np.ndarray) -> tuple[int, float]:
        """Make a plan, play it through and remember it; return its first action and its value."""
        if not self.sees_all:  # the plan must depend on nothing but what is seen
            seeds = np.array([self._seed(states)], np.uint64)
            states = resample_copies(self.game, self.rules, states, seeds)
        actions, value = self.make_plan(states, self._seed(states))
        rows = Rows(self.game, self.rules, 1)
        rows.restore(states)
        for number, action in enumerate(actions or self._play_on(rows), 1):
            self.plans[self._key(rows.states)] = action, value
            rows.step(np.array([action]))
            if rows.states["over"][0] != Over.RUNNING or number == MAX_MOVES:
                break
        first = self.plans[self._key(states)]  # the last action here if the plan returns to it
        while len(self.plans) > MAX_PLANS:
            self.plans.popitem(last=False)
        return first

    def _play_on(self, rows: Rows) -> Iterator[int]:
        """Yield the player's actions in the game in ``rows``, without end."""
        while True:
            seeds = np.array([self._seed(rows.states)], np.uint64)
            turn = prepare_turn(self.player, self.game, self.rules, rows.states, seeds)
            yield int(self.player.act(turn)[0])
