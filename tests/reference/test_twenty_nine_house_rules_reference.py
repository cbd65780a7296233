"""The reference Twenty-Nine against its rule page: rules that only some sources have."""

import pytest

from tests.reference.twenty_eight import would_be_redealt
from tests.reference.twenty_eight_cards import full_pack
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

SPADES_LED = (
    "Jd 9d Kd Qd Jc 9c Kh 7d",  # no spades
    "Js 9s As Ts Ac Tc Jh Ad",
    "7h Ks Qs 7s Kc Qc 9h Td",
    "8h 8s Ah Th Qh 8c 7c 8d",
)
"""Seat 0 has diamonds, and no spades."""

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
    doubled = make_options("29", auto_double=18)
    assert change(doubled, 18, made, 2, False, is_set=True) == 2 * score


def test_a_higher_bid_of_the_second_auction_cancels_it() -> None:
    options = {"doubles": True, "set_bid": True, "second_auction": 23}
    game = do(new29(*SUIT_EACH, **options), "15 pass pass pass double redouble set clubs")
    assert game.phase == "second" and game.setter == 1
    do(game, "23 pass pass pass clubs")
    assert game.setter == 1 and played_out(game).scores == [1, 0]  # known, but it counts no more


def test_a_hand_that_was_set() -> None:
    options = {"doubles": True, "set_bid": True, "never_shown": "plays"}
    game = do(new29(*SUIT_EACH, **options), "15 pass pass pass double redouble set clubs")
    assert played_out(game).scores == [6, 0]
    assert bid15(*SUIT_EACH).doubles == 0


# bidder_asks


@pytest.mark.parametrize("ask", ["may", "must"])
def test_it_must_ask_whether_others_may_or_must(ask: str) -> None:
    game = do(bid15(*SPADES_LED, bidder_asks=True, ask=ask), "diamonds Kh Jh")
    do(game, "7h 8h")
    assert game.tricks[0].winner == 1
    do(game, "9s 7s 8s")
    assert game.seat == 0 and can(game) == "ask"
    do(game, "ask")
    assert game.shown and "Jd" in can(game).split()


def test_without_it_the_bidder_may_keep_them_secret() -> None:
    game = do(bid15(*SPADES_LED), "diamonds Kh Jh 7h 8h 9s 7s 8s")
    assert game.seat == 0 and can(game).split()[-1] == "ask" and len(can(game).split()) > 1


# lead_secret


def test_the_bidder_may_lead_secret_trumps() -> None:
    assert "Jh" not in can(do(bid15(*FOUR_HEARTS), "hearts"))
    game = do(bid15(*FOUR_HEARTS, lead_secret=True), "hearts")
    assert "Jh" in can(game).split() and len(can(game).split()) == 8
    assert do(game, "Jh").shown is False


# half_lost


@pytest.mark.parametrize(
    ("scoring", "below", "score"), [("one", True, -2), ("one", False, -1), ("steps", True, -4)]
)
def test_a_bid_lost_by_more_than_half_costs_double(scoring: str, below: bool, score: int) -> None:
    options = make_options("29", half_lost=True, scoring=scoring)
    assert change(options, 16, False, 0, False, below_half=below) == score
    assert change(options, 16, False, 1, False, below_half=below) == 2 * score
    assert change(make_options("29"), 16, False, 0, False, below_half=True) == -1


def test_a_side_with_no_trick_loses_double() -> None:
    hands = (SUIT_EACH[1], SUIT_EACH[0], *SUIT_EACH[2:])
    options = {"half_lost": True, "never_shown": "plays", "ask": "may"}
    game = do(new29(*hands, **options), "pass 15 pass pass diamonds")
    assert played_out(game).scores == [0, -2]


def test_half_of_the_bid_is_enough() -> None:
    game = bid15(*SUIT_EACH, half_lost=True)
    assert game.number == 15
    assert 7 < game.number / 2 <= 8, "8 points lose the bid once, 7 points twice"


def test_an_early_end_waits_until_the_loss_is_known() -> None:
    hands = (SUIT_EACH[1], SUIT_EACH[0], *SUIT_EACH[2:])
    options = {"never_shown": "plays", "early_end": True, "last_trick": 0, "pair": False}
    games = [
        played_out(do(new29(*hands, half_lost=on, **options), "pass 15 pass pass diamonds"))
        for on in (False, True)
    ]
    assert len(games[0].tricks) <= len(games[1].tricks)
    assert [game.scores[1] for game in games] == [-1, -2]


# redeal_two


def test_cards_are_redealt_if_one_of_the_first_two_has_no_points() -> None:
    deck = full_pack(4)
    assert deck[:4] == ["7c", "8c", "Qc", "Kc"] and deck[4:8] == ["Tc", "Ac", "9c", "Jc"]
    turned = deck[4:8] + deck[:4] + deck[8:]
    third = deck[4:8] + deck[12:16] + deck[:4] + deck[8:12] + deck[16:]
    none, first, two = (
        make_options("29", redeal_jacks=False, **options)
        for options in ({}, {"redeal_pointless": True}, {"redeal_two": True})
    )
    assert [would_be_redealt(deck, each) for each in (none, first, two)] == [False, True, True]
    assert [would_be_redealt(turned, each) for each in (none, first, two)] == [False, False, True]
    assert not would_be_redealt(third, two), "only the first two"


# seventh_void


def test_the_hand_is_void_if_the_seventh_card_is_alone() -> None:
    game = do(bid15(*FOUR_HEARTS, seventh=True, seventh_void=True), "seventh")
    assert game.void and game.over and game.face_down == "Td" and not game.shown
    assert game.scores == [0, 0] and game.all_dealt


def test_it_is_played_with_another_card_with_points() -> None:
    game = do(bid15(*SUIT_EACH, seventh=True, seventh_void=True), "seventh")
    assert not game.over and game.face_down == "8c"


def test_only_if_the_seventh_card_was_chosen() -> None:
    game = do(bid15(*FOUR_HEARTS, seventh=True, seventh_void=True), "diamonds")
    assert not game.over
    assert not do(bid15(*FOUR_HEARTS, seventh=True), "seventh").over


# variants


def test_without_the_last_trick_bids_go_to_28() -> None:
    assert can(new29(variant="no-last-trick")).split()[-2:] == ["28", "pass"]
    assert do(new29(variant="no-last-trick"), "28").phase == "trumps"
