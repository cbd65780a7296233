"""Evolve a policy with masks by PGPE of EvoTorch, from the rewards of whole games.

    python examples/evotorch_masked.py --generations 40

EvoTorch takes an observation as one row of numbers. Gymnasium's `FlattenObservation` concatenates
mask and observation; the network splits the mask off and makes illegal actions impossible.
``illegal="raise"`` raises an error if it does not. Needs ``pip install evotorch``.
"""

import argparse
import time

import gymnasium as gym
import torch
from evotorch.algorithms import PGPE
from evotorch.neuroevolution import GymNE
from gymnasium.wrappers import FlattenObservation
from torch import nn

from parlour.envs import DictObservation  # the import registers the games

POPULATION, GAMES = 40, 8


class Policy(nn.Module):
    """Scores of the actions, -1e8 for illegal ones; GymNE takes the best action."""

    def __init__(self, columns: int, actions: int) -> None:
        super().__init__()
        self.actions = actions
        self.scores = nn.Linear(columns, actions)

    def forward(self, row: torch.Tensor) -> torch.Tensor:
        """Return the scores for rows of a mask and an observation."""
        mask, observation = row[..., : self.actions], row[..., self.actions :]
        return self.scores(observation).masked_fill(mask == 0, -1e8)


def make_env(**keywords: str) -> gym.Env:
    """Return an environment whose observation is the mask, followed by the observation."""
    env = gym.make(**keywords, skip_forced=True, illegal="raise")
    return FlattenObservation(DictObservation(env, dtype="float32", mask_dtype="float32"))


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--generations", type=int, default=40, help="number of generations")
    arguments = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    plain = gym.make(arguments.id)
    columns, actions = plain.observation_space.shape[0], int(plain.action_space.n)
    problem = GymNE(
        make_env, Policy(columns, actions), env_config={"id": arguments.id}, num_episodes=GAMES
    )
    search = PGPE(
        problem, popsize=POPULATION, center_learning_rate=0.2, stdev_learning_rate=0.1,
        stdev_init=0.1, ranking_method="centered",
    )  # fmt: skip
    begun = time.perf_counter()
    for generation in range(1, arguments.generations + 1):
        search.step()
        if generation in (1, arguments.generations):
            print(f"generation {generation}: reward per game {search.status['mean_eval']:.3f}")
    steps = int(problem.status["total_interaction_count"])
    print(f"{steps / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
