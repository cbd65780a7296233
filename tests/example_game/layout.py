"""Layout of Higher or Lower: positions of cards, and words for actions."""

from typing import Any

import numpy as np

from parlour.envs.core.scene.scene import Button, Item, Scene, Text
from parlour.envs.core.type_aliases import Action, States
from tests.example_game.rules import HIGHER, LOWER, label

BACK = 1
"""Any card code: the back shows nothing."""


def layout(s: Any, rules: Any) -> Scene:
    """Return the scene: the card face up, the stock, and the state of the game."""
    shown = s["shown"]
    items = (
        Item(0, 0, int(shown["card"]), place="turned"),
        Item(1, 0, BACK, face_up=False, place="stock"),
    )
    texts = (
        Text(2, 0, f"{int(shown['right'])} of {int(shown['target'])} right"),
        Text(2, 0.5, f"{int(shown['lives_left'])} lives left"),
    )
    legal = 0 if s["over"] else int(s["legal"])
    buttons = tuple(
        Button(2 * i, 1.1, 2, text, action, bool(legal >> action & 1))
        for i, (action, text) in enumerate(((HIGHER, "higher"), (LOWER, "lower")))
    )
    return Scene("Higher or Lower", items, texts, canvas=(4.3, 1.6), buttons=buttons)


def action_words(s: Any, rules: Any) -> dict[Action, tuple[str, ...]]:
    """Return the words for the guesses."""
    return {HIGHER: ("higher", "+"), LOWER: ("lower", "-")}


def describe_action(s: Any, rules: Any, action: Action) -> str:
    """Return a guess as a phrase."""
    phrases = {HIGHER: "guess higher", LOWER: "guess lower"}
    return phrases.get(action) or label(action)


def final_info(states: States, rules: Any, seats: np.ndarray) -> dict[str, np.ndarray]:
    """Return the additional entries of ``info``: the lives left."""
    return {"lives_left": states["shown"]["lives_left"].astype(np.int64)}
