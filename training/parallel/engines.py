"""Joining a cluster of Ray or of Dask, or starting one on this machine. Each is an extra."""

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.util import find_spec

EXTRAS = {"dask": "distributed", "ray": "ray"}
"""Engines that need an extra of the same name, and what is imported then."""
WAIT = 20
"""Seconds until a cluster must have answered."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""By what HTTP/2 begins, which Ray speaks: a line, and settings, of which there are none."""
TRIMMING = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"
"""By this Dask has workers give back memory at once: a solver then takes three times as long."""
SETTINGS = bytes([4])
"""The fourth byte of the answer: settings come back."""


def check_installed(engine: str) -> None:
    """Raise ImportError, naming the extra, for an engine that needs one and is not installed."""
    if engine in EXTRAS and find_spec(EXTRAS[engine]) is None:
        raise ImportError(f"backend {engine!r} is not installed: pip install 'parlour[{engine}]'")


@contextmanager
def join_dask(address: str | None = None, processors: int | None = None) -> Iterator[None]:
    """Have the Dask client there is; else one of the address, or of workers on this machine.

    ``processors`` (None: all) are those of workers that are started here. Raises ValueError if
    nothing answers at the address.
    """
    import dask
    from distributed import Client, get_client

    with suppress(ValueError):  # there is none
        get_client()
        yield
        return
    address = address or os.environ.get("DASK_SCHEDULER_ADDRESS")
    if address:
        try:
            with ThreadPoolExecutor() as aside:  # a notebook's own thread has a loop already
                aside.submit(asyncio.run, _ask_scheduler(address)).result()
            client = Client(address, timeout=WAIT)
        except Exception as error:  # another server's answer may be taken for anything
            said = str(error) or "it is silent"
            raise ValueError(f"address={address!r}: no Dask scheduler answers ({said})") from error
    else:
        with dask.config.set({TRIMMING: None}):
            client = Client(
                n_workers=processors,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,  # what tasks raise is raised here
            )
    with client:
        yield


async def _ask_scheduler(address: str) -> None:
    """Raise TimeoutError if no scheduler answers: of another server Dask would wait for ever."""
    from distributed.core import rpc

    async with rpc(address) as scheduler:
        await asyncio.wait_for(scheduler.identity(), WAIT)


def find_ray(address: str | None) -> str | None:
    """Return where a Ray cluster runs that is to be joined; None: one is to be started here."""
    return address or os.environ.get("RAY_ADDRESS")


@contextmanager
def join_ray(
    address: str | None = None,
    processors: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Have the Ray cluster that this process has joined; else join one, or start one here.

    ``address`` None is what ``RAY_ADDRESS`` says; ``processors`` (None: all) are those of a cluster
    that is started, ``environment`` are variables of its workers. Raises ImportError where Ray is
    missing, ValueError if no cluster answers.
    """
    check_installed("ray")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray warns of it else
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
                runtime_env={"env_vars": dict(environment or {})},
            )
    except (OSError, RuntimeError, ValueError) as error:
        if address is None:
            raise
        raise ValueError(f"address={address!r}: no Ray cluster answers ({error})") from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_answer(address: str | None) -> None:
    """Raise OSError if no Ray answers at HOST:PORT: Ray itself would try for many minutes."""
    host, colon, port = (address or "").rpartition(":")
    if not (colon and port.isdigit()) or "/" in host or os.environ.get("RAY_USE_TLS"):
        return
    with socket.create_connection((host.strip("[]"), int(port)), timeout=WAIT) as line:
        line.sendall(GREETING)
        if line.recv(9)[3:4] != SETTINGS:
            raise ConnectionError("something else answers there")


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep what SIGINT and SIGTERM do here: Ray would end the process at SIGTERM."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
