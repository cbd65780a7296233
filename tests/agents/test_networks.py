"""Networks: compiled embedding sums equal those of torch, bonds are listed, values agree."""

from typing import Any

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import (
    Bonds,
    Embedding,
    _SumRows,
    build_network,
    list_bonds,
    make_value_function,
)
from parlour.envs import find_game
from parlour.envs.interfaces.sb3 import CardVecEnv

GAMES = ["pyramid", "poker_squares", "puss_in_the_corner"]


def positions(name: str) -> torch.Tensor:
    """Return the codes of positions from the middle of games, int8 (n, entries)."""
    env = CardVecEnv(name, 64, encoding="codes")
    env.seed(3)
    seen, rng = [env.reset()], np.random.default_rng(3)
    for _ in range(12):
        masks = env.masks()
        seen.append(env.step((rng.random(masks.shape) * masks).argmax(axis=1))[0])
    return torch.from_numpy(np.concatenate(seen))


def network_for(name: str) -> Embedding:
    torch.manual_seed(0)
    made = build_network("embedding", find_game(name), 16, 1)
    assert isinstance(made, Embedding)
    return made


def by_row_numbers(network: Embedding, codes: torch.Tensor) -> Any:
    return _SumRows.apply(network.table, network.reader(codes))  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("name", GAMES)
def test_sums_are_those_of_torch_bit_for_bit(name: str) -> None:
    network, codes = network_for(name), positions(name)
    with torch.no_grad():
        assert torch.equal(network.sum_entries(codes), by_row_numbers(network, codes))


@pytest.mark.parametrize("name", GAMES)
def test_gradients_are_those_of_torch(name: str) -> None:
    network, codes = network_for(name), positions(name)
    weights = torch.randn(len(codes), 16)
    (expected,) = torch.autograd.grad(
        (by_row_numbers(network, codes) * weights).sum(), network.table
    )
    (result,) = torch.autograd.grad((network.sum_entries(codes) * weights).sum(), network.table)
    assert expected.abs().max() > 1 and result[0].abs().max() == 0
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)


def test_codes_of_another_kind_are_read_as_before() -> None:
    network, codes = network_for("pyramid"), positions("pyramid")
    with torch.no_grad():
        assert torch.equal(network.sum_entries(codes.long()), network.sum_entries(codes))


def test_part_of_a_larger_array_is_read_by_itself() -> None:
    network, codes = network_for("pyramid"), positions("pyramid")
    wider = torch.cat([codes, codes], dim=1)
    with torch.no_grad():
        part = network.sum_entries(wider[:, : codes.shape[1]])
        assert torch.equal(part, network.sum_entries(codes))


def test_bonds_are_the_pairs_that_total_thirteen() -> None:
    pyramid, codes = find_game("pyramid"), positions("pyramid").numpy()
    network = build_network("bonds", pyramid, 8, 1)
    assert isinstance(network, Bonds)
    n = len(codes)
    rows, begins = np.zeros(n * network.most, np.int64), np.zeros(n, np.int64)
    total = list_bonds(
        codes, network.cards, network.wheres, network.firsts, network.bonds, rows, begins
    )
    ends = [*begins[1:], total]
    places = list(pyramid.features.entry_range("places"))
    pile = pyramid.features.entry_range("pile_cards")
    where = pyramid.features.entry_range("pile_where")
    for i in range(n):
        held = [(k, codes[i, k] >> 2) for k in places if codes[i, k]]
        for k, (card, at) in enumerate(zip(pile, where, strict=True)):
            if codes[i, card] and codes[i, at]:
                held.append((39 + 2 * k + min(int(codes[i, at]), 2) - 1, codes[i, card] >> 2))
        pairs = {
            high * (high - 1) // 2 + low
            for high, one in held
            for low, other in held
            if high > low and one + other == 13
        }
        assert set(rows[begins[i] : ends[i]]) == pairs
        assert ends[i] - begins[i] == len(pairs)


@pytest.mark.parametrize("name", ["mlp", "embedding", "bonds"])
def test_values_are_the_networks_own(name: str) -> None:
    pyramid, codes = find_game("pyramid"), positions("pyramid").numpy()
    network = build_network(name, pyramid, 8, 1).eval()
    seen = codes if network.encoding == "codes" else pyramid.features.onehot(codes)
    with torch.no_grad():
        expected = network(torch.from_numpy(seen))[1].numpy()
    assert np.array_equal(make_value_function(network)(codes), expected)
