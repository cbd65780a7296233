"""The reference Seven Twenty-Seven: order and visibility of declarations."""

from typing import Any

from tests.reference.seven_twenty_seven import (
    BETS,
    BOTH,
    CALL,
    DECLARE_7,
    DECLARE_27,
    FOLD,
    STAND,
)
from tests.reference.seven_twenty_seven_dealt import new, play, until


def test_simultaneous_is_in_seat_order_and_hidden_until_all_have() -> None:
    game = play(new("7h Kh", "Th Td", "9c Kc", declare="simultaneous"), *[STAND] * 3)
    until(play(game, CALL, BETS[0], CALL, CALL), "declare")
    for seat, action in enumerate([DECLARE_7, BOTH, DECLARE_27]):
        assert game.turn == seat and game.legal() == {DECLARE_7, DECLARE_27, BOTH}
        assert game.declared == game.seen_by(seat)["declared"] == [None] * 3
        game.step(action)
    assert game.over and game.declared == [DECLARE_7, BOTH, DECLARE_27]
    # 7.5 keeps BOTH from the 7 side; then 9.5 is alone on the 27 side
    assert game.pot == 6 and game.won == [3, 0, 3]


def test_only_those_still_in_declare_and_share() -> None:
    game = until(new("7h Kh", "Th Td", "9c Kc", declare="simultaneous"), "bet")
    play(game, BETS[0], CALL, FOLD)
    assert until(game, "declare").live == [0, 1]
    assert play(game, BOTH, BOTH).won == [3, 2, 0], "both drop out"


def test_sequential_begins_with_the_last_raiser_and_each_sees_the_ones_before() -> None:
    game = until(new("7h Kh", "Th Td", "9c Kc", "8c Qc", declare="sequential"), "bet")
    play(game, BETS[0], CALL, BETS[1], FOLD, CALL, CALL, STAND, STAND, STAND)
    assert game.phase == "declare" and game.turn == 2
    play(game, DECLARE_7)
    assert game.turn == 0 and game.declared == [None, None, DECLARE_7, None]
    play(game, DECLARE_7)
    assert game.turn == 1 and game.seen_by(1)["declared"] == [DECLARE_7, None, DECLARE_7, None]
    assert play(game, BOTH).over and game.declared == [DECLARE_7, BOTH, DECLARE_7, None]


def test_sequential_goes_by_the_last_betting_round_alone() -> None:
    options: dict[str, Any] = {"declare": "sequential", "last_bets": True}
    game = until(new("7h Kh", "Th Td", "9c Kc", **options), "bet")
    play(game, CALL, BETS[0], CALL, CALL)
    assert until(game, "declare").turn == 0, "in the last bets nobody bet"
    game = until(new("7h Kh", "Th Td", "9c Kc", **options), "last_bet")
    assert play(game, CALL, CALL, BETS[0], FOLD, CALL).turn == 2
    assert game.phase == "declare"


def test_the_declarations_come_after_the_last_draws() -> None:
    game = until(new("7h Kh", "Th Td", declare="sequential"), "draw")
    assert play(game, STAND).phase == "draw"
    assert play(game, STAND).phase == "declare"
