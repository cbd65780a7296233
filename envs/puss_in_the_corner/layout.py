"""Puss in the Corner: where each card lies, and what it is called."""

from typing import Any

import numpy as np

from ..core.cards import SUITS, card_name
from ..core.scene import Item, Scene, Text
from .rules import (
    ACES,
    ACTIONS,
    BUILT,
    DEAL,
    END,
    FIRST,
    FOUNDATION,
    GATHER,
    PACKET,
    PILES,
    PLACE,
    PLAY,
    REDEAL,
    Rules,
    packet_piles,
)

BACK = 1
"""Any number that is no card: a back is drawn without knowing which card it is."""
LEFT, TOP = 3.0, 1.5
"""Where the first pile begins, right of the words; the foundations stand above the piles."""
STEP = 0.4
"""How far a card of a pile lies below the one before it."""
USUAL = 21
"""Piles rarely have more cards: there is room for so many in every picture."""


def layout(s: Any, rules: Rules) -> Scene:
    """Return the table as the player sees it; ``s`` is one record of states."""
    shown, legal = s["shown"], int(s["legal"]) if not s["over"] else 0
    items = [Item(0, 0, BACK if shown["stock_count"] else 0, False)]
    if shown["next_card"]:
        items[0] = Item(0, 0, int(shown["next_card"]))
    if shown["card"]:
        mark = "legal" if legal >> FOUNDATION & 1 else "picked"
        items.append(Item(1, 0, int(shown["card"]), True, mark))  # type: ignore[arg-type]
    items += [Item(LEFT + suit, 0, _foundation(s, suit)) for suit in range(ACES)]
    for pile in range(PILES):
        items += _pile(s, pile, legal)
    canvas = LEFT + PILES, TOP + STEP * USUAL
    return Scene("Puss in the Corner", tuple(items), tuple(_texts(s, rules)), canvas)


def _foundation(s: Any, suit: int) -> int:
    """The top card of a foundation, which may be of the other suit of its colour.

    While the other foundation of the colour is lower, only one card of that colour and value has
    been built. Once it is not, both have: which of them lies here makes no difference.
    """
    card = 4 * int(s["shown"]["foundations"][suit]) + suit
    is_here = card < FIRST or s["shown"]["where"][card - FIRST] == BUILT
    return card if is_here else card - suit + len(SUITS) - 1 - suit


def _pile(s: Any, pile: int, legal: int) -> list[Item]:
    can = any(legal >> first + pile & 1 for first in (PLACE, PLAY, GATHER))
    cards = [int(card) for card in s["pile"][pile][: s["count"][pile]]] or [0]
    below = [Item(LEFT + pile, TOP + STEP * i, card) for i, card in enumerate(cards[:-1])]
    top = Item(LEFT + pile, TOP + STEP * len(below), cards[-1], True, "legal" if can else "")
    return [*below, top]


def _texts(s: Any, rules: Rules) -> list[Text]:
    """The numbers of the piles above them; left of them lines of up to 15 characters."""
    shown = s["shown"]
    lines = [f"stock {int(shown['stock_count'])}"]
    if rules.redeals:
        lines.append(f"redeals left {int(shown['redeals_left'])}")
    lines += [f"score {int(s['score'])}", f"moves {int(s['moves'])}"]
    if shown["card"] and rules.deal_size > 1:
        lines.append(f"{int(shown['group_left'])} to be placed")
    turns = {int(turn): pile + 1 for pile, turn in enumerate(shown["gathered"]) if turn}
    if turns:
        lines.append("gathered " + " ".join(str(turns[turn]) for turn in sorted(turns)))
    numbers = [Text(LEFT + pile + 0.24, 1.15, str(pile + 1)) for pile in range(PILES)]
    return [*numbers, *(Text(0, TOP + STEP * i, line) for i, line in enumerate(lines))]


def action_words(s: Any, rules: Rules) -> dict[int, tuple[str, ...]]:
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
            said[PLAY + pile] = (card_name(top), number)
    if shown["card"]:
        said[FOUNDATION] = ("f", "foundation")
    for action in range(PACKET, ACTIONS):
        pile, other = packet_piles(action)
        said[action] = (f"{pile + 1}>{other + 1}",)
    return said | {DEAL: ("d", "deal"), REDEAL: ("r", "redeal"), END: ("e", "end")}


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return what ``info`` says beside won, score and moves: an array a fact."""
    left = states["shown"]["redeals_left"].astype(np.int64)
    return {"redeals_used": rules.redeals - left}
