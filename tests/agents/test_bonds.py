"""The bonds of a network, and its values, in positions of random play."""

import numpy as np
import torch

from parlour.agents.networks.build import Bonds, build_network, list_bonds, make_value_function
from parlour.envs import game
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.rows import Rows

GAME = game("pyramid")
RULES = GAME.make_rules("three-passes")
HOW = StepConfig(reward=1, reset=int(Autoreset.DISABLED), max_moves=500, skip_forced=1)


def positions(n: int = 40, steps: int = 12) -> Rows:
    """Games some steps on, none of them over."""
    rows = Rows(GAME, RULES, n, HOW)
    rows.deal_bank("bonds", range(n))
    rng = np.random.default_rng(3)
    for _ in range(steps):
        masks = rows.buffers.masks.astype(np.float64)
        chances = masks / masks.sum(axis=1, keepdims=True)
        rows.step(np.array([rng.choice(GAME.actions, p=row) for row in chances]))
    assert not rows.states["over"].any()
    return rows


def test_bonds_are_the_pairs_that_total_thirteen() -> None:
    rows = positions()
    net = build_network("bonds", GAME, 8, 1)
    assert isinstance(net, Bonds)
    listed, begins = np.zeros(40 * net.most, np.int64), np.zeros(40, np.int64)
    codes = rows.codes
    found = list_bonds(codes, net.cards, net.wheres, net.firsts, net.bonds, listed, begins)
    ends = [*begins[1:], found]
    places = list(GAME.features.entry_range("places"))
    pile, where = GAME.features.entry_range("pile_cards"), GAME.features.entry_range("pile_where")
    for i in range(40):
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
        assert set(listed[begins[i] : ends[i]]) == pairs
        assert ends[i] - begins[i] == len(pairs)


def test_values_are_the_networks_own() -> None:
    for name in ("mlp", "embedding", "bonds"):
        net = build_network(name, GAME, 8, 1).eval()
        codes = positions().codes.copy()
        seen = codes if net.encoding == "codes" else GAME.features.onehot(codes)
        with torch.no_grad():
            expected = net(torch.from_numpy(seen))[1].numpy()
        assert np.array_equal(make_value_function(net)(codes), expected)
