"""Files that are whole or not there: written aside, brought to disk, then renamed."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def sync(path: Path) -> None:
    """Bring a file, or a folder's list of names, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file so that at any moment either the old or the new one is there, whole."""
    aside = path.with_name(f".{path.name}.part")
    aside.write_bytes(data)
    sync(aside)
    aside.replace(path)
    sync(path.parent)


def write_json(path: Path, data: Any) -> None:
    """Write a JSON file; see `write_bytes`."""
    write_bytes(path, (json.dumps(data, indent=2) + "\n").encode())


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Give a folder to fill, which becomes ``path`` when the block ends without an error.

    An older folder of that name stays until the new one is on disk.
    """
    aside = path.with_name(f".{path.name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        yield aside
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    for file in aside.iterdir():
        sync(file)
    sync(aside)
    old = path.with_name(f".{path.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    aside.rename(path)
    sync(path.parent)
    shutil.rmtree(old, ignore_errors=True)
