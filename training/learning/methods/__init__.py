"""The learning methods: one module each, loaded when a run starts.

A module of this folder holds what is particular to one method: its loss, its schedule and its run.
Its settings are in `..settings.methods`, which needs no learning library.
"""

from importlib import import_module

from ..run import Method
from ..settings.methods import find_settings


def load_method(name: str) -> Method:
    """Import the module of a method (`cma_es` of ``cma-es``) and return its `METHOD`.

    Raises ValueError with the known methods for another name.
    """
    module = import_module(f".{find_settings(name).method.replace('-', '_')}", __name__)
    method: Method = module.METHOD
    return method
