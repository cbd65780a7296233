"""Puss in the Corner: where each card lies, and what it is called."""

from typing import Any

import numpy as np

from ..core.cards import SUITS, name
from ..core.scene import Item, Scene, Text
from .rules import (
    DEAL,
    END,
    FOUNDATION,
    GATHER,
    PILES,
    PLACE,
    PLAY,
    REDEAL,
    Rules,
)

BACK = 1
"""Any number that is no card: a back is drawn without knowing which card it is."""
STEP = 0.4
"""How far a card of a pile lies below the one before it."""


def layout(s: Any, rules: Rules) -> Scene:
    """Return the table as the player sees it; ``s`` is one record of states."""
    shown, legal = s["shown"], int(s["legal"]) if not s["over"] else 0
    items = [Item(0, 0, BACK if shown["stock_count"] else 0, False)]
    if shown["card"]:
        items.append(Item(1, 0, int(shown["card"]), True, "picked"))
    for suit in range(len(SUITS)):
        items.append(Item(2.5 + suit, 0, 4 * int(shown["foundations"][suit]) + suit))
    for pile in range(PILES):
        items += _pile(s, pile, legal)
    return Scene("Puss in the Corner", tuple(items), tuple(_texts(s, rules)))


def _pile(s: Any, pile: int, legal: int) -> list[Item]:
    x, y = 2.5 + pile, 1.5
    can = any(legal >> first + pile & 1 for first in (PLACE, PLAY, GATHER))
    mark, note = ("legal", str(pile + 1)) if can else ("", "")
    cards = [int(card) for card in s["pile"][pile][: s["count"][pile]]]
    below = [Item(x, y + STEP * i, card) for i, card in enumerate(cards[:-1])]
    top = cards[-1] if cards else 0
    return [*below, Item(x, y + STEP * len(below), top, True, mark, note)]  # type: ignore[arg-type]


def _texts(s: Any, rules: Rules) -> list[Text]:
    shown = s["shown"]
    lines = [f"stock {int(shown['stock_count'])}"]
    if rules.redeals:
        lines.append(f"redeals left {int(shown['redeals_left'])}")
    lines.append(f"score {int(s['score'])}, moves {int(s['moves'])}")
    return [Text(0, 1.5 + 0.25 * i, line) for i, line in enumerate(lines)]


def words(s: Any, rules: Rules) -> dict[int, tuple[str, ...]]:
    """Return what a person may call each action in sight: a pile's number, a top card's name."""
    shown = s["shown"]
    said: dict[int, tuple[str, ...]] = {}
    for pile in range(PILES):
        number, top = str(pile + 1), int(shown["tops"][pile])
        if shown["card"]:
            said[PLACE + pile] = (number,)
        elif int(s["legal"]) >> GATHER & (1 << PILES) - 1:
            said[GATHER + pile] = (number,)
        elif top:
            said[PLAY + pile] = (name(top), number)
    if shown["card"]:
        said[FOUNDATION] = ("f", "foundation")
    return said | {DEAL: ("d", "deal"), REDEAL: ("r", "redeal"), END: ("e", "end")}


def facts(states: Any, rules: Rules) -> dict[str, Any]:
    """Return what ``info`` says at the end beside won, score and moves: an array a fact."""
    left = states["shown"]["redeals_left"].astype(np.int64)
    return {"redeals_used": rules.redeals - left}
