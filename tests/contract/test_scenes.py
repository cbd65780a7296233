"""Tables can be read: nothing lies over words or corners of cards, each word names one action."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from parlour.envs.core.rows import view_states
from parlour.envs.core.scene import drawing, scene
from parlour.envs.core.scene.scene import Button, Chips, Item, Scene, Text
from parlour.envs.core.scene.seating import LONGEST_NAME, name_players
from tests.contract.cases import Case, positions, random_cases
from tests.marks import slow_if
from tests.walkers import legal_actions

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
TAKEN = {"h", "hint", "q", "quit", "?", "help"}
Thing = Item | Text | Button | Chips


def apart(one: Box, other: Box) -> bool:
    """Whether two boxes do not overlap; they may touch, except for rounding errors."""
    return any(a[k + 2] <= b[k] + 1e-6 for a, b in ((one, other), (other, one)) for k in (0, 1))


def in_text(thing: Item | Text, left: float) -> Box:
    """The characters that a card with its brackets, or words, take up."""
    column, row = int((thing.x - left) * scene._COLUMNS + 0.5), scene._row(thing)
    if isinstance(thing, Text):
        return column + 1, row, column + 1 + len(thing.text), row + 1
    return column, row, column + 4, row + 1


def in_picture(thing: Thing) -> Box:
    if isinstance(thing, Item):
        return drawing.item_box(thing)
    if isinstance(thing, Button):
        return drawing.button_box(thing)
    return drawing.text_box(thing) if isinstance(thing, Text) else drawing.chips_box(thing)


def corner(item: Item) -> Box:
    """Where its rank and suit are."""
    x, y, *_ = in_picture(item)
    return x, y, x + drawing.CORNER[0] * item.size, y + drawing.CORNER[1] * item.size


def shown_as_text(drawn: Scene) -> list[Text]:
    return [text for text in drawn.texts if text.only in ("", "ansi")]


def overlapping(drawn: Scene) -> list[object]:
    """Words that lie on words or cards, and face-up cards whose corner is covered."""
    rows = drawn.terminal or drawn
    texts = shown_as_text(rows)
    left = min(thing.x for thing in (*rows.items, *texts))
    result = overlaps(rows.items, texts, lambda thing: in_text(thing, left))
    # A page also shows the last trick on request, instead of the current one.
    last = drawn.trick._replace(shown=True) if drawn.trick else None
    others = tuple(item for item in drawn.items if not item.place.startswith("trick-"))
    for shown in [drawn, *([drawn._replace(items=others, trick=last)] if last else [])]:
        words = [*shown.shown_texts, *shown.chips, *shown.buttons]
        result += overlaps(shown.shown_items, words, in_picture)
        cards = [item for item in shown.shown_items if item.card and item.face_up]
        result += [
            pair
            for pair in combinations(cards, 2)
            if not apart(corner(pair[0]), in_picture(pair[1]))
        ]
    return result


def overlaps(items: Sequence[Item], things: list[Any], box: Callable[[Any], Box]) -> list[object]:
    pairs = [*combinations(things, 2), *((one, item) for one in things for item in items)]
    return [pair for pair in pairs if not apart(box(pair[0]), box(pair[1]))]


def test_nothing_lies_over_words_or_corners(case: Case) -> None:
    env = case.env(encoding="codes", max_moves=150)
    for _ in positions(env, 2 if case.players == 1 else 6, seed=20, every=7):
        assert overlapping(env.scene()) == [], env.scene()
        names = names_of_others(env)
        named = name_players(env.scene(), names)
        assert overlapping(named) == [], named
        shown = [text for text in named.texts if text.text in names.values()]
        assert len(shown) == max(0, len(named.panels) - 1)
        assert all(is_in_a_panel(text, named) for text in shown)


def names_of_others(env: Any) -> dict[int, str]:
    """Names of the other players, as long as a table shows them, by seat."""
    seats = set(range(10)) - {int(env.rows.seats[0])}
    return {seat: f"{seat:x}" * LONGEST_NAME for seat in seats}


def is_in_a_panel(text: Text, drawn: Scene) -> bool:
    left, top, right, bottom = in_picture(text)
    return any(
        box[0] <= left and box[1] <= top and right <= box[2] and bottom <= box[3] + 1e-6
        for box in map(drawing.panel_box, drawn.panels)
    )


def test_nothing_lies_over_words_or_corners_with_random_options() -> None:
    for case in random_cases(4, seed=12):
        env = case.env(encoding="codes", max_moves=150)
        for _ in positions(env, 2, seed=21, every=9):
            assert overlapping(env.scene()) == [], env.scene()
            assert overlapping(name_players(env.scene(), names_of_others(env))) == [], env.scene()


def sizes(case: Case, seed: int) -> Counter[tuple[str, ...]]:
    """How often pictures of some games have which width and height."""
    result: Counter[tuple[str, ...]] = Counter()
    env = case.env(encoding="codes", max_moves=150)
    for _ in positions(env, 3, seed=seed, every=7):
        root = ElementTree.fromstring(env.scene()._repr_svg_())
        result[root.attrib["width"], root.attrib["height"], root.attrib["viewBox"]] += 1
    return result


def test_the_picture_has_one_size_through_all_games(case: Case) -> None:
    """Only a pile of uncommon length may make it higher."""
    result = sizes(case, seed=40)
    assert len({(width, box.split()[2]) for width, _, box in result}) == 1, result
    assert result.most_common(1)[0][1] >= 0.9 * result.total(), result


@pytest.mark.parametrize("each", [1, slow_if(True, 3)])
def test_the_picture_has_one_width_with_random_options(each: int) -> None:
    for one in random_cases(each, seed=13):
        assert len({box.split()[2] for _, _, box in sizes(one, seed=41)}) == 1, one


def test_a_word_names_one_action_and_every_legal_action_has_one(case: Case) -> None:
    """Whosever turn it is."""
    env = case.whole(encoding="codes", max_moves=150)
    for _ in positions(env, 2, seed=30, every=5):
        known = case.game.action_words(env.state, case.rules)
        output = [word.lower() for action in known for word in known[action]]
        assert len(set(output)) == len(output)
        assert not TAKEN & set(output)
        if not env.rows.states["over"][0]:
            assert set(legal_actions(env.rows)) <= set(known)


def reachable(drawn: Scene) -> set[int]:
    """What can be chosen by clicking, dragging and pressing buttons."""
    result = {item.action for item in drawn.items if item.action >= 0}
    result |= {action for item in drawn.items for _, action in item.drops}
    return result | {button.action for button in drawn.buttons if button.legal}


def scene_of(case: Case, env: Any, seat: int) -> Scene:
    """The table as a seat sees it."""
    if case.players == 1:
        return case.game.layout(env.state, case.rules)
    return case.game.layout(
        view_states(case.game, case.rules, env.clone(), np.array([seat]))[0], case.rules
    )


def check_choices(case: Case, games: int, seed: int) -> None:
    """What is offered is what is legal for the seat that is asked, and nothing for the others."""
    env = case.whole(encoding="codes", max_moves=150)
    for _ in positions(env, games, seed, every=3):
        over = env.rows.states["over"][0]
        for seat in range(case.players):
            asked = not over and (case.players == 1 or env.state["turn"] == seat)
            legal = set(legal_actions(env.rows)) if asked else set()
            drawn = scene_of(case, env, seat)
            assert reachable(drawn) == legal, (case, seat, drawn)


def test_a_page_can_choose_every_legal_action_and_no_other(case: Case) -> None:
    check_choices(case, 3, seed=50)


@pytest.mark.parametrize("each", [1, slow_if(True, 6)])
def test_a_page_can_choose_every_legal_action_with_random_options(each: int) -> None:
    for case in random_cases(each, seed=14):
        check_choices(case, 2, seed=51)


def test_scenes_are_json_whose_ids_name_one_thing_each(case: Case) -> None:
    env = case.env(encoding="codes", max_moves=150)
    for _ in positions(env, 2, seed=53, every=7):
        told = env.scene().to_dict()
        assert json.loads(json.dumps(told)) == told
        ids = [item["id"] for item in told["items"]]
        assert len(set(ids)) == len(ids), ids
        up = [item for item in told["items"] if item["face"] == "up"]
        assert all(item["id"].split("@")[0] == item["card"] for item in up)
        places = {item["place"] for item in told["items"]}
        assert None not in places
        assert {place for item in told["items"] for place in item["drops"]} <= places
