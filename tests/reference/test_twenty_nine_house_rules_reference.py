"""The reference Twenty-Nine against its rule page: rules that only some sources have."""

import pytest

from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    SUIT_EACH,
    bid15,
    can,
    do,
    new,
    new29,
    played_out,
)
from tests.reference.twenty_eight_options import make_options
from tests.reference.twenty_eight_scores import change

# one_bid


def test_each_seat_speaks_once() -> None:
    game = do(new29(one_bid=True), "15 16 pass")
    assert game.phase == "auction" and game.seat == 3, "the first speaker is not asked again"
    assert do(game, "17").phase == "trumps" and game.bidder == 3


def test_the_partner_may_bid_over_the_bidder_at_its_only_turn() -> None:
    game = do(new29(one_bid=True), "15 pass 16 pass")
    assert game.phase == "trumps" and game.bidder == 2


def test_the_highest_possible_bid_ends_the_auction_at_once() -> None:
    assert do(new29(one_bid=True), "29").phase == "trumps"


def test_the_dealer_must_bid_if_all_others_pass_at_their_only_turn() -> None:
    game = do(new29(one_bid=True), "pass pass pass")
    assert "pass" not in can(game)
    assert do(game, "15").phase == "trumps"
    game = do(new29(one_bid=True, forced="nobody"), "pass pass pass pass")
    assert game.void


# forced_exact


def test_the_forced_dealer_bids_the_lowest_number() -> None:
    game = do(new29(forced_exact=True), "pass pass pass")
    assert can(game) == "15"
    assert do(game, "15").phase == "trumps"


def test_who_need_not_bid_may_bid_any_number() -> None:
    game = new29(forced_exact=True)
    assert can(game).split()[:2] == ["15", "16"]
    do(game, "pass pass 15")
    assert can(game).split()[:2] == ["16", "17"], "the dealer is not forced any more"


def test_so_does_a_forced_first_speaker() -> None:
    assert can(new(forced_exact=True)) == "14"
    game = new("Kc Qc 8c 7c Jc 9c Ac Tc", *SUIT_EACH[1:], forced_exact=True, may_redeal=True)
    assert can(game) == "14 redeal"


# trumps_first


def test_trumps_are_chosen_before_the_seats_double() -> None:
    game = do(new29(*FOUR_HEARTS, doubles=True, trumps_first=True), "15 pass pass pass")
    assert game.phase == "trumps"
    do(game, "hearts")
    assert game.phase == "double" and game.seat == 1 and not game.all_dealt
    assert [len(hand) for hand in game.hands] == [4, 4, 4, 4]
    do(game, "pass double")
    assert game.phase == "redouble" and game.seat == 0
    do(game, "redouble")
    assert game.phase == "play" and game.all_dealt and game.doubles == 2


def test_a_card_lies_face_down_while_the_seats_double() -> None:
    game = do(new(*FOUR_HEARTS, doubles=True, trumps_first=True), "14 pass pass pass Jh")
    assert game.phase == "double" and game.face_down == "Jh" and len(game.hands[0]) == 3
    assert do(game, "pass pass").phase == "play"


def test_the_seventh_card_is_dealt_after_the_doubles() -> None:
    options = {"doubles": True, "trumps_first": True, "seventh": True}
    game = do(new29(*FOUR_HEARTS, **options), "15 pass pass pass seventh")
    assert game.phase == "double" and game.strain is None
    do(game, "pass pass")
    assert game.face_down == "Td" and game.strain == "d" and game.phase == "play"


def test_trumps_made_anew_are_not_doubled() -> None:
    options = {"doubles": True, "trumps_first": True, "second_auction": 23}
    game = do(new29(*FOUR_HEARTS, **options), "15 pass pass pass hearts double pass pass")
    assert game.phase == "second" and game.doubles == 1
    do(game, "pass 23 pass pass diamonds")
    assert game.phase == "play" and game.doubles == 0 and game.bidder == 1


# set_bid


def test_the_opponents_may_set_a_redoubled_bid() -> None:
    game = do(new29(doubles=True, set_bid=True), "15 pass pass pass double redouble")
    assert game.phase == "set" and game.seat == 1 and can(game) == "pass set"
    do(game, "pass set")
    assert game.phase == "trumps" and game.setter == 3 and game.doubles == 2


def test_nobody_sets_what_was_not_redoubled() -> None:
    game = do(new29(doubles=True, set_bid=True), "15 pass pass pass double pass pass")
    assert game.phase == "trumps" and game.setter is None


def test_all_opponents_may_leave_it_at_the_redouble() -> None:
    game = do(new29(doubles=True, set_bid=True), "15 pass pass pass double redouble pass pass")
    assert game.phase == "trumps" and game.setter is None and game.doubles == 2


@pytest.mark.parametrize(("made", "score"), [(True, 6), (False, -6)])
def test_a_set_bid_counts_6_times(made: bool, score: int) -> None:
    assert change(make_options("29"), 16, made, 2, False, is_set=True) == score
    doubled = make_options("29", auto_double=16)
    assert change(doubled, 16, made, 2, False, is_set=True) == 2 * score


def test_a_higher_bid_of_the_second_auction_cancels_it() -> None:
    options = {"doubles": True, "set_bid": True, "second_auction": 23}
    game = do(new29(*SUIT_EACH, **options), "15 pass pass pass double redouble set clubs")
    assert game.phase == "second" and game.setter == 1
    do(game, "23 pass pass pass clubs")
    assert game.setter is None and played_out(game).scores == [1, 0]


def test_a_hand_that_was_set() -> None:
    options = {"doubles": True, "set_bid": True, "never_shown": "plays"}
    game = do(new29(*SUIT_EACH, **options), "15 pass pass pass double redouble set clubs")
    assert played_out(game).scores == [6, 0]
    assert bid15(*SUIT_EACH).doubles == 0
