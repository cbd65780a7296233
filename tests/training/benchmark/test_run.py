"""Runs of the benchmark: train, measure, resume, report."""

import json
from pathlib import Path

import pytest

from parlour.training.benchmark import run, tasks
from parlour.training.benchmark.entries import locate_entry, read_results
from parlour.training.benchmark.report import group_methods, write_report
from parlour.training.benchmark.run import run_method
from parlour.training.benchmark.verify import verify_entry
from parlour.training.cli import main

PYRAMID = "pyramid-three-passes"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(tasks.BUDGETS, "small", 20_000)
    monkeypatch.chdir(tmp_path)


def test_a_method_is_trained_measured_and_verified(tmp_path: Path) -> None:
    assert run_method("ppo", tmp_path, seeds=(0, 1), tasks=[PYRAMID], quiet=True) == []
    entries = read_results(tmp_path)
    assert [(one.method, one.seed, one.budget) for one in entries] == [
        *(("ppo-small", 0, "small"), ("ppo-small", 1, "small"))
    ]
    for entry in entries:
        assert 0 < entry.steps <= 20_000 and entry.training_seconds > 0
        assert entry.games and verify_entry(entry, tmp_path, deals=20) == []
        assert (entry.agent, entry.time_class) == ("", "slow")  # too large to be copied
    assert entries[0].values != entries[1].values
    # Without the trained agent, the recorded games prove the values.
    (tmp_path / "runs").rename(tmp_path / "gone")
    assert verify_entry(entries[0], tmp_path) == []


def test_a_stopped_run_resumes_to_the_same_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The training is stopped after a checkpoint, and the measurement once more."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run_method("ppo", whole, tasks=[PYRAMID], quiet=True)
    from parlour.training.learning import train as training

    def stop(evaluation: object) -> None:
        raise KeyboardInterrupt

    real = training.train
    monkeypatch.setattr(
        training, "train", lambda settings, quiet: real(settings, quiet=quiet, watch=stop)
    )
    with pytest.raises(KeyboardInterrupt):
        run_method("ppo", parts, tasks=[PYRAMID], quiet=True)
    assert read_results(parts) == []
    run_method("ppo", parts, tasks=[PYRAMID], quiet=True)
    (first,), (second,) = read_results(whole), read_results(parts)
    assert (first.values, first.agent_digest) == (second.values, second.agent_digest)
    path = locate_entry(parts, "ppo-small", PYRAMID, 0)
    before = path.stat().st_mtime_ns
    run_method("ppo", parts, tasks=[PYRAMID], quiet=True)
    assert path.stat().st_mtime_ns == before  # finished entries are kept


def test_a_method_skips_games_that_it_cannot_learn(tmp_path: Path) -> None:
    tables = ["pyramid-rules", "twenty-eight-classic", PYRAMID]
    first, second = run_method("pqn", tmp_path, tasks=tables, quiet=True)
    assert first == (
        "pyramid-rules",
        "method pqn has no setting option_sets, option_split",
    )
    assert second.task == "twenty-eight-classic"
    assert second.reason.startswith("method must be one of")
    assert [one.task for one in read_results(tmp_path)] == [PYRAMID]
    with pytest.raises(
        ValueError, match="method ppo must be able to play one of the tasks: method"
    ):
        run_method("ppo", tmp_path, tasks=["twenty-eight-classic"], quiet=True)


@pytest.mark.parametrize("method", run.TRAINED)
def test_every_method_has_settings_for_some_task(method: str, tmp_path: Path) -> None:
    made = []
    for task in tasks.TASKS.values():
        try:
            settings = run.make_task_settings(task, method, "medium", 3, tmp_path)
        except ValueError:
            continue
        made.append(task.name)
        assert settings.method == method and settings.seeds == (3,)
        if method == "cma-es":
            assert settings.plain()["candidate_deals"] >= 50
        elif method in ("plan-td", "plan-search"):  # count plans, of 8 to 15 actions or at most 2
            least, most = (500_000, 1_500_000) if task.game == "klondike" else (4e6, 5e6)
            assert least < settings.plain()["total_steps"] < most
        else:
            assert 9_000_000 < settings.plain()["total_steps"] <= 10_000_000
        assert settings.variant == task.variant
    assert made


def test_a_run_with_other_settings_is_not_mixed_in(tmp_path: Path) -> None:
    run_method("ppo", tmp_path, tasks=[PYRAMID], quiet=True)
    locate_entry(tmp_path, "ppo-small", PYRAMID, 0).unlink()
    (file,) = tmp_path.glob("runs/*/*/settings.json")
    settings = json.loads(file.read_text()) | {"width": 7}
    file.write_text(json.dumps(settings))
    with pytest.raises(ValueError, match="the run must have the settings of the benchmark"):
        run_method("ppo", tmp_path, tasks=[PYRAMID], quiet=True)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def call(line: str) -> str:
        assert main.main(["benchmark", *line.split()]) == 0
        return capsys.readouterr().out

    listed = json.loads(call("list --json"))
    assert [one["task"] for one in listed["tasks"]] == list(tasks.ALL_TASKS)
    assert [one["task"] for one in listed["tasks"] if one["reference"]] == list(tasks.TASKS)
    assert listed["budgets"]["none"] == 0 and listed["budgets"]["unlimited"] is None
    assert listed["time_classes"] == {"0.1ms": 0.1, "1ms": 1, "10ms": 10, "slow": None}
    text = call("list")
    assert "fifty-six-classic" in text and "\nother tasks, for leaderboards only: " in text
    some = f"--tasks {PYRAMID} poker-squares-classic --folder results"
    for agent in ("greedy", "uniform"):
        assert f"{agent}, {PYRAMID}, seed 0: won 0." in call(f"run {agent} {some}")
    added = call(f"add --method mine --task {PYRAMID} --agent greedy --folder results")
    assert "written: results/mine/pyramid-three-passes-seed-0.json" in added
    assert call("verify --folder results --deals 20").endswith("5 of 5 entries hold.\n")
    text = call("report --folder results --out page.html")
    assert "aggregate score" in text and "written: page.html" in text
    page = Path("page.html").read_text()
    assert page.count("<svg") + page.count("image/svg") == 2 and "greedy" in page
    table = call("report --folder results --markdown")
    assert table.startswith("| method | aggregate score |")
    summary = {one["method"]: one for one in json.loads(call("report --folder results --json"))}
    greedy = summary["greedy"]
    assert greedy["aggregate"]["low"] < greedy["aggregate"]["mean"] < greedy["aggregate"]["high"]
    assert summary["mine"]["scores"][PYRAMID] == greedy["scores"][PYRAMID]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run nobody", "nobody"),
        ("run mymodule:MyAgent", "To add another agent, use parlour benchmark add"),
        ("verify --deals 1", "--deals must be at least 2, got 1"),
        ("run ppo --budget tiny", "invalid choice: 'tiny'"),
        ("run greedy --tasks chess", "task must be one of pyramid-three-passes"),
        ("report --folder nowhere", "nowhere: must be a folder of benchmark results"),
        ("leaderboard --folder nowhere", "nowhere: must be a folder of benchmark results"),
        ("leaderboard --tasks chess", "task must be one of pyramid-three-passes"),
        ("leaderboard --folder .", ".: must have at least one entry of these tasks"),
        (f"add --method mine --task {PYRAMID}", "add needs either --agent or --games"),
        ("verify --tasks chess", "task must be one of pyramid-three-passes"),
    ],
)
def test_wrong_words_get_one_line(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main.main(["benchmark", *line.split()])
    message = capsys.readouterr().err
    assert said in message
    assert status == 2 and message.count("\n") == 1


def test_a_lie_fails_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main.main(["benchmark", "run", "greedy", "--tasks", PYRAMID, "--folder", "results"])
    path = locate_entry(Path("results"), "greedy", PYRAMID, 0)
    table = json.loads(path.read_text())
    path.write_text(json.dumps(table | {"values": [1.0] * 2000}))
    assert main.main(["benchmark", "verify", "--folder", "results", "--deals", "20"]) == 1
    assert "0 of 1 entries hold." in capsys.readouterr().out
    second = locate_entry(Path("results"), "greedy", PYRAMID, 1)
    second.write_text(json.dumps(table | {"seed": 1}))
    path.write_text(json.dumps(table))
    assert main.main(["benchmark", "verify", "--folder", "results", "--deals", "20"]) == 2
    assert "seed 1: must have another agent than seed 0" in capsys.readouterr().err


def test_methods_with_more_tasks_come_first(tmp_path: Path) -> None:
    run_method("uniform", tmp_path, tasks=[PYRAMID, "poker-squares-classic"])
    run_method("greedy", tmp_path, tasks=[PYRAMID])
    methods = group_methods(read_results(tmp_path))
    assert [one.name for one in methods] == ["uniform", "greedy"]
    write_report(methods, tmp_path / "page.html")
    assert "of 10" in (tmp_path / "page.html").read_text()
