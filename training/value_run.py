"""One training seed of a run that learns a table of afterstate values."""

import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save as tensor_bytes

from parlour.agents.values import TABLE, ValueAgent, values_of
from parlour.envs import game as game_named
from parlour.envs.core.cards import TRAINING_SEEDS
from parlour.envs.core.deals import bank_seeds
from parlour.envs.core.options import compiled

from . import artefact, checkpoint
from .config import Settings, plain
from .evaluate import play_deals
from .files import write_json
from .progress import Bar, Log
from .run import AGENT, RESULT, Stop, evaluated, measured, validation_bank, versions
from .values import Lesson, make_learner, make_room

GAMES = 10_000
"""Games between two looks at the log, the clock and whether to stop."""
FIRST_STEPS = 0.1
"""Share of the warm-up in which the game's heuristic plays, with a random action in three."""
EXPLORE = 0.02
"""Share of random actions in the rest of the warm-up."""


class ValueRun:
    """The run of one training seed in ``folder``, from its last checkpoint where there is one.

    It ends with the first `GAMES` games that reach ``total`` steps.
    """

    def __init__(self, settings: Settings, seed: int, folder: Path) -> None:
        self.settings, self.seed, self.folder = settings, seed, folder
        self.game = game_named(settings.game)
        self.rules = self.game.rules_of(settings.variant, settings.options)
        self.values, self.room = values_of(self.game), make_room(self.game)
        self.learner = make_learner(self.game.name)
        self.weights = np.array(list(self.game.weights.values()))
        self.total, self.steps = settings.total_steps, 0
        self.history: dict[str, Any] = {"seconds": 0.0, "evaluations": []}
        self.table = np.zeros(self.values.size, np.float32)
        self.seen = np.zeros(self.values.size, np.int32)
        self.states = np.zeros(1, self.game.state)
        draws = np.random.default_rng([seed, 0x56414C55])
        self.states["rng"] = draws.integers(0, int(TRAINING_SEEDS), 1, np.uint64)
        folder.mkdir(parents=True, exist_ok=True)
        found = checkpoint.latest(folder)
        if found:
            self.steps, self.history = found.values["steps"], found.values["history"]
            self.table, self.seen = found.arrays["table"], found.arrays["seen"]
            self.states = found.arrays["states"].view(self.game.state)
        elif settings.initial:
            self.table = ValueAgent.load(Path(settings.initial), self.game).table.copy()
        self.log = Log(folder, self.steps)
        self.deals = bank_seeds(validation_bank(settings.game), range(settings.eval_deals))
        self.begun = time.perf_counter() - self.history["seconds"]

    def lesson(self) -> Lesson:
        """Return how the next games are played and learned from."""
        done, warm = self.steps / self.total, self.settings.warm_up
        if done < warm:
            first = done < FIRST_STEPS * warm
            return Lesson(1, float(first), 0.3 if first else EXPLORE, 0, 0, GAMES)
        left = (1 - done) / (1 - warm)
        size = self.settings.step_size * (left if self.settings.schedule == "linear" else 1)
        return Lesson(0, 0, 0, size, self.settings.td_lambda, GAMES)

    def train(self, bar: Bar, stop: Stop) -> bool:
        """Train to the end, or until ``stop`` asks; return whether it was the end."""
        while self.steps < self.total:
            before = self.steps
            said, note = self._learn()
            ended = self.steps >= self.total
            if ended or self._due(before, self.settings.eval_interval):
                said |= self._evaluate()
            self.log.write(self.steps, said)
            bar.update(self.steps, note + self._last(), always=ended)
            if ended or stop.asked or self._due(before, self.settings.checkpoint_interval):
                self._checkpoint()
            if stop.asked and not ended:
                return False
        self._finish()
        return True

    def _due(self, before: int, interval: int) -> bool:
        return interval > 0 and before // interval != self.steps // interval

    def _learn(self) -> tuple[dict[str, float], str]:
        tally = np.zeros(4, np.int64)
        lesson = self.lesson()
        self.learner(
            self.states,
            compiled(self.rules),
            self.weights,
            self.table,
            self.seen,
            self.room,
            np.array(lesson, np.float64),
            tally,
        )
        if not np.isfinite(self.table).all():
            raise ValueError(
                f"step_size={self.settings.step_size}: the values have diverged at step "
                f"{self.steps}; begin again with a smaller one"
            )
        games, steps, score, reached = (int(one) for one in tally)
        self.steps += steps
        means = {"score": score / games, self.game.goal: reached / games}
        said = {f"play/{fact}": mean for fact, mean in means.items()}
        measure = self.game.measure
        return said | {"step_size": lesson.step_size}, measured(measure, means[measure])

    def _last(self) -> str:
        evaluations, measure = self.history["evaluations"], self.game.measure
        if not evaluations:
            return ""
        return f", evaluated {measured('', evaluations[-1][measure]['mean'], measure)}"

    def _evaluate(self) -> dict[str, float]:
        agent = ValueAgent(self.table)
        found = play_deals(
            self.game, self.rules, agent, self.deals, max_moves=self.settings.max_moves
        )
        said, values = evaluated(self.game, found)
        self.history["evaluations"].append({"steps": self.steps} | said)
        return values

    def _checkpoint(self) -> None:
        self.log.sync()
        self.history["seconds"] = time.perf_counter() - self.begun
        states = self.states.view(np.uint8)  # npz without pickle has no records
        arrays = {"table": self.table, "seen": self.seen, "states": states}
        checkpoint.save_arrays(self.folder, arrays, {"steps": self.steps, "history": self.history})

    def _finish(self) -> None:
        final = self.history["evaluations"][-1]
        weights = tensor_bytes({TABLE: self.table})
        options = {"version": self.values.version}
        artefact.save_weights(
            self.folder / AGENT,
            f"values-{self.seed}",
            self.game,
            self.rules,
            weights,
            {
                "name": TABLE,
                "encoding": "afterstates",
                "width": self.values.size,
                "depth": 0,
                "options": options,
            },
            {"seed": self.seed, "settings": plain(self.settings), "versions": versions()},
            {"bank": validation_bank(self.settings.game), **final},
        )
        seconds = time.perf_counter() - self.begun
        result = {
            "seed": self.seed,
            "steps": self.steps,
            "seconds": round(seconds, 3),
            "steps_per_second": round(self.steps / seconds, 1),
            "values_learned": int((self.seen > 0).sum()),
            "final": final,
            "evaluations": self.history["evaluations"],
            "seconds_by_phase": {},
            "weights_sha256": sha256(weights).hexdigest(),
        }
        write_json(self.folder / RESULT, result)

    def close(self) -> None:
        """Close the log."""
        self.log.close()
