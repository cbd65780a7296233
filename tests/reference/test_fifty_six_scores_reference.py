"""The reference Fifty-Six against its rule page: scores, and hands that are void."""

from typing import Any

import pytest

from tests.reference.fifty_six_dealt import HIDDEN, SUIT_EACH, contract, do, lay, new, played_out
from tests.reference.fifty_six_scores import change
from tests.reference.test_fifty_six_play_reference import MIXED, NO_SPADES


def score(calls: str, **options: Any) -> int:
    """The change for seat 0's side, which takes all 56 at hearts and no trumps, none at clubs."""
    game = played_out(contract(calls, *SUIT_EACH, **options))
    assert game.scores[1] == 0 and game.reward(0) == game.scores[0]
    return game.scores[0]


# Made and lost


@pytest.mark.parametrize(
    ("number", "made", "lost"),
    [(28, 1, -2), (39, 1, -2), (40, 2, -3), (47, 2, -3), (48, 3, -4), (55, 3, -4), (56, 4, -5)],
)
def test_stakes(number: int, made: int, lost: int) -> None:
    assert score(f"{number}n") == made and score(f"{number}c") == lost
    for doubling in ("none", "add", "times"):
        assert change(number, True, 0, doubling) == made
        assert change(number, False, 0, doubling) == lost


def test_the_contract_is_made_with_as_many_points_as_bid() -> None:
    game = played_out(contract("37h", *MIXED))
    assert game.points == [37, 19] and game.scores == [1, 0]
    game = played_out(contract("38h", *MIXED))
    assert game.points == [37, 19] and game.scores == [-2, 0]
    assert played_out(contract("39h", *NO_SPADES)).scores == [1, 0]
    game = played_out(contract("40h", *NO_SPADES))
    assert game.points == [39, 17] and game.scores == [-3, 0]


def test_the_points_of_the_bidders_partners_count() -> None:
    game = played_out(contract("28n pass 40n", *SUIT_EACH))
    assert game.bidder == 2 and game.points == [56, 0] and game.scores == [2, 0]


# Doubling


@pytest.mark.parametrize(
    ("doubling", "bid", "plain", "doubled", "redoubled"),
    [
        ("add", "28n", 1, 2, 3),
        ("add", "28c", -2, -3, -4),
        ("add", "40n", 2, 3, 4),
        ("add", "48c", -4, -5, -6),
        ("times", "28n", 1, 2, 4),
        ("times", "28c", -2, -4, -8),
        ("times", "40c", -3, -6, -12),
        ("times", "48n", 3, 6, 12),
    ],
)
def test_doubled_and_redoubled(
    doubling: str, bid: str, plain: int, doubled: int, redoubled: int
) -> None:
    assert score(bid, doubling=doubling) == plain
    assert score(bid + " double", doubling=doubling) == doubled
    assert score(bid + " double redouble", doubling=doubling) == redoubled


def test_a_cancelled_double_does_not_count() -> None:
    assert score("28n double 40n") == 2


def test_hidden_contracts_count_alike() -> None:
    game = lay(contract("48 double redouble", *SUIT_EACH, **HIDDEN), "Th")
    assert played_out(game).scores == [12, 0]
    game = lay(contract("28 40", *SUIT_EACH, **HIDDEN), "Tc")
    assert played_out(game).scores == [0, 2]


# Rewards


def test_only_the_bidders_side_scores() -> None:
    game = played_out(contract("28n 29c", *SUIT_EACH))
    assert game.scores == [0, 1] and game.points == [0, 56]
    game = played_out(contract("28n 40n", *SUIT_EACH))
    assert game.scores == [0, -3] and game.points == [56, 0]


def test_reward_is_the_own_sides_change_less_the_others() -> None:
    game = contract("28n 40n", *SUIT_EACH)
    assert [game.reward(seat) for seat in range(4)] == [0, 0, 0, 0], "before the end"
    assert [played_out(game).reward(seat) for seat in range(4)] == [3, -3, 3, -3]
    game = played_out(contract("48n", variant="eight"))
    assert sorted({game.reward(seat) for seat in (0, 2, 4, 6)}) == [game.scores[0]]


# Void hands


@pytest.mark.parametrize(("bid", "void"), [("28h", True), ("28d", True), ("28c", False)])
def test_void_without_a_trump_in_the_opponents_hands(bid: str, void: bool) -> None:
    game = contract(bid, *SUIT_EACH, void_without=True)
    assert game.over == game.void == void
    game = contract(bid, *SUIT_EACH)
    assert not game.over and not game.void, "only with the option"


def test_a_void_hand_ends_before_the_first_lead_with_0_for_everybody() -> None:
    game = contract("48h double", *SUIT_EACH, void_without=True)
    assert game.over and game.tricks == [] and game.points == [0, 0] and game.scores == [0, 0]
    assert [game.reward(seat) for seat in range(4)] == [0, 0, 0, 0] and game.legal() == set()
    assert game.contract == (48, "h") and game.doubles == 1 and len(game.hands[0]) == 8
    assert do(new(*SUIT_EACH, void_without=True), "56h").void
    assert do(new(*SUIT_EACH, void_without=True), "28h double redouble").void


def test_it_is_the_bidders_opponents_who_must_hold_a_trump() -> None:
    assert contract("28c 29d", *SUIT_EACH, void_without=True).phase == "play"
    assert contract("28d 29s", *SUIT_EACH, void_without=True).void
    assert contract("28h", *MIXED, void_without=True).phase == "play", "one of them is enough"


def test_at_no_trumps_no_hand_is_void() -> None:
    assert contract("28n", *SUIT_EACH, void_without=True).phase == "play"


def test_hidden_it_is_judged_when_the_card_is_laid() -> None:
    game = contract("28", *SUIT_EACH, **HIDDEN, void_without=True)
    assert game.phase == "lay"
    lay(game, "Jh")
    assert game.over and game.void and game.scores == [0, 0] and game.tricks == []
    assert game.face_down == "Jh" and not game.shown, "it is not turned up"
    game = lay(contract("28", *MIXED, **HIDDEN, void_without=True), "Jh")
    assert game.phase == "play" and game.seat == 0
