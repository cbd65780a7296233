"""Seven Twenty-Seven: what is played.

Each of two to ten seats tries to hold cards that total nearly 7, nearly 27 or both: king, queen and
jack count a half, 2 to 10 their number, an ace 1 or 11, chosen for each target. A hand is dealt, a
card is offered once, then rounds of betting and of drawing follow one another until nobody draws.
Half the pot goes to the nearest to 7, half to the nearest to 27.

Totals are in half points: the targets are 14 and 54. Chips are whole numbers. Seats are numbered
around the table, the dealer's is one of them; the seat at the dealer's left is the first in every
round. In an observation seat 0 is the viewer's, the others follow clockwise.

Sources: 000 the page on the vying game; "house": rules that other published pages give.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ..core.batch import STATE_HEAD
from ..core.cards import PACK_SIZE, full_pack, parse_card
from ..core.features import (
    DIGIT_BASE,
    FLAG,
    Features,
    Piece,
    RepeatedPieces,
    digit_piece,
    whole_number,
)
from ..core.options import Option

SEATS = 10
SEVEN, TWENTY_SEVEN = 14, 54
ACE_MORE = 20
"""By how much an ace counts more as 11 than as 1."""
CLASSES = 11
"""Kinds of cards that differ in what they count: ace, 2 to 10, and the three faces together."""
FACE = 10
LEVELS = 5
ROUNDS = 8
"""Draw rounds that are remembered card by card."""
MOST_CHIPS = 1000
"""Of ante and bets: whatever a hand can cost then fits the digits of the observation."""
FAR = 62
"""A total so far from its target, or farther, is shown as that far; one more: it cannot win."""

FOLD, CALL, RAISE, DRAW, STAND, DECLARE = 0, 1, 2, 7, 8, 9
DECLARE_7, DECLARE_27, DECLARE_BOTH = DECLARE, DECLARE + 1, DECLARE + 2
"""CALL is a check where there is nothing to call; RAISE + level bets where nobody has bet."""
ACTIONS = 12
LABELS = (
    "fold",
    "check or call",
    *(f"bet or raise {level}" for level in range(LEVELS)),
    "draw",
    "stand",
    "declare 7",
    "declare 27",
    "declare both",
)


class Nearness(IntEnum):
    """Which of two totals is nearer to a target where that is not plain."""

    NEAREST = 0
    OVER_IS_BUST = 1
    UNDER_BEATS_OVER = 2
    OVER_BEATS_UNDER = 3
    INSIDE_BEATS_OUTSIDE = 4
    OUTSIDE_BEATS_INSIDE = 5


class Declare(IntEnum):
    """Whether the cards speak, or seats say for what they try."""

    CARDS_SPEAK = 0
    SIMULTANEOUS = 1
    SEQUENTIAL = 2


class Pack(IntEnum):
    """Which cards are played with."""

    FULL = 0
    MINI = 1


class Phase(IntEnum):
    """Where a hand stands."""

    OVER = 0
    ASK = 1
    BET = 2
    DRAWING = 3
    LAST_BET = 4
    DECLARING = 5


class Status(IntEnum):
    """What has become of a seat."""

    NONE = 0
    IN = 1
    FOLDED = 2
    BUSTED = 3


class Rules(NamedTuple):
    """The options of Seven Twenty-Seven; the defaults are those all variants differ from."""

    players: Annotated[int, Option("seats; the game is for 4–10", 2, SEATS)] = 4
    ante: Annotated[int, Option("chips that each seat pays for the deal", 1, MOST_CHIPS)] = 1
    min_bet: Annotated[int, Option("lowest bet or raise, in chips", 1, MOST_CHIPS)] = 1
    max_bet: Annotated[int, Option("highest bet or raise, in chips", 1, MOST_CHIPS)] = 5
    max_raises: Annotated[
        int, Option("raises in one round, the opening bet not among them", 0, 9)
    ] = 3
    start_down: Annotated[int, Option("hidden cards at the start", 1, 2)] = 1
    draw_up: Annotated[bool, Option("cards taken later lie face up")] = False
    nearness: Annotated[
        Nearness,
        Option(
            "nearest: only the distance counts; over_is_bust: a total above 7 cannot win that "
            "half, one above 27 nothing, and who cannot stay at 27 is out; the others decide "
            "between equal distances: below, above, between 7 and 27, or not between them"
        ),
    ] = Nearness.NEAREST
    declare: Annotated[
        Declare, Option("whether seats say for which half they try, together or one by one")
    ] = Declare.CARDS_SPEAK
    max_extra: Annotated[int, Option("cards that a seat may take in all; 0: any number", 0, 9)] = 0
    max_stands: Annotated[
        int, Option("after so many stands a seat may draw no more (house); 0: never", 0, 3)
    ] = 0
    last_bets: Annotated[
        bool, Option("one more round of bets after the round in which nobody drew (house)")
    ] = False
    half_tens: Annotated[bool, Option("tens count a half (house)")] = False
    pack: Annotated[Pack, Option("full: 52 cards; mini: ace, 5 and 10, twice each")] = Pack.FULL


DEFAULT = "home"
"""The variant played when none is named."""

VARIANTS = {
    "home": Rules(),
    "six": Rules(players=6),
    "ten": Rules(players=10),
    "bust": Rules(nearness=Nearness.OVER_IS_BUST),
    "low-wins-ties": Rules(nearness=Nearness.UNDER_BEATS_OVER),
    "declare": Rules(declare=Declare.SIMULTANEOUS),
    "open-cards": Rules(draw_up=True),
    "three-card": Rules(start_down=2),
    "mini": Rules(players=2, max_bet=1, max_raises=1, max_extra=1, pack=Pack.MINI),
}
"""The rules that have a name, by that name."""
SOURCES = {
    **dict.fromkeys(VARIANTS, "000"),
    "mini": "this project: small enough for exact equilibria",
}
REFERENCES = {
    "000": "the page on the vying game",
    "house": "rules that other published pages give",
}
"""What the short names in SOURCES and in the options stand for."""

MINI = tuple(parse_card(card) for card in ("Ac", "Ad", "5c", "5d", "Tc", "Td"))


def check(rules: Rules) -> None:
    """Raise ValueError for options that do not go together, naming them."""
    if rules.max_bet < rules.min_bet:
        raise ValueError(
            f"option max_bet={rules.max_bet}: allowed are {rules.min_bet}–{MOST_CHIPS}, "
            f"for min_bet={rules.min_bet}"
        )
    dealt, there = rules.players * (1 + rules.start_down), len(pack(rules))
    if dealt > there:
        raise ValueError(
            f"option pack={rules.pack.name.lower()}: {there} cards are too few for "
            f"players={rules.players} with start_down={rules.start_down}: {dealt} are dealt"
        )


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the codes of the cards played with. Of the mini pack only the ranks matter."""
    return MINI if rules.pack == Pack.MINI else full_pack(rules)


SEAT_PIECES = (
    Piece("status", 1, whole_number(3), "0 no such seat, 1 in, 2 folded, 3 busted"),
    Piece("up", FACE, whole_number(4), "face-up cards: aces, 2s … 10s"),
    Piece("up_faces", 1, whole_number(12), "face-up kings, queens and jacks"),
    Piece("hidden", 1, whole_number(PACK_SIZE - 2), "face-down cards"),
    Piece("taken", 1, whole_number(PACK_SIZE - 4), "cards taken after the deal"),
    Piece("drew", ROUNDS, FLAG, "took one in the latest draw round, in the one before …"),
    Piece("stands", 1, whole_number(3), "stands said, 3 for more"),
    digit_piece("paid", 5, "chips paid in this hand"),
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
            "phase", 1, whole_number(5), "0 over, 1 ask, 2 bets, 3 draws, 4 last bets, 5 declaring"
        ),
        Piece("turn", 1, whole_number(SEATS), "1 more than the seat that acts, 0: nobody does"),
        Piece("dealer", 1, whole_number(SEATS), "1 more than the dealer's seat"),
        Piece(
            "bettor",
            1,
            whole_number(SEATS),
            "1 more than who bet or raised last in the latest bets",
        ),
        digit_piece("pot", 6, "chips in the pot"),
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
        Piece("raises_left", 1, whole_number(9), "raises that are left in this round of bets"),
        Piece("stock", 1, whole_number(PACK_SIZE - 4), "cards in the stock"),
        Piece("players", 1, whole_number(SEATS), "option"),
        digit_piece("ante", 3, "option"),
        digit_piece("min_bet", 3, "option"),
        digit_piece("max_bet", 3, "option"),
        Piece("max_raises", 1, whole_number(9), "option"),
        Piece("start_down", 1, whole_number(2), "option"),
        Piece("draw_up", 1, FLAG, "option"),
        Piece("nearness", 1, whole_number(5), "option, in the order of its values"),
        Piece("declare", 1, whole_number(2), "option: 1 simultaneous, 2 sequential"),
        Piece("max_extra", 1, whole_number(9), "option"),
        Piece("max_stands", 1, whole_number(3), "option"),
        Piece("last_bets", 1, FLAG, "option"),
        Piece("half_tens", 1, FLAG, "option"),
        Piece("pack", 1, FLAG, "option: 1 mini"),
    ]
)

STATE = np.dtype(
    [
        *STATE_HEAD,
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


def label(action: int) -> str:
    """Name an action: ``"fold"``, ``"bet or raise 0"`` (the lowest level) and so on."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: Seven Twenty-Seven has actions 0 to {ACTIONS - 1}")
    return LABELS[action]
