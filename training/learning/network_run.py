"""Runs that learn a network: what their environments, learners, checkpoints and agents share."""

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import get_device

from parlour.agents.networks.build import CardNetwork, build_network, network_class
from parlour.agents.networks.learned import LearnedAgent
from parlour.envs import find_game
from parlour.envs.core.rows import Rows
from parlour.envs.interfaces.arguments import make_rows
from parlour.envs.interfaces.sb3 import CardVecEnv

from . import checkpoint, save_agent
from .critic import WiderVecEnv
from .learner import CardLearner, CardPolicy, PhaseTimer
from .run import StepRun
from .settings.base import LearnerSettings, NetworkSettings

LEAST_LEFT = 1e-6
"""Least share of a run that is left: the time may be up before a rollout begins."""
SEED_STRIDE = 1 << 32
"""Row i of training seed k is seeded with ``k * SEED_STRIDE + i``: no two runs share deals."""
HIGHEST = "highest"

Learner = TypeVar("Learner", bound=CardLearner)


def supported_precision(precision: str, device: str) -> str:
    """Return a precision, or ``HIGHEST`` on a processor that it would slow down.

    Only processors with AMX are faster in bfloat16; others, with AVX512_BF16 as well, are slower.
    """
    on_processor = get_device(device).type == "cpu"
    has_amx = torch.cpu.get_capabilities().get("amx_bf16", False)
    return HIGHEST if on_processor and not has_amx else precision


@contextmanager
def learning_precision(settings: LearnerSettings) -> Iterator[None]:
    """Set the precision of matrix products in the whole process; restore it afterwards.

    bfloat16 has the range of float32 and 8 of its 24 bits. Weights and sums stay float32.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(supported_precision(settings.precision, settings.device))
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def make_env(
    settings: LearnerSettings, make: Callable[..., Rows] = make_rows, rows: int | None = None
) -> CardVecEnv:
    """Return the environments of a run.

    Args:
        settings: the settings of the run.
        make: makes the rows, as `make_rows` does.
        rows: number of environments (None: ``n_envs``).
    """
    keywords = settings.env_keywords()
    env_class = WiderVecEnv if keywords.keys() & {"critic", "base"} else CardVecEnv
    return env_class(
        find_game(settings.game),
        settings.n_envs if rows is None else rows,
        encoding=network_class(settings.network).encoding,
        reward=settings.reward,
        skip_forced=settings.skip_forced,
        make=make,
        **keywords,
    )


def make_learner(
    learner_class: type[Learner],
    settings: NetworkSettings,
    seed: int,
    env: CardVecEnv,
    **keywords: Any,
) -> Learner:
    """Return a learner over environments, with new weights drawn from ``seed``.

    Args:
        learner_class: the learner of a method.
        settings: the settings of the run.
        seed: the training seed.
        env: the environments; if they show a critic more, the learner gets a critic.
        keywords: further arguments of `MaskablePPO`.
    """
    spec = settings.network_spec()
    size = spec["width"], spec["depth"], spec["options"]
    networks = {"make": partial(build_network, spec["name"], env.game, *size)}
    if isinstance(env, WiderVecEnv):
        networks["make_critic"] = partial(build_network, spec["name"], env.wide_game, *size)
    rate = settings.learning_rate
    learner = learner_class(
        CardPolicy,
        env,
        learning_rate=rate if settings.schedule == "constant" else lambda left: rate * left,
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        vf_coef=settings.vf_coef,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs=networks,
        seed=seed,
        device=settings.device,
        **keywords,
    )
    learner.reward_scale = settings.reward_scale
    env.seed(seed * SEED_STRIDE)
    learner.set_logger(Logger(None, []))
    return learner


class LearnerRun(StepRun):
    """A run that learns a network from minibatches.

    ``samples``: the trained agent draws its actions from its policy.
    """

    settings: LearnerSettings
    network: CardNetwork
    samples = False

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        torch.set_num_threads(self.settings.threads)
        round_size = self.settings.n_envs * self.settings.n_steps
        self.total = -(-self.settings.total_steps // round_size) * round_size

    def learning_context(self) -> AbstractContextManager[None]:
        """See `Run.learning_context`."""
        return learning_precision(self.settings)

    def load_initial(self, folder: Path) -> None:
        """Take the weights of a saved agent."""
        agent = LearnedAgent.load(folder, self.game)
        try:
            self.network.load_state_dict(agent.network.state_dict())
        except RuntimeError as error:
            raise ValueError(f"setting initial={folder}: another network: {error}") from error

    def write_agent(self, folder: Path, trained: dict[str, Any], scored: dict[str, Any]) -> bytes:
        """See `Run.write_agent`."""
        save_agent.save(
            folder,
            self.agent_name,
            self.game,
            self.rules,
            self.network,
            self.settings.network_spec(),
            trained,
            scored,
            self.samples,
            self.rules_table.rules[1:],
        )
        return save_agent.weights_bytes(self.network)


class NetworkRun(LearnerRun):
    """A run whose learner collects rollouts and learns from them.

    A method fills in ``make_learner`` and ``set_schedules``. The steps of the settings are rounded
    up to whole rollouts.
    """

    settings: NetworkSettings

    def make_learner(self) -> CardLearner:
        """Return the learner, with new weights drawn from the training seed."""
        raise NotImplementedError

    def set_schedules(self, left: float) -> dict[str, float]:
        """Set what changes during the run, of which a share is left; return it for the log.

        The learning rate is not part of it: Stable-Baselines3 sets that.
        """
        raise NotImplementedError

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        super().prepare(saved)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.model = self.make_learner()
        assert isinstance(self.model.env, CardVecEnv)
        self.env = self.model.env
        initial = self.initial()
        if saved:
            self._restore(saved)
        elif initial:
            self.load_initial(initial)
        _, self.callback = self.model._setup_learn(0, reset_num_timesteps=saved is None)
        self.model.clock = self.clock = PhaseTimer(self.history["split"])

    @property
    def network(self) -> CardNetwork:  # type: ignore[override]
        """The network that is trained."""
        return self.model.network

    @property
    def steps(self) -> int:  # type: ignore[override]
        """Environment steps done so far."""
        return self.model.num_timesteps

    def iterate(self) -> dict[str, float]:
        """Collect a rollout and learn from it; return what is logged."""
        model = self.model
        left = max(1 - self.share_done(), LEAST_LEFT)
        scheduled = self.set_schedules(left)
        self.collect()
        model._current_progress_remaining = left  # that of the start of the rollout: never 0
        model.train()
        values = {name: float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.name_to_value.clear()
        recent = self.env.recent
        if len(recent):
            values |= {
                f"play/{name}": float(recent[name].mean()) for name in recent.dtype.fields or ()
            }
        return values | scheduled

    def collect(self) -> None:
        """Fill the learner's rollout with steps of every game."""
        buffer, n_steps = self.model.rollout_buffer, self.settings.n_steps
        self.model.collect_rollouts(self.env, self.callback, buffer, n_steps)

    def agent(self) -> LearnedAgent:
        """See `Run.agent`."""
        return LearnedAgent(self.network, deterministic=not self.samples)

    def evaluate(self) -> dict[str, float]:
        """See `Run.evaluate`."""
        with self.clock("evaluation"):
            return super().evaluate()

    def save(self) -> None:
        """See `Run.save`."""
        self.history["split"] = self.clock.split()
        model = self.model
        arrays: dict[str, Any] = {f"env.{name}": array for name, array in self.env.state().items()}
        arrays["episode_starts"] = np.asarray(model._last_episode_starts)
        arrays |= checkpoint.tensor_arrays(model.saved_modules(), model.policy.optimizer)
        arrays |= checkpoint.generator_arrays()
        values = {"updates": model._n_updates, "python_random": random.getstate()}
        checkpoint.save_arrays(self.folder, arrays, self.checkpoint_values() | values)

    def _restore(self, saved: checkpoint.Checkpoint) -> None:
        """Put the new learner into the state of a checkpoint that `save` wrote.

        Raises ValueError if the checkpoint is of another network or game.
        """
        model, arrays = self.model, saved.arrays
        checkpoint.set_tensors(model.saved_modules(), model.policy.optimizer, arrays)
        model.num_timesteps = saved.values["steps"]
        model._n_updates = saved.values["updates"]
        model._last_obs = self.env.restore(
            {name[4:]: array for name, array in arrays.items() if name.startswith("env.")}
        )
        model._last_episode_starts = arrays["episode_starts"]
        version, words, gauss = saved.values["python_random"]
        random.setstate((version, tuple(words), gauss))
        checkpoint.set_generators(arrays)
