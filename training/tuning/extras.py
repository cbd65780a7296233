"""What a search for settings needs beside the extra train; this loads none of it, nor torch."""

import importlib.util

from parlour.envs.core.options import unknown_text

BACKENDS = ("processes", "ray")


def check_extras(backend: str) -> None:
    """Raise ValueError for an unknown backend, ImportError for what is not installed."""
    if backend not in BACKENDS:
        raise ValueError(unknown_text("backend", backend, BACKENDS))
    wanted = {"optuna": "tune"} | ({"ray": "ray"} if backend == "ray" else {})
    missing = {
        name: extra for name, extra in wanted.items() if importlib.util.find_spec(name) is None
    }
    if missing:
        extras = ",".join(missing.values())
        raise ImportError(
            f"this needs {' and '.join(missing)}, which is not installed: "
            f'pip install "parlour[{extras}]"'
        )
