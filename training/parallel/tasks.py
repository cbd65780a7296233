"""Run tasks in processes on this machine or on a Ray cluster, and yield results as they finish.

Results can be saved on disk, so that interrupted work can resume: see `run_cached`.

joblib runs the processes on this machine. Ray is called directly: through joblib, it could neither
return results one by one nor survive a crashed worker.
"""

import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.validation import join_lines
from parlour.envs.core.options import unknown_text

from ..files import pack_arrays, read_arrays, write_bytes
from .processes import RAY, begin_worker, check_ray_installed, join_ray

ATTEMPTS = 3
"""Number of consecutive worker crashes, with no task finished in between, after which the work
fails."""
QUEUED = 2
"""Number of tasks submitted per CPU of a Ray cluster, so that no CPU waits for the next task."""
KILLS = "Workers keep crashing on the same task. The machine may be out of memory."

SUFFIX = ".npz"
"""File name suffix of saved results, which are plain arrays. Reading a file runs no code."""

Work = Callable[[Any], Any]
"""A function that runs one task. The function, its task and its result can be pickled."""


@dataclass(frozen=True)
class Cluster:
    """A place for tasks to run: processes on this machine, or a Ray cluster.

    Args:
        backend: a backend of joblib, or ``"ray"`` (None: the backend of the surrounding
            ``joblib.parallel_config``).
        jobs: number of tasks that run at the same time; -1: one per core (None: as configured by
            the surrounding ``joblib.parallel_config``).
        address: address of a running Ray cluster (default: ``RAY_ADDRESS``; without it, start a
            cluster on this machine and stop it afterwards).
        chunks: folder in which finished chunks of long work are saved, so that interrupted work
            can resume (None: save nothing). The caller removes the folder.

    Raises:
        ValueError: the backend is unknown, ``jobs`` is out of range, or the backend takes no
            address.
        ImportError: the backend is not installed. The message names the extra.
    """

    backend: str | None = "loky"
    jobs: int | None = -1
    address: str | None = None
    chunks: Path | None = None

    def __post_init__(self) -> None:
        """Check the fields, and convert ``chunks`` to a path."""
        if self.chunks is not None:
            object.__setattr__(self, "chunks", Path(self.chunks))
        if self.jobs is not None and (self.jobs == 0 or self.jobs < -1):
            raise ValueError(
                f"jobs must be an integer >= 1, or -1 for one per core, got {self.jobs}"
            )
        if self.backend is not None:
            check_backend(self.backend)
        if self.address is not None and self.backend != RAY:
            raise ValueError(
                f"address={self.address!r} requires backend {RAY!r}, got backend {self.backend!r}"
            )


def check_backend(backend: str) -> None:
    """Raise ValueError for an unknown backend, and ImportError for one that is not installed."""
    from joblib.parallel import BACKENDS

    allowed = {*BACKENDS, RAY}
    if backend not in allowed:
        raise ValueError(unknown_text("backend", backend, sorted(allowed)))
    if backend == RAY:
        check_ray_installed()


def run_tasks(
    work: Work, tasks: Sequence[Any], cluster: Cluster, cores: int = 1
) -> Iterator[tuple[int, Any]]:
    """Run tasks in parallel; yield the number and the result of each task as it finishes.

    Exceptions of a task are raised here. A task whose worker crashed is run again.

    Args:
        work: function that runs one task.
        tasks: the arguments of ``work``.
        cluster: where the tasks run.
        cores: number of CPUs that Ray reserves for each task.
    """
    numbered = list(enumerate(tasks))
    if cluster.backend == RAY:
        yield from _run_by_ray(work, numbered, cluster, cores)
    else:
        yield from _run_by_joblib(work, numbered, cluster)


def join_cluster(cluster: Cluster | None) -> AbstractContextManager[None]:
    """Join a Ray cluster for several calls of `run_tasks`; do nothing for other backends."""
    if cluster is None or cluster.backend != RAY:
        return nullcontext()
    return join_ray(cluster.address, None if cluster.jobs == -1 else cluster.jobs)


def do_task(work: Work, number: int, task: Any) -> tuple[int, Any]:
    """Run a task in the worker; return its number and its result."""
    return number, work(task)


def _run_by_joblib(
    work: Work, tasks: list[tuple[int, Any]], cluster: Cluster
) -> Iterator[tuple[int, Any]]:
    """Run tasks with joblib; run the tasks of a crashed worker again."""
    from joblib.externals.loky.process_executor import BrokenProcessPool

    left, failures = dict(tasks), 0
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
    jobs = cluster.jobs and min(cluster.jobs, len(calls))  # joblib starts all workers
    workers: dict[str, Any] = {"initializer": begin_worker, "initargs": (os.getpid(),)}
    with joblib.parallel_config(cluster.backend) if cluster.backend else nullcontext():
        try:
            parallel = joblib.Parallel(jobs, return_as="generator_unordered", **workers)
        except ValueError:  # the backend "multiprocessing" returns all results at the end
            parallel = joblib.Parallel(jobs, **workers)
        yield from _take(parallel(calls))


def _take(results: Any) -> Iterator[tuple[int, Any]]:
    """Yield results, and suppress the warning of joblib if the caller stops early."""
    try:
        for one in results:  # noqa: UP028 - "yield from" would end the work before this could
            yield one
    except GeneratorExit:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.close()
        raise


def _run_by_ray(
    work: Work, tasks: list[tuple[int, Any]], cluster: Cluster, cores: int
) -> Iterator[tuple[int, Any]]:
    """Run tasks with Ray, which runs the tasks of a crashed worker or machine again."""
    import ray

    with join_cluster(cluster):
        send = ray.remote(num_cpus=cores, max_retries=ATTEMPTS)(do_task).remote
        most = cluster.jobs if cluster.jobs not in (None, -1) else 0
        waiting, running = list(reversed(tasks)), list[Any]()
        try:
            while waiting or running:
                room = most or QUEUED * int(ray.cluster_resources().get("CPU", 1))
                while waiting and len(running) < room:
                    running.append(send(work, *waiting.pop()))
                done, running = ray.wait(running)
                yield from ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as error:
            raise ChildProcessError(KILLS) from error
        finally:
            for one in running:  # the caller stopped, or a task failed
                ray.cancel(one, force=True)


class Packing(NamedTuple):
    """Conversion of a result to arrays and back.

    ``unpack`` raises an exception for arrays that ``pack`` cannot have returned.
    """

    pack: Callable[[Any], Mapping[str, Any]]
    unpack: Callable[[Mapping[str, np.ndarray]], Any]


def run_cached(
    work: Work, tasks: Mapping[str, Any], cluster: Cluster, packing: Packing
) -> Iterator[tuple[str, Any]]:
    """Run tasks as `run_tasks` does; yield the name and the result of each task.

    If ``cluster.chunks`` names a folder, finished results are read from it, and new results are
    saved there, converted by ``packing``. The name of a task is a digest of everything that its
    result depends on. A damaged file causes a warning, and its task is run again.
    """
    left = dict(tasks)
    for name in tasks:
        result = _load(cluster.chunks, name, packing)
        if result is not None:
            del left[name]
            yield name, result
    names = list(left)
    for number, result in run_tasks(work, list(left.values()), cluster):
        if cluster.chunks is not None:
            cluster.chunks.mkdir(parents=True, exist_ok=True)
            write_bytes(_path(cluster.chunks, names[number]), pack_arrays(packing.pack(result)))
        yield names[number], result


def drop_chunks(chunks: Path) -> None:
    """Remove the folder of finished chunks, because the work is complete."""
    shutil.rmtree(chunks, ignore_errors=True)


def has_chunks(chunks: Path) -> bool:
    """Return whether a folder has finished chunks."""
    return any(chunks.glob(f"*{SUFFIX}"))


def _path(chunks: Path, name: str) -> Path:
    return chunks / f"{name}{SUFFIX}"


def _load(chunks: Path | None, name: str, packing: Packing) -> Any:
    """Return a saved result by name; None if there is no readable one."""
    if chunks is None or not _path(chunks, name).exists():
        return None
    path = _path(chunks, name)
    try:
        return packing.unpack(read_arrays(path))
    except Exception as error:  # whatever the error, the task can be run again
        reason = f"{type(error).__name__}: {join_lines(error)}"
        warnings.warn(f"{path} is damaged, so this chunk is computed again: {reason}", stacklevel=3)
        return None
