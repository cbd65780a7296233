"""The training loop that all methods share, with evaluations, checkpoints and results.

A learning method consists of a settings dataclass and a subclass of `Run`, which trains one seed.
`parlour.training.learning.methods` has one module per method.
"""

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import sb3_contrib
import stable_baselines3
import torch

from parlour.agents.registry import Agent, load_agent
from parlour.agents.validation import join_lines
from parlour.envs import Game, find_game
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.turn import LONGEST_NAME

from ..evaluation.play import EpisodeResults, play_deals, play_duplicate
from ..evaluation.report.terminal import as_line, cut_middle
from ..evaluation.result import describe_machine
from ..evaluation.stats import bootstrap_mean, wilson_rate
from ..files import seal, write_json
from . import checkpoint
from .progress import FILE as LOG_FILE
from .progress import Bar, RunLog
from .save_agent import save_agent
from .settings.base import Settings, StepSettings

RESULT_FILE, AGENT = "result.json", "agent"
SETTINGS_FILE = "settings.json"
BASELINES = ("uniform", "greedy")
"""Agents that play the validation deals at the end of a run, for comparison in its learning curve.
"""

Watch = Callable[[dict[str, Any]], None]
"""A callback that receives each evaluation as a dict; an exception that it raises ends the run."""


class Run:
    """The training of one seed, in ``folder``. It resumes from the last checkpoint, if any.

    A method implements ``prepare``, ``steps``, ``total``, ``iterate``, ``agent``, ``save``,
    ``agent_weights`` and ``network_spec``. A direct subclass of `Run` evaluates only at the end,
    and saves a checkpoint after every iteration; see `StepRun` for intervals.
    """

    settings: Settings
    unit = "steps"
    """The unit of ``steps``, for progress lines and results."""
    samples = False
    """Whether the trained agent samples its actions from its policy."""
    steps: int
    """Number of steps completed so far."""
    total: int
    """Number of steps of the whole run."""
    watch: Watch | None = None
    """Called with each evaluation."""

    def __init__(self, settings: Settings, seed: int, folder: Path) -> None:
        self.settings, self.seed, self.folder = settings, seed, folder
        self.game: Game = find_game(settings.game)
        self.rules_table = settings.list_rules()
        self.rules = self.rules_table.rules[0]  # all sets of rules have the same number of players
        self.history: dict[str, Any] = {"seconds": 0.0, "split": {}, "evaluations": []}
        self.deals = deal_seeds(validation_deal_set(settings.game), range(settings.eval_deals))
        folder.mkdir(parents=True, exist_ok=True)
        saved = checkpoint.latest(folder)
        if saved:
            self.history = saved.values["history"]
            checkpoint.compare_settings(saved, settings.plain(), folder.parent / SETTINGS_FILE)
            checkpoint.compare_log(saved, folder / LOG_FILE)
        with _naming_checkpoint(saved):
            self.prepare(saved)
        self.log = RunLog(folder, self.steps)
        self.begun = time.perf_counter() - self.history["seconds"]

    @classmethod
    def limit_timesteps(cls, settings: Any, timesteps: int) -> Settings:
        """Return settings with which a run ends within a number of timesteps, but not far below."""
        raise NotImplementedError

    @property
    def timesteps(self) -> int:
        """Number of timesteps completed so far, also for methods with another ``unit``."""
        return self.steps

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """Build everything that is trained, and restore the checkpoint if there is one."""
        raise NotImplementedError

    def iterate(self) -> dict[str, float]:
        """Train until the next log line, and return its values, such as ``play/won``."""
        raise NotImplementedError

    def learning_context(self) -> AbstractContextManager[None]:
        """Return the context in which `iterate` runs."""
        return nullcontext()

    def agent(self) -> Agent:
        """Return an agent with the current weights."""
        raise NotImplementedError

    def save(self) -> None:
        """Write a checkpoint that includes ``history``."""
        raise NotImplementedError

    def checkpoint_values(self) -> dict[str, Any]:
        """Return the plain values that the checkpoints of all methods contain."""
        return {
            "steps": self.steps,
            "history": self.history,
            checkpoint.SETTINGS: self.settings.plain(),
            checkpoint.LOG: self.log.digest()._asdict(),
        }

    def agent_weights(self) -> bytes:
        """Return the weights of the trained agent as the bytes of a safetensors file."""
        raise NotImplementedError

    def network_spec(self) -> dict[str, Any]:
        """Return the description of the weights that `saved.SavedAgent` takes."""
        raise NotImplementedError

    def training_facts(self) -> dict[str, Any]:
        """Return a description of the training for the agent's file; methods may extend it."""
        return {
            "seed": self.seed,
            "settings": self.settings.plain(),
            "versions": versions(),
            "seconds": round(time.perf_counter() - self.begun, 1),
            "machine": describe_machine(),
            "unit": self.unit,
            "timesteps": self.timesteps,
        }

    @property
    def agent_name(self) -> str:
        """The name of the trained agent: the run's name, plus the seed if there are several."""
        run = as_line(self.folder.parent.name)
        several = len(self.settings.seeds) > 1
        return cut_middle(f"{run}/{self.folder.name}" if several else run, LONGEST_NAME)

    def result(self) -> dict[str, Any]:
        """Return additional values for ``result.json``."""
        return {}

    def initial(self) -> Path | None:
        """Return the folder of the agent to start from; if it is a run, this seed's agent."""
        if not self.settings.initial:
            return None
        folder = Path(self.settings.initial)
        agent_of_seed = folder / f"seed-{self.seed}" / AGENT
        return agent_of_seed if agent_of_seed.is_dir() else folder

    def train(self, bar: Bar, stop: "Stop") -> bool:
        """Train to the end, or until ``stop`` is set; return whether the run is complete."""
        ended = self.share_done() >= 1
        while not ended:
            before = self.steps
            with self.learning_context():
                values = self.iterate()
            ended = self.share_done() >= 1
            evaluates = ended or self.is_evaluation_due(before)
            if evaluates:
                values |= self.evaluate()
            self.log.write(self.steps, values)
            bar.update(self.steps, self._note(values), evaluates, self._seconds_left())
            if ended or stop.asked or self.is_checkpoint_due(before):
                self.log.sync()
                self.history["seconds"] = time.perf_counter() - self.begun
                self.save()
            if evaluates and self.watch is not None:
                self.watch(self.history["evaluations"][-1])
            if stop.asked and not ended:
                self._leave_agent()
                return False
        if not self.history["evaluations"]:  # the settings were edited before resuming
            self.evaluate()
        self._finish()
        return True

    def share_done(self) -> float:
        """Return the completed fraction of the run, by steps or by minutes, whichever is larger."""
        minutes = self.settings.minutes
        timed = (time.perf_counter() - self.begun) / (60 * minutes) if minutes else 0.0
        return min(1.0, max(self.steps / self.total, timed))

    def _seconds_left(self) -> float | None:
        """Return the seconds until the time limit; None if there is no limit."""
        minutes = self.settings.minutes
        return 60 * minutes - (time.perf_counter() - self.begun) if minutes else None

    def is_evaluation_due(self, before: int) -> bool:
        """Return whether to evaluate now; the last iteration started at step ``before``."""
        return False

    def is_checkpoint_due(self, before: int) -> bool:
        """Return whether to save now; the last iteration started at step ``before``."""
        return True

    def evaluate(self) -> dict[str, float]:
        """Let the current agent play the validation deals, and return the means for the log."""
        goal = self.game.goal_name(self.rules)
        summary, values = summarise_results(goal, self.play_by(self.agent()))
        self.history["evaluations"].append({"steps": self.steps} | summary)
        return values

    def play_by(self, agent: Agent) -> EpisodeResults:
        """Let an agent play the validation deals, and return the results.

        A run with several sets of rules distributes the deals over them in turn. In a game for
        several players, the agent plays each deal from every seat, with greedy as its opponents.
        """
        if self.rules_table.players > 1:
            return self.play_at_tables(agent, [load_agent("greedy", self.game, self.rules)])
        limit = self.settings.env_keywords()["max_moves"]
        k = len(self.rules_table.rules)
        key = validation_key(self.seed)
        parts = [
            play_deals(
                self.game, rules, agent, self.deals[i::k], max_moves=limit, evaluation_seed=key
            )
            for i, rules in enumerate(self.rules_table.rules[: len(self.deals)])
        ]
        return parts[0] if k == 1 else interleave(parts, len(self.deals))

    def play_at_tables(self, agent: Agent, opponents: Sequence[Agent]) -> EpisodeResults:
        """Let an agent play every validation deal from every seat against the opponents in turn."""
        key = validation_key(self.seed)
        results = play_duplicate(
            self.game, self.rules, agent, opponents, self.deals, evaluation_seed=key
        )
        nets = results.nets / self.game.reward_unit(self.rules)
        facts = {"won": (results.nets > 0).reshape(-1), "score": nets.mean(axis=1)}
        return EpisodeResults(facts, results.milliseconds)

    def play_baselines(self) -> dict[str, float]:
        """Return the mean of `Game.measure` of each baseline on the validation deals, by name."""
        agents = {name: load_agent(name, self.game, self.rules) for name in BASELINES}
        return {
            name: float(self.play_by(agent).facts[self.game.measure].mean())
            for name, agent in agents.items()
        }

    def _note(self, values: dict[str, float]) -> str:
        """Return the text at the end of a progress line."""
        measure, evaluations = self.game.measure, self.history["evaluations"]
        note = "no finished game yet"
        if f"play/{measure}" in values:
            note = f"{measure} {format_measure(measure, values[f'play/{measure}'])}"
        if evaluations:
            note += f", eval {format_measure(measure, evaluations[-1][measure]['mean'])}"
        return note

    def _leave_agent(self) -> bytes:
        """Save the current agent with its last evaluation; return its weights."""
        weights = self.agent_weights()
        final = self.history["evaluations"][-1] if self.history["evaluations"] else {}
        save_agent(
            self.folder / AGENT,
            self.agent_name,
            self.rules_table,
            weights,
            self.network_spec(),
            self.training_facts(),
            {"deal_set": validation_deal_set(self.game.name), **final},
            self.samples,
        )
        return weights

    def _finish(self) -> None:
        final = self.history["evaluations"][-1]
        weights = self._leave_agent()
        seconds = time.perf_counter() - self.begun
        result = {
            "seed": self.seed,
            "steps": self.steps,
            "unit": self.unit,
            "timesteps": self.timesteps,
            "seconds": round(seconds, 3),
            "steps_per_second": round(self.steps / seconds, 1),
            "final": final,
            "evaluations": self.history["evaluations"],
            "baselines": self.play_baselines(),
            "seconds_by_phase": {name: round(s, 3) for name, s in self.history["split"].items()},
            "weights_sha256": sha256(weights).hexdigest(),
        }
        checkpoint.drop_old(self.folder)  # a killed process may have left one half removed
        write_json(self.folder / RESULT_FILE, seal(result | self.result()))

    def close(self) -> None:
        """Close the log."""
        self.log.close()


class StepRun(Run):
    """A run that counts timesteps, and evaluates and saves checkpoints at intervals of them."""

    settings: StepSettings

    @classmethod
    def limit_timesteps(cls, settings: StepSettings, timesteps: int) -> StepSettings:
        """See `Run.limit_timesteps`."""
        return replace(settings, total_steps=timesteps)

    def is_evaluation_due(self, before: int) -> bool:
        """See `Run.is_evaluation_due`."""
        return self._passed(before, self.settings.eval_interval)

    def is_checkpoint_due(self, before: int) -> bool:
        """See `Run.is_checkpoint_due`."""
        return self._passed(before, self.settings.checkpoint_interval)

    def _passed(self, before: int, interval: int) -> bool:
        """Return whether the last iteration passed a multiple of ``interval`` (0: never)."""
        return interval > 0 and self.steps // interval > before // interval


@contextmanager
def _naming_checkpoint(saved: checkpoint.Checkpoint | None) -> Iterator[None]:
    """Turn errors of resuming into a ValueError that names the checkpoint, if there is one."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError) as error:
        if saved is None:
            raise
        reason = f"{type(error).__name__}: {join_lines(error)}"
        raise ValueError(f"{saved.folder} does not match the run's settings: {reason}") from error


def summarise_results(
    goal: str, results: EpisodeResults
) -> tuple[dict[str, Any], dict[str, float]]:
    """Return goal and score of an evaluation in two forms: for the results, and for the log."""
    estimates = {goal: wilson_rate(results.facts[goal]), "score": bootstrap_mean(results.score)}
    summary = {fact: estimate._asdict() for fact, estimate in estimates.items()}
    return summary, {f"eval/{fact}": estimate.mean for fact, estimate in estimates.items()}


def interleave(parts: Sequence[EpisodeResults], n: int) -> EpisodeResults:
    """Return the results of n deals from k parts; part i has deal i and every k-th deal after it.

    Measures that only some parts have are left out.
    """
    facts = {}
    for name, values in parts[0].facts.items():
        if all(name in part.facts for part in parts):
            facts[name] = np.empty(n, values.dtype)
            for i, part in enumerate(parts):
                facts[name][i :: len(parts)] = part.facts[name]
    decisions = sum(part.decisions for part in parts)
    milliseconds = sum(part.milliseconds * part.decisions for part in parts)
    return EpisodeResults(facts, milliseconds / max(decisions, 1))


def format_measure(measure: str, value: float) -> str:
    """Return a value of a game's measure as text: ``"34.3%"`` for won, ``"124.50"`` for score."""
    return f"{value:.1%}" if measure == "won" else f"{value:.2f}"


class Stop:
    """A request to stop the run: ``asked`` is the number of the signal, or 0."""

    asked: int = 0


def validation_deal_set(game: str) -> str:
    """Return the name of the deal set for evaluations during training.

    `evaluate` never uses this deal set.
    """
    return f"{game}-validation"


def validation_key(seed: int) -> str:
    """Return the evaluation seed of a run. It is fixed, so a resumed run repeats the same draws."""
    return f"validation of seed {seed}"


def versions() -> dict[str, str]:
    """Return the versions of the libraries that results depend on."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "stable_baselines3": stable_baselines3.__version__,
        "sb3_contrib": sb3_contrib.__version__,
    }
