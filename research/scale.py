"""What would a thousand million labeled deals cost, and 10^11 steps of training?

    python -m research.scale

The unit costs are measured here, by one process; the rest is arithmetic. ``--write`` puts both into
docs/results/scale.md.
"""

import json
import tempfile
import time
from dataclasses import dataclass

import torch
import tyro

from benchmarks.reports import ROOT, put_block
from parlour.envs import find_game
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.training.evaluation.labels.labelling import LabelTask, solve_task
from parlour.training.evaluation.labels.labels import file_stem, load_labels, shipped_file
from parlour.training.evaluation.result import describe_machine
from parlour.training.learning.run import RESULT_FILE
from parlour.training.learning.settings.methods import PPOSettings
from parlour.training.learning.train import train

PAGE = ROOT / "docs" / "results" / "scale.md"
BLOCK = "research.scale"
LABELS = 10**9
STEPS = 10**11
CORES = 64
"""Cores of one machine."""
HOUR, DAY = 3600, 86400
DEAL_SETS = (("pyramid", "classic"), ("pyramid", "three-passes"), ("klondike", "classic"))


@dataclass(frozen=True)
class Options:
    """The amount of work to measure."""

    deals: int = 500
    """Deals to solve for each variant, without shortest wins."""
    steps: int = 200_000
    """Steps of a training run with PPO."""
    write: bool = False
    """Write the tables into docs/results/scale.md."""


def time_labels(name: str, variant: str, deals: int) -> tuple[float, float]:
    """Return the seconds to label a deal, and the bytes of a label on disk."""
    one = find_game(name)
    rules, deal_set = one.make_rules(variant), default_deal_set(name)
    task = LabelTask(one, rules, deal_set, 10_000, deals, False, None)
    solve_task(task._replace(n=1))  # compiles
    begun = time.perf_counter()
    solve_task(task)
    seconds = (time.perf_counter() - begun) / deals
    path = shipped_file(f"{file_stem(one, rules, deal_set, 0)}.parquet")
    return seconds, path.stat().st_size / len(load_labels(path))


def time_training(steps: int) -> tuple[float, int]:
    """Return PPO's steps per second on Pyramid, and the bytes of a run's folder."""
    with tempfile.TemporaryDirectory() as runs:
        settings = PPOSettings(
            game="pyramid", total_steps=steps, threads=1, device="cpu", name="scale", runs=runs
        )
        folder = train(settings, quiet=True)
        result = json.loads((folder / "seed-0" / RESULT_FILE).read_text(encoding="utf-8"))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return result["steps_per_second"], size


def number_text(value: float) -> str:
    """Return a number with two or three digits, with commas."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def label_lines(deals: int) -> list[str]:
    """Return the table of labels."""
    lines = [
        f"| deals | ms per deal | core-hours for 10⁹ deals | days on {CORES} cores | labels, GB |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, variant in DEAL_SETS:
        seconds, size = time_labels(name, variant, deals)
        hours = LABELS * seconds / HOUR
        lines.append(
            f"| {find_game(name).title}, `{variant}` | {1000 * seconds:.2f} | "
            f"{number_text(hours)} | "
            f"{number_text(hours / 24 / CORES)} | {number_text(LABELS * size / 1e9)} |"
        )
    return lines


def main() -> None:
    """Measure, print the tables, and write them with ``--write``."""
    given = tyro.cli(Options, description=__doc__)
    torch.set_num_threads(1)
    speed, size = time_training(given.steps)
    text = "\n".join(
        [
            *label_lines(given.deals),
            "",
            "PPO on Pyramid `classic` with the default settings of `parlour train` and one thread "
            f"makes {speed:,.0f} steps/s, evaluations excluded: "
            f"{number_text(STEPS / speed / DAY)} days on one core for 10¹¹ steps. The folder of a "
            f"run has {size / 1e6:.1f} MB, whatever the number of steps.",
            "",
            f"Samples: {given.deals} deals in each row, from deal 10,000 on, without computing the "
            f"fewest moves; {given.steps:,} training steps. {describe_machine()}. Written by "
            "`python -m research.scale --write`.",
        ]
    )
    print(text)
    if given.write:
        put_block(PAGE, BLOCK, text)


if __name__ == "__main__":
    main()
