"""What both kinds of play show of a position: what a click on a card is, and what has no card."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from parlour.envs import Game
from parlour.envs.core.kernel.cards import parse_card
from parlour.envs.core.scene.items import item_ids
from parlour.envs.core.scene.scene import Scene


def list_targets(scene: Scene, words: Mapping[int, tuple[str, ...]]) -> dict[str, int]:
    """Return the action that a click on an item is, by the item's id.

    It may not be legal now: a card that waits for another one has its action, too, and one that
    cannot be moved, so that a click on it is told why. ``words``: see `Game.action_words`.
    """
    cards: dict[int, int] = {}
    for action, (first, *_) in words.items():
        with suppress(ValueError):  # a place without a card, a turn
            cards.setdefault(parse_card(first), action)
    found = {}
    for item, name in zip(scene.items, item_ids(scene.items), strict=True):
        if item.action >= 0:
            found[name] = item.action
        elif item.card and item.face_up and item.card in cards:
            found[name] = cards[item.card]
    return found


def name_actions(
    game: Game, actions: Iterable[int], words: Mapping[int, tuple[str, ...]]
) -> list[dict[str, Any]]:
    """Return number and name of actions, for buttons: the longest word for each, or its label."""
    return [
        {"action": action, "text": max(words.get(action, (game.label(action),)), key=len)}
        for action in sorted(actions)
    ]
