"""Search for settings of training runs with Optuna, see `study.tune`."""

import importlib.util

from parlour.envs.core.options import unknown_text

BACKENDS = ("processes", "ray")


def check_extras(backend: str) -> None:
    """Raise ImportError, naming the extras, if a search lacks a package; load none of them.

    Raises:
        ValueError: the backend is unknown.
        ImportError: Optuna, or Ray for that backend, is not installed.
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
            f"this needs {' and '.join(missing)}, which is not installed: "
            f'pip install "parlour[{extras}]"'
        )
