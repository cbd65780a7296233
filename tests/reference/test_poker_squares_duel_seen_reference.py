"""The reference Poker Squares for two: the view of each seat."""

import random
from typing import Any

import pytest

from tests.reference.poker_squares import CENTRE, PACK
from tests.reference.poker_squares_duel import Duel
from tests.reference.poker_squares_duel_games import (
    COLUMNS_FIRST,
    RICH,
    ROWS_FIRST,
    deck_with,
    in_turn,
    lying,
    play,
)

# What each seat sees


def test_the_placement_of_the_current_card_is_hidden_from_player_1() -> None:
    game = play(Duel(deck_with("Kd 7s 2c")), 3, 8, 4)
    assert game.turn == 1 and game.card == "7s"
    assert game.seen_by(1) == {
        "own": lying(Kd=8),
        "other": lying(Kd=3),
        "card": "7s",
        "unseen": set(PACK) - {"Kd", "7s"},
        "turn": 1,
    }
    play(game, 9)
    assert game.seen_by(1) == {
        "own": lying(**{"Kd": 8, "7s": 9}),
        "other": lying(**{"Kd": 3, "7s": 4}),
        "card": "2c",
        "unseen": set(PACK) - {"Kd", "7s", "2c"},
        "turn": 0,
    }


def test_player_0_sees_its_own_placement_at_once_and_those_of_player_1() -> None:
    game = play(Duel(deck_with("Kd 7s 2c")), 3, 8, 4)
    assert game.seen_by(0) == {
        "own": lying(**{"Kd": 3, "7s": 4}),
        "other": lying(Kd=8),
        "card": "7s",
        "unseen": set(PACK) - {"Kd", "7s"},
        "turn": 1,
    }
    play(game, 9)
    assert game.seen_by(0) == {
        "own": lying(**{"Kd": 3, "7s": 4}),
        "other": lying(**{"Kd": 8, "7s": 9}),
        "card": "2c",
        "unseen": set(PACK) - {"Kd", "7s", "2c"},
        "turn": 0,
    }


def test_the_starter_is_not_hidden_but_the_first_placement_is() -> None:
    game = play(Duel(deck_with("Kd 7s"), starter=True), 11)
    assert game.seen_by(0)["own"] == lying(**{"Kd": CENTRE, "7s": 11})
    assert game.seen_by(1)["other"] == lying(Kd=CENTRE)
    assert play(game, 0).seen_by(1)["other"] == lying(**{"Kd": CENTRE, "7s": 11})


@pytest.mark.parametrize("adjacent", ["none", "first", "all"])
def test_player_1_cannot_tell_where_player_0_placed(adjacent: str) -> None:
    """Whatever player_0 did with this card, player_1 sees the same and may do the same."""
    rng, deck = random.Random(3), random.Random(4).sample(PACK, 52)
    options: dict[str, Any] = {"starter": True, "adjacent": adjacent}
    done: list[int] = []
    while True:
        before = play(Duel(deck, **options), *done)
        if before.over:
            break
        squares = sorted(before.legal())
        each = [play(Duel(deck, **options), *done, square) for square in squares]
        for game in each:
            assert game.seen_by(1) == {**before.seen_by(1), "turn": 1}
            assert game.legal() == each[0].legal()
        assert len({str(game.seen_by(0)["own"]) for game in each}) == len(squares)
        done += [rng.choice(squares), rng.choice(sorted(each[0].legal()))]
    assert len(done) == 48


def test_the_last_placement_is_hidden_too_and_all_is_open_at_the_end() -> None:
    game = play(Duel(deck_with(RICH)), *in_turn(ROWS_FIRST, COLUMNS_FIRST)[:-1])
    assert game.turn == 1 and game.card == "Qd" and not game.over and game.net == [0, 0]
    assert None not in game.seen_by(0)["own"], "player_0 has finished"
    assert game.seen_by(1)["other"] == [*RICH.split()[:24], None]
    play(game, 24)
    for seat in range(2):
        seen = game.seen_by(seat)
        assert [seen["own"], seen["other"]] == [game.grids[seat], game.grids[1 - seat]]
        assert seen["card"] is None and seen["turn"] is None
        assert seen["unseen"] == set(PACK) - set(RICH.split()) and len(seen["unseen"]) == 27


def test_what_is_seen_cannot_be_used_to_change_the_game() -> None:
    game = play(Duel(deck_with("Kd 7s")), 3, 8)
    for seen in (game.seen_by(0), game.seen_by(1)):
        seen["own"][0] = seen["other"][0] = "Ac"
        seen["unseen"].clear()
    game.grids[0][0] = "Ac"
    assert game.grids == [lying(Kd=3), lying(Kd=8)] and len(game.unseen) == 50
