"""Rules of Twenty-Eight and Twenty-Nine: cards, actions, options, observation and state.

The jack counts 3 points, the nine 2, ace and ten 1 each, and the other cards nothing. Cards rank J
9 A 10 K Q 8 7 (6). Each seat bids the number of points that its side will take. The highest bidder
chooses trumps in secret; they stay secret until a seat that cannot follow suit asks for them.

Seats are numbered in the direction of play, and one of them is the dealer. The next seat is the
first speaker: it bids first and leads first. In an observation, seat 0 is the viewer, and the other
seats follow in the direction of play.

Card numbers are ``suit * 9 + rank``. The suits are clubs, diamonds, hearts and spades; the ranks
are 6, 7, 8, queen, king, ten, ace, nine and jack.

Actions:

- 0-35: play a card, or lay it face down to choose trumps
- 36-53: bid 12 to 29
- 54-59: PASS, DOUBLE, REDOUBLE, ASK for trumps, SHOW the pair, declare SINGLE
- 60-66: choose trumps in secret: a suit, the suit of the SEVENTH card, no trumps, or no trumps with
  the ranks reversed
- 67: demand a REDEAL
- 68: SET, the third double

A deck lists the cards in dealing order: four cards to each seat from the first speaker on, then
four more to each. With six players each seat gets six cards at once.

REFERENCES names the sources. docs/rules/twenty_eight.md has the full rules.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.options import Option
from ...core.schema import (
    FLAG,
    Earlier,
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
"""The lowest rank in the deck, by the number of players."""

CODES, NUMBERS = number_cards(RANK_ORDER)
"""The card code of each card number, and the card number of each card code."""

BID, LOWEST_BID, HIGHEST_BID = CARDS, 12, 29
"""BID is the action that bids `LOWEST_BID`."""
PASS, DOUBLE, REDOUBLE, ASK, SHOW, SINGLE, MAKE = 54, 55, 56, 57, 58, 59, 60
"""MAKE to MAKE + 3 choose a suit as trumps."""
MAKE_SEVENTH, MAKE_NONE, MAKE_REVERSED = MAKE + 4, MAKE + 5, MAKE + 6
REDEAL, SET = 67, 68
ACTIONS = 69
LABELS = (
    *list_labels(CODES, LOWEST_BID, HIGHEST_BID),
    *("pass", "double", "redouble", "ask for trumps", "show the pair", "single"),
    *(f"trumps {suit}" for suit in SUIT_WORDS),
    *("trumps by the seventh card", "no trumps", "no trumps, ranks reversed"),
    "demand a redeal",
    "set",
)
PAIR_WORTH = 4
"""Points by which a pair changes the target of the bidder's side."""
SINGLE_WORTH = 3
"""Score of a hand won alone."""
label = make_label(LABELS)

# ---- options and variants -------------------------------------------------------------------


class Forced(IntEnum):
    """The seat that must bid if nobody else does."""

    FIRST = 0
    DEALER = 1
    NOBODY = 2


class TrumpBy(IntEnum):
    """How the bidder chooses trumps."""

    CARD = 0
    SUIT = 1


class Ask(IntEnum):
    """Whether a seat that cannot follow suit may ask for trumps, or must."""

    MAY = 0
    MUST = 1


class Force(IntEnum):
    """Which cards count as trumps in the trick in which trumps are shown."""

    LATER = 0
    WHOLE = 1


class NeverShown(IntEnum):
    """Result of a hand in which trumps were never shown."""

    PLAYS = 0
    VOID = 1


class Scoring(IntEnum):
    """Score of a contract."""

    ONE = 0
    STEPS = 1
    GRADED = 2


FROM_15 = (0, *range(15, 29))
FROM_18 = (0, *range(18, 29))


class Rules(NamedTuple):
    """The options of Twenty-Eight and Twenty-Nine.

    The defaults are those of Twenty-Eight's variant ``classic``.
    """

    players: Annotated[
        int,
        Option(
            "number of seats; four or six play in two sides, three without partners",
            values=(3, 4, 6),
        ),
    ] = 4
    min_bid: Annotated[int, Option("lowest bid", LOWEST_BID, 18)] = 14
    forced: Annotated[
        Forced,
        Option(
            "seat that must bid: the first speaker (the seat after the dealer), the dealer if all "
            "others pass, or nobody"
        ),
    ] = Forced.FIRST
    partner_min: Annotated[
        int, Option("lowest bid over a partner's bid; 0: any higher bid", values=FROM_15)
    ] = 20
    match: Annotated[
        bool,
        Option(
            "a seat may become the highest bidder with an equal bid, if it comes before the "
            "current highest bidder in speaking order (counted from the first speaker)"
        ),
    ] = False
    trump_by: Annotated[
        TrumpBy,
        Option(
            "how the bidder chooses trumps: with a face-down card, or by naming a suit secretly"
        ),
    ] = TrumpBy.CARD
    seventh: Annotated[
        bool,
        Option(
            "the bidder may choose the suit of its seventh card, which is not dealt yet, as trumps"
        ),
    ] = False
    no_trumps: Annotated[
        bool,
        Option("the bidder may choose no trumps, with the normal or the reversed ranking"),
    ] = False
    second_auction: Annotated[
        int,
        Option(
            "lowest bid of a second auction, held when all cards are dealt; 0: no second auction",
            values=(0, 23, 24),
        ),
    ] = 0
    ask: Annotated[
        Ask,
        Option(
            "whether a seat that cannot follow suit may or must ask for trumps to be shown before "
            "it plays"
        ),
    ] = Ask.MAY
    asker_trumps: Annotated[
        bool, Option("a seat that has asked for trumps must play a trump if it has one")
    ] = True
    force: Annotated[
        Force,
        Option(
            "cards that can count as trumps in the trick in which trumps are shown: those played "
            "afterwards, or all"
        ),
    ] = Force.LATER
    never_shown: Annotated[
        NeverShown, Option("whether a hand in which trumps were never shown counts or is void")
    ] = NeverShown.PLAYS
    overtrump: Annotated[
        bool,
        Option(
            "a seat that plays a trump on another suit must beat the highest trump in the trick if "
            "it can; it may discard instead"
        ),
    ] = False
    pair: Annotated[
        bool,
        Option(
            "showing king and queen of trumps changes the target, the points that the bidder's "
            "side must take, by 4"
        ),
    ] = False
    pair_from: Annotated[
        int, Option("lowest bid whose target a pair can lower; 0: any bid", values=FROM_15)
    ] = 0
    last_trick: Annotated[int, Option("points for the last trick", 0, 1)] = 0
    early_end: Annotated[bool, Option("the hand ends as soon as it is decided")] = False
    doubles: Annotated[bool, Option("opponents may double, and the bidder's side may redouble")] = (
        False
    )
    single_hand: Annotated[
        bool, Option("a seat may play alone without trumps and must win all tricks")
    ] = False
    cot: Annotated[bool, Option("winning all tricks doubles the score")] = False
    auto_double: Annotated[
        int, Option("lowest bid that counts double; 0: none", values=FROM_18)
    ] = 0
    scoring: Annotated[
        Scoring,
        Option(
            "stakes of a contract. one: 1; steps: 1 to 3, by the bid; graded: 1 to 4, by the bid. "
            "With steps and graded, a lost contract costs one stake more"
        ),
    ] = Scoring.ONE
    redeal_pointless: Annotated[
        bool, Option("redeal if the first cards of the first speaker have no points")
    ] = False
    redeal_jacks: Annotated[bool, Option("redeal if one seat has all four jacks")] = False
    void_without: Annotated[
        bool, Option("the hand is void if the bidder's opponents have no trump")
    ] = False
    # Options of later versions come last: see EARLIER.
    reentry: Annotated[
        bool,
        Option(
            "a seat that has passed may bid again; the auction ends when all other seats have "
            "passed in a row after a bid",
            is_later=True,
        ),
    ] = False
    may_redeal: Annotated[
        bool,
        Option(
            "the first speaker may demand a redeal instead of its first call if its first cards "
            "have no points; the hand is then void",
            is_later=True,
        ),
    ] = False
    play_shown: Annotated[
        bool,
        Option(
            "a bidder that asks for trumps itself must play the face-down card, which it shows",
            is_later=True,
        ),
    ] = False
    highest_stake: Annotated[
        int,
        Option(
            "highest stake of a bid with scoring=steps or graded, before doubling; 0: no limit",
            values=(0, 2, 3),
            is_later=True,
        ),
    ] = 0
    single_lost: Annotated[
        int, Option("stakes lost by a seat that played alone and lost a trick", 3, 4, is_later=True)
    ] = 3
    one_bid: Annotated[bool, Option("each seat speaks only once in the auction", is_later=True)] = (
        False
    )
    forced_exact: Annotated[
        bool, Option("a seat that must bid can bid only the lowest bid", is_later=True)
    ] = False
    trumps_first: Annotated[
        bool,
        Option("seats double after trumps are chosen, not before, with doubles=yes", is_later=True),
    ] = False
    set_bid: Annotated[
        bool,
        Option(
            "the opponents may set the bid after a redouble, with doubles=yes: the score counts 6 "
            "times",
            is_later=True,
        ),
    ] = False
    bidder_asks: Annotated[
        bool,
        Option(
            "a bidder that cannot follow suit must ask, and so show trumps, before it plays",
            is_later=True,
        ),
    ] = False
    lead_secret: Annotated[
        bool, Option("the bidder may lead the secret trump suit at any time", is_later=True)
    ] = False
    half_lost: Annotated[
        bool,
        Option(
            "a lost bid costs double if the bidder's side took less than half of it", is_later=True
        ),
    ] = False
    redeal_two: Annotated[
        bool,
        Option(
            "redeal if the first cards of the first or the second speaker have no points",
            is_later=True,
        ),
    ] = False
    seventh_void: Annotated[
        bool,
        Option(
            "the hand is void if the bidder chose the seventh card and has no other card with "
            "points in its suit",
            is_later=True,
        ),
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
"""The classic rules of Twenty-Nine."""

DEFAULT = "classic"
"""The default variant of both games."""

VARIANTS = {
    "classic": Rules(),
    "book": Rules(second_auction=24, scoring=Scoring.STEPS),
    "graded": Rules(scoring=Scoring.GRADED),
    "second-bid": Rules(second_auction=23),
    "cot": Rules(cot=True),
    "pair": Rules(pair=True),
    "three": Rules(players=3, min_bid=12),
    "six": Rules(players=6, min_bid=16),
    "reentry": Rules(reentry=True, may_redeal=True),
    "kerala": Rules(partner_min=0, second_auction=24, reentry=True, play_shown=True),
    "club": Rules(
        players=6,
        min_bid=16,
        single_hand=True,
        scoring=Scoring.STEPS,
        highest_stake=2,
        single_lost=4,
    ),
}
"""The variants of Twenty-Eight by name."""
SOURCES = {
    **dict.fromkeys(VARIANTS, "M"),
    "book": "N",
    "graded": "R",
    "second-bid": "R",
    "kerala": "R",
    "club": "K",
}
NINE_VARIANTS = {
    "classic": NINE,
    "sixteen": NINE._replace(min_bid=16),
    "bangladesh": NINE._replace(
        min_bid=16,
        doubles=True,
        single_hand=True,
        pair_from=19,
        void_without=True,
        redeal_two=True,
    ),
    "seventh": NINE._replace(seventh=True),
    "no-trumps": NINE._replace(no_trumps=True),
    "must-trump": NINE._replace(asker_trumps=True),
    "match": NINE._replace(match=True),
    "full": NINE._replace(doubles=True, single_hand=True, seventh=True, auto_double=21),
    "no-last-trick": NINE._replace(last_trick=0),
    "open-lead": NINE._replace(
        last_trick=0,
        forced_exact=True,
        trumps_first=True,
        doubles=True,
        bidder_asks=True,
        lead_secret=True,
    ),
    "set": NINE._replace(
        min_bid=16,
        forced=Forced.NOBODY,
        ask=Ask.MAY,
        last_trick=0,
        doubles=True,
        set_bid=True,
        single_hand=True,
        cot=True,
        seventh=True,
        seventh_void=True,
        void_without=True,
    ),
}
"""The variants of Twenty-Nine by name."""
NINE_SOURCES = {**dict.fromkeys(NINE_VARIANTS, "M"), "match": "R", "full": "M, R", "set": "R"}
REFERENCES = {
    "K": "Kerala Club Annual Tournament 1997, Cards 28",
    "M": '"Twenty-Nine" (Pagat) and "Twenty-eight (card game)" (Wikipedia)',
    "N": "Ultimate Book of Card Games (McNeely)",
    "R": "programs that publish their rules",
}
"""The sources by their short names in SOURCES."""


def check(rules: Rules) -> None:
    """Raise ValueError, naming the options, if options contradict each other."""
    if rules.trump_by == TrumpBy.CARD:
        for name in ("seventh", "no_trumps"):
            if getattr(rules, name):
                raise ValueError(f"option trump_by must be suit with {name}=yes, got card")
        if rules.never_shown == NeverShown.VOID:
            raise ValueError(
                "option never_shown must be plays with trump_by=card, got void: a face-down card "
                "is always shown in the end"
            )
    if rules.pair and rules.players < 4:
        raise ValueError(f"option players must be 4 or 6 with pair=yes, got {rules.players}")
    if rules.last_trick and rules.scoring == Scoring.GRADED:
        raise ValueError("option last_trick must be 0 with scoring=graded, got 1")
    if rules.match and rules.reentry:
        raise ValueError(
            "option match must be no with reentry=yes, got yes: the observation shows only one "
            "bidder for each number"
        )
    if rules.one_bid and rules.reentry:
        raise ValueError("option one_bid must be no with reentry=yes, got yes")


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the codes of the cards in the deck, in the order of their numbers."""
    lowest = LOWEST_RANK[rules.players]
    return tuple(int(CODES[card]) for card in range(CARDS) if card % RANKS >= lowest)


def sides(rules: Rules) -> tuple[int, ...]:
    """Return the side of each seat. Sides alternate; with three players each seat has its own."""
    return (0, 1, 2) if rules.players == 3 else tuple(seat & 1 for seat in range(rules.players))


# ---- observation and state ------------------------------------------------------------------

HAND = 8
"""Maximum number of cards in a hand, and of tricks."""
BIDS = HIGHEST_BID - LOWEST_BID + 1
HISTORY = 160
"""Size of the list of actions. Every hand has fewer actions: at most 91 in the auction of six
players with ``reentry``, then 23 other calls and 2 choices of trumps, and 38 actions in the play.
"""

UNSEEN, OWN, FACE_DOWN, PLAYED = 0, 1, 2, 3
HELD = PLAYED + SEATS
"""Values of the piece ``where``. PLAYED + k: played by seat k; HELD + k: held by seat k, and known
to all seats."""

AUCTION, DOUBLING, REDOUBLING, MAKING, SECOND, SINGLES, PLAY = range(OVER + 1, OVER + 8)
"""The phases of a hand, besides `OVER`."""

REVERSED = NONE + 1
"""The value of the field ``made`` for no trumps with the ranks reversed."""

LAID_ANYWHERE, LAID_FIRST, LAID_SEVENTH = range(3)
"""Dealt position of the card that sets trumps: any, among the first cards, or the seventh."""

SEAT_PIECES = (
    Piece("bid", 1, whole_number(HIGHEST_BID), "last bid; 0: none"),
    Piece(
        "passed",
        1,
        whole_number(HIGHEST_BID + 1),
        "highest bid when the seat passed, plus 1; 0: has not passed",
    ),
    Piece(
        "second",
        1,
        whole_number(HIGHEST_BID),
        "bid in the second auction; 0: none yet, 1: passed",
    ),
    Piece(
        "called",
        1,
        whole_number(3),
        "call after the auction: 0 none yet, 1 passed, 2 doubled, 3 redoubled",
    ),
    Piece(
        "single",
        1,
        whole_number(2),
        "answer to playing alone: 0 none yet, 1 does not play alone, 2 plays alone",
    ),
    Piece(
        "voids",
        4,
        FLAG,
        "for each suit (c, d, h, s): the seat is known to lack it, or to hold only cards of it "
        "that were shown to all seats",
    ),
    Piece(
        "below",
        1,
        whole_number(9),
        "highest rank of trumps that the seat can still have, plus 1; 0: not limited",
    ),
    Piece("hand", 1, whole_number(HAND), "number of cards in the hand"),
    Piece("tricks", 1, whole_number(HAND), "number of tricks taken"),
    Piece(
        "points",
        1,
        whole_number(HIGHEST_BID),
        "card points taken, including points for the last trick",
    ),
)
EACH_SEAT = RepeatedPieces("seats", SEATS, SEAT_PIECES)

PIECES: tuple[Piece | RepeatedPieces, ...] = (
    EACH_SEAT,
    Piece(
        "where",
        CARDS,
        whole_number(HELD + SEATS - 1),
        "location of each card: 0 unknown, 1 in the viewer's hand, 2 laid face down by the viewer, "
        "3 played by the viewer, 4 played by the next seat …, 9 held by the viewer and known to "
        "all, 10 held by the next seat and known to all …",
    ),
    Piece(
        "when",
        CARDS,
        whole_number(HAND),
        "number of the trick in which each card was played; 0: not played",
    ),
    Piece(
        "trick",
        SEATS,
        whole_number(CARDS),
        "card numbers of the current trick in playing order, plus 1",
    ),
    Piece("winners", HAND, whole_number(SEATS), "seat that took each trick, plus 1"),
    Piece("leader", 1, whole_number(SEATS), "seat that leads the current trick, plus 1"),
    Piece(
        "phase",
        1,
        whole_number(PLAY),
        "phase: 0 hand over, 1 auction, 2 doubling, 3 redoubling, 4 choosing trumps, 5 second "
        "auction, 6 choosing to play alone, 7 play",
    ),
    Piece("turn", 1, whole_number(SEATS), "seat to act, plus 1"),
    Piece("dealer", 1, whole_number(SEATS), "seat of the dealer, plus 1"),
    Piece(
        "bids",
        BIDS,
        whole_number(SEATS),
        "for each number 12, 13 …: the last seat that bid it, plus 1; 0: none",
    ),
    Piece("bid", 1, whole_number(HIGHEST_BID), "highest bid; 0: none"),
    Piece("target", 1, whole_number(HIGHEST_BID), "points that the bidder's side must take"),
    Piece("bidder", 1, whole_number(SEATS), "seat of the highest bidder, plus 1; 0: none"),
    Piece("doubled", 1, whole_number(2), "0 not doubled, 1 doubled, 2 redoubled"),
    Piece("all_dealt", 1, FLAG, "whether all cards are dealt"),
    Piece(
        "stake",
        1,
        whole_number(8),
        "multiplier of the score from double, redouble and auto_double",
    ),
    Piece(
        "trumps",
        1,
        whole_number(REVERSED),
        "trumps: 0 unknown, 1 clubs, 2 diamonds, 3 hearts, 4 spades, 5 no trumps, 6 no trumps with "
        "ranks reversed",
    ),
    Piece("trumps_shown", 1, FLAG, "whether all seats know the trumps"),
    Piece(
        "apart",
        1,
        whole_number(2),
        "card that sets trumps, outside the hand: 0 none, 1 a face-down card, 2 the seventh card",
    ),
    *list_secret_pieces(HAND, SEATS),
    Piece("pair_shown", 1, whole_number(SEATS), "seat that showed the pair, plus 1; 0: none"),
    Piece("alone", 1, whole_number(SEATS), "seat that plays alone, plus 1; 0: none"),
    *option_pieces(Rules, {"last_trick": Piece("last_trick", 1, FLAG, "option")}),
    Piece("setter", 1, whole_number(SEATS), "seat that set the bid, plus 1; 0: none"),
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

EARLIER = (Earlier(before="one_bid", actions=68), Earlier(before="reentry", actions=67))
"""See `core.game.Game.earlier`. Later options and actions follow the earlier ones, and keep their
numbers."""

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("net", np.int32, (SEATS,)),  # net points; half points with three players
        ("hands", np.int64, (SEATS,)),  # sets of cards, without a face-down card
        ("seen", np.int64, (SEATS,)),  # sets of the cards in each hand that all seats have seen
        ("pending", np.int16),  # set of seats that may still speak in this phase
        ("playing", np.int16),  # set of seats that play to tricks
        ("card", np.int8),  # card that sets trumps, outside the hand, plus 1; 0: none
        ("laid", np.int8),  # latest card that set trumps, plus 1, even if it is back in the hand
        ("laid_from", np.int8),  # dealt position of that card: LAID_ANYWHERE ...
        ("makers", np.int8, (2,)),  # seats that chose trumps first and second; -1: none
        ("made_at", np.int8, (2,)),  # positions of these choices in the history
        ("made", np.int8),  # trumps, which only the bidder knows until they are shown
        ("player_of", np.int8, (CARDS,)),  # seat that played each card, plus 1
        ("taken_by", np.int8, (HAND,)),  # seat that took each trick, plus 1
        ("bid_by", np.int8, (BIDS,)),  # last seat that bid each number, plus 1
        ("tricks", np.int8),  # number of completed tricks
        ("size", np.int8),  # number of cards in the current trick
        ("leader", np.int8),  # -1: none yet
        ("bidder", np.int8),  # -1: none yet
        ("maker", np.int8),  # seat that chose the current trumps and knows them; -1: none
        ("asker", np.int8),  # seat that asked for trumps; -1: none
        ("pair_by", np.int8),  # seat that showed the pair; -1: none
        ("set_by", np.int8),  # seat that set the bid or an earlier bid; -1: none
        ("alone", np.int8),  # seat that plays alone; -1: none
        ("dealer", np.int8),
        ("viewer", np.int8),  # the seat whose pieces are shown
        ("deck", np.int8, (CARDS,)),
        ("history", np.int8, (HISTORY,)),  # actions of the hand in order, each plus 1
        ("seats", EACH_SEAT.dtype, (SEATS,)),  # public facts of each seat, by its number
        ("shown", FEATURES.dtype),
    ]
)
