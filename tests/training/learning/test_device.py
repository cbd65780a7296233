"""The device of a run is recorded and never silently replaced."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from parlour.training import tune
from parlour.training.learning.settings.base import LearnerSettings
from parlour.training.learning.settings.methods import SETTINGS, make_settings
from parlour.training.learning.train import main, resume, train

SMALL: dict[str, Any] = {
    "total_steps": 64,
    "n_envs": 8,
    "n_steps": 4,
    "batch_size": 16,
    "n_epochs": 1,
    "width": 8,
    "depth": 1,
    "eval_deals": 5,
    "name": "small",
}
LEARNERS = [name for name, one in SETTINGS.items() if issubclass(one, LearnerSettings)]
REFUSED = "device must be 'cpu' or 'auto' because PyTorch finds no CUDA device, got 'cuda'"


def pretend(monkeypatch: pytest.MonkeyPatch, has_cuda: bool) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_cuda)


def settings_for(method: str, **given: Any) -> Any:
    game = "seven_twenty_seven" if method == "selfplay" else "pyramid"
    return make_settings(method, game=game, **given)


@pytest.mark.parametrize("method", LEARNERS)
def test_cuda_is_refused_without_cuda(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, False)
    settings = settings_for(method, device="cuda", runs=str(tmp_path / "runs"))
    with pytest.raises(ValueError, match=REFUSED):
        train(settings, quiet=True)
    with pytest.raises(ValueError, match=REFUSED):
        tune(settings, trials=1, quiet=True)
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("method", LEARNERS)
@pytest.mark.parametrize("has_cuda", [False, True])
def test_auto_becomes_the_device_that_is_used(
    method: str, has_cuda: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, has_cuda)
    assert settings_for(method).resolve_device().device == ("cuda" if has_cuda else "cpu")
    assert settings_for(method, device="cpu").resolve_device().device == "cpu"


def test_settings_record_the_device_and_name_it_when_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend(monkeypatch, False)
    folder = train(make_settings("ppo", runs=str(tmp_path), **SMALL), quiet=True)
    kept = json.loads((folder / "settings.json").read_text())
    agent = json.loads((folder / "seed-0" / "agent" / "agent.json").read_text())
    assert kept["device"] == "cpu"
    assert agent["trained"]["settings"]["device"] == "cpu"

    (folder / "settings.json").write_text(json.dumps(kept | {"device": "cuda"}))
    with pytest.raises(ValueError, match=f"settings.json: {REFUSED}"):
        resume(folder)
    (folder / "settings.json").write_text(json.dumps(kept | {"device": "auto"}))
    resume(folder)
    assert " on cpu: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "klondike"], "got '--game'. Use: parlour train klondike"),
        (["klondike", "--game=poker-squares"], "Use: parlour train poker-squares"),
        (["--preset", "demo", "--game"], "Use: parlour train GAME"),
        (["--game", "no-game"], "Use: parlour train GAME"),
    ],
)
def test_the_game_is_no_flag(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "the game must be the first argument, without --game" in error
    assert message in error
