"""Does another reading of the rules explain published win rates of one-pass games of Pyramid?

solitairewinrates.com gives 9.02 % for one pass with the stock's top card in play, 6.80 % if all 52
cards must go, 22.77 % if a card may go with the one it covers. All are below Parlour's figures,
while those for any number of passes agree. The reading tried here differs in the last pass only:
the last card of the stock is not in play until it has been dealt, so it cannot go together with the
top of the waste. It fits the first figure, but gives too few wins where all cards must go.

``python -m research.one_pass`` decides the same numbered deals by both readings.
"""

from dataclasses import dataclass

import numpy as np
import tyro
from tqdm import tqdm

from parlour.envs import find_game
from parlour.envs.core.contract import UNDECIDED, WINNABLE
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows
from parlour.envs.games.pyramid.solver.depth_first import LONGEST
from parlour.envs.games.pyramid.solver.position import BUT_THE_LAST
from parlour.envs.games.pyramid.solver.solve import LIMIT, solve_one
from parlour.training.evaluation.stats import paired_difference, wilson_rate

PUBLISHED = {"": 9.02, "clear_all": 6.80, "match_cover": 22.77}
"""The published win rate for each added option, in percent of 100 million deals."""
ROUND = 500
"""Deals decided between two updates of the progress bar."""


@dataclass(frozen=True)
class Options:
    """The deals and rules to decide."""

    deals: int = 10_000
    first: int = 0
    options: tuple[str, ...] = ("", "clear_all", "match_cover")
    """Options to add to the rules, one at a time; "" adds none."""


def decide(rules: object, first: int, n: int, reading: int) -> np.ndarray:
    """Return the solver's verdicts on numbered deals, int64 (n,)."""
    rules_record = as_record(rules)
    rules_record["stock_play"] = reading
    line = np.zeros(LONGEST, np.int64)
    rows = Rows(find_game("pyramid"), rules, n)
    rows.deal_numbered("pyramid-1", range(first, first + n))
    states = rows.states
    return np.array(
        [solve_one(states[i : i + 1], rules_record, LIMIT, False, line)[0] for i in range(n)]
    )


def main() -> None:
    """Decide the deals and print the win rates."""
    given = tyro.cli(Options, description=__doc__)
    for option in given.options:
        added = {option: True} if option else {}
        rules = find_game("pyramid").make_rules("open-stock", {"passes": 1, **added})
        verdicts: dict[int, list[np.ndarray]] = {1: [], BUT_THE_LAST: []}
        for first in tqdm(range(0, given.deals, ROUND), desc=option or "plain", disable=None):
            n = min(ROUND, given.deals - first)
            for reading, parts in verdicts.items():
                parts.append(decide(rules, given.first + first, n, reading))
        ours, theirs = (np.concatenate(parts) for parts in verdicts.values())
        print(f"one pass{', ' + option if option else ''}: {given.deals} deals, 99 % intervals")
        for name, answers in (("ours", ours), ("the last card dealt first", theirs)):
            rate = wilson_rate(answers == WINNABLE, 0.99)
            undecided = int((answers == UNDECIDED).sum())
            print(
                f"  {name:26} {100 * rate.mean:.2f} % [{100 * rate.low:.2f}, "
                f"{100 * rate.high:.2f}], {undecided} undecided"
            )
        difference = paired_difference(theirs == WINNABLE, ours == WINNABLE, 0.99)
        print(
            f"  difference                 {100 * difference.mean:+.2f} points "
            f"[{100 * difference.low:+.2f}, {100 * difference.high:+.2f}]; "
            f"published: {PUBLISHED[option]} %"
        )


if __name__ == "__main__":
    main()
