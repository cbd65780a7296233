"""Seven Twenty-Seven: what is played.

Two to ten seats try to hold cards with a total near 7, near 27, or both. Kings, queens and jacks
count a half, 2 to 10 their number, and an ace 1 or 11, chosen for each target. After the deal, a
card is offered once; then rounds of betting and rounds of drawing alternate until nobody draws.
Half the pot goes to the total nearest to 7, half to the total nearest to 27.

Totals are in half points: the targets are 14 and 54. Chips are whole numbers. Seats are numbered
around the table, and one of them is the dealer; the seat at the dealer's left acts first in every
round. In an observation, seat 0 is the viewer's and the others follow clockwise.

A bet has one of five levels between the limits. That departs from the sources, which allow any
amount.

Sources: 000 the web page from which the rules started; "house": other published pages.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.kernel.cards import PACK_SIZE, full_pack, parse_card
from ...core.options import Option
from ...core.schema import (
    DIGIT_BASE,
    FLAG,
    Features,
    Piece,
    RepeatedPieces,
    digit_piece,
    option_pieces,
    whole_number,
)

SEATS = 10
SEVEN, TWENTY_SEVEN = 14, 54
ACE_MORE = 20
"""Half points by which an ace as 11 exceeds an ace as 1."""
CLASSES = 11
"""Number of card classes by value: ace, 2 to 10, and the three faces together."""
FACE = 10
LEVELS = 5
ROUNDS = 8
"""Draw rounds that an observation shows one by one."""
MOST_RAISES = 60
MOST_CHIPS = 1000
"""Limit of ante and bets: everything that a hand can cost fits the digits of the observation."""
FAR = 62
"""Largest distance from a target that is shown; one more means that the total cannot win."""

FOLD, CALL, RAISE, DRAW, STAND, DECLARE = 0, 1, 2, 7, 8, 9
DECLARE_7, DECLARE_27, DECLARE_BOTH = DECLARE, DECLARE + 1, DECLARE + 2
"""CALL checks if there is nothing to call; RAISE + level bets if nobody has bet."""
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
    """Rule for which of two totals is nearer to a target."""

    NEAREST = 0
    OVER_IS_BUST = 1
    UNDER_BEATS_OVER = 2
    OVER_BEATS_UNDER = 3
    INSIDE_BEATS_OUTSIDE = 4
    OUTSIDE_BEATS_INSIDE = 5


class Declare(IntEnum):
    """Whether the cards speak, or seats declare the half that they try for."""

    CARDS_SPEAK = 0
    SIMULTANEOUS = 1
    SEQUENTIAL = 2


class BothTie(IntEnum):
    """Result of a seat that declared both and ties on a side."""

    LOSES = 0
    SHARES = 1


class Pack(IntEnum):
    """The deck."""

    FULL = 0
    MINI = 1


class Phase(IntEnum):
    """Phase of a hand."""

    OVER = 0
    ASK = 1
    BET = 2
    DRAWING = 3
    LAST_BET = 4
    DECLARING = 5
    FIRST_BET = 6
    AFTER_BET = 7


class Status(IntEnum):
    """Status of a seat."""

    NONE = 0
    IN = 1
    FOLDED = 2
    BUSTED = 3


class Rules(NamedTuple):
    """The options of Seven Twenty-Seven; variants differ from the defaults."""

    players: Annotated[int, Option("number of seats; the game is for 4–10", 2, SEATS)] = 4
    ante: Annotated[int, Option("chips that each seat pays for the deal", 1, MOST_CHIPS)] = 1
    min_bet: Annotated[int, Option("lowest bet or raise, in chips", 1, MOST_CHIPS)] = 1
    max_bet: Annotated[int, Option("highest bet or raise, in chips", 1, MOST_CHIPS)] = 5
    max_raises: Annotated[
        int,
        Option(
            "raises in one round, without the opening bet: 3 is a house rule, 60 is practically "
            "no limit",
            0,
            MOST_RAISES,
        ),
    ] = 3
    start_down: Annotated[int, Option("hidden cards at the start", 1, 2)] = 1
    draw_up: Annotated[bool, Option("cards taken later are face up")] = False
    nearness: Annotated[
        Nearness,
        Option(
            "nearest: only the distance counts; over_is_bust: a total above 7 cannot win that "
            "half, a total above 27 wins nothing, and a seat that cannot stay within 27 is out; "
            "the others decide between equal distances: below, above, between 7 and 27, or not "
            "between them"
        ),
    ] = Nearness.NEAREST
    declare: Annotated[
        Declare, Option("whether seats declare the half that they try for, together or one by one")
    ] = Declare.CARDS_SPEAK
    max_extra: Annotated[
        int, Option("largest number of cards that a seat can take; 0: any number", 0, 9)
    ] = 0
    max_stands: Annotated[
        int,
        Option("number of stands after which a seat cannot draw any more (house); 0: never", 0, 3),
    ] = 0
    last_bets: Annotated[
        bool, Option("a last round of bets after the round in which nobody drew (house)")
    ] = False
    half_tens: Annotated[bool, Option("tens count a half (house)")] = False
    pack: Annotated[Pack, Option("full: 52 cards; mini: ace, 5 and 10, twice each")] = Pack.FULL
    bet_first: Annotated[
        bool, Option("a round of bets before the first card is offered (house)", is_later=True)
    ] = False
    rotating_lead: Annotated[
        bool,
        Option("the first seat to draw and to bet moves on with each round (house)", is_later=True),
    ] = False
    perfect: Annotated[
        bool,
        Option("5-A-A takes the whole pot; several such hands share it (house)", is_later=True),
    ] = False
    bets_after: Annotated[
        bool, Option("a round of bets after the declarations (house)", is_later=True)
    ] = False
    both_tie: Annotated[
        BothTie,
        Option(
            "result of a seat that declared both, is beaten on neither side and ties on one: it "
            "loses, or shares that half (house)",
            is_later=True,
        ),
    ] = BothTie.LOSES


DEFAULT = "home"
"""The default variant."""

VARIANTS = {
    "home": Rules(),
    "no-cap": Rules(max_raises=MOST_RAISES),
    "sarrett": Rules(rotating_lead=True, perfect=True),
    "six": Rules(players=6),
    "ten": Rules(players=10),
    "bust": Rules(nearness=Nearness.OVER_IS_BUST),
    "low-wins-ties": Rules(nearness=Nearness.UNDER_BEATS_OVER),
    "declare": Rules(declare=Declare.SIMULTANEOUS),
    "open-cards": Rules(draw_up=True),
    "three-card": Rules(start_down=2),
    "mini": Rules(players=2, max_bet=1, max_raises=1, max_extra=1, pack=Pack.MINI),
}
"""The named variants."""
SOURCES = {
    **dict.fromkeys(VARIANTS, "000"),
    "home": "000; three raises a round are a house rule",
    "sarrett": "the page that 000 cites",
    "mini": "this project: small enough for exact equilibria",
}
REFERENCES = {
    "000": "the web page from which the rules started",
    "house": "rules that other published pages give",
}
"""Full names of the sources in SOURCES and in the options."""

MINI = tuple(parse_card(card) for card in ("Ac", "Ad", "5c", "5d", "Tc", "Td"))


def check(rules: Rules) -> None:
    """Raise ValueError for options that contradict each other, naming them."""
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
    if rules.bets_after and rules.declare == Declare.CARDS_SPEAK:
        raise ValueError(
            "bets_after needs declarations: allowed are declare simultaneous or sequential"
        )


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the card codes of the deck. In the mini deck only the ranks matter."""
    return MINI if rules.pack == Pack.MINI else full_pack(rules)


def label(action: int) -> str:
    """Return the name of an action, such as ``"fold"`` or ``"bet or raise 0"`` (lowest level)."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: Seven Twenty-Seven has actions 0 to {ACTIONS - 1}")
    return LABELS[action]


SEAT_PIECES = (
    Piece("status", 1, whole_number(3), "0 no such seat, 1 in, 2 folded, 3 busted"),
    Piece("up", FACE, whole_number(4), "face-up cards: aces, 2s … 10s"),
    Piece("up_faces", 1, whole_number(12), "face-up kings, queens and jacks"),
    Piece("hidden", 1, whole_number(PACK_SIZE - 2), "face-down cards"),
    Piece("taken", 1, whole_number(PACK_SIZE - 4), "cards taken after the deal"),
    Piece("drew", ROUNDS, FLAG, "took a card in the latest draw round, in the one before …"),
    Piece("stands", 1, whole_number(3), "number of stands, at most 3"),
    digit_piece("paid", 6, "chips paid in this hand"),
    digit_piece("staked", 4, "chips paid in this round of bets"),
    Piece("declared", 1, whole_number(3), "public declaration: 1 for 7, 2 for 27, 3 for both"),
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
        Piece("over_7", 1, FLAG, "that total is above 7"),
        Piece("over_27", 1, FLAG, "that total is above 27"),
        Piece(
            "phase",
            1,
            whole_number(7),
            "0 over, 1 ask, 2 bets, 3 draws, 4 last bets, 5 declaring, 6 bets before the ask, "
            "7 bets after declaring",
        ),
        Piece(
            "turn", 1, whole_number(SEATS), "1 more than the seat that acts; 0: the hand is over"
        ),
        Piece("dealer", 1, whole_number(SEATS), "1 more than the dealer's seat"),
        Piece(
            "bettor",
            1,
            whole_number(SEATS),
            "1 more than the seat that bet or raised last in the latest bets",
        ),
        digit_piece("pot", 7, "chips in the pot"),
        digit_piece("to_call", 4, "chips that the viewer has to pay to call"),
        Piece(
            "odds",
            1,
            whole_number(DIGIT_BASE - 1),
            "to_call in sixteenths of the pot after a call",
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
            "raises left in this round of bets",
        ),
        Piece("stock", 1, whole_number(PACK_SIZE - 4), "cards in the stock"),
        *option_pieces(Rules),
        Piece("lead", 1, whole_number(SEATS), "1 more than the first seat of this round"),
    ]
)

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("net", np.int32, (SEATS,)),  # chips won minus chips paid, at the end
        ("paid", np.int32, (SEATS,)),
        ("staked", np.int32, (SEATS,)),  # in this round of bets
        ("pot", np.int32),
        ("high", np.int32),  # the highest stake of this round
        ("up", np.int64),  # set of deck positions that lie face up
        ("levels", np.int64),  # set of the actions that bet or raise
        ("live", np.int16),  # set of seats still in
        ("pending", np.int16),  # set of seats that still have to act in this phase
        ("low", np.int16, (SEATS,)),  # lowest total of each seat
        ("rank", np.int16, (SEATS, 2)),  # of its best totals for 7 and 27, see `showdown`
        ("above", np.int8, (SEATS, 2)),  # whether these totals are above their targets
        ("cards", np.int8, (SEATS, CLASSES)),  # how many of each class it holds
        ("taken", np.int8, (SEATS,)),
        ("stands", np.int8, (SEATS,)),
        ("said", np.int8, (SEATS,)),  # what each has declared, public or not
        (
            "owner",
            np.int8,
            (PACK_SIZE,),
        ),  # of each deck position: 1 more than the seat, 0 the stock
        ("next", np.int8),  # deck position of the top of the stock
        ("size", np.int8),  # cards in the pack
        ("dealer", np.int8),
        ("lead", np.int8),  # the first seat of this round, whether it is in or not
        ("phase", np.int8),
        ("raises", np.int8),
        ("bettor", np.int8),  # the seat that bet or raised last in this round, -1: nobody
        ("drawn", np.int8),  # whether a seat drew in this draw round
        ("viewer", np.int8),  # the seat whose pieces are shown
        ("deck", np.int8, (PACK_SIZE,)),
        ("seats", EACH_SEAT.dtype, (SEATS,)),  # public facts of each seat, by its number
        ("shown", FEATURES.dtype),
    ]
)
