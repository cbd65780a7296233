"""What lies on a table: cards, words, buttons, chips, and the panels behind them.

A game's `layout.py` makes them; `scene` draws them as text, `drawing` as pictures.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from ..kernel.cards import RANKS, card_name

Mark = Literal["", "legal", "picked", "last", "hidden"]
Look = Literal["", "strong", "faint"]
Where = Literal["", "ansi", "picture"]

SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
RANK_WORDS = (
    *("ace", "two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king"),
)


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
    """Highlight: it may be played, is picked up, was moved last, or lies hidden from the others."""
    note: str = ""
    """Small text: up to three characters on the card, more than that below it."""
    place: str = ""
    """Name of the spot where it lies, such as ``"waste-1"``; the cards of a pile share it."""
    action: int = -1
    """The legal action that a click on it is; -1: none."""
    drops: tuple[tuple[str, int], ...] = ()
    """Where it may be dragged: pairs of a place and the legal action that this is."""
    pile_size: int = 0
    """How many cards lie here, this one on top; pictures show it from 2 on."""


class Text(NamedTuple):
    """Words on the table; (x, y) is their top-left corner."""

    x: float
    y: float
    text: str
    look: Look = ""
    """Bold or pale; only pictures know it."""
    only: Where = ""
    """The one kind of drawing that has these words; empty: both."""


class Button(NamedTuple):
    """An action that belongs to no card. Pictures and pages show it, pale where it is not legal."""

    x: float
    y: float
    width: float
    """In cards."""
    text: str
    action: int
    legal: bool


class Chips(NamedTuple):
    """A number of chips; (x, y) is their top-left corner. Pictures alone show it."""

    x: float
    y: float
    amount: int


class Panel(NamedTuple):
    """A field behind a seat's things: its turn, at rest, or out of the game. In pictures alone."""

    x: float
    y: float
    width: float
    height: float
    state: Literal["", "turn", "out"] = ""


def split_card(card: int) -> tuple[int, int]:
    """Rank (0 = ace … 12 = king) and suit of a card; ValueError where there is no such card."""
    value, suit = divmod(int(card), 4)
    if not 1 <= value <= 13:
        raise ValueError(f"card {card} is neither 0 (an empty place) nor from 4 to 55")
    return value - 1, suit


def name_item(item: Item) -> str:
    """Return what a screen reader says: ``"ten of hearts"``, ``"face-down card"`` or so."""
    if not item.card:
        return "empty place"
    if not item.face_up:
        return "face-down card"
    rank, suit = split_card(item.card)
    name = f"{RANK_WORDS[rank]} of {SUIT_WORDS[suit]}"
    return f"{name}, hidden from others" if item.mark == "hidden" else name


def item_ids(items: Iterable[Item]) -> list[str]:
    """Return a name for each item that no other has, and that it keeps while it lies or moves.

    A card in sight goes by its name (``"Th"``), a second one of the same name by name and place
    (``"Th@other-a1"``). A back or an empty place goes by its place (``"stock"``), further ones
    there by number (``"seat-2/2"``); without a place by its position.
    """
    seen: Counter[str] = Counter()
    names = []
    for item in items:
        place = item.place or f"{item.x:g},{item.y:g}"
        name = place
        if item.card and item.face_up:
            split_card(item.card)
            name = card_name(int(item.card))
            name = f"{name}@{place}" if seen[name] else name
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}/{seen[name]}")
    return names


def item_dict(item: Item, item_id: str) -> dict[str, Any]:
    """Return an item for JSON. Of a back it does not look at the card."""
    is_seen = bool(item.card) and item.face_up
    rank, suit = split_card(item.card) if is_seen else (0, 0)
    return {
        "id": item_id,
        "label": name_item(item),
        "face": "up" if is_seen else "down" if item.card else "empty",
        "card": RANKS[rank] + SUIT_WORDS[suit][0] if is_seen else None,
        "x": float(item.x),
        "y": float(item.y),
        "place": item.place or None,
        "mark": item.mark,
        "note": item.note,
        "count": int(item.pile_size),
        "action": int(item.action) if item.action >= 0 else None,
        "drops": {place: int(action) for place, action in item.drops},
    }
