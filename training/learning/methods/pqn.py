"""PQN: Q-learning in parallel environments, without a replay buffer or a target network.

Gallici and others, "Simplifying deep temporal difference learning" (ICLR 2025). Every environment
takes the action with the highest value or, with probability ``epsilon``, a random legal action. The
targets of the values are lambda-returns, which bootstrap from the network's own values at the end
of the rollout. Maxima are over legal actions only, and hidden layers are normalized.

The network's logits are the action values. Its value output learns the same returns, for use in
search.
"""

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.networks.build import masked_logits
from parlour.envs.interfaces.sb3 import CardVecEnv

from ..envs import make_env
from ..network_run import LEAST_LEFT, CardLearner, NetworkRun, make_learner
from ..settings.methods import PQNSettings


def lambda_returns(
    rewards: np.ndarray, dones: np.ndarray, values: np.ndarray, gamma: float, trace: float
) -> np.ndarray:
    """Return the targets of TD(lambda), (steps, n).

    Args:
        rewards: reward of each step, (steps, n).
        dones: whether the episode ended with the step, (steps, n).
        values: value of the position after each step, (steps, n).
        gamma: discount factor.
        trace: lambda.
    """
    targets = np.empty_like(rewards)
    target = values[-1]
    last = len(rewards) - 1
    for t in reversed(range(len(rewards))):
        following = values[t] if t == last else (1 - trace) * values[t] + trace * target
        target = rewards[t] + gamma * np.where(dones[t], 0, following)
        targets[t] = target
    return targets


class CardPQN(CardLearner):
    """PQN over a `CardVecEnv`; ``epsilon`` is the probability of a random action."""

    epsilon = 1.0

    def collect_rollouts(self, env: Any, *_: Any, **__: Any) -> bool:
        """Fill the rollout with steps of every environment and their returns."""
        self.policy.set_training_mode(False)
        with torch.no_grad():
            steps = [self._collect_step(env) for _ in range(self.n_steps)]
            with self.clock("forward"):
                last = self._action_values(self._last_obs, env.masks()).amax(dim=1).cpu().numpy()
        with self.clock("buffer"):
            observations, actions, rewards, dones, values = (
                np.stack(part) for part in zip(*steps, strict=True)
            )
            after = np.concatenate([values[1:], last[None]])
            returns = lambda_returns(rewards, dones, after, self.gamma, self.gae_lambda)
            parts = [part.reshape(-1, *part.shape[2:]) for part in (observations, actions, returns)]
            self.rollout = [torch.from_numpy(part).to(self.device) for part in parts]
        return True

    def _action_values(self, observations: Any, masks: np.ndarray) -> Tensor:
        """Return action values (n, actions), with those of illegal actions far below all others."""
        return masked_logits(self.network(self._tensor(observations))[0], self._tensor(masks))

    def predict_truncated(self, observations: np.ndarray, masks: np.ndarray) -> Tensor:
        """See `CardLearner.predict_truncated`; the value is that of the best legal action."""
        return self._action_values(observations, masks).amax(dim=1)

    def _collect_step(self, env: CardVecEnv) -> tuple[np.ndarray, ...]:
        """Make one step of every environment; return the data to learn from, arrays (n, ...)."""
        observations = cast(np.ndarray, self._last_obs)
        with self.clock("env"):
            masks = env.masks()
        with self.clock("forward"):
            values, best = self._action_values(observations, masks).max(dim=1)
        with self.clock("distribution"):
            actions = self._explore(best, self._tensor(masks)).cpu().numpy()
        rewards, dones = self._step(env, actions)
        return observations, actions, rewards, dones, values.cpu().numpy()

    def _explore(self, best: Tensor, masks: Tensor) -> Tensor:
        """Return actions, int64 (n,), with some replaced by random legal actions."""
        drawn = torch.multinomial(masks.float(), 1).squeeze(1)
        explores = torch.rand(len(best), device=best.device) < self.epsilon
        return torch.where(explores, drawn, best)

    def train(self) -> None:
        """Learn from the rollout."""
        self._train_minibatches(len(self.rollout[0]), self._learn_minibatch, ["value_loss"])

    def _learn_minibatch(self, part: Tensor) -> list[Tensor]:
        observations, actions, returns = (array[part] for array in self.rollout)
        action_values, values = self.network(observations)
        chosen = action_values.gather(1, actions[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(chosen, returns)
        self._optimizer_step(loss + self.vf_coef * nn.functional.mse_loss(values, returns))
        return [loss]


class PQNRun(NetworkRun):
    """A run of PQN."""

    settings: PQNSettings
    model: CardPQN

    def make_learner(self) -> CardPQN:
        """See `NetworkRun.make_learner`."""
        return make_learner(CardPQN, self.settings, self.seed, make_env(self.settings))

    def set_schedules(self, left: float) -> dict[str, float]:
        """See `NetworkRun.set_schedules`."""
        settings = self.settings
        decayed = min(1.0, (1 - left) / max(settings.epsilon_decay, LEAST_LEFT))
        change = decayed * (settings.epsilon_final - settings.epsilon)
        self.model.epsilon = settings.epsilon + change
        return {"train/epsilon": self.model.epsilon}


METHOD = PQNRun
