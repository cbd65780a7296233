"""Training by several processes: steps a second by the number of actors.

``python -m benchmarks.actors`` trains the same run by 1, 2 and 4 actors, which take turns, rollout
by rollout; actors that wait cost nothing. It prints medians and ranges as a table: of the rollouts
alone, and with the updates, which the learner makes by itself. The last column is by processor
time, of the learner and of the slowest actor: it says what cores would come to that nobody else
uses.
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
    """A preset of method ppo."""
    network: str | None = None
    """Another network than the preset's."""
    critic: str | None = None
    """Another critic: solver makes a step of the games dear."""
    n_envs: int | None = None
    """Another number of games at once than the preset's."""
    actors: tuple[int, ...] = (1, 2, 4)
    rounds: int = 7
    """Rollouts by each; one more at the beginning is not counted."""
    threads: int = 1


def settings_of(options: Options) -> PPOSettings:
    """The settings of all runs, but for the number of actors."""
    settings = preset(options.game, options.preset, method="ppo")
    wanted = {name: getattr(options, name) for name in ("network", "critic", "n_envs")}
    changed = {name: value for name, value in wanted.items() if value is not None}
    limits = {"total_steps": 10**8, "eval_deals": 1, "threads": options.threads, "device": "cpu"}
    return cast(PPOSettings, replace(settings, **changed, **limits))


class TimedRun(PPORun):
    """A run that says what its last rollout cost."""

    def collect(self) -> None:
        """Add up wall and processor time; of the actors that of the slowest."""
        begun, busy = time.perf_counter(), time.process_time()
        super().collect()
        self.wall, self.processor = time.perf_counter() - begun, time.process_time() - busy

    def _join(self, parts: list[RolloutPart]) -> None:
        super()._join(parts)
        self.slowest = max(part.processor for part in parts)


def one_rollout(run: TimedRun) -> tuple[float, float, float]:
    """Steps/s of a rollout alone and with its update, and of the former by processor time."""
    run.slowest, begun = 0.0, time.perf_counter()
    run.iterate()
    whole = time.perf_counter() - begun
    n = run.settings.n_envs * run.settings.n_steps
    return n / run.wall, n / whole, n / (run.processor + run.slowest)


def shown(speeds: list[float]) -> str:
    """Return the median and the range, in thousands a second."""
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
