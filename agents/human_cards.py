"""Finding moves by the names of cards and piles on the table."""

from collections.abc import Sequence
from contextlib import suppress

from parlour.envs.core.kernel.cards import card_name, parse_card
from parlour.envs.core.scene.scene import Item, Scene


def spell_word(word: str) -> str:
    """Return the `card_name` of a card, and any other word unchanged.

    The card may be in brackets, as the board shows it: ``[T♥]``.
    """
    with suppress(ValueError):
        return card_name(parse_card(word.strip("[]<>()")))
    return word


def find_drawn(words: Sequence[str], scene: Scene) -> list[int]:
    """Return the legal actions of the card or pile that the first word names.

    A second word names where it goes: a card, or a place such as ``column-3``. Words are those of
    `spell_word`. The list is empty if nothing on the table has these names.
    """
    if not 1 <= len(words) <= 2:
        return []
    found = _find_items(words[0], scene)
    if len(words) == 1:
        actions = [(item.action, *(action for _, action in item.drops)) for item in found]
        return sorted({action for several in actions for action in several if action >= 0})
    targets = {words[1].lower(), *(item.place for item in _find_items(words[1], scene))}
    return sorted({action for item in found for place, action in item.drops if place in targets})


def is_drawn(word: str, scene: Scene) -> bool:
    """Return whether a word names a card or a pile on the table."""
    return bool(_find_items(word, scene))


def _find_items(word: str, scene: Scene) -> list[Item]:
    known = word.lower()
    return [
        item
        for item in scene.items
        if item.place == known or (item.card and item.face_up and card_name(item.card) == word)
    ]
