"""A saved agent plays as it did; one that is damaged or of other rules is refused, saying why."""

import json
import pickle
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from parlour.agents.learned import LearnedAgent
from parlour.agents.networks import NETWORKS, CardNetwork, build_network, masked_logits
from parlour.agents.registry import Turn, load_agent
from parlour.envs import game
from parlour.envs.core.rows import observation_codes
from parlour.training.learning import save_agent
from parlour.training.learning.sb3 import CardVecEnv

GAME = game("pyramid")
RULES = GAME.make_rules("classic", {"passes": 2})


def turn(n: int = 64) -> Turn:
    """Positions some random steps into the game."""
    env, rng = CardVecEnv(GAME, n, "classic", passes=2), np.random.default_rng(2)
    env.seed(5)
    env.reset()
    for _ in range(12):
        env.step((rng.random((n, GAME.actions)) * env.masks()).argmax(axis=1))
    states = env.rows.states.copy()
    seeds = np.arange(n, dtype=np.uint64)
    return Turn(GAME, RULES, states, observation_codes(states), env.masks(), seeds)


def make(folder: Path, network: str = "mlp") -> CardNetwork:
    """Save a network with random weights."""
    torch.manual_seed(0)
    net = build_network(network, GAME, 16, 2)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(torch.randn_like(parameter))
    described = {"name": network, "width": 16, "depth": 2, "options": {}}
    save_agent.save(folder, "tester", GAME, RULES, net, described, {"steps": 1}, {"won": 0.5})
    return net


def change(folder: Path, **fields: Any) -> None:
    """Put other fields into agent.json."""
    card = json.loads((folder / "agent.json").read_text())
    (folder / "agent.json").write_text(json.dumps(card | fields))


@pytest.mark.parametrize("network", list(NETWORKS))
def test_plays_the_same_after_loading(network: str, tmp_path: Path) -> None:
    net, asked = make(tmp_path / "agent", network), turn()
    before = LearnedAgent(net, "x").act(asked)
    for path in (tmp_path / "agent", tmp_path / "agent" / "agent.json"):
        agent = LearnedAgent.load(path, GAME, RULES)
        assert np.array_equal(agent.act(asked), before)
        assert agent.name == "tester" and not agent.sees_all
    assert isinstance(load_agent(str(tmp_path / "agent"), GAME, RULES), LearnedAgent)
    assert asked.masks[np.arange(64), before].all()
    assert len(set(before.tolist())) > 3
    assert save_agent.load_artefact(tmp_path / "agent", GAME).rules == RULES


def test_drawn_actions_are_legal_and_come_from_the_seed() -> None:
    net, asked = build_network("mlp", GAME, 16, 2), turn()
    a, b, c = (LearnedAgent(net, deterministic=False, seed=s).act(asked) for s in (1, 1, 2))
    assert np.array_equal(a, b) and not np.array_equal(a, c)
    assert asked.masks[np.arange(64), c].all()


def test_embedding_computes_what_the_dense_layer_does() -> None:
    asked = turn()
    net, dense = build_network("embedding", GAME, 16, 1), build_network("mlp", GAME, 16, 1)
    with torch.no_grad():
        dense.first.weight.copy_(net.table[1:].t())
    codes = torch.from_numpy(asked.observations)
    columns = torch.from_numpy(GAME.features.onehot(asked.observations))
    expected = net.norm(dense.first(columns.float())).relu()
    assert torch.allclose(net.body(codes), expected, atol=1e-5)
    net.body(codes).square().sum().backward()
    expected.square().sum().backward()
    assert torch.allclose(net.table.grad[1:], dense.first.weight.grad.t(), atol=1e-4)
    assert not net.table.grad[0].any()


def test_masked_actions_have_no_probability() -> None:
    logits = torch.full((2, 5), 50.0)
    masks = torch.tensor([[1, 0, 1, 0, 0], [0, 0, 0, 0, 1]]).bool()
    chances = masked_logits(logits, masks).softmax(dim=1)
    assert (chances[~masks] == 0).all() and torch.allclose(chances.sum(dim=1), torch.ones(2))


@pytest.mark.parametrize("size", [0, 7, 100, -1])
def test_refuses_truncated_weights(size: int, tmp_path: Path) -> None:
    make(tmp_path)
    file = tmp_path / "weights.safetensors"
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(save_agent.ArtefactError, match=r"weights\.safetensors.*cut short"):
        LearnedAgent.load(tmp_path, GAME, RULES)


def test_refuses_changed_weights_and_runs_no_pickle(tmp_path: Path) -> None:
    make(tmp_path)
    file = tmp_path / "weights.safetensors"
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)
    with pytest.raises(save_agent.ArtefactError, match="SHA-256"):
        LearnedAgent.load(tmp_path, GAME, RULES)
    data = pickle.dumps({"first.weight": np.zeros(3)})
    file.write_bytes(data)
    change(tmp_path, weights_sha256=sha256(data).hexdigest())
    with pytest.raises(save_agent.ArtefactError, match=r"weights\.safetensors"):
        LearnedAgent.load(tmp_path, GAME, RULES)


@pytest.mark.parametrize("size", [0, 50, -3])
def test_refuses_a_truncated_description(size: int, tmp_path: Path) -> None:
    make(tmp_path)
    file = tmp_path / "agent.json"
    file.write_text(file.read_text()[:size])
    with pytest.raises(save_agent.ArtefactError, match=r"agent\.json"):
        LearnedAgent.load(tmp_path, GAME, RULES)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"format": 2}, "format 2; this version reads format 1"),
        ({"game": "whist"}, "'whist', not for 'pyramid'"),
        ({"features_digest": "0" * 16}, "features digest 0000000000000000, now"),
        ({"rules_digest": "0" * 16}, "rules digest 0000000000000000"),
        ({"rules": {"passes": 99}}, "passes=99: allowed are"),
        ({"rules": {"paces": 2}}, "did you mean 'passes'"),
        ({"network": {"name": "mlp"}}, r"network\.encoding"),
        ({"name": 3}, "field name: a str .*is needed, got 3"),
    ],
)
def test_refuses_what_does_not_fit(fields: dict[str, Any], said: str, tmp_path: Path) -> None:
    make(tmp_path)
    change(tmp_path, **fields)
    with pytest.raises(save_agent.ArtefactError, match=said) as caught:
        LearnedAgent.load(tmp_path, GAME, RULES)
    assert "agent.json" in str(caught.value)


@pytest.mark.parametrize(
    "fields",
    [{"width": 32}, {"name": "transformer"}, {"options": {"heads": 2}}, {"width": 0}],
)
def test_refuses_another_network_than_the_weights_are_of(
    fields: dict[str, Any], tmp_path: Path
) -> None:
    make(tmp_path)
    card = json.loads((tmp_path / "agent.json").read_text())
    change(tmp_path, network=card["network"] | fields)
    with pytest.raises(save_agent.ArtefactError, match=str(tmp_path)):
        LearnedAgent.load(tmp_path, GAME, RULES)


def test_refuses_other_rules_naming_what_differs(tmp_path: Path) -> None:
    make(tmp_path)
    wanted = GAME.make_rules("classic", {"passes": 3, "stock_view": "top"})
    with pytest.raises(ValueError, match="passes 2, not 3; stock_view 'down', not 'top'"):
        load_agent(str(tmp_path), GAME, wanted)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(save_agent.ArtefactError, match="nowhere"):
        LearnedAgent.load(tmp_path / "nowhere", GAME, RULES)


def test_a_failed_save_leaves_the_old_agent(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    net = make(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    described = {"name": "mlp", "width": 16, "depth": 2, "options": {}}
    with pytest.raises(TypeError):
        save_agent.save(folder, "x", GAME, RULES, net, described, {"bad": object()}, {})
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["agent"]
