"""Twenty-Eight: the options of a hand, the variants, and what is refused. Used by `twenty_eight`,
in whose header the readings are listed.
"""

from dataclasses import dataclass, fields
from typing import Any

from tests.reference.twenty_eight_cards import deal, full_pack, points

SWITCH = (False, True)

ALLOWED: dict[str, tuple[Any, ...]] = {
    "players": (3, 4, 6),
    "min_bid": tuple(range(12, 19)),
    "forced": ("first", "dealer", "nobody"),
    "partner_min": (0, *range(15, 29)),
    "match": SWITCH,
    "trump_by": ("card", "suit"),
    "seventh": SWITCH,
    "no_trumps": SWITCH,
    "second_auction": (0, 23, 24),
    "ask": ("may", "must"),
    "asker_trumps": SWITCH,
    "force": ("later", "whole"),
    "never_shown": ("plays", "void"),
    "overtrump": SWITCH,
    "pair": SWITCH,
    "pair_from": (0, *range(15, 29)),
    "last_trick": (0, 1),
    "early_end": SWITCH,
    "doubles": SWITCH,
    "single_hand": SWITCH,
    "cot": SWITCH,
    "auto_double": (0, *range(18, 29)),
    "scoring": ("one", "steps", "graded"),
    "redeal_pointless": SWITCH,
    "redeal_jacks": SWITCH,
    "void_without": SWITCH,
    "reentry": SWITCH,
    "may_redeal": SWITCH,
    "play_shown": SWITCH,
    "highest_stake": (0, 2, 3),
    "single_lost": (3, 4),
    "one_bid": SWITCH,
    "forced_exact": SWITCH,
    "trumps_first": SWITCH,
    "set_bid": SWITCH,
    "bidder_asks": SWITCH,
    "lead_secret": SWITCH,
    "half_lost": SWITCH,
    "redeal_two": SWITCH,
    "seventh_void": SWITCH,
}


@dataclass(frozen=True)
class Options:
    """The options of one hand, with the defaults of Twenty-Eight.

    Raises ValueError for a setting that is not allowed, and for settings that exclude each other.
    """

    players: int = 4
    min_bid: int = 14
    forced: str = "first"
    partner_min: int = 20
    match: bool = False
    trump_by: str = "card"
    seventh: bool = False
    no_trumps: bool = False
    second_auction: int = 0
    ask: str = "may"
    asker_trumps: bool = True
    force: str = "later"
    never_shown: str = "plays"
    overtrump: bool = False
    pair: bool = False
    pair_from: int = 0
    last_trick: int = 0
    early_end: bool = False
    doubles: bool = False
    single_hand: bool = False
    cot: bool = False
    auto_double: int = 0
    scoring: str = "one"
    redeal_pointless: bool = False
    redeal_jacks: bool = False
    void_without: bool = False
    reentry: bool = False
    may_redeal: bool = False
    play_shown: bool = False
    highest_stake: int = 0
    single_lost: int = 3
    one_bid: bool = False
    forced_exact: bool = False
    trumps_first: bool = False
    set_bid: bool = False
    bidder_asks: bool = False
    lead_secret: bool = False
    half_lost: bool = False
    redeal_two: bool = False
    seventh_void: bool = False

    def __post_init__(self) -> None:
        for option in fields(self):
            _check(option.name, getattr(self, option.name))
        reason = refused(self)
        if reason:
            raise ValueError(reason)

    @property
    def highest_bid(self) -> int:
        """The highest possible bid: all points that there are."""
        return 28 + self.last_trick


def refused(options: Options) -> str | None:
    """Why these settings exclude each other, None if they do not."""
    by_card = options.trump_by == "card"
    if options.seventh and by_card:
        return (
            "seventh=True: allowed is False with trump_by='card'; a suit is named for the seventh"
        )
    if options.no_trumps and by_card:
        return "no_trumps=True: allowed is False with trump_by='card'; a card always has a suit"
    if options.never_shown == "void" and by_card:
        return (
            "never_shown='void': allowed is 'plays' with trump_by='card';"
            " the card is always shown in the end"
        )
    if options.pair and options.players < 4:
        return f"pair=True: allowed is False with players={options.players}; it needs partners"
    if options.last_trick and options.scoring == "graded":
        return "last_trick=1: allowed is 0 with scoring='graded', whose grades end at 28"
    if options.match and options.reentry:
        return "match=True: allowed is False with reentry=True; one bidder of each number is shown"
    if options.one_bid and options.reentry:
        return "one_bid=True: allowed is False with reentry=True, by which seats speak again"
    return None


TWENTY_EIGHT: dict[str, dict[str, Any]] = {
    "classic": {},
    "book": {"second_auction": 24, "scoring": "steps"},
    "graded": {"scoring": "graded"},
    "second-bid": {"second_auction": 23},
    "cot": {"cot": True},
    "pair": {"pair": True},
    "three": {"players": 3, "min_bid": 12},
    "six": {"players": 6, "min_bid": 16},
    "reentry": {"reentry": True, "may_redeal": True},
    "kerala": {
        "partner_min": 0,
        "reentry": True,
        "second_auction": 24,
        "play_shown": True,
    },
    "club": {
        "players": 6,
        "min_bid": 16,
        "scoring": "steps",
        "highest_stake": 2,
        "single_hand": True,
        "single_lost": 4,
    },
}

TWENTY_NINE_DEFAULTS: dict[str, Any] = {
    "min_bid": 15,
    "forced": "dealer",
    "partner_min": 0,
    "trump_by": "suit",
    "ask": "must",
    "asker_trumps": False,
    "force": "whole",
    "never_shown": "void",
    "pair": True,
    "last_trick": 1,
    "redeal_jacks": True,
}

TWENTY_NINE: dict[str, dict[str, Any]] = {
    "classic": {},
    "sixteen": {"min_bid": 16},
    "bangladesh": {
        "asker_trumps": False,
        "min_bid": 16,
        "doubles": True,
        "single_hand": True,
        "pair_from": 19,
        "redeal_two": True,
        "void_without": True,
    },
    "seventh": {"seventh": True},
    "no-trumps": {"no_trumps": True},
    "must-trump": {"asker_trumps": True},
    "match": {"match": True},
    "full": {"doubles": True, "single_hand": True, "seventh": True, "auto_double": 21},
    "no-last-trick": {"last_trick": 0},
    "open-lead": {
        "last_trick": 0,
        "forced_exact": True,
        "doubles": True,
        "trumps_first": True,
        "bidder_asks": True,
        "lead_secret": True,
    },
    "set": {
        "last_trick": 0,
        "min_bid": 16,
        "forced": "nobody",
        "ask": "may",
        "doubles": True,
        "set_bid": True,
        "single_hand": True,
        "cot": True,
        "seventh": True,
        "seventh_void": True,
        "void_without": True,
    },
}

DEFAULTS: dict[str, dict[str, Any]] = {"28": {}, "29": TWENTY_NINE_DEFAULTS}
VARIANTS = {"28": TWENTY_EIGHT, "29": TWENTY_NINE}


def make_options(game: str = "28", variant: str = "classic", **changes: Any) -> Options:
    """The options of a variant of "28" or "29" with these changes.

    Raises ValueError for an unknown game, variant or option, and for what `Options` refuses.
    """
    if game not in VARIANTS:
        raise ValueError(f"game={game!r}: allowed are {', '.join(VARIANTS)}")
    if variant not in VARIANTS[game]:
        raise ValueError(f"variant={variant!r}: allowed are {', '.join(VARIANTS[game])}")
    for name, setting in changes.items():
        if name not in ALLOWED:
            raise ValueError(f"unknown option {name}={setting!r}: allowed are {', '.join(ALLOWED)}")
    return Options(**{**DEFAULTS[game], **VARIANTS[game][variant], **changes})


def _check(name: str, setting: Any) -> None:
    """Raise ValueError if the option cannot have this setting (True is not the number 1)."""
    allowed = ALLOWED[name]
    if not any(type(setting) is type(each) and setting == each for each in allowed):
        words = ", ".join(repr(each) for each in allowed)
        raise ValueError(f"{name}={setting!r}: allowed are {words}")


def check_deck(deck: list[str], options: Options) -> None:
    """Raise ValueError if these are not the cards that the options play with."""
    pack = full_pack(options.players)
    if sorted(deck) != sorted(pack):
        wrong = sorted({card for card in [*deck, *pack] if deck.count(card) != pack.count(card)})
        raise ValueError(
            f"deck={' '.join(deck)}: allowed are the {len(pack)} cards of the pack, each card"
            f" once; not so: {' '.join(wrong)}"
        )


def would_be_redealt(deck: list[str], options: Options) -> bool:
    """Whether the hand is dealt again: see `redeal_pointless` and `redeal_jacks` on the page."""
    hands = deal(deck, options.players)
    looked_at = 2 if options.redeal_two else 1 if options.redeal_pointless else 0
    if any(points(first) == 0 for first, _ in hands[:looked_at]):
        return True
    jacks = [[card for card in first + second if card[0] == "J"] for first, second in hands]
    return options.redeal_jacks and any(len(of_a_hand) == 4 for of_a_hand in jacks)
