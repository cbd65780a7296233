"""Train MaskablePPO of sb3-contrib on a Parlour game, then compare it with uniform and greedy.

    python examples/sb3_masked.py --steps 100000

`CardVecEnv` is a native vector environment of Stable-Baselines3; `from_sb3` turns the model into an
agent for Parlour's comparison. In a game for several players the model learns at one seat, with
greedy in the others, and the comparison plays every seat.
"""

import argparse
import time

import torch
from sb3_contrib import MaskablePPO

from parlour.agents import from_sb3
from parlour.envs import find_game
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training import compare


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--game", default="pyramid", help="name of the game")
    parser.add_argument("--steps", type=int, default=100_000, help="number of timesteps")
    parser.add_argument("--deals", type=int, default=1000, help="number of deals in the comparison")
    parser.add_argument("--seed", type=int, default=0, help="training seed")
    arguments = parser.parse_args()

    torch.set_num_threads(1)
    game = find_game(arguments.game)
    envs = CardVecEnv(game, num_envs=32, skip_forced=True)
    model = MaskablePPO("MlpPolicy", envs, n_steps=128, batch_size=512, seed=arguments.seed)
    begun = time.perf_counter()
    model.learn(arguments.steps)
    rate = model.num_timesteps / (time.perf_counter() - begun)
    print(compare(game, ["uniform", "greedy", from_sb3(model)], deals=arguments.deals))
    print(f"{rate:,.0f} steps/s")


if __name__ == "__main__":
    main()
