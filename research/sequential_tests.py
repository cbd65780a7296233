"""Deals needed by sequential tests with the same error rates, for normal differences.

``python -m research.sequential_tests`` simulates comparisons whose differences are normal, with the
standard deviation 1 and the smallest difference of interest 0.1. Each test has an anytime-valid
95 % interval and stops with the rule of ``parlour compare --until``: when its interval excludes 0,
or all differences of at least 0.1. The tests are the generalized SPRT of `stats.anytime_mean`,
tuned for a share of the smallest difference, and the normal mixture of Robbins, "Statistical
methods related to the law of the iterated logarithm", 1970, tuned for 900 deals.

The columns are true differences, as multiples of the smallest one. Each cell has the mean number of
deals, and in brackets the share of intervals that miss the true difference when the comparison
stops. A comparison of fixed size needs 1537 deals.
"""

import argparse
from math import log

import numpy as np

from parlour.training.cli.output import markdown_table
from parlour.training.evaluation.compare_until import next_look

SMALLEST, MOST, ALPHA = 0.1, 8000, 0.05
MULTIPLES = (0.0, 0.5, 1.0, 2.0, 4.0)
"""True differences, as multiples of the smallest difference of interest."""
TUNED = (1.0, 0.9, 0.8, 0.7, 0.6)


def list_looks() -> np.ndarray:
    """Return the numbers of deals after which the tests look at the results."""
    looks = [next_look(0, MOST)]
    while looks[-1] < MOST:
        looks.append(next_look(looks[-1], MOST))
    return np.array(looks)


def sprt_half(n: np.ndarray, tuned: float) -> np.ndarray:
    """Return the half width of the interval of the SPRT."""
    return np.asarray(log(2 / ALPHA) / (n * tuned) + tuned / 2)


def mixture_half(n: np.ndarray, deals: float) -> np.ndarray:
    """Return the half width of the interval of the normal mixture, shortest at these deals."""
    scale = (2 * log(1 / ALPHA) + log(2 * log(1 / ALPHA) + 1)) / deals
    return np.asarray(
        np.sqrt((n * scale + 1) / (n * n * scale) * np.log((n * scale + 1) / ALPHA**2))
    )


def simulate(means: np.ndarray, looks: np.ndarray, half: np.ndarray, true: float) -> str:
    """Return the cell of a test: mean deals, and misses."""
    low, high = means + true - half, means + true + half
    stops = (low > 0) | (high < 0) | (np.maximum(-low, high) < SMALLEST)
    stops[:, -1] = True
    last, row = stops.argmax(axis=1), np.arange(len(means))
    missed = (low[row, last] > true) | (high[row, last] < true)
    return f"{looks[last].mean():,.0f} ({100 * missed.mean():.1f} %)"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m research.sequential_tests", description=__doc__
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tries", type=int, default=10_000, help="comparisons (default: 10,000)")
    tries = parser.parse_args().tries
    looks, rng = list_looks(), np.random.default_rng(0)
    sizes = np.diff(looks, prepend=0)
    means = rng.normal(0, np.sqrt(sizes), (tries, len(looks))).cumsum(axis=1) / looks
    halves = {f"SPRT, {tuned:g}": sprt_half(looks, tuned * SMALLEST) for tuned in TUNED}
    halves["normal mixture"] = mixture_half(looks, 900)
    rows = [
        [name, *(simulate(means, looks, half, k * SMALLEST) for k in MULTIPLES)]
        for name, half in halves.items()
    ]
    print(markdown_table(["test", *(f"{k:g}" for k in MULTIPLES)], rows))


if __name__ == "__main__":
    main()
