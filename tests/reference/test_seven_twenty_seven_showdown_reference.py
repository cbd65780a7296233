"""The reference Seven Twenty-Seven: values of hands and division of the pot."""

import pytest

from tests.reference.seven_twenty_seven import (
    BOTH,
    DECLARE_7,
    DECLARE_27,
    NEARNESS,
    SEVEN,
    TWENTY_SEVEN,
    best_total,
    shares,
    totals,
)
from tests.reference.seven_twenty_seven_dealt import declaring
from tests.reference.seven_twenty_seven_showdown import is_perfect

# Four hands of the same size each: 5.5, 7.5, 26 and 28 points
FOUR = {0: ["5h", "Kh"], 1: ["7h", "Kd"], 2: ["Th", "Td", "6h"], 3: ["Tc", "Ts", "8h"]}
# Ties at equal distance: 6.5 and 7.5, 26 and 28
TIES = {0: ["6h", "Kh"], 1: ["7h", "Kd"], 2: ["Th", "Td", "6d"], 3: ["Tc", "Ts", "8h"]}

OVER_MAY_WIN = [nearness for nearness in NEARNESS if nearness != "over_is_bust"]


# What hands count


def test_totals_in_half_points() -> None:
    assert totals(["Kh"]) == totals(["Qh"]) == totals(["Jh"]) == [1]
    assert totals(["2h"]) == [4] and totals(["Th"]) == [20]
    assert totals(["Ah"]) == [2, 22] and totals(["Ah", "Ad"]) == [4, 24, 44]
    assert totals(["Ah", "Ad", "Ac", "As", "9h"]) == [26, 46, 66, 86, 106]


def test_half_tens() -> None:
    assert totals(["Th", "9h"]) == [38] and totals(["Th", "9h"], half_tens=True) == [19]
    assert best_total(["Th", "6h", "Ah"], SEVEN, "nearest", half_tens=True) == 15
    hands = {0: ["Th", "6h"], 1: ["Td", "5d"]}  # 16 and 15, or 6.5 and 5.5
    assert shares(2, hands) == {0: 1, 1: 1}
    assert shares(2, hands, half_tens=True) == {0: 2, 1: 0}


def test_five_and_two_aces_are_exactly_both_targets() -> None:
    hand = ["5c", "Ac", "Ad"]
    for nearness in NEARNESS:
        assert best_total(hand, SEVEN, nearness) == 14
        assert best_total(hand, TWENTY_SEVEN, nearness) == 54
    assert shares(9, {0: ["7c"], 1: hand}) == {0: 2, 1: 7}


ACES = [
    ("nearest", 4, 44),
    ("over_is_bust", 4, 44),
    ("under_beats_over", 4, 44),
    ("over_beats_under", 24, 64),
    ("inside_beats_outside", 24, 44),
    ("outside_beats_inside", 4, 64),
]


@pytest.mark.parametrize(("nearness", "low", "high"), ACES)
def test_an_ace_takes_the_side_that_the_rule_favours(nearness: str, low: int, high: int) -> None:
    assert best_total(["Kc", "Kd", "Ac"], SEVEN, nearness) == low, "2 or 12 points"
    assert best_total(["Tc", "9c", "2c", "Ac"], TWENTY_SEVEN, nearness) == high, "22 or 32"


def test_over_is_bust_takes_the_highest_total_not_above() -> None:
    assert best_total(["6c", "Ac"], SEVEN, "over_is_bust") == 14
    assert best_total(["8c", "Kc"], SEVEN, "over_is_bust") is None
    assert best_total(["Tc", "8c", "Ac"], TWENTY_SEVEN, "over_is_bust") == 38, "19, not 29"
    assert best_total(["Tc", "8c", "Ac"], TWENTY_SEVEN, "nearest") == 58
    assert best_total(["Tc", "9c", "9d"], TWENTY_SEVEN, "over_is_bust") is None


# Division of the pot


def test_worked_showdowns_of_four() -> None:
    assert shares(8, FOUR, "nearest") == {0: 0, 1: 4, 2: 2, 3: 2}
    assert shares(8, FOUR, "over_is_bust") == {0: 4, 1: 0, 2: 4, 3: 0}
    assert shares(8, FOUR, "under_beats_over") == {0: 0, 1: 4, 2: 4, 3: 0}


def test_worked_quarter() -> None:
    hands = {0: ["6h", "Kh"], 1: ["Td", "Th", "5d"], 2: ["6d", "Kd"]}
    assert shares(8, hands) == {0: 2, 1: 4, 2: 2}


@pytest.mark.parametrize(
    ("nearness", "sevens", "others"),
    [
        ("nearest", [0, 1], [2, 3]),
        ("over_is_bust", [0], [2]),
        ("under_beats_over", [0], [2]),
        ("over_beats_under", [1], [3]),
        ("inside_beats_outside", [1], [2]),
        ("outside_beats_inside", [0], [3]),
    ],
)
def test_equal_distances(nearness: str, sevens: list[int], others: list[int]) -> None:
    got = shares(8, TIES, nearness)
    assert [seat for seat in sevens + others if got[seat]] == sevens + others
    assert sum(got[seat] for seat in sevens) == sum(got[seat] for seat in others) == 4


@pytest.mark.parametrize("nearness", OVER_MAY_WIN)
def test_the_nearer_total_wins_whatever_its_side(nearness: str) -> None:
    assert shares(2, {0: ["6h"], 1: ["7d", "Kd"]}, nearness) == {0: 0, 1: 2}
    assert shares(4, {0: ["8h"], 1: ["6d", "Kd"]}, nearness) == {0: 2, 1: 2}


def test_inside_at_27_is_below_27_however_far() -> None:
    hands = {0: ["6h", "Kh"], 1: ["Th", "Td", "Ts", "Tc", "7h", "Kd"], 2: ["7c"]}
    declared = {0: DECLARE_27, 1: DECLARE_27, 2: DECLARE_7}
    for nearness, seat in (("inside_beats_outside", 0), ("outside_beats_inside", 1)):
        assert shares(4, hands, nearness, declared=declared)[seat] == 2


def test_the_7_side_is_the_smaller_half_and_one_seat_may_win_both() -> None:
    assert shares(7, {0: ["7h"], 1: ["Td", "Th", "7d"]}) == {0: 3, 1: 4}
    assert shares(7, {0: ["Tc", "Kh"], 1: ["5d", "Ad", "Ah"]}) == {0: 0, 1: 7}


def test_remainders_go_in_seat_order_from_the_dealers_left() -> None:
    # three 7s and two 27s; the dictionary is in seat order from the dealer's left
    hands = {2: ["7h"], 3: ["Th", "Td", "7d"], 0: ["7c"], 1: ["7s"], 4: ["Tc", "Ts", "6s", "Ah"]}
    assert shares(11, hands) == {2: 2, 3: 3, 0: 2, 1: 1, 4: 3}
    assert shares(9, hands) == {2: 2, 3: 3, 0: 1, 1: 1, 4: 2}


def test_over_is_bust_without_a_seven_gives_the_27_side_the_whole_pot() -> None:
    hands = {0: ["9h", "8h"], 1: ["9d", "8d"], 2: ["9c", "8c"]}
    assert shares(10, hands, "over_is_bust") == {0: 4, 1: 3, 2: 3}, "one part, one remainder"


# 5-A-A

PERFECT = ["5c", "Ac", "Ad"]


def test_perfect_takes_the_whole_pot() -> None:
    hands = {0: ["7c"], 1: PERFECT, 2: ["Th", "Td", "7d"]}  # the others are 7 and 27
    assert shares(13, hands) == {0: 3, 1: 3 + 4, 2: 3}
    assert shares(13, hands, perfect=True) == {0: 0, 1: 13, 2: 0}


@pytest.mark.parametrize("nearness", NEARNESS)
def test_perfect_is_so_by_any_nearness_and_with_half_tens(nearness: str) -> None:
    hands = {0: ["7c"], 1: PERFECT}
    for half_tens in (False, True):
        assert shares(9, hands, nearness, half_tens, perfect=True) == {0: 0, 1: 9}


def test_several_perfect_hands_share_the_whole_pot() -> None:
    hands = {2: ["7c"], 3: PERFECT, 0: ["As", "5h", "Ah"], 1: ["Th", "Td", "7d"]}
    # one part: its one remainder goes to the first of them from the dealer's left
    assert shares(7, hands, perfect=True) == {2: 0, 3: 4, 0: 3, 1: 0}
    assert shares(8, hands, perfect=True) == {2: 0, 3: 4, 0: 4, 1: 0}


def test_perfect_is_5_a_a_and_no_other_hand() -> None:
    for cards in (["2c", "3c", "Ac", "Ad"], ["5c", "Ac", "Ad", "Kc"], ["5c", "Ac"], ["7h"]):
        assert not is_perfect(cards)
        hands = {0: ["7c"], 1: cards}
        assert shares(8, hands, perfect=True) == shares(8, hands)
    assert is_perfect(["Ad", "5c", "Ac"]) and is_perfect(["As", "Ah", "5d"])


def test_perfect_takes_the_whole_pot_whatever_was_declared() -> None:
    hands = {0: ["7c"], 1: PERFECT, 2: ["9h", "8h"]}
    for said in (DECLARE_7, DECLARE_27, BOTH):
        declared = {0: BOTH, 1: said, 2: DECLARE_27}
        assert shares(7, hands, declared=declared, perfect=True) == {0: 0, 1: 7, 2: 0}
    # without the option a declaration of 7 is no more than that
    declared = {0: DECLARE_7, 1: DECLARE_7, 2: DECLARE_27}
    assert shares(8, hands, declared=declared) == {0: 2, 1: 2, 2: 4}


# Declaring


def test_a_seat_contests_only_what_it_declared() -> None:
    hands = ["7h Kh", "9h 2h", "Td 9d", "Tc Ts"]  # 7.5, 11, 19, 20
    said = [DECLARE_27, DECLARE_7, DECLARE_7, DECLARE_27]
    assert declaring(*hands, said=said, pot=7) == [0, 3, 0, 4]


def test_half_of_a_side_without_declarers_goes_to_the_other() -> None:
    hands = ["6h Kh", "6d Kd", "Tc Ts"]  # 6.5 twice, 20
    assert declaring(*hands, said=[DECLARE_7] * 3, pot=9) == [5, 4, 0]
    assert declaring(*hands, said=[DECLARE_27] * 3, pot=9) == [0, 0, 9]
    # one part, so one remainder: not 2, 2, 1 for each half
    same = ["6h Kh", "6d Kd", "6c Kc"]
    assert declaring(*same, said=[DECLARE_7] * 3, pot=10) == [4, 3, 3]


def test_both_takes_the_whole_pot_when_best_on_each_side() -> None:
    hands = ["5h Kh", "9h Ah", "9d 2d"]  # 5.5; 10 or 20; 11
    assert declaring(*hands, said=[DECLARE_27, BOTH, DECLARE_7], pot=7) == [0, 7, 0]
    assert declaring(*hands, said=[DECLARE_7, BOTH, DECLARE_27], pot=7) == [3, 0, 4]


def test_both_must_be_strictly_best() -> None:
    hands = ["9h Ah", "9d Ad", "Tc Jc"]  # 10 or 20 twice, 10.5
    assert declaring(*hands, said=[BOTH, DECLARE_7, DECLARE_27], pot=7) == [0, 3, 4]
    assert declaring(*hands, said=[BOTH, DECLARE_27, DECLARE_7], pot=7) == [0, 4, 3]
    assert declaring(*hands, said=[BOTH, BOTH, DECLARE_7], pot=7) == [0, 0, 7]


def test_strictly_best_goes_by_the_nearness_rule() -> None:
    # 6.5 against 7.5 at 7; nobody else contests 27
    hands = ["5h Kh Ah", "7d Kd"]
    said = [BOTH, DECLARE_7]
    assert declaring(*hands, said=said, pot=6) == [0, 6]
    assert declaring(*hands, said=said, pot=6, nearness="under_beats_over") == [6, 0]
    assert declaring(*hands, said=said, pot=6, nearness="over_beats_under") == [0, 6]


def test_other_both_seats_are_in_the_way_even_when_they_lose() -> None:
    # the first has the best 7, the second the best 27: both drop out
    hands = ["7h Kh", "Th Td", "9c Kc"]
    assert declaring(*hands, said=[BOTH, BOTH, DECLARE_7], pot=7) == [0, 0, 7]
    assert declaring(*hands, said=[BOTH, BOTH, DECLARE_27], pot=7) == [0, 0, 7]


def test_one_of_two_both_seats_may_win() -> None:
    hands = ["9h Ah", "Td Jd", "8c Kc"]  # 10 or 20, 10.5, 8.5
    assert declaring(*hands, said=[BOTH, BOTH, DECLARE_27], pot=7) == [7, 0, 0]
    assert declaring(*hands, said=[BOTH, BOTH, DECLARE_7], pot=7) == [0, 0, 7]


def test_both_is_judged_once() -> None:
    # without the first, the second would be best on each side
    hands = ["7h Kh", "9d Ad", "Tc Js"]
    assert declaring(*hands, said=[BOTH, BOTH, DECLARE_27], pot=7) == [0, 0, 7]


def test_all_both_and_none_wins() -> None:
    hands = ["7h Kh", "Th Td", "9c Kc"]
    assert declaring(*hands, said=[BOTH] * 3, pot=8) == [3, 3, 2]


def test_both_seat_alone_on_a_side_is_best_there() -> None:
    assert declaring("7h Kh", "Th Td", said=[BOTH, DECLARE_7], pot=7) == [7, 0]
    assert declaring("7h Kh", "Th Td", said=[BOTH, DECLARE_27], pot=7) == [0, 7]


def test_declaring_under_over_is_bust() -> None:
    bust = "over_is_bust"
    # neither 7.5 nor 8 can win the 7 side: its half goes to the other side
    hands = ["7h Kh", "6d 2d", "Tc Kc"]
    said = [DECLARE_7, DECLARE_7, DECLARE_27]
    assert declaring(*hands, said=said, pot=7, nearness=bust) == [0, 0, 7]
    # nobody is eligible for anything: all still in share
    assert declaring(*hands, said=[DECLARE_7] * 3, pot=7, nearness=bust) == [3, 2, 2]
    # BOTH without a 7 cannot win, and drops out at 27 too
    said = [DECLARE_27, BOTH]
    assert declaring("5h Kh", "Td Ad", said=said, pot=7, nearness=bust) == [7, 0]
    assert declaring("5h Kh", "6d Ad", said=said, pot=7, nearness=bust) == [0, 7]
    # nor is it in the way of another BOTH
    assert declaring("5h Ah", "8d Kd", said=[BOTH, BOTH], pot=7, nearness=bust) == [7, 0]
