"""The reference Fifty-Six against its rule page: hidden trumps."""

from tests.reference.fifty_six import Game
from tests.reference.fifty_six_dealt import (
    HIDDEN,
    SUIT_EACH,
    can,
    contract,
    do,
    lay,
    new,
    played_out,
    trick,
)
from tests.reference.test_fifty_six_play_reference import NO_SPADES

ONE_DIAMOND = (
    "Jd Jc Jc 9c 9c Jh Jh Th",
    "Jd 9d 9d Js Js 9s 9s Ah",
    "Ad Ad Td Td Ts Ts Ac Tc",  # no hearts
    "9h 9h Ah Th As As Ac Tc",  # no diamonds
)
LOW_DIAMOND = (
    "Td Jc Jc 9c 9c Jh Jh Th",
    "Jd 9d 9d Js Js 9s 9s Ah",
    "Ad Ad Jd Td Ts Ts Ac Tc",
    "9h 9h Ah Th As As Ac Tc",
)
TWO_ACES = (
    "Jd Jc Jc 9c 9c Jh Jh Th",
    "Jd 9d 9d Js Js 9s Ah Ah",
    "Ad Ad Td Td Ts Ts Ac Tc",  # no hearts
    "9h 9h Th As As 9s Ac Tc",
)
LAST_HEART = (
    "9h Jc Jc 9c 9c Jd Jd Td",
    "Ad Ad 9d Jh Js Js 9s 9s",
    "Ac Ac Tc Tc 9d As Ts Th",
    "Td Jh 9h Ah Ah Th As Ts",
)
"""Seat 0 takes six tricks, then seat 1 one with the nine of diamonds."""
CLUBS = ("Jc {} Tc Ts", "Jc {} Tc As", "9c {} Ac Ah", "9c {} Ac Ah")
DIAMONDS = "Jd Ad 9d Td Jd Ad As Th Td 9d Ts 9h"


def hidden(card: str, *hands: str, calls: str = "28") -> Game:
    """A game of four in which the highest bidder has laid this card down, and is to lead."""
    return lay(contract(calls, *hands, **HIDDEN), card)


def spades_led(card: str = "Jh") -> Game:
    """Seat 1 has won a trick and led the jack of spades; seat 3, without spades, is to play."""
    return do(hidden(card, *NO_SPADES), "Td Jd Ad 9d Js Ts")


def one_card_left(thrown: str) -> Game:
    """Seat 1 leads to the last trick; it threw these cards on seat 0's clubs."""
    clubs = [cards.format(card) for cards, card in zip(CLUBS, thrown.split(), strict=True)]
    return do(hidden("9h", *LAST_HEART), " ".join([*clubs, DIAMONDS]))


def diamonds_led(card: str, *hands: str) -> Game:
    """Seat 1 has won a trick and led this diamond; seat 3, without diamonds, is to play."""
    return do(hidden(hands[0][:2], *hands), f"Th Ah Tc Th {card}")


# Laying down


def test_the_highest_bidder_lays_one_card_face_down() -> None:
    game = contract("28 29", *NO_SPADES, **HIDDEN)
    assert game.phase == "lay" and game.seat == 1
    assert can(game) == "Jd As 9s Js", "any card of his hand"
    do(game, "9s")
    assert game.face_down == game.laid == "9s" and game.trump == "s" and not game.shown
    assert sorted(game.hands[1]) == ["9s", "As", "As", "Jd", "Jd", "Js", "Js"], "it has left it"
    assert [len(hand) for hand in game.hands] == [8, 7, 8, 8]


def test_bidder_leads_the_first_trick() -> None:
    game = hidden("9s", *NO_SPADES, calls="28 29")
    assert game.phase == "play" and game.seat == 1 and game.tricks[0].leader == 1


def test_it_is_laid_after_the_doubles() -> None:
    game = do(new(*NO_SPADES, **HIDDEN), "28 double")
    assert game.phase == "auction"
    do(game, "redouble")
    assert game.phase == "lay" and game.seat == 0


# Before trumps are shown


def test_the_bidder_may_not_lead_trumps() -> None:
    game = hidden("Jh", *NO_SPADES)
    assert can(game) == "9c Jc Td" and game.hands[0].count("9h") == 1
    do(game, "9c As Ac Tc")
    assert game.seat == 0 and can(game) == "9c Jc Td", "nor in a later trick"


def test_unless_he_holds_nothing_else() -> None:
    assert can(hidden("Th", *SUIT_EACH)) == "Th Ah 9h Jh"


def test_others_may_lead_trumps() -> None:
    game = do(hidden("Jd", *ONE_DIAMOND), "Th Ah Tc Th")
    assert game.trump == "d" and game.seat == 1 and can(game) == "9d Jd 9s Js"


def test_trumps_have_no_force_before_they_are_shown() -> None:
    game = do(spades_led(), "9h Jc")
    assert game.tricks[1].winner == 1 and not game.shown, "the nine of trumps was thrown"


def test_the_face_down_card_need_not_follow() -> None:
    game = do(diamonds_led("9d", *ONE_DIAMOND), "Td As")
    assert game.seat == 0 and game.face_down == "Jd"
    assert can(game) == "9c Jc Jh ask"


# Asking


def test_who_cannot_follow_may_play_any_card_or_ask() -> None:
    game = spades_led()
    assert game.seat == 3 and can(game) == "Tc Ac Ad Th 9h Jh ask"
    assert do(game, "Tc").seat == 0 and not game.shown


def test_who_can_follow_may_not_ask_nor_who_leads() -> None:
    game = hidden("Jh", *NO_SPADES)
    for card, legal in (("Td", "9c Jc Td"), ("Jd", "Jd"), ("Ad", "Ad 9d"), ("9d", "Ad 9d")):
        assert can(game) == legal
        do(game, card)


def test_asking_shows_trumps_and_the_card_goes_back_to_the_bidders_hand() -> None:
    game = do(spades_led(), "ask")
    assert game.shown and game.trump == "h" and game.face_down is None and game.laid == "Jh"
    assert sorted(game.hands[0]) == ["9c", "9c", "9h", "Jc", "Jc", "Jh", "Td"]
    assert game.tricks[1].asker == 3 and game.tricks[1].shown_after == 2
    assert game.seat == 3 and game.asked, "and then plays"


def test_the_asker_must_play_a_trump_if_he_has_one() -> None:
    game = do(spades_led(), "ask")
    assert can(game) == "Th 9h Jh", "any of them"
    do(game, "Th")
    assert not game.asked


def test_an_asker_without_a_trump_plays_any_card() -> None:
    game = do(diamonds_led("9d", *ONE_DIAMOND), "Td ask")
    assert game.seat == 3 and can(game) == "Tc Ac Ah 9h As"


def test_the_bidder_too_may_ask() -> None:
    game = do(spades_led(), "Tc")
    assert game.seat == 0 and can(game) == "9c Jc Td 9h ask"
    do(game, "ask")
    assert can(game) == "9h Jh", "any trump, the one that is back or another"
    do(game, "9h")
    assert game.tricks[1].winner == 0


def test_the_bidder_may_ask_where_his_own_trumps_are_led() -> None:
    game = do(diamonds_led("Jd", *ONE_DIAMOND), "Td As ask")
    assert can(game) == "Jd"
    assert do(game, "Jd").tricks[1].winner == 0


def test_his_partner_may_ask() -> None:
    game = do(hidden("Jd", *ONE_DIAMOND), "Th Ah")
    assert game.seat == 2 and can(game) == "Tc Ac Td Ad Ts ask"
    assert can(do(game, "ask")) == "Td Ad"
    assert do(game, "Td Th").tricks[0].winner == 2


def test_once_shown_nobody_asks_again() -> None:
    game = do(spades_led(), "ask Th Jh Td Jd 9d Ad Js Ts")
    assert game.seat == 3 and can(game) == "Tc Ac 9h Jh"


# The bidder when another has asked


def test_the_bidder_who_cannot_follow_must_play_that_card() -> None:
    game = do(spades_led(), "ask Th")
    assert game.seat == 0 and can(game) == "Jh"
    do(game, "Jh")
    assert game.tricks[1].winner == 0


def test_he_must_play_it_though_it_loses() -> None:
    game = do(spades_led("9h"), "ask Jh")
    assert can(game) == "9h"
    assert do(game, "9h").tricks[1].winner == 3


def test_of_two_identical_trumps_played_after_the_showing_the_first_wins() -> None:
    game = do(spades_led(), "ask Jh Jh")
    assert game.tricks[1].winner == 3


def test_the_bidder_who_can_follow_follows() -> None:
    game = do(hidden("Jd", *TWO_ACES), "Th Ah Tc Th Ah ask")
    assert game.seat == 2 and game.trump == "d" and can(game) == "Td Ad"
    do(game, "Td 9h")
    assert game.seat == 0 and can(game) == "Jh"
    do(game, "Jh")
    assert game.tricks[1].winner == 2
    assert can(do(game, "Ts 9s")) == "9c Jc Jd Jh", "in a later trick it is one like any other"


def test_he_can_follow_with_the_card_that_is_back() -> None:
    game = do(diamonds_led("9d", *ONE_DIAMOND), "Td ask As")
    assert game.seat == 0 and can(game) == "Jd"


def test_the_bidder_who_has_played_is_not_bound() -> None:
    game = do(hidden("Td", *NO_SPADES), "9c ask")
    assert game.seat == 1 and game.trump == "d" and can(game) == "Jd"
    do(game, "Jd Ac Tc")
    assert game.tricks[0].winner == 1 and game.hands[0].count("Td") == 2
    do(game, "Js Ts Tc")
    assert game.seat == 0 and can(game) == "9c Jc Td 9h Jh"


# Force


def test_only_trumps_played_after_the_showing_have_force_in_that_trick() -> None:
    game = do(spades_led("9h"), "Jh ask")
    assert can(game) == "9h Jh"
    do(game, "9h")
    assert game.tricks[1].winner == 0 and trick(game, 1) == ["Js", "Ts", "Jh", "9h"]
    assert game.tricks[1].shown_after == 3


def test_trumps_led_and_shown_a_later_one_beats_a_higher_one() -> None:
    game = do(diamonds_led("9d", *LOW_DIAMOND), "Jd ask As")
    assert can(game) == "Td"
    do(game, "Td")
    assert game.tricks[1].winner == 0 and trick(game, 1) == ["9d", "Jd", "As", "Td"]


def test_of_two_identical_cards_before_and_after_the_showing_the_trump_wins() -> None:
    game = do(diamonds_led("Jd", *ONE_DIAMOND), "Td ask As Jd")
    assert game.tricks[1].winner == 0 and trick(game, 1) == ["Jd", "Td", "As", "Jd"]


def test_in_later_tricks_all_trumps_have_force() -> None:
    game = do(spades_led(), "ask Th Jh Td Jd 9d Ad Js Ts 9h 9c")
    assert game.tricks[3].winner == 3


def test_once_shown_the_bidder_may_lead_trumps() -> None:
    game = do(spades_led(), "ask Th Jh")
    assert game.seat == 0 and can(game) == "9c Jc Td 9h"


# Not shown until the last card


def test_it_is_shown_as_the_bidder_comes_to_lead_it() -> None:
    game = hidden("Th", *SUIT_EACH)
    while len(game.tricks) < 8:
        assert not game.shown
        game.step(min(game.legal()))
    assert game.shown and game.hands[0] == ["Th"] and game.face_down is None
    assert game.tricks[7].shown_after == 0 and game.tricks[7].asker is None
    assert game.seat == 0 and can(game) == "Th"
    assert played_out(game).points == [56, 0]


def test_it_is_shown_as_the_bidder_comes_to_play_it() -> None:
    game = one_card_left("9s 9s Js Js")
    assert game.seat == 1 and not game.shown and game.face_down == "9h" and game.hands[0] == []
    do(game, "Jh Th")
    assert not game.shown and can(game) == "Jh"
    do(game, "Jh")
    assert game.shown and game.seat == 0 and game.hands[0] == ["9h"] and can(game) == "9h"
    assert game.tricks[7].shown_after == 3 and game.tricks[7].asker is None
    do(game, "9h")
    assert game.over and game.tricks[7].winner == 0, "the only trump of the trick"


def test_it_is_a_trump_where_another_suit_is_led() -> None:
    game = one_card_left("9s Jh Js Js")
    do(game, "9s Th Jh")
    assert game.shown and can(game) == "9h"
    assert do(game, "9h").tricks[7].winner == 0


def test_another_may_ask_before_it_is_shown_by_itself() -> None:
    game = one_card_left("9s Jh Js Js")
    do(game, "9s")
    assert game.seat == 2 and can(game) == "Th ask"
    do(game, "ask")
    assert game.hands[0] == ["9h"] and can(game) == "Th"
    do(game, "Th Jh")
    assert can(game) == "9h" and game.tricks[7].shown_after == 1
    assert do(game, "9h").tricks[7].winner == 3
