"""Fifty-Six: the options of a hand, the variants, and invalid rules. Used by `fifty_six`, in
whose header the readings are listed.
"""

from dataclasses import dataclass, fields
from typing import Any

from tests.reference.fifty_six_cards import deal, full_pack, points

ALLOWED: dict[str, tuple[Any, ...]] = {
    "players": (4, 6, 8),
    "small_pack": (False, True),
    "trumps": ("open", "hidden"),
    "forced": (False, True),
    "honours": (False, True),
    "leader": ("first", "bidder"),
    "doubling": ("none", "add", "times"),
    "void_pointless": (False, True),
    "void_without": (False, True),
    "all_pass": ("void", "no_trumps"),
    "six_each": (False, True),
    "redouble_times": (3, 4),
    "bid_forms": (False, True),
}


@dataclass(frozen=True)
class Options:
    """The options of one hand, with their defaults.

    Raises ValueError for a setting that is not allowed, and for settings that exclude each other.
    """

    players: int = 6
    small_pack: bool = True
    trumps: str = "open"
    forced: bool = True
    honours: bool = False
    leader: str = "first"
    doubling: str = "times"
    void_pointless: bool = False
    void_without: bool = False
    all_pass: str = "void"
    six_each: bool = False
    redouble_times: int = 4
    bid_forms: bool = False

    def __post_init__(self) -> None:
        for option in fields(self):
            _check(option.name, getattr(self, option.name))
        if not self.small_pack and self.players != 4:
            raise ValueError(
                f"small_pack=False: allowed is True with players={self.players};"
                " only 4 players choose their pack"
            )
        if self.six_each and self.players != 8:
            raise ValueError(
                f"six_each=True: allowed is False with players={self.players};"
                " only 8 players choose six cards each"
            )
        if self.trumps == "hidden" and self.leader == "first":
            raise ValueError(
                "leader='first': allowed is 'bidder' with trumps='hidden';"
                " the bidder leads the first trick there"
            )


VARIANTS: dict[str, dict[str, Any]] = {
    "classic": {},
    "international": {"doubling": "add"},
    "four": {"players": 4},
    "four-long": {"players": 4, "small_pack": False},
    "eight": {"players": 8},
    "hidden": {"trumps": "hidden", "leader": "bidder", "honours": True, "doubling": "none"},
    "passed-out": {"forced": False, "all_pass": "no_trumps"},
    "eight-short": {"players": 8, "six_each": True},
    "forms": {"doubling": "add", "bid_forms": True},
}


def make_options(variant: str = "classic", **changes: Any) -> Options:
    """The options of a variant with these changes.

    Raises ValueError for an unknown variant or option, and for what `Options` refuses.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant={variant!r}: allowed are {', '.join(VARIANTS)}")
    for name, setting in changes.items():
        if name not in ALLOWED:
            raise ValueError(f"unknown option {name}={setting!r}: allowed are {', '.join(ALLOWED)}")
    return Options(**{**VARIANTS[variant], **changes})


def _check(name: str, setting: Any) -> None:
    """Raise ValueError if the option cannot have this setting (True is not the number 1)."""
    allowed = ALLOWED[name]
    if not any(type(setting) is type(each) and setting == each for each in allowed):
        words = ", ".join(repr(each) for each in allowed)
        raise ValueError(f"{name}={setting!r}: allowed are {words}")


def check_deck(deck: list[str], options: Options) -> None:
    """Raise ValueError if these are not the cards that the options play with."""
    pack = full_pack(options.players, options.small_pack, options.six_each)
    if sorted(deck) != sorted(pack):
        wrong = sorted({card for card in [*deck, *pack] if deck.count(card) != pack.count(card)})
        raise ValueError(
            f"deck={' '.join(deck)}: allowed are the {len(pack)} cards of the pack, each card"
            f" twice; not so: {' '.join(wrong)}"
        )


def would_be_redealt(deck: list[str], options: Options) -> bool:
    """Whether the hand is dealt again: `void_pointless`, and the first speaker has no point."""
    return options.void_pointless and points(deal(deck, options.players)[0]) == 0
