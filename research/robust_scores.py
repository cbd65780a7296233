"""Do scores that damp large swings tell agents apart on fewer hands?

    parlour compare twenty-eight --agents greedy --opponents rule --deals 5000 --out strength
    python -m research.robust_scores strength

Duplicate bridge turns the difference of a deal into IMPs, which grow ever more slowly. This script
applies several such curves to the net of a deal, summed over its seats. The measure is the mean in
standard errors: the higher it is, the fewer hands tell two agents apart.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

CURVES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "plain": lambda nets: nets,
    "square root": lambda nets: np.sign(nets) * np.sqrt(np.abs(nets)),
    "logarithm": lambda nets: np.sign(nets) * np.log1p(np.abs(nets)),
    "who won": np.sign,
}


def count_errors(scores: np.ndarray) -> float:
    """Return the mean in standard errors; infinite if all scores are the same."""
    error = scores.std(ddof=1) / np.sqrt(len(scores))
    return float(scores.mean() / error) if error else float("inf")


def main() -> None:
    """Print a row for each agent and its opponents in a comparison."""
    parser = argparse.ArgumentParser(
        description="compare damped scores by how well they tell agents apart"
    )
    parser.add_argument("folder", type=Path, help="folder written by parlour compare --out")
    episodes = pq.read_table(parser.parse_args().folder / "episodes.parquet").to_pandas()
    head = ["agent", "among", "deals", "net a hand", *CURVES]
    lines = [head, ["---"] * len(head)]
    for (agent, opponents), hands in episodes.groupby(["agent", "opponents"]):
        nets = hands.groupby("deal")["net"].sum().to_numpy()
        errors = [f"{count_errors(curve(nets)):.1f}" for curve in CURVES.values()]
        lines.append([agent, opponents, str(len(nets)), f"{hands['net'].mean():+.3f}", *errors])
    for line in lines:
        print(f"| {' | '.join(line)} |")


if __name__ == "__main__":
    main()
