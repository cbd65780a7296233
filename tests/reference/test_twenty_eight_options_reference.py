"""The reference Twenty-Eight against its rule page: options, variants, refusals, redeals."""

from dataclasses import asdict
from typing import Any

import pytest

from tests.reference.twenty_eight import Game, refused, would_be_redealt
from tests.reference.twenty_eight_cards import full_pack
from tests.reference.twenty_eight_dealt import SUIT_EACH
from tests.reference.twenty_eight_options import ALLOWED, VARIANTS, make_options

TABLE: dict[str, tuple[str, Any, Any]] = {
    "players": ("3 4 6", 4, 4),
    "min_bid": ("12 13 14 15 16 17 18", 14, 15),
    "forced": ("first dealer nobody", "first", "dealer"),
    "partner_min": ("0 15 16 17 18 19 20 21 22 23 24 25 26 27 28", 20, 0),
    "match": ("False True", False, False),
    "trump_by": ("card suit", "card", "suit"),
    "seventh": ("False True", False, False),
    "no_trumps": ("False True", False, False),
    "second_auction": ("0 23 24", 0, 0),
    "ask": ("may must", "may", "must"),
    "asker_trumps": ("False True", True, False),
    "force": ("later whole", "later", "whole"),
    "never_shown": ("plays void", "plays", "void"),
    "overtrump": ("False True", False, False),
    "pair": ("False True", False, True),
    "pair_from": ("0 15 16 17 18 19 20 21 22 23 24 25 26 27 28", 0, 0),
    "last_trick": ("0 1", 0, 1),
    "early_end": ("False True", False, False),
    "doubles": ("False True", False, False),
    "single_hand": ("False True", False, False),
    "cot": ("False True", False, False),
    "auto_double": ("0 18 19 20 21 22 23 24 25 26 27 28", 0, 0),
    "scoring": ("one steps graded", "one", "one"),
    "redeal_pointless": ("False True", False, False),
    "redeal_jacks": ("False True", False, True),
    "void_without": ("False True", False, False),
    "reentry": ("False True", False, False),
    "may_redeal": ("False True", False, False),
    "play_shown": ("False True", False, False),
    "highest_stake": ("0 2 3", 0, 0),
    "single_lost": ("3 4", 3, 3),
    "one_bid": ("False True", False, False),
    "forced_exact": ("False True", False, False),
    "trumps_first": ("False True", False, False),
    "set_bid": ("False True", False, False),
    "bidder_asks": ("False True", False, False),
    "lead_secret": ("False True", False, False),
    "half_lost": ("False True", False, False),
    "redeal_two": ("False True", False, False),
    "seventh_void": ("False True", False, False),
}

VARIANTS_28: dict[str, dict[str, Any]] = {
    "classic": {},
    "book": {"second_auction": 24, "scoring": "steps"},
    "graded": {"scoring": "graded"},
    "second-bid": {"second_auction": 23},
    "cot": {"cot": True},
    "pair": {"pair": True},
    "three": {"players": 3, "min_bid": 12},
    "six": {"players": 6, "min_bid": 16},
    "reentry": {"reentry": True, "may_redeal": True},
    "kerala": {
        "partner_min": 0,
        "reentry": True,
        "second_auction": 24,
        "play_shown": True,
    },
    "club": {
        "players": 6,
        "min_bid": 16,
        "single_hand": True,
        "scoring": "steps",
        "highest_stake": 2,
        "single_lost": 4,
    },
}

VARIANTS_29: dict[str, dict[str, Any]] = {
    "classic": {},
    "sixteen": {"min_bid": 16},
    "bangladesh": {
        "min_bid": 16,
        "doubles": True,
        "single_hand": True,
        "pair_from": 19,
        "redeal_two": True,
        "void_without": True,
    },
    "seventh": {"seventh": True},
    "no-trumps": {"no_trumps": True},
    "must-trump": {"asker_trumps": True},
    "match": {"match": True},
    "full": {"doubles": True, "single_hand": True, "seventh": True, "auto_double": 21},
    "no-last-trick": {"last_trick": 0},
    "open-lead": {
        "last_trick": 0,
        "doubles": True,
        "forced_exact": True,
        "trumps_first": True,
        "bidder_asks": True,
        "lead_secret": True,
    },
    "set": {
        "min_bid": 16,
        "forced": "nobody",
        "ask": "may",
        "last_trick": 0,
        "doubles": True,
        "set_bid": True,
        "single_hand": True,
        "cot": True,
        "seventh": True,
        "seventh_void": True,
        "void_without": True,
    },
}


def dealt(*hands: str) -> list[str]:
    """A deck for four players with these hands, four cards at a time."""
    return [card for at in (0, 4) for hand in hands for card in hand.split()[at : at + 4]]


# The table


def test_the_values_of_the_table() -> None:
    assert list(ALLOWED) == list(TABLE)
    for name, (values, _, _) in TABLE.items():
        assert " ".join(str(each) for each in ALLOWED[name]) == values


@pytest.mark.parametrize(("game", "column"), [("28", 1), ("29", 2)])
def test_the_defaults_of_the_table(game: str, column: int) -> None:
    assert asdict(make_options(game)) == {name: row[column] for name, row in TABLE.items()}


@pytest.mark.parametrize(("game", "listed"), [("28", VARIANTS_28), ("29", VARIANTS_29)])
def test_the_variants(game: str, listed: dict[str, dict[str, Any]]) -> None:
    assert list(VARIANTS[game]) == list(listed)
    classic = asdict(make_options(game))
    for variant, changes in listed.items():
        assert asdict(make_options(game, variant)) == {**classic, **changes}


# What is refused


def test_an_unknown_game_variant_or_option() -> None:
    with pytest.raises(ValueError, match="game='30': allowed are 28, 29"):
        make_options("30")
    with pytest.raises(ValueError, match="variant='bangladesh': allowed are classic, book"):
        make_options("28", "bangladesh")
    with pytest.raises(ValueError, match="unknown option trumps='card': allowed are players"):
        make_options(trumps="card")


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("players", 5),
        ("players", True),
        ("min_bid", 11),
        ("min_bid", 19),
        ("forced", "all"),
        ("partner_min", 14),
        ("match", 1),
        ("second_auction", 22),
        ("pair_from", 29),
        ("last_trick", True),
        ("last_trick", 2),
        ("auto_double", 17),
        ("auto_double", 29),
        ("scoring", "two"),
        ("highest_stake", 1),
        ("single_lost", 5),
    ],
)
def test_a_setting_out_of_range(name: str, setting: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name}={setting!r}: allowed are "):
        make_options(**{name: setting})


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"seventh": True}, "seventh=True: allowed is False with trump_by='card'"),
        ({"no_trumps": True}, "no_trumps=True: allowed is False with trump_by='card'"),
        ({"never_shown": "void"}, "never_shown='void': allowed is 'plays' with trump_by='card'"),
        ({"players": 3, "pair": True}, "pair=True: allowed is False with players=3"),
        ({"last_trick": 1, "scoring": "graded"}, "last_trick=1: allowed is 0 with scoring='gra"),
        ({"match": True, "reentry": True}, "match=True: allowed is False with reentry=True"),
    ],
)
def test_refused_with_the_reason(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}"):
        make_options(**settings)


def test_last_trick_and_graded_are_refused_in_29_as_well() -> None:
    with pytest.raises(ValueError, match="last_trick=1"):
        make_options("29", scoring="graded")
    assert make_options("29", scoring="graded", last_trick=0).highest_bid == 28


@pytest.mark.parametrize(
    "settings",
    [
        {"players": 3, "partner_min": 28},
        {"players": 6, "seventh": True, "trump_by": "suit"},
        {"players": 6, "second_auction": 23},
        {"pair_from": 20, "pair": False},
        {"no_trumps": True, "void_without": True, "trump_by": "suit"},
        {"players": 3, "single_hand": True},
        {"play_shown": True, "trump_by": "suit"},
        {"redeal_pointless": True, "may_redeal": True},
        {"highest_stake": 2},
        {"single_lost": 4},
    ],
)
def test_what_says_nothing_is_not_refused(settings: dict[str, Any]) -> None:
    assert refused(make_options(**settings)) is None


# Redeals and decks


def test_four_jacks_in_one_hand_are_dealt_again() -> None:
    deck = dealt(
        "Jc 9c Ac Tc Kc Jd Jh Js",
        "8c 9d Ad Td Kd Qd 8d 7d",
        "7c 9h Ah Th Kh Qh 8h 7h",
        "Qc 9s As Ts Ks Qs 8s 7s",
    )
    assert would_be_redealt(deck, make_options("29"))
    assert not would_be_redealt(deck, make_options("28"))
    assert not would_be_redealt(dealt(*SUIT_EACH), make_options("29"))


def test_any_hand_of_four_jacks() -> None:
    deck = dealt(
        "8c 9d Ad Td Kd Qd 8d 7d",
        "7c 9h Ah Th Kh Qh 8h 7h",
        "Qc 9s As Ts Ks Qs 8s 7s",
        "Jc 9c Ac Tc Kc Jd Jh Js",
    )
    assert would_be_redealt(deck, make_options("28", redeal_jacks=True))


def test_first_cards_of_the_first_speaker_without_a_point_are_dealt_again() -> None:
    pointless = ("Kc Qc 8c 7c Jc 9c Ac Tc", *SUIT_EACH[1:])
    options = make_options(redeal_pointless=True)
    assert would_be_redealt(dealt(*pointless), options)
    assert not would_be_redealt(dealt(*pointless), make_options())
    assert not would_be_redealt(dealt(*pointless[1:], pointless[0]), options), "of nobody else"
    ten = ("Tc Qc 8c 7c Jc 9c Ac Kc", *SUIT_EACH[1:])
    assert not would_be_redealt(dealt(*ten), options)


def test_with_six_players_all_six_cards_are_the_first() -> None:
    options = make_options("28", "six", redeal_pointless=True)
    deck = full_pack(6)
    assert deck[:6] == ["6c", "7c", "8c", "Qc", "Kc", "Tc"]
    assert not would_be_redealt(deck, options)
    deck[5], deck[9] = deck[9], deck[5]
    assert deck[5] == "6d" and would_be_redealt(deck, options)


def test_a_deck_that_is_not_the_pack_and_a_dealer_without_a_seat() -> None:
    with pytest.raises(ValueError, match=r"allowed are the 32 cards of the pack.* not so: 6c 7c$"):
        Game(make_options(), ["6c", *full_pack(4)[1:]])
    with pytest.raises(ValueError, match="dealer=4: allowed are the seats 0 to 3"):
        Game(make_options(), full_pack(4), dealer=4)
