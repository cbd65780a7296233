"""Twenty-Eight and Twenty-Nine: what is played.

Jack 3 points, nine 2, ace and ten 1, the others none; they rank J 9 A 10 K Q 8 7 (6). The seats bid
how many points their side will take; the highest bidder makes trumps that he alone knows until
somebody who cannot follow suit asks for them.

Seats are numbered in the direction of play; the dealer is one of them, the next one is the first to
speak and to lead. In an observation seat 0 is the viewer's, the others follow in that direction.

Cards have numbers ``suit * 9 + rank``: clubs, diamonds, hearts, spades; 6, 7, 8, queen, king, ten,
ace, nine, jack. Actions: 0-35 the cards, to play or to lay face down as trumps; 36-53 a bid of 12
to 29; PASS, DOUBLE, REDOUBLE, ASK, SHOW the pair, SINGLE; then trumps in secret: a suit, the suit
of the SEVENTH card, none, or none with the ranks turned over.

A deck is in dealing order: four cards to each seat from the first on, then four more to each; where
six play, six to each.

Sources: named in REFERENCES; the rules in full are in docs/rules/twenty_eight.md.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.kernel.cards import SUITS, card_name, parse_card
from ...core.options import Option

SEATS = 6
RANKS = 9
CARDS = 4 * RANKS
RANK_ORDER = "678QKTA9J"
"""Weakest first."""
RANK_POINTS = np.array([0, 0, 0, 0, 0, 1, 1, 2, 3], np.int64)
PACK_POINTS = 28
KING, QUEEN, JACK = RANK_ORDER.index("K"), RANK_ORDER.index("Q"), RANK_ORDER.index("J")

LOWEST_RANK = np.array([0, 0, 0, 3, 1, 0, 0], np.int64)
"""Of the cards played with, by the number of players."""

CODES = np.array([parse_card(rank + suit) for suit in SUITS for rank in RANK_ORDER], np.int64)
"""The card code of each card's number."""
NUMBERS = np.zeros(64, np.int64)
NUMBERS[CODES] = np.arange(CARDS)
"""And back again."""

BID, LOWEST_BID, HIGHEST_BID = CARDS, 12, 29
"""The action BID bids `LOWEST_BID`."""
PASS, DOUBLE, REDOUBLE, ASK, SHOW, SINGLE, MAKE = 54, 55, 56, 57, 58, 59, 60
"""MAKE to MAKE + 3 are the suits."""
MAKE_SEVENTH, MAKE_NONE, MAKE_REVERSED = MAKE + 4, MAKE + 5, MAKE + 6
ACTIONS = 67
SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
LABELS = (
    *(card_name(int(code)) for code in CODES),
    *(f"bid {bid}" for bid in range(LOWEST_BID, HIGHEST_BID + 1)),
    *("pass", "double", "redouble", "ask for trumps", "show the pair", "single"),
    *(f"trumps {suit}" for suit in SUIT_WORDS),
    *("trumps by the seventh card", "no trumps", "no trumps, ranks reversed"),
)
PAIR_WORTH = 4
"""By how much a pair changes what must be taken."""
SINGLE_WORTH = 3


class Forced(IntEnum):
    """Who must bid if nobody else does."""

    FIRST = 0
    DEALER = 1
    NOBODY = 2


class TrumpBy(IntEnum):
    """How trumps are made."""

    CARD = 0
    SUIT = 1


class Ask(IntEnum):
    """Whether who cannot follow suit may ask for trumps, or must."""

    MAY = 0
    MUST = 1


class Force(IntEnum):
    """Which cards of the trick in which trumps are shown are trumps."""

    LATER = 0
    WHOLE = 1


class NeverShown(IntEnum):
    """What becomes of a hand in which nobody asked for trumps."""

    PLAYS = 0
    VOID = 1


class Scoring(IntEnum):
    """What a contract pays."""

    ONE = 0
    STEPS = 1
    GRADED = 2


FROM_15 = (0, *range(15, 29))
FROM_18 = (0, *range(18, 29))


class Rules(NamedTuple):
    """The options of both games; the defaults are those of Twenty-Eight's ``classic``."""

    players: Annotated[
        int, Option("seats: partners sit opposite; three play each for himself", values=(3, 4, 6))
    ] = 4
    min_bid: Annotated[int, Option("lowest bid", LOWEST_BID, 18)] = 14
    forced: Annotated[
        Forced, Option("who must bid: the first to speak, the dealer if all others pass, or nobody")
    ] = Forced.FIRST
    partner_min: Annotated[
        int, Option("a bid over one's partner's must be at least this; 0: any", values=FROM_15)
    ] = 20
    match: Annotated[
        bool, Option("an earlier speaker may bid the same number over a later one")
    ] = False
    trump_by: Annotated[
        TrumpBy, Option("trumps are made by a card laid face down, or by naming a suit in secret")
    ] = TrumpBy.CARD
    seventh: Annotated[
        bool, Option("or by the suit of the third card of one's second four, unseen as yet")
    ] = False
    no_trumps: Annotated[
        bool, Option("or there are none, as the cards rank or with their ranks turned over")
    ] = False
    second_auction: Annotated[
        int,
        Option(
            "with all cards each seat may bid at least this once more; 0: no", values=(0, 23, 24)
        ),
    ] = 0
    ask: Annotated[
        Ask, Option("who cannot follow suit may ask for trumps, or must before it plays")
    ] = Ask.MAY
    asker_trumps: Annotated[bool, Option("who has asked must trump if it can")] = True
    force: Annotated[
        Force, Option("of the trick in which trumps are shown: later cards are trumps, or all")
    ] = Force.LATER
    never_shown: Annotated[
        NeverShown, Option("a hand in which trumps were never shown counts, or is void")
    ] = NeverShown.PLAYS
    overtrump: Annotated[
        bool, Option("who trumps must beat the highest trump there if it can, or discard")
    ] = False
    pair: Annotated[
        bool, Option("king and queen of trumps, shown, change what must be taken by 4")
    ] = False
    pair_from: Annotated[
        int, Option("bids below this are not lowered by a pair; 0: all are", values=FROM_15)
    ] = 0
    last_trick: Annotated[int, Option("points for the last trick", 0, 1)] = 0
    early_end: Annotated[bool, Option("the hand ends as soon as it is decided")] = False
    doubles: Annotated[bool, Option("opponents may double, the bidder's side redouble")] = False
    single_hand: Annotated[
        bool, Option("a seat may play alone, without trumps, for all tricks")
    ] = False
    cot: Annotated[bool, Option("all tricks won count double")] = False
    auto_double: Annotated[
        int, Option("bids from here on count double; 0: none does", values=FROM_18)
    ] = 0
    scoring: Annotated[
        Scoring,
        Option("one: 1 for any contract; steps: 1 to 3, one more lost; graded: 1 to 4, the same"),
    ] = Scoring.ONE
    redeal_pointless: Annotated[
        bool, Option("the first to speak may not be dealt first cards without a point")
    ] = False
    redeal_jacks: Annotated[bool, Option("nobody may be dealt four jacks")] = False
    void_without: Annotated[
        bool, Option("the hand is void if the bidder's opponents have no trump")
    ] = False


NINE = Rules(
    min_bid=15,
    forced=Forced.DEALER,
    partner_min=0,
    trump_by=TrumpBy.SUIT,
    ask=Ask.MUST,
    asker_trumps=False,
    force=Force.WHOLE,
    never_shown=NeverShown.VOID,
    pair=True,
    last_trick=1,
    redeal_jacks=True,
)
"""Twenty-Nine."""

DEFAULT = "classic"
"""The variant played when none is named, in both games."""

VARIANTS = {
    "classic": Rules(),
    "book": Rules(second_auction=24, scoring=Scoring.STEPS),
    "graded": Rules(scoring=Scoring.GRADED),
    "second-bid": Rules(second_auction=23),
    "cot": Rules(cot=True),
    "pair": Rules(pair=True),
    "three": Rules(players=3, min_bid=12),
    "six": Rules(players=6, min_bid=16),
}
"""The rules of Twenty-Eight that have a name, by that name."""
SOURCES = {
    **dict.fromkeys(VARIANTS, "M"),
    "book": "N",
    "graded": "R",
    "second-bid": "R",
}
NINE_VARIANTS = {
    "classic": NINE,
    "sixteen": NINE._replace(min_bid=16),
    "bangladesh": NINE._replace(min_bid=16, doubles=True, single_hand=True, pair_from=19),
    "seventh": NINE._replace(seventh=True),
    "no-trumps": NINE._replace(no_trumps=True),
    "must-trump": NINE._replace(asker_trumps=True),
    "match": NINE._replace(match=True),
    "full": NINE._replace(doubles=True, single_hand=True, seventh=True, auto_double=21),
}
"""The rules of Twenty-Nine that have a name, by that name."""
NINE_SOURCES = {**dict.fromkeys(NINE_VARIANTS, "M"), "match": "R", "full": "M, R"}
REFERENCES = {
    "M": '"Twenty-Nine" (Pagat) and "Twenty-eight (card game)" (Wikipedia)',
    "N": "Ultimate Book of Card Games (McNeely)",
    "R": "programs that publish their rules",
}
"""What the short names in SOURCES stand for."""


def check(rules: Rules) -> None:
    """Raise ValueError for options that do not go together, naming them."""
    if rules.trump_by == TrumpBy.CARD:
        for name in ("seventh", "no_trumps"):
            if getattr(rules, name):
                raise ValueError(f"option {name}=yes needs a suit named: allowed is trump_by=suit")
        if rules.never_shown == NeverShown.VOID:
            raise ValueError(
                "option never_shown=void: with trump_by=card trumps are always shown at last; "
                "allowed is plays"
            )
    if rules.pair and rules.players < 4:
        raise ValueError(f"option pair=yes: allowed with 4 or 6 players, not {rules.players}")
    if rules.last_trick and rules.scoring == Scoring.GRADED:
        raise ValueError("option last_trick=1: allowed is 0 with scoring=graded, which ends at 28")


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the codes of the cards played with, in the order of their numbers."""
    lowest = LOWEST_RANK[rules.players]
    return tuple(int(CODES[card]) for card in range(CARDS) if card % RANKS >= lowest)


def label(action: int) -> str:
    """Name an action: ``"Jh"``, ``"bid 16"``, ``"ask for trumps"`` and so on."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: allowed are 0 to {ACTIONS - 1}")
    return LABELS[action]


def sides(rules: Rules) -> tuple[int, ...]:
    """Return the side of each seat: they alternate; of three seats the bidder plays alone."""
    return (0, 1, 2) if rules.players == 3 else tuple(seat & 1 for seat in range(rules.players))
