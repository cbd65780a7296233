"""The reference Puss in the Corner: placing, playing and the redeal."""

import copy
import random

import pytest

from tests.reference.puss_in_the_corner import PLACE, PLAY, PussInTheCorner, is_black, value
from tests.reference.puss_in_the_corner_games import (
    ALL_PLACES,
    RISING,
    buried,
    deal_out,
    deck_with,
    groups,
    play,
    two_on_top,
)

# The pack and the start


def test_values_and_colours() -> None:
    assert [value(rank + "h") for rank in "A2TJQK"] == [1, 2, 10, 11, 12, 13]
    assert [is_black(suit) for suit in "cdhs"] == [True, False, False, True]


def test_start() -> None:
    deck = random.Random(1).sample(RISING, 48)
    game = PussInTheCorner(deck)
    assert game.foundations == [1, 1, 1, 1] and game.score == 4
    assert game.piles == [[], [], [], []]
    assert game.card == deck[0] and game.group_left == 4
    assert game.stock == deck[1:] and game.known_stock() == [None] * 47
    assert game.gathering == [] and game.redeals_used == 0 and game.moves == 0
    assert not game.over and game.legal() == ALL_PLACES


def test_first_card_is_turned_up_with_hold_back_too() -> None:
    game = PussInTheCorner(RISING, hold_back=True)
    assert game.card == "2c" and game.legal() == ALL_PLACES


def test_bad_decks() -> None:
    for deck in (RISING[:47], RISING[:47] + RISING[:1], ["Ac", *RISING[1:]], [*RISING, "Ac"]):
        with pytest.raises(ValueError, match="no aces"):
            PussInTheCorner(deck)


def test_the_deck_handed_over_is_left_alone() -> None:
    deck = list(RISING)
    deal_out(PussInTheCorner(deck, hold_back=True), cards=10)
    assert deck == RISING


# Placing


def test_cards_of_a_group_are_turned_up_one_at_a_time() -> None:
    deck = deck_with()
    game = PussInTheCorner(deck)
    for at, pile in enumerate([2, 2, 0]):
        assert game.card == deck[at] and game.group_left == 4 - at
        play(game, PLACE[pile])
    assert game.piles == [["Kh"], [], ["Kc", "Kd"], []]
    assert game.card == "Ks" and game.group_left == 1 and game.moves == 3


def test_never_straight_to_a_foundation() -> None:
    assert PussInTheCorner(deck_with("2c")).legal() == ALL_PLACES


def test_next_group_begins_by_itself_when_nothing_fits() -> None:
    deck = deck_with()
    game = play(PussInTheCorner(deck), 0, 1, 2, 3)
    assert game.card == deck[4] and game.group_left == 4 and game.moves == 4
    assert game.legal() == ALL_PLACES


# Playing


def test_playing_waits_for_the_end_of_the_group_and_is_compulsory() -> None:
    deck = deck_with("2c Kd Kh Ks")
    game = play(PussInTheCorner(deck), PLACE[0], PLACE[1], PLACE[1])
    assert game.legal() == ALL_PLACES, "the two fits, but the group is not yet placed"
    play(game, PLACE[1])
    assert game.card is None and game.group_left == 0
    assert game.legal() == {PLAY[0]}
    play(game, PLAY[0])
    assert game.foundations == [2, 1, 1, 1] and game.score == 5 and game.moves == 5
    assert game.piles == [[], ["Kd", "Kh", "Ks"], [], []]
    assert game.card == deck[4] and game.legal() == ALL_PLACES


def test_only_tops_are_played_and_one_uncovers_the_next() -> None:
    game = play(PussInTheCorner(deck_with("3c 2s 2h Kd")), 0, 0, 1, 1)
    assert game.legal() == {PLAY[0]}, "the red two is covered"
    play(game, PLAY[0])
    assert game.legal() == {PLAY[0]}, "the three fits the two of its colour"
    assert play(game, PLAY[0]).foundations == [3, 1, 1, 1]


def test_colour_is_asked_for() -> None:
    game = play(PussInTheCorner(deck_with("2c 3d Kh Ks")), 0, 1, 2, 2, PLAY[0])
    assert game.piles[1] == ["3d"] and game.card is not None, "no red three on a black two"


def test_of_two_tops_that_fit_one_strands_the_other() -> None:
    game = play(PussInTheCorner(deck_with("2d 3d 4d 5d 2h 6d 6h Kc")), 0, 1, 2, 3)
    play(game, PLAY[0], PLAY[1], PLAY[2], PLAY[3])
    assert game.foundations == [1, 5, 1, 1]
    play(game, 0, 1, 2, 3, PLAY[0])
    assert game.foundations == [1, 5, 2, 1]
    assert game.legal() == {PLAY[1], PLAY[2]}
    for pile, left in ((1, "6h"), (2, "6d")):
        after = play(copy.deepcopy(game), PLAY[pile])
        assert after.foundations == [1, 6, 2, 1]
        assert after.piles[3 - pile] == [left] and after.card is not None


@pytest.mark.parametrize(
    ("cards", "lower", "higher"), [("2h 2d Kc Ks", 1, 2), ("2s 2c Kd Kh", 0, 3)]
)
def test_the_lower_numbered_of_two_equal_foundations_takes_the_card(
    cards: str, lower: int, higher: int
) -> None:
    game = play(PussInTheCorner(deck_with(cards)), 0, 1, 2, 3, PLAY[0])
    assert game.foundations[lower] == 2 and game.foundations[higher] == 1
    play(game, PLAY[1])
    assert game.foundations[lower] == game.foundations[higher] == 2


# suits


def test_suits_takes_a_card_to_its_own_foundation() -> None:
    game = play(PussInTheCorner(deck_with("2h 2d Kc Ks"), suits=True), 0, 1, 2, 3, PLAY[0])
    assert game.foundations == [1, 1, 2, 1]


def test_suits_does_not_take_the_other_suit_of_the_colour() -> None:
    deck = deck_with("2d 3h Kc Ks")
    by_colour = play(PussInTheCorner(deck), 0, 1, 2, 3, PLAY[0])
    by_suit = play(PussInTheCorner(deck, suits=True), 0, 1, 2, 3, PLAY[0])
    assert by_colour.legal() == {PLAY[1]}
    assert by_suit.piles[1] == ["3h"] and by_suit.legal() == ALL_PLACES


# Redeal


def test_redeal_begins_by_itself_and_deals_pile_1_first() -> None:
    deck = buried()
    game = deal_out(PussInTheCorner(deck), cards=47)
    assert game.stock == [] and game.redeals_used == 0
    play(game, PLACE[3])
    order = groups(deck, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11)
    assert game.redeals_used == 1 and game.moves == 48
    assert game.piles == [[], [], [], []]
    assert game.card == order[0] and game.group_left == 4
    assert game.stock == game.known_stock() == order[1:]


def test_empty_piles_do_not_matter_for_the_redeal() -> None:
    deck = buried()
    game = deal_out(PussInTheCorner(deck), "42")
    assert [game.card, *game.stock] == groups(deck, 1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10)


def test_no_redeal_while_a_top_fits() -> None:
    game = deal_out(PussInTheCorner(two_on_top()))
    assert game.legal() == {PLAY[3]} and game.redeals_used == 0
    play(game, PLAY[3])
    assert game.redeals_used == 1 and len(game.stock) == 46


@pytest.mark.parametrize("redeals", [0, 1, 2])
def test_lost_after_the_last_redeal(redeals: int) -> None:
    game = PussInTheCorner(buried(), redeals=redeals)
    for used in range(redeals + 1):
        assert game.redeals_used == used and not game.over
        deal_out(game)
    assert game.lost and not game.won and not game.truncated
    assert game.legal() == set() and game.card is None and game.group_left == 0
    assert game.score == 4 and game.redeals_used == redeals
    assert game.moves == 48 * (redeals + 1)


def test_second_redeal_gathers_anew() -> None:
    deck = buried()
    game = deal_out(deal_out(PussInTheCorner(deck, redeals=2), "1"), "21")
    assert game.redeals_used == 2
    order = groups(deck, 1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10)
    assert [game.card, *game.known_stock()] == order


def test_short_last_group() -> None:
    deck = deck_with("Kc Kd Ks 2s", "3d 3c 3s 3h 2c 2d 2h Kh")
    game = play(PussInTheCorner(deck), 0, 0, 0, 0, PLAY[0])
    deal_out(game, "1", 44)
    assert game.redeals_used == 1 and 1 + len(game.stock) == 47
    deal_out(game, "1", 44)
    assert game.legal() == {PLAY[0]} and game.piles[0][-1] == "2c"
    play(game, PLAY[0])
    assert game.card == "2d" and game.stock == ["2h", "Kh"] and game.group_left == 3
    play(game, PLACE[1], PLACE[2])
    assert game.card == "Kh" and game.group_left == 1 and game.legal() == ALL_PLACES
    play(game, PLACE[3])
    assert game.legal() == {PLAY[1], PLAY[2]}, "playing follows a short group too"
    play(game, PLAY[1], PLAY[2])
    assert game.legal() == {PLAY[0]}, "the three of hearts"
    while not game.over:
        game.step(min(game.legal()))
    assert game.won, "the pile falls from there on"
