"""Overhead of distributing work, and the speedup of a second worker process.

    python -m benchmarks.cluster

The same evaluation, in chunks of about one second, runs in this process, with one worker, and with
two workers of each backend. The configurations alternate, so that a slow minute of the machine
affects all of them, and ratios are computed within a round. The start of an engine is not part of
the time: each worker plays one chunk before the measurement, and the start time is reported
separately. ``--write`` puts the table into docs/results/scale.md.
"""

import statistics
import time
from dataclasses import dataclass

import tyro

from benchmarks.reports import ROOT, put_block, range_text
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.lineups import CHUNK
from parlour.training.evaluation.result import describe_machine
from parlour.training.parallel.tasks import Cluster, join_cluster

PAGE = ROOT / "docs" / "results" / "scale.md"
BLOCK = "benchmarks.cluster"
ALONE = Cluster("sequential", 1)


@dataclass(frozen=True)
class Options:
    """What to measure."""

    rounds: int = 5
    chunks: int = 12
    """Chunks of each evaluation."""
    agent: str = "pimc@8"
    """Agent that plays Pyramid."""
    backends: tuple[str, ...] = ("loky", "ray")
    write: bool = False
    """Write the table into the page of scale."""


def time_play(given: Options, cluster: Cluster) -> tuple[float, float]:
    """Return the seconds until the workers are ready, and the seconds of the evaluation."""
    begun = time.perf_counter()
    with join_cluster(cluster):
        evaluate(
            "pyramid",
            given.agent,
            deals=CHUNK * (cluster.jobs or 1),
            evaluation_seed="k",
            cluster=cluster,
        )
        ready = time.perf_counter()
        evaluate(
            "pyramid", given.agent, deals=CHUNK * given.chunks, evaluation_seed="k", cluster=cluster
        )
        return ready - begun, time.perf_counter() - ready


def ratio_text(above: list[float], below: list[float]) -> str:
    """Return the median and the range of the ratios of rounds."""
    return range_text([one / other for one, other in zip(above, below, strict=True)], 2)


def main() -> None:
    """Measure, print the table, and write it with ``--write``."""
    given = tyro.cli(Options, description=__doc__)
    clusters = [ALONE, *(Cluster(one, jobs) for one in given.backends for jobs in (1, 2))]
    begun: dict[Cluster, list[float]] = {one: [] for one in clusters}
    played: dict[Cluster, list[float]] = {one: [] for one in clusters}
    for number in range(given.rounds):
        for one in clusters:
            print(f"round {number + 1}/{given.rounds}: {one.backend}, {one.jobs}", flush=True)
            start, seconds = time_play(given, one)
            begun[one].append(start)
            played[one].append(seconds)
    second = statistics.median(played[ALONE]) / given.chunks
    lines = [
        "| workers | seconds | time ÷ time of this process | speedup over one worker | "
        "start-up, s |",
        "|---|---:|---:|---:|---:|",
    ]
    for one in clusters:
        first = played[Cluster(one.backend, 1)]
        where = "this process" if one == ALONE else f"{one.backend}, {one.jobs}"
        lines.append(
            f"| {where} | {statistics.median(played[one]):.1f} | "
            f"{ratio_text(played[one], played[ALONE])} | {ratio_text(first, played[one])} | "
            f"{statistics.median(begun[one]):.1f} |"
        )
    lines.append(
        f"\nOne evaluation: {given.chunks} chunks of {CHUNK} deals of Pyramid by `{given.agent}`, "
        f"{second:.2f} s for each chunk. Medians over {given.rounds} alternating rounds, with the "
        "range of each ratio in parentheses. Start-up: seconds until the workers are ready. "
        f"{describe_machine()}. Written by `python -m benchmarks.cluster --write`."
    )
    text = "\n".join(lines)
    print(text)
    if given.write:
        put_block(PAGE, BLOCK, text)


if __name__ == "__main__":
    main()
