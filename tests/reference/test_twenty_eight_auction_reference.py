"""The reference Twenty-Eight against its rule page: the auction."""

import pytest

from tests.reference.twenty_eight import Game
from tests.reference.twenty_eight_dealt import can, do, new, new29


def lowest(game: Game) -> str:
    """The first of what may be called: the lowest bid, if there is one."""
    return can(game).split()[0]


def highest_bid(game: Game) -> str:
    """The last bid that may be called."""
    return [word for word in can(game).split() if word.isdigit()][-1]


# Bids


def test_bids_go_from_min_bid_to_28() -> None:
    assert can(new()) == "14 15 16 17 18 19 20 21 22 23 24 25 26 27 28"
    assert lowest(new(min_bid=12)) == "12" and lowest(new(min_bid=18)) == "18"


def test_or_29_with_last_trick() -> None:
    assert can(new29()) == "15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 pass"
    assert highest_bid(new29(last_trick=0)) == "28"


def test_each_bid_is_higher_than_the_bid_before() -> None:
    game = do(new(), "14")
    assert game.seat == 1 and can(game) == "15 16 17 18 19 20 21 22 23 24 25 26 27 28 pass"
    assert lowest(do(game, "22")) == "23"


def test_the_turn_goes_from_seat_to_seat_past_those_that_are_out() -> None:
    game = do(new(partner_min=0), "14 15 pass 16")
    assert game.seat == 0
    do(game, "17")
    assert game.seat == 1
    do(game, "18")
    assert game.seat == 3, "seat 2 is out"
    do(game, "pass 19")
    assert game.seat == 1 and game.bidder == 0 and game.number == 19


def test_it_ends_when_all_but_the_highest_bidder_are_out() -> None:
    game = do(new(partner_min=0), "14 15 pass pass")
    assert game.phase == "auction" and game.seat == 0
    do(game, "pass")
    assert game.phase == "trumps" and game.seat == game.bidder == 1 and game.number == 15


@pytest.mark.parametrize("passes", ["pass pass pass 15", "pass pass 15 pass"])
def test_one_who_has_not_spoken_may_still_bid(passes: str) -> None:
    game = do(new29(forced="nobody"), passes)
    assert game.phase == "trumps" and game.number == 15


@pytest.mark.parametrize(("last_trick", "bid"), [(0, "28"), (1, "29")])
def test_it_ends_at_the_highest_possible_bid(last_trick: int, bid: str) -> None:
    game = do(new(last_trick=last_trick), "14 " + bid)
    assert game.phase == "trumps" and game.bidder == 1
    if last_trick:
        assert lowest(do(new(last_trick=1), "28")) == "29", "28 is not the highest then"


def test_the_auction_is_one_of_numbers_with_three_and_six_players_too() -> None:
    game = do(new(players=3, min_bid=12), "12 13 14 15 pass")
    assert game.phase == "auction" and game.seat == 2 and game.bidder == 0
    assert do(game, "pass").phase == "trumps" and game.seat == 0
    game = do(new(players=6, min_bid=16), "16 17 pass pass pass pass")
    assert game.phase == "auction" and game.seat == 0
    assert do(game, "pass").phase == "trumps" and game.seat == 1


# Forced


def test_forced_first_must_bid_at_least_the_minimum() -> None:
    assert "pass" not in can(new(forced="first")).split()
    assert "pass" in can(do(new(forced="first"), "14")).split()
    assert do(new(forced="first"), "20").number == 20, "any number"
    game = do(new(forced="first", partner_min=0), "14 15 16 17")
    assert "pass" in can(game), "its first call only"


def test_forced_dealer_must_bid_if_all_others_pass() -> None:
    game = new(forced="dealer")
    for seat in range(3):
        assert game.seat == seat and "pass" in can(game)
        do(game, "pass")
    assert game.seat == 3 and can(game) == "14 15 16 17 18 19 20 21 22 23 24 25 26 27 28"
    do(game, "17")
    assert game.phase == "trumps" and game.bidder == 3 and game.number == 17


def test_the_dealer_is_not_forced_if_another_has_bid() -> None:
    assert "pass" in can(do(new(forced="dealer"), "pass 14 pass"))


def test_the_dealer_is_the_dealer_wherever_he_sits() -> None:
    game = do(new(forced="dealer", dealer=1), "pass pass pass")
    assert game.seat == 1 and "pass" not in can(game)


def test_forced_nobody_all_pass_is_void() -> None:
    game = do(new(forced="nobody"), "pass pass pass")
    assert not game.over and "pass" in can(game)
    do(game, "pass")
    assert game.over and game.void and game.legal() == set()
    assert [game.reward(seat) for seat in range(4)] == [0, 0, 0, 0]


# partner_min


def test_a_bid_over_ones_own_partners_must_be_at_least_partner_min() -> None:
    game = do(new(), "14 pass")
    assert game.seat == 2 and lowest(game) == "20" and "pass" in can(game)
    do(game, "20")
    assert lowest(do(game, "pass")) == "21", "it is met by then"


def test_it_says_nothing_of_a_bid_over_an_opponents() -> None:
    game = do(new(), "14 15")
    assert game.seat == 2 and lowest(game) == "16"
    do(game, "16 17")
    assert game.seat == 0 and lowest(game) == "18"


def test_the_opponents_between_may_have_passed_long_before() -> None:
    game = do(new(), "14 pass pass 15 16 pass")
    assert game.phase == "trumps"
    game = do(new(), "14 15 16 pass")
    assert game.seat == 0 and game.bidder == 2 and lowest(game) == "20"


def test_partner_min_0_is_no_such_rule_and_others_are_numbers() -> None:
    assert lowest(do(new(partner_min=0), "14 pass")) == "15"
    assert lowest(do(new(partner_min=28), "14 pass")) == "28"


def test_partner_min_holds_for_any_partner_of_six() -> None:
    game = do(new(players=6, min_bid=16), "16 pass pass pass")
    assert game.seat == 4 and lowest(game) == "20"


def test_three_players_have_no_partners() -> None:
    assert lowest(do(new(players=3, min_bid=12), "12 pass")) == "13"


# match


def test_match_an_earlier_speaker_may_bid_the_same_number_over_a_later_one() -> None:
    game = do(new29(match=True), "15 16 pass pass")
    assert game.seat == 0 and lowest(game) == "16"
    do(game, "16")
    assert game.bidder == 0 and game.number == 16


def test_who_must_then_go_higher_or_pass() -> None:
    game = do(new29(match=True), "15 16 pass pass 16")
    assert game.seat == 1 and can(game).split()[0] == "17" and "pass" in can(game)
    assert do(game, "pass").phase == "trumps" and game.bidder == 0


def test_it_may_go_on_so() -> None:
    game = do(new29(match=True), "15 16 pass pass 16 17 17")
    assert game.seat == 1 and lowest(game) == "18"


def test_a_later_speaker_may_not_match() -> None:
    assert lowest(do(new29(match=True), "15")) == "16"
    assert lowest(do(new29(match=False), "15 16 pass pass")) == "17"


def test_earlier_is_who_comes_earlier_from_the_first_speaker_on() -> None:
    game = do(new29(match=True, dealer=0), "15 16 17 18")
    assert game.seat == 1 and game.bidder == 0 and lowest(game) == "18", "the dealer is the last"


def test_a_partner_may_be_matched_from_partner_min_on() -> None:
    game = do(new29(match=True, partner_min=20), "15 pass 21 pass")
    assert game.seat == 0 and game.bidder == 2 and lowest(game) == "21"
    assert lowest(do(new29(match=True, partner_min=20), "15 16 17 pass")) == "20"


def test_the_highest_possible_bid_is_never_matched() -> None:
    assert do(new29(match=True), "15 29").phase == "trumps"


# Doubles


def test_without_the_option_trumps_are_made_at_once() -> None:
    assert do(new(), "14 pass pass pass").phase == "trumps"


def test_each_opponent_in_turn_may_double_or_pass() -> None:
    game = do(new(doubles=True), "14 15 pass pass pass")
    assert game.phase == "double" and game.bidder == 1
    assert game.seat == 0 and can(game) == "pass double"
    do(game, "pass")
    assert game.phase == "double" and game.seat == 2 and can(game) == "pass double"
    do(game, "pass")
    assert game.phase == "trumps" and game.seat == 1 and game.doubles == 0


def test_then_each_of_the_bidders_side_may_redouble_or_pass() -> None:
    game = do(new(doubles=True), "14 15 pass pass pass double")
    assert game.phase == "redouble" and game.doubles == 1
    assert game.seat == 1 and can(game) == "pass redouble"
    do(game, "pass")
    assert game.seat == 3 and can(game) == "pass redouble"
    do(game, "pass")
    assert game.phase == "trumps" and game.seat == 1 and game.doubles == 1


def test_the_first_redouble_ends_the_turns() -> None:
    game = do(new(doubles=True), "14 15 pass pass pass pass double redouble")
    assert game.phase == "trumps" and game.doubles == 2


def test_turns_go_from_the_first_speaker_on() -> None:
    game = do(new(doubles=True, dealer=1), "14 15 pass pass pass")
    assert game.phase == "double" and game.bidder == 3 and game.seat == 2
    do(game, "double")
    assert game.seat == 3, "the bidder before his partner, who deals"
    assert do(game, "pass").seat == 1


def test_doubles_of_three_and_six() -> None:
    game = do(new(players=3, min_bid=12, doubles=True), "12 pass pass pass double")
    assert game.phase == "redouble" and game.seat == 0
    assert do(game, "pass").phase == "trumps"
    game = do(new(players=6, min_bid=16, doubles=True), "16 " + "pass " * 5)
    assert game.seat == 1
    do(game, "pass pass")
    assert game.phase == "double" and game.seat == 5
    do(game, "double pass pass")
    assert game.phase == "redouble" and game.seat == 4


def test_a_void_hand_is_not_doubled() -> None:
    assert do(new(doubles=True, forced="nobody"), "pass pass pass pass").void


def test_the_history() -> None:
    game = do(new(doubles=True), "14 pass pass pass pass double redouble")
    assert game.auction.calls == [
        ("auction", 0, "14"),
        ("auction", 1, "pass"),
        ("auction", 2, "pass"),
        ("auction", 3, "pass"),
        ("double", 1, "pass"),
        ("double", 3, "double"),
        ("redouble", 0, "redouble"),
    ]
