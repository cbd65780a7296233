"""A saved agent plays as before; damaged agents and agents for other rules are refused."""

import json
import pickle
import re
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as tensor_bytes

from parlour.agents import saved as artefact
from parlour.agents.networks.build import NETWORKS, CardNetwork, build_network, masked_logits
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import Turn, is_reserved, load_agent
from parlour.agents.saved import PRETRAINED_FOLDER, read_description
from parlour.envs import GAMES, find_game
from parlour.envs.core.rows import observation_codes
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training.evaluation.compare import compare, evaluate
from tests.networks import save_network

GAME = find_game("pyramid")
RULES = GAME.make_rules("classic", {"passes": 2})
SEATS = find_game("seven_twenty_seven")


def turn(n: int = 64) -> Turn:
    """Return positions some random steps into the game."""
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
    save_network(folder, "tester", GAME, RULES, net, described, {"steps": 1}, {"won": 0.5})
    return net


def change(folder: Path, **fields: Any) -> None:
    """Change fields in agent.json."""
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
    assert artefact.load_saved_agent(tmp_path / "agent", GAME).rules == RULES


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
    probabilities = masked_logits(logits, masks).softmax(dim=1)
    assert (probabilities[~masks] == 0).all() and torch.allclose(
        probabilities.sum(dim=1), torch.ones(2)
    )


@pytest.mark.parametrize("size", [0, 7, 100, -1])
def test_refuses_truncated_weights(size: int, tmp_path: Path) -> None:
    make(tmp_path)
    file = tmp_path / "weights.safetensors"
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(
        artefact.SavedAgentError, match=r"weights\.safetensors.*incomplete, damaged"
    ):
        LearnedAgent.load(tmp_path, GAME, RULES)


def test_refuses_changed_weights_and_runs_no_pickle(tmp_path: Path) -> None:
    make(tmp_path)
    file = tmp_path / "weights.safetensors"
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)
    with pytest.raises(artefact.SavedAgentError, match="SHA-256"):
        LearnedAgent.load(tmp_path, GAME, RULES)
    data = pickle.dumps({"first.weight": np.zeros(3)})
    file.write_bytes(data)
    change(tmp_path, weights_sha256=sha256(data).hexdigest())
    with pytest.raises(artefact.SavedAgentError, match=r"weights\.safetensors"):
        LearnedAgent.load(tmp_path, GAME, RULES)


@pytest.mark.parametrize("size", [0, 50, -3])
def test_refuses_a_truncated_description(size: int, tmp_path: Path) -> None:
    make(tmp_path)
    file = tmp_path / "agent.json"
    file.write_text(file.read_text()[:size])
    with pytest.raises(artefact.SavedAgentError, match=r"agent\.json"):
        LearnedAgent.load(tmp_path, GAME, RULES)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": 2}, "field format must be 1 in this version of Parlour, got 2"),
        ({"game": "whist"}, "the agent must be for game 'pyramid', got 'whist'"),
        ({"features_digest": "0" * 16}, "features digest 0000000000000000, now"),
        ({"rules_digest": "0" * 16}, "rules digest must be .*, got 0000000000000000"),
        ({"rules": {"passes": 99}}, "passes must be an integer from 0 to 9, got 99"),
        ({"rules": {"paces": 2}}, "Did you mean 'passes'"),
        ({"network": {"name": "mlp"}}, r"network\.encoding"),
        ({"name": 3}, "field name must be a string .*, got 3"),
        (
            {"trained": {"settings": {"temperature": -1}}},
            r"trained\.settings\.temperature must be a number above 0, got -1",
        ),
    ],
)
def test_refuses_what_does_not_fit(fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    make(tmp_path)
    change(tmp_path, **fields)
    with pytest.raises(artefact.SavedAgentError, match=message) as caught:
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
    with pytest.raises(artefact.SavedAgentError, match=str(tmp_path)):
        LearnedAgent.load(tmp_path, GAME, RULES)


def test_refuses_other_rules_naming_what_differs(tmp_path: Path) -> None:
    make(tmp_path)
    wanted = GAME.make_rules("classic", {"passes": 3, "stock_view": "top"})
    with pytest.raises(ValueError, match="passes 2, not 3; stock_view 'down', not 'top'"):
        load_agent(str(tmp_path), GAME, wanted)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(artefact.SavedAgentError, match="nowhere"):
        LearnedAgent.load(tmp_path / "nowhere", GAME, RULES)


def test_a_failed_save_leaves_the_old_agent(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    net = make(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    described = {"name": "mlp", "width": 16, "depth": 2, "options": {}}
    with pytest.raises(TypeError):
        save_network(folder, "x", GAME, RULES, net, described, {"bad": object()}, {})
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["agent"]


def other_encoding(network: str) -> str:
    return {"onehot": "codes", "codes": "onehot"}[NETWORKS[network].encoding]


@pytest.mark.parametrize("network", list(NETWORKS))
@pytest.mark.parametrize("wrong", ["other", "none", "afterstates", "words"])
def test_refuses_an_encoding_that_the_network_does_not_take(
    network: str, wrong: str, tmp_path: Path
) -> None:
    """With "none", the features digest was not compared, either."""
    make(tmp_path, network)
    card = json.loads((tmp_path / "agent.json").read_text())
    encoding = other_encoding(network) if wrong == "other" else wrong
    change(tmp_path, network=card["network"] | {"encoding": encoding}, features_digest="0" * 16)
    message = (
        f"field network.encoding must be '{NETWORKS[network].encoding}' for network '{network}', "
        f"got '{encoding}'"
    )
    for spec in (str(tmp_path), f"mcts:{tmp_path}"):
        with pytest.raises(artefact.SavedAgentError, match=message) as caught:
            load_agent(spec, GAME, RULES)
        assert "agent.json" in str(caught.value)


def write_weights(folder: Path, tensors: dict[str, np.ndarray]) -> None:
    """Replace the weights and their digest in a saved agent's folder."""
    data = tensor_bytes(tensors)
    (folder / "weights.safetensors").write_bytes(data)
    change(folder, weights_sha256=sha256(data).hexdigest())


def saved_weights(folder: Path) -> dict[str, np.ndarray]:
    result: dict[str, np.ndarray] = read_tensors((folder / "weights.safetensors").read_bytes())
    return {name: array.copy() for name, array in result.items()}


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("network", list(NETWORKS))
def test_refuses_weights_that_are_not_finite(network: str, number: float, tmp_path: Path) -> None:
    make(tmp_path, network)
    weights = saved_weights(tmp_path)
    layer = sorted(weights)[-1]
    weights[layer].flat[0] = number
    write_weights(tmp_path, weights)
    message = f"weights of agent 'tester' are not finite: layer '{layer}' has 1 of "
    with pytest.raises(artefact.SavedAgentError, match=message):
        load_agent(str(tmp_path), GAME, RULES)


@pytest.mark.parametrize("network", list(NETWORKS))
def test_refuses_outputs_that_are_not_finite(network: str, tmp_path: Path) -> None:
    """Finite weights may have infinite sums; no action may depend on them."""
    make(tmp_path, network)
    weights = saved_weights(tmp_path)
    for name in weights:
        weights[name][:] = 3e38
    write_weights(tmp_path, weights)
    agent: Any = load_agent(str(tmp_path), GAME, RULES)
    search: Any = load_agent(f"mcts@4:{tmp_path}", GAME, RULES)
    asked, message = turn(), "outputs of agent 'tester' must be finite"
    drawing = LearnedAgent(agent.network, "tester", deterministic=False)
    calls = (
        agent.act, agent.explain, agent.probabilities, agent.log_probabilities, drawing.act,
        search.act, search.judge,
    )  # fmt: skip
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call(asked)
    with pytest.raises(ValueError, match=message):
        evaluate("pyramid", str(tmp_path), variant="classic", options={"passes": 2}, deals=3)


@pytest.mark.parametrize("name", sorted(path.name for path in PRETRAINED_FOLDER.glob("*-*")))
def test_every_kind_of_saved_agent_is_checked(name: str, tmp_path: Path) -> None:
    """Networks, value tables and heuristic weights: damaged copies of the pretrained agents."""
    folder = Path(shutil.copytree(PRETRAINED_FOLDER / name, tmp_path / name))
    card = read_description(folder)
    one, network = find_game(card["game"]), card["network"]
    load_agent(str(folder), one, None)
    for encoding in {"none", "afterstates", "onehot", "codes"} - {network["encoding"]}:
        change(folder, network=network | {"encoding": encoding})
        with pytest.raises(
            artefact.SavedAgentError, match=f"encoding must be .*, got '{encoding}'"
        ):
            load_agent(str(folder), one, None)
    change(folder, network=network)
    weights = saved_weights(folder)
    layer = next(key for key, array in sorted(weights.items()) if array.dtype.kind == "f")
    weights[layer].flat[-1] = np.nan
    write_weights(folder, weights)
    message = f"weights of agent '{card['name']}' are not finite: layer '{layer}' has 1 of"
    with pytest.raises(artefact.SavedAgentError, match=message):
        load_agent(str(folder), one, None)


NAMES = ["greedy", "uniform", "oracle", "pretrained", "mcts@200", "greedy-mcts", "Greedy ", "pimc*"]


@pytest.mark.parametrize("name", NAMES)
def test_refuses_the_name_of_a_built_in_agent(name: str, tmp_path: Path) -> None:
    make(tmp_path)
    change(tmp_path, name=name)
    message = re.escape(f"field name must not be that of a built-in agent, got {name!r}")
    for spec in (str(tmp_path), f"mcts:{tmp_path}", f"mine=mcts:{tmp_path}"):
        with pytest.raises(ValueError, match=message):
            load_agent(spec, GAME, RULES)
    assert load_agent(f"mine={tmp_path}", GAME, RULES).name == "mine"
    assert load_agent(f"mcts:mine={tmp_path}", GAME, RULES).name == "mine-mcts"
    with pytest.raises(
        ValueError, match=re.escape(f"name must not be that of a built-in agent, got {name!r}")
    ):
        load_agent(f"{name}={tmp_path}", GAME, RULES)


@pytest.mark.parametrize("game_name", GAMES)
def test_no_name_in_tables_is_that_of_a_rule_based_agent(game_name: str) -> None:
    one = find_game(game_name)
    for name in (*one.rule_agents, "greedy", "human"):
        assert is_reserved(name, one) and is_reserved(f"{name}-rollouts@8", one)
    for name in ("mine", f"{game_name}-greedy", "greedy-v2", "learned", "values"):
        assert not is_reserved(name, one)


def test_agents_that_ship_have_names_of_their_own() -> None:
    for folder in PRETRAINED_FOLDER.glob("*-*"):
        card = read_description(folder)
        assert not is_reserved(card["name"], find_game(card["game"]))


def test_no_two_agents_of_a_comparison_have_one_name(tmp_path: Path) -> None:
    """This holds for two saved agents, and for a compared agent and an opponent."""
    for folder in ("one", "other"):
        net = build_network("numbers", SEATS, 8, 1)
        rules = SEATS.make_rules()
        described = {"name": "numbers", "width": 8, "depth": 1, "options": {}}
        save_network(tmp_path / folder, "same", SEATS, rules, net, described, {}, {})
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    message = re.escape(f"agents {one} and {other} must not have the same name, got 'same'")
    with pytest.raises(ValueError, match=message):
        compare(SEATS, [one], deals=2, opponents=[other, "uniform"], evaluation_seed="k")
    (result,) = compare(
        SEATS, [one], deals=2, opponents=[f"mine={other}"], evaluation_seed="k"
    ).evaluations
    assert (result.agent, result.opponents) == ("same", ("mine",))
    both = compare(SEATS, [one, other], deals=2, opponents=["uniform"], evaluation_seed="k")
    assert {match.agent for match in both.evaluations} == {f"same ({one})", f"same ({other})"}
