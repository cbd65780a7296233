"""An agent that tries every action out: games played to their end from worlds it can imagine."""

from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs import game as game_named
from parlour.envs.core.bits import count
from parlour.envs.core.cards import GAMMA
from parlour.envs.core.jit import jit
from parlour.envs.core.options import compiled
from parlour.envs.core.rows import taken
from parlour.envs.core.turn import Agent, Turn
from parlour.envs.core.values import best_of, win_bonus_points

from .greedy import GreedyAgent
from .value_table import ValueAgent

WORLDS = 160
"""Deals of the hidden cards that each decision is tried out in, the same ones for all actions."""
FIRST = 4
"""After a share of 1 / FIRST of them the worse half of the actions is dropped."""
WIDTH = 4
"""By a table of values only so many actions are tried out: those that it thinks best."""
PROBE = 4
"""Worlds by which the speed is measured where time is the budget."""
DROPPED_SCORE = -1e18
LONGEST = 500
"""Moves after which a game tried out is broken off."""


@cache
def make_rollouts(name: str) -> Callable[..., None]:
    """Build a game's ``roll(states, rules, weights, table, ids, scores, worlds, totals)``.

    ``totals``, float64 (n, actions), receives for each legal action the sum, over so many worlds,
    of score and a bonus for reaching the goal; for one that was dropped, `DROPPED_SCORE`. Games are
    played on by the values of ``table``, which also says which `WIDTH` actions are tried, or by
    the heuristic's ``weights`` where the table is empty; ``ids`` and ``scores`` (1, actions) are
    room.
    """
    game = game_named(name)
    step, hide, judge, actions = game.play.step, game.hide, game.judge, game.actions
    bonus = win_bonus_points(game.play)
    if game.values is None:

        @jit
        def appraise(s: Any, rules: Any, table: Any, ids: Any, scores: Any) -> None:
            pass
    else:
        appraise = game.values.appraise

    @jit
    def finish(work: Any, rules: Any, weights: Any, table: Any, ids: Any, scores: Any) -> float:
        s = work[0]
        while s["over"] == 0 and s["moves"] < LONGEST:
            for action in range(actions):
                scores[0, action] = 0.0
            if len(table):
                appraise(s, rules[0], table, ids, scores[0])
            else:
                judge(work, rules, weights, scores)
            step(s, rules[0], best_of(s["legal"], scores[0]))
        return s["score"] + bonus * s["won"]

    @jit
    def thought_best(
        states: Any, i: int, rules: Any, table: Any, ids: Any, scores: Any, totals: Any
    ) -> int:
        legal = states[i]["legal"]
        if len(table) == 0:
            return legal
        appraise(states[i], rules[0], table, ids, scores[0])
        chosen, left = 0, legal
        for _ in range(min(WIDTH, count(legal))):
            action = best_of(left, scores[0])
            left &= ~(1 << action)
            chosen |= 1 << action
        for action in range(actions):
            if (left >> action) & 1:
                totals[action] = DROPPED_SCORE
        return chosen

    @jit
    def better_half(legal: int, totals: Any) -> int:
        keep = (count(legal) + 1) // 2
        left = legal
        for _ in range(keep):
            left &= ~(1 << best_of(left, totals))
        for action in range(actions):
            if (left >> action) & 1:
                totals[action] = DROPPED_SCORE
        return legal & ~left

    @jit
    def roll(
        states: Any, rules: Any, weights: Any, table: Any, ids: Any, scores: Any, worlds: int,
        totals: Any,
    ) -> None:  # fmt: skip
        world, work = states[:1].copy(), states[:1].copy()
        for i in range(len(states)):
            legal = thought_best(states, i, rules, table, ids, scores, totals[i])
            rng = states[i]["rng"]
            for number in range(worlds):
                if number > 0 and number == worlds // FIRST:
                    legal = better_half(legal, totals[i])
                rng += GAMMA
                world[0] = states[i]
                world[0]["rng"] = rng
                hide(world, rules, -1)
                for action in range(actions):
                    if (legal >> action) & 1:
                        work[0] = world[0]
                        step(work[0], rules[0], action)
                        totals[i, action] += finish(work, rules, weights, table, ids, scores)

    return roll


class RolloutAgent:
    """Takes the action after which ``player``, greedy or by a table, ends best on average.

    It sees what its player sees: the hidden cards are dealt anew for each of ``worlds``. With
    ``milliseconds`` there are as many as fit into about that time, by the speed of the first few:
    the choice then depends on the machine.
    """

    sees_all = False

    def __init__(
        self,
        player: GreedyAgent | ValueAgent,
        worlds: int | None = None,
        milliseconds: float | None = None,
    ) -> None:
        worlds = WORLDS if worlds is None else worlds
        if worlds < 1:
            raise ValueError(f"worlds={worlds}: allowed are numbers from 1")
        if milliseconds is not None and not milliseconds > 0:
            raise ValueError(f"milliseconds={milliseconds}: allowed are numbers above 0")
        self.player, self.worlds, self.name = player, worlds, f"{player.name}-rollouts"
        self.milliseconds = milliseconds

    def act(self, turn: Turn) -> np.ndarray:
        """Return the best legal action of each game, int64 (n,); of equals the lowest."""
        actions = turn.masks.argmax(axis=1)
        rows = np.flatnonzero(turn.masks.sum(axis=1) > 1)
        if len(rows):
            states = taken(turn.states, rows)
            totals = self._totals(turn, states, self._affordable(turn, states))
            actions[rows] = np.where(turn.masks[rows], totals, -np.inf).argmax(axis=1)
        return actions

    def _totals(self, turn: Turn, states: np.ndarray, worlds: int) -> np.ndarray:
        """What all actions come to: see `make_rollouts`."""
        game = turn.game
        totals, scores = np.zeros((len(states), game.actions)), np.zeros((1, game.actions))
        weights, table = _tables(self.player, game)
        ids = np.zeros(game.values.most if game.values else 1, np.int32)
        roll, rules = make_rollouts(game.name), compiled(turn.rules)
        roll(states, rules, weights, table, ids, scores, worlds, totals)
        return totals

    def _affordable(self, turn: Turn, states: np.ndarray) -> int:
        """How many worlds there is time for."""
        if self.milliseconds is None:
            return self.worlds
        self._totals(turn, states[:0], 0)  # compiles: that is not to count
        begun = perf_counter()
        self._totals(turn, states, PROBE)
        spent = (perf_counter() - begun) / PROBE
        left = len(states) * self.milliseconds / 1000 - spent * PROBE
        # in all but the first of FIRST parts of them about half the actions are still tried out
        return max(1, int(left / spent * 2 * FIRST / (FIRST + 1)))


def _tables(player: GreedyAgent | ValueAgent, game: Game) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(player, ValueAgent):
        return game.default_weights, player.table
    weights = game.default_weights if player.weights is None else player.weights
    return weights, np.zeros(0, np.float32)


def of(
    player: Agent, spec: str, worlds: int | None = None, milliseconds: float | None = None
) -> RolloutAgent:
    """Return rollouts by a player; ValueError if it is neither greedy nor plays by a table."""
    by_rule = isinstance(player, GreedyAgent) and player.player is not None
    ahead = isinstance(player, ValueAgent) and player.width > 0
    if by_rule or ahead or not isinstance(player, GreedyAgent | ValueAgent):
        raise ValueError(f"rollouts:{spec}: only greedy and agents with a table can play games on")
    return RolloutAgent(player, worlds, milliseconds)
