"""The features of all four piles together, and of the weights for a stock in order."""

import numpy as np
import pytest

from parlour.envs.core.options import as_record
from parlour.envs.games.puss_in_the_corner.values import (
    AFTERSTATES,
    BY_SORTED,
    EMPTY_END,
    JOINT,
    NUM_JOINT_FEATURES,
)
from tests.contract.cases import CASES, Case, positions

PUSS = {case.variant: case for case in CASES if case.game.name == "puss_in_the_corner"}


def listed(case: Case, state: np.ndarray, action: int) -> np.ndarray:
    ids = np.zeros(AFTERSTATES.max_active, np.int32)
    result = AFTERSTATES.active_features(state[0], as_record(case.rules)[0], action, ids)
    return ids[:result]


def ends(state: np.ndarray, action: int) -> tuple[object, object]:
    """The lowest values of the piles after PLACE or PLAY, and their tops; neither in order."""
    shown, piles = state["shown"][0], []
    for pile in range(4):
        cards = (state["pile"][0][pile][: state["count"][0][pile]] >> 2).tolist()
        if action == pile:
            cards.append(int(shown["card"]) >> 2)
        if action == 4 + pile:
            cards.pop()
        piles.append((min(cards, default=EMPTY_END), [EMPTY_END, *cards][-1]))
    when = int(shown["redeals_left"]), -(-int(shown["stock_count"]) // 4)
    lows, tops = (tuple(sorted(side)) for side in zip(*piles, strict=True))
    return (when, "lows", lows), (when, "tops", tops)


@pytest.mark.parametrize("variant", ["no-redeal", "book"])
def test_the_ends_of_the_piles_have_a_number_whatever_their_order(variant: str) -> None:
    case, known = PUSS[variant], dict[int, object]()
    env = case.env(encoding="codes")
    for _ in positions(env, 5, seed=2, every=2):
        state = env.rows.states.copy()
        for action in np.flatnonzero(env.action_masks() & (not state["over"][0]))[:8].tolist():
            if action < 8:
                numbers = listed(case, state, action)
                joint = numbers[(numbers >= JOINT) & (numbers < BY_SORTED)].tolist()
                for number, fact in zip(joint, ends(state, action), strict=True):
                    assert known.setdefault(number, fact) == fact
    assert len(set(known.values())) == len(known) > 100
    assert max(known) < JOINT + NUM_JOINT_FEATURES == BY_SORTED


def test_the_order_after_a_redeal_has_a_feature_and_before_it_none() -> None:
    case = PUSS["book"]
    env = case.env(encoding="codes")
    seen = {0: set[int](), 1: set[int]()}
    for _ in positions(env, 2, seed=2):
        state = env.rows.states.copy()
        if not state["over"][0] and state["shown"]["card"][0]:
            many = int((listed(case, state, 0) >= BY_SORTED).sum())
            seen[int(state["shown"]["redeals_left"][0])].add(many)
    assert seen == {0: {1}, 1: {0}}
