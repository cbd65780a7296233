"""Speed of vector environments by the number of threads.

``python -m benchmarks.threads`` plays random actions with 1 and 2 threads. The numbers of threads
alternate in short rounds, so that other work on the machine affects all of them. The table shows
steps per second with one thread and, for more threads, two ratios to one thread: the median over
the rounds, and in brackets the ratio of the fastest calls of all rounds, which estimates the speed
on free cores. Each thread is pinned to a core of its own if there are enough cores.
"""

import os
import time
from dataclasses import dataclass
from statistics import median

import numpy as np
import tyro

from parlour.envs import GAMES, CardVectorEnv, find_game
from parlour.training.evaluation.result import describe_machine

ACTIONS = 16
"""Number of arrays of random actions, which the calls use in turn."""


@dataclass(frozen=True)
class Options:
    """What to measure."""

    games: tuple[str, ...] = tuple(GAMES)
    rows: tuple[int, ...] = (64, 512, 4096, 32768)
    threads: tuple[int, ...] = (1, 2)
    """Numbers of threads; the first is the base of the ratios."""
    rounds: int = 30
    seconds: float = 0.03
    """Time per round and number of threads, at least three calls."""
    whole: bool = False
    """Whether to measure ``envs.step`` with codes and ``copy=False`` instead of its kernels."""


def pin(envs: CardVectorEnv, cores: list[int]) -> None:
    """Pin this thread and the workers of an environment to different cores."""
    workers = [] if envs.rows.pool is None else envs.rows.pool.workers
    if len(workers) < len(cores):
        os.sched_setaffinity(0, cores[:1])
        for worker, core in zip(workers, cores[1:], strict=False):
            assert worker.native_id is not None
            os.sched_setaffinity(worker.native_id, [core])


def time_call(envs: CardVectorEnv, actions: np.ndarray, options: Options) -> float:
    """Return the time of the fastest call of one round."""
    step = envs.step if options.whole else envs.rows.step
    best, calls, end = np.inf, 0, time.perf_counter() + options.seconds
    while calls < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        step(actions[calls % ACTIONS])
        best = min(best, time.perf_counter() - begin)
        calls += 1
    return float(best)


def measure(game_name: str, rows: int, options: Options) -> str:
    """Return a line of the table."""
    game = find_game(game_name)
    keywords = {"illegal": "random", "encoding": "codes", "copy": False}
    batches = [CardVectorEnv(game, rows, num_threads=k, **keywords) for k in options.threads]
    actions = np.random.default_rng(1).integers(0, game.actions, (ACTIONS, rows))
    for envs in batches:
        envs.reset(seed=1)
        for one in actions:
            envs.step(one)
        if hasattr(os, "sched_setaffinity"):
            pin(envs, sorted(CORES))
    times = [[time_call(envs, actions, options) for envs in batches] for _ in range(options.rounds)]
    for envs in batches:
        envs.close()
    fastest = [min(column) for column in zip(*times, strict=True)]
    cells = [game_name, str(rows), f"{rows / fastest[0] / 1e6:.2f} M"]
    for i in range(1, len(batches)):
        ratio = median(one[0] / one[i] for one in times)
        cells.append(f"{ratio:.2f} ({fastest[0] / fastest[i]:.2f})")
    return f"| {' | '.join(cells)} |"


CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
"""The cores of this process at the start."""


def main() -> None:
    """Print the table."""
    options = tyro.cli(Options, description=__doc__)
    base, *others = options.threads
    names = "".join(f" {k} threads |" for k in others)
    print(f"| game | rows | steps/s, {base} thread{'s' * (base > 1)} |{names}")
    print(f"| --- | ---: | ---: |{' ---: |' * len(others)}")
    for game in options.games:
        for rows in options.rows:
            print(measure(game, rows, options), flush=True)
    print(f"\n{options.rounds} rounds; {describe_machine()}; load {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
