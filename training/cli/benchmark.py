"""``parlour benchmark``: run, add, verify and report results of the benchmark."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..benchmark.tasks import BUDGETS, DEAL_SET, TASKS, TIME_CLASSES, VERSION, find_task
from .arguments import AGENT_HELP, add_json, read_line, read_path, read_whole
from .cluster import add_cluster, use_cluster
from .output import markdown_table, progress_bars, reserve_stdout

FAILED = 1
"""Exit status if an entry fails its verification."""
FOLDER = Path("runs/benchmark")
SEEDS = 5
EXAMPLES = {
    "benchmark": """\
  parlour benchmark list
  parlour benchmark run greedy
  parlour benchmark run ppo --budget small --seeds 1 --tasks pyramid-three-passes
  parlour benchmark add --method mine --task pyramid-three-passes --agent mymodule:MyAgent
  parlour benchmark verify
  parlour benchmark report --out benchmark.html

After an interruption, run the same command again to resume.
""",
}


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommands of ``parlour benchmark``."""
    actions = parser.add_subparsers(
        title="commands", metavar="list|run|add|verify|report", dest="action", required=True
    )
    text = "list tasks, training budgets, and time classes (limits of the time per decision)"
    listing = _add_action(actions, "list", text)
    add_json(listing)
    text = "run a method on the tasks, and save an entry (result) for each task and seed"
    _add_run(_add_action(actions, "run", text))
    _add_add(_add_action(actions, "add", "add the entry of an agent trained elsewhere"))
    verify = _add_action(actions, "verify", "verify entries; the exit status is 1 if one fails")
    _add_folder(verify)
    _add_chosen(verify)
    verify.add_argument(
        "--deals",
        type=read_whole(10_000),
        default=100,
        help="number of deals of the task to play again for each entry, and number of new deals to "
        "play in addition (default: 100)",
    )
    verify.add_argument(
        "--allow-code",
        action="store_true",
        help="run agents given as module:Class (default: report them as failed)",
    )
    report = _add_action(actions, "report", "print tables of all results")
    _add_folder(report)
    report.add_argument(
        "--out", type=read_path, metavar="FILE", help="HTML file with tables and plots"
    )
    report.add_argument(
        "--markdown", action="store_true", help="print the tables as Markdown (default: no)"
    )
    add_json(report)


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


def _add_chosen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tasks", nargs="+", metavar="TASK", help=f"tasks: {', '.join(TASKS)} (default: all)"
    )


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "method",
        metavar="METHOD",
        type=read_line,
        help="learning method (ppo, pqn, distill, td, cma-es, selfplay), or an agent to evaluate "
        f"without training: {AGENT_HELP}",
    )
    trained = list(BUDGETS)[1:]
    steps = ", ".join(f"{name} {BUDGETS[name]:,}" for name in trained)
    run.add_argument(
        "--budget",
        choices=trained,
        default=trained[0],
        help=f"timesteps of training: {steps} (default: {trained[0]})",
    )
    run.add_argument(
        "--seeds",
        type=read_whole(1000),
        default=SEEDS,
        metavar="N",
        help=f"number of training seeds, from 0 (default: {SEEDS})",
    )
    _add_chosen(run)
    _add_folder(run)
    add_cluster(run)


def _add_add(add: argparse.ArgumentParser) -> None:
    add.add_argument("--method", required=True, type=read_line, help="name of the method")
    add.add_argument(
        "--task",
        required=True,
        choices=list(TASKS),
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
        "--budget", choices=list(BUDGETS), default="none", help="training budget (default: none)"
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
                "low": task.low,
                "high": task.high,
                "high_source": task.high_source,
            }
            for task in TASKS.values()
        ]
        table = {"version": VERSION, "deal_set": DEAL_SET, "tasks": tasks, "budgets": BUDGETS}
        print(json.dumps(table))
        return 0
    print(f"Benchmark version {VERSION}; deals 0 to n - 1 of deal set {DEAL_SET}\n")
    print("tasks: number of values, measure, reference scores 0 and 1")
    for task in TASKS.values():
        print(
            f"  {task.name:<24} {task.num_values:>5,} {task.measure:<16} {task.low:>8.4g} "
            f"{task.high:>8.4g}  {task.high_source}"
        )
    steps = ", ".join(f"{name} {steps:,}" for name, steps in BUDGETS.items() if steps)
    print(f"\nbudgets (timesteps of training): {steps}")
    limits = ", ".join(f"{name} <= {limit:g} ms" for name, limit in TIME_CLASSES.items())
    print(f"time classes (per decision, in batches, on one core): {limits}")
    return 0


def _run(arguments: argparse.Namespace) -> int:
    from ..benchmark.run import run_method

    most = max(task.deals for task in TASKS.values())
    with use_cluster(arguments, None) as cluster, progress_bars(most) as bars:
        skipped = run_method(
            arguments.method,
            arguments.folder,
            budget=arguments.budget,
            seeds=range(arguments.seeds),
            tasks=arguments.tasks,
            report=bars,
            finished=lambda entry: print(_describe(entry), flush=True),
            cluster=cluster,
        )
    for one in skipped:
        print(f"{one.task} skipped: {one.reason}", file=sys.stderr)
    return 0


def _describe(entry: Any) -> str:
    measure = entry.task_object.measure
    return f"{entry.title}: {measure} {entry.raw.text(decimals=4)}, score {entry.score:.3f}"


def _add(arguments: argparse.Namespace) -> int:
    from ..benchmark.entries import locate_entry, write_entry
    from ..benchmark.submit import add_agent, add_games

    if (arguments.agent is None) == (arguments.games is None):
        raise ValueError("add needs either --agent or --games")
    path = locate_entry(arguments.folder, arguments.method, arguments.task, arguments.seed)
    if path.exists():
        raise ValueError(f"{path} exists already: choose another --method or --seed")
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
    from ..benchmark.entries import list_entries, read_located, read_results
    from ..benchmark.verify import verify_entry

    chosen = [find_task(name).name for name in arguments.tasks or TASKS]
    folder, total, failed = arguments.folder, 0, 0
    if arguments.deals < 2:
        raise ValueError(f"--deals must be at least 2, got {arguments.deals}")
    for path in list_entries(folder):
        try:
            entry = read_located(path, folder)
        except (ValueError, OSError) as error:
            total, failed = total + 1, failed + 1
            print(error, flush=True)
            continue
        if entry.task in chosen:
            faults = verify_entry(
                entry, folder, deals=arguments.deals, allow_code=arguments.allow_code
            )
            total, failed = total + 1, failed + bool(faults)
            print(f"{entry.title}: {'; '.join(faults) or 'ok'}", flush=True)
    if not total:
        raise ValueError(f"{folder}: must have at least one entry of these tasks")
    if not failed:
        read_results(folder)  # raises for entries that contradict each other
    print(f"{total - failed} of {total} entries hold.")
    return FAILED if failed else 0


def _report(arguments: argparse.Namespace) -> int:
    with reserve_stdout(arguments):
        from ..benchmark.entries import read_results
        from ..benchmark.report import group_methods, write_report

        methods = group_methods(read_results(arguments.folder))
        if not methods:
            raise ValueError(f"{arguments.folder}: must have at least one entry")
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

    heads = ("task", *(one.name for one in methods))
    return (
        f"{markdown_table(AGGREGATE_HEADS, list_aggregates(methods))}\n\n"
        f"{markdown_table(heads, list_task_scores(methods))}"
    )


def _print_tables(methods: Sequence[Any]) -> None:
    from ..benchmark.report import NOTE, make_tables
    from ..evaluation.report.terminal_tables import open_console, print_fitting

    console = open_console()
    for table in make_tables(methods):
        print_fitting(console, [table])
    console.print(NOTE, markup=False, highlight=False)
