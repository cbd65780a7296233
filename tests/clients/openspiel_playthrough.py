"""OpenSpiel: its playthrough generator on every game, MCCFR on a small one.

python tests/clients/openspiel_playthrough.py
"""

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms import (
    exploitability,
    external_sampling_mccfr,
    generate_playthrough,
)

import parlour.envs.interfaces.openspiel  # noqa: F401  # registers the games
from parlour.envs import GAMES


def play_through() -> None:
    """What OpenSpiel's own regression tests are made of."""
    for name in GAMES:
        text = generate_playthrough.playthrough(f"parlour_{name}", None, seed=1)
        print(f"parlour_{name}: a playthrough of {len(text.splitlines())} lines")


def solve(iterations: int) -> None:
    """Exploitability falls."""
    game = pyspiel.load_game("parlour_seven_twenty_seven(variant=mini)")
    solver = external_sampling_mccfr.ExternalSamplingSolver(
        game, external_sampling_mccfr.AverageType.SIMPLE
    )
    for _ in range(iterations):
        solver.iteration()
    nash_conv = exploitability.nash_conv(game, solver.average_policy())
    print(f"MCCFR: NashConv {nash_conv:.2f} after {iterations} iterations")


def play_randomly(seconds: float) -> float:
    """Steps a second of OpenSpiel's random player."""
    game = pyspiel.load_game("parlour_pyramid(deals=100)")
    bot = pyspiel.make_uniform_random_bot(0, 0)
    steps, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        state = game.new_initial_state()
        state.apply_action(int(np.random.randint(100)))
        while not state.is_terminal():
            state.apply_action(bot.step(state))
            steps += 1
    return steps / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=50)
    arguments = parser.parse_args()
    np.random.seed(0)
    play_through()
    solve(arguments.iterations)
    print(f"{play_randomly(5.0):,.0f} steps/s")


if __name__ == "__main__":
    main()
