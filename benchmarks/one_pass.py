"""Whether another reading of the rules explains what others count of one-pass games of Pyramid.

solitairewinrates.com gives 9.02 % for one pass with the stock's top card in play, 6.80 % if all 52
cards must go, 22.77 % if a card may go with the one it covers: all below ours, while its figures
for any number of passes agree with ours. The reading tried here differs only in the last pass: the
last card of the stock is not in play until it has been dealt, so it cannot go together with the top
of the waste. It fits the first figure, but gives too little where all cards must go.

``python -m benchmarks.one_pass`` decides the same deals of the bank by both readings.
"""

from dataclasses import dataclass

import numpy as np
import tyro
from tqdm import tqdm

from parlour.envs import game
from parlour.envs.core.contract import UNDECIDED, WINNABLE
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows
from parlour.envs.games.pyramid.solver.frames import LONGEST
from parlour.envs.games.pyramid.solver.position import BUT_THE_LAST
from parlour.envs.games.pyramid.solver.solve import LIMIT, solve_one
from parlour.training.evaluation.stats import paired_difference, wilson_rate

PUBLISHED = {"": 9.02, "clear_all": 6.80, "match_cover": 22.77}
"""By the option that is added; per cent of 100 million deals."""
ROUND = 500


@dataclass(frozen=True)
class Options:
    """What to decide."""

    deals: int = 10_000
    first: int = 0
    options: tuple[str, ...] = ("", "clear_all", "match_cover")
    """Each of these is added to the rules; an empty one: none."""


def decided(rules: object, first: int, n: int, reading: int) -> np.ndarray:
    """Say of deals of the bank whether they can be won, int64 (n,)."""
    one, table = game("pyramid"), as_record(rules)
    table["stock_play"] = reading
    line = np.zeros(LONGEST, np.int64)
    rows = Rows(one, rules, n)
    rows.deal_bank("pyramid-1", range(first, first + n))
    found = [solve_one(rows.states[i : i + 1], table, LIMIT, False, line)[0] for i in range(n)]
    return np.array(found)


def main() -> None:
    """Decide, and print what was found."""
    given = tyro.cli(Options, description=__doc__)
    for option in given.options:
        added = {option: True} if option else {}
        rules = game("pyramid").make_rules("open-stock", {"passes": 1, **added})
        both: list[list[np.ndarray]] = [[], []]
        for first in tqdm(range(0, given.deals, ROUND), desc=option or "plain", disable=None):
            n = min(ROUND, given.deals - first)
            for reading, found in ((1, both[0]), (BUT_THE_LAST, both[1])):
                found.append(decided(rules, given.first + first, n, reading))
        ours, theirs = (np.concatenate(found) for found in both)
        print(f"one pass{', ' + option if option else ''}: {given.deals} deals, 99 % intervals")
        for name, found in (("ours", ours), ("the last card dealt first", theirs)):
            told = wilson_rate(found == WINNABLE, 0.99)
            undecided = int((found == UNDECIDED).sum())
            print(
                f"  {name:26} {100 * told.mean:.2f} % [{100 * told.low:.2f}, "
                f"{100 * told.high:.2f}], {undecided} undecided"
            )
        less = paired_difference(theirs == WINNABLE, ours == WINNABLE, 0.99)
        print(
            f"  difference                 {100 * less.mean:+.2f} points "
            f"[{100 * less.low:+.2f}, {100 * less.high:+.2f}]; published: {PUBLISHED[option]} %"
        )


if __name__ == "__main__":
    main()
