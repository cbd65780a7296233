"""Q-learning in parallel games: no replay, no target network, lambda-returns, layers normalised.

Gallici and others, "Simplifying deep temporal difference learning" (ICLR 2025). Every game of the
batch plays the action that is worth most, or, with chance ``epsilon``, any legal one; the values of
actions then learn what the games came to, with the network's own values at the end of the rollout.
Maxima are over legal actions alone.

The network's logits are the values of actions. Its value output learns the same returns, for use in
search.
"""

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.networks.build import CardNetwork, masked_logits

from .lookahead import lambda_returns
from .ppo import CardPolicy, CardPPO
from .sb3 import CardVecEnv


class CardPQN(CardPPO):
    """PQN over a `CardVecEnv` with a `CardPolicy`; ``epsilon`` is the share of random actions."""

    epsilon = 1.0

    @property
    def network(self) -> CardNetwork:
        """The network that is trained."""
        return cast(CardPolicy, self.policy).network

    def collect_rollouts(self, env: Any, *_: Any, **__: Any) -> bool:
        """Fill the rollout with steps of every game and what each of them came to."""
        self.policy.set_training_mode(False)
        with torch.no_grad():
            steps = [self._play(env) for _ in range(self.n_steps)]
            with self.clock("forward"):
                last = self._action_values(self._last_obs, env.masks()).amax(dim=1).cpu().numpy()
        with self.clock("buffer"):
            seen, actions, rewards, dones, values = (
                np.stack(part) for part in zip(*steps, strict=True)
            )
            after = np.concatenate([values[1:], last[None]])
            returns = lambda_returns(rewards, dones, after, self.gamma, self.gae_lambda)
            parts = [part.reshape(-1, *part.shape[2:]) for part in (seen, actions, returns)]
            self.rollout = [torch.from_numpy(part).to(self.device) for part in parts]
        return True

    def _action_values(self, observations: Any, masks: np.ndarray) -> Tensor:
        """Return the values of actions (n, actions), of illegal ones far below all others."""
        return masked_logits(self.network(self._tensor(observations))[0], self._tensor(masks))

    def _play(self, env: CardVecEnv) -> tuple[np.ndarray, ...]:
        """Make one step of every game; return all that is learned from it, arrays (n, ...)."""
        seen = cast(np.ndarray, self._last_obs)
        with self.clock("env"):
            masks = env.masks()
        with self.clock("forward"):
            worth, best = self._action_values(seen, masks).max(dim=1)
        with self.clock("distribution"):
            actions = self._explore(best, self._tensor(masks)).cpu().numpy()
        rewards, dones, infos = self._step(env, actions)
        rewards = self.reward_scale * rewards + self.gamma * self._truncation_values(env, infos)
        return seen, actions, rewards, dones, worth.cpu().numpy()

    @torch.no_grad()
    def _truncation_values(self, env: CardVecEnv, infos: list[dict[str, Any]]) -> np.ndarray:
        """Return the value of the best legal action at each truncated position, 0 in other rows."""
        values = np.zeros(env.num_envs, np.float32)
        truncated = np.flatnonzero(env.rows.buffers.truncated)
        if len(truncated):
            last = np.stack([infos[i]["terminal_observation"] for i in truncated])
            masks = np.stack([infos[i]["terminal_action_mask"] for i in truncated])
            values[truncated] = self._action_values(last, masks).amax(dim=1).cpu().numpy()
        return values

    def _explore(self, best: Tensor, masks: Tensor) -> Tensor:
        """Return actions int64 (n,), some of them replaced by random legal ones."""
        drawn = torch.multinomial(masks.float(), 1).squeeze(1)
        explores = torch.rand(len(best), device=best.device) < self.epsilon
        return torch.where(explores, drawn, best)

    def train(self) -> None:
        """Learn from the rollout."""
        self._train_minibatches(len(self.rollout[0]), self._learn, ["value_loss"])

    def _learn(self, part: Tensor) -> list[Tensor]:
        seen, actions, returns = (array[part] for array in self.rollout)
        worths, values = self.network(seen)
        chosen = worths.gather(1, actions[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(chosen, returns)
        self._optimizer_step(loss + self.vf_coef * nn.functional.mse_loss(values, returns))
        return [loss]
