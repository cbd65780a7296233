"""A run or labeling that is killed at any file operation resumes to the same result."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.marks import slow_if

ROOT = Path(__file__).parents[3]


def kill_and_resume(what: str, folder: Path, first: int, every: int) -> None:
    module = "tests.training.learning.killed_processes"
    words = [sys.executable, "-m", module, what, str(folder), first, every]
    completed = subprocess.run(
        list(map(str, words)), cwd=ROOT, capture_output=True, text=True, timeout=1500
    )
    assert completed.returncode == 0, completed.stderr
    *wrong, last = completed.stdout.splitlines()
    assert wrong == []
    assert json.loads(last)["operations"] > 15
    assert json.loads(last)["died"] > 3


@pytest.mark.parametrize(
    ("what", "first", "every"),
    [slow_if(True, "cma-es", 0, 17), ("deal_set", 1, 5), slow_if(True, "ppo", 2, 17)],
)
def test_runs_killed_at_some_operations_resume(
    what: str, first: int, every: int, tmp_path: Path
) -> None:
    kill_and_resume(what, tmp_path, first, every)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "every"), [("cma-es", 1), ("deal_set", 1), ("ppo", 2)])
def test_runs_killed_at_every_operation_resume(what: str, every: int, tmp_path: Path) -> None:
    kill_and_resume(what, tmp_path, 0, every)
