"""Klondike: the scene (where each card is drawn) and the words for actions."""

from collections.abc import Collection
from typing import Any

import numpy as np

from ...core.kernel.cards import SUIT_SIGNS, SUITS, card_name, card_symbol
from ...core.legal import list_actions
from ...core.scene.scene import Item, Mark, Scene, Text
from .kernel import suit_back
from .rules import (
    BACK,
    COLUMN_UP,
    COLUMNS,
    DEAL,
    MOVE,
    REDEAL,
    WASTE_DOWN,
    WASTE_UP,
    Rules,
    Scoring,
    label,
    move_columns,
)

LOWER = 1
"""Code of every face-down card; no card has this code."""
TOP = 1.25
"""y coordinate of the columns, below stock, waste and foundations."""
COLUMNS_X, DOWN_Y, UP_Y = 0.25, 0.25, 0.3
"""x coordinate of the first column, and offsets from one face-down or face-up card to the next."""
LINE_Y = 0.25
"""Offset from one card to the next in text output, where each card of a column has a line."""
ROOM = 4.2
"""Height of a column in every picture; longer columns are rare."""
ASIDE = 0.1
"""Offset to the left, if all cards are face up, of cards that would otherwise be face down."""
WASTE_X, FAN_X, FAN = 1.0, 0.68, 3
"""x coordinate of the waste, and the offset and number of its fanned cards."""
FOUNDATION_X, WIDTH, OPEN_LEFT = 3.5, 7.5, 7.9
OPEN_X, OPEN_Y, OPEN_ROW = 0.72, 0.4, 4
"""Offsets and cards per row of a face-up stock, which is drawn to the right of the columns."""
COLUMN_PLACES = tuple(f"column-{column + 1}" for column in range(COLUMNS))
FOUNDATION_PLACES = tuple(f"foundation-{suit}" for suit in SUITS)
WASTE, FOUNDATION = "w", "f"
"""Words for the waste and the foundations, next to the numbers of the columns."""
NUMBERS_Y = 1.0
"""y coordinate of the numbers above the columns, in text output only."""
Drops = tuple[tuple[str, int], ...]
"""Places where a card can be dropped, each with the action that moves it there."""


def layout(s: Any, rules: Rules) -> Scene:
    """Return the table as the player sees it. ``s`` is one record of states."""
    legal = frozenset() if s["over"] else frozenset(list_actions(s["legal"]))
    width = OPEN_LEFT + (OPEN_ROW - 1) * OPEN_X + 1 if rules.thoughtful else WIDTH
    canvas = width, TOP + ROOM + 1
    texts = tuple(_texts(s, rules))
    items = _draw_items(s, rules, legal, UP_Y if rules.thoughtful else DOWN_Y, UP_Y)
    terminal = Scene("Klondike", _draw_items(s, rules, legal, LINE_Y, LINE_Y), texts, canvas)
    return Scene("Klondike", items, texts, canvas, terminal=terminal)


def _draw_items(
    s: Any, rules: Rules, legal: Collection[int], down_y: float, up_y: float
) -> tuple[Item, ...]:
    """Return all cards and empty places, with the offsets of the cards in the columns."""
    items = [_stock(s, rules, legal), *_waste(s, legal)]
    items += [_foundation(s, suit, legal) for suit in range(len(SUITS))]
    for column in range(COLUMNS):
        items += _column(s, rules, column, legal, down_y, up_y)
    return (*items, *(_open_stock(s) if rules.thoughtful else ()))


def _stock(s: Any, rules: Rules, legal: Collection[int]) -> Item:
    """Return the stock, with its top card if all cards are known. A click is DEAL or REDEAL."""
    count = int(s["shown"]["stock_count"])
    turns = next((turn for turn in (DEAL, REDEAL) if turn in legal), -1)
    top = int(s["stock"][count - 1]) if count and rules.thoughtful else LOWER if count else 0
    is_open = not count or rules.thoughtful
    return Item(0, 0, top, is_open, place="stock", action=turns, pile_size=count)


def _open_stock(s: Any) -> list[Item]:
    """Return the face-up stock below its top card, in the order in which it will be turned."""
    rest = [int(card) for card in s["stock"][: s["shown"]["stock_count"]][::-1]][1:]
    return [
        Item(
            OPEN_LEFT + k % OPEN_ROW * OPEN_X,
            2.4 + k // OPEN_ROW * OPEN_Y,
            card,
            place="open-stock",
        )
        for k, card in enumerate(rest)
    ]


def _waste(s: Any, legal: Collection[int]) -> list[Item]:
    """Return the top cards of the waste, with the top card rightmost."""
    count = int(s["shown"]["waste_count"])
    cards = [int(card) for card in s["waste"][max(0, count - FAN) : count]] or [0]
    drops = [(FOUNDATION_PLACES[cards[-1] & 3], WASTE_UP)] if WASTE_UP in legal else []
    drops += [
        (COLUMN_PLACES[column], WASTE_DOWN + column)
        for column in range(COLUMNS)
        if WASTE_DOWN + column in legal
    ]
    below = [Item(WASTE_X + FAN_X * i, 0, card, place="waste") for i, card in enumerate(cards[:-1])]
    x = WASTE_X + FAN_X * len(below)
    return [*below, _card(x, 0, cards[-1], "waste", tuple(drops), count)]


def _card(x: float, y: float, card: int, place: str, drops: Drops, pile_size: int = 0) -> Item:
    """Return a face-up card or an empty place. A click moves the card to its first target."""
    mark: Mark = "legal" if drops else ""
    action = drops[0][1] if drops else -1
    return Item(x, y, card, True, mark, "", place, action, drops, pile_size)


def _foundation(s: Any, suit: int, legal: Collection[int]) -> Item:
    """Return the top card of a foundation. It can be dragged back to a column."""
    value = int(s["shown"]["foundations"][suit])
    drops = tuple(
        (COLUMN_PLACES[column], action)
        for action, column, back in _returns(s)
        if back == suit and action in legal
    )
    card = 4 * value + suit if value else 0
    sign = "" if card else SUIT_SIGNS[suit]
    x, place = FOUNDATION_X + suit, FOUNDATION_PLACES[suit]
    return Item(x, 0, card, note=sign, place=place, drops=drops)


def _returns(s: Any) -> list[tuple[int, int, int]]:
    """Return the action, column and suit of each action that moves a card from a foundation."""
    return [
        (BACK + 2 * column + which, column, int(suit_back(s, column, which)))
        for column in range(COLUMNS)
        for which in range(2)
    ]


def _column(
    s: Any, rules: Rules, column: int, legal: Collection[int], down_y: float, up_y: float
) -> list[Item]:
    """Return the cards of a column, the face-down cards first."""
    down = int(s["shown"]["face_down"][column])
    cards = [int(card) for card in s["column"][column][: s["count"][column]]]
    x, place = COLUMNS_X + column, COLUMN_PLACES[column]
    if not cards:
        return [Item(x, TOP, 0, place=place)]
    items = []
    for row, card in enumerate(cards):
        y = TOP + down_y * min(row, down) + up_y * max(row - down, 0)
        if row >= down:
            items.append(_card(x, y, card, place, _run_drops(s, column, row, legal)))
        elif rules.thoughtful:
            items.append(Item(x - ASIDE, y, card, place=place))
        else:
            items.append(Item(x, y, LOWER, False, place=place))
    return items


def _run_drops(s: Any, column: int, row: int, legal: Collection[int]) -> Drops:
    """Return the targets of the part of a run that begins at a row."""
    shown, card = s["shown"], int(s["column"][column][row])
    drops = []
    if COLUMN_UP + column in legal and row == s["count"][column] - 1:
        drops.append((FOUNDATION_PLACES[card & 3], COLUMN_UP + column))
    for action in range(MOVE + (COLUMNS - 1) * column, MOVE + (COLUMNS - 1) * (column + 1)):
        target = move_columns(action)[1]
        last = int(shown["last"][target])
        begins = last >> 2 == (card >> 2) + 1 if last else row == shown["face_down"][column]
        if action in legal and begins:
            drops.append((COLUMN_PLACES[target], action))
    return tuple(drops)


def _texts(s: Any, rules: Rules) -> list[Text]:
    """Return the status: a line below the columns in pictures, and to their right in text.

    In games with a clock, pictures show the time instead of the moves.
    """
    shown, number = s["shown"], int(s["redeals"]) + 1
    facts = [f"pass {number} of {rules.passes}" if rules.passes else f"pass {number}"]
    facts += [f"score {int(s['score'])}", f"moves {int(s['moves'])}"]
    clock = []
    if rules.scoring == Scoring.STANDARD and rules.seconds_per_move:
        clock.append(f"time {int(s['moves']) * int(rules.seconds_per_move)} s")
    y = TOP + ROOM + 1.1
    status = [*facts[: 3 - len(clock)], *clock]
    texts = [Text(COLUMNS_X + 2 * i, y, fact, only="status") for i, fact in enumerate(status)]
    lines = [
        *facts,
        *clock,
        f"stock {int(shown['stock_count'])}, waste {int(shown['waste_count'])}",
    ]
    return (
        texts
        + [Text(OPEN_LEFT, TOP + 0.25 * i, line, only="ansi") for i, line in enumerate(lines)]
        + [
            Text(COLUMNS_X + column, NUMBERS_Y, f" {_number(column)}", only="ansi")
            for column in range(COLUMNS)
        ]
    )


def action_words(s: Any, rules: Rules) -> dict[int, tuple[str, ...]]:
    """Return the words that a person can type for each legal action.

    The first word names the cards as they are drawn: ``"Qd Ks"``, ``"As f"`` for the foundation, or
    ``"Kc 3"`` for an empty column. Other words name columns by number: ``"Qd 4"``, ``"7>4"``.
    """
    words: dict[int, tuple[str, ...]] = {}
    for action in list_actions(s["legal"]):
        if action in (DEAL, REDEAL):
            words[action] = ("d", "deal") if action == DEAL else ("r", "redeal")
            continue
        card, source, target = _find_move(s, action)
        name, last = card_name(card), _last_card(s, target)
        words[action] = tuple(
            dict.fromkeys(
                [
                    f"{name} {card_name(last) if last else target}",
                    f"{name} {target}",
                    *([f"{source}>{target}"] if source != FOUNDATION else []),
                ]
            )
        )
    return words


def describe_action(s: Any, rules: Rules, action: int) -> str:
    """Return an action as a phrase, such as ``"move 7♥ to 8♠"`` or ``"move K♥ to column 3"``."""
    if action in (DEAL, REDEAL):
        return "deal from the stock" if action == DEAL else "turn the waste over"
    card, _, target = _find_move(s, action)
    if not card:
        return label(action)
    last = _last_card(s, target)
    column = card_symbol(last) if last else f"column {target}"
    return f"move {card_symbol(card)} to {'its foundation' if target == FOUNDATION else column}"


def _last_card(s: Any, pile: str) -> int:
    """Return the card that a moved card covers: the last card of a column; otherwise 0."""
    return 0 if pile == FOUNDATION else int(s["shown"]["last"][int(pile) - 1])


def _find_move(s: Any, action: int) -> tuple[int, str, str]:
    """Return the card that an action moves, its pile, and the target.

    Piles are ``WASTE``, ``FOUNDATION`` and the numbers of the columns. The card is 0 if the action
    moves no face-up card. For a run it is the first card of the run.
    """
    shown = s["shown"]
    if WASTE_UP <= action < COLUMN_UP:
        target = FOUNDATION if action == WASTE_UP else _number(action - WASTE_DOWN)
        return int(shown["waste_top"]), WASTE, target
    if COLUMN_UP <= action < MOVE:
        column = action - COLUMN_UP
        return int(shown["last"][column]), _number(column), FOUNDATION
    if MOVE <= action < BACK:
        column, other = move_columns(action)
        rows = range(int(shown["face_down"][column]), int(s["count"][column]))
        last = int(shown["last"][other])
        cards = [int(s["column"][column][row]) for row in rows]
        fitting = [card for card in cards if card >> 2 == (last >> 2) - 1] if last else cards
        return (fitting or [0])[0], _number(column), _number(other)
    for number, column, suit in _returns(s):
        if number == action:
            value = int(shown["foundations"][suit])
            return 4 * value + suit if value else 0, FOUNDATION, _number(column)
    return 0, "", ""


def _number(column: int) -> str:
    return str(column + 1)


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return the game's own entries of ``info``, each an array (n,)."""
    cards = states["shown"]["foundations"].sum(axis=1, dtype=np.int64)
    return {"cards_built": cards, "passes_used": states["redeals"].astype(np.int64) + 1}
