"""Names of settings: which method has which, and what they were called before."""

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import Any, TypeVar, dataclass_transform

from parlour.agents.validation import shorten
from parlour.envs.core.options import unknown_text

SettingsClass = TypeVar("SettingsClass", bound=type[Any])

METHODS: dict[str, type[Any]] = {}
"""The settings of each method, by its name; `settings_class` puts them in."""
RENAMED = {
    "clip": "clip_range",
    "entropy": "ent_coef",
    "entropy_final": "ent_coef_final",
    "value_weight": "vf_coef",
}
"""Settings that had another name: the old one, which is taken with a notice, and today's."""
WARM_UPS = {"cloning": "lessons", "values": "pretrain"}
"""What these methods have in place of ``warm_up``, which is taken for it with a notice."""
DROPPED = ("pool_active", "snapshot_interval")
"""Settings that no method has any more: they are left out, with a notice."""


def list_names(kind: type[Any]) -> list[str]:
    """Return the names of a method's settings."""
    return [one.name for one in fields(kind)]


def find_name(kind: type[Any], name: str) -> str:
    """Return today's name of a setting of a method: the name itself, where it is no old one."""
    return WARM_UPS.get(kind.method, name) if name == "warm_up" else RENAMED.get(name, name)


def rename(
    kind: type[Any], given: Mapping[str, Any], notify: Callable[[str], None]
) -> dict[str, Any]:
    """Return given settings by today's names; ``notify`` is told of old ones and of dropped ones.

    Where one is given by both names it is the old one's: `dataclasses.replace` gives every setting
    by today's, beside those that are changed.
    """
    found = {name: value for name, value in given.items() if find_name(kind, name) == name}
    for name in sorted(found.keys() & set(DROPPED)):
        notify(explain_dropped(name))
        del found[name]
    for old, value in given.items():
        new = find_name(kind, old)
        if new != old:
            notify(f"setting {old!r} is now {new!r}; the old name goes with the next release")
            found[new] = value
    return found


def explain_dropped(name: str) -> str:
    """Return the notice of a setting, or a flag, that is left out."""
    return f"setting {name!r} does nothing any more; the name goes with the next release"


def list_users(name: str) -> list[str]:
    """Return the methods that have a setting of that name."""
    return [method for method, kind in METHODS.items() if name in list_names(kind)]


def explain_foreign(kind: type[Any], name: str) -> str:
    """Return an error text for a setting that a method has not, with those that have it."""
    users = list_users(name)
    if not users:
        return unknown_text("setting", name, list_names(kind))
    return f"setting {name!r}: method {kind.method!r} does not use it; it is of {', '.join(users)}"


def warn_caller(text: str) -> None:
    """Warn of an old name, at the line that gave it: the first one that is not of settings."""
    level, frame = 1, sys._getframe()
    inside = ("dataclasses", f"{__package__}.settings")
    while frame.f_back and frame.f_globals["__name__"].startswith(inside):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, FutureWarning, stacklevel=level)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def settings_class(kind: SettingsClass) -> SettingsClass:
    """Make a frozen dataclass; it takes old names, too, and says of what it has not who has it."""
    made: Any = dataclass(frozen=True, kw_only=True)(kind)
    init = made.__init__

    @wraps(init)
    def take(self: Any, **given: Any) -> None:
        if not hasattr(made, "method"):
            raise TypeError(f"{made.__name__} is of no method: use make_settings(METHOD, ...)")
        if "method" in given:
            raise ValueError(f"method={given['method']!r}: use make_settings(METHOD, ...)")
        given = rename(made, given, warn_caller)
        for name in given:
            if name not in list_names(made):
                raise ValueError(explain_foreign(made, name))
        init(self, **given)

    made.__init__ = take
    if "method" in vars(made):
        METHODS[made.method] = made
    return made


def find_method(name: Any) -> type[Any]:
    """Return the settings of a method; ValueError naming those there are."""
    if not isinstance(name, str):
        raise ValueError(f"method={shorten(name)}: allowed are {', '.join(METHODS)}")
    if name not in METHODS:
        raise ValueError(unknown_text("method", name, METHODS))
    return METHODS[name]
