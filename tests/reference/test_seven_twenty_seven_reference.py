"""The reference Seven Twenty-Seven against the facts its rule page pins, option by option."""

import copy
import random
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
    NEARNESS,
    RANKS,
    STAND,
    SUITS,
    SevenTwentySeven,
    bet_levels,
    refused,
)

PACK = [rank + suit for rank in RANKS for suit in SUITS]
MINI = ["5c", "5d", "Ac", "Ad", "Tc", "Td"]
MINI_GAME = {"players": 2, "pack": "mini", "max_bet": 1, "max_raises": 1, "max_extra": 1}
DRAWING_ACTIONS = {DRAW, STAND}
ALL_BETS = set(BETS)

VARIANTS: dict[str, dict[str, Any]] = {
    "home": {},
    "six": {"players": 6},
    "ten": {"players": 10},
    "bust": {"nearness": "over_is_bust"},
    "low-wins-ties": {"nearness": "under_beats_over"},
    "declare": {"declare": "simultaneous"},
    "open-cards": {"draw_up": True},
    "three-card": {"start_down": 2},
    "mini": MINI_GAME,
}


def new(*hands: str, then: str = "", **options: Any) -> SevenTwentySeven:
    """A game in which the seats hold these cards, the first one face up; `then` are drawn.

    Seat 0 is at the dealer's left, the last seat is the dealer.
    """
    dealt = [hand.split() for hand in hands]
    rounds = [[hand[at] for hand in dealt] for at in range(len(dealt[0]))]
    begin = [card for cards in rounds for card in cards] + then.split()
    deck = begin + [card for card in PACK if card not in begin]
    options = {"players": len(hands), "start_down": len(rounds) - 1, **options}
    return SevenTwentySeven(deck, len(hands) - 1, **options)


def play(game: SevenTwentySeven, *actions: int) -> SevenTwentySeven:
    """The game after these actions."""
    for action in actions:
        game.step(action)
    return game


def until(game: SevenTwentySeven, phase: str) -> SevenTwentySeven:
    """The game after standing and checking up to this phase."""
    while game.phase != phase:
        game.step(CALL if CALL in game.legal() else STAND)
    return game


# Declaring


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


BUST = {"nearness": "over_is_bust"}


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


# What a seat knows


def test_seen_by() -> None:
    game = new("5h Kh", "7h Kd", "Th Td", then="6h", ante=2)
    play(game, STAND, DRAW, STAND, BETS[2], FOLD)
    assert game.seen_by(2) == {
        "phase": "bet",
        "turn": 2,
        "dealer": 2,
        "own": [("Th", True), ("Td", False)],
        "up": [["5h"], ["7h"], ["Th"]],
        "hidden": [1, 2, 1],
        "folded": [False, True, False],
        "busted": [False] * 3,
        "pot": 9,
        "paid": [5, 2, 2],
        "staked": [3, 0, 0],
        "to_call": 3,
        "raises_left": 3,
        "taken": [0, 1, 0],
        "drew_in": [[], [0], []],
        "stands": [1, 0, 1],
        "declared": [None] * 3,
    }
    assert game.seen_by(1)["own"] == [("7h", True), ("Kd", False), ("6h", False)]


def test_cards_drawn_face_up_are_seen() -> None:
    game = play(new("5h Kh", "7h Kd", then="6h", draw_up=True), DRAW)
    assert game.seen_by(1)["up"] == [["5h", "6h"], ["7h"]] and game.seen_by(1)["hidden"] == [1, 1]


def test_only_the_last_eight_draw_rounds_are_remembered() -> None:
    game = play(new("5h Kh", "7h Kd"), DRAW, STAND)
    for _ in range(7):
        play(game, CALL, CALL, DRAW, STAND)
    assert game.draw_rounds == 8 and game.seen_by(1)["drew_in"][0] == list(range(8))
    play(game, CALL, CALL)
    assert game.phase == "draw" and game.seen_by(1)["drew_in"][0] == list(range(1, 8))
    assert game.taken[0] == 8 and game.drew_in[0] == list(range(8))


@pytest.mark.parametrize("declare", ["cards_speak", "simultaneous", "sequential"])
def test_after_a_showdown_the_hands_still_in_lie_face_up(declare: str) -> None:
    game = until(new("5h Kh", "7h Kd", "Th Td", then="6h", declare=declare), "bet")
    play(game, CALL, BETS[0], CALL, FOLD, STAND, DRAW, CALL, CALL)
    while not game.over:
        assert game.seen_by(0)["up"] == [["5h"], ["7h"], ["Th"]]
        game.step(min(game.legal() - {DRAW, FOLD}))
    seen = game.seen_by(0)
    assert seen["up"] == [["5h"], ["7h", "Kd"], ["Th", "Td", "6h"]]
    assert seen["hidden"] == [1, 0, 0], "who has folded shows nothing"
    assert seen["own"] == [("5h", True), ("Kh", False)]


def test_busted_hands_stay_hidden_after_a_showdown() -> None:
    game = play(new("5h Kh", "7h Kd", "Tc Ts", then="8h", **BUST), STAND, STAND, DRAW)
    seen = until(game, "over").seen_by(0)
    assert seen["up"] == [["5h", "Kh"], ["7h", "Kd"], ["Tc"]] and seen["hidden"] == [0, 0, 2]


@pytest.mark.parametrize("seed", range(30))
def test_nothing_seen_tells_of_hidden_cards(seed: int) -> None:
    """Exchange what a seat cannot see, play the same actions: it sees the same."""
    rng = random.Random(seed)
    options = {"draw_up": rng.random() < 0.5, "declare": rng.choice(["sequential", "simultaneous"])}
    game = SevenTwentySeven(rng.sample(PACK, 52), 3, **options)
    viewer = rng.randrange(4)
    other = copy.deepcopy(game)
    # each hidden card of another seat changes place with one that nobody will draw so soon
    for at, seat in enumerate(seat for seat in range(4) if seat != viewer):
        card = other.hands[seat][1][0]
        other.hands[seat][1] = (other.stock[-1 - at], False)
        other.stock[-1 - at] = card
    while not game.over and len(game.stock) > 4:
        assert game.seen_by(viewer) == other.seen_by(viewer)
        assert game.legal() == other.legal()
        action = rng.choice(sorted(game.legal()))
        play(game, action)
        play(other, action)
    if len(game.live) == 1 or not game.over:  # a showdown tells
        assert game.seen_by(viewer) == other.seen_by(viewer)


# Options


def test_half_tens_at_the_table() -> None:
    assert until(new("Th 6h", "Td 5d"), "over").net == [0, 0]
    assert until(new("Th 6h", "Td 5d", half_tens=True), "over").net == [1, -1]
    # 27 with the ten at its number; a seven more is over only there
    hands, options = ["Th Td", "5d 2d"], {"nearness": "over_is_bust", "then": "8h"}
    assert play(new(*hands, **options), DRAW).busted == [True, False]
    assert play(new(*hands, **options, half_tens=True), DRAW).busted == [False, False]


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_can_be_played(name: str) -> None:
    options = VARIANTS[name]
    assert not refused(options)
    deck = MINI if options.get("pack") == "mini" else PACK
    game = SevenTwentySeven(deck, 0, **options)
    while not game.over:
        game.step(DECLARE_7 if DECLARE_7 in game.legal() else max(game.legal() - {*BETS}))
    assert sum(game.net) == 0


def test_refused_options() -> None:
    good: list[dict[str, Any]] = [
        {},
        {"players": 2},
        {"players": 10, "start_down": 2},
        {"players": 3, "pack": "mini"},
        {"players": 2, "pack": "mini", "start_down": 2},
        {"min_bet": 5, "ante": 1000, "max_raises": 0},
        {"nearness": "over_is_bust", "declare": "sequential", "max_extra": 9, "max_stands": 3},
    ]
    bad: list[dict[str, Any]] = [
        *({"players": players} for players in (1, 11, "4")),
        *({"ante": chips} for chips in (0, -1, True, 1.5)),
        {"min_bet": 0},
        {"min_bet": 6},
        {"max_raises": 10},
        {"max_raises": -1},
        {"start_down": 0},
        {"start_down": 3},
        {"max_extra": 10},
        {"max_stands": 4},
        {"nearness": "farthest"},
        {"declare": False},
        {"draw_up": 1},
        {"pack": "mini"},
        {"pack": "mini", "players": 3, "start_down": 2},
        {"cards": 3},
    ]
    assert [options for options in good if refused(options)] == []
    assert [options for options in bad if not refused(options)] == []
    with pytest.raises(ValueError, match="refused"):
        SevenTwentySeven(PACK, 0, players=11)


def test_the_mini_game_is_small() -> None:
    """One deal has 1263 histories, complete or not; there are 90 deals over ranks."""
    count, ahead = 0, [SevenTwentySeven(MINI, 1, **MINI_GAME)]
    while ahead:
        game = ahead.pop()
        count += 1
        ahead += [play(copy.deepcopy(game), action) for action in game.legal()]
    assert count == 1263


# Any hand at all


CHOICES: dict[str, list[Any]] = {
    "ante": [1, 3],
    "min_bet": [1, 2],
    "max_bet": [2, 5, 9],
    "max_raises": [0, 1, 3],
    "start_down": [1, 2],
    "draw_up": [False, True],
    "nearness": list(NEARNESS),
    "declare": ["cards_speak", "simultaneous", "sequential"],
    "max_extra": [0, 1, 4],
    "max_stands": [0, 1, 3],
    "last_bets": [False, True],
    "half_tens": [False, True],
}


@pytest.mark.parametrize("seed", range(300))
def test_random_hands_conserve_chips_and_cards_and_end(seed: int) -> None:
    rng = random.Random(seed)
    options = {name: rng.choice(choices) for name, choices in CHOICES.items()}
    mini = rng.random() < 0.1
    pack = MINI if mini else PACK
    options |= {"players": 2 if mini else rng.randint(2, 10), "pack": "mini" if mini else "full"}
    players = options["players"]
    game = SevenTwentySeven(rng.sample(pack, len(pack)), rng.randrange(players), **options)
    folding = rng.random()
    while not game.over:
        assert game.turn in game.live and len(game.live) > 1 and game.legal()
        assert game.net == [0] * players and game.won == [0] * players
        pot, paid, seat = game.pot, list(game.paid), game.turn
        actions = sorted(game.legal())
        if actions[0] == FOLD and rng.random() < folding:
            actions.remove(FOLD)
        game.step(rng.choice(actions))
        assert game.pot == sum(game.paid) >= pot
        assert all(game.paid[each] == paid[each] for each in range(players) if each != seat)
        cards = [card for hand in game.hands for card, _ in hand] + game.stock
        assert sorted(cards) == sorted(pack)
        assert game.taken == [len(rounds) for rounds in game.drew_in]
    assert game.turn is None and game.legal() == set()
    assert sum(game.net) == 0 and sum(game.won) == game.pot
    assert all(game.won[seat] == 0 for seat in range(players) if seat not in game.live)
    assert all(game.won[seat] >= 0 for seat in range(players))
    assert not any(game.busted) or options["nearness"] == "over_is_bust"
