"""The iterated network of `research.iterated_network`."""

import numpy as np
import torch

from parlour.agents.networks.build import build_network
from parlour.envs import find_game
from parlour.envs.core.rows import Rows, observation_codes
from research.iterated_network import IteratedRanks

PYRAMID = find_game("pyramid")


def read_positions() -> torch.Tensor:
    rows = Rows(PYRAMID, PYRAMID.make_rules("three-passes"), 12)
    rows.deal_numbered("ranks", range(12))
    return torch.from_numpy(observation_codes(rows.states))


def make_network() -> IteratedRanks:
    torch.manual_seed(0)
    return IteratedRanks(PYRAMID, 16, 4)


def test_gradients_after_each_iteration_are_those_of_the_weighted_sum() -> None:
    codes, network = read_positions(), make_network()
    network.set_iterations(3, all_losses=True)
    logits, values = network(codes.repeat(3, 1))
    (logits.square().mean() + values.square().mean()).backward()
    found = [one.grad for one in network.parameters()]
    network.zero_grad()
    for iterations in (1, 2, 3):
        network.set_iterations(iterations)
        logits, values = network(codes)
        ((logits.square().mean() + values.square().mean()) * iterations / 6).backward()
    for one, before in zip(network.parameters(), found, strict=True):
        assert (one.grad is None) == (before is None)
        if one.grad is not None and before is not None:
            assert torch.allclose(one.grad, before, atol=1e-6)


def test_iterations_change_the_outputs() -> None:
    codes, network = read_positions(), make_network().eval()
    outputs = []
    for iterations in (1, 2):
        network.set_iterations(iterations)
        with torch.no_grad():
            outputs.append(network(codes)[0].numpy())
    plain = build_network("ranks", PYRAMID, 16, 1, {"relations": True})
    assert outputs[0].shape == outputs[1].shape == (12, PYRAMID.actions)
    assert not np.allclose(*outputs)
    assert {name for name in network.state_dict() if "memory" not in name} == set(
        plain.state_dict()
    )
