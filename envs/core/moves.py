"""Complete moves of a position, each of one or more actions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .game import Game
from .kernel.cards import card_name
from .legal import list_actions
from .rows import Rows
from .scene.items import Item
from .scene.scene import Scene


def list_complete_moves(game: Game, rules: Any, states: np.ndarray) -> list[list[int]]:
    """Return every move of one game, states (1,), each as the list of its actions.

    A move is complete when the game's move counter increases or the game ends.
    """
    rows, action = Rows(game, rules, 1), np.zeros(1, np.int64)
    moves_before = states["moves"][0]
    complete: list[list[int]] = []
    incomplete: list[tuple[np.ndarray, list[int]]] = [(states.copy(), [])]
    while incomplete:
        state, actions = incomplete.pop()
        for action[0] in list_actions(state["legal"][0]):
            rows.restore(state)
            rows.step(action)
            extended = [*actions, int(action[0])]
            if rows.states["over"][0] or rows.states["moves"][0] != moves_before:
                complete.append(extended)
            else:
                incomplete.append((rows.states.copy(), extended))
    return sorted(complete)


def move_text(move: Sequence[int], words: dict[int, tuple[str, ...]]) -> str:
    """Write a move with the first word for each action, such as ``"Th 3s"``."""
    return " ".join(words[action][0] for action in dict.fromkeys(move))


def mark_moves(
    scene: Scene, moves: Iterable[Sequence[int]], words: Mapping[int, tuple[str, ...]]
) -> Scene:
    """Return a scene with a mark on each card that a move of several actions uses.

    Layouts mark only the card with which such a move begins.

    Args:
        scene: The scene.
        moves: The complete moves of the position; see `list_complete_moves`.
        words: The words for its actions; see `contract.ActionWords`.
    """
    used = {
        word for move in moves if len(move) > 1 for action in move for word in words.get(action, ())
    }

    def mark(item: Item) -> Item:
        is_used = item.card and item.face_up and not item.mark and card_name(item.card) in used
        return item._replace(mark="legal") if is_used else item

    return scene._replace(items=tuple(map(mark, scene.items)))
