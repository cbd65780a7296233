"""Settings on the command line: ``parlour train GAME [--preset NAME] [--method NAME] [--...]``."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, suppress
from dataclasses import MISSING, fields
from io import StringIO
from pathlib import Path
from typing import Any, get_type_hints

import tyro

from parlour.agents.validation import naming_part, read_number, shorten
from parlour.envs import GAMES

from .limits import check_fields
from .settings import Settings
from .settings_files import make_used, presets, read_preset
from .settings_help import group_settings, read_summary, ungroup_settings
from .settings_names import (
    DROPPED,
    METHODS,
    explain_dropped,
    explain_foreign,
    find_name,
    list_names,
    list_users,
)

PROG = "parlour train"
DESCRIPTION = """Train an agent and write a folder runs/GAME-VARIANT-NAME.
- {prog} GAME --preset NAME: begin with a preset's settings ({presets});
- {prog} GAME --settings FILE: take presets from a TOML file of one's own;
- {prog} GAME --method NAME: learn by another method than the preset's;
- {prog} --resume RUN: resume a run that was stopped or killed;
- {prog} --resume RUN --allow-code: the same, with an agent module:Class.

Games: {games}.

Methods; each has settings of its own, which --method NAME --help shows:
{methods}

These are the settings of method {method}. The defaults shown are those of {shown}."""
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def parse(arguments: Sequence[str], notify: Callable[[str], None]) -> Settings:
    """Return the settings that a command line asks for: ``GAME [--preset NAME] [--option ...]``.

    The preset's values are the defaults of all other options; ``notify`` is told of old names.
    Raises ValueError, in one line, for what is wrong; exits after ``--help``.
    """
    words = list(arguments)
    _refuse_game_flag(words)
    game = words.pop(0) if words and not words[0].startswith("-") else "pyramid"
    name, file = _take(words, "--preset") or "default", _take(words, "--settings")
    method, path = _take(words, "--method"), Path(file) if file else None
    kind, values, source = read_preset(game, name, path, method, notify)
    with naming_part(source):  # by another method they need not be right as they stand there
        base = make_used(kind, values) if method is None else _make_draft(kind, values)
    description = DESCRIPTION.format(
        prog=PROG,
        games=", ".join(GAMES),
        presets=", ".join(presets(game)),
        methods="\n".join(f"- {one}: {read_summary(own)}" for one, own in METHODS.items()),
        method=base.method,
        shown=f"{file} [{name}]" if file else f"the preset {name}",
    )
    words = _check_flags(words, kind, notify)
    return _parse_fields(words, base, f"{PROG} {game}", description)


def _refuse_game_flag(words: Sequence[str]) -> None:
    """Raise ValueError, with the right words, for a game that is given as a flag."""
    for i, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag == "--game":
            given = value if equals else "".join(words[i + 1 : i + 2])
            name = given if given.replace("-", "_") in GAMES else "GAME"
            raise ValueError(
                f"the game must be the first argument, without {flag}, got {shorten(word)}; write: "
                f"{PROG} {name}"
            )


def _make_draft(kind: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Return settings of which only each by itself is right: the words may change them yet."""
    made: Settings = object.__new__(kind)
    for one in fields(kind):
        default = one.default if one.default_factory is MISSING else one.default_factory()
        object.__setattr__(made, one.name, values.get(one.name, default))
    check_fields(made)
    return made


def _check_flags(
    words: Sequence[str], kind: type[Settings], notify: Callable[[str], None]
) -> list[str]:
    """Return words with today's flags in place of old ones; refuse flags of other methods."""
    words = _leave_out_dropped(words, notify)
    flags = {word.partition("=")[0] for word in words if word.startswith("--")}
    now = {flag: _check_flag(flag, kind) for flag in sorted(flags)}
    for old, new in now.items():
        if old != new and new in flags:
            raise ValueError(f"{old} and {new} are one: give {new} alone")
        if old != new:
            notify(f"{old} is now {new}; the old name goes with the next release")
    parts = [word.partition("=") for word in words]
    return [now.get(flag, flag) + rest + value for flag, rest, value in parts]


def _leave_out_dropped(words: Sequence[str], notify: Callable[[str], None]) -> list[str]:
    """Return words without the flags that no method has any more, and their values."""
    left, kept = list(words), []
    while left:
        word = left.pop(0)
        flag, equals, _ = word.partition("=")
        name = flag.removeprefix("--").replace("-", "_")
        if flag.startswith("--") and name in DROPPED:
            notify(explain_dropped(name))
            if left and not equals and not left[0].startswith("--"):
                left.pop(0)
        else:
            kept.append(word)
    return kept


def _check_flag(flag: str, kind: type[Settings]) -> str:
    """Return today's flag; ValueError for one of another method."""
    name = flag.removeprefix("--").replace("-", "_")
    new = find_name(kind, name).removeprefix("no_")
    if new not in list_names(kind) and list_users(new):
        text = explain_foreign(kind, new)
        raise ValueError(text.replace(f"setting {new!r}", flag))
    return f"--{new.replace('_', '-')}" if find_name(kind, name) != name else flag


def _parse_fields(words: list[str], base: Settings, prog: str, description: str) -> Settings:
    """Let tyro read the words; what it finds wrong becomes a ValueError."""
    drawn = StringIO()
    try:
        with redirect_stderr(drawn):
            grouped = group_settings(base)
            found = tyro.cli(
                type(grouped),
                args=_write_numbers_out(words, type(base)),
                default=grouped,
                prog=prog,
                description=description,
            )
    except SystemExit as left:
        if not left.code:
            raise
        raise ValueError(_one_line(drawn.getvalue())) from None
    return type(base)(**ungroup_settings(found))


def _write_numbers_out(words: Sequence[str], kind: type[Settings]) -> list[str]:
    """Return words with ``1e6`` as a whole number where a setting takes one."""
    hints, whole, found = get_type_hints(kind), False, []
    for word in words:
        flag, equals, value = word.partition("=")
        if flag.startswith("--"):
            whole = hints.get(flag[2:].replace("-", "_")) in (int, tuple[int, ...])
        text = value if equals else word
        with suppress(ValueError):
            text = str(read_number(text)) if whole else text
        found.append(f"{flag}={text}" if equals else text)
    return found


def _one_line(drawn: str) -> str:
    """What stands in a box as tyro draws it: a title, parts between rules, where help is."""
    rows = [row.strip("│|╭╮╰╯+ ") for row in COLOUR.sub("", drawn).splitlines()[1:]]
    parts = [row if row.strip("─-") else ";" for row in rows]  # - and | where there is no Unicode
    said = " ".join(row for row in parts if not row.startswith("For full helptext"))
    return re.sub(r"^Error parsing \w*Settings: ", "", said.replace(" ;", ";").strip("; "))


def _take(words: list[str], flag: str) -> str | None:
    for i, word in enumerate(words):
        if word == flag:
            if i + 1 == len(words):
                raise ValueError(f"{flag} needs a value")
            del words[i]
            return words.pop(i)
        if word.startswith(flag + "="):
            return words.pop(i).partition("=")[2]
    return None
