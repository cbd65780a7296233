"""Higher or Lower: what is played.

One card lies face up, and the player says whether the next one is higher or lower. A right guess is
a point; a wrong one costs a life, and a card of equal value is wrong either way. Enough points win,
and without a life the game is lost.

Actions: 0 HIGHER, 1 LOWER. HIGHER is not legal on a card that none can be above, LOWER on one that
none can be below.
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
"""The first card is not guessed."""
ACE, KING = 1, 13
"""The lowest and the highest value, where aces are low."""


class Rules(NamedTuple):
    """The options of Higher or Lower; the defaults are those all variants differ from."""

    lives: Annotated[int, Option("so many wrong guesses lose the game", 1, 9)] = 3
    target: Annotated[int, Option("so many right guesses win it", 1, GUESSES)] = 12
    aces_high: Annotated[bool, Option("an ace is above the king, not below the two")] = False


DEFAULT = "classic"
"""The variant played when none is named."""

_BASE = Rules()
VARIANTS = {
    "classic": _BASE,
    "aces-high": _BASE._replace(aces_high=True),
}
"""The rules that have a name, by that name."""
SOURCES = {
    "classic": "folk",
    "aces-high": "folk",
}
REFERENCES = {"folk": "played everywhere, and written down here for the first time"}
"""What the short names in SOURCES stand for."""


def check(rules: Rules) -> None:
    """Refuse rules by which the pack could run out: ValueError naming the options."""
    if rules.target + rules.lives > PACK_SIZE:
        raise ValueError(
            f"option target={rules.target}, lives={rules.lives}: allowed are together at most "
            f"{PACK_SIZE}, or the pack could run out"
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
    """Name an action; ValueError for a number that is none."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: Higher or Lower has actions 0 to {ACTIONS - 1}")
    return NAMES[action]
