"""The reference Puss in the Corner: `sevens` and `next_open`, and the named variants."""

import copy
import random
from typing import Any

import pytest

from tests.reference.puss_in_the_corner import (
    DEAL,
    END,
    FOUNDATION,
    GATHER,
    PACKET,
    PILES,
    PLACE,
    PLAY,
    REDEAL,
    PussInTheCorner,
)
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

ALL_PACKETS = set(PACKET.values())


def packets(game: PussInTheCorner) -> set[tuple[int, int]]:
    """From which pile upon which a packet may be laid now."""
    return {pair for pair, action in PACKET.items() if action in game.legal()}


# The actions


def test_there_is_one_action_for_each_pair_of_piles() -> None:
    assert len(PACKET) == 12 and set(range(16, 28)) == ALL_PACKETS
    assert set(PACKET) == {(i, j) for i in PILES for j in PILES if i != j}
    assert PACKET[0, 1] == 16 and PACKET[0, 3] == 18 and PACKET[1, 0] == 19 and PACKET[3, 2] == 27


def test_without_the_option_no_packet_is_ever_laid() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd 7h")), 0, 1)
    assert game.card == "7h" and game.legal() == ALL_PLACES and not game.packet_left


# Before the seven is put somewhere


def test_a_packet_is_laid_upon_another_while_the_seven_is_turned_up() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd 7h 9s"), sevens=True), 0, 2)
    assert game.card == "7h" and game.packet_left
    assert game.legal() == ALL_PLACES | {PACKET[0, 2], PACKET[2, 0]}
    upon = play(copy.deepcopy(game), PACKET[0, 2])
    assert upon.piles == [[], [], ["Kd", "Kc"], []]
    assert upon.card == "7h" and upon.group_left == 2 and upon.moves == 3, "the seven still waits"
    under = play(game, PACKET[2, 0])
    assert under.piles == [["Kc", "Kd"], [], [], []]
    assert play(under, PLACE[1]).piles == [["Kc", "Kd"], ["7h"], [], []] and under.card == "9s"


def test_the_packet_keeps_its_order() -> None:
    deck = deck_with("Kc Kd Ks Kh Qc Qd Qh 7s")
    game = play(PussInTheCorner(deck, sevens=True), 0, 0, 0, 1, 1, 3, 3)
    play(game, PACKET[0, 1])
    assert game.piles == [[], ["Kh", "Qc", "Kc", "Kd", "Ks"], [], ["Qd", "Qh"]]
    assert game.card == "7s" and game.moves == 8


def test_it_is_done_once_for_a_seven() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd Ks 7h"), sevens=True), 0, 1, 2)
    assert len(packets(game)) == 6
    play(game, PACKET[0, 1])
    assert packets(game) == set() and game.legal() == ALL_PLACES and not game.packet_left


def test_it_is_done_once_for_each_seven() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd 7h 7s"), sevens=True), 0, 1)
    play(game, PACKET[0, 1], PLACE[2])
    assert game.card == "7s" and packets(game) == {(1, 2), (2, 1)}, "black sevens too"
    play(game, PACKET[1, 2])
    assert game.piles == [[], [], ["7h", "Kd", "Kc"], []]


def test_it_need_not_be_done_and_is_over_with_the_next_card() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd 7h 9s"), sevens=True), 0, 1, PLACE[2])
    assert game.card == "9s" and game.legal() == ALL_PLACES and not game.packet_left


def test_only_a_seven_allows_it() -> None:
    deck = deck_with("Kc Kd 6h 8s 7h")
    game = play(PussInTheCorner(deck, sevens=True), 0, 1)
    assert game.card == "6h" and packets(game) == set()
    assert packets(play(game, 0)) == set() and game.card == "8s"
    assert packets(play(game, 0)) == {(0, 1), (1, 0)} and game.card == "7h"


def test_both_piles_must_have_cards() -> None:
    game = PussInTheCorner(deck_with("7h 7s Kc 7d"), sevens=True)
    assert game.legal() == ALL_PLACES and game.packet_left, "no pile has"
    assert play(game, PLACE[3]).legal() == ALL_PLACES, "one has, but nothing is laid on nothing"
    assert packets(play(game, PLACE[3], PLACE[1])) == {(1, 3), (3, 1)} and game.card == "7d"


def test_a_packet_may_bury_a_top_that_fits_inside_a_group() -> None:
    game = play(PussInTheCorner(deck_with("2c Kd 7h Kh"), sevens=True), 0, 1)
    buries = play(copy.deepcopy(game), PACKET[1, 0], 2, 3)
    assert buries.piles == [["2c", "Kd"], [], ["7h"], ["Kh"]] and buries.card is not None
    keeps = play(game, PACKET[0, 1], 2, 3)
    assert keeps.piles[1] == ["Kd", "2c"] and keeps.legal() == {PLAY[1]}, "playing stays compulsory"


def test_the_seven_that_begins_the_next_group() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd Kh Ks 7h"), sevens=True), 0, 1, 1, 1)
    assert game.card == "7h" and game.group_left == 4
    assert game.legal() == ALL_PLACES | {PACKET[0, 1], PACKET[1, 0]}


# After the seven has been put somewhere


def test_in_the_middle_of_a_group_the_next_card_comes_by_itself() -> None:
    for hold_back in (False, True):
        deck = deck_with("Kc Kd 7h 9s")
        game = play(PussInTheCorner(deck, sevens=True, hold_back=hold_back), 0, 1, 2)
        assert game.card == "9s" and packets(game) == set()


def test_compulsory_playing_leaves_no_packet_after_a_group() -> None:
    deck = deck_with("2c 3s Kd 7h Qd")
    game = play(PussInTheCorner(deck, sevens=True), 0, 1, 2)
    assert packets(game) == {(i, j) for i in range(3) for j in range(3) if i != j}
    play(game, PLACE[3])
    assert game.legal() == {PLAY[0]}, "nothing else while a top fits"
    assert play(game, PLAY[0]).legal() == {PLAY[1]}
    play(game, PLAY[1])
    assert game.card == "Qd" and game.legal() == ALL_PLACES, "the next group begins by itself"


def test_hold_back_leaves_a_packet_until_the_next_card() -> None:
    deck = deck_with("2c Kd Kh 7h Qd")
    game = play(PussInTheCorner(deck, sevens=True, hold_back=True), 0, 1, 1, 2)
    three = {PACKET[i, j] for i in range(3) for j in range(3) if i != j}
    assert game.legal() == {PLAY[0], DEAL} | three
    buried_seven = play(copy.deepcopy(game), PACKET[1, 2])
    assert buried_seven.piles == [["2c"], [], ["7h", "Kd", "Kh"], []], "the seven under a packet"
    assert buried_seven.legal() == {PLAY[0], DEAL}, "once"
    played = play(copy.deepcopy(game), PLAY[0])
    assert played.legal() == {DEAL, PACKET[1, 2], PACKET[2, 1]}, "a PLAY turns up no card"
    dealt = play(game, DEAL)
    assert dealt.card == "Qd" and dealt.legal() == ALL_PLACES


def test_a_packet_laid_before_is_not_laid_again_after() -> None:
    deck = deck_with("2c Kd Kh 7h")
    game = play(PussInTheCorner(deck, sevens=True, hold_back=True), 0, 1, 1)
    play(game, PACKET[1, 0], 2)
    assert game.piles == [["2c", "Kd", "Kh"], [], ["7h"], []] and game.legal() == {DEAL}


def test_one_by_one_every_seven_may_be_followed_by_a_packet() -> None:
    rules: dict[str, Any] = {"deal_size": 1, "hold_back": True, "sevens": True}
    game = play(PussInTheCorner(deck_with("Kc 7h Kd"), **rules), PLACE[0])
    assert game.legal() == {DEAL}, "a king"
    assert packets(play(game, DEAL, PLACE[1])) == {(0, 1), (1, 0)}
    play(game, PACKET[0, 1], DEAL)
    assert game.piles == [[], ["7h", "Kc"], [], []] and game.card == "Kd"


def test_one_by_one_without_hold_back_deals_by_itself() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd 7h Qs"), deal_size=1, sevens=True), 0, 1)
    assert packets(game) == {(0, 1), (1, 0)} and packets(play(game, 2)) == set()
    assert game.card == "Qs"


def test_a_seven_that_went_to_a_foundation_is_still_the_card_dealt_last() -> None:
    deck = deck_with("2c 3c 4c 5c 6c Kd Kh 7c")
    game = play(PussInTheCorner(deck, sevens=True, direct=True, hold_back=True), *[FOUNDATION] * 4)
    play(game, DEAL, FOUNDATION, 0, 1)
    assert game.card == "7c"
    assert game.legal() == ALL_PLACES | {FOUNDATION, PACKET[0, 1], PACKET[1, 0]}
    play(game, FOUNDATION)
    assert game.foundations[0] == 7 and game.legal() == {DEAL, PACKET[0, 1], PACKET[1, 0]}


# The stock is empty


def seven_last() -> list[str]:
    """A deck of which only 2h fits if each group is put on one pile; the last card is a seven."""
    return deck_with("Kc Kd 2s Ks", "2c 2d Kh 2h 3d 3h 3c 7h")


def test_the_last_card_of_the_stock_with_hold_back() -> None:
    game = deal_out(PussInTheCorner(seven_last(), hold_back=True, sevens=True))
    assert game.piles[2][-1] == "2h" and game.piles[3][-1] == "7h" and game.stock == []
    assert game.legal() == {PLAY[2], REDEAL} | ALL_PACKETS
    order = [card for pile in (0, 3, 1, 2) for card in game.piles[pile]]
    play(game, PACKET[3, 0], REDEAL)
    assert [game.card, *game.stock] == order, "the packet has changed what is gathered"
    assert game.redeals_used == 1 and packets(game) == set()


def test_no_packet_once_the_gathering_has_begun() -> None:
    rules: dict[str, Any] = {"hold_back": True, "choose_pickup": True, "sevens": True}
    game = play(deal_out(PussInTheCorner(seven_last(), **rules)), REDEAL)
    assert game.legal() == set(GATHER)
    assert play(game, GATHER[0]).legal() == {GATHER[1], GATHER[2], GATHER[3]}


def test_end_and_packets_while_a_top_fits() -> None:
    rules: dict[str, Any] = {"hold_back": True, "redeals": 0, "sevens": True}
    game = deal_out(PussInTheCorner(seven_last(), **rules))
    assert game.legal() == {PLAY[2], END} | ALL_PACKETS
    lost = play(copy.deepcopy(game), PLAY[2])
    assert lost.piles[2][-1] == "Kh" and lost.lost, "no packet makes anything fit"
    assert play(game, PACKET[1, 2]).lost, "nor is the game kept from being lost by burying the two"


def test_the_last_card_of_the_stock_without_hold_back() -> None:
    deck = deck_with("Kc Kd 2s Ks", "2c 2d Kh 3s 3h 3c 2h 7h")
    game = play(deal_out(PussInTheCorner(deck, sevens=True), cards=44), 3, 3, 0)
    assert game.card == "7h" and game.stock == [] and len(packets(game)) == 12
    assert play(copy.deepcopy(game), PLACE[3]).legal() == {PLAY[0]}
    order = [card for pile in (0, 1, 2, 3) for card in game.piles[pile]]
    play(game, PACKET[1, 0], PLACE[3])
    assert game.redeals_used == 1, "the two is buried: the piles are turned over by themselves"
    assert [game.card, *game.stock] == [*order, "7h"]


def test_a_seven_dealt_again_in_the_next_pass() -> None:
    deck = deck_with("7h Kd 2s Ks", "2c 2d 2h Kh")
    game = deal_out(PussInTheCorner(deck, sevens=True))
    assert game.redeals_used == 1 and game.card == "7h" and game.packet_left
    assert game.legal() == ALL_PLACES, "but the piles are empty"
    deck = deck_with("Kd 2s 7h Ks", "2c 2d 2h Kh")
    game = play(deal_out(PussInTheCorner(deck, sevens=True)), 0, 1)
    assert game.redeals_used == 1 and game.card == "7h" and packets(game) == {(0, 1), (1, 0)}


def test_a_packet_is_a_move() -> None:
    game = play(PussInTheCorner(deck_with("Kc Kd 7h"), sevens=True, max_moves=3), 0, 1)
    play(game, PACKET[0, 1])
    assert game.truncated and game.moves == 3 and game.legal() == set()


@pytest.mark.parametrize("seed", range(20))
def test_random_packets(seed: int) -> None:
    """Moving a packet empties one pile, lengthens another, and changes nothing else."""
    rng = random.Random(seed)
    rules: dict[str, Any] = {"deal_size": rng.choice([1, 4]), "hold_back": rng.random() < 0.5}
    game = PussInTheCorner(rng.sample(RISING, 48), sevens=True, **rules)
    laid = 0
    while not game.over:
        choices = sorted(packets(game))
        if not choices:
            game.step(rng.choice(sorted(game.legal())))
            continue
        source, target = rng.choice(choices)
        before = copy.deepcopy(vars(game))
        play(game, PACKET[source, target])
        piles = before["piles"]
        piles[target], piles[source] = piles[target] + piles[source], []
        lost = not game.legal()
        changed = {"moves": game.moves, "packet_left": False, "lost": lost}
        assert vars(game) == {**before, **changed}
        laid += 1
    assert laid > 0


# next_open


def test_the_next_card_lies_open_and_no_other() -> None:
    deck = deck_with("2c Kd Kh Ks Qd")
    game = PussInTheCorner(deck, next_open=True)
    assert game.card == "2c" and game.known_stock() == ["Kd", *[None] * 46]
    play(game, 0)
    assert game.card == "Kd" and game.known_stock() == ["Kh", *[None] * 45]
    play(game, 1, 1, 1)
    assert game.legal() == {PLAY[0]} and game.known_stock() == ["Qd", *[None] * 43]
    hidden = play(PussInTheCorner(deck), 0, 1, 1, 1)
    assert hidden.known_stock() == [None] * 44


def test_next_open_changes_nothing_else() -> None:
    open_game = deal_out(PussInTheCorner(two_on_top(), next_open=True))
    hidden = deal_out(PussInTheCorner(two_on_top()))
    assert open_game.legal() == hidden.legal() == {PLAY[3]}
    assert open_game.piles == hidden.piles and open_game.moves == hidden.moves


def test_next_open_with_one_card_and_with_none_left() -> None:
    game = deal_out(PussInTheCorner(buried(), next_open=True, choose_pickup=True), cards=46)
    assert game.card == "2h" and game.known_stock() == ["Kh"]
    assert play(game, 3).known_stock() == [] and play(game, 3).legal() == set(GATHER)
    assert game.known_stock() == []
    deck = buried()
    play(game, GATHER[0], GATHER[1], GATHER[2])
    assert game.known_stock() == groups(deck, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11)[1:]


def test_next_open_before_a_deal() -> None:
    game = play(PussInTheCorner(deck_with("Kc 3d"), next_open=True, hold_back=True, deal_size=1), 0)
    assert game.legal() == {DEAL} and game.known_stock()[:2] == ["3d", None]
    assert play(game, DEAL).card == "3d"


# Variants

VARIANTS: dict[str, dict[str, Any]] = {
    "book": {"redeals": 1},
    "no-redeal": {"redeals": 0},
    "two-redeals": {"redeals": 2},
    "free-hand": {"hold_back": True, "choose_pickup": True},
    "one-by-one": {"deal_size": 1, "direct": True, "choose_pickup": True, "hold_back": True},
    "suits": {"suits": True},
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("sevens", [False, True])
@pytest.mark.parametrize("next_open", [False, True])
def test_sevens_and_next_open_go_with_each_named_variant(
    name: str, sevens: bool, next_open: bool
) -> None:
    game = PussInTheCorner(RISING, sevens=sevens, next_open=next_open, **VARIANTS[name])
    assert game.card == "2c" and game.legal() >= ALL_PLACES
