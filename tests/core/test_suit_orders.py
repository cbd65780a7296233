"""Games of tricks are the same with suits exchanged: what is seen, and what may be done."""

import numpy as np
import pytest

from parlour.envs import game
from parlour.envs.core.rows import Rows, observation_codes
from parlour.training.learning.methods.distill import augment_symmetry
from parlour.training.learning.positions import Positions, reorder


@pytest.mark.parametrize("variant", ["classic", "second-bid", "three"])
@pytest.mark.parametrize("number", [0, 7, 22])
def test_with_suits_exchanged_all_is_seen_and_done_alike(variant: str, number: int) -> None:
    tricks = game("twenty_eight")
    rules, rng = tricks.make_rules(variant), np.random.default_rng(number)
    order = reorder(tricks, tricks.features.symmetries[number])
    here, there = (Rows(tricks, rules, 1) for _ in range(2))
    deck = rng.permutation(tricks.pack(rules))
    suits = np.argsort(order.actions[60:64] - 60)  # of each suit what it becomes
    here.deal_deck(deck.tolist())
    there.deal_deck([card // 4 * 4 + int(suits[card % 4]) for card in deck.tolist()])
    steps = 0
    while not here.states["over"][0]:
        seen = observation_codes(here.states)[:, order.entries]
        for entry, codes in zip(order.named, order.codes_of, strict=True):
            seen[:, entry] = codes[seen[:, entry]]
        np.testing.assert_array_equal(seen, observation_codes(there.states))
        mine, yours = (rows.buffers.masks.astype(bool) for rows in (here, there))
        np.testing.assert_array_equal(mine[:, order.actions], yours)
        action = int(rng.choice(np.flatnonzero(mine[0])))
        here.step(np.array([action]))
        there.step(np.array([int(np.flatnonzero(order.actions == action)[0])]))
        steps += 1
    assert steps > 24


def test_positions_turn_with_their_suits() -> None:
    tricks = game("twenty_nine")
    orders = [reorder(tricks, one) for one in tricks.features.symmetries]
    assert len(orders) == 23
    rng = np.random.default_rng(0)
    values = rng.random((5, tricks.actions)).astype(np.float16)
    codes = np.zeros((5, tricks.features.width), np.int8)
    found = Positions(codes, values > 0.5, values, values.argmax(axis=1))
    for _ in range(10):
        turned = augment_symmetry(found, orders)
        assert (turned.values.argmax(axis=1) == turned.actions).all()
        assert (turned.masks == (turned.values > 0.5)).all()
