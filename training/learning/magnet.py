"""PPO at all seats of a table, drawn to a slowly following copy of the policy.

Against itself plain PPO runs in circles: each policy is a reply to the last. Here the loss has the
divergence KL(policy || magnet) too, where the magnet's weights follow the policy's: every game of
this kind has one equilibrium, which is found without circles, and the magnet moves there, and with
it the equilibrium, nearer and nearer to that of the game itself (Sokota and others, "A unified
approach to reinforcement learning, quantal response equilibria, and two-player zero-sum games",
2023; Yu and others, "Nash policy gradient", arXiv 2510.18183; that plain policy gradients do as
well as anything if they are regularised: Rudolph and others, arXiv 2502.08938).

A run may begin with lessons: at the learner's seats a teacher, an agent, plays half of the
decisions, and the policy learns to choose as it would in all of them.
"""

from copy import deepcopy
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.networks.build import CardNetwork
from parlour.agents.registry import Agent, choose_actions, prepare_turn
from parlour.envs.core.rows import copy_states

from .ppo import CardPolicy, CardPPO
from .sb3 import CardVecEnv
from .table_rows import TableRows

TAUGHT = 0.5
"""How often the teacher's choice is played where it teaches."""


def seat_advantages(
    values: np.ndarray,
    actors: np.ndarray,
    waiting: np.ndarray,
    pays: np.ndarray,
    dones: np.ndarray,
    gamma: float,
    trace: float,
) -> np.ndarray:
    """Return advantages (steps, n), generalised, each along the decisions of one seat.

    ``values``, ``actors``, ``waiting`` (whether anybody acted) and ``dones`` are (steps, n),
    ``pays`` (steps, n, seats). A decision after which the rollout ends before the seat's next one
    counts as worth what its value says, and so do decisions that nobody made.
    """
    n, rows = values.shape[1], np.arange(values.shape[1])
    after, gains, paid = (np.full((n, pays.shape[2]), fill) for fill in (np.nan, 0.0, 0.0))
    found = np.zeros(values.shape)
    for t in reversed(range(len(values))):
        after[dones[t]] = gains[dones[t]] = 0
        paid[dones[t]] = pays[t][dones[t]]
        acted = waiting[t]
        place = rows[acted], actors[t][acted]
        error = paid[place] + gamma * after[place] - values[t][acted]
        gain = np.nan_to_num(error) + gamma * trace * gains[place]
        found[t][acted] = gains[place] = gain
        after[place], paid[place] = values[t][acted], 0
    return found


class MagnetPPO(CardPPO):
    """PPO of all decisions at `TableRows`, with ``magnet_coef`` times KL(policy || magnet).

    The magnet moves by ``magnet_rate`` of the way to the policy after every ``magnet_interval``
    updates. In the first ``lessons`` steps the policy imitates the ``teacher`` instead.
    """

    magnet_coef = 0.05
    magnet_rate = 0.05
    magnet_interval = 1
    lessons = 0
    teacher: Agent | None = None
    teaching = False

    def _setup_model(self) -> None:
        super()._setup_model()
        self.magnet = deepcopy(self.network).requires_grad_(False)

    @property
    def network(self) -> CardNetwork:
        """The network that learns."""
        return cast(CardPolicy, self.policy).network

    def saved_modules(self) -> dict[str, nn.Module]:
        """See `CardPPO.saved_modules`."""
        return {**super().saved_modules(), "magnet": self.magnet}

    def collect_rollouts(self, env: Any, *_: Any, **__: Any) -> bool:
        """Fill the rollout with the decisions of all seats."""
        self.teaching = self.num_timesteps < self.lessons
        self.policy.set_training_mode(False)
        steps = [self._collect_decision(env) for _ in range(self.n_steps)]
        seen, masks, logs, magnet, values, actions, actors, waiting, pays, dones = (
            np.stack(part) for part in zip(*steps, strict=True)
        )
        advantages = seat_advantages(
            values, actors, waiting, pays * self.reward_scale, dones, self.gamma, self.gae_lambda
        )
        returns = (values + advantages).astype(np.float32)
        whole = seen, masks, actions, logs, magnet, advantages.astype(np.float32), returns
        acted = waiting.ravel()
        self.rollout = [
            torch.from_numpy(part.reshape(-1, *part.shape[2:])[acted]).to(self.device)
            for part in whole
        ]
        return True

    @torch.no_grad()
    def _collect_decision(self, env: CardVecEnv) -> tuple[np.ndarray, ...]:
        """Make one decision at every table; return all that is learned from it, arrays (n, ...)."""
        rows, policy = env.rows, cast(CardPolicy, self.policy)
        assert isinstance(rows, TableRows)
        with self.clock("env"):
            seen, masks, waiting = env.codes(), env.masks(), rows.waiting
        with self.clock("forward"):
            observations = self._tensor(self._last_obs)
            logits, values = policy.outputs(observations)
            magnet = self.magnet(policy.own_part(observations))[0]
            magnet = policy.mask_logits(magnet, masks).log_softmax(dim=1)
        with self.clock("distribution"):
            actions, logs = policy.sample(policy.mask_logits(logits, masks))
            chosen = actions.cpu().numpy()
        if self.teaching:
            labels = self._ask_teacher(rows)
            chosen = np.where(torch.rand(rows.n).numpy() < TAUGHT, labels, chosen)
        _, dones, _ = self._step(env, chosen)
        learned = (part.cpu().numpy() for part in (logs, magnet, values))
        answers = labels if self.teaching else chosen
        return seen, masks, *learned, answers, rows.actors, waiting, rows.pays, dones.copy()

    def _ask_teacher(self, rows: TableRows) -> np.ndarray:
        """Return what the teacher would play, int64 (n,); 0 where nobody is to act."""
        assert self.teacher is not None
        waiting, found = rows.waiting, np.zeros(rows.n, np.int64)
        seeds = torch.randint(2**62, (rows.n,)).numpy().astype(np.uint64)
        states = copy_states(rows.states, waiting)
        turn = prepare_turn(self.teacher, rows.game, rows.rules, states, seeds[waiting])
        found[waiting] = choose_actions(self.teacher, turn)
        return found

    def train(self) -> None:
        """Learn from the rollout; then the magnet follows."""
        if self.teaching:
            self._train_minibatches(len(self.rollout[0]), self._imitate, ["cloning_loss"])
            return self.follow(1.0)
        self._train_minibatches(len(self.rollout[0]), self._learn, ["loss", "magnet_kl"])
        if self._n_updates // self.n_epochs % self.magnet_interval == 0:
            self.follow(self.magnet_rate)

    @torch.no_grad()
    def follow(self, share: float) -> None:
        """Move the magnet's weights by a share of the way to those of the policy."""
        for own, goal in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
            own.lerp_(goal, share)

    def _imitate(self, part: Tensor) -> list[Tensor]:
        codes, masks, actions, _, _, _, returns = (array[part] for array in self.rollout)
        policy = cast(CardPolicy, self.policy)
        logits, values = policy.outputs(self._encode(codes))
        loss = nn.functional.cross_entropy(policy.mask_logits(logits, masks), actions)
        self._optimizer_step(loss + self.vf_coef * nn.functional.mse_loss(values, returns))
        return [loss]

    def _learn(self, part: Tensor) -> list[Tensor]:
        codes, masks, actions, old, magnet, advantages, returns = (
            array[part] for array in self.rollout
        )
        policy = cast(CardPolicy, self.policy)
        logits, values = policy.outputs(self._encode(codes))
        logits = policy.mask_logits(logits, masks)
        chances, logs = logits.softmax(dim=1), logits.log_softmax(dim=1)
        ratio = (logs.gather(1, actions[:, None]).squeeze(1) - old).exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clip = self.clip_range(1.0)  # type: ignore[operator]
        gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        entropy = -(chances * logs).sum(dim=1).mean()
        distance = (chances * (logs - magnet)).sum(dim=1).mean()
        policy_loss = self.magnet_coef * distance - gain - self.ent_coef * entropy
        loss = policy_loss + self.vf_coef * nn.functional.mse_loss(values, returns)
        self._optimizer_step(loss)
        return [loss, distance]
