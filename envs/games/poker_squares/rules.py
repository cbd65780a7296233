"""Poker Squares: what is played.

Cards are turned up one at a time and placed, for good, on a grid of five rows and five columns.
When all 25 squares are filled the ten lines score as poker hands; the total is the score.

Two players each fill a grid of their own with the same cards in the same order. For each card
player_0 places, then player_1, who does not see yet where; the higher total wins.

Squares, which are also the actions::

             0   1   2   3   4
             5   6   7   8   9
            10  11  12  13  14
            15  16  17  18  19
            20  21  22  23  24

Sources: 002 The Ultimate Book of Card Games; "literature": the papers and the 2013 Gettysburg
contest on Poker Squares, which play without starter and adjacency.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.game import EarlierFeatures
from ...core.kernel.cards import PACK_SIZE
from ...core.kernel.hands import Hand
from ...core.options import Option
from ...core.schema import CARD, FLAG, Features, Piece, choice, whole_number

SIZE = 5
SQUARES = 25
CENTRE = 12
LINES = 10
SEATS = 2
DIGIT = 16
LEAST, MOST = -128, 127
"""Of the points of one hand."""


class Adjacent(IntEnum):
    """Which cards must lie directly above, below or beside one that lies already."""

    NONE = 0
    FIRST = 1
    ALL = 2


class Scoring(IntEnum):
    """Which points the hands bring."""

    AMERICAN = 0
    ENGLISH = 1
    CUSTOM = 2


class Wager(IntEnum):
    """What the higher total wins, head to head."""

    WIN = 0
    POINTS = 1


AMERICAN = (0, 2, 5, 10, 15, 20, 25, 50, 75, 100)
ENGLISH = (0, 1, 3, 6, 12, 5, 10, 16, 30, 30)
TARGETS = (200, 70, 200)
"""By scoring: what counts as a good game where ``target`` is 0."""


class Rules(NamedTuple):
    """The options of Poker Squares; the defaults are those all variants differ from."""

    starter: Annotated[bool, Option("the first card lies in the centre from the start (002)")] = (
        False
    )
    adjacent: Annotated[
        Adjacent,
        Option(
            "cards that must be placed directly above, below or beside another: none, the first "
            "one after the starter, or all (002, which can be read both ways)"
        ),
    ] = Adjacent.NONE
    scoring: Annotated[
        Scoring, Option("points of the hands: american (002), english, or custom: see points")
    ] = Scoring.AMERICAN
    points: Annotated[
        tuple[int, ...],
        Option(
            "with custom scoring: of high card, pair, two pair, three, straight, flush, full "
            "house, four, straight flush, royal flush",
            LEAST,
            MOST,
            len(Hand),
        ),
    ] = AMERICAN
    target: Annotated[
        int,
        Option("the total that counts as reached; 0: 70 with english scoring, else 200", 0, 1270),
    ] = 0
    players: Annotated[
        int, Option("2: head to head, each with a grid and the same cards (002)", 1, SEATS)
    ] = 1
    wager: Annotated[
        Wager,
        Option(
            "head to head the higher total wins: win: 1; points: what it is higher, in units of 25",
            is_later=True,
        ),
    ] = Wager.WIN


DEFAULT = "classic"
"""The variant played when none is named: the one that others have published results for."""

VARIANTS = {
    "book": Rules(starter=True, adjacent=Adjacent.ALL),
    "classic": Rules(),
    "british": Rules(scoring=Scoring.ENGLISH),
    "duel": Rules(starter=True, adjacent=Adjacent.ALL, players=2),
    "classic-duel": Rules(players=2),
}
"""The rules that have a name, by that name."""
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
"""What the short names in SOURCES and in the options stand for."""


def points_of(rules: Rules) -> dict[str, int]:
    """Return what each hand brings, best first."""
    custom = {Scoring.AMERICAN: AMERICAN, Scoring.ENGLISH: ENGLISH}
    points = custom.get(rules.scoring, rules.points)
    names = (hand.name.lower().replace("_", " ") for hand in Hand)
    return dict(reversed(list(zip(names, points, strict=True))))


def check(rules: Rules) -> None:
    """Refuse nothing: all options go together."""


def _points(digits: list[int]) -> list[int]:
    return [DIGIT * digits[i] + digits[i + 1] + LEAST for i in range(0, len(digits), 2)]


def _target(digits: list[int]) -> int:
    return (DIGIT * digits[0] + digits[1]) * DIGIT + digits[2]


FEATURES = Features(
    [
        Piece("grid", SQUARES, CARD, "the card on each square; 0: none"),
        Piece("other", SQUARES, CARD, "head to head: the other's grid, as far as it is known"),
        Piece("card", 1, CARD, "the card to be placed now; 0: the game is over"),
        Piece(
            "unseen",
            PACK_SIZE,
            FLAG,
            "of each card, ace of clubs, diamonds ... to king of spades: still in the stock",
        ),
        Piece("placed", 1, whole_number(SQUARES), "cards on the grid"),
        Piece("seat", 1, FLAG, "head to head: 1 for player_1, who places after player_0"),
        Piece(
            "turn",
            1,
            whole_number(SEATS),
            "head to head: 1 this seat places, 2 the other, 0 nobody",
        ),
        Piece("starter", 1, FLAG, "option"),
        Piece("adjacent", 1, choice(Adjacent), "option: 1 first, 2 all"),
        Piece("scoring", 1, choice(Scoring), "option: 1 english, 2 custom"),
        Piece(
            "points",
            2 * len(Hand),
            whole_number(DIGIT - 1),
            "option: points of each hand with custom scoring, plus 128: its sixteens, its ones",
            read=_points,
        ),
        Piece("target", 3, whole_number(DIGIT - 1), "option: 256s, sixteens, ones", read=_target),
        Piece("players", 1, whole_number(SEATS), "option"),
        Piece("wager", 1, choice(Wager), "option: 1 points"),
    ]
)

EARLIER = (EarlierFeatures(FEATURES.with_pieces({"wager": None}), SQUARES),)
"""What was shown before some options came."""

STATE = np.dtype(
    [
        *make_state_head(SQUARES),
        ("net", np.int32, (SEATS,)),  # head to head, at the end: what it wins of the other
        ("other_score", np.int32),
        ("filled", np.int64),  # set of squares that hold a card
        ("other_filled", np.int64),
        ("next", np.int16),  # deck position of the next card
        ("target", np.int16),
        ("secret_points", np.int16),  # what the secret square has brought
        ("points", np.int16, (len(Hand),)),
        ("suits", np.int8, (4,)),  # unseen cards of each suit
        ("ranks", np.int8, (13,)),  # and of each rank, ace first
        ("deck", np.int8, (PACK_SIZE,)),
        ("viewer", np.int8),  # the seat for which the state is arranged, see below
        ("secret", np.int8),  # where player_0 has put the card that player_1 is to place, else -1
        ("other_grid", np.int8, (SQUARES,)),
        ("shown", FEATURES.dtype),
    ]
)
"""``score``, ``filled`` and the shown ``grid`` are those of one seat, the viewer: played on by the
rules for one player, a state is its own game. ``other_`` begins what the other seat truly has."""


def label(action: int) -> str:
    """Name an action by row and column: ``"square a1"`` is the first, ``"square e5"`` the last."""
    if not 0 <= action < SQUARES:
        raise ValueError(f"action {action}: Poker Squares has actions 0 to {SQUARES - 1}")
    return "square " + "abcde"[action // SIZE] + "12345"[action % SIZE]
