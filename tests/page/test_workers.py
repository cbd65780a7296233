"""Worker processes: limits, errors, and the end of work that no requester waits for."""

import math
import operator
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from parlour.page.workers import LOST, AbandonedError, Requester, WorkerPool
from tests.waiting import wait_until

LONG = 600.0
"""Duration in seconds of work that no test waits for."""
SOON = 60.0
"""Timeout in seconds for something that should be immediate, on a slow machine."""


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    actual = WorkerPool(2)
    yield actual
    actual.close()


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as actual:
        yield actual


def is_alive(process: int) -> bool:
    """Return whether a process is running; a zombie process is not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_returns_results_and_errors(pool: WorkerPool) -> None:
    requester = Requester()
    assert pool.run(requester, math.sqrt, 16.0) == 4
    assert pool.run(requester, os.getpid) == pool.run(requester, os.getpid) != os.getpid()
    with pytest.raises(ValueError, match="invalid literal"):
        pool.run(requester, int, "x")
    with pytest.raises(RuntimeError, match=r"in a worker process:\n(.*\n)*ZeroDivisionError"):
        pool.run(requester, operator.truediv, 1, 0)
    assert len(pool.idle) == 1


def test_a_requester_gets_its_earlier_worker(pool: WorkerPool) -> None:
    requesters, both_there = (Requester(), Requester()), threading.Barrier(2)

    def ask(requester: Requester) -> list[int]:
        both_there.wait(SOON)
        # The two requests run at the same time, so each requester gets its own worker.
        pool.run(requester, time.sleep, 0.5)
        both_there.wait(SOON)
        return [pool.run(requester, os.getpid) for _ in range(3)]

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(ask, requesters)
    assert len({*first}) == len({*second}) == 1
    assert {*first} != {*second}


def test_no_more_workers_than_the_limit(pool: WorkerPool, threads: ThreadPoolExecutor) -> None:
    actual = list(threads.map(lambda _: pool.run(Requester(), os.getpid), range(12)))
    assert len(set(actual)) <= 2
    assert not pool.busy


def test_only_its_own_work_is_lost_when_a_worker_dies(pool: WorkerPool) -> None:
    with pytest.raises(ValueError, match=LOST):
        pool.run(Requester(), os._exit, 3)
    assert pool.run(Requester(), math.sqrt, 4.0) == 2


def begin(pool: WorkerPool, threads: ThreadPoolExecutor) -> tuple[Requester, Future[None]]:
    """Start long work, and wait until a worker begins it."""
    requester = Requester()
    work = threads.submit(pool.run, requester, time.sleep, LONG)
    wait_until(lambda: requester.worker is not None)
    return requester, work


def test_work_ends_when_its_requester_leaves(pool: WorkerPool, threads: ThreadPoolExecutor) -> None:
    requester, work = begin(pool, threads)
    process = requester.worker.process.pid if requester.worker else 0
    assert process and is_alive(process)
    pool.leave(requester)
    with pytest.raises(AbandonedError):
        work.result(SOON)
    assert not is_alive(process)
    assert not pool.busy
    with pytest.raises(AbandonedError):
        pool.run(requester, math.sqrt, 4.0)
    pool.come_back(requester)
    assert pool.run(requester, math.sqrt, 4.0) == 2


def test_stopped_work_frees_the_requester_for_other_work(
    pool: WorkerPool, threads: ThreadPoolExecutor
) -> None:
    requester, work = begin(pool, threads)
    pool.stop(requester)
    with pytest.raises(AbandonedError):
        work.result(SOON)
    assert pool.run(requester, math.sqrt, 4.0) == 2


def test_a_requester_can_leave_while_it_waits_for_a_worker(
    pool: WorkerPool, threads: ThreadPoolExecutor
) -> None:
    (first, _), _ = begin(pool, threads), begin(pool, threads)
    waiting, patient = Requester(), Requester()
    refused = threads.submit(pool.run, waiting, math.sqrt, 4.0)
    done = threads.submit(pool.run, patient, math.sqrt, 9.0)
    pool.leave(waiting)
    with pytest.raises(AbandonedError):
        refused.result(SOON)
    assert not done.done()
    pool.leave(first)
    assert done.result(SOON) == 3
    pool.close()


def test_a_closed_pool_has_no_processes_and_accepts_no_work(
    pool: WorkerPool, threads: ThreadPoolExecutor
) -> None:
    pool.run(Requester(), math.sqrt, 4.0)
    _, work = begin(pool, threads)
    workers = {worker.process.pid for worker in (*pool.idle, *pool.busy)}
    assert workers
    pool.close()
    with pytest.raises(AbandonedError):
        work.result(SOON)
    with pytest.raises(AbandonedError):
        pool.run(Requester(), math.sqrt, 4.0)
    wait_until(lambda: not any(map(is_alive, workers)))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_workers_end_with_a_parent_that_is_killed() -> None:
    """Workers also end while they are busy."""
    code = (
        "import threading, time; from parlour.page.workers import Requester, WorkerPool\n"
        "if __name__ == '__main__':\n"
        "    pool, requester = WorkerPool(1), Requester()\n"
        "    threading.Thread(target=pool.run, args=(requester, time.sleep, 600)).start()\n"
        "    while requester.worker is None: time.sleep(0.01)\n"
        "    print(requester.worker.process.pid, flush=True)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert is_alive(worker)
        parent.kill()
    wait_until(lambda: not is_alive(worker))
