"""The reference Puss in the Corner against its rule page, option by option."""

import copy
import random
from collections import Counter
from typing import Any

import pytest

from tests.reference.puss_in_the_corner import (
    DEAL,
    END,
    FOUNDATION,
    GATHER,
    PILES,
    PLACE,
    PLAY,
    RANKS,
    REDEAL,
    SUITS,
    PussInTheCorner,
    is_black,
    refused,
    value,
)

# From the twos up, and from the kings down
RISING = [rank + suit for rank in RANKS[1:] for suit in SUITS]
FALLING = [rank + suit for rank in RANKS[:0:-1] for suit in SUITS]
ALL_PLACES = set(PLACE)


def deck_with(first: str = "", last: str = "") -> list[str]:
    """A deck that begins and ends with these cards; between them the rest from the kings down."""
    begin, end = first.split(), last.split()
    return begin + [card for card in FALLING if card not in begin + end] + end


def play(game: PussInTheCorner, *actions: int) -> PussInTheCorner:
    """The game after these actions."""
    for action in actions:
        game.step(action)
    return game


def deal_out(game: PussInTheCorner, piles: str = "1234", cards: int = 48) -> PussInTheCorner:
    """Place so many cards, four on each of these piles in turn, with DEAL where there is one."""
    for at in range(cards):
        if game.card is None:
            game.step(DEAL)
        game.step(PLACE[int(piles[at // 4 % len(piles)]) - 1])
    return game


def buried() -> list[str]:
    """A deck of which nothing ever fits if each group is put on one pile: no two comes last."""
    return deck_with("Kc Kd 2s Ks", "2c 2d 2h Kh")


def two_on_top() -> list[str]:
    """As `buried`, but the last card of all is a two, which fits."""
    return deck_with("Kc Kd 2s Ks", "2c 2d Kh 2h")


def groups(deck: list[str], *numbers: int) -> list[str]:
    """The cards of these groups of four, counted from 0."""
    return [card for number in numbers for card in deck[4 * number : 4 * number + 4]]


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


# The end


@pytest.mark.parametrize("suits", [False, True])
def test_a_pile_from_king_to_two_wins(suits: bool) -> None:
    game = play(PussInTheCorner(FALLING, suits=suits, max_moves=96), *[PLACE[0]] * 48)
    play(game, *[PLAY[0]] * 47)
    assert game.score == 51 and not game.over
    play(game, PLAY[0])
    assert game.won and game.over and not game.lost and not game.truncated
    assert game.score == 52 and game.foundations == [13, 13, 13, 13]
    assert game.legal() == set() and game.moves == 96 and game.redeals_used == 0


def test_winning_with_a_redeal_left_and_hold_back() -> None:
    game = deal_out(PussInTheCorner(FALLING, hold_back=True), "1")
    for _ in range(48):
        assert game.legal() == {PLAY[0], REDEAL}
        play(game, PLAY[0])
    assert game.won and game.legal() == set()


def test_winning_with_the_card_turned_up() -> None:
    game = play(PussInTheCorner(RISING, direct=True), *[FOUNDATION] * 48)
    assert game.won and game.moves == 48 and game.card is None and game.group_left == 0


def place_by_rank(game: PussInTheCorner, *piles: str) -> PussInTheCorner:
    """Place all 48 cards, each rank on the pile whose word names it; play nothing."""
    for _ in range(48):
        if game.card is None:
            game.step(DEAL)
        rank = str(game.card)[0]
        game.step(next(PLACE[pile] for pile in PILES if rank in piles[pile]))
    return game


def test_sorting_in_the_first_pass_wins_in_the_second() -> None:
    game = place_by_rank(PussInTheCorner(RISING, hold_back=True), "TJQK", "789", "456", "23")
    play(game, REDEAL)
    assert "".join(card[0] for card in game.stock[3::4]) == "JQK78945623"
    place_by_rank(game, "T742", "J853", "Q96", "K")
    while not game.over:
        game.step(min(game.legal() - {END}))
    assert game.won and game.redeals_used == 1 and game.score == 52
    assert game.moves == 48 + 11 + 1 + 48 + 11 + 48


def test_max_moves_truncates() -> None:
    game = play(PussInTheCorner(FALLING, max_moves=3), 0, 0)
    assert not game.over
    play(game, 0)
    assert game.truncated and game.over and not game.won and not game.lost
    assert game.legal() == set() and game.moves == 3
    assert game.card == "Ks" and game.group_left == 1
    with pytest.raises(ValueError, match="illegal"):
        game.step(PLACE[0])


def test_what_happens_by_itself_is_no_move_and_still_happens() -> None:
    redealt = deal_out(PussInTheCorner(buried(), max_moves=48))
    assert redealt.truncated and redealt.redeals_used == 1 and redealt.card == "Kc"
    gathering = deal_out(PussInTheCorner(buried(), choose_pickup=True, max_moves=49))
    assert not gathering.over
    play(gathering, GATHER[1])
    assert gathering.truncated and gathering.gathering == [1] and gathering.redeals_used == 0


def test_the_last_move_may_lose() -> None:
    lost = deal_out(PussInTheCorner(buried(), redeals=0, max_moves=48))
    assert lost.lost and not lost.truncated
    rules: dict[str, Any] = {"hold_back": True, "redeals": 0}
    ended = deal_out(PussInTheCorner(two_on_top(), max_moves=60, **rules))
    assert ended.moves == 59, "48 cards and 11 deals"
    assert play(ended, END).lost and not ended.truncated


# Illegal actions


def assert_all_others_illegal(game: PussInTheCorner) -> None:
    """Every action that is not legal is refused and changes nothing."""
    before = copy.deepcopy(vars(game))
    for action in {*range(-1, 17)} - game.legal():
        with pytest.raises(ValueError, match=f"illegal action {action};"):
            game.step(action)
    assert vars(game) == before


def test_illegal_actions() -> None:
    assert_all_others_illegal(PussInTheCorner(RISING))
    assert_all_others_illegal(play(PussInTheCorner(RISING), 0, 1, 2, 3))
    assert_all_others_illegal(PussInTheCorner(FALLING, direct=True))
    free: dict[str, Any] = {"hold_back": True, "choose_pickup": True}
    game = PussInTheCorner(two_on_top(), **free)
    assert_all_others_illegal(deal_out(game))
    assert_all_others_illegal(play(game, REDEAL))
    assert_all_others_illegal(play(game, GATHER[0]))
    assert_all_others_illegal(deal_out(PussInTheCorner(buried(), redeals=0)))


# Options


def test_good_options() -> None:
    assert not refused({})
    for redeals in (0, 1, 2):
        assert not refused({"redeals": redeals})
    for size in (1, 4):
        assert not refused({"deal_size": size})
    for switch in ("hold_back", "choose_pickup", "direct", "suits"):
        assert not refused({switch: True}) and not refused({switch: False})
    assert not refused({"max_moves": 1}) and not refused({"redeals": 0, "choose_pickup": True})


@pytest.mark.parametrize(
    "options",
    [
        {"redeals": -1},
        {"redeals": 3},
        {"redeals": True},
        {"redeals": 1.0},
        {"redeals": None},
        {"deal_size": 0},
        {"deal_size": 2},
        {"deal_size": 5},
        {"deal_size": True},
        {"hold_back": 1},
        {"choose_pickup": 0},
        {"direct": "yes"},
        {"suits": None},
        {"max_moves": 0},
        {"max_moves": True},
        {"max_moves": 9.5},
        {"passes": 1},
        {"suits": True, "redeal": 1},
    ],
)
def test_refused_options(options: dict[str, Any]) -> None:
    assert refused(options)


def test_refused_options_make_no_game() -> None:
    with pytest.raises(ValueError, match="refused"):
        PussInTheCorner(RISING, deal_size=2)


# Random games


def whole_pack(game: PussInTheCorner) -> bool:
    """Whether piles, stock and turned-up card are the pack without what the foundations hold."""
    cards = [card for pile in game.piles for card in pile] + game.stock
    if game.card is not None:
        cards.append(game.card)
    left = Counter((value(card), is_black(card[1])) for card in cards)
    for top, suit in zip(game.foundations, SUITS, strict=True):
        left.update((rank, is_black(suit)) for rank in range(2, top + 1))
    return len(cards) == len(set(cards)) and set(left.values()) == {2} and left.total() == 48


def check(game: PussInTheCorner, rules: dict[str, Any]) -> None:
    """What is so after every action, whatever the options."""
    assert whole_pack(game) and game.score == sum(game.foundations)
    assert (game.card is None) == (game.group_left == 0)
    assert game.group_left <= rules["deal_size"] and game.group_left <= len(game.stock) + 1
    assert game.redeals_used <= rules["redeals"]
    if game.card is not None or game.over:
        assert game.gathering == []
    assert bool(game.legal()) != game.over
    actions = game.legal()
    if not rules["hold_back"]:
        assert not actions & {DEAL, REDEAL, END}
        assert not (actions & set(PLAY) and actions - set(PLAY))
    if not rules["choose_pickup"]:
        assert not actions & set(GATHER)
    if not rules["direct"]:
        assert FOUNDATION not in actions
    for pile in PILES:
        assert game.piles[pile] or not actions & {PLAY[pile], GATHER[pile]}


@pytest.mark.parametrize("seed", range(80))
def test_random_games_keep_their_cards_and_end(seed: int) -> None:
    rng = random.Random(seed)
    rules: dict[str, Any] = {"redeals": rng.randrange(3), "deal_size": rng.choice([1, 4])}
    for switch in ("hold_back", "choose_pickup", "direct", "suits"):
        rules[switch] = rng.random() < 0.5
    game = PussInTheCorner(rng.sample(RISING, 48), **rules)
    check(game, rules)
    while not game.over:
        moves = game.moves
        game.step(rng.choice(sorted(game.legal())))
        assert game.moves == moves + 1
        check(game, rules)
    assert [game.won, game.lost, game.truncated].count(True) == 1
    assert not game.truncated, "500 moves are more than any game can take"
