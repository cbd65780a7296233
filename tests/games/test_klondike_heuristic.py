"""Klondike: facts that the greedy agent sees on a table, and the resulting scores."""

from typing import Any

import numpy as np
import pytest

from parlour.envs import CardEnv, make
from parlour.envs.core.kernel.cards import parse_card
from parlour.envs.core.options import as_record
from parlour.envs.games.klondike.heuristic import (
    WEIGHTS,
    any_takes_run,
    cards_onto,
    count_more_playable,
    make_outlook,
    takes_run,
)
from parlour.envs.games.klondike.rules import DEAL
from tests.games.test_klondike_worked import build, codes, table, waste_to

TALON = "Kc Kd Ks Jd Ts Qs Jh Js Qd Qh Kh"
"""Beside a queen of clubs and empty columns kings, red jacks and the ten of spades go somewhere."""


def talon_table(**options: Any) -> CardEnv:
    return table(["Qc"], waste=TALON[:8], stock=TALON[9:], **options)


def first_cards() -> CardEnv:
    """A game in which three cards of the stock have been turned."""
    env = make("klondike")
    env.reset(seed=1)
    env.step(DEAL)
    return env


def set_of(names: str) -> int:
    return sum(1 << card for card in codes(names))


def score(env: CardEnv, action: int, **changed: float) -> float:
    """What the greedy agent thinks of an action, by its own weights but for some."""
    weights = np.array(list((WEIGHTS | changed).values()))
    return float(env.game.score_actions(env.clone(), env.rules, weights)[0, action])


@pytest.mark.parametrize(
    ("card", "cards"),
    [("5h", "4c 4s"), ("5c", "4d 4h"), ("2s", "Ad Ah"), ("As", ""), ("Kd", "Qc Qs")],
)
def test_two_cards_go_onto_a_card(card: str, cards: str) -> None:
    assert cards_onto(parse_card(card)) == set_of(cards)


def test_a_run_waits_that_lies_on_cards_face_down() -> None:
    env = table(["Jc Td", ". Qd", ". . 9h 8s"], built="6 6 6 6")
    assert make_outlook(env.clone()[0]).heads == set_of("9h Qd")
    assert takes_run(env.clone()[0], parse_card("Ts"))
    assert not takes_run(env.clone()[0], parse_card("9s"))
    view = make_outlook(env.clone()[0])
    assert any_takes_run(view, set_of("9s Ts"))
    assert not any_takes_run(view, set_of("9s Js"))


def test_of_the_talon_only_what_is_known_is_seen() -> None:
    view = make_outlook(talon_table().clone()[0])
    assert (view.size, view.talon) == (11, set_of(TALON))
    assert view.playable == sum(1 << place for place in (1, 2, 3, 4, 5, 7, 11))
    s = first_cards().clone()[0]
    view = make_outlook(s)
    assert (view.size, view.talon) == (0, sum(1 << int(card) for card in s["waste"][:3]))


@pytest.mark.parametrize(("place", "more"), [(1, 1), (2, 1), (3, 2), (5, 1), (7, 0), (11, 0)])
def test_without_a_card_the_next_pass_brings_others_into_play(place: int, more: int) -> None:
    """Places 3, 6, 9 and the last one come to the top; one place earlier it is 4, 7, 10."""
    env = talon_table()
    view = make_outlook(env.clone()[0])
    assert count_more_playable(as_record(env.rules)[0], view, place) == more


@pytest.mark.parametrize(
    "env",
    [talon_table(draw=1), talon_table(passes=3), first_cards()],
    ids=["one", "three", "first"],
)
def test_the_next_pass_is_left_out_of_account(env: CardEnv) -> None:
    """With one card a turn all cards come up, unless passes run out or the order is unknown."""
    assert count_more_playable(as_record(env.rules)[0], make_outlook(env.clone()[0]), 3) == 0


def test_a_card_is_worth_less_to_build_if_the_waste_goes_nowhere_else() -> None:
    for columns, less in ((["Qc", ". Js"], WEIGHTS["needed"]), (["Qc", ". Js", "Qs"], 0.0)):
        env = table(columns, waste="Jd", built="11 9 13 9")
        others = score(env, build(1), needed=0.0)
        assert score(env, build(1)) - others == pytest.approx(less)
        assert score(env, build(1)) < score(env, waste_to(1))
