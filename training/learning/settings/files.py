"""Settings in files: presets in TOML, and those that a run or an agent saves as JSON."""

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

from .base import Settings, list_settings
from .methods import explain_foreign, find_settings, list_users

PRESETS_FOLDER = Path(__file__).parents[1] / "presets"
WITHOUT_EFFECT = {
    *("game", "runs", "name", "profile", "device"),
    *("eval_deals", "eval_interval", "checkpoint_interval"),
}
"""Settings that do not change the trained agent, or that are elsewhere in its command."""


def make_used(settings_class: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Return settings with those of the values that the method uses."""
    used = list_settings(settings_class)
    return settings_class(**{name: value for name, value in values.items() if name in used})


def read_saved(table: Mapping[str, Any], source: str) -> Settings:
    """Return the settings of a run, which were saved as `Settings.plain` returns them.

    Raises ValueError naming ``source`` and what is wrong.
    """
    with name_part_in_errors(source):
        settings_class = find_settings(table.get("method", "ppo"))
        return settings_class(**_read_table(table, [settings_class.method]))


def refuse_code(settings: Settings, file: Path) -> None:
    """Raise ValueError naming the first setting by which a module would be imported."""
    for name, value in settings.plain().items():
        agents = (value,) if name == "teacher" else value if name == "opponents" else ()
        for agent in agents:
            if imports_code(agent):
                raise ValueError(
                    f"{file}: {name} must not be module:Class, got {agent!r}; --allow-code imports "
                    "the module"
                )


def presets(game: str) -> list[str]:
    """Return the names of a game's presets."""
    return list(_read_tables(game, None)[1])


def preset(
    game: str, name: str = "default", file: Path | None = None, method: str | None = None
) -> Settings:
    """Return the named settings of a game: a table of ``presets/GAME.toml`` over its [default].

    Args:
        game: name of the game.
        name: name of the preset.
        file: another TOML file of the same form.
        method: learn by this method, and take the settings that it shares with the preset's.

    Raises:
        ValueError: a game, a preset or a key is unknown; or the method does not use a key, except
            in [default] if another preset of the file does.
    """
    settings_class, values, source = read_preset(game, name, file, method)
    with name_part_in_errors(source):
        return make_used(settings_class, values)


def read_preset(
    game: str, name: str, file: Path | None, method: str | None
) -> tuple[type[Settings], dict[str, Any], str]:
    """Return the class of a preset's settings, their values, and where they are, for errors."""
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
        raise ValueError(f"{source}: a table of settings is needed, got {shorten(table)}")
    return table


def _read_table(table: Mapping[str, Any], methods: Iterable[str]) -> dict[str, Any]:
    """Return a table's settings without its method.

    Raises ValueError for a setting that none of ``methods`` has; the text is for the first one.
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
    """Return the command that trains one seed with a saved agent's settings.

    The command starts from the preset that needs the fewest other arguments.

    Args:
        saved: the settings as ``agent.json`` has them.
        seed: the training seed.
        source: where they are, for errors.

    Raises:
        ValueError: the settings cannot be read.
    """
    settings = replace(read_saved(saved, source), seeds=(seed,))
    _, _, words = min(_list_commands(settings))
    return shlex.join(["parlour", "train", settings.game, *words])


def _list_commands(settings: Settings) -> Iterator[tuple[int, int, list[str]]]:
    """Yield, for each preset of the game, the arguments that give these settings.

    The first item is the number of arguments, the second one how much longer or shorter the preset
    trains: it decides between presets that need equally many arguments.
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
    """Yield the arguments for all settings that differ from ``base``."""
    for name in list_settings(type(settings)):
        value = getattr(settings, name)
        if name not in WITHOUT_EFFECT and value != getattr(base, name):
            yield from _write_flag(name.replace("_", "-"), value)


def _write_flag(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, dict):
        return [f"--{name}", *(str(word) for pair in value.items() for word in pair)]
    values = value if isinstance(value, tuple) else (value,)
    return [f"--{name}", *(str(item).removesuffix(".0") for item in values)]
