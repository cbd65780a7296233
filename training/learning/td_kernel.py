"""Learning values of afterstates by self-play: tables, no network.

One compiled loop plays a game by the values it has, and learns from it when it is over. First, for
a share of all steps, each part of a position (in Poker Squares a line) learns by itself what it
brought in the end (Monte Carlo); a game without such parts learns what its heuristic's play brings.
Then the sum of all values learns the final score by TD(lambda),
from the last move backwards and each time with the values as they now are: updates worked out
beforehand and added up afterwards diverge where positions share features.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.value_table import values_of
from parlour.envs import Game
from parlour.envs import game as game_named
from parlour.envs.core.batch import DealSource
from parlour.envs.core.bits import count, lowest
from parlour.envs.core.cards import below
from parlour.envs.core.jit import jit
from parlour.envs.core.values import best_of

LONGEST = 512
"""Decisions of a game that are learned from; what comes after them is only played."""
MEAN_WINDOW = 2000
"""A Monte Carlo value is the mean of about the last so many outcomes."""


class LearnerBuffers(NamedTuple):
    """What one game of self-play is written into, kept from game to game."""

    ids: np.ndarray  # int32 (LONGEST + 1, most): features of each afterstate; the last is spare
    counts: np.ndarray  # int64 (LONGEST,): how many they are
    scored: np.ndarray  # int64 (LONGEST,): the score then
    scores: np.ndarray  # float64 (1, actions): what the player thinks of each action
    points: np.ndarray  # float64 (most,): what each part brought


def make_room(game: Game) -> LearnerBuffers:
    """Return room for a game's learner."""
    most = values_of(game).most
    return LearnerBuffers(
        np.zeros((LONGEST + 1, most), np.int32),
        np.zeros(LONGEST, np.int64),
        np.zeros(LONGEST, np.int64),
        np.zeros((1, game.actions)),
        np.zeros(most),
    )


class LearningPlan(NamedTuple):
    """How some games are played and learned from."""

    parts: float  # 1: each part learns what it brought; 0: the sum learns the final score
    heuristic: float  # 1: played by the game's heuristic; 0: by the values
    explore: float  # share of random actions
    step_size: float
    decay: float  # lambda
    games: float
    bonus: float  # what reaching the goal counts beside the score


@cache
def make_learner(name: str) -> Callable[..., None]:
    """Build a game's learner: ``learn(states, rules, weights, table, seen, room, lesson, tally)``.

    ``states`` is one row, whose generator deals; ``rules`` as `options.compiled` makes them;
    ``weights`` the heuristic's. It learns ``table``, float32 (size,), and counts in ``seen``, int32
    (size,), how often each value was. ``lesson`` is a `LearningPlan` as a float64 array; ``tally``,
    int64 (4,), is added to: games, steps, scores, goals reached.
    """
    game = game_named(name)
    begin, step, judge = game.play.begin, game.play.step, game.judge
    values = values_of(game)
    appraise, after, outcomes, parts = values.appraise, values.after, values.outcomes, values.parts

    @jit
    def choose(states: Any, rules: Any, weights: Any, table: Any, room: Any, lesson: Any) -> int:
        s = states[0]
        if below(s, 1_000_000) < lesson[2] * 1_000_000:
            legal = s["legal"]
            for _ in range(below(s, count(legal))):
                legal &= legal - 1
            return lowest(legal)
        if lesson[1]:
            judge(states, rules, weights, room.scores)
        else:
            appraise(s, rules[0], table, room.ids[LONGEST], room.scores[0])
        return best_of(s["legal"], room.scores[0])

    @jit
    def learn_parts(s: Any, rules: Any, table: Any, seen: Any, room: Any, moves: int) -> None:
        outcomes(s, rules, room.points)
        for move in range(moves):
            for part in range(parts):
                number = room.ids[move, part]
                if number >= 0:
                    seen[number] += 1
                    table[number] += (room.points[part] - table[number]) / min(
                        seen[number], MEAN_WINDOW
                    )

    @jit
    def learn_sum(s: Any, table: Any, seen: Any, room: Any, moves: int, lesson: Any) -> None:
        target = s["score"] + lesson[6] * s["won"]
        for move in range(moves - 1, -1, -1):
            value = float(room.scored[move])
            features = 0
            for k in range(room.counts[move]):
                number = room.ids[move, k]
                if number >= 0:
                    value += table[number]
                    features += 1
            change = lesson[3] * (target - value) / max(features, 1)
            for k in range(room.counts[move]):
                number = room.ids[move, k]
                if number >= 0:
                    seen[number] += 1
                    table[number] += change
            target = lesson[4] * target + (1 - lesson[4]) * value

    @jit
    def learn(
        states: Any, rules: Any, weights: Any, table: Any, seen: Any, room: Any, lesson: Any,
        tally: Any,
    ) -> None:  # fmt: skip
        s = states[0]
        for _ in range(int(lesson[5])):
            begin(s, rules[0], DealSource.DRAW)
            moves = 0
            while s["over"] == 0:
                action = choose(states, rules, weights, table, room, lesson)
                known = moves < LONGEST
                if known:
                    room.counts[moves] = after(s, rules[0], action, room.ids[moves])
                step(s, rules[0], action)
                if known:
                    room.scored[moves] = s["score"]
                    moves += 1
                tally[1] += 1
            tally[0] += 1
            tally[2] += s["score"]
            tally[3] += s["won"]
            if lesson[0]:
                learn_parts(s, rules[0], table, seen, room, moves)
            else:
                learn_sum(s, table, seen, room, moves, lesson)

    return learn
