"""The learning methods: one module each, and the table of them.

A module of this folder holds all that is particular to one method: its settings, its loss, its
schedule and its run. To add a method, write such a module and add it to `METHODS`.
"""

from typing import Any

from parlour.agents.validation import shorten
from parlour.envs.core.options import unknown_text

from ..run import Method
from ..settings.base import Settings, list_settings
from . import cma_es, distill, ppo, pqn, selfplay, td

METHODS: dict[str, Method] = {
    module.METHOD.name: module.METHOD for module in (ppo, distill, pqn, selfplay, td, cma_es)
}
"""The methods by name."""


def find_method(name: Any) -> Method:
    """Return the method of that name; ValueError with the known ones for another name."""
    if not isinstance(name, str):
        raise ValueError(f"method={shorten(name)}: allowed are {', '.join(METHODS)}")
    if name not in METHODS:
        raise ValueError(unknown_text("method", name, METHODS))
    return METHODS[name]


def make_settings(method: str = "ppo", **given: Any) -> Settings:
    """Return settings of a method; settings that are not given have their defaults.

    Raises ValueError naming a setting, its value and what is allowed; and a setting that the method
    does not use, with the methods that do.
    """
    settings_class = find_method(method).settings
    for name in given:
        if name not in list_settings(settings_class):
            raise ValueError(explain_foreign(method, name))
    return settings_class(**given)


def list_users(setting: str) -> list[str]:
    """Return the names of the methods that have a setting."""
    return [name for name, one in METHODS.items() if setting in list_settings(one.settings)]


def explain_foreign(method: str, setting: str) -> str:
    """Return an error text for a setting that a method does not have."""
    users = list_users(setting)
    if not users:
        return unknown_text("setting", setting, list_settings(METHODS[method].settings))
    return (
        f"setting {setting!r}: method {method!r} does not use it; it belongs to {', '.join(users)}"
    )
