"""Checkpoints: everything that the rest of a training run depends on.

A checkpoint is a folder ``checkpoints/STEPS/``, saved between two iterations. ``arrays.npz`` has
the network, the optimizer, the environment states and the random generators. ``state.json`` has
plain values, and the size and SHA-256 of every file that the checkpoint needs, including files
elsewhere in the run's folder.

Reading a checkpoint runs no code. A checkpoint is written completely or not at all, and the last
two are kept. With one thread, a resumed run is bit-identical to an uninterrupted one.
"""

import json
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from parlour.agents.validation import (
    join_lines,
    name_file_in_errors,
    name_part_in_errors,
    read_bytes,
    shorten,
)

from ..files import (
    MOST,
    FileDigest,
    digest_bytes,
    pack_arrays,
    read_arrays,
    seal,
    unseal,
    whole_folder,
)

KEPT = 2
"""Number of checkpoints to keep."""
FOLDER = "checkpoints"
ARRAYS, STATE = "arrays.npz", "state.json"
OWN_FILE, RUN_FILES = "arrays", "files"
"""Keys in ``state.json``: the digest of `ARRAYS`, and the digests of files in the run's folder by
path."""
SETTINGS, LOG = "settings", "log"
"""Keys in ``state.json`` of the values that `compare_settings` and `compare_log` compare when a run
resumes."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in memory: its folder, its arrays, and its plain values, such as ``steps``."""

    folder: Path
    arrays: dict[str, np.ndarray]
    values: dict[str, Any]

    @property
    def files(self) -> dict[str, FileDigest]:
        """The other files that the checkpoint needs, by path in the run's folder."""
        return {name: FileDigest(**digest) for name, digest in self.values[RUN_FILES].items()}


def save_arrays(
    run: Path,
    arrays: Mapping[str, Any],
    values: dict[str, Any],
    files: Mapping[str, FileDigest] | None = None,
) -> None:
    """Write a checkpoint, then remove old ones.

    Args:
        run: the folder of one training seed.
        arrays: arrays by name; none may contain Python objects.
        values: plain values for JSON; ``steps`` is required.
        files: other files that the checkpoint needs, by path in ``run``.
    """
    with whole_folder(run / FOLDER / f"{values['steps']:012d}") as aside:
        data = pack_arrays(arrays)
        (aside / ARRAYS).write_bytes(data)
        listed = {name: digest._asdict() for name, digest in (files or {}).items()}
        state = values | {OWN_FILE: digest_bytes(data)._asdict(), RUN_FILES: listed}
        (aside / STATE).write_text(json.dumps(seal(state)), encoding="utf-8")
    drop_old(run)


def drop_old(run: Path) -> None:
    """Remove all checkpoints except the last `KEPT`."""
    for old in _all(run)[:-KEPT]:
        shutil.rmtree(old)


def _all(run: Path) -> list[Path]:
    folder = run / FOLDER
    return sorted(folder.glob("[0-9]*")) if folder.is_dir() else []


def latest(run: Path) -> Checkpoint | None:
    """Return the newest undamaged checkpoint of a run, or None if the run has no checkpoint.

    A damaged checkpoint is skipped with a warning that says what is wrong.

    Raises:
        ValueError: all checkpoints are damaged. Training from the start would discard their
            content.
    """
    reason = ""
    for folder in reversed(_all(run)):
        try:
            saved = _read(folder)
            check_files(run, saved.files)
            return saved
        except Exception as error:  # whatever the error, an older checkpoint may be usable
            prefix = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            reason = f"{prefix}{join_lines(error)}"
            warnings.warn(f"{folder} is damaged and is skipped: {reason}", stacklevel=2)
    if reason:
        raise ValueError(
            f"{run / FOLDER}: all checkpoints are damaged ({reason}). Restore the files, or remove "
            "this folder to train from the start"
        )
    return None


def _read(folder: Path) -> Checkpoint:
    values = unseal(json.loads(read_bytes(folder / STATE, MOST)), STATE)
    check_files(folder, {ARRAYS: FileDigest(**values[OWN_FILE])})
    return Checkpoint(folder, read_arrays(folder / ARRAYS), values)


def check_files(folder: Path, files: Mapping[str, FileDigest]) -> None:
    """Raise ValueError for the first file that is missing or has changed."""
    for name, wanted in files.items():
        path = folder / name
        if not path.exists():
            raise ValueError(f"checkpoint file {name} is missing")
        with name_part_in_errors(f"checkpoint file {name}"):
            actual = digest_bytes(read_bytes(path, MOST))
        if actual != wanted:
            raise ValueError(
                f"checkpoint file {name} has changed: expected sha256 {wanted.sha256} "
                f"({wanted.bytes:,} bytes), got {actual.sha256} ({actual.bytes:,} bytes)"
            )


def compare_settings(saved: Checkpoint, now: Mapping[str, Any], file: Path) -> None:
    """Warn about settings that changed since the checkpoint; ``now`` has JSON values."""
    was, now = saved.values[SETTINGS], json.loads(json.dumps(now))
    names = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
    if names:
        differ = "; ".join(
            f"{name} was {shorten(was.get(name))} and is now {shorten(now.get(name))}"
            for name in names
        )
        warnings.warn(f"{file} has changed since the last checkpoint: {differ}", stacklevel=3)


def compare_log(saved: Checkpoint, file: Path) -> None:
    """Warn if the log up to the checkpoint has changed. Training does not need the log."""
    wanted = FileDigest(**saved.values[LOG])
    with name_file_in_errors(file):
        data = read_bytes(file, MOST)[: wanted.bytes] if file.exists() else b""
    if digest_bytes(data) != wanted:
        change = "has changed" if file.exists() else "is missing"
        warnings.warn(
            f"{file} {change}: expected sha256 {wanted.sha256} of its first {wanted.bytes:,} "
            "bytes. Training continues, but the learning curve may be wrong",
            stacklevel=3,
        )


def tensor_arrays(
    modules: Mapping[str, torch.nn.Module], adam: torch.optim.Optimizer
) -> dict[str, np.ndarray]:
    """Return copies of the state of modules and their optimizer, for `save_arrays`."""
    arrays = {
        f"{module}.{name}": tensor.cpu().numpy()
        for module, network in modules.items()
        for name, tensor in network.state_dict().items()
    }
    for number, state in adam.state_dict()["state"].items():
        for name, tensor in state.items():
            arrays[f"adam.{number}.{name}"] = tensor.cpu().numpy()
    return arrays


def set_tensors(
    modules: Mapping[str, torch.nn.Module],
    adam: torch.optim.Optimizer,
    arrays: Mapping[str, np.ndarray],
) -> None:
    """Restore modules and their optimizer from `tensor_arrays`."""
    parameters: dict[str, dict[str, torch.Tensor]] = {name: {} for name in modules}
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in arrays.items():
        owner, _, rest = name.partition(".")
        if owner in parameters:
            parameters[owner][rest] = torch.from_numpy(array)
        elif owner == "adam":
            number, _, moment = rest.partition(".")
            state.setdefault(int(number), {})[moment] = torch.from_numpy(array)
    for owner, tensors in parameters.items():
        modules[owner].load_state_dict(tensors)
    adam.load_state_dict(adam.state_dict() | {"state": state})


def generator_arrays() -> dict[str, np.ndarray]:
    """Return the states of NumPy's and PyTorch's generators, for `save_arrays`."""
    _, words, place, has_gauss, gauss = np.random.get_state(legacy=True)
    arrays = {
        "numpy.words": np.asarray(words),
        "numpy.rest": np.array([place, has_gauss, gauss], float),
        "torch": torch.get_rng_state().numpy(),
    }
    if torch.cuda.is_available():
        arrays["cuda"] = torch.cuda.get_rng_state().numpy()
    return arrays


def set_generators(arrays: Mapping[str, np.ndarray]) -> None:
    """Restore NumPy's and PyTorch's generators from `generator_arrays`."""
    place, has_gauss, gauss = arrays["numpy.rest"].tolist()
    np.random.set_state(("MT19937", arrays["numpy.words"], int(place), int(has_gauss), gauss))
    torch.set_rng_state(torch.from_numpy(arrays["torch"]))
    if "cuda" in arrays and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.from_numpy(arrays["cuda"]))
