"""Tasks handed out to processes of this machine or to a cluster; results as they come.

joblib hands out to processes of this machine and to Dask. Ray is asked itself: through joblib it
could neither hand over results one by one nor survive the death of a worker.
"""

import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from parlour.envs.core.options import unknown_text

EXTRAS = {"dask": "distributed", "ray": "ray"}
"""Backends that need an extra of the same name, and what is imported then."""
ATTEMPTS = 3
"""So many workers may die in a row without a task being done in between."""
WAIT = 20
"""Seconds until a cluster must have answered."""
QUEUED = 2
"""Tasks that wait for each processor of a Ray cluster, so that none is idle."""

Work = Callable[[Any], Any]
"""Does one task; it and its result can be pickled."""


@dataclass(frozen=True)
class Cluster:
    """Where tasks run: ``jobs`` at once (-1: one on each core) by a ``backend`` of joblib, or Ray.

    ``backend`` and ``jobs`` None are what ``joblib.parallel_config`` says around the call.
    ``address`` joins a cluster of Dask or Ray that runs; None: the one that the environment names
    (``DASK_SCHEDULER_ADDRESS``, ``RAY_ADDRESS``), else one is started here and ended afterwards.
    ``chunks`` is a folder where finished parts of long work are kept until all of it is done
    (`parts.run_parts`); None: they are not.

    Raises ValueError for an unknown backend, no jobs, an address where none can be; ImportError,
    naming the extra, if the backend is not installed.
    """

    backend: str | None = "loky"
    jobs: int | None = -1
    address: str | None = None
    chunks: Path | None = None

    def __post_init__(self) -> None:
        """Check what was given."""
        if self.jobs is not None and (self.jobs == 0 or self.jobs < -1):
            raise ValueError(
                f"jobs={self.jobs}: allowed are numbers from 1, or -1 for one on each core"
            )
        if self.backend is not None:
            check_backend(self.backend)
        if self.address is not None and self.backend not in EXTRAS:
            raise ValueError(
                f"address={self.address!r}: backend {self.backend} runs on this machine alone; "
                f"give one of: {', '.join(EXTRAS)}"
            )


def check_backend(backend: str) -> None:
    """Raise ValueError for an unknown backend, ImportError for one that is not installed."""
    from joblib.parallel import BACKENDS

    allowed = {*BACKENDS, *EXTRAS}
    if backend not in allowed:
        raise ValueError(unknown_text("backend", backend, sorted(allowed)))
    if backend in EXTRAS and find_spec(EXTRAS[backend]) is None:
        raise ImportError(f"backend {backend!r} is not installed: pip install 'parlour[{backend}]'")


def run_tasks(work: Work, tasks: Sequence[Any], cluster: Cluster) -> Iterator[tuple[int, Any]]:
    """Do tasks side by side; yield the number and the result of each as it is done.

    What a task raises is raised here. A task whose worker has died is done again.
    """
    run = _run_by_ray if cluster.backend == "ray" else _run_by_joblib
    yield from run(work, list(enumerate(tasks)), cluster)


def join_cluster(cluster: Cluster | None) -> AbstractContextManager[None]:
    """Stay joined to a cluster, or keep the one that is started here, over many `run_tasks`."""
    if cluster is None or cluster.backend not in EXTRAS:
        return nullcontext()
    return _join_ray(cluster) if cluster.backend == "ray" else _join_dask(cluster)


def do_task(work: Work, number: int, task: Any) -> tuple[int, Any]:
    """Do a task where it was sent to; return its number, too."""
    return number, work(task)


def _run_by_joblib(
    work: Work, tasks: list[tuple[int, Any]], cluster: Cluster
) -> Iterator[tuple[int, Any]]:
    """Hand out tasks by joblib, those of a dead worker once more."""
    from joblib.externals.loky.process_executor import BrokenProcessPool

    left, failures = dict(tasks), 0
    with join_cluster(cluster):
        while left:
            try:
                for number, result in _run_once(work, left, cluster):
                    del left[number]
                    failures = 0
                    yield number, result
            except BrokenProcessPool:
                failures += 1
                if failures == ATTEMPTS:
                    raise


def _run_once(work: Work, tasks: dict[int, Any], cluster: Cluster) -> Iterator[tuple[int, Any]]:
    import joblib

    calls = [joblib.delayed(do_task)(work, number, task) for number, task in tasks.items()]
    with joblib.parallel_config(cluster.backend) if cluster.backend else nullcontext():
        try:
            parallel = joblib.Parallel(cluster.jobs, return_as="generator_unordered")
        except ValueError:  # the backend "multiprocessing" hands over all at the end
            parallel = joblib.Parallel(cluster.jobs)
        yield from parallel(calls)


@contextmanager
def _join_dask(cluster: Cluster) -> Iterator[None]:
    """Have the Dask client there is; else one of the address, or of workers on this machine."""
    from distributed import Client, get_client

    with suppress(ValueError):  # there is none
        get_client()
        yield
        return
    if cluster.address or "DASK_SCHEDULER_ADDRESS" in os.environ:
        try:
            client = Client(cluster.address, timeout=WAIT)
        except OSError as error:
            raise ValueError(f"address={cluster.address!r}: no Dask scheduler answers") from error
    else:
        workers = None if cluster.jobs in (None, -1) else cluster.jobs
        client = Client(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with client:
        yield


def _run_by_ray(
    work: Work, tasks: list[tuple[int, Any]], cluster: Cluster
) -> Iterator[tuple[int, Any]]:
    """Hand out tasks by Ray, which does those of a dead worker or machine once more."""
    import ray

    with _join_ray(cluster):
        send = ray.remote(num_cpus=1, max_retries=ATTEMPTS)(do_task).remote
        most = cluster.jobs if cluster.jobs not in (None, -1) else 0
        waiting, running = list(reversed(tasks)), list[Any]()
        try:
            while waiting or running:
                room = most or QUEUED * int(ray.cluster_resources().get("CPU", 1))
                while waiting and len(running) < room:
                    running.append(send(work, *waiting.pop()))
                done, running = ray.wait(running)
                yield from ray.get(done)
        finally:
            for one in running:  # the rest is not wanted any more
                ray.cancel(one, force=True)


@contextmanager
def _join_ray(cluster: Cluster) -> Iterator[None]:
    """Have the Ray cluster that this process has joined; else join one, or start one here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray says so for hours else
    import ray

    if ray.is_initialized():
        yield
        return
    address = cluster.address or os.environ.get("RAY_ADDRESS")
    processors = None if address or cluster.jobs in (None, -1) else cluster.jobs
    try:
        _check_answer(address)
        ray.init(
            address or "local",
            num_cpus=processors,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
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
    """Raise OSError if nothing answers at HOST:PORT: Ray would try for many minutes."""
    host, colon, port = (address or "").rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=WAIT).close()
