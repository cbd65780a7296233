"""The rules of Twenty-Eight and Twenty-Nine: cards, actions, options, observation and state.

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

from ...core.batch import make_state_head
from ...core.options import Option
from ...core.schema import (
    FLAG,
    Features,
    Piece,
    RepeatedPieces,
    list_suit_orders,
    option_pieces,
    whole_number,
)
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

SEATS = 6
RANKS = 9
CARDS = SUITS * RANKS
RANK_ORDER = "678QKTA9J"
"""Weakest first."""
RANK_POINTS = list_rank_points(RANKS)
PACK_POINTS = 28
KING, QUEEN, JACK = RANK_ORDER.index("K"), RANK_ORDER.index("Q"), RANK_ORDER.index("J")

LOWEST_RANK = np.array([0, 0, 0, 3, 1, 0, 0], np.int64)
"""Of the cards played with, by the number of players."""

CODES, NUMBERS = number_cards(RANK_ORDER)
"""The card code of each card number, and the card number of each code."""

BID, LOWEST_BID, HIGHEST_BID = CARDS, 12, 29
"""The action BID bids `LOWEST_BID`."""
PASS, DOUBLE, REDOUBLE, ASK, SHOW, SINGLE, MAKE = 54, 55, 56, 57, 58, 59, 60
"""MAKE to MAKE + 3 are the suits."""
MAKE_SEVENTH, MAKE_NONE, MAKE_REVERSED = MAKE + 4, MAKE + 5, MAKE + 6
ACTIONS = 67
LABELS = (
    *list_labels(CODES, LOWEST_BID, HIGHEST_BID),
    *("pass", "double", "redouble", "ask for trumps", "show the pair", "single"),
    *(f"trumps {suit}" for suit in SUIT_WORDS),
    *("trumps by the seventh card", "no trumps", "no trumps, ranks reversed"),
)
PAIR_WORTH = 4
"""By how much a pair changes what must be taken."""
SINGLE_WORTH = 3
label = make_label(LABELS)

# ---- options and variants -------------------------------------------------------------------


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


def sides(rules: Rules) -> tuple[int, ...]:
    """Return the side of each seat: they alternate; of three seats the bidder plays alone."""
    return (0, 1, 2) if rules.players == 3 else tuple(seat & 1 for seat in range(rules.players))


# ---- observation and state ------------------------------------------------------------------

HAND = 8
"""The largest number of cards in a hand, and of tricks."""
BIDS = HIGHEST_BID - LOWEST_BID + 1
HISTORY = 128
"""Room for the actions of a hand; none has as many."""

UNSEEN, OWN, FACE_DOWN, PLAYED = 0, 1, 2, 3
HELD = PLAYED + SEATS
"""Values of the piece ``where``: PLAYED + k by seat k, HELD + k by seat k for all to see."""

AUCTION, DOUBLING, REDOUBLING, MAKING, SECOND, SINGLES, PLAY = range(OVER + 1, OVER + 8)
"""The phases of a hand, besides `OVER`."""

REVERSED = NONE + 1
"""The value of the field ``made`` for no trumps with the ranks turned over."""

LAID_ANYWHERE, LAID_FIRST, LAID_SEVENTH = range(3)
"""Where in the deck the card was that makes trumps: among the first cards, or the seventh."""

SEAT_PIECES = (
    Piece("bid", 1, whole_number(HIGHEST_BID), "its last bid"),
    Piece("passed", 1, whole_number(HIGHEST_BID + 1), "1 more than the bid over which it passed"),
    Piece("second", 1, whole_number(HIGHEST_BID), "in the second auction: 1 passed, else its bid"),
    Piece("called", 1, whole_number(3), "1 neither doubled nor redoubled, 2 doubled, 3 redoubled"),
    Piece("single", 1, whole_number(2), "1 did not play alone, 2 plays alone"),
    Piece("voids", 4, FLAG, "has no clubs, diamonds … but for cards that all have seen"),
    Piece("below", 1, whole_number(9), "1 more than the rank above which it has no trumps"),
    Piece("hand", 1, whole_number(HAND), "cards in its hand"),
    Piece("tricks", 1, whole_number(HAND), "tricks taken"),
    Piece("points", 1, whole_number(HIGHEST_BID), "card points taken, the last trick's too"),
)
EACH_SEAT = RepeatedPieces("seats", SEATS, SEAT_PIECES)

PIECES: tuple[Piece | RepeatedPieces, ...] = (
    EACH_SEAT,
    Piece(
        "where",
        CARDS,
        whole_number(HELD + SEATS - 1),
        "of each card: 0 unseen, 1 in one's hand, 2 laid face down, 3 played by the viewer, "
        "4 by the next …, 9 held by the viewer for all to see, 10 by the next …",
    ),
    Piece("when", CARDS, whole_number(HAND), "of each card the trick in which it was played"),
    Piece("trick", SEATS, whole_number(CARDS), "1 more than the cards of this trick, in turn"),
    Piece("winners", HAND, whole_number(SEATS), "1 more than who took each trick"),
    Piece("leader", 1, whole_number(SEATS), "1 more than who leads this trick"),
    Piece(
        "phase",
        1,
        whole_number(PLAY),
        "0 over, 1 auction, 2 doubling, 3 redoubling, "
        "4 making trumps, 5 second auction, 6 playing alone, 7 play",
    ),
    Piece("turn", 1, whole_number(SEATS), "1 more than the seat that acts"),
    Piece("dealer", 1, whole_number(SEATS), "1 more than the dealer's seat"),
    Piece("bids", BIDS, whole_number(SEATS), "1 more than who bid 12, 13 …, the last who did"),
    Piece("bid", 1, whole_number(HIGHEST_BID), "the highest bid"),
    Piece("target", 1, whole_number(HIGHEST_BID), "points that the bidder's side must take"),
    Piece("bidder", 1, whole_number(SEATS), "1 more than who bid it"),
    Piece("doubled", 1, whole_number(2), "1 doubled, 2 redoubled"),
    Piece("all_dealt", 1, FLAG, "the second cards are dealt"),
    Piece("stake", 1, whole_number(8), "what the score is multiplied by"),
    Piece(
        "trumps",
        1,
        whole_number(REVERSED),
        "0 unknown, 1 clubs, 2 diamonds, 3 hearts, 4 spades, 5 none, 6 none with ranks reversed",
    ),
    Piece("trumps_shown", 1, FLAG, "everybody knows them"),
    Piece("apart", 1, whole_number(2), "1 a card lies face down that makes trumps, 2 the seventh"),
    *list_secret_pieces(HAND, SEATS),
    Piece("pair_shown", 1, whole_number(SEATS), "1 more than who showed the pair"),
    Piece("alone", 1, whole_number(SEATS), "1 more than who plays alone"),
    *option_pieces(Rules, {"last_trick": Piece("last_trick", 1, FLAG, "option")}),
)
FEATURES = Features(
    PIECES,
    symmetries=list_suit_orders(
        Features(PIECES),
        ACTIONS,
        RANKS,
        MAKE,
        by_card=("where", "when"),
        by_suit=("voids", "led_secretly", "not_trumps"),
        cards=("trick",),
        suits=("trumps",),
    ),
)

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("net", np.int32, (SEATS,)),  # points, of three players half points
        ("hands", np.int64, (SEATS,)),  # sets of cards; one laid face down is in none
        ("seen", np.int64, (SEATS,)),  # those of them that all have seen
        ("pending", np.int16),  # set of seats that may still speak in this phase
        ("playing", np.int16),  # set of seats that play to tricks
        ("card", np.int8),  # 1 more than the card that makes trumps, kept apart; 0: none
        ("laid", np.int8),  # the same, of the last trumps made, also when it is back in the hand
        ("laid_from", np.int8),  # where in the deck it lay
        ("makers", np.int8, (2,)),  # who made trumps, and who made them anew; -1: nobody
        ("made_at", np.int8, (2,)),  # where in the history that is
        ("made", np.int8),  # what trumps are, known to the bidder alone until they are shown
        ("player_of", np.int8, (CARDS,)),  # 1 more than the seat that played each card
        ("taken_by", np.int8, (HAND,)),  # 1 more than the seat that took each trick
        ("bid_by", np.int8, (BIDS,)),  # 1 more than the seat that bid each number, the last one
        ("tricks", np.int8),  # tricks that are over
        ("size", np.int8),  # cards in this trick
        ("leader", np.int8),  # -1: nobody yet
        ("bidder", np.int8),  # -1: nobody yet
        ("maker", np.int8),  # who knows what trumps are, having made them; -1: nobody
        ("asker", np.int8),  # who asked for trumps, -1: nobody
        ("pair_by", np.int8),  # who showed the pair, -1: nobody
        ("alone", np.int8),  # who plays alone, -1: nobody
        ("dealer", np.int8),
        ("viewer", np.int8),  # the seat whose pieces are shown
        ("deck", np.int8, (CARDS,)),
        ("history", np.int8, (HISTORY,)),  # 1 more than each action of the hand, in order
        ("seats", EACH_SEAT.dtype, (SEATS,)),  # what is public of each seat, by its number
        ("shown", FEATURES.dtype),
    ]
)
