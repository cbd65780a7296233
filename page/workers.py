"""Worker processes of the page, in which agents think and games are reviewed.

Unlike a thread, a process can be stopped during a search. Work therefore stops as soon as nobody
waits for it, and a server has a limited number of processes, whatever the number of tabs.
"""

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

MOST_WORKERS = max(2, min(4, os.cpu_count() or 1))
"""Default number of worker processes. Only one may review, so at least one is left for agents."""
LOST = "A worker process ended unexpectedly. The machine may be out of memory."


class AbandonedError(ValueError):
    """Work was stopped because nobody waits for it."""

    def __init__(self) -> None:
        super().__init__("stopped, because no tab waits for the result")


class Requester:
    """A client of the pool, such as a session. It has at most one worker at a time."""

    def __init__(self) -> None:
        self.is_gone = False
        self.worker: Worker | None = None


class Worker:
    """A process that does one piece of work after another."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        self.requester: Requester | None = None
        """The last requester of the process, whose plans its agents may still remember."""
        with _ctrl_c_blocked():
            self.process.start()
        theirs.close()

    def do(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Return the result of ``work(*arguments)`` there. Raises EOFError if the process ends."""
        try:
            self.connection.send((work, arguments))
            value, error = self.connection.recv()
        except OSError as broken:
            raise EOFError from broken
        if error is not None:
            raise error
        return value

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()


class WorkerPool:
    """Up to ``most`` worker processes, started on demand. Any thread may use the pool."""

    def __init__(self, most: int = MOST_WORKERS) -> None:
        self.most, self.is_closed = most, False
        self.idle: list[Worker] = []
        self.busy: set[Worker] = set()
        self.changed = threading.Condition()

    def run(self, requester: Requester, work: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``work(*arguments)``, computed by a worker; wait until a worker is free.

        ``work`` is a module-level function. Arguments and result can be pickled.

        Raises:
            ValueError: ``work`` raised it, a module is missing, or the process ended unexpectedly.
            RuntimeError: ``work`` raised another error, which is a bug.
            AbandonedError: the requester left or the pool was closed in the meantime.
        """
        worker, is_lost = self._take(requester), False
        try:
            return worker.do(work, arguments)
        except EOFError:
            is_lost = True
            if worker in self.busy:  # otherwise it was killed on purpose
                raise ValueError(LOST) from None
            raise AbandonedError from None
        finally:
            self._give_back(worker, requester, is_lost)

    def _take(self, requester: Requester) -> Worker:
        with self.changed:
            self.changed.wait_for(
                lambda: (
                    requester.is_gone or self.is_closed or self.idle or len(self.busy) < self.most
                )
            )
            if requester.is_gone or self.is_closed:
                self.changed.notify()  # this wake-up may have been meant for another requester
                raise AbandonedError
            known = [worker for worker in self.idle if worker.requester is requester]
            worker = (known or self.idle or [Worker()])[-1]
            if worker in self.idle:
                self.idle.remove(worker)
            self.busy.add(worker)
            worker.requester, requester.worker = requester, worker
            return worker

    def _give_back(self, worker: Worker, requester: Requester, is_lost: bool) -> None:
        with self.changed:
            if requester.worker is worker:
                requester.worker = None
            if worker in self.busy:
                self.busy.remove(worker)
                if not is_lost:
                    self.idle.append(worker)
            self.changed.notify()
        if is_lost:
            worker.connection.close()
            worker.process.join()

    def stop(self, requester: Requester) -> None:
        """Stop the current work for a requester."""
        with self.changed:
            if requester.worker is not None:
                self._kill(requester.worker)
                requester.worker = None
            self.changed.notify_all()

    def leave(self, requester: Requester) -> None:
        """Stop all work for a requester, and refuse new work until it returns."""
        requester.is_gone = True
        self.stop(requester)

    def come_back(self, requester: Requester) -> None:
        """Accept work again for a requester that had left."""
        requester.is_gone = False

    def close(self) -> None:
        """Stop all workers and their work."""
        with self.changed:
            self.is_closed = True
            workers = (*self.idle, *self.busy)
            for worker in workers:
                self._kill(worker)
            self.idle.clear()
            self.changed.notify_all()
        for worker in workers:
            worker.process.join()

    def _kill(self, worker: Worker) -> None:
        self.busy.discard(worker)
        worker.kill()


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Let processes that start in this block ignore Ctrl-C from the beginning.

    A terminal also sends Ctrl-C to workers, but only the server handles it and stops them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Any) -> None:
    """Do the work that arrives on a connection until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            work, arguments = connection.recv()
        except (EOFError, OSError):
            return
        value: Any = None
        error: Exception | None = None
        try:
            value = work(*arguments)
        except (ValueError, ModuleNotFoundError) as refusal:
            error = ValueError(str(refusal))  # a subclass might not be picklable
        except Exception:
            error = RuntimeError(f"in a worker process:\n{traceback.format_exc()}")
        connection.send((value, error))


def _end_with_parent() -> None:
    """End this process when the server ends, even if the server is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
