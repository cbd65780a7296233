"""PPO with action masks (MaskablePPO of sb3-contrib) in a batch of environments.

`CardPPO` collects rollouts and learns like `MaskablePPO`, but without its loops over infos, and
with a timer. Several processes, the actors (`..actors`), may collect the rollouts. Between two
rollouts the learner holds the states of all environments, so checkpoints do not depend on the
actors.
"""

from functools import partial
from typing import Any, cast

import numpy as np
import torch
from stable_baselines3.common.utils import explained_variance
from torch import Tensor, nn

from parlour.envs.core.rows import copy_states
from parlour.envs.interfaces.sb3 import CardVecEnv

from .. import checkpoint
from ..actors import CREWS, ROLLOUT, Crew, Job, RolloutPart, split_rows
from ..envs import make_env
from ..network_run import CardLearner, CardPolicy, PolicyRun, make_learner
from ..settings.methods import PPOSettings

LOGGED = (
    *("entropy_loss", "policy_gradient_loss", "value_loss"),
    *("approx_kl", "clip_fraction", "loss"),
)
"""Logged means over the minibatches of an update, named as in sb3-contrib."""


class CardPPO(CardLearner):
    """`MaskablePPO` over a `CardVecEnv` with a `CardPolicy`."""

    def collect_rollouts(self, env: Any, *args: Any, **keywords: Any) -> bool:
        """Fill the rollout buffer like `MaskablePPO.collect_rollouts`, always with masks."""
        buffer = cast(Any, self.rollout_buffer)
        self.policy.set_training_mode(False)
        with self.clock("buffer"):
            buffer.reset()
        with torch.no_grad():
            for _ in range(self.n_steps):
                self._collect_step(env, buffer)
            with self.clock("forward"):
                last = self.policy.predict_values(self._tensor(self._last_obs))
            with self.clock("buffer"):
                buffer.compute_returns_and_advantage(last, self._last_episode_starts)
        return True

    def _collect_step(self, env: CardVecEnv, buffer: Any) -> None:
        """Add one step of every environment to the buffer."""
        policy, clock = cast(CardPolicy, self.policy), self.clock
        observations, starts = self._last_obs, self._last_episode_starts
        with clock("env"):
            masks = env.masks()
        with clock("forward"):
            logits, values = policy.outputs(self._tensor(observations))
        with clock("distribution"):
            drawn, log_probs = policy.sample(policy.mask_logits(logits, masks))
            actions = drawn.cpu().numpy()
        rewards, _ = self._step(env, actions)
        with clock("buffer"):
            buffer.add(
                observations,
                actions[:, None],
                rewards,
                starts,
                values,
                log_probs,
                action_masks=masks,
            )

    def train(self) -> None:
        """Update the policy like `MaskablePPO.train`, moving the rollout to the device once."""
        buffer = self.rollout_buffer
        with self.clock("buffer"):
            arrays = [getattr(buffer, name) for name in ROLLOUT]
            tensors = [torch.from_numpy(array.reshape(-1, *array.shape[2:])) for array in arrays]
            tensors[1] = tensors[1].bool()
            rollout = [tensor.to(self.device) for tensor in tensors]
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        learn = partial(self._learn_minibatch, rollout, clip)
        self._train_minibatches(len(rollout[0]), learn, LOGGED)
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/explained_variance", explained)
        self.logger.record("train/clip_range", clip)
        self.logger.record("train/n_updates", self._n_updates)

    def _learn_minibatch(self, rollout: list[Tensor], clip: float, part: Tensor) -> list[Tensor]:
        """Learn the samples numbered ``part``; return the values of `LOGGED`."""
        observations, masks, actions, old_log_probs, advantages, returns = (
            tensor[part] for tensor in rollout
        )
        values, log_probs, entropies = cast(CardPolicy, self.policy).evaluate_actions(
            observations, actions.flatten(), masks
        )
        change = log_probs - old_log_probs
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


def make_ppo(settings: PPOSettings, seed: int, rows: int | None = None) -> CardPPO:
    """Return the learner of a run, over ``rows`` environments (None: ``n_envs``)."""
    env = make_env(settings, rows=rows)
    return make_learner(
        CardPPO, settings, seed, env, clip_range=settings.clip_range, ent_coef=settings.ent_coef
    )


class PPORun(PolicyRun):
    """A run of MaskablePPO. With 2 or more ``actors``, other processes collect its rollouts."""

    settings: PPOSettings
    crew: Crew | None = None

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        super().prepare(saved)
        if self.settings.actors > 1:
            self.parts = split_rows(self.settings.n_envs, self.settings.actors)
            self.crew = CREWS[self.settings.backend](make_ppo, self.settings, self.parts)

    def make_learner(self) -> CardPPO:
        """See `NetworkRun.make_learner`."""
        return make_ppo(self.settings, self.seed)

    def close(self) -> None:
        """See `Run.close`; also stops the actors."""
        if self.crew is not None:
            self.crew.close()
        super().close()

    def collect(self) -> None:
        """See `NetworkRun.collect`."""
        if self.crew is None:
            return super().collect()
        parts = self.crew.collect(self._list_jobs())
        with self.clock("buffer"):
            self._join(parts)
        for phase, seconds in parts[0].seconds.items():
            self.clock.seconds[phase] += seconds if phase != "other" else 0

    def _list_jobs(self) -> list[Job]:
        """Return the job of each actor."""
        model, env = self.model, self.env
        state = model.policy.state_dict()
        weights = {name: tensor.detach().cpu().numpy() for name, tensor in state.items()}
        generator = torch.get_rng_state().numpy()
        states, starts = copy_states(env.rows.states), np.asarray(model._last_episode_starts)
        jobs = []
        for rows in self.parts:
            part = slice(rows.start, rows.stop)
            games = copy_states(states, part), env.returns[part].copy(), starts[part]
            jobs.append(Job(weights, generator, *games))
        return jobs

    def _join(self, parts: list[RolloutPart]) -> None:
        """Join the parts, and continue as if the learner itself had collected them."""
        model, env, buffer = self.model, self.env, cast(Any, self.model.rollout_buffer)
        buffer.reset()
        for rows, part in zip(self.parts, parts, strict=True):
            for name, array in part.arrays.items():
                getattr(buffer, name)[:, rows.start : rows.stop] = array
        buffer.pos, buffer.full = buffer.buffer_size, True
        steps = np.concatenate([part.ended_in for part in parts])
        games = np.concatenate([part.games for part in parts])
        env.ended_games.add(games[np.argsort(steps, kind="stable")])
        states = np.concatenate([part.states for part in parts])
        returns = np.concatenate([part.returns for part in parts])
        model._last_obs = env.take_over(states, returns)
        model._last_episode_starts = np.concatenate([part.starts for part in parts])
        model.num_timesteps += buffer.buffer_size * env.num_envs
        torch.set_rng_state(torch.from_numpy(parts[0].generator.copy()))


METHOD = PPORun
