"""Networks with one token for each rank, or for each place of a card."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot

from parlour.agents.networks.build import CardNetwork, build_network, make_network_function
from parlour.agents.networks.tokens import (
    PlaceRelations,
    RankRelations,
    find_tokens,
    list_beside,
    list_cards,
    list_common,
    read_ranks,
)
from parlour.envs import GAMES, find_game
from parlour.envs.core.rows import Rows, observation_codes
from parlour.envs.core.schema import Features

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


@pytest.mark.parametrize(
    "options", [{}, {"relations": True}, {"names_ranks": True}], ids=["plain", "relations", "names"]
)
@pytest.mark.parametrize("variant", ["three-passes", "book", "web"])
def test_exchanged_ranks_give_equal_outputs(variant: str, options: dict[str, bool]) -> None:
    """With ``names_ranks``, tokens know their rank, and the outputs differ."""
    torch.manual_seed(0)
    network = build_network("ranks", PYRAMID, 16, 2, options).eval()
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
        assert np.allclose(after, before, rtol=1e-4, atol=1e-4) == ("names_ranks" not in options)


def list_related(codes: np.ndarray) -> list[np.ndarray]:
    """Return how often each two ranks are related in one observation, found card by card."""
    features = PYRAMID.features
    places, pile, where = (
        codes[list(features.entry_range(name))] for name in ("places", "pile_cards", "pile_where")
    )
    counts = [np.zeros((13, 13)) for _ in range(4)]
    slots = [(row, column) for row in range(7) for column in range(row + 1)]
    for i, (row, column) in enumerate(slots):
        for j, (other, there) in enumerate(slots):
            if places[i] and places[j] and other > row and column <= there <= column + other - row:
                ranks = (places[i] >> 2) - 1, (places[j] >> 2) - 1
                counts[0][ranks] += 0.25
                counts[1][ranks] += other == row + 1
    for i, one in enumerate(pile):
        for j in range(i + 1, len(pile)):
            if one and pile[j] and where[i] == where[j] > 0:
                counts[2 if where[i] > 1 else 3][(one >> 2) - 1, (pile[j] >> 2) - 1] += 0.25
    return [*counts, *(count.T for count in counts)]


@pytest.mark.parametrize("variant", ["three-passes", "book", "three-piles"])
def test_relations_are_those_of_the_cards(variant: str) -> None:
    reader, codes = RankRelations(PYRAMID.features), positions(variant)
    read = reader(torch.from_numpy(codes)).numpy()
    assert reader.directed == 8 and (read[:, :4].sum(axis=(0, 2, 3)) > 0).sum() >= 3
    for computed, observation in zip(read, codes, strict=True):
        assert np.allclose(computed, list_related(observation))


@pytest.mark.parametrize(("name", "added"), [("ranks", "receive"), ("attention", "bias")])
def test_new_relations_do_not_change_a_network(name: str, added: str) -> None:
    """A network with relations plays like the one without them from which it starts."""
    torch.manual_seed(0)
    plain = build_network(name, PYRAMID, 16, 2).eval()
    network = build_network(name, PYRAMID, 16, 2, {"relations": True}).eval()
    neutral = network.neutral_weights()
    assert set(network.state_dict()) == set(plain.state_dict()) | set(neutral)
    assert neutral and not plain.neutral_weights()
    network.load_state_dict(neutral | plain.state_dict())
    codes = positions("three-passes")
    functions = make_network_function(plain), make_network_function(network)
    for before, after in zip(*(function(codes) for function in functions), strict=True):
        assert np.allclose(before, after, atol=1e-6)
    with torch.no_grad():
        getattr(network.layers[0], added).weight.normal_()  # type: ignore[union-attr]
    assert not np.allclose(functions[0](codes)[1], make_network_function(network)(codes)[1])


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


@pytest.mark.parametrize("name", ["ranks", "attention"])
def test_relations_must_be_defined_by_the_game(name: str) -> None:
    features = Features(
        PYRAMID.features.pieces, PYRAMID.features.bonds, PYRAMID.features.actions_on
    )
    with pytest.raises(ValueError, match=f"network '{name}': relations must be no: the features"):
        build_network(name, replace(PYRAMID, features=features), 16, 2, {"relations": True})


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


@pytest.mark.parametrize("variant", ["three-passes", "book", "three-piles"])
def test_relations_between_places_are_those_between_their_ranks(variant: str) -> None:
    """The sums of the weights between the places of two ranks are the weights of the ranks."""
    features, codes = PYRAMID.features, torch.from_numpy(positions(variant))
    between = PlaceRelations(features)(codes)
    assert between.shape[2] == build_network("attention", PYRAMID, 16, 2).places.shape[0] + 1
    ranks = torch.zeros(len(codes), between.shape[2], 14)
    for piece in list_cards(features):
        held = read_ranks(codes, features.entry_range(piece.name))
        ranks[:, slice(*find_tokens(features, piece.name))] = one_hot(held, 14).float()
    cards = ranks[:, None, :, 1:]
    assert torch.allclose(cards.transpose(2, 3) @ between @ cards, RankRelations(features)(codes))
    assert not between[:, :, 0].any()


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
