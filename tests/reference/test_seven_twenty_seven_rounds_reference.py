"""The reference Seven Twenty-Seven: bets before the opening ask, and the first seat of rounds."""

from typing import Any

from tests.reference.seven_twenty_seven import BETS, CALL, DRAW, FOLD, STAND
from tests.reference.seven_twenty_seven_dealt import BUST, new, play, until

THREE = ["5h Kh", "5d Kd", "5c Kc"]
ROTATING: dict[str, Any] = {"rotating_lead": True}

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


def test_the_bets_before_the_ask_have_their_own_limit_on_raises() -> None:
    game = play(new("5h Kh", "5d Kd", bet_first=True, max_raises=1), BETS[0], BETS[0])
    assert game.raises_left == 0 and game.legal() == {FOLD, CALL}
    play(game, CALL, STAND, STAND)
    assert game.phase == "bet" and game.raises_left == 1


def test_a_seat_that_folds_before_the_ask_is_not_asked() -> None:
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


def test_bets_before_the_ask_do_not_determine_the_first_declarer() -> None:
    game = play(new("5h Kh", "5d Kd", bet_first=True, declare="sequential"), CALL, BETS[0], CALL)
    assert until(game, "declare").turn == 0, "in the betting after the ask nobody bet"


def test_last_bets_come_in_addition_to_the_first_ones() -> None:
    game = play(new("6h Kh", "Td Kd", bet_first=True, last_bets=True), CALL, CALL, STAND, STAND)
    assert game.phase == "bet", "the opening ask does not lead to last bets"
    assert play(game, CALL, CALL, STAND, STAND).phase == "last_bet"
    assert play(game, CALL, CALL).over


# The leader


def test_without_rotating_lead_each_round_begins_at_the_dealers_left() -> None:
    game = new(*THREE)
    for phase in ("ask", "bet", "draw", "bet", "draw"):
        assert game.phase == phase and game.turn == game.lead == 0
        play(game, *[DRAW if DRAW in game.legal() else CALL] * 3)


def test_the_lead_moves_by_one_seat_with_each_round_of_asking_and_betting() -> None:
    game = new(*THREE, **ROTATING)
    for lead in (0, 1, 2, 0):  # seat 2 is the dealer; after it comes its left again
        for action, then in ((DRAW, STAND), (CALL, CALL)):
            assert game.lead == lead
            for seat in (lead, (lead + 1) % 3, (lead + 2) % 3):
                assert game.turn == seat
                play(game, action if seat == lead else then)
    assert game.phase == "draw" and game.turn == 1 and game.draw_rounds == 5
    assert game.drew_in == [[0, 3], [1], [2]]


def test_cards_are_dealt_in_the_order_of_asking() -> None:
    game = play(new(*THREE, then="2c 3c 4c", **ROTATING), *[STAND] * 3, *[CALL] * 3)
    play(game, DRAW, DRAW, DRAW)
    assert [hand[-1][0] for hand in game.hands] == ["4c", "2c", "3c"]


def test_seats_answer_a_bet_from_the_bettors_left_with_any_leader() -> None:
    game = play(new(*THREE, **ROTATING), *[STAND] * 3, *[CALL] * 3, DRAW, STAND, STAND)
    assert game.phase == "bet" and game.turn == 1
    play(game, CALL, BETS[0], CALL)
    assert game.turn == 1 and game.legal() == {FOLD, CALL, *BETS}
    assert play(game, CALL).phase == "draw" and game.turn == 2, "not the last bettor's doing"


def test_bets_before_the_ask_and_the_ask_begin_at_the_dealers_left() -> None:
    game = new(*THREE, bet_first=True, **ROTATING)
    for phase, lead in [("first_bet", 0), ("ask", 0), ("bet", 0), ("draw", 1), ("bet", 1)]:
        assert game.phase == phase and game.turn == game.lead == lead
        play(game, *[DRAW if DRAW in game.legal() else CALL] * 3)
    assert game.phase == "draw" and game.turn == 2


def test_last_bets_begin_with_the_seat_that_led_the_last_draws() -> None:
    game = play(new(*THREE, last_bets=True, **ROTATING), *[STAND] * 3, *[CALL] * 3, *[STAND] * 3)
    assert game.phase == "last_bet" and game.turn == 1


def test_the_lead_skips_folded_seats() -> None:
    game = play(new(*THREE, "5s Ks", **ROTATING), *[STAND] * 4, BETS[0], FOLD, CALL, CALL)
    assert game.phase == "draw" and game.turn == 2, "seat 1 would have led, and has folded"
    play(game, DRAW, STAND, STAND)
    assert game.phase == "bet" and game.turn == 2
    assert play(game, CALL, CALL, CALL).turn == 3
    play(game, DRAW, STAND, STAND, CALL, CALL, CALL)
    assert game.phase == "draw" and game.turn == 0
    play(game, DRAW, STAND, STAND, CALL, CALL, CALL)
    assert game.phase == "draw" and game.turn == 2, "and passed over again"


def test_the_seat_that_leads_may_fold() -> None:
    game = play(new(*THREE, **ROTATING), *[STAND] * 3, CALL, BETS[0], CALL, FOLD)
    assert game.phase == "draw" and game.turn == 1, "the next after seat 0"
    game = play(new(*THREE, **ROTATING), *[STAND] * 3, *[CALL] * 3, DRAW, STAND, STAND)
    play(game, CALL, BETS[0], CALL, FOLD)
    assert game.phase == "draw" and game.turn == 2, "the next after seat 1"


def test_after_a_fold_before_the_ask_the_next_seat_has_the_lead() -> None:
    game = play(new(*THREE, bet_first=True, **ROTATING), CALL, BETS[0], CALL, FOLD)
    assert game.phase == "ask" and game.turn == 1
    assert play(game, STAND, STAND).turn == 1
    assert play(game, CALL, CALL).phase == "draw" and game.turn == 2


def test_the_lead_skips_busted_seats() -> None:
    hands = ["Th 9h 9s", "Td 9d Kd", "5c Kc Ac", "5s Ks As"]
    game = new(*hands, then="Tc", **BUST, **ROTATING)
    assert game.busted[0] and game.phase == "ask" and game.turn == 1
    play(game, DRAW)
    assert game.busted[1] and game.turn == 2
    play(game, STAND, STAND)
    assert game.phase == "bet" and game.turn == 2, "seat 1 led the ask, seat 2 bets in its place"
    assert play(game, CALL, CALL).phase == "draw" and game.turn == 3


def test_a_seat_that_is_skipped_keeps_the_lead() -> None:
    game = new(*THREE, max_stands=1, **ROTATING)
    play(game, DRAW, STAND, DRAW, *[CALL] * 3)
    assert game.phase == "draw" and game.lead == 1 and game.turn == 2, "seat 1 may draw no more"
    play(game, DRAW, STAND)
    assert game.phase == "bet" and game.turn == 1
    assert play(game, *[CALL] * 3).turn == 2


def test_a_draw_round_in_which_nobody_can_draw_moves_the_lead() -> None:
    game = play(new(*THREE, max_stands=1, last_bets=True, **ROTATING), *[STAND] * 3, *[CALL] * 3)
    assert game.phase == "last_bet" and game.draw_rounds == 2 and game.turn == 1


def test_declarations_do_not_depend_on_the_lead() -> None:
    for declare in ("simultaneous", "sequential"):
        game = until(new(*THREE, declare=declare, **ROTATING), "declare")
        assert game.lead == 1 and game.turn == 0


def test_sequential_begins_with_the_last_bettor_with_any_leader() -> None:
    game = new(*THREE, declare="sequential", **ROTATING)
    play(game, *[STAND] * 3, CALL, CALL, BETS[0], CALL, CALL)
    assert game.phase == "draw" and game.turn == 1
    assert play(game, *[STAND] * 3).phase == "declare" and game.turn == 2


def test_chips_left_over_go_from_the_dealers_left_with_any_leader() -> None:
    game = until(new(*THREE, ante=3, **ROTATING), "over")  # 9 chips: 4 for 7, 5 for 27
    assert game.lead == 1 and game.won == [2 + 2, 1 + 2, 1 + 1]


def test_with_two_seats_the_lead_alternates() -> None:
    game = new(*THREE[:2], **ROTATING)
    for lead in (0, 1, 0, 1):
        assert game.turn == lead
        assert play(game, DRAW, STAND).turn == lead
        play(game, CALL, CALL)
