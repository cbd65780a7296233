"""Names in backticks exist, and every command line shown anywhere parses."""

import argparse
import ast
import builtins
import contextlib
import importlib
import importlib.util
import io
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from parlour.training.cli.arguments import name_options
from parlour.training.cli.main import COMMANDS, make_parser
from parlour.training.learning.settings.command import parse
from tests.test_house import files, source

ROOT = Path(__file__).resolve().parents[1]
DOTTED = re.compile(r"(?<!`)(?:``|`)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\([^`]*\))?(?:``|`)(?!`)")
"""A dotted name alone in backticks, optionally with the parentheses of a call."""
FILE_ENDINGS = {
    *("cff", "css", "csv", "gif", "html", "ipynb", "js", "json", "jsonl", "md", "npy", "npz"),
    *("parquet", "pdf", "png", "py", "safetensors", "sh", "svg", "toml", "txt", "yml"),
}
ALIASES = {"gym": "gymnasium", "np": "numpy", "pd": "pandas", "mpl": "matplotlib"}


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax tree of each Python file."""
    return {name: ast.parse(source(name)) for name in files() if name.endswith(".py")}


def bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds: definitions, targets, fields, imports, arguments."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]
    elif isinstance(node, ast.arg) or (isinstance(node, ast.keyword) and node.arg):
        yield node.arg


LIBRARY_ATTRIBUTES = {"unwrapped", "tolist"}
"""Attributes of library objects that texts mention with the name of a variable."""


@cache
def all_names() -> frozenset[str]:
    """Return every name that is bound anywhere in the tree, and all strings (names of fields)."""
    names = set(LIBRARY_ATTRIBUTES)
    for path, tree in trees().items():
        for node in ast.walk(tree) if path != "tests/test_references.py" else ():
            names.update(bound_names(node))
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.add(node.value)
    return frozenset(names)


@cache
def module_names() -> dict[str, set[str]]:
    """Return the top-level names of each module and package, by the last part of its name."""
    names: dict[str, set[str]] = {}
    for path, tree in trees().items():
        parts = path.removesuffix(".py").split("/")
        word = parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
        known = names.setdefault(word, set())
        for statement in ast.walk(tree):
            known.update(bound_names(statement))
        if parts[-1] == "__init__":
            folder = path.rpartition("/")[0]
            known |= {
                other.removeprefix(f"{folder}/").split("/")[0].removesuffix(".py")
                for other in files()
                if other.startswith(f"{folder}/")
            }
    return names


@cache
def class_names() -> dict[str, set[str]]:
    """Return the members of each class by its name, including those of its bases in the tree."""
    members: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                known = members.setdefault(node.name, set())
                for inner in ast.walk(node):
                    known.update(bound_names(inner))
                for base in node.bases:
                    bases.setdefault(node.name, set()).add(ast.unparse(base).split(".")[-1])
    for _ in range(5):
        for name, parents in bases.items():
            for parent in parents:
                members[name] |= members.get(parent, set())
    return members


def is_foreign(head: str) -> bool:
    """Return whether a name is a module of the standard library or of an installed library."""
    if head in sys.stdlib_module_names:
        return True
    if head in module_names():
        return False
    spec = importlib.util.find_spec(head)
    return spec is not None and spec.origin is not None  # A folder of data is not a library.


def resolves(name: str) -> bool:
    """Return whether a dotted name exists."""
    head, *rest = name.split(".")
    if rest[-1] in FILE_ENDINGS or name in all_names():
        return True
    head = ALIASES.get(head, head)
    if head == "parlour":
        return resolves_in_package([head, *rest])
    if head in class_names():
        return rest[0] in class_names()[head] or hasattr(getattr(builtins, head, None), rest[0])
    if is_foreign(head):
        return resolves_in_library([head, *rest]) or rest[-1] in LIBRARY_ATTRIBUTES
    if head in module_names() and rest[0] in module_names()[head]:
        return True
    return all(word in all_names() for word in [head, *rest])


def resolves_in_package(words: list[str]) -> bool:
    """Return whether a name below ``parlour`` is a module or a name in a module."""
    for length in range(len(words), 0, -1):
        folder = "/".join(words[1:length])
        for path in (f"{folder}.py", f"{folder}/__init__.py", "parlour/__init__.py"):
            if path in trees() and (length > 1 or path.startswith("parlour")):
                left = words[length:]
                word = words[length - 1]
                return not left or left[0] in module_names().get(word, set()) | {"envs"}
    return False


def resolves_in_library(words: list[str]) -> bool:
    """Return whether a name of a library can be imported or looked up."""
    for length in range(len(words), 0, -1):
        try:
            value: object = importlib.import_module(".".join(words[:length]))
        except ImportError:
            continue
        for word in words[length:]:
            if not hasattr(value, word):
                return False
            value = getattr(value, word)
        return True
    return False


UNREAD = ("CHANGELOG", "tests/example_game/", "tests/test_references.py")
"""Files that name games or things which are not in the tree."""


def documented() -> Iterator[tuple[str, str]]:
    """Yield each text that people read: documents, and docstrings and comments of Python files."""
    for name in files():
        if name.endswith((".py", ".md", ".toml")) and not name.startswith(UNREAD):
            yield name, (ROOT / name).read_text(encoding="utf-8")


FENCE = re.compile(r"^ *```(?:console|sh|text|txt)?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^(?:#  ? ?|\$ | {2,4})?\$? ?(parlour [a-z].*)$", re.MULTILINE)
END = re.compile(r"  +#|   +[a-z]|  +[a-z.]+ [a-z]| [<>|] |\.\.\.")
"""Where a command ends: a comment or an explanation behind it, a redirection."""
INLINE = re.compile(r"(?<!`)`{1,2}(parlour [a-z][^`]*)`{1,2}(?!`)")
PLACEHOLDERS = {
    **{"AGENT": "greedy", "GAME": "pyramid", "DEAL_SET": "pyramid-1", "VARIANT": "classic"},
    **{"DEALS": "10", "N": "1", "K": "1", "NUMBER": "1", "NAME": "name"},
}
"""Words of inline commands that stand for a value. Other words in capitals are paths."""


def shown_commands() -> Iterator[tuple[str, str]]:
    """Yield each complete ``parlour`` command in a block of a document, a docstring or a preset."""
    for name, text in documented():
        text = text.replace("\\\n", " ")
        parts = FENCE.findall(text) if name.endswith(".md") else [text]
        for part in parts:
            for command in SHOWN.findall(part):
                yield name, END.split(command)[0].strip()


def inline_commands() -> Iterator[tuple[str, str]]:
    """Yield each ``parlour`` command in backticks; it may lack some of its arguments."""
    for name, text in documented():
        for command in INLINE.findall(text):
            yield name, " ".join(command.split())


@cache
def parser_of(name: str) -> Any:
    """Return the parser of one command."""
    return make_parser([name])


def parse_command(command: str) -> str | None:
    """Parse a whole command line; return the error, or None."""
    words = shlex.split(command)[1:]
    words = [PLACEHOLDERS.get(word, word) for word in words if not re.match(r"\$[A-Z]", word)]
    if words[0] not in COMMANDS:
        return f"no command {words[0]}"
    if "--help" in words:
        return None
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            if words[0] == "train":
                if "--resume" not in words:
                    parse(name_options(words[1:]))
            elif words[0] == "tune":  # Another parser reads the arguments of training.
                parser_of(words[0]).parse_known_args(words)
            else:
                parser_of(words[0]).parse_args(words)
    except SystemExit:
        return errors.getvalue()
    except ValueError as error:
        return None if str(error).endswith("No such file or directory") else str(error)
    return None


def unknown_flags(command: str) -> list[str]:
    """Return the options in a command that its parser does not know."""
    name, *words = command.split()[1:]
    parsers = [parser_of(name).commands[name]]
    for action in parsers[0]._actions:
        if isinstance(action, argparse._SubParsersAction):
            parsers += action.choices.values()
    known = {flag for parser in parsers for flag in parser._option_string_actions}
    return [
        word
        for word in (word.partition("=")[0] for word in words)
        if re.fullmatch(r"--[a-z][a-z-]*", word) and word not in known
    ]


def test_complete_commands_parse() -> None:
    commands = sorted(set(shown_commands()))
    assert len(commands) > 150
    errors = [(name, command, parse_command(command)) for name, command in commands]
    assert [error for error in errors if error[2]] == []


def test_commands_in_backticks_have_known_names_and_options() -> None:
    commands = sorted(set(inline_commands()))
    assert len(commands) > 80
    wrong = [
        (name, command)
        for name, command in commands
        if command.split()[1] not in COMMANDS or unknown_flags(command)
    ]
    assert wrong == []


def test_a_stale_command_is_noticed() -> None:
    assert parse_command("parlour compare pyramid --agents greedy --no-such 1")
    assert parse_command("parlour train pyramid --no-such 1")
    assert parse_command("parlour warm pyramid")
    assert unknown_flags("parlour evaluate pyramid --no-such") == ["--no-such"]


def test_dotted_names_in_backticks_exist() -> None:
    wrong, checked = [], 0
    for name, text in documented():
        for match in DOTTED.finditer(text):
            checked += 1
            if not resolves(match[1]):
                wrong.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[1]}")
    assert checked > 500
    assert wrong == []


@pytest.mark.parametrize(
    "name", ["tree.SearchConfig", "Rows.no_such", "np.no_such", "turn.not_there"]
)
def test_a_stale_name_is_noticed(name: str) -> None:
    assert not resolves(name)


@pytest.mark.parametrize(
    "name", ["gym.make", "Rows.step", "parlour.envs.core", "agent.json", "env.unwrapped.explain"]
)
def test_an_existing_name_is_found(name: str) -> None:
    assert resolves(name)
