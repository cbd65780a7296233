"""Functions for tests that kill runs, read finished ones, or give wrong settings."""

import json
from pathlib import Path
from typing import Any

import pytest

from parlour.training.learning import progress
from parlour.training.learning.run import Run
from parlour.training.learning.train import main, train


class Killed(BaseException):
    """Raised in place of killing the process."""


def train_until_killed(
    settings: Any, run_class: type[Run], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Train with ``settings`` and kill the run before its first update after ``steps`` steps."""
    iterate = run_class.iterate

    def iterate_and_die(self: Run) -> dict[str, float]:
        if self.steps >= steps:
            raise Killed
        return iterate(self)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(run_class, "iterate", iterate_and_die)
        train(settings, quiet=True)


def assert_equal_results(again: Path, whole: Path) -> None:
    """Assert that seed 0 of two runs ended with the same evaluations and weights."""
    for name in ("steps", "final", "evaluations", "weights_sha256"):
        assert read_result(again)[name] == read_result(whole)[name], name


def assert_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Assert that ``parlour train`` with these arguments prints one line with ``message``."""
    assert main(words) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def read_result(folder: Path, seed: int = 0) -> dict[str, Any]:
    """Return the result of a seed of a run."""
    result: dict[str, Any] = json.loads((folder / f"seed-{seed}" / "result.json").read_text())
    return result


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Return the log of seed 0 without the times."""
    lines = progress.read(folder / "seed-0" / "progress.jsonl")
    return [{name: line[name] for name in line if name != "time"} for line in lines]
