"""Fifty-Six: what a state holds, and what of it a seat is shown."""

import numpy as np

from ...core.batch import make_state_head
from ...core.schema import FLAG, Features, Piece, RepeatedPieces, choice, whole_number
from .rules import (
    ACTIONS,
    CARDS,
    COPIES,
    HIGHEST_BID,
    LOWEST_BID,
    SEATS,
    Doubling,
    Leader,
    Trumps,
)

HAND = 12
"""Cards of a hand at most, and tricks."""
BIDS = HIGHEST_BID - LOWEST_BID + 1
HISTORY = 512
"""Actions of a hand at most: for each bid its strain, at most seven passes of a table of eight
before somebody doubles it and seven after, then the cards."""

OVER, AUCTION, NAMING, LAYING, PLAY = range(5)
"""Phases of a hand."""
NO_TRUMP_YET, NONE = 0, 5
"""What trumps are, beside 1 more than their suit."""
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
        Piece(
            "led_secretly",
            4,
            FLAG,
            "clubs … were led by the bidder while trumps were secret: if "
            "they are trumps, he had nothing else",
        ),
        Piece("not_trumps", 4, FLAG, "clubs … cannot be trumps: he had"),
        Piece("shown_trick", 1, whole_number(HAND), "the trick in which they were shown"),
        Piece("shown_after", 1, whole_number(SEATS), "cards of that trick played before"),
        Piece("asker", 1, whole_number(SEATS), "1 more than who asked"),
        Piece("must_trump", 1, FLAG, "it has just asked, and must trump"),
        Piece("players", 1, whole_number(SEATS), "option"),
        Piece("small_pack", 1, FLAG, "option"),
        Piece("trumps", 1, choice(Trumps), "option: 1 hidden"),
        Piece("forced", 1, FLAG, "option"),
        Piece("honours", 1, FLAG, "option"),
        Piece("leader", 1, choice(Leader), "option: 1 bidder"),
        Piece("doubling", 1, choice(Doubling), "option: 1 add, 2 times"),
        Piece("void_pointless", 1, FLAG, "option"),
        Piece("void_without", 1, FLAG, "option"),
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
        ("lead_by", np.int8),  # who leads this trick, -1: nobody yet
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
