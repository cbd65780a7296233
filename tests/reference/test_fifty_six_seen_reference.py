"""The reference Fifty-Six against its rules page: knowledge of each seat."""

from typing import Any

from tests.reference.fifty_six import Game
from tests.reference.fifty_six_dealt import (
    HIDDEN,
    SUIT_EACH,
    contract,
    do,
    lay,
    new,
    played_out,
)
from tests.reference.test_fifty_six_hidden_reference import (
    LOW_DIAMOND,
    ONE_DIAMOND,
    TWO_ACES,
    diamonds_led,
    spades_led,
)
from tests.reference.test_fifty_six_play_reference import MIXED, NO_SPADES


def seen(game: Game, name: str) -> list[Any]:
    """This entry of each seat's view."""
    return [game.seen_by(seat)[name] for seat in range(game.options.players)]


# Hands


def test_own_hand_with_how_many_of_each_card() -> None:
    game = new(*MIXED)
    assert seen(game, "hand") == [sorted(hand.split()) for hand in MIXED]
    assert game.seen_by(0)["hand"].count("Jh") == 2


def test_no_other_hand() -> None:
    swapped = (MIXED[0], MIXED[3], MIXED[2], MIXED[1])
    one, other = new(*MIXED), new(*swapped)
    for seat in (0, 2):
        assert one.seen_by(seat) == other.seen_by(seat)
    one, other = (contract("28h", *hands) for hands in (MIXED, swapped))
    for seat in (0, 2):
        assert one.seen_by(seat) == other.seen_by(seat)


def test_how_many_cards_each_holds() -> None:
    game = do(contract("28h", *MIXED), "Td Jd")
    assert seen(game, "hand_sizes") == [[7, 7, 8, 8]] * 4
    assert seen(spades_led(), "hand_sizes") == [[6, 6, 6, 7]] * 4, "the laid card left out"


# Everything played


def test_all_cards_played_by_whom_and_in_which_trick() -> None:
    game = do(contract("28h", *MIXED), "Td Jd 9d Ad As")
    first = {
        "leader": 0,
        "plays": [(0, "Td"), (1, "Jd"), (2, "9d"), (3, "Ad")],
        "shown_after": None,
        "asker": None,
        "winner": 1,
    }
    second = {"leader": 1, "plays": [(1, "As")], "shown_after": None, "asker": None}
    assert seen(game, "tricks") == [[first, {**second, "winner": None}]] * 4
    assert seen(game, "points") == [[0, 7]] * 4


def test_the_auction_and_whose_turn_it_is() -> None:
    game = do(new(*MIXED), "28h 30n double")
    assert seen(game, "calls") == [[(0, "28h"), (1, "30n"), (2, "double")]] * 4
    assert seen(game, "contract") == [(30, "n")] * 4 and seen(game, "bidder") == [1] * 4
    assert seen(game, "doubles") == [1] * 4 and seen(game, "seat") == [3] * 4
    do(game, "31")
    assert seen(game, "contract") == [(31, None)] * 4 and seen(game, "phase") == ["strain"] * 4


def test_the_end() -> None:
    game = played_out(contract("40n", *SUIT_EACH))
    assert seen(game, "scores") == [[2, 0]] * 4 and seen(game, "points") == [[56, 0]] * 4
    assert seen(game, "phase") == ["over"] * 4


# Trumps


def test_open_trumps_are_known_to_all() -> None:
    game = do(new(*MIXED), "28h pass pass")
    assert seen(game, "trump") == [None] * 4 and seen(game, "shown") == [False] * 4
    do(game, "pass")
    assert seen(game, "trump") == ["h"] * 4 and seen(game, "shown") == [True] * 4
    assert seen(game, "laid") == [None] * 4 and seen(game, "face_down") == [False] * 4


def test_hidden_trumps_are_known_to_the_bidder_alone() -> None:
    game = spades_led()
    assert seen(game, "trump") == ["h", None, None, None]
    assert seen(game, "laid") == ["Jh", None, None, None]
    assert seen(game, "face_down") == [True] * 4 and seen(game, "shown") == [False] * 4


def test_which_card_was_laid_cannot_be_seen_by_others() -> None:
    games = [lay(contract("28", *NO_SPADES, **HIDDEN), card) for card in ("Jh", "9c", "Td")]
    games += [lay(contract("28", *NO_SPADES, **HIDDEN, void_without=True), "Jh")]
    for seat in (1, 2, 3):
        first = games[0].seen_by(seat)
        assert all(game.seen_by(seat) == first for game in games[1:3])
        assert {**games[3].seen_by(seat), "options": first["options"]} == first
    thrown = [do(spades_led(card), "Jh") for card in ("Jh", "9c", "9h")]
    assert len({str(game.seen_by(1)) for game in thrown}) == 1, "nor whether a discard is a trump"


def test_a_void_hand_turns_nothing_up() -> None:
    game = lay(contract("28", *SUIT_EACH, **HIDDEN, void_without=True), "Jh")
    assert seen(game, "void") == [True] * 4
    assert seen(game, "trump") == ["h", None, None, None]
    assert seen(game, "hand") == [sorted(hand) for hand in game.hands]


def test_shown_trumps_and_the_card_are_known_to_all() -> None:
    game = do(spades_led(), "ask")
    assert seen(game, "trump") == ["h"] * 4 and seen(game, "laid") == ["Jh"] * 4
    assert seen(game, "shown") == [True] * 4 and seen(game, "face_down") == [False] * 4
    assert seen(game, "laid_is_back") == [True] * 4
    assert seen(game, "hand_sizes") == [[7, 6, 6, 7]] * 4
    do(game, "Th")
    assert seen(game, "laid_is_back") == [True] * 4
    do(game, "Jh")
    assert seen(game, "laid_is_back") == [False] * 4 and seen(game, "laid") == ["Jh"] * 4


def test_the_card_is_back_until_it_is_played_be_it_in_a_later_trick() -> None:
    game = do(lay(contract("28", *TWO_ACES, **HIDDEN), "Jd"), "Th Ah Tc Th Ah ask Td 9h Jh")
    assert seen(game, "laid_is_back") == [True] * 4
    do(game, "Ts 9s")
    assert seen(game, "laid_is_back") == [True] * 4
    assert seen(do(game, "Jd"), "laid_is_back") == [False] * 4
    assert seen(do(game, "Js"), "laid_is_back") == [False] * 4


def test_its_twin_played_before_the_showing_is_another_card() -> None:
    game = do(lay(contract("28", *SUIT_EACH, **HIDDEN), "Jh"), "Jh ask")
    assert seen(game, "laid_is_back") == [True] * 4 and game.hands[0].count("Jh") == 1


def test_who_asked_and_when() -> None:
    game = do(spades_led(), "ask")
    assert seen(game, "asked") == [True] * 4
    second = game.seen_by(1)["tricks"][1]
    assert second["asker"] == 3 and second["shown_after"] == 2
    assert seen(do(game, "Th"), "asked") == [False] * 4


# Voids


def test_voids_shown_by_not_following() -> None:
    game = do(contract("28h", *MIXED), "Td Jd 9d Ad As Js Ts")
    assert seen(game, "voids") == [[[], [], [], []]] * 4
    do(game, "Td")
    assert seen(game, "voids") == [[["s"], [], [], []]] * 4
    game = do(contract("28h", *MIXED), "9h Ah Th 9s")
    assert game.voids == [set(), set(), set(), {"h"}], "in trumps, too"


def test_voids_shown_by_asking() -> None:
    game = do(spades_led(), "ask")
    assert game.voids == [set(), set(), set(), {"s"}], "already before the card"
    do(game, "Th")
    assert game.voids[3] == {"s"}


def test_an_asker_who_plays_no_trump_has_none() -> None:
    hands = (
        "9h 9h Ah Ah Th Jc Jc 9c",
        "Jh Jh 9c Ac Ac Tc Tc 9d",
        "Jd Jd 9d Ad Ad Td Td Js",
        "Js 9s 9s As As Ts Ts Th",
    )
    game = do(lay(contract("28", *hands, **HIDDEN), "9c"), "Ah")
    do(game, "Jh ask")
    assert game.seat == 2 and game.trump == "c" and game.voids[2] == {"h"}
    do(game, "Td")
    assert game.voids == [set(), set(), {"c", "h"}, set()]


def test_a_discard_before_the_showing_says_nothing_of_trumps() -> None:
    assert do(spades_led(), "Tc").voids == [set(), set(), set(), {"s"}]


def test_a_void_of_the_bidder_leaves_out_the_laid_card() -> None:
    game = do(diamonds_led("9d", *ONE_DIAMOND), "Td As 9c")
    assert game.voids[0] == {"d"}, "though a diamond lies face down"
    do(game, "Js Ts As ask")
    assert game.trump == "d" and game.voids[0] == {"s"}, "it is back in his hand"
    assert seen(game, "laid_is_back") == [True] * 4
    do(game, "Jd")
    assert game.voids[0] == {"d", "s"}, "it is gone"


def test_a_void_that_the_asking_bidder_shows_in_his_own_trumps() -> None:
    game = do(diamonds_led("9d", *LOW_DIAMOND), "Jd As ask")
    assert game.seat == 0 and game.shown_void[0] == {"d"} and game.voids[0] == set()
    do(game, "Td")
    assert game.voids[0] == {"d"}


def test_that_the_bidder_led_trumps_is_not_listed_as_a_void() -> None:
    game = do(lay(contract("28", *SUIT_EACH, **HIDDEN), "Th"), "Jh ask Tc")
    assert game.trump == "h" and game.tricks[0].leader == 0
    assert game.voids == [set(), {"h"}, set(), set()]
