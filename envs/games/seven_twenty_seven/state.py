"""Seven Twenty-Seven: what a state holds, and what of it a seat is shown."""

import numpy as np

from ...core.batch import make_state_head
from ...core.game import EarlierFeatures
from ...core.kernel.cards import PACK_SIZE
from ...core.schema import (
    DIGIT_BASE,
    FLAG,
    Features,
    Piece,
    RepeatedPieces,
    choice,
    digit_piece,
    whole_number,
)
from .rules import (
    ACTIONS,
    CLASSES,
    FACE,
    FAR,
    MOST_RAISES,
    ROUNDS,
    SEATS,
    BothTie,
    Declare,
    Nearness,
    Pack,
)

SEAT_PIECES = (
    Piece("status", 1, whole_number(3), "0 no such seat, 1 in, 2 folded, 3 busted"),
    Piece("up", FACE, whole_number(4), "face-up cards: aces, 2s … 10s"),
    Piece("up_faces", 1, whole_number(12), "face-up kings, queens and jacks"),
    Piece("hidden", 1, whole_number(PACK_SIZE - 2), "face-down cards"),
    Piece("taken", 1, whole_number(PACK_SIZE - 4), "cards taken after the deal"),
    Piece("drew", ROUNDS, FLAG, "took one in the latest draw round, in the one before …"),
    Piece("stands", 1, whole_number(3), "stands said, 3 for more"),
    digit_piece("paid", 6, "chips paid in this hand"),
    digit_piece("staked", 4, "those of this round of bets"),
    Piece("declared", 1, whole_number(3), "publicly: 1 for 7, 2 for 27, 3 for both"),
)
EACH_SEAT = RepeatedPieces("seats", SEATS, SEAT_PIECES)

FEATURES = Features(
    [
        EACH_SEAT,
        Piece("own", FACE, whole_number(4), "all own cards: aces, 2s … 10s"),
        Piece("own_faces", 1, whole_number(12), "own kings, queens and jacks"),
        digit_piece("low", 3, "own lowest total, in half points"),
        Piece(
            "off_7", 1, whole_number(FAR + 1), "own distance from 7 in half points; 63: cannot win"
        ),
        Piece("off_27", 1, whole_number(FAR + 1), "own distance from 27; 63: cannot win"),
        Piece("over_7", 1, FLAG, "that total lies above 7"),
        Piece("over_27", 1, FLAG, "that total lies above 27"),
        Piece(
            "phase",
            1,
            whole_number(7),
            "0 over, 1 ask, 2 bets, 3 draws, 4 last bets, 5 declaring, 6 bets before the ask, "
            "7 bets after declaring",
        ),
        Piece("turn", 1, whole_number(SEATS), "1 more than the seat that acts, 0: nobody does"),
        Piece("dealer", 1, whole_number(SEATS), "1 more than the dealer's seat"),
        Piece(
            "bettor",
            1,
            whole_number(SEATS),
            "1 more than who bet or raised last in the latest bets",
        ),
        digit_piece("pot", 7, "chips in the pot"),
        digit_piece("to_call", 4, "chips that the viewer lacks in this round of bets"),
        Piece(
            "odds",
            1,
            whole_number(DIGIT_BASE - 1),
            "sixteenths that this is of the pot after a call",
        ),
        Piece(
            "antes",
            1,
            whole_number(2 * DIGIT_BASE),
            "twice the binary logarithm of the pot in antes",
        ),
        Piece(
            "raises_left",
            1,
            whole_number(MOST_RAISES),
            "raises that are left in this round of bets",
        ),
        Piece("stock", 1, whole_number(PACK_SIZE - 4), "cards in the stock"),
        Piece("players", 1, whole_number(SEATS), "option"),
        digit_piece("ante", 3, "option"),
        digit_piece("min_bet", 3, "option"),
        digit_piece("max_bet", 3, "option"),
        Piece("max_raises", 1, whole_number(MOST_RAISES), "option"),
        Piece("start_down", 1, whole_number(2), "option"),
        Piece("draw_up", 1, FLAG, "option"),
        Piece("nearness", 1, choice(Nearness), "option, in the order of its values"),
        Piece("declare", 1, choice(Declare), "option: 1 simultaneous, 2 sequential"),
        Piece("max_extra", 1, whole_number(9), "option"),
        Piece("max_stands", 1, whole_number(3), "option"),
        Piece("last_bets", 1, FLAG, "option"),
        Piece("half_tens", 1, FLAG, "option"),
        Piece("pack", 1, choice(Pack), "option: 1 mini"),
        Piece("bet_first", 1, FLAG, "option"),
        Piece("rotating_lead", 1, FLAG, "option"),
        Piece("perfect", 1, FLAG, "option"),
        Piece("bets_after", 1, FLAG, "option"),
        Piece("both_tie", 1, choice(BothTie), "option: 1 shares"),
        Piece("lead", 1, whole_number(SEATS), "1 more than the seat from which this round begins"),
    ]
)

_NEW = ("bet_first", "rotating_lead", "perfect", "bets_after", "both_tie", "lead")
EARLIER = (
    EarlierFeatures(
        FEATURES.with_pieces(
            dict.fromkeys(_NEW)
            | {
                "seats.paid": digit_piece("paid", 5, ""),
                "pot": digit_piece("pot", 6, ""),
                "phase": Piece("phase", 1, whole_number(5), ""),
                "raises_left": Piece("raises_left", 1, whole_number(9), ""),
                "max_raises": Piece("max_raises", 1, whole_number(9), ""),
            }
        ),
        ACTIONS,
    ),
)
"""What was shown before some options came, and with at most nine raises."""

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("net", np.int32, (SEATS,)),  # chips won less chips paid, at the end
        ("paid", np.int32, (SEATS,)),
        ("staked", np.int32, (SEATS,)),  # in this round of bets
        ("pot", np.int32),
        ("high", np.int32),  # the highest stake of this round
        ("up", np.int64),  # set of deck positions that lie face up
        ("levels", np.int64),  # set of the actions that bet or raise
        ("live", np.int16),  # set of seats still in
        ("pending", np.int16),  # those that still have to act in this phase
        ("low", np.int16, (SEATS,)),  # lowest total of each seat
        ("rank", np.int16, (SEATS, 2)),  # of its best totals for 7 and 27: the smaller is nearer
        ("above", np.int8, (SEATS, 2)),  # these totals lie above their targets
        ("cards", np.int8, (SEATS, CLASSES)),  # how many of each class it holds
        ("taken", np.int8, (SEATS,)),
        ("stands", np.int8, (SEATS,)),
        ("said", np.int8, (SEATS,)),  # what it has declared, public or not
        (
            "owner",
            np.int8,
            (PACK_SIZE,),
        ),  # of each deck position: 1 more than the seat, 0 the stock
        ("next", np.int8),  # deck position of the top of the stock
        ("size", np.int8),  # cards in the pack
        ("dealer", np.int8),
        ("lead", np.int8),  # the seat from which this round begins, whether it is in or not
        ("phase", np.int8),
        ("raises", np.int8),
        ("bettor", np.int8),  # who bet or raised last in this round, -1: nobody
        ("drawn", np.int8),  # somebody drew in this draw round
        ("viewer", np.int8),  # the seat whose pieces are shown
        ("deck", np.int8, (PACK_SIZE,)),
        ("seats", EACH_SEAT.dtype, (SEATS,)),  # what is public of each seat, by its number
        ("shown", FEATURES.dtype),
    ]
)
