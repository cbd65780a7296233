"""Hyperparameter search for training runs with Optuna, see `study.tune`."""

import importlib.util

from parlour.envs.core.options import unknown_text
from parlour.extras import explain_missing

BACKENDS = ("processes", "ray")


def check_extras(backend: str) -> None:
    """Check that the packages for a search are installed, without importing them.

    Raises:
        ValueError: the backend is unknown.
        ModuleNotFoundError: Optuna, or Ray for that backend, is not installed. The message names
            the extra.
    """
    if backend not in BACKENDS:
        raise ValueError(unknown_text("backend", backend, BACKENDS))
    for module in ("optuna", *(["ray"] if backend == "ray" else [])):
        if importlib.util.find_spec(module) is None:
            raise ModuleNotFoundError(explain_missing("tuning", module), name=module)
