"""Evaluations, reviews and deal sets in parallel chunks equal those of one process."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.training.cli import main
from parlour.training.cli.process import STOPPED
from parlour.training.evaluation import lineups
from parlour.training.evaluation.compare import compare, evaluate
from parlour.training.evaluation.replays.replay_files import load_replays
from parlour.training.evaluation.reviews.review_deal_set import review_deal_set
from parlour.training.parallel import processes, tasks
from parlour.training.parallel.tasks import Cluster, Packing, run_cached, run_tasks

HERE = Cluster("sequential", 1)
"""Chunks without processes: a chunk is the same wherever it runs."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide a few deals into several chunks."""
    monkeypatch.setattr(lineups, "CHUNK", 7)


def assert_same(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


def square(number: int) -> int:
    return number * number


SQUARES = Packing(lambda number: {"square": number}, lambda arrays: int(arrays["square"]))


def fail_once(given: tuple[Path, int]) -> int:
    """Kill the process that first reaches the last task."""
    path, number = given
    if number == 9 and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("agent", ["uniform", "pimc@2", "mcts@4", "pretrained", "oracle"])
def test_an_evaluation_in_chunks(agent: str) -> None:
    given: dict[str, Any] = {
        "variant": "three-passes",
        "deals": 20,
        "evaluation_seed": "k",
        "first": 5,
    }
    whole = evaluate("pyramid", agent, **given)
    assert_same(
        evaluate("pyramid", agent, **given, cluster=HERE).results.facts, whole.results.facts
    )


def test_the_time_of_a_decision_is_the_mean_over_chunks() -> None:
    result = [
        lineups.EpisodeResults({"decisions": np.array([n]), "score": np.array([n])}, ms)
        for n, ms in ((10, 1.0), (30, 3.0))
    ]
    assert lineups.join_results(result).milliseconds == 2.5


def test_a_comparison_of_variants_in_chunks() -> None:
    given: dict[str, Any] = {"variants": ["classic", "book"], "deals": 15, "evaluation_seed": "k"}
    whole = compare("pyramid", ["uniform", "greedy"], **given)
    result = compare("pyramid", ["uniform", "greedy"], **given, cluster=HERE)
    assert [one.agent for one in result.evaluations] == ["uniform", "greedy"] * 2
    for one, other in zip(result.evaluations, whole.evaluations, strict=True):
        assert_same(one.results.facts, other.results.facts)


def test_tables_of_several_in_chunks() -> None:
    given: dict[str, Any] = {
        "deals": 15,
        "evaluation_seed": "k",
        "hands": 2,
        "opponents": ["tight", "uniform"],
    }
    whole = compare("seven_twenty_seven", ["greedy", "uniform"], **given)
    result = compare("seven_twenty_seven", ["greedy", "uniform"], **given, cluster=HERE)
    for one, other in zip(result.evaluations, whole.evaluations, strict=True):
        np.testing.assert_array_equal(one.results.nets, other.results.nets)
        assert_same(one.results.facts, other.results.facts)


def test_reviews_in_chunks() -> None:
    given: dict[str, Any] = {"deals": 7, "worlds": 3, "evaluation_seed": "k"}
    whole = review_deal_set("pyramid", "greedy", **given)
    assert review_deal_set("pyramid", "greedy", **given, cluster=HERE).summary() == whole.summary()


def test_chunks_record_the_same_games(tmp_path: Path) -> None:
    given: dict[str, Any] = {"deals": 20, "evaluation_seed": "k"}
    evaluate("pyramid", "greedy", **given, record=tmp_path / "whole")
    evaluate("pyramid", "greedy", **given, record=tmp_path / "chunks", cluster=HERE)
    result = load_replays(tmp_path / "chunks")
    assert [(one.deal or 0) // 7 for one in result] == [0] * 7 + [1] * 7 + [2] * 6
    whole = {one.deal: one.actions for one in load_replays(tmp_path / "whole")}
    assert {one.deal: one.actions for one in result} == whole


@pytest.mark.parametrize("backend", ["loky", pytest.param("ray", marks=pytest.mark.slow)])
def test_tasks_of_a_dead_worker_are_repeated(backend: str, tmp_path: Path) -> None:
    pytest.importorskip("ray" if backend == "ray" else "joblib")
    given = [(tmp_path / "died", number) for number in range(10)]
    result = dict(run_tasks(fail_once, given, Cluster(backend, 2)))
    assert result == {number: number for number in range(10)}
    assert (tmp_path / "died").exists()


def test_tasks_that_kill_every_worker_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    asked = []

    def run_once(*_: Any) -> Iterator[Any]:
        asked.append(1)
        raise BrokenProcessPool
        yield

    monkeypatch.setattr(tasks, "_run_once", run_once)
    with pytest.raises(BrokenProcessPool):
        list(run_tasks(square, [1], HERE))
    assert len(asked) == tasks.ATTEMPTS


def test_finished_chunks_are_not_played_again(tmp_path: Path) -> None:
    cluster = Cluster("sequential", 1, chunks=tmp_path / "chunks")
    begun = run_cached(square, {"two": 2, "three": 3, "four": 4}, cluster, SQUARES)
    assert [next(begun), next(begun)] == [("two", 4), ("three", 9)]
    begun.close()
    Path(tmp_path, "chunks", "three.npz").write_bytes(b"cut sh")
    played = []

    def note(number: int) -> int:
        played.append(number)
        return square(number)

    with pytest.warns(UserWarning, match=r"three.npz is damaged, so this chunk is computed again"):
        result = dict(run_cached(note, {"two": 2, "three": 3, "four": 4}, cluster, SQUARES))
    assert result == {"two": 4, "three": 9, "four": 16}
    assert played == [3, 4]


@pytest.mark.parametrize(
    "other",
    [
        {"agent": "uniform"},
        {"first": 7},
        {"seed": 1},
        {"max_moves": 30},
        {"evaluation_seed": "other"},
    ],
)
def test_chunks_of_another_evaluation_are_not_used(tmp_path: Path, other: dict[str, Any]) -> None:
    given: dict[str, Any] = {"agent": "greedy", "deals": 20, "evaluation_seed": "k"}
    kept = Cluster("sequential", 1, chunks=tmp_path / "chunks")
    evaluate("pyramid", **given, cluster=kept)
    facts = evaluate("pyramid", **given | other, cluster=kept).results.facts
    assert_same(facts, evaluate("pyramid", **given | other).results.facts)


def begin(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "parlour", "evaluate", "pyramid", *words]
    return subprocess.Popen(
        [*command, "--jobs", "2", "--out", str(folder)],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.slow
def test_an_evaluation_resumes_after_ctrl_c(tmp_path: Path) -> None:
    words = ("--agent", "pimc@8", "--deals", "1000")
    process = begin(tmp_path, *words)
    chunks = tmp_path / ".chunks"
    for _ in range(3000):
        if len(list(chunks.glob("*.npz"))) >= 2:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == STOPPED
    assert "Traceback" not in errors
    assert f"Finished chunks are kept in {chunks}. Run the same command again" in errors
    key = (chunks / "evaluation_seed.txt").read_text()
    before = len(list(chunks.glob("*.npz")))
    assert before >= 2
    process = begin(tmp_path, *words)
    process.communicate(timeout=300)
    assert process.returncode == 0
    assert not chunks.exists()
    import pandas as pd

    result = pd.read_parquet(tmp_path / "episodes.parquet")
    whole = evaluate("pyramid", "pimc@8", deals=1000, evaluation_seed=key)
    np.testing.assert_array_equal(result["score"], whole.results.facts["score"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--backend", "rai"), "got 'rai'. Did you mean 'ray'"),
        (("--jobs", "0"), "jobs must be an integer >= 1, or -1 for one per core, got 0"),
        (("--jobs", "-2"), "jobs must be an integer >= 1, or -1 for one per core, got -2"),
        (
            ("--jobs", "2", "--address", "auto"),
            "address='auto' requires backend 'ray', got backend 'loky'",
        ),
        (("--jobs", "2", "--agent", "human"), "leave out --jobs, --backend and --address"),
        (("--backend", "ray", "--address", "127.0.0.1:1"), "no Ray cluster answers"),
    ],
)
def test_invalid_arguments_are_reported(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["evaluate", "pyramid", "--deals", "5", *words]) == main.FAILED
    assert message in capsys.readouterr().err


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "find_spec", lambda _: None)
    assert main.main(["evaluate", "pyramid", "--backend", "ray"]) == main.FAILED
    assert 'pip install "parlour[ray]"' in capsys.readouterr().err


def test_parallel_backends_are_imported_only_if_used() -> None:
    code = (
        "import sys; from parlour.training.cli import main; "
        "from parlour.training.evaluation import compare; "
        "from parlour.training.evaluation.labels import labelling; "
        "from parlour.training.evaluation.reviews import review_deal_set; "
        "main.main(['evaluate', 'pyramid', '--deals', '5', '--json']); "
        "print(sorted({'ray', 'optuna'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.splitlines()[-1] == "[]", done.stderr
