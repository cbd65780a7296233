"""Checkpoints: all that the rest of a training run depends on, taken between two rollouts.

``checkpoints/STEPS/`` holds ``model.zip`` (SB3's own: network and optimiser), ``arrays.npz``
(games, random generators) and ``state.json``. Each folder is written whole or not at all; the last
two are kept. Read back, the run goes on as if it had never stopped: bit for bit, with one thread.
"""

import json
import random
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from parlour.agents.reading import one_line, read_bytes

from ..files import whole_folder
from .ppo import CardPPO
from .sb3 import CardVecEnv

KEPT = 2
FOLDER = "checkpoints"
MODEL, ARRAYS, STATE = "model.zip", "arrays.npz", "state.json"
CONTENT = "content"
"""The key in ``state.json`` of the SHA-256 of all else in it."""
MOST = 1 << 36
"""Bytes that a file of a checkpoint may have."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint as read: its folder, its arrays, and the plain values (``steps`` ...)."""

    folder: Path
    arrays: dict[str, np.ndarray]
    values: dict[str, Any]


def save(run: Path, model: CardPPO, history: dict[str, Any]) -> None:
    """Write a checkpoint of a model between two rollouts; ``history`` is plain, kept with it."""
    env = model.env
    assert isinstance(env, CardVecEnv)
    arrays: dict[str, Any] = {f"env.{name}": array for name, array in env.state().items()}
    arrays["episode_starts"] = np.asarray(model._last_episode_starts)
    arrays |= generator_arrays()
    values = {
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "python_random": random.getstate(),
        "history": history,
    }
    with _new_checkpoint(run, arrays, values) as aside:
        model.save(aside / MODEL, exclude=["clock", "_logger", "learning_rate", "rollout"])


def save_arrays(run: Path, arrays: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Write a checkpoint of a learner without a network; ``values`` has ``steps``."""
    with _new_checkpoint(run, arrays, values):
        pass


@contextmanager
def _new_checkpoint(run: Path, arrays: Mapping[str, Any], values: dict[str, Any]) -> Iterator[Path]:
    """Give the folder of a new checkpoint for further files; then write the rest, and drop old."""
    with whole_folder(run / FOLDER / f"{values['steps']:012d}") as aside:
        yield aside
        np.savez(aside / ARRAYS, **dict(arrays))
        values["sha256"] = {file.name: _digest(file) for file in sorted(aside.iterdir())}
        values[CONTENT] = _content(values)
        (aside / STATE).write_text(json.dumps(values), encoding="utf-8")
    drop_old(run)


def drop_old(run: Path) -> None:
    """Remove all checkpoints but the newest."""
    for old in _all(run)[:-KEPT]:
        shutil.rmtree(old)


def _content(values: Mapping[str, Any]) -> str:
    """The SHA-256 of the plain values, the files' hashes among them."""
    said = {name: value for name, value in values.items() if name != CONTENT}
    return sha256(json.dumps(said).encode()).hexdigest()


def _all(run: Path) -> list[Path]:
    folder = run / FOLDER
    return sorted(folder.glob("[0-9]*")) if folder.is_dir() else []


def latest(run: Path) -> Checkpoint | None:
    """Return the newest checkpoint of a run that can be read, if there is one."""
    for folder in reversed(_all(run)):
        try:
            return _read(folder)
        except Exception as error:  # whatever is wrong with it: the one before is as good
            reason = f"{type(error).__name__}: {one_line(error)}"
            warnings.warn(f"{folder} is damaged and passed over: {reason}", stacklevel=2)
    return None


def _read(folder: Path) -> Checkpoint:
    values = json.loads(read_bytes(folder / STATE, MOST))
    if values.get(CONTENT, _content(values)) != _content(values):  # none: by an older version
        raise ValueError(f"{STATE} is not as it was written")
    digests = values["sha256"]
    if ARRAYS not in digests or not set(digests) <= {ARRAYS, MODEL}:
        raise ValueError(f"files {sorted(digests)}")
    for name, found in digests.items():
        if _digest(folder / name) != found:
            raise ValueError(f"{name} is not as it was written")
    with np.load(folder / ARRAYS) as stored:
        return Checkpoint(folder, dict(stored), values)


def _digest(file: Path) -> str:
    return sha256(read_bytes(file, MOST)).hexdigest()


def restore(model: CardPPO, found: Checkpoint) -> None:
    """Put a fresh model of the same settings where the checkpoint left off.

    Raises ValueError if it is of another network or game.
    """
    env = model.env
    assert isinstance(env, CardVecEnv)
    model.set_parameters(str(found.folder / MODEL), device=model.device)
    model.num_timesteps = found.values["steps"]
    model._n_updates = found.values["updates"]
    arrays = {name: array for name, array in found.arrays.items() if name.startswith("env.")}
    model._last_obs = env.restore({name[4:]: array for name, array in arrays.items()})
    model._last_episode_starts = found.arrays["episode_starts"]
    version, words, gauss = found.values["python_random"]
    random.setstate((version, tuple(words), gauss))
    set_generators(found.arrays)


def tensor_arrays(network: torch.nn.Module, adam: torch.optim.Adam) -> dict[str, np.ndarray]:
    """Return copies of all that a network and its optimiser hold, for `save_arrays`."""
    arrays = {f"network.{name}": one.cpu().numpy() for name, one in network.state_dict().items()}
    for number, state in adam.state_dict()["state"].items():
        for name, one in state.items():
            arrays[f"adam.{number}.{name}"] = one.cpu().numpy()
    return arrays


def set_tensors(
    network: torch.nn.Module, adam: torch.optim.Adam, arrays: Mapping[str, np.ndarray]
) -> None:
    """Put network and optimiser back as `tensor_arrays` found them."""
    own: dict[str, torch.Tensor] = {}
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in arrays.items():
        kind, _, rest = name.partition(".")
        if kind == "network":
            own[rest] = torch.from_numpy(array)
        elif kind == "adam":
            number, _, part = rest.partition(".")
            state.setdefault(int(number), {})[part] = torch.from_numpy(array)
    network.load_state_dict(own)
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
