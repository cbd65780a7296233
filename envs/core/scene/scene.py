"""Scenes: descriptions of a table that are drawn as terminal text or SVG, or exported as JSON.

A game's ``layout.py`` builds a `Scene` from a state. `ansi` and `svg` draw the scene, and
`Scene.to_dict` exports it for a page. This module depends on no game, and needs only the standard
library.

The coordinates ``x`` (to the right) and ``y`` (down) are in cards, including the gap between cards:
cards at x = 0, 1, 2 form a row with small gaps. Overlapping cards stay readable in pictures
with steps of at least 0.68 in x and 0.3 in y, and in text with steps of at least 0.5 and 0.25.
Later items are drawn on top of earlier ones.

A face-down card is drawn and printed without its identity. A face-up card with an invalid code
raises ValueError.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from math import ceil, floor, sqrt
from typing import Any, NamedTuple

from ..kernel.cards import RANKS
from ..options import check_range
from . import drawing
from .drawing import STEP_X, STEP_Y, Box, Theme, find_theme, printable
from .items import (
    Button,
    Chips,
    Item,
    Mark,
    Panel,
    Text,
    Trick,
    item_dict,
    item_ids,
    split_card,
)

__all__ = [
    "Button",
    "Chips",
    "Item",
    "Mark",
    "Panel",
    "Scene",
    "Text",
    "Trick",
    "ansi",
    "svg",
    "svg_grid",
]


class Scene(NamedTuple):
    """A drawing of the card table in one position.

    Notebooks show a scene as SVG. ``repr(scene)`` is the text of `ansi`.
    """

    title: str
    """Title of the game."""
    items: tuple[Item, ...]
    """Face-up cards, face-down cards and empty places."""
    texts: tuple[Text, ...] = ()
    """Lines of text, such as the score."""
    canvas: tuple[float, float] = (0.0, 0.0)
    """Width and height of the area from (0, 0) that the largest position can fill.

    The unit is the distance between neighboring cards: a card and the gap to the next card.

    Pictures have at least this size, so that the size stays the same during a game.
    """
    buttons: tuple[Button, ...] = ()
    """Buttons of actions without a card, in pictures only."""
    chips: tuple[Chips, ...] = ()
    """Numbers of chips, in pictures only."""
    panels: tuple[Panel, ...] = ()
    """Backgrounds of the seats, in pictures only."""
    trick: Trick | None = None
    """The last complete trick, in pictures only."""
    news: str = ""
    """A sentence about what was shown last, such as the trumps; empty if nothing was."""
    terminal: "Scene | None" = None
    """The same table arranged in rows for terminal text; None: terminal text shows this scene."""

    def __repr__(self) -> str:
        """Return the scene as text, without the identity of face-down cards."""
        return ansi(self)

    def _repr_svg_(self) -> str:
        return svg(self)

    @property
    def shown_items(self) -> tuple[Item, ...]:
        """The items of pictures: with the last trick while it is on the table."""
        return self.items + (self.trick.items if self.trick and self.trick.shown else ())

    @property
    def shown_texts(self) -> tuple[Text, ...]:
        """The texts of pictures."""
        texts = tuple(text for text in self.texts if text.only != "ansi")
        return (*texts, *self.trick.texts) if self.trick and self.trick.shown else texts

    def to_dict(self) -> dict[str, Any]:
        """Return the scene as values for JSON, without the identity of face-down cards.

        Each entry of ``items`` has these keys: ``id``, which the item keeps when it moves; ``face``
        ("up", "down" or "empty"); ``card`` ("Th", or None); ``x`` and ``y`` in the units of
        ``canvas``; ``label``, a description in words; ``place``, the name of its place or pile, or
        None; ``mark``, its highlight ("legal", "picked", "last", "hidden", "wins" or ""); ``note``,
        a small text; ``count``, the number of cards in its pile, up to this one; ``size``, its
        scale; ``origin``, the place from which it came, or None; ``action``, the legal action of a
        click, or None; and ``drops``, the legal drags: a dictionary from target places to actions.

        ``trick`` is the last complete trick, or None: ``items``, ``texts``, ``text``, the same
        lines as one sentence, and ``shown``, whether it is still on the table.
        """
        last = self.trick.items if self.trick else ()
        ids = item_ids((*self.items, *last))
        items = [item_dict(*pair) for pair in zip((*self.items, *last), ids, strict=True)]
        trick = self.trick and {
            "items": items[len(self.items) :],
            "texts": [text._asdict() for text in self.trick.texts],
            "text": self.trick.sentence,
            "shown": self.trick.shown,
        }
        return {
            "format": 1,
            "title": self.title,
            "canvas": [float(side) for side in self.canvas],
            "items": items[: len(self.items)],
            "trick": trick,
            "texts": [text._asdict() for text in self.texts if text.only != "ansi"],
            "buttons": [button._asdict() for button in self.buttons],
            "chips": [chips._asdict() for chips in self.chips],
            "panels": [panel._asdict() for panel in self.panels],
        }


_GLYPHS = "♣♦♥♠"
_IS_RED = (False, True, True, False)


# ---- terminal text --------------------------------------------------------------------------

_COLUMNS = 6  # Characters per card: four for the card and two for the gap.
_ROWS = 4  # y is rounded to quarters of a card.
_GAP = 1.1  # A larger step in y leaves a blank line.
_BRACKETS = {"": "", "legal": "[]", "picked": "<>", "last": "()", "hidden": "<>", "wins": "()"}
_BOLD, _DIM, _RED, _BLUE, _YELLOW = "1", "2", "31", "34", "1;33"

_Line = dict[int, tuple[str, str]]  # column -> character and its style


def ansi(scene: Scene, colour: bool = False) -> str:
    """Draw a scene as lines of text, with at most 13 cards in 80 columns.

    A face-up card is printed as `` T♥ ``, a face-down card as `` ▒▒ `` and an empty place as
    `` ·· ``. Brackets mark cards: ``[T♥]`` is legal, ``(T♥)`` was played last, and ``<T♥>`` is
    picked or is hidden from the other seats. Notes are below their cards. The lines are in the
    order of ``y``, but the distances between them are not to scale. If several items are at the
    same position, only the last one is shown.

    Args:
        scene: The scene.
        colour: Whether to add ANSI colors. The text is the same without them.

    Returns:
        The text, without a newline at the end.
    """
    scene = scene.terminal or scene
    texts = (text for text in scene.texts if text.only in ("", "ansi"))
    things: list[Item | Text] = sorted((*scene.items, *texts), key=_row)
    left = min((thing.x for thing in things), default=0.0)
    left = min(left, 0.0) if any(scene.canvas) else left
    lines = [_write({}, 0, scene.title, _BOLD)] if scene.title else []
    above = min((thing.y for thing in things), default=0.0)
    for _, group in groupby(things, key=_row):
        row = list(group)
        if row[0].y - above > _GAP:
            lines.append({})
        above = row[0].y
        lines += _row_lines(row, left)
    return "\n".join(_join(line, colour) for line in lines)


def _row(thing: Item | Text) -> int:
    return floor(thing.y * _ROWS + 0.5)


def _row_lines(row: list[Item | Text], left: float) -> list[_Line]:
    """Return the line of a row of cards and texts, and a line of notes if it has any."""
    places: dict[int, Item] = {}
    words: _Line = {}
    for thing in row:
        column = floor((thing.x - left) * _COLUMNS + 0.5)
        if isinstance(thing, Text):
            _write(words, column + 1, thing.text)
        else:
            places.pop(column, None)  # The new item must come last, on top of the others.
            places[column] = thing
    line: _Line = {}
    for column, item in places.items():
        _write_item(line, column, item)
    notes = _notes(places)
    return [line | words, notes] if notes else [line | words]


def _write(line: _Line, column: int, text: str, style: str = "") -> _Line:
    for i, character in enumerate(printable(text)):
        line[column + i] = character, style
    return line


def _write_item(line: _Line, column: int, item: Item) -> None:
    """Write the two characters of an item, with brackets if it is marked."""
    _write(line, column + 1, *_name(item))
    for offset, bracket in zip((0, 3), _BRACKETS[item.mark], strict=False):
        _write(line, column + offset, bracket, _YELLOW)


def _name(item: Item) -> tuple[str, str]:
    """Return the two characters of an item and their style."""
    if not item.card:
        return "··", _DIM
    if not item.face_up:
        return "▒▒", _BLUE
    rank, suit = split_card(item.card)
    return RANKS[rank] + _GLYPHS[suit], _RED if _IS_RED[suit] else ""


def _notes(places: dict[int, Item]) -> _Line:
    """Return the line of notes, centered below their cards, or further right to avoid overlap."""
    line: _Line = {}
    free = 0
    for column, item in sorted(places.items()):
        if item.note:
            start = max(column + 2 - len(item.note) // 2, free)
            _write(line, start, item.note, _DIM)
            free = start + len(item.note) + 1
    return line


def _join(line: _Line, colour: bool) -> str:
    """Return a line as a string, with an escape sequence at each change of style in color."""
    cells = [line.get(column, (" ", "")) for column in range(max(line, default=-1) + 1)]
    parts = []
    for style, run in groupby(cells, key=lambda cell: cell[1]):
        text = "".join(character for character, _ in run)
        parts.append(f"\x1b[{style}m{text}\x1b[0m" if style and colour else text)
    return "".join(parts).rstrip()


# ---- SVG ------------------------------------------------------------------------------------

_MARGIN = 18
_HEADER = 46  # space above the cards if there is a title
_TITLE = 29  # distance of the title's baseline from the upper edge
_GRID = 1280  # default width of a picture of several tables, in pixels
_MOST_COLUMNS = 10000
_WIDEST = 640  # largest default width of a picture, in pixels; larger tables are scaled down


def svg(
    scene: Scene, *, theme: str = "light", four_colours: bool = False, width: int | None = None
) -> str:
    """Draw a scene as an SVG document.

    The document has no IDs, styles or scripts, so one HTML page can contain any number of them. The
    ``<title>`` of each card is its name, or "face-down card". Clickable elements have their action
    as ``data-action``, and cards have their ID as ``data-id``.

    Args:
        scene: The scene.
        theme: ``"light"`` or ``"dark"``.
        four_colours: Whether each suit has its own color.
        width: Width in pixels (None: the size of the table, at most 640).

    Raises:
        ValueError: The theme or the width is invalid.
    """
    look = find_theme(theme, four_colours)
    box = _find_box(scene)
    wide, high = picture_size(scene, width)
    parts = [drawing.begin_svg(wide, high, box, look, scene.title)]
    if scene.title:
        parts.append(drawing.draw_title(scene.title, box[0] + _MARGIN, box[1] + _TITLE, look))
    pairs = zip(scene.shown_items, item_ids(scene.shown_items), strict=True)
    parts += (drawing.draw_panel(panel, look) for panel in scene.panels)
    parts += (drawing.draw_item(item, item_id, look) for item, item_id in pairs)
    parts += (draw(thing, look) for thing, draw, _ in _above(scene))
    return "\n".join([*parts, "</svg>"])


def _above(scene: Scene) -> list[tuple[Any, Callable[[Any, Theme], str], Callable[[Any], Box]]]:
    """Return the things above the cards, with the functions that draw them and find their box."""
    pieces: list[tuple[Any, Callable[[Any, Theme], str], Callable[[Any], Box]]] = []
    pieces += ((text, drawing.draw_text, drawing.text_box) for text in scene.shown_texts)
    pieces += ((chips, drawing.draw_chips, drawing.chips_box) for chips in scene.chips)
    pieces += ((button, drawing.draw_button, drawing.button_box) for button in scene.buttons)
    return pieces


class Piece(NamedTuple):
    """A part of a picture that is drawn separately and placed at (x, y)."""

    x: float
    y: float
    box: Box
    """Bounding box relative to (x, y)."""
    drawn: str
    """The drawing as SVG."""


def picture_pieces(scene: Scene, look: Theme) -> tuple[Box, list[Piece]]:
    """Return the box and the pieces of the picture that `svg` draws, from bottom to top."""
    box = _find_box(scene)
    left, base = box[0] + _MARGIN, box[1] + _TITLE
    title = 0.0, -20.0, drawing.text_width(scene.title, drawing.TITLE_SIZE) + 20, 8.0
    pieces = [Piece(left, base, title, drawing.draw_title(scene.title, 0, 0, look))]
    pieces += (
        Piece(0, 0, _wider(drawing.panel_box(panel)), drawing.draw_panel(panel, look))
        for panel in scene.panels
    )
    pieces += (
        Piece(*drawing.item_place(item), _around(item), drawing.draw_scaled(item, look))
        for item in scene.shown_items
    )
    pieces += (Piece(0, 0, _wider(find(one)), draw(one, look)) for one, draw, find in _above(scene))
    return box, pieces


def _wider(box: Box) -> Box:
    """Return a larger box, with room for outlines and for text that is wider than estimated."""
    wider = 3 + (box[2] - box[0]) * 0.2
    return box[0] - wider, box[1] - 3, box[2] + wider, box[3] + 3


def _around(item: Item) -> Box:
    """Return the box of an item at (0, 0) with its outline, shadow, badge and note."""
    left, top, right, bottom = drawing.item_box(item._replace(x=0, y=0))
    return left - 4, top - 9, right + 8, bottom + 9


def svg_grid(
    scenes: Sequence[Scene],
    *,
    theme: str = "light",
    four_colours: bool = False,
    width: int | None = None,
    columns: int | None = None,
) -> str:
    """Draw several scenes as one SVG document, row by row.

    Args:
        scenes: The scenes, at least one.
        theme: See `svg`.
        four_colours: See `svg`.
        width: Width of the whole picture in pixels (None: 1280).
        columns: Number of columns (None: as many as make the picture approximately square).

    Raises:
        ValueError: There are no scenes, or the theme, the width or the number of columns is
            invalid.
    """
    columns, each = grid_columns(scenes, width, columns)
    high = max(picture_size(scene, each)[1] for scene in scenes)
    tables = [
        svg(scene, theme=theme, four_colours=four_colours, width=each).replace(
            "<svg ", f'<svg x="{i % columns * each}" y="{i // columns * high}" ', 1
        )
        for i, scene in enumerate(scenes)
    ]
    wide, whole = columns * each, ceil(len(scenes) / columns) * high
    felt = f'<rect width="{wide}" height="{whole}" fill="{find_theme(theme).felt}"/>'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{whole}">'
    return "\n".join([start, felt, *tables, "</svg>"])


def grid_columns(
    scenes: Sequence[Scene], width: int | None, columns: int | None
) -> tuple[int, int]:
    """Return the number of columns of a grid, and the width of each table in pixels."""
    if not scenes:
        raise ValueError("scenes must contain at least one scene, got none")
    if columns is not None:
        check_range("columns", columns, 1, _MOST_COLUMNS)
    tall = max(high / wide for wide, high in map(picture_size, scenes))
    columns = min(len(scenes), columns or max(1, round(sqrt(len(scenes) * tall))))
    each = max(100, (_GRID if width is None else width) // columns)
    return columns, each - each % 2


def picture_size(scene: Scene, width: int | None = None) -> tuple[int, int]:
    """Return width and height of a picture in pixels, both even, as video codecs need.

    If the scene has a canvas, the size does not depend on the position.
    """
    left, top, right, bottom = _canvas_box(scene) if any(scene.canvas) else _find_box(scene)
    if width is None:
        width = int(min(_WIDEST, right - left))
    else:
        width = check_range("width", width, 100, 10000)
    return width - width % 2, 2 * round(width * (bottom - top) / (right - left) / 2)


def _canvas_box(scene: Scene) -> Box:
    """Return the box of the canvas with margins and title."""
    wide, high = scene.canvas
    top = -_HEADER if scene.title else -_MARGIN
    gap_x, gap_y = STEP_X - drawing.WIDTH, STEP_Y - drawing.HEIGHT
    return -_MARGIN, top, wide * STEP_X - gap_x + _MARGIN, high * STEP_Y - gap_y + _MARGIN


def _find_box(scene: Scene) -> Box:
    """Return the box of everything drawn, with margins; the width of text is estimated."""
    boxes = [
        *map(drawing.item_box, scene.shown_items),
        *map(drawing.button_box, scene.buttons),
        *map(drawing.chips_box, scene.chips),
        *map(drawing.panel_box, scene.panels),
        *map(drawing.text_box, scene.shown_texts),
    ] or [(0.0, 0.0, 1.0, 1.0)]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    left, top = min(lefts) - _MARGIN, min(tops) - (_HEADER if scene.title else _MARGIN)
    right = (
        max(*rights, left + _MARGIN + drawing.text_width(scene.title, drawing.TITLE_SIZE)) + _MARGIN
    )
    box = left, top, right, max(bottoms) + _MARGIN
    if not any(scene.canvas):
        return box
    least = _canvas_box(scene)
    return (*map(min, box[:2], least[:2]), *map(max, box[2:], least[2:]))
