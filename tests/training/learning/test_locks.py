"""Two processes never write the same files, and a run's folder stays inside ``runs``."""

import os
import re
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.envs import find_game
from parlour.training.evaluation.labels import labelling
from parlour.training.files import sole_use
from parlour.training.learning.settings.methods import CmaEsSettings
from parlour.training.learning.train import main, resume, train
from tests.fake_solver import solved

SMALL = CmaEsSettings(
    game="poker_squares",
    generations=2,
    population=4,
    candidate_deals=2,
    eval_deals=2,
    name="small",
)
RUN = "poker_squares-book-small"


def settings(runs: Path, **changed: object) -> CmaEsSettings:
    return replace(SMALL, variant="book", runs=str(runs), **changed)  # type: ignore[arg-type]


def held_by_a_child(path: Path) -> int:
    """A process that holds a path until it is killed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        with sole_use(path, "held"):
            os.write(theirs, b"!")
            time.sleep(60)
            os._exit(0)
    os.close(theirs)
    assert os.read(ours, 1) == b"!"
    os.close(ours)
    return child


def end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_run_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    child = held_by_a_child(tmp_path / RUN)
    try:
        with pytest.raises(ValueError, match=r"small is being trained by another process: wait"):
            train(settings(tmp_path), quiet=True)
        assert [path.name for path in tmp_path.iterdir()] == [f".{RUN}.lock"]
    finally:
        end(child)
    run = train(settings(tmp_path), quiet=True)  # the lock of a dead process is none
    child = held_by_a_child(run)
    before = (run / "result.json").stat().st_mtime_ns
    try:
        for named in (run, run / "seed-0", run.parent / "." / run.name):
            assert main(["--resume", str(named)]) == 2
            message = capsys.readouterr().err
            assert message.count("\n") == 1 and "is being trained by another process" in message
        assert (run / "result.json").stat().st_mtime_ns == before
    finally:
        end(child)
    resume(run, quiet=True)
    assert [path.name for path in tmp_path.iterdir()] == [RUN]


def test_a_thread_is_another_process_too(tmp_path: Path) -> None:
    message: list[str] = []

    def ask() -> None:
        try:
            with sole_use(tmp_path / "run", "trained"):
                message.append("had it")
        except ValueError as error:
            message.append(str(error))

    with sole_use(tmp_path / "run", "trained"):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        ask()
        assert all("is being trained by another process" in one for one in message)
    ask()
    assert message[2] == "had it" and list(tmp_path.iterdir()) == []


def test_of_many_that_ask_at_once_one_has_it(tmp_path: Path) -> None:
    inside, most, lost = [0], [0], [0]

    def ask() -> None:
        for _ in range(50):
            try:
                with sole_use(tmp_path / "run", "trained"):
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    time.sleep(0.0005)
                    inside[0] -= 1
            except ValueError:
                lost[0] += 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] and lost[0] > 0


def test_a_deal_set_in_use_is_left_alone(tmp_path: Path) -> None:
    one = find_game("pyramid")
    with solved(one) as fake:
        child = held_by_a_child(tmp_path / "pyramid-three-passes.parquet")
        try:
            with pytest.raises(ValueError, match="parquet is being made by another process"):
                labelling.make_labels(one, deals=5, jobs=1, out=tmp_path)
            assert fake.asked == 0
            labelling.make_labels(
                one, "web", {"undo": False}, deals=5, jobs=1, out=tmp_path
            )  # another file
        finally:
            end(child)
        path = labelling.make_labels(one, deals=5, jobs=1, out=tmp_path)
        assert sorted(p.suffix for p in tmp_path.iterdir()) == [".parquet", ".parquet"]
        path.unlink()
        path.mkdir()
        with pytest.raises(ValueError, match="must be a file or missing: remove it"):
            labelling.make_labels(one, deals=5, jobs=1, out=tmp_path)


def test_chunks_of_more_deals_are_kept(tmp_path: Path) -> None:
    one = find_game("pyramid")

    def stop(n: int) -> None:
        if n:
            raise KeyboardInterrupt

    with solved(one) as fake:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                labelling.make_labels(one, deals=200, jobs=1, out=tmp_path, progress=stop)
        labelling.make_labels(one, deals=20, jobs=1, out=tmp_path)
        kept = sorted(path.name for path in tmp_path.rglob("*.npz"))
        assert kept == ["0-50.npz"]
        fake.asked = 0
        labelling.make_labels(one, deals=60, jobs=1, out=tmp_path)
        assert fake.asked == 10
        assert [path.name for path in tmp_path.iterdir()] == ["pyramid-three-passes.parquet"]


@pytest.mark.parametrize("left", [(), ("rules.json",), ("rules.json", ".settings.json.part")])
def test_what_ended_before_its_settings_stood_begins_anew(
    left: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / RUN / "seed-0").mkdir(parents=True)
    for name in left:
        (tmp_path / RUN / name).write_text("{half")
    with pytest.raises(ValueError, match="ended before it saved its settings; start it again"):
        resume(tmp_path / RUN)
    run = train(settings(tmp_path), quiet=True)
    assert sorted(path.name for path in run.iterdir()) == [
        "curve.png",
        "result.json",
        "rules.json",
        "seed-0",
        "settings.json",
    ]


@pytest.mark.parametrize("name", ["notes.txt", "settings.json", "seed-0/progress.jsonl"])
def test_what_is_of_worth_is_not_begun_anew(name: str, tmp_path: Path) -> None:
    (tmp_path / RUN / "seed-0").mkdir(parents=True)
    (tmp_path / RUN / name).write_text("mine")
    with pytest.raises(ValueError, match=r"already exists\. Choose another --name"):
        train(settings(tmp_path), quiet=True)
    assert (tmp_path / RUN / name).read_text() == "mine"


@pytest.mark.parametrize(
    "name",
    [
        *("../x", "/abs", "a/b", "a\\b", "", ".", "..", " ", "a\0b", "a\nb", "\x1b[2J"),
        *("x" * 101, "ü" * 51, "\ud800"),
    ],
)
def test_a_name_stays_inside(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=r"^name must be at most 100 bytes of .*, got '"):
        settings(tmp_path / "runs", name=name)
    if name and "\0" not in name and "\ud800" not in name:
        assert main(["poker_squares", "--preset", "cma-es", "--name", name]) == 2
        message = capsys.readouterr().err
        assert message.count("\n") == 1 and "name must be at most 100 bytes" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["lr=0.001, wide", "1", "v1.2", "..x", "grün", "x" * 100])
def test_other_names_are_taken(name: str, tmp_path: Path) -> None:
    assert train(settings(tmp_path, name=name), quiet=True).parent == tmp_path


@pytest.mark.parametrize("wrong", [{"variant": "../../x"}, {"game": "../pyramid"}])
def test_game_and_variant_stay_inside(wrong: dict[str, str], tmp_path: Path) -> None:
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"^{name} must be one of .*, got '{re.escape(value)}'"):
        replace(SMALL, runs=str(tmp_path), **wrong)
