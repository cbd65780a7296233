"""Results of tasks, kept on disk until all of the work is done: stopped work goes on from them.

They are pickled, since only who wrote them reads them: a folder of chunks is not for sharing.
"""

import pickle
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..files import write_bytes
from .tasks import Cluster, Work, run_tasks

KEY, RECORD = "key.txt", "record.txt"
"""Files beside the parts: where draws come from, and what has begun a file of games."""


def run_kept(work: Work, tasks: Mapping[str, Any], cluster: Cluster) -> Iterator[tuple[str, Any]]:
    """Do tasks as `run_tasks` does; yield the name and the result of each.

    Where ``cluster.chunks`` names a folder, results that are there are read, and the others written
    as they come. A name tells all that a result depends on.
    """
    left = dict(tasks)
    for name in tasks:
        found = _load(cluster.chunks, name)
        if found is not None:
            del left[name]
            yield name, found
    names = list(left)
    for number, result in run_tasks(work, list(left.values()), cluster):
        if cluster.chunks is not None:
            cluster.chunks.mkdir(parents=True, exist_ok=True)
            write_bytes(_path(cluster.chunks, names[number]), pickle.dumps(result))
        yield names[number], result


def read_key(cluster: Cluster | None) -> str | None:
    """Return the secret that the draws of kept results came from; None if nothing is kept."""
    return _read_note(cluster, KEY)


def write_key(cluster: Cluster | None, key: str) -> None:
    """Keep the secret that draws come from, so that stopped work goes on with the same ones.

    Nothing is done where no parts are kept.
    """
    _write_note(cluster, KEY, key)


def drop_record(cluster: Cluster | None, record: Path | None, command: str) -> None:
    """Remove a file of games that the same command has begun and not ended: it is written anew.

    ``command`` says in words what is asked for; see `note_record`.
    """
    if record is not None and _read_note(cluster, RECORD) == command:
        record.unlink(missing_ok=True)


def note_record(cluster: Cluster | None, command: str) -> None:
    """Keep that a command has begun its file of games; nothing is done where no parts are kept."""
    _write_note(cluster, RECORD, command)


def _read_note(cluster: Cluster | None, name: str) -> str | None:
    """What a file beside the parts says; None if there is none that can be read."""
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


def drop_chunks(chunks: Path) -> None:
    """Remove what was kept: all of the work is done and written."""
    shutil.rmtree(chunks, ignore_errors=True)


def _path(chunks: Path, name: str) -> Path:
    return chunks / f"{name}.pickle"


def _load(chunks: Path | None, name: str) -> Any:
    """The result of that name; None if there is none that can be read."""
    if chunks is None:
        return None
    try:
        return pickle.loads(_path(chunks, name).read_bytes())
    except Exception:  # whatever is wrong with it: it is made anew
        return None
