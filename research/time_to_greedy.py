"""How soon does a network play as well as greedy, by preset, and where does the time go?

``python -m research.time_to_greedy --presets ppo --seeds 0 1 2`` trains with each preset in turn,
seed by seed, and evaluates the agent on GAME-validation every ``--every`` steps. The time ends when
it first does as well there as greedy on the same deals; it is wall and processor time of learning,
without the evaluations. Then the agent is compared with greedy on other deals, those of GAME-1,
because it may have reached the level by luck.
"""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from benchmarks.reports import write_json
from parlour.agents.registry import load_agent
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.training.evaluation.play import play_deals
from parlour.training.evaluation.stats import bootstrap_mean
from parlour.training.learning.methods import load_method
from parlour.training.learning.run import Run
from parlour.training.learning.settings.base import LearnerSettings, SoloSettings
from parlour.training.learning.settings.files import preset


@dataclass(frozen=True)
class Options:
    """The runs to measure."""

    game: str = "pyramid"
    presets: tuple[str, ...] = ("ppo",)
    settings: Path | None = None
    """A file with these presets (None: the game's)."""
    seeds: tuple[int, ...] = (0, 1, 2)
    deals: int = 2000
    """Deals of GAME-validation for each evaluation."""
    every: int = 65_536
    """Steps from one evaluation to the next, rounded up to whole rollouts."""
    most: int = 2_000_000
    """Steps after which a run is stopped."""
    confirm: int = 4000
    """Deals of GAME-1 for the final comparison (0: none)."""
    threads: int = 1
    json: Path | None = None
    """A file for all figures."""


@dataclass
class Spent:
    """Seconds of learning so far."""

    wall: float = 0.0
    cpu: float = 0.0


def learn(run: Run, steps: int, spent: Spent) -> None:
    """Continue a run up to a number of steps and add up the time."""
    wall, cpu = time.perf_counter(), time.process_time()
    with run.learning_context():
        while run.steps < steps and run.share_done() < 1:
            run.iterate()
    spent.wall += time.perf_counter() - wall
    spent.cpu += time.process_time() - cpu


def count_won(run: Run, agent: Any, seeds: np.ndarray) -> np.ndarray:
    """Return for each deal the game's measure: whether the agent wins it, or its score."""
    assert isinstance(run.settings, SoloSettings)
    limit = run.settings.max_moves
    results = play_deals(
        run.game, run.rules, agent, seeds, max_moves=limit, evaluation_seed="level"
    )
    return results.facts[run.game.goal_name(run.rules)].astype(float)


def measure(options: Options, name: str, seed: int, folder: str) -> dict[str, Any]:
    """Train with a preset until its agent does as well as greedy; return the figures."""
    settings = preset(options.game, name, options.settings)
    assert isinstance(settings, LearnerSettings)
    settings = replace(
        settings, eval_deals=options.deals, threads=options.threads, device="cpu", seeds=(seed,)
    )
    run = load_method(settings.method)(settings, seed, Path(folder) / f"{name}-{seed}")
    greedy = load_agent("greedy", run.game, run.rules, 0)
    goal = count_won(run, greedy, run.deals).mean()
    spent, curve, done = Spent(), [], False
    while not done and run.steps < min(options.most, run.total):
        learn(run, run.steps + options.every, spent)
        level = count_won(run, run.agent(), run.deals).mean()
        done = bool(level >= goal)
        curve.append((run.steps, round(spent.cpu, 2), round(spent.wall, 2), round(level, 4)))
        print(f"  {run.steps:>9,} steps {spent.cpu:6.1f} s CPU {spent.wall:6.1f} s {level:.4f}")
    figures = {"preset": name, "seed": seed, "reached": done, "greedy": goal, "curve": curve}
    figures |= {"steps": run.steps, "cpu": spent.cpu, "wall": spent.wall}
    clock = getattr(run, "clock", None)
    figures["phases"] = {k: round(v, 2) for k, v in clock.seconds.items()} if clock else {}
    if options.confirm:
        other = deal_seeds(f"{run.game.name}-1", range(options.confirm))
        less = count_won(run, run.agent(), other) - count_won(run, greedy, other)
        figures["less_greedy"] = list(bootstrap_mean(less))
    run.close()
    return figures


def describe(figures: dict[str, Any]) -> str:
    """Return the figures of a run as one line."""
    reached = "greedy's level" if figures["reached"] else "NOT greedy's level"
    phases = ", ".join(f"{name} {s:.1f}" for name, s in figures["phases"].items() if s)
    line = f"{figures['preset']} seed {figures['seed']}: {reached} ({figures['greedy']:.4f}) after "
    line += (
        f"{figures['steps']:,} steps, {figures['cpu']:.1f} s CPU, {figures['wall']:.1f} s; {phases}"
    )
    if "less_greedy" in figures:
        mean, low, high = figures["less_greedy"][:3]
        line += f"; on other deals {100 * mean:+.2f} [{100 * low:+.2f}, {100 * high:+.2f}]"
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; see the module's docstring."""
    options = tyro.cli(Options, args=arguments, description=__doc__)
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in options.seeds:
            for name in options.presets:
                runs.append(measure(options, name, seed, folder))
                print(describe(runs[-1]), flush=True)
    if options.json:
        write_json(options.json, runs, indent=2)
    return 0


if __name__ == "__main__":
    main()
