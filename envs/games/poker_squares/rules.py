"""Rules of Poker Squares: options, variants, actions, observation and state.

Cards are turned up one at a time and placed on a grid of five rows and five columns. A placed card
never moves. When all 25 squares are filled, the ten lines score as poker hands, and the total is
the score.

Two players fill one grid each, with the same cards in the same order. For each card, player_0
places first, and player_1 places before seeing that square. The higher total wins.

Each square is also an action::

             0   1   2   3   4
             5   6   7   8   9
            10  11  12  13  14
            15  16  17  18  19
            20  21  22  23  24

REFERENCES names the sources. The literature plays without starter and adjacency.
docs/rules/poker_squares.md has the full rules.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.kernel.cards import PACK_SIZE
from ...core.options import Option
from ...core.schema import CARD, FLAG, Features, Piece, option_pieces, whole_number

SIZE = 5
SQUARES = 25
CENTRE = 12
LINES = 10
SEATS = 2
DIGIT = 16
LEAST, MOST = -128, 127
"""Limits of the points of one hand."""


class Hand(IntEnum):
    """The categories of five cards, lowest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9


class Adjacent(IntEnum):
    """Which cards must be placed directly above, below or beside another card."""

    NONE = 0
    FIRST = 1
    ALL = 2


class Scoring(IntEnum):
    """Table of points of the hands."""

    AMERICAN = 0
    ENGLISH = 1
    CUSTOM = 2


class Wager(IntEnum):
    """Reward of the higher total, head to head."""

    WIN = 0
    POINTS = 1


AMERICAN = (0, 2, 5, 10, 15, 20, 25, 50, 75, 100)
ENGLISH = (0, 1, 3, 6, 12, 5, 10, 16, 30, 30)
TARGETS = (200, 70, 200)
"""Target of each scoring, used if ``target`` is 0."""


class Rules(NamedTuple):
    """The options of Poker Squares. The defaults are those of ``classic``.

    In the descriptions of the options, (002) names a source; see the page of the game.
    """

    starter: Annotated[bool, Option("the first card is in the center from the start (002)")] = False
    adjacent: Annotated[
        Adjacent,
        Option(
            "cards that must be placed directly above, below or beside another card: none, only "
            "the first card after the starter, or all (002 allows first and all)"
        ),
    ] = Adjacent.NONE
    scoring: Annotated[
        Scoring,
        Option("table of points: american (002), english, or custom, given by the option points"),
    ] = Scoring.AMERICAN
    points: Annotated[
        tuple[int, ...],
        Option(
            "points of the hands with custom scoring, in this order: high card, pair, two pair, "
            "three, straight, flush, full house, four, straight flush, royal flush",
            LEAST,
            MOST,
            len(Hand),
        ),
    ] = AMERICAN
    target: Annotated[
        int,
        Option("total to reach; 0: 70 points with english scoring, 200 points otherwise", 0, 1270),
    ] = 0
    players: Annotated[
        int,
        Option(
            "number of players; two play head to head, each with a grid and the same cards (002)",
            1,
            SEATS,
        ),
    ] = 1
    wager: Annotated[
        Wager,
        Option(
            "reward for the higher total of two players. win: 1; points: the difference divided by "
            "25",
            is_later=True,
        ),
    ] = Wager.WIN


DEFAULT = "classic"
"""The default variant, for which results are published."""

VARIANTS = {
    "book": Rules(starter=True, adjacent=Adjacent.ALL),
    "classic": Rules(),
    "british": Rules(scoring=Scoring.ENGLISH),
    "duel": Rules(starter=True, adjacent=Adjacent.ALL, players=2),
    "classic-duel": Rules(players=2),
}
"""The variants by name."""
SOURCES = {
    "book": "002",
    "classic": "literature",
    "british": "literature, with the English points",
    "duel": "002",
    "classic-duel": "literature, head to head as in 002",
}
REFERENCES = {
    "002": "The Ultimate Book of Card Games",
    "literature": "papers and the 2013 Gettysburg contest on Poker Squares",
}
"""The sources by their short names in SOURCES and in the options."""


def points_of(rules: Rules) -> dict[str, int]:
    """Return the points of each hand, best first."""
    custom = {Scoring.AMERICAN: AMERICAN, Scoring.ENGLISH: ENGLISH}
    points = custom.get(rules.scoring, rules.points)
    names = (hand.name.lower().replace("_", " ") for hand in Hand)
    return dict(reversed(list(zip(names, points, strict=True))))


def check(rules: Rules) -> None:
    """Do nothing: every combination of options is valid."""


def _points(digits: list[int]) -> list[int]:
    return [DIGIT * digits[i] + digits[i + 1] + LEAST for i in range(0, len(digits), 2)]


def _target(digits: list[int]) -> int:
    return (DIGIT * digits[0] + digits[1]) * DIGIT + digits[2]


FEATURES = Features(
    [
        Piece("grid", SQUARES, CARD, "card on each square; 0: none"),
        Piece("other", SQUARES, CARD, "head to head: known cards on each square of the other grid"),
        Piece("card", 1, CARD, "card to place now; 0: the game is over"),
        Piece(
            "unseen",
            PACK_SIZE,
            FLAG,
            "whether each card is not turned up yet, from the four aces to the four kings, each in "
            "the order c, d, h, s",
        ),
        Piece("placed", 1, whole_number(SQUARES), "number of cards on the grid"),
        Piece("seat", 1, FLAG, "head to head: 0 for player_0, 1 for player_1, who places second"),
        Piece(
            "turn",
            1,
            whole_number(SEATS),
            "head to head: 1 this seat places, 2 the other seat places, 0 the game is over",
        ),
        *option_pieces(
            Rules,
            {
                "points": Piece(
                    "points",
                    2 * len(Hand),
                    whole_number(DIGIT - 1),
                    "option: points of each hand with custom scoring, plus 128, as two digits to "
                    "base 16",
                    read=_points,
                ),
                "target": Piece(
                    "target",
                    3,
                    whole_number(DIGIT - 1),
                    "option: three digits to base 16",
                    read=_target,
                ),
            },
        ),
    ]
)

STATE = np.dtype(
    [
        *make_state_head(SQUARES),
        ("net", np.int32, (SEATS,)),  # head to head: reward of each seat at the end
        ("other_score", np.int32),
        ("filled", np.int64),  # set of squares that hold a card
        ("other_filled", np.int64),
        ("next", np.int16),  # deck position of the next card
        ("target", np.int16),
        ("secret_points", np.int16),  # points of the lines that the secret square has filled
        ("points", np.int16, (len(Hand),)),
        ("suits", np.int8, (4,)),  # unseen cards of each suit
        ("ranks", np.int8, (13,)),  # unseen cards of each rank, ace first
        ("deck", np.int8, (PACK_SIZE,)),
        ("viewer", np.int8),  # the seat from whose view the fields are arranged
        ("secret", np.int8),  # player_0's latest square while player_1 must place, otherwise -1
        ("other_grid", np.int8, (SQUARES,)),
        ("shown", FEATURES.dtype),
    ]
)
"""``score``, ``filled`` and the shown ``grid`` belong to the viewer. Fields that begin with
``other_`` belong to the other seat."""


def label(action: int) -> str:
    """Return the name of an action by row and column: ``"square a1"`` to ``"square e5"``."""
    if not 0 <= action < SQUARES:
        raise ValueError(f"Poker Squares action must be from 0 to {SQUARES - 1}, got {action}")
    return "square " + "abcde"[action // SIZE] + "12345"[action % SIZE]
