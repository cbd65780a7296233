"""Rules of Higher or Lower.

One card is face up, and the player guesses whether the next one is higher or lower. A right guess
scores a point and a wrong guess costs a life; a card of equal value makes either guess wrong.
Enough points win the game. The game is lost when no life is left.

Actions: 0 HIGHER, 1 LOWER. HIGHER is illegal on the highest value, LOWER on the lowest.
"""

from typing import Annotated, NamedTuple

import numpy as np

from parlour.envs.core.batch import make_state_head
from parlour.envs.core.kernel.cards import PACK_SIZE
from parlour.envs.core.options import Option
from parlour.envs.core.schema import RANK, Features, Piece, option_pieces, whole_number

HIGHER, LOWER = 0, 1
ACTIONS = 2
NAMES = ("HIGHER", "LOWER")
GUESSES = PACK_SIZE - 1
"""The number of cards that can be guessed: all but the first."""
ACE, KING = 1, 13
"""The lowest and the highest value if aces are low."""


class Rules(NamedTuple):
    """The options of Higher or Lower; variants are differences from the defaults."""

    lives: Annotated[int, Option("number of wrong guesses that lose the game", 1, 9)] = 3
    target: Annotated[int, Option("number of right guesses that win the game", 1, GUESSES)] = 12
    aces_high: Annotated[bool, Option("an ace is above the king, not below the two")] = False


DEFAULT = "classic"
"""The name of the default variant."""

_BASE = Rules()
VARIANTS = {
    "classic": _BASE,
    "aces-high": _BASE._replace(aces_high=True),
}
"""Named rules."""
SOURCES = {
    "classic": "folk",
    "aces-high": "folk",
}
REFERENCES = {"folk": "a traditional game; these rules were written for Parlour"}
"""The meaning of the short names in SOURCES."""


def check(rules: Rules) -> None:
    """Raise ValueError for rules under which the deck could run out."""
    if rules.target + rules.lives > PACK_SIZE:
        raise ValueError(
            f"options target + lives must be at most {PACK_SIZE}, got target={rules.target}, "
            f"lives={rules.lives}: the deck could run out"
        )


FEATURES = Features(
    [
        Piece("card", 1, RANK, "the card face up"),
        Piece("unseen", KING, whole_number(4), "cards of each value not yet seen, aces first"),
        Piece("right", 1, whole_number(GUESSES), "right guesses"),
        Piece("lives_left", 1, whole_number(9), "wrong guesses that lose the game"),
        *option_pieces(Rules),
    ]
)
STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("deck", np.int8, (PACK_SIZE,)),
        ("next", np.int8),  # deck position of the next card
        ("shown", FEATURES.dtype),
    ]
)


def label(action: int) -> str:
    """Return the name of an action; ValueError for other numbers."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action must be 0 to {ACTIONS - 1}, got {action}")
    return NAMES[action]
