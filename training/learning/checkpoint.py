"""Checkpoints: everything that the rest of a training run depends on.

A checkpoint is taken between two rollouts, as a folder ``checkpoints/STEPS/``: ``arrays.npz`` holds
the network, the optimizer, the games and the random generators, ``state.json`` plain values with
the size and SHA-256 of every file that the checkpoint needs, also of those elsewhere in the run's
folder. Reading a checkpoint runs no code. A checkpoint is written whole or not at all, and the last
two are kept. A resumed run is equal to an uninterrupted one, bit for bit, with one thread.
"""

import json
import random
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from parlour.agents.validation import naming, naming_part, one_line, read_bytes, shorten

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
from .ppo import CardPPO
from .sb3 import CardVecEnv

KEPT = 2
FOLDER = "checkpoints"
ARRAYS, STATE = "arrays.npz", "state.json"
OWN_FILE, RUN_FILES = "arrays", "files"
"""Keys in ``state.json``: the digest of `ARRAYS`; those of files in the run's folder, by path."""
SETTINGS, LOG = "settings", "log"
"""Keys in ``state.json`` of what is compared when a run resumes: see `compare_settings`,
`compare_log`."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint as read: its folder, its arrays, and the plain values (``steps`` ...)."""

    folder: Path
    arrays: dict[str, np.ndarray]
    values: dict[str, Any]

    @property
    def files(self) -> dict[str, FileDigest]:
        """The files that the checkpoint needs besides its own, by path in the run's folder."""
        return {name: FileDigest(**one) for name, one in self.values[RUN_FILES].items()}


def save(run: Path, model: CardPPO, values: dict[str, Any]) -> None:
    """Write a checkpoint of a model between two rollouts; for ``values`` see `save_arrays`."""
    env = model.env
    assert isinstance(env, CardVecEnv)
    arrays: dict[str, Any] = {f"env.{name}": array for name, array in env.state().items()}
    arrays["episode_starts"] = np.asarray(model._last_episode_starts)
    arrays |= tensor_arrays(model.saved_modules(), model.policy.optimizer)
    arrays |= generator_arrays()
    more = {"updates": model._n_updates, "python_random": random.getstate()}
    save_arrays(run, arrays, values | more)


def save_arrays(
    run: Path,
    arrays: Mapping[str, Any],
    values: dict[str, Any],
    files: Mapping[str, FileDigest] | None = None,
) -> None:
    """Write a checkpoint, then remove old ones.

    Args:
        run: the folder of one training seed.
        arrays: arrays by name, none of them of Python objects.
        values: plain values for JSON; ``steps`` is required.
        files: other files that the checkpoint needs, by path in ``run``.
    """
    with whole_folder(run / FOLDER / f"{values['steps']:012d}") as aside:
        data = pack_arrays(arrays)
        (aside / ARRAYS).write_bytes(data)
        listed = {name: one._asdict() for name, one in (files or {}).items()}
        said = values | {OWN_FILE: digest_bytes(data)._asdict(), RUN_FILES: listed}
        (aside / STATE).write_text(json.dumps(seal(said)), encoding="utf-8")
    drop_old(run)


def drop_old(run: Path) -> None:
    """Remove all checkpoints but the newest."""
    for old in _all(run)[:-KEPT]:
        shutil.rmtree(old)


def _all(run: Path) -> list[Path]:
    folder = run / FOLDER
    return sorted(folder.glob("[0-9]*")) if folder.is_dir() else []


def latest(run: Path) -> Checkpoint | None:
    """Return the newest checkpoint of a run that is undamaged, None if there is no checkpoint.

    A damaged checkpoint is passed over with a warning that names the difference. Raises ValueError
    if all are damaged: training from the start would discard what they contain.
    """
    reason = ""
    for folder in reversed(_all(run)):
        try:
            found = _read(folder)
            check_files(run, found.files)
            return found
        except Exception as error:  # any error: the checkpoint before it can be used
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            reason = f"{kind}{one_line(error)}"
            warnings.warn(f"{folder} is damaged and passed over: {reason}", stacklevel=2)
    if reason:
        raise ValueError(
            f"{run / FOLDER}: all checkpoints are damaged ({reason}); restore the files, or remove "
            "this folder to train from the start"
        )
    return None


def _read(folder: Path) -> Checkpoint:
    values = unseal(json.loads(read_bytes(folder / STATE, MOST)), STATE)
    check_files(folder, {ARRAYS: FileDigest(**values[OWN_FILE])})
    return Checkpoint(folder, read_arrays(folder / ARRAYS), values)


def check_files(folder: Path, files: Mapping[str, FileDigest]) -> None:
    """Raise ValueError naming the first file that is missing, or not as it was written."""
    for name, wanted in files.items():
        path = folder / name
        if not path.exists():
            raise ValueError(f"checkpoint file {name} is missing")
        with naming_part(f"checkpoint file {name}"):
            found = digest_bytes(read_bytes(path, MOST))
        if found != wanted:
            raise ValueError(
                f"checkpoint file {name} was changed: expected sha256 {wanted.sha256} "
                f"({wanted.bytes:,} bytes), got {found.sha256} ({found.bytes:,} bytes)"
            )


def compare_settings(found: Checkpoint, now: Mapping[str, Any], file: Path) -> None:
    """Warn of settings that were edited since the checkpoint; ``now`` has JSON values."""
    was, now = found.values[SETTINGS], json.loads(json.dumps(now))
    names = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
    if names:
        differ = "; ".join(
            f"{name} was {shorten(was.get(name))} and is now {shorten(now.get(name))}"
            for name in names
        )
        warnings.warn(f"{file} was changed since the last checkpoint: {differ}", stacklevel=3)


def compare_log(found: Checkpoint, file: Path) -> None:
    """Warn if the log up to the checkpoint is not as it was written. Training does not need it."""
    wanted = FileDigest(**found.values[LOG])
    with naming(file):
        data = read_bytes(file, MOST)[: wanted.bytes] if file.exists() else b""
    if digest_bytes(data) != wanted:
        change = "was changed" if file.exists() else "is missing"
        warnings.warn(
            f"{file} {change}: expected sha256 {wanted.sha256} of its first {wanted.bytes:,} "
            "bytes; training continues, but the learning curve may be wrong",
            stacklevel=3,
        )


def restore(model: CardPPO, found: Checkpoint) -> None:
    """Put a fresh model of the same settings where the checkpoint left off.

    Raises ValueError if it is of another network or game.
    """
    env = model.env
    assert isinstance(env, CardVecEnv)
    set_tensors(model.saved_modules(), model.policy.optimizer, found.arrays)
    model.num_timesteps = found.values["steps"]
    model._n_updates = found.values["updates"]
    arrays = {name: array for name, array in found.arrays.items() if name.startswith("env.")}
    model._last_obs = env.restore({name[4:]: array for name, array in arrays.items()})
    model._last_episode_starts = found.arrays["episode_starts"]
    version, words, gauss = found.values["python_random"]
    random.setstate((version, tuple(words), gauss))
    set_generators(found.arrays)


def tensor_arrays(
    modules: Mapping[str, torch.nn.Module], adam: torch.optim.Optimizer
) -> dict[str, np.ndarray]:
    """Return copies of the state of modules and their optimizer, for `save_arrays`."""
    arrays = {
        f"{module}.{name}": one.cpu().numpy()
        for module, network in modules.items()
        for name, one in network.state_dict().items()
    }
    for number, state in adam.state_dict()["state"].items():
        for name, one in state.items():
            arrays[f"adam.{number}.{name}"] = one.cpu().numpy()
    return arrays


def set_tensors(
    modules: Mapping[str, torch.nn.Module],
    adam: torch.optim.Optimizer,
    arrays: Mapping[str, np.ndarray],
) -> None:
    """Restore modules and their optimizer from `tensor_arrays`."""
    own: dict[str, dict[str, torch.Tensor]] = {name: {} for name in modules}
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in arrays.items():
        kind, _, rest = name.partition(".")
        if kind in own:
            own[kind][rest] = torch.from_numpy(array)
        elif kind == "adam":
            number, _, part = rest.partition(".")
            state.setdefault(int(number), {})[part] = torch.from_numpy(array)
    for kind, tensors in own.items():
        modules[kind].load_state_dict(tensors)
    adam.load_state_dict(adam.state_dict() | {"state": state})


def generator_arrays() -> dict[str, np.ndarray]:
    """Return the states of NumPy's and torch's generators, for `save_arrays`."""
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
    """Go on drawing as `generator_arrays` found it."""
    place, has_gauss, gauss = arrays["numpy.rest"].tolist()
    np.random.set_state(("MT19937", arrays["numpy.words"], int(place), int(has_gauss), gauss))
    torch.set_rng_state(torch.from_numpy(arrays["torch"]))
    if "cuda" in arrays and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.from_numpy(arrays["cuda"]))
