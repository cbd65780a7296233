"""Pyramid: the scene (where each card is drawn) and the words for actions."""

from typing import Any

import numpy as np

from ...core.kernel.cards import PACK_SIZE, card_name, card_symbol
from ...core.rows import are_finished
from ...core.scene.scene import Button, Item, Scene, Text
from .rules import (
    DEAL,
    KING,
    PYRAMID,
    REDEAL,
    STOCK,
    TABLE,
    UNDO,
    WASTE,
    StockView,
    label,
)

FOUNDATION = "foundation"
BACK = 1
"""Code of every face-down card; no card has this code."""
WIDTH = 7.0
OPEN_ROW, OPEN_X, OPEN_Y = 8, 0.87, 0.4
"""Cards per row of a face-up stock, and the offsets from one card to the next."""


def layout(s: Any, rules: Any) -> Scene:
    """Return the table as the player sees it. ``s`` is one record of states."""
    shown, legal = s["shown"], int(s["legal"]) if not s["over"] else 0
    items = [_foundation(s, rules)]
    for slot in range(PYRAMID):
        row = int(((8 * slot + 1) ** 0.5 - 1) / 2)
        column = slot - row * (row + 1) // 2
        if shown["places"][slot]:
            items.append(_card(s, slot, (6 - row) / 2 + column, row * 0.5, legal))
    y = 4.25
    if rules.extra_row:
        items += [_card(s, place, place - PYRAMID, y, legal) for place in range(PYRAMID, TABLE)]
        y += 1.25
    items.append(_stock(s, rules, y, legal))
    x = 1.25
    if rules.held:
        items.append(_card(s, STOCK, x, y, legal))
        x += 1.25
    for pile in range(rules.waste_piles):
        items.append(_card(s, WASTE + pile, x + pile, y, legal))
    last, width = y, WIDTH
    if rules.stock_view == StockView.ALL:
        items += _open_stock(s, y + 1.25)
        width = max(WIDTH, (OPEN_ROW - 1) * OPEN_X + 1)
        last += 1.25 + 2 * OPEN_Y
    texts = (*_texts(s, rules, y), *_picture_texts(s, rules))
    buttons = _buttons(rules, legal, y)
    return Scene("Pyramid", tuple(items), texts, (width, last + 1), buttons)


def _card(s: Any, place: int, x: float, y: float, legal: int) -> Item:
    card = int(s["shown"]["places"][place])
    is_legal = legal >> place & 1
    mark = "picked" if s["shown"]["picked"][place] else "legal" if is_legal else ""
    numbered = is_legal or int(s["free"]) >> place & 1
    is_king = is_legal and card // 4 == KING and not s["shown"]["need"]
    return Item(
        x,
        y,
        card,
        True,
        mark,  # type: ignore[arg-type]
        str(place) if numbered else "",
        _place_name(place),
        place if is_legal else -1,
        ((FOUNDATION, place),) if is_king else (),
        pile_size=int(s["shown"]["waste_counts"][place - WASTE]) if WASTE <= place < STOCK else 0,
    )


def _foundation(s: Any, rules: Any) -> Item:
    """Return the pile of removed cards. The state does not record their order."""
    shown = s["shown"]
    counts = (
        shown["stock_count"],
        shown["waste_counts"].sum(),
        rules.held and shown["places"][STOCK] > 0,
    )
    removed = PACK_SIZE - int((shown["places"][:TABLE] > 0).sum()) - sum(map(int, counts))
    return Item(0, 0, BACK if removed else 0, False, place=FOUNDATION, pile_size=removed)


def _place_name(place: int) -> str:
    if place >= WASTE:
        return "held" if place == STOCK else f"waste-{place - WASTE + 1}"
    return f"pyramid-{place}" if place < PYRAMID else f"extra-{place - PYRAMID + 1}"


def _stock(s: Any, rules: Any, y: float, legal: int) -> Item:
    """Return the stock. A click is DEAL or REDEAL, unless its top card is in play."""
    count = int(s["shown"]["stock_count"])
    turns = next((turn for turn in (DEAL, REDEAL) if legal >> turn & 1), -1)
    if s["shown"]["places"][STOCK] and rules.stock_view != StockView.DOWN:
        card = _card(s, STOCK, 0, y, legal)
        action = card.action if card.action >= 0 else turns
        return card._replace(place="stock", action=action, pile_size=count)
    back = BACK if s["stock"] else 0
    return Item(0, y, back, False, place="stock", action=turns, pile_size=count)


def _open_stock(s: Any, y: float) -> list[Item]:
    """Return the face-up stock below its top card, in the order in which it will be turned."""
    order = [i for i in range(PYRAMID, PACK_SIZE) if int(s["stock"]) >> i & 1]
    return [
        Item(
            k % OPEN_ROW * OPEN_X, y + k // OPEN_ROW * OPEN_Y, int(s["deck"][i]), place="open-stock"
        )
        for k, i in enumerate(order[1:])
    ]


def _buttons(rules: Any, legal: int, y: float) -> tuple[Button, ...]:
    """Return the buttons to the right of the piles, for actions that do not click a card."""
    named = {DEAL: "deal"}
    named |= {REDEAL: "redeal"} if rules.passes != 1 else {}
    named |= {UNDO: "undo"} if rules.undo else {}
    return tuple(
        Button(WIDTH - 1.5, y + 0.42 * i, 1.5, text, action, bool(legal >> action & 1))
        for i, (action, text) in enumerate(named.items())
    )


def _picture_texts(s: Any, rules: Any) -> list[Text]:
    """Return the status to the right of the pyramid's top. Piles show their own counts."""
    number = int(s["redeals"]) + 1
    lines = [f"pass {number} of {rules.passes}" if rules.passes else f"pass {number}"]
    lines += [f"score {int(s['score'])}", f"moves {int(s['moves'])}"]
    need = int(s["shown"]["need"])
    texts = [Text(4.8, 0.24 * i, line, only="status") for i, line in enumerate(lines)]
    return [*texts, Text(4.8, 0.72, f"{need} to make 13", "strong", "status")] if need else texts


def _texts(s: Any, rules: Any, y: float) -> list[Text]:
    shown = s["shown"]
    passes = "any number" if rules.passes == 0 else str(rules.passes)
    lines = [f"stock {shown['stock_count']}, waste {int(shown['waste_counts'].sum())}"]
    lines.append(f"pass {int(s['redeals']) + 1} of {passes}")
    lines.append(f"score {int(s['score'])}, moves {int(s['moves'])}")
    if shown["need"]:
        lines.append(f"{shown['need']} more to make 13")
    texts = [Text(4.25, y + 0.25 * i, line, only="ansi") for i, line in enumerate(lines)]
    removed = Text(0.75, 0, f"{_foundation(s, rules).pile_size} removed", only="ansi")
    return [removed, *texts]


def action_words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return the words that a person can type for each action: card names, places or commands."""
    shown = enumerate(s["shown"]["places"].tolist())
    words: dict[int, tuple[str, ...]] = {p: (card_name(card), str(p)) for p, card in shown if card}
    words |= {DEAL: ("d", "deal"), REDEAL: ("r", "redeal")}
    return words | {UNDO: ("u", "undo")} if rules.undo else words


def describe_action(s: Any, rules: Any, action: int) -> str:
    """Return ``"choose J♦"``, or ``"take 2♣ with J♦"`` for the action that completes a sum."""
    turns = {DEAL: "deal from the stock", REDEAL: "turn the waste over", UNDO: "undo the last move"}
    if action in turns:
        return turns[action]
    shown = s["shown"]
    if not 0 <= action < len(shown["places"]) or not shown["places"][action]:
        return label(action)
    card, need = int(shown["places"][action]), int(shown["need"]) or KING
    picked = [int(one) for one in shown["places"][shown["picked"] != 0]]
    verb = "take" if card >> 2 == need else "add" if picked else "choose"
    others = " and ".join(", ".join(map(card_symbol, picked)).rsplit(", ", 1))
    link = f" {'with' if verb == 'take' else 'to'} {others}" if picked else ""
    return f"{verb} {card_symbol(card)}{link}"


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return the game's own entries of ``info``, each an array (n,).

    ``stuck`` (with ``undo`` only) means that UNDO is the only legal action.
    """
    info = {"passes_used": states["redeals"].astype(np.int64) + 1}
    if rules.undo:
        info["stuck"] = ~are_finished(states) & (states["legal"] == 1 << UNDO)
    return info
