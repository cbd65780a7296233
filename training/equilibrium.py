"""``python -m parlour.training.equilibrium``: how exploitable agents are, to the last digit.

It solves small rules of Seven Twenty-Seven by CFR+ and holds agents against their best responses.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from typing import Any

from parlour.agents.agent import IllegalChoice
from parlour.envs import game

from .command_parser import Parser, read_options, read_path, read_whole
from .commands import AGENTS as KNOWN
from .exploitability import (
    AGENTS,
    GAME,
    ITERATIONS,
    SAMPLES,
    SOLVED,
    UNIT,
    VARIANT,
    Found,
    Row,
    find,
    save,
)
from .outputs import check_agent_folder
from .terminal import as_line
from .tree import MOST_NODES

FAILED = 2
EXAMPLES = """\
examples:
  parlour exploit
  parlour exploit --agents greedy runs/my-agent --iterations 5000 --json
  parlour exploit --option max_raises=2 --save equilibrium

exploitability: the mean over the seats of what a best response gains, 0 for an equilibrium. gain:
what it gains in each position, from the first to act to the dealer. against CFR+: what the
agent wins from equilibrium players. All of it is exact, in antes a hand; CFR+ itself is as near to
an equilibrium as its own exploitability says.
"""


def add_arguments(made: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    made.add_argument(
        "--agents",
        "--agent",
        nargs="+",
        action="extend",
        metavar="AGENT",
        help=f"each: {KNOWN} (default: {' '.join(AGENTS)})",
    )
    made.add_argument(
        "--iterations",
        type=read_whole(),
        default=ITERATIONS,
        help=f"of CFR+ (default: {ITERATIONS})",
    )
    made.add_argument("--variant", metavar="NAME", default=VARIANT, help=f"default: {VARIANT}")
    made.add_argument(
        "--option",
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="change an option of the rules; may be repeated",
    )
    made.add_argument(
        "--dealer", type=read_whole(), metavar="SEAT", help="default: chance chooses it"
    )
    made.add_argument(
        "--max-nodes",
        type=read_whole(),
        default=MOST_NODES,
        help=f"refuse rules whose tree has more nodes (default: {MOST_NODES})",
    )
    made.add_argument(
        "--save", type=read_path, metavar="FOLDER", help="save the equilibrium as an agent"
    )
    made.add_argument("--json", action="store_true", help="print JSON, and nothing else, on stdout")


def run_exploit(given: argparse.Namespace) -> int:
    """Solve the game, hold the agents against it, print the table."""
    if not given.json:
        from . import fitting  # noqa: F401  # before solving: what is missing is said at once
    if given.save:
        check_agent_folder(given.save)
    aside = redirect_stdout(sys.stderr) if given.json else nullcontext()
    with aside, _bar(given.iterations) as report_to:
        found = find(
            given.agents or AGENTS,
            given.variant,
            read_options(given.option),
            given.iterations,
            given.dealer,
            given.max_nodes,
            report_to,
        )
    failed: Exception | None = None
    if given.save:
        try:  # before the tables, for it is one of their lines; they are shown without it, too
            found.rows.append(save(found, given.save))
        except Exception as error:
            failed = error
    if given.json:
        print(json.dumps(found.summary()), flush=True)
    else:
        show(found)
    if failed is not None:
        raise failed
    if given.save and not given.json:
        print(f"written: {given.save}")
    return 0


def show(found: Found) -> None:
    """Print the tables: the game, how the solver came on, the agents."""
    from rich.text import Text

    from .fitting import make_table, open_console, print_fitting

    console, summary = open_console(), found.summary()
    dealer = "chance" if found.tree.dealer is None else f"seat {found.tree.dealer}"
    console.print(
        Text(
            f"{game(GAME).title}, {found.variant} (rules {summary['rules_digest']}), "
            f"dealer: {dealer}\n{summary['nodes']:,} nodes, {summary['ends']:,} ends, "
            f"{summary['information_sets']:,} information sets, found in "
            f"{found.build_seconds:.1f} s"
        )
    )
    curve = make_table("CFR+", "iterations", "seconds", "exploitability")
    for point in found.curve:
        curve.add_row(str(point.iterations), f"{point.seconds:.2f}", f"{point.exploitability:.6f}")
    print_fitting(console, [curve])
    players = found.tree.players
    gains = ["first", *(f"{k + 1}." for k in range(1, players - 1)), "dealer"]
    heads = "exploitability", *(f"gain {name}" for name in gains), f"against {SOLVED}"
    agents = make_table(UNIT, "agent", *heads)
    for row in found.rows:
        name, *numbers = _cells(row)
        agents.add_row(Text(name), *numbers)
    print_fitting(console, [agents])
    if any(row.asked for row in found.rows):
        console.print(
            f"~ plays by chance and does not say how: asked {SAMPLES} times in each information "
            "set, so rather too high"
        )


def _cells(row: Row) -> list[str]:
    found = row.exploited
    numbers = [found.exploitability, *found.position_gains, row.against]
    return [row.agent + "~" * bool(row.asked), *(f"{number:.4f}" for number in numbers)]


@contextmanager
def _bar(iterations: int) -> Iterator[Callable[[int], object] | None]:
    """Progress on stderr, if a person looks at it and tqdm is there."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        tqdm = None
    if tqdm is None or not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=iterations, desc=SOLVED, unit="iteration", leave=False) as bar:
        yield bar.update


def run(arguments: Sequence[str] | None, prog: str) -> int:
    """Run the command and return its exit status; errors are raised."""
    made = Parser(
        prog=prog,
        description="Say how exploitable agents are, exactly, where the rules are small.",
        epilog=EXAMPLES,
    )
    add_arguments(made)
    return run_exploit(made.parse_args(arguments))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; errors are one line on stderr."""
    try:
        return run(arguments, "python -m parlour.training.equilibrium")
    except ModuleNotFoundError as error:
        said: Any = f"this needs {error.name}, which is not installed: pip install 'parlour[train]'"
    except (ValueError, OSError, IllegalChoice) as error:
        said = as_line(str(error))
    except KeyboardInterrupt:
        return 130
    print(f"parlour: error: {said}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
