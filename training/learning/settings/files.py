"""Settings in files: presets in TOML, and the settings that runs and agents save as JSON."""

import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from parlour.agents.registry import imports_code
from parlour.agents.validation import name_file_in_errors, name_part_in_errors, read_text, shorten
from parlour.envs import find_game
from parlour.envs.core.options import unknown_text

from .base import Settings, list_settings, write_table
from .methods import explain_foreign, find_settings, list_users

PRESETS_FOLDER = Path(__file__).parents[1] / "presets"
WITHOUT_EFFECT = {
    *("game", "runs", "name", "profile", "device"),
    *("eval_deals", "eval_interval", "checkpoint_interval"),
}
"""Settings that do not change the trained agent, or that its command gives in another way."""


def make_used(settings_class: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Return settings with the given values; values that the method does not use are ignored."""
    used = list_settings(settings_class)
    return settings_class(**{name: value for name, value in values.items() if name in used})


def read_saved(table: Mapping[str, Any], source: str) -> Settings:
    """Return the settings of a run, from the dict that `Settings.plain` made.

    Raises:
        ValueError: a setting is unknown or invalid. The message begins with ``source``.
    """
    with name_part_in_errors(source):
        settings_class = find_settings(table.get("method", "ppo"))
        return settings_class(**_read_table(table, [settings_class.method]))


def refuse_code(settings: Settings, file: Path) -> None:
    """Raise ValueError for a setting whose agent would import a module."""
    for name, value in settings.plain().items():
        agents = (value,) if name == "teacher" else value if name == "opponents" else ()
        for agent in agents:
            if imports_code(agent):
                raise ValueError(
                    f"{file}: {name} must not be module:Class, got {agent!r}. To import the "
                    "module, add --allow-code"
                )


def presets(game: str) -> list[str]:
    """Return the names of a game's presets."""
    return list(_read_tables(game, None)[1])


def preset(
    game: str, name: str = "default", file: Path | None = None, method: str | None = None
) -> Settings:
    """Return a preset of a game.

    A preset is a table of ``presets/GAME.toml``. The table [default] of the file has the values of
    settings that the preset omits.

    Args:
        game: name of the game.
        name: name of the preset.
        file: a TOML file with presets, in place of ``presets/GAME.toml``.
        method: another learning method. The settings that it shares with the preset's method keep
            the values of the preset.

    Raises:
        ValueError: the game, the preset or a setting is unknown, or the method does not use a
            setting. A setting of the table [default] is allowed if the method of any preset in the
            file uses it.
    """
    settings_class, values, source = read_preset(game, name, file, method)
    with name_part_in_errors(source):
        return make_used(settings_class, values)


def read_preset(
    game: str, name: str, file: Path | None, method: str | None
) -> tuple[type[Settings], dict[str, Any], str]:
    """Return the class of a preset's settings, their values, and their source for errors."""
    chosen = None if method is None else find_settings(method)
    path, tables = _read_tables(game, file)
    if name not in tables:
        raise ValueError(f"{path}: {unknown_text('preset', name, tables)}")
    source, shared_source = f"{path} [{name}]", f"{path} [default]"
    shared = _check_table(tables.get("default", {}), shared_source)
    table = {} if name == "default" else _check_table(tables[name], source)
    default_method = shared.get("method", method or "ppo")
    with name_part_in_errors(source):
        settings_class = find_settings(table.get("method", default_method))
    methods = [
        str(values.get("method", default_method))
        for values in tables.values()
        if isinstance(values, dict)
    ]
    if method is not None:
        methods.append(method)
    with name_part_in_errors(shared_source):
        values = _read_table(shared, [settings_class.method, *methods])
    with name_part_in_errors(source):
        values |= _read_table(table, [settings_class.method])
    return chosen or settings_class, {"game": game} | values, source


def _read_tables(game: str, file: Path | None) -> tuple[Path, dict[str, Any]]:
    path = file or PRESETS_FOLDER / f"{find_game(game).name}.toml"
    if file is None and not path.exists():
        return path, {"default": {}}
    with name_file_in_errors(path):
        return path, tomllib.loads(read_text(path))


def _check_table(table: Any, source: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ValueError(f"{source} must be a table of settings, got {shorten(table)}")
    return table


def _read_table(table: Mapping[str, Any], methods: Iterable[str]) -> dict[str, Any]:
    """Return a table's settings without its method.

    Raises:
        ValueError: none of ``methods`` uses a setting. The message names the first method.
    """
    first, *others = methods
    values = {name: value for name, value in table.items() if name != "method"}
    for name in values:
        if not {first, *others} & set(list_users(name)):
            raise ValueError(explain_foreign(first, name))
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }


def write_command(saved: Mapping[str, Any], seed: int, source: str) -> str:
    """Return the command that trains one seed with the settings of a saved agent.

    The command uses the preset that needs the fewest other arguments.

    Args:
        saved: the settings in ``agent.json``.
        seed: the training seed.
        source: where the settings come from, for error messages.

    Raises:
        ValueError: a setting is unknown or invalid.
    """
    settings = replace(read_saved(saved, source), seeds=(seed,))
    _, _, words = min(_list_commands(settings))
    return shlex.join(["parlour", "train", settings.game, *words])


def _list_commands(settings: Settings) -> Iterator[tuple[int, int, list[str]]]:
    """Yield, for each preset of the game, the arguments that turn it into these settings.

    Each item has the number of arguments, the difference in training steps (which decides between
    presets with equally many arguments), and the arguments.
    """
    for name in presets(settings.game):
        words = [] if name == "default" else ["--preset", name]
        with suppress(ValueError):  # the preset's settings may be invalid with another method
            base = preset(settings.game, name, method=settings.method)
            if preset(settings.game, name).method != settings.method:
                words += ["--method", settings.method]
            words += _list_changes(settings, base)
            steps, base_steps = (getattr(each, "total_steps", 0) for each in (settings, base))
            yield len(words), abs(steps - base_steps), words


def _list_changes(settings: Settings, base: Settings) -> Iterator[str]:
    """Yield the arguments for the settings that differ from ``base``."""
    for name in list_settings(type(settings)):
        value = getattr(settings, name)
        if name not in WITHOUT_EFFECT and value != getattr(base, name):
            yield from _write_flag(name.replace("_", "-"), value)


def _write_flag(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, dict):
        return [f"--{name}", *write_table(value)]
    values = value if isinstance(value, tuple) else (value,)
    return [f"--{name}", *(str(item).removesuffix(".0") for item in values)]
