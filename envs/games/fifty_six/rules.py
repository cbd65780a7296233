"""Fifty-Six: what is played.

Two packs. Jack 3 points, nine 2, ace and ten 1, the others none; they rank J 9 A 10 K Q 8 7. Of
two identical cards in a trick the first one played ranks higher. The seats bid how many of the 56
points their side will take, and in which trumps.

Seats are numbered in the direction of play; the dealer is one of them, the next one is the first to
speak. In an observation seat 0 is the viewer's, the others follow in that direction.

Cards have numbers ``suit * 8 + rank``: clubs, diamonds, hearts, spades; 7, 8, queen, king, ten,
ace, nine, jack. Both of a kind have one number. Actions: 0-31 the cards, to play or to lay face
down as trumps; 32-60 a bid of 28 to 56; 61-65 its strain: a suit, or no trumps; PASS, DOUBLE,
REDOUBLE, ASK.

A deck is in dealing order: four cards to each seat from the first speaker on, then four more to
each, until all are dealt.

Sources: named in REFERENCES; the rules in full are in docs/rules/fifty_six.md.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.kernel.cards import SUITS, card_name, parse_card
from ...core.options import Option

SEATS = 8
RANKS = 8
CARDS = 4 * RANKS
"""Kinds of cards; each is twice in the pack."""
COPIES = 2 * CARDS
RANK_ORDER = "78QKTA9J"
"""Weakest first."""
RANK_POINTS = np.array([0, 0, 0, 0, 1, 1, 2, 3], np.int64)
PACK_POINTS = 56

CODES = np.array([parse_card(rank + suit) for suit in SUITS for rank in RANK_ORDER], np.int64)
"""The card code of each card's number."""
NUMBERS = np.zeros(64, np.int64)
NUMBERS[CODES] = np.arange(CARDS)
"""And back again."""

BID, LOWEST_BID, HIGHEST_BID = CARDS, 28, PACK_POINTS
"""The action BID bids `LOWEST_BID`."""
STRAIN, NO_TRUMPS = 61, 65
"""STRAIN to STRAIN + 3 are the suits."""
PASS, DOUBLE, REDOUBLE, ASK = 66, 67, 68, 69
ACTIONS = 70
STRAINS = ("clubs", "diamonds", "hearts", "spades", "no trumps")
LABELS = (
    *(card_name(int(code)) for code in CODES),
    *(f"bid {bid}" for bid in range(LOWEST_BID, HIGHEST_BID + 1)),
    *(f"in {strain}" for strain in STRAINS),
    *("pass", "double", "redouble", "ask for trumps"),
)
LEVELS = np.array([28, 40, 48, 56], np.int64)
"""From each of these on a contract is worth one point more: 1, 2, 3, 4."""


class Trumps(IntEnum):
    """Whether trumps are bid, or laid face down by the highest bidder."""

    OPEN = 0
    HIDDEN = 1


class Leader(IntEnum):
    """Who leads to the first trick."""

    FIRST = 0
    BIDDER = 1


class Doubling(IntEnum):
    """What a double does: it is not allowed, adds a point, or doubles."""

    NONE = 0
    ADD = 1
    TIMES = 2


class Rules(NamedTuple):
    """The options; the defaults are those of ``classic``."""

    players: Annotated[
        int, Option("seats; every other one is of the same side", values=(4, 6, 8))
    ] = 6
    small_pack: Annotated[
        bool, Option("four play with 32 cards, without K Q 8 7, or else with 48, twelve each")
    ] = True
    trumps: Annotated[
        Trumps, Option("trumps are bid, or a card is laid face down as in Twenty-Eight")
    ] = Trumps.OPEN
    forced: Annotated[bool, Option("the first to speak must bid")] = True
    honours: Annotated[
        bool, Option("over one's own side's bid one must go to the next level: 40, 48, 56")
    ] = False
    leader: Annotated[
        Leader, Option("who leads first: the first to speak, or the highest bidder")
    ] = Leader.FIRST
    doubling: Annotated[
        Doubling, Option("none; add: doubled one point more, redoubled two; times: x2, x4")
    ] = Doubling.TIMES
    void_pointless: Annotated[
        bool, Option("the first to speak may not be dealt a hand without a point")
    ] = False
    void_without: Annotated[
        bool, Option("the hand is void if the bidder's opponents have no trump")
    ] = False


DEFAULT = "classic"
"""The variant played when none is named."""
VARIANTS = {
    "classic": Rules(),
    "international": Rules(doubling=Doubling.ADD),
    "four": Rules(players=4),
    "four-long": Rules(players=4, small_pack=False),
    "eight": Rules(players=8),
    "hidden": Rules(
        trumps=Trumps.HIDDEN, leader=Leader.BIDDER, honours=True, doubling=Doubling.NONE
    ),
}
"""The rules that have a name, by that name."""
SOURCES = {
    "classic": "N",
    "international": "I",
    "four": "R",
    "four-long": "N",
    "eight": "N",
    "hidden": "R",
}
REFERENCES = {
    "I": "56 International Game Rules",
    "N": "The Card Game called Fifty-Six (Nair)",
    "R": "programs that publish their rules",
}
"""What the short names in SOURCES stand for."""


def check(rules: Rules) -> None:
    """Raise ValueError for options that do not go together, naming them."""
    if not rules.small_pack and rules.players != 4:
        raise ValueError(
            f"option small_pack=no: allowed with 4 players; {rules.players} have one pack"
        )
    if rules.trumps == Trumps.HIDDEN and rules.leader == Leader.FIRST:
        raise ValueError(
            "option trumps=hidden: the bidder leads there; allowed is leader=bidder, not first"
        )


def lowest_rank(rules: Rules) -> int:
    """Return the lowest rank that is played with."""
    if rules.players == 8:
        return 0
    return 4 if rules.players == 4 and rules.small_pack else 2


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the codes of the cards played with, each twice, in the order of their numbers."""
    lowest = lowest_rank(rules)
    kinds = [int(CODES[card]) for card in range(CARDS) if card % RANKS >= lowest]
    return tuple(code for code in kinds for _ in range(2))


def label(action: int) -> str:
    """Name an action: ``"Jh"``, ``"bid 30"``, ``"in hearts"``, ``"ask for trumps"`` and so on."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: allowed are 0 to {ACTIONS - 1}")
    return LABELS[action]


def sides(rules: Rules) -> tuple[int, ...]:
    """Return the side of each seat: they alternate."""
    return tuple(seat & 1 for seat in range(rules.players))
