"""Rules of Seven Twenty-Seven: options, variants, actions, observation and state.

Two to ten seats try to hold cards with a total near 7, near 27, or both. Kings, queens and jacks
count a half, 2 to 10 count their number, and an ace counts 1 or 11, chosen separately for each
target. After the deal, each seat may take one card. Then betting rounds and draw rounds alternate
until nobody draws. Half the pot goes to the total nearest to 7 and half to the total nearest to 27.

Totals are in half points, so the targets are 14 and 54. Chips are integers. Seats are numbered
around the table, and one of them is the dealer. The seat to the dealer's left acts first in every
round. In an observation, seat 0 is the viewer, and the other seats follow clockwise.

A bet has one of five levels between the limits. The sources allow any amount: with ``any_amount``,
the actions of the levels choose an amount step by step, and each step keeps a fifth of the range.

REFERENCES names the sources. docs/rules/seven_twenty_seven.md has the full rules.
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
    Earlier,
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
"""Number of draw rounds that an observation shows separately."""
MOST_RAISES = 60
MOST_CHIPS = 1000
"""Upper limit of ante and bets, so that all chip amounts fit the digits of the observation."""
FAR = 62
"""Largest distance from a target that is shown. FAR + 1 means that the total cannot win."""

FOLD, CALL, RAISE, DRAW, STAND, DECLARE = 0, 1, 2, 7, 8, 9
DECLARE_7, DECLARE_27, DECLARE_BOTH = DECLARE, DECLARE + 1, DECLARE + 2
"""CALL is a check if there is nothing to call. RAISE + level is a bet if nobody has bet."""
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
    """How seats declare the half of the pot that they contest; with CARDS_SPEAK they do not."""

    CARDS_SPEAK = 0
    SIMULTANEOUS = 1
    SEQUENTIAL = 2


class BothTie(IntEnum):
    """Result of a seat that declared both halves and ties for one."""

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
    """The options of Seven Twenty-Seven. The defaults are those of ``home``.

    In the descriptions of the options, (house) marks a house rule.
    """

    players: Annotated[int, Option("number of seats; the sources play with 4–10", 2, SEATS)] = 4
    ante: Annotated[int, Option("chips that each seat pays before the deal", 1, MOST_CHIPS)] = 1
    min_bet: Annotated[int, Option("lowest bet or raise, in chips", 1, MOST_CHIPS)] = 1
    max_bet: Annotated[int, Option("highest bet or raise, in chips", 1, MOST_CHIPS)] = 5
    max_raises: Annotated[
        int,
        Option(
            "maximum number of raises in a round, not counting the opening bet; 3 is a house rule, "
            "60 is effectively unlimited",
            0,
            MOST_RAISES,
        ),
    ] = 3
    start_down: Annotated[
        int, Option("number of face-down cards that each seat is dealt", 1, 2)
    ] = 1
    draw_up: Annotated[bool, Option("cards taken after the deal are face up")] = False
    nearness: Annotated[
        Nearness,
        Option(
            "rule for the nearest total. nearest: only the distance counts; over_is_bust: a total "
            "above 7 cannot win the half of 7, a total above 27 wins nothing, and a seat whose "
            "lowest total is above 27 is out. Each other value prefers one of two totals at equal "
            "distances. under_beats_over: the total below the target; over_beats_under: the total "
            "above it; inside_beats_outside: the total between 7 and 27; outside_beats_inside: the "
            "total outside this range"
        ),
    ] = Nearness.NEAREST
    declare: Annotated[
        Declare,
        Option("how seats declare the half that they contest: not at all, together, or one by one"),
    ] = Declare.CARDS_SPEAK
    max_extra: Annotated[
        int, Option("maximum number of cards that a seat may take; 0: unlimited", 0, 9)
    ] = 0
    max_stands: Annotated[
        int,
        Option(
            "number of stands (turns without a draw) after which a seat may no longer draw "
            "(house); 0: unlimited",
            0,
            3,
        ),
    ] = 0
    last_bets: Annotated[
        bool, Option("a last betting round follows the draw round in which nobody drew (house)")
    ] = False
    half_tens: Annotated[bool, Option("tens count one half, not 10 (house)")] = False
    pack: Annotated[Pack, Option("deck. full: 52 cards; mini: ace, 5 and 10, twice each")] = (
        Pack.FULL
    )
    bet_first: Annotated[
        bool,
        Option(
            "a betting round comes before the opening ask, the round after the deal in which each "
            "seat may take one card (house)",
            is_later=True,
        ),
    ] = False
    rotating_lead: Annotated[
        bool,
        Option(
            "in each round, the next seat is the first to draw and bet (house)",
            is_later=True,
        ),
    ] = False
    perfect: Annotated[
        bool,
        Option("5-A-A takes the whole pot; several such hands share it (house)", is_later=True),
    ] = False
    bets_after: Annotated[
        bool, Option("a betting round follows the declarations (house)", is_later=True)
    ] = False
    both_tie: Annotated[
        BothTie,
        Option(
            "result of a seat that declared both halves, is beaten in neither and ties for one: "
            "it loses, or shares that half (house)",
            is_later=True,
        ),
    ] = BothTie.LOSES
    # Options of later versions come last: see EARLIER.
    any_amount: Annotated[
        bool,
        Option(
            "a bet may be any whole amount within the limits. The seat chooses it step by step: "
            "each bet or raise action keeps a fifth of the range of amounts",
            is_later=True,
        ),
    ] = False


DEFAULT = "home"
"""The default variant."""

VARIANTS = {
    "home": Rules(),
    "no-cap": Rules(max_raises=MOST_RAISES),
    "any-amount": Rules(max_bet=25, any_amount=True),
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
"""The variants by name."""
SOURCES = {
    **dict.fromkeys(VARIANTS, "000"),
    "home": "000; the limit of three raises per round is a house rule",
    "any-amount": "000; the limits are ours",
    "sarrett": "the page that 000 cites",
    "mini": "this project: small enough to compute exact equilibria",
}
REFERENCES = {
    "000": "the web page on which these rules are based",
    "house": "house rules from other published pages",
}
"""The sources by their short names in SOURCES and in the options."""

MINI = tuple(parse_card(card) for card in ("Ac", "Ad", "5c", "5d", "Tc", "Td"))


def check(rules: Rules) -> None:
    """Raise ValueError, naming the options, if options contradict each other."""
    if rules.max_bet < rules.min_bet:
        raise ValueError(
            f"option max_bet must be {rules.min_bet}–{MOST_CHIPS} with min_bet={rules.min_bet}, "
            f"got {rules.max_bet}"
        )
    dealt, deck_size = rules.players * (1 + rules.start_down), len(pack(rules))
    if dealt > deck_size:
        raise ValueError(
            f"option pack must have at least {dealt} cards with players={rules.players} and "
            f"start_down={rules.start_down}, got {rules.pack.name.lower()} with {deck_size} cards"
        )
    if rules.bets_after and rules.declare == Declare.CARDS_SPEAK:
        raise ValueError(
            "option declare must be simultaneous or sequential with bets_after=yes, got cards_speak"
        )


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the card codes of the deck. In the mini deck only the ranks matter."""
    return MINI if rules.pack == Pack.MINI else full_pack(rules)


def label(action: int) -> str:
    """Return the name of an action, such as ``"fold"`` or ``"bet or raise 0"`` (lowest level)."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"Seven Twenty-Seven action must be from 0 to {ACTIONS - 1}, got {action}")
    return LABELS[action]


SEAT_PIECES = (
    Piece("status", 1, whole_number(3), "status: 0 no such seat, 1 in, 2 folded, 3 busted"),
    Piece("up", FACE, whole_number(4), "number of face-up aces, 2s … 10s"),
    Piece("up_faces", 1, whole_number(12), "number of face-up kings, queens and jacks"),
    Piece("hidden", 1, whole_number(PACK_SIZE - 2), "number of face-down cards"),
    Piece("taken", 1, whole_number(PACK_SIZE - 4), "number of cards taken after the deal"),
    Piece(
        "drew",
        ROUNDS,
        FLAG,
        "whether the seat took a card in each of the last 8 draw rounds, the latest first",
    ),
    Piece("stands", 1, whole_number(3), "number of stands; 3: three or more"),
    digit_piece("paid", 6, "chips paid in this hand"),
    digit_piece("staked", 4, "chips paid in this betting round"),
    Piece(
        "declared", 1, whole_number(3), "public declaration: 0 none, 1 for 7, 2 for 27, 3 for both"
    ),
)
EACH_SEAT = RepeatedPieces("seats", SEATS, SEAT_PIECES)
OPTION_PIECES = option_pieces(Rules)
NEW_OPTIONS = 1
"""Number of options of later versions."""

FEATURES = Features(
    [
        EACH_SEAT,
        Piece("own", FACE, whole_number(4), "number of aces, 2s … 10s in the viewer's hand"),
        Piece(
            "own_faces",
            1,
            whole_number(12),
            "number of kings, queens and jacks in the viewer's hand",
        ),
        digit_piece("low", 3, "lowest total of the viewer's hand, in half points"),
        Piece(
            "off_7",
            1,
            whole_number(FAR + 1),
            "distance of the viewer's best total from 7, in half points; 63: cannot win",
        ),
        Piece(
            "off_27",
            1,
            whole_number(FAR + 1),
            "distance of the viewer's best total from 27, in half points; 63: cannot win",
        ),
        Piece("over_7", 1, FLAG, "whether the viewer's best total for 7 is above 7"),
        Piece("over_27", 1, FLAG, "whether the viewer's best total for 27 is above 27"),
        Piece(
            "phase",
            1,
            whole_number(7),
            "phase: 0 hand over, 1 opening ask, 2 betting, 3 drawing, 4 last betting, 5 declaring, "
            "6 betting before the opening ask, 7 betting after the declarations",
        ),
        Piece("turn", 1, whole_number(SEATS), "seat to act, plus 1; 0: the hand is over"),
        Piece("dealer", 1, whole_number(SEATS), "seat of the dealer, plus 1"),
        Piece(
            "bettor",
            1,
            whole_number(SEATS),
            "seat that bet or raised last in the latest betting round, plus 1; 0: none",
        ),
        digit_piece("pot", 7, "chips in the pot"),
        digit_piece("to_call", 4, "chips that the viewer must pay to call"),
        Piece(
            "odds",
            1,
            whole_number(DIGIT_BASE - 1),
            "to_call as a share of the pot after a call, in sixteenths",
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
            "raises left in this betting round",
        ),
        Piece("stock", 1, whole_number(PACK_SIZE - 4), "number of cards in the stock"),
        *OPTION_PIECES[:-NEW_OPTIONS],
        Piece("lead", 1, whole_number(SEATS), "seat that acts first in this round, plus 1"),
        *OPTION_PIECES[-NEW_OPTIONS:],
        digit_piece("from_chips", 4, "lowest amount of the bet that is being chosen; 0: none"),
        digit_piece("to_chips", 4, "highest amount of the bet that is being chosen; 0: none"),
    ]
)
EARLIER = (Earlier(before="any_amount", actions=ACTIONS),)
"""See `core.game.Game.earlier`."""

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("net", np.int32, (SEATS,)),  # chips won minus chips paid, at the end
        ("paid", np.int32, (SEATS,)),
        ("staked", np.int32, (SEATS,)),  # chips paid in this betting round
        ("pot", np.int32),
        ("high", np.int32),  # the highest stake of this round
        ("from_chips", np.int32),  # range of the bet that is being chosen; 0: none
        ("to_chips", np.int32),
        ("up", np.int64),  # set of deck positions whose cards are face up
        ("levels", np.int64),  # set of the actions that bet or raise
        ("live", np.int16),  # set of seats still in
        ("pending", np.int16),  # set of seats that still have to act in this phase
        ("low", np.int16, (SEATS,)),  # lowest total of each seat
        ("rank", np.int16, (SEATS, 2)),  # ranks of the best totals for 7 and 27, see `showdown`
        ("above", np.int8, (SEATS, 2)),  # whether these totals are above their targets
        ("cards", np.int8, (SEATS, CLASSES)),  # number of cards of each class in each hand
        ("taken", np.int8, (SEATS,)),
        ("stands", np.int8, (SEATS,)),
        ("said", np.int8, (SEATS,)),  # declaration of each seat, public or not
        # for each deck position the seat that holds the card, plus 1; 0: the stock
        ("owner", np.int8, (PACK_SIZE,)),
        ("next", np.int8),  # deck position of the top of the stock
        ("size", np.int8),  # number of cards in the deck
        ("dealer", np.int8),
        ("lead", np.int8),  # the first seat of this round, whether it is in or not
        ("phase", np.int8),
        ("raises", np.int8),
        ("bettor", np.int8),  # the seat that bet or raised last in this round; -1: none
        ("drawn", np.int8),  # whether a seat drew in this draw round
        ("viewer", np.int8),  # the seat whose pieces are shown
        ("deck", np.int8, (PACK_SIZE,)),
        ("seats", EACH_SEAT.dtype, (SEATS,)),  # public facts of each seat, by its number
        ("shown", FEATURES.dtype),
    ]
)
