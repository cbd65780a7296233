"""Results of finished tasks, saved on disk so that interrupted work can resume.

Each result is an ``.npz`` file of plain arrays. Reading one runs no code.
"""

import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.validation import join_lines

from ..files import pack_arrays, read_arrays, write_bytes
from .tasks import Cluster, Work, run_tasks

SUFFIX = ".npz"


class Packing(NamedTuple):
    """Conversion of a result to arrays and back.

    ``unpack`` raises an exception for arrays that ``pack`` cannot have returned.
    """

    pack: Callable[[Any], Mapping[str, Any]]
    unpack: Callable[[Mapping[str, np.ndarray]], Any]


def run_cached(
    work: Work, tasks: Mapping[str, Any], cluster: Cluster, packing: Packing
) -> Iterator[tuple[str, Any]]:
    """Do tasks as `run_tasks` does; yield the name and the result of each.

    If ``cluster.chunks`` names a folder, finished results are read from it and new ones are saved
    there, converted by ``packing``. A task's name is a digest of everything that its result depends
    on. A damaged file is reported by a warning, and its task is done again.
    """
    left = dict(tasks)
    for name in tasks:
        found = _load(cluster.chunks, name, packing)
        if found is not None:
            del left[name]
            yield name, found
    names = list(left)
    for number, result in run_tasks(work, list(left.values()), cluster):
        if cluster.chunks is not None:
            cluster.chunks.mkdir(parents=True, exist_ok=True)
            write_bytes(_path(cluster.chunks, names[number]), pack_arrays(packing.pack(result)))
        yield names[number], result


def drop_chunks(chunks: Path) -> None:
    """Remove the folder of finished parts, because the work is complete."""
    shutil.rmtree(chunks, ignore_errors=True)


def has_parts(chunks: Path) -> bool:
    """Return whether a folder has finished parts."""
    return any(chunks.glob(f"*{SUFFIX}"))


def _path(chunks: Path, name: str) -> Path:
    return chunks / f"{name}{SUFFIX}"


def _load(chunks: Path | None, name: str, packing: Packing) -> Any:
    """Return the saved result of that name; None if there is none that can be read."""
    if chunks is None or not _path(chunks, name).exists():
        return None
    path = _path(chunks, name)
    try:
        return packing.unpack(read_arrays(path))
    except Exception as error:  # any error: the task can be done again
        reason = f"{type(error).__name__}: {join_lines(error)}"
        warnings.warn(f"{path} is damaged, so this part is computed again: {reason}", stacklevel=3)
        return None
