"""Steps per second of training by the number of actor processes.

``python -m benchmarks.actors`` trains the same run with 1, 2 and 4 actors, which alternate rollout
by rollout; waiting actors use no time. It prints a table of medians and ranges: rollouts alone, and
rollouts with the updates of the learner. The last column uses the processor time of the learner and
of the slowest actor, which estimates the speed on cores that are free of other work.
"""

import tempfile
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import torch
import tyro

from benchmarks.reports import range_text
from benchmarks.training import conditions
from parlour.training.learning.actors import RolloutPart
from parlour.training.learning.methods.ppo import PPORun
from parlour.training.learning.settings.files import preset
from parlour.training.learning.settings.methods import PPOSettings


@dataclass(frozen=True)
class Options:
    """What to measure."""

    game: str = "pyramid"
    preset: str = "ppo"
    """Preset of the method ppo."""
    network: str | None = None
    """Network (default: the preset's)."""
    critic: str | None = None
    """Critic (default: the preset's); with ``solver`` the environment steps are expensive."""
    n_envs: int | None = None
    """Number of parallel games (default: the preset's)."""
    actors: tuple[int, ...] = (1, 2, 4)
    rounds: int = 7
    """Measured rollouts of each configuration, after one warm-up rollout."""
    threads: int = 1


def settings_of(options: Options) -> PPOSettings:
    """Return the settings of all runs, without the number of actors."""
    settings = preset(options.game, options.preset, method="ppo")
    wanted = {name: getattr(options, name) for name in ("network", "critic", "n_envs")}
    changed = {name: value for name, value in wanted.items() if value is not None}
    limits = {"total_steps": 10**8, "eval_deals": 1, "threads": options.threads, "device": "cpu"}
    return cast(PPOSettings, replace(settings, **changed, **limits))


class TimedRun(PPORun):
    """A run that records the time of its last rollout."""

    def collect(self) -> None:
        """Record wall time and processor time; of the actors, those of the slowest."""
        begun, busy = time.perf_counter(), time.process_time()
        super().collect()
        self.wall, self.processor = time.perf_counter() - begun, time.process_time() - busy

    def _join(self, parts: list[RolloutPart]) -> None:
        super()._join(parts)
        self.slowest = max(part.processor for part in parts)


def one_rollout(run: TimedRun) -> tuple[float, float, float]:
    """Return steps/s of a rollout alone, with its update, and alone by processor time."""
    run.slowest, begun = 0.0, time.perf_counter()
    run.iterate()
    whole = time.perf_counter() - begun
    n = run.settings.n_envs * run.settings.n_steps
    return n / run.wall, n / whole, n / (run.processor + run.slowest)


def shown(speeds: list[float]) -> str:
    """Return the median and the range, in thousands per second."""
    return range_text([speed / 1000 for speed in speeds], 1, " k")


def main() -> None:
    """Measure and print."""
    options = tyro.cli(Options, description=__doc__)
    torch.set_num_threads(options.threads)
    settings = settings_of(options)
    also = {name: getattr(settings, name) for name in ("network", "critic", "n_steps", "n_epochs")}
    print(conditions(settings) | also)
    speeds: dict[int, list[tuple[float, float, float]]] = {n: [] for n in options.actors}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        runs = {}
        for n in options.actors:
            run = TimedRun(replace(settings, actors=n), 0, folder / str(n))
            runs[n] = stack.enter_context(closing(run))
        for number in range(options.rounds + 1):
            for n, run in runs.items():
                measured = one_rollout(run)
                speeds[n] += [measured] * (number > 0)
    print("\n| actors | rollouts, steps/s | with updates | rollouts, by processor time |")
    print("|---:|---:|---:|---:|")
    for n, found in speeds.items():
        columns = [shown(list(part)) for part in zip(*found, strict=True)]
        print(f"| {n} | {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
