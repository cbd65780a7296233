"""Learning by looking one step ahead: values by self-play, and a policy that imitates their choice.

Policy gradients see a choice only through how its game ended, win or loss, and soon stop trying the
move that seems a little worse. Here the compiled game plays every legal action of every position,
hidden cards dealt anew; the network's values judge the outcomes, the best (with some noise) is
played, values learn from what the games come to (TD(lambda)), the policy from the judgement. A
warm-up of MaskablePPO comes first, for values of an untrained network choose nothing well.
"""

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.lookahead import Ahead, look_ahead
from parlour.agents.networks import masked_logits, values_of
from parlour.envs.core.batch import How, Reset
from parlour.envs.core.rows import hidden

from .ppo import CardPolicy, CardPPO
from .sb3 import CardVecEnv


def lambda_returns(
    rewards: np.ndarray, dones: np.ndarray, after: np.ndarray, gamma: float, trace: float
) -> np.ndarray:
    """Return TD(lambda) targets (steps, n) from values ``after`` each step (steps, n)."""
    targets = np.empty_like(rewards)
    ahead = after[-1]
    for t in reversed(range(len(rewards))):
        follows = after[t] if t == len(rewards) - 1 else (1 - trace) * after[t] + trace * ahead
        ahead = rewards[t] + gamma * np.where(dones[t], 0, follows)
        targets[t] = ahead
    return targets


class LookaheadPPO(CardPPO):
    """MaskablePPO for ``warm_up`` steps, then values and policy learned by looking ahead.

    ``temperature`` is the noise of the choice, in rewards: actions worth so much less than the best
    are still tried now and then.
    """

    warm_up = 0
    temperature = 0.03

    def collect_rollouts(self, env: Any, *args: Any, **keywords: Any) -> bool:
        """Fill the rollout: by `CardPPO` in the warm-up, by looking ahead afterwards."""
        self.ahead = self.num_timesteps >= self.warm_up
        if not self.ahead:
            return super().collect_rollouts(env, *args, **keywords)
        steps = [self._play(env) for _ in range(self.n_steps)]
        seen, wanted, masks, rewards, dones, cut = (np.stack(p) for p in zip(*steps, strict=True))
        value = values_of(cast(CardPolicy, self.policy).network)
        with self.clock("forward"):
            after = [value(codes) for codes in [*seen[1:], env.rows.codes]]
        rewards += self.gamma * cut
        returns = lambda_returns(rewards, dones, np.stack(after), self.gamma, self.gae_lambda)
        flat = (array.reshape(-1, *array.shape[2:]) for array in (seen, wanted, masks, returns))
        self.rollout = tuple(torch.from_numpy(array) for array in flat)
        return True

    def _play(self, env: CardVecEnv) -> tuple[np.ndarray, ...]:
        """Make one step of every game; return all that is learned from it, arrays (n, ...)."""
        with self.clock("env"):
            seen, masks = env.rows.codes.copy(), env.masks()
        with self.clock("forward"):
            ahead = self._judge(env, masks)
            wanted = _shares(ahead, masks.shape, self.temperature * SHARPER)
            noise = -torch.log(-torch.log(torch.rand(len(ahead.worth)).clamp(1e-9, 1 - 1e-7)))
            actions = ahead._replace(worth=ahead.worth + self.temperature * noise.numpy()).best()
        with self.clock("env"):
            self._last_obs, rewards, dones, infos = env.step(actions)  # type: ignore[assignment]
        self._last_episode_starts = dones
        self.num_timesteps += env.num_envs
        assert self.ep_info_buffer is not None
        self.ep_info_buffer.extend(infos[i]["episode"] for i in env.ended.tolist())
        return seen, wanted, masks, rewards, dones, self._beyond(env, infos)

    def _judge(self, env: CardVecEnv, masks: np.ndarray) -> Ahead:
        seeds = torch.randint(2**62, (env.num_envs,)).numpy().astype(np.uint64)
        states = hidden(env.game, env.rules, env.rows.states, seeds)
        value = values_of(cast(CardPolicy, self.policy).network)
        how = ahead_of(env.rows.how)
        return look_ahead(env.game, env.rules, states, masks, value, how, self.gamma)

    def train(self) -> None:
        """Learn from the rollout."""
        if not self.ahead:
            return super().train()
        with self.clock("update"):
            self.policy.set_training_mode(True)
            self._update_learning_rate(self.policy.optimizer)
            losses = [
                self._learn(part)
                for _ in range(self.n_epochs)
                for part in torch.randperm(len(self.rollout[0])).split(self.batch_size)
            ]
            self._n_updates += self.n_epochs
            for name, values in zip(
                ("value_loss", "policy_loss"), zip(*losses, strict=True), strict=True
            ):
                self.logger.record(f"train/{name}", float(np.mean(values)))

    def _learn(self, part: Tensor) -> tuple[float, float]:
        codes, wanted, masks, returns = (array[part].to(self.device) for array in self.rollout)
        network = cast(CardPolicy, self.policy).network
        if network.encoding == "onehot":
            codes = torch.from_numpy(network.features.onehot(codes.cpu().numpy())).to(self.device)
        logits, values = network(codes)
        log_probs = torch.log_softmax(masked_logits(logits, masks), dim=1)
        value_loss = nn.functional.mse_loss(values, returns)
        policy_loss = -(wanted * log_probs).sum(dim=1).mean()
        self.policy.optimizer.zero_grad()
        (VALUE_WEIGHT * value_loss + POLICY_WEIGHT * policy_loss).backward()
        nn.utils.clip_grad_norm_(network.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        return value_loss.item(), policy_loss.item()


VALUE_WEIGHT = 5.0
"""The values lead, and their errors (rewards squared) are the smaller numbers."""
POLICY_WEIGHT = 0.2
SHARPER = 0.1
"""The policy imitates the choice with less noise than it is made with."""


def ahead_of(how: How) -> How:
    """Return how a step is played only to look at it: the same pay, and no new game after it."""
    return how._replace(reset=int(Reset.DISABLED), max_steps=0)


def _shares(ahead: Ahead, shape: tuple[int, ...], temperature: float) -> np.ndarray:
    """Return how likely each action should be, float32 ``shape``: the better, the likelier."""
    most = np.maximum.reduceat(ahead.worth, ahead.starts)[ahead.rows]
    shares = np.zeros(shape, np.float32)
    shares[ahead.rows, ahead.actions] = np.exp((ahead.worth - most) / temperature)
    return shares / shares.sum(axis=1, keepdims=True)
