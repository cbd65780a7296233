"""Benchmark entries of MaskablePPO of sb3-contrib with its default settings.

``python -m benchmarks.sb3_entries`` trains on each task for one player with several training seeds,
and writes the entries and recorded games to ``benchmarks/results``. Finished entries are kept, so
the same command resumes after an interruption, with the seed that was interrupted. One seed takes
5 to 15 minutes on one core. Processes with different tasks may run at the same time.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import torch
import tyro
from sb3_contrib import MaskablePPO

from parlour.agents import from_sb3
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training.benchmark.entries import RUNS, locate_entry, write_entry
from parlour.training.benchmark.run import Training, measure_entry
from parlour.training.benchmark.tasks import BUDGETS, TASKS, Task, find_task

METHOD, BUDGET = "sb3-maskable-ppo-small", "small"
NUM_ENVS = 8


@dataclass(frozen=True)
class Options:
    """What to train."""

    tasks: tuple[str, ...] = tuple(
        name for name, task in TASKS.items() if task.kind == "deals" and not task.is_multiplayer
    )
    seeds: int = 5
    """Number of training seeds, from 0."""
    folder: Path = Path("benchmarks/results")


def train_entry(task: Task, seed: int, folder: Path) -> None:
    """Train one seed on a task, and write its entry."""
    envs = CardVecEnv(task.game_object, num_envs=NUM_ENVS, variant=task.variant)
    model = MaskablePPO("MlpPolicy", envs, seed=seed, device="cpu")
    begun = time.perf_counter()
    model.learn(int(BUDGETS[BUDGET]))
    seconds = time.perf_counter() - begun
    path = f"{RUNS}/{task.name}/{METHOD}-{seed}.zip"
    model.save(folder / path)
    training = Training(path, BUDGET, model.num_timesteps, seconds)
    entry = measure_entry(task, METHOD, training, folder, seed, loaded=from_sb3(model))
    write_entry(folder, entry)
    print(f"{entry.title}: {entry.raw.text(decimals=4)}, score {entry.score:.3f}", flush=True)


def main(options: Options) -> None:
    """Train all seeds on all tasks."""
    torch.set_num_threads(1)
    # PyTorch's checks of distributions take a sixth of the time, and change no result.
    torch.distributions.Distribution.set_default_validate_args(False)
    for name in options.tasks:
        for seed in range(options.seeds):
            if not locate_entry(options.folder, METHOD, name, seed).exists():
                train_entry(find_task(name), seed, options.folder)


if __name__ == "__main__":
    main(tyro.cli(Options))
