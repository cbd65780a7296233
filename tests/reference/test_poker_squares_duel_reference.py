"""The reference Poker Squares for two against the section "Head to head" of its rule page."""

import random
from typing import Any

import pytest

from tests.reference.poker_squares import CENTRE, PACK, PokerSquares
from tests.reference.poker_squares_duel import Duel, refused
from tests.reference.poker_squares_duel_games import (
    COLUMNS_FIRST,
    EVERYWHERE,
    RICH,
    ROWS_FIRST,
    SPIRAL,
    SPOILT,
    deck_with,
    fill,
    in_turn,
    lying,
    play,
)

# Turns and cards


def test_the_beginning_without_a_starter() -> None:
    game = Duel(deck_with("Kd 7s"))
    assert game.turn == 0 and game.card == "Kd" and game.legal() == EVERYWHERE
    assert game.grids == [[None] * 25, [None] * 25]
    assert game.totals == game.net == [0, 0] and not game.over
    for seat in range(2):
        assert game.seen_by(seat) == {
            "own": [None] * 25,
            "other": [None] * 25,
            "card": "Kd",
            "unseen": set(PACK) - {"Kd"},
            "turn": 0,
        }


def test_both_begin_with_the_same_starter() -> None:
    game = Duel(deck_with("Kd 7s"), starter=True)
    assert game.turn == 0 and game.card == "7s" and game.legal() == EVERYWHERE - {CENTRE}
    for seat in range(2):
        assert game.seen_by(seat) == {
            "own": lying(Kd=CENTRE),
            "other": lying(Kd=CENTRE),
            "card": "7s",
            "unseen": set(PACK) - {"Kd", "7s"},
            "turn": 0,
        }


def test_each_card_is_placed_by_player_0_and_then_by_player_1() -> None:
    game = Duel(deck_with("Kd 7s 2c"))
    assert (game.turn, game.card) == (0, "Kd")
    assert (play(game, 3).turn, game.card) == (1, "Kd")
    assert (play(game, 8).turn, game.card) == (0, "7s")
    assert (play(game, 8).turn, game.card) == (1, "7s")
    assert (play(game, 3).turn, game.card) == (0, "2c")
    assert game.grids == [lying(Kd=3, **{"7s": 8}), lying(Kd=8, **{"7s": 3})]


@pytest.mark.parametrize("starter", [False, True])
def test_both_get_the_same_cards_in_the_same_order(starter: bool) -> None:
    deck = random.Random(2).sample(PACK, 52)
    game = Duel(deck, starter=starter)
    got: list[list[str | None]] = [[], []]
    while game.turn is not None:
        got[game.turn].append(game.card)
        game.step(min(game.legal()) if game.turn == 0 else max(game.legal()))
    assert got[0] == got[1] == deck[starter:25]
    assert set(game.grids[0]) == set(game.grids[1]) == set(deck[:25])


# Where a card may go


def test_squares_taken_by_the_other_are_free() -> None:
    game = play(Duel(PACK), 3)
    assert game.legal() == EVERYWHERE
    assert play(game, 3).legal() == EVERYWHERE - {3}
    assert play(game, 0).legal() == EVERYWHERE - {3}


def test_each_seat_builds_on_its_own_grid() -> None:
    game = Duel(PACK, adjacent="all")
    assert play(game, 4).legal() == EVERYWHERE, "the grid of player_1 is empty"
    assert play(game, 20).legal() == {3, 9}
    assert play(game, 9).legal() == {15, 21}
    assert play(game, 21).legal() == {3, 8, 14}


def test_adjacent_first_is_asked_of_each_seat() -> None:
    game = Duel(PACK, starter=True, adjacent="first")
    assert game.legal() == {7, 11, 13, 17}
    assert play(game, 7).legal() == {7, 11, 13, 17}
    assert play(game, 17).legal() == EVERYWHERE - {7, CENTRE}
    assert play(game, 0).legal() == EVERYWHERE - {17, CENTRE}


@pytest.mark.parametrize("square", [-1, 25, 12, 6, 100])
def test_illegal_squares(square: int) -> None:
    game = Duel(PACK, starter=True, adjacent="all")
    for turn in range(2):
        with pytest.raises(ValueError, match="illegal square"):
            game.step(square)
        assert game.turn == turn and game.card == PACK[1]
        play(game, 7)
    assert game.grids == [lying(Ac=CENTRE, **{PACK[1]: 7})] * 2


def test_an_own_card_is_in_the_way_and_at_the_end_any_square_is_illegal() -> None:
    game = play(Duel(PACK), 3, 8)
    with pytest.raises(ValueError, match="illegal square 3"):
        game.step(3)
    with pytest.raises(ValueError, match="illegal square 8"):
        play(game, 8, 8)
    finished = fill(ROWS_FIRST, COLUMNS_FIRST)
    assert finished.legal() == set()
    for square in range(25):
        with pytest.raises(ValueError, match="illegal square"):
            finished.step(square)


# The winner


def test_the_higher_total_wins() -> None:
    game = fill(ROWS_FIRST, SPOILT)
    assert game.over and game.turn is None and game.card is None
    assert game.totals == [287, 167] and game.net == [1, -1]
    game = fill(SPOILT, ROWS_FIRST)
    assert game.totals == [167, 287] and game.net == [-1, 1]


def test_equal_totals_are_nobodys() -> None:
    game = fill(ROWS_FIRST, ROWS_FIRST)
    assert game.over and game.totals == [287, 287] and game.net == [0, 0]
    game = fill(ROWS_FIRST, COLUMNS_FIRST)
    assert game.grids[0] != game.grids[1], "rows against columns"
    assert game.over and game.totals == [287, 287] and game.net == [0, 0]


def test_the_points_decide_who_wins() -> None:
    assert fill(ROWS_FIRST, SPOILT, scoring="english").totals[0] == 104
    rewarded: dict[str, Any] = {"scoring": "custom", "points": [1] + [0] * 9}
    # three high cards, but without royal flush, flush and straight some more
    game = fill(ROWS_FIRST, SPOILT, **rewarded)
    assert game.totals[0] == 3 < game.totals[1] and game.net == [-1, 1]
    all_alike = fill(ROWS_FIRST, SPOILT, scoring="custom", points=[7] * 10)
    assert all_alike.totals == [70, 70] and all_alike.net == [0, 0]


def test_the_higher_total_wins_below_zero_too() -> None:
    options: dict[str, Any] = {"scoring": "custom", "points": [-1] + [0] * 9}
    game = fill(ROWS_FIRST, SPOILT, **options)
    assert game.totals[0] == -3 > game.totals[1] and game.net == [1, -1]


def test_a_single_point_is_enough() -> None:
    # Only the pair of kings in the fourth column scores; player_1 has torn it apart
    torn = list(ROWS_FIRST)
    torn[17], torn[18] = 18, 17
    options: dict[str, Any] = {"scoring": "custom", "points": [0, 1] + [0] * 8}
    game = fill(ROWS_FIRST, torn, **options)
    assert game.totals == [1, 0] and game.net == [1, -1]


def test_the_target_does_not_matter() -> None:
    for target in (1, 200, 287, 288, 1270):
        assert fill(ROWS_FIRST, SPOILT, target=target).net == [1, -1]
        assert fill(ROWS_FIRST, COLUMNS_FIRST, target=target).net == [0, 0]


def test_totals_grow_with_each_full_line_and_nobody_has_won_before_the_end() -> None:
    game = play(Duel(deck_with(RICH)), *in_turn([0, 1, 2, 3], [0, 5, 10, 24]))
    assert game.totals == [0, 0]
    assert play(game, 4).totals == [100, 0], "counted at once"
    assert game.net == [0, 0] and play(game, 15).totals == [100, 0]
    order = in_turn(ROWS_FIRST, SPOILT)
    game = play(Duel(deck_with(RICH)), *order[:-2])
    assert game.net == [0, 0] and play(game, order[-2]).totals[0] == 287
    assert game.net == [0, 0] and not game.over
    assert play(game, order[-1]).over and game.net == [1, -1]


def test_the_starter_counts_for_both() -> None:
    deck = deck_with("Kd Ks 2c 4c 6c")
    game = play(Duel(deck, starter=True), *in_turn([10, 11, 13, 14], [2, 7, 17, 0]))
    assert game.totals == [2, 0], "a pair of kings in the row of player_0"
    assert play(game, 0, 22).totals == [2, 2], "and in the column of player_1"


def test_a_whole_game_with_starter_and_adjacency() -> None:
    cards = RICH.split()
    deck = deck_with(" ".join(cards[square] for square in SPIRAL))
    turned = [5 * (square % 5) + square // 5 for square in SPIRAL]  # rows become columns
    game = Duel(deck, starter=True, adjacent="all")
    play(game, *in_turn(SPIRAL[1:], turned[1:]))
    assert game.grids == [cards, [cards[square] for square in COLUMNS_FIRST]]
    assert game.over and game.totals == [287, 287] and game.net == [0, 0]


# Options


@pytest.mark.parametrize(
    "options",
    [
        {"starter": 1},
        {"adjacent": "diagonal"},
        {"scoring": "british"},
        {"points": (0,) * 9},
        {"target": -1},
        {"players": 2},
        {"wild": True},
        {"wager": "lose"},
        {"wager": "Points"},
        {"wager": ""},
        {"wager": 1},
        {"wager": None},
        {"wager": True},
        {"wager": ["points"]},
    ],
)
def test_refused_options(options: dict[str, Any]) -> None:
    assert refused(options)
    with pytest.raises(ValueError, match="refused"):
        Duel(PACK, **options)


def test_the_deck_must_be_a_pack_and_is_left_as_it_is() -> None:
    for deck in (PACK[:51], [*PACK[:51], "Ac"], [*PACK, "Ac"]):
        with pytest.raises(ValueError, match="pack"):
            Duel(deck)
    deck = list(PACK)
    play(Duel(deck, starter=True), 0, 1, 2)
    assert deck == PACK


@pytest.mark.parametrize("seed", range(30))
def test_random_games_are_two_games_for_one(seed: int) -> None:
    """Random options, random squares: each seat has the grid and the total it would have alone."""
    rng = random.Random(seed)
    options: dict[str, Any] = {
        "starter": rng.random() < 0.5,
        "adjacent": rng.choice(["none", "first", "all"]),
        "scoring": rng.choice(["american", "english", "custom"]),
        "points": [rng.randrange(-128, 128) for _ in range(10)],
        "target": rng.randrange(1271),
    }
    wager = rng.choice(["win", "points"])
    deck = rng.sample(PACK, 52)
    game = Duel(deck, wager=wager, **options)
    alone = [PokerSquares(deck, **options) for _ in range(2)]
    first = 1 if options["starter"] else 0
    for at in range(first, 25):
        open_grids = game.grids
        for seat in range(2):
            assert game.turn == seat and game.card == deck[at] and game.net == [0, 0]
            assert game.unseen == set(deck[at + 1 :])
            assert game.seen_by(0)["own"] == alone[0].grid, "with the card just placed"
            assert game.seen_by(1)["other"] == open_grids[0], "without it"
            assert game.seen_by(0)["other"] == game.seen_by(1)["own"] == open_grids[1]
            assert game.legal() == alone[seat].legal()
            square = rng.choice(sorted(game.legal()))
            game.step(square)
            alone[seat].step(square)
            assert game.grids == [each.grid for each in alone]
            assert game.totals == [each.score for each in alone]
    assert game.over and game.turn is None and game.card is None
    assert game.unseen == set(deck[25:])
    difference = game.totals[0] - game.totals[1]
    if wager == "points":
        assert game.net == [difference / 25, -difference / 25]
        return
    assert game.net == [(difference > 0) - (difference < 0), (difference < 0) - (difference > 0)]
