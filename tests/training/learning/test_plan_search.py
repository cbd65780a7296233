"""Plan-search: its losses, its memory, what it learns, and how it resumes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from parlour.envs import GAMES
from parlour.envs.core.plan_values import SearchedPlans
from parlour.training.evaluation.compare import evaluate
from parlour.training.learning import checkpoint
from parlour.training.learning.methods.plan_search import (
    PlanSearchRun,
    imitation_loss,
    join_plans,
    store_games,
)
from parlour.training.learning.settings.files import preset
from parlour.training.learning.settings.methods import PlanSearchSettings
from parlour.training.learning.train import resume, train

GAME = GAMES["klondike"]


def settings(folder: Path, **changes: object) -> PlanSearchSettings:
    base = replace(preset("klondike", "plan-search"), runs=str(folder), name="test")
    small = {"total_steps": 400, "games": 10, "search_iterations": 50, "width": 16, "units": 8}
    small |= {"eval_deals": 20, "eval_interval": 200, "checkpoint_interval": 200}
    return replace(base, **{**small, **changes})  # type: ignore[arg-type]


def make_plans(positions: list[int], visits: list[int], chosen: list[bool]) -> SearchedPlans:
    ids = np.arange(len(positions), dtype=np.int16)[:, None]
    return SearchedPlans(ids, np.array(visits), np.array(positions), np.array(chosen), True)


def test_the_loss_is_the_cross_entropy_to_the_visits() -> None:
    """Two positions with two plans and one position with three."""
    logits = torch.tensor([0.0, 1.0, 3.0, 3.0, -1.0, 0.5, 2.0], requires_grad=True)
    position, visits = torch.tensor([0, 0, 1, 1, 2, 2, 2]), torch.tensor([3.0, 1, 5, 5, 1, 0, 9])
    loss = imitation_loss(logits, position, visits, 3)
    wanted = []
    for rows in ([0, 1], [2, 3], [4, 5, 6]):
        shares = visits[rows] / visits[rows].sum()
        wanted.append(-(shares * logits[rows].log_softmax(0)).sum())
    assert loss.item() == pytest.approx(sum(wanted).item() / 3)
    loss.backward()
    gradient = (logits[:2].softmax(0) - torch.tensor([0.75, 0.25])) / 3
    assert torch.allclose(logits.grad[:2], gradient)  # type: ignore[index]


def test_games_are_stored_in_order() -> None:
    first = make_plans([0, 1, 1], [0, 8, 9], [True, False, True])
    second = make_plans([0, 0, 0, 1], [4, 1, 2, 0], [True, False, False, True])._replace(won=False)
    stored = store_games([first, second])
    assert stored.starts.tolist() == [0, 1, 3, 6]
    assert stored.visits.tolist() == [1, 8, 9, 4, 1, 2, 1]
    assert stored.won.tolist() == [True] * 3 + [False] * 4
    joined = join_plans(stored, store_games([first]))
    assert joined.starts.tolist() == [0, 1, 3, 6, 7, 8]
    assert joined.ids[:, 0].tolist() == [0, 1, 2, 0, 1, 2, 3, 0, 1, 2]


@pytest.mark.parametrize(("steps", "epochs"), [(200, 0), (400, 1)])
def test_it_resumes_to_the_same_network(
    steps: int, epochs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run stops while it plays, and while it learns."""
    whole = train(settings(tmp_path / "whole"), quiet=True)
    iterate = PlanSearchRun.iterate

    def stop_in_the_middle(run: PlanSearchRun) -> dict[str, float]:
        if run.steps >= steps and run.epochs >= epochs:
            raise KeyboardInterrupt
        return iterate(run)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(PlanSearchRun, "iterate", stop_in_the_middle)
        train(settings(tmp_path / "cut"), quiet=True)
    cut = resume(tmp_path / "cut" / whole.name)
    first, second = (
        (run / "seed-0" / "agent" / "weights.safetensors").read_bytes() for run in (whole, cut)
    )
    assert first == second
    saved = checkpoint.latest(whole / "seed-0")
    assert saved is not None
    assert len(saved.arrays["memory/starts"]) == saved.values["steps"]
    result = json.loads((cut / "seed-0" / "result.json").read_text())
    assert (result["unit"], result["steps"]) == ("plans", saved.values["steps"])


def test_the_loss_falls(tmp_path: Path) -> None:
    run = train(settings(tmp_path, n_epochs=12, batch_size=16, learning_rate=0.01), quiet=True)
    lines = (run / "seed-0" / "progress.jsonl").read_text().splitlines()
    losses = [values["train/loss"] for values in map(json.loads, lines) if "train/loss" in values]
    assert len(losses) == 12
    assert losses[-1] < losses[0] - 0.1


@pytest.mark.slow
def test_it_improves_an_agent(tmp_path: Path) -> None:
    """From a new network, which chooses plans at random."""
    small = {"search_iterations": 100, "width": 64, "units": 32, "n_epochs": 20}
    run = train(settings(tmp_path, total_steps=6000, games=50, **small), quiet=True)
    small |= {"learning_rate": 0.0, "name": "first"}
    first = train(settings(tmp_path, total_steps=1, **small), quiet=True)
    learned, untrained = (
        evaluate(GAME, str(one / "seed-0" / "agent"), deals=1000).estimate("won")
        for one in (run, first)
    )
    assert learned.low > untrained.high, (learned, untrained)


def test_a_run_learns_although_it_ends_sooner_or_later_than_planned(tmp_path: Path) -> None:
    """The settings of a stopped or finished run may change."""
    run = train(settings(tmp_path, n_epochs=2), quiet=True)
    values = checkpoint.latest(run / "seed-0").values  # type: ignore[union-attr]
    assert values["epochs"] == 2
    learned = (run / "seed-0" / "agent" / "weights.safetensors").read_bytes()
    file = run / "settings.json"
    longer = json.loads(file.read_text()) | {"total_steps": values["steps"] + 50}
    file.write_text(json.dumps(longer))
    (run / "seed-0" / "result.json").unlink()
    with pytest.warns(UserWarning, match="total_steps was 400 and is now"):
        resume(run, quiet=True)
    after = checkpoint.latest(run / "seed-0").values  # type: ignore[union-attr]
    assert after["steps"] > values["steps"] and after["epochs"] == 2
    assert (run / "seed-0" / "agent" / "weights.safetensors").read_bytes() != learned
    limited = train(settings(tmp_path, name="limited", minutes=0.01, total_steps=10**6), quiet=True)
    values = checkpoint.latest(limited / "seed-0").values  # type: ignore[union-attr]
    assert values["epochs"] == 2


def test_a_diverged_network_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = PlanSearchRun._learn

    def diverge(run: PlanSearchRun, *arguments: object) -> float:
        with torch.no_grad():
            run.module.output.bias.fill_(torch.nan)
        return learn(run, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(PlanSearchRun, "_learn", diverge)
    with pytest.raises(ValueError, match=r"diverged at step \d+ with learning_rate=0\.001"):
        train(settings(tmp_path), quiet=True)


def test_games_without_a_search_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="search for plans requires klondike, got Puss in the Cor"):
        PlanSearchSettings(game="puss_in_the_corner")
    with pytest.raises(ValueError, match=r"plans require .*, got Pyramid"):
        PlanSearchSettings(game="pyramid")
    with pytest.raises(ValueError, match="passes=0 and partial_runs=yes for plans, got passes=1"):
        settings(tmp_path, variant="one-pass")
    with pytest.raises(ValueError, match="reward must be 'win' for method 'plan-search'"):
        settings(tmp_path, reward="score")
