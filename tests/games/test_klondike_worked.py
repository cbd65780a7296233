"""Small tables of Klondike, worked out by hand from docs/rules/klondike.md."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from parlour.envs import CardEnv, make
from parlour.envs.core.kernel.cards import card_name, full_pack, parse_card
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import resample_copies
from parlour.envs.games.klondike.knowledge import derive
from parlour.envs.games.klondike.rules import (
    BACK,
    COLUMN_UP,
    DEAL,
    MOVE,
    REDEAL,
    WASTE_DOWN,
    WASTE_UP,
    deck_place,
    move_columns,
)

COLUMNS = range(1, 8)


def waste_to(column: int) -> int:
    return WASTE_DOWN + column - 1


def build(column: int) -> int:
    return COLUMN_UP + column - 1


def run(source: int, target: int) -> int:
    return next(a for a in range(MOVE, BACK) if move_columns(a) == (source - 1, target - 1))


def back(column: int, which: int) -> int:
    """The first (1) or the second (2) action that moves a card back to a column."""
    return BACK + 2 * (column - 1) + which - 1


def codes(names: str) -> list[int]:
    return [parse_card(name) for name in names.split()]


def table(
    columns: Sequence[str],
    waste: str = "",
    stock: str = "",
    built: str = "13 13 13 13",
    redeals: int = 1,
    score: int = 0,
    **options: Any,
) -> CardEnv:
    """A game in a given position after 100 moves, with no play since the last redeal.

    ``columns`` names the cards face up, behind a dot for each that is face down; ``stock`` its top
    first; ``built`` the foundations, clubs to spades, as high as cards that lie elsewhere allow.
    Cards that are not named lie face down where the dots are, the rest undermost in the stock.
    """
    env = make("klondike", **options)
    env.reset(seed=1)
    rows = [column.split() for column in columns] + [[]] * (7 - len(columns))
    ups = [codes(" ".join(name for name in row if name != ".")) for row in rows]
    downs = [row.count(".") for row in rows]
    named = {*codes(waste), *codes(stock), *(card for up in ups for card in up)}
    heights = [
        min(int(most), *(card // 4 - 1 for card in named if card % 4 == suit), 13)
        for suit, most in enumerate(built.split())
    ]
    rest = [card for card in full_pack() if card not in named and card // 4 > heights[card % 4]]
    buried = [[rest.pop(0) for _ in range(down)] for down in downs]
    turned, unturned = codes(waste), [*codes(stock), *rest]
    assert len(turned) + len(unturned) <= 24, "there is no such table"
    s = env.clone()
    for name in ("column", "count", "waste", "stock"):
        s[name] = 0
    for column, (up, down) in enumerate(zip(ups, buried, strict=True)):
        s["column"][0, column, : len(up) + len(down)] = down + up
        s["count"][0, column] = len(up) + len(down)
    s["waste"][0, : len(turned)] = turned
    s["stock"][0, : len(unturned)] = unturned[::-1]
    s["deck"][0] = deck_of(buried, turned + unturned)
    s["moves"], s["redeals"], s["score"] = 100, redeals, score
    shown = s["shown"]
    shown["face_down"], shown["foundations"], shown["may_redeal"] = downs, heights, 0
    shown["waste_count"], shown["stock_count"] = len(turned), len(unturned)
    derive(s[0], as_record(env.rules)[0])
    env.restore(s)
    return env


def deck_of(buried: list[list[int]], talon: list[int]) -> list[int]:
    """A deck by which these cards lie face down in the columns and those are in the stock."""
    deck = dict(zip(range(28, 52), talon, strict=False))
    for column, cards in enumerate(buried):
        deck |= {deck_place(column, row): card for row, card in enumerate(cards)}
    rest = [card for card in full_pack() if card not in deck.values()]
    return [deck[place] if place in deck else rest.pop() for place in range(52)]


def legal(env: CardEnv) -> set[int]:
    return set(np.flatnonzero(env.action_masks()).tolist())


def column_of(env: CardEnv, column: int) -> str:
    """The cards of a column, numbered from 1, those face down as dots."""
    s = env.state
    down, cards = s["shown"]["face_down"][column - 1], s["column"][column - 1]
    names = [card_name(int(card)) for card in cards[: s["count"][column - 1]]]
    return " ".join(["."] * down + names[down:])


def top_of_waste(env: CardEnv) -> str:
    return card_name(int(env.state["shown"]["waste_top"]))


BLOCKED = ["Kc", ". Ks", "Qc", "Qs", "Jc", "Js", "Tc"]
"""No black card fits on another; by ``built`` the face-down card is the ten of spades."""
LOW = "8 11 13 9"


def test_a_deck_is_dealt_row_by_row() -> None:
    env = make("klondike", "draw-one")
    env.reset(options={"deck": list(full_pack())})  # Ac Ad Ah As 2c 2d 2h, then 2s 3c 3d ...
    last = ["Ac", ". 2s", ". . 4d", ". . . 5h", ". . . . 6h", ". . . . . 7d", ". . . . . . 7s"]
    assert [column_of(env, column) for column in COLUMNS] == last
    assert legal(env) == {DEAL, build(1), run(5, 7)}
    env.step(DEAL)
    assert top_of_waste(env) == "8c"


def test_three_cards_are_turned_and_at_the_end_what_is_left() -> None:
    env = make("klondike")
    env.reset(options={"deck": list(full_pack())})
    env.step(DEAL)
    assert top_of_waste(env) == "8h"
    env = table([], stock="Qh Kh")
    env.step(DEAL)
    assert top_of_waste(env) == "Kh"
    kings = {waste_to(column) for column in COLUMNS}
    returns = {back(column, which) for column in COLUMNS for which in (1, 2)}
    assert legal(env) == {REDEAL} | kings | returns
    env.step(REDEAL)
    env.step(DEAL)
    assert top_of_waste(env) == "Kh", "the waste is turned over, not shuffled"


def test_a_part_of_a_run_moves_and_only_that_which_fits() -> None:
    columns = ["8h", "9s 8d 7c 6h"]
    assert run(2, 1) in legal(table(columns))
    env = table(columns)
    env.step(run(2, 1))
    assert (column_of(env, 1), column_of(env, 2)) == ("8h 7c 6h", "9s 8d")
    assert run(2, 1) not in legal(table(columns, variant="whole-runs"))
    env = table(["8h", "7c 6h"], variant="whole-runs")
    env.step(run(2, 1))
    assert (column_of(env, 1), column_of(env, 2)) == ("8h 7c 6h", "")


def test_a_king_under_which_nothing_lies_stays() -> None:
    env = table(["Kh", ". Kd"], built="13 13 13 12")
    free = range(3, 8)
    moves = {run(2, column) for column in free}
    kings = {back(column, 1) for column in free}
    assert legal(env) == {build(1), build(2), back(1, 2), back(2, 2)} | moves | kings
    env.step(run(2, 5))
    assert column_of(env, 2) == "Ks", "turned up at once"
    assert column_of(env, 5) == "Kd"
    assert not {run(5, column) for column in (3, 4, 6, 7)} & legal(env)


def test_of_two_suits_that_come_back_clubs_and_diamonds_are_first() -> None:
    env = table(["Kd"], stock="Kc Ks")
    kings = {back(column, 2) for column in range(2, 8)}  # that of hearts alone
    assert legal(env) == {DEAL, build(1), back(1, 1), back(1, 2)} | kings
    env.step(back(1, 1))
    assert column_of(env, 1) == "Kd Qc"
    env = table(["Kd"], stock="Kc Ks")
    env.step(back(1, 2))
    assert column_of(env, 1) == "Kd Qs"
    for which, name in ((1, "Qd"), (2, "Qh")):
        env = table(["Ks"], stock="Kd Kh")
        env.step(back(1, which))
        assert column_of(env, 1) == f"Ks {name}"


def test_to_an_empty_column_the_first_action_brings_a_black_king_back_the_second_a_red_one() -> (
    None
):
    env = table([], stock="Kd")
    for column, which, name in ((3, 1, "Kc"), (1, 1, "Ks"), (2, 2, "Kh")):
        env.step(back(column, which))
        assert column_of(env, column) == name
    assert not any(action >= BACK for action in legal(env) if action >= back(4, 1))


def test_an_ace_never_comes_back_but_goes_onto_a_two() -> None:
    env = table(["2d"], built="1 13 13 13")
    assert not {back(1, 1), back(1, 2)} & legal(env)
    env = table(["3d"], built="2 13 13 13")
    assert {back(1, 1), back(1, 2)} & legal(env) == {back(1, 1)}
    env = table(["2d"], waste="Ac")
    assert {WASTE_UP, waste_to(1)} <= legal(env)
    env.step(waste_to(1))
    assert column_of(env, 1) == "2d Ac"


def test_a_game_in_which_nothing_can_be_played_ends_with_the_pass() -> None:
    env = table(BLOCKED, stock="9c Qd Kd", built=LOW, variant="no-return")
    assert legal(env) == {DEAL}
    _, _, terminated, truncated, info = env.step(DEAL)
    assert (terminated, truncated, info["won"], info["score"]) == (True, False, False, 41)


def test_any_number_of_redeals_while_something_could_be_played() -> None:
    """One card a turn brings the nine of clubs up, which fits: so there is another pass."""
    env = table(BLOCKED, stock="9c Qd Kd", built=LOW, variant="no-return", draw=1)
    env.step(DEAL)
    assert legal(env) == {DEAL, WASTE_UP}
    for _ in range(2):
        env.step(DEAL)
    assert (top_of_waste(env), legal(env)) == ("Kd", {REDEAL})
    env.step(REDEAL)
    assert (legal(env), bool(env.state["shown"]["may_redeal"])) == ({DEAL}, False)


@pytest.mark.parametrize(("redeals", "left"), [(1, {REDEAL}), (2, set())])
def test_three_passes_have_two_redeals(redeals: int, left: set[int]) -> None:
    env = table(BLOCKED, "9c Qd Kd", "", LOW, redeals, passes=3, worry_back=False)
    assert bool(env.state["over"]) is (not left)
    assert legal(env) == left or not left


def test_standard_counts_each_change_and_never_falls_below_nothing() -> None:
    def score(env: CardEnv, action: int) -> int:
        return int(env.step(action)[4]["score"])

    env = table(["Ks", ". Qh"], score=15, scoring="standard")
    assert score(env, run(2, 1)) == 20, "a card turned up"
    env = table(["Ks", ". Qh"], score=15, scoring="standard")
    assert score(env, build(2)) == 30, "built, and a card turned up"
    env = table(["Kd"], stock="Kc Ks", score=10, scoring="standard")
    assert score(env, back(1, 1)) == 0
    assert score(env, build(1)) == 10
    env = table(["Kd"], waste="Qc", score=10, scoring="standard")
    assert score(env, waste_to(1)) == 15
    env = table(["Kd"], waste="Qc", score=10, scoring="standard")
    assert score(env, WASTE_UP) == 20


@pytest.mark.parametrize(
    ("draw", "redeals", "left"), [(1, 0, 20), (1, 4, 20), (3, 1, 120), (3, 2, 100), (3, 5, 100)]
)
def test_standard_counts_redeals(draw: int, redeals: int, left: int) -> None:
    env = table(["Kd"], "Kc Qc", "", redeals=redeals, score=120, scoring="standard", draw=draw)
    _, _, _, _, info = env.step(REDEAL)
    assert info["score"] == left
    assert info["passes_used"] == redeals + 2
    low = table(["Kd"], "Kc Qc", "", redeals=4, score=15, scoring="standard", draw=draw)
    assert low.step(REDEAL)[4]["score"] == 0


def test_the_clock_costs_points_and_rewards_a_quick_win() -> None:
    env = table(["Kd"], stock="Kc Ks", score=10, scoring="standard", seconds_per_move=4)
    assert env.game.features.explain(env.rows.states["shown"].view(np.int8))["seconds"] == 400
    assert env.step(DEAL)[4]["score"] == 10, "404 seconds"
    env = table(["Kd"], stock="Kc Ks", score=1, scoring="standard", seconds_per_move=10)
    assert env.step(back(1, 1))[4]["score"] == 0
    assert env.step(build(1))[4]["score"] == 10, "the penalty comes before the points"
    env = table(["Kd"], score=100, built="13 12 13 13", scoring="standard", seconds_per_move=1)
    _, _, terminated, _, info = env.step(build(1))
    assert terminated and info["won"]
    assert info["score"] == 100 + 10 + 700_000 // 101
    assert "time 101 s" in [text.text for text in env.scene().texts]


def test_vegas_begins_with_the_wager_and_rewards_count_cards() -> None:
    env = make("klondike", "vegas")
    _, info = env.reset(options={"deck": list(full_pack())})
    assert (info["score"], info["cards_built"]) == (-52, 0)
    _, reward, _, _, info = env.step(build(1))
    assert (info["score"], info["cards_built"]) == (-47, 1)
    assert reward == pytest.approx(1 / 52)
    env = table(["Kd"], stock="Kc Ks", scoring="vegas")
    _, reward, _, _, info = env.step(back(1, 1))
    assert (info["score"], info["cards_built"]) == (5 * 48 - 52, 48)
    assert reward == pytest.approx(-1 / 52)


def test_the_last_move_allowed_may_win() -> None:
    env = table(["Kc"], max_moves=101)
    _, reward, terminated, truncated, info = env.step(build(1))
    assert (terminated, truncated, info["won"], info["score"]) == (True, False, True, 52)
    assert reward == pytest.approx(1 + 1 / 52)
    env = table(["Kc", "Kd"], max_moves=101)
    assert env.step(build(1))[2:4] == (False, True)


def test_the_stock_is_known_once_it_was_seen() -> None:
    env = make("klondike", encoding="codes")
    observation, _ = env.reset(options={"deck": list(full_pack())})
    output = env.explain(observation)
    assert sum(where > 0 for where in output["where"]) == 7
    for _ in range(8):
        env.step(DEAL)
    output = env.explain(env.step(REDEAL)[0])
    eight, king = parse_card("8c") - 4, parse_card("Ks") - 4  # the first and the last of the stock
    assert (output["where"][eight], output["place"][eight]) == (9, 1)
    assert (output["where"][king], output["place"][king]) == (9, 24)
    states = resample_copies(env.game, env.rules, env.clone(), 3)
    assert states["stock"].tolist() == env.clone()["stock"].tolist()
    assert states["deck"].tolist() != env.clone()["deck"].tolist()


def test_places_in_the_stock_close_up_when_the_waste_is_played() -> None:
    env = table(["Kd"], waste="Kc Qc", stock="Kh Ks", encoding="codes")
    output = env.explain(env.step(waste_to(1))[0])
    assert output["waste_top"] == "Kc"
    where, place = [output[name][parse_card("Kh") - 4] for name in ("where", "place")]
    assert (where, place) == (9, 2)
    env.step(DEAL)
    assert top_of_waste(env) == "Ks"


def test_thoughtful_shows_all_and_allows_the_same() -> None:
    deck = np.random.default_rng(5).permutation(np.array(full_pack())).tolist()
    known, hidden = make("klondike", "thoughtful", encoding="codes"), make("klondike")
    observation, _ = known.reset(options={"deck": deck})
    hidden.reset(options={"deck": deck})
    output = known.explain(observation)
    assert 0 not in output["where"]
    assert output["place"][deck[28] - 4] == 1, "the top of the stock comes first"
    rng = np.random.default_rng(1)
    for _ in range(60):
        assert legal(known) == legal(hidden)
        action = int(rng.choice(sorted(legal(known))))
        known.step(action)
        hidden.step(action)
