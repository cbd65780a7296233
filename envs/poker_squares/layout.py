"""Poker Squares: where each card lies, and what it is called."""

from typing import Any

from ..core.hands import category
from ..core.scene import Item, Scene, Text
from .rules import SIZE, SQUARES, label

SIDE = SIZE + 1
"""Where the card to be placed and the words stand, right of the grid."""


def layout(s: Any, rules: Any) -> Scene:
    """Return the table as the player sees it; ``s`` is one record of states."""
    shown, legal = s["shown"], int(s["legal"]) if not s["over"] else 0
    items = [
        Item(
            square % SIZE,
            square // SIZE,
            int(shown["grid"][square]),
            True,
            "legal" if legal >> square & 1 else "",
            _short(square) if legal >> square & 1 else "",
        )
        for square in range(SQUARES)
    ]
    if shown["card"]:
        items.append(Item(SIDE, 0, int(shown["card"]), True, "picked"))
    lines = [
        f"score {int(s['score'])}",
        f"target {int(s['target'])}",
        f"{int(shown['placed'])} of {SQUARES} placed",
    ]
    texts = [Text(SIDE, 2 + i, line) for i, line in enumerate(lines)]
    return Scene("Poker Squares", tuple(items), (*_points(s), *texts))


def _points(s: Any) -> list[Text]:
    """What each full row brings, right of it, and each full column, below it."""
    grid = s["shown"]["grid"].reshape(SIZE, SIZE)
    rows = [(float(SIZE), float(i), grid[i]) for i in range(SIZE)]
    columns = [(i + 0.25, float(SIZE), grid[:, i]) for i in range(SIZE)]
    full = [line for line in rows + columns if line[2].all()]
    return [Text(x, y, str(int(s["points"][category(cards)]))) for x, y, cards in full]


def _short(square: int) -> str:
    return label(square).split()[1]


def words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return what a person may call each empty square: ``"a1"``, or its number."""
    empty = (square for square in range(SQUARES) if not s["shown"]["grid"][square])
    return {square: (_short(square), str(square)) for square in empty}


def facts(states: Any, rules: Any) -> dict[str, Any]:
    """Return what ``info`` says at the end beside reached, score and moves: nothing."""
    return {}
