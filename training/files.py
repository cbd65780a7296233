"""Atomic files and folders: written under a temporary name, synced, then renamed.

A folder that is written in many steps, such as a training run, has one writer at a time; see
`sole_use`.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple
from zipfile import ZipFile

import numpy as np

from parlour.agents.saved import AGENT_FILE
from parlour.agents.validation import read_bytes

MOST = 1 << 36
"""Most bytes of a file of arrays."""
SEAL = "content_sha256"
"""Key of the SHA-256 of the other values in a JSON file."""


def sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def aside_of(name: str) -> str:
    """Return the temporary name of a file or folder while it is written."""
    return f".{name}.part"


@contextmanager
def name_path(path: Path) -> Iterator[None]:
    """Add the path to an OSError without one, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically: at any moment, either the old or the new file exists completely.

    If writing fails, the old file remains.
    """
    aside = path.with_name(aside_of(path.name))
    try:
        with name_path(path):
            aside.write_bytes(data)
            sync(aside)
            aside.replace(path)
            sync(path.parent)
    except OSError:
        with suppress(OSError):
            aside.unlink()
        raise


def write_json(path: Path, data: Any) -> None:
    """Write a JSON file; see `write_bytes`."""
    write_bytes(path, (json.dumps(data, indent=2) + "\n").encode())


def pack_arrays(arrays: Mapping[str, Any], compress: bool = False) -> bytes:
    """Return the content of an ``.npz`` file with these arrays.

    Raises TypeError for an array of Python objects, which NumPy would pickle.
    """
    packed = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in packed.items():
        if array.dtype.hasobject:
            raise TypeError(f"array {name!r} must not hold Python objects, got {array.dtype}")
    buffer = BytesIO()
    save = np.savez_compressed if compress else np.savez
    save(buffer, **packed)  # type: ignore[arg-type]
    return buffer.getvalue()


def read_arrays(path: Path, most: int = MOST) -> dict[str, np.ndarray]:
    """Return the arrays of an ``.npz`` file. A pickle in it is never loaded.

    Raises OSError or ValueError for a missing, damaged, or different file, and for a file with more
    than ``most`` bytes, packed or unpacked.
    """
    try:
        data = BytesIO(read_bytes(path, most))
        with ZipFile(data) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
        if unpacked > most:
            raise ValueError(f"arrays must have at most {most:,} bytes, got {unpacked:,}")
        with np.load(data, allow_pickle=False) as stored:
            return dict(stored)
    except (OSError, ValueError):
        raise
    except Exception as error:  # zipfile raises errors of many types for damaged files
        raise ValueError(f"not an .npz file: {error}") from error


class FileDigest(NamedTuple):
    """Size and SHA-256 of a file's content, as in a checkpoint."""

    bytes: int
    sha256: str


def digest_bytes(data: bytes) -> FileDigest:
    """Return size and SHA-256 of bytes."""
    return FileDigest(len(data), sha256(data).hexdigest())


def seal(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values with their SHA-256 added, so that `unseal` can detect changes."""
    return {**values, SEAL: _content_digest(values)}


def unseal(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return sealed values without their digest.

    Raises ValueError, naming the file ``name``, if the values were changed.
    """
    digest, wanted = _content_digest(values), values.get(SEAL)
    if digest != wanted:
        raise ValueError(f"{name} was changed: expected content_sha256 {wanted}, got {digest}")
    return {key: value for key, value in values.items() if key != SEAL}


def _content_digest(values: Mapping[str, Any]) -> str:
    content = {key: value for key, value in values.items() if key != SEAL}
    content = json.loads(json.dumps(content))  # in the form in which the file will be read
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill, which becomes ``path`` when the block ends without an error.

    An older folder of that name remains until the new one is on disk.
    """
    aside = path.with_name(aside_of(path.name))
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        with name_path(path):
            yield aside
            for file in aside.iterdir():
                sync(file)
            sync(aside)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    old = path.with_name(f".{path.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    aside.rename(path)
    sync(path.parent)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def sole_use(path: Path, doing: str, name: Path | None = None) -> Iterator[None]:
    """Lock ``path`` for this block.

    The lock is a file in the same folder, which is removed afterwards. The operating system
    releases the lock if the process dies.

    Args:
        path: The file or folder to lock.
        doing: A participle for errors, such as ``"written"``.
        name: The path that errors name (None: ``path``).

    Raises:
        ValueError: Another process or thread has locked the path.
    """
    from filelock import FileLock, Timeout

    real = path.resolve()
    lock = FileLock(real.with_name(f".{real.name}.lock"))
    try:
        with name_path(path):
            lock.acquire(blocking=False)
    except Timeout:
        raise ValueError(
            f"{name or path} is being {doing} by another process: wait until it ends, or stop it"
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):  # first, since filelock retries if its file is gone
            os.unlink(lock.lock_file)
        lock.release()


def check_folder(folder: Path, files: Iterable[str] = ()) -> None:
    """Raise ValueError if a folder, or one of these files in it, cannot be written.

    Commands call this before hours of work. Existing files are allowed, since they are replaced.
    The check leaves nothing behind.
    """
    try:
        existing = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
        if not existing.is_dir():
            raise ValueError(f"folder {folder}: {existing} must be a folder")
        TemporaryFile(dir=existing).close()
        if existing != folder:
            _check_length(folder)
    except StopIteration:
        raise ValueError(f"folder {folder}: no part of this path exists") from None
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"folder {folder} cannot be written: {reason}") from error
    for name in files:
        if (folder / name).is_dir():
            raise ValueError(
                f"folder {folder}: {name} in it must be a file or missing, got a folder"
            )


def _check_length(folder: Path) -> None:
    """Raise OSError for a path with a name that is too long."""
    try:
        folder.lstat()
    except FileNotFoundError:
        return


def check_agent_folder(folder: Path) -> None:
    """Raise ValueError if an agent cannot be saved in a folder.

    The folder is replaced as a whole, so it must be missing, empty, or hold a saved agent.
    """
    if not folder.name or folder.name == "..":
        raise ValueError(f"folder must end with a folder name, such as my-agent, got {folder}")
    check_folder(folder)
    check_folder(folder.parent)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / AGENT_FILE).is_file():
        raise ValueError(
            f"folder {folder} must be new, empty, or the folder of a saved agent, because saving "
            "replaces the whole folder. Choose another folder"
        )


def make_record_file(path: Path) -> None:
    """Create an empty file for replays; ValueError if it exists or cannot be created."""
    try:
        path.open("xb").close()
    except FileExistsError:
        raise ValueError(
            f"record must be a new file, got {path}, which exists: choose another name"
        ) from None
    except OSError as error:
        raise ValueError(f"record {path} cannot be created: {error.strerror or error}") from error
