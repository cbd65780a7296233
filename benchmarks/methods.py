"""The table of learning methods: each preset trained once, evaluated on the same numbered deals.

    python -m benchmarks.methods --list                        # the presets of all games
    python -m benchmarks.methods pyramid:ppo klondike:ppo      # train, evaluate and record them
    make docs                                                  # write docs/results/methods.md again

A preset is trained with its first training seed in a process of its own, on one thread. The trained
agent and the game's greedy agent play the same deals. The record in benchmarks/methods.json holds
the scores, their paired difference, and the processor and wall time of training. The scores of
pretrained agents come from the benchmark.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.reports import ROOT, write_json
from parlour.envs import GAMES, find_game
from parlour.training import compare, preset
from parlour.training.evaluation.result import describe_machine
from parlour.training.learning.settings.files import presets

RECORD = ROOT / "benchmarks" / "methods.json"
"""File of all rows. ``make docs`` writes the table of docs/results/methods.md from it."""
SEED = "methods"
"""Evaluation seed of all rows."""


def train_preset(game: str, name: str, folder: Path) -> tuple[Path, float, float]:
    """Train a preset with its first seed; return the agent, processor and wall seconds."""
    words = ["train", game, "--preset", name, "--seeds", str(preset(game, name).seeds[0])]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "parlour", *words, "--name", "methods"],
        cwd=folder,
        env=environment,
        check=True,
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (agent,) = (folder / "runs").glob("*/seed-*/agent")
    return agent, processor, wall


def measure(game: str, name: str, deals: int) -> dict[str, Any]:
    """Train and evaluate a preset; return its row."""
    settings = preset(game, name)
    with tempfile.TemporaryDirectory() as folder:
        agent, processor, wall = train_preset(game, name, Path(folder))
        result = compare(
            game,
            ["greedy", f"trained={agent}"],
            variants=[settings.variant],
            deals=deals,
            evaluation_seed=SEED,
        )
    greedy, trained = result.evaluations
    measured = find_game(game).measure
    difference = trained.subtract(greedy)
    gain = difference.reached if measured == trained.goal else difference.score
    return {
        "game": game,
        "variant": settings.variant,
        "preset": name,
        "method": settings.method,
        "seed": settings.seeds[0],
        "measure": measured,
        "score": list(trained.estimate(measured)),
        "greedy": list(greedy.estimate(measured)),
        "gain": list(gain),
        "deals": deals,
        "processor_seconds": round(processor, 1),
        "wall_seconds": round(wall, 1),
        "machine": describe_machine(),
    }


def main() -> None:
    """Train what is named, and write the record and the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.methods", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("presets", nargs="*", metavar="GAME:PRESET")
    parser.add_argument("--list", action="store_true", help="print the presets of all games")
    parser.add_argument(
        "--deals", type=int, default=10_000, help="deals of a row (default: 10,000)"
    )
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(f"{game}:{name}" for game in GAMES for name in presets(game)))
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    for text in arguments.presets:
        game, _, name = text.partition(":")
        find_game(game)
        record[text] = measure(game, name, arguments.deals)
        write_json(RECORD, dict(sorted(record.items())))
        print(json.dumps(record[text]), flush=True)


if __name__ == "__main__":
    main()
