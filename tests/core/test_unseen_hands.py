"""Dealing unseen cards anew: every deal that fits the voids is as likely as any other."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from parlour.envs.core.tricks import unseen_hands
from tests.core.tiny import STATE

CASES = {
    "nothing known": ([0, 0, 1, 2, 3], [2, 2, 1], [0, 0, 0]),
    "one void": ([0, 0, 1, 1, 2], [2, 1, 2], [0b0001, 0, 0]),
    "each may hold two": ([0, 1, 2], [1, 1, 1], [0b0001, 0b0010, 0b0100]),
    "hands of different sizes": ([0, 0, 0, 1, 1, 3], [3, 1, 2], [0b0010, 0b0001, 0b1000]),
    "only one way": ([0, 1], [1, 1], [0b1101, 0b1110]),
}
DEALS = 6000


def fitting(suits: list[int], sizes: list[int], voids: list[int]) -> set[tuple[int, ...]]:
    """All ways to deal that fit, by trying all."""
    holders = [hand for hand, size in enumerate(sizes) for _ in range(size)]
    return {
        deal
        for deal in permutations(holders)
        if not any(voids[hand] >> suit & 1 for hand, suit in zip(deal, suits, strict=True))
    }


@pytest.mark.parametrize("deal", [unseen_hands.deal_unseen, unseen_hands.deal_counted])
@pytest.mark.parametrize("name", CASES)
def test_every_deal_that_fits_is_as_likely_as_any_other(name: str, deal: object) -> None:
    suits, sizes, voids = CASES[name]
    state = np.zeros(1, STATE)
    state["rng"] = 5
    holders = np.zeros(len(suits), np.int8)
    given = [np.array(one, np.int64) for one in (suits, sizes, voids)]
    result = Counter[tuple[int, ...]]()
    for _ in range(DEALS):
        deal(state[0], *given, holders)  # type: ignore[operator]
        result[tuple(holders.tolist())] += 1
    wanted = fitting(suits, sizes, voids)
    assert set(result) == wanted
    if len(wanted) > 1:
        assert chisquare([result[one] for one in wanted]).pvalue > 0.01


@pytest.mark.parametrize("name", CASES)
def test_ways_are_counted(name: str) -> None:
    suits, sizes, voids = CASES[name]
    counts = np.bincount(suits, minlength=4)
    ways = unseen_hands.make_ways(counts, len(sizes))
    result = unseen_hands.count_deals(counts, np.array(sizes), np.array(voids), ways)
    assert result == len(fitting(suits, sizes, voids))
