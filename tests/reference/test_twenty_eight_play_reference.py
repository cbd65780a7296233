"""The reference Twenty-Eight against its rule page: play, asking, force, the last card."""

from typing import Any

import pytest

from tests.reference.twenty_eight import Game
from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    SUIT_EACH,
    bid14,
    bid15,
    can,
    do,
    new,
    new29,
    played_out,
    trick,
)

NO_CLUBS = (
    "Jh 9h Kh Qh Jc Ac Td 8d",
    "Jd 9d Ad Kd Js 9s As Ah",  # no clubs
    "Th 8h Qd 7d Ks Qs 8s 7s",  # no clubs
    "Kc Qc 8c 7c 9c Tc 7h Ts",
)
ONE_DIAMOND = (
    "Jd Jh 9h Kh Jc Ac Tc Qh",  # nothing else of diamonds, no spades
    "Td 9d Ad Kd Js 9s As Th",  # no clubs
    "Kc Qc 8c 7c Ks Qs 8s 7s",  # neither diamonds nor hearts
    "9c Qd 8d 7d Ah 8h 7h Ts",
)
LAST_CLUB = (
    "9c Ac Tc Kc Qc 8c 7c 7d",
    "Jd 9d Ad Td Kd Qd 8d 7h",
    "Jh 9h Ah Th Kh Qh 8h Jc",
    "Js 9s As Ts Ks Qs 8s 7s",
)


def hearts(**options: Any) -> Game:
    """Seat 0 has laid the nine of hearts, and leads."""
    return do(bid14(*FOUR_HEARTS, **options), "9h")


def ace_of_clubs_led(**options: Any) -> Game:
    """Seat 1, without clubs, is to play."""
    return do(hearts(**options), "Ac")


def diamonds_led(**options: Any) -> Game:
    """Seat 0, whose only diamond is the face-down trump card, must play to the ace of diamonds."""
    return do(bid14(*ONE_DIAMOND, **options), "Jd Kh Th 7s 8h Ad 7c Qd")


def one_card_left(**options: Any) -> Game:
    """Seat 0 has only the face-down ten of clubs and must play last to the last trick."""
    tricks = (
        "Tc 7d Jd 8h 7s 9d Qh 8s 7c Ad Kh Qs 8c Td Th Ks Qc",
        "Kd Ah Ts Kc Qd 9h As Ac 8d Jh 9s 9c",
    )
    return do(bid14(*LAST_CLUB, **options), " ".join(tricks))


# Leading and following


def test_seat_0_leads_to_the_first_trick_winners_to_the_next() -> None:
    game = do(new(*FOUR_HEARTS), "14 15 pass pass pass Ad")
    assert game.bidder == 1 and game.seat == game.tricks[0].leader == 0
    do(game, "Td Jd 7c 7d")
    assert game.tricks[0].winner == 1 and game.seat == game.tricks[1].leader == 1


def test_follow_suit_if_you_can() -> None:
    game = do(hearts(), "Td")
    assert can(game) == "Kd Ad 9d Jd"
    do(game, "Jd 7c")
    assert can(game) == "7d Qd"


def test_else_any_card() -> None:
    assert can(ace_of_clubs_led()) == "Kd Ad 9d Jd Th As 9s Js ask"


def test_the_highest_card_of_the_suit_led_wins() -> None:
    game = do(ace_of_clubs_led(), "Js 7c 9c")
    assert game.tricks[0].winner == 3 and game.points == [0, 6]


def test_or_the_highest_trump_in_force() -> None:
    game = do(ace_of_clubs_led(), "ask Th 7c 9c Js 7s Ts Qh")
    assert game.tricks[0].winner == 1
    assert game.tricks[1].winner == 0 and trick(game, 1) == ["Js", "7s", "Ts", "Qh"]


# Before trumps are shown


def test_before_they_are_shown_trumps_have_no_force() -> None:
    game = do(ace_of_clubs_led(), "Th 7c Tc")
    assert game.tricks[0].winner == 0 and not game.shown


def test_the_bidder_may_not_lead_the_trump_suit() -> None:
    game = hearts()
    assert can(game) == "Ac Jc 8d Td"
    do(game, "Ac Th 7c Tc")
    assert game.seat == 0 and can(game) == "Jc 8d Td", "in no trick"
    assert can(do(bid15(*FOUR_HEARTS), "hearts")) == "Ac Jc 8d Td", "nor of a suit named"


def test_unless_he_holds_nothing_else() -> None:
    assert can(do(bid14(*SUIT_EACH), "Jc")) == "7c 8c Qc Kc Tc Ac 9c"
    game = do(bid14(*LAST_CLUB), "Tc")
    assert can(game) == "7d", "he does hold something else"


def test_others_may_lead_the_trump_suit() -> None:
    game = do(hearts(), "Td Jd 7c 7d")
    assert can(game) == "Kd Ad 9d Th As 9s Js"


def test_once_they_are_shown_the_bidder_may_lead_them() -> None:
    game = do(ace_of_clubs_led(), "ask Th 7c Tc Js 7s Ts Qh")
    assert game.seat == 0 and can(game) == "Jc 8d Td Kh 9h Jh"


def test_he_need_not_follow_suit_with_the_face_down_card() -> None:
    game = diamonds_led()
    assert game.face_down == "Jd" and can(game) == "Tc Ac Jc Qh 9h Jh ask"


def test_with_a_suit_named_the_bidder_follows_with_his_trumps() -> None:
    game = do(bid15(*ONE_DIAMOND, ask="may"), "diamonds Kh Th 7s 8h Ad 7c Qd")
    assert can(game) == "Jd"


# Asking


def test_who_cannot_follow_may_play_any_card_or_first_ask() -> None:
    game = ace_of_clubs_led()
    assert can(game).endswith(" ask")
    do(game, "ask")
    assert game.seat == 1 and game.asked and game.tricks[0].asker == 1
    assert game.shown and game.tricks[0].shown_after == 1


def test_neither_who_leads_nor_who_follows_may_ask() -> None:
    game = hearts()
    assert "ask" not in can(game)
    assert "ask" not in can(do(game, "Td"))


def test_a_face_down_card_returns_to_the_bidders_hand() -> None:
    game = do(ace_of_clubs_led(), "ask")
    assert game.hands[0] == ["Jh", "Kh", "Qh", "Jc", "Td", "8d", "9h"] and game.face_down is None


def test_must_the_bidder_excepted() -> None:
    assert can(ace_of_clubs_led(ask="must")) == "ask"
    game = do(new29(*FOUR_HEARTS), "15 16 pass pass pass diamonds Jc")
    assert game.seat == game.bidder == 1
    assert can(game) == "Kd Ad 9d Jd Th As 9s Js ask", "he may ask, too"


def test_his_partner_must_ask_as_well() -> None:
    game = do(bid15(*FOUR_HEARTS), "hearts Td Jd")
    assert game.seat == 2 and can(game) == "ask"


def test_with_asker_trumps_he_must_play_a_trump_if_he_has_one() -> None:
    assert can(do(ace_of_clubs_led(), "ask")) == "Th"


def test_if_he_has_none_he_plays_any_card() -> None:
    game = do(hearts(), "Td Jd ask")
    assert can(game) == "7c 8c Qc Kc 7s 8s Qs Ks"


def test_without_asker_trumps_he_may_play_what_he_likes() -> None:
    game = do(ace_of_clubs_led(asker_trumps=False), "ask")
    assert can(game) == "Kd Ad 9d Jd Th As 9s Js"


def test_the_asking_bidders_trumps_include_the_card_that_is_back() -> None:
    game = do(new(*FOUR_HEARTS), "14 15 pass pass pass Kd Jc ask")
    assert game.seat == 1 and can(game) == "Kd Ad 9d Jd"
    game = do(new(*FOUR_HEARTS, asker_trumps=False), "14 15 pass pass pass Kd Jc ask")
    assert can(game) == "Kd Ad 9d Jd Th As 9s Js"


@pytest.mark.parametrize("asker_trumps", [False, True])
def test_the_asking_bidder_who_can_follow_now_must(asker_trumps: bool) -> None:
    game = do(diamonds_led(asker_trumps=asker_trumps), "ask")
    assert can(game) == "Jd"
    assert do(game, "Jd").tricks[1].winner == 0


def test_when_another_has_asked_he_follows_with_the_card_that_is_back() -> None:
    game = do(bid14(*ONE_DIAMOND), "Jd Kh Th 7s 8h Ad ask 7c Qd")
    assert game.seat == 0 and can(game) == "Jd"


def test_the_bidder_who_cannot_follow_is_free_when_another_has_asked() -> None:
    game = do(new(*NO_CLUBS, partner_min=0), "14 pass 15 pass pass 7d Jc ask Kd")
    assert game.seat == game.bidder == 2 and can(game) == "7d Qd 8h Th 7s 8s Qs Ks"


def test_once_they_are_shown_nobody_asks() -> None:
    game = do(ace_of_clubs_led(ask="must"), "ask Th 7c Tc Js 7s Ts")
    assert game.seat == 0 and can(game) == "Jc 8d Td Qh Kh 9h Jh"


def test_at_no_trumps_too_one_must_ask() -> None:
    for strain in ("no-trumps", "reversed"):
        game = do(bid15(*FOUR_HEARTS, no_trumps=True), f"{strain} Ac")
        assert can(game) == "ask"
        do(game, "ask")
        assert game.shown and game.trump is None
        assert can(game) == "Kd Ad 9d Jd Th As 9s Js"
    game = do(bid15(*FOUR_HEARTS, no_trumps=True, asker_trumps=True), "no-trumps Ac ask")
    assert can(game) == "Kd Ad 9d Jd Th As 9s Js", "no trump is what he has"


# Force


@pytest.mark.parametrize(("force", "winner"), [("later", 2), ("whole", 1)])
def test_force_of_a_trump_thrown_before_the_showing(force: str, winner: int) -> None:
    game = do(bid14(*NO_CLUBS, force=force), "9h Jc Ah ask")
    assert can(game) == "8h Th"
    do(game, "8h 7c")
    assert trick(game, 0) == ["Jc", "Ah", "8h", "7c"] and game.tricks[0].winner == winner


@pytest.mark.parametrize(("force", "winner"), [("later", 0), ("whole", 1)])
def test_force_where_trumps_are_led(force: str, winner: int) -> None:
    game = do(hearts(force=force), "Td Jd 7c 7d Th ask 7s 7h")
    assert can(game) == "Qh Kh 9h Jh"
    do(game, "Qh")
    assert trick(game, 1) == ["Th", "7s", "7h", "Qh"] and game.tricks[1].winner == winner


@pytest.mark.parametrize(("force", "winner"), [("later", 0), ("whole", 2)])
def test_force_of_the_turned_ranking(force: str, winner: int) -> None:
    game = do(bid15(*FOUR_HEARTS, no_trumps=True, force=force), "reversed Ac ask Js 7c Tc")
    assert game.tricks[0].winner == winner
    do(game, "Jc 9s 8c 9c" if winner == 0 else "8c 9c Jc 9s")
    assert game.tricks[1].winner == 2, "from the next trick in any case"


def test_with_force_later_a_trick_without_a_later_trump_goes_to_the_suit_led() -> None:
    game = do(bid14(*NO_CLUBS, force="later", asker_trumps=False), "9h Jc Ah ask 7s 7c")
    assert game.tricks[0].winner == 0


# Not shown until the last card


def test_it_is_shown_as_the_bidder_comes_to_play_it() -> None:
    game = one_card_left()
    assert game.seat == 1 and game.hands[0] == [] and game.face_down == "Tc"
    do(game, "7h Jc")
    assert not game.shown
    do(game, "Js")
    assert game.shown and game.seat == 0 and can(game) == "Tc"
    assert game.tricks[7].shown_after == 3 and game.tricks[7].asker is None


@pytest.mark.parametrize(("force", "winner"), [("later", 0), ("whole", 2)])
def test_and_is_a_trump(force: str, winner: int) -> None:
    game = do(one_card_left(force=force), "7h Jc Js Tc")
    assert game.over and game.tricks[7].winner == winner


def test_it_is_shown_as_he_comes_to_lead_it() -> None:
    game = do(bid14(*SUIT_EACH), "Jc")
    while len(game.tricks) < 8:
        assert not game.shown
        game.step(min(game.legal()))
    assert game.shown and game.tricks[7].shown_after == 0 and can(game) == "Jc"
    assert played_out(game).scores == [1, 0]


def test_another_may_ask_in_the_last_trick_before_he_comes_to_play() -> None:
    game = do(one_card_left(), "7h ask Jc Js")
    assert can(game) == "Tc" and game.tricks[7].shown_after == 1
    assert do(game, "Tc").tricks[7].winner == 2


def test_a_seventh_is_shown_as_the_last_card_as_well() -> None:
    game = do(bid15(*SUIT_EACH, seventh=True, ask="may"), "seventh")
    assert game.face_down == "8c"
    while len(game.tricks) < 8:
        game.step(min(game.legal()))
    assert game.shown and can(game) == "8c"
    assert played_out(game).scores == [1, 0], "so it is never void"


def test_a_suit_never_shown_plays_or_is_void() -> None:
    for strain in ("hearts", "no-trumps"):
        options: dict[str, Any] = {"ask": "may", "no_trumps": True}
        game = played_out(do(bid15(*SUIT_EACH, **options), strain))
        assert not game.shown and game.void and game.scores == [0, 0] and game.reward(1) == 0
        game = played_out(do(bid15(*SUIT_EACH, never_shown="plays", **options), strain))
        assert not game.shown and not game.void and game.scores == [1, 0]
