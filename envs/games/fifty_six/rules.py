"""The rules of Fifty-Six: cards, actions, options, observation and state.

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

from ...core.batch import make_state_head
from ...core.options import Option
from ...core.schema import FLAG, Features, Piece, RepeatedPieces, option_pieces, whole_number
from ..bidding.rules import (
    NONE,
    OVER,
    SUIT_WORDS,
    SUITS,
    list_labels,
    list_rank_points,
    list_secret_pieces,
    make_label,
    number_cards,
)

# ---- cards and actions ----------------------------------------------------------------------

SEATS = 8
RANKS = 8
CARDS = SUITS * RANKS
"""Kinds of cards; each is twice in the pack."""
COPIES = 2 * CARDS
RANK_ORDER = "78QKTA9J"
"""Weakest first."""
RANK_POINTS = list_rank_points(RANKS)
PACK_POINTS = 56
LOWEST_RANK = np.zeros((SEATS + 1, 2), np.int64)
LOWEST_RANK[4], LOWEST_RANK[6] = (2, 4), 2
"""The lowest rank that is played with, by the number of players and the option ``small_pack``."""
HAND_SIZE = np.full((SEATS + 1, 2), 8, np.int64)
HAND_SIZE[4, 0] = 12
"""The number of cards that each seat gets, by the same two."""
CODES, NUMBERS = number_cards(RANK_ORDER)
"""The card code of each card number, and the card number of each code."""

BID, LOWEST_BID, HIGHEST_BID = CARDS, 28, PACK_POINTS
"""The action BID bids `LOWEST_BID`."""
STRAIN, NO_TRUMPS = 61, 65
"""STRAIN to STRAIN + 3 are the suits."""
PASS, DOUBLE, REDOUBLE, ASK = 66, 67, 68, 69
ACTIONS = 70
STRAINS = (*SUIT_WORDS, "no trumps")
LABELS = (
    *list_labels(CODES, LOWEST_BID, HIGHEST_BID),
    *(f"in {strain}" for strain in STRAINS),
    *("pass", "double", "redouble", "ask for trumps"),
)
LEVELS = np.array([28, 40, 48, 56], np.int64)
"""From each of these on a contract is worth one point more: 1, 2, 3, 4."""
label = make_label(LABELS)

# ---- options and variants -------------------------------------------------------------------


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


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the codes of the cards played with, each twice, in the order of their numbers."""
    lowest = LOWEST_RANK[rules.players, int(rules.small_pack)]
    kinds = [int(CODES[card]) for card in range(CARDS) if card % RANKS >= lowest]
    return tuple(code for code in kinds for _ in range(2))


def sides(rules: Rules) -> tuple[int, ...]:
    """Return the side of each seat: they alternate."""
    return tuple(seat & 1 for seat in range(rules.players))


# ---- observation and state ------------------------------------------------------------------

HAND = 12
"""The largest number of cards in a hand, and of tricks."""
BIDS = HIGHEST_BID - LOWEST_BID + 1
HISTORY = 512
"""Room for the actions of a hand: for each bid its strain, at most seven passes of a table of eight
before somebody doubles it and seven after, then the cards."""

AUCTION, NAMING, LAYING, PLAY = range(OVER + 1, OVER + 5)
"""The phases of a hand, besides `OVER`."""
QUIET, PASSED, BID_LAST, DOUBLED, REDOUBLED = range(5)
"""What a seat has said last."""

SEAT_PIECES = (
    Piece(
        "said",
        1,
        whole_number(REDOUBLED),
        "its last word: 0 none, 1 pass, 2 a bid, 3 double, 4 redouble",
    ),
    Piece("number", 1, whole_number(HIGHEST_BID), "its last bid"),
    Piece("strain", 1, whole_number(NONE), "of that bid: 1 clubs … 4 spades, 5 no trumps"),
    Piece("voids", 4, FLAG, "has no clubs, diamonds … but for a card that all have seen"),
    Piece("hand", 1, whole_number(HAND), "cards in its hand"),
    Piece("tricks", 1, whole_number(HAND), "tricks taken"),
    Piece("points", 1, whole_number(HIGHEST_BID), "card points taken"),
)
EACH_SEAT = RepeatedPieces("seats", SEATS, SEAT_PIECES)

FEATURES = Features(
    [
        EACH_SEAT,
        Piece("own", CARDS, whole_number(2), "of each card how many are in one's hand"),
        Piece(
            "played_by",
            COPIES,
            whole_number(SEATS),
            "of each card, and the other one of its kind, 1 more than who played it",
        ),
        Piece("when", COPIES, whole_number(HAND), "and the trick in which that was"),
        Piece("trick", SEATS, whole_number(CARDS), "1 more than the cards of this trick, in turn"),
        Piece("winners", HAND, whole_number(SEATS), "1 more than who took each trick"),
        Piece("lead_by", 1, whole_number(SEATS), "1 more than who leads this trick"),
        Piece(
            "phase",
            1,
            whole_number(PLAY),
            "0 over, 1 auction, 2 naming the strain, 3 laying a card down, 4 play",
        ),
        Piece("turn", 1, whole_number(SEATS), "1 more than the seat that acts"),
        Piece("dealer", 1, whole_number(SEATS), "1 more than the dealer's seat"),
        Piece("bids", BIDS, whole_number(SEATS), "1 more than who bid 28, 29 …"),
        Piece("strains", BIDS, whole_number(NONE), "in which strain"),
        Piece("doubles", BIDS, whole_number(SEATS), "1 more than who doubled it"),
        Piece("number", 1, whole_number(HIGHEST_BID), "the highest bid"),
        Piece("bidder", 1, whole_number(SEATS), "1 more than who bid it"),
        Piece("doubled", 1, whole_number(2), "1 doubled, 2 redoubled"),
        Piece("redoubler", 1, whole_number(SEATS), "1 more than who redoubled"),
        Piece(
            "trump_suit",
            1,
            whole_number(NONE),
            "0 unknown, 1 clubs, 2 diamonds, 3 hearts, 4 spades, 5 none",
        ),
        Piece("trumps_shown", 1, FLAG, "everybody knows them"),
        Piece("laid", 1, whole_number(CARDS), "1 more than the card laid down, if one knows it"),
        Piece("apart", 1, FLAG, "it lies face down"),
        Piece("laid_back", 1, FLAG, "it is back in the bidder's hand"),
        *list_secret_pieces(HAND, SEATS),
        *option_pieces(Rules),
    ]
)

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("net", np.int32, (SEATS,)),
        ("hands", np.int64, (SEATS,)),  # sets of kinds of cards; one laid face down is in none
        ("twice", np.int64, (SEATS,)),  # those of them that are held twice
        ("card", np.int8),  # 1 more than the card that lies face down; 0: none
        ("laid", np.int8),  # the same, also when it is back in the hand or played
        ("laid_at", np.int16),  # where in the history that is
        ("made", np.int8),  # what trumps are, known to the bidder alone until they are shown
        ("passes", np.int8),  # in succession
        ("player_of", np.int8, (COPIES,)),  # 1 more than the seat that played each card
        ("taken_by", np.int8, (HAND,)),  # 1 more than the seat that took each trick
        ("bid_by", np.int8, (BIDS,)),  # 1 more than the seat that bid each number
        ("doubled_by", np.int8, (BIDS,)),  # 1 more than the seat that doubled it
        ("redoubled_by", np.int8),  # 1 more than the seat that redoubled
        ("tricks", np.int8),  # tricks that are over
        ("size", np.int8),  # cards in this trick
        ("leader", np.int8),  # who leads this trick, -1: nobody yet
        ("bidder", np.int8),  # -1: nobody yet
        ("asker", np.int8),  # who asked for trumps, -1: nobody
        ("dealer", np.int8),
        ("viewer", np.int8),  # the seat whose pieces are shown
        ("deck", np.int8, (COPIES,)),
        ("history", np.int8, (HISTORY,)),  # 1 more than each action of the hand, in order
        ("seats", EACH_SEAT.dtype, (SEATS,)),  # what is public of each seat, by its number
        ("shown", FEATURES.dtype),
    ]
)
