"""The examples run as their first lines say, on less."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
ARGUMENTS = {
    "sb3_masked.py": ["--steps", "8192", "--deals", "50"],
    "own_loop.py": ["--steps", "8192"],
    "own_network.py": [],
    "agent_in_gymnasium.py": ["--agent", "mcts@20"],
}
SAYS = {
    "sb3_masked.py": "greedy",
    "own_loop.py": "reward a game",
    "own_network.py": "mine",
    "agent_in_gymnasium.py": "score",
}


def test_every_example_is_run() -> None:
    assert {file.name for file in FOLDER.glob("*.py")} == set(ARGUMENTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / name), *ARGUMENTS[name]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert SAYS[name] in done.stdout
