"""MaskablePPO over a `CardVecEnv`: the same algorithm, with the network and the clock in view.

`CardPolicy` puts a `CardNetwork` where sb3-contrib has its own layers. `CardPPO` collects rollouts
as `MaskablePPO` does, without its loops over infos, and keeps count of where the time goes.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.utils import explained_variance
from torch import Tensor, nn

from parlour.agents.networks.build import CardNetwork, masked_logits

from .sb3 import CardVecEnv

ROLLOUT = ("observations", "action_masks", "actions", "log_probs", "advantages", "returns")
"""What is learned from, by its names in the rollout buffer of sb3-contrib."""
LOGGED = (
    *("entropy_loss", "policy_gradient_loss", "value_loss"),
    *("approx_kl", "clip_fraction", "loss"),
)
"""What is logged of each update, as sb3-contrib names it: means over its minibatches."""
PHASES = ("env", "forward", "distribution", "buffer", "update", "evaluation", "other")


class PhaseTimer:
    """Adds up wall time by phase: what is timed in ``with clock("env"): ...``, in seconds.

    ``so_far`` is the split of an earlier clock to go on from.
    """

    def __init__(self, so_far: Mapping[str, float] | None = None) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0) | dict(so_far or {})
        self.begun = time.perf_counter() - sum(self.seconds.values())

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Count the block under a phase."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] += time.perf_counter() - begun

    def split(self) -> dict[str, float]:
        """Return seconds by phase; ``other`` is what no phase covers."""
        known = {phase: seconds for phase, seconds in self.seconds.items() if phase != "other"}
        return known | {"other": time.perf_counter() - self.begun - sum(known.values())}


def draw_actions(chances: Tensor) -> Tensor:
    """Draw an action for each row of chances (n, actions), by torch's generator: int64 (n,)."""
    return torch.multinomial(chances, 1).squeeze(1)


class CardPolicy(MaskableActorCriticPolicy):
    """A `CardNetwork` as sb3-contrib wants a policy. ``make`` builds the network.

    ``make_critic`` builds another one, whose values are learned in place of its own (`critic`): it
    reads observations to their end, the policy only the part in front, which is the player's own.
    ``draw`` draws actions from their chances, see `draw_actions`.
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

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"make": self.make, "make_critic": self.make_critic}
        return super()._get_constructor_parameters() | own

    def outputs(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """Return unmasked logits (n, actions) and values (n,) of observations (n, ...)."""
        if self.critic is None:
            logits, values = self.network(obs)
        else:
            logits, values = self.network(self.own_part(obs))[0], self.critic(obs)[1]
        return logits, values

    def own_part(self, obs: Tensor) -> Tensor:
        """Return what the player sees of observations, which a critic reads to their end."""
        return obs[:, : self.network.features.size(self.network.encoding)]

    def mask_logits(self, logits: Tensor, masks: Any) -> Tensor:
        """Return logits (n, actions) under masks (n, actions); None: all actions are legal."""
        if masks is None:
            return logits
        marks = torch.as_tensor(masks, device=logits.device).reshape(logits.shape)
        return masked_logits(logits, marks.bool())

    def sample(self, logits: Tensor, deterministic: bool = False) -> tuple[Tensor, Tensor]:
        """Return actions int64 (n,), drawn or the likeliest, and their log probabilities."""
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
        # Not log_probs.exp(): that takes three times as long where a logit is hugely negative.
        return values[:, None], chosen, -(logits.softmax(dim=1) * log_probs).sum(dim=1)

    def get_distribution(  # type: ignore[override]
        self, obs: Tensor, action_masks: Any = None
    ) -> MaskableCategoricalDistribution:
        """Return sb3-contrib's distribution over the legal actions."""
        found = MaskableCategoricalDistribution(int(self.action_space.n))  # type: ignore[attr-defined]
        return found.proba_distribution(self.mask_logits(self.outputs(obs)[0], action_masks))

    def predict_values(self, obs: Tensor) -> Tensor:  # type: ignore[override]
        """Return values (n, 1)."""
        return self.outputs(obs)[1][:, None]


class CardPPO(MaskablePPO):
    """MaskablePPO over a `CardVecEnv` with a `CardPolicy`; ``clock`` says where the time went.

    Rewards are learned times ``reward_scale``.
    """

    clock = PhaseTimer()
    reward_scale = 1.0

    def saved_modules(self) -> dict[str, nn.Module]:
        """Return the modules that a checkpoint holds, by name."""
        return {"policy": self.policy}

    def collect_rollouts(
        self,
        env: Any,
        callback: Any,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Fill the buffer as `MaskablePPO.collect_rollouts` does; always masked."""
        assert isinstance(env, CardVecEnv)
        self.policy.set_training_mode(False)
        with self.clock("buffer"):
            rollout_buffer.reset()
        callback.on_rollout_start()
        with torch.no_grad():
            for _ in range(n_rollout_steps):
                if not self._collect(env, callback, rollout_buffer):
                    return False
            with self.clock("forward"):
                last = self.policy.predict_values(self._tensor(self._last_obs))
            with self.clock("buffer"):
                rollout_buffer.compute_returns_and_advantage(last, self._last_episode_starts)
        callback.on_rollout_end()
        return True

    def _collect(self, env: CardVecEnv, callback: Any, buffer: Any) -> bool:
        policy, clock = self.policy, self.clock
        assert isinstance(policy, CardPolicy)
        with clock("env"):
            masks = env.masks()
        with clock("forward"):
            logits, values = policy.outputs(self._tensor(self._last_obs))
        with clock("distribution"):
            actions, log_probs = policy.sample(policy.mask_logits(logits, masks))
            chosen = actions.cpu().numpy()
        with clock("env"):
            observations, rewards, dones, infos = env.step(chosen)
        self.num_timesteps += env.num_envs
        callback.update_locals(locals())
        if not callback.on_step():
            return False
        assert self.ep_info_buffer is not None
        self.ep_info_buffer.extend(infos[i]["episode"] for i in env.ended.tolist())
        rewards *= self.reward_scale
        rewards += self.gamma * self._truncation_values(env, infos)
        with clock("buffer"):
            buffer.add(
                self._last_obs,
                chosen[:, None],
                rewards,
                self._last_episode_starts,
                values,
                log_probs,
                action_masks=masks,
            )
        self._last_obs = observations  # type: ignore[assignment]
        self._last_episode_starts = dones
        return True

    @torch.no_grad()
    def _truncation_values(self, env: CardVecEnv, infos: list[dict[str, Any]]) -> np.ndarray:
        """Return the value of the last position of each truncated game, 0 in other rows."""
        beyond = np.zeros(env.num_envs, np.float32)
        cut = np.flatnonzero(env.rows.buffers.truncated)
        if len(cut):
            last = np.stack([infos[i]["terminal_observation"] for i in cut])
            beyond[cut] = self.policy.predict_values(self._tensor(last))[:, 0].cpu().numpy()
        return beyond

    def _step(
        self, env: CardVecEnv, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Make one step of every game and count it; return rewards, dones and infos."""
        with self.clock("env"):
            self._last_obs, rewards, dones, infos = env.step(actions)  # type: ignore[assignment]
        self._last_episode_starts = dones
        self.num_timesteps += env.num_envs
        assert self.ep_info_buffer is not None
        self.ep_info_buffer.extend(infos[i]["episode"] for i in env.ended.tolist())
        return rewards, dones, infos

    def _train_minibatches(
        self, n: int, learn: Callable[[Tensor], Sequence[Tensor]], names: Sequence[str]
    ) -> None:
        """Call ``learn`` with minibatches of n samples' numbers; log means of what it returns.

        These are read once at the end: an accelerator need not wait in between.
        """
        with self.clock("update"):
            self.policy.set_training_mode(True)
            self._update_learning_rate(self.policy.optimizer)
            said = []
            for _ in range(self.n_epochs):
                order = torch.randperm(n).to(self.device)  # drawn by the one generator for all
                for part in order.split(self.batch_size):  # type: ignore[no-untyped-call]
                    said.append(torch.stack([one.detach() for one in learn(part)]))
            self._n_updates += self.n_epochs
            for name, mean in zip(names, torch.stack(said).mean(dim=0).tolist(), strict=True):
                self.logger.record(f"train/{name}", mean)

    def _encode(self, codes: Tensor) -> Tensor:
        """Return ``codes`` observations in the encoding of the network."""
        assert isinstance(self.env, CardVecEnv)
        if self.env.encoding == "onehot":
            return torch.from_numpy(self.env.features.onehot(codes.cpu().numpy())).to(self.device)
        return codes

    def _optimizer_step(self, loss: Tensor) -> None:
        """Make one step of the optimiser."""
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()

    def _tensor(self, observations: Any) -> Tensor:
        return torch.as_tensor(observations, device=self.device)

    def train(self) -> None:
        """Update the policy as `MaskablePPO.train` does; the rollout goes to the device once."""
        buffer = self.rollout_buffer
        with self.clock("buffer"):
            parts = [getattr(buffer, name) for name in ROLLOUT]
            arrays = [torch.from_numpy(one.reshape(-1, *one.shape[2:])) for one in parts]
            rollout = [one.to(self.device) for one in (arrays[0], arrays[1].bool(), *arrays[2:])]
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        learn = partial(self._learn_policy, rollout, clip)
        self._train_minibatches(len(rollout[0]), learn, LOGGED)
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/explained_variance", explained)
        self.logger.record("train/clip_range", clip)
        self.logger.record("train/n_updates", self._n_updates)

    def _learn_policy(self, rollout: list[Tensor], clip: float, part: Tensor) -> list[Tensor]:
        """Make one step from a minibatch; return what is logged, as `LOGGED` names it."""
        seen, masks, actions, old, advantages, returns = (array[part] for array in rollout)
        policy = self.policy
        assert isinstance(policy, CardPolicy)
        values, logs, entropies = policy.evaluate_actions(seen, actions.flatten(), masks)
        change = logs - old
        ratio = change.exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        gains = torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip))
        policy_loss, entropy_loss = -gains.mean(), -entropies.mean()
        value_loss = nn.functional.mse_loss(values.flatten(), returns)
        loss = policy_loss + self.ent_coef * entropy_loss + self.vf_coef * value_loss
        self._optimizer_step(loss)
        divergence = (ratio.detach() - 1 - change.detach()).mean()
        clipped = ((ratio.detach() - 1).abs() > clip).float().mean()
        return [entropy_loss, policy_loss, value_loss, divergence, clipped, loss]
