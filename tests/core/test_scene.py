"""Scenes: what the text and the picture show, and that a face-down card shows nothing."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from parlour.envs.core.kernel import cards
from parlour.envs.core.scene import items
from parlour.envs.core.scene.scene import Item, Mark, Scene, Text, ansi, svg

SVG = "{http://www.w3.org/2000/svg}"
TEN_OF_HEARTS, ACE_OF_CLUBS, KING_OF_SPADES = 42, 4, 55


def of(*items: Item, texts: tuple[Text, ...] = (), title: str = "") -> Scene:
    return Scene(title, items, texts)


def pyramid() -> Scene:
    """The largest patience table: seven rows, an extra row, stock and waste, all with notes."""
    places = [(row, column) for row in range(7) for column in range(row + 1)]
    rows = [
        Item(5 - row / 2 + column, row / 2, 4 + n, mark="legal" if row == 6 else "", note=str(n))
        for n, (row, column) in enumerate(places)
    ]
    extra = [Item(2 + n, 4.25, 32 + n, note=str(28 + n)) for n in range(6)]
    piles = [Item(0, 0, 40, False, note="stock 14"), Item(0, 1.5, 41, note="waste 1")]
    return Scene("Pyramid", (*rows, *extra, *piles), (Text(8, 0, "pass 1 of 2"),))


def titles(drawn: str) -> list[str | None]:
    """The titles of the items, in drawing order."""
    return [group[0].text for group in ElementTree.fromstring(drawn) if group.tag == SVG + "g"]


def words(drawn: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(drawn).iter(SVG + "text")]


def test_names_agree_with_the_cards_module() -> None:
    assert [word[0] for word in items.SUIT_WORDS] == list(cards.SUITS)
    assert len(items.RANK_WORDS) == len(cards.RANKS) == 13


def test_text_of_a_small_pyramid() -> None:
    table = of(
        Item(1, 0, ACE_OF_CLUBS),
        Item(0.5, 0.5, 0),
        Item(1.5, 0.5, 40, face_up=False),
        Item(0, 1, TEN_OF_HEARTS, mark="legal", note="3"),
        Item(1, 1, KING_OF_SPADES, mark="picked", note="4"),
        Item(2, 1, 5, mark="last"),
        texts=(Text(3, 0, "pass 1"),),
        title="Pyramid",
    )
    assert ansi(table).split("\n") == [
        "Pyramid",
        "       A♣          pass 1",
        "    ··    ▒▒",
        "[T♥]  <K♠>  (A♦)",
        "  3     4",
    ]


def test_a_numbered_pyramid_fits_a_terminal() -> None:
    lines = ansi(pyramid()).split("\n")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    indents = [len(line) - len(line[9:].lstrip(" [")) for line in lines[1:14:2]]
    assert [before - after for before, after in pairwise(indents)] == [3] * 6


def test_thirteen_cards_fit_a_terminal() -> None:
    assert len(ansi(of(*(Item(n, 0, 4 + n, mark="legal") for n in range(13))))) <= 80


def test_colour_changes_nothing_but_colour() -> None:
    coloured = ansi(pyramid(), colour=True)
    assert "\x1b[31mT♥\x1b[0m" in ansi(of(Item(0, 0, TEN_OF_HEARTS)), colour=True)
    assert "\x1b" not in ansi(of(Item(0, 0, ACE_OF_CLUBS)), colour=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == ansi(pyramid()) != coloured


def test_later_items_lie_on_top() -> None:
    table = of(Item(0, 0, ACE_OF_CLUBS, mark="legal"), Item(0, 0, KING_OF_SPADES))
    assert ansi(table) == " K♠"
    assert titles(svg(table)) == ["ace of clubs", "king of spades"]


def test_a_fan_half_a_card_apart_stays_readable() -> None:
    fan = of(*(Item(n / 2, 0, 4 * (n + 1), mark="legal" if n == 3 else "") for n in range(4)))
    assert ansi(fan) == " A♣ 2♣ 3♣[4♣]"


def test_notes_never_run_into_each_other() -> None:
    table = of(Item(0, 0, 4, note="stock 24"), Item(1, 0, 5, note="waste 12"))
    assert ansi(table).split("\n")[1] == "stock 24 waste 12"


def test_a_wide_step_down_leaves_a_blank_line() -> None:
    assert ansi(of(Item(0, 0, 4), Item(0, 1, 5), Item(0, 2.25, 6))) == " A♣\n A♦\n\n A♥"


def test_negative_coordinates_are_shifted_into_view() -> None:
    moved = of(Item(-3, -2, TEN_OF_HEARTS), Item(-2, -1.5, 0))
    assert ansi(moved) == ansi(of(Item(0, 0, TEN_OF_HEARTS), Item(1, 0.5, 0)))


@pytest.mark.parametrize("mark", ["", "legal", "picked", "last", "hidden"])
def test_a_face_down_card_does_not_show_which_it_is(mark: Mark) -> None:
    tables = [of(Item(1, 0, card, False, mark, "stock 9"), Item(0, 0, 7)) for card in range(1, 56)]
    assert len({svg(table) for table in tables}) == 1
    assert len({(ansi(table), ansi(table, colour=True), repr(table)) for table in tables}) == 1
    assert titles(svg(tables[0])) == ["face-down card", "ace of spades"]


def test_every_card_has_its_own_text_and_picture() -> None:
    pack = [of(Item(0, 0, card)) for card in range(4, 56)]
    assert len({ansi(table) for table in pack}) == len({svg(table) for table in pack}) == 52
    assert titles(svg(of(Item(0, 0, TEN_OF_HEARTS), Item(1, 0, 0)))) == [
        "ten of hearts",
        "empty place",
    ]
    assert words(svg(of(Item(0, 0, TEN_OF_HEARTS)))) == []  # no font is needed to read a card


@pytest.mark.parametrize("card", [-1, 1, 3, 56])
def test_a_face_up_card_must_exist(card: int) -> None:
    for draw in (ansi, svg):
        with pytest.raises(ValueError, match=f"card must be .*, got {card}$"):
            draw(of(Item(0, 0, card)))


@pytest.mark.parametrize("wide", [1, 7, 13, 20])
def test_the_picture_is_valid_and_not_too_wide(wide: int) -> None:
    root = ElementTree.fromstring(svg(of(*(Item(n, n / 3, 4 + n) for n in range(wide)))))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    shown = float(root.attrib["width"]), float(root.attrib["height"])
    assert shown[0] <= 640
    assert shown[0] / shown[1] == pytest.approx(width / height, rel=0.02)


def test_everything_lies_inside_the_picture() -> None:
    table = of(Item(-2, -1, 4, note="a long note"), texts=(Text(3, 5, "words"),), title="Title")
    root = ElementTree.fromstring(svg(table))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert left < -2 * 64
    assert top < -92
    assert left + width > 3 * 64 + 30
    assert top + height > 5 * 92 + 14


def test_a_canvas_gives_every_position_one_size() -> None:
    first, last = of(Item(1, 1, 4), Item(4, 2, 5)), of(Item(4, 2, 5), texts=(Text(3, 2, "end"),))

    def drawn(table: Scene) -> list[str]:
        result = ElementTree.fromstring(svg(table._replace(canvas=(6, 4)))).attrib
        return [result[name] for name in ("width", "height", "viewBox")]

    assert drawn(first) == drawn(last) == drawn(of())
    assert svg(first).splitlines()[0] != svg(last).splitlines()[0]  # what it was without
    assert float(drawn(of(Item(7, 0, 4)))[2].split()[2]) > float(drawn(of())[2].split()[2])
    assert ansi(last._replace(canvas=(6, 4))).startswith(" " * 19)  # lines keep their margin, too


def test_marks_differ_in_the_picture() -> None:
    marks: tuple[Mark, ...] = ("", "legal", "picked", "last", "hidden")
    assert len({svg(of(Item(0, 0, TEN_OF_HEARTS, mark=mark))) for mark in marks}) == 5


def test_text_is_escaped_and_control_characters_are_replaced() -> None:
    nasty = "<b>&\"' \x00\x1b[31m\n"
    table = of(Item(0, 0, 4, note=nasty), texts=(Text(0, 2, nasty),), title=nasty)
    clean = "<b>&\"' ��[31m�"
    assert words(svg(table)).count(clean) == 3
    assert ElementTree.fromstring(svg(table))[0].text == clean
    assert len(ansi(table).split("\n")) == 5
    assert "\x1b" not in ansi(table)


def test_an_empty_scene_can_be_drawn() -> None:
    assert ansi(of()) == ""
    assert ansi(of(title="Pyramid")) == "Pyramid"
    assert ElementTree.fromstring(svg(of())).tag == SVG + "svg"


def test_notebooks_and_prompts_show_the_drawing() -> None:
    assert pyramid()._repr_svg_() == svg(pyramid())
    assert repr(pyramid()) == ansi(pyramid())
