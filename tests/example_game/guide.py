"""Higher or Lower: what a person reads to play."""

from collections.abc import Sequence
from typing import Any

from parlour.envs.core.kernel.cards import card_symbol
from parlour.envs.core.scene.items import Item
from parlour.envs.core.type_aliases import Action
from tests.example_game.rules import VARIANTS

VARIANT_NOTES = {name: f"With {rules.lives} lives." for name, rules in VARIANTS.items()}


def how_to_play(rules: Any) -> list[str]:
    """Return the explanation of the game."""
    return [
        "Aim: guess right as often as the target demands.",
        "Cards: from ace, the lowest, to king.",
        "Points: 1 for each right guess.",
        "Guess whether the next card is higher or lower than the one shown.",
    ]


def prompt(s: Any, rules: Any, selected: Sequence[Action] = ()) -> str:
    """Return the question of the moment."""
    if s["over"]:
        return "The game is over."
    return f"Is the next card higher or lower than {card_symbol(int(s['shown']['card']))}?"


def refusal(s: Any, rules: Any, item: Item, onto: Item | None = None) -> str:
    """Return why cards do not move."""
    return "Cards do not move in this game: choose higher or lower."
