"""The oracle: it sees every card, and follows a way to win that the game's solver has found."""

from collections import OrderedDict
from hashlib import blake2b
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Over
from parlour.envs.core.contract import Solution
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.truth import solver_of
from parlour.envs.core.turn import Agent, Turn, prepare_turn

from .explanation import Explanation, certain
from .greedy import GreedyAgent

FEWEST = "fewest"
"""Behind ``oracle:``: it wins in the fewest moves."""
MAX_PLANS = 1 << 18
"""Positions whose action is remembered, those met longest ago forgotten first: some 55 MB."""


class OracleAgent:
    """Plays what ``game.solve`` says of the true state; where a deal is lost, greedily.

    Each deal is solved once: the plan is played ahead, and the action remembered for each position
    on the way. A position that cannot be won, or that is undecided by ``limit``, gets the greedy
    agent's play as its plan. In a game that is played for its score the plan is that of the best
    score found.
    """

    sees_all = True
    at_once = 64
    """Games that an evaluation plays side by side: all their plans are remembered, and the time of
    solving them counts, which it does not in the first call."""

    def __init__(
        self, game: Game, rules: Any, fewest: bool = False, limit: int | None = None
    ) -> None:
        self.game, self.rules, self.fewest, self.limit = game, rules, fewest, limit
        self.name = f"oracle-{FEWEST}" if fewest else "oracle"
        self.solve = solver_of(game, rules)
        self.plans: OrderedDict[bytes, tuple[int, float]] = OrderedDict()
        """The action of a position, and what the solver says that it comes to (`_worth`)."""

    def act(self, turn: Turn) -> np.ndarray:
        """Return the action of each game's plan, int64 (n,).

        Raises ValueError for another game or other rules than those it was made for.
        """
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the actions of its plans, and what they come to, nan where that is undecided."""
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
            unit="won or not" if self.game.measure == "won" else "best score found",
            sees_all=True,
        )

    def _find(self, state: np.ndarray) -> tuple[int, float]:
        key = _position_key(state)
        if key not in self.plans:
            return self._plan(state)
        self.plans.move_to_end(key)
        return self.plans[key]

    def _plan(self, state: np.ndarray) -> tuple[int, float]:
        """Return action and worth of a position; remember them, and those for where it leads."""
        found = self.solve(state, self.rules, optimal=self.fewest, limit=self.limit)
        plan, worth = iter(found.actions or ()), self._worth(found)
        made: list[int] = []
        greedy = None if found.actions else GreedyAgent()
        rows = Rows(self.game, self.rules, 1)
        rows.restore(state)
        for _ in range(MAX_MOVES):
            action = next(plan, None) if greedy is None else self._greedy(greedy, rows)
            if action is None:
                break
            made.append(action)
            self.plans[_position_key(rows.states)] = action, worth
            rows.step(np.array([action]))
            if rows.states["over"][0] != Over.RUNNING:
                break
        while len(self.plans) > MAX_PLANS:
            self.plans.popitem(last=False)
        return made[0], worth

    def _worth(self, found: Solution) -> float:
        """1 where a win is left, 0 where none is; the best score; nan: undecided."""
        known = found.winnable if self.game.measure == "won" else found.score
        return np.nan if known is None else float(known)

    def _greedy(self, agent: Agent, rows: Rows) -> int:
        seeds = np.zeros(1, np.uint64)
        return int(agent.act(prepare_turn(self, self.game, self.rules, rows.states, seeds))[0])


def _position_key(state: np.ndarray) -> bytes:
    """A digest of a position; how many steps led there does not matter."""
    state = copy_states(state)
    state["steps"] = 0
    return blake2b(state.tobytes(), digest_size=16).digest()


def make_oracle(game: Game, rules: Any, option: str = "") -> OracleAgent:
    """Return ``oracle`` or ``oracle:fewest`` for these rules.

    Raises ValueError for another option, and where game or rules have no solver, naming the games
    that have one.
    """
    if option not in ("", FEWEST):
        raise ValueError(f"agent 'oracle:{option}': allowed are oracle and oracle:{FEWEST}")
    return OracleAgent(game, rules, option == FEWEST)
