"""What is installed from a wheel works without the checkout: no file is left behind."""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("parlour", "envs", "agents", "training", "page")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
WHERE = """
import parlour, parlour.agents.registry, parlour.envs.games.pyramid.rules, parlour.training.cli
parts = parlour, parlour.agents, parlour.envs, parlour.training
print(*(path for part in parts for path in part.__path__), parlour.training.cli.__file__, sep="\\n")
"""


def ran(folder: Path, *words: str | Path) -> str:
    """What a command says, run in a folder; AssertionError with its complaint if it fails."""
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from a copy so that nothing is written into the checkout, nor read from it."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in FOLDERS:
        unwanted = shutil.ignore_patterns("__pycache__", "*.nb[ic]")
        shutil.copytree(ROOT / name, source / name, ignore=unwanted)
    for name in FILES:
        shutil.copy(ROOT / name, source / name)
    build = ("-m", "build", "--wheel", "--no-isolation", "--outdir", made, source)
    ran(source, sys.executable, *build)
    (result,) = made.glob("*.whl")
    shutil.rmtree(source)
    return result


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and the libraries of the environment of the tests.

    A path file names their folder; the path files in that, such as the one by which the checkout
    itself is installed, then do not count.
    """
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install")
    ran(folder, *pip, "--no-index", "--no-deps", wheel)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(ran(folder, python, "-c", where).strip())
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "libraries.pth").write_text("\n".join(sorted(libraries)))
    return folder


@pytest.mark.slow
def test_an_installed_wheel_has_all_that_it_needs(installed: Path, tmp_path: Path) -> None:
    python, command = installed / "bin" / "python", installed / "bin" / "parlour"
    paths = ran(tmp_path, python, "-c", WHERE).splitlines()
    assert len(paths) >= 5
    assert all(Path(path).is_relative_to(installed) for path in paths), paths

    rules = ran(tmp_path, sys.executable, "-m", "parlour", "rules", "pyramid")
    assert "three-passes" in rules
    assert ran(tmp_path, python, "-m", "parlour", "rules", "pyramid") == rules
    assert ran(tmp_path, command, "rules", "pyramid") == rules


@pytest.mark.slow
def test_a_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    wanted = [path.relative_to(ROOT) for path in files if path.parent.name != "__pycache__"]
    inside = {
        path.relative_to("parlour") if path.parts[0] == "parlour" else path for path in wanted
    }
    assert held == {f"parlour/{path.as_posix()}" for path in inside}


@pytest.mark.slow
def test_an_installed_wheel_trains_and_its_agent_plays(installed: Path, tmp_path: Path) -> None:
    """By a preset, which is read from a data file of the package."""
    command = installed / "bin" / "parlour"
    small = ("--total-steps", "512", "--n-envs", "16", "--n-steps", "16", "--batch-size", "64")
    where = (
        "--runs",
        tmp_path / "runs",
        "--name",
        "small",
        "--device",
        "cpu",
        "--eval-deals",
        "10",
    )
    ran(tmp_path, command, "train", "pyramid", "--preset", "demo", *small, *where)
    (agent,) = (tmp_path / "runs").glob("*/seed-0/agent")
    ran(tmp_path, command, "evaluate", "pyramid", "--agent", agent, "--deals", "10")


@pytest.mark.slow
def test_the_source_distribution_has_the_example_game(tmp_path: Path) -> None:
    """A notebook gets it from there."""
    source, out = tmp_path / "source", tmp_path / "out"
    unwanted = shutil.ignore_patterns("__pycache__", "*.nb[ic]")
    for name in ("parlour", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=unwanted)
    for name in ("envs", "agents", "training", "page"):
        (source / name).mkdir()
    for name in (*FILES, "MANIFEST.in"):
        shutil.copy(ROOT / name, source / name)
    build = ("-m", "build", "--sdist", "--no-isolation", "--outdir", out, source)
    ran(tmp_path, sys.executable, *build)
    (made,) = out.glob("parlour-*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(out, filter="data")
        root = out / archive.getnames()[0]
    code = "from tests.example_game.alone import GAME; print(GAME.name)"
    assert ran(root, sys.executable, "-c", code) == "higher_or_lower\n"
