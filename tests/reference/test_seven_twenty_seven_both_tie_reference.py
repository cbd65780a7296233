"""The reference Seven Twenty-Seven: a BOTH seat that ties."""

from typing import Any

from tests.reference.seven_twenty_seven import BETS, BOTH, CALL, DECLARE_7, DECLARE_27, shares
from tests.reference.seven_twenty_seven_dealt import declaring, new, play, until

TIE: dict[str, Any] = {"both_tie": "shares"}


def test_a_both_seat_that_ties_drops_out_or_keeps_three_quarters() -> None:
    hands = ["9h Ah", "Td 9d Kd", "Tc Th"]  # 10 or 20, 19.5, 20
    said = [BOTH, DECLARE_7, DECLARE_27]
    assert declaring(*hands, said=said, pot=8) == [0, 4, 4]
    assert declaring(*hands, said=said, pot=8, both_tie="loses") == [0, 4, 4]
    assert declaring(*hands, said=said, pot=8, **TIE) == [4 + 2, 0, 2]


def test_a_both_seat_may_tie_on_the_7_side() -> None:
    hands = ["9h Ah", "8d 2d", "Tc Kh"]  # 10 or 20, 10, 10.5
    said = [BOTH, DECLARE_7, DECLARE_27]
    assert declaring(*hands, said=said, pot=8) == [0, 4, 4]
    assert declaring(*hands, said=said, pot=8, **TIE) == [2 + 4, 2, 0]


def test_a_both_seat_that_ties_on_each_side_keeps_half() -> None:
    hands = ["9h Ah", "8d 2d", "Tc Th"]  # 10 or 20, 10, 20
    said = [BOTH, DECLARE_7, DECLARE_27]
    assert declaring(*hands, said=said, pot=8, **TIE) == [2 + 2, 2, 2]


def test_a_both_seat_that_is_beaten_on_a_side_keeps_nothing_of_the_other() -> None:
    hands = ["9h Ah", "9d Kd", "Tc Th"]  # 10 or 20, 9.5, 20
    said = [BOTH, DECLARE_7, DECLARE_27]
    assert declaring(*hands, said=said, pot=8, **TIE) == [0, 4, 4], "it ties at 27, is beaten at 7"
    said = [BOTH, DECLARE_7, DECLARE_7]
    assert declaring(*hands, said=said, pot=8, **TIE) == [0, 8, 0]


def test_a_both_seat_that_is_strictly_best_takes_the_pot_with_either_rule() -> None:
    hands = ["9h Ah", "Td 9d", "Tc Kc"]  # 10 or 20, 19, 10.5
    said = [BOTH, DECLARE_7, DECLARE_27]
    for both_tie in ("loses", "shares"):
        assert declaring(*hands, said=said, pot=7, both_tie=both_tie) == [7, 0, 0]


def test_two_both_seats_that_tie_on_each_side_share() -> None:
    hands = ["9h Ah", "9d Ad", "Tc Jc"]  # 10 or 20 twice, 10.5
    said = [BOTH, BOTH, DECLARE_7]
    assert declaring(*hands, said=said, pot=8) == [0, 0, 8]
    assert declaring(*hands, said=said, pot=8, **TIE) == [4, 4, 0]
    assert declaring(*hands, said=said, pot=6, **TIE) == [2 + 2, 1 + 1, 0], "two odd halves"


def test_a_both_seat_that_ties_with_one_that_drops_out_takes_that_half_alone() -> None:
    # 10 or 20; 20, which is beaten at 7; 10.5; 9.5
    hands = ["9h Ah", "Td Th", "Tc Kc", "9c Kh"]
    said = [BOTH, BOTH, DECLARE_7, DECLARE_27]
    assert declaring(*hands, said=said, pot=8) == [0, 0, 4, 4]
    assert declaring(*hands, said=said, pot=8, **TIE) == [8, 0, 0, 0]


def test_with_shares_too_both_is_judged_once() -> None:
    # 7.5 beats the second at 7; 20 beats the first at 27, and ties with the third there
    hands = ["7h Kh", "9d Ad", "Tc Ts", "9c Kc"]  # 7.5, 10 or 20, 20, 9.5
    said = [BOTH, BOTH, DECLARE_27, DECLARE_7]
    assert declaring(*hands, said=said, pot=8, **TIE) == [0, 0, 4, 4]


def test_a_tie_of_three_leaves_a_third_and_remainders_as_ever() -> None:
    hands = ["Tc Th", "9h Ah", "Td Ts", "Js 9s 9d"]  # 20, 10 or 20, 20, 18.5
    said = [DECLARE_27, BOTH, DECLARE_27, DECLARE_7]
    # 11 chips: 5 for 7 and 6 for 27; 10: two odd chips of 5, for the first two
    assert declaring(*hands, said=said, pot=11, **TIE) == [2, 5 + 2, 2, 0]
    assert declaring(*hands, said=said, pot=10, **TIE) == [2, 5 + 2, 1, 0]


def test_whether_a_both_seat_ties_goes_by_the_nearness_rule() -> None:
    hands = ["6h Kh", "7d Kd"]  # 6.5 and 7.5, as near to 7; nobody else contests 27
    said = [BOTH, DECLARE_7]
    assert declaring(*hands, said=said, pot=8, **TIE) == [2 + 4, 2]
    assert declaring(*hands, said=said, pot=8, nearness="under_beats_over", **TIE) == [8, 0]
    assert declaring(*hands, said=said, pot=8, nearness="over_beats_under", **TIE) == [0, 8]


def test_a_both_seat_that_is_not_eligible_on_a_side_is_beaten_there() -> None:
    hands = ["Th Td", "Tc Ts"]  # over 7 both, and as near to 27
    bust = {"nearness": "over_is_bust", **TIE}
    assert declaring(*hands, said=[BOTH, DECLARE_27], pot=8, **bust) == [0, 8]
    assert declaring(*hands, said=[BOTH, BOTH], pot=8, **bust) == [4, 4], "none left: all share"
    assert declaring("5h Kh", "5d Kd", said=[BOTH, DECLARE_7], pot=8, **bust) == [2 + 4, 2]


def test_perfect_goes_before_both() -> None:
    hands = ["Ac Ad 5d", "4c 3c", "9h Ah"]
    said = [DECLARE_27, BOTH, BOTH]
    assert declaring(*hands, said=said, pot=8, perfect=True, **TIE) == [8, 0, 0]


def test_where_the_cards_speak_both_tie_says_nothing() -> None:
    hands = {0: ["9h", "Ah"], 1: ["Td", "9d"], 2: ["Tc", "Th"]}
    assert shares(8, hands, both_tie="shares") == shares(8, hands)


def test_both_tie_at_the_table() -> None:
    hands = ["9h Ah", "9d Ts", "Tc Th"]  # 10 or 20, 19, 20; the pot is 6
    for both_tie, won in [("loses", [0, 3, 3]), ("shares", [3 + 2, 0, 1])]:
        game = until(new(*hands, declare="simultaneous", both_tie=both_tie), "bet")
        play(game, BETS[0], CALL, CALL)
        play(until(game, "declare"), BOTH, DECLARE_7, DECLARE_27)
        assert game.over and game.won == won
