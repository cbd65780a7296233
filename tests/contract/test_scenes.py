"""Tables can be read: nothing lies over words or corners of cards, each word names one action."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from xml.etree import ElementTree

from parlour.envs.core import scene
from parlour.envs.core.scene import Item, Scene, Text
from tests.contract.cases import Case, positions, random_cases
from tests.walkers import legal_actions

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
TAKEN = {"h", "hint", "q", "quit", "?", "help"}
CORNER = 26, 34
"""Pixels of a card's corner that hold its rank and most of its suit."""


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def in_text(thing: Item | Text, left: float) -> Box:
    """The characters that a card with its brackets, or words, take up."""
    column, row = int((thing.x - left) * scene._COLUMNS + 0.5), scene._row(thing)
    if isinstance(thing, Text):
        return column + 1, row, column + 1 + len(thing.text), row + 1
    return column, row, column + 4, row + 1


def in_picture(thing: Item | Text) -> Box:
    if isinstance(thing, Item):
        return scene._item_box(thing)
    x, y = thing.x * scene._STEP_X, thing.y * scene._STEP_Y
    return x, y, x + 8 * len(thing.text), y + 18


def corner(item: Item) -> Box:
    x, y, *_ = in_picture(item)
    return x, y, x + CORNER[0], y + CORNER[1]


def overlapping(drawn: Scene) -> list[object]:
    """Words that lie on words or cards, and face-up cards whose corner is covered."""
    left = min(thing.x for thing in (*drawn.items, *drawn.texts))
    ways: list[Callable[[Item | Text], Box]] = [in_picture, lambda thing: in_text(thing, left)]
    pairs: list[tuple[Item | Text, Item | Text]] = list(combinations(drawn.texts, 2))
    pairs += [(text, item) for text in drawn.texts for item in drawn.items]
    found: list[object] = [p for p in pairs if not all(apart(way(p[0]), way(p[1])) for way in ways)]
    cards = [item for item in drawn.items if item.card and item.face_up]
    found += [
        pair for pair in combinations(cards, 2) if not apart(corner(pair[0]), in_picture(pair[1]))
    ]
    return found


def test_nothing_lies_over_words_or_corners(case: Case) -> None:
    env = case.env(encoding="codes", max_moves=150)
    for _ in positions(env, 2 if case.players == 1 else 6, seed=20, every=7):
        assert overlapping(env.scene()) == [], env.scene()


def test_nothing_lies_over_words_or_corners_with_random_options() -> None:
    for case in random_cases(4, seed=12):
        env = case.env(encoding="codes", max_moves=150)
        for _ in positions(env, 2, seed=21, every=9):
            assert overlapping(env.scene()) == [], env.scene()


def sizes(case: Case, seed: int) -> Counter[tuple[str, ...]]:
    """How often pictures of some games have which width and height."""
    found: Counter[tuple[str, ...]] = Counter()
    env = case.env(encoding="codes", max_moves=150)
    for _ in positions(env, 3, seed=seed, every=7):
        root = ElementTree.fromstring(env.scene()._repr_svg_())
        found[root.attrib["width"], root.attrib["height"], root.attrib["viewBox"]] += 1
    return found


def test_the_picture_has_one_size_through_all_games(case: Case) -> None:
    """Only a pile of uncommon length may make it higher."""
    found = sizes(case, seed=40)
    assert len({(width, box.split()[2]) for width, _, box in found}) == 1, found
    assert found.most_common(1)[0][1] >= 0.9 * found.total(), found


def test_the_picture_has_one_width_with_random_options() -> None:
    for one in random_cases(3, seed=13):
        assert len({box.split()[2] for _, _, box in sizes(one, seed=41)}) == 1, one


def test_a_word_names_one_action_and_every_legal_action_has_one(case: Case) -> None:
    """Whosever turn it is."""
    env = case.whole(encoding="codes", max_moves=150)
    for _ in positions(env, 2, seed=30, every=5):
        known = case.game.action_words(env.state, case.rules)
        said = [word.lower() for action in known for word in known[action]]
        assert len(set(said)) == len(said)
        assert not TAKEN & set(said)
        if not env.rows.states["over"][0]:
            assert set(legal_actions(env.rows)) <= set(known)
