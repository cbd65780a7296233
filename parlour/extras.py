"""Optional dependencies: the extra that installs each library, and the error without it."""

from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS = {
    "PIL": "pictures",
    "anywidget": "notebook",
    "cma": "train",
    "filelock": "train",
    "joblib": "train",
    "matplotlib": "train",
    "minari": "minari",
    "moviepy": "films",
    "openenv": "openenv",
    "optuna": "train",
    "pandas": "train",
    "pettingzoo": "pettingzoo",
    "pyarrow": "train",
    "pygame": "window",
    "pyspiel": "openspiel",
    "ray": "ray",
    "resvg_py": "pictures",
    "rich": "train",
    "safetensors": "train",
    "sb3_contrib": "train",
    "shtab": "train",
    "stable_baselines3": "train",
    "starlette": "page",
    "tensorboard": "train",
    "torch": "train",
    "tqdm": "train",
    "tyro": "train",
    "uvicorn": "page",
    "verifiers": "verifiers",
    "websockets": "page",
}
"""The extra that installs a library, by the name of its top-level module."""


def install_command(module: str) -> str:
    """Return the command that installs a module, which `EXTRAS` has."""
    return f'pip install "parlour[{EXTRAS[module.partition(".")[0]]}]"'


def explain_missing(what: str, module: str) -> str:
    """Return the message of an error for a module that is not installed.

    Args:
        what: What needs the module, the subject of the sentence.
        module: Name of the module, which `EXTRAS` has.
    """
    return f"{what} needs {module.partition('.')[0]}: {install_command(module)}"


def describe_import_error(what: str, error: ModuleNotFoundError) -> str:
    """Return the message of an import error, with the extra if there is one for the module.

    Args:
        what: What needs the module, the subject of the message.
        error: The error. A message that already names an extra stays as it is.
    """
    module = error.name or ""
    if module.partition(".")[0] not in EXTRAS or "parlour[" in str(error):
        return str(error)
    return explain_missing(what, module)


@contextmanager
def name_extra(what: str) -> Iterator[None]:
    """Name the extra in the error of an import that fails in the block.

    Args:
        what: What needs the import, the subject of the message.

    Raises:
        ModuleNotFoundError: A module of `EXTRAS` is not installed. The message names the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        text = describe_import_error(what, error)
        if text == str(error):
            raise
        raise ModuleNotFoundError(text, name=error.name) from error
