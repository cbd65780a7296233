"""Settings in files: presets in TOML, and those that a run keeps of its own in JSON."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from parlour.agents.registry import imports_code
from parlour.agents.validation import naming, naming_part, read_text, shorten
from parlour.envs import find_game
from parlour.envs.core.options import unknown_text

from .settings import Settings
from .settings_names import (
    METHODS,
    explain_foreign,
    find_method,
    find_name,
    list_names,
    list_users,
    rename,
    warn_caller,
)

PRESETS_FOLDER = Path(__file__).parent / "presets"
Notify = Callable[[str], None]
BEFORE = {"precision": "highest"}
"""What runs learned by before there was a setting for it, where it differs from the default."""


def make_used(kind: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Return settings of those values that the method uses."""
    return kind(**{name: value for name, value in values.items() if name in list_names(kind)})


def plain(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON has them, the method among them."""
    return {"method": settings.method, **asdict(settings)}


def read_saved(table: Mapping[str, Any], source: str) -> Settings:
    """Return the settings of a run from what `plain` made of them, in this version or an older one.

    Old names, and settings that the method does not use, are taken in silence; a setting that came
    later is what the run learned by. Raises ValueError naming ``source`` and what is wrong.
    """
    with naming_part(source):
        kind = find_method(table.get("method", "ppo"))
        return make_used(kind, _read_table({**BEFORE, **table}, kind, METHODS, lambda _: None))


def refuse_code(settings: Settings, file: Path) -> None:
    """Raise ValueError naming the first setting by which a module would be imported."""
    for name, value in plain(settings).items():
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

    ``method``: learn by this one, and take what it has in common with the preset's from there.
    Raises ValueError naming an unknown game, preset or key, and what is allowed; also a key that
    the method does not use, except in [default] if another preset of the file does.
    """
    kind, values, source = read_preset(game, name, file, method, warn_caller)
    with naming_part(source):
        return make_used(kind, values)


def read_preset(
    game: str, name: str, file: Path | None, method: str | None, notify: Notify
) -> tuple[type[Settings], dict[str, Any], str]:
    """Return what `preset` makes settings of: their class, the values, and where those stand.

    ``notify`` is told of every old name.
    """
    own_kind = None if method is None else find_method(method)
    path, tables = _read_tables(game, file)
    if name not in tables:
        raise ValueError(f"{path}: {unknown_text('preset', name, tables)}")
    source, shared_source = f"{path} [{name}]", f"{path} [default]"
    shared = _check_table(tables.get("default", {}), shared_source)
    table = {} if name == "default" else _check_table(tables[name], source)
    usual = shared.get("method", method or "ppo")
    with naming_part(source):
        kind = find_method(table.get("method", usual))
    methods = [str(one.get("method", usual)) for one in tables.values() if isinstance(one, dict)]
    if method is not None:
        methods.append(method)
    with naming_part(shared_source):
        values = _read_table(shared, kind, methods, lambda text: notify(f"{shared_source}: {text}"))
    with naming_part(source):
        values |= _read_table(table, kind, [], lambda text: notify(f"{source}: {text}"))
    return own_kind or kind, {"game": game} | values, source


def _read_tables(game: str, file: Path | None) -> tuple[Path, dict[str, Any]]:
    path = file or PRESETS_FOLDER / f"{find_game(game).name}.toml"
    if file is None and not path.exists():
        return path, {"default": {}}
    with naming(path):
        return path, tomllib.loads(read_text(path))


def _check_table(table: Any, source: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ValueError(f"{source}: a table of settings is needed, got {shorten(table)}")
    return table


def _read_table(
    table: Mapping[str, Any], kind: type[Settings], methods: Iterable[str], notify: Notify
) -> dict[str, Any]:
    """Return a table's settings by today's names, those of other ``methods`` among them.

    Raises ValueError for a setting that neither ``kind`` has nor one of them.
    """
    given = {name: value for name, value in table.items() if name != "method"}
    for old in given:
        new = find_name(kind, old)
        if new != old and new in given:
            raise ValueError(f"settings {old!r} and {new!r} are one: give {new!r} alone")
    given = rename(kind, given, notify)
    for name in given:
        if not {kind.method, *methods} & set(list_users(name)):
            raise ValueError(explain_foreign(kind, name))
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
