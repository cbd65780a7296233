"""``parlour bench``: steps per second on this machine, with random legal actions on one core.

This is a quick measurement. The figures in the documentation come from ``benchmarks/``.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np

from parlour.envs import GAMES, CardEnv, Game, find_game
from parlour.envs.core.baselines import pick_uniform
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import describe_rules

from .arguments import (
    MOST_ROWS,
    add_game_and_rules,
    add_json,
    read_options,
    read_seconds,
    read_whole,
)
from .output import ROOT

EXAMPLES = {
    "bench": """\
  parlour bench                                 in a clone of the repository: all measurements,
                                                including those of other libraries
  parlour bench pyramid --rows 4096 --json
""",
}


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour bench``."""
    add_game_and_rules(parser, optional=True)
    parser.add_argument(
        "--rows", type=read_whole(MOST_ROWS), help="number of games in the batch (default: 1024)"
    )
    parser.add_argument(
        "--seconds",
        type=read_seconds,
        help="seconds of each measurement (default: 1)",
    )
    add_json(parser)


def run_bench(arguments: argparse.Namespace) -> int:
    """Measure one game; without GAME, run all benchmarks of the clone, or measure all games."""
    if arguments.game is None and (ROOT / "benchmarks" / "steps.py").is_file():
        return _bench_all(arguments)
    games = list(GAMES.values()) if arguments.game is None else [find_game(arguments.game)]
    options = read_options(arguments.option)
    rows = 1024 if arguments.rows is None else arguments.rows
    seconds = 1.0 if arguments.seconds is None else arguments.seconds
    speeds = [
        measure_speed(g, g.make_rules(arguments.variant, options), rows, seconds) for g in games
    ]
    if arguments.json:
        print(json.dumps(speeds[0] if arguments.game else speeds))
        return 0
    for speed in speeds:
        batched, single = speed["batched_steps_per_second"], speed["single_steps_per_second"]
        name = f"{speed['game']} {speed['variant']}"
        print(f"{name}, random legal actions with action masks and codes, one core:")
        print(f"  {batched:>12,.0f} steps/s  batched, {speed['rows']} rows")
        print(f"  {single:>12,.0f} steps/s  single environment")
    return 0


def _bench_all(arguments: argparse.Namespace) -> int:
    """Run all benchmarks of the clone, which accept only --seconds."""
    flags = {
        "--variant": arguments.variant is not None,
        "--option": bool(arguments.option),
        "--rows": arguments.rows is not None,
        "--json": arguments.json,
    }
    wrong = [flag for flag, is_set in flags.items() if is_set]
    if wrong:
        raise ValueError(
            f"{', '.join(wrong)} must not be given without GAME. Name a game, such as parlour "
            f"bench {next(iter(GAMES))}; without GAME, the command runs all benchmarks of the "
            "clone (see parlour bench --help)"
        )
    print(
        "Running all benchmarks (several minutes). Peer libraries that are not installed are "
        "skipped; make bench installs them.",
        file=sys.stderr,
    )
    words = [] if arguments.seconds is None else ["--seconds", str(arguments.seconds)]
    command = [sys.executable, "-m", "benchmarks.steps", *words]
    return subprocess.run(command, cwd=ROOT).returncode


def measure_speed(game: Game, rules: Any, rows: int = 1024, seconds: float = 1.0) -> dict[str, Any]:
    """Measure steps per second, single and batched, and return them as JSON values.

    The time includes the legality check, autoreset, action mask, ``codes`` and the random choice.
    The single measurement steps one `CardEnv` and resets it at the end of each episode. The batched
    one steps the kernel over ``rows`` games with SAME_STEP autoreset.
    """
    if rows < 1 or seconds <= 0:
        raise ValueError(f"rows and seconds must be above 0, got rows={rows}, seconds={seconds}")
    return {
        "game": game.name,
        "variant": describe_rules(game, rules, game.variant_name(rules)),
        "rows": rows,
        "seconds": seconds,
        "batched_steps_per_second": _rate(_batched_step(game, rules, rows), seconds) * rows,
        "single_steps_per_second": _rate(_single_step(game, rules), seconds),
    }


def _rate(step: Callable[[], None], seconds: float) -> float:
    """Return the calls of ``step`` per second, after a warm-up that compiles."""
    for _ in range(100):
        step()
    calls, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        for _ in range(20):
            step()
        calls += 20
    return calls / spent


def _batched_step(game: Game, rules: Any, n: int) -> Callable[[], None]:
    batch = Rows(game, rules, n, StepConfig(reset=Autoreset.SAME_STEP, max_moves=500))
    rng, actions = np.random.default_rng(0), np.zeros(n, np.int64)
    batch.seed(rng.integers(0, 2**63, n, np.uint64))
    batch.start(DealSource.DRAW)

    def step() -> None:
        pick_uniform(batch.buffers.masks, rng.random(n), actions)
        batch.step(actions)

    return step


def _single_step(game: Game, rules: Any) -> Callable[[], None]:
    env = CardEnv(game, encoding="codes", **to_plain(rules))
    draws = cycle(np.random.default_rng(0).random((4096, 1)))
    action = np.zeros(1, np.int64)
    _, info = env.reset(seed=0)

    def step() -> None:
        nonlocal info
        pick_uniform(info["action_mask"][None], next(draws), action)
        _, _, over, cut, info = env.step(action[0])
        if over or cut:
            _, info = env.reset()

    return step
