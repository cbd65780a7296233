"""One training seed of a run: rollouts, updates, evaluations and checkpoints in its folder."""

import platform
import time
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import sb3_contrib
import stable_baselines3
import torch
from stable_baselines3.common.logger import Logger

from parlour.agents.learned import LearnedAgent
from parlour.agents.networks import build, network_class
from parlour.envs import Game
from parlour.envs import game as game_named
from parlour.envs.core.batch import How
from parlour.envs.core.deals import bank_seeds

from . import artefact, checkpoint
from .config import Settings, plain
from .evaluate import Results, play_deals
from .files import write_json
from .lookahead import LookaheadPPO, ahead_of
from .ppo import CardPolicy, CardPPO, Clock
from .progress import Bar, Log
from .sb3 import CardVecEnv
from .stats import mean, rate

RESULT, AGENT = "result.json", "agent"
ROWS_APART = 1 << 32
"""Row i of training seed k is seeded with ``k * ROWS_APART + i``: no two runs share its deals."""


def make_env(settings: Settings) -> CardVecEnv:
    """Return the environments of a run."""
    return CardVecEnv(
        game_named(settings.game),
        settings.n_envs,
        settings.variant,
        encoding=network_class(settings.network).encoding,
        reward=settings.reward,
        max_moves=settings.max_moves,
        skip_forced=settings.skip_forced,
        **settings.options,  # type: ignore[arg-type]
    )


def described(settings: Settings) -> dict[str, Any]:
    """Return the network as `networks.build` takes it and artefacts keep it."""
    return {
        "name": settings.network,
        "width": settings.width,
        "depth": settings.depth,
        "options": dict(settings.network_options),
    }


def make_model(settings: Settings, seed: int) -> CardPPO:
    """Return the model of a run with fresh weights, drawn from ``seed``."""
    env, net = make_env(settings), described(settings)
    rate_now = settings.learning_rate
    model = (CardPPO if settings.method == "ppo" else LookaheadPPO)(
        CardPolicy,
        env,
        learning_rate=rate_now if settings.schedule == "constant" else lambda left: rate_now * left,
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs={
            "make": partial(
                build, net["name"], env.game, net["width"], net["depth"], net["options"]
            )
        },
        seed=seed,
        device=settings.device,
    )
    if isinstance(model, LookaheadPPO):
        model.warm_up = int(settings.warm_up * settings.total_steps)
    env.seed(seed * ROWS_APART)
    model.set_logger(Logger(None, []))
    return model


class SeedRun:
    """The run of one training seed in ``folder``, from its last checkpoint where there is one.

    ``total`` is how many steps it takes: those of the settings, rounded up to whole rollouts.
    """

    def __init__(self, settings: Settings, seed: int, folder: Path) -> None:
        torch.set_num_threads(settings.threads)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.settings, self.seed, self.folder = settings, seed, folder
        rollout = settings.n_envs * settings.n_steps
        self.total = -(-settings.total_steps // rollout) * rollout
        folder.mkdir(parents=True, exist_ok=True)
        self.model = make_model(settings, seed)
        assert isinstance(self.model.env, CardVecEnv)
        self.env = self.model.env
        self.history: dict[str, Any] = {"seconds": 0.0, "split": {}, "evaluations": []}
        self.rules = self.env.rules
        found = checkpoint.latest(folder)
        if found:
            checkpoint.restore(self.model, found)
            self.history = found.values["history"]
            self.env.set_rules(self._rules_at(self.steps - rollout))
            if isinstance(self.model, LookaheadPPO):
                self.model.ahead = self.steps - rollout >= self.model.warm_up
        elif settings.initial:
            self._begin_with(Path(settings.initial))
        _, self.callback = self.model._setup_learn(0, reset_num_timesteps=found is None)
        self.log = Log(folder, self.steps)
        self.deals = bank_seeds(validation_bank(settings.game), range(settings.eval_deals))
        self.model.clock = self.clock = Clock(self.history["split"])
        self.begun = time.perf_counter() - self.history["seconds"]

    def _begin_with(self, folder: Path) -> None:
        own = folder / f"seed-{self.seed}" / AGENT
        agent = LearnedAgent.load(own if own.is_dir() else folder, self.env.game)
        network = cast(CardPolicy, self.model.policy).network
        try:
            network.load_state_dict(agent.network.state_dict())
        except RuntimeError as error:
            raise ValueError(f"setting initial={folder}: another network: {error}") from error

    @property
    def steps(self) -> int:
        """Environment steps done so far."""
        return self.model.num_timesteps

    def train(self, bar: Bar, stop: "Stop") -> bool:
        """Train to the end, or until ``stop`` asks; return whether it was the end."""
        while self.steps < self.total:
            before = self.steps
            values = self._iterate()
            ended = self.steps >= self.total
            if ended or self._due(before, self.settings.eval_interval):
                values |= self._evaluate()
            self.log.write(self.steps, values)
            bar.update(self.steps, self._note(), "eval/won" in values)
            if ended or stop.asked or self._due(before, self.settings.checkpoint_interval):
                self._checkpoint()
            if stop.asked and not ended:
                return False
        self._finish()
        return True

    def _due(self, before: int, interval: int) -> bool:
        return interval > 0 and self.steps // interval > before // interval

    def _iterate(self) -> dict[str, float]:
        model, settings = self.model, self.settings
        self._choose_rules()
        left = 1 - self.steps / self.total
        if isinstance(model, LookaheadPPO):
            model.temperature = settings.temperature * max(left, 0.1)
        model.collect_rollouts(self.env, self.callback, model.rollout_buffer, settings.n_steps)
        model._current_progress_remaining = left  # as the rollout began: never 0 or below
        model.ent_coef = settings.entropy_final + left * (settings.entropy - settings.entropy_final)
        model.train()
        values = {name: float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.name_to_value.clear()
        recent = self.env.recent
        if len(recent):
            values |= {
                f"play/{name}": float(recent[name].mean()) for name in recent.dtype.fields or ()
            }
        return values | {"train/entropy_weight": model.ent_coef}

    def _choose_rules(self) -> None:
        """Begin new games where the study has ended, or begun."""
        wanted = self._rules_at(self.steps)
        if self.env.rules != wanted:
            self.env.set_rules(wanted)
            self.model._last_obs = self.env.begin()
            self.model._last_episode_starts = np.ones(self.env.num_envs, np.bool_)

    def _rules_at(self, steps: int) -> Any:
        """Return the rules of the rollout that begins after so many steps."""
        settings = self.settings
        if steps >= settings.study * settings.total_steps:
            return self.rules
        options = {**settings.options, **settings.study_options}
        return self.env.game.rules_of(settings.variant, options)

    def _evaluate(self) -> dict[str, float]:
        agent = LearnedAgent(cast(CardPolicy, self.model.policy).network, how=self._how())
        with self.clock("evaluation"):
            found = play_deals(
                self.env.game,
                self.rules,
                agent,
                self.deals,
                max_moves=self.settings.max_moves,
            )
        said, values = evaluated(self.env.game, found)
        self.history["evaluations"].append({"steps": self.steps} | said)
        return values

    def _how(self) -> How | None:
        """Return how the agent looks ahead, or None while it plays by its policy."""
        ahead = isinstance(self.model, LookaheadPPO) and self.model.ahead
        return ahead_of(self.env.rows.how) if ahead else None

    def _note(self) -> str:
        recent, evaluations = self.env.recent, self.history["evaluations"]
        measure = self.env.game.measure
        now = measured(measure, recent[measure].mean()) if len(recent) else "no game ended yet"
        if not evaluations:
            return now
        return f"{now}, evaluated {measured('', evaluations[-1][measure]['mean'], measure)}"

    def _checkpoint(self) -> None:
        self.log.sync()
        self.history["seconds"] = time.perf_counter() - self.begun
        self.history["split"] = self.clock.split()
        checkpoint.save(self.folder, self.model, self.history)

    def _finish(self) -> None:
        network = cast(CardPolicy, self.model.policy).network
        final = self.history["evaluations"][-1]
        scored = {"bank": validation_bank(self.settings.game), **final}
        settings = plain(self.settings)
        trained = {"seed": self.seed, "settings": settings, "versions": versions()}
        how = self._how()
        artefact.save(
            self.folder / AGENT,
            f"{self.settings.network}-{self.seed}",
            self.env.game,
            self.rules,
            network,
            described(self.settings),
            trained,
            scored,
            how._asdict() if how else None,
        )
        seconds = time.perf_counter() - self.begun
        result = {
            "seed": self.seed,
            "steps": self.steps,
            "seconds": round(seconds, 3),
            "steps_per_second": round(self.steps / seconds, 1),
            "final": final,
            "evaluations": self.history["evaluations"],
            "seconds_by_phase": {name: round(s, 3) for name, s in self.clock.split().items()},
            "weights_sha256": sha256(artefact.weights_bytes(network)).hexdigest(),
        }
        write_json(self.folder / RESULT, result)

    def close(self) -> None:
        """Close the log."""
        self.log.close()


def evaluated(game: Game, found: Results) -> tuple[dict[str, Any], dict[str, float]]:
    """Return goal and score of an evaluation as results keep them, and as the log does."""
    both = {game.goal: rate(found.facts[game.goal]), "score": mean(found.score)}
    said = {fact: one._asdict() for fact, one in both.items()}
    return said, {f"eval/{fact}": one.mean for fact, one in both.items()}


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


def versions() -> dict[str, str]:
    """Return the versions of what results depend on."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "stable_baselines3": stable_baselines3.__version__,
        "sb3_contrib": sb3_contrib.__version__,
    }
