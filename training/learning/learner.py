"""What the methods that learn from rewards share: policy, optimizer steps and a clock.

`CardPolicy` puts a `CardNetwork` where sb3-contrib has its own layers. `CardLearner` is the base of
the methods' learners, which collect rollouts and learn from them.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from parlour.agents.networks.build import CardNetwork, masked_logits
from parlour.envs.interfaces.sb3 import CardVecEnv

ROLLOUT = ("observations", "action_masks", "actions", "log_probs", "advantages", "returns")
"""Arrays that PPO learns from, by their names in the rollout buffer of sb3-contrib."""
PHASES = ("env", "forward", "distribution", "buffer", "update", "evaluation", "other")


class PhaseTimer:
    """Adds up wall time by phase, in seconds: ``with clock("env"): ...``.

    ``earlier`` is the split of an earlier clock, to which this one adds.
    """

    def __init__(self, earlier: Mapping[str, float] | None = None) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0) | dict(earlier or {})
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
        """Return seconds by phase; ``other`` is the time that no phase covers."""
        known = {phase: seconds for phase, seconds in self.seconds.items() if phase != "other"}
        return known | {"other": time.perf_counter() - self.begun - sum(known.values())}


def draw_actions(probabilities: Tensor) -> Tensor:
    """Draw an action for each row of chances (n, actions), by torch's generator: int64 (n,)."""
    return torch.multinomial(probabilities, 1).squeeze(1)


class CardPolicy(MaskableActorCriticPolicy):
    """A `CardNetwork` in the form of a policy of sb3-contrib.

    Args:
        make: builds the network.
        make_critic: builds a second network, whose values replace the first one's (`critic`): it
            reads whole observations, the policy only the player's own part in front.

    ``draw`` draws actions from their probabilities, see `draw_actions`.
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
        parameters = {"make": self.make, "make_critic": self.make_critic}
        return super()._get_constructor_parameters() | parameters

    def outputs(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """Return unmasked logits (n, actions) and values (n,) of observations (n, ...)."""
        if self.critic is None:
            logits, values = self.network(obs)
        else:
            logits, values = self.network(self.own_part(obs))[0], self.critic(obs)[1]
        return logits, values

    def own_part(self, obs: Tensor) -> Tensor:
        """Return the player's own part of observations, which a critic reads whole."""
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
        distribution = MaskableCategoricalDistribution(int(self.action_space.n))  # type: ignore[attr-defined]
        return distribution.proba_distribution(self.mask_logits(self.outputs(obs)[0], action_masks))

    def predict_values(self, obs: Tensor) -> Tensor:  # type: ignore[override]
        """Return values (n, 1)."""
        return self.outputs(obs)[1][:, None]


class CardLearner(MaskablePPO):
    """What learns in the methods over a `CardVecEnv`: a `CardPolicy`, its optimizer, its clock.

    A method fills in `collect_rollouts`, which plays ``n_steps`` of every game, and `train`, which
    learns from them. ``clock`` adds up the time of both. Rewards are learned times
    ``reward_scale``.
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

    def predict_truncated(self, observations: np.ndarray, masks: np.ndarray) -> Tensor:
        """Return the values (k,) of positions in which games were truncated."""
        return self.policy.predict_values(self._tensor(observations))[:, 0]

    @torch.no_grad()
    def _truncation_values(self, env: CardVecEnv, infos: list[dict[str, Any]]) -> np.ndarray:
        """Return the value of the last position of each truncated game, 0 in other rows."""
        values = np.zeros(env.num_envs, np.float32)
        truncated = np.flatnonzero(env.rows.buffers.truncated)
        if len(truncated):
            last = np.stack([infos[i]["terminal_observation"] for i in truncated])
            masks = np.stack([infos[i]["terminal_action_mask"] for i in truncated])
            values[truncated] = self.predict_truncated(last, masks).cpu().numpy()
        return values

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
        """Call ``learn`` with the sample numbers of each minibatch; log means of its results.

        The results are read once at the end: an accelerator need not wait in between.

        Args:
            n: number of samples in the rollout.
            learn: learns a minibatch, int64 (k,); returns a scalar for each of ``names``.
            names: names of the results in the log.
        """
        with self.clock("update"):
            self.policy.set_training_mode(True)
            self._update_learning_rate(self.policy.optimizer)
            results = []
            for _ in range(self.n_epochs):
                order = torch.randperm(n).to(self.device)  # drawn by the one generator for all
                for part in order.split(self.batch_size):  # type: ignore[no-untyped-call]
                    results.append(torch.stack([one.detach() for one in learn(part)]))
            self._n_updates += self.n_epochs
            for name, mean in zip(names, torch.stack(results).mean(dim=0).tolist(), strict=True):
                self.logger.record(f"train/{name}", mean)

    def _encode(self, codes: Tensor) -> Tensor:
        """Return ``codes`` observations in the encoding of the network."""
        assert isinstance(self.env, CardVecEnv)
        if self.env.encoding == "onehot":
            return torch.from_numpy(self.env.features.onehot(codes.cpu().numpy())).to(self.device)
        return codes

    def _optimizer_step(self, loss: Tensor) -> None:
        """Make one step of the optimizer."""
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()

    def _tensor(self, observations: Any) -> Tensor:
        return torch.as_tensor(observations, device=self.device)
