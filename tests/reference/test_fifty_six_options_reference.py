"""The reference Fifty-Six against its rules page: options, variants and invalid rules."""

import re
from dataclasses import asdict
from typing import Any

import pytest

from tests.reference.fifty_six import Game, would_be_redealt
from tests.reference.fifty_six_cards import deal, full_pack
from tests.reference.fifty_six_dealt import HIDDEN, do
from tests.reference.fifty_six_options import Options, make_options

HOME = {
    "players": 6,
    "small_pack": True,
    "trumps": "open",
    "forced": True,
    "honours": False,
    "leader": "first",
    "doubling": "times",
    "void_pointless": False,
    "void_without": False,
    "all_pass": "void",
    "six_each": False,
    "redouble_times": 4,
    "bid_forms": False,
}
HIDDEN_GAME = {"trumps": "hidden", "leader": "bidder", "honours": True, "doubling": "none"}


def test_defaults() -> None:
    assert asdict(Options()) == HOME


@pytest.mark.parametrize(
    ("variant", "changes"),
    [
        ("classic", {}),
        ("international", {"doubling": "add"}),
        ("four", {"players": 4}),
        ("four-long", {"players": 4, "small_pack": False}),
        ("eight", {"players": 8}),
        ("hidden", HIDDEN_GAME),
        ("passed-out", {"forced": False, "all_pass": "no_trumps"}),
        ("eight-short", {"players": 8, "six_each": True}),
        ("forms", {"doubling": "add", "bid_forms": True}),
    ],
)
def test_variants(variant: str, changes: dict[str, Any]) -> None:
    assert asdict(make_options(variant)) == {**HOME, **changes}
    assert asdict(make_options(variant, void_without=True)) == {
        **HOME,
        **changes,
        "void_without": True,
    }


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"players": 5}, "players=5: allowed are 4, 6, 8"),
        ({"players": "6"}, "players='6': allowed are 4, 6, 8"),
        ({"players": True}, "players=True: allowed are 4, 6, 8"),
        ({"small_pack": 1}, "small_pack=1: allowed are False, True"),
        ({"trumps": "closed"}, "trumps='closed': allowed are 'open', 'hidden'"),
        ({"forced": "yes"}, "forced='yes': allowed are False, True"),
        ({"honours": 0}, "honours=0: allowed are False, True"),
        ({"leader": "dealer"}, "leader='dealer': allowed are 'first', 'bidder'"),
        ({"doubling": "plus"}, "doubling='plus': allowed are 'none', 'add', 'times'"),
        ({"void_pointless": None}, "void_pointless=None: allowed are False, True"),
        ({"void_without": 2}, "void_without=2: allowed are False, True"),
        ({"hands": 12}, "unknown option hands=12: allowed are players, small_pack,"),
        ({"small_pack": False}, "small_pack=False: allowed is True with players=6"),
        ({"small_pack": False, "players": 8}, "small_pack=False: allowed is True with players=8"),
        ({"trumps": "hidden"}, "leader='first': allowed is 'bidder' with trumps='hidden'"),
        ({"six_each": True}, "six_each=True: allowed is False with players=6"),
        ({"all_pass": "play"}, "all_pass='play': allowed are 'void', 'no_trumps'"),
        ({"redouble_times": 2}, "redouble_times=2: allowed are 3, 4"),
        ({"variant": "home"}, "variant='home': allowed are classic, international, four,"),
    ],
)
def test_refused(options: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=re.escape(error)):
        make_options(**options)


def test_not_refused() -> None:
    for options in (
        {"players": 4, "small_pack": True},
        {"leader": "bidder"},
        {**HIDDEN, "doubling": "add", "void_without": True, "void_pointless": True},
        {**HIDDEN, "players": 4, "small_pack": False, "forced": False},
        {"honours": True, "doubling": "none", "forced": False},
    ):
        assert asdict(make_options(**options)) == {**HOME, **options}


# Dealt again


def test_first_speaker_without_a_point() -> None:
    pointless = ["Kc", "Kc", "Kd", "Kd", "Qh", "Qh", "Qs", "Qs"]
    left = full_pack(6, True)
    for card in pointless:
        left.remove(card)
    deck = pointless[:4] + left[:20] + pointless[4:] + left[20:]
    assert deal(deck, 6)[0] == pointless
    assert would_be_redealt(deck, make_options(void_pointless=True))
    assert not would_be_redealt(deck, make_options())
    game = do(Game(make_options(void_pointless=True), deck), "28n")
    assert game.bidder == 0, "the game itself plays any deck"


def test_first_speaker_with_a_point_among_the_later_cards_only() -> None:
    hand = ["Kc", "Kc", "Kd", "Kd", "Qh", "Qh", "Qs", "Ts"]
    left = full_pack(6, True)
    for card in hand:
        left.remove(card)
    deck = hand[:4] + left[:20] + hand[4:] + left[20:]
    assert deal(deck, 6)[0] == hand
    assert not would_be_redealt(deck, make_options(void_pointless=True))


def test_another_seat_without_a_point_is_nothing() -> None:
    pointless = ["7c", "7c", "8c", "8c", "7d", "7d", "8d", "8d"]
    left = full_pack(8, True)[::-1]
    for card in pointless:
        left.remove(card)
    deck = left[:28] + pointless[:4] + left[28:] + pointless[4:]
    assert deal(deck, 8)[7] == pointless
    assert not would_be_redealt(deck, make_options("eight", void_pointless=True))
