"""How a saved agent was trained, as the command that trains one like it today."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from .settings import Settings, StepSettings
from .settings_files import preset, presets, read_saved
from .settings_names import DROPPED

WITHOUT_EFFECT = {
    *("game", "runs", "name", "profile", "device"),
    *("eval_deals", "eval_interval", "checkpoint_interval"),
}
"""Settings that do not change what is learned, or that the command names otherwise."""


def write_command(saved: Mapping[str, Any], seed: int, source: str) -> str:
    """Return the command that trains one seed with a saved agent's settings, by the nearest preset.

    ``saved`` are the settings as ``agent.json`` has them. Raises ValueError naming ``source`` for
    settings that cannot be read.
    """
    settings = replace(read_saved(saved, source), seeds=(seed,))
    _, _, words = min(_list_ways(settings))
    return shlex.join(["parlour", "train", settings.game, *words])


def list_dropped(saved: Mapping[str, Any]) -> list[str]:
    """Return the settings of a saved agent that do nothing any more."""
    return [name for name in saved if name in DROPPED]


def _list_ways(settings: Settings) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the words that come to these settings: from each preset by the same method.

    Before them stand how many they are, and how many steps longer or shorter the preset learns: of
    two that are told by as few words the one of like length is the nearer.
    """
    for name in presets(settings.game):
        named = [] if name == "default" else ["--preset", name]
        with suppress(ValueError):  # by another method its settings may not go together
            base = preset(settings.game, name, method=settings.method)
            own = preset(settings.game, name).method == settings.method
            method = [] if own else ["--method", settings.method]
            words = [*named, *method, *_list_changes(settings, base)]
            yield len(words), abs(_count_steps(settings) - _count_steps(base)), words


def _count_steps(settings: Settings) -> int:
    return settings.total_steps if isinstance(settings, StepSettings) else 0


def _list_changes(settings: Settings, base: Settings) -> Iterator[str]:
    for one in fields(settings):
        value = getattr(settings, one.name)
        if one.name not in WITHOUT_EFFECT and value != getattr(base, one.name):
            yield from _flag(one.name.replace("_", "-"), value)


def _flag(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, dict):
        return [f"--{name}", *(str(word) for pair in value.items() for word in pair)]
    values = value if isinstance(value, tuple) else (value,)
    return [f"--{name}", *(str(one).removesuffix(".0") for one in values)]
