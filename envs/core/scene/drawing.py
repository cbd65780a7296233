"""SVG drawings of cards, text, buttons, chips and panels.

Ranks and suits are drawn as paths (``card_shapes.json``) without a font, so they look the same in
every browser, video and notebook, and no system replaces a suit by an emoji. Only text needs a
font, which `pictures` supplies.

No information is shown by color alone. Suits differ by shape, and by two or four colors. A legal
card has an outline, a picked card is raised, the last moved card has a dashed outline, and a card
that only its owner sees has a strip of its back.
"""

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from ..kernel.cards import RANKS, SUITS, card_name
from ..options import unknown_text
from .items import Anchor, Button, Chips, Item, Panel, Text, name_item, split_card

STEP_X, STEP_Y = 64, 92
"""Distance from one card to the next, in SVG units."""
WIDTH, HEIGHT = 58, 84
"""Size of a card, in SVG units."""
CORNER = 43, 27
"""Size of the corner with rank and suit, which must stay visible if other cards cover a card."""
SIZE = 17
"""Font size of text."""
TITLE_SIZE = 19
_LIFT = 7  # height by which a picked card is raised
_SHORT = 3  # maximum length of notes on the card; longer ones are below it
FONT = "Parlour Sans, Inter, Helvetica, Arial, sans-serif"
_SHAPES: dict[str, Any] = json.loads(
    Path(__file__).with_name("card_shapes.json").read_text(encoding="utf-8")
)

ANCHORS: dict[Anchor, float] = {"start": 0, "middle": 0.5, "end": 1}
"""Fraction of a text's width to the left of its anchor."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


# ---- themes ---------------------------------------------------------------------------------


class Theme(NamedTuple):
    """Colors of a picture."""

    felt: str
    words: str
    faint: str
    face: str
    edge: str
    inks: tuple[str, str, str, str]
    """Colors of clubs, diamonds, hearts and spades."""
    four_inks: tuple[str, str, str, str]
    """Colors of the suits if each suit has its own color."""
    back: str
    back_lines: str
    empty: str
    legal: str
    picked: str
    last: str
    panel: str
    turn: str
    button: str
    button_words: str
    shadow: str


_BLACK, _RED = "#16191d", "#c2132d"

THEMES = {
    "light": Theme(
        felt="#dfece4",
        words="#17352a",
        faint="#4a655b",
        face="#ffffff",
        edge="#a8beb3",
        inks=(_BLACK, _RED, _RED, _BLACK),
        four_inks=("#137a3a", "#1857c4", _RED, _BLACK),
        back="#3a68b0",
        back_lines="#87a9de",
        empty="#66827a",
        legal="#b06a00",
        picked="#d9480f",
        last="#1c7ed6",
        panel="#cfe2d7",
        turn="#b06a00",
        button="#1f6b4f",
        button_words="#ffffff",
        shadow="#17352a",
    ),
    "dark": Theme(
        felt="#15251f",
        words="#e6f1ea",
        faint="#a3c0b3",
        face="#f4f2ea",
        edge="#0b1512",
        inks=(_BLACK, _RED, _RED, _BLACK),
        four_inks=("#0f6f34", "#1857c4", _RED, _BLACK),
        back="#31568f",
        back_lines="#6f93cc",
        empty="#6a897b",
        legal="#ffc83d",
        picked="#ff8a3d",
        last="#58b4ff",
        panel="#2d4d40",
        turn="#ffc83d",
        button="#5fd0a0",
        button_words="#0c1a14",
        shadow="#000000",
    ),
}


def find_theme(theme: str, four_colours: bool = False) -> Theme:
    """Return the theme ``"light"`` or ``"dark"``; raise ValueError for other names."""
    if not isinstance(theme, str) or theme not in THEMES:
        raise ValueError(unknown_text("theme", theme, THEMES))
    look = THEMES[theme]
    return look._replace(inks=look.four_inks) if four_colours else look


# ---- text -----------------------------------------------------------------------------------


def printable(text: str) -> str:
    """Return ``text`` with control characters replaced, which are invalid in XML and unsafe in
    logs.
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def text_width(text: str, size: float = SIZE) -> float:
    """Return the approximate width of text, because fonts differ."""
    return 0.56 * size * len(text)


# ---- bounding boxes -------------------------------------------------------------------------


def item_box(item: Item) -> Box:
    """Return the box of an item with its note."""
    x, y, size = item.x * STEP_X, item.y * STEP_Y, item.size
    below = len(item.note) > _SHORT
    wider = max(0.0, text_width(item.note, 12) - WIDTH) / 2 if below else 0.0
    right, bottom = WIDTH + wider, HEIGHT + (18 if below else 0)
    return x - wider * size, y, x + right * size, y + bottom * size


def text_box(text: Text) -> Box:
    """Return the box of text."""
    x, y, width = text.x * STEP_X, text.y * STEP_Y, text_width(text.text)
    x -= width * ANCHORS[text.anchor]
    return x, y, x + width, y + 20


def button_box(button: Button) -> Box:
    """Return the box of a button."""
    x, y = button.x * STEP_X, button.y * STEP_Y
    return x, y, x + button.width * STEP_X - STEP_X + WIDTH, y + button.height * STEP_Y


def chips_box(chips: Chips) -> Box:
    """Return the box of chips with their number."""
    x, y = chips.x * STEP_X, chips.y * STEP_Y
    return x, y, x + 34 + text_width(str(chips.amount)), y + 22


def panel_box(panel: Panel) -> Box:
    """Return the box of a panel, which ends at the edge of the last card in it."""
    x, y = panel.x * STEP_X, panel.y * STEP_Y
    gap_x, gap_y = STEP_X - WIDTH, STEP_Y - HEIGHT
    return x, y, x + panel.width * STEP_X - gap_x, y + panel.height * STEP_Y - gap_y


# ---- cards ----------------------------------------------------------------------------------


def card_rect(attributes: str, inset: float = 0) -> str:
    """Return the outline of a card, moved inwards by ``inset``."""
    return (
        f'<rect x="{inset:g}" y="{inset:g}" width="{WIDTH - 2 * inset:g}" '
        f'height="{HEIGHT - 2 * inset:g}" rx="{7 - inset / 2:g}" {attributes}/>'
    )


@cache
def draw_face(rank: int, suit: int, theme: Theme) -> str:
    """Return the drawing of a card: rank and suit in the corner, and a large suit below."""
    shape = _SHAPES["ranks"][RANKS[rank]]
    wide = 0.155 if RANKS[rank] == "T" else 0.19  # Narrow, so that the suit stays visible.
    after = 5 + shape["width"] * wide + 8
    outline = _SHAPES["suits"][SUITS[suit]]
    return (
        f'{card_rect(_face_colours(theme))}<g fill="{theme.inks[suit]}">'
        f'<path transform="translate(5 26) scale({wide} 0.19)" d="{shape["path"]}"/>'
        f'<path transform="translate({after:g} 16.5) scale(.135)" d="{outline}"/>'
        f'<path transform="translate(29 55) scale(.38)" d="{outline}"/></g>'
    )


def _face_colours(theme: Theme) -> str:
    return f'fill="{theme.face}" stroke="{theme.edge}"'


@cache
def draw_back(theme: Theme) -> str:
    """Return the drawing of a back: crossed lines within a border."""
    down = "".join(f"M{x} 6l-72 72M{x - 72} 6l72 72" for x in range(16, 116, 12))
    return (
        card_rect(_face_colours(theme))
        + card_rect(f'fill="{theme.back}"', inset=4)
        + f'<svg x="5" y="5" width="{WIDTH - 10}" height="{HEIGHT - 10}" '
        f'viewBox="5 5 {WIDTH - 10} {HEIGHT - 10}">'
        f'<path d="{down}" fill="none" stroke="{theme.back_lines}" stroke-width="1.3"/></svg>'
        + card_rect(f'fill="none" stroke="{theme.back_lines}" stroke-width="1.5"', inset=6)
    )


@cache
def draw_empty(theme: Theme) -> str:
    """Return the drawing of an empty place: a thin dashed outline."""
    look = f'fill="{theme.shadow}" fill-opacity="0.05" stroke="{theme.empty}" stroke-width="1.5"'
    return card_rect(f'{look} stroke-dasharray="5 4"', inset=1)


@cache
def draw_outlines(theme: Theme) -> dict[str, str]:
    """Return the drawings over marked cards by mark; hidden cards get a strip of their back."""
    legal = f'fill="none" stroke="{theme.legal}" stroke-width="3.5"'
    picked = f'fill="none" stroke="{theme.picked}" stroke-width="4.5"'
    last = f'fill="none" stroke="{theme.last}" stroke-width="3.5" stroke-dasharray="7 4"'
    wins = f'fill="none" stroke="{theme.button}" stroke-width="5"'
    marks = {"legal": legal, "picked": picked, "last": last, "wins": wins}
    hidden = (
        f'<path d="M0 67h{WIDTH}v10a7 7 0 0 1-7 7h-{WIDTH - 14}a7 7 0 0 1-7-7z" '
        f'fill="{theme.back}" stroke="{theme.edge}"/>'
        f'<path d="M8 75.5h{WIDTH - 16}" stroke="{theme.back_lines}" stroke-width="3" '
        'stroke-dasharray="3 4"/>'
    )
    return {"": "", "hidden": hidden, **{mark: card_rect(look) for mark, look in marks.items()}}


def item_place(item: Item) -> tuple[float, float]:
    """Return the upper left corner of an item in the picture; a picked card is raised."""
    return item.x * STEP_X, item.y * STEP_Y - (_LIFT if item.mark == "picked" else 0)


def draw_item(item: Item, item_id: str, theme: Theme) -> str:
    """Return the drawing of an item as a group with a title."""
    x, y = item_place(item)
    data = f'data-id="{escape(item_id)}"'
    data += f' data-action="{int(item.action)}"' if item.action >= 0 else ""
    return (
        f'<g transform="translate({x:g} {y:g}){_scale(item)}" role="img" {data}>'
        f"<title>{name_item(item)}</title>{draw_body(item, theme)}</g>"
    )


def draw_scaled(item: Item, theme: Theme) -> str:
    """Return the drawing of an item at (0, 0) in its size."""
    body = draw_body(item, theme)
    return body if item.size == 1 else f'<g transform="{_scale(item).strip()}">{body}</g>'


def _scale(item: Item) -> str:
    return "" if item.size == 1 else f" scale({item.size:g})"


def draw_body(item: Item, theme: Theme) -> str:
    """Return the drawing of an item at (0, 0): shadow, card, highlight, count and note."""
    if not item.card:
        body = draw_empty(theme)
    elif not item.face_up:
        body = draw_back(theme)
    else:
        body = draw_face(*split_card(item.card), theme)
    outline = draw_outlines(theme)[item.mark]
    under, count = _under(item, theme), _count(item.pile_size, theme)
    return f"{under}{body}{outline}{count}{_note(item, theme)}"


def _under(item: Item, theme: Theme) -> str:
    """Return the shadow of an item, and for a pile the edges of the cards below."""
    if not item.card:
        return ""
    edges = 0 if item.pile_size < 2 else 1 if item.pile_size < 8 else 2
    steps = [2 * k for k in range(edges, 0, -1)]
    colours = _face_colours(theme)
    below = "".join(f'<g transform="translate({k} {k})">{card_rect(colours)}</g>' for k in steps)
    deep = 2 * edges + 1.5
    shadow = card_rect(f'fill="{theme.shadow}" fill-opacity="0.16"')
    return f'<g transform="translate({deep * 0.6:g} {deep:g})">{shadow}</g>{below}'


def _count(count: int, theme: Theme) -> str:
    """Return a badge at the upper right corner with the number of cards in a pile."""
    if count < 2:
        return ""
    width = 12 + 8 * len(str(count))
    left = WIDTH + 3 - width
    return (
        f'<rect x="{left}" y="-7" width="{width}" height="18" rx="9" fill="{theme.words}"/>'
        + _words(left + width / 2, 6.5, 13, str(count), theme.felt, "middle", bold=True)
    )


def _note(item: Item, theme: Theme) -> str:
    """Return a note: short ones on the card or empty place, longer ones below the card."""
    note = item.note
    if not note:
        return ""
    if len(note) > _SHORT:
        return _words(WIDTH / 2, HEIGHT + 14, 12, note, theme.faint, "middle")
    if not item.card:
        return _words(WIDTH / 2, HEIGHT / 2 + 5, 16, note, theme.faint, "middle")
    x = WIDTH - 5 - text_width(note, 11)
    return _words(x, HEIGHT - 5, 11, note, "#6b7680", bold=True)


# ---- other things ---------------------------------------------------------------------------


def _words(
    x: float,
    y: float,
    size: float,
    text: str,
    fill: str,
    anchor: Anchor = "start",
    *,
    bold: bool = False,
) -> str:
    """Return text with its baseline at ``y`` and its anchor at ``x``."""
    attributes = ' font-weight="bold"' if bold else ""
    attributes += "" if anchor == "start" else f' text-anchor="{anchor}"'
    start = f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{attributes}>'
    return f"{start}{escape(printable(text))}</text>"


def draw_text(text: Text, theme: Theme) -> str:
    """Return the drawing of text on the table."""
    fill = theme.faint if text.look == "faint" else theme.words
    x, y = text.x * STEP_X, text.y * STEP_Y + 15
    return _words(x, y, SIZE, text.text, fill, text.anchor, bold=text.look == "strong")


def draw_title(title: str, left: float, base: float, theme: Theme) -> str:
    """Return the heading of a picture."""
    return _words(left, base, TITLE_SIZE, title, theme.words, bold=True)


def draw_button(button: Button, theme: Theme) -> str:
    """Return the drawing of a button: filled if it is legal, otherwise a pale outline."""
    left, top, right, bottom = button_box(button)
    fill, words = (theme.button, theme.button_words) if button.legal else ("none", theme.faint)
    edge = theme.button if button.legal else theme.empty
    data = f' data-action="{int(button.action)}"' if button.legal else ""
    dashes = "" if button.legal else ' stroke-dasharray="5 4"'
    return (
        f'<g role="img"{data}><title>{escape(printable(button.text))}</title>'
        f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" '
        f'rx="{(bottom - top) / 2:g}" fill="{fill}" stroke="{edge}" stroke-width="1.3"{dashes}/>'
        + _words(
            (left + right) / 2,
            (top + bottom) / 2 + 5.5,
            15,
            button.text,
            words,
            "middle",
            bold=True,
        )
        + "</g>"
    )


def draw_chips(chips: Chips, theme: Theme) -> str:
    """Return the drawing of a small stack of chips with their number."""
    x, y = chips.x * STEP_X, chips.y * STEP_Y
    look = f'fill="{theme.picked}" stroke="{theme.face}" stroke-width="1.2"'
    discs = "".join(
        f'<ellipse cx="{x + 13:g}" cy="{y + up:g}" rx="12" ry="5" {look}/>' for up in (15, 11, 7)
    )
    number = _words(x + 31, y + 16, SIZE, str(int(chips.amount)), theme.words, bold=True)
    return f"<g><title>{int(chips.amount)} chips</title>{discs}{number}</g>"


def draw_panel(panel: Panel, theme: Theme) -> str:
    """Return the drawing of the panel of a seat, with an outline if the seat acts."""
    left, top, right, bottom = panel_box(panel)
    edge = f' stroke="{theme.turn}" stroke-width="3"' if panel.state == "turn" else ""
    faint = ' fill-opacity="0.4"' if panel.state == "out" else ""
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" '
        f'rx="10" fill="{theme.panel}"{faint}{edge}/>'
    )


def begin_svg(width: float, height: float, box: Box, theme: Theme, title: str) -> str:
    """Return the first lines of an SVG of ``width`` x ``height`` pixels that shows ``box``."""
    left, top, right, bottom = box
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left:g} {top:g} {right - left:g} {bottom - top:g}" '
        f'font-family="{FONT}">\n<title>{escape(printable(title))}</title>\n'
        f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" '
        f'rx="14" fill="{theme.felt}"/>'
    )


def card_art(theme: str = "light") -> dict[str, Any]:
    """Return the drawings of all cards, for a page that draws `Scene.to_dict` itself.

    Args:
        theme: ``"light"`` or ``"dark"``.

    Returns:
        A dictionary with these entries:

        - ``size``: width and height of a card, in SVG units.
        - ``step``: distances to the next card to the right and below, in SVG units.
        - ``corner``: width and height of the corner with rank and suit, in SVG units.
        - ``faces``: a dictionary from the names of cards, such as ``"Th"``, to SVG elements.
        - ``back``, ``empty``: SVG elements of a face-down card and an empty place.
        - ``outlines``: a dictionary from values of ``mark`` (see `Scene.to_dict`) to SVG elements.
        - ``colours``: the colors of the theme, by name.

    Raises:
        ValueError: The theme is unknown.
    """
    look = find_theme(theme)
    cards = range(4, 4 + len(RANKS) * len(SUITS))
    return {
        "size": [WIDTH, HEIGHT],
        "step": [STEP_X, STEP_Y],
        "corner": list(CORNER),
        "faces": {card_name(card): draw_face(*split_card(card), look) for card in cards},
        "back": draw_back(look),
        "empty": draw_empty(look),
        "outlines": draw_outlines(look),
        "colours": look._asdict(),
    }
