"""The reference Fifty-Six against its rule page: the play with open trumps."""

import pytest

from tests.reference.fifty_six_dealt import SUIT_EACH, can, contract, do, played_out, trick
from tests.reference.fifty_six_options import VARIANTS

MIXED = (
    "Jh Jh 9h 9h Jc Ac Td Td",  # no spades
    "Ah Th 9c 9c Jd Jd As Ts",
    "Ah Th Jc Ac 9d 9d Js Js",
    "Tc Tc Ad Ad 9s 9s As Ts",  # no hearts
)
NO_SPADES = (
    "Jh 9h Jc Jc 9c 9c Td Td",
    "Jd Jd Js Js 9s 9s As As",
    "9d Ad Ts Ts Ah Ah Th Ac",
    "9d Ad Jh 9h Th Ac Tc Tc",
)
"""Seats 0 and 3 have no spades, seat 1 has neither hearts nor clubs."""


# Leading


@pytest.mark.parametrize("calls", ["28c", "28c 29d", "28c pass pass 30n"])
def test_seat_0_leads_whoever_is_the_highest_bidder(calls: str) -> None:
    game = contract(calls, *MIXED)
    assert game.phase == "play" and game.seat == 0 and game.tricks[0].leader == 0
    assert can(game) == "Ac Jc Td 9h Jh", "any card"


@pytest.mark.parametrize(("calls", "seat"), [("28c", 0), ("28c 29d", 1), ("28c pass pass 30n", 3)])
def test_leader_bidder_the_highest_bidder_leads(calls: str, seat: int) -> None:
    game = contract(calls, *MIXED, leader="bidder")
    assert game.seat == seat and game.tricks[0].leader == seat


def test_the_first_to_lead_is_the_seat_after_the_dealer() -> None:
    assert contract("28c 29d", *MIXED, dealer=1).seat == 2
    assert contract("28c 29d", *MIXED, dealer=1, leader="bidder").seat == 3


def test_the_winner_of_a_trick_leads_to_the_next() -> None:
    game = do(contract("28n", *MIXED), "Td Jd 9d Ad")
    assert game.tricks[0].winner == 1 and game.seat == 1 and game.tricks[1].leader == 1
    assert game.points == [0, 7], "1 and 3 and 2 and 1"


# Following


def test_follow_suit_if_you_can() -> None:
    game = do(contract("28h", *MIXED), "Td")
    assert game.seat == 1 and can(game) == "Jd"
    do(game, "Jd")
    assert game.seat == 2 and can(game) == "9d"
    do(game, "9d")
    assert game.seat == 3 and can(game) == "Ad"
    do(game, "Ad As Js")
    assert game.seat == 3 and can(game) == "Ts As 9s", "whichever of the suit"


def test_else_any_card() -> None:
    game = do(contract("28h", *MIXED), "Td Jd 9d Ad As Js Ts")
    assert game.seat == 0 and can(game) == "Ac Jc Td 9h Jh", "no need to trump"
    do(game, "Td")
    assert game.tricks[1].winner == 2 and game.points == [1 + 3 + 1 + 1, 7]


def test_a_trump_is_a_suit_to_follow_like_any_other() -> None:
    game = do(contract("28h", *MIXED), "9h")
    assert can(game) == "Th Ah"
    do(game, "Ah Th")
    assert game.seat == 3 and can(game) == "Tc Ad Ts As 9s", "no hearts"


# The winner


def test_a_trump_beats_the_suit_led() -> None:
    game = do(contract("28h", *MIXED), "Td Jd 9d Ad As Js Ts 9h")
    assert game.tricks[1].winner == 0 and game.points == [1 + 3 + 1 + 2, 7]
    game = do(contract("28d", *SUIT_EACH), "Jh Jc Td Js")
    assert game.tricks[0].winner == 2, "the lowest trump beats the highest of the suit led"


def test_the_highest_trump_wins() -> None:
    led = "Td Jd 9d Ad Js Ts "
    assert do(contract("28h", *NO_SPADES), led + "9h Jh").tricks[1].winner == 0
    assert do(contract("28h", *NO_SPADES), led + "Jh 9h").tricks[1].winner == 3
    assert do(contract("28h", *NO_SPADES), led + "9h 9h").tricks[1].winner == 3, "the first"


def test_nobody_must_beat_a_trump() -> None:
    game = do(contract("28h", *NO_SPADES), "Td Jd 9d Ad Js Ts 9h")
    assert game.seat == 0 and can(game) == "9c Jc Td 9h Jh"


def test_else_the_highest_of_the_suit_led_wins() -> None:
    game = do(contract("28c", *SUIT_EACH, leader="bidder"), "Th")
    assert can(game) == "Tc Ac 9c Jc"
    game = do(contract("28s", *NO_SPADES), "Td Jd 9d Ad")
    assert game.tricks[0].winner == 1
    game = do(contract("28d", *NO_SPADES), "Jh Js Th 9h")
    assert game.tricks[0].winner == 0, "another suit never wins, unless it is trump"


def test_at_no_trumps_the_highest_of_the_suit_led_wins() -> None:
    game = do(contract("28n", *SUIT_EACH), "Th Jc Jd Js")
    assert game.trump is None and game.tricks[0].winner == 0
    assert game.points == [1 + 9, 0]


def test_open_trumps_are_known_from_the_end_of_the_auction_and_never_asked_for() -> None:
    game = contract("28h", *MIXED)
    assert game.trump == "h" and game.shown and game.face_down is None and game.laid is None
    do(game, "Td Jd 9d Ad As Js Ts")
    assert "ask" not in can(game)


# To the end


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "hidden"])
def test_every_trick_is_played(variant: str) -> None:
    game = contract("28n", variant=variant)
    players = game.options.players
    tricks = len(game.hands[0])
    actions = 0
    while not game.over:
        assert game.legal()
        game.step(min(game.legal()))
        actions += 1
    assert actions == players * tricks and len(game.tricks) == tricks
    assert sum(game.points) == 56 and not any(game.hands)
    assert all(len(each.plays) == players for each in game.tricks)


def test_no_early_end() -> None:
    game = contract("28n", *SUIT_EACH)
    while len(game.hands[3]) > 1 or game.seat != 0:
        game.step(min(game.legal()))
    assert game.points == [44, 0] and not game.over and can(game) == "Jh"
    assert played_out(game).points == [56, 0] and trick(game) == ["Jh", "Jc", "Jd", "Js"]
