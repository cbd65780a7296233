"""Complete moves of a position, each of one or more actions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .game import Game
from .legal import list_actions
from .rows import Rows


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
