"""Actors as processes of this machine: each plays some rows of every rollout (`collector`).

An actor that dies is started again and gets the same job, with the same result. Actors end with the
learner, however it ends. SIGINT and SIGTERM are blocked in them: the learner decides when they end.
"""

import multiprocessing
import os
import traceback
import warnings
from collections.abc import Sequence
from multiprocessing.connection import Connection

from ..parallel.parent import block_signals, watch_parent
from .collector import Collector, Job, Part
from .settings import PPOSettings

MOST_DEATHS = 3
"""An actor that dies so often over one job would die of it again."""


class Actors:
    """One actor for each part of the rows: see `collector.split_rows`."""

    def __init__(self, settings: PPOSettings, parts: Sequence[range]) -> None:
        self.actors = [Actor(settings, number, rows) for number, rows in enumerate(parts)]

    def collect(self, jobs: Sequence[Job]) -> list[Part]:
        """Have each actor do its job, side by side; return what became of them, in order.

        Raises ChildProcessError if an actor dies again and again, RuntimeError with its traceback
        if it fails.
        """
        both = list(zip(self.actors, jobs, strict=True))
        for actor, job in both:
            actor.send(job)
        return [actor.receive(job) for actor, job in both]

    def close(self) -> None:
        """End all actors."""
        for actor in self.actors:
            actor.end()


class Actor:
    """A process that plays some rows, as the learner sees it."""

    def __init__(self, settings: PPOSettings, number: int, rows: range) -> None:
        self.settings, self.number, self.rows = settings, number, rows
        self.start()

    def start(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        given = theirs, self.settings, self.rows, os.getpid()
        self.process = context.Process(
            target=serve, args=given, name=f"actor {self.number}", daemon=True
        )
        with block_signals():
            self.process.start()
        theirs.close()  # or its death would not be seen

    def send(self, job: Job) -> None:
        """Tell it a job; that it is dead is seen when the answer is waited for."""
        try:
            self.connection.send(job)
        except OSError:
            return

    def receive(self, job: Job) -> Part:
        """Wait for what became of a job that was sent, which is sent again after a death."""
        for _ in range(MOST_DEATHS):
            try:
                answer: Part | str = self.connection.recv()
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


def serve(connection: Connection, settings: PPOSettings, rows: range, learner: int) -> None:
    """Do the jobs that arrive on a connection until the learner, a process id, ends.

    An error is sent back as text.
    """
    watch_parent(learner)
    try:
        collector = Collector(settings, rows)
        while True:
            connection.send(collector.collect(connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the learner has ended
    except Exception:
        connection.send(traceback.format_exc())
