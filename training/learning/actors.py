"""Actors: processes that play the games of a rollout, each a part of the rows.

An actor keeps nothing between two rollouts: it receives its games as states in a `Job` and returns
them in a `RolloutPart`. So any actor can play any part, and playing a lost part again gives the
same result.

Actions are drawn as the learner alone would draw them: `torch.multinomial` divides the
probabilities of all rows by exponential draws and takes the largest. An actor makes these draws for
all rows and uses those of its own rows, so a game does not depend on the actor that plays it.

Actors are processes of this machine (`Actors`) or of a Ray cluster (`RayActors`); `CREWS` has both.
They end with the learner, however it ends.
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
"""Rows of a block; actors get whole blocks if there are enough, see `split_rows`."""
ROLLOUT = ("observations", "action_masks", "actions", "log_probs", "advantages", "returns")
"""Arrays of sb3-contrib's rollout buffer that an update needs."""
SENT = (*ROLLOUT, "values")
"""Arrays of the buffer that an actor returns."""
SMALL = {"observations": np.int8, "action_masks": np.bool_}
"""Smaller types in which it sends them: codes, and the zeros and ones of one-hot columns, fit."""
MOST_DEATHS = 3
"""Deaths of an actor over one job after which the run ends."""
MOST_RESTARTS = 100
"""Restarts of a Ray actor in a run after which the run ends."""

MakeLearner = Callable[[Any, int, int], CardLearner]
"""Makes the learner of settings, a seed and a number of rows; it can be pickled."""


class Job(NamedTuple):
    """Everything that a part of a rollout depends on."""

    weights: dict[str, np.ndarray]
    """Weights of the policy, by name."""
    generator: np.ndarray
    """State of torch's generator at the start of the rollout, uint8: the same for all parts."""
    states: np.ndarray
    """States of the rows, records (n,)."""
    returns: np.ndarray
    """Returns of their games so far, float64 (n,)."""
    starts: np.ndarray
    """Whether a row began a game in the last step, bool (n,)."""


class RolloutPart(NamedTuple):
    """A part of a rollout as an actor has played it."""

    arrays: dict[str, np.ndarray]
    """The arrays `SENT`, each (steps, n, ...)."""
    generator: np.ndarray
    states: np.ndarray
    returns: np.ndarray
    starts: np.ndarray
    games: np.ndarray
    """The games that ended, records of `EPISODE_RECORD`, in the order in which they did."""
    ended_in: np.ndarray
    """The step in which each of them ended, int64."""
    seconds: dict[str, float]
    """Wall time by phase in seconds."""
    processor: float
    """Processor time in seconds."""


def split_rows(n: int, actors: int) -> list[range]:
    """Return the rows of each actor, of n rows in all, as equal as whole blocks allow.

    Matrix products are computed in blocks of `BLOCK` rows, so rounding is the same in every whole
    block. If there are fewer blocks than actors, single rows are split.
    """
    block = BLOCK if n >= BLOCK * actors else 1
    blocks = -(-n // block)
    bounds = [min(n, block * (blocks * i // actors)) for i in range(actors + 1)]
    return [range(*both) for both in pairwise(bounds)]


class EndedGames(RecentGames):
    """All games that end in a rollout, with the steps in which they end.

    ``buffer`` is the rollout buffer: its position is the number of the step.
    """

    def __init__(self, buffer: Any) -> None:
        super().__init__()
        self.buffer = buffer
        self.begin()

    def begin(self) -> None:
        """Begin a rollout."""
        self.ended: list[np.ndarray] = [np.zeros(0, EPISODE_RECORD)]
        self.steps: list[np.ndarray] = [np.zeros(0, np.int64)]

    def add(self, games: np.ndarray) -> None:
        """Add games that have ended in this step, records (n,)."""
        self.ended.append(games)
        self.steps.append(np.full(len(games), self.buffer.pos))


class Collector:
    """Plays some rows of a run's games on the CPU, with one thread.

    ``rows`` are their numbers among all ``settings.n_envs``.
    """

    def __init__(self, make: MakeLearner, settings: Any, rows: range) -> None:
        torch.set_num_threads(1)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.settings, self.rows = replace(settings, device="cpu"), rows
        self.model = make(self.settings, 0, len(rows))
        assert isinstance(self.model.env, CardVecEnv)
        self.env = self.model.env
        self.model._setup_learn(0)
        self.env.ended_games = self.games = EndedGames(self.model.rollout_buffer)
        cast(CardPolicy, self.model.policy).draw = self._draw

    def _draw(self, probabilities: Tensor) -> Tensor:
        """Draw actions int64 (n,) from probabilities (n, actions), as `torch.multinomial` does."""
        draws = torch.empty(self.settings.n_envs, probabilities.shape[1]).exponential_()
        return (probabilities / draws[self.rows.start : self.rows.stop]).argmax(dim=1)

    def collect(self, job: Job) -> RolloutPart:
        """Play the steps of a rollout."""
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
    """One actor for each part of the rows, see `split_rows`."""

    def __init__(self, make: MakeLearner, settings: Any, parts: Sequence[range]) -> None: ...

    def collect(self, jobs: Sequence[Job]) -> list[RolloutPart]:
        """Have each actor do its job, in parallel; return the parts in order."""

    def close(self) -> None:
        """End all actors."""


class Actors:
    """A `Crew` of processes of this machine.

    A process that dies is started again and gets the same job. SIGINT and SIGTERM are blocked in
    the processes: the learner decides when they end.
    """

    def __init__(self, make: MakeLearner, settings: Any, parts: Sequence[range]) -> None:
        self.actors = [Actor(make, settings, number, rows) for number, rows in enumerate(parts)]

    def collect(self, jobs: Sequence[Job]) -> list[RolloutPart]:
        """See `Crew.collect`.

        Raises ChildProcessError if an actor dies `MOST_DEATHS` times, RuntimeError with its
        traceback if it fails.
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
    """A process that plays some rows, as the learner sees it."""

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
        theirs.close()  # otherwise the death of the process would not be seen

    def send(self, job: Job) -> None:
        """Send a job; `receive` notices if the process is dead."""
        try:
            self.connection.send(job)
        except OSError:
            return

    def receive(self, job: Job) -> RolloutPart:
        """Wait for the part of a job that was sent; send the job again after a death."""
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
            f"actor {self.number} died {MOST_DEATHS} times over one rollout; a script that trains "
            'with actors must begin by: if __name__ == "__main__"'
        )

    def _start_again(self) -> None:
        self.end()
        status = self.process.exitcode
        text = f"actor {self.number} died (exit status {status}) and is started again"
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
    """Do the jobs that arrive on a connection until the learner's process ends.

    An error is sent back as text.
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
    """A `Crew` of Ray actors, on this machine or on any with room in a cluster.

    Ray restarts an actor that dies, or whose machine does, and gives it the same job.
    ``settings.address`` is that of the cluster. Raises as `processes.join_ray` does, and
    ConnectionError if the cluster has no processor.
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
        """Return a class of actors on a node, or on any other node if that one is gone.

        It reserves no processor, so after a death it need not wait: it may share one with others.
        """
        strategies = self.ray.util.scheduling_strategies
        return self.ray.remote(Collector).options(
            num_cpus=0,
            max_restarts=MOST_RESTARTS,
            max_task_retries=-1,
            scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(node, soft=True),
        )

    def collect(self, jobs: Sequence[Job]) -> list[RolloutPart]:
        """See `Crew.collect`.

        Raises ChildProcessError if an actor has died more than `MOST_RESTARTS` times.
        """
        pairs = zip(self.actors, jobs, strict=True)
        try:
            parts: list[RolloutPart] = self.ray.get(
                [actor.collect.remote(job) for actor, job in pairs]
            )
        except self.ray.exceptions.RayActorError as error:
            raise ChildProcessError(f"an actor of Ray is lost: {error}") from error
        return parts

    def close(self) -> None:
        """See `Crew.close`; leave the cluster if it was joined for the actors."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.joined.close()


def list_places(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the node of each processor of a cluster: one of each node, then a second one ...

    ``nodes`` is the result of ``ray.nodes()``. Raises ConnectionError if there is no processor.
    """
    places = [
        (number, node["NodeID"])
        for node in nodes
        for number in range(int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0)
    ]
    if not places:
        raise ConnectionError("backend='ray': no machine of the cluster offers a processor")
    return [node for _, node in sorted(places)]


CREWS: dict[str, type[Crew]] = {"processes": Actors, "ray": RayActors}
"""The class of the crew for each value of the setting ``backend``."""
