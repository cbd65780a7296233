"""The reference Twenty-Eight against its rules page: knowledge of each seat."""

from typing import Any

from tests.reference.test_twenty_eight_pair_reference import own_pair, their_pair
from tests.reference.test_twenty_eight_play_reference import (
    ace_of_clubs_led,
    diamonds_led,
    hearts,
    one_card_left,
)
from tests.reference.twenty_eight import Game
from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    SUIT_EACH,
    bid14,
    bid15,
    do,
    new,
    new29,
    played_out,
)

SPADES_FOR_THREE = (
    "Jh 9h Kh Qh Js 9s Td 8d",
    "Jd 9d Ad Kd Jc Ac As Th",
    "Kc Qc 8c 7c Ks Qs 8s 7s",
    "9c Tc Qd 7d Ah 8h 7h Ts",
)


def seen(game: Game, name: str) -> list[Any]:
    """This entry of each seat's view."""
    return [game.seen_by(seat)[name] for seat in range(game.options.players)]


# Hands


def test_its_own_hand() -> None:
    game = hearts()
    assert seen(game, "hand")[0] == sorted(["Jh", "Kh", "Qh", "Jc", "Ac", "Td", "8d"])
    assert seen(game, "hand")[1:] == [sorted(hand.split()) for hand in FOUR_HEARTS[1:]]


def test_never_anothers() -> None:
    swapped = (FOUR_HEARTS[0], FOUR_HEARTS[3], FOUR_HEARTS[2], FOUR_HEARTS[1])
    one, other = (do(bid14(*hands), "9h") for hands in (FOUR_HEARTS, swapped))
    for seat in (0, 2):
        assert one.seen_by(seat) == other.seen_by(seat)


def test_never_the_second_four_before_they_are_dealt() -> None:
    one, other = new(*FOUR_HEARTS), new(*SPADES_FOR_THREE)
    for words in ("14", "pass", "pass", "pass"):
        for seat in range(4):
            assert one.seen_by(seat) == other.seen_by(seat)
        do(one, words)
        do(other, words)
    assert one.phase == "trumps"
    for seat in range(4):
        assert one.seen_by(seat) == other.seen_by(seat)
    assert seen(one, "hand_sizes") == [[4, 4, 4, 4]] * 4


def test_how_many_cards_each_holds_without_the_card_apart() -> None:
    assert seen(do(hearts(), "Td Jd"), "hand_sizes") == [[6, 7, 8, 8]] * 4


# Everything played


def test_all_cards_played_by_whom_and_in_which_trick_and_the_points() -> None:
    game = do(hearts(), "Td Jd 7c 7d Ad")
    first = {
        "leader": 0,
        "plays": [(0, "Td"), (1, "Jd"), (2, "7c"), (3, "7d")],
        "shown_after": None,
        "asker": None,
        "winner": 1,
    }
    second = {**first, "leader": 1, "plays": [(1, "Ad")], "winner": None}
    assert seen(game, "tricks") == [[first, second]] * 4
    assert seen(game, "points") == [[0, 4]] * 4


def test_the_auction_and_whose_turn_it_is() -> None:
    game = do(new29(*FOUR_HEARTS, doubles=True), "15 16 pass pass pass double")
    calls = [("auction", 0, "15"), ("auction", 1, "16"), ("auction", 2, "pass")]
    calls += [("auction", 3, "pass"), ("auction", 0, "pass"), ("double", 0, "double")]
    assert seen(game, "calls") == [calls] * 4
    assert seen(game, "phase") == ["redouble"] * 4 and seen(game, "seat") == [1] * 4
    assert seen(game, "bidder") == [1] * 4 and seen(game, "number") == [16] * 4
    assert seen(game, "doubles") == [1] * 4 and seen(game, "dealer") == [3] * 4


def test_the_end() -> None:
    game = played_out(hearts())
    assert seen(game, "phase") == ["over"] * 4 and seen(game, "scores") == [game.scores] * 4
    assert seen(game, "points") == [game.points] * 4 and sum(game.points) == 28


# Trumps


def test_trumps_are_known_to_the_bidder_alone() -> None:
    game = hearts()
    assert seen(game, "strain") == ["h", None, None, None]
    assert seen(game, "laid") == ["9h", None, None, None]
    assert seen(game, "face_down") == [True] * 4 and seen(game, "shown") == [False] * 4
    assert seen(do(bid15(*FOUR_HEARTS), "spades"), "strain") == ["s", None, None, None]


def test_nobody_else_can_tell_what_was_laid_or_named() -> None:
    laid = [do(bid14(*FOUR_HEARTS), card + " Td Jd") for card in ("Jh", "9h", "Qh")]
    named = [
        do(bid15(*FOUR_HEARTS, no_trumps=True), strain + " Td Jd")
        for strain in ("clubs", "hearts", "spades", "no-trumps", "reversed")
    ]
    for games in (laid, named):
        for seat in (1, 2, 3):
            assert all(game.seen_by(seat) == games[0].seen_by(seat) for game in games)


def test_nor_whether_a_card_just_discarded_is_of_it() -> None:
    options = {"ask": "may"}
    games = [
        do(bid15(*FOUR_HEARTS, **options), f"{strain} Ac Th") for strain in ("hearts", "spades")
    ]
    for seat in (1, 2, 3):
        assert games[0].seen_by(seat) == games[1].seen_by(seat)


def test_shown_trumps_and_the_card_are_known_to_all() -> None:
    game = do(ace_of_clubs_led(), "ask")
    assert seen(game, "strain") == ["h"] * 4 and seen(game, "laid") == ["9h"] * 4
    assert seen(game, "face_down") == [False] * 4 and seen(game, "laid_is_back") == [True] * 4
    assert seen(game, "asked") == [True] * 4 and seen(game, "hand_sizes") == [[7, 8, 8, 8]] * 4
    do(game, "Th 7c 9c Js 7s Ts 9h")
    assert seen(game, "laid_is_back") == [False] * 4 and seen(game, "laid") == ["9h"] * 4


def test_of_a_suit_named_only_the_suit_is_shown() -> None:
    game = do(bid15(*FOUR_HEARTS), "hearts Ac ask")
    assert seen(game, "strain") == ["h"] * 4 and seen(game, "laid") == [None] * 4


def test_that_there_are_no_trumps_is_shown_by_asking() -> None:
    for action, strain in (("no-trumps", "n"), ("reversed", "r")):
        game = do(bid15(*FOUR_HEARTS, no_trumps=True), action + " Ac")
        assert seen(game, "strain") == [strain, None, None, None]
        assert seen(do(game, "ask"), "strain") == [strain] * 4


def test_the_seventh_card_lies_apart_and_only_the_bidder_sees_it() -> None:
    game = do(bid15(*FOUR_HEARTS, seventh=True), "seventh")
    assert seen(game, "face_down") == [True] * 4
    assert seen(game, "laid") == ["Td", None, None, None]
    assert seen(game, "strain") == ["d", None, None, None]
    assert seen(game, "hand_sizes") == [[7, 8, 8, 8]] * 4
    do(game, "Ac ask")
    assert seen(game, "laid") == ["Td"] * 4 and seen(game, "laid_is_back") == [True] * 4


def test_a_new_bidder_does_not_see_what_the_old_one_laid() -> None:
    game = do(bid14(*FOUR_HEARTS, second_auction=24), "9h pass 24")
    assert seen(game, "strain") == ["h", None, None, None] and game.bidder == 1
    do(game, "pass pass")
    assert seen(game, "strain") == [None] * 4 and seen(game, "laid") == [None] * 4
    assert seen(do(game, "Js"), "strain") == [None, "s", None, None]


def test_who_asked_and_when_and_how_the_last_card_came() -> None:
    first = do(ace_of_clubs_led(), "ask").seen_by(2)["tricks"][0]
    assert first["asker"] == 1 and first["shown_after"] == 1
    last = do(one_card_left(), "7h Jc Js").seen_by(2)["tricks"][7]
    assert last["asker"] is None and last["shown_after"] == 3


def test_the_pair_and_how_the_bid_counts() -> None:
    game = do(own_pair(), "show")
    assert seen(game, "pair") == [0] * 4
    assert seen(game, "counts") == [16] * 4 and seen(game, "number") == [20] * 4
    assert seen(their_pair(), "counts") == [20] * 4


def test_a_void_hand_turns_nothing_up() -> None:
    game = do(bid15(*SUIT_EACH, void_without=True), "clubs")
    assert seen(game, "void") == [True] * 4 and seen(game, "strain") == ["c", None, None, None]
    game = played_out(do(bid15(*SUIT_EACH, ask="may"), "hearts"))
    assert seen(game, "void") == [True] * 4 and seen(game, "strain") == ["h", None, None, None]


def test_the_cards_of_a_partner_that_lies_low() -> None:
    game = do(bid14(*FOUR_HEARTS, single_hand=True), "9h pass single")
    assert seen(game, "single") == [1] * 4 and seen(game, "strain") == ["n"] * 4
    assert seen(game, "laid_away") == [[], [], [], sorted(FOUR_HEARTS[3].split())]
    assert seen(game, "hand_sizes") == [[8, 8, 8, 0]] * 4
    assert seen(game, "laid") == [None] * 4, "the nine of hearts went back unseen"


# Voids


def test_voids_shown_by_not_following() -> None:
    game = do(hearts(), "Td Jd")
    assert seen(game, "voids") == [[[], [], [], []]] * 4
    do(game, "7c")
    assert seen(game, "voids") == [[[], [], ["d"], []]] * 4


def test_voids_shown_by_asking() -> None:
    game = do(ace_of_clubs_led(), "ask")
    assert game.voids == [set(), {"c"}, set(), set()], "already before the card"
    assert do(game, "Th").voids == [set(), {"c"}, set(), set()]


def test_an_asker_who_plays_no_trump_has_none_if_he_must_trump() -> None:
    assert do(hearts(), "Td Jd ask 7c").voids[2] == {"d", "h"}
    assert do(hearts(asker_trumps=False), "Td Jd ask 7c").voids[2] == {"d"}
    game = do(bid15(*FOUR_HEARTS, no_trumps=True, asker_trumps=True), "no-trumps Td Jd ask 7c")
    assert game.voids[2] == {"d"}


def test_a_void_of_the_bidder_leaves_out_the_card_apart() -> None:
    game = do(diamonds_led(), "9h")
    assert game.voids[0] == {"d"}, "though a diamond lies apart"
    assert game.tricks[1].winner == 1
    do(game, "Js 8s Ts ask")
    assert game.trump == "d" and game.voids[0] == {"s"}, "it is back in his hand"
    do(game, "Jd")
    assert game.voids[0] == {"d", "s"}, "it is gone"


def test_a_void_that_the_asking_bidder_shows_in_his_own_trumps() -> None:
    game = do(diamonds_led(), "ask")
    assert game.seat == 0 and game.voids[0] == set()
    assert do(game, "Jd").voids[0] == {"d"}


def test_that_the_bidder_led_trumps_is_not_listed_as_a_void() -> None:
    game = do(bid14(*SUIT_EACH), "9c Jc ask Jd")
    assert game.trump == "c" and game.voids == [set(), {"c"}, set(), set()]
