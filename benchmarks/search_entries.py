"""Benchmark entries of search agents in the three time classes.

    python -m benchmarks.search_entries           # play all tasks; takes about an hour
    python -m benchmarks.search_entries --write   # write the table of the agents into the docs

The searches know the rules, but no learned agent guides them. For each task and time class,
`SEARCHES` has the best one of several searches and budgets on other deals. Finished entries are
kept, so the same command resumes after an interruption.
"""

import argparse
from pathlib import Path

from benchmarks.reports import ROOT, put_block
from parlour.training.benchmark.entries import locate_entry, read_results, write_entry
from parlour.training.benchmark.submit import add_agent
from parlour.training.benchmark.tasks import TASKS, TIME_CLASSES, find_task
from parlour.training.cli.output import markdown_table

PAGE, BLOCK = ROOT / "docs" / "results" / "benchmark.md", "benchmarks.search_entries"
METHOD = "search-{}"

SEARCHES = {
    "0.1ms": {
        "pyramid-three-passes": "pimc@4",
        "pyramid-rules": "rollouts@20:greedy",
        "twenty-eight-classic": "rollouts@2:greedy",
        "fifty-six-classic": "rollouts-cards@5:greedy",
    },
    "1ms": {
        "pyramid-three-passes": "pimc@24",
        "pyramid-rules": "mcts@100",
        "poker-squares-classic": "mcts@50:greedy",
        "puss-no-redeal": "rollouts@8:hopeful",
        "seven-twenty-seven-home": "mcts@10",
        "twenty-eight-classic": "rollouts@16:greedy",
        "fifty-six-classic": "rollouts-cards@40:greedy",
        "klondike-draw-one": "hindsight@300",
        "klondike-classic": "hindsight@50",
    },
    "10ms": {
        "pyramid-three-passes": "pimc@128",
        "pyramid-rules": "mcts@1000",
        "poker-squares-classic": "mcts@400:greedy",
        "puss-no-redeal": "rollouts@40:hopeful",
        "seven-twenty-seven-home": "mcts@60",
        "twenty-eight-classic": "rollouts@100:greedy",
        "fifty-six-classic": "rollouts-cards@160:greedy",
        "klondike-draw-one": "hindsight@1000",
        "klondike-classic": "hindsight@2000",
    },
}
"""The agent of each task, by time class. A task is missing if no search is that fast. The task
`seven-twenty-seven-mini` is missing, because a search plays no fixed policy, and a best response
to it would exploit the random numbers of a single run."""


def play_searches(folder: Path) -> None:
    """Write the missing entries."""
    for limit, agents in SEARCHES.items():
        for task, agent in agents.items():
            method = METHOD.format(limit)
            if locate_entry(folder, method, task, 0).exists():
                continue
            entry = add_agent(folder, find_task(task), method, agent)
            if TIME_CLASSES[entry.time_class] > TIME_CLASSES[limit]:
                raise ValueError(f"{task}: {agent} must be within {limit}, got {entry.ms} ms")
            write_entry(folder, entry)
            print(f"{entry.title}: {agent}, {entry.ms} ms, score {entry.score:.3f}", flush=True)


def make_table(folder: Path) -> str:
    """Return the table of the agents, with their times per decision, as Markdown."""
    entries = {(one.method, one.task): one for one in read_results(folder)}
    rows = []
    for task in TASKS:
        cells = [task]
        for limit in SEARCHES:
            one = entries.get((METHOD.format(limit), task))
            cells.append(f"`{one.agent}`, {one.ms:.2g} ms" if one else "–")
        rows.append(cells)
    return markdown_table(("task", *map(METHOD.format, SEARCHES)), rows)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--write", action="store_true", help="write the table into the docs")
    arguments = parser.parse_args()
    if arguments.write:
        put_block(PAGE, BLOCK, make_table(arguments.folder))
    else:
        play_searches(arguments.folder)


if __name__ == "__main__":
    main()
