"""Hyperparameter search for training runs with Optuna, see `study.tune`."""

import importlib.util

from parlour.envs.core.options import unknown_text

BACKENDS = ("processes", "ray")


def check_extras(backend: str) -> None:
    """Check that the packages for a search are installed, without importing them.

    Raises:
        ValueError: the backend is unknown.
        ImportError: Optuna, or Ray for that backend, is not installed. The message names the
            extras.
    """
    if backend not in BACKENDS:
        raise ValueError(unknown_text("backend", backend, BACKENDS))
    needed = {"optuna": "tune"} | ({"ray": "ray"} if backend == "ray" else {})
    missing = {
        name: extra for name, extra in needed.items() if importlib.util.find_spec(name) is None
    }
    if missing:
        extras = ",".join(missing.values())
        raise ImportError(
            f"tuning requires {' and '.join(missing)}, which is not installed. Install with: "
            f'pip install "parlour[{extras}]"'
        )
