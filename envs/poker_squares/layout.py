"""Poker Squares: where each card lies, and what it is called."""

from typing import Any

from ..core.scene import Item, Scene, Text
from .rules import SIZE, SQUARES, label

SIDE = SIZE + 0.5
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
    lines = [f"score {int(s['score'])}", f"{int(shown['placed'])} of {SQUARES} placed"]
    texts = [Text(SIDE, 1.5 + 0.25 * i, line) for i, line in enumerate(lines)]
    return Scene("Poker Squares", tuple(items), tuple(texts))


def _short(square: int) -> str:
    return label(square).split()[1]


def words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return what a person may call each empty square: ``"a1"``, or its number."""
    empty = (square for square in range(SQUARES) if not s["shown"]["grid"][square])
    return {square: (_short(square), str(square)) for square in empty}


def facts(states: Any, rules: Any) -> dict[str, Any]:
    """Return what ``info`` says at the end beside reached, score and moves: nothing."""
    return {}
