"""The precision of matrix products in training follows its setting and changes nothing else."""

from pathlib import Path
from typing import Any

import pytest
import torch

from parlour.training.learning.methods import load_method
from parlour.training.learning.network_run import HIGHEST, learning_precision, supported_precision
from parlour.training.learning.run import Run
from parlour.training.learning.settings.methods import PPOSettings, make_settings
from parlour.training.learning.train import train

SMALL: dict[str, Any] = {
    "width": 8,
    "depth": 1,
    "total_steps": 64,
    "n_envs": 8,
    "n_steps": 4,
    "batch_size": 16,
    "n_epochs": 1,
    "eval_interval": 32,
    "eval_deals": 5,
    "device": "cpu",
    "name": "small",
}
PATIENCE = {"game": "pyramid", "variant": "three-passes"}
GIVEN: dict[str, dict[str, Any]] = {
    "ppo": PATIENCE,
    "pqn": PATIENCE,
    "distill": PATIENCE | {"teacher": "pimc@1"},
    "selfplay": {"game": "seven_twenty_seven", "variant": "mini", "network": "numbers"},
}


def pretend(monkeypatch: pytest.MonkeyPatch, amx: bool) -> None:
    """Make torch report a CPU with or without AMX."""
    result = dict(torch.cpu.get_capabilities()) | {"amx_bf16": amx}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: result)


@pytest.mark.parametrize("method", list(GIVEN))
def test_a_run_learns_by_its_precision_and_is_evaluated_by_the_highest(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, True)
    seen: dict[str, set[str]] = {"learns": set(), "plays": set()}

    def noting(name: str, what: Any) -> Any:
        def call(self: Run) -> Any:
            seen[name].add(torch.get_float32_matmul_precision())
            return what(self)

        return call

    kind = load_method(method)
    monkeypatch.setattr(kind, "iterate", noting("learns", kind.iterate))
    monkeypatch.setattr(kind, "evaluate", noting("plays", kind.evaluate))
    before = torch.get_float32_matmul_precision()
    settings = make_settings(method, **SMALL, **GIVEN[method], runs=str(tmp_path))
    train(settings, quiet=True)
    assert seen == {"learns": {"medium"}, "plays": {"highest"}}
    assert torch.get_float32_matmul_precision() == before


@pytest.mark.parametrize("precision", ["highest", "high", "medium"])
def test_a_processor_without_amx_takes_the_highest(
    precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, False)
    assert supported_precision(precision, "cpu") == HIGHEST
    with learning_precision(PPOSettings(precision=precision, device="cpu")):  # type: ignore[arg-type]
        assert torch.get_float32_matmul_precision() == HIGHEST
    pretend(monkeypatch, True)
    assert supported_precision(precision, "cpu") == precision


def test_a_processor_that_says_nothing_takes_the_highest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    assert supported_precision("medium", "cpu") == HIGHEST


def test_afterwards_all_is_as_before_also_where_learning_fails() -> None:
    before = torch.get_float32_matmul_precision()
    with pytest.raises(ZeroDivisionError), learning_precision(PPOSettings(device="cpu")):
        raise ZeroDivisionError
    assert torch.get_float32_matmul_precision() == before


def test_other_words_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"precision must be one of 'highest', 'high', .*, got 'bfloat16'"
    ):
        PPOSettings(precision="bfloat16")  # type: ignore[arg-type]
