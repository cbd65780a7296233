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
    except (Exception, SystemExit) as error:  # the module is somebody's program: it may do anything
        raise ValueError(
            f"agent {spec!r}: its module could not be imported: {type(error).__name__}: {error}"
        ) from error
    return check_agent(_called(spec, made, seed) if isinstance(made, type) else made, spec)


def _called(spec: str, made: type, seed: int) -> Any:
    """An agent of one's own class; ValueError if it cannot be called with ``seed`` alone."""
    try:
        known = inspect.signature(made).parameters
    except ValueError:  # of a class that is not written in Python nothing is known
        known = MappingProxyType({})
    wanted = [name for name, one in known.items() if name != "seed" and _is_needed(one)]
    if wanted:
        raise ValueError(
            f"agent {spec!r}: its class wants {', '.join(wanted)}; give each a default, for it is "
            "called with seed alone, or with nothing"
        )
    try:
        return made(seed=seed) if "seed" in known else made()
    except SystemExit as error:
        raise ValueError(f"agent {spec!r}: its class left with SystemExit: {error}") from error


def _is_needed(one: inspect.Parameter) -> bool:
    return one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
