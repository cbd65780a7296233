"""The reference Poker Squares for two: payments of the two wagers."""

from typing import Any

from tests.reference.poker_squares import PACK
from tests.reference.poker_squares import refused as refused_for_one
from tests.reference.poker_squares_duel import Duel, refused
from tests.reference.poker_squares_duel_games import (
    COLUMNS_FIRST,
    RICH,
    ROWS_FIRST,
    SPOILT,
    deck_with,
    fill,
    in_turn,
    play,
)


def test_the_wager_win_is_the_default() -> None:
    for first, second in ((ROWS_FIRST, SPOILT), (SPOILT, ROWS_FIRST), (ROWS_FIRST, COLUMNS_FIRST)):
        assert fill(first, second, wager="win").net == fill(first, second).net
    assert fill(ROWS_FIRST, SPOILT, wager="win").net == [1, -1]


def test_the_wager_points_pays_the_difference_in_units_of_25() -> None:
    game = fill(ROWS_FIRST, SPOILT, wager="points")
    assert game.totals == [287, 167] and game.net == [4.8, -4.8], "120 points"
    game = fill(SPOILT, ROWS_FIRST, wager="points")
    assert game.totals == [167, 287] and game.net == [-4.8, 4.8]


def test_the_wager_points_pays_nothing_for_equal_totals() -> None:
    game = fill(ROWS_FIRST, COLUMNS_FIRST, wager="points")
    assert game.totals == [287, 287] and game.net == [0, 0]


def test_the_wager_points_pays_parts_of_a_unit() -> None:
    torn = list(ROWS_FIRST)
    torn[17], torn[18] = 18, 17
    rules: dict[str, Any] = {"scoring": "custom", "wager": "points"}
    game = fill(ROWS_FIRST, torn, points=[0, 1] + [0] * 8, **rules)
    assert game.totals == [1, 0] and game.net == [0.04, -0.04]
    game = fill(ROWS_FIRST, torn, points=[0, 25] + [0] * 8, **rules)
    assert game.totals == [25, 0] and game.net == [1, -1], "one unit"
    game = fill(ROWS_FIRST, torn, points=[0, -128] + [0] * 8, **rules)
    assert game.totals == [-128, 0] and game.net == [-5.12, 5.12], "below zero too"


def test_the_wager_points_has_the_same_unit_for_english_points() -> None:
    game = fill(ROWS_FIRST, SPOILT, scoring="english", wager="points")
    assert game.totals == [104, 69], "without 30 for the royal flush and 5 for the flush"
    assert game.net == [1.4, -1.4]


def test_no_wager_is_paid_before_the_end() -> None:
    order = in_turn(ROWS_FIRST, SPOILT)
    game = play(Duel(deck_with(RICH), wager="points"), *order[:-1])
    assert game.totals[0] == 287 and game.net == [0, 0]
    assert play(game, order[-1]).net == [4.8, -4.8]


def test_the_wager_changes_nothing_else() -> None:
    win, points = Duel(PACK, wager="win"), Duel(PACK, wager="points")
    for square in in_turn(ROWS_FIRST, COLUMNS_FIRST):
        assert win.legal() == points.legal() and win.turn == points.turn
        assert [win.seen_by(seat) for seat in range(2)] == [points.seen_by(s) for s in range(2)]
        play(win, square)
        play(points, square)
    assert win.totals == points.totals


def test_wager_goes_with_every_other_option() -> None:
    others: dict[str, Any] = {"starter": True, "adjacent": "first", "scoring": "custom"}
    for wager in ("win", "points"):
        assert not refused({"wager": wager}) and not refused({"wager": wager, **others})
        assert not refused({"wager": wager, "points": [1] * 10, "target": 7})
        assert Duel(PACK, wager=wager, **others).net == [0, 0]
    assert refused({"wager": "points", "target": -1})


def test_wager_is_an_option_of_the_duel_alone() -> None:
    assert refused_for_one({"wager": "win"}) and refused_for_one({"wager": "points"})
