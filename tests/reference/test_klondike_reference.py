"""The reference Klondike, by worked examples from the rule page."""

import random
from typing import Any

import pytest

from tests.reference.klondike import (
    BACK,
    COLUMN_TO,
    COLUMN_UP,
    DEAL,
    RANKS,
    REDEAL,
    SUITS,
    WASTE_TO,
    WASTE_UP,
    Klondike,
    column_to,
    from_and_to,
    value,
)

ORDERED = [rank + suit for rank in RANKS for suit in SUITS]


def pile(suit: str, highest: str) -> list[str]:
    """A foundation up to a rank; "" for an empty one."""
    return [rank + suit for rank in RANKS[: RANKS.index(highest) + 1]] if highest else []


def position(
    *columns: str, down: tuple[int, ...] = (), stock: str = "", waste: str = "",
    built: tuple[str, str, str, str] = ("", "", "", ""), **options: Any,
) -> Klondike:  # fmt: skip
    """A game with these columns (cards in words), the first ``down`` of each face down."""
    game = Klondike(ORDERED, **options)
    game.columns = [column.split() for column in columns] + [[] for _ in range(7 - len(columns))]
    game.face_down = [*down, *[0] * (7 - len(down))]
    game.stock, game.waste = stock.split(), waste.split()
    game.foundations = {suit: pile(suit, top) for suit, top in zip(SUITS, built, strict=True)}
    game.seen = {card for k, c in enumerate(game.columns) for card in c[game.face_down[k] :]}
    game.seen |= set(game.waste)
    game.points, game.had_choice = 0, False
    game.look()
    return game


def back(column: int, second: bool = False) -> int:
    return BACK + 2 * column + second


# The deal


def test_it_is_dealt_row_by_row() -> None:
    game = Klondike(ORDERED)
    assert [column[0] for column in game.columns] == ORDERED[:7]
    assert game.columns[1] == ["Ad", ORDERED[7]]
    assert game.columns[6] == [ORDERED[k] for k in (6, 12, 17, 21, 24, 26, 27)]
    assert [len(column) for column in game.columns] == [1, 2, 3, 4, 5, 6, 7]
    assert game.face_down == [0, 1, 2, 3, 4, 5, 6]
    assert game.stock == ORDERED[28:] and not game.waste
    assert game.score == 0 and game.moves == 0 and not game.won


def test_a_bad_deck_and_bad_options_are_refused() -> None:
    for deck in (ORDERED[:51], [*ORDERED[:51], "Ac"]):
        with pytest.raises(ValueError, match="once"):
            Klondike(deck)
    for options in (
        {"draw": 2},
        {"passes": 10},
        {"passes": -1},
        {"scoring": "none"},
        {"seconds_per_move": 11},
    ):
        with pytest.raises(ValueError, match=r"is|are"):
            Klondike(ORDERED, **options)  # type: ignore[arg-type]


def test_action_numbers() -> None:
    assert column_to(0, 1) == 17 and column_to(0, 6) == 22 and column_to(6, 5) == 58
    assert column_to(3, 2) == COLUMN_TO + 3 * 6 + 2 and column_to(3, 4) == COLUMN_TO + 3 * 6 + 3
    assert sorted(column_to(i, j) for i in range(7) for j in range(7) if i != j) == list(
        range(17, 59)
    )
    assert all(column_to(*from_and_to(action)) == action for action in range(17, 59))


# Stock and waste


def test_three_cards_are_turned_one_by_one() -> None:
    game = position("Ks", stock="2c 3c 4c 5c")
    assert game.legal() == {DEAL}
    game.step(DEAL)
    assert game.waste == ["2c", "3c", "4c"] and game.stock == ["5c"]
    game.step(DEAL)  # fewer are left
    assert game.waste == ["2c", "3c", "4c", "5c"] and not game.stock


def test_one_card_is_turned_by_draw_1() -> None:
    game = position("Ks", stock="2c 3c", draw=1)
    game.step(DEAL)
    assert game.waste == ["2c"] and game.stock == ["3c"]


def test_only_the_top_of_the_waste_is_in_play() -> None:
    game = position("Ks", "Qc", waste="Qh Jd")
    assert game.legal() == {REDEAL, WASTE_TO + 1}


def test_the_waste_is_turned_over_in_its_order() -> None:
    game = position("3h", waste="2c 5d 9c", passes=2)
    assert game.legal() == {REDEAL}
    game.step(REDEAL)
    assert game.stock == ["2c", "5d", "9c"] and not game.waste
    for _ in range(1):
        game.step(DEAL)
    assert game.waste == ["2c", "5d", "9c"] and game.lost and game.legal() == set()


@pytest.mark.parametrize("passes", range(1, 10))
def test_so_many_passes(passes: int) -> None:
    game = position("3h", stock="9c", passes=passes)
    for _ in range(passes - 1):
        game.step(DEAL)
        game.step(REDEAL)
    game.step(DEAL)
    assert game.lost and game.redeals_used == passes - 1


def test_no_redeal_while_the_stock_lasts_nor_of_an_empty_waste() -> None:
    assert REDEAL not in position("3h 2c", stock="9c", waste="Tc").legal()
    assert position("3h", "3d", built=("", "", "", "")).lost


def test_without_a_limit_a_redeal_needs_a_choice_since_the_last() -> None:
    game = position("Ks", "Qc", "Qs", stock="Qh Jh 2h", draw=1)
    game.step(DEAL)  # the queen fits the king: a choice, which is not taken
    assert game.had_choice
    game.step(DEAL)
    game.step(DEAL)
    assert game.legal() == {REDEAL}
    game.step(REDEAL)
    assert not game.had_choice  # nothing but DEAL is legal there
    game.step(DEAL)
    assert game.had_choice and WASTE_TO in game.legal()
    game.step(WASTE_TO)
    while DEAL in game.legal():
        game.step(DEAL)
    game.step(REDEAL)
    assert game.stock == ["Jh", "2h"]


def test_without_a_limit_a_pass_without_a_choice_is_the_last() -> None:
    game = position("3h", stock="9c 9s")
    game.step(DEAL)
    assert game.lost
    other = position("3h", stock="9c 9s", passes=2)
    other.step(DEAL)
    assert other.legal() == {REDEAL}


def test_the_position_after_a_redeal_counts_as_a_choice() -> None:
    game = position("3h", "Kc Ah", stock="9c 9s", down=(0, 0))
    assert game.had_choice and COLUMN_UP + 1 in game.legal()
    game.step(DEAL)
    game.step(REDEAL)
    assert game.had_choice


# Building


@pytest.mark.parametrize("card", ["2c", "2s"])
def test_a_card_goes_on_the_next_of_the_other_colour(card: str) -> None:
    for last, fits in (("3h", True), ("3d", True), ("3s", False), ("4h", False), ("2h", False)):
        game = position(last, "Kc", waste=card)
        assert (WASTE_TO in game.legal()) == fits
    assert WASTE_TO + 1 not in position("9c", "Kc", waste=card).legal()


def test_an_ace_may_go_onto_a_two() -> None:
    game = position("2h", waste="Ac")
    assert game.legal() == {REDEAL, WASTE_TO, WASTE_UP}


def test_foundations_are_built_by_suit_from_the_ace() -> None:
    game = position("2h", "Ah", "2d", built=("", "", "", ""))
    assert game.legal() & {COLUMN_UP, COLUMN_UP + 1, COLUMN_UP + 2} == {COLUMN_UP + 1}
    game.step(COLUMN_UP + 1)
    assert game.foundations["h"] == ["Ah"] and game.score == 1
    assert game.legal() & {COLUMN_UP, COLUMN_UP + 2} == {COLUMN_UP}


def test_part_of_a_run_moves() -> None:
    game = position("9h 8c 7d", "9d", down=(0, 0))
    assert game.legal() == {column_to(0, 1)}
    game.step(column_to(0, 1))
    assert game.columns[:2] == [["9h"], ["9d", "8c", "7d"]]


def test_the_part_that_fits_is_unique() -> None:
    game = position("9h 8c 7d", "8s", "Td")
    assert game.run_start(0, 1) == 2 and game.run_start(0, 2) is None


def test_whole_runs_alone() -> None:
    game = position("9h 8c 7d", "9d", "Ts", partial_runs=False)
    assert game.legal() == {column_to(0, 2), column_to(1, 2)}
    down = position("5c 9h 8c", "9d", "Ts", down=(1,), partial_runs=False)
    assert down.legal() == {column_to(0, 2), column_to(1, 2)}


def test_cards_face_down_do_not_move() -> None:
    game = position("8c 7d", "9h", down=(1,))
    assert game.legal() == set()


def test_the_last_card_of_a_column_is_turned_up() -> None:
    game = position("8c 7d", "8s", down=(1,))
    assert not game.knows("8c")
    game.step(column_to(0, 1))
    assert game.face_down[0] == 0 and game.knows("8c") and game.columns[0] == ["8c"]


def test_only_a_king_goes_onto_an_empty_column() -> None:
    game = position("5c Kh Qc", "", "9c Qs", down=(1, 0, 1))
    assert game.legal() & set(range(COLUMN_TO, BACK)) >= {column_to(0, 1)}
    assert column_to(2, 1) not in game.legal()
    assert WASTE_TO + 1 in position("2c", "", waste="Ks").legal()
    assert WASTE_TO + 1 not in position("2c", "", waste="Qs").legal()


def test_a_king_that_begins_its_column_stays() -> None:
    game = position("Kh Qc", "")
    assert game.legal() == set()
    behind = position("5c Kh Qc", "", down=(1,))
    assert column_to(0, 1) in behind.legal()
    behind.step(column_to(0, 1))
    assert behind.columns[:2] == [["5c"], ["Kh", "Qc"]]
    assert column_to(1, 2) not in behind.legal()


def test_a_king_without_what_lies_below_it_stays() -> None:
    assert position("Ts Kh Qc", "", down=(1,), partial_runs=False).legal() == {
        column_to(0, k) for k in range(1, 7)
    }


# Coming back from a foundation


def test_a_card_comes_back_where_it_fits() -> None:
    game = position("5c", "5h", built=("4", "4", "4", "4"))
    up = {COLUMN_UP, COLUMN_UP + 1}
    assert game.legal() == up | {back(0), back(0, True), back(1), back(1, True)}
    game.step(back(0, True))
    assert game.columns[0] == ["5c", "4h"] and game.foundations["h"] == pile("h", "3")
    other = position("5c", "5h", built=("4", "4", "4", "4"))
    other.step(back(1, True))
    assert other.columns[1] == ["5h", "4s"]


def test_the_first_of_the_two_is_the_lower_suit() -> None:
    game = position("5c", built=("2", "4", "4", "2"))
    game.step(back(0))
    assert game.columns[0] == ["5c", "4d"]
    game = position("5h", built=("4", "4", "4", "4"))
    game.step(back(0))
    assert game.columns[0] == ["5h", "4c"]


def test_a_top_that_does_not_fit_stays() -> None:
    assert not position("6c", built=("4", "4", "4", "4")).legal()
    assert position("5c", built=("4", "3", "4", "4")).legal() == {COLUMN_UP, back(0, True)}


def test_an_ace_never_comes_back() -> None:
    assert position("2c", built=("", "A", "A", "")).legal() == set()


def test_kings_come_back_onto_empty_columns() -> None:
    game = position("9c", built=("Q", "K", "K", "K"))
    assert game.legal() & {back(1), back(1, True)} == {back(1), back(1, True)}
    game.step(back(1))
    assert game.columns[1] == ["Ks"]
    other = position("9c", built=("K", "K", "K", "K"))
    other.foundations["c"].pop()  # the queen on top
    other.look()
    other.step(back(2, True))
    assert other.columns[2] == ["Kd"]
    assert not {back(k) for k in range(1, 7)} & position("2c", built=("Q", "", "", "Q")).legal()


def test_nothing_comes_back_without_the_option() -> None:
    assert position("5c", built=("4", "4", "4", "4"), worry_back=False).legal() == {COLUMN_UP}


# Scores


def test_standard_scores() -> None:
    game = position("8c 7d", "8s", "Ah", down=(1,), waste="7h", scoring="standard")
    game.step(WASTE_TO + 1)
    assert game.score == 5
    game.step(COLUMN_UP + 2)
    assert game.score == 15
    game = position("8c 7d", "8s", down=(1,), scoring="standard")
    game.step(column_to(0, 1))
    assert game.score == 5  # for the card turned up
    game = position("8c Ad", down=(1,), scoring="standard")
    game.step(COLUMN_UP)
    assert game.score == 15
    game = position("5c", built=("", "4", "", ""), scoring="standard")
    game.points = 40
    game.step(back(0))
    assert game.score == 25
    game.step(COLUMN_UP)
    assert game.score == 35


def test_the_score_is_never_below_0() -> None:
    game = position("5c", built=("", "4", "", ""), scoring="standard")
    game.points = 10
    game.step(back(0))
    assert game.score == 0
    game.step(COLUMN_UP)
    assert game.score == 10


@pytest.mark.parametrize(
    ("draw", "costs"), [(1, [100, 100, 100, 100]), (3, [0, 0, 20, 20])], ids=["one", "three"]
)
def test_what_redeals_cost(draw: int, costs: list[int]) -> None:
    game = position("3h", stock="9c", draw=draw, passes=5, scoring="standard")
    game.points = 1000
    for cost in costs:
        game.step(DEAL)
        before = game.score
        game.step(REDEAL)
        assert before - game.score == cost


def test_the_clock_costs_points_before_the_move_scores() -> None:
    game = position("5c", stock="9c 9d Ac Ad", draw=1, scoring="standard", seconds_per_move=4)
    game.points = 3
    scores = []
    for action in (DEAL, DEAL, DEAL, WASTE_UP, DEAL):
        game.step(action)
        scores.append((game.seconds, game.score))
    assert scores == [(4, 3), (8, 3), (12, 1), (16, 11), (20, 9)]
    slow = position("5c", stock="9c Ac", draw=1, scoring="standard", seconds_per_move=10)
    slow.points = 3
    for action in (DEAL, DEAL, WASTE_UP):
        slow.step(action)
    assert slow.score == 10, "3 - 2, then 0 - not -1 - and the third penalty at 0 before the ace"


@pytest.mark.parametrize(
    ("moves", "seconds", "score"),
    [(99, 1, 28 + 7000), (99, 3, 28 + 2333), (29, 1, 28), (30, 1, 30 + 22580)],
)
def test_a_win_has_a_bonus_for_its_time(moves: int, seconds: int, score: int) -> None:
    game = position("Kc", built=("Q", "K", "K", "K"), scoring="standard", seconds_per_move=seconds)
    game.moves, game.points = moves, 20
    game.step(COLUMN_UP)
    assert game.won and game.score == score


def test_other_scores_have_no_clock() -> None:
    for scoring, score in (("cards", 52), ("vegas", 208)):
        game = position("Kc", built=("Q", "K", "K", "K"), scoring=scoring, seconds_per_move=1)
        game.moves = 99
        game.step(COLUMN_UP)
        assert (game.score, game.seconds) == (score, 0)


def test_vegas_scores() -> None:
    game = position("5c Ah", "2c", built=("", "A", "", ""), scoring="vegas", passes=0)
    assert game.score == -47
    game.step(COLUMN_UP)
    assert game.score == -42
    game = position("5c", built=("4", "4", "4", "4"), scoring="vegas")
    game.step(back(0))
    assert game.score == 15 * 5 - 52


def test_cards_count_what_is_built() -> None:
    game = position("5c", built=("4", "4", "4", "4"))
    assert game.score == 16
    game.step(back(0))
    assert game.score == 15


# The end


def test_the_last_card_wins() -> None:
    game = position("Ks", built=("K", "K", "K", "Q"), max_moves=1)
    game.step(COLUMN_UP)
    assert game.won and not game.truncated and not game.lost and game.legal() == set()


def test_max_moves_cut_a_game_off() -> None:
    game = position("3h", stock="9c 9s", draw=1, max_moves=1)
    game.step(DEAL)
    assert game.truncated and not game.lost
    with pytest.raises(ValueError, match="not legal"):
        game.step(DEAL)


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(ValueError, match="action 1 is not legal"):
        Klondike(ORDERED).step(REDEAL)


# What is known


def test_what_has_lain_face_up_stays_known() -> None:
    game = Klondike(random.Random(1).sample(ORDERED, 52), draw=3)
    for k, column in enumerate(game.known_columns()):
        assert column == [None] * k + [game.columns[k][-1]]
    assert game.known_stock() == [None] * 24
    game.step(DEAL)
    assert all(map(game.knows, game.waste)) and game.known_stock() == [None] * 21
    for _ in range(7):
        game.step(DEAL)
    if REDEAL in game.legal():
        game.step(REDEAL)
        assert game.known_stock() == game.stock


def test_all_is_known_where_it_is_thoughtful() -> None:
    game = Klondike(ORDERED, thoughtful=True)
    assert game.known_stock() == game.stock and game.known_columns() == game.columns
    assert game.legal() == Klondike(ORDERED).legal()


def test_values() -> None:
    assert [value(rank + "h") for rank in "A2TJQK"] == [1, 2, 10, 11, 12, 13]
