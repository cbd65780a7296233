"""Learning by looking one step ahead: values of positions, by self-play.

Policy gradients see a choice only through how its game ended, win or loss, and soon stop trying the
move that seems a little worse. Here the compiled game plays every legal action of every position,
hidden cards dealt anew; the network's values judge the outcomes, the best (with some noise) is
played, and the values learn from what the games come to (TD(lambda)). A warm-up of MaskablePPO
comes first, for values of an untrained network choose nothing well. (A policy that imitates the
choices plays badly: many removals of equal worth share what a single DEAL has for itself.)
"""

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.networks.build import make_value_function
from parlour.agents.search.lookahead import ActionValues, look_ahead
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.rows import resample_copies

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
    """MaskablePPO for ``warm_up`` steps, then values learned by looking ahead.

    ``temperature`` is the noise of the choice, in rewards: actions worth so much less than the best
    are still tried now and then.
    """

    warm_up = 0
    ahead = False
    temperature = 0.03

    def collect_rollouts(self, env: Any, *args: Any, **keywords: Any) -> bool:
        """Fill the rollout: by `CardPPO` in the warm-up, by looking ahead afterwards."""
        self.ahead = self.num_timesteps >= self.warm_up
        if not self.ahead:
            return super().collect_rollouts(env, *args, **keywords)
        steps = [self._play(env) for _ in range(self.n_steps)]
        seen, rewards, dones, cut = (np.stack(p) for p in zip(*steps, strict=True))
        value = make_value_function(cast(CardPolicy, self.policy).network)
        with self.clock("forward"):
            after = [value(codes) for codes in [*seen[1:], env.rows.codes]]
        rewards += self.gamma * cut
        returns = lambda_returns(rewards, dones, np.stack(after), self.gamma, self.gae_lambda)
        parts = np.concatenate(seen), returns.ravel()
        self.rollout = [torch.from_numpy(part).to(self.device) for part in parts]
        return True

    def _play(self, env: CardVecEnv) -> tuple[np.ndarray, ...]:
        """Make one step of every game; return all that is learned from it, arrays (n, ...)."""
        with self.clock("env"):
            seen, masks = env.rows.codes.copy(), env.masks()
        with self.clock("forward"):
            ahead = self._score_actions(env, masks)
            noise = -torch.log(-torch.log(torch.rand(len(ahead.values)).clamp(1e-9, 1 - 1e-7)))
            actions = ahead._replace(values=ahead.values + self.temperature * noise.numpy()).best()
        rewards, dones, infos = self._step(env, actions)
        return seen, rewards, dones, self._truncation_values(env, infos)

    def _score_actions(self, env: CardVecEnv, masks: np.ndarray) -> ActionValues:
        seeds = torch.randint(2**62, (env.num_envs,)).numpy().astype(np.uint64)
        states = resample_copies(env.game, env.rules, env.rows.states, seeds)
        value = make_value_function(cast(CardPolicy, self.policy).network)
        config = lookahead_config(env.rows.config)
        return look_ahead(env.game, env.rules, states, masks, value, config, self.gamma)

    def train(self) -> None:
        """Learn from the rollout."""
        if not self.ahead:
            return super().train()
        self._train_minibatches(len(self.rollout[0]), self._learn, ["value_loss"])

    def _learn(self, part: Tensor) -> list[Tensor]:
        codes, returns = (array[part] for array in self.rollout)
        network = cast(CardPolicy, self.policy).network
        loss = nn.functional.mse_loss(network(self._encode(codes))[1], returns)
        self._optimizer_step(loss)
        return [loss]


def lookahead_config(config: StepConfig) -> StepConfig:
    """Return how a step is played only to look at it: the same pay, and no new game after it."""
    return config._replace(reset=int(Autoreset.DISABLED), max_steps=0)
