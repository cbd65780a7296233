"""Learning a table of afterstate values: it learns, resumes bit for bit, and refuses nonsense."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parlour.agents.artefact import ArtefactError
from parlour.agents.registry import load_agent
from parlour.agents.value_table import ValueTableAgent
from parlour.envs import GAMES
from parlour.training.evaluation.evaluate import evaluate
from parlour.training.learning.run_td import TDRun
from parlour.training.learning.settings import TDSettings
from parlour.training.learning.settings_files import preset
from parlour.training.learning.train import Interrupted, resume, train

GAME = GAMES["poker_squares"]


def settings(folder: Path, **changes: object) -> TDSettings:
    base = replace(preset("poker_squares", "values"), runs=str(folder), name="test")
    small = {"total_steps": 1_500_000, "eval_interval": 500_000, "eval_deals": 500}
    return replace(base, **{**small, "checkpoint_interval": 500_000, **changes})  # type: ignore[arg-type]


def agent_of(run: Path) -> Path:
    return run / "seed-0" / "agent"


@pytest.mark.slow
def test_a_short_run_beats_the_heuristic_and_reloads(tmp_path: Path) -> None:
    run = train(settings(tmp_path, total_steps=5_000_000, pretrain=0.4, step_size=0.1), quiet=True)
    learned = evaluate(GAME, str(agent_of(run)), deals=2000).estimate("score")
    greedy = evaluate(GAME, "greedy", deals=2000).estimate("score")
    assert learned.low > greedy.high
    ahead = load_agent(f"expectimax:{agent_of(run)}", GAME, GAME.make_rules())
    assert isinstance(ahead, ValueTableAgent) and ahead.width > 0
    again = json.loads((run / "result.json").read_text())
    assert again["score"]["mean"] == pytest.approx(learned.mean, abs=6)


@pytest.mark.parametrize("total", [750_000, pytest.param(1_500_000, marks=pytest.mark.slow)])
def test_it_resumes_to_the_same_table(
    total: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {name: total // 3 for name in ("eval_interval", "checkpoint_interval")}
    small |= {"total_steps": total, "eval_deals": total // 3000}
    whole = train(settings(tmp_path / "whole", **small), quiet=True)
    plan = TDRun.plan

    def stop_in_the_middle(run: TDRun) -> object:
        if run.steps >= total // 2:
            raise KeyboardInterrupt
        return plan(run)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(TDRun, "plan", stop_in_the_middle)
        train(settings(tmp_path / "cut", **small), quiet=True)
    cut = resume(tmp_path / "cut" / whole.name, quiet=True)
    logs = [(run / "seed-0" / "progress.jsonl").read_text().splitlines() for run in (whole, cut)]
    steps = [[json.loads(line)["steps"] for line in log] for log in logs]
    assert steps[0] == steps[1] == sorted(set(steps[0]))
    weights = [(agent_of(run) / "weights.safetensors").read_bytes() for run in (whole, cut)]
    assert weights[0] == weights[1]
    assert not issubclass(Interrupted, Exception)


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Pyramid names no features of afterstates"):
        TDSettings(game="pyramid")
    with pytest.raises(ValueError, match="reward='win'"):
        settings(tmp_path, reward="win")
    with pytest.raises(ValueError, match="step_size"):
        settings(tmp_path, step_size=-1.0)
    with pytest.raises(ValueError, match="diverged"):
        train(settings(tmp_path, step_size=50.0, total_steps=20_000_000), quiet=True)


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    run = train(settings(tmp_path, total_steps=250_000), quiet=True)
    card = agent_of(run) / "agent.json"
    told = json.loads(card.read_text())
    with pytest.raises(ArtefactError, match="other rules"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules("british"))
    told["network"]["options"]["version"] = 99
    card.write_text(json.dumps(told))
    with pytest.raises(ArtefactError, match="features version 99"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules())
    weights = agent_of(run) / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(ArtefactError, match="cut short"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules())


def test_the_table_is_finite_and_mostly_untouched(tmp_path: Path) -> None:
    run = train(settings(tmp_path, total_steps=250_000), quiet=True)
    table = ValueTableAgent.load(agent_of(run), GAME).table
    assert np.isfinite(table).all() and 0 < (table != 0).mean() < 0.1


def test_a_game_without_parts_learns_from_its_heuristic_first(tmp_path: Path) -> None:
    made = TDSettings(
        game="puss-in-the-corner",
        runs=str(tmp_path),
        name="test",
        total_steps=400_000,
        pretrain=0.5,
        step_size=0.05,
        eval_deals=500,
    )
    run = train(made, quiet=True)
    assert run.name == "puss_in_the_corner-no-redeal-test"
    found = json.loads((run / "result.json").read_text())
    uniform = evaluate("puss_in_the_corner", "uniform", deals=500).estimate("score")
    assert found["score"]["mean"] > uniform.high + 5


def test_a_checkpoint_of_other_features_is_not_gone_on_with(tmp_path: Path) -> None:
    run = train(settings(tmp_path, total_steps=250_000), quiet=True)
    (run / "seed-0" / "result.json").unlink()
    rules = json.loads((run / "rules.json").read_text())
    rules["learned"]["version"] = -1
    (run / "rules.json").write_text(json.dumps(rules))
    with pytest.raises(ValueError, match="learned was"):
        resume(run, quiet=True)
