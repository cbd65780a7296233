"""Train PPO of skrl with masks on a batch of Parlour games.

    python examples/skrl_masked.py --steps 100000

skrl has no masks of its own, but takes any dictionary as an observation: the policy reads the mask
from it (`DictVectorObservation`) and makes illegal actions impossible. ``illegal="raise"`` raises
an error if it does not. Needs ``pip install skrl``.
"""

import argparse
import time

import gymnasium as gym
import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import Wrapper, wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from skrl.utils.spaces.torch import unflatten_tensorized_space
from torch import nn

from parlour.envs import DictVectorObservation  # the import registers the games

ENVS, ROLLOUTS = 32, 64


def make_envs(name: str) -> Wrapper:
    """Return a batch of games whose observations contain masks, wrapped for skrl."""
    same_step = gym.vector.AutoresetMode.SAME_STEP
    envs = gym.make_vec(name, ENVS, autoreset_mode=same_step, skip_forced=True, illegal="raise")
    return wrap_env(DictVectorObservation(envs, dtype="float32", mask_dtype="bool"))


def make_network(inputs: int, outputs: int, width: int = 128) -> nn.Module:
    """Return a network with two layers."""
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, outputs))


class Policy(CategoricalMixin, Model):
    """The policy over legal actions."""

    def __init__(self, envs: Wrapper) -> None:
        Model.__init__(
            self, observation_space=envs.observation_space, action_space=envs.action_space
        )
        CategoricalMixin.__init__(self)
        inputs = envs.observation_space["observation"].shape[0]
        self.network = make_network(inputs, int(envs.action_space.n))

    def compute(self, inputs: dict, role: str = "") -> tuple[torch.Tensor, dict]:
        """Return logits, -1e8 for illegal actions."""
        seen = unflatten_tensorized_space(self.observation_space, inputs["observations"])
        logits = self.network(seen["observation"].float())
        return logits.masked_fill(seen["action_mask"] == 0, -1e8), {}


class Value(DeterministicMixin, Model):
    """The values of observations."""

    def __init__(self, envs: Wrapper) -> None:
        Model.__init__(
            self, observation_space=envs.observation_space, action_space=envs.action_space
        )
        DeterministicMixin.__init__(self)
        self.network = make_network(envs.observation_space["observation"].shape[0], 1)

    def compute(self, inputs: dict, role: str = "") -> tuple[torch.Tensor, dict]:
        """Return values (n, 1)."""
        seen = unflatten_tensorized_space(self.observation_space, inputs["observations"])
        return self.network(seen["observation"].float()), {}


def mean_reward(envs: Wrapper, policy: Policy, rounds: int = 200) -> float:
    """Return the mean reward per game of the policy over some rounds."""
    total, games = 0.0, 0
    observations, _ = envs.reset()
    for _ in range(rounds):
        with torch.no_grad():
            actions, _ = policy.act({"observations": observations})
        observations, reward, terminated, truncated, _ = envs.step(actions)
        total, games = total + float(reward.sum()), games + int((terminated | truncated).sum())
    return total / max(1, games)


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--steps", type=int, default=100_000, help="number of timesteps")
    arguments = parser.parse_args()

    set_seed(0)
    torch.set_num_threads(1)
    envs = make_envs(arguments.id)
    models = {"policy": Policy(envs), "value": Value(envs)}
    config = PPO_CFG(
        rollouts=ROLLOUTS, learning_epochs=4, mini_batches=4, learning_rate=5e-4,
        discount_factor=1.0, entropy_loss_scale=0.01,
        experiment={"write_interval": 0, "checkpoint_interval": 0},
    )  # fmt: skip
    agent = PPO(
        models=models,
        memory=RandomMemory(memory_size=ROLLOUTS, num_envs=ENVS),
        observation_space=envs.observation_space,
        action_space=envs.action_space,
        cfg=config,
    )
    print(f"reward per game before {mean_reward(envs, models['policy']):.3f}")
    rounds = max(1, arguments.steps // (ENVS * ROLLOUTS)) * ROLLOUTS
    trainer = {"timesteps": rounds, "disable_progressbar": True}
    begun = time.perf_counter()
    SequentialTrainer(env=envs, agents=agent, cfg=trainer).train()
    rate = rounds * ENVS / (time.perf_counter() - begun)
    print(f"reward per game after {mean_reward(envs, models['policy']):.3f}")
    print(f"{rate:,.0f} steps/s")


if __name__ == "__main__":
    main()
