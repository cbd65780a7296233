"""Worker processes and Ray clusters: how they start, receive signals and end.

Workers end when their parent ends, even if it crashes. Ray is an optional extra.
"""

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import resource_tracker

from parlour.extras import explain_missing

INTERVAL = 0.5
"""Seconds between checks of whether the parent is alive."""
SIGNALS = {signal.SIGINT, signal.SIGTERM}
RAY = "ray"
"""Name of the backend, of the extra and of the package."""
WAIT = 20
"""Seconds within which a cluster must answer."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""Start of an HTTP/2 connection, the protocol of Ray: a fixed line and an empty settings frame."""
SETTINGS_FRAME = bytes([4])
"""Fourth byte of an HTTP/2 server's first answer: the type of a settings frame."""


def watch_parent(parent: int, leave: Callable[[], object] = lambda: os._exit(1)) -> None:
    """Call a function once the parent of this worker process has ended.

    A thread watches the parent. It also runs while a kernel computes, because kernels release the
    GIL.

    Args:
        parent: process id of the parent process. The parent must pass it to the worker, because the
            worker cannot look up a parent that has already ended.
        leave: function that ends the process (default: immediately). The thread calls it.
    """

    def watch() -> None:
        _wait_for_end(parent)
        leave()

    threading.Thread(target=watch, name="watch parent", daemon=True).start()


def begin_worker(parent: int) -> None:
    """Prepare a worker process of joblib to end with its parent, and immediately at SIGTERM.

    A forked worker would inherit the command's signal handler, which only interrupts a task.
    """
    if os.getpid() != parent:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        watch_parent(parent)


def _wait_for_end(parent: int) -> None:
    if os.name == "posix":  # an orphan gets another parent; loky provides no sentinel
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        return
    process = multiprocessing.parent_process()
    assert process is not None
    process.join()


@contextmanager
def block_signals() -> Iterator[None]:
    """Start processes in which SIGINT and SIGTERM are blocked from the beginning.

    A blocked signal is not lost; it waits for `unblock_signals`.
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
    """Let this process receive the signals that its parent blocked, including pending ones."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def check_ray_installed() -> None:
    """Raise ImportError, naming the extra, if Ray is not installed."""
    if find_spec(RAY) is None:
        raise ModuleNotFoundError(explain_missing(f"backend {RAY!r}", RAY), name=RAY)


def find_ray(address: str | None) -> str | None:
    """Return the address of the running Ray cluster to join, or None if there is none."""
    return address or os.environ.get("RAY_ADDRESS")


@contextmanager
def join_ray(address: str | None = None, processors: int | None = None) -> Iterator[None]:
    """Join a Ray cluster for a block, or start one on this machine.

    If this process has already joined a cluster, the block uses that one.

    Args:
        address: address of a running cluster (default: the value of ``RAY_ADDRESS``; without it,
            start a cluster on this machine).
        processors: number of CPUs of a cluster that is started (default: all).

    Raises:
        ImportError: Ray is not installed.
        ValueError: no cluster answers at the address.
    """
    check_ray_installed()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # avoids a warning
    import ray

    if ray.is_initialized():
        yield
        return
    address = find_ray(address)
    try:
        _check_answer(address)
        with _own_signals():
            ray.init(
                address or "local",
                num_cpus=None if address else processors,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
    except (OSError, RuntimeError, ValueError) as error:
        if address is None:
            raise
        raise ValueError(f"no Ray cluster answers at address={address!r} ({error})") from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_answer(address: str | None) -> None:
    """Raise OSError if no Ray cluster answers at HOST:PORT; Ray itself would retry for minutes."""
    host, colon, port = (address or "").rpartition(":")
    if not (colon and port.isdigit()) or "/" in host or os.environ.get("RAY_USE_TLS"):
        return
    with socket.create_connection((host.strip("[]"), int(port)), timeout=WAIT) as line:
        line.sendall(GREETING)
        if line.recv(9)[3:4] != SETTINGS_FRAME:
            raise ConnectionError("the server is not a Ray cluster")


@contextmanager
def _own_signals() -> Iterator[None]:
    """Restore the handlers of SIGINT and SIGTERM, because Ray ends the process at SIGTERM."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
