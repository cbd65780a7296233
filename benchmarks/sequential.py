"""Deals that ``parlour compare --until`` saves, for strong and for weak differences.

    python -m benchmarks.sequential            # print the table
    python -m benchmarks.sequential --write    # also write it to docs/guides/evaluating.md

Both agents of a pair play the same deals once. Samples with replacement from these paired results
are then the deals of 2000 comparisons, so that the numbers are means over many comparisons, and the
true difference is known: it is the difference of all recorded results.

Each comparison has two designs with the same smallest difference of interest. The sequential design
stops as ``--until`` does. The fixed-size design has the number of deals at which the usual 95 %
interval is as wide as the smallest difference. It is the least number for which the interval always
excludes either 0 or differences of that size, so it always comes to a conclusion, too. A researcher
must know the variance of the differences to choose it; here it is that of the recorded results.
"""

import argparse
from dataclasses import dataclass
from functools import cache
from math import ceil

import numpy as np

from benchmarks.reports import ROOT, put_block
from parlour.training import evaluate
from parlour.training.cli.output import markdown_table
from parlour.training.evaluation.compare_until import (
    UNDECIDED,
    conclude,
    estimate_difference,
    find_measure,
    next_look,
    read_values,
)
from parlour.training.evaluation.evaluation_spec import EvaluationSpec
from parlour.training.evaluation.result import Evaluation, describe_machine, unit_name
from parlour.training.evaluation.stats import student_mean

PAGE = ROOT / "docs" / "guides" / "evaluating.md"
SEED = "sequential"
"""Evaluation seed, and thus the source of the random draws of all agents."""
Z = 1.96
MOST = 8
"""Maximum number of deals of a sequential comparison, as a multiple of the fixed number."""


@dataclass(frozen=True)
class Pair:
    """Two agents of a game, compared on numbered deals with a smallest difference of interest."""

    game: str
    first: str
    second: str
    until: float
    deals: int = 10_000


PAIRS = (
    Pair("pyramid", "uniform", "greedy", 0.02),
    Pair("pyramid", "greedy", "pretrained", 0.02),
    Pair("klondike", "uniform", "greedy", 0.02),
    Pair("poker_squares", "uniform", "greedy", 1),
    Pair("poker_squares", "greedy", "pretrained", 1),
    Pair("seven_twenty_seven", "uniform", "greedy", 0.5),
    Pair("seven_twenty_seven", "tight", "greedy", 0.5),
    Pair("twenty_eight", "greedy", "rule", 0.05),
    Pair("twenty_eight", "rule", "pretrained", 0.05),
    Pair("pyramid", "pimc@4", "pimc@8", 0.01, 3000),
    Pair("pyramid", "pimc@4", "pimc@8", 0.02, 3000),
    Pair("pyramid", "pimc@8", "again=pimc@8", 0.02, 3000),
    Pair("klondike", "greedy", "pretrained", 0.02),
    Pair("poker_squares", "uniform", "again=uniform", 0.5),
    Pair("seven_twenty_seven", "tight", "loose", 0.5),
    Pair("seven_twenty_seven", "greedy", "pretrained", 0.5),
    Pair("seven_twenty_seven", "uniform", "again=uniform", 0.5),
)


@dataclass(frozen=True)
class Row:
    """The deals and errors of both designs for a pair of agents.

    ``ratio`` is the true difference as a multiple of the smallest difference of interest. ``deals``
    has the deals of each sequential comparison. ``wrong``, ``missed`` and ``fixed_wrong`` are
    shares of comparisons with a wrong conclusion, or an interval without the true difference.
    """

    pair: Pair
    spec: EvaluationSpec
    true: float
    fixed: int
    deals: np.ndarray
    wrong: float
    missed: float
    fixed_wrong: float

    @property
    def ratio(self) -> float:
        """The true difference as a multiple of the smallest difference of interest."""
        return self.true / self.pair.until

    @property
    def factor(self) -> float:
        """The fixed number of deals, divided by the mean number of the sequential design."""
        return self.fixed / float(self.deals.mean())

    def cells(self) -> list[str]:
        """Return the cells of the table."""
        measure = find_measure(self.spec)
        times = 100 if measure == "won" else 1
        unit = {"won": " % points", "score": ""}.get(measure, f" {unit_name(self.spec.rules)}")
        low, high = np.quantile(self.deals, (0.05, 0.95))
        second = self.pair.second.replace("again=", "")
        return [
            self.spec.game.title,
            f"`{self.pair.first}`, `{second}`",
            f"{measure}, {times * self.pair.until:g}{unit}",
            f"{times * self.true:+.2f} ({self.ratio:+.1f})",
            f"{self.fixed:,}",
            f"{self.deals.mean():,.0f} ({low:,.0f}–{high:,.0f})",
            f"{self.factor:.1f}",
            f"{100 * self.wrong:.1f} %, {100 * self.fixed_wrong:.1f} %",
            f"{100 * self.missed:.1f} %",
        ]


HEAD = (
    *("game", "agents", "smallest difference", "true difference (multiple)"),
    *("fixed deals", "sequential deals, mean (5–95 %)", "factor"),
    *("wrong, sequential and fixed", "interval misses"),
)


def is_wrong(conclusion: str, true: float, until: float) -> bool:
    """Return whether a conclusion contradicts the true difference."""
    return {
        "better": true <= 0,
        "worse": true >= 0,
        "equivalent": abs(true) >= until,
        UNDECIDED: False,
    }[conclusion]


@cache
def play(game: str, agent: str, deals: int) -> Evaluation:
    """Return the evaluation of an agent, which may be in several pairs."""
    return evaluate(game, agent, deals=deals, evaluation_seed=SEED)


def measure(pair: Pair, tries: int) -> Row:
    """Play the deals of a pair of agents once, and simulate both designs on samples of them."""
    evaluations = [play(pair.game, agent, pair.deals) for agent in (pair.first, pair.second)]
    first, second = map(read_values, evaluations)
    differences = second.astype(np.float64) - first
    true, until = float(differences.mean()), pair.until
    fixed = max(2, ceil((2 * Z * float(differences.std()) / until) ** 2))
    rng = np.random.default_rng(0)
    deals, wrong, missed, fixed_wrong = [], 0, 0, 0
    for _ in range(tries):
        sample = rng.integers(0, pair.deals, max(MOST * fixed, 1000))
        one, other, done, conclusion = first[sample], second[sample], 0, UNDECIDED
        while done < len(sample) and conclusion == UNDECIDED:
            done = next_look(done, len(sample))
            estimate = estimate_difference(one[:done], other[:done], until)
            conclusion = conclude(estimate, until)
        deals.append(done)
        wrong += is_wrong(conclusion, true, until)
        missed += not estimate.low <= true <= estimate.high
        whole = student_mean(differences[rng.integers(0, pair.deals, fixed)])
        fixed_wrong += is_wrong(conclude(whole, until), true, until)
    shares = [count / tries for count in (wrong, missed, fixed_wrong)]
    return Row(pair, evaluations[0].spec, true, fixed, np.array(deals), *shares)


def describe(rows: list[Row], tries: int) -> str:
    """Return the table, and the range of the factors for strong and weak differences."""
    rows = sorted(rows, key=lambda row: -abs(row.ratio))
    blocks = [markdown_table(HEAD, [row.cells() for row in rows])]
    summaries = []
    for name, low, high in (
        ("at least twice the smallest difference", 2, np.inf),
        ("from half to twice the smallest difference", 0.5, 2),
        ("less than half the smallest difference", 0, 0.5),
    ):
        factors = [row.factor for row in rows if low <= abs(row.ratio) < high]
        if factors:
            extent = " to ".join(f"{factor:.1f}" for factor in sorted({min(factors), max(factors)}))
            pairs = f"{len(factors)} pair{'s' * (len(factors) > 1)}"
            summaries.append(f"- True difference {name}: factor {extent} ({pairs}).\n")
    blocks.append("".join(summaries))
    blocks.append(
        f"{tries:,} comparisons of each pair; `python -m benchmarks.sequential`; "
        f"{describe_machine()}.\n"
    )
    return "\n".join(blocks)


def main() -> None:
    """Print the table, and write it to the documentation if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sequential", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tries", type=int, default=2000, help="comparisons (default: 2000)")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.name}")
    arguments = parser.parse_args()
    rows = []
    for pair in PAIRS:
        rows.append(measure(pair, arguments.tries))
        print(" | ".join(rows[-1].cells()), flush=True)
    text = describe(rows, arguments.tries)
    print(f"\n{text}")
    if arguments.write:
        put_block(PAGE, "benchmarks.sequential", text)


if __name__ == "__main__":
    main()
