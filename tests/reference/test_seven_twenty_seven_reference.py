"""The reference Seven Twenty-Seven against the facts its rule page pins: deal, bets, draws."""

import pytest

from tests.reference.seven_twenty_seven import (
    BETS,
    CALL,
    DRAW,
    FOLD,
    NEARNESS,
    STAND,
    SevenTwentySeven,
    bet_levels,
)
from tests.reference.seven_twenty_seven_dealt import BUST, MINI, MINI_GAME, PACK, new, play, until

DRAWING_ACTIONS = {DRAW, STAND}


# The deal


def test_deal_from_the_dealers_left_first_card_up() -> None:
    game = SevenTwentySeven(PACK, 2)
    assert game.dealer == 2 and game.turn == 3 and game.live == [3, 0, 1, 2]
    first, second = [PACK[at : at + 4] for at in (0, 4)]
    for at, seat in enumerate([3, 0, 1, 2]):
        assert game.hands[seat] == [(first[at], True), (second[at], False)]
    assert game.stock == PACK[8:]
    assert game.pot == 4 and game.paid == [1] * 4 and game.net == [0] * 4
    assert game.phase == "ask" and game.legal() == DRAWING_ACTIONS and not game.over


def test_start_down_2_deals_two_hidden_rounds() -> None:
    game = SevenTwentySeven(PACK, 3, start_down=2, ante=5)
    assert game.hands[1] == [(PACK[1], True), (PACK[5], False), (PACK[9], False)]
    assert game.stock == PACK[12:] and game.pot == 20


def test_later_cards_come_in_the_order_of_asking() -> None:
    for draw_up in (False, True):
        game = new("5h Kh", "5d Kd", "5s Ks", then="2c 3c 4c", draw_up=draw_up)
        play(game, STAND, DRAW, DRAW)
        assert game.hands[0] == [("5h", True), ("Kh", False)]
        assert game.hands[1][-1] == ("2c", draw_up) and game.hands[2][-1] == ("3c", draw_up)
        play(game, *[CALL] * 3, DRAW)
        assert game.hands[0][-1] == ("4c", draw_up) and game.taken == [1, 1, 1]


def test_decks() -> None:
    written_out = ["10" + card[1] if card[0] == "T" else card for card in PACK]
    assert SevenTwentySeven(written_out, 0).hands == SevenTwentySeven(PACK, 0).hands
    for deck in (PACK[:51], PACK[:51] + PACK[:1], MINI):
        with pytest.raises(ValueError, match="full pack"):
            SevenTwentySeven(deck, 0)
    for deck in (PACK, MINI[:5], [*MINI[:5], "5h"], [*MINI[:5], "Tc"]):
        with pytest.raises(ValueError, match="mini pack"):
            SevenTwentySeven(deck, 0, **MINI_GAME)
    given = list(PACK)
    SevenTwentySeven(given, 0)
    assert given == PACK


def test_no_such_dealer() -> None:
    for dealer in (-1, 4):
        with pytest.raises(ValueError, match="dealer"):
            SevenTwentySeven(PACK, dealer)


# Betting


def test_bet_levels() -> None:
    assert bet_levels(1, 5) == [1, 2, 3, 4, 5]
    assert bet_levels(3, 3) == [3] * 5
    assert bet_levels(1, 3) == [1, 1, 2, 2, 3]
    assert bet_levels(2, 13) == [2, 4, 7, 10, 13]


def test_of_equal_levels_the_lowest_index_is_legal() -> None:
    game = until(new("5h Kh", "5d Kd", min_bet=1, max_bet=3), "bet")
    assert game.legal() == {CALL, BETS[0], BETS[2], BETS[4]}
    assert play(game, BETS[2]).to_call == 2
    game = until(new("5h Kh", "5d Kd", min_bet=3, max_bet=3), "bet")
    assert game.legal() == {CALL, BETS[0]}


def test_checking_and_calling() -> None:
    game = until(new("5h Kh", "5d Kd", "5c Kc"), "bet")
    assert game.legal() == {CALL, *BETS} and game.to_call == 0 and game.raises_left == 3
    with pytest.raises(ValueError, match="illegal action 0"):
        game.step(FOLD)
    play(game, CALL, BETS[3])
    assert game.turn == 2 and game.to_call == 4 and game.raises_left == 3
    assert game.legal() == {FOLD, CALL, *BETS}
    play(game, BETS[1])
    assert game.turn == 0 and game.to_call == 6 and game.raises_left == 2, "checked, may still"
    play(game, CALL)
    assert game.turn == 1 and game.to_call == 2, "a bettor acts again, as it was raised"
    play(game, CALL)
    assert game.phase == "draw" and game.paid == [7, 7, 7] and game.pot == 21
    assert game.to_call == 0 and game.raises_left == 0 and game.staked == [0] * 3


def test_one_who_checked_may_raise_later() -> None:
    game = until(new("5h Kh", "5d Kd"), "bet")
    play(game, CALL, BETS[0], BETS[4])
    assert game.turn == 1 and game.paid == [7, 2] and game.to_call == 5


def test_all_checked_ends_the_round() -> None:
    game = play(until(new("5h Kh", "5d Kd"), "bet"), CALL, CALL)
    assert game.phase == "draw" and game.pot == 2


def test_raises_of_a_round_are_counted_without_the_bet_and_heads_up_too() -> None:
    game = until(new("5h Kh", "5d Kd", max_raises=2), "bet")
    play(game, BETS[0], BETS[0], BETS[0])
    assert game.raises_left == 0 and game.legal() == {FOLD, CALL}
    play(game, CALL, DRAW, STAND)
    assert game.phase == "bet" and game.raises_left == 2, "a new round has its own"
    game = until(new("5h Kh", "5d Kd", max_raises=0), "bet")
    assert game.legal() == {CALL, *BETS}
    assert play(game, BETS[0]).legal() == {FOLD, CALL}


def test_without_a_cap_sixty_raises_follow_a_bet() -> None:
    game = until(new("5h Kh", "5d Kd", max_raises=60), "bet")
    play(game, BETS[0])
    for done in range(60):
        assert game.raises_left == 60 - done and game.legal() == {FOLD, CALL, *BETS}
        play(game, BETS[0])
    assert game.raises_left == 0 and game.legal() == {FOLD, CALL}
    # 61 bets and raises of one chip; seat 0 made the first and the last of them, seat 1 owes one
    assert game.turn == 1 and game.paid == [62, 61]
    assert play(game, CALL).phase == "draw" and game.pot == 124


def test_rounds_begin_at_the_dealers_left_whoever_raised_last() -> None:
    game = until(new("5h Kh", "5d Kd", "5c Kc"), "bet")
    play(game, CALL, CALL, BETS[0], FOLD, CALL)
    assert game.phase == "draw" and game.turn == 1, "the first seat still in"
    assert play(game, DRAW, STAND).turn == 1


def test_one_seat_left_takes_the_pot() -> None:
    game = until(new("Tc Td", "5d Ad", "5c Kc"), "bet")
    play(game, BETS[4], FOLD)
    assert not game.over
    play(game, FOLD)
    assert game.over and game.turn is None and game.legal() == set() and game.phase == "over"
    assert game.won == [8, 0, 0] and game.net == [2, -1, -1] and game.folded == [False, True, True]
    assert game.pot == 8 and game.seen_by(1)["up"] == [["Tc"], ["5d"], ["5c"]]
    with pytest.raises(ValueError, match="illegal"):
        game.step(CALL)


# Asking and drawing


def test_the_opening_ask_is_always_followed_by_betting() -> None:
    game = play(new("5h Kh", "5d Kd"), STAND, STAND)
    assert game.phase == "bet"
    assert play(game, CALL, CALL).phase == "draw"
    assert play(game, STAND, STAND).over


def test_betting_and_drawing_alternate_while_anybody_draws() -> None:
    game = until(new("5h Kh", "5d Kd"), "draw")
    for _ in range(3):
        play(game, STAND)
        assert game.phase == "draw", "standing does not give up later draws"
        play(game, DRAW)
        assert game.phase == "bet"
        play(game, CALL, CALL)
    assert game.phase == "draw" and game.draw_rounds == 5
    assert game.taken == [0, 3] and game.drew_in == [[], [1, 2, 3]] and game.stands == [4, 1]
    assert play(game, STAND, STAND).over


def test_max_extra() -> None:
    game = play(new("5h Kh", "5d Kd", max_extra=1), DRAW, STAND, CALL, CALL)
    assert game.turn == 1, "seat 0 has all its cards"
    assert play(game, DRAW).phase == "bet"
    assert play(game, CALL, CALL).over, "nobody can draw"
    assert game.taken == [1, 1] and game.stands == [0, 1]


def test_max_stands() -> None:
    game = play(new("5h Kh", "5d Kd", max_stands=1), DRAW, STAND, CALL, CALL)
    assert play(game, DRAW).phase == "bet", "seat 1 has stood once, in the opening ask"
    play(game, CALL, CALL)
    assert game.turn == 0 and game.stands == [0, 1], "being skipped is no chosen stand"
    assert play(game, STAND).over
    game = play(new("5h Kh", "5d Kd", max_stands=2), DRAW, STAND, CALL, CALL)
    assert play(game, DRAW).turn == 1


def test_an_empty_stock_skips() -> None:
    game = SevenTwentySeven(MINI, 1, **{**MINI_GAME, "max_extra": 0})
    play(game, DRAW, STAND, CALL, CALL, STAND, DRAW)
    assert game.stock == [] and game.phase == "bet"
    assert play(game, CALL, CALL).over
    game = SevenTwentySeven(MINI, 1, **{**MINI_GAME, "max_extra": 0})
    assert play(game, DRAW, DRAW, CALL, CALL).over, "nobody could draw any more"


def test_an_empty_stock_from_the_start() -> None:
    game = SevenTwentySeven(MINI, 2, **{**MINI_GAME, "players": 3})
    assert game.phase == "bet" and game.turn == 0 and game.stock == []
    assert play(game, *[CALL] * 3).over


def test_the_stock_may_run_out_within_a_round() -> None:
    game = SevenTwentySeven(MINI, 1, **{**MINI_GAME, "max_extra": 0})
    play(game, DRAW, STAND, CALL, CALL, DRAW)
    assert game.phase == "bet" and game.stands == [0, 1], "seat 1 was skipped"


def test_last_bets_are_exactly_one_round() -> None:
    game = until(new("6h Kh", "Td Kd", last_bets=True), "last_bet")
    assert game.draw_rounds == 2 and game.stands == [2, 2], "not after the opening ask"
    assert game.legal() == {CALL, *BETS} and game.raises_left == 3
    assert play(game, CALL, BETS[0], BETS[0], CALL).over
    assert game.net == [0, 0] and game.pot == 6
    game = play(until(new("6h Kh", "Td Kd", last_bets=True), "last_bet"), BETS[4], FOLD)
    assert game.over and game.net == [1, -1]


def test_last_bets_with_an_empty_stock() -> None:
    game = SevenTwentySeven(MINI, 1, **{**MINI_GAME, "last_bets": True})
    assert play(game, DRAW, DRAW, CALL, CALL).phase == "last_bet"
    assert play(game, CALL, CALL).over


def test_hand_to_the_end() -> None:
    hands = ["5h Kh", "7h Kd", "Th Td", "Tc Ts"]
    game = play(new(*hands, then="6h 8h"), STAND, STAND, DRAW, DRAW, CALL, BETS[0])
    play(game, CALL, CALL, CALL, *[STAND] * 4)
    assert game.over and game.pot == 8
    assert game.won == [0, 4, 2, 2] and game.net == [-2, 2, 0, 0]


def test_net_chips_follow_the_seats() -> None:
    here = until(SevenTwentySeven(PACK, 3), "over").net
    assert any(here)
    assert until(SevenTwentySeven(PACK, 0), "over").net == [here[3], *here[:3]]


# Going over


def test_bust_when_drawing_is_at_once_and_public() -> None:
    game = new("5h Kh", "7h Kd", "Th Td", "Tc Ts", then="6h 8h", **BUST)
    play(game, STAND, STAND, DRAW, DRAW)
    assert game.busted == [False, False, False, True] and game.live == [0, 1, 2]
    assert game.folded == [False] * 4 and game.phase == "bet"
    seen = game.seen_by(0)
    assert seen["busted"][3] and seen["up"][3] == ["Tc"] and seen["hidden"][3] == 2
    play(game, CALL, CALL, CALL, *[STAND] * 3)
    assert game.over and game.won == [2, 0, 2, 0]


def test_exactly_27_is_not_over_and_aces_count_one() -> None:
    game = play(new("Th 9h", "Td 9d", then="8c 8s", **BUST), DRAW)
    assert not game.busted[0] and game.turn == 1
    game = play(new("Th 9h", "Td 9d", then="Ac 8s", **BUST), DRAW)
    assert not game.busted[0]


def test_without_over_is_bust_nobody_goes_out() -> None:
    for nearness in NEARNESS:
        if nearness == "over_is_bust":
            continue
        assert play(new("Th 9h", "Td 9d", then="Tc", nearness=nearness), DRAW).busted == [False] * 2


def test_the_hand_can_end_inside_a_draw_round() -> None:
    game = play(new("Th 9h", "Td 9d", then="Tc", **BUST), DRAW)
    assert game.over and game.won == [0, 2] and game.stands == [0, 0]


def test_a_card_that_busts_counts_as_drawn() -> None:
    game = until(new("Th 9h", "Td 9d", "5c Kc", then="Tc", **BUST), "draw")
    assert play(game, DRAW, STAND, STAND).phase == "bet"
    assert game.turn == 1 and game.live == [1, 2] and game.drew_in[0] == [1]


def test_bust_after_the_deal() -> None:
    game = new("Th 9h 9s", "Td 9d Kd", "5c Kc Ac", **BUST)
    assert game.busted == [True, False, False] and game.turn == 1 and game.phase == "ask"
    game = new("Th 9h 9s", "Td 9d Kd", **BUST)
    assert game.over and game.won == [0, 2] and game.turn is None


def test_bust_after_the_deal_stops_when_one_is_left() -> None:
    game = new("Th 9h 9s", "Td 9d 9c", "Tc 8c Ts", **BUST)
    assert game.busted == [True, True, False] and game.over and game.net == [-1, -1, 2]


# 5-A-A


def test_perfect_at_the_table() -> None:
    hands = ["4c 3c", "Ac 5c", "Th Td"]  # 7, 5-A-A, 20
    for perfect, won in [(False, [1, 2, 0]), (True, [0, 3, 0])]:
        game = play(new(*hands, then="Ad", perfect=perfect), STAND, DRAW, STAND)
        assert game.phase == "bet", "nothing ends before the showdown"
        assert until(game, "over").won == won


def test_perfect_that_has_folded_gets_nothing() -> None:
    game = play(new("4c 3c", "Ac 5c", "Th Td", then="Ad", perfect=True), STAND, DRAW, STAND)
    assert until(play(game, BETS[0], FOLD, CALL), "over").won == [2, 0, 3]
