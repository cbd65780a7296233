"""Hyperparameter search: it resumes, shares work, prunes, validates input and reports its result.

The trials of the fast tests search heuristic weights, which takes hundredths of a second.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parlour.training import make_settings, preset, tune
from parlour.training.cli import main as cli
from parlour.training.cli import tune as command
from parlour.training.learning.settings.base import Settings
from parlour.training.learning.settings.command import parse
from parlour.training.learning.settings.methods import SETTINGS, CmaEsSettings
from parlour.training.learning.train import Interrupted, train
from parlour.training.tuning import report as tune_report
from parlour.training.tuning import study as tune_study
from parlour.training.tuning.study import Tuned, make_plan
from parlour.training.tuning.trial import Dimension, TunedTrial, make_space, read_space

SPACE = {"sigma": {"low": 0.1, "high": 0.9}, "population": {"values": [4, 5]}}
WORDS = shlex.split(
    "tune poker-squares --method cma-es --generations 2 --population 4 --candidate-deals 20 "
    "--eval-deals 20"
)
VALUES = shlex.split(
    "tune poker-squares --preset td --total-steps 1250000 --eval-deals 200 --trials 6 --seed 1"
)


def small(folder: Path, **changes: Any) -> Settings:
    """Return settings of a CMA-ES run that takes hundredths of a second."""
    base = CmaEsSettings(
        game="poker_squares", generations=2, population=4, candidate_deals=20, eval_deals=20
    )
    return replace(base, runs=str(folder), **changes)


GAME_OF = {
    "td": "poker_squares",
    "plan-td": "klondike",
    "plan-search": "klondike",
    "selfplay": "seven_twenty_seven",
}
"""A game for each method that cannot learn Pyramid."""


def search(folder: Path, trials: int = 3, **keywords: Any) -> Tuned:
    return tune(small(folder), trials=trials, space=SPACE, quiet=True, **keywords)


def test_a_search_goes_on_and_leaves_a_table_a_picture_and_settings(tmp_path: Path) -> None:
    first = search(tmp_path, 2)
    tuned = search(tmp_path, 3)
    assert tuned.folder.name == "poker_squares-classic-tune-cma-es"
    assert [one.state for one in tuned.trials] == ["done"] * 3
    assert sorted(one.number for one in tuned.trials) == [0, 1, 2]
    kept = {one.number: one for one in first.trials}
    assert {one.number: one for one in tuned.trials if one.number in kept} == kept
    assert kept[0].settings == {"sigma": 0.3, "population": 4}  # as the base has them
    assert tuned.best.value == max(one.value or 0 for one in tuned.trials)
    for one in tuned.trials:
        run = tuned.folder / "trials" / f"poker_squares-classic-{one.run}"
        result = json.loads((run / "result.json").read_text())
        assert result["score"]["mean"] == one.value
        card = json.loads((run / "seed-0" / "agent" / "agent.json").read_text())
        assert "poker_squares-validation" in json.dumps(card)
    table = tuned.to_pandas()
    assert list(table["number"]) == [one.number for one in tuned.trials]
    assert {"value", "state", "sigma", "population"} <= set(table.columns)
    assert (tuned.folder / "tune.png").stat().st_size > 10_000
    written = json.loads((tuned.folder / "tune.json").read_text())
    assert written["best"]["number"] == tuned.best.number
    assert "3 trials, best score" in repr(tuned)


@pytest.mark.slow
def test_the_same_seed_searches_the_same(tmp_path: Path) -> None:
    one, two = search(tmp_path / "a"), search(tmp_path / "b", 2)
    two = search(tmp_path / "b")
    assert [t.settings for t in one.trials] == [t.settings for t in two.trials]
    assert [t.value for t in one.trials] == [t.value for t in two.trials]


def test_the_best_settings_are_taken_as_they_are(tmp_path: Path) -> None:
    tuned = search(tmp_path)
    words = ["poker_squares", "--settings", str(tuned.folder / "best.toml")]
    again = parse([*words, "--runs", str(tmp_path), "--name", "best"])
    assert again == replace(tuned.settings, runs=str(tmp_path), name="best", seeds=(0,))
    run = train(again, quiet=True)
    assert json.loads((run / "result.json").read_text())["score"]["mean"] == tuned.best.value


def test_every_kind_of_setting_can_be_written(tmp_path: Path) -> None:
    for name, kind in SETTINGS.items():
        game = GAME_OF.get(name, "pyramid")
        base = kind(game=game, seeds=(0,), eval_deals=7)
        if name == "ppo":
            base = replace(base, options={"passes": 2}, variants=(), network_options={"a": 1})
        plan = make_plan(replace(base, runs=str(tmp_path)))
        row = TunedTrial(0, "done", 1.0, 5, 1.0, {}, "trial-0000")
        text = tune_report.best_preset(Tuned(plan, [row], {}))
        file = tmp_path / f"{name}.toml"
        file.write_text(text)
        assert replace(preset(game, file=file), runs=str(tmp_path)) == plan.base


@pytest.mark.parametrize("method", SETTINGS)
def test_the_spaces_of_all_methods_are_right(method: str) -> None:
    game = GAME_OF.get(method, "pyramid")
    space = read_space(make_settings(method, game=game))
    assert 2 <= len(space) <= 8


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("sigma = { low = 0, high = 0.5 }", "sigma must be a number from 0.001 to 10, got 0.0"),
        ("sigma = { low = 2, high = 1 }", "low must be less than high, got low=2, high=1"),
        ("sigma = { high = 1 }", "low is missing"),
        ("sigma = { low = 0.1, hihg = 1 }", "hihg"),
        ("sigma = 3", "sigma: must be a table with low and high, or with values, got 3"),
        ("sigma = { low = 0.1, high = 1, log = 2 }", "log=2"),
        (
            "sigma = { low = 0.1, high = 1, step = 3 }",
            "step must be above 0 and at most 0.9, got 3",
        ),
        ("sigma = { low = nan, high = 1 }", "low must be a finite number, got nan"),
        ("sigma = { values = [1] }", "two or more different"),
        ("population = { low = 0.5, high = 9 }", "must be integers, got 0.5, 9 and 1"),
        (
            "population = { values = [4, 3] }",
            "population must be 0 or an integer from 4 to 10000, got 3",
        ),
        ("sigam = { low = 0.1, high = 1 }", "sigam"),
        ("gamma = { low = 0.1, high = 1 }", "method 'cma-es' does not use setting 'gamma'"),
        ("eval_deals = { low = 1, high = 9 }", "setting 'eval_deals' cannot be searched"),
        ("reward = { low = 1, high = 9 }", "must have values = [...]"),
        ("", "space must be a table of settings, got {}"),
    ],
)
def test_a_wrong_space_is_refused(table: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"[cma-es]\n{table}\n")
    with pytest.raises(ValueError) as raised:
        read_space(small(tmp_path), file)
    assert message in str(raised.value)
    assert f"{file} [cma-es]" in str(raised.value)


def test_other_wrong_input_is_refused(tmp_path: Path) -> None:
    for keywords, message in (
        ({"trials": 0}, "trials must be an integer from 1 to 1000000, got 0"),
        ({"evaluations": 0}, "evaluations must be an integer from 1 to 1000, got 0"),
        ({"pruner": "medain"}, "medain"),
        ({"backend": "loky"}, "backend must be one of processes, ray, got 'loky'"),
        ({"jobs": 0}, "jobs must be an integer from 1 to 1024, got 0"),
        ({"address": "auto"}, "address='auto' requires backend 'ray', got backend 'processes'"),
        ({"seed": -1}, "seeds must be one or more different integers"),
        ({"storage": "nosql:///x"}, "storage='nosql:///x'"),
    ):
        with pytest.raises(ValueError) as raised:
            search(tmp_path, **{"trials": 1, **keywords})
        assert message in str(raised.value)
    search(tmp_path, 1)
    with pytest.raises(ValueError, match=r"space was .* and is now .*Choose another --name"):
        tune(small(tmp_path), trials=1, space={"sigma": SPACE["sigma"]})
    (tmp_path / "empty.toml").write_text("")
    with pytest.raises(ValueError, match=r"a table \[cma-es\] is missing; existing tables: none"):
        tune(small(tmp_path, name="b"), space=tmp_path / "empty.toml")


def test_ctrl_c_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial in progress is marked as failed; its settings are queued and its run resumes."""
    search(tmp_path, 1)
    begun: list[str] = []

    def stop(plan: Any, run: str, *rest: Any) -> float:
        begun.append(run)
        raise Interrupted(plan.folder, signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(tune_study, "run_trial", stop)
        with pytest.raises(KeyboardInterrupt):
            search(tmp_path)
    tuned = search(tmp_path)
    assert [one.state for one in tuned.trials] == ["done"] * 3
    assert begun == ["trial-0001"]
    assert sorted(one.run for one in tuned.trials) == ["trial-0000", "trial-0001", "trial-0003"]


def test_a_dead_process_leaves_no_trial_that_runs(tmp_path: Path) -> None:
    plan = make_plan(small(tmp_path), 2, SPACE)
    plan.folder.mkdir()
    study = tune_study.open_study(plan)
    for _ in range(2):
        trial = tune_study.ask_trial(study, plan)
        assert trial is not None
        tune_study.draw_params(plan, trial)
    assert tune_study.ask_trial(study, plan) is None  # both run, in this process
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    trials = study.get_trials(deepcopy=False)
    dead = tune_study.Trial(study, trials[0]._trial_id)
    dead.set_user_attr(tune_study.OWNER, [tune_study.socket.gethostname(), process.pid])
    silent = tune_study.Trial(study, trials[1]._trial_id)
    silent.set_user_attr(tune_study.MARK, time.time() - 2 * tune_study.STALE)
    tuned = search(tmp_path, 2)
    assert [one.state for one in tuned.trials] == ["done"] * 2
    assert sorted(one.run for one in tuned.trials) == ["trial-0000", "trial-0001"]
    assert not study.get_trials(states=(tune_study.TrialState.RUNNING,))


def test_a_trial_that_kills_its_processes_is_given_up(tmp_path: Path) -> None:
    plan = make_plan(small(tmp_path), 2, SPACE)
    plan.folder.mkdir()
    study = tune_study.open_study(plan)
    for _ in range(tune_study.MOST_DEATHS):
        trial = tune_study.ask_trial(study, plan)
        assert trial is not None and trial.user_attrs[tune_study.RUN] == "trial-0000"
        tune_study.draw_params(plan, trial)
        trial.set_user_attr(tune_study.MARK, 0.0)
    tuned = search(tmp_path, 2)
    assert [one.error for one in tuned.trials] == [None, "the process crashed 3 times"]


def test_trials_that_cannot_be_are_told_from_those_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(plan: Any, run: str, params: Any, report: Any) -> float:
        if params["population"] == 5:
            raise ValueError("five is right out")
        report(1, 1.0)
        return 2.0

    monkeypatch.setattr(tune_study, "run_trial", run)
    tuned = search(tmp_path, 6)
    assert {one.state for one in tuned.trials} == {"done", "failed"}
    for one in tuned.trials:
        assert (one.state == "failed") == (one.settings["population"] == 5)
        assert (one.error == "ValueError: five is right out") == (one.state == "failed")
    monkeypatch.setattr(tune_study, "run_trial", lambda *_: float("nan"))
    with pytest.raises(ValueError, match=r"none of 2 trials has finished; trial \d: Arithm"):
        search(tmp_path / "b", 2)


def test_weak_trials_are_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []

    def run(plan: Any, run: str, params: Any, report: Any) -> float:
        number = int(run[-4:])
        for part in range(1, 5):
            report(part, float(-number))
        ended.append(number)
        return float(-number)

    monkeypatch.setattr(tune_study, "run_trial", run)
    for pruner in ("median", "hyperband", "none"):
        ended.clear()
        tuned = search(tmp_path / pruner, 12, pruner=pruner)
        pruned = [one.number for one in tuned.trials if one.state == "pruned"]
        assert sorted([*ended, *pruned]) == list(range(12))
        assert bool(pruned) == (pruner != "none")
        assert tuned.best.number == 0
        assert len(str(tuned).splitlines()) > 12


def test_parts_of_a_run(tmp_path: Path) -> None:
    plan = make_plan(replace(preset("poker_squares", "td"), total_steps=1000), evaluations=4)
    made: Any = plan.settings_of("trial-0007", {"step_size": 0.5})
    assert (made.eval_interval, made.checkpoint_interval, made.step_size) == (250, 250, 0.5)
    assert (made.name, made.runs) == ("trial-0007", str(plan.folder / "trials"))
    assert [plan.part_of(n) for n in (1, 250, 600, 999, 1000, 1100)] == [0, 1, 2, 3, 4, 4]


def test_a_step_and_a_logarithm(tmp_path: Path) -> None:
    rows = {"sigma": {"low": 0.1, "high": 1.0, "step": 0.3}, "population": {"low": 4, "high": 6}}
    one, two = make_space(small(tmp_path), rows)
    assert one == Dimension("sigma", 0.1, 1.0, step=0.3)
    assert two == Dimension("population", 4, 6, whole=True)
    assert (one.plain(), two.plain()) == (rows["sigma"], rows["population"])


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main([*WORDS, "--trials", "2"]) == 0
    message = capsys.readouterr()
    assert "Poker Squares, classic: trials of cma-es" in message.out
    assert message.err.count("\ntrial ") + message.err.startswith("trial ") == 2
    assert cli.main([*WORDS, "--trials", "2", "--json"]) == 0
    tuned = json.loads(capsys.readouterr().out)
    assert len(tuned["trials"]) == 2
    assert tuned["settings"]["sigma"] == tuned["best"]["settings"]["sigma"]
    for more, text in (
        ("--trials 2 --seeds 1 2", "--seeds must not be given: all trials use the seed of --seed"),
        ("--trials x", "must be an integer"),
        ("--trails 3", "--trails"),
    ):
        assert cli.main([*WORDS, *more.split()]) == 2
        assert text in capsys.readouterr().err

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("parlour.training.tuning.study.load_tuned", stop)
    assert cli.main([*WORDS, "--trials", "2"]) == 130
    assert "Run the same command again to resume" in capsys.readouterr().err


def test_examples_in_the_help_parse() -> None:
    text = command.EXAMPLES["tune"]
    lines = [line for line in text.splitlines() if line.startswith("  parlour tune ")]
    assert len(lines) > 4
    parser = cli.make_parser(["tune"]).commands["tune"]
    for line in lines:
        arguments, rest = parser.parse_known_args(line.split()[2:])
        assert parse([arguments.game, *rest]).method


MISSING = """
import importlib.util, sys
find_spec = importlib.util.find_spec
hidden = sys.argv.pop(1).split(",")
importlib.util.find_spec = lambda name, *more: None if name in hidden else find_spec(name, *more)
from parlour.training.cli.main import main
status = main(sys.argv[1:])
assert not {"optuna", "ray", "torch"} & set(sys.modules)
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("hidden", "backend", "extra"),
    [("optuna", "processes", "train"), ("ray", "ray", "ray"), ("optuna,ray", "ray", "train")],
)
def test_without_the_extra_it_is_named(hidden: str, backend: str, extra: str) -> None:
    program = [sys.executable, "-c", MISSING, hidden, *WORDS, "--backend", backend]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 2
    assert f'pip install "parlour[{extra}]"' in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("address", "environment", "workers"),
    [(None, None, 3), ("auto", None, 4), (None, "127.0.0.1:6379", 4)],
)
def test_a_running_cluster_gets_as_many_workers_as_it_has_room_for(
    address: str | None,
    environment: str | None,
    workers: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This also holds if the address comes from the environment."""
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 9.0})
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if environment:
        monkeypatch.setenv("RAY_ADDRESS", environment)
    assert tune_study.count_workers(3, 2, address) == workers


def test_a_worker_without_the_shared_storage_is_an_error(tmp_path: Path) -> None:
    """A worker on another machine, where the folder of the search is missing or different."""
    plan = make_plan(small(tmp_path), 2, SPACE)
    for folder in (tmp_path / "empty", tmp_path / "none" / "such"):
        away = replace(plan, storage=str(folder / "journal.log"))
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(ValueError, match="must be the same on all machines of the cluster"):
            tune_study._work_on_ray(away)


def start(tmp_path: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "parlour", *VALUES, *more],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(process: "subprocess.Popen[str]", begin: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(begin):
            return
    raise AssertionError(f"it ended without a line that begins with {begin}")


@pytest.mark.slow
def test_ctrl_c_and_on_again(tmp_path: Path) -> None:
    first = start(tmp_path)
    wait_for(first, "trial 0")
    time.sleep(1)
    first.send_signal(signal.SIGINT)
    _, message = first.communicate(timeout=120)
    assert first.returncode == 130
    assert "Traceback" not in message and "Run the same command again to resume" in message
    second = start(tmp_path, "--json")
    out, message = second.communicate(timeout=600)
    assert second.returncode == 0, message
    assert len(json.loads(out)["trials"]) == 6
    assert "trial 0," not in message


@pytest.mark.slow
def test_two_processes_share_a_data_base_and_one_is_killed(tmp_path: Path) -> None:
    storage = ("--storage", f"sqlite:///{tmp_path}/search.db")
    first, second = start(tmp_path, *storage), start(tmp_path, *storage, "--json")
    wait_for(first, "trial")
    time.sleep(1)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    out, message = second.communicate(timeout=600)
    assert second.returncode == 0, message
    trials = json.loads(out)["trials"]
    assert len(trials) == 6
    assert {one["state"] for one in trials} <= {"done", "pruned", "failed"}
    assert len({one["run"] for one in trials}) == 6


@pytest.mark.slow
def test_several_processes_of_one_command(tmp_path: Path) -> None:
    done = start(tmp_path, "--jobs", "2", "--json")
    out, message = done.communicate(timeout=600)
    assert done.returncode == 0, message
    assert len(json.loads(out)["trials"]) == 6


@pytest.mark.slow
def test_ray(tmp_path: Path) -> None:
    flags = shlex.split("--backend ray --jobs 2 --trials 12 --total-steps 600000 --json")
    done = start(tmp_path, *flags)
    out, message = done.communicate(timeout=900)
    assert done.returncode == 0, message
    tuned = json.loads(out)
    assert len(tuned["trials"]) == 12
    assert {one["state"] for one in tuned["trials"]} <= {"done", "pruned", "failed"}
    assert tuned["best"]["value"] > 100
    assert (Path(tuned["folder"]) / "best.toml").is_file()
    again = start(tmp_path, *flags)  # nothing is left to do
    out, message = again.communicate(timeout=120)
    assert json.loads(out)["trials"] == tuned["trials"]
