"""The reference Twenty-Eight against its rule page: rules that only some sources have."""

from typing import Any

import pytest

from tests.reference.twenty_eight import Game
from tests.reference.twenty_eight_cards import points
from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    SUIT_EACH,
    bid14,
    bid15,
    can,
    do,
    new,
    new29,
    passed_out,
    played_out,
)
from tests.reference.twenty_eight_options import make_options
from tests.reference.twenty_eight_scores import change

POINTLESS = ("Kc Qc 8c 7c Jc 9c Ac Tc", *SUIT_EACH[1:])
"""The first cards of the first speaker have no points."""
DIAMOND_APART = (
    "Jd Jh 9h Kh Jc Ac Tc 9d",  # of diamonds the jack and the nine, no spades
    "Td Ad Kd Js 9s As Th Qd",  # no clubs
    "Kc Qc 8c 7c Ks Qs 8s 7s",  # neither diamonds nor hearts
    "9c 8d 7d Ah 8h 7h Ts Qh",
)

# reentry


def test_a_seat_that_has_passed_may_bid_again() -> None:
    game = do(new(reentry=True), "14 pass pass 15")
    assert game.seat == 0
    do(game, "pass")
    assert game.phase == "auction" and game.seat == 1 and can(game).split()[0] == "20"
    do(game, "20 pass")
    assert game.phase == "auction" and game.bidder == 1 and game.seat == 3
    assert do(game, "pass pass").phase == "trumps" and game.bidder == 1


def test_the_auction_ends_when_all_others_have_passed_in_a_row_after_a_bid() -> None:
    game = do(new(reentry=True), "14 pass pass")
    assert game.phase == "auction" and game.seat == 3
    assert do(game, "pass").phase == "trumps" and game.bidder == 0
    game = do(new(reentry=True, partner_min=0), "14 pass pass 15 16 pass 17 pass pass")
    assert game.phase == "auction" and game.seat == 1 and game.bidder == 2
    assert do(game, "pass").phase == "trumps"


def test_the_highest_possible_bid_ends_it_as_ever() -> None:
    assert do(new(reentry=True), "14 pass pass 28").phase == "trumps"


def test_before_the_first_bid_everybody_has_one_turn() -> None:
    game = do(new(reentry=True, forced="nobody"), "pass pass pass pass")
    assert game.void and game.redealt is None


def test_the_others_may_bid_over_the_forced_dealer() -> None:
    game = do(new29(reentry=True), "pass pass pass")
    assert "pass" not in can(game)
    do(game, "15")
    assert game.phase == "auction" and game.seat == 0 and can(game).split()[0] == "16"
    assert do(game, "16 pass pass pass").bidder == 0 and game.phase == "trumps"


def test_without_it_a_pass_is_final() -> None:
    game = do(new(), "14 pass pass 15 16")
    assert game.seat == 3


# may_redeal


def test_the_first_speaker_may_demand_a_redeal_with_cards_without_points() -> None:
    game = new(*POINTLESS, may_redeal=True)
    assert can(game).split()[-1] == "redeal" and "pass" not in can(game)
    do(game, "redeal")
    assert game.over and game.void and game.legal() == set() and game.redealt == 0
    assert [game.reward(seat) for seat in range(4)] == [0, 0, 0, 0]
    assert game.auction.calls == [("auction", 0, "redeal")]


def test_its_cards_are_shown_to_everybody() -> None:
    game = do(new(*POINTLESS, may_redeal=True, dealer=1), "redeal")
    for seat in range(4):
        seen = game.seen_by(seat)
        assert seen["redealt"] == 2 and seen["shown_hand"] == ["7c", "8c", "Kc", "Qc"]


def test_it_may_bid_instead_and_then_says_nothing_of_its_cards() -> None:
    game = do(new(*POINTLESS, may_redeal=True), "14")
    assert game.phase == "auction" and game.seat == 1 and "redeal" not in can(game)
    do(game, "15 pass pass")
    assert game.seat == 0 and "redeal" not in can(game), "its first call only"
    assert all(game.seen_by(seat)["shown_hand"] == [] for seat in range(4))


def test_nobody_else_may_and_not_with_a_point() -> None:
    assert "redeal" not in can(new(*SUIT_EACH, may_redeal=True))
    game = do(new(*POINTLESS[1:], POINTLESS[0], may_redeal=True, forced="nobody"), "pass")
    do(game, "pass pass")
    assert points(game.hands[game.seat]) == 0 and "redeal" not in can(game)
    assert "redeal" not in can(new(*POINTLESS))


def test_with_six_players_all_six_cards_count() -> None:
    assert "redeal" not in can(new(players=6, may_redeal=True)), "the ten of clubs"


def test_it_need_not_be_forced() -> None:
    assert can(new29(*POINTLESS, may_redeal=True)).split()[-2:] == ["pass", "redeal"]


# play_shown


def diamonds(**options: Any) -> Game:
    """Seat 0 has laid the jack of diamonds and cannot follow spades."""
    game = do(bid14(*DIAMOND_APART, play_shown=True, **options), "Jd")
    return do(game, "Kh Th 7s Ah Ts")


def test_a_bidder_that_asks_itself_must_play_the_card_that_it_shows() -> None:
    game = diamonds()
    assert game.seat == 0 and can(game).split()[-1] == "ask"
    do(game, "ask")
    assert can(game) == "Jd", "though the nine is a trump, too"
    assert do(game, "Jd Js Ks").tricks[1].winner == 0


def test_without_it_any_trump() -> None:
    game = do(bid14(*DIAMOND_APART), "Jd Kh Th 7s Ah Ts ask")
    assert can(game) == "9d Jd"


def test_it_goes_before_asker_trumps() -> None:
    assert can(do(diamonds(asker_trumps=False), "ask")) == "Jd"


def test_it_may_still_play_without_asking() -> None:
    assert can(diamonds()) == "Tc Ac Jc 9d 9h Jh ask"


def test_a_card_shown_since_another_asked_is_as_any_other() -> None:
    game = do(bid14(*FOUR_HEARTS, play_shown=True), "9h Ac ask Th Kc 9c As 7s Ts")
    assert game.seat == 0 and can(game) == "Jc 8d Td Qh Kh 9h Jh"


def test_the_seventh_card_is_shown_and_played_as_well() -> None:
    game = do(bid15(*FOUR_HEARTS, seventh=True, ask="may", play_shown=True), "seventh")
    assert game.face_down == "Td"
    do(game, "Kh Th Ks 8h 9d Qs 7d 8d As 7s Ts ask")
    assert game.seat == 0 and can(game) == "Td"


def test_where_a_suit_was_named_there_is_no_such_card() -> None:
    game = do(bid15(*DIAMOND_APART, ask="may", play_shown=True), "diamonds Kh Th 7s Ah Ts")
    assert len(can(do(game, "ask")).split()) > 1


def test_it_goes_before_overtrump() -> None:
    hands = (
        "7d 9h Kh Tc Jc Ac Qc 9d",
        "Td Ad Kd Js 9s As Jh Qd",
        "Ts Th 8c 7c Ks Qs 8s 7s",
        "9c 8d Jd Ah 8h 7h Kc Qh",  # no spades
    )
    options = {"play_shown": True, "overtrump": True, "force": "whole"}
    game = do(bid14(*hands, **options), "7d Kh Jh Th 7h 9s 7s Jd")
    assert game.seat == 0 and can(do(game, "ask")) == "7d"


# highest_stake and single_lost


@pytest.mark.parametrize(
    ("scoring", "limit", "bid", "made", "lost"),
    [
        ("steps", 2, 19, 1, -2),
        ("steps", 2, 20, 2, -3),
        ("steps", 2, 25, 2, -3),
        ("steps", 3, 25, 3, -4),
        ("graded", 2, 24, 2, -3),
        ("graded", 3, 24, 3, -4),
        ("graded", 3, 28, 3, -4),
        ("graded", 0, 28, 4, -5),
        ("one", 2, 28, 1, -1),
    ],
)
def test_highest_stake(scoring: str, limit: int, bid: int, made: int, lost: int) -> None:
    options = make_options(scoring=scoring, highest_stake=limit)
    assert change(options, bid, True, 0, False) == made
    assert change(options, bid, False, 0, False) == lost


def test_doublings_multiply_the_limited_stake() -> None:
    options = make_options(scoring="graded", highest_stake=2, cot=True, auto_double=24)
    assert change(options, 28, True, 1, True) == 2 * 2 * 2 * 2


@pytest.mark.parametrize(("lost", "score"), [(3, -3), (4, -4)])
def test_a_lost_single_hand_costs_single_lost(lost: int, score: int) -> None:
    game = do(bid14(*FOUR_HEARTS, single_hand=True, single_lost=lost), "9h pass pass single")
    assert game.single == 2
    assert played_out(game).scores == [score, 0]


def test_a_single_hand_that_is_won_scores_3() -> None:
    game = do(bid14(*SUIT_EACH, single_hand=True, single_lost=4), "Jc single")
    assert played_out(game).scores == [3, 0]


def test_the_club_plays_with_six_from_16() -> None:
    options = make_options("28", "club")
    assert change(options, 16, False, 0, False) == -2 and change(options, 28, True, 0, False) == 2
    game = passed_out(do(new(variant="club"), "16"))
    assert game.phase == "trumps" and len(game.hands) == 6
