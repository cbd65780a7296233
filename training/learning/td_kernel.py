"""Learning values of afterstates by self-play: tables, no network.

One compiled loop plays a game by the values it has, and learns from it when it is over. First, for
a share of all steps, each part of a position (in Poker Squares a line) learns by itself what it
brought in the end (Monte Carlo); a game without such parts learns what the play of its heuristic,
or of another player by rule, brings. Then the sum of all values learns the final score by
TD(lambda), from the last move backwards and each time with the values as they now are: updates
worked out beforehand and added up afterwards diverge where positions share features.

Values may have step sizes of their own, by temporal coherence: for a game of cards, whose results
are mostly luck, and tables of which some entries are met in every game and others hardly ever
(Jaskowski, "Mastering 2048 with delayed temporal coherence learning...", 2018, has the same).
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from parlour.agents.networks.value_table import require_afterstates
from parlour.envs import Game, find_game
from parlour.envs.core.aliases import RulesRecord, RulesRecords, State, States, Table, Weights
from parlour.envs.core.batch import DealSource
from parlour.envs.core.kernel.cards import random_below
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.legal import count_actions, nth_action
from parlour.envs.core.values import best_legal

MOST_DECISIONS = 512
"""Decisions of a game that are learned from; what comes after them is only played."""
MEAN_WINDOW = 2000
"""A Monte Carlo value is the mean of about the last so many outcomes."""
CHANCE_STEPS = 1_000_000
"""A share of random actions is kept to so many parts of one."""


class LearnerBuffers(NamedTuple):
    """What one game of self-play is written into, kept from game to game."""

    ids: np.ndarray  # int32 (MOST_DECISIONS + 1, most): each afterstate's features; last: spare
    counts: np.ndarray  # int64 (MOST_DECISIONS,): how many they are
    scored: np.ndarray  # int64 (MOST_DECISIONS,): the score then
    scores: np.ndarray  # float64 (1, actions): what the player thinks of each action
    points: np.ndarray  # float64 (most,): what each part brought


def make_room(game: Game) -> LearnerBuffers:
    """Return room for a game's learner."""
    most = require_afterstates(game).max_active
    return LearnerBuffers(
        np.zeros((MOST_DECISIONS + 1, most), np.int32),
        np.zeros(MOST_DECISIONS, np.int64),
        np.zeros(MOST_DECISIONS, np.int64),
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
    adaptive: float  # 1: each value's step size is its own; 0: all have ``step_size``


@jit
def coherence(errors: np.ndarray, error: float) -> float:
    """The share of the step size that a value has left, and add an error to its ``errors`` (2,).

    That is |sum of its errors| / sum of their sizes (Beal and Smith, "Temporal coherence and
    prediction decay in TD learning", 1999): near 1 while all say the same, small once they are
    nothing but noise.
    """
    size = errors[1]
    share = abs(errors[0]) / size if size > 0.0 else 1.0
    errors[0] += error
    errors[1] = size + abs(error)
    return share


@cache
def make_learner(name: str, teacher: str | None = None) -> Callable[..., None]:
    """Build a game's ``learn(states, rules, weights, table, seen, errors, room, plan, tally)``.

    ``states`` is one row, whose generator deals; ``rules`` as `options.as_record` makes them;
    ``weights`` the heuristic's, or those of the rule agent named by ``teacher``. It learns
    ``table``, float32 (size,), and counts in ``seen``, int32 (size,), how often each value was.
    ``errors``, float32 (size, 2), sums up each value's errors and how large they were: read and
    written where the plan is adaptive, else it may be empty. ``plan`` is a `LearningPlan`;
    ``tally``, int64 (4,), is added to: games, steps, scores, goals reached.
    """
    game = find_game(name)
    begin, step = game.kernels.begin, game.kernels.step
    score_rows = game.score_rows if teacher is None else game.rule_agents[teacher]
    values = require_afterstates(game)
    score_afterstates, active_features = values.score_afterstates, values.active_features
    part_scores, parts = values.part_scores, values.num_parts

    @jit
    def choose(
        states: States,
        rules: RulesRecords,
        weights: Weights,
        table: Table,
        room: LearnerBuffers,
        plan: LearningPlan,
    ) -> int:
        s = states[0]
        if random_below(s, CHANCE_STEPS) < plan.explore * CHANCE_STEPS:
            legal = s["legal"]
            return nth_action(legal, random_below(s, count_actions(legal)))
        if plan.heuristic:
            score_rows(states, rules, weights, room.scores)
        else:
            score_afterstates(s, rules[0], table, room.ids[MOST_DECISIONS], room.scores[0])
        return best_legal(s["legal"], room.scores[0])

    @jit
    def learn_parts(
        s: State,
        rules: RulesRecord,
        table: Table,
        seen: np.ndarray,
        room: LearnerBuffers,
        moves: int,
    ) -> None:
        part_scores(s, rules, room.points)
        for move in range(moves):
            for part in range(parts):
                number = room.ids[move, part]
                if number >= 0:
                    seen[number] += 1
                    table[number] += (room.points[part] - table[number]) / min(
                        seen[number], MEAN_WINDOW
                    )

    @jit
    def learn_sum(
        s: State,
        table: Table,
        seen: np.ndarray,
        errors: np.ndarray,
        room: LearnerBuffers,
        moves: int,
        plan: LearningPlan,
    ) -> None:
        target = s["score"] + plan.bonus * s["won"]
        for move in range(moves - 1, -1, -1):
            value = float(room.scored[move])
            features = 0
            for k in range(room.counts[move]):
                number = room.ids[move, k]
                if number >= 0:
                    value += table[number]
                    features += 1
            error = target - value
            change = plan.step_size * error / max(features, 1)
            for k in range(room.counts[move]):
                number = room.ids[move, k]
                if number >= 0:
                    seen[number] += 1
                    share = 1.0
                    if plan.adaptive:
                        share = coherence(errors[number], error)
                    table[number] += share * change
            target = plan.decay * target + (1 - plan.decay) * value

    @jit
    def learn(
        states: States, rules: RulesRecords, weights: Weights, table: Table, seen: np.ndarray,
        errors: np.ndarray, room: LearnerBuffers, plan: LearningPlan, tally: np.ndarray,
    ) -> None:  # fmt: skip
        s = states[0]
        for _ in range(int(plan.games)):
            begin(s, rules[0], DealSource.DRAW)
            moves = 0
            while s["over"] == 0:
                action = choose(states, rules, weights, table, room, plan)
                known = moves < MOST_DECISIONS
                if known:
                    room.counts[moves] = active_features(s, rules[0], action, room.ids[moves])
                step(s, rules[0], action)
                if known:
                    room.scored[moves] = s["score"]
                    moves += 1
                tally[1] += 1
            tally[0] += 1
            tally[2] += s["score"]
            tally[3] += s["won"]
            if plan.parts:
                learn_parts(s, rules[0], table, seen, room, moves)
            else:
                learn_sum(s, table, seen, errors, room, moves, plan)

    return learn
