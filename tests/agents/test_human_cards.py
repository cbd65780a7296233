"""Every card, pile and place that a table shows is accepted as the name of a move."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest

from parlour.agents.human import MAX_LISTED, parse_move
from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.kernel.cards import RANKS, SUIT_SIGNS
from parlour.envs.core.legal import list_actions
from parlour.envs.core.moves import list_complete_moves
from parlour.envs.core.rows import Rows
from parlour.envs.core.scene.scene import Item, Scene, ansi
from tests.contract.cases import Case
from tests.marks import slow_if

CASES = [(one, variant) for one in GAMES.values() for variant in one.variants]
KLONDIKE = find_game("klondike")
STEPS, EVERY = 60, 3


def positions(chosen: Game, variant: str) -> Iterator[tuple[Rows, Scene]]:
    """Yield positions of random games in which an action is legal."""
    rules, rng = chosen.make_rules(variant), np.random.default_rng(7)
    rows = Rows(chosen, rules, 1)
    for deal in range(2):
        rows.deal_numbered("a test", [deal])
        for step in range(STEPS):
            if rows.states["over"][0]:
                break
            if step % EVERY == 0:
                yield rows, chosen.layout(rows.states[0], rules)
            rows.step(np.array([rng.choice(list_actions(rows.states["legal"][0]))]))


def drawn_card(item: Item) -> str:
    return RANKS[(item.card >> 2) - 1] + SUIT_SIGNS[item.card & 3]


def drawn_names(scene: Scene) -> dict[str, set[int]]:
    """Return the names on a table, and the legal actions of the items with these names."""
    board, result = ansi(scene), dict[str, set[int]]()
    piles = set(re.findall(r"[a-z]+", board)) & {item.place for item in scene.items}
    for item in scene.items:
        names = {item.place} & piles
        if item.face_up and item.card and drawn_card(item) in board:
            names.add(drawn_card(item))
        for name in names:
            actions = {item.action, *(action for _, action in item.drops)} - {-1}
            result.setdefault(name, set()).update(actions)
    return {name: actions for name, actions in result.items() if actions}


def check_name(name: str, actions: set[int], chosen: Game, rows: Rows) -> bool:
    """Check one name on a table; return whether it was sufficient."""
    every = list_complete_moves(chosen, rows.rules, rows.states)
    moves = [move for move in every if actions & set(move)]
    words = chosen.action_words(rows.states[0], rows.rules)
    try:
        result = parse_move(name.lower(), chosen, rows.rules, rows.states)
    except ValueError as error:
        assert len(moves) > 1, error
        listed = [words[move[-1]][0] for move in moves[:MAX_LISTED]]
        assert all(one in str(error) for one in listed), (name, moves, str(error))
        return False
    assert result in every
    if len(moves) == 1:
        assert result == moves[0]
    return True


@pytest.mark.parametrize(
    ("chosen", "variant"),
    [slow_if(not Case(*one).is_quick, *one, name=f"{one[0].name}-{one[1]}") for one in CASES],
)
def test_what_a_board_shows_is_accepted(chosen: Game, variant: str) -> None:
    for rows, scene in positions(chosen, variant):
        for name, actions in drawn_names(scene).items():
            check_name(name, actions, chosen, rows)
            if name[-1] in SUIT_SIGNS:
                check_name(f"[{name}]", actions, chosen, rows)


@pytest.mark.parametrize("variant", KLONDIKE.variants)
def test_a_card_and_its_target_are_one_move(variant: str) -> None:
    tried = 0
    for rows, scene in positions(KLONDIKE, variant):
        for item in scene.items:
            for place, action in item.drops:
                cards = [one for one in scene.items if one.place == place and one.card]
                for target in [place, *map(drawn_card, cards[-1:]), place.rpartition("-")[2]]:
                    if target in "cdhs":  # the suit of a foundation
                        continue
                    for text in (f"{drawn_card(item)} {target}", f"{drawn_card(item)}>{target}"):
                        result = parse_move(text.lower(), KLONDIKE, rows.rules, rows.states)
                        assert result == [action], text
                        tried += 1
    assert tried > 20


def test_a_card_with_two_targets_is_asked_for_its_target() -> None:
    asked: list[str] = []
    for rows, scene in chain(*(positions(KLONDIKE, variant) for variant in KLONDIKE.variants)):
        for item in scene.items:
            if item.face_up and len({action for _, action in item.drops}) > 1:
                with pytest.raises(ValueError, match="names several moves; choose one:\n") as error:
                    parse_move(drawn_card(item).lower(), KLONDIKE, rows.rules, rows.states)
                asked.append(str(error.value))
    assert asked
    for text in asked:
        name, ways = text.split(" names several moves; choose one:\n")
        assert all(way.startswith(f"  {name} ") for way in ways.split("\n")), text


def test_columns_have_numbers_above_them() -> None:
    rows = Rows(KLONDIKE, KLONDIKE.make_rules(), 1)
    rows.deal_numbered("a test", [0])
    lines = ansi(KLONDIKE.layout(rows.states[0], rows.rules)).splitlines()
    (above,) = (k for k, line in enumerate(lines) if line.split() == [*"1234567"])
    columns = [match.start() for match in re.finditer(r"\d", lines[above])]
    first_cards = [match.span() for match in re.finditer(r"[^ ]+", lines[above + 1])][:7]
    for column, (start, end) in zip(columns, first_cards, strict=True):
        assert start <= column < end


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("Xh", "'xh' is not a legal move"),
        ("foundation-x", "'foundation-x' is not a legal move"),
    ],
)
def test_what_a_board_does_not_show_is_refused(text: str, output: str) -> None:
    rows = Rows(KLONDIKE, KLONDIKE.make_rules(), 1)
    rows.deal_numbered("a test", [0])
    with pytest.raises(ValueError, match=output):
        parse_move(text.lower(), KLONDIKE, rows.rules, rows.states)


def test_a_card_that_cannot_go_is_explained() -> None:
    explained: list[Any] = []
    for rows, scene in positions(KLONDIKE, "classic"):
        names = drawn_names(scene)
        for item in scene.items:
            if item.face_up and item.card and drawn_card(item) not in names:
                with pytest.raises(ValueError, match=r"[.]$") as error:
                    parse_move(drawn_card(item).lower(), KLONDIKE, rows.rules, rows.states)
                explained.append(str(error.value))
    assert any("has no other place: it goes to a " in one for one in explained)
    assert any("Only the top card of the waste can move." in one for one in explained)
