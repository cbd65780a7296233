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

KEY = "key.txt"


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
    path = None if cluster is None or cluster.chunks is None else cluster.chunks / KEY
    return path.read_text(encoding="utf-8") if path is not None and path.is_file() else None


def write_key(cluster: Cluster | None, key: str) -> None:
    """Keep the secret that draws come from, so that stopped work goes on with the same ones.

    Nothing is done where no parts are kept.
    """
    if cluster is not None and cluster.chunks is not None:
        cluster.chunks.mkdir(parents=True, exist_ok=True)
        write_bytes(cluster.chunks / KEY, key.encode())


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
