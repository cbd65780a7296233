"""The reference Fifty-Six against its rule page: the auction."""

from typing import Any

import pytest

from tests.reference.fifty_six_cards import (
    DOUBLE,
    HIGHEST,
    PASS,
    REDOUBLE,
    STRAINS,
    number_action,
)
from tests.reference.fifty_six_dealt import HIDDEN, can, do, new


def numbers(lowest: int) -> set[int]:
    return {number_action(number) for number in range(lowest, HIGHEST + 1)}


# Bids


def test_first_speaker_must_bid_at_least_28() -> None:
    game = new()
    assert game.phase == "auction" and game.seat == 0
    assert game.legal() == numbers(28) and game.contract is None and game.bidder is None
    do(game, "37s")
    assert game.contract == (37, "s") and game.bidder == 0 and game.seat == 1


def test_not_forced_the_first_speaker_may_pass() -> None:
    game = new(forced=False)
    assert game.legal() == {*numbers(28), PASS}
    do(game, "pass")
    assert game.seat == 1 and game.legal() == {*numbers(28), PASS}, "no other is forced"
    do(game, "pass pass 28c")
    assert game.bidder == 3 and not game.over


def test_a_bid_is_a_number_then_a_strain_by_the_same_seat() -> None:
    game = do(new(), "28")
    assert game.phase == "strain" and game.seat == 0 and game.contract == (28, None)
    assert game.legal() == set(STRAINS) and can(game) == "c d h s n"
    assert game.calls == [(0, "28")], "the number is heard at once"
    for strain in "cdhsn":
        game = do(new(), f"28{strain}")
        assert game.contract == (28, strain) and game.calls == [(0, f"28{strain}")]
        assert game.phase == "auction" and game.seat == 1


def test_each_bid_is_a_higher_number_whatever_the_strain() -> None:
    game = do(new(), "30c")
    assert game.legal() == {*numbers(31), PASS, DOUBLE}
    do(game, "31c")
    assert game.contract == (31, "c") and game.legal() == {*numbers(32), PASS, DOUBLE}
    do(game, "55n")
    assert game.legal() == {*numbers(56), PASS, DOUBLE}


def test_a_seat_that_passed_may_bid_again_later() -> None:
    game = do(new(), "28c pass pass 29d pass pass pass")
    assert game.seat == 1 and game.legal() == {*numbers(30), PASS}
    do(game, "30h")
    assert game.bidder == 1 and game.contract == (30, "h")
    do(game, "pass pass pass pass")
    assert game.phase == "auction" and game.seat == 0, "who spoke first has passed, too"
    do(game, "31h")
    assert game.calls[-1] == (0, "31h")


# The end of the auction


def test_it_ends_when_all_others_have_passed_in_succession() -> None:
    game = do(new(), "28c pass pass pass pass")
    assert game.phase == "auction" and game.seat == 5
    do(game, "pass")
    assert game.phase == "play" and game.bidder == 0 and game.contract == (28, "c")


@pytest.mark.parametrize("players", [4, 6, 8])
def test_passes_before_a_bid_do_not_count(players: int) -> None:
    game = do(new(players=players, forced=False), "pass pass 28d")
    for _ in range(players - 2):
        do(game, "pass")
    assert game.phase == "auction" and game.seat == 1
    do(game, "pass")
    assert game.phase == "play" and game.bidder == 2


def test_it_ends_at_56_when_the_strain_is_named() -> None:
    game = do(new(), "28c 56")
    assert game.phase == "strain" and game.seat == 1
    do(game, "n")
    assert game.phase == "play" and game.contract == (56, "n") and game.bidder == 1
    assert game.doubles == 0 and game.calls == [(0, "28c"), (1, "56n")]
    assert do(new(), "56h").phase == "play", "at the first bid too"


def test_hidden_it_ends_at_56_at_once() -> None:
    game = do(new(**HIDDEN), "28 56")
    assert game.phase == "lay" and game.seat == game.bidder == 1


@pytest.mark.parametrize("options", [{}, {"variant": "four"}, {"variant": "eight"}, HIDDEN])
def test_all_pass_is_void(options: dict[str, Any]) -> None:
    game = new(forced=False, **options)
    players = game.options.players
    for _ in range(players - 1):
        do(game, "pass")
    assert not game.over and not game.void
    do(game, "pass")
    assert game.over and game.void and game.legal() == set() and game.bidder is None
    assert [game.reward(seat) for seat in range(players)] == [0] * players
    assert game.scores == [0, 0] and game.points == [0, 0] and game.tricks == []


# Doubles


def test_an_opponent_of_the_highest_bidder_may_double_at_his_turn() -> None:
    game = do(new(), "28c")
    assert DOUBLE in game.legal() and REDOUBLE not in game.legal()
    do(game, "pass")
    assert game.seat == 2 and game.legal() == {*numbers(29), PASS}, "the bidder's own side"
    do(game, "pass double")
    assert game.doubles == 1 and game.calls[-1] == (3, "double") and game.bidder == 0


def test_nobody_can_double_before_a_bid() -> None:
    assert DOUBLE not in do(new(forced=False), "pass").legal()


def test_a_bid_is_doubled_once() -> None:
    game = do(new(), "28c double")
    assert game.legal() == {*numbers(29), PASS, REDOUBLE}
    do(game, "pass")
    assert game.seat == 3 and game.legal() == {*numbers(29), PASS}


def test_after_a_double_the_auction_goes_on() -> None:
    game = do(new(), "28c pass pass double")
    assert game.phase == "auction" and game.seat == 4
    do(game, "pass pass")
    assert game.seat == 0, "it takes as many passes again, the highest bidder's among them"
    assert game.legal() == {*numbers(29), PASS, REDOUBLE}
    do(game, "pass pass")
    assert game.phase == "auction" and game.seat == 2
    do(game, "pass")
    assert game.phase == "play" and game.doubles == 1 and game.contract == (28, "c")


def test_a_double_by_the_last_before_the_end() -> None:
    game = do(new(), "28c pass pass pass pass double")
    do(game, "pass pass pass pass")
    assert game.phase == "auction" and game.seat == 4
    assert do(game, "pass").phase == "play"


@pytest.mark.parametrize(("calls", "seat"), [("double redouble", 2), ("pass pass double", 0)])
def test_a_player_of_the_bidders_side_may_redouble_and_that_ends_it(calls: str, seat: int) -> None:
    game = do(new(), "28c " + calls)
    if seat == 0:
        do(game, "pass pass redouble")
    assert game.calls[-1] == (seat, "redouble") and game.doubles == 2
    assert game.phase == "play" and game.contract == (28, "c")


def test_a_higher_bid_cancels_a_double() -> None:
    game = do(new(), "28c double 29c")
    assert game.doubles == 0 and game.bidder == 2
    assert game.seat == 3 and game.legal() == {*numbers(30), PASS, DOUBLE}, "to be doubled anew"
    game = do(new(), "28c double pass 29d")
    assert game.doubles == 0 and game.bidder == 3 and REDOUBLE not in game.legal()
    do(game, "double")
    assert game.doubles == 1 and game.calls[-1] == (4, "double")


def test_the_highest_bidder_may_bid_over_his_own_doubled_bid() -> None:
    game = do(new(), "28c pass pass double pass pass 29d")
    assert game.bidder == 0 and game.contract == (29, "d") and game.doubles == 0
    do(game, "pass pass pass pass pass")
    assert game.phase == "play"


def test_no_doubles_without_doubling() -> None:
    game = do(new(doubling="none"), "28c")
    assert game.legal() == {*numbers(29), PASS}
    for doubling in ("add", "times"):
        assert DOUBLE in do(new(doubling=doubling), "28c").legal()


# Honours


@pytest.mark.parametrize(
    ("bid", "lowest"),
    [("28c", 40), ("39n", 40), ("40c", 48), ("47c", 48), ("48c", 56), ("55c", 56)],
)
def test_over_ones_own_side_the_next_level_at_least(bid: str, lowest: int) -> None:
    game = do(new(honours=True), f"{bid} pass")
    assert game.seat == 2 and game.legal() == {*numbers(lowest), PASS}
    number = int(bid[:2])
    assert do(new(), f"{bid} pass").legal() == {*numbers(number + 1), PASS}, "not without it"


def test_over_opponents_any_higher_number() -> None:
    game = do(new(honours=True), "28c 29d")
    assert game.seat == 2 and game.legal() == {*numbers(30), PASS, DOUBLE}, "one has bid since"
    do(game, "pass")
    assert game.seat == 3 and game.legal() == {*numbers(40), PASS}
    do(game, "pass")
    assert game.seat == 4 and game.legal() == {*numbers(30), PASS, DOUBLE}


def test_a_double_is_no_bid_and_the_bidder_is_of_his_own_side() -> None:
    game = do(new(honours=True), "28c double")
    assert game.legal() == {*numbers(40), PASS, REDOUBLE}
    do(game, "pass pass pass pass")
    assert game.seat == 0 and game.legal() == {*numbers(40), PASS, REDOUBLE}


# Hidden trumps


def test_the_hidden_auction_is_of_numbers_only() -> None:
    game = do(new(**HIDDEN), "28")
    assert game.phase == "auction" and game.seat == 1 and game.contract == (28, None)
    assert game.legal() == {*numbers(29), PASS, DOUBLE}
    do(game, "29 pass 30")
    assert game.calls == [(0, "28"), (1, "29"), (2, "pass"), (3, "30")]


def test_hidden_doubles_and_honours_are_as_ever() -> None:
    game = do(new(**HIDDEN, honours=True), "28 double redouble")
    assert game.phase == "lay" and game.seat == game.bidder == 0 and game.doubles == 2
    assert do(new(**HIDDEN, honours=True), "28 pass").legal() == {*numbers(40), PASS}
    assert do(new(variant="hidden"), "28").legal() == {*numbers(29), PASS}, "doubling none"


# The history


def test_the_environment_gives_the_history_of_the_auction() -> None:
    game = do(new(), "28c pass 31d double pass pass 32n")
    for seat in range(6):
        assert game.seen_by(seat)["calls"] == [
            (0, "28c"),
            (1, "pass"),
            (2, "31d"),
            (3, "double"),
            (4, "pass"),
            (5, "pass"),
            (0, "32n"),
        ]
