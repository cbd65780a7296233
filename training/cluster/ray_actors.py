"""Actors as actors of Ray, on this machine or wherever a cluster has room.

Ray starts one again that dies, or whose machine does, and gives it the same job, from which the
same comes.
"""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..learning.settings import PPOSettings
from .collector import Collector, Job, Part


class RayActors:
    """One actor of Ray for each part of the rows: see `collector.split_rows`.

    ``settings.address`` is that of the cluster. Raises ValueError where Ray is not installed,
    ConnectionError where there is no cluster.
    """

    def __init__(self, settings: PPOSettings, parts: Sequence[range]) -> None:
        with _own_signals():
            self.ray = _import_ray()
            self.began = not self.ray.is_initialized()
            if self.began:
                self.ray.init(address=settings.address, log_to_driver=False)
        # No num_cpus: an actor may go wherever a processor is left, also where others are at work.
        kind = self.ray.remote(Collector).options(
            max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD"
        )
        self.actors = [kind.remote(settings, rows) for rows in parts]

    def collect(self, jobs: Sequence[Job]) -> list[Part]:
        """Have each actor do its job, side by side; return what became of them, in order."""
        asked = [actor.collect.remote(job) for actor, job in zip(self.actors, jobs, strict=True)]
        parts: list[Part] = self.ray.get(asked)
        return parts

    def close(self) -> None:
        """End all actors, and leave the cluster if it was joined for them."""
        for actor in self.actors:
            self.ray.kill(actor)
        if self.began:
            self.ray.shutdown()


def _import_ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise ValueError(
            "backend='ray': Ray is not installed; install it with: pip install \"parlour[ray]\""
        ) from None
    return ray


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
