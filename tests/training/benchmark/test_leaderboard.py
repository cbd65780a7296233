"""Leaderboards: views of the entries in a folder of results."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.training.benchmark.entries import BenchmarkEntry, read_results, write_entry
from parlour.training.benchmark.leaderboard import list_leaderboards, list_rows
from parlour.training.benchmark.report import group_methods
from parlour.training.benchmark.run import run_method
from parlour.training.benchmark.tasks import TASKS, find_task
from parlour.training.cli import main
from parlour.training.cli.benchmark import write_leaderboard, write_leaderboards
from parlour.training.evaluation.stats import student_mean

THOUGHTFUL = "klondike-thoughtful"
TASK = find_task(THOUGHTFUL)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with entries of a scored task and of another one."""
    folder = tmp_path_factory.mktemp("results")
    for agent in ("uniform", "greedy"):
        run_method(agent, folder, tasks=[THOUGHTFUL, "klondike-classic"])
    greedy = next(one for one in read_results(folder) if one.method == "greedy")
    for seed, won in enumerate((500, 700, 600)):
        values = (1.0,) * won + (0.0,) * (2000 - won)
        one = replace(greedy, method="mine", seed=seed, values=values, budget="small", steps=9)
        write_entry(folder, replace(one, task=THOUGHTFUL, rules_digest=TASK.rules_digest))
    seen = replace(greedy, method="seer", values=(1.0,) * 2000, sees_all=True, task=THOUGHTFUL)
    write_entry(folder, replace(seen, rules_digest=TASK.rules_digest))
    return folder


@pytest.fixture
def entries(results: Path) -> list[BenchmarkEntry]:
    return read_results(results)


def test_methods_are_ranked_below_the_best_agent_that_sees_all(
    entries: list[BenchmarkEntry],
) -> None:
    rows = list_rows(entries, TASK)
    means = {row.method: row.estimate.mean for row in rows}
    assert list(means) == sorted(means, key=lambda name: -means[name])
    assert rows[0].method == "seer" and rows[0].sees_all and rows[0].below == 0
    assert [row.below for row in rows] == [1 - mean for mean in means.values()]
    classic = list_rows(entries, find_task("klondike-classic"))
    assert [row.method for row in classic] == ["greedy", "uniform"]
    assert all(row.below is None and row.cells[2] == "–" for row in classic)


def test_the_interval_is_over_seeds_if_there_are_several(entries: list[BenchmarkEntry]) -> None:
    rows = {row.method: row for row in list_rows(entries, TASK)}
    assert rows["mine"].estimate == student_mean([0.25, 0.35, 0.3])
    assert rows["mine"].cells[1] == "30.00 [17.58, 42.42]"
    (greedy,) = rows["greedy"].entries
    assert rows["greedy"].estimate == greedy.raw
    assert rows["mine"].cells[3:5] == ("small, 9 steps", "3")
    assert rows["greedy"].cells[3:5] == ("–", "1")


def test_neither_other_tasks_nor_agents_that_see_all_are_scored(
    entries: list[BenchmarkEntry],
) -> None:
    methods = group_methods(entries)
    assert [one.name for one in methods] == ["greedy", "uniform"]
    assert all(set(one.scores) == {"klondike-classic"} for one in methods)
    seen = [replace(one, sees_all=True) for one in entries]
    assert group_methods(seen) == []


def test_a_table_for_each_task_with_results(entries: list[BenchmarkEntry]) -> None:
    tables = list_leaderboards(entries)
    assert list(tables) == ["klondike-classic", THOUGHTFUL]
    assert list(list_leaderboards(entries, [THOUGHTFUL, "klondike-classic"])) == list(tables)
    assert list(list_leaderboards(entries, [THOUGHTFUL, "pyramid-book"])) == [THOUGHTFUL]
    text = write_leaderboards(tables, "cards")
    classic, _, thoughtful = text.partition("## Klondike, thoughtful\n\n")
    assert classic.startswith("## Klondike, classic\n\n| method | won, % | below upper bound |")
    assert f"Task `{THOUGHTFUL}`: deals 0 to 1,999 of benchmark-1. Measured with" in thoughtful
    seer = next(line for line in thoughtful.splitlines() if "`seer`" in line)
    assert seer.startswith("| `seer` | 100.00 [99.81, 100.00] | ≈ 0.00 | – | 1 | ")
    assert seer.endswith(" | yes | built in: greedy |")


def test_rows_of_an_agent_are_bold_and_link_to_its_card(tmp_path: Path) -> None:
    task = "poker-squares-classic"
    for agent in ("greedy", "pretrained"):
        run_method(agent, tmp_path, tasks=[task])
    rows = list_rows(read_results(tmp_path), TASKS[task])
    text = write_leaderboard(rows, "cards", rows[0].entries[0].agent_digest)
    assert "| **`pretrained`** | " in text and "| `greedy` | " in text
    assert "| unlimited, 200,000,000 steps | 1 |" in text
    assert "| [poker_squares-classic](cards/poker_squares-classic/README.md) |" in text


def test_sources(entries: list[BenchmarkEntry]) -> None:
    greedy = next(one for one in entries if one.method == "greedy")
    for changes, source in (
        ({}, "built in"),
        ({"method": "search"}, "built in: greedy"),
        ({"agent": "mine:Agent"}, "code: mine:Agent"),
        ({"agent": "", "games": "x.games.npz"}, "recorded games"),
        ({"agent": "x/agent", "agent_digest": "0" * 16}, "saved agent"),
    ):
        entry = replace(greedy, **changes)  # type: ignore[arg-type]
        (row,) = list_rows([entry], entry.task_object)
        assert row.cells[-1] == source


def test_the_command(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def call(words: str) -> str:
        line = ["benchmark", "leaderboard", "--folder", str(results), *words.split()]
        assert main.main(line) == 0
        return capsys.readouterr().out

    text = call("")
    assert "Klondike, classic (klondike-classic)" in text and "seer" in text
    only = call(f"--tasks {THOUGHTFUL}")
    assert "classic" not in only
    table = json.loads(call("--json"))
    assert list(table) == ["klondike-classic", THOUGHTFUL]
    assert table[THOUGHTFUL][0]["method"] == "seer"
    assert table[THOUGHTFUL][0]["sees_all"] and table[THOUGHTFUL][0]["below"] == 0
    assert call("--markdown").startswith("## Klondike, classic\n")
