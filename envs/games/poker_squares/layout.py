"""Poker Squares: the scene of a table, and the words for actions."""

from typing import Any

import numpy as np

from ...core.kernel.cards import card_symbol
from ...core.scene.scene import Item, Scene, Text
from .kernel import category
from .rules import SIZE, SQUARES, label

SIDE = SIZE + 0.75
"""Left edge of the card to place and of the text, to the right of the grid."""
OTHER = SIDE + 1.1
"""Left edge of the other grid, head to head."""
BELOW = SIZE + 0.5
"""Top of the text below the points of the columns."""


def layout(s: Any, rules: Any) -> Scene:
    """Return the scene of the table as seen by the viewer of ``s``, one record of states.

    Head to head, the viewer's grid is on the left. The known part of the other grid is on the
    right.
    """
    shown = s["shown"]
    is_turn = s["viewer"] == s["turn"] and not s["over"]
    legal = int(s["legal"]) if is_turn else 0
    items = _grid(shown["grid"], 0, legal, "square")
    texts = _points(s, shown["grid"], 0)
    if shown["card"]:
        drops = tuple((f"square-{_short(i)}", i) for i in range(SQUARES) if legal >> i & 1)
        items.append(Item(SIDE, 0, int(shown["card"]), True, "picked", place="hand", drops=drops))
    if rules.players == 1:
        lines = [f"score {int(s['score'])}", f"target {int(s['target'])}", _placed_text(s)]
        texts += [Text(SIDE, 2 + i, line, only="ansi") for i, line in enumerate(lines)]
        texts += [Text(2 * i, BELOW, line, "", "status") for i, line in enumerate(lines)]
    else:
        items += _grid(shown["other"], OTHER, 0, "other")
        texts += [*_points(s, shown["other"], OTHER), *_totals(s)]
    canvas = (SIDE + 1.0, BELOW) if rules.players == 1 else (OTHER + SIZE + 0.7, BELOW + 1.0)
    return Scene("Poker Squares", tuple(items), tuple(texts), canvas)


def _grid(grid: Any, left: float, legal: int, place: str) -> list[Item]:
    """Return the squares of a grid. Legal squares are marked and named."""
    return [
        Item(
            left + square % SIZE,
            square // SIZE,
            int(grid[square]),
            True,
            "legal" if legal >> square & 1 else "",
            _short(square) if legal >> square & 1 else "",
            f"{place}-{_short(square)}",
            square if legal >> square & 1 else -1,
        )
        for square in range(SQUARES)
    ]


def _points(s: Any, cards: Any, left: float) -> list[Text]:
    """Return the points of full rows, to their right, and of full columns, below them."""
    grid = cards.reshape(SIZE, SIZE)
    rows = [(left + SIZE, float(i), grid[i]) for i in range(SIZE)]
    columns = [(left + i + 0.25, float(SIZE), grid[:, i]) for i in range(SIZE)]
    full = [line for line in rows + columns if line[2].all()]
    texts = []
    for x, y, cards in full:
        points = str(int(s["points"][category(cards)]))
        texts.append(Text(x, y, points, only="ansi"))
        down = 0.36 if y < SIZE else 0.06  # beside the middle of a row
        texts.append(Text(x + 0.1, y + down, points, "strong", "picture"))
    return texts


def _placed_text(s: Any) -> str:
    return f"{int(s['shown']['placed'])} of {SQUARES} placed"


def _totals(s: Any) -> list[Text]:
    """Return the names of the grids and their known totals."""
    seat = int(s["viewer"])
    own, other = _known_totals(s, seat)
    waits = ", has placed" if seat == 1 and s["secret"] >= 0 else ""
    return [
        Text(0, BELOW, f"you, player_{seat}: {own}"),
        Text(OTHER, BELOW, f"player_{1 - seat}: {other}{waits}"),
        Text(0, BELOW + 0.5, _placed_text(s)),
    ]


def _known_totals(states: Any, seats: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return a seat's own total and the other total without a secret square.

    With n states and n seats, the results are arrays (n,).
    """
    mine = states["viewer"] == seats
    own = np.where(mine, states["score"], states["other_score"])
    other = np.where(mine, states["other_score"], states["score"])
    secret = np.where(seats == 1, states["secret_points"], 0)
    return own.astype(np.int64), (other - secret).astype(np.int64)


def _short(square: int) -> str:
    return label(square).split()[1]


def action_words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return the words that a person can type for each empty square: ``"a1"``, or its number."""
    empty = (square for square in range(SQUARES) if not s["shown"]["grid"][square])
    return {square: (_short(square), str(square)) for square in empty}


def describe_action(s: Any, rules: Any, action: int) -> str:
    """Return an action as a phrase, such as ``"place 9♦ at c4"``."""
    card = int(s["shown"]["card"])
    if not card or not 0 <= action < SQUARES:
        return label(action)
    return f"place {card_symbol(card)} at {_short(action)}"


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return the game's own entries of ``info``.

    Head to head these are the seat's own total and the known part of the other total.
    """
    if rules.players == 1:
        return {}
    own, other = _known_totals(states, seats)
    return {"total": own, "other_total": other}
