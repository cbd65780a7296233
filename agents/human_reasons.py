"""Why a card that a person names cannot be moved now, as the table shows it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from parlour.envs.core.kernel.cards import card_name, parse_card
from parlour.envs.core.scene.scene import Item, Scene


def explain_stuck(
    scene: Scene, actions: Sequence[int], words: Mapping[int, tuple[str, ...]]
) -> str:
    """Return why cards are stuck, as the end of a sentence: what lies on them, or what is missing.

    ``words`` are those of `Game.action_words`. Empty where an action is of no card, such as a turn.
    """
    reasons = []
    for action in actions:
        with suppress(ValueError):  # a place without a card, a turn
            card = parse_card(words[action][0])
            reasons.append(_reason(scene, card))
    return "".join(f"; {reason}" for reason in reasons)


def explain_card(scene: Scene, name: str) -> str:
    """Return why a card is stuck, like `explain_stuck`; empty for the name of a pile."""
    with suppress(ValueError):
        return f"; {_reason(scene, parse_card(name))}"
    return ""


def _reason(scene: Scene, card: int) -> str:
    name = card_name(card)
    found = [item for item in scene.items if item.face_up and item.card == card]
    covers = [name_item(other) for item in found for other in find_covers(scene, item)]
    if covers:
        return f"{name} is covered by {' and '.join(covers)}"
    return f"{name} is free, but nothing goes with it now"


def find_covers(scene: Scene, item: Item) -> list[Item]:
    """Return what lies on a card: later cards that overlap it."""
    later = scene.items[scene.items.index(item) + 1 :]
    return [
        one for one in later if one.card and abs(one.x - item.x) < 1 and abs(one.y - item.y) < 1
    ]


def name_item(item: Item) -> str:
    """Name a card, without looking at one that lies face down."""
    return card_name(item.card) if item.face_up else "a card face down"
