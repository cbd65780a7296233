"""Tasks handed out to processes of this machine or to a cluster; results as they come.

joblib hands out to processes of this machine. Ray and Dask are asked themselves: through joblib
Ray could neither hand over results one by one nor survive the death of a worker, and where the work
itself kills workers joblib would wait for Dask for ever.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlour.envs.core.options import unknown_text

from .engines import EXTRAS, check_installed, join_dask, join_ray
from .parent import begin_worker

ATTEMPTS = 3
"""So many workers may die in a row without a task being done in between."""
QUEUED = 2
"""Tasks that wait for each processor of a cluster, so that none is idle."""
KILLS = "workers die, again and again, of a part of this work: is it short of memory?"

Work = Callable[[Any], Any]
"""Does one task; it and its result can be pickled."""


@dataclass(frozen=True)
class Cluster:
    """Where tasks run: ``jobs`` at once (-1: one on each core) by a ``backend`` of joblib, or Ray.

    ``backend`` and ``jobs`` None are what ``joblib.parallel_config`` says around the call.
    ``address`` joins a cluster of Dask or Ray that runs; None: the one that the environment names
    (``DASK_SCHEDULER_ADDRESS``, ``RAY_ADDRESS``), else one is started here and ended afterwards.
    ``chunks`` is a folder where finished parts of long work are kept (`kept.run_kept`), so that it
    can go on from them; whoever names it removes it afterwards. None: they are not.

    Raises ValueError for an unknown backend, no jobs, an address where none can be; ImportError,
    naming the extra, if the backend is not installed.
    """

    backend: str | None = "loky"
    jobs: int | None = -1
    address: str | None = None
    chunks: Path | None = None

    def __post_init__(self) -> None:
        """Check what was given; the folder may be words, too."""
        if self.chunks is not None:
            object.__setattr__(self, "chunks", Path(self.chunks))
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
    check_installed(backend)


def run_tasks(work: Work, tasks: Sequence[Any], cluster: Cluster) -> Iterator[tuple[int, Any]]:
    """Do tasks side by side; yield the number and the result of each as it is done.

    What a task raises is raised here. A task whose worker has died is done again.
    """
    engines = {"ray": _run_by_ray, "dask": _run_by_dask}
    run = engines.get(cluster.backend or "", _run_by_joblib)
    yield from run(work, list(enumerate(tasks)), cluster)


def join_cluster(cluster: Cluster | None) -> AbstractContextManager[None]:
    """Stay joined to a cluster, or keep the one that is started here, over many `run_tasks`."""
    if cluster is None or cluster.backend not in EXTRAS:
        return nullcontext()
    join = join_ray if cluster.backend == "ray" else join_dask
    return join(cluster.address, None if cluster.jobs == -1 else cluster.jobs)


def do_task(work: Work, number: int, task: Any) -> tuple[int, Any]:
    """Do a task where it was sent to; return its number, too."""
    return number, work(task)


def _run_by_joblib(
    work: Work, tasks: list[tuple[int, Any]], cluster: Cluster
) -> Iterator[tuple[int, Any]]:
    """Hand out tasks by joblib, those of a dead worker once more."""
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
    jobs = cluster.jobs and min(cluster.jobs, len(calls))  # all of them are started at once
    workers: dict[str, Any] = {"initializer": begin_worker, "initargs": (os.getpid(),)}
    with joblib.parallel_config(cluster.backend) if cluster.backend else nullcontext():
        try:
            parallel = joblib.Parallel(jobs, return_as="generator_unordered", **workers)
        except ValueError:  # the backend "multiprocessing" hands over all at the end
            parallel = joblib.Parallel(jobs, **workers)
        yield from _take(parallel(calls))


def _take(results: Any) -> Iterator[tuple[int, Any]]:
    """Yield results; if the rest is not wanted any more, end the work without joblib's warning."""
    try:
        for one in results:  # noqa: UP028 - "yield from" would end the work before this could
            yield one
    except GeneratorExit:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.close()
        raise


def _run_by_ray(
    work: Work, tasks: list[tuple[int, Any]], cluster: Cluster
) -> Iterator[tuple[int, Any]]:
    """Hand out tasks by Ray, which does those of a dead worker or machine once more."""
    import ray

    with join_cluster(cluster):
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
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as error:
            raise ChildProcessError(KILLS) from error
        finally:
            for one in running:  # the rest is not wanted any more
                ray.cancel(one, force=True)


def _run_by_dask(
    work: Work, tasks: list[tuple[int, Any]], cluster: Cluster
) -> Iterator[tuple[int, Any]]:
    """Hand out tasks by Dask, which does those of a dead worker or machine once more."""
    with join_cluster(cluster):
        from distributed import KilledWorker, as_completed, get_client

        client, most = get_client(), cluster.jobs if cluster.jobs not in (None, -1) else 0
        waiting, running = list(reversed(tasks)), as_completed()
        try:
            while waiting or running.count():
                room = most or QUEUED * max(1, sum(client.nthreads().values()))
                while waiting and running.count() < room:
                    running.add(client.submit(do_task, work, *waiting.pop(), pure=False))
                yield next(running).result()
        except KilledWorker as error:
            raise ChildProcessError(KILLS) from error
        finally:
            client.cancel(list(running.futures))  # the rest is not wanted any more
