"""TD(lambda): a table of afterstate values, learned from self-play without a network.

A compiled loop plays a game with the current values and learns from it when it is over. Training
has two phases:

- Pretraining, for the fraction ``pretrain`` of the run. Each part of a position (in Poker Squares,
  a line) learns its mean final result (Monte Carlo). A game without such parts learns from the play
  of its heuristic, or of another rule-based agent.
- TD(lambda), for the rest of the run. The sum of all values learns the final score, backwards from
  the last move, and each update uses the current values. Updates that are computed first and added
  afterwards diverge if positions share features.

Each value may have its own step size, by temporal coherence. This helps in card games, whose
results are mostly luck, and with tables in which some entries occur in every game and others
rarely. Jaskowski, "Mastering 2048 with delayed temporal coherence learning...", 2018, does the
same.
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
"""Number of games between log lines."""
FIRST_STEPS = 0.1
"""Fraction of pretraining by parts in which the heuristic plays, with a random action in three."""
STREAM = 0x56414C
"""Separates the random numbers drawn here from those of other methods with the same seed."""
EXPLORE = 0.02
"""Probability of a random action in the rest of pretraining."""
MOST_DECISIONS = 512
"""Maximum number of decisions of a game to learn from; later ones are only played."""
MEAN_WINDOW = 2000
"""Number of recent outcomes that a Monte Carlo value averages, approximately."""
CHANCE_STEPS = 1_000_000
"""Resolution of the probability of random actions."""


class LearnerBuffers(NamedTuple):
    """Scratch arrays of one game of self-play, reused from game to game."""

    ids: np.ndarray  # int32 (MOST_DECISIONS + 1, most): features of each afterstate; last: spare
    counts: np.ndarray  # int64 (MOST_DECISIONS,): number of these features
    scored: np.ndarray  # int64 (MOST_DECISIONS,): the score after the decision
    scores: np.ndarray  # float64 (1, actions): the score of each action
    points: np.ndarray  # float64 (most,): the result of each part


def allocate_buffers(game: Game) -> LearnerBuffers:
    """Return the scratch arrays for a game."""
    most = require_afterstates(game).max_active
    return LearnerBuffers(
        np.zeros((MOST_DECISIONS + 1, most), np.int32),
        np.zeros(MOST_DECISIONS, np.int64),
        np.zeros(MOST_DECISIONS, np.int64),
        np.zeros((1, game.actions)),
        np.zeros(most),
    )


class LearningPlan(NamedTuple):
    """How a batch of games is played and learned from."""

    parts: float  # 1: each part learns its own result; 0: the sum learns the final score
    heuristic: float  # 1: the heuristic plays; 0: the values play
    explore: float  # probability of a random action
    step_size: float
    decay: float  # lambda
    games: float
    bonus: float  # points for reaching the goal, in addition to the score
    adaptive: float  # 1: each value has its own step size; 0: all have ``step_size``


@jit
def coherence(errors: np.ndarray, error: float) -> float:
    """Return the step size factor of a value, and add an error to its ``errors`` (2,).

    The factor is |sum of errors| / sum of |errors| (Beal and Smith, "Temporal coherence and
    prediction decay in TD learning", 1999): near 1 while all errors have the same sign, and small
    once they are noise.
    """
    size = errors[1]
    share = abs(errors[0]) / size if size > 0.0 else 1.0
    errors[0] += error
    errors[1] = size + abs(error)
    return share


@cache
def make_td_kernel(name: str, teacher: str | None = None) -> Callable[..., None]:
    """Build ``learn(states, rules, weights, table, seen, errors, room, plan, tally)`` for a game.

    Args:
        name: name of the game.
        teacher: name of a rule-based agent that plays in place of the heuristic (None: the
            heuristic).

    Returns:
        A compiled function that plays and learns games. Its arguments are: ``states``, one row,
        whose generator deals; ``rules``, as `options.as_record` returns them; ``weights`` of the
        heuristic or of the rule-based agent ``teacher``; ``table``, float32 (size,), which it
        updates; ``seen``, int32 (size,), the number of updates of each value, which it increments;
        ``errors``, float32 (size, 2), the sums of the errors and of the absolute errors of each
        value, used only by an adaptive plan and otherwise possibly empty; ``room``, the
        `LearnerBuffers`; ``plan``, a `LearningPlan`; and ``tally``, int64 (4,), to which it adds
        the numbers of games, steps, points and goals reached.
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

    The last batch of games is smaller, so that the run ends within a few games of ``total`` steps.
    """

    settings: TDSettings

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        self.values, self.room = require_afterstates(self.game), allocate_buffers(self.game)
        self.learner = make_td_kernel(self.game.name, self.settings.pretrain_agent)
        self.bonus = win_bonus_points(self.game.kernels)
        self.total, self.steps, self.games = self.settings.total_steps, 0, 0
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
            self.steps, self.games = saved.values["steps"], saved.values["games"]
            self.table, self.seen = saved.arrays["table"], saved.arrays["seen"]
            self._restore_sums(saved)
            self.states = saved.arrays["states"].view(self.game.state)
        elif initial:
            self.table = ValueTableAgent.load(initial, self.game).table.copy()

    def _restore_sums(self, saved: checkpoint.Checkpoint) -> None:
        """Restore the sums of errors and the mean table.

        If the checkpoint lacks one of them, it starts at 0: ``adaptive`` or ``average`` was
        switched on before resuming.
        """
        errors, mean = saved.arrays["errors"], saved.arrays["mean"]
        if errors.shape == self.errors.shape:
            self.errors = errors
        if mean.shape == self.mean.shape:
            self.mean, self.averaged = mean, saved.values["averaged"]

    def plan(self) -> LearningPlan:
        """Return the plan for the next games, with floats for the kernel."""
        step_size, games = float(self.settings.step_size), float(self._count_games())
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

    def _count_games(self) -> int:
        """Return the number of games of the next batch, which should not pass the total."""
        length = self.steps / self.games if self.games else MOST_DECISIONS
        return int(min(GAMES_PER_CALL, max((self.total - self.steps) / length, 1)))

    def iterate(self) -> dict[str, float]:
        """Play and learn a batch of games, and return the values to log."""
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
                f"the values have diverged at step {self.steps} with "
                f"step_size={self.settings.step_size}. Start a new run with a smaller step_size"
            )
        games, steps, score, reached = tally.tolist()
        self.steps += steps
        self.games += games
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
        """Return the table that the agent uses: the mean of the last tables, or the last table.

        Each value fluctuates with the luck of the last games; the mean fluctuates less (Polyak and
        Juditsky, "Acceleration of stochastic approximation by averaging", 1992).
        """
        return self.mean.astype(np.float32) if self.averaged else self.table

    def save(self) -> None:
        """See `Run.save`."""
        states = self.states.view(np.uint8)  # an .npz file would pickle records
        arrays = {"table": self.table, "seen": self.seen, "states": states}
        arrays |= {"errors": self.errors, "mean": self.mean}
        values = self.checkpoint_values() | {"averaged": self.averaged, "games": self.games}
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
