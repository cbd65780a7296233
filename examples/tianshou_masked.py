"""Train DQN of Tianshou with masks on a Parlour game, then compare it with random play.

    python examples/tianshou_masked.py --steps 20000

`DictObservation` gives the observation the names and types that Tianshou expects. Its policies then
never choose illegal actions, not even when they explore. ``illegal="raise"`` raises an error if
they do. Needs ``pip install tianshou``.
"""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from tianshou.algorithm.algorithm_base import Policy
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from parlour.envs import DictObservation  # the import registers the games


def make_env(name: str) -> gym.Env:
    """Return an environment whose observations contain masks in the form of Tianshou."""
    env = gym.make(name, skip_forced=True, illegal="raise")
    return DictObservation(env, observation_key="obs", mask_key="mask", mask_dtype="bool")


def make_envs(name: str, rows: int, seed: int) -> DummyVectorEnv:
    """Return a vector of seeded environments."""
    envs = DummyVectorEnv([lambda: make_env(name) for _ in range(rows)])
    envs.seed(seed)
    return envs


def make_learner(env: gym.Env) -> DQN:
    """Return double DQN with a network of two layers."""
    inputs, actions = env.observation_space["obs"].shape, env.action_space.n
    network = Net(state_shape=inputs, action_shape=actions, hidden_sizes=(128, 128))
    policy = DiscreteQLearningPolicy(
        model=network, action_space=env.action_space, eps_training=0.1, eps_inference=0.0
    )
    optimizer = AdamOptimizerFactory(lr=5e-4)
    return DQN(policy=policy, optim=optimizer, gamma=1.0, target_update_freq=200)


def play(policy: Policy, name: str, games: int) -> str:
    """Return the mean reward of a policy in new games, with its interval."""
    collector = Collector(policy, make_envs(name, 10, seed=10_000))
    returns = collector.collect(n_episode=games, reset_before_collect=True).returns
    return f"{returns.mean():.3f} ± {1.96 * returns.std(ddof=1) / len(returns) ** 0.5:.3f}"


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--steps", type=int, default=20_000, help="number of timesteps")
    parser.add_argument("--games", type=int, default=200, help="number of games to evaluate")
    arguments = parser.parse_args()

    np.random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    env = make_env(arguments.id)
    learner = make_learner(env)
    buffer = VectorReplayBuffer(20_000, buffer_num=10)
    envs = make_envs(arguments.id, 10, seed=0)
    training = OffPolicyTrainerParams(
        training_collector=Collector(learner, envs, buffer, exploration_noise=True),
        max_epochs=1,
        epoch_num_steps=arguments.steps,
        collection_step_num_env_steps=100,
        update_step_num_gradient_steps_per_sample=0.1,
        verbose=False,
        show_progress=False,
    )
    begun = time.perf_counter()
    learner.run_training(training)
    rate = arguments.steps / (time.perf_counter() - begun)
    uniform = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space)
    print(f"reward per game, mean of {arguments.games}, with 95 % intervals")
    print(f"random play  {play(uniform.policy, arguments.id, arguments.games)}")
    print(f"DQN          {play(learner.policy, arguments.id, arguments.games)}")
    print(f"{rate:,.0f} steps/s")


if __name__ == "__main__":
    main()
