"""What a command imports: the overview nothing, a command its own module."""

import subprocess
import sys

import pytest

from parlour.agents.registry import BUILT_IN
from parlour.training.cli import games, main

CODE = """
import contextlib, io, sys
from parlour.training.cli.main import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(sys.argv[1:])
print(*sys.modules)
"""
HEAVY = {"numpy", "numba", "gymnasium", "parlour.envs", "parlour.agents"}
LEARNING = {"torch", "stable_baselines3", "sb3_contrib", "optuna", "ray", "pandas", "matplotlib"}
MODULES = {f"parlour.training.cli.{command.module}" for command in main.COMMANDS.values()}


def list_imported(line: str) -> set[str]:
    """Return the modules that are loaded after a command line."""
    words = [sys.executable, "-c", CODE, *line.split()]
    return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("line", ["", "--help", "--version", "list", "list --help"])
def test_the_overview_imports_no_game(line: str) -> None:
    imported = list_imported(line)
    assert "parlour.training.cli.main" in imported
    assert imported & (HEAVY | LEARNING) == set()
    used = {"parlour.training.cli.games"} if "list" in line else set()
    assert imported & MODULES == used


@pytest.mark.parametrize(
    ("line", "modules"),
    [
        ("train pyramid --help", {"train", "games"}),
        ("train pyramid --n-envs 0", {"train", "games"}),
        ("train pyramid --method selfplay", {"train", "games"}),
        ("train --resume", {"train", "games"}),
        ("tune --help", {"tune", "games"}),
        ("tune pyramid --n-envs 0", {"tune", "games"}),
        ("rules pyramid", {"rules", "games"}),
        ("solve --help", {"solve", "games"}),
        ("convert-deal --help", {"convert_deal", "games"}),
        ("serve --help", {"serve", "games"}),
    ],
)
def test_a_command_imports_its_own_module(line: str, modules: set[str]) -> None:
    """`games` has the names of agents for help texts, and is light."""
    imported = list_imported(line)
    assert imported & LEARNING == set()
    assert imported & MODULES == {f"parlour.training.cli.{module}" for module in modules}


def test_what_is_repeated_for_the_start_is_right() -> None:
    assert games.AGENT_HELP.startswith(", ".join(BUILT_IN))
