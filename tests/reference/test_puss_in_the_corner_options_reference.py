"""The reference Puss in the Corner, option by option."""

import copy

import pytest

from tests.reference.puss_in_the_corner import (
    DEAL,
    END,
    FOUNDATION,
    GATHER,
    PLACE,
    PLAY,
    REDEAL,
    PussInTheCorner,
)
from tests.reference.puss_in_the_corner_games import (
    ALL_PLACES,
    buried,
    deal_out,
    deck_with,
    groups,
    play,
    two_on_top,
)

# hold_back


def test_hold_back_leaves_play_or_deal() -> None:
    deck = deck_with("2c Kd Kh Ks")
    game = deal_out(PussInTheCorner(deck, hold_back=True), "1", 3)
    play(game, PLACE[1])
    assert game.piles == [["2c", "Kd", "Kh"], ["Ks"], [], []] and game.legal() == {DEAL}
    game = play(PussInTheCorner(deck, hold_back=True), 0, 1, 1, 1)
    assert game.card is None and game.legal() == {PLAY[0], DEAL}
    played = play(copy.deepcopy(game), PLAY[0])
    assert played.card is None and played.legal() == {DEAL}, "no group begins by itself"


def test_hold_back_plays_nothing_inside_a_group() -> None:
    deck = deck_with("2c Kd Kh Ks")
    game = play(PussInTheCorner(deck, hold_back=True), 0, 1, 1, 1, DEAL)
    assert game.card == deck[4] and game.group_left == 4 and game.moves == 5
    for at in range(4):
        assert game.card == deck[4 + at] and game.legal() == ALL_PLACES
        play(game, PLACE[2])
    assert game.legal() == {PLAY[0], DEAL}, "the two was held back"


def test_hold_back_redeals_also_while_a_top_fits() -> None:
    deck = two_on_top()
    game = deal_out(PussInTheCorner(deck, hold_back=True))
    assert game.legal() == {PLAY[3], REDEAL}
    play(game, REDEAL)
    assert game.redeals_used == 1 and game.score == 4
    assert game.card == deck[0] and game.group_left == 4 and len(game.stock) == 47
    assert game.known_stock() == groups(deck, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11)[1:]


def test_hold_back_never_redeals_by_itself() -> None:
    game = deal_out(PussInTheCorner(buried(), hold_back=True))
    assert game.redeals_used == 0 and game.legal() == {REDEAL}


def test_end_gives_up_while_a_top_fits() -> None:
    game = deal_out(PussInTheCorner(two_on_top(), hold_back=True, redeals=0))
    assert game.legal() == {PLAY[3], END}
    moves = game.moves
    play(game, END)
    assert game.lost and not game.won and not game.truncated
    assert game.legal() == set() and game.score == 4 and game.moves == moves + 1
    with pytest.raises(ValueError, match="illegal"):
        game.step(PLAY[3])


def test_end_waits_for_the_last_redeal() -> None:
    game = deal_out(PussInTheCorner(two_on_top(), hold_back=True, redeals=1))
    assert END not in game.legal()
    deal_out(play(game, REDEAL))
    assert game.legal() == {PLAY[3], END}


def test_hold_back_loses_without_end_when_nothing_fits() -> None:
    game = deal_out(PussInTheCorner(buried(), hold_back=True, redeals=0))
    assert game.lost and game.legal() == set()
    game = deal_out(PussInTheCorner(two_on_top(), hold_back=True, redeals=0))
    assert play(game, PLAY[3]).lost, "the king under the two does not fit"


# choose_pickup


def test_choose_pickup_asks_for_all_but_the_last_pile() -> None:
    deck = buried()
    game = deal_out(PussInTheCorner(deck, choose_pickup=True))
    assert game.card is None and game.gathering == [] and game.redeals_used == 0
    assert game.legal() == set(GATHER)
    play(game, GATHER[2])
    assert game.gathering == [2]
    assert game.legal() == {GATHER[0], GATHER[1], GATHER[3]}
    play(game, GATHER[0])
    assert game.gathering == [2, 0] and game.redeals_used == 0
    assert game.stock == [] and game.piles[2] == groups(deck, 2, 6, 10)
    assert game.legal() == {GATHER[1], GATHER[3]}
    play(game, GATHER[3])
    assert game.gathering == [] and game.redeals_used == 1 and game.moves == 51
    order = groups(deck, 2, 6, 10, 0, 4, 8, 3, 7, 11, 1, 5, 9)
    assert [game.card, *game.known_stock()] == order and game.group_left == 4


def test_choose_pickup_leaves_empty_piles_out() -> None:
    deck = buried()
    game = deal_out(PussInTheCorner(deck, choose_pickup=True), "24")
    assert game.legal() == {GATHER[1], GATHER[3]}
    play(game, GATHER[3])
    assert [game.card, *game.stock] == groups(deck, 1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10)


def test_choose_pickup_does_not_ask_for_a_single_pile() -> None:
    deck = buried()
    game = deal_out(PussInTheCorner(deck, choose_pickup=True), "3")
    assert game.redeals_used == 1 and [game.card, *game.stock] == deck


def test_choose_pickup_with_hold_back_comes_after_redeal() -> None:
    game = deal_out(PussInTheCorner(two_on_top(), choose_pickup=True, hold_back=True))
    assert game.legal() == {PLAY[3], REDEAL}
    play(game, REDEAL)
    assert game.legal() == set(GATHER), "the two may no longer be played"
    play(game, GATHER[3], GATHER[2], GATHER[1])
    assert game.redeals_used == 1 and game.card == groups(two_on_top(), 3)[0]


def test_choose_pickup_at_each_redeal() -> None:
    game = deal_out(PussInTheCorner(buried(), choose_pickup=True, redeals=2), "12")
    deal_out(play(game, GATHER[0]), "34")
    assert game.redeals_used == 1 and game.legal() == {GATHER[2], GATHER[3]}
    deal_out(play(game, GATHER[3]))
    assert game.redeals_used == 2 and game.lost, "no GATHER without a redeal"


# deal_size


def test_deal_size_1_plays_after_each_card() -> None:
    game = PussInTheCorner(deck_with("2c 3s Kd"), deal_size=1)
    assert game.group_left == 1 and game.legal() == ALL_PLACES
    play(game, PLACE[1])
    assert game.legal() == {PLAY[1]} and game.group_left == 0
    play(game, PLAY[1])
    assert game.card == "3s" and game.group_left == 1
    play(game, PLACE[1], PLAY[1], PLACE[1])
    assert game.foundations == [3, 1, 1, 1] and game.piles[1] == ["Kd"]
    assert game.card is not None and game.moves == 5, "nothing fits: the next card by itself"


def test_deal_size_1_with_hold_back_deals_card_by_card() -> None:
    game = play(PussInTheCorner(deck_with("2c Kd"), deal_size=1, hold_back=True), PLACE[0])
    assert game.legal() == {PLAY[0], DEAL}
    play(game, DEAL)
    assert game.card == "Kd" and game.group_left == 1 and game.legal() == ALL_PLACES
    assert play(game, PLACE[1]).legal() == {PLAY[0], DEAL}


# direct


def test_direct_goes_straight_to_a_foundation_inside_a_group() -> None:
    game = PussInTheCorner(deck_with("2c 3s Kd 2h"), direct=True)
    assert game.legal() == ALL_PLACES | {FOUNDATION}
    play(game, FOUNDATION)
    assert game.foundations == [2, 1, 1, 1] and game.moves == 1
    assert game.card == "3s" and game.group_left == 3, "the two counts as one of the group"
    play(game, FOUNDATION)
    assert game.foundations == [3, 1, 1, 1]
    assert game.card == "Kd" and game.legal() == ALL_PLACES, "it does not fit"
    play(game, PLACE[0], FOUNDATION)
    assert game.foundations == [3, 2, 1, 1], "the lower-numbered of two equal ones"
    assert game.piles == [["Kd"], [], [], []] and game.group_left == 4


def test_direct_is_never_compulsory() -> None:
    game = play(PussInTheCorner(deck_with("2c 3s Kd Kh"), direct=True), PLACE[0])
    assert game.card == "3s" and game.legal() == ALL_PLACES, "no top is played inside a group"
    play(game, PLACE[1], PLACE[2], PLACE[2])
    assert game.legal() == {PLAY[0]}, "tops are as compulsory as ever"
    assert play(game, PLAY[0]).legal() == {PLAY[1]}


def test_direct_with_the_last_card_of_a_group() -> None:
    deck = deck_with("2d Kd Kh 2c")
    game = play(PussInTheCorner(deck, direct=True), 0, 1, 1, FOUNDATION)
    assert game.card is None and game.legal() == {PLAY[0]}
    assert play(game, PLAY[0]).card == deck[4]
    held = play(PussInTheCorner(deck, direct=True, hold_back=True), 0, 1, 1, FOUNDATION)
    assert held.legal() == {PLAY[0], DEAL}


def test_direct_follows_suits() -> None:
    game = PussInTheCorner(deck_with("2s 3c 3s"), direct=True, suits=True)
    play(game, FOUNDATION)
    assert game.foundations == [1, 1, 1, 2]
    assert game.legal() == ALL_PLACES, "clubs do not go on spades"
    assert FOUNDATION in play(game, PLACE[0]).legal()


def test_one_by_one() -> None:
    game = PussInTheCorner(
        deck_with("2c 3c"), deal_size=1, direct=True, choose_pickup=True, hold_back=True
    )
    play(game, FOUNDATION)
    assert game.card is None and game.legal() == {DEAL}
    play(game, DEAL)
    assert game.legal() == ALL_PLACES | {FOUNDATION}
    assert play(game, PLACE[0]).legal() == {PLAY[0], DEAL}
