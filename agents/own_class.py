"""Agents of your own: classes or objects of a module, named ``module:Class``."""

import importlib
import inspect
from types import MappingProxyType
from typing import Any

from parlour.envs.core.turn import Agent, check_agent


def load_own_class(spec: str, seed: int) -> Agent:
    """Import a module and return the agent in it; ValueError naming what is wrong with it."""
    module_name, _, attribute = spec.partition(":")
    try:
        made = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"agent {spec!r}: {error}") from error
    except (Exception, SystemExit) as error:  # user code may raise anything
        raise ValueError(
            f"agent {spec!r}: its module could not be imported: {type(error).__name__}: {error}"
        ) from error
    return check_agent(_called(spec, made, seed) if isinstance(made, type) else made, spec)


def _called(spec: str, made: type, seed: int) -> Any:
    """Return an instance of a class; ValueError if it needs an argument other than ``seed``."""
    try:
        known = inspect.signature(made).parameters
    except ValueError:  # a class of C code may have no signature
        known = MappingProxyType({})
    wanted = [name for name, one in known.items() if name != "seed" and _is_needed(one)]
    if wanted:
        raise ValueError(
            f"agent {spec!r}: its class must need no argument except seed, got "
            f"{', '.join(wanted)}; give each a default"
        )
    try:
        return made(seed=seed) if "seed" in known else made()
    except SystemExit as error:
        raise ValueError(f"agent {spec!r}: its class raised SystemExit: {error}") from error


def _is_needed(one: inspect.Parameter) -> bool:
    return one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
