"""A wheel contains all files, so that an installation works without the checkout."""

import os
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


def run(folder: Path, *words: str | Path, **settings: str) -> str:
    """Run a command in a folder; return its output, or fail with its error message."""
    command = [str(word) for word in words]
    environment = os.environ | settings
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


def copy_source(folder: Path) -> None:
    """Copy the sources of a wheel, so that a build does not write into the checkout."""
    for name in FOLDERS:
        unwanted = shutil.ignore_patterns("__pycache__", "*.nb[ic]")
        shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)


def build_wheel(source: Path, folder: Path, **settings: str) -> Path:
    """Build a wheel, remove its source, and return its path."""
    build = ("-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source)
    run(source, sys.executable, *build, **settings)
    (result,) = folder.glob("*.whl")
    shutil.rmtree(source)
    return result


def install(wheel: Path, folder: Path) -> Path:
    """Create a virtual environment with the wheel and the libraries of the tests' environment.

    A path file adds the folder of these libraries. Python ignores the path files in that folder,
    such as the one that installs the checkout.
    """
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install")
    run(folder, *pip, "--no-index", "--no-deps", wheel)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(folder, python, "-c", where).strip())
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "libraries.pth").write_text("\n".join(sorted(libraries)))
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel without kernels."""
    source = tmp_path_factory.mktemp("source")
    copy_source(source)
    return build_wheel(source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a virtual environment with the wheel."""
    return install(wheel, tmp_path_factory.mktemp("installed"))


@pytest.mark.slow
def test_an_installed_wheel_runs_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    python, command = installed / "bin" / "python", installed / "bin" / "parlour"
    paths = run(tmp_path, python, "-c", WHERE).splitlines()
    assert len(paths) >= 5
    assert all(Path(path).is_relative_to(installed) for path in paths), paths

    rules = run(tmp_path, sys.executable, "-m", "parlour", "rules", "pyramid")
    assert "three-passes" in rules
    assert run(tmp_path, python, "-m", "parlour", "rules", "pyramid") == rules
    assert run(tmp_path, command, "rules", "pyramid") == rules


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


FIRST_STEP = """
import gymnasium, parlour
from parlour.envs.core.kernel.jit import count_compilations
for name in ("Pyramid", "PussInTheCorner"):
    for make in (gymnasium.make, gymnasium.make_vec):
        env = make(f"parlour/{name}-v0")
        _, info = env.reset(seed=0)
        env.step(info["action_mask"].argmax(axis=-1))
    print(name, count_compilations())
"""


@pytest.fixture(scope="module")
def with_kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a virtual environment with a wheel that contains only the kernels of Pyramid."""
    kernels = tmp_path_factory.mktemp("kernels")
    compiled = ("-m", "parlour", "compile", "pyramid", "--no-solver", "--out", kernels)
    run(kernels.parent, sys.executable, *compiled)
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    copy_source(source)
    return install(
        build_wheel(source, made, PARLOUR_KERNELS=str(kernels)),
        tmp_path_factory.mktemp("with_kernels"),
    )


@pytest.mark.slow
def test_a_wheel_with_kernels_compiles_nothing(with_kernels: Path, tmp_path: Path) -> None:
    """The wheel has kernels of Pyramid, but not of Puss in the Corner."""
    python = with_kernels / "bin" / "python"
    lines = run(tmp_path, python, "-c", FIRST_STEP).splitlines()
    assert lines[0] == "Pyramid 0"
    assert int(lines[1].split()[1]) > 10
    agents = ("uniform", "greedy", "pretrained", "mcts@2")
    code = (
        "import sys; from parlour.training.cli.main import main; "
        "from parlour.envs.core.kernel.jit import count_compilations; main(sys.argv[1:]); "
        "print(count_compilations())"
    )
    words = ("compare", "pyramid", "--deals", "3", "--agents", *agents)
    assert run(tmp_path, python, "-c", code, *words).splitlines()[-1] == "0"


@pytest.mark.slow
def test_an_installed_wheel_trains_and_its_agent_plays(installed: Path, tmp_path: Path) -> None:
    """The preset is in a data file of the package."""
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
    run(tmp_path, command, "train", "pyramid", "--preset", "demo", *small, *where)
    (agent,) = (tmp_path / "runs").glob("*/seed-0/agent")
    run(tmp_path, command, "evaluate", "pyramid", "--agent", agent, "--deals", "10")


@pytest.mark.slow
def test_the_source_distribution_has_the_example_game(tmp_path: Path) -> None:
    """A notebook loads the example game from the source distribution."""
    source, out = tmp_path / "source", tmp_path / "out"
    unwanted = shutil.ignore_patterns("__pycache__", "*.nb[ic]")
    for name in ("parlour", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=unwanted)
    for name in ("envs", "agents", "training", "page"):
        (source / name).mkdir()
    for name in (*FILES, "MANIFEST.in"):
        shutil.copy(ROOT / name, source / name)
    build = ("-m", "build", "--sdist", "--no-isolation", "--outdir", out, source)
    run(tmp_path, sys.executable, *build)
    (made,) = out.glob("parlour-*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(out, filter="data")
        root = out / archive.getnames()[0]
    code = "from tests.example_game.alone import GAME; print(GAME.name)"
    assert run(root, sys.executable, "-c", code) == "higher_or_lower\n"
