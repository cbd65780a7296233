"""Actors: processes that collect parts of a rollout, each for some of the environments.

An actor keeps no state between rollouts. It receives its environments' states in a `Job` and
returns them in a `RolloutPart`. Any actor can therefore collect any part, and collecting a lost
part again gives the same result.

Actors sample actions exactly as the learner alone would. `torch.multinomial` divides the
probabilities of all rows by exponential draws and takes the largest. An actor makes these draws for
all rows and uses those of its own rows, so the actions do not depend on which actor plays them.

Actors are processes on this machine (`Actors`) or on a Ray cluster (`RayActors`); see `CREWS`. They
end when the learner ends, even if it crashes.
"""

import multiprocessing
import os
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import torch
from torch import Tensor

from parlour.envs.core.rows import copy_states
from parlour.envs.interfaces.sb3 import EPISODE_RECORD, CardVecEnv, RecentGames

from ..parallel.processes import block_signals, join_ray, watch_parent
from .network_run import CardLearner, CardPolicy, PhaseTimer, learning_precision

BLOCK = 16
"""Number of rows in a block. Each actor gets whole blocks if there are enough, see `split_rows`."""
ROLLOUT = ("observations", "action_masks", "actions", "log_probs", "advantages", "returns")
"""Arrays of sb3-contrib's rollout buffer that an update needs."""
SENT = (*ROLLOUT, "values")
"""Arrays of the rollout buffer that an actor returns."""
SMALL = {"observations": np.int8, "action_masks": np.bool_}
"""Smaller dtypes for sending some arrays, which hold card codes or one-hot columns."""
MOST_DEATHS = 3
"""Number of crashes of an actor during one job after which the run ends."""
MOST_RESTARTS = 100
"""Number of restarts of a Ray actor in one run after which the run ends."""
RESERVED = 0.001
"""Number of CPUs that a Ray actor reserves."""

MakeLearner = Callable[[Any, int, int], CardLearner]
"""A picklable function that builds a learner from settings, a seed and a number of rows."""


class Job(NamedTuple):
    """Everything that a part of a rollout depends on."""

    weights: dict[str, np.ndarray]
    """Weights of the policy, by name."""
    generator: np.ndarray
    """State of torch's generator at the start of the rollout, uint8; the same in all jobs."""
    states: np.ndarray
    """States of the rows, records (n,)."""
    returns: np.ndarray
    """Returns of their episodes so far, float64 (n,)."""
    starts: np.ndarray
    """Whether an episode began in the last step, bool (n,)."""


class RolloutPart(NamedTuple):
    """A part of a rollout, as an actor returns it."""

    arrays: dict[str, np.ndarray]
    """The arrays `SENT`, each (steps, n, ...)."""
    generator: np.ndarray
    states: np.ndarray
    returns: np.ndarray
    starts: np.ndarray
    games: np.ndarray
    """Finished episodes, records of `EPISODE_RECORD`, in the order in which they ended."""
    ended_in: np.ndarray
    """Step in which each episode ended, int64."""
    seconds: dict[str, float]
    """Wall time by phase, in seconds."""
    processor: float
    """Processor time in seconds."""


def split_rows(n: int, actors: int) -> list[range]:
    """Divide n rows among the actors, as equally as whole blocks allow.

    Matrix products are computed in blocks of `BLOCK` rows, so rounding is the same in every whole
    block. If there are fewer blocks than actors, the function divides single rows.
    """
    block = BLOCK if n >= BLOCK * actors else 1
    blocks = -(-n // block)
    bounds = [min(n, block * (blocks * i // actors)) for i in range(actors + 1)]
    return [range(*both) for both in pairwise(bounds)]


class EndedGames(RecentGames):
    """All episodes that end in a rollout, with the steps in which they end.

    ``buffer`` is the rollout buffer; its position is the number of the step.
    """

    def __init__(self, buffer: Any) -> None:
        super().__init__()
        self.buffer = buffer
        self.begin()

    def begin(self) -> None:
        """Start a new rollout."""
        self.ended: list[np.ndarray] = [np.zeros(0, EPISODE_RECORD)]
        self.steps: list[np.ndarray] = [np.zeros(0, np.int64)]

    def add(self, games: np.ndarray) -> None:
        """Add the episodes that ended in this step, records (n,)."""
        self.ended.append(games)
        self.steps.append(np.full(len(games), self.buffer.pos))


class Collector:
    """Collects rollouts for some rows of a run on the CPU, with one thread.

    ``rows`` are their numbers among all ``settings.n_envs`` rows.
    """

    def __init__(self, make: MakeLearner, settings: Any, rows: range) -> None:
        torch.set_num_threads(1)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.settings, self.rows = replace(settings, device="cpu", threads=1), rows
        self.model = make(self.settings, 0, len(rows))
        assert isinstance(self.model.env, CardVecEnv)
        self.env = self.model.env
        self.model._setup_learn(0)
        self.env.ended_games = self.games = EndedGames(self.model.rollout_buffer)
        cast(CardPolicy, self.model.policy).draw = self._draw

    def _draw(self, probabilities: Tensor) -> Tensor:
        """Sample actions, int64 (n,), from probabilities (n, actions), like `torch.multinomial`."""
        draws = torch.empty(self.settings.n_envs, probabilities.shape[1]).exponential_()
        return (probabilities / draws[self.rows.start : self.rows.stop]).argmax(dim=1)

    def collect(self, job: Job) -> RolloutPart:
        """Collect a part of a rollout."""
        begun = time.process_time()
        model, env, buffer = self.model, self.env, cast(Any, self.model.rollout_buffer)
        model.clock = PhaseTimer()
        weights = {name: torch.tensor(array) for name, array in job.weights.items()}
        model.policy.load_state_dict(weights)
        model._last_obs = env.take_over(job.states, job.returns)
        model._last_episode_starts = job.starts
        torch.set_rng_state(torch.tensor(job.generator))
        self.games.begin()
        with learning_precision(self.settings):
            model.collect_rollouts(env)
        arrays = {name: getattr(buffer, name) for name in SENT}
        return RolloutPart(
            arrays | {name: arrays[name].astype(dtype) for name, dtype in SMALL.items()},
            torch.get_rng_state().numpy(),
            copy_states(env.rows.states),
            env.returns.copy(),
            np.asarray(model._last_episode_starts),
            np.concatenate(self.games.ended),
            np.concatenate(self.games.steps),
            model.clock.split(),
            time.process_time() - begun,
        )


class Crew(Protocol):
    """A group of actors, one for each part of the rows; see `split_rows`."""

    def __init__(self, make: MakeLearner, settings: Any, parts: Sequence[range]) -> None: ...

    def collect(self, jobs: Sequence[Job]) -> list[RolloutPart]:
        """Run each job on its actor, in parallel, and return the parts in order."""

    def close(self) -> None:
        """Stop all actors."""


class Actors:
    """A `Crew` of processes on this machine.

    A process that crashes is restarted with the same job. The processes block SIGINT and SIGTERM:
    the learner decides when they end.
    """

    def __init__(self, make: MakeLearner, settings: Any, parts: Sequence[range]) -> None:
        self.actors = [Actor(make, settings, number, rows) for number, rows in enumerate(parts)]

    def collect(self, jobs: Sequence[Job]) -> list[RolloutPart]:
        """See `Crew.collect`.

        Raises:
            ChildProcessError: an actor crashed `MOST_DEATHS` times.
            RuntimeError: an actor raised an exception; the message has its traceback.
        """
        pairs = list(zip(self.actors, jobs, strict=True))
        for actor, job in pairs:
            actor.send(job)
        return [actor.receive(job) for actor, job in pairs]

    def close(self) -> None:
        """See `Crew.close`."""
        for actor in self.actors:
            actor.end()


class Actor:
    """The learner's connection to one actor process."""

    def __init__(self, make: MakeLearner, settings: Any, number: int, rows: range) -> None:
        self.make, self.settings, self.number, self.rows = make, settings, number, rows
        self.start()

    def start(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=serve,
            args=(theirs, self.make, self.settings, self.rows, os.getpid()),
            name=f"actor {self.number}",
            daemon=True,
        )
        with block_signals():
            self.process.start()
        theirs.close()  # otherwise recv would not raise EOFError if the process dies

    def send(self, job: Job) -> None:
        """Send a job. If the process is dead, `receive` notices it."""
        try:
            self.connection.send(job)
        except OSError:
            return

    def receive(self, job: Job) -> RolloutPart:
        """Wait for the result of the job that was sent; resend the job after a crash."""
        for _ in range(MOST_DEATHS):
            try:
                answer: RolloutPart | str = self.connection.recv()
            except (EOFError, OSError):
                self._start_again()
                self.send(job)
                continue
            if isinstance(answer, str):
                raise RuntimeError(f"actor {self.number} failed:\n{answer}")
            return answer
        raise ChildProcessError(
            f"actor {self.number} crashed {MOST_DEATHS} times during one rollout. In a script, "
            'call train only under: if __name__ == "__main__"'
        )

    def _start_again(self) -> None:
        self.end()
        status = self.process.exitcode
        text = f"actor {self.number} crashed (exit status {status}) and is restarted"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
        self.start()

    def end(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.kill()
        self.process.join()


def serve(
    connection: Connection, make: MakeLearner, settings: Any, rows: range, learner_pid: int
) -> None:
    """Run the jobs that arrive on a connection until the learner's process ends.

    Exceptions are sent back as text.
    """
    watch_parent(learner_pid)
    try:
        collector = Collector(make, settings, rows)
        while True:
            connection.send(collector.collect(connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the learner has ended
    except Exception:
        connection.send(traceback.format_exc())


class RayActors:
    """A `Crew` of Ray actors, on any machines of a cluster.

    Ray restarts an actor that crashes, or whose machine fails, with the same job.
    ``settings.address`` is the address of the cluster.

    Raises:
        ConnectionError: the cluster has no CPU.

    Also raises the errors of `processes.join_ray`.
    """

    def __init__(self, make: MakeLearner, settings: Any, parts: Sequence[range]) -> None:
        self.joined = ExitStack()
        self.joined.enter_context(join_ray(settings.address))
        import ray.util.scheduling_strategies

        self.ray = ray
        nodes = list_places(self.ray.nodes())
        self.actors = [
            self._place(nodes[i % len(nodes)]).remote(make, settings, rows)
            for i, rows in enumerate(parts)
        ]

    def _place(self, node: str) -> Any:
        """Return an actor class bound to a node, or to any other node if that one is gone.

        The actors reserve nearly no CPU, so that a restarted actor does not wait for a free one.
        Ray ignores the chosen node of an actor that reserves no CPU at all.
        """
        strategies = self.ray.util.scheduling_strategies
        return self.ray.remote(Collector).options(
            num_cpus=RESERVED,
            max_restarts=MOST_RESTARTS,
            max_task_retries=-1,
            scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(node, soft=True),
        )

    def collect(self, jobs: Sequence[Job]) -> list[RolloutPart]:
        """See `Crew.collect`.

        Raises ChildProcessError if an actor crashed more than `MOST_RESTARTS` times.
        """
        pairs = zip(self.actors, jobs, strict=True)
        try:
            parts: list[RolloutPart] = self.ray.get(
                [actor.collect.remote(job) for actor, job in pairs]
            )
        except self.ray.exceptions.RayActorError as error:
            raise ChildProcessError(f"a Ray actor was lost: {error}") from error
        return parts

    def close(self) -> None:
        """See `Crew.close`; also leave the cluster if the actors joined it."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.joined.close()


def list_places(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the node of each CPU of a cluster, taking one CPU from every node in turn.

    ``nodes`` is the result of ``ray.nodes()``. Raises ConnectionError if there is no CPU.
    """
    places = [
        (number, node["NodeID"])
        for node in nodes
        for number in range(int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0)
    ]
    if not places:
        raise ConnectionError("backend='ray': no machine of the cluster has a CPU")
    return [node for _, node in sorted(places)]


CREWS: dict[str, type[Crew]] = {"processes": Actors, "ray": RayActors}
"""The crew class for each value of the setting ``backend``."""
