"""Settings on the command line: ``parlour train GAME [--preset NAME] [--method NAME] [--...]``."""

import ast
import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import MISSING, Field, field, fields, make_dataclass
from io import StringIO
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import tyro

from parlour.agents.validation import join_lines, name_part_in_errors, read_number, shorten
from parlour.envs import GAMES
from parlour.envs.core.options import nearest_name, unknown_text

from .base import Settings, check_settings, default_of, list_settings
from .files import make_used, presets, read_preset
from .methods import ALIASES, SETTINGS, check_seats, explain_foreign, list_users

PROG = "parlour train"
DESCRIPTION = """Train an agent. The run is saved in the folder runs/GAME-VARIANT-NAME.
- {prog} GAME --preset NAME: use a preset, one of {presets}
- {prog} GAME --settings FILE: read presets from a TOML file
- {prog} GAME --method NAME: use this learning method instead of the preset's
- {prog} --resume RUN: resume an interrupted run
- {prog} --resume RUN --allow-code: resume a run, and import agents given as module:Class

Games: {games} (default: {default_game}).

Methods (--method NAME --help shows the settings of a method):
{methods}

The settings below are those of method {method}. The defaults are those of {shown}."""
DEFAULT_GAME = "pyramid"
COLOUR = re.compile(r"\x1b\[[\d;]*m")
GROUPS = {
    "game": ("game", "variant", "options", "reward", "max_moves", "initial"),
    "run": ("name", "runs", "seeds", "eval_deals", "profile"),
    "length": ("total_steps", "minutes", "schedule", "eval_interval", "checkpoint_interval"),
    "network": ("network", "width", "depth", "network_options", "threads", "device", "precision"),
    "rollout": ("n_envs", "n_steps", "skip_forced", "reward_scale"),
    "update": (
        *("batch_size", "n_epochs", "learning_rate", "gamma", "gae_lambda", "clip_range"),
        *("ent_coef", "ent_coef_final", "vf_coef", "max_grad_norm"),
    ),
}
"""Groups of settings in the help. Settings in none of them belong to the method's own group."""


class Resume(NamedTuple):
    """A run to resume, and whether its settings may name agents as ``module:Class``."""

    folder: Path
    allow_code: bool


def read_command(words: Sequence[str]) -> Settings | Resume:
    """Return the settings of a new run, or the run to resume, from a command line.

    Raises ValueError, and exits after ``--help``, as `parse` does.
    """
    if "--resume" not in words:
        settings = parse(words)
        check_seats(settings)
        return settings
    others = [word for word in words if word != "--allow-code"]
    if others == ["--resume"]:
        raise ValueError("--resume must be followed by the folder of a run")
    if len(others) != 2 or others[0] != "--resume":
        raise ValueError(
            "--resume RUN must have no other argument than --allow-code, because a run keeps "
            f"its game and settings, got {' '.join(words)}"
        )
    return Resume(Path(others[1]), "--allow-code" in words)


def print_error(error: ValueError | OSError) -> int:
    """Print the error of a command line or of its run; return the exit code, 2.

    Raises a BrokenPipeError again: the process that reads the output has ended.
    """
    if isinstance(error, BrokenPipeError):
        raise error
    print(f"parlour: error: {join_lines(error)} (see parlour train --help)", file=sys.stderr)
    for note in getattr(error, "__notes__", ()):
        print(note, file=sys.stderr)
    return 2


def parse(arguments: Sequence[str]) -> Settings:
    """Return the settings of a command line: ``GAME [--preset NAME] [--option ...]``.

    The preset provides the defaults of all other options. Exits after ``--help``.

    Raises:
        ValueError: an argument is unknown or invalid. The message is one line.
    """
    words = list(arguments)
    _refuse_game_flag(words)
    game = words.pop(0) if words and not words[0].startswith("-") else DEFAULT_GAME
    name, file = _take(words, "--preset") or "default", _take(words, "--settings")
    method, path = _take(words, "--method"), Path(file) if file else None
    settings_class, values, source = read_preset(game, name, path, method)
    with name_part_in_errors(source):
        # With another method, the preset may be valid only together with the other arguments.
        make = make_used if method is None else _make_draft
        base = make(settings_class, values)
    description = DESCRIPTION.format(
        prog=PROG,
        games=", ".join(GAMES),
        default_game=DEFAULT_GAME,
        presets=", ".join(presets(game)),
        methods="\n".join(
            f"- {name}: {' '.join(read_summary(each).split())}" for name, each in SETTINGS.items()
        ),
        method=base.method,
        shown=f"{file} [{name}]" if file else f"preset {name}",
    )
    if not {"-h", "--help"} & set(words):
        _refuse_unknown_flags(words, settings_class)
        words = _check_values(words, settings_class)
    return _parse_fields(words, base, f"{PROG} {game}", description)


def _refuse_game_flag(words: Sequence[str]) -> None:
    """Raise ValueError for a game given as ``--game``, with the correct command in the message."""
    for i, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag == "--game":
            game = value if equals else "".join(words[i + 1 : i + 2])
            name = game if game.replace("-", "_") in GAMES else "GAME"
            raise ValueError(
                f"the game must be the first argument, without {flag}, got {shorten(word)}. Use: "
                f"{PROG} {name}"
            )


def _make_draft(settings_class: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Return settings whose fields are checked only one by one: arguments may still change some."""
    draft: Settings = object.__new__(settings_class)
    for setting in fields(settings_class):
        value = values.get(setting.name, default_of(setting))
        object.__setattr__(draft, setting.name, value)
    check_settings(draft)
    return draft


def _refuse_unknown_flags(words: Sequence[str], settings_class: type[Settings]) -> None:
    """Raise ValueError for a flag that sets no setting, or another method's setting."""
    method, settings = settings_class.method, list_settings(settings_class)
    for flag in sorted(word.partition("=")[0] for word in words if word.startswith("--")):
        name = flag.removeprefix("--").removeprefix("no-").replace("-", "_")
        if name in settings or flag.startswith("--tyro-"):
            continue
        if list_users(name):
            raise ValueError(explain_foreign(method, name).replace(f"setting {name!r}", flag))
        nearest = nearest_name(name, settings, ALIASES)
        hint = f". Did you mean --{nearest.replace('_', '-')}?" if nearest else ""
        raise ValueError(f"argument must be a setting of method {method!r}, got {flag}{hint}")


def _parse_fields(words: list[str], base: Settings, prog: str, description: str) -> Settings:
    """Parse the arguments with tyro; turn its errors into ValueErrors."""
    printed = StringIO()
    try:
        with redirect_stderr(printed):
            grouped = group_settings(base)
            parsed = tyro.cli(
                type(grouped),
                args=words,
                default=grouped,
                prog=prog,
                description=description,
            )
    except SystemExit as stopped:
        if not stopped.code:
            raise
        raise ValueError(_one_line(printed.getvalue())) from None
    return type(base)(**ungroup_settings(parsed))


def _check_values(words: Sequence[str], settings_class: type[Settings]) -> list[str]:
    """Check numbers and choices; return the arguments with ``1e6`` written as ``1000000``.

    Raises:
        ValueError: A value does not fit the type of its setting.
    """
    # tyro would name the Python function that failed instead of the allowed values.
    hints, name, checked = get_type_hints(settings_class), "", []
    for word in words:
        flag, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        if flag:
            name = flag.removeprefix("--").replace("-", "_")
        if equals or not flag:
            value = _check_value(name, value, hints.get(name))
        checked.append(flag + equals + value)
    return checked


def _check_value(name: str, text: str, annotation: Any) -> str:
    """Return the text of a value, with an integer written out; ValueError names the setting."""
    if get_origin(annotation) is Literal and text not in get_args(annotation):
        raise ValueError(unknown_text(name, text, get_args(annotation)))
    try:
        if annotation in (int, tuple[int, ...]):
            return str(read_number(text))
        if annotation is float:
            float(text)
    except ValueError:
        allowed = {int: "an integer", float: "a number"}.get(annotation, "a list of integers")
        raise ValueError(f"{name} must be {allowed}, got {shorten(text)}") from None
    return text


def _one_line(printed: str) -> str:
    """Return an error message of tyro as one line, without its box and its hint at the help."""
    rows = [row.strip("│|╭╮╰╯+ ") for row in COLOUR.sub("", printed).splitlines()[1:]]
    parts = [row if row.strip("─-") else ";" for row in rows]  # without Unicode, tyro draws - and |
    text = " ".join(row for row in parts if not row.startswith("For full helptext"))
    text = re.sub(r"^Error parsing \w*Settings: ", "", text.replace(" ;", ";").strip("; "))
    text = re.sub(r"; Argument helptext: .*", "", text)
    return re.sub(r"^Error parsing (\S+): must ", r"\1 must ", text)


def _take(words: list[str], flag: str) -> str | None:
    """Remove a flag and its value from the words; return the value."""
    for i, word in enumerate(words):
        if word == flag:
            if i + 1 == len(words):
                raise ValueError(f"{flag} must be followed by a value")
            del words[i]
            return words.pop(i)
        if word.startswith(flag + "="):
            return words.pop(i).partition("=")[2]
    return None


def group_settings(base: Settings) -> Any:
    """Return the settings as an object with one dataclass for each group of `GROUPS`.

    tyro prints a box for each group.
    """
    settings_class, docs = type(base), read_docs(type(base))
    known = {setting.name: setting for setting in fields(settings_class)}
    grouped = {name for group in GROUPS.values() for name in group}
    method_settings = tuple(name for name in known if name not in grouped)
    groups = {}
    for title, names in (GROUPS | {base.method.replace("-", "_"): method_settings}).items():
        used = [name for name in names if name in known]
        if used:
            parts = [_describe_field(known[name], docs) for name in used]
            group: Any = make_dataclass(title, parts, kw_only=True, frozen=True)
            group.__doc__ = " "
            groups[title] = group(**{name: getattr(base, name) for name in used})
    titled = [(title, type(group)) for title, group in groups.items()]
    return make_dataclass(settings_class.__name__, titled, frozen=True)(**groups)


def ungroup_settings(grouped: Any) -> dict[str, Any]:
    """Return the values of all settings, by name, from an object that `group_settings` made."""
    groups = [getattr(grouped, group.name) for group in fields(grouped)]
    return {
        setting.name: getattr(group, setting.name) for group in groups for setting in fields(group)
    }


def _describe_field(setting: Field[Any], docs: dict[str, str]) -> tuple[str, Any, Any]:
    """Return a setting, with its help text, in the form that `make_dataclass` takes."""
    argument = tyro.conf.arg(help=docs[setting.name], prefix_name=False)
    annotation: Any = Annotated[setting.type, argument]
    if setting.default_factory is not MISSING:
        return setting.name, annotation, field(default_factory=setting.default_factory)
    return setting.name, annotation, field(default=setting.default)


def read_summary(settings_class: type[Settings]) -> str:
    """Return the docstring of a settings class, read from the source: ``python -OO`` drops it."""
    return ast.get_docstring(_parse_class(settings_class)) or ""


def read_docs(settings_class: type[Settings]) -> dict[str, str]:
    """Return the documentation string below each setting in the source, as one line each."""
    docs: dict[str, str] = {}
    for base in reversed(settings_class.__mro__[:-1]):
        body = _parse_class(base).body
        for line, below in pairwise(body):
            if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr):
                text = ast.literal_eval(below.value)
                docs[ast.unparse(line.target)] = " ".join(text.split())
    return docs


def _parse_class(settings_class: type[Any]) -> ast.ClassDef:
    (body,) = ast.parse(dedent(inspect.getsource(settings_class))).body
    assert isinstance(body, ast.ClassDef)
    return body
