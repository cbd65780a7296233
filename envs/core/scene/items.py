"""The things on a table: cards, text, buttons, chips, panels and the last trick.

A game's ``layout.py`` makes them. `scene` draws them as text, and `drawing` as pictures.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from ..kernel.cards import RANKS, card_name

Mark = Literal["", "legal", "picked", "last", "hidden", "wins"]
Look = Literal["", "strong", "faint"]
Where = Literal["", "ansi", "picture", "status"]
Anchor = Literal["start", "middle", "end"]

SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
RANK_WORDS = (
    *("ace", "two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king"),
)


class Item(NamedTuple):
    """A face-up card, a face-down card or an empty place."""

    x: float
    """Left edge, in cards."""
    y: float
    """Top edge, in cards."""
    card: int
    """Code value * 4 + suit, 4 to 55; 0 is an empty place. For a face-down card, any number but 0.
    """
    face_up: bool = True
    """Whether the card is face up; otherwise its back is drawn."""
    mark: Mark = ""
    """Highlight: the card can be played, is picked, was moved last, is hidden from others, or wins
    its trick."""
    note: str = ""
    """Small text: up to three characters are drawn on the card, longer text below it."""
    place: str = ""
    """Name of its place, such as ``"waste-1"``. The cards of a pile share a place."""
    action: int = -1
    """Legal action of a click on the item; -1: none."""
    drops: tuple[tuple[str, int], ...] = ()
    """Legal drags: pairs of the target place and the action."""
    pile_size: int = 0
    """Number of cards in the pile under and including this one. Pictures show numbers from 2."""
    size: float = 1.0
    """Scale of the card in pictures."""
    origin: str = ""
    """Name of the place from which the card came. A page moves the card from there."""


class Text(NamedTuple):
    """Text on the table; ``y`` is its upper edge."""

    x: float
    y: float
    text: str
    look: Look = ""
    """Bold or pale, in pictures only."""
    only: Where = ""
    """The only output with this text, terminal text or pictures; empty: both.

    ``"status"`` is a fact such as the score, in pictures only. Pages show it outside of the table.
    """
    anchor: Anchor = "start"
    """The part of the text that is at ``x``, in pictures only."""


class Button(NamedTuple):
    """An action without a card, for pictures and pages. Illegal actions are drawn pale."""

    x: float
    y: float
    width: float
    """Width, in cards."""
    text: str
    action: int
    legal: bool
    height: float = 34 / 92
    """Height, in cards."""


class Chips(NamedTuple):
    """A number of chips, in pictures only; (x, y) is the upper left corner."""

    x: float
    y: float
    amount: int


class Trick(NamedTuple):
    """The last complete trick of a game with tricks."""

    items: tuple[Item, ...]
    """Its cards, at the places where a current trick is."""
    texts: tuple[Text, ...]
    """Lines with the seat that took the trick, and why."""
    shown: bool
    """Whether the trick is still on the table. Otherwise only a page shows it, on request."""

    @property
    def sentence(self) -> str:
        """The lines of text as one sentence, without a period."""
        return " ".join(text.text for text in self.texts)


class Panel(NamedTuple):
    """Background of a seat, in pictures only: the seat acts, waits, or is out of the game."""

    x: float
    y: float
    width: float
    height: float
    state: Literal["", "turn", "out"] = ""
    seat: int = -1
    """Number of the seat; -1: unknown."""


def split_card(card: int) -> tuple[int, int]:
    """Return rank (0 = ace to 12 = king) and suit of a card; ValueError for an invalid code."""
    value, suit = divmod(int(card), 4)
    if not 1 <= value <= 13:
        raise ValueError(f"card must be 0 (an empty place) or a code from 4 to 55, got {card}")
    return value - 1, suit


def name_item(item: Item) -> str:
    """Return the text for screen readers, such as ``"ten of hearts"`` or ``"face-down card"``."""
    if not item.card:
        return "empty place"
    if not item.face_up:
        return "face-down card"
    rank, suit = split_card(item.card)
    name = f"{RANK_WORDS[rank]} of {SUIT_WORDS[suit]}"
    return name + {"hidden": ", hidden from others", "wins": ", wins the trick"}.get(item.mark, "")


def item_ids(items: Iterable[Item]) -> list[str]:
    """Return a unique ID for each item, which an item keeps when it moves.

    The ID of a face-up card is its name (``"Th"``); a second card of the same name also has its
    place (``"Th@other-a1"``). The ID of a face-down card or an empty place is its place
    (``"stock"``), or its position if it has no place. Further items there are numbered
    (``"seat-2/2"``).
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
    """Return an item for JSON, without the identity of a face-down card."""
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
        "size": float(item.size),
        "origin": item.origin or None,
        "action": int(item.action) if item.action >= 0 else None,
        "drops": {place: int(action) for place, action in item.drops},
    }
