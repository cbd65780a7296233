"""The reference Twenty-Eight against its rule page: scores, the early end."""

from typing import Any

import pytest

from tests.reference.twenty_eight import Game
from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    SUIT_EACH,
    bid14,
    do,
    new,
    new29,
    passed_out,
    played_out,
)
from tests.reference.twenty_eight_options import make_options
from tests.reference.twenty_eight_scores import change

ONE_EACH = (
    "Jc 9c Ac Tc Kc Qc 8c 7d",
    "7c 9d Ad Td Kd Qd 8d Jd",
    "Jh 9h Ah Th Kh Qh 8h 7h",
    "Js 9s As Ts Ks Qs 8s 7s",
)


def nineteen(bid: str, **options: Any) -> Game:
    """Seat 0 bids this, and its side takes 19 points in all, the others the last trick."""
    game = passed_out(do(new29(*ONE_EACH, ask="may", never_shown="plays", **options), bid))
    do(game, "hearts Jc 7c 7h 7s Kc 8d 8h 8s Qc Qd Qh Qs 8c Kd Kh Ks Tc Td Th Ts Ac Ad Ah As")
    return do(game, "9c 9d 9h 9s 7d Jd Jh Js")


def all_tricks(bids: str = "14", **options: Any) -> Game:
    """Seat 0 leads clubs, and would win all tricks with them; hearts are named, and never asked."""
    game = passed_out(do(new(*SUIT_EACH, trump_by="suit", **options), bids))
    return passed_out(do(game, "hearts"))


# Won or lost


@pytest.mark.parametrize(("bid", "scores"), [("19", [1, 0]), ("18", [1, 0]), ("20", [-1, 0])])
def test_the_bidders_side_has_won_if_its_points_reach_the_bid(bid: str, scores: list[int]) -> None:
    game = nineteen(bid)
    assert game.over and game.points == [19, 10] and game.scores == scores


def test_the_last_trick_is_among_the_points() -> None:
    assert nineteen("15", last_trick=0).points == [19, 9]


def test_only_the_bidders_side_scores_and_the_reward_is_the_difference() -> None:
    game = nineteen("20")
    assert [game.reward(seat) for seat in range(4)] == [-1, 1, -1, 1]
    game = played_out(all_tricks("14 15"))
    assert game.bidder == 1 and game.points == [28, 0] and game.scores == [0, -1]
    assert [game.reward(seat) for seat in range(4)] == [1, -1, 1, -1]


def test_before_the_end_there_is_no_reward() -> None:
    assert [all_tricks().reward(seat) for seat in range(4)] == [0, 0, 0, 0]


@pytest.mark.parametrize(("bid", "rewards"), [("13", [1, -0.5, -0.5]), ("14", [-1, 0.5, 0.5])])
def test_with_three_players_the_others_share_the_opposite(bid: str, rewards: list[float]) -> None:
    hands = (
        "Jc 9c Ac Tc Qh Kh Qs Ks",
        "Jd 9d Ad Td Kd Qd Th Ts",
        "Jh 9h Ah Js 9s As Kc Qc",
    )
    options: dict[str, Any] = {"min_bid": 12, "trump_by": "suit", "ask": "may"}
    game = do(passed_out(do(new(*hands, **options), bid)), "diamonds")
    do(game, "Jc Ad Kc 9c 9d Qc Ac Td Ah Tc Kd As Qh Th 9h Js Ks Ts")
    assert game.points == [13, 0, 7]
    assert played_out(game).points == [13, 0, 15]
    assert [game.reward(seat) for seat in range(3)] == rewards


def test_a_hand_is_an_episode_and_a_session_is_no_option() -> None:
    with pytest.raises(ValueError, match="unknown option hands=6"):
        make_options(hands=6)


# Stakes


@pytest.mark.parametrize(
    ("scoring", "bid", "made", "lost"),
    [
        ("one", 12, 1, -1),
        ("one", 28, 1, -1),
        ("one", 29, 1, -1),
        ("steps", 12, 1, -2),
        ("steps", 19, 1, -2),
        ("steps", 20, 2, -3),
        ("steps", 24, 2, -3),
        ("steps", 25, 3, -4),
        ("steps", 29, 3, -4),
        ("graded", 12, 1, -2),
        ("graded", 14, 1, -2),
        ("graded", 19, 1, -2),
        ("graded", 20, 2, -3),
        ("graded", 23, 2, -3),
        ("graded", 24, 3, -4),
        ("graded", 27, 3, -4),
        ("graded", 28, 4, -5),
    ],
)
def test_what_a_bid_is_worth(scoring: str, bid: int, made: int, lost: int) -> None:
    options = make_options(scoring=scoring)
    assert change(options, bid, True, 0, False) == made
    assert change(options, bid, False, 0, False) == lost


@pytest.mark.parametrize(
    ("calls", "scores"), [("", [1, 0]), ("double", [2, 0]), ("double redouble", [4, 0])]
)
def test_doubles_are_times_2_and_4(calls: str, scores: list[int]) -> None:
    game = passed_out(do(new(*SUIT_EACH, doubles=True), "14 pass pass pass " + calls))
    assert played_out(do(game, "Jc")).scores == scores


@pytest.mark.parametrize(("calls", "score"), [("double", -2), ("double redouble", -4)])
def test_and_so_when_lost(calls: str, score: int) -> None:
    game = nineteen("20 pass pass pass " + calls, doubles=True)
    assert game.points == [19, 10] and game.scores == [score, 0]


@pytest.mark.parametrize(("bid", "scores"), [("20", [1, 0]), ("21", [2, 0]), ("28", [2, 0])])
def test_auto_double_bids_from_there_on_count_double(bid: str, scores: list[int]) -> None:
    assert played_out(all_tricks(bid, auto_double=21)).scores == scores


def test_auto_double_when_lost() -> None:
    assert nineteen("21", auto_double=21).scores == [-2, 0]
    assert nineteen("20", auto_double=21).scores == [-1, 0]


def test_cot_all_tricks_won_are_doubled() -> None:
    assert played_out(all_tricks(cot=True)).scores == [2, 0]
    assert played_out(all_tricks(cot=False)).scores == [1, 0]
    game = do(bid14(*FOUR_HEARTS, cot=True), "9h Ac ask Th 7c 9c")
    assert game.tricks[0].winner == 1 and abs(played_out(game).scores[0]) == 1, "not all"


def test_cot_is_for_the_bidders_side() -> None:
    assert played_out(all_tricks("14 15", cot=True)).scores == [0, -1]


def test_all_doublings_multiply() -> None:
    options: dict[str, Any] = {"cot": True, "auto_double": 21, "scoring": "graded"}
    game = passed_out(do(new(*SUIT_EACH, doubles=True, **options), "28 double redouble"))
    assert played_out(do(game, "Jc")).scores == [4 * 4 * 2 * 2, 0]


# The pair


def shown_pair(bid: str, **options: Any) -> Game:
    """Seat 0, the bidder, has shown the pair; its side takes 23 points in the end."""
    game = passed_out(do(new29(*FOUR_HEARTS, **options), bid))
    return played_out(do(game, "hearts Ac ask 9d 7c Tc show"))


@pytest.mark.parametrize(
    ("bid", "counts", "scores"), [("27", 23, [6, 0]), ("28", 24, [-8, 0]), ("20", 16, [2, 0])]
)
def test_the_pair_changes_what_must_be_reached_not_the_stakes(
    bid: str, counts: int, scores: list[int]
) -> None:
    game = shown_pair(bid, scoring="steps", auto_double=24)
    assert game.points == [23, 6] and game.counts == counts and game.scores == scores


# The early end


def test_the_hand_is_played_to_the_end() -> None:
    game = do(all_tricks(), "Jc Jd Jh Js 9c 9d 9h 9s Ac Ad Ah As Tc Td Th Ts")
    assert game.points == [28, 0] and not game.over
    assert len(played_out(game).tricks) == 8


def test_with_early_end_until_it_is_made() -> None:
    game = do(all_tricks(early_end=True), "Jc Jd Jh Js")
    assert game.points == [12, 0] and not game.over
    do(game, "9c 9d 9h")
    assert not game.over, "a trick is won with its last card"
    do(game, "9s")
    assert game.over and game.points == [20, 0] and game.scores == [1, 0]
    assert [len(hand) for hand in game.hands] == [6, 6, 6, 6]


def test_or_until_it_is_lost() -> None:
    game = do(all_tricks("14 17", early_end=True), "Jc Jd Jh Js")
    assert game.over and game.scores == [0, -1], "16 are left"
    game = do(all_tricks("14 16", early_end=True), "Jc Jd Jh Js")
    assert not game.over
    game = do(all_tricks("14 17", early_end=True, last_trick=1), "Jc Jd Jh Js")
    assert not game.over, "17 with the last trick"


def test_it_is_not_decided_while_never_shown_could_void_it() -> None:
    options: dict[str, Any] = {"early_end": True, "pair": False}
    game = do(passed_out(do(new29(*SUIT_EACH, ask="may", **options), "15")), "hearts")
    do(game, "Jc Jd Jh Js 9c 9d 9h 9s")
    assert game.points == [20, 0] and not game.over
    do(game, "Ac ask Ad Ah")
    assert not game.over, "it is looked at when the trick has been won"
    assert do(game, "As").over and game.scores == [1, 0]


def test_it_is_not_decided_while_all_tricks_may_be_won_with_cot() -> None:
    game = do(all_tricks(early_end=True, cot=True), "Jc Jd Jh Js 9c 9d 9h 9s Ac Ad Ah As")
    assert not game.over
    assert played_out(game).scores == [2, 0] and len(game.tricks) == 8
    game = do(all_tricks("14 17", early_end=True, cot=True), "Jc Jd Jh Js")
    assert game.over, "lost it is"


@pytest.mark.parametrize(("bid", "tricks"), [("16", 2), ("17", 3)])
def test_it_is_not_decided_while_a_pair_may_raise_the_bid(bid: str, tricks: int) -> None:
    game = all_tricks(bid, early_end=True, pair=True)
    do(game, "Jc Jd Jh Js 9c 9d 9h 9s")
    assert game.over is (tricks == 2)
    if tricks == 3:
        assert do(game, "Ac Ad Ah As").over


@pytest.mark.parametrize(("bid", "is_over"), [("20", False), ("21", True)])
def test_nor_while_a_pair_may_lower_it(bid: str, is_over: bool) -> None:
    game = do(all_tricks("14 " + bid, early_end=True, pair=True), "Jc Jd Jh Js")
    assert game.over is is_over, "16 are left"


def test_a_king_of_trumps_played_ends_that_once_they_are_shown() -> None:
    game = passed_out(do(new(*SUIT_EACH, trump_by="suit", early_end=True, pair=True), "17"))
    do(game, "clubs Jc ask Jd Jh Js Kc Kd Kh Ks")
    assert not game.over
    do(game, "9c 9d 9h 9s")
    assert game.over and game.points == [20, 0]


def test_without_the_king_played_it_goes_on() -> None:
    game = passed_out(do(new(*SUIT_EACH, trump_by="suit", early_end=True, pair=True), "17"))
    do(game, "clubs Jc ask Jd Jh Js 9c 9d 9h 9s")
    assert game.points == [20, 0] and not game.over
    do(game, "show")
    do(game, "8c 8d 8h 8s")
    assert game.over and game.counts == 14, "shown, it can be shown no more"


def test_at_no_trumps_no_pair_is_waited_for_once_that_is_known() -> None:
    options: dict[str, Any] = {"trump_by": "suit", "no_trumps": True, "early_end": True}
    game = passed_out(do(new(*SUIT_EACH, pair=True, **options), "17"))
    do(game, "no-trumps Jc ask Jd Jh Js 9c 9d 9h 9s")
    assert game.over


def test_what_is_left_is_taken_by_nobody() -> None:
    game = do(all_tricks(early_end=True, last_trick=1), "Jc Jd Jh Js 9c 9d 9h 9s")
    assert game.over and game.points == [20, 0]
