"""Looking one step ahead: every action is valued, by the network's values, without hidden cards."""

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import Bonds, build_network, make_value_function
from parlour.agents.networks.card_bonds import list_bonds
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import choose_actions, prepare_turn
from parlour.agents.search.lookahead import look_ahead
from parlour.envs import game
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.rows import Rows, resample_copies

GAME = game("pyramid")
RULES = GAME.make_rules("three-passes")
HOW = StepConfig(reward=1, reset=int(Autoreset.DISABLED), max_moves=500, skip_forced=1)


def positions(n: int = 40, steps: int = 12) -> Rows:
    """Games some steps on, none of them over."""
    rows = Rows(GAME, RULES, n, HOW)
    rows.deal_bank("lookahead", range(n))
    rng = np.random.default_rng(3)
    for _ in range(steps):
        masks = rows.buffers.masks.astype(np.float64)
        chances = masks / masks.sum(axis=1, keepdims=True)
        rows.step(np.array([rng.choice(GAME.actions, p=row) for row in chances]))
    assert not rows.states["over"].any()
    return rows


def test_every_legal_action_is_played_and_valued() -> None:
    rows = positions()
    before = rows.states.copy()

    def value(codes: np.ndarray) -> np.ndarray:
        return codes.sum(axis=1).astype(np.float32)

    ahead = look_ahead(GAME, RULES, rows.states, rows.buffers.masks > 0, value, HOW, 0.5)
    assert (rows.states == before).all()
    assert len(ahead.actions) == rows.buffers.masks.sum()
    for k in range(len(ahead.actions)):
        one = Rows(GAME, RULES, 1, HOW)
        one.restore(before[ahead.rows[k] : ahead.rows[k] + 1])
        one.step(ahead.actions[k : k + 1])
        follows = 0.0 if one.states["over"][0] else float(one.codes.astype(int).sum())
        assert ahead.values[k] == pytest.approx(one.buffers.rewards[0] + 0.5 * follows)
    for row, action in enumerate(ahead.best()):
        own = ahead.values[ahead.rows == row]
        assert ahead.actions[ahead.rows == row][own.argmax()] == action


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


def test_a_choice_by_looking_ahead_does_not_know_hidden_cards() -> None:
    rows = positions(steps=6)
    agent = LearnedAgent(build_network("bonds", GAME, 8, 1).eval(), lookahead_config=HOW)
    seeds = np.arange(40, dtype=np.uint64)
    actions = choose_actions(agent, prepare_turn(agent, GAME, RULES, rows.states, seeds))
    for other in (1, 2):
        dealt = resample_copies(GAME, RULES, rows.states, other)
        assert (dealt["deck"] != rows.states["deck"]).any()
        again = choose_actions(agent, prepare_turn(agent, GAME, RULES, dealt, seeds))
        assert (again == actions).all()


def test_values_are_the_networks_own() -> None:
    for name in ("mlp", "embedding", "bonds"):
        net = build_network(name, GAME, 8, 1).eval()
        codes = positions().codes.copy()
        seen = codes if net.encoding == "codes" else GAME.features.onehot(codes)
        with torch.no_grad():
            expected = net(torch.from_numpy(seen))[1].numpy()
        assert np.array_equal(make_value_function(net)(codes), expected)
