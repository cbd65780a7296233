"""The reference Twenty-Eight against its rule page: the making of trumps, the second auction."""

from typing import Any

from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    bid14,
    bid15,
    can,
    do,
    new,
    new29,
    passed_out,
)
from tests.reference.twenty_eight_tricks import Trick

SECOND: dict[str, Any] = {"second_auction": 24, "partner_min": 0}


# A card


def test_he_lays_one_of_his_first_cards_face_down() -> None:
    game = bid14(*FOUR_HEARTS)
    assert game.phase == "trumps" and game.seat == 0 and can(game) == "Qh Kh 9h Jh"
    do(game, "9h")
    assert game.face_down == game.laid == "9h" and game.trump == "h" and not game.shown


def test_it_leaves_his_hand_and_the_second_four_come() -> None:
    game = do(bid14(*FOUR_HEARTS), "9h")
    assert game.hands[0] == ["Jh", "Kh", "Qh", "Jc", "Ac", "Td", "8d"]
    assert [len(hand) for hand in game.hands] == [7, 8, 8, 8]


def test_the_bidder_is_the_highest_bidder() -> None:
    game = do(new(*FOUR_HEARTS), "14 15 pass pass pass")
    assert game.seat == 1 and can(game) == "Kd Ad 9d Jd"


def test_any_of_six_first_cards() -> None:
    game = do(new(players=6), "16 pass pass pass pass pass")
    assert can(game) == "6c 7c 8c Qc Kc Tc"


# A suit


def test_he_names_a_suit_in_secret_and_keeps_all_his_cards() -> None:
    game = bid15(*FOUR_HEARTS)
    assert game.seat == 0 and can(game) == "clubs diamonds hearts spades"
    do(game, "spades")
    assert game.trump == "s" and game.face_down is None and not game.shown
    assert [len(hand) for hand in game.hands] == [8, 8, 8, 8]


# The seventh


def test_seventh_is_the_suit_of_the_third_card_of_his_second_four() -> None:
    game = bid15(*FOUR_HEARTS, seventh=True)
    assert can(game) == "clubs diamonds hearts spades seventh"
    do(game, "seventh")
    assert game.face_down == game.laid == "Td" and game.trump == "d" and not game.shown
    game = do(new29(*FOUR_HEARTS, seventh=True), "15 pass pass 16 pass seventh")
    assert game.bidder == 3 and game.face_down == "7h"


def test_he_cannot_play_it_until_trumps_are_shown() -> None:
    game = do(bid15(*FOUR_HEARTS, seventh=True), "seventh")
    assert game.hands[0] == ["Jh", "9h", "Kh", "Qh", "Jc", "Ac", "8d"]
    assert can(game) == "Ac Jc Qh Kh 9h Jh", "nor lead the other diamond"
    do(game, "Ac ask")
    assert game.hands[0] == ["Jh", "9h", "Kh", "Qh", "Jc", "8d", "Td"] and game.face_down is None


def test_he_need_not_follow_with_it() -> None:
    game = do(bid15(*FOUR_HEARTS, seventh=True, ask="may"), "seventh")
    do(game, "Kh Th Ks 8h 9d Qs 7d")
    assert game.seat == 0 and can(game) == "8d", "he has another one"
    do(game, "8d Ad 8s Qd")
    assert game.seat == 0 and can(game) == "Ac Jc Qh 9h Jh ask"


def test_no_seventh_with_six_players() -> None:
    game = do(new29(players=6, seventh=True, pair=False), "15 pass pass pass pass pass")
    assert can(game) == "clubs diamonds hearts spades"


# No trumps


def test_with_no_trumps_he_may_choose_none_or_the_ranking_turned_over() -> None:
    game = bid15(*FOUR_HEARTS, no_trumps=True)
    assert can(game) == "clubs diamonds hearts spades no-trumps reversed"
    do(game, "no-trumps")
    assert game.strain == "n" and game.trump is None and not game.shown


def test_at_no_trumps_the_highest_card_of_the_suit_led_wins() -> None:
    game = do(bid15(*FOUR_HEARTS, no_trumps=True), "no-trumps Ac ask Th Kc 9c")
    assert game.tricks[0].winner == 3 and game.shown


def test_he_may_lead_what_he_likes_then() -> None:
    game = do(bid15(*FOUR_HEARTS, no_trumps=True), "reversed")
    assert can(game) == "Ac Jc 8d Td Qh Kh 9h Jh"


def test_turned_over_the_lowest_card_wins() -> None:
    game = do(bid15(*FOUR_HEARTS, no_trumps=True), "reversed Ac ask Kd 7c 9c")
    assert game.strain == "r" and game.tricks[0].winner == 2, "7 8 Q K T A 9 J from the top"
    do(game, "Ks Ts Qh 9s")
    assert game.tricks[1].winner == 2
    do(game, "8c Tc Jc As")
    assert game.tricks[2].winner == 2
    assert game.points == [1 + 2 + 1 + 2 + 1 + 3 + 1, 0], "points as ever"


def test_the_whole_turned_ranking() -> None:
    from_the_top = ["6", "7", "8", "Q", "K", "T", "A", "9", "J"]
    for at, rank in enumerate(from_the_top[1:]):
        plays = [(0, rank + "h"), (1, from_the_top[at] + "h"), (2, "6s")]
        assert Trick(0, turned=True, plays=plays).best(None) == 1
        assert Trick(0, turned=False, plays=plays).best(None) == 0


# The second auction


def test_each_seat_in_turn_from_0_may_bid_at_least_this_number_once() -> None:
    game = do(bid14(*FOUR_HEARTS, **SECOND), "9h")
    assert game.phase == "second" and game.seat == 0
    for seat in range(4):
        assert game.seat == seat and can(game) == "24 25 26 27 28 pass"
        do(game, "pass")
    assert game.phase == "play" and game.bidder == 0 and game.face_down == "9h"


def test_23_and_none() -> None:
    game = do(bid14(*FOUR_HEARTS, second_auction=23), "9h")
    assert can(game) == "23 24 25 26 27 28 pass"
    assert do(bid14(*FOUR_HEARTS), "9h").phase == "play"


def test_it_comes_after_the_second_four_cards() -> None:
    game = do(bid14(*FOUR_HEARTS, **SECOND), "9h")
    assert [len(hand) for hand in game.hands] == [7, 8, 8, 8]


def test_the_highest_new_bidder_becomes_the_bidder() -> None:
    game = do(bid14(*FOUR_HEARTS, **SECOND), "9h pass 24")
    assert game.seat == 2 and can(game) == "25 26 27 28 pass"
    do(game, "pass 26")
    assert game.phase == "trumps" and game.seat == game.bidder == 3 and game.number == 26


def test_who_passed_in_the_first_auction_may_bid_and_partner_min_says_nothing() -> None:
    game = do(bid14(*FOUR_HEARTS, second_auction=24, partner_min=28), "9h pass pass")
    assert game.seat == 2 and can(game) == "24 25 26 27 28 pass"
    game = do(bid14(*FOUR_HEARTS, second_auction=24, match=True), "9h pass pass pass 24")
    assert game.bidder == 3 and game.phase == "trumps", "nobody speaks twice, nor matches"


def test_he_makes_trumps_anew_from_all_eight_cards() -> None:
    game = do(bid14(*FOUR_HEARTS, **SECOND), "9h pass 24 pass pass")
    assert game.seat == 1 and can(game) == "Kd Ad 9d Jd Th As 9s Js"
    do(game, "Js")
    assert game.phase == "play" and game.trump == "s" and game.face_down == "Js"
    assert len(game.hands[1]) == 7


def test_a_face_down_card_goes_back_first() -> None:
    game = do(bid14(*FOUR_HEARTS, **SECOND), "9h pass 24 pass")
    assert game.face_down == "9h" and len(game.hands[0]) == 7, "when the second auction is over"
    do(game, "pass")
    assert game.face_down is None and "9h" in game.hands[0] and len(game.hands[0]) == 8
    assert game.trump is None


def test_the_bidder_may_bid_again_and_makes_trumps_anew() -> None:
    game = do(bid14(*FOUR_HEARTS, **SECOND), "9h 25 pass pass pass")
    assert game.seat == game.bidder == 0 and can(game) == "Ac Jc 8d Td Qh Kh 9h Jh"
    do(game, "9h")
    assert game.face_down == "9h" and game.number == 25


def test_a_suit_is_made_anew_and_the_seventh_goes_back() -> None:
    game = do(bid15(*FOUR_HEARTS, seventh=True, **SECOND), "seventh pass pass pass 24")
    assert game.seat == 3 and can(game) == "clubs diamonds hearts spades", "nothing is unseen now"
    assert "Td" in game.hands[0] and game.face_down is None and game.laid is None
    do(game, "clubs")
    assert game.trump == "c" and game.bidder == 3 and can(game) == "Ac Jc 8d Td Qh Kh 9h Jh"


def test_a_new_bid_must_be_higher_than_the_bid_before() -> None:
    game = do(passed_out(do(new(*FOUR_HEARTS, **SECOND), "25")), "9h")
    assert can(game) == "26 27 28 pass"


def test_it_ends_at_the_highest_possible_bid() -> None:
    game = do(bid14(*FOUR_HEARTS, **SECOND), "9h pass 28")
    assert game.phase == "trumps" and game.seat == 1


def test_it_is_not_held_if_the_highest_possible_bid_stands() -> None:
    assert do(new(*FOUR_HEARTS, **SECOND), "28 9h").phase == "play"


def test_a_new_bid_takes_the_doubles_away() -> None:
    game = do(new(*FOUR_HEARTS, doubles=True, **SECOND), "14 pass pass pass double pass pass 9h")
    assert game.phase == "second" and game.doubles == 1
    do(game, "pass pass pass 24")
    assert game.phase == "trumps" and game.doubles == 0
    assert do(game, "Ah").phase == "play", "and is not doubled"


def test_without_a_new_bid_the_doubles_stand() -> None:
    game = do(new(*FOUR_HEARTS, doubles=True, **SECOND), "14 pass pass pass double pass pass 9h")
    assert do(game, "pass pass pass pass").doubles == 1


def test_the_second_auction_of_six() -> None:
    game = do(new(players=6, min_bid=16, **SECOND), "16 pass pass pass pass pass 6c")
    assert game.phase == "second" and game.seat == 0
    do(game, "pass 24 pass pass pass pass")
    assert game.phase == "trumps" and can(game) == "Ac 9c Jc 6d 7d 8d" and "6c" in game.hands[0]
    assert do(game, "6d").phase == "play"
