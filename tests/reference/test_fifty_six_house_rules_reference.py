"""The reference Fifty-Six against its rule page: rules that only some sources have."""

import pytest

from tests.reference.fifty_six_cards import full_pack, points
from tests.reference.fifty_six_dealt import HIDDEN, SUIT_EACH, can, contract, do, new, played_out
from tests.reference.fifty_six_options import make_options
from tests.reference.fifty_six_scores import change

PASSED_OUT = {"forced": False, "all_pass": "no_trumps"}
FORMS = {"bid_forms": True}

# all_pass


def test_if_all_pass_the_first_speaker_plays_28_in_no_trumps() -> None:
    game = do(new(*SUIT_EACH, dealer=1, **PASSED_OUT), "pass pass pass pass")
    assert game.phase == "play" and game.bidder == 2 and game.contract == (28, "n")
    assert game.shown and game.trump is None and game.seat == 2
    assert game.calls == [(seat, "pass") for seat in (2, 3, 0, 1)]
    assert played_out(game).scores == [1, 0]


def test_it_may_lose_that() -> None:
    hands = (SUIT_EACH[1], SUIT_EACH[0], *SUIT_EACH[2:])
    game = played_out(do(new(*hands, leader="bidder", **PASSED_OUT), "pass pass pass pass"))
    assert game.scores in ([1, 0], [-2, 0]) and game.bidder == 0


def test_with_hidden_trumps_nothing_is_laid_down() -> None:
    game = do(new(*SUIT_EACH, **PASSED_OUT, **HIDDEN), "pass pass pass pass")
    assert game.phase == "play" and game.shown and game.laid is None
    assert played_out(game).scores == [1, 0]


def test_one_bid_is_enough_for_an_auction() -> None:
    assert do(new(**PASSED_OUT), "pass pass 30h pass pass pass pass pass").contract == (30, "h")


def test_otherwise_the_hand_is_void() -> None:
    assert do(new(forced=False), "pass " * 6).void


# six_each


def test_eight_players_with_six_cards_each() -> None:
    game = new(players=8, six_each=True)
    assert [len(hand) for hand in game.hands] == [6] * 8
    assert points([card for hand in game.hands for card in hand]) == 56
    assert len(played_out(contract("28h", players=8, six_each=True)).tricks) == 6


def test_three_cards_are_dealt_at_a_time() -> None:
    pack = full_pack(8, True, six_each=True)
    game = new(players=8, six_each=True)
    assert game.hands[0] == pack[:3] + pack[24:27] and game.hands[7] == pack[21:24] + pack[45:]


# redouble_times


@pytest.mark.parametrize(
    ("doubling", "times", "score"), [("times", 4, 4), ("times", 3, 3), ("add", 3, 3)]
)
def test_a_redouble_multiplies_by_3_or_4(doubling: str, times: int, score: int) -> None:
    assert change(28, True, 2, doubling, times) == score
    assert change(28, True, 1, "times", times) == 2


def test_a_redoubled_hand() -> None:
    game = contract("28n double redouble", *SUIT_EACH, redouble_times=3)
    assert played_out(game).scores == [3, 0]
    game = contract("28c double redouble", *SUIT_EACH, redouble_times=3)
    assert played_out(game).scores == [-6, 0]


# bid_forms


def test_the_strain_may_be_said_first() -> None:
    game = do(new(**FORMS), "28")
    assert can(game) == "c d h s n c-first d-first h-first s-first n-first"
    do(game, "h-first")
    assert game.calls == [(0, "28h first")] and game.contract == (28, "h") and game.seat == 1


def test_a_bid_over_a_partners_may_keep_its_strain() -> None:
    game = do(new(**FORMS), "28h pass 30")
    assert can(game).split()[-3:] == ["with-plus", "with-noes", "with-pass"]
    do(game, "with-plus")
    assert game.calls[-1] == (2, "30h plus") and game.contract == (30, "h")
    do(game, "pass 31 with-noes pass pass pass 32 with-pass")
    assert game.contract == (32, "h") and game.calls[-1] == (2, "32h pass")


def test_not_over_an_opponents_bid() -> None:
    game = do(new(**FORMS), "28h 29")
    assert can(game).split()[-1] == "n-first"


def test_a_bid_over_the_own_bid_may() -> None:
    game = do(new(**FORMS), "28h double pass pass pass pass 30")
    assert game.seat == 0 and "with-plus" in can(game)


def test_noes_needs_a_suit() -> None:
    game = do(new(**FORMS), "28n pass 30")
    assert can(game).split()[-2:] == ["with-plus", "with-pass"]


def test_forms_do_not_change_the_contract() -> None:
    plain = played_out(contract("28h pass 30h", *SUIT_EACH))
    form = played_out(contract("28 h-first pass 30 with-noes", *SUIT_EACH, **FORMS))
    assert form.scores == plain.scores and form.trump == plain.trump == "h"


def test_all_seats_hear_the_form() -> None:
    game = do(new(**FORMS), "28 h-first")
    assert all(game.seen_by(seat)["calls"] == [(0, "28h first")] for seat in range(6))


def test_hidden_trumps_have_no_forms() -> None:
    game = do(new(**HIDDEN, **FORMS), "28")
    assert game.phase == "auction" and game.seat == 1
    assert make_options("forms").bid_forms
