"""PettingZoo's own tests of every game for several, and random play at a table.

python tests/clients/pettingzoo_api.py
"""

import time

import numpy as np
from pettingzoo.test import api_test, seed_test

from parlour.envs import GAMES
from parlour.envs.interfaces import pettingzoo as aec

STEPS = 20_000


def main() -> None:
    for game in GAMES.values():
        for variant, rules in game.variants.items():
            if game.num_players(rules) > 1:
                api_test(aec.env(game.name, variant), num_cycles=200)
                seed_test(lambda name=game.name, rules=variant: aec.env(name, rules), 200)
    env, rng = aec.env("seven_twenty_seven"), np.random.default_rng(0)
    env.reset(seed=0)
    steps, begun = 0, time.perf_counter()
    while steps < STEPS:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            continue
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        steps += 1
    print(f"{steps / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
