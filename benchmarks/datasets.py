"""Time and size of datasets: the cost per decision on a part, and estimates for 10⁸ decisions.

    python -m benchmarks.datasets            # print the table; takes about three minutes
    python -m benchmarks.datasets --write    # write the table into docs/results/scale.md

Each row makes one shard of ``parlour dataset make`` in this process. The time is CPU time of the
process with one thread, so that other programs on the machine change it little.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported

from time import process_time
from typing import Any, NamedTuple

from benchmarks.reports import ROOT, put_block
from parlour.envs import find_game
from parlour.training.datasets.dataset import ShardTask, make_shard
from parlour.training.datasets.decisions import DatasetSpec, play_decisions
from parlour.training.evaluation.result import describe_machine

PAGE, BLOCK = ROOT / "docs" / "results" / "scale.md", "benchmarks.datasets"
DECISIONS = 10**8
WARM_UP = 2
"""Number of games that are played before the measurement."""


class Part(NamedTuple):
    """A part of a dataset: the first games with greedy agents in all seats."""

    game: str
    episodes: int
    worlds: int = 0
    player: str | None = None


PARTS = (
    Part("pyramid", 500, 16),
    Part("pyramid", 500),
    Part("klondike", 100, 4),
    Part("poker_squares", 250, 16, "greedy"),
    Part("twenty_eight", 500),
    Part("twenty_eight", 200, 4, "greedy"),
)


def measure(part: Part) -> list[str]:
    """Return the cells of a row of the table."""
    spec = DatasetSpec(
        find_game(part.game), episodes=part.episodes, worlds=part.worlds, player=part.player
    )
    description = spec.describe()
    make_shard(ShardTask(spec, description, part.episodes, WARM_UP))
    begun = process_time()
    size = len(make_shard(ShardTask(spec, description, 0, part.episodes)))
    seconds = process_time() - begun
    no_values = DatasetSpec(spec.game, episodes=part.episodes, worlds=0)
    rows: dict[str, Any] = play_decisions(no_values, 0, part.episodes)
    decisions = len(rows["step"])
    choices = int((rows["action_mask"].sum(axis=1) > 1).sum())
    values = "none"
    if spec.judge is not None:
        values = f"{part.worlds} worlds, {'solver' if spec.judge.exact else 'play-outs'}"
    return [
        f"{spec.game.title}, `{spec.game.default}`",
        values,
        f"{decisions:,} ({100 * choices / decisions:.0f} %)",
        f"{decisions / seconds:,.0f}",
        f"{size / decisions:.1f}",
        f"{DECISIONS / decisions * seconds / 3600:,.1f}",
        f"{DECISIONS / decisions * size / 1e9:.1f}",
    ]


def main() -> None:
    """Measure all parts; print the table or write it into the page."""
    parser = argparse.ArgumentParser(description="Measure time and size of datasets.")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    write = parser.parse_args().write
    lines = [
        "| game | values | decisions (with a choice) | decisions per second | bytes per decision | "
        "core-hours for 10⁸ | GB for 10⁸ |",
        "|---|---|---:|---:|---:|---:|---:|",
        *(f"| {' | '.join(measure(part))} |" for part in PARTS),
    ]
    table = "\n".join(lines) + (
        "\n\nThe first random games, `greedy` in all seats, in one process with one thread. The "
        f"seconds are CPU seconds. {describe_machine()}. Written by `python -m "
        "benchmarks.datasets --write`."
    )
    if write:
        put_block(PAGE, BLOCK, table)
    else:
        print(table)


if __name__ == "__main__":
    main()
