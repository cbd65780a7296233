"""Actors as actors of Ray, on this machine or wherever a cluster has room.

Ray starts one again that dies, or whose machine does, and gives it the same job, from which the
same comes.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from ..parallel.engines import join_ray
from .collector import Collector, Job, Part
from .settings import PPOSettings

MOST_RESTARTS = 100
"""An actor that dies more often in a run is given up: what it dies of would not end."""


class RayActors:
    """One actor of Ray for each part of the rows: see `collector.split_rows`.

    ``settings.address`` is that of the cluster. Raises as `engines.join_ray` does, and
    ConnectionError where a cluster has no processor.
    """

    def __init__(self, settings: PPOSettings, parts: Sequence[range]) -> None:
        self.joined = ExitStack()
        self.joined.enter_context(join_ray(settings.address))
        import ray.util.scheduling_strategies

        self.ray = ray
        places = list_places(self.ray.nodes())
        self.actors = [
            self._start(places[i % len(places)]).remote(settings, rows)
            for i, rows in enumerate(parts)
        ]

    def _start(self, node: str) -> Any:
        """Return what starts an actor on a node, or on any other one once that is gone.

        It reserves no processor: after a death it may share one with others, and need not wait.
        """
        kinds = self.ray.util.scheduling_strategies
        return self.ray.remote(Collector).options(
            num_cpus=0,
            max_restarts=MOST_RESTARTS,
            max_task_retries=-1,
            scheduling_strategy=kinds.NodeAffinitySchedulingStrategy(node, soft=True),
        )

    def collect(self, jobs: Sequence[Job]) -> list[Part]:
        """Have each actor do its job, side by side; return what became of them, in order.

        Raises ChildProcessError if an actor has died more than `MOST_RESTARTS` times.
        """
        asked = [actor.collect.remote(job) for actor, job in zip(self.actors, jobs, strict=True)]
        try:
            parts: list[Part] = self.ray.get(asked)
        except self.ray.exceptions.RayActorError as error:
            raise ChildProcessError(f"an actor of Ray is lost: {error}") from error
        return parts

    def close(self) -> None:
        """End all actors, and leave the cluster if it was joined for them."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.joined.close()


def list_places(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the node of each processor of a cluster: first one of each node, then a second one.

    ``nodes`` is what ``ray.nodes()`` says. Raises ConnectionError if there is no processor.
    """
    places = [
        (number, node["NodeID"])
        for node in nodes
        for number in range(int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0)
    ]
    if not places:
        raise ConnectionError("backend='ray': no machine of the cluster offers a processor")
    return [node for _, node in sorted(places)]
