"""Workers end with their command, and SIGTERM stops a command like Ctrl-C."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import LONGEST, wait_until

BEGIN = 4 * LONGEST
"""Timeout in seconds within which a command must have started its work."""
EVALUATE = "evaluate pyramid --agent pimc@16 --deals 100000 --jobs 2 --out out"
TUNE = "tune poker-squares --preset td --total-steps 100000000 --eval-deals 100 --trials 4 --jobs 2"
COMMANDS = {
    "evaluate": EVALUATE,
    "multiprocessing": f"{EVALUATE} --backend multiprocessing",
    "compare": "compare pyramid --agents pimc@8 pimc@16 --deals 100000 --jobs 2 --out out",
    "seats": "compare twenty-eight --agents rollouts@8:greedy --deals 90000 --jobs 2 --out out",
    "review": "review pyramid --agent greedy --deals 10000 --worlds 50 --jobs 2 --out out",
    "deal_set": "deals make pyramid --variant book --deals 1000000 --jobs 2 --out out",
    "train": "train pyramid --total-steps 1e9 --n-envs 64 --n-steps 16 --batch-size 256 --actors 2",
    "tune": TUNE,
}
"""A command that runs for minutes, for each kind of process that Parlour starts."""


@contextmanager
def started(command: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in a folder, with its errors in a file; kill it at the end."""
    with (
        (folder / "errors.txt").open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "parlour", *shlex.split(command)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def list_processes() -> dict[int, tuple[int, str, str]]:
    """Return parent, state and command of each process on this machine."""
    command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split(None, 3) for line in lines]
    return {int(row[0]): (int(row[1]), row[2], "".join(row[3:])) for row in rows}


def list_descendants(pid: int) -> dict[int, str]:
    """Return the descendants of a process, with their commands."""
    result: dict[int, str] = {}
    processes, wanted = list_processes(), {pid}
    while wanted:
        wanted = {one for one, row in processes.items() if row[0] in wanted}
        result |= {one: processes[one][2] for one in wanted}
    return result


def list_alive(pids: set[int]) -> set[int]:
    return {pid for pid, row in list_processes().items() if pid in pids and row[1][0] != "Z"}


def is_worker(command: str) -> bool:
    """Return whether a command line is that of a worker, not of the resource tracker."""
    kinds = ("LokyProcess", "spawn_main", "ray::", "-m parlour")  # the last one: after a fork
    return any(kind in command for kind in kinds)


def stop_at_work(process: "subprocess.Popen[bytes]", signum: int, delay: float = 3.0) -> set[int]:
    """Send a signal to a command once its workers have started; return all its processes."""

    def has_workers() -> bool:
        assert process.poll() is None, "it has ended by itself"
        return sum(map(is_worker, list_descendants(process.pid).values())) >= 2

    wait_until(has_workers, BEGIN)
    time.sleep(delay)
    result = set(list_descendants(process.pid))
    os.kill(process.pid, signum)
    process.wait(LONGEST)
    return result


def check_gone(pids: set[int]) -> None:
    try:
        wait_until(lambda: not list_alive(pids), LONGEST)
    finally:
        for pid in list_alive(pids):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "name",
    [
        "evaluate",
        *(pytest.param(one, marks=pytest.mark.slow) for one in COMMANDS if one != "evaluate"),
    ],
)
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(name: str, signum: signal.Signals, tmp_path: Path) -> None:
    with started(COMMANDS[name], tmp_path) as process:
        check_gone(stop_at_work(process, signum))
    assert process.returncode == (-signum if signum == signal.SIGKILL else 128 + signum)
    if signum == signal.SIGTERM:  # workers of a killed parent may complain
        errors = (tmp_path / "errors.txt").read_text()
        assert "Traceback" not in errors and " crashed " not in errors


@pytest.mark.slow
def test_workers_of_ray_end_with_their_parent(tmp_path: Path) -> None:
    with started(f"{EVALUATE} --backend ray", tmp_path) as process:
        wait_until(lambda: list((tmp_path / "out" / ".chunks").glob("*")), BEGIN)
        check_gone(stop_at_work(process, signal.SIGTERM))
        assert process.returncode == 143


@pytest.mark.slow
def test_workers_that_have_just_been_started_end_with_their_parent(tmp_path: Path) -> None:
    with started(EVALUATE, tmp_path) as process:
        check_gone(stop_at_work(process, signal.SIGKILL, delay=0))


@pytest.mark.slow
def test_sigterm_keeps_finished_parts(tmp_path: Path) -> None:
    chunks = tmp_path / "out" / ".chunks"
    small = "evaluate pyramid --agent pimc@1 --deals 20000 --jobs 2 --out out"
    with started(small, tmp_path) as process:
        wait_until(lambda: chunks.is_dir() and len(list(chunks.iterdir())) >= 3, BEGIN)
        check_gone(stop_at_work(process, signal.SIGTERM, delay=0))
    assert process.returncode == 143
    assert str(Path("out") / ".chunks") in (tmp_path / "errors.txt").read_text()
    assert len(list(chunks.iterdir())) >= 3


@pytest.mark.slow
def test_trials_whose_command_was_killed_leave_a_checkpoint(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with started(TUNE, tmp_path) as process:
        wait_until(lambda: len(list(runs.glob("*/trials/*/seed-0/progress.jsonl"))) == 2, BEGIN)
        check_gone(stop_at_work(process, signal.SIGKILL))
    assert len(list(runs.glob("*/trials/*/seed-0/checkpoints/*/state.json"))) == 2
