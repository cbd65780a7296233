"""The learning methods: one module each, loaded when a run starts.

A module of this folder holds what is particular to one method: its loss, its schedule and its run,
named ``METHOD``. Its settings are in `..settings.methods`, which needs no learning library.
"""

from importlib import import_module

from ..run import Run


def load_method(name: str) -> type[Run]:
    """Import the module of a method (`cma_es` of ``cma-es``) and return its run."""
    method: type[Run] = import_module(f".{name.replace('-', '_')}", __name__).METHOD
    return method
