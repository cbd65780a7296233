"""Self-play: PPO at several or all seats of a table, with a KL penalty towards a magnet.

In self-play, plain PPO cycles: each policy only responds to the previous one. The loss therefore
includes a penalty KL(policy || magnet). The magnet is a copy of the network whose weights slowly
follow those of the policy. Each regularized game has a single equilibrium, which training reaches
without cycling. As the magnet moves towards it, that equilibrium approaches an equilibrium of the
game itself. See Sokota and others, "A unified approach to reinforcement learning, quantal response
equilibria, and two-player zero-sum games", 2023; Yu and others, "Nash policy gradient", arXiv
2510.18183. Rudolph and others, arXiv 2502.08938, find regularized policy gradients as good as any
other method.

One seat of every table always belongs to the learner. The learner also plays each other seat with
probability ``self_share``; one of the ``opponents`` plays it otherwise. Seats are drawn again for
each hand.
"""

from copy import deepcopy
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.registry import Agent, load_agent
from parlour.envs.interfaces.sb3 import CardVecEnv

from ...evaluation.play import EpisodeResults
from .. import checkpoint
from ..envs import SelfPlayEnv, make_env, make_selfplay_env
from ..network_run import CardLearner, CardPolicy, PolicyRun, make_learner
from ..settings.methods import SelfplaySettings


def seat_advantages(
    values: np.ndarray,
    actors: np.ndarray,
    waiting: np.ndarray,
    pays: np.ndarray,
    dones: np.ndarray,
    gamma: float,
    trace: float,
) -> np.ndarray:
    """Return generalized advantages, (steps, n), each along the decisions of one seat.

    The advantage is 0 for a decision after which the rollout ends before the seat's next decision,
    and for steps in which no seat acted.

    Args:
        values: value of each position, (steps, n).
        actors: seat that acted, (steps, n).
        waiting: whether any seat acted, bool (steps, n).
        pays: payoffs of the hands that ended, (steps, n, seats).
        dones: whether the hand ended with the step, (steps, n).
        gamma: discount factor.
        trace: lambda.
    """
    n, rows = values.shape[1], np.arange(values.shape[1])
    after, gains, paid = (np.full((n, pays.shape[2]), fill) for fill in (np.nan, 0.0, 0.0))
    advantages = np.zeros(values.shape)
    for t in reversed(range(len(values))):
        after[dones[t]] = gains[dones[t]] = 0
        paid[dones[t]] = pays[t][dones[t]]
        acted = waiting[t]
        place = rows[acted], actors[t][acted]
        error = paid[place] + gamma * after[place] - values[t][acted]
        gain = np.nan_to_num(error) + gamma * trace * gains[place]
        advantages[t][acted] = gains[place] = gain
        after[place], paid[place] = values[t][acted], 0
    return advantages


class MagnetPPO(CardLearner):
    """PPO on all decisions in a `SelfPlayEnv`, plus ``magnet_coef`` times KL(policy || magnet).

    After every ``magnet_interval`` updates, the magnet moves towards the policy by the fraction
    ``magnet_rate``.
    """

    magnet_coef = 0.05
    magnet_rate = 0.05
    magnet_interval = 1

    def _setup_model(self) -> None:
        super()._setup_model()
        self.magnet = deepcopy(self.network).requires_grad_(False)

    def saved_modules(self) -> dict[str, nn.Module]:
        """See `CardLearner.saved_modules`."""
        return {**super().saved_modules(), "magnet": self.magnet}

    def collect_rollouts(self, env: Any, *_: Any, **__: Any) -> bool:
        """Fill the rollout with the decisions of all seats."""
        self.policy.set_training_mode(False)
        steps = [self._collect_step(env) for _ in range(self.n_steps)]
        codes, masks, logs, magnet, values, actions, actors, waiting, pays, dones = (
            np.stack(part) for part in zip(*steps, strict=True)
        )
        advantages = seat_advantages(
            values, actors, waiting, pays * self.reward_scale, dones, self.gamma, self.gae_lambda
        )
        returns = (values + advantages).astype(np.float32)
        whole = codes, masks, actions, logs, magnet, advantages.astype(np.float32), returns
        acted = waiting.ravel()
        self.rollout = [
            torch.from_numpy(part.reshape(-1, *part.shape[2:])[acted]).to(self.device)
            for part in whole
        ]
        return True

    @torch.no_grad()
    def _collect_step(self, env: CardVecEnv) -> tuple[np.ndarray, ...]:
        """Make one decision at every table; return the data to learn from, arrays (n, ...)."""
        rows, policy = env.rows, cast(CardPolicy, self.policy)
        assert isinstance(rows, SelfPlayEnv)
        with self.clock("env"):
            codes, masks, waiting = env.codes(), env.masks(), rows.waiting
        with self.clock("forward"):
            observations = self._tensor(self._last_obs)
            logits, values = policy.outputs(observations)
            magnet = self.magnet(policy.own_part(observations))[0]
            magnet = policy.mask_logits(magnet, masks).log_softmax(dim=1)
        with self.clock("distribution"):
            actions, logs = policy.sample(policy.mask_logits(logits, masks))
            chosen = actions.cpu().numpy()
        _, dones = self._step(env, chosen)
        learned = (part.cpu().numpy() for part in (logs, magnet, values))
        return codes, masks, *learned, chosen, rows.actors, waiting, rows.pays, dones.copy()

    def train(self) -> None:
        """Learn from the rollout, then move the magnet."""
        names = ["loss", "magnet_kl"]
        self._train_minibatches(len(self.rollout[0]), self._learn_minibatch, names)
        if self._n_updates // self.n_epochs % self.magnet_interval == 0:
            self.follow(self.magnet_rate)

    @torch.no_grad()
    def follow(self, share: float) -> None:
        """Move the magnet's weights towards those of the policy by the fraction ``share``."""
        pairs = zip(self.magnet.parameters(), self.network.parameters(), strict=True)
        for weights, target in pairs:
            weights.lerp_(target, share)

    def _learn_minibatch(self, part: Tensor) -> list[Tensor]:
        codes, masks, actions, old, magnet, advantages, returns = (
            array[part] for array in self.rollout
        )
        policy = cast(CardPolicy, self.policy)
        logits, values = policy.outputs(self._encode(codes))
        logits = policy.mask_logits(logits, masks)
        probabilities, logs = logits.softmax(dim=1), logits.log_softmax(dim=1)
        ratio = (logs.gather(1, actions[:, None]).squeeze(1) - old).exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clip = self.clip_range(1.0)  # type: ignore[operator]
        gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        entropy = -(probabilities * logs).sum(dim=1).mean()
        distance = (probabilities * (logs - magnet)).sum(dim=1).mean()
        policy_loss = self.magnet_coef * distance - gain - self.ent_coef * entropy
        loss = policy_loss + self.vf_coef * nn.functional.mse_loss(values, returns)
        self._optimizer_step(loss)
        return [loss, distance]


class SelfplayRun(PolicyRun):
    """A run of PPO against itself and other opponents."""

    settings: SelfplaySettings
    model: MagnetPPO
    table: type[SelfPlayEnv] = SelfPlayEnv
    """The class of the tables for training."""

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        names = self.settings.opponents
        self.opponents = [load_agent(name, self.game, self.rules, 1) for name in names]
        super().prepare(saved)
        if not saved:
            self.model.follow(1.0)  # the policy may have taken the weights of ``initial``

    def make_learner(self) -> MagnetPPO:
        """See `NetworkRun.make_learner`."""
        settings = self.settings
        make = partial(make_selfplay_env, self.opponents, settings.self_share, table=self.table)
        model = make_learner(
            MagnetPPO,
            settings,
            self.seed,
            make_env(settings, make),
            clip_range=settings.clip_range,
            ent_coef=settings.ent_coef,
        )
        model.magnet_coef, model.magnet_rate = settings.magnet_coef, settings.magnet_rate
        model.magnet_interval = settings.magnet_interval
        return model

    @property
    def samples(self) -> bool:  # type: ignore[override]
        """Whether the agent samples its actions from its policy."""
        return self.settings.samples

    def play_by(self, agent: Agent) -> EpisodeResults:
        """Let an agent play against the opponents in turn."""
        return self.play_at_tables(agent, self.opponents)


METHOD = SelfplayRun
