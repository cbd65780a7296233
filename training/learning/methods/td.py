"""TD(lambda): a table of afterstate values, learned from self-play. No network.

One compiled loop plays a game by the current values and learns from it when it is over. First, for
the share ``pretrain`` of all steps, each part of a position (in Poker Squares a line) learns its
mean final result (Monte Carlo); a game without such parts learns from the play of its heuristic, or
of another rule-based agent. Then the sum of all values learns the final score by TD(lambda), from
the last move backwards, each time with the current values: updates that are computed first and
added up afterwards diverge where positions share features.

Each value may have its own step size, by temporal coherence. It helps in card games, whose results
are mostly luck, and with tables in which some entries occur in every game and others rarely
(Jaskowski, "Mastering 2048 with delayed temporal coherence learning...", 2018, does the same).
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import save as tensor_bytes

from parlour.agents.networks.value_table import (
    VALUE_TABLE_NETWORK,
    ValueTableAgent,
    require_afterstates,
)
from parlour.agents.saved import AFTERSTATES
from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal, win_bonus_points
from parlour.envs.core.batch import DealSource
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import TRAINING_SEED_MASK, random_below
from parlour.envs.core.legal import count_actions, nth_action
from parlour.envs.core.options import as_record
from parlour.envs.core.type_aliases import RulesRecord, RulesRecords, State, States, Table, Weights

from .. import checkpoint
from ..run import StepRun
from ..settings.methods import TDSettings

GAMES_PER_CALL = 10_000
"""Games between two log lines."""
FIRST_STEPS = 0.1
"""Share of a pretraining by parts in which the heuristic plays, with a random action in three."""
STREAM = 0x56414C
"""Separates the numbers drawn here from those of other methods with equal seeds."""
EXPLORE = 0.02
"""Share of random actions in the rest of the pretraining."""
MOST_DECISIONS = 512
"""Decisions of a game that are learned from; later ones are only played."""
MEAN_WINDOW = 2000
"""Number of recent outcomes of which a Monte Carlo value is about the mean."""
CHANCE_STEPS = 1_000_000
"""Resolution of the share of random actions."""


class LearnerBuffers(NamedTuple):
    """Scratch arrays of one game of self-play, reused from game to game."""

    ids: np.ndarray  # int32 (MOST_DECISIONS + 1, most): each afterstate's features; last: spare
    counts: np.ndarray  # int64 (MOST_DECISIONS,): the number of these features
    scored: np.ndarray  # int64 (MOST_DECISIONS,): the score after the decision
    scores: np.ndarray  # float64 (1, actions): the score of each action
    points: np.ndarray  # float64 (most,): the result of each part


def allocate_buffers(game: Game) -> LearnerBuffers:
    """Return the scratch arrays of a game's learner."""
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

    parts: float  # 1: each part learns its own result; 0: the sum learns the final score
    heuristic: float  # 1: played by the game's heuristic; 0: by the values
    explore: float  # share of random actions
    step_size: float
    decay: float  # lambda
    games: float
    bonus: float  # points for reaching the goal, beside the score
    adaptive: float  # 1: each value's step size is its own; 0: all have ``step_size``


@jit
def coherence(errors: np.ndarray, error: float) -> float:
    """Return the share of the step size of a value, and add an error to its ``errors`` (2,).

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
def make_td_kernel(name: str, teacher: str | None = None) -> Callable[..., None]:
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


class TDRun(StepRun):
    """A run that learns a table of afterstate values by self-play.

    It ends with the first `GAMES_PER_CALL` games that reach ``total`` steps.
    """

    settings: TDSettings

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        self.values, self.room = require_afterstates(self.game), allocate_buffers(self.game)
        self.learner = make_td_kernel(self.game.name, self.settings.pretrain_agent)
        self.bonus = win_bonus_points(self.game.kernels)
        self.total, self.steps = self.settings.total_steps, 0
        self.table = np.zeros(self.values.num_features, np.float32)
        self.seen = np.zeros(self.values.num_features, np.int32)
        size, settings = self.values.num_features, self.settings
        self.errors = np.zeros((size if settings.adaptive else 0, 2), np.float32)
        self.mean, self.averaged = np.zeros(size if settings.average else 0), 0
        self.states = np.zeros(1, self.game.state)
        draws = np.random.default_rng([self.seed, STREAM])
        self.states["rng"] = draws.integers(0, int(TRAINING_SEED_MASK), 1, np.uint64)
        initial = self.initial()
        if saved:
            self.steps = saved.values["steps"]
            self.table, self.seen = saved.arrays["table"], saved.arrays["seen"]
            self._restore_sums(saved)
            self.states = saved.arrays["states"].view(self.game.state)
        elif initial:
            self.table = ValueTableAgent.load(initial, self.game).table.copy()

    def _restore_sums(self, saved: checkpoint.Checkpoint) -> None:
        """Restore the sums of errors and the mean table.

        A sum that the checkpoint lacks starts at 0: ``adaptive`` or ``average`` was switched on
        before resuming.
        """
        errors, mean = saved.arrays["errors"], saved.arrays["mean"]
        if errors.shape == self.errors.shape:
            self.errors = errors
        if mean.shape == self.mean.shape:
            self.mean, self.averaged = mean, saved.values["averaged"]

    def plan(self) -> LearningPlan:
        """Return the schedule of the next games, as floats for the kernel."""
        step_size, games = float(self.settings.step_size), float(GAMES_PER_CALL)
        done, early = self.share_done(), self.settings.pretrain
        if done < early and self.values.num_parts:
            first = done < FIRST_STEPS * early
            explore = 0.3 if first else EXPLORE
            return LearningPlan(1.0, float(first), explore, 0.0, 0.0, games, 0.0, 0.0)
        adaptive = float(self.settings.adaptive)
        if done < early:
            return LearningPlan(0.0, 1.0, EXPLORE, step_size, 1.0, games, self.bonus, adaptive)
        left = (1 - done) / (1 - early) if early < 1 else 0.0
        if self.settings.schedule == "linear":
            step_size *= left
        td_lambda = float(self.settings.td_lambda)
        return LearningPlan(0.0, 0.0, 0.0, step_size, td_lambda, games, self.bonus, adaptive)

    def iterate(self) -> dict[str, float]:
        """Play and learn `GAMES_PER_CALL` games; return what is logged."""
        tally = np.zeros(4, np.int64)
        plan = self.plan()
        self.learner(
            self.states,
            as_record(self.rules),
            self.game.default_weights,
            self.table,
            self.seen,
            self.errors,
            self.room,
            plan,
            tally,
        )
        if not np.isfinite(self.table).all():
            raise ValueError(
                f"step_size={self.settings.step_size}: the values have diverged at step "
                f"{self.steps}; begin again with a smaller one"
            )
        games, steps, score, reached = tally.tolist()
        self.steps += steps
        if self.settings.average and self.share_done() > 1 - self.settings.average:
            self.averaged += 1
            self.mean += (self.table - self.mean) / self.averaged
        means = {"score": score / games, self.game.goal: reached / games}
        logged = {f"play/{fact}": mean for fact, mean in means.items()}
        return logged | {"train/step_size": plan.step_size}

    def agent(self) -> ValueTableAgent:
        """See `Run.agent`."""
        return ValueTableAgent(self.played_table())

    def played_table(self) -> np.ndarray:
        """Return the table that the agent plays by: the mean of the last tables, or the last table.

        A value varies with the luck of the last games; its mean varies less (Polyak and Juditsky,
        "Acceleration of stochastic approximation by averaging", 1992).
        """
        return self.mean.astype(np.float32) if self.averaged else self.table

    def save(self) -> None:
        """See `Run.save`."""
        states = self.states.view(np.uint8)  # records of an .npz file would be pickled
        arrays = {"table": self.table, "seen": self.seen, "states": states}
        arrays |= {"errors": self.errors, "mean": self.mean}
        values = self.checkpoint_values() | {"averaged": self.averaged}
        checkpoint.save_arrays(self.folder, arrays, values)

    def agent_weights(self) -> bytes:
        """See `Run.agent_weights`."""
        return tensor_bytes({VALUE_TABLE_NETWORK: self.played_table()})

    def network_spec(self) -> dict[str, Any]:
        """See `Run.network_spec`."""
        return {
            "name": VALUE_TABLE_NETWORK,
            "encoding": AFTERSTATES,
            "width": self.values.num_features,
            "depth": 0,
            "options": {"version": self.values.version},
        }

    def result(self) -> dict[str, Any]:
        """See `Run.result`."""
        return {"values_learned": int((self.seen > 0).sum())}


METHOD = TDRun
