"""Shared code of the methods that train a network: policy, learner, precision, timer and run.

`CardPolicy` lets sb3-contrib use a `CardNetwork` as its policy. `CardLearner` is the base class of
learners that collect rollouts and learn from them. `LearnerRun` is a run that trains a network on
minibatches. `NetworkRun` is a `LearnerRun` whose minibatches come from rollouts.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import get_device
from torch import Tensor, nn

from parlour.agents.networks.build import CardNetwork, build_network, masked_logits
from parlour.agents.networks.learned import LearnedAgent
from parlour.envs.interfaces.sb3 import CardVecEnv

from . import checkpoint
from .envs import WiderVecEnv
from .run import StepRun
from .save_agent import weights_bytes
from .settings.base import LearnerSettings, NetworkSettings, PolicySettings

LEAST_LEFT = 1e-6
"""Minimum fraction of a run that remains: the time limit may pass before a rollout begins."""
SEED_STRIDE = 1 << 32
"""The seed of row i with training seed k is ``k * SEED_STRIDE + i``, so no two runs share deals."""
ENV = "env."
"""Prefix of the checkpoint arrays that hold the environments' states."""
HIGHEST = "highest"
"""PyTorch's name for float32 precision."""
PHASES = ("env", "forward", "distribution", "buffer", "update", "evaluation", "other")
"""Phases of a run that `PhaseTimer` measures."""

Learner = TypeVar("Learner", bound="CardLearner")


class PhaseTimer:
    """Wall time by phase, in seconds: ``with clock("env"): ...`` adds to one phase.

    ``earlier`` is the split of an earlier timer, which this timer continues.
    """

    def __init__(self, earlier: Mapping[str, float] | None = None) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0) | dict(earlier or {})
        self.begun = time.perf_counter() - sum(self.seconds.values())

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Add the time of the block to a phase."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] += time.perf_counter() - begun

    def split(self) -> dict[str, float]:
        """Return the seconds of each phase; ``other`` is the time outside all phases."""
        known = {phase: seconds for phase, seconds in self.seconds.items() if phase != "other"}
        return known | {"other": time.perf_counter() - self.begun - sum(known.values())}


def supported_precision(precision: str, device: str) -> str:
    """Return the precision, or ``HIGHEST`` on a CPU that a lower precision would slow down.

    Only CPUs with AMX are faster in bfloat16. Others, including those with AVX512_BF16, are slower.
    """
    on_processor = get_device(device).type == "cpu"
    has_amx = torch.cpu.get_capabilities().get("amx_bf16", False)
    return HIGHEST if on_processor and not has_amx else precision


@contextmanager
def learning_precision(settings: LearnerSettings) -> Iterator[None]:
    """Set the precision of matrix products in the whole process, and restore it afterwards.

    bfloat16 has the range of float32 and 8 of its 24 bits of precision. Weights and sums stay
    float32.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(supported_precision(settings.precision, settings.device))
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def draw_actions(probabilities: Tensor) -> Tensor:
    """Draw an action, int64 (n,), for each row of probabilities (n, actions)."""
    return torch.multinomial(probabilities, 1).squeeze(1)


class CardPolicy(MaskableActorCriticPolicy):
    """A `CardNetwork` in the form of an sb3-contrib policy.

    Args:
        make: builds the network.
        make_critic: builds the critic, a second network whose values replace those of the first
            network. The critic reads whole observations; the policy reads only the player's part at
            their start.

    ``draw`` samples actions from their probabilities, see `draw_actions`.
    """

    def __init__(
        self,
        *args: Any,
        make: Callable[[], CardNetwork],
        make_critic: Callable[[], CardNetwork] | None = None,
        **keywords: Any,
    ) -> None:
        self.make, self.make_critic = make, make_critic
        self.draw = draw_actions
        super().__init__(*args, **keywords)

    def _build(self, lr_schedule: Any) -> None:
        self.network = self.make()
        self.critic = None if self.make_critic is None else self.make_critic()
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),
            fused=True,
            **self.optimizer_kwargs,  # type: ignore[call-arg]
        )

    def outputs(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """Return unmasked logits (n, actions) and values (n,) of observations (n, ...)."""
        if self.critic is not None:
            return self.network(self.own_part(obs))[0], self.critic(obs)[1]
        logits, values = self.network(obs)
        return logits, values

    def own_part(self, obs: Tensor) -> Tensor:
        """Return the player's part of observations, without the pieces for the critic."""
        return obs[:, : self.network.features.size(self.network.encoding)]

    def mask_logits(self, logits: Tensor, masks: Any) -> Tensor:
        """Return logits (n, actions) under masks (n, actions); None allows all actions."""
        if masks is None:
            return logits
        marks = torch.as_tensor(masks, device=logits.device).reshape(logits.shape)
        return masked_logits(logits, marks.bool())

    def sample(self, logits: Tensor, deterministic: bool = False) -> tuple[Tensor, Tensor]:
        """Return actions, int64 (n,), sampled or most likely, and their log probabilities."""
        actions = logits.argmax(dim=1) if deterministic else self.draw(logits.softmax(dim=1))
        return actions, logits.log_softmax(dim=1).gather(1, actions[:, None]).squeeze(1)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions (n,), values (n, 1) and log probabilities (n,)."""
        logits, values = self.outputs(obs)
        actions, log_probs = self.sample(self.mask_logits(logits, action_masks), deterministic)
        return actions, values[:, None], log_probs

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return values (n, 1), log probabilities of the actions and entropies (n,)."""
        logits, values = self.outputs(obs)
        logits = self.mask_logits(logits, action_masks)
        log_probs = logits.log_softmax(dim=1)
        chosen = log_probs.gather(1, actions.long()[:, None]).squeeze(1)
        # log_probs.exp() would take three times as long if a logit is hugely negative.
        return values[:, None], chosen, -(logits.softmax(dim=1) * log_probs).sum(dim=1)

    def get_distribution(  # type: ignore[override]
        self, obs: Tensor, action_masks: Any = None
    ) -> MaskableCategoricalDistribution:
        """Return sb3-contrib's distribution over the legal actions."""
        distribution = MaskableCategoricalDistribution(int(self.action_space.n))  # type: ignore[attr-defined]
        return distribution.proba_distribution(self.mask_logits(self.outputs(obs)[0], action_masks))

    def predict_values(self, obs: Tensor) -> Tensor:  # type: ignore[override]
        """Return values (n, 1)."""
        return self.outputs(obs)[1][:, None]


class CardLearner(MaskablePPO):
    """The learner of a method over a `CardVecEnv`: a `CardPolicy` and its optimizer.

    A method implements ``collect_rollouts(env)``, which plays ``n_steps`` in every environment, and
    ``train``, which learns from them. ``clock`` measures the time of both. Rewards are multiplied
    by ``reward_scale``.
    """

    clock = PhaseTimer()
    reward_scale = 1.0

    @property
    def network(self) -> CardNetwork:
        """The network that is trained."""
        return cast(CardPolicy, self.policy).network

    def saved_modules(self) -> dict[str, nn.Module]:
        """Return the modules that a checkpoint contains, by name."""
        return {"policy": self.policy}

    def collect_rollouts(self, env: Any, *_: Any, **__: Any) -> bool:
        """Play ``n_steps`` in every environment and keep the data for `train`."""
        raise NotImplementedError

    def predict_truncated(self, observations: np.ndarray, masks: np.ndarray) -> Tensor:
        """Return the values (k,) of the last positions of truncated episodes."""
        return self.policy.predict_values(self._tensor(observations))[:, 0]

    def _step(self, env: CardVecEnv, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Make one step in every environment and count it.

        Returns:
            The rewards to learn from, float32 (n,), scaled and with the discounted value of the
            last position added for truncated episodes; and whether each episode ended, bool (n,).
        """
        with self.clock("env"):
            self._last_obs, rewards, dones, infos = env.step(actions)  # type: ignore[assignment]
        self._last_episode_starts = dones
        self.num_timesteps += env.num_envs
        values = self._truncation_values(env, infos)
        return self.reward_scale * rewards + self.gamma * values, dones

    @torch.no_grad()
    def _truncation_values(self, env: CardVecEnv, infos: list[dict[str, Any]]) -> np.ndarray:
        """Return the value of the last position of each truncated episode, 0 in other rows."""
        values = np.zeros(env.num_envs, np.float32)
        truncated = np.flatnonzero(env.rows.buffers.truncated)
        if len(truncated):
            last = np.stack([infos[i]["terminal_observation"] for i in truncated])
            masks = np.stack([infos[i]["terminal_action_mask"] for i in truncated])
            values[truncated] = self.predict_truncated(last, masks).cpu().numpy()
        return values

    def _train_minibatches(
        self, n: int, learn: Callable[[Tensor], Sequence[Tensor]], names: Sequence[str]
    ) -> None:
        """Call ``learn`` with the sample numbers of each minibatch; log the means of its results.

        The losses are read once at the end, so that a GPU does not wait between minibatches.

        Args:
            n: number of samples in the rollout.
            learn: learns a minibatch, int64 (k,), and returns one scalar for each of ``names``.
            names: names of these scalars in the log.
        """
        with self.clock("update"):
            self.policy.set_training_mode(True)
            self._update_learning_rate(self.policy.optimizer)
            losses = []
            for _ in range(self.n_epochs):
                order = torch.randperm(n).to(self.device)  # the same generator draws on all devices
                for part in order.split(self.batch_size):  # type: ignore[no-untyped-call]
                    losses.append(torch.stack([loss.detach() for loss in learn(part)]))
            self._n_updates += self.n_epochs
            for name, mean in zip(names, torch.stack(losses).mean(dim=0).tolist(), strict=True):
                self.logger.record(f"train/{name}", mean)

    def _encode(self, codes: Tensor) -> Tensor:
        """Return ``codes`` observations in the encoding of the network."""
        assert isinstance(self.env, CardVecEnv)
        if self.env.encoding == "onehot":
            return torch.from_numpy(self.env.features.onehot(codes.cpu().numpy())).to(self.device)
        return codes

    def _optimizer_step(self, loss: Tensor) -> None:
        """Make one optimizer step."""
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()

    def _tensor(self, observations: Any) -> Tensor:
        return torch.as_tensor(observations, device=self.device)


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
        env: the environments. The learner gets a critic if they are a `WiderVecEnv` with more
            pieces than the game.
        keywords: further arguments of `MaskablePPO`.
    """
    spec = settings.network_spec()
    size = spec["width"], spec["depth"], spec["options"]
    networks = {"make": partial(build_network, spec["name"], env.game, *size)}
    if isinstance(env, WiderVecEnv) and env.extra:
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
    """A run that trains a network on minibatches."""

    settings: LearnerSettings
    network: CardNetwork

    @classmethod
    def limit_timesteps(cls, settings: LearnerSettings, timesteps: int) -> LearnerSettings:  # type: ignore[override]
        """See `Run.limit_timesteps`; the run has the largest number of whole rollouts."""
        rollout = settings.n_envs * settings.n_steps
        return replace(settings, total_steps=max(timesteps // rollout, 1) * rollout)

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        torch.set_num_threads(self.settings.threads)
        round_size = self.settings.n_envs * self.settings.n_steps
        self.total = -(-self.settings.total_steps // round_size) * round_size

    def learning_context(self) -> AbstractContextManager[None]:
        """See `Run.learning_context`."""
        return learning_precision(self.settings)

    def load_initial(self, folder: Path) -> None:
        """Load the weights of a saved agent, which may lack `CardNetwork.neutral_weights`."""
        agent = LearnedAgent.load(folder, self.game)
        try:
            weights = self.network.neutral_weights() | agent.network.state_dict()
            self.network.load_state_dict(weights)
        except RuntimeError as error:
            raise ValueError(
                f"setting initial must name an agent with the same network, got {folder}: {error}"
            ) from error

    def pack_learning(
        self, env: CardVecEnv, modules: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer
    ) -> dict[str, Any]:
        """Return environments, weights, optimizer and generators as arrays for a checkpoint."""
        arrays: dict[str, Any] = {f"{ENV}{name}": array for name, array in env.state().items()}
        arrays |= checkpoint.tensor_arrays(modules, optimizer)
        return arrays | checkpoint.generator_arrays()

    def restore_learning(
        self,
        arrays: Mapping[str, np.ndarray],
        env: CardVecEnv,
        modules: Mapping[str, nn.Module],
        optimizer: torch.optim.Optimizer,
    ) -> np.ndarray:
        """Restore everything that `pack_learning` packed; return the observations.

        Raises ValueError if the arrays belong to another network or game.
        """
        checkpoint.set_tensors(modules, optimizer, arrays)
        games = {name: array for name, array in arrays.items() if name.startswith(ENV)}
        observations = env.restore({name.removeprefix(ENV): games[name] for name in games})
        checkpoint.set_generators(arrays)
        return observations

    def agent_weights(self) -> bytes:
        """See `Run.agent_weights`."""
        return weights_bytes(self.network)

    def network_spec(self) -> dict[str, Any]:
        """See `Run.network_spec`."""
        return self.settings.network_spec() | {"encoding": self.network.encoding}


class NetworkRun(LearnerRun):
    """A run whose learner collects rollouts and learns from them.

    A method implements ``make_learner`` and ``set_schedules``. The number of timesteps is rounded
    up to whole rollouts.
    """

    settings: NetworkSettings

    def make_learner(self) -> CardLearner:
        """Return the learner, with new weights drawn from the training seed."""
        raise NotImplementedError

    def set_schedules(self, left: float) -> dict[str, float]:
        """Set the coefficients that change during the run, and return them for the log.

        The learning rate is not among them: Stable-Baselines3 sets it.

        Args:
            left: fraction of the run that remains.
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
        self.model._setup_learn(0, reset_num_timesteps=saved is None)
        self.model.clock = self.clock = PhaseTimer(self.history["split"])

    @property
    def network(self) -> CardNetwork:  # type: ignore[override]
        """The network in training."""
        return self.model.network

    @property
    def steps(self) -> int:  # type: ignore[override]
        """Number of timesteps completed so far."""
        return self.model.num_timesteps

    def iterate(self) -> dict[str, float]:
        """Collect a rollout, learn from it, and return the values to log."""
        model = self.model
        left = max(1 - self.share_done(), LEAST_LEFT)
        scheduled = self.set_schedules(left)
        self.collect()
        model._current_progress_remaining = left  # as at the start of the rollout, so never 0
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
        """Fill the rollout buffer with steps of every environment."""
        self.model.collect_rollouts(self.env)

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
        arrays = self.pack_learning(self.env, model.saved_modules(), model.policy.optimizer)
        arrays["episode_starts"] = np.asarray(model._last_episode_starts)
        values = {"updates": model._n_updates, "python_random": random.getstate()}
        checkpoint.save_arrays(self.folder, arrays, self.checkpoint_values() | values)

    def _restore(self, saved: checkpoint.Checkpoint) -> None:
        """Set the new learner to the state of a checkpoint that `save` wrote."""
        model, arrays = self.model, saved.arrays
        model._last_obs = self.restore_learning(
            arrays, self.env, model.saved_modules(), model.policy.optimizer
        )
        model._last_episode_starts = arrays["episode_starts"]
        model.num_timesteps = saved.values["steps"]
        model._n_updates = saved.values["updates"]
        version, words, gauss = saved.values["python_random"]
        random.setstate((version, tuple(words), gauss))


class PolicyRun(NetworkRun):
    """A run with PPO's clipped loss and a linear schedule of the entropy coefficient."""

    settings: PolicySettings

    def set_schedules(self, left: float) -> dict[str, float]:
        """See `NetworkRun.set_schedules`."""
        self.model.ent_coef = self.settings.entropy_coefficient(left)
        return {"train/entropy_weight": self.model.ent_coef}
