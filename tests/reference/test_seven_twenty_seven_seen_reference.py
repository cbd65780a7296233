"""The reference Seven Twenty-Seven: knowledge of a seat."""

import copy
import random
from typing import Any

import pytest

from tests.reference.seven_twenty_seven import (
    BETS,
    CALL,
    DRAW,
    FOLD,
    STAND,
    SevenTwentySeven,
)
from tests.reference.seven_twenty_seven_dealt import BUST, PACK, new, play, until


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
        "bet_range": (0, 0),
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
    """A seat sees the same if its unseen cards are exchanged and the same actions are played."""
    rng = random.Random(seed)
    switches = ("draw_up", "bet_first", "rotating_lead", "bets_after")
    options: dict[str, Any] = {name: rng.random() < 0.5 for name in switches}
    options["declare"] = rng.choice(["sequential", "simultaneous"])
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
