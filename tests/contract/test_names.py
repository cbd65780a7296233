"""Names of options and of fields of the state that a game's functions use are there.

The compiler says of a misspelt one only that it cannot type the record, in hundreds of lines.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.envs import GAMES, Game
from parlour.envs.core.options import unknown_text
from parlour.envs.games import bidding

BIDDING_GAMES = ("twenty_eight", "twenty_nine", "fifty_six")


def sources(game: Game) -> list[Path]:
    """The files of a game's package."""
    file = sys.modules[game.rules.__module__].__file__
    assert file is not None
    return sorted(Path(file).parent.rglob("*.py"))


def wrong_names(game: Game, text: str, file: str) -> Iterator[str]:
    """Say of each name in a file that is not there: file, line, name, and what was meant."""
    options, fields = game.rules._fields, game.state.names or ()
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        arguments = {argument.arg for argument in function.args.args}
        for node in ast.walk(function):
            output = None
            if isinstance(node, ast.Attribute) and named(node.value, "rules") in arguments:
                if node.attr not in options and not hasattr(game.rules, node.attr):
                    output = unknown_text("option", node.attr, options)
            elif isinstance(node, ast.Subscript) and named(node.value, "s") in arguments:
                key = node.slice.value if isinstance(node.slice, ast.Constant) else None
                if isinstance(key, str) and key not in fields:
                    output = unknown_text("field of the state", key, fields)
            if output:
                yield f"{file}:{node.lineno}: {function.name}: {output}"  # type: ignore[attr-defined]


def named(node: ast.expr, name: str) -> str | None:
    return name if isinstance(node, ast.Name) and node.id == name else None


@pytest.mark.parametrize("name", GAMES)
def test_options_and_fields_that_functions_name_are_there(name: str) -> None:
    game = GAMES[name]
    wrong = [
        text for file in sources(game) for text in wrong_names(game, file.read_text(), str(file))
    ]
    assert not wrong, "\n".join(wrong)


def test_shared_code_of_bidding_games_names_what_all_of_them_have() -> None:
    """Code that serves one of them alone belongs into that game's folder."""
    folder = Path(bidding.__file__).parent
    wrong = [
        f"{name}: {text}"
        for name in BIDDING_GAMES
        for file in sorted(folder.glob("*.py"))
        for text in wrong_names(GAMES[name], file.read_text(), str(file))
    ]
    assert not wrong, "\n".join(wrong)


def test_a_misspelled_name_is_reported_with_file_line_and_function() -> None:
    text = """
def update_legal(s, rules):
    if rules.dealwhen and s["tabel"]:
        return rules.passes + rules[0] + s["table"]
def other(facts):
    return rules.anything
"""
    result = list(wrong_names(GAMES["pyramid"], text, "kernel.py"))
    place = "kernel.py:3: update_legal:"
    assert [re.sub(" one of .*, got ", " one of ..., got ", line) for line in result] == [
        f"{place} option must be one of ..., got 'dealwhen'. Did you mean 'deal_when'?",
        f"{place} field of the state must be one of ..., got 'tabel'. Did you mean 'table'?",
    ]
