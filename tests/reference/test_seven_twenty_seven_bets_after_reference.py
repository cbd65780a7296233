"""The reference Seven Twenty-Seven: bets after the declarations, and replaced illegal actions."""

from typing import Any

import pytest

from tests.reference.seven_twenty_seven import (
    BETS,
    BOTH,
    CALL,
    DECLARE_7,
    DECLARE_27,
    DRAW,
    FOLD,
    STAND,
    SevenTwentySeven,
)
from tests.reference.seven_twenty_seven_dealt import new, play, until

HANDS = ["7h Kh", "Th Td", "9c Kc"]  # 7.5, 20, 9.5
DECLARATIONS = ("simultaneous", "sequential")


def declared(*output: int, **options: Any) -> SevenTwentySeven:
    """A hand of three, without a bet so far, after these declarations; seat 0 says the first."""
    options = {"declare": "simultaneous", "bets_after": True, **options}
    return play(until(new(*HANDS, **options), "declare"), *output)


# The round


@pytest.mark.parametrize("declare", DECLARATIONS)
def test_a_betting_round_after_the_declarations(declare: str) -> None:
    game = declared(DECLARE_7, DECLARE_27, declare=declare)
    assert game.phase == "declare" and game.to_call == game.raises_left == 0
    play(game, DECLARE_27)
    assert game.phase == "after_bet" and not game.over and game.turn == 0
    assert game.legal() == {CALL, *BETS} and game.raises_left == 3
    play(game, CALL, BETS[1], CALL)
    assert game.turn == 0 and game.to_call == 2 and game.legal() == {FOLD, CALL, *BETS}
    play(game, CALL)
    assert game.over and game.pot == 9 and game.won == [4, 5, 0]


def test_without_the_option_the_showdown_follows_the_declarations() -> None:
    assert declared(DECLARE_7, DECLARE_27, DECLARE_27, bets_after=False).over


def test_all_check_after_the_declarations() -> None:
    game = play(declared(DECLARE_7, DECLARE_27, DECLARE_27), *[CALL] * 3)
    assert game.over and game.won == [1, 2, 0] and game.net == [0, 1, -1]


def test_the_bets_after_have_raises_of_their_own() -> None:
    game = until(new(*HANDS[:2], declare="simultaneous", bets_after=True, max_raises=1), "bet")
    play(game, BETS[0], BETS[0], CALL, STAND, STAND, DECLARE_7, DECLARE_27)
    assert game.phase == "after_bet" and game.raises_left == 1
    play(game, BETS[0], BETS[0])
    assert game.raises_left == 0 and game.legal() == {FOLD, CALL}


def test_the_bets_after_begin_at_the_dealers_left_whoever_declared_first() -> None:
    game = until(new(*HANDS, declare="sequential", bets_after=True), "bet")
    play(game, CALL, CALL, BETS[0], CALL, CALL, *[STAND] * 3)
    assert game.phase == "declare" and game.turn == 2, "by the betting before the declarations"
    play(game, DECLARE_27, DECLARE_7, DECLARE_27)
    assert game.phase == "after_bet" and game.turn == 0


def test_the_bets_after_begin_with_the_lead() -> None:
    game = declared(DECLARE_7, DECLARE_27, DECLARE_27, rotating_lead=True)
    assert game.phase == "after_bet" and game.turn == game.lead == 1
    game = until(new(*HANDS, declare="simultaneous", bets_after=True, rotating_lead=True), "bet")
    play(game, BETS[0], FOLD, CALL, STAND, STAND, DECLARE_7, DECLARE_27)
    assert game.phase == "after_bet" and game.turn == 2, "seat 1 would have led, and has folded"


def test_the_lead_that_folded_in_the_last_bets_does_not_bet_after() -> None:
    options: dict[str, Any] = {"declare": "simultaneous", "bets_after": True, "last_bets": True}
    game = until(new(*HANDS, rotating_lead=True, **options), "last_bet")
    assert game.turn == 1
    play(game, CALL, BETS[0], CALL, FOLD)
    assert game.phase == "declare" and game.turn == 0
    assert play(game, DECLARE_7, DECLARE_27).turn == 2


def test_last_bets_come_before_the_declarations_and_bets_after_behind_them() -> None:
    game = until(new(*HANDS, declare="simultaneous", bets_after=True, last_bets=True), "last_bet")
    assert play(game, *[CALL] * 3).phase == "declare"
    assert play(game, *[DECLARE_7] * 3).phase == "after_bet"
    assert play(game, *[CALL] * 3).over


# Folds


def test_who_folds_after_declaring_contests_nothing() -> None:
    game = play(declared(DECLARE_7, DECLARE_27, DECLARE_27), CALL, CALL, BETS[0], CALL, FOLD)
    assert game.over and game.live == [0, 2] and game.folded == [False, True, False]
    assert game.pot == 5 and game.won == [2, 0, 3], "9.5 is left alone on the 27 side"
    seen = game.seen_by(1)
    assert seen["up"] == [["7h", "Kh"], ["Th"], ["9c", "Kc"]] and seen["hidden"] == [0, 1, 0]


def test_a_side_whose_declarers_have_all_folded_goes_to_the_other() -> None:
    game = play(declared(DECLARE_7, DECLARE_27, DECLARE_27), CALL, BETS[0], CALL, FOLD)
    assert game.over and game.pot == 5 and game.won == [0, 5, 0]


def test_a_folded_seat_is_not_in_the_way_of_a_both_seat() -> None:
    output = [DECLARE_7, BOTH, DECLARE_27]
    game = play(declared(*output), *[CALL] * 3)
    assert game.won == [1, 0, 2], "7.5 is nearer to 7 than 20"
    game = play(declared(*output), CALL, BETS[0], CALL, FOLD)
    assert game.pot == 5 and game.won == [0, 5, 0], "nobody else is left at 7"


def test_a_folded_both_seat_is_not_in_the_way_either() -> None:
    output = [BOTH, BOTH, DECLARE_27]
    assert play(declared(*output), *[CALL] * 3).won == [0, 0, 3]
    game = play(declared(*output), BETS[0], FOLD, CALL)
    assert game.won == [0, 0, 5], "7.5 against 9.5 at 27: dropped out, so all goes to 27"
    game = play(declared(*output), CALL, BETS[0], CALL, FOLD)
    assert game.won == [0, 5, 0]


@pytest.mark.parametrize("declare", DECLARATIONS)
def test_folds_can_end_the_hand_after_the_declarations(declare: str) -> None:
    output = [DECLARE_27, DECLARE_7, DECLARE_27]
    game = play(declared(*output, declare=declare), BETS[4], FOLD)
    assert not game.over
    play(game, FOLD)
    assert game.over and game.pot == 8 and game.won == [8, 0, 0] and game.net == [2, -1, -1]
    assert game.declared == output, "what was said decides nothing, and stays public"
    seen = game.seen_by(1)
    assert seen["up"] == [["7h"], ["Th"], ["9c"]] and seen["hidden"] == [1, 1, 1]


def test_a_hand_that_ends_before_the_declarations_has_no_bets_after() -> None:
    game = until(new(*HANDS, declare="simultaneous", bets_after=True), "bet")
    play(game, BETS[0], FOLD, FOLD)
    assert game.over and game.declared == [None] * 3


def test_a_perfect_hand_that_folds_after_declaring_gets_nothing() -> None:
    options: dict[str, Any] = {"declare": "simultaneous", "bets_after": True, "perfect": True}
    for answer, won in [(CALL, [0, 6, 0]), (FOLD, [2, 0, 3])]:
        game = new("4c 3c", "Ac 5c", "Th Td", then="Ad", **options)
        play(game, STAND, DRAW, STAND, *[CALL] * 3, *[STAND] * 3)
        play(game, DECLARE_7, BOTH, DECLARE_27, CALL, CALL, BETS[0], CALL, answer)
        assert game.over and game.won == won


# What is seen


def test_simultaneous_declarations_are_public_in_the_bets_after() -> None:
    game = declared(DECLARE_7, BOTH)
    assert all(game.seen_by(seat)["declared"] == [None] * 3 for seat in range(3))
    play(game, DECLARE_27)
    for seat in range(3):
        assert game.seen_by(seat)["declared"] == [DECLARE_7, BOTH, DECLARE_27]
        assert game.seen_by(seat)["phase"] == "after_bet"
        assert game.seen_by(seat)["up"] == [["7h"], ["Th"], ["9c"]], "no showdown yet"
    play(game, CALL, BETS[0], FOLD)
    assert game.turn == 0 and game.declared == [DECLARE_7, BOTH, DECLARE_27], "a fold hides none"


# Fouls


def test_a_foul_counts_as_a_fold_where_there_is_something_to_call() -> None:
    game = until(new(*HANDS), "bet")
    assert play(game, BETS[0]).foul() == FOLD
    assert game.folded == [False, True, False] and game.paid == [2, 1, 1] and game.turn == 2


def test_a_foul_counts_as_check_stand_or_7_where_folding_is_not_possible() -> None:
    game = new(*HANDS, declare="simultaneous", bet_first=True, max_stands=1)
    assert game.foul() == CALL and game.turn == 1 and game.pot == 3
    play(game, CALL, CALL)
    assert game.foul() == STAND and game.stands == [1, 0, 0] and game.taken == [0] * 3
    play(game, DRAW, DRAW, *[CALL] * 3)
    assert game.phase == "draw" and game.turn == 1, "the one stand of seat 0 is used up"
    play(game, STAND, STAND)
    assert game.phase == "declare" and game.foul() == DECLARE_7
    play(game, DECLARE_27, DECLARE_27)
    assert game.over and game.declared == [DECLARE_7, DECLARE_27, DECLARE_27]


def test_fouls_in_the_bets_after_are_as_before_the_declarations() -> None:
    game = declared(DECLARE_7, DECLARE_27, DECLARE_27)
    assert game.foul() == CALL and game.turn == 1
    play(game, BETS[0])
    assert game.foul() == FOLD and game.foul() == FOLD
    assert game.over and game.won == [0, 4, 0] and sum(game.net) == 0
    with pytest.raises(ValueError, match="over"):
        game.foul()


def test_a_foul_does_not_take_back_a_declaration() -> None:
    game = declared(DECLARE_27, DECLARE_7, DECLARE_27)
    game.foul()
    assert game.declared == [DECLARE_27, DECLARE_7, DECLARE_27]
