"""The cards, actions and options of the reference Puss in the Corner, from the same rule page.

Piles and foundations are numbered from 0: PLACE[0] is the page's PLACE 1. The page names no
action for `sevens`: PACKET[1, 3] lays the packet of pile 1 upon pile 3, both counted from 0.
"""

from dataclasses import dataclass, fields
from itertools import permutations
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "cdhs"
BLACK = "cs"

PILES = range(4)
PLACE = range(0, 4)
PLAY = range(4, 8)
FOUNDATION, DEAL, REDEAL = 8, 9, 10
GATHER = range(11, 15)
END = 15

# From which pile upon which: (0, 1) is 16, (0, 2) is 17, (0, 3) is 18, (1, 0) is 19, ...
PACKET = {pair: 16 + at for at, pair in enumerate(permutations(PILES, 2))}
FROM_AND_UPON = {action: pair for pair, action in PACKET.items()}

SEVEN = 7


def value(card: str) -> int:
    """Ace 1, number cards their number, jack 11, queen 12, king 13."""
    return RANKS.index(card[0]) + 1


def is_black(suit: str) -> bool:
    """Whether a suit is clubs or spades."""
    return suit in BLACK


@dataclass(frozen=True)
class Rules:
    """The options of one game, with their defaults."""

    redeals: int = 1
    hold_back: bool = False
    choose_pickup: bool = False
    deal_size: int = 4
    direct: bool = False
    suits: bool = False
    sevens: bool = False
    next_open: bool = False
    max_moves: int = 500


NUMBERS = {"redeals": (0, 1, 2), "deal_size": (1, 4)}


def refused(options: dict[str, Any]) -> bool:
    """Whether some option is unknown or out of range (those not named have their default)."""
    known = {option.name for option in fields(Rules)}
    return any(name not in known or _bad(name, setting) for name, setting in options.items())


def _bad(name: str, setting: Any) -> bool:
    """Whether `setting` is nothing that the option `name` can have."""
    is_bool = isinstance(setting, bool)
    if name not in (*NUMBERS, "max_moves"):
        return not is_bool
    if is_bool or not isinstance(setting, int):
        return True
    if name == "max_moves":
        return setting < 1
    return setting not in NUMBERS[name]


def read_deck(deck: list[str]) -> list[str]:
    """The deck as a new list; ValueError unless it is a pack without its aces."""
    if sorted(deck) != sorted(rank + suit for rank in RANKS[1:] for suit in SUITS):
        raise ValueError(f"not the 48 cards that are no aces: {deck}")
    return list(deck)
