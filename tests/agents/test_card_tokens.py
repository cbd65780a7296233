"""The network of attention over card tokens: what it reads, and for which games it can be built."""

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import CardNetwork, build_network, make_network_function
from parlour.agents.networks.card_tokens import list_beside, list_cards, list_common
from parlour.envs import GAMES, find_game
from tests.agents.test_rank_tokens import PYRAMID, positions

SHOWING = [name for name, one in GAMES.items() if list_cards(one.features)]


def make(title: str) -> CardNetwork:
    torch.manual_seed(1)
    network = build_network("attention", GAMES[title], 16, 2).eval()
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.normal_(std=0.3)
    return network


def test_the_games_with_cards_on_places() -> None:
    assert {"pyramid", "poker_squares"} <= set(SHOWING)
    with pytest.raises(ValueError, match="network 'attention': this game shows no cards"):
        build_network("attention", find_game("seven_twenty_seven"), 16, 2)


@pytest.mark.parametrize("title", SHOWING)
def test_every_entry_is_read_once(title: str) -> None:
    """No entry of an observation is without effect, and none is read by table and place both."""
    features = GAMES[title].features
    cards = [piece for one in list_cards(features) for piece in (one, *list_beside(features, one))]
    entries = [entry for piece in cards for entry in features.entry_range(piece.name)]
    assert sorted(entries + list_common(features)) == list(range(features.width))
    function = make_network_function(make(title))
    codes = np.zeros((1 + features.width, features.width), np.int8)
    codes[1 + np.arange(features.width), np.arange(features.width)] = features.high
    values = function(codes)[1]
    unread = [entry for entry in range(features.width) if abs(values[1 + entry] - values[0]) < 1e-7]
    assert not unread


def test_actions_on_places_move_with_the_cards() -> None:
    """Places that exchange cards and learned positions exchange what their actions are worth."""
    network = make("pyramid")
    codes = positions("three-passes")[:40]
    first, second = 3, 17
    places = PYRAMID.features.entry_range("places").start + np.array([first, second])
    picked = PYRAMID.features.entry_range("picked").start + np.array([first, second])
    before = make_network_function(network)(codes)[0]
    changed = codes.copy()
    changed[:, places], changed[:, picked] = codes[:, places[::-1]], codes[:, picked[::-1]]
    with torch.no_grad():
        learned = network.places  # type: ignore[attr-defined]
        learned[[first, second]] = learned[[second, first]].clone()
    after = make_network_function(network)(changed)[0]
    np.testing.assert_allclose(after[:, [second, first]], before[:, [first, second]], atol=1e-4)
    assert np.abs(before[:, first] - before[:, second]).max() > 1e-2


def test_widths_are_multiples_of_the_heads() -> None:
    with pytest.raises(ValueError, match="width=10: network 'attention' takes multiples of 4"):
        build_network("attention", PYRAMID, 10, 2)
