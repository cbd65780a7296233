"""Networks with one token for each rank, or for each place of a card."""

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import CardNetwork, build_network, make_network_function
from parlour.agents.networks.tokens import list_beside, list_cards, list_common
from parlour.envs import GAMES, find_game
from parlour.envs.core.rows import Rows, observation_codes

PYRAMID = find_game("pyramid")
OTHER_RANK = np.arange(64)
"""Card codes with twos and threes exchanged, and also their partners, jacks and tens."""
for one, two in ((2, 3), (11, 10)):
    for suit in range(4):
        OTHER_RANK[[4 * one + suit, 4 * two + suit]] = 4 * two + suit, 4 * one + suit


def positions(variant: str) -> np.ndarray:
    rows, rng, seen = Rows(PYRAMID, PYRAMID.make_rules(variant), 4), np.random.default_rng(0), []
    rows.deal_numbered("ranks", range(4))
    for _ in range(30):
        seen.append(observation_codes(rows.states))
        rows.step(random_legal(rows, rng))
    return np.concatenate(seen)


def random_legal(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    shares = rng.random(rows.buffers.masks.shape) * rows.buffers.masks
    return np.asarray(shares.argmax(axis=1))


@pytest.mark.parametrize("names_ranks", [False, True])
@pytest.mark.parametrize("variant", ["three-passes", "book", "web"])
def test_exchanged_ranks_give_equal_outputs(variant: str, names_ranks: bool) -> None:
    """With ``names_ranks``, tokens know their rank, and the outputs differ."""
    torch.manual_seed(0)
    network = build_network("ranks", PYRAMID, 16, 2, {"names_ranks": names_ranks}).eval()
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.normal_(std=0.3)
    features = PYRAMID.features
    codes = positions(variant)
    renamed = codes.copy()
    for name in ("places", "pile_cards"):
        entries = list(features.entry_range(name))
        renamed[:, entries] = OTHER_RANK[codes[:, entries]]
    unseen = features.entry_range("unseen").start
    for one, two in ((2, 3), (11, 10)):
        columns = [unseen + one - 1, unseen + two - 1]
        renamed[:, columns] = codes[:, columns[::-1]]
    assert (renamed != codes).any()
    # While a removal is incomplete, the piece `need` has a rank, so these positions are left out.
    settled = codes[:, features.entry_range("need").start] == 0
    function = make_network_function(network)
    for before, after in zip(function(codes[settled]), function(renamed[settled]), strict=True):
        assert np.allclose(after, before, rtol=1e-4, atol=1e-4) == (not names_ranks)


def test_every_column_is_read() -> None:
    """Every piece of an observation has an effect."""
    torch.manual_seed(1)
    network = build_network("ranks", PYRAMID, 16, 2).eval()
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.normal_(std=0.3)
    function, codes = make_network_function(network), positions("web")[:60]
    before = function(codes)[1]
    for piece in PYRAMID.features.pieces:
        entry = PYRAMID.features.entry_range(piece.name).start
        changed = codes.copy()
        changed[:, entry] = np.where(codes[:, entry] > 0, 0, piece.kind.max_code)
        if piece.marks:
            changed[:, entry] = codes[:, entry] ^ 1
        assert np.abs(function(changed)[1] - before).max() > 0, piece.name


@pytest.mark.parametrize("title", [title for title in GAMES if title != "pyramid"])
def test_games_without_bonds_are_rejected(title: str) -> None:
    with pytest.raises(
        ValueError, match="network 'ranks': the features of the game must define bonds"
    ):
        build_network("ranks", GAMES[title], 16, 2)


# One token for each place of a card.

SHOWING = [name for name, one in GAMES.items() if list_cards(one.features)]


def make_attention(title: str) -> CardNetwork:
    torch.manual_seed(1)
    network = build_network("attention", GAMES[title], 16, 2).eval()
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.normal_(std=0.3)
    return network


def test_attention_needs_pieces_of_cards() -> None:
    assert {"pyramid", "poker_squares"} <= set(SHOWING)
    with pytest.raises(
        ValueError, match="network 'attention': the game must have observation pieces with"
    ):
        build_network("attention", find_game("seven_twenty_seven"), 16, 2)


@pytest.mark.parametrize("title", SHOWING)
def test_every_entry_is_read_once(title: str) -> None:
    """Every entry of an observation has an effect, through the table or a place but not both."""
    features = GAMES[title].features
    cards = [piece for one in list_cards(features) for piece in (one, *list_beside(features, one))]
    entries = [entry for piece in cards for entry in features.entry_range(piece.name)]
    assert sorted(entries + list_common(features)) == list(range(features.width))
    function = make_network_function(make_attention(title))
    codes = np.zeros((1 + features.width, features.width), np.int8)
    codes[1 + np.arange(features.width), np.arange(features.width)] = features.high
    values = function(codes)[1]
    unread = [entry for entry in range(features.width) if abs(values[1 + entry] - values[0]) < 1e-7]
    assert not unread


def test_actions_on_places_move_with_the_cards() -> None:
    """Two places that exchange cards and learned positions exchange the logits of their actions."""
    network = make_attention("pyramid")
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
    with pytest.raises(
        ValueError, match="width must be a multiple of 4 for network 'attention', got 10"
    ):
        build_network("attention", PYRAMID, 10, 2)
