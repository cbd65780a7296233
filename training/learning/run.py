"""One training seed of a run: the loop of all methods, and what its folder receives."""

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import sb3_contrib
import stable_baselines3
import torch

from parlour.agents.registry import Agent, load_agent
from parlour.agents.validation import one_line
from parlour.envs import Game, find_game
from parlour.envs.core.deals import bank_seeds
from parlour.envs.core.turn import LONGEST_NAME

from ..evaluation.duplicate_play import play_duplicate
from ..evaluation.evaluate import EpisodeResults, play_deals
from ..evaluation.machine import describe_machine
from ..evaluation.report.terminal import as_line, cut_middle
from ..evaluation.stats import bootstrap_mean, wilson_rate
from ..files import seal, write_json
from . import checkpoint
from .precision import learning_precision
from .progress import FILE as LOG_FILE
from .progress import Bar, RunLog
from .rules_of_run import list_rules
from .settings import Settings, SoloSettings, StepSettings
from .settings_files import plain

RESULT_FILE, AGENT = "result.json", "agent"
SETTINGS_FILE = "settings.json"
BASELINES = ("uniform", "greedy")
"""They play the validation deals, too, when a run ends: what a learning curve is seen against."""

Watch = Callable[[dict[str, Any]], None]
"""Called with each evaluation as it is kept; what it raises ends the run."""


class Run:
    """The run of one training seed in ``folder``, from its last checkpoint where there is one.

    A method fills in: ``prepare``, ``steps``, ``total``, ``iterate``, ``agent``, ``save`` and
    ``write_agent``. ``unit`` is what its steps are.
    """

    unit = "steps"
    steps: int
    total: int
    watch: Watch | None = None

    def __init__(self, settings: Settings, seed: int, folder: Path) -> None:
        self.settings, self.seed, self.folder = settings, seed, folder
        self.game: Game = find_game(settings.game)
        self.rules_table = list_rules(settings)
        self.rules = self.rules_table.rules[0]  # of several the first: all are for as many players
        self.history: dict[str, Any] = {"seconds": 0.0, "split": {}, "evaluations": []}
        self.deals = bank_seeds(validation_bank(settings.game), range(settings.eval_deals))
        folder.mkdir(parents=True, exist_ok=True)
        found = checkpoint.latest(folder)
        if found:
            self.history = found.values["history"]
            checkpoint.compare_settings(found, plain(settings), folder.parent / SETTINGS_FILE)
            checkpoint.compare_log(found, folder / LOG_FILE)
        with _fitting(found):
            self.prepare(found)
        self.log = RunLog(folder, self.steps)
        self.begun = time.perf_counter() - self.history["seconds"]

    def prepare(self, found: checkpoint.Checkpoint | None) -> None:
        """Make everything anew, or put it where a checkpoint left off."""
        raise NotImplementedError

    def iterate(self) -> dict[str, float]:
        """Train for a while; return what the log is to say, ``play/won`` and ``play/score`` too."""
        raise NotImplementedError

    def agent(self) -> Agent:
        """Return the agent as it would play now."""
        raise NotImplementedError

    def save(self) -> None:
        """Write a checkpoint, with the history in it."""
        raise NotImplementedError

    def checkpoint_values(self) -> dict[str, Any]:
        """Return the plain values that the checkpoints of all methods hold."""
        return {
            "steps": self.steps,
            "history": self.history,
            checkpoint.SETTINGS: plain(self.settings),
            checkpoint.LOG: self.log.digest()._asdict(),
        }

    def write_agent(self, folder: Path, trained: dict[str, Any], scored: dict[str, Any]) -> bytes:
        """Write the trained agent; return its weights as the file has them."""
        raise NotImplementedError

    @property
    def agent_name(self) -> str:
        """What the trained agent is called: as its run, with the seed where there are several."""
        run = as_line(self.folder.parent.name)
        several = len(self.settings.seeds) > 1
        return cut_middle(f"{run}/{self.folder.name}" if several else run, LONGEST_NAME)

    def result(self) -> dict[str, Any]:
        """Return what else the result is to say."""
        return {}

    def initial(self) -> Path | None:
        """Return the folder of the agent to begin with: of this seed, in a run of several."""
        if not self.settings.initial:
            return None
        folder = Path(self.settings.initial)
        own = folder / f"seed-{self.seed}" / AGENT
        return own if own.is_dir() else folder

    def train(self, bar: Bar, stop: "Stop") -> bool:
        """Train to the end, or until ``stop`` asks; return whether it was the end."""
        ended = self.share_done() >= 1
        while not ended:
            before = self.steps
            with learning_precision(self.settings):
                values = self.iterate()
            ended = self.share_done() >= 1
            evaluates = ended or self.evaluates(before)
            if evaluates:
                values |= self.evaluate()
            self.log.write(self.steps, values)
            bar.update(self.steps, self._note(values), evaluates, self._seconds_left())
            if ended or stop.asked or self.saves(before):
                self.log.sync()
                self.history["seconds"] = time.perf_counter() - self.begun
                self.save()
            if evaluates and self.watch is not None:
                self.watch(self.history["evaluations"][-1])
            if stop.asked and not ended:
                self._leave_agent()
                return False
        if not self.history["evaluations"]:  # none was due: the settings were edited meanwhile
            self.evaluate()
        self._finish()
        return True

    def share_done(self) -> float:
        """Return how much of the run is done, 1 at its end: of its steps, or of its minutes."""
        minutes = self.settings.minutes
        timed = (time.perf_counter() - self.begun) / (60 * minutes) if minutes else 0.0
        return min(1.0, max(self.steps / self.total, timed))

    def _seconds_left(self) -> float | None:
        """How long the run may go on; None where only its steps count."""
        minutes = self.settings.minutes
        return 60 * minutes - (time.perf_counter() - self.begun) if minutes else None

    def evaluates(self, before: int) -> bool:
        """Whether an evaluation is due, ``before`` steps having been done before the last ones.

        Never before the end, for methods that do not count steps.
        """
        settings = self.settings
        return isinstance(settings, StepSettings) and self.passed(before, settings.eval_interval)

    def saves(self, before: int) -> bool:
        """Whether a checkpoint is due: always, for methods that do not count steps."""
        settings = self.settings
        if not isinstance(settings, StepSettings):
            return True
        return self.passed(before, settings.checkpoint_interval)

    def passed(self, before: int, interval: int) -> bool:
        """Whether the last steps passed a multiple of an interval; 0: never."""
        return interval > 0 and self.steps // interval > before // interval

    def evaluate(self) -> dict[str, float]:
        """Let the agent play the validation deals; return the means for the log."""
        said, values = summarise_results(self.game.goal_name(self.rules), self.play_validation())
        self.history["evaluations"].append({"steps": self.steps} | said)
        return values

    def play_validation(self) -> EpisodeResults:
        """Let the agent play the validation deals."""
        return self.play_by(self.agent())

    def play_by(self, agent: Agent) -> EpisodeResults:
        """Let an agent play the validation deals, each by the next of the rules.

        At a table of several: each from every seat, among greedy.
        """
        if self.rules_table.players > 1:
            return self.play_at_tables(agent, [load_agent("greedy", self.game, self.rules)])
        assert isinstance(self.settings, SoloSettings)
        limit, k = self.settings.max_moves, len(self.rules_table.rules)
        key = validation_key(self.seed)
        parts = [
            play_deals(self.game, one, agent, self.deals[i::k], max_moves=limit, key=key)
            for i, one in enumerate(self.rules_table.rules[: len(self.deals)])
        ]
        return parts[0] if k == 1 else interleave(parts, len(self.deals))

    def play_at_tables(self, agent: Agent, field: Sequence[Agent]) -> EpisodeResults:
        """Let an agent play every validation deal from every seat among a field, in turn."""
        key = validation_key(self.seed)
        found = play_duplicate(self.game, self.rules, agent, field, self.deals, key=key)
        nets = found.nets / self.game.reward_unit(self.rules)
        facts = {"won": (found.nets > 0).reshape(-1), "score": nets.mean(axis=1)}
        return EpisodeResults(facts, found.milliseconds)

    def play_baselines(self) -> dict[str, float]:
        """Return what baselines come to on the same deals, by their names: see `Game.measure`."""
        agents = {name: load_agent(name, self.game, self.rules) for name in BASELINES}
        return {
            name: float(self.play_by(agent).facts[self.game.measure].mean())
            for name, agent in agents.items()
        }

    def _note(self, values: dict[str, float]) -> str:
        measure, evaluations = self.game.measure, self.history["evaluations"]
        played = values.get(f"play/{measure}")
        now = "no game ended yet" if played is None else measured(measure, played)
        if not evaluations:
            return now
        return f"{now}, eval {measured('', evaluations[-1][measure]['mean'], measure)}"

    def _leave_agent(self) -> bytes:
        """Write the agent as it is now, with its last evaluation; return its weights."""
        trained = {
            "seed": self.seed,
            "settings": plain(self.settings),
            "versions": versions(),
            "seconds": round(time.perf_counter() - self.begun, 1),
            "machine": describe_machine(),
        }
        final = self.history["evaluations"][-1] if self.history["evaluations"] else {}
        scored = {"bank": validation_bank(self.game.name), **final}
        return self.write_agent(self.folder / AGENT, trained, scored)

    def _finish(self) -> None:
        final = self.history["evaluations"][-1]
        weights = self._leave_agent()
        seconds = time.perf_counter() - self.begun
        result = {
            "seed": self.seed,
            "steps": self.steps,
            "unit": self.unit,
            "seconds": round(seconds, 3),
            "steps_per_second": round(self.steps / seconds, 1),
            "final": final,
            "evaluations": self.history["evaluations"],
            "baselines": self.play_baselines(),
            "seconds_by_phase": {name: round(s, 3) for name, s in self.history["split"].items()},
            "weights_sha256": sha256(weights).hexdigest(),
        }
        checkpoint.drop_old(self.folder)  # one may be left half removed by a death
        write_json(self.folder / RESULT_FILE, seal(result | self.result()))

    def close(self) -> None:
        """Close the log."""
        self.log.close()


@contextmanager
def _fitting(found: checkpoint.Checkpoint | None) -> Iterator[None]:
    """Name the checkpoint, if there is one, in what goes wrong in going on from it."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError) as error:
        if found is None:
            raise
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"{found.folder} does not fit the run's settings: {reason}") from error


def summarise_results(goal: str, found: EpisodeResults) -> tuple[dict[str, Any], dict[str, float]]:
    """Return goal and score of an evaluation as results keep them, and as the log does."""
    both = {goal: wilson_rate(found.facts[goal]), "score": bootstrap_mean(found.score)}
    said = {fact: one._asdict() for fact, one in both.items()}
    return said, {f"eval/{fact}": one.mean for fact, one in both.items()}


def interleave(parts: Sequence[EpisodeResults], n: int) -> EpisodeResults:
    """Return the results of n deals, of which part i is those of deal i and every k-th after it.

    Facts that only some parts have are left out.
    """
    facts = {}
    for name, values in parts[0].facts.items():
        if all(name in part.facts for part in parts):
            facts[name] = np.empty(n, values.dtype)
            for i, part in enumerate(parts):
                facts[name][i :: len(parts)] = part.facts[name]
    decisions = [part.decisions for part in parts]
    seconds = [part.milliseconds * asked for part, asked in zip(parts, decisions, strict=True)]
    return EpisodeResults(facts, sum(seconds) / max(sum(decisions), 1))


def measured(name: str, value: float, measure: str | None = None) -> str:
    """Write what players are compared by: ``"won 34.3%"``, ``"score 124.50"``."""
    number = f"{value:.1%}" if (measure or name) == "won" else f"{value:.2f}"
    return f"{name} {number}".strip()


class Stop:
    """Whether the run was asked to stop, and by which signal."""

    asked: int = 0


def validation_bank(game: str) -> str:
    """Return the name of the bank on which a run evaluates itself: never that of `evaluate`."""
    return f"{game}-validation"


def validation_key(seed: int) -> str:
    """Return the key of a run's own evaluations: fixed, so that a resumed run repeats them."""
    return f"validation of seed {seed}"


def versions() -> dict[str, str]:
    """Return the versions of what results depend on."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "stable_baselines3": stable_baselines3.__version__,
        "sb3_contrib": sb3_contrib.__version__,
    }
