"""Worker processes and signals: workers end with their parent, however that one ends."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

INTERVAL = 0.5
"""Seconds between two checks of whether the parent is alive."""
SIGNALS = {signal.SIGINT, signal.SIGTERM}


def watch_parent(parent: int, leave: Callable[[], object] = lambda: os._exit(1)) -> None:
    """Call a function once the parent of this worker process has ended.

    A thread watches, which works while a kernel computes: kernels release Python's lock.

    Args:
        parent: process id of the process that started this one. The worker must be given it: a
            parent that has already ended cannot be looked up.
        leave: ends the process (default: without delay). The thread calls it.
    """

    def watch() -> None:
        _wait_for_end(parent)
        leave()

    threading.Thread(target=watch, name="watch parent", daemon=True).start()


def begin_worker(parent: int) -> None:
    """Prepare a worker process of joblib: it ends with its parent, and at SIGTERM without delay.

    A forked worker would inherit the handler of the command, which only interrupts a task.
    """
    if os.getpid() != parent:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        watch_parent(parent)


def _wait_for_end(parent: int) -> None:
    if os.name == "posix":  # an orphan gets another parent; loky has no sentinel here
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        return
    process = multiprocessing.parent_process()
    assert process is not None
    process.join()


@contextmanager
def block_signals() -> Iterator[None]:
    """Start processes in which SIGINT and SIGTERM are blocked from their first moment on.

    A signal is not lost, it waits for `unblock_signals`.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # starting it unblocks the signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock_signals() -> None:
    """Let this process receive the signals that its parent blocked; those that waited come now."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
