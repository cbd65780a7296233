"""One training seed of a run that learns a network: rollouts, updates, checkpoints."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from stable_baselines3.common.logger import Logger

from parlour.agents.networks.build import CardNetwork, build_network, network_class
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.networks.residual import BASE, LIFT_OPTION
from parlour.agents.registry import load_agent
from parlour.envs import find_game
from parlour.envs.core.batch import StepConfig
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import RulesTable, make_table
from parlour.envs.interfaces.arguments import make_rows

from . import checkpoint, save_agent
from .cloning import SOLVER, CloningPPO
from .critic import WiderVecEnv
from .curriculum import Curriculum
from .limits import has_many_rules
from .lookahead import LookaheadPPO, lookahead_config
from .magnet import MagnetPPO
from .ppo import CardPolicy, CardPPO, PhaseTimer
from .pqn import CardPQN
from .rules_of_run import list_rules
from .run import Run
from .sb3 import CardVecEnv
from .settings import (
    CloningSettings,
    CorrectingSettings,
    LearnerSettings,
    LookaheadSettings,
    NetworkSettings,
    PolicySettings,
    PPOSettings,
    PQNSettings,
    SelfplaySettings,
    SoloSettings,
)

CURRICULUM_DEALS = 256
"""Deals that the curriculum draws its positions from, new ones for every rollout."""
MODEL_CLASSES: dict[str, type[CardPPO]] = {
    "lookahead": LookaheadPPO,
    "cloning": CloningPPO,
    "pqn": CardPQN,
    "selfplay": MagnetPPO,
}
"""What learns, where it is not plain `CardPPO`."""
LEAST_LEFT = 1e-6
"""Of a run: time may be up before a rollout begins."""
SEED_STRIDE = 1 << 32
"""Row i of training seed k is seeded with ``k * SEED_STRIDE + i``: no two runs share its deals."""


def make_env(
    settings: LearnerSettings, make: Callable[..., Rows] = make_rows, rows: int | None = None
) -> CardVecEnv:
    """Return the environments of a run, or so many rows of them."""
    keywords: dict[str, Any] = {"variant": settings.variant, **settings.options}
    if has_many_rules(settings):
        keywords = {"variants": list_rules(settings).rules}
    if isinstance(settings, SoloSettings):
        keywords["max_moves"] = settings.max_moves
    kind: type[CardVecEnv] = CardVecEnv
    more = {name: getattr(settings, name, None) for name in ("critic", "base")}
    if more["critic"] not in (None, "own") or more["base"]:
        kind, keywords = WiderVecEnv, keywords | more
    return kind(
        find_game(settings.game),
        settings.n_envs if rows is None else rows,
        encoding=network_class(settings.network).encoding,
        reward=settings.reward,
        skip_forced=settings.skip_forced,
        make=make,
        **keywords,
    )


def described(settings: LearnerSettings) -> dict[str, Any]:
    """Return the network as `networks.build_network` takes it and artefacts keep it."""
    options = dict(settings.network_options)
    if isinstance(settings, PQNSettings) and settings.layer_norm:
        options["layer_norm"] = 1
    if isinstance(settings, CorrectingSettings) and settings.base:
        options |= {BASE: settings.base, LIFT_OPTION: settings.lift}
    return {
        "name": settings.network,
        "width": settings.width,
        "depth": settings.depth,
        "options": options,
    }


def policy_keywords(settings: NetworkSettings) -> dict[str, Any]:
    """Return the keywords of `MaskablePPO` by which policies alone are learned."""
    names = ("clip_range", "ent_coef", "vf_coef") if isinstance(settings, PolicySettings) else ()
    return {name: getattr(settings, name) for name in names}


def make_model(
    settings: NetworkSettings,
    seed: int,
    make: Callable[..., Rows] = make_rows,
    rows: int | None = None,
) -> CardPPO:
    """Return the model of a run, or of so many rows, with fresh weights, drawn from ``seed``."""
    env, net = make_env(settings, make, rows), described(settings)
    size = net["width"], net["depth"]
    networks = {"make": partial(build_network, net["name"], env.game, *size, net["options"])}
    if isinstance(settings, PPOSettings | SelfplaySettings) and settings.critic != "own":
        own = {
            name: value for name, value in net["options"].items() if name not in (BASE, LIFT_OPTION)
        }
        wide_game = cast(WiderVecEnv, env).wide_game
        networks["make_critic"] = partial(build_network, net["name"], wide_game, *size, own)
    rate_now = settings.learning_rate
    model = MODEL_CLASSES.get(settings.method, CardPPO)(
        CardPolicy,
        env,
        learning_rate=rate_now if settings.schedule == "constant" else lambda left: rate_now * left,
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs=networks,
        seed=seed,
        device=settings.device,
        **policy_keywords(settings),
    )
    model.reward_scale = settings.reward_scale
    if isinstance(model, LookaheadPPO) and isinstance(settings, LookaheadSettings):
        model.warm_up = int(settings.warm_up * settings.total_steps)
    if isinstance(model, CloningPPO) and isinstance(settings, CloningSettings):
        model.lessons = int(settings.lessons * settings.total_steps)
        if settings.teacher != SOLVER:
            several = env.table.has_several
            model.teachers = [
                load_agent(settings.teacher, env.game, rules, seed, any_rules=several)
                for rules in env.table.rules
            ]
    if isinstance(model, MagnetPPO) and isinstance(settings, SelfplaySettings):
        model.magnet_coef, model.magnet_rate = settings.magnet_coef, settings.magnet_rate
        model.magnet_interval = settings.magnet_interval
        model.lessons = int(settings.lessons * settings.total_steps)
        if model.lessons:
            model.teacher = load_agent(settings.teacher, env.game, env.rules, seed)
    env.seed(seed * SEED_STRIDE)
    model.set_logger(Logger(None, []))
    return model


class NetworkRun(Run):
    """A run of MaskablePPO, alone or followed by learning to look ahead.

    ``total`` is the steps of the settings, rounded up to whole rollouts. ``samples``: the agent
    draws its actions from its policy.
    """

    settings: NetworkSettings
    samples = False

    def prepare(self, found: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        settings = self.settings
        torch.set_num_threads(settings.threads)
        torch.distributions.Distribution.set_default_validate_args(False)
        rollout = settings.n_envs * settings.n_steps
        self.total = -(-settings.total_steps // rollout) * rollout
        self.model = self._make_model()
        assert isinstance(self.model.env, CardVecEnv)
        self.env = self.model.env
        initial = self.initial()
        if found:
            # By these its games are played: a state is taken by its own rules alone.
            self.env.set_rules(self._rules_at(found.values["steps"] - rollout))
            checkpoint.restore(self.model, found)
            if isinstance(self.model, LookaheadPPO):
                self.model.ahead = self.steps - rollout >= self.model.warm_up
        elif initial:
            self._load_initial(initial)
        _, self.callback = self.model._setup_learn(0, reset_num_timesteps=found is None)
        self.model.clock = self.clock = PhaseTimer(self.history["split"])

    def _make_model(self) -> CardPPO:
        return make_model(self.settings, self.seed)

    def _load_initial(self, folder: Path) -> None:
        agent = LearnedAgent.load(folder, self.game)
        try:
            self.network.load_state_dict(agent.network.state_dict())
        except RuntimeError as error:
            raise ValueError(f"setting initial={folder}: another network: {error}") from error

    @property
    def network(self) -> CardNetwork:
        """The network that is trained."""
        return cast(CardPolicy, self.model.policy).network

    @property
    def steps(self) -> int:  # type: ignore[override]
        """Environment steps done so far."""
        return self.model.num_timesteps

    def iterate(self) -> dict[str, float]:
        """See `Run.iterate`."""
        model = self.model
        self._choose_rules()
        self._choose_starts()
        left = max(1 - self.share_done(), LEAST_LEFT)
        said = self._set_schedules(left)
        self.collect()
        model._current_progress_remaining = left  # as the rollout began: never 0 or below
        model.train()
        values = {name: float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.name_to_value.clear()
        recent = self.env.recent
        if len(recent):
            values |= {
                f"play/{name}": float(recent[name].mean()) for name in recent.dtype.fields or ()
            }
        return values | said

    def collect(self) -> None:
        """Fill the model's rollout with steps of every game."""
        buffer, n_steps = self.model.rollout_buffer, self.settings.n_steps
        self.model.collect_rollouts(self.env, self.callback, buffer, n_steps)

    def _set_schedules(self, left: float) -> dict[str, float]:
        """Set what changes in the course of a run, of which a share is left; return it as logged.

        The step size is not among it: SB3 sets that.
        """
        model, settings = self.model, self.settings
        if isinstance(model, LookaheadPPO) and isinstance(settings, LookaheadSettings):
            model.temperature = settings.temperature * max(left, 0.1)
        if isinstance(model, CardPQN) and isinstance(settings, PQNSettings):
            decayed = min(1.0, (1 - left) / max(settings.epsilon_decay, LEAST_LEFT))
            model.epsilon = settings.epsilon + decayed * (settings.epsilon_final - settings.epsilon)
            return {"train/epsilon": model.epsilon}
        assert isinstance(settings, PolicySettings)
        model.ent_coef = settings.ent_coef_final + left * (
            settings.ent_coef - settings.ent_coef_final
        )
        return {"train/entropy_weight": model.ent_coef}

    def _choose_rules(self) -> None:
        """Begin new games where the study has ended, or begun."""
        wanted = self._rules_at(self.steps)
        if self.env.table.rules != wanted.rules:
            self.env.set_rules(wanted)
            self.model._last_obs = self.env.begin()
            self.model._last_episode_starts = np.ones(self.env.num_envs, np.bool_)

    def _choose_starts(self) -> None:
        """While the curriculum lasts, let games begin on the way to a win; farther from it later.

        Half of its time what is left to play grows to the whole game, then it stays.
        """
        settings = self.settings
        steps = (
            settings.curriculum * settings.total_steps if isinstance(settings, PPOSettings) else 0
        )
        if self.steps >= steps:
            self.env.curriculum = None
            return
        if self.env.curriculum is None:
            self.env.curriculum = Curriculum(self.game, self.rules, CURRICULUM_DEALS)
        rollout = self.steps // (settings.n_envs * settings.n_steps)
        self.env.curriculum.draw(min(1.0, 2 * self.steps / steps + 0.05), self.seed, rollout)
        if self.steps == 0:
            self.env.curriculum.begin(self.env.rows, np.arange(self.env.num_envs))
            self.model._last_obs = self.env.observations()

    def _rules_at(self, steps: int) -> RulesTable:
        """Return the rules of the rollout that begins after so many steps."""
        settings = self.settings
        if steps >= settings.study * settings.total_steps:
            return self.rules_table
        options = {**settings.options, **settings.study_options}
        return make_table(self.game, self.game.make_rules(settings.variant, options))

    def agent(self) -> LearnedAgent:
        """See `Run.agent`."""
        return LearnedAgent(self.network, lookahead_config=self._lookahead_config())

    def evaluate(self) -> dict[str, float]:
        """See `Run.evaluate`."""
        with self.clock("evaluation"):
            return super().evaluate()

    def _lookahead_config(self) -> StepConfig | None:
        """Return how the agent looks ahead, or None while it plays by its policy."""
        ahead = isinstance(self.model, LookaheadPPO) and self.model.ahead
        return lookahead_config(self.env.rows.config) if ahead else None

    def save(self) -> None:
        """See `Run.save`."""
        self.history["split"] = self.clock.split()
        checkpoint.save(self.folder, self.model, self.checkpoint_values())

    def write_agent(self, folder: Path, trained: dict[str, Any], scored: dict[str, Any]) -> bytes:
        """See `Run.write_agent`."""
        lookahead_config = self._lookahead_config()
        save_agent.save(
            folder,
            self.agent_name,
            self.game,
            self.rules,
            self.network,
            described(self.settings),
            trained,
            scored,
            lookahead_config._asdict() if lookahead_config else None,
            self.samples,
            self.rules_table.rules[1:],
        )
        return save_agent.weights_bytes(self.network)
