"""The cost of the double-dummy solvers of partnership games, by tricks left, on one core.

``python -m research.double_dummy twenty_eight --tricks 8`` solves 200 whole deals from the first
card on. ``greedy`` plays the auction and the earlier tricks of numbered deals in all seats; a
position is taken at the start of a trick. Times are those of ``solve`` only, after a first call,
which compiles. If the limit of positions is reached the answer is a pair of bounds.
"""

from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Annotated

import numpy as np
import tyro
from tqdm import tqdm

from benchmarks.reports import spread
from parlour.envs import Game, find_game
from parlour.envs.core.batch import Autoreset, Over, StepConfig
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.rows import Rows, copy_states
from parlour.training.evaluation.result import describe_machine


@dataclass(frozen=True)
class Options:
    """The positions to solve."""

    game: Annotated[str, tyro.conf.Positional]
    variant: str | None = None
    deals: int = 200
    tricks: tuple[int, ...] = ()
    """Tricks left (default: all numbers)."""
    limit: int | None = None
    """Positions that the solver visits at most (None: no limit)."""


def starts_of_tricks(one: Game, options: Options) -> dict[int, list[np.ndarray]]:
    """Return the positions in which a trick begins, (1,) each, by tricks left."""
    rules, deals = one.make_rules(options.variant), options.deals
    rows = Rows(one, rules, deals, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered(default_deal_set(one.name), list(range(deals)))
    states = rows.states
    starts: dict[tuple[int, int], np.ndarray] = {}
    while (running := np.flatnonzero(states["over"] == Over.RUNNING)).size:
        for row in running[states["size"][running] == 0]:
            left = int(states["seats"]["hand"][row].max())
            starts[left, int(row)] = copy_states(states, np.array([row]))  # the last one: in play
        scores = np.where(rows.buffers.masks != 0, one.score_actions(states, rules), -np.inf)
        rows.step(scores.argmax(axis=1))
    wanted = options.tricks or sorted({left for left, _ in starts}, reverse=True)
    return {left: [starts[key] for key in sorted(starts) if key[0] == left] for left in wanted}


def main() -> None:
    """Solve the positions and print the costs."""
    options = tyro.cli(Options, description=__doc__)
    one = find_game(options.game)
    rules = one.make_rules(options.variant)
    assert one.solve is not None
    print(f"{describe_machine()}, one core")
    print(f"{one.title}, {options.variant or one.default}, limit {options.limit}")
    for left, positions in starts_of_tricks(one, options).items():
        one.solve(positions[0], rules, limit=1)
        times, cpus, answers = [], [], []
        for state in tqdm(positions, desc=str(left), leave=False, disable=None):
            begun, cpu = perf_counter(), process_time()
            answers.append(one.solve(state, rules, limit=options.limit))
            times.append(1000 * (perf_counter() - begun))
            cpus.append(1000 * (process_time() - cpu))
        nodes = np.array([answer.nodes for answer in answers])
        bounds = np.array([answer.bounds for answer in answers])
        widths = bounds[:, 1] - bounds[:, 0]
        print(
            f"{left:>3} tricks left: {len(answers)} positions, exact {np.mean(widths == 0):.1%}, "
            f"mean width {widths.mean():.1f}, {nodes.sum() / sum(cpus):,.0f} positions a ms of CPU"
        )
        for name, values in (("ms", times), ("cpu ms", cpus), ("nodes", nodes)):
            row = ", ".join(f"{key} {value:,.2f}" for key, value in spread(values).items())
            print(f"      {name:6} {row}")


if __name__ == "__main__":
    main()
