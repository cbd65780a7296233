"""The package ``parlour`` itself: its version, its import, and ``python -m parlour``."""

import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import parlour


def run_python(folder: Path, *words: str) -> str:
    """Return what Python prints in a folder that is not the repository."""
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_version_is_that_of_the_installed_package() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", parlour.__version__)
    assert version("parlour") == parlour.__version__


def test_importing_parlour_registers_the_games_without_importing_them(tmp_path: Path) -> None:
    code = """
import sys, gymnasium, parlour
print([one for one in sys.modules if one.startswith("parlour")], "numba" in sys.modules)
print(sum(one.startswith("parlour/") for one in gymnasium.registry))
print(repr(gymnasium.make("parlour/Klondike-v0").unwrapped))
"""
    printed = run_python(tmp_path, "-c", code).splitlines()
    assert printed[0] == "['parlour.registration', 'parlour'] False"
    assert printed[1:] == ["8", "<CardEnv Klondike, classic>"]


@pytest.mark.parametrize("words", [("--version",), ("rules", "pyramid"), ("list",)])
def test_python_m_parlour_is_the_command(words: tuple[str, ...], tmp_path: Path) -> None:
    entry = "import sys; from parlour.training.cli.start import main; sys.exit(main())"
    printed = run_python(tmp_path, "-m", "parlour", *words)
    assert printed == run_python(tmp_path, "-c", entry, *words)
    assert printed


def test_python_m_parlour_names_itself_in_usage_errors(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "parlour", "no-such-command"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("parlour: error: command must be one of ")


def test_parlour_has_the_public_names_of_all_packages() -> None:
    packages = [import_module(f"parlour.{one}") for one in ("envs", "agents", "training")]
    names = [name for package in packages for name in package.__all__]
    assert len(names) == len(set(names)), "two packages have the same name"
    assert sorted([*names, "__version__"]) == sorted(parlour.__all__)
    for package in packages:
        for name in package.__all__:
            assert getattr(parlour, name) is getattr(package, name)
    assert dir(parlour) == sorted(parlour.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'parlour' has no attribute 'no_such'"):
        parlour.no_such  # noqa: B018


def test_a_name_is_imported_on_first_use(tmp_path: Path) -> None:
    code = """
import sys, parlour
env = parlour.make("pyramid", variant="three-passes")
print("torch" in sys.modules, "parlour.agents" in sys.modules, repr(env))
"""
    printed = run_python(tmp_path, "-c", code)
    assert printed == "False False <CardEnv Pyramid, three-passes>\n", printed
