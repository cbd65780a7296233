"""One training seed of a run that learns a table of afterstate values."""

from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save as tensor_bytes

from parlour.agents.networks.value_table import (
    VALUE_TABLE_NETWORK,
    ValueTableAgent,
    require_afterstates,
)
from parlour.agents.saved import AFTERSTATES
from parlour.envs.core.kernel.cards import TRAINING_SEED_MASK
from parlour.envs.core.options import as_record
from parlour.envs.core.values import win_bonus_points

from . import checkpoint, save_agent
from .run import Run
from .settings import TDSettings
from .td_kernel import LearningPlan, make_learner, make_room

GAMES_PER_CALL = 10_000
"""Games between two looks at the log, the clock and whether to stop."""
FIRST_STEPS = 0.1
"""Share of a pretraining by parts in which the heuristic plays, with a random action in three."""
STREAM = 0x56414C
"""Keeps the numbers drawn here apart from those of other methods with equal seeds."""
EXPLORE = 0.02
"""Share of random actions in the rest of the pretraining."""


class TDRun(Run):
    """A run that learns a table of afterstate values by self-play.

    It ends with the first `GAMES_PER_CALL` games that reach ``total`` steps.
    """

    settings: TDSettings

    def prepare(self, found: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        self.values, self.room = require_afterstates(self.game), make_room(self.game)
        self.learner = make_learner(self.game.name, self.settings.pretrain_agent)
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
        if found:
            self.steps = found.values["steps"]
            self.table, self.seen = found.arrays["table"], found.arrays["seen"]
            self._take_sums(found)
            self.states = found.arrays["states"].view(self.game.state)
        elif initial:
            self.table = ValueTableAgent.load(initial, self.game).table.copy()

    def _take_sums(self, found: checkpoint.Checkpoint) -> None:
        """Go on with what is summed up beside the table, if the checkpoint has it.

        One of an older version has none; nor has one from before the settings that ask for it were
        edited.
        """
        errors, mean = found.arrays.get("errors"), found.arrays.get("mean")
        if errors is not None and errors.shape == self.errors.shape:
            self.errors = errors
        if mean is not None and mean.shape == self.mean.shape:
            self.mean, self.averaged = mean, found.values["averaged"]

    def plan(self) -> LearningPlan:
        """Return how the next games are played and learned from: floats, as the kernel wants."""
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
        """See `Run.iterate`."""
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
        games, steps, score, reached = (int(one) for one in tally)
        self.steps += steps
        if self.settings.average and self.share_done() > 1 - self.settings.average:
            self.averaged += 1
            self.mean += (self.table - self.mean) / self.averaged
        means = {"score": score / games, self.game.goal: reached / games}
        said = {f"play/{fact}": mean for fact, mean in means.items()}
        return said | {"train/step_size": plan.step_size}

    def agent(self) -> ValueTableAgent:
        """See `Run.agent`."""
        return ValueTableAgent(self.played_table())

    def played_table(self) -> np.ndarray:
        """Return the table as it is to be played, float32: the mean of the last ones, or the last.

        Each value goes up and down with the luck of the last games, its mean less so (Polyak and
        Juditsky, "Acceleration of stochastic approximation by averaging", 1992).
        """
        return self.mean.astype(np.float32) if self.averaged else self.table

    def save(self) -> None:
        """See `Run.save`."""
        states = self.states.view(np.uint8)  # records of an .npz file would be pickled
        arrays = {"table": self.table, "seen": self.seen, "states": states}
        arrays |= {"errors": self.errors, "mean": self.mean}
        values = self.checkpoint_values() | {"averaged": self.averaged}
        checkpoint.save_arrays(self.folder, arrays, values)

    def write_agent(self, folder: Path, trained: dict[str, Any], scored: dict[str, Any]) -> bytes:
        """See `Run.write_agent`."""
        weights = tensor_bytes({VALUE_TABLE_NETWORK: self.played_table()})
        described = {
            "name": VALUE_TABLE_NETWORK,
            "encoding": AFTERSTATES,
            "width": self.values.num_features,
            "depth": 0,
            "options": {"version": self.values.version},
        }
        save_agent.save_weights(
            folder, self.agent_name, self.game, self.rules, weights, described, trained, scored
        )
        return weights

    def result(self) -> dict[str, Any]:
        """See `Run.result`."""
        return {"values_learned": int((self.seen > 0).sum())}
