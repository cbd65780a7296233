"""Where the work of a command runs: ``--jobs``, ``--backend`` and ``--address``."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from ..evaluation.check_outputs import check_folder
from ..files import sole_use
from ..parallel.task_cache import RECORD, drop_chunks, has_parts
from ..parallel.tasks import Cluster
from .arguments import MOST_JOBS, read_text, read_whole

CHUNKS = ".chunks"
"""The folder of finished parts, in the one that results are written to."""


def add_cluster(parser: argparse.ArgumentParser, jobs: int | None = None) -> None:
    """Add the arguments; ``jobs`` is the default, None: this process does all of it."""
    alone = "this process plays" if jobs is None else "each core"
    parser.add_argument(
        "--jobs",
        type=read_whole(MOST_JOBS),
        default=jobs,
        help=f"deals are done side by side by so many processes; -1: each core (default: {alone})",
    )
    parser.add_argument(
        "--backend",
        type=read_text,
        help="what the processes are of: loky (default), or another of joblib's on this machine; "
        "ray or dask, one machine or many (pip install 'parlour[ray]')",
    )
    parser.add_argument(
        "--address",
        type=read_text,
        help="join the cluster of Ray or Dask that runs at HOST:PORT, or of Ray auto (default: "
        "what RAY_ADDRESS or DASK_SCHEDULER_ADDRESS says, else one is started here)",
    )


def chunks_in(folder: Path | None) -> Path | None:
    """Return where finished parts are kept of work that is written to a folder, if it is."""
    return None if folder is None else folder / CHUNKS


@contextmanager
def use_cluster(arguments: argparse.Namespace, chunks: Path | None) -> Iterator[Cluster | None]:
    """Give where the work runs, None: in this process; finished parts are kept in ``chunks``.

    They are dropped when the block ends; if an error ends it, it is said where they are. Raises as
    `Cluster` does, and ValueError for a folder that cannot be made or that another command uses.
    """
    if arguments.jobs is arguments.backend is arguments.address is None:
        with nullcontext() if chunks is None else _sole_chunks(chunks):
            yield None
        return
    jobs = -1 if arguments.jobs is None else arguments.jobs
    backend = arguments.backend or "loky"
    cluster = Cluster(backend, jobs, arguments.address, chunks)
    if chunks is None:
        yield cluster
        return
    with _sole_chunks(chunks):
        try:
            yield cluster
        except BaseException:
            if has_parts(chunks):
                say_kept(chunks)
            elif not (chunks / RECORD).exists():
                drop_chunks(chunks)
            raise
        drop_chunks(chunks)


@contextmanager
def _sole_chunks(chunks: Path) -> Iterator[None]:
    """Have the folder that holds a folder of finished parts for this block alone; make it."""
    folder = chunks.parent
    check_folder(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with sole_use(chunks, "used", name=folder):
            yield
    finally:
        if is_new:  # and nothing came into it: the command line was wrong
            with suppress(OSError):
                folder.rmdir()


def say_kept(folder: Path) -> None:
    """Say on stderr where the finished parts of stopped work are."""
    said = f"finished parts are kept in {folder}: the same command goes on from them"
    print(f"parlour: {said}", file=sys.stderr)
