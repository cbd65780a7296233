"""Rules of Fifty-Six: cards, actions, options, observation and state.

The game uses two decks. The jack counts 3 points, the nine 2, ace and ten 1 each, and the other
cards nothing. Cards rank J 9 A 10 K Q 8 7. If a trick contains two identical cards, the first one
played ranks higher. Each seat bids the number of points out of 56 that its side will take, and the
trump suit.

Seats are numbered in the direction of play, and one of them is the dealer. The next seat is the
first speaker. In an observation, seat 0 is the viewer, and the other seats follow in the direction
of play.

Card numbers are ``suit * 8 + rank``. The suits are clubs, diamonds, hearts and spades; the ranks
are 7, 8, queen, king, ten, ace, nine and jack. Identical cards have the same number.

Actions:

- 0-31: play a card, or lay it face down to choose trumps
- 32-60: bid 28 to 56
- 61-65: strain of the bid: a suit, or no trumps
- 66-69: PASS, DOUBLE, REDOUBLE, ASK for trumps
- 70-77: forms of the bid: a strain said before the number (5), PLUS, NOES, number with a PASS

A deck lists the cards in dealing order: four cards to each seat from the first speaker on, then
four more to each, until all are dealt. Hands of six cards are dealt three cards at a time.

REFERENCES names the sources. docs/rules/fifty_six.md has the full rules.
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

SEATS = 8
RANKS = 8
CARDS = SUITS * RANKS
"""Number of kinds of cards; the deck has two cards of each kind."""
COPIES = 2 * CARDS
RANK_ORDER = "78QKTA9J"
"""Weakest first."""
RANK_POINTS = list_rank_points(RANKS)
PACK_POINTS = 56
LOWEST_RANK = np.zeros((SEATS + 1, 2), np.int64)
LOWEST_RANK[4], LOWEST_RANK[6] = (2, 4), 2
"""The lowest rank in the deck, by the number of players and the option ``small_pack``."""
HAND_SIZE = np.full((SEATS + 1, 2), 8, np.int64)
HAND_SIZE[4, 0] = 12
"""The number of cards in each hand, by the number of players and the option ``small_pack``."""
SHORT_LOWEST_RANK, SHORT_HAND_SIZE = 2, 6
"""The same for eight players with the option ``six_each``."""
CODES, NUMBERS = number_cards(RANK_ORDER)
"""The card code of each card number, and the card number of each card code."""

BID, LOWEST_BID, HIGHEST_BID = CARDS, 28, PACK_POINTS
"""BID is the action that bids `LOWEST_BID`."""
STRAIN, NO_TRUMPS = 61, 65
"""STRAIN to STRAIN + 3 are the suits."""
PASS, DOUBLE, REDOUBLE, ASK = 66, 67, 68, 69
STRAIN_FIRST, PLUS, NOES, NUMBER_PASS = 70, 75, 76, 77
"""STRAIN_FIRST to STRAIN_FIRST + 4 name a strain that is said before the number. The last three
keep the strain of the own side's bid."""
ACTIONS = 78
STRAINS = (*SUIT_WORDS, "no trumps")
LABELS = (
    *list_labels(CODES, LOWEST_BID, HIGHEST_BID),
    *(f"in {strain}" for strain in STRAINS),
    *("pass", "double", "redouble", "ask for trumps"),
    *(f"{strain} first" for strain in STRAINS),
    *("plus", "noes", "number with a pass"),
)
LEVELS = np.array([28, 40, 48, 56], np.int64)
"""Lowest bids of the levels, at which a contract is worth 1, 2, 3 and 4 points."""
label = make_label(LABELS)

# ---- options and variants -------------------------------------------------------------------


class Trumps(IntEnum):
    """Whether trumps are part of the bid, or a face-down card of the highest bidder."""

    OPEN = 0
    HIDDEN = 1


class Leader(IntEnum):
    """The seat that leads to the first trick."""

    FIRST = 0
    BIDDER = 1


class Doubling(IntEnum):
    """Effect of a double: not allowed, adds a point, or multiplies the score by 2."""

    NONE = 0
    ADD = 1
    TIMES = 2


class AllPass(IntEnum):
    """Result if all seats pass: no hand, or no trumps at the lowest bid of the first speaker."""

    VOID = 0
    NO_TRUMPS = 1


class Rules(NamedTuple):
    """The options of Fifty-Six. The defaults are those of ``classic``."""

    players: Annotated[
        int, Option("number of seats; the seats alternate between two sides", values=(4, 6, 8))
    ] = 6
    small_pack: Annotated[
        bool,
        Option(
            "deck for four players. yes: 32 cards, without K Q 8 7, eight each; no: 48 cards, "
            "twelve each"
        ),
    ] = True
    trumps: Annotated[
        Trumps,
        Option(
            "open: trumps are part of the bid; hidden: the highest bidder lays a trump card face "
            "down, as in Twenty-Eight"
        ),
    ] = Trumps.OPEN
    forced: Annotated[bool, Option("the first speaker (the seat after the dealer) must bid")] = True
    honours: Annotated[
        bool,
        Option("a bid over a bid of the same side must reach the next level: 40, 48 or 56"),
    ] = False
    leader: Annotated[
        Leader,
        Option("seat that leads to the first trick: the first speaker, or the highest bidder"),
    ] = Leader.FIRST
    doubling: Annotated[
        Doubling,
        Option(
            "effect of doubles. none: not allowed; add: a double adds 1 stake, a redouble 2; "
            "times: a double multiplies the score by 2, a redouble by 4"
        ),
    ] = Doubling.TIMES
    void_pointless: Annotated[
        bool, Option("redeal if the hand of the first speaker has no points")
    ] = False
    void_without: Annotated[
        bool, Option("the hand is void if the bidder's opponents have no trump")
    ] = False
    # Options of later versions come last: see EARLIER.
    all_pass: Annotated[
        AllPass,
        Option(
            "result if all seats pass. void: the hand is void; no_trumps: the first speaker plays "
            "28 in no trumps",
            is_later=True,
        ),
    ] = AllPass.VOID
    six_each: Annotated[
        bool,
        Option(
            "deck for eight players. no: 64 cards, eight each; yes: 48 cards, without 8s and 7s, "
            "six each",
            is_later=True,
        ),
    ] = False
    redouble_times: Annotated[
        int,
        Option("multiplier of a redoubled score with doubling=times", 3, 4, is_later=True),
    ] = 4
    bid_forms: Annotated[
        bool,
        Option(
            "a bid has a form that tells partners more: the number first, the strain first, or the "
            "strain of the own side's bid with plus, noes or a pass",
            is_later=True,
        ),
    ] = False


DEFAULT = "classic"
"""The default variant."""
VARIANTS = {
    "classic": Rules(),
    "international": Rules(doubling=Doubling.ADD),
    "four": Rules(players=4),
    "four-long": Rules(players=4, small_pack=False),
    "eight": Rules(players=8),
    "hidden": Rules(
        trumps=Trumps.HIDDEN, leader=Leader.BIDDER, honours=True, doubling=Doubling.NONE
    ),
    "passed-out": Rules(forced=False, all_pass=AllPass.NO_TRUMPS),
    "eight-short": Rules(players=8, six_each=True),
    "forms": Rules(doubling=Doubling.ADD, bid_forms=True),
}
"""The variants by name."""
SOURCES = {
    "classic": "N",
    "international": "I",
    "four": "R",
    "four-long": "N",
    "eight": "N",
    "hidden": "R",
    "passed-out": "G",
    "eight-short": "N",
    "forms": "C",
}
REFERENCES = {
    "C": "Cheettukali Club, and My 56 Online",
    "G": "Fifty-Six (Game Rules)",
    "I": "56 International Game Rules",
    "N": "The Card Game called Fifty-Six (Nair)",
    "R": "programs that publish their rules",
}
"""The sources by their short names in SOURCES."""


def check(rules: Rules) -> None:
    """Raise ValueError, naming the options, if options contradict each other."""
    if not rules.small_pack and rules.players != 4:
        raise ValueError(f"option small_pack must be yes with players={rules.players}, got no")
    if rules.six_each and rules.players != 8:
        raise ValueError(f"option six_each must be no with players={rules.players}, got yes")
    if rules.trumps == Trumps.HIDDEN and rules.leader == Leader.FIRST:
        raise ValueError("option leader must be bidder with trumps=hidden, got first")


def read_lowest_rank(rules: Rules) -> int:
    """Return the lowest rank in the deck."""
    if rules.six_each:
        return SHORT_LOWEST_RANK
    return int(LOWEST_RANK[rules.players, int(rules.small_pack)])


def read_hand_size(rules: Rules) -> int:
    """Return the number of cards that each seat gets."""
    if rules.six_each:
        return SHORT_HAND_SIZE
    return int(HAND_SIZE[rules.players, int(rules.small_pack)])


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the codes of the cards in the deck, each twice, in the order of their numbers."""
    lowest = read_lowest_rank(rules)
    kinds = [int(CODES[card]) for card in range(CARDS) if card % RANKS >= lowest]
    return tuple(code for code in kinds for _ in range(2))


def sides(rules: Rules) -> tuple[int, ...]:
    """Return the side of each seat. The sides alternate."""
    return tuple(seat & 1 for seat in range(rules.players))


# ---- observation and state ------------------------------------------------------------------

HAND = 12
"""Maximum number of cards in a hand, and of tricks."""
BIDS = HIGHEST_BID - LOWEST_BID + 1
HISTORY = 512
"""Size of the list of actions. Every hand has fewer: for each bid a number, a strain, a double and,
with eight seats, at most seven passes before and seven after the double; then the cards."""

AUCTION, NAMING, LAYING, PLAY = range(OVER + 1, OVER + 5)
"""The phases of a hand, besides `OVER`."""
QUIET, PASSED, BID_LAST, DOUBLED, REDOUBLED = range(5)
"""Last call of a seat."""
NUMBER_FIRST, STRAIN_BEFORE, BY_PLUS, BY_NOES, BY_PASS = range(5)
"""Form of a bid."""

SEAT_PIECES = (
    Piece(
        "said",
        1,
        whole_number(REDOUBLED),
        "last call: 0 none, 1 pass, 2 bid, 3 double, 4 redouble",
    ),
    Piece("number", 1, whole_number(HIGHEST_BID), "number of the last bid; 0: none"),
    Piece(
        "strain",
        1,
        whole_number(NONE),
        "strain of the last bid: 0 none, 1 clubs, 2 diamonds, 3 hearts, 4 spades, 5 no trumps",
    ),
    Piece(
        "voids",
        4,
        FLAG,
        "for each suit (c, d, h, s): the seat is known to lack it, or to hold only a card of it "
        "that was shown to all seats",
    ),
    Piece("hand", 1, whole_number(HAND), "number of cards in the hand"),
    Piece("tricks", 1, whole_number(HAND), "number of tricks taken"),
    Piece("points", 1, whole_number(HIGHEST_BID), "card points taken"),
)
EACH_SEAT = RepeatedPieces("seats", SEATS, SEAT_PIECES)

FEATURES = Features(
    [
        EACH_SEAT,
        Piece("own", CARDS, whole_number(2), "number of cards of each kind in the viewer's hand"),
        Piece(
            "played_by",
            COPIES,
            whole_number(SEATS),
            "seat that played each card, plus 1; two entries for each kind; 0: not played",
        ),
        Piece(
            "when",
            COPIES,
            whole_number(HAND),
            "number of the trick in which each of these cards was played; 0: not played",
        ),
        Piece(
            "trick",
            SEATS,
            whole_number(CARDS),
            "card numbers of the current trick in playing order, plus 1",
        ),
        Piece("winners", HAND, whole_number(SEATS), "seat that took each trick, plus 1"),
        Piece("lead_by", 1, whole_number(SEATS), "seat that leads the current trick, plus 1"),
        Piece(
            "phase",
            1,
            whole_number(PLAY),
            "phase: 0 hand over, 1 auction, 2 naming the strain, 3 laying a card face down, 4 play",
        ),
        Piece("turn", 1, whole_number(SEATS), "seat to act, plus 1"),
        Piece("dealer", 1, whole_number(SEATS), "seat of the dealer, plus 1"),
        Piece(
            "bids",
            BIDS,
            whole_number(SEATS),
            "for each number 28, 29 …: the seat that bid it, plus 1; 0: none",
        ),
        Piece("strains", BIDS, whole_number(NONE), "strain of each of these bids"),
        Piece(
            "doubles",
            BIDS,
            whole_number(SEATS),
            "seat that doubled each of these bids, plus 1; 0: none",
        ),
        Piece("number", 1, whole_number(HIGHEST_BID), "number of the highest bid; 0: none"),
        Piece("bidder", 1, whole_number(SEATS), "seat of the highest bidder, plus 1; 0: none"),
        Piece("doubled", 1, whole_number(2), "0 not doubled, 1 doubled, 2 redoubled"),
        Piece("redoubler", 1, whole_number(SEATS), "seat that redoubled, plus 1; 0: none"),
        Piece(
            "trump_suit",
            1,
            whole_number(NONE),
            "trumps: 0 unknown, 1 clubs, 2 diamonds, 3 hearts, 4 spades, 5 no trumps",
        ),
        Piece("trumps_shown", 1, FLAG, "whether all seats know the trumps"),
        Piece(
            "laid",
            1,
            whole_number(CARDS),
            "card number of the card that sets trumps, plus 1; 0: none, or unknown to the viewer",
        ),
        Piece("apart", 1, FLAG, "whether the card that sets trumps is face down"),
        Piece("laid_back", 1, FLAG, "whether that card is back in the bidder's hand"),
        *list_secret_pieces(HAND, SEATS),
        *option_pieces(Rules),
        Piece(
            "forms",
            BIDS,
            whole_number(BY_PASS),
            "form of each of the bids, with bid_forms: 0 none or number first, 1 strain first, 2 "
            "plus, 3 noes, 4 number with a pass",
        ),
    ]
)

EARLIER = (Earlier(before="all_pass", actions=70),)
"""See `core.game.Game.earlier`. Later options and actions follow the earlier ones, and keep their
numbers."""

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("net", np.int32, (SEATS,)),
        ("hands", np.int64, (SEATS,)),  # sets of kinds of cards, without a face-down card
        ("twice", np.int64, (SEATS,)),  # sets of the kinds of which the hand holds both cards
        ("card", np.int8),  # face-down trump card, plus 1; 0: none
        ("laid", np.int8),  # the same card, plus 1, even if it is back in the hand or played
        ("laid_at", np.int16),  # position of its laying in the history
        ("made", np.int8),  # trumps; if hidden, only the bidder knows them until they are shown
        ("passes", np.int8),  # number of consecutive passes
        ("player_of", np.int8, (COPIES,)),  # seat that played each card, plus 1
        ("taken_by", np.int8, (HAND,)),  # seat that took each trick, plus 1
        ("bid_by", np.int8, (BIDS,)),  # seat that bid each number, plus 1
        ("doubled_by", np.int8, (BIDS,)),  # seat that doubled each bid, plus 1
        ("redoubled_by", np.int8),  # seat that redoubled, plus 1
        ("tricks", np.int8),  # number of completed tricks
        ("size", np.int8),  # number of cards in the current trick
        ("leader", np.int8),  # seat that leads the current trick; -1: none yet
        ("bidder", np.int8),  # -1: none yet
        ("asker", np.int8),  # seat that asked for trumps; -1: none
        ("dealer", np.int8),
        ("viewer", np.int8),  # the seat whose pieces are shown
        ("deck", np.int8, (COPIES,)),
        ("history", np.int8, (HISTORY,)),  # actions of the hand in order, each plus 1
        ("seats", EACH_SEAT.dtype, (SEATS,)),  # public facts of each seat, by its number
        ("shown", FEATURES.dtype),
    ]
)
