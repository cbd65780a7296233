"""Twenty-Eight and Twenty-Nine: what a state holds, and what of it a seat is shown."""

import numpy as np

from ...core.batch import make_state_head
from ...core.schema import FLAG, Features, Piece, RepeatedPieces, choice, whole_number
from ...core.suit_orders import list_suit_orders
from .rules import (
    ACTIONS,
    CARDS,
    HIGHEST_BID,
    LOWEST_BID,
    MAKE,
    RANKS,
    SEATS,
    Ask,
    Force,
    Forced,
    NeverShown,
    Scoring,
    TrumpBy,
)

HAND = 8
"""Cards of a hand at most, and tricks."""
BIDS = HIGHEST_BID - LOWEST_BID + 1
HISTORY = 128
"""Actions of a hand at most, with room to spare."""

UNSEEN, OWN, FACE_DOWN, PLAYED = 0, 1, 2, 3
HELD = PLAYED + SEATS
"""Where a card is, as it is shown: PLAYED + k by seat k, HELD + k by seat k for all to see."""

OVER, AUCTION, DOUBLING, REDOUBLING, MAKING, SECOND, SINGLES, PLAY = range(8)
"""Phases of a hand."""

NO_TRUMP_YET, NONE, REVERSED = 0, 5, 6
"""What trumps are, beside 1 more than their suit."""

LAID_ANYWHERE, LAID_FIRST, LAID_SEVENTH = range(3)
"""Where in the deck the card lay that makes trumps: among the first cards, or the seventh."""

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

PIECES = (
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
    Piece("pair_shown", 1, whole_number(SEATS), "1 more than who showed the pair"),
    Piece("alone", 1, whole_number(SEATS), "1 more than who plays alone"),
    Piece("players", 1, whole_number(SEATS), "option"),
    Piece("min_bid", 1, whole_number(18), "option"),
    Piece("forced", 1, choice(Forced), "option: 1 dealer, 2 nobody"),
    Piece("partner_min", 1, whole_number(28), "option"),
    Piece("match", 1, FLAG, "option"),
    Piece("trump_by", 1, choice(TrumpBy), "option: 1 suit"),
    Piece("seventh", 1, FLAG, "option"),
    Piece("no_trumps", 1, FLAG, "option"),
    Piece("second_auction", 1, whole_number(24), "option"),
    Piece("ask", 1, choice(Ask), "option: 1 must"),
    Piece("asker_trumps", 1, FLAG, "option"),
    Piece("force", 1, choice(Force), "option: 1 whole"),
    Piece("never_shown", 1, choice(NeverShown), "option: 1 void"),
    Piece("overtrump", 1, FLAG, "option"),
    Piece("pair", 1, FLAG, "option"),
    Piece("pair_from", 1, whole_number(28), "option"),
    Piece("last_trick", 1, FLAG, "option"),
    Piece("early_end", 1, FLAG, "option"),
    Piece("doubles", 1, FLAG, "option"),
    Piece("single_hand", 1, FLAG, "option"),
    Piece("cot", 1, FLAG, "option"),
    Piece("auto_double", 1, whole_number(28), "option"),
    Piece("scoring", 1, choice(Scoring), "option: 1 steps, 2 graded"),
    Piece("redeal_pointless", 1, FLAG, "option"),
    Piece("redeal_jacks", 1, FLAG, "option"),
    Piece("void_without", 1, FLAG, "option"),
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
