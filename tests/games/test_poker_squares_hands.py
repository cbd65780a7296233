"""Poker hands: examples by name, and every hand there is by category."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from parlour.envs.core.kernel.cards import FIRST_CARD, PACK_SIZE, parse_card
from parlour.envs.core.kernel.jit import jit
from parlour.envs.games.poker_squares.kernel import category
from parlour.envs.games.poker_squares.rules import Hand

COUNTS = {
    Hand.HIGH_CARD: 1_302_540,
    Hand.PAIR: 1_098_240,
    Hand.TWO_PAIR: 123_552,
    Hand.THREE: 54_912,
    Hand.STRAIGHT: 10_200,
    Hand.FLUSH: 5_108,
    Hand.FULL_HOUSE: 3_744,
    Hand.FOUR: 624,
    Hand.STRAIGHT_FLUSH: 36,
    Hand.ROYAL_FLUSH: 4,
}
"""How many of the 2 598 960 hands are of each category: textbook combinatorics."""


@jit
def count_all(hands: Any, counts: Any) -> None:
    for i in range(len(hands)):
        counts[category(hands[i])] += 1


def test_every_hand_by_category() -> None:
    pack = range(FIRST_CARD, FIRST_CARD + PACK_SIZE)
    hands = np.fromiter(combinations(pack, 5), np.dtype((np.int8, 5)), 2_598_960)
    counts = np.zeros(len(Hand), np.int64)
    count_all(hands, counts)
    assert dict(zip(Hand, counts.tolist(), strict=True)) == COUNTS


@pytest.mark.parametrize(
    ("cards", "hand"),
    [
        ("Ah Th Kh Jh Qh", Hand.ROYAL_FLUSH),
        ("5c 4c 3c 2c Ac", Hand.STRAIGHT_FLUSH),
        ("9d 9c 9h 2s 9s", Hand.FOUR),
        ("2c 3h 2d 3s 2h", Hand.FULL_HOUSE),
        ("2s 7s 9s Ts Ks", Hand.FLUSH),
        ("Ac Kd Qd Jd Td", Hand.STRAIGHT),
        ("Ac 2d 3d 4d 5d", Hand.STRAIGHT),
        ("Qc Kd Ad 2d 3d", Hand.HIGH_CARD),
        ("7c 7d 7h Ks 2c", Hand.THREE),
        ("7c 7d Kh Ks 2c", Hand.TWO_PAIR),
        ("7c 7d Kh Qs 2c", Hand.PAIR),
        ("7c 5d Kh Qs 2c", Hand.HIGH_CARD),
    ],
)
def test_examples_in_any_order(cards: str, hand: Hand) -> None:
    codes = [parse_card(card) for card in cards.split()]
    for turn in range(5):
        row = np.array(codes[turn:] + codes[:turn], np.int8)
        assert category(row) == hand
        assert category(row[::-1].copy()) == hand
