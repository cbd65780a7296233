"""Arrangement of a table with several seats: the viewer at the bottom, the others around it.

The table is nearly square, so that it fits a phone and a wide screen. It is so narrow that on a
screen of 390 pixels the text is legible and the viewer's cards are at least 44 pixels wide. All
distances in this module are in SVG units; the functions that make items, texts and panels convert
them to cards.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from . import drawing
from .drawing import HEIGHT, STEP_X, STEP_Y, Box
from .items import Anchor, Button, Chips, Item, Look, Panel, Text
from .scene import Scene

WIDTH = 486.0
"""Width of the table."""
GAP = 9.0
COLUMN = 158.0
"""Width of the area of another seat."""
PAD = 5.0
"""Distance from the edge of an area to its content."""
LINE = 20.0
OWN_SIZE, BACK_SIZE = 1.15, 0.22
"""Scale of the viewer's cards, and of the backs of the other seats' cards."""
LONGEST_ROW = 8
"""Maximum number of the viewer's cards in a row."""
ROW_STEP = 0.4
"""Distance between two rows of the viewer's cards, in heights of a card."""
PLAYED_STEP = 47.0
"""Distance between the columns of played cards; it leaves the corners of the cards visible, also
beside the thick outline of the winning card."""
LONGEST_NAME = 15
"""Maximum number of characters of a player's name."""
MOST_ON_A_SIDE = 3
BUTTON, BUTTON_GAP = 26.0, 3.0
"""Height of a button, and the distance to the next one."""


class Seating(NamedTuple):
    """The areas of a table. The seats are numbered from the viewer in the direction of play."""

    areas: tuple[Box, ...]
    """The area of each seat. The viewer's area is above its cards."""
    spots: tuple[tuple[float, float], ...]
    """The upper left corner of the card that each seat plays to a trick."""
    corners: tuple[Box, Box]
    """The upper corners of the table. With many seats, areas of seats cover them."""
    center: Box
    message: float
    """Upper edge of the line of text in the middle."""
    hand: float
    """Upper edge of the viewer's cards."""
    buttons: float
    """Upper edge of the buttons below the viewer's cards."""
    canvas: tuple[float, float]
    """Width and height of the table, in cards."""


def arrange_seats(
    players: int,
    area_height: float,
    *,
    middle: float,
    corner: float = 0.0,
    messages: int = 1,
    own_lines: int = 1,
    cards: int = LONGEST_ROW,
    buttons: int = 1,
) -> Seating:
    """Return the areas of a table.

    Args:
        players: Number of seats, 2 to 10.
        area_height: Height of the area of another seat, with a free line for `name_players`.
        middle: Minimum height of the center.
        corner: Minimum height of the upper corners.
        messages: Number of lines of text below the center.
        own_lines: Number of lines of text in the viewer's area.
        cards: Number of cards in the longest common hand.
        buttons: Number of rows of buttons below the hand.
    """
    aside = min(MOST_ON_A_SIDE, (players - 1) // 2)
    across = players - 1 - 2 * aside
    high = max(middle, aside * (area_height + GAP) - GAP)
    top = max(area_height, corner) + GAP
    free = (high - aside * area_height) / aside if aside else 0.0
    rows = [top + free / 2 + k * (area_height + free) for k in range(aside)]
    gap = min(GAP, (WIDTH - across * COLUMN) / max(1, across - 1))
    first = (WIDTH - across * (COLUMN + gap) + gap) / 2
    left = [(0.0, y) for y in reversed(rows)]
    upper = [(first + k * (COLUMN + gap), 0.0) for k in range(across)]
    right = [(WIDTH - COLUMN, y) for y in rows]
    others = [(x, y, x + COLUMN, y + area_height) for x, y in (*left, *upper, *right)]
    message = top + high + GAP
    own = message + messages * LINE + GAP
    own_end = own + own_lines * LINE + 2 * PAD
    hand = own_end + GAP
    deep = HEIGHT * OWN_SIZE * (1 + ROW_STEP * (ceil(cards / LONGEST_ROW) - 1))
    below = hand + deep + GAP
    bottom = below + buttons * (BUTTON + BUTTON_GAP) - BUTTON_GAP + STEP_Y - HEIGHT
    center = COLUMN + GAP, top, WIDTH - COLUMN - GAP, top + high
    return Seating(
        ((0.0, own, WIDTH, own_end), *others),
        _find_spots(center, len(left), len(upper), rows, area_height),
        ((0.0, 0.0, COLUMN, top - GAP), (WIDTH - COLUMN, 0.0, WIDTH, top - GAP)),
        center,
        message,
        hand,
        below,
        ((WIDTH + STEP_X - drawing.WIDTH) / STEP_X, bottom / STEP_Y),
    )


def _find_spots(
    center: Box, aside: int, across: int, rows: Sequence[float], area_height: float
) -> tuple[tuple[float, float], ...]:
    """Return the place of each seat's played card: in front of its area."""
    middle = (center[0] + center[2] - drawing.WIDTH) / 2
    beside = [y + (area_height - HEIGHT) / 2 for y in rows]
    left = [(middle - PLAYED_STEP, y) for y in reversed(beside)]
    upper = [(middle + PLAYED_STEP * (k - (across - 1) / 2), center[1]) for k in range(across)]
    right = [(middle + PLAYED_STEP, y) for y in beside]
    return ((middle, center[3] - HEIGHT), *left, *upper, *right)


def put_item(x: float, y: float, card: int, face_up: bool, **fields: Any) -> Item:
    """Return an item; for ``fields`` see `Item`."""
    return Item(x / STEP_X, y / STEP_Y, card, face_up, **fields)


def put_text(x: float, y: float, text: str, look: Look = "", anchor: Anchor = "start") -> Text:
    """Return a line of text."""
    return Text(x / STEP_X, y / STEP_Y, text, look, anchor=anchor)


def put_lines(x: float, y: float, lines: Sequence[str]) -> list[Text]:
    """Return lines of text. The first one is bold."""
    return [
        put_text(x, y + k * LINE, line, "" if k else "strong")
        for k, line in enumerate(lines)
        if line
    ]


def put_message(seating: Seating, text: str, line: int = 0) -> Text:
    """Return a line of text below the middle of the table."""
    return put_text(WIDTH / 2, seating.message + line * LINE, text, "strong", "middle")


def put_chips(x: float, y: float, amount: int, anchor: Anchor = "start") -> Chips:
    """Return chips; ``anchor`` is the part of the chips and their number that is at ``x``."""
    left, _, right, _ = drawing.chips_box(Chips(0, 0, amount))
    return Chips((x - (right - left) * drawing.ANCHORS[anchor]) / STEP_X, y / STEP_Y, amount)


def put_area(box: Box, seat: int, is_at_turn: bool, is_out: bool) -> Panel:
    """Return the background of the area of a seat."""
    left, top, right, bottom = box
    wide, high = right - left + STEP_X - drawing.WIDTH, bottom - top + STEP_Y - HEIGHT
    state: Any = "out" if is_out else "turn" if is_at_turn else ""
    return Panel(left / STEP_X, top / STEP_Y, wide / STEP_X, high / STEP_Y, state, seat)


def name_players(scene: Scene, names: Mapping[int, str]) -> Scene:
    """Return the scene with the names of players, by seat, below the numbers of their seats.

    The things below the first line of an area move down by a line, for which layouts leave room.
    """
    items, texts = list(scene.items), list(scene.texts)
    for panel in scene.panels:
        if panel.seat not in names:
            continue
        box, name = drawing.panel_box(panel), names[panel.seat]
        items = [_move_down(item, box) for item in items]
        texts = [_move_down(text, box) for text in texts]
        short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        texts.append(put_text(box[0] + PAD, box[1] + PAD / 2 + LINE, short))
    return scene._replace(items=tuple(items), texts=tuple(texts))


def _move_down(thing: Any, box: Box) -> Any:
    """Return an item or text one line lower if it is below the first line of an area."""
    x, y = thing.x * STEP_X, thing.y * STEP_Y
    is_inside = box[0] <= x <= box[2] and box[1] + LINE <= y < box[3]
    return thing._replace(y=(y + LINE) / STEP_Y) if is_inside else thing


def place_hand(seating: Seating, cards: int) -> list[tuple[float, float]]:
    """Return the upper left corner of each of the viewer's cards, in centered rows."""
    rows = max(1, ceil(cards / LONGEST_ROW))
    in_row = ceil(cards / rows)
    wide, high = drawing.WIDTH * OWN_SIZE, HEIGHT * OWN_SIZE
    step = min(wide + GAP, (WIDTH - wide) / max(1, in_row - 1))
    left = (WIDTH - wide - (in_row - 1) * step) / 2
    places = [divmod(k, in_row) for k in range(cards)]
    return [(left + k * step, seating.hand + row * ROW_STEP * high) for row, k in places]


def place_backs(box: Box, cards: int) -> list[tuple[float, float]]:
    """Return the upper left corner of each face-down card, in the upper right of an area."""
    wide = drawing.WIDTH * BACK_SIZE
    right = box[2] - PAD - wide - 1.2 * LINE
    step = min(4.0, 44.0 / max(1, cards - 1))
    return [(right - (cards - 1 - k) * step, box[1] + PAD / 2) for k in range(cards)]


def put_buttons(seating: Seating, words: Sequence[tuple[int, str]]) -> tuple[Button, ...]:
    """Return centered rows of buttons below the viewer's cards, for actions with their words."""
    rows: list[list[tuple[float, int, str]]] = []
    x = WIDTH
    for action, word in words:
        wide = drawing.text_width(word, 15) + (4 if word.isdigit() else 14)
        if x + wide > WIDTH:
            rows.append([])
            x = 0.0
        rows[-1].append((wide, action, word))
        x += wide + BUTTON_GAP
    buttons = []
    for k, row in enumerate(rows):
        y = seating.buttons + k * (BUTTON + BUTTON_GAP)
        x = (WIDTH + BUTTON_GAP - sum(wide + BUTTON_GAP for wide, _, _ in row)) / 2
        for wide, action, word in row:
            width = (wide + STEP_X - drawing.WIDTH) / STEP_X
            corner = x / STEP_X, y / STEP_Y
            buttons.append(Button(*corner, width, word, action, True, BUTTON / STEP_Y))
            x += wide + BUTTON_GAP
    return tuple(buttons)
