"""Cost of the Pyramid solver per deal on one core: time, positions, memory.

``python -m benchmarks.solver`` solves 1500 deals of ``open-stock`` for the fewest moves or a proof
that the deal is unwinnable, and decides 1500 deals of the one-pass game. Deals are drawn from a
seed. Times are those of ``solve`` alone, without the first call, which compiles. A published A*
search in Lisp takes a mean of 754 ms and at most 44 s for ``open-stock`` on its author's desktop
(github.com/mchung94/pyramid-solver).
"""

import resource
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import tyro
from tqdm import tqdm

from benchmarks.reports import spread, write_json
from parlour.envs import find_game
from parlour.envs.core.batch import DealSource
from parlour.envs.core.rows import Rows
from parlour.training.evaluation.result import describe_machine


@dataclass(frozen=True)
class Options:
    """What to measure."""

    deals: int = 1500
    seed: int = 0
    variants: tuple[str, ...] = ("open-stock:fewest", "open-stock", "classic", "excerpt")
    """Variants; with ``:fewest`` the solver finds shortest wins, otherwise winnability."""
    limit: int | None = None
    """Limit of positions per deal (None: the solver's default)."""
    json: Path | None = None
    """Write all figures there."""


def measure(options: Options, spec: str) -> dict[str, Any]:
    """Solve all deals of one variant; return the figures."""
    variant, _, fewest = spec.partition(":")
    one = find_game("pyramid")
    rules = one.make_rules(variant)
    rows = Rows(one, rules, options.deals)
    rows.seed(np.random.default_rng(options.seed).integers(0, 2**63, options.deals, np.uint64))
    rows.start(DealSource.SEED)
    assert one.solve is not None
    one.solve(rows.states[0], rules, fewest != "", 1)
    walls, cpus, solutions = [], [], []
    for i in tqdm(range(options.deals), desc=spec, leave=False, disable=None):
        wall, cpu = perf_counter(), process_time()
        solutions.append(one.solve(rows.states[i], rules, fewest != "", options.limit))
        walls.append(1000 * (perf_counter() - wall))
        cpus.append(1000 * (process_time() - cpu))
    nodes = np.array([answer.nodes for answer in solutions])
    lengths = [answer.fewest for answer in solutions if answer.fewest is not None]
    return {
        "variant": variant,
        "asked": "fewest moves" if fewest else "winnable",
        "deals": options.deals,
        "seed": options.seed,
        "winnable": sum(answer.winnable is True for answer in solutions),
        "undecided": sum(answer.winnable is None for answer in solutions),
        "length_unproven": sum(
            answer.winnable is True and answer.fewest is None for answer in solutions
        )
        if fewest
        else None,
        "mean_fewest": float(np.mean(lengths)) if lengths else None,
        "wall_ms": spread(walls),
        "cpu_ms": spread(cpus),
        "nodes": spread(nodes),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    """Measure and print."""
    options = tyro.cli(Options, description=__doc__)
    print(f"{describe_machine()}, one core")
    results = []
    for spec in options.variants:
        result = measure(options, spec)
        results.append(result)
        print(f"\n{result['variant']}, {result['asked']}: {result['deals']} deals")
        facts = {
            key: result[key]
            for key in ("winnable", "undecided", "length_unproven", "mean_fewest", "peak_mib")
        }
        print(
            "  " + ", ".join(f"{key} {value}" for key, value in facts.items() if value is not None)
        )
        for key in ("wall_ms", "cpu_ms", "nodes"):
            row = ", ".join(f"{name} {value:,.2f}" for name, value in result[key].items())
            print(f"  {key:8} {row}")
    if options.json:
        write_json(options.json, {"options": asdict(options) | {"json": None}, "results": results})


if __name__ == "__main__":
    main()
