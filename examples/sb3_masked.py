"""MaskablePPO of sb3-contrib on a Parlour game, then compared with random and greedy.

    python examples/sb3_masked.py --steps 100000

`CardVecEnv` is a native vector environment of Stable-Baselines3; `from_sb3` makes an agent of the
model, which Parlour's comparison takes as it takes its own.
"""

import argparse

from sb3_contrib import MaskablePPO

from parlour.agents import from_sb3
from parlour.envs import find_game
from parlour.training import compare
from parlour.training.learning.sb3 import CardVecEnv


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="pyramid")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--deals", type=int, default=1000)
    arguments = parser.parse_args()

    envs = CardVecEnv(find_game(arguments.game), num_envs=32, skip_forced=True)
    model = MaskablePPO("MlpPolicy", envs, n_steps=128, batch_size=512, seed=0, verbose=0)
    model.learn(arguments.steps)
    print(compare(arguments.game, ["uniform", "greedy", from_sb3(model)], deals=arguments.deals))


if __name__ == "__main__":
    main()
