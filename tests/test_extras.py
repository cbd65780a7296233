"""Optional dependencies: each library has an extra, and an import without it names the extra."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from parlour.extras import EXTRAS, explain_missing, name_extra

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BASE = {"gymnasium", "numba", "numpy"}
ALWAYS = BASE | {"llvmlite", "parlour", "sqlalchemy", "traitlets"} | set(sys.stdlib_module_names)
"""llvmlite comes with Numba, SQLAlchemy with Optuna, and traitlets with anywidget."""
DISTRIBUTIONS = {
    "PIL": "pillow",
    "openenv": "openenv-core",
    "pygame": "pygame-ce",
    "pyspiel": "open-spiel",
}
"""Names of distributions that differ from those of their modules."""
IMPORTS = {
    "parlour.envs.interfaces.sb3": ("stable_baselines3", "train"),
    "parlour.envs.interfaces.pettingzoo": ("pettingzoo", "pettingzoo"),
    "parlour.envs.interfaces.openspiel": ("pyspiel", "openspiel"),
    "parlour.envs.interfaces.rllib": ("ray", "ray"),
    "parlour.envs.interfaces.verifiers": ("verifiers", "verifiers"),
    "parlour.envs.interfaces.openenv": ("openenv", "openenv"),
}
NAMES = {
    "parlour.agents.from_sb3": ("torch", "train"),
    "parlour.training.train": ("torch", "train"),
    "parlour.training.tune": ("optuna", "train"),
    "parlour.LearnedAgent": ("torch", "train"),
}


def name_distribution(requirement: str) -> str:
    return re.split(r"[<>=!\[; ]", requirement)[0].lower().replace("_", "-")


def test_parlour_without_extras_needs_three_libraries() -> None:
    assert {name_distribution(one) for one in PROJECT["dependencies"]} == BASE


def test_extras_have_lower_bounds_and_no_pins() -> None:
    for extra, needs in PROJECT["optional-dependencies"].items():
        for one in needs:
            assert "==" not in one, f"{extra}: pins belong to constraints.txt"
            assert ">=" in one or one.startswith("parlour[") or extra == "peers", one


def test_every_library_is_in_its_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    for module, extra in EXTRAS.items():
        name = DISTRIBUTIONS.get(module, module).lower().replace("_", "-")
        assert name in map(name_distribution, extras[extra]), f"{module} is not in {extra}"


def test_the_extra_all_has_every_extra_for_users() -> None:
    (needs,) = PROJECT["optional-dependencies"]["all"]
    # The extra `window` includes the extra `pictures`. Adapters of language models have large
    # dependencies, which may conflict, so each has an environment of its own.
    users = set(EXTRAS.values()) - {"films", "openenv", "pictures", "verifiers"}
    assert set(needs.removeprefix("parlour[").removesuffix("]").split(",")) == users


def test_every_import_is_a_dependency_or_in_an_extra() -> None:
    folders = ("parlour", "envs", "agents", "training", "page")
    imported = set()
    for path in (one for folder in folders for one in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).partition(".")[0])
    assert imported - ALWAYS - EXTRAS.keys() == set()


def run_without(library: str, code: str) -> str:
    """Return the last line of stderr of code that runs without a library."""
    hidden = f"import sys; sys.modules[{library!r}] = None\n"
    command = [sys.executable, "-c", hidden + code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("module", IMPORTS)
def test_an_interface_names_its_extra(module: str) -> None:
    library, extra = IMPORTS[module]
    error = run_without(library, f"import {module}")
    assert error.startswith(f"ModuleNotFoundError: {module} needs ")
    assert f'pip install "parlour[{extra}]"' in error


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_names_its_extra(name: str) -> None:
    library, extra = NAMES[name]
    package, _, attribute = name.rpartition(".")
    error = run_without(library, f"import {package}; {package}.{attribute}")
    text = explain_missing(f"parlour.[a-z]+.{attribute}", library)
    assert re.search(text.replace("[train]", r"\[train\]"), error), error
    assert extra == EXTRAS[library]


def test_other_missing_modules_keep_their_error() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_module'"):  # noqa: SIM117
        with name_extra("a test"):
            import no_such_module  # noqa: F401
