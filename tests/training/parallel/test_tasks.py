"""Joining a Ray cluster, and errors of its tasks."""

import os
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from parlour.training.parallel import processes
from parlour.training.parallel.tasks import Cluster, join_cluster, run_tasks


def double(number: int) -> int:
    return 2 * number


def double_slowly(number: int) -> int:
    time.sleep(0.05)
    return 2 * number


def fail(number: int) -> int:
    raise ValueError(f"number={number}: not today")


def die(_: int) -> None:
    os._exit(1)


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server that accepts connections but is not a Ray cluster."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer, args=(listening,), daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def answer(listening: socket.socket) -> None:
    lines = []
    while True:
        try:
            lines.append(listening.accept()[0])
        except OSError:
            return
        lines[-1].sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")


def test_another_server_is_no_cluster(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a wrong port, Ray itself would retry for many minutes."""
    pytest.importorskip("ray")
    monkeypatch.setattr(processes, "WAIT", 2)
    error = f"no Ray cluster answers at address='{server}'"
    with pytest.raises(ValueError, match=error), join_cluster(Cluster("ray", address=server)):
        raise AssertionError


def test_no_more_processes_are_started_than_there_are_tasks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import joblib

    started, parallel = [], joblib.Parallel

    def start(jobs: int, **keywords: Any) -> Any:
        started.append(jobs)
        return parallel(1, **keywords)

    monkeypatch.setattr(joblib, "Parallel", start)
    for jobs in (1000, 2, -1):
        assert dict(run_tasks(double, [1, 2, 3], Cluster("loky", jobs))) == {0: 2, 1: 4, 2: 6}
    assert started == [3, 2, -1]


def test_tasks_that_are_not_wanted_any_more_end_in_silence() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        begun = run_tasks(double_slowly, range(100), Cluster("threading", 2))
        next(begun)
        begun.close()  # type: ignore[attr-defined]
    assert told == []


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "ray"])
def test_what_a_task_raises_is_raised_as_it_is(backend: str) -> None:
    pytest.importorskip("ray" if backend == "ray" else "joblib")
    with pytest.raises(ValueError) as raised:
        list(run_tasks(fail, [1], Cluster(backend, 1)))
    assert type(raised.value) is ValueError and str(raised.value) == "number=1: not today"


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_given_up() -> None:
    pytest.importorskip("ray")
    with pytest.raises(ChildProcessError, match="Workers keep crashing on the same task"):
        list(run_tasks(die, [1], Cluster("ray", 1)))


@pytest.mark.slow
def test_more_tasks_than_are_submitted_together_are_all_done() -> None:
    pytest.importorskip("ray")
    results = dict(run_tasks(double, range(40), Cluster("ray", 2)))
    assert results == {number: 2 * number for number in range(40)}
