"""Plan-TD: it learns, resumes bit-identically, saves its agent and checks its input."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

from parlour.agents.networks.plan_network import PlanNetworkAgent
from parlour.agents.registry import find_pretrained_folder, load_agent
from parlour.agents.saved import SavedAgentError
from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.plan_values import PlayedPlans
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.play import play_deals
from parlour.training.learning.methods.plan_td import PlanTDRun, lambda_returns
from parlour.training.learning.settings.files import preset
from parlour.training.learning.settings.methods import PlanTDSettings
from parlour.training.learning.train import resume, train

GAME = GAMES["klondike"]


def settings(folder: Path, game: str = "klondike", **changes: object) -> PlanTDSettings:
    base = replace(preset(game, "plan-td"), runs=str(folder), name="test")
    small = {"total_steps": 2000, "games": 50, "width": 16, "units": 8, "eval_deals": 20}
    small |= {"eval_interval": 1000, "checkpoint_interval": 1000}
    return replace(base, **{**small, **changes})  # type: ignore[arg-type]


def agent_of(run: Path) -> Path:
    return run / "seed-0" / "agent"


def test_targets_mix_outcomes_and_later_values() -> None:
    """Two games: a lost one with plans of values 0.5 and 0.8, and a won one with one plan."""
    logits = np.log(np.array([0.5, 0.8, 0.3]) / (1 - np.array([0.5, 0.8, 0.3])))
    games, won = np.array([0, 0, 2]), np.array([False, False, True])
    played = PlayedPlans(np.zeros((3, 1), np.int16), logits, games, won, np.array([6, 0, 0]))
    assert lambda_returns(played, 0.75) == pytest.approx([0.25 * 0.8, 0.0, 1.0])
    assert lambda_returns(played, 1.0) == pytest.approx([0.0, 0.0, 1.0])
    lost = 0.5 * np.exp(-0.15 * 6)
    assert lambda_returns(played, 1.0, lost_value=0.5) == pytest.approx([lost, lost, 1.0])


def test_it_resumes_to_the_same_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train(settings(tmp_path / "whole"), quiet=True)
    iterate = PlanTDRun.iterate

    def stop_in_the_middle(run: PlanTDRun) -> dict[str, float]:
        if run.steps >= 1000:
            raise KeyboardInterrupt
        return iterate(run)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(PlanTDRun, "iterate", stop_in_the_middle)
        train(settings(tmp_path / "cut"), quiet=True)
    cut = resume(tmp_path / "cut" / whole.name, quiet=True)
    weights = [(agent_of(run) / "weights.safetensors").read_bytes() for run in (whole, cut)]
    assert weights[0] == weights[1]
    result = json.loads((cut / "seed-0" / "result.json").read_text())
    assert result["unit"] == "plans"
    assert 6 * result["steps"] < result["timesteps"] < 12 * result["steps"]


@pytest.mark.slow
def test_a_short_run_beats_random_plans_and_reloads(tmp_path: Path) -> None:
    small = {"total_steps": 400_000, "games": 1000, "width": 64, "units": 32}
    run = train(settings(tmp_path, **small), quiet=True)
    first = train(settings(tmp_path / "first", total_steps=1), quiet=True)
    learned, untrained = (
        evaluate(GAME, str(agent_of(one)), deals=1000).estimate("won") for one in (run, first)
    )
    assert learned.low > untrained.high
    assert learned.low > 0.2


def test_another_agent_is_the_start(tmp_path: Path) -> None:
    first = train(settings(tmp_path / "first"), quiet=True)
    changes = {"initial": str(agent_of(first)), "learning_rate": 0.0, "total_steps": 1}
    second = train(settings(tmp_path / "second", **changes), quiet=True)
    agents = [PlanNetworkAgent.load(agent_of(run), GAME) for run in (first, second)]
    for name in agents[0].plan_network._fields:
        arrays = [getattr(agent.plan_network, name) for agent in agents]
        assert np.array_equal(*arrays), name
    with pytest.raises(ValueError, match=r"setting initial must name an agent with embedding of"):
        train(settings(tmp_path / "third", initial=str(agent_of(first)), width=8), quiet=True)


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="plans require puss_in_the_corner, klondike, got Pyr"):
        PlanTDSettings(game="pyramid")
    with pytest.raises(ValueError, match="reward must be 'win' for method 'plan-td', got 'score'"):
        settings(tmp_path, reward="score")
    for variant, text in (
        ("one-pass", "passes=0 and partial_runs=yes for plans, got passes=1"),
        ("whole-runs", "passes=0 and partial_runs=yes for plans, got .*partial_runs=no"),
        ("thoughtful", "thoughtful=no for plans, got thoughtful=yes"),
    ):
        with pytest.raises(ValueError, match=f"rules must have {text}"):
            settings(tmp_path, variant=variant)
    with pytest.raises(ValueError, match="rules must have redeals=0 for plans, got redeals=1"):
        settings(tmp_path, "puss_in_the_corner", variant="book")
    with pytest.raises(ValueError, match="games must be an integer from 10 to 100000, got 1"):
        settings(tmp_path, games=1)


def test_a_limit_of_timesteps_does_not_depend_on_the_generator(tmp_path: Path) -> None:
    limited = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        limited.append(PlanTDRun.limit_timesteps(settings(tmp_path), 100_000))
        assert torch.initial_seed() == seed
    assert limited[0] == limited[1]
    run = train(limited[0], quiet=True)
    result = json.loads((run / "seed-0" / "result.json").read_text())
    assert 70_000 < result["timesteps"] < 100_000


def test_a_limit_of_timesteps_holds_although_plans_get_longer(tmp_path: Path) -> None:
    """In Puss in the Corner, plans of a new network play few cards to the foundations."""
    limited = PlanTDRun.limit_timesteps(settings(tmp_path, "puss_in_the_corner"), 20_000)
    assert limited.total_steps + 48 * limited.games == 10_000
    run = train(limited, quiet=True)
    result = json.loads((run / "seed-0" / "result.json").read_text())
    assert result["steps"] < result["timesteps"] < 20_000
    tiny = PlanTDRun.limit_timesteps(settings(tmp_path), 1000)
    assert (tiny.games, tiny.total_steps) == (10, 1)


@pytest.mark.slow
def test_a_short_run_of_puss_in_the_corner_wins(tmp_path: Path) -> None:
    small = {"total_steps": 2_000_000, "games": 1000, "width": 64}
    run = train(settings(tmp_path, "puss_in_the_corner", **small), quiet=True)
    won = evaluate(GAMES["puss_in_the_corner"], str(agent_of(run)), deals=1000).estimate("won")
    assert won.low > 0.05  # greedy: 1.6 %


def test_other_rules_with_plans_are_played_on_request(tmp_path: Path) -> None:
    folder = str(agent_of(train(settings(tmp_path), quiet=True)))
    other = GAME.make_rules("draw-one")
    with pytest.raises(SavedAgentError, match="trained on other rules"):
        load_agent(folder, GAME, other)
    agent = load_agent(folder, GAME, other, allow_rules_mismatch=True)
    play_deals(GAME, other, agent, deal_seeds("klondike-1", range(3)))
    with pytest.raises(ValueError, match="rules must have passes=0"):
        load_agent(folder, GAME, GAME.make_rules("one-pass"), allow_rules_mismatch=True)


def test_another_kind_of_network_is_refused() -> None:
    folder = find_pretrained_folder(GAMES["pyramid"], GAMES["pyramid"].make_rules())
    with pytest.raises(SavedAgentError, match="network must be 'plans', got 'ranks'"):
        PlanNetworkAgent.load(folder, GAME)


def test_damaged_agents_are_refused(tmp_path: Path) -> None:
    folder = agent_of(train(settings(tmp_path), quiet=True))
    card = json.loads((folder / "agent.json").read_text())
    rules = GAME.make_rules("classic")

    def refuse(change: dict[str, object], text: str) -> None:
        network = card["network"] | change
        (folder / "agent.json").write_text(json.dumps(card | {"network": network}))
        with pytest.raises(SavedAgentError, match=text):
            load_agent(str(folder), GAME, rules)

    refuse({"options": {"units": 8, "version": 0}}, "features version 1 .* got version 0")
    refuse({"options": {"units": 0, "version": 1}}, "units must be from 1 to 4096, got 0")
    refuse({"width": 17}, r"layer 'embedding' must be float32 \(746, 17\), got float32")
    tensors = load((folder / "weights.safetensors").read_bytes())
    tensors.pop("output")
    data = save(tensors)
    (folder / "weights.safetensors").write_bytes(data)
    card["weights_sha256"] = sha256(data).hexdigest()
    refuse({}, r"layer 'output' must be float32 \(8,\), got none")
