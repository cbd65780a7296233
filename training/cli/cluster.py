"""Arguments ``--jobs``, ``--backend`` and ``--address``, and the finished chunks of a command.

A command that writes to a folder saves each finished chunk in its subfolder ``.chunks`` until all
chunks are done. Two notes in that subfolder let the same command resume: the evaluation seed, and a
digest of the command that started the file of ``--record``.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from ..files import check_folder, sole_use, write_bytes
from ..parallel.tasks import Cluster, drop_chunks, has_chunks
from .arguments import MOST_JOBS, read_line, read_whole

CHUNKS = ".chunks"
"""Name of the folder of finished chunks, inside the folder of results."""
EVALUATION_SEED, RECORD = "evaluation_seed.txt", "record.txt"
"""File names of the notes in the folder of chunks."""


def add_cluster(parser: argparse.ArgumentParser, jobs: int | None = None) -> None:
    """Add the arguments; ``jobs`` is the default of ``--jobs`` (None: no worker processes)."""
    default = "no worker processes" if jobs is None else "one per core"
    parser.add_argument(
        "--jobs",
        type=read_whole(MOST_JOBS),
        default=jobs,
        help=f"number of worker processes; -1: one per core (default: {default})",
    )
    parser.add_argument(
        "--backend",
        type=read_line,
        help="backend of the worker processes: loky or another joblib backend on this machine, or "
        "ray on one or several machines; ray needs pip install 'parlour[ray]' (default: loky)",
    )
    parser.add_argument(
        "--address",
        type=read_line,
        help="address of a Ray cluster: HOST:PORT, or auto (default: RAY_ADDRESS, or a new cluster "
        "on this machine if it is not set)",
    )


def chunks_in(folder: Path | None) -> Path | None:
    """Return the folder of finished chunks inside an output folder, None without one."""
    return None if folder is None else folder / CHUNKS


@contextmanager
def use_cluster(arguments: argparse.Namespace, chunks: Path | None) -> Iterator[Cluster | None]:
    """Yield the cluster of a command (None: this process), which saves chunks in ``chunks``.

    The chunks are removed when the block ends. If an error ends the block, the chunks are kept, and
    a line on stderr names their folder.

    Raises:
        ValueError: As `Cluster` does; or the folder cannot be created, or another command uses it.
        ImportError: As `Cluster` does.
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
            if has_chunks(chunks):
                print_kept(chunks)
            elif not (chunks / RECORD).exists():
                drop_chunks(chunks)
            raise
        drop_chunks(chunks)


@contextmanager
def _sole_chunks(chunks: Path) -> Iterator[None]:
    """Create the folder above ``chunks``, and lock it for this block."""
    folder = chunks.parent
    check_folder(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with sole_use(chunks, "used", name=folder):
            yield
    finally:
        if is_new:  # The folder is empty if the command line was wrong.
            with suppress(OSError):
                folder.rmdir()


def print_kept(folder: Path) -> None:
    """Print the folder of the finished chunks of an interrupted command on stderr."""
    text = f"Finished chunks are kept in {folder}. Run the same command again to resume."
    print(f"parlour: {text}", file=sys.stderr)


def read_evaluation_seed(cluster: Cluster | None) -> str | None:
    """Return the evaluation seed of the saved chunks, or None if no chunk is saved."""
    return _read_note(cluster, EVALUATION_SEED)


def write_evaluation_seed(cluster: Cluster | None, evaluation_seed: str) -> None:
    """Save the evaluation seed for a resumed command; without a folder of chunks, do nothing."""
    _write_note(cluster, EVALUATION_SEED, evaluation_seed)


def drop_record(cluster: Cluster | None, record: Path | None, command: str) -> None:
    """Remove the unfinished file of recorded games of the same, interrupted command.

    ``command`` is the digest that `note_record` saved.
    """
    if record is not None and _read_note(cluster, RECORD) == command:
        record.unlink(missing_ok=True)


def note_record(cluster: Cluster | None, command: str) -> None:
    """Save that a command has started its file of games; without a folder of chunks, do nothing."""
    _write_note(cluster, RECORD, command)


def _read_note(cluster: Cluster | None, name: str) -> str | None:
    """Return the text of a note, or None if it is missing or unreadable."""
    if cluster is None or cluster.chunks is None:
        return None
    try:
        return (cluster.chunks / name).read_text(encoding="utf-8") or None
    except (OSError, UnicodeDecodeError):
        return None


def _write_note(cluster: Cluster | None, name: str, text: str) -> None:
    if cluster is not None and cluster.chunks is not None:
        cluster.chunks.mkdir(parents=True, exist_ok=True)
        write_bytes(cluster.chunks / name, text.encode())
