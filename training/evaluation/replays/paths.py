"""Paths of moves on the table, along which a page draws arrows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.rows import Rows, view_states
from parlour.envs.core.scene.scene import Item, Scene

Point = tuple[float, float]
"""Upper left corner of a card or place, in the units of `Scene.canvas`."""


def find_path(
    game: Game, rules: Any, state: np.ndarray, actions: Sequence[int], seat: int
) -> list[Point]:
    """Return the places that a move connects: those of its cards, and its target.

    The path has one point if the move has no visible target, and none if it has no card, such as a
    bid. It depends only on what the seat sees.

    Args:
        game: The game.
        rules: Its rules.
        state: The position before the move, (1,).
        actions: The actions of the move.
        seat: The seat that sees the table.
    """

    def see() -> Scene:
        shown = view_states(game, rules, rows.states, np.array([seat]))
        return game.layout(shown[0], rules)

    rows = Rows(game, rules, 1)
    rows.restore(state)
    scene = see()
    path: list[Point] = []
    for action in actions:
        before = scene
        item = _find_item(before, action)
        rows.step(np.array([action]))
        scene = see()
        if item is not None:
            path.append((item.x, item.y))
    if len(path) == 1 and item is not None:
        target = _find_target(before, scene, item, actions[-1])
        path += [] if target is None else [(target.x, target.y)]
    return path


def _find_item(scene: Scene, action: int) -> Item | None:
    """Return the item that an action moves: a drag first, because its target is an item, too."""
    dragged = (item for item in scene.items if any(one == action for _, one in item.drops))
    clicked = (item for item in scene.items if item.action == action)
    return next(dragged, next(clicked, None))


def _find_target(before: Scene, after: Scene, item: Item, action: int) -> Item | None:
    """Return where an item goes: its new place, its target, or a card that it turns up."""
    if item.card and item.face_up:
        for one in after.items:
            if one.card == item.card and one.face_up and (one.x, one.y) != (item.x, item.y):
                return one
    places = [place for place, one in item.drops if one == action]
    targets = [one for one in before.items if one.place in places]
    if targets:
        return targets[-1]
    known = {one.card for one in before.items if one.face_up}
    turned = [one for one in after.items if one.face_up and one.card not in known]
    return turned[-1] if turned else None
