"""Imports of commands: the overview imports nothing, a command only its own module."""

import subprocess
import sys

import pytest

from parlour.agents.registry import BUILT_IN
from parlour.training.cli import main
from tests.marks import slow_if

CODE = """
import contextlib, io, sys
from parlour.training.cli.main import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(sys.argv[1:])
print(*sys.modules)
"""
HEAVY = {"numba", "parlour.envs", "parlour.agents"}
"""The package itself registers the games with Gymnasium, so that is always imported."""
LEARNING = {"torch", "stable_baselines3", "sb3_contrib", "optuna", "ray", "pandas", "matplotlib"}
COMMAND_MODULES = {command.module for command in main.COMMANDS.values()} - {"main"}
MODULES = {f"parlour.training.cli.{module}" for module in COMMAND_MODULES}


def list_imported(line: str) -> set[str]:
    """Return the modules that are loaded after a command line."""
    words = [sys.executable, "-c", CODE, *line.split()]
    return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("line", ["", "--help", "--version", "list", "list --help"])
def test_the_overview_imports_no_game(line: str) -> None:
    imported = list_imported(line)
    assert "parlour.training.cli.main" in imported
    assert imported & (HEAVY | LEARNING) == set()
    assert imported & MODULES == set()


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("train pyramid --help", "train"),
        slow_if(True, "train pyramid --n-envs 0", "train"),
        slow_if(True, "train pyramid --method selfplay", "train"),
        slow_if(True, "train --resume", "train"),
        ("tune --help", "tune"),
        slow_if(True, "tune pyramid --n-envs 0", "tune"),
        ("rules pyramid", "rules"),
        ("solve --help", "solve"),
        ("convert-deal --help", "convert_deal"),
        ("serve --help", "serve"),
    ],
)
def test_a_command_imports_its_own_module(line: str, module: str) -> None:
    imported = list_imported(line)
    assert imported & LEARNING == set()
    assert imported & MODULES == {f"parlour.training.cli.{module}"}


@pytest.mark.parametrize(("agent", "expected"), [("uniform", set()), ("pretrained", {"torch"})])
def test_a_comparison_imports_no_slow_package_without_need(agent: str, expected: set[str]) -> None:
    imported = list_imported(f"compare pyramid --deals 1 --agents greedy {agent}")
    assert "parlour.training.evaluation.labels.labels" in imported
    assert imported & (LEARNING | {"torch._dynamo"}) == expected


def test_what_is_repeated_for_the_start_is_right() -> None:
    assert main.AGENTS["agents"].startswith(", ".join(BUILT_IN))
