"""Poker Squares: how it is played. Compiled; kernels trust the mask and allocate nothing."""

from typing import Any

import numpy as np

from ..core.batch import Over, make_play
from ..core.cards import FIRST_CARD, PACK, RANKS, SUITS, shuffle, shuffle_pack
from ..core.hands import category
from ..core.jit import jit
from .rules import (
    AMERICAN,
    CENTRE,
    DIGIT,
    ENGLISH,
    LEAST,
    SIZE,
    SQUARES,
    TARGETS,
    Adjacent,
    Scoring,
)

ALL = (1 << SQUARES) - 1
ROW = 0b11111
COLUMN = sum(1 << (SIZE * row) for row in range(SIZE))
LEFT, RIGHT = ALL & ~COLUMN, ALL & ~(COLUMN << (SIZE - 1))
"""All squares but those of the first column, of the last column."""
POINTS = np.array([AMERICAN, ENGLISH], np.int16)
TARGET = np.array(TARGETS, np.int16)
PER_POINT = 1 / 100
"""PROGRESS reward of a point: a good game pays a little more than 1."""


@jit
def beside(squares: int) -> int:
    """The set of squares directly above, below or beside a set."""
    across = ((squares & RIGHT) << 1) | ((squares & LEFT) >> 1)
    return (across | (squares << SIZE) | (squares >> SIZE)) & ALL


@jit
def places(s: Any, rules: Any) -> int:
    """The set of squares on which the next card may be placed."""
    filled = s["filled"]
    bound = rules.adjacent == Adjacent.ALL or (
        rules.adjacent == Adjacent.FIRST and rules.starter and s["moves"] == 0
    )
    return (beside(filled) if bound and filled else ALL) & ~filled


@jit
def line_points(s: Any, first: int, stride: int) -> int:
    """The points of a full line: the square it begins with, and how far apart its squares are."""
    grid = s["shown"]["grid"]
    return s["points"][category(grid[first : first + 4 * stride + 1 : stride])]


@jit
def points_with(s: Any, first: int, stride: int, card: int) -> int:
    """The points of a line with a card on its last empty square."""
    line = s["shown"]["grid"][first : first + 4 * stride + 1 : stride]
    points = 0
    for i in range(SIZE):
        if line[i] == 0:
            line[i] = card
            points = s["points"][category(line)]
            line[i] = 0
    return points


@jit
def lay(s: Any, square: int, card: int) -> None:
    """Put a card on a square; lines that it fills are scored."""
    shown = s["shown"]
    shown["grid"][square] = card
    shown["placed"] += 1
    s["filled"] |= 1 << square
    row, column = square // SIZE, square % SIZE
    if (s["filled"] >> (SIZE * row)) & ROW == ROW:
        s["score"] += line_points(s, SIZE * row, 1)
    if (s["filled"] >> column) & COLUMN == COLUMN:
        s["score"] += line_points(s, column, SIZE)


@jit
def turn(s: Any) -> None:
    """Turn up the top of the stock. All that the player learns passes through here."""
    card = s["deck"][s["next"]]
    s["next"] += 1
    s["shown"]["card"] = card
    s["shown"]["unseen"][card - FIRST_CARD] = 0
    s["suits"][card & 3] -= 1
    s["ranks"][(card >> 2) - 1] -= 1


@jit
def step(s: Any, rules: Any, action: int) -> None:
    """Place the card in hand."""
    lay(s, action, s["shown"]["card"])
    s["moves"] += 1
    if s["filled"] == ALL:
        s["shown"]["card"] = 0
        s["legal"] = 0
        s["over"] = Over.TERMINATED
        s["won"] = s["score"] >= s["target"]
        return
    turn(s)
    s["legal"] = places(s, rules)


@jit
def show_rules(s: Any, rules: Any) -> None:
    """Work out points and target, and write the options into the observation."""
    shown = s["shown"]
    for hand in range(len(s["points"])):
        points = rules.points[hand]
        custom = rules.scoring == Scoring.CUSTOM
        s["points"][hand] = points if custom else POINTS[rules.scoring, hand]
        shown["points"][2 * hand] = (points - LEAST) // DIGIT
        shown["points"][2 * hand + 1] = (points - LEAST) % DIGIT
    target = rules.target
    s["target"] = target if target else TARGET[rules.scoring]
    shown["target"][0] = target // (DIGIT * DIGIT)
    shown["target"][1] = target // DIGIT % DIGIT
    shown["target"][2] = target % DIGIT
    shown["starter"] = rules.starter
    shown["adjacent"] = rules.adjacent
    shown["scoring"] = rules.scoring


@jit
def deal(s: Any, rules: Any) -> None:
    """Begin a game with the deck as it stands in the state."""
    shown = s["shown"]
    show_rules(s, rules)
    for square in range(SQUARES):
        shown["grid"][square] = 0
    for card in range(PACK):
        shown["unseen"][card] = 1
    for suit in range(len(SUITS)):
        s["suits"][suit] = len(RANKS)
    for rank in range(len(RANKS)):
        s["ranks"][rank] = len(SUITS)
    shown["placed"] = 0
    s["filled"] = 0
    s["next"] = 0
    turn(s)
    if rules.starter:
        lay(s, CENTRE, shown["card"])
        turn(s)
    s["legal"] = places(s, rules)


@jit
def new_deck(s: Any, rules: Any) -> None:
    """Fill the deck from the state's generator."""
    shuffle_pack(s, s["deck"])


@jit
def hide(s: Any, rules: Any, seat: int) -> None:
    """Redeal the stock from the state's generator: sorted first, so that its order is forgotten."""
    place = s["next"]
    for card in range(PACK):
        if s["shown"]["unseen"][card]:
            s["deck"][place] = FIRST_CARD + card
            place += 1
    shuffle(s, s["deck"], s["next"], PACK)


play = make_play(new_deck, deal, step, SQUARES, PER_POINT, 0.0)
