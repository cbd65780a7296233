"""Networks of an earlier version of a game play on: a longer observation changes nothing."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import adapt_network, build_network
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.agents.saved import PRETRAINED_FOLDER, read_description
from parlour.envs import GAMES, Game
from parlour.envs.core.schema import Earlier, Schema
from tests.marks import slow_if

GAME = GAMES["twenty_eight"]
EARLIER = GAME.earlier[-1]
FIRST_DIGEST = "24a08e532fe47c86"
"""The features digest of the first version of Twenty-Eight."""
SCHEMA = EARLIER.cut(Schema(GAME.features, GAME.actions))


def test_a_pretrained_agent_of_an_earlier_version_loads() -> None:
    game = GAMES["seven_twenty_seven"]
    folder = PRETRAINED_FOLDER / f"{game.name}-{game.default}"
    digest = read_description(folder)["features_digest"]
    assert digest != game.features_digest
    schema = game.find_schema(digest)
    assert schema is not None and schema.actions == 12
    assert game.find_schema(game.features_digest).features is game.features
    assert game.find_schema("0" * 16) is None
    agent = load_agent("pretrained", game, game.make_rules())
    assert isinstance(agent, LearnedAgent) and agent.network.actions == game.actions


@pytest.mark.parametrize(
    ("name", "digest", "actions"),
    [
        ("twenty_eight", FIRST_DIGEST, 67),
        ("twenty_eight", "cfa220528f874615", 68),
        ("twenty_nine", "11416575126a69f6", 67),
        ("twenty_nine", "82f3b4495bb4a6fa", 68),
        ("fifty_six", "5ff88d0645e32a58", 70),
        ("klondike", "c6f8ee8dcfd3335c", 73),
    ],
)
def test_observations_of_earlier_versions_are_known(name: str, digest: str, actions: int) -> None:
    schema = GAMES[name].find_schema(digest)
    assert schema is not None and schema.actions == actions


def test_the_earlier_observation_is_the_beginning_of_the_current_one() -> None:
    width = SCHEMA.features.width
    assert [piece.name for piece in GAME.features.pieces][: len(SCHEMA.features.pieces)] == [
        piece.name for piece in SCHEMA.features.pieces
    ]
    later = [piece.name for piece in GAME.features.pieces[len(SCHEMA.features.pieces) :]]
    assert later[0] == EARLIER.before and set(later) <= {*GAME.rules._fields, "setter"}
    codes = np.random.default_rng(1).integers(0, GAME.features.high + 1, (50, GAME.features.width))
    codes = codes.astype(np.int8)
    hot = SCHEMA.features.onehot(np.ascontiguousarray(codes[:, :width]))
    assert (GAME.features.onehot(codes)[:, : SCHEMA.features.columns] == hot).all()


@pytest.mark.parametrize("base", [None, "greedy"])
@pytest.mark.parametrize("name", ["mlp", "embedding", slow_if(True, "numbers")])
def test_an_adapted_network_plays_as_before(name: str, base: str | None) -> None:
    options = {} if base is None else {"base": base}
    network = build_network(name, GAME, 16, 2, options, SCHEMA).eval()
    adapted = adapt_network(network, GAME).eval()
    rng = np.random.default_rng(2)
    width, known = SCHEMA.features.width, SCHEMA.actions
    codes = rng.integers(0, GAME.features.high + 1, (40, GAME.features.width)).astype(np.int8)
    flags = np.zeros((40, GAME.actions if base else 0), np.int8)
    if base:
        flags[np.arange(40), rng.integers(0, known, 40)] = 1
    encoding = network.encoding
    earlier = np.concatenate([codes[:, :width], flags[:, :known]], axis=1)
    current = np.concatenate([codes, flags], axis=1)
    with torch.inference_mode():
        logits, values = network(torch.as_tensor(network.features.encode(earlier, encoding)))
        adapted_to = adapted(torch.as_tensor(adapted.features.encode(current, encoding)))
    assert torch.equal(adapted_to[0][:, :known], logits) and torch.equal(adapted_to[1], values)
    assert (adapted_to[0][:, known:] < -1e7).all()


def test_a_game_without_earlier_versions_knows_one_schema() -> None:
    alone: Game = replace(GAME, earlier=())
    assert alone.find_schema(FIRST_DIGEST) is None
    other = replace(GAME, earlier=(Earlier("single_lost", 68),))
    assert other.find_schema(FIRST_DIGEST) is None
