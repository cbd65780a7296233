"""Seven Twenty-Seven: the options of a hand, and which are refused. Used by `seven_twenty_seven`,
in whose header the readings are listed.
"""

from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

from tests.reference.seven_twenty_seven_showdown import NEARNESS

MINI_RANKS = "55AATT"
LEVELS = 5  # of bets and raises


@dataclass(frozen=True)
class Rules:
    """The options of one hand, with the settings of the home game."""

    players: int = 4
    ante: int = 1
    min_bet: int = 1
    max_bet: int = 5
    max_raises: int = 3
    start_down: int = 1
    draw_up: bool = False
    nearness: str = "nearest"
    declare: str = "cards_speak"
    max_extra: int = 0
    max_stands: int = 0
    last_bets: bool = False
    half_tens: bool = False
    bet_first: bool = False
    rotating_lead: bool = False
    perfect: bool = False
    bets_after: bool = False
    both_tie: str = "loses"
    any_amount: bool = False
    pack: str = "full"


NUMBERS = {
    "players": range(2, 11),
    "max_raises": range(0, 61),
    "start_down": range(1, 3),
    "max_extra": range(0, 10),
    "max_stands": range(0, 4),
}
WORDS = {
    "nearness": NEARNESS,
    "declare": ("cards_speak", "simultaneous", "sequential"),
    "both_tie": ("loses", "shares"),
    "pack": ("full", "mini"),
}
CHIPS = ("ante", "min_bet", "max_bet")


def refused(options: dict[str, Any]) -> bool:
    """Whether these options cannot be played (those not named have their default)."""
    known = {option.name for option in fields(Rules)}
    if any(name not in known or _bad(name, setting) for name, setting in options.items()):
        return True
    rules = Rules(**options)
    dealt = rules.players * (1 + rules.start_down)
    too_small = rules.pack == "mini" and dealt > len(MINI_RANKS)
    nothing_said = rules.bets_after and rules.declare == "cards_speak"
    return rules.max_bet < rules.min_bet or too_small or nothing_said


def _bad(name: str, setting: Any) -> bool:
    """Whether `setting` is nothing that the option `name` can have."""
    if name in WORDS:
        return setting not in WORDS[name]
    is_bool = isinstance(setting, bool)
    if name not in NUMBERS and name not in CHIPS:
        return not is_bool
    if is_bool or not isinstance(setting, int):
        return True
    return setting < 1 if name in CHIPS else setting not in NUMBERS[name]


def bet_levels(min_bet: int, max_bet: int) -> list[int]:
    """The chips of the five levels; some may be equal."""
    return [min_bet + (max_bet - min_bet) * level // 4 for level in range(LEVELS)]


def parts(amounts: list[int]) -> list[list[int]]:
    """The amounts in five parts; part k begins after n * k / 5 of the n amounts, rounded up."""
    begins = [ceil(len(amounts) * Fraction(part, LEVELS)) for part in range(LEVELS + 1)]
    return [amounts[begin:end] for begin, end in pairwise(begins)]
