"""The learning methods, one module each. A module is imported when a run starts.

A module holds the parts of one method: its loss, its schedules and its run, named ``METHOD``. The
settings of the method are in `..settings.methods`, which needs no learning library.
"""

from importlib import import_module

from ..run import Run


def load_method(name: str) -> type[Run]:
    """Import a method's module, such as `cma_es` for ``cma-es``, and return its run class."""
    method: type[Run] = import_module(f".{name.replace('-', '_')}", __name__).METHOD
    return method
