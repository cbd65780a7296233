"""Train a population of AgileRL's PPO agents with masks on a batch of Parlour games.

    python examples/agilerl_masked.py --steps 40000

AgileRL reads ``info["action_mask"]`` of Parlour's vector environment when it plays, learns and
tests. Each round keeps the best agents and changes the learning rates of some. ``illegal="raise"``
raises an error if an agent acts without a mask. Needs ``pip install agilerl peft`` (version 2.58
imports peft without requiring it).
"""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.algorithms.core.registry import HyperparameterConfig, RLParameter
from agilerl.hpo.mutation import Mutations
from agilerl.hpo.tournament import TournamentSelection
from agilerl.training.train_on_policy import train_on_policy

import parlour.envs  # noqa: F401  # registers the games

AGENTS, ENVS, ROUND = 2, 16, 4096


def make_agents(envs: gym.vector.VectorEnv) -> list[PPO]:
    """Return a population of equal agents."""
    return PPO.population(
        size=AGENTS,
        observation_space=envs.single_observation_space,
        action_space=envs.single_action_space,
        hp_config=HyperparameterConfig(lr=RLParameter(min=1e-4, max=2e-3)),
        net_config={"encoder_config": {"hidden_size": [128]}, "latent_dim": 64},
        batch_size=256, learn_step=2048, lr=5e-4, gamma=1.0, num_envs=ENVS,
    )  # fmt: skip


def mean_reward(agents: list[PPO], envs: gym.vector.VectorEnv, rounds: int = 10) -> str:
    """Return the mean reward per game of each agent."""
    return ", ".join(f"{float(agent.test(envs, loop=rounds)):.3f}" for agent in agents)


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument(
        "--steps", type=int, default=40_000, help="timesteps of all agents together"
    )
    arguments = parser.parse_args()

    np.random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    envs = gym.make_vec(
        arguments.id, ENVS, autoreset_mode="same_step", skip_forced=True, illegal="raise"
    )
    agents = make_agents(envs)
    print(f"reward per game before {mean_reward(agents, envs)}")
    rounds = max(1, arguments.steps // (ROUND * AGENTS))
    begun = time.perf_counter()
    agents, _ = train_on_policy(
        envs, arguments.id, "PPO", agents, max_steps=rounds * ROUND, evo_steps=ROUND,
        selection_strategy=TournamentSelection(AGENTS, elitism=True, population_size=AGENTS),
        mutation=Mutations(
            no_mutation=0.5, architecture=0, new_layer_prob=0, parameters=0, activation=0,
            rl_hp=0.5, rand_seed=0,
        ),
        verbose=False,
    )  # fmt: skip
    rate = rounds * ROUND * AGENTS / (time.perf_counter() - begun)
    print(f"reward per game after {mean_reward(agents, envs)}")
    print(f"{rate:,.0f} steps/s")


if __name__ == "__main__":
    main()
