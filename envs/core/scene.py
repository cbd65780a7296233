"""A scene: which card lies where on a table, drawn as terminal text or as SVG.

A game's `layout.py` builds a `Scene` from a state; `ansi` and `svg` draw it. Nothing here knows a
game, and nothing beyond the standard library is needed.

Coordinates: `x` runs to the right and `y` downwards, in cards; the card's share of the gap to its
neighbour is included, so cards at x = 0, 1, 2 lie side by side with a little table between them.
Cards fanned sideways stay readable down to a step of 0.5, cards fanned downwards to 0.4 as SVG and
to 0.25 as text. Later items lie on top of earlier ones.

A face-down card gives nothing away: it is drawn (and printed) without looking at which card it is.
A face-up card with a code that no card has raises ValueError.
"""

from html import escape
from itertools import groupby
from math import floor
from typing import Literal, NamedTuple

from .cards import RANKS

Mark = Literal["", "legal", "picked", "last"]


class Item(NamedTuple):
    """A card, a back or an empty place."""

    x: float
    """Left edge, in cards."""
    y: float
    """Top edge, in cards."""
    card: int
    """Code value*4 + suit (4 to 55); 0 is an empty place. Face down, any other number will do."""
    face_up: bool = True
    """False draws a back."""
    mark: Mark = ""
    """Highlight: the card may be played, is picked up, or was moved last."""
    note: str = ""
    """Small text: up to three characters on the card, more than that below it."""


class Text(NamedTuple):
    """Words on the table; (x, y) is their top-left corner."""

    x: float
    y: float
    text: str


class Scene(NamedTuple):
    """All that lies on a table. Notebooks show it as SVG, prompts as text."""

    title: str
    items: tuple[Item, ...]
    texts: tuple[Text, ...] = ()
    canvas: tuple[float, float] = (0.0, 0.0)
    """Width and height, in cards from (0, 0), that every position by the same rules may take up.

    Pictures are at least so large: so they have one size through a whole game.
    """

    def __repr__(self) -> str:
        """The scene as text: unlike the plain tuple, it does not print face-down cards."""
        return ansi(self)

    def _repr_svg_(self) -> str:
        return svg(self)


_GLYPHS = "♣♦♥♠"
_IS_RED = (False, True, True, False)
_SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
_RANK_WORDS = (
    *("ace", "two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king"),
)


def _split(card: int) -> tuple[int, int]:
    """Rank (0 = ace … 12 = king) and suit of a card; ValueError where there is no such card."""
    value, suit = divmod(card, 4)
    if not 1 <= value <= 13:
        raise ValueError(f"card {card} is neither 0 (an empty place) nor from 4 to 55")
    return value - 1, suit


def _printable(text: str) -> str:
    """`text` with control characters replaced: no escapes in a log, no invalid XML."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


# ---- terminal text --------------------------------------------------------------------------

_COLUMNS = 6  # characters from one card to the next: four for the card, two for the gap
_ROWS = 4  # y is rounded to quarters of a card
_GAP = 1.1  # a step in y above this leaves a blank line
_BRACKETS = {"": "", "legal": "[]", "picked": "<>", "last": "()"}
_BOLD, _DIM, _RED, _BLUE, _YELLOW = "1", "2", "31", "34", "1;33"

_Line = dict[int, tuple[str, str]]  # column -> character and its style


def ansi(scene: Scene, colour: bool = False) -> str:
    """Draw `scene` as lines of text: at most 13 cards in 80 columns.

    A card is ` T♥ `, a back ` ▒▒ `, an empty place ` ·· `; brackets mark it: `[legal]`,
    `<picked>`, `(last)`. Its note stands below it. Lines follow one another in the order of `y`,
    not to scale, so a table needs no more lines than it has rows. Of several items at one place
    only the last is shown. `colour` adds ANSI escapes; without it the text is the same, but plain.
    """
    things: list[Item | Text] = sorted((*scene.items, *scene.texts), key=_row)
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
    """The cards and texts of one row, and the notes below it if it has any."""
    places: dict[int, Item] = {}
    words: _Line = {}
    for thing in row:
        column = floor((thing.x - left) * _COLUMNS + 0.5)
        if isinstance(thing, Text):
            _write(words, column + 1, thing.text)
        else:
            places.pop(column, None)  # so that the new item comes last, and lies on top
            places[column] = thing
    line: _Line = {}
    for column, item in places.items():
        _write_item(line, column, item)
    notes = _notes(places)
    return [line | words, notes] if notes else [line | words]


def _write(line: _Line, column: int, text: str, style: str = "") -> _Line:
    for i, character in enumerate(_printable(text)):
        line[column + i] = character, style
    return line


def _write_item(line: _Line, column: int, item: Item) -> None:
    """Two characters for the card; brackets around them only where it is marked."""
    _write(line, column + 1, *_name(item))
    for offset, bracket in zip((0, 3), _BRACKETS[item.mark], strict=False):
        _write(line, column + offset, bracket, _YELLOW)


def _name(item: Item) -> tuple[str, str]:
    """Two characters, and their style."""
    if not item.card:
        return "··", _DIM
    if not item.face_up:
        return "▒▒", _BLUE
    rank, suit = _split(item.card)
    return RANKS[rank] + _GLYPHS[suit], _RED if _IS_RED[suit] else ""


def _notes(places: dict[int, Item]) -> _Line:
    """Notes centred below their cards, moved to the right where they would touch."""
    line: _Line = {}
    free = 0
    for column, item in sorted(places.items()):
        if item.note:
            start = max(column + 2 - len(item.note) // 2, free)
            _write(line, start, item.note, _DIM)
            free = start + len(item.note) + 1
    return line


def _join(line: _Line, colour: bool) -> str:
    """One line as a string, with an escape at each change of style if in colour."""
    cells = [line.get(column, (" ", "")) for column in range(max(line, default=-1) + 1)]
    parts = []
    for style, run in groupby(cells, key=lambda cell: cell[1]):
        text = "".join(character for character, _ in run)
        parts.append(f"\x1b[{style}m{text}\x1b[0m" if style and colour else text)
    return "".join(parts).rstrip()


# ---- SVG ------------------------------------------------------------------------------------

_STEP_X, _STEP_Y = 64, 92  # from one card to the next
_WIDTH, _HEIGHT = 58, 84  # a card
_MARGIN = 18
_WIDEST = 640  # of the picture, in pixels; a larger table is scaled down
_LIFT = 7  # a picked card is raised by so much
_SHORT = 3  # notes up to this length stand on the card
_FELT, _PALE = "#2f6d56", "#e9f2ec"
_EMPTY = f'fill="#000" fill-opacity="0.1" stroke="{_PALE}" stroke-opacity="0.4"'
_WHITE = 'fill="#fdfdfb" stroke="#1d4536"'
_BLUE_FIELD = 'fill="#2f5597" stroke="#24437a"'
_BOLD_FACE, _MIDDLE = ' font-weight="bold"', ' text-anchor="middle"'
_OUTLINES = {
    "legal": 'stroke="#ffd23f" stroke-width="3.5"',
    "picked": 'stroke="#ff8c1a" stroke-width="5"',
    "last": 'stroke="#5bb8ff" stroke-width="3.5" stroke-dasharray="7 4"',
}


def svg(scene: Scene) -> str:
    """Draw `scene` as a picture: an SVG document, at most 640 pixels wide.

    It has no ids, styles or scripts, so any number of them can stand in one HTML page. Each card
    carries its name as a `<title>`; that of a back is "face-down card", whichever card it is.
    """
    left, top, width, height = _box(scene)
    scale = min(1.0, _WIDEST / width)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale:.0f}" '
        f'height="{height * scale:.0f}" viewBox="{left:g} {top:g} {width:g} {height:g}" '
        f'font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(_printable(scene.title))}</title>",
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="14" '
        f'fill="{_FELT}"/>',
    ]
    if scene.title:
        parts.append(_words(left + _MARGIN, top + 29, 17, scene.title, more=_BOLD_FACE))
    parts += (_drawing(item) for item in scene.items)
    parts += (_words(t.x * _STEP_X, t.y * _STEP_Y + 14, 14, t.text, more="") for t in scene.texts)
    return "\n".join([*parts, "</svg>"])


def _box(scene: Scene) -> tuple[float, float, float, float]:
    """Left, top, width and height of the picture; the width of words is estimated."""
    wide, high = scene.canvas
    boxes = [_item_box(item) for item in scene.items] or [(0.0, 0.0, 1.0, 1.0)]
    boxes += [(0.0, 0.0, wide * _STEP_X, high * _STEP_Y)] if wide or high else []
    for x, y, text in scene.texts:
        x, y = x * _STEP_X, y * _STEP_Y
        boxes.append((x, y, x + 8 * len(text), y + 18))
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    left, top = min(lefts) - _MARGIN, min(tops) - (44 if scene.title else _MARGIN)
    right = max(*rights, left + _MARGIN + len(scene.title) * 10) + _MARGIN
    return left, top, right - left, max(bottoms) + _MARGIN - top


def _item_box(item: Item) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of an item with its note."""
    x, y = item.x * _STEP_X, item.y * _STEP_Y
    below = len(item.note) > _SHORT
    wider = max(0.0, len(item.note) * 7 - _WIDTH) / 2 if below else 0.0
    return x - wider, y, x + _WIDTH + wider, y + _HEIGHT + (18 if below else 0)


def _words(x: float, y: float, size: int, text: str, fill: str = _PALE, more: str = _MIDDLE) -> str:
    """Words with their baseline at y: centred on x, or beginning there if `more` is empty."""
    start = f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}"{more}>'
    return f"{start}{escape(_printable(text))}</text>"


def _card_rect(attributes: str, inset: float = 0) -> str:
    """The outline of a card, or one `inset` inside it."""
    return (
        f'<rect x="{inset:g}" y="{inset:g}" width="{_WIDTH - 2 * inset:g}" '
        f'height="{_HEIGHT - 2 * inset:g}" rx="{6 - inset / 2:g}" {attributes}/>'
    )


def _drawing(item: Item) -> str:
    """One item as a group: title, card, highlight, note."""
    if not item.card:
        name, body = "empty place", _card_rect(_EMPTY)
    elif not item.face_up:
        name, body = "face-down card", _back()
    else:
        rank, suit = _split(item.card)
        name, body = f"{_RANK_WORDS[rank]} of {_SUIT_WORDS[suit]}", _face(rank, suit)
    outline = _card_rect(f'fill="none" {_OUTLINES[item.mark]}') if item.mark else ""
    x, y = item.x * _STEP_X, item.y * _STEP_Y - (_LIFT if item.mark == "picked" else 0)
    return (
        f'<g transform="translate({x:g} {y:g})" role="img"><title>{name}</title>'
        f"{body}{outline}{_note(item.note)}</g>"
    )


def _back() -> str:
    """A blue back: white border, a field with dots."""
    dots = "".join(f"M{14 + i % 2 * 5} {14 + i * 7}h{31 - i % 2 * 10}" for i in range(9))
    return (
        _card_rect(_WHITE)
        + _card_rect(_BLUE_FIELD, inset=5)
        + f'<path d="{dots}" fill="none" stroke="#a9c1ea" stroke-width="3" '
        'stroke-linecap="round" stroke-dasharray="0 10"/>'
    )


def _face(rank: int, suit: int) -> str:
    """Rank over suit in the corner that fans leave free; a large suit where they cover it."""
    ink = "#c8102e" if _IS_RED[suit] else "#1b1f24"
    label = "10" if RANKS[rank] == "T" else RANKS[rank]
    return (
        _card_rect(_WHITE)
        + f'<g{_BOLD_FACE} letter-spacing="-1">{_words(14, 21, 19, label, ink)}</g>'
        + _words(14, 39, 21, _GLYPHS[suit], ink)
        + _words(43, 74, 33, _GLYPHS[suit], ink)
    )


def _note(note: str) -> str:
    """A short note on a badge in the upper right corner, a longer one below the card."""
    if len(note) > _SHORT:
        return _words(_WIDTH / 2, _HEIGHT + 14, 12, note)
    if not note:
        return ""
    width = 8 + 7 * len(note)
    return (
        f'<rect x="{_WIDTH - width - 4}" y="5" width="{width}" height="16" rx="8" fill="#33475b"/>'
        + _words(_WIDTH - width / 2 - 4, 17, 12, note, "#fff")
    )
