"""Speed of the kernels in a wheel, compared with kernels compiled for this machine's processor.

    python -m benchmarks.generic_kernels

A wheel has kernels that run on every processor of the level x86-64-v3. Two processes play random
actions in a vector environment: one with kernels for that level, the other with kernels for this
processor. They alternate in short rounds, so that other work on the machine affects both. The table
shows the median ratio of their speeds over the rounds, and the lowest and highest ratio.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from statistics import median

import numpy as np
import tyro

from parlour.envs import GAMES, CardVectorEnv, find_game
from parlour.envs.core.kernel.shipped import PROCESSOR
from parlour.training.evaluation.result import describe_machine

ACTIONS = 16
"""Number of arrays of random actions, which the calls use in turn."""
SECONDS = 0.3
"""Time of a round of one process."""
CHILD = "--child"


@dataclass(frozen=True)
class Options:
    """What to measure."""

    games: tuple[str, ...] = tuple(GAMES)
    rows: int = 4096
    rounds: int = 9


def serve(game_name: str, rows: int) -> None:
    """Print the steps per second of a round for each line on stdin, after a first line."""
    game = find_game(game_name)
    envs = CardVectorEnv(game, rows, illegal="random", encoding="codes", copy=False)
    actions = np.random.default_rng(1).integers(0, game.actions, (ACTIONS, rows))
    envs.reset(seed=1)
    envs.step(actions[0])
    print("ready", flush=True)
    for _ in sys.stdin:
        begun, calls = time.perf_counter(), 0
        while (seconds := time.perf_counter() - begun) < SECONDS:
            envs.step(actions[calls % ACTIONS])
            calls += 1
        print(rows * calls / seconds, flush=True)


def start(game: str, rows: int, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Start a process that measures rounds, and wait until its kernels are compiled."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.generic_kernels", CHILD, game, str(rows)],
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def measure(game: str, options: Options, cache: str) -> str:
    """Return a line of the table."""
    generic = {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": cache}
    processes = [start(game, options.rows, environment) for environment in ({}, generic)]
    rounds = []
    for _ in range(options.rounds):
        speeds = []
        for process in processes:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            speeds.append(float(process.stdout.readline()))
        rounds.append(speeds)
    for process in processes:
        process.communicate()
    ratios = [other / native for native, other in rounds]
    speed = median(native for native, _ in rounds) / 1e6
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return f"| {find_game(game).title} | {speed:.2f} M | {median(ratios):.2f} | {spread} |"


def main() -> None:
    """Print the table."""
    options = tyro.cli(Options, description=__doc__)
    print(f"| game | steps/s, this processor | {PROCESSOR} | lowest to highest |")
    print("| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as cache:
        for game in options.games:
            print(measure(game, options, cache), flush=True)
    print(f"\n{options.rounds} rounds; {describe_machine()}; load {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    if CHILD in sys.argv:
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        main()
