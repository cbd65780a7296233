"""The reference Twenty-Eight against its rule page: the single hand, and hands void for lack of
trumps.
"""

from typing import Any

import pytest

from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    SUIT_EACH,
    bid14,
    bid15,
    can,
    do,
    new,
    played_out,
)

# The single hand


def test_each_seat_in_turn_from_0_may_declare_single() -> None:
    game = do(bid14(*FOUR_HEARTS, single_hand=True), "9h")
    for seat in range(4):
        assert game.phase == "single" and game.seat == seat and can(game) == "pass single"
        do(game, "pass")
    assert game.phase == "play" and game.single is None and game.trump == "h"


def test_it_comes_after_the_second_auction() -> None:
    game = do(
        bid14(*FOUR_HEARTS, single_hand=True, second_auction=24, partner_min=0),
        "9h pass 24 pass pass",
    )
    assert game.phase == "trumps"
    assert do(game, "Js").phase == "single" and game.seat == 0


def test_its_partners_lay_their_cards_away_and_it_leads() -> None:
    game = do(bid14(*SUIT_EACH, single_hand=True), "Jc pass single")
    assert game.phase == "play" and game.single == 1 and game.seat == 1
    assert game.hands[3] == [] and game.laid_away[3] == SUIT_EACH[3].split()
    do(game, "Jd 7h")
    assert game.seat == 0, "seat 3 does not play"
    do(game, "Jc")
    assert game.tricks[0].winner == 1 and game.seat == 1


def test_a_face_down_card_goes_back_and_there_are_no_trumps() -> None:
    game = do(bid14(*SUIT_EACH, single_hand=True), "Jc pass single Jd 7h")
    assert len(game.hands[0]) == 8 and game.trump is None
    assert can(game) == "7c 8c Qc Kc Tc Ac 9c Jc", "nothing to ask for"
    game = do(bid15(*SUIT_EACH, single_hand=True, no_trumps=True), "reversed single 7c Jd Js")
    assert game.tricks[0].winner == 0 and game.seat == 0


def test_the_turned_ranking_is_off_with_the_contract() -> None:
    game = do(bid15(*FOUR_HEARTS, single_hand=True, no_trumps=True), "reversed pass single")
    do(game, "Ad 7s Td")
    assert can(game) == "Kd 9d Jd Th As 9s Js", "seat 0 has followed, the ace stays the highest"


@pytest.mark.parametrize("early_end", [False, True])
def test_it_must_win_all_tricks_for_3(early_end: bool) -> None:
    game = do(bid14(*SUIT_EACH, single_hand=True, early_end=early_end), "Jc pass single")
    played_out(game)
    assert game.scores == [0, 3] and [game.reward(seat) for seat in range(4)] == [-3, 3, -3, 3]
    assert len(game.tricks) == 8 and game.points == [0, 21], "the spades lie away"


def test_or_loses_3() -> None:
    game = do(bid14(*FOUR_HEARTS, single_hand=True), "9h single 8d Kd 7d")
    assert not game.over and game.seat == 1, "it is played to the end"
    played_out(game)
    assert game.scores == [-3, 0] and len(game.tricks) == 8


def test_with_early_end_it_is_over_with_the_first_trick_lost() -> None:
    game = do(bid14(*FOUR_HEARTS, single_hand=True, early_end=True), "9h single 8d Kd 7d")
    assert game.over and game.scores == [-3, 0] and game.reward(1) == 3


def test_the_contract_is_off_whatever_it_was_worth() -> None:
    options: dict[str, Any] = {"doubles": True, "cot": True, "scoring": "graded"}
    game = do(new(*SUIT_EACH, single_hand=True, auto_double=18, **options), "28 double redouble")
    played_out(do(game, "Jc single"))
    assert game.scores == [3, 0]


def test_never_shown_void_does_not_touch_it() -> None:
    game = do(bid15(*SUIT_EACH, single_hand=True, ask="may"), "hearts single")
    assert played_out(game).scores == [3, 0] and not game.void


def test_single_with_three_and_six_players() -> None:
    game = do(new(players=3, min_bid=12, single_hand=True), "12 pass pass Ac pass single")
    assert game.laid_away == [[], [], []] and game.seat == 1
    played_out(game)
    assert [game.reward(seat) for seat in range(3)] == [1.5, -3, 1.5]
    game = do(new(players=6, min_bid=16, single_hand=True), "16 pass pass pass pass pass 6c")
    do(game, "pass pass single")
    assert game.seat == 2 and [len(hand) for hand in game.hands] == [0, 6, 6, 6, 0, 6]
    assert [len(hand) for hand in game.laid_away] == [6, 0, 0, 0, 6, 0]
    do(game, "Jd 6h Qs 6d")
    assert game.tricks[0].winner == 2


# Void without trumps


def test_void_without_a_trump_in_the_defenders_hands() -> None:
    game = do(bid15(*SUIT_EACH, void_without=True), "clubs")
    assert game.over and game.void and game.scores == [0, 0] and game.reward(0) == 0


def test_a_partners_trumps_and_a_card_laid_down_do_not_count() -> None:
    hands = ("Jc 9c Ac Tc Jh 9h Ah Th", SUIT_EACH[1], "Kc Qc 8c 7c Kh Qh 8h 7h", SUIT_EACH[3])
    assert do(bid14(*hands, void_without=True), "Jc").void
    assert do(bid14(*FOUR_HEARTS, void_without=True), "9h").phase == "play"
    assert do(bid14(*hands), "Jc").phase == "play"


def test_both_of_three_players_defend() -> None:
    game = do(new(players=3, min_bid=12, void_without=True), "12 pass pass Ac")
    assert game.phase == "play", "9c and Jc are seat 1's"


def test_it_is_judged_after_all_declarations() -> None:
    game = do(bid15(*SUIT_EACH, void_without=True, single_hand=True), "clubs pass pass pass")
    assert game.phase == "single"
    assert do(game, "pass").void
    game = do(bid15(*SUIT_EACH, void_without=True, second_auction=24), "clubs pass pass")
    assert game.phase == "second"
    assert do(game, "24 pass diamonds").phase == "play", "by the trumps made anew"


def test_at_no_trumps_there_is_nothing_to_judge() -> None:
    game = do(bid15(*SUIT_EACH, void_without=True, no_trumps=True), "no-trumps")
    assert game.phase == "play"
    game = do(bid15(*SUIT_EACH, void_without=True, single_hand=True), "clubs single")
    assert game.phase == "play"
