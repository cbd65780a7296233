"""``parlour benchmark``: run, add, verify and show results of the benchmark."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from ..benchmark.tasks import (
    ALL_TASKS,
    BUDGETS,
    DEAL_SET,
    NONE,
    OTHER_TASKS,
    RUN_BUDGETS,
    TASKS,
    TIME_CLASSES,
    UNLIMITED,
    VERSION,
    Task,
    find_task,
)
from .arguments import AGENT_HELP, add_json, read_line, read_path, read_whole
from .cluster import add_cluster, use_cluster
from .output import ROOT, markdown_table, progress_bars, reserve_stdout

FAILED = 1
"""Exit status if an entry fails its verification."""
FOLDER = Path("runs/benchmark")
RESULTS = ROOT / "benchmarks" / "results"
"""The folder of published results, in a clone."""
CARD_FILE = "README.md"
"""File name of the model card in a saved agent's folder."""
SEEDS = 5
EXAMPLES = {
    "benchmark": """\
  parlour benchmark list
  parlour benchmark run greedy
  parlour benchmark run ppo --budget small --seeds 1 --tasks pyramid-three-passes
  parlour benchmark add --method mine --task pyramid-three-passes --agent mymodule:MyAgent
  parlour benchmark verify
  parlour benchmark report --out benchmark.html
  parlour benchmark leaderboard --folder benchmarks/results --tasks klondike-classic

After an interruption, run the same command again to resume.
""",
}


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommands of ``parlour benchmark``."""
    actions = parser.add_subparsers(
        title="commands",
        metavar="list|run|add|verify|report|leaderboard",
        dest="action",
        required=True,
    )
    text = "list tasks, training budgets, and time classes (limits of the time per decision)"
    listing = _add_action(actions, "list", text)
    add_json(listing)
    text = "run a method on the tasks, and save an entry (result) for each task and seed"
    _add_run(_add_action(actions, "run", text))
    _add_add(_add_action(actions, "add", "add the entry of an agent trained elsewhere"))
    verify = _add_action(actions, "verify", "verify entries; the exit status is 1 if one fails")
    _add_folder(verify)
    _add_chosen(verify, "all")
    verify.add_argument(
        "--deals",
        type=read_whole(10_000),
        default=100,
        help="number of deals of the task that an agent plays again, and number of fresh deals; "
        "fast agents play more (default: 100)",
    )
    verify.add_argument(
        "--allow-code",
        action="store_true",
        help="run agents given as module:Class (default: report them as failed)",
    )
    report = _add_action(actions, "report", "print aggregate scores over the scored tasks")
    _add_folder(report)
    report.add_argument(
        "--out", type=read_path, metavar="FILE", help="HTML file with tables and plots"
    )
    _add_formats(report)
    text = "print a table of all methods for each task, best first"
    leaderboard = _add_action(actions, "leaderboard", text)
    _add_folder(leaderboard)
    _add_chosen(leaderboard, "all with results")
    _add_formats(leaderboard)


def _add_action(actions: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}."
    )
    parser.set_defaults(parser=parser)
    return parser


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folder", type=read_path, default=FOLDER, help=f"folder of results (default: {FOLDER})"
    )


def _add_chosen(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--tasks",
        nargs="+",
        metavar="TASK",
        help=f"scored tasks: {', '.join(TASKS)}; other tasks: {', '.join(OTHER_TASKS)} (default: "
        f"{default})",
    )


def _add_formats(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--markdown", action="store_true", help="print the tables as Markdown (default: no)"
    )
    add_json(parser)


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "method",
        metavar="METHOD",
        type=read_line,
        help="learning method (ppo, pqn, distill, td, plan-td, plan-search, cma-es, selfplay), or "
        f"an agent to evaluate without training: {AGENT_HELP}",
    )
    steps = ", ".join(f"{name} {BUDGETS[name]:,}" for name in RUN_BUDGETS)
    run.add_argument(
        "--budget",
        choices=RUN_BUDGETS,
        default=RUN_BUDGETS[0],
        help=f"timesteps of training: {steps} (default: {RUN_BUDGETS[0]})",
    )
    run.add_argument(
        "--seeds",
        type=read_whole(1000),
        default=SEEDS,
        metavar="N",
        help=f"number of training seeds, from 0 (default: {SEEDS})",
    )
    _add_chosen(run, "the scored tasks")
    _add_folder(run)
    add_cluster(run)


def _add_add(add: argparse.ArgumentParser) -> None:
    add.add_argument("--method", required=True, type=read_line, help="name of the method")
    add.add_argument(
        "--task",
        required=True,
        choices=list(ALL_TASKS),
        metavar="TASK",
        help="name of the task; parlour benchmark list shows all",
    )
    add.add_argument("--agent", type=read_line, help=f"agent to evaluate: {AGENT_HELP}")
    add.add_argument(
        "--games",
        type=read_path,
        metavar="FILE",
        help="file of recorded games (parlour evaluate --record) of all deals of the task, instead "
        "of --agent; only for solitaires",
    )
    add.add_argument(
        "--budget",
        choices=list(BUDGETS),
        default=NONE,
        help=f"training budget; {UNLIMITED}: any amount of training (default: {NONE})",
    )
    add.add_argument(
        "--steps", type=read_whole(), default=0, help="timesteps of training (default: 0)"
    )
    add.add_argument(
        "--hours", type=float, default=0.0, help="hours of training, wall time (default: 0)"
    )
    add.add_argument("--seed", type=read_whole(), default=0, help="training seed (default: 0)")
    _add_folder(add)


def run_benchmark(arguments: argparse.Namespace) -> int:
    """Run a subcommand."""
    actions = {
        "list": _list,
        "run": _run,
        "add": _add,
        "verify": _verify,
        "report": _report,
        "leaderboard": _leaderboard,
    }
    return actions[arguments.action](arguments)


def _list(arguments: argparse.Namespace) -> int:
    if arguments.json:
        tasks = [
            {
                "task": task.name,
                "game": task.game,
                "variant": task.variant,
                "kind": task.kind,
                "measure": task.measure,
                "values": task.num_values,
                "reference": task.reference and task.reference._asdict(),
            }
            for task in ALL_TASKS.values()
        ]
        table = {
            "version": VERSION,
            "deal_set": DEAL_SET,
            "tasks": tasks,
            "budgets": _limits(BUDGETS),
            "time_classes": _limits(TIME_CLASSES),
        }
        print(json.dumps(table))
        return 0
    print(f"Benchmark version {VERSION}; deals 0 to n - 1 of deal set {DEAL_SET}\n")
    print("scored tasks: number of values, measure, reference scores 0 and 1")
    for task in TASKS.values():
        assert task.reference is not None
        low, high, source = task.reference
        print(f"{_describe_task(task):<48} {low:>8.4g} {high:>8.4g}  {source}")
    print("\nother tasks, for leaderboards only: number of values, measure")
    for task in OTHER_TASKS.values():
        print(_describe_task(task))
    steps = ", ".join(f"{name} {BUDGETS[name]:,}" for name in RUN_BUDGETS)
    print(f"\nbudgets (timesteps of training): {steps}")
    print(f"time classes (per decision, in batches, on one core): {', '.join(TIME_CLASSES)}")
    return 0


def _limits(limits: Mapping[str, float]) -> dict[str, float | None]:
    """Return limits for JSON, which has no infinity: None for no limit."""
    return {name: limit if limit < inf else None for name, limit in limits.items()}


def _describe_task(task: Task) -> str:
    return f"  {task.name:<24} {task.num_values:>5,} {task.measure}"


def _run(arguments: argparse.Namespace) -> int:
    from ..benchmark.run import run_method

    most = max(task.deals for task in ALL_TASKS.values())
    with use_cluster(arguments, None) as cluster, progress_bars(most) as bars:
        skipped = run_method(
            arguments.method,
            arguments.folder,
            budget=arguments.budget,
            seeds=range(_read_seeds(arguments.seeds)),
            tasks=arguments.tasks,
            report=bars,
            finished=lambda entry: print(_describe(entry), flush=True),
            cluster=cluster,
        )
    for one in skipped:
        print(f"{one.task} skipped: {one.reason}", file=sys.stderr)
    return 0


def _read_seeds(number: int) -> int:
    if number < 1:
        raise ValueError(f"--seeds must be at least 1, got {number}")
    return number


def _describe(entry: Any) -> str:
    task = entry.task_object
    score = f", score {entry.score:.3f}" if task.reference else ""
    return f"{entry.title}: {task.measure} {entry.raw.text(decimals=4)}{score}"


def _add(arguments: argparse.Namespace) -> int:
    from ..benchmark.entries import locate_entry, write_entry
    from ..benchmark.submit import add_agent, add_games

    if (arguments.agent is None) == (arguments.games is None):
        raise ValueError("add needs either --agent or --games")
    path = locate_entry(arguments.folder, arguments.method, arguments.task, arguments.seed)
    if path.exists():
        raise ValueError(f"{path} exists already: choose another --method or --seed")
    if arguments.hours < 0:
        raise ValueError(f"--hours must be at least 0, got {arguments.hours:g}")
    facts = {
        "budget": arguments.budget,
        "seed": arguments.seed,
        "steps": arguments.steps,
        "training_seconds": 3600 * arguments.hours,
    }
    task = find_task(arguments.task)
    if arguments.agent is not None:
        entry = add_agent(arguments.folder, task, arguments.method, arguments.agent, **facts)
    else:
        entry = add_games(arguments.folder, task, arguments.method, arguments.games, **facts)
    print(f"{_describe(entry)}\nwritten: {write_entry(arguments.folder, entry)}")
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from ..benchmark.entries import BenchmarkEntry, check_consistent, list_entries, read_located
    from ..benchmark.verify import verify_entry

    chosen = [find_task(name).name for name in arguments.tasks or ALL_TASKS]
    folder, total, failed = arguments.folder, 0, 0
    entries: list[BenchmarkEntry] = []
    if arguments.deals < 2:
        raise ValueError(f"--deals must be at least 2, got {arguments.deals}")
    for path in list_entries(folder):
        try:
            entry = read_located(path, folder)
        except (ValueError, OSError) as error:
            total, failed = total + 1, failed + 1
            print(error, flush=True)
            continue
        entries.append(entry)
        if entry.task in chosen:
            faults = verify_entry(
                entry, folder, deals=arguments.deals, allow_code=arguments.allow_code
            )
            total, failed = total + 1, failed + bool(faults)
            print(f"{entry.title}: {'; '.join(faults) or 'ok'}", flush=True)
    if not total:
        raise ValueError(f"{folder}: must have at least one entry of these tasks")
    print(f"{total - failed} of {total} entries hold.")
    check_consistent(entries)
    return FAILED if failed else 0


def _report(arguments: argparse.Namespace) -> int:
    with reserve_stdout(arguments):
        from ..benchmark.entries import read_results
        from ..benchmark.report import group_methods, write_report

        methods = group_methods(read_results(arguments.folder))
        if not methods:
            raise ValueError(f"{arguments.folder}: must have at least one entry of a scored task")
        if arguments.out:
            if arguments.out.suffix != ".html":
                raise ValueError(f"--out must end with .html, got {arguments.out}")
            write_report(methods, arguments.out)
    if arguments.json:
        print(json.dumps([_summarize(one) for one in methods]))
    elif arguments.markdown:
        print(make_markdown(methods))
    else:
        _print_tables(methods)
    if arguments.out and not arguments.json:
        print(f"written: {arguments.out}")
    return 0


def _summarize(method: Any) -> dict[str, Any]:
    return {
        "method": method.name,
        "aggregate": method.aggregate._asdict(),
        "scores": {task: values.tolist() for task, values in method.scores.items()},
        "time_class": method.time_class,
        "training_seconds": method.training_seconds,
    }


def make_markdown(methods: Sequence[Any]) -> str:
    """Return the tables of aggregates and tasks as Markdown."""
    from ..benchmark.report import AGGREGATE_HEADS, list_aggregates, list_task_scores

    return (
        f"{markdown_table(AGGREGATE_HEADS, list_aggregates(methods))}\n"
        f"{markdown_table(('method', *TASKS), list_task_scores(methods))}"
    )


def _print_tables(methods: Sequence[Any]) -> None:
    from ..benchmark.report import NOTE, make_tables
    from ..evaluation.report.terminal_tables import open_console, print_fitting

    console = open_console()
    for table in make_tables(methods):
        print_fitting(console, [table])
    console.print(NOTE, markup=False, highlight=False)


def _leaderboard(arguments: argparse.Namespace) -> int:
    with reserve_stdout(arguments):
        from ..benchmark.entries import read_results
        from ..benchmark.leaderboard import list_leaderboards

        chosen = [find_task(name).name for name in arguments.tasks or ALL_TASKS]
        tables = list_leaderboards(read_results(arguments.folder), chosen)
        if not tables:
            raise ValueError(f"{arguments.folder}: must have at least one entry of these tasks")
    if arguments.json:
        print(json.dumps({task: list(map(_summarize_row, rows)) for task, rows in tables.items()}))
    elif arguments.markdown:
        print(write_leaderboards(tables))
    else:
        for rows in tables.values():
            _print_leaderboard(rows)
    return 0


def _summarize_row(row: Any) -> dict[str, Any]:
    first = row.entries[0]
    return {
        "method": row.method,
        "mean": row.estimate._asdict(),
        "below": row.below,
        "budget": first.budget,
        "steps": first.steps,
        "seeds": len(row.entries),
        "ms": row.ms,
        "sees_all": row.sees_all,
        "agent": first.agent,
        "agent_digest": first.agent_digest,
    }


def write_leaderboards(tables: Mapping[str, Sequence[Any]], cards: str = "") -> str:
    """Return the leaderboards of tasks as Markdown; for the arguments see `write_leaderboard`."""
    from ..benchmark.leaderboard import title_task

    return "\n".join(
        f"## {title_task(find_task(name))}\n\n{write_leaderboard(rows, cards)}"
        for name, rows in tables.items()
    )


def write_leaderboard(rows: Sequence[Any], cards: str = "", digest: str = "") -> str:
    """Return the leaderboard of a task as Markdown: a table and its notes.

    Args:
        rows: The rows of the task (`parlour.training.benchmark.leaderboard.Row`).
        cards: The path from the page to the folder of the pretrained agents (empty: no links to
            their model cards).
        digest: The digest of an agent whose rows are printed in bold (empty: none).
    """
    from ..benchmark import leaderboard as board

    task, lines = rows[0].task, []
    for row in rows:
        method, *cells, source = row.cells
        bold = "**" if digest and row.has_agent(digest) else ""
        if cards and row.model:
            source = f"[{source}]({cards}/{source}/{CARD_FILE})"
        lines.append([f"{bold}`{method}`{bold}", *cells, source])
    table = markdown_table(["method", board.describe_unit(task), *board.HEADS], lines)
    deals, conditions = board.describe_deals(task), board.describe_conditions(rows)
    return f"{table}\nTask `{task.name}`: {deals}. {conditions}\n"


def _print_leaderboard(rows: Sequence[Any]) -> None:
    from rich.text import Text

    from ..benchmark import leaderboard as board
    from ..evaluation.report.terminal_tables import (
        make_terminal_table,
        open_console,
        print_fitting,
    )

    task = rows[0].task
    title = f"{board.title_task(task)} ({task.name})"
    table = make_terminal_table(title, "method", board.describe_unit(task), *board.HEADS)
    for row in rows:
        table.add_row(*map(Text, row.cells))
    print_fitting(open_console(), [table])
