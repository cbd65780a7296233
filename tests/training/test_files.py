"""Atomic files, errors with paths, and folders with one user at a time."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from parlour.training import files
from parlour.training.cli.main import FAILED, main
from parlour.training.learning import checkpoint
from parlour.training.learning import train as trainer
from parlour.training.learning.train import main as train_main
from parlour.training.learning.train import resume

WORDS = (
    "poker-squares --method cma-es --generations 2 --population 4 --candidate-deals 20 "
    "--eval-deals 5 --name x --runs"
)


def fill_disk(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_keeps_the_old_file_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.json"
    files.write_json(path, 1)
    monkeypatch.setattr(files, "sync", fill_disk)
    with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
        files.write_json(path, 2)
    assert json.loads(path.read_text()) == 1
    assert os.listdir(tmp_path) == ["result.json"]
    with (
        pytest.raises(OSError, match=f"No space left on device: '{tmp_path / 'agent'}'"),
        files.whole_folder(tmp_path / "agent") as aside,
    ):
        (aside / "weights").write_bytes(b"1")
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_run_on_a_full_disk_says_how_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "poker_squares-classic-x"
    saved = checkpoint.np.savez
    written: list[Path] = []

    def save(path: Path, **arrays: Any) -> None:
        if written:
            fill_disk()
        written.append(path)
        saved(path, **arrays)

    monkeypatch.setattr(checkpoint.np, "savez", save)
    assert train_main([*WORDS.split(), str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert f"No space left on device: '{folder}/seed-0/checkpoints/" in error
    assert f"Checkpoints are kept. To resume: parlour train --resume {folder}\n" in error
    assert "Traceback" not in error
    monkeypatch.setattr(checkpoint.np, "savez", saved)
    assert train_main(["--resume", str(folder)]) == 0
    assert (folder / "result.json").is_file()


@pytest.mark.parametrize("part", ["parlour", "kernels", "learning"])
def test_resuming_with_other_code_says_what_has_changed(
    part: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert train_main([*WORDS.split(), str(tmp_path)]) == 0
    folder = tmp_path / "poker_squares-classic-x"
    capsys.readouterr()
    resume(folder)
    assert "has changed" not in capsys.readouterr().err
    rules = json.loads((folder / "rules.json").read_text())
    assert set(rules["code"]) == {"parlour", "kernels", "learning"}
    rules["code"][part] = "other"
    (folder / "rules.json").write_text(json.dumps(rules))
    resume(folder)
    error = capsys.readouterr().err
    assert f"{folder}: the code has changed since the run began ({part} was other, is " in error


def test_digests_of_code_follow_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from parlour.envs import find_game

    before = trainer.describe_code(find_game("poker_squares"))
    assert trainer.describe_code(find_game("poker_squares")) == before
    other = trainer.describe_code(find_game("pyramid"))
    assert other["kernels"] != before["kernels"]
    monkeypatch.setattr(trainer, "__file__", str(tmp_path / "train.py"))
    (tmp_path / "train.py").write_text("changed")
    assert trainer.describe_code(find_game("pyramid"))["learning"] != before["learning"]


@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]])
@pytest.mark.parametrize("command", ["evaluate", "compare", "review"])
def test_a_folder_that_another_command_writes_is_refused(
    command: str, jobs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    agent = ["--agent", "greedy"] if command != "compare" else []
    words = [command, "pyramid", *agent, "--deals", "2", "--out", str(out), *jobs]
    with files.sole_use(out / ".chunks", "used"):
        assert main(words) == FAILED
    assert f"{out} is being used by another process" in capsys.readouterr().err
    assert not [path for path in out.iterdir() if not path.name.startswith(".")]
