"""TD learning of an afterstate table: it learns, resumes bit-identically, and checks its input."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as tensor_bytes

from parlour.agents.networks.value_table import ValueTableAgent, require_afterstates
from parlour.agents.registry import load_agent
from parlour.agents.saved import SavedAgentError
from parlour.envs import GAMES
from parlour.envs.core.kernel.jit import plain_python
from parlour.envs.core.options import as_record
from parlour.training.evaluation.compare import evaluate
from parlour.training.learning.methods import td
from parlour.training.learning.methods.td import (
    LearningPlan,
    TDRun,
    allocate_buffers,
    make_td_kernel,
)
from parlour.training.learning.settings.files import preset
from parlour.training.learning.settings.methods import TDSettings
from parlour.training.learning.train import Interrupted, resume, train
from tests.marks import slow_if

GAME = GAMES["poker_squares"]


def settings(folder: Path, **changes: object) -> TDSettings:
    base = replace(preset("poker_squares", "td"), runs=str(folder), name="test")
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


@pytest.mark.slow
@pytest.mark.parametrize(("total", "adaptive"), [(750_000, True), (1_500_000, False)])
def test_it_resumes_to_the_same_table(
    total: int, adaptive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {name: total // 3 for name in ("eval_interval", "checkpoint_interval")}
    small |= {"total_steps": total, "eval_deals": total // 3000, "adaptive": adaptive}
    small["step_size"] = 1.0 if adaptive else 0.1  # by 1 the values diverge without
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


@pytest.mark.parametrize(
    "given",
    [slow_if(False, (False, 0.0), name="begun"), slow_if(True, (True, 0.6), name="given up")],
)
def test_a_run_goes_on_when_what_it_sums_up_is_edited(
    given: tuple[bool, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel writes the errors by index, so the array must exist when it is needed."""
    small = {"total_steps": 600_000, "checkpoint_interval": 100_000, "eval_deals": 50}
    small |= {"adaptive": given[0], "average": given[1], "step_size": 0.1}
    iterate, save = TDRun.iterate, TDRun.save
    saved: list[TDRun] = []

    def stop_in_the_middle(run: TDRun) -> dict[str, float]:
        if run.steps >= 300_000:
            raise KeyboardInterrupt
        return iterate(run)

    def save_and_tell(run: TDRun) -> None:
        saved.append(run)
        save(run)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(TDRun, "iterate", stop_in_the_middle)
        train(settings(tmp_path, **small), quiet=True)
    (folder,) = (path.parent for path in tmp_path.glob("*/settings.json"))
    message = json.loads((folder / "settings.json").read_text())
    message |= {"adaptive": not given[0], "average": 0.6 - given[1]}
    (folder / "settings.json").write_text(json.dumps(message))
    monkeypatch.setattr(TDRun, "save", save_and_tell)
    with pytest.warns(UserWarning, match="adaptive was .* and is now .*; average was"):
        resume(folder, quiet=True)
    run, sums = saved[-1], not given[0]
    size = run.values.num_features if sums else 0
    assert (run.errors.shape, run.mean.shape) == ((size, 2), (size,))
    assert bool(run.averaged) == bool(run.errors.any()) == bool(run.mean.any()) == sums


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="a value table requires a game with afterstate features, got Pyramid"
    ):
        TDSettings(game="pyramid")
    with pytest.raises(ValueError, match="reward must be 'progress' for method 'td', got 'win'"):
        settings(tmp_path, reward="win")
    with pytest.raises(ValueError, match="step_size"):
        settings(tmp_path, step_size=-1.0)
    with pytest.raises(ValueError, match="diverged"):
        train(settings(tmp_path, step_size=50.0, total_steps=20_000_000), quiet=True)


def test_only_players_by_rule_teach() -> None:
    with pytest.raises(
        ValueError, match=r"pretrain_agent must be .*, got 'tipp'. Did you mean 'tip'"
    ):
        TDSettings(game="puss-in-the-corner", pretrain_agent="tipp")
    with pytest.raises(ValueError, match=r"pretrain_agent must be .*columns.*, got 'tip'"):
        TDSettings(game="poker-squares", pretrain_agent="tip")


def test_a_value_learns_by_what_its_errors_have_in_common() -> None:
    """After the errors +4, +4, -2 the factor is |6| / 10; before any error it is 1."""
    errors, coherence = np.zeros(2, np.float32), plain_python(td.coherence)
    shares = [coherence(errors, error) for error in (4.0, 4.0, -2.0, 1.0)]
    assert shares == pytest.approx([1.0, 1.0, 1.0, 0.6])
    assert errors.tolist() == [7.0, 11.0]


def learned(name: str, plan: LearningPlan, teacher: str | None = None) -> tuple[Any, ...]:
    """Return the table, the errors and the tally after some games with a plan."""
    game = GAMES[name]
    size = require_afterstates(game).num_features
    table, seen = np.zeros(size, np.float32), np.zeros(size, np.int32)
    errors, tally = np.zeros((size, 2), np.float32), np.zeros(4, np.int64)
    states, rules = np.zeros(1, game.state), as_record(game.make_rules())
    room, weights = allocate_buffers(game), game.default_weights
    states["rng"] = 7
    make_td_kernel(name, teacher)(states, rules, weights, table, seen, errors, room, plan, tally)
    return table, errors, tally


@pytest.mark.slow
def test_the_teacher_plays_the_pretraining() -> None:
    """Without random actions, pretraining plays the teacher's games."""
    plan = LearningPlan(0.0, 1.0, 0.0, 0.1, 1.0, 200.0, 0.0, 1.0)
    tallies = [learned("puss_in_the_corner", plan, one)[2] for one in (None, "tip")]
    assert tallies[0][0] == tallies[1][0] == 200 and tallies[0][2] != tallies[1][2]


def test_an_adaptive_plan_sums_up_errors_and_another_does_not() -> None:
    plan = LearningPlan(0.0, 1.0, 0.0, 0.1, 1.0, 20.0, 0.0, 1.0)
    table, errors, _ = learned("poker_squares", plan)
    assert ((errors[:, 1] > 0) == (table != 0)).mean() > 0.999
    assert (np.abs(errors[:, 0]) <= errors[:, 1] * 1.001).all()
    assert not learned("poker_squares", plan._replace(adaptive=0.0))[1].any()


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    run = train(settings(tmp_path, total_steps=250_000), quiet=True)
    agent_file = agent_of(run) / "agent.json"
    content = agent_file.read_text()
    with pytest.raises(SavedAgentError, match="trained on other rules"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules("british"))
    description = json.loads(content)
    description["network"]["options"]["version"] = 99
    agent_file.write_text(json.dumps(description))
    with pytest.raises(SavedAgentError, match=", version 99"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules())
    description = json.loads(content)
    description["network"]["width"] -= 1
    agent_file.write_text(json.dumps(description))
    size = require_afterstates(GAME).num_features
    with pytest.raises(SavedAgentError, match=f"the table must have {size} values.*got {size - 1}"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules())
    agent_file.write_text(content)
    weights = agent_of(run) / "weights.safetensors"
    data = tensor_bytes({"values": np.zeros(size - 1, np.float32)})
    weights.write_bytes(data)
    description = json.loads(content) | {"weights_sha256": sha256(data).hexdigest()}
    agent_file.write_text(json.dumps(description))
    with pytest.raises(SavedAgentError, match=rf"must be float32 \({size},\), got"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules())
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(SavedAgentError, match="incomplete, damaged"):
        load_agent(str(agent_of(run)), GAME, GAME.make_rules())


def test_the_table_is_finite_and_mostly_untouched(tmp_path: Path) -> None:
    run = train(settings(tmp_path, total_steps=250_000), quiet=True)
    table = ValueTableAgent.load(agent_of(run), GAME).table
    assert np.isfinite(table).all() and 0 < (table != 0).mean() < 0.1


@pytest.mark.slow
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
    actual = json.loads((run / "result.json").read_text())
    uniform = evaluate("puss_in_the_corner", "uniform", deals=500).estimate("score")
    assert actual["score"]["mean"] > uniform.high + 5


def test_a_checkpoint_of_other_features_is_not_gone_on_with(tmp_path: Path) -> None:
    run = train(settings(tmp_path, total_steps=250_000), quiet=True)
    (run / "seed-0" / "result.json").unlink()
    rules = json.loads((run / "rules.json").read_text())
    rules["learned"]["version"] = -1
    (run / "rules.json").write_text(json.dumps(rules))
    with pytest.raises(ValueError, match="learned was"):
        resume(run, quiet=True)
