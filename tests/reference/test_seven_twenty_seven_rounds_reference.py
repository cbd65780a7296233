"""The reference Seven Twenty-Seven: bets before the opening ask, and who leads each round."""

from tests.reference.seven_twenty_seven import BETS, CALL, FOLD, STAND
from tests.reference.seven_twenty_seven_dealt import BUST, new, play, until

# Bets before the opening ask


def test_bet_first_is_a_betting_round_between_the_deal_and_the_opening_ask() -> None:
    game = new("5h Kh", "5d Kd", "5c Kc", bet_first=True)
    assert game.phase == "first_bet" and game.turn == 0 and game.legal() == {CALL, *BETS}
    assert game.draw_rounds == 0 and game.raises_left == 3 and game.taken == [0] * 3
    play(game, CALL, BETS[1], CALL)
    assert game.phase == "first_bet" and game.turn == 0, "one who checked must answer the bet"
    assert game.to_call == 2 and game.legal() == {FOLD, CALL, *BETS}
    play(game, CALL)
    assert game.phase == "ask" and game.turn == 0 and game.paid == [3] * 3
    assert game.staked == [0] * 3 and game.to_call == 0 and game.raises_left == 0
    assert play(game, STAND, STAND, STAND).phase == "bet", "and the ask is followed by betting"


def test_the_bets_before_the_ask_have_raises_of_their_own() -> None:
    game = play(new("5h Kh", "5d Kd", bet_first=True, max_raises=1), BETS[0], BETS[0])
    assert game.raises_left == 0 and game.legal() == {FOLD, CALL}
    play(game, CALL, STAND, STAND)
    assert game.phase == "bet" and game.raises_left == 1


def test_who_folds_before_the_ask_is_not_asked() -> None:
    game = play(new("5h Kh", "5d Kd", "5c Kc", bet_first=True), CALL, BETS[0], CALL, FOLD)
    assert game.phase == "ask" and game.turn == 1 and game.live == [1, 2]


def test_folds_can_end_the_hand_before_the_ask() -> None:
    game = play(new("5h Kh", "5d Kd", "5c Kc", bet_first=True), BETS[4], FOLD, FOLD)
    assert game.over and game.draw_rounds == 0 and game.stands == [0] * 3
    assert game.won == [8, 0, 0] and game.net == [2, -1, -1]
    assert game.seen_by(1)["hidden"] == [1, 1, 1]


def test_a_deal_that_leaves_one_seat_has_no_bets() -> None:
    hands = ["Th 9h 9s", "Td 9d Kd", "5c Kc Ac"]
    game = new(*hands[:2], bet_first=True, **BUST)
    assert game.over and game.won == [0, 2]
    game = new(*hands, bet_first=True, **BUST)
    assert game.phase == "first_bet" and game.turn == 1, "the first seat still in"


def test_bets_before_the_ask_do_not_say_who_declares_first() -> None:
    game = play(new("5h Kh", "5d Kd", bet_first=True, declare="sequential"), CALL, BETS[0], CALL)
    assert until(game, "declare").turn == 0, "in the betting after the ask nobody bet"


def test_last_bets_are_held_beside_the_first_ones() -> None:
    game = play(new("6h Kh", "Td Kd", bet_first=True, last_bets=True), CALL, CALL, STAND, STAND)
    assert game.phase == "bet", "last bets do not come of the opening ask"
    assert play(game, CALL, CALL, STAND, STAND).phase == "last_bet"
    assert play(game, CALL, CALL).over
