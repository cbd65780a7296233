"""Rules of Klondike: options, variants, actions, observation and state.

Column k (1 to 7) is dealt k cards, the last one face up. The other 24 cards are the stock, which is
turned onto the waste. Columns are built down in alternating colors, and kings go to empty columns.
The player wins when the four foundations are built up by suit from ace to king.

Actions:

- 0: DEAL
- 1: REDEAL
- 2: top of the waste to its foundation
- 3-9: top of the waste to column 1-7
- 10-16: last card of column 1-7 to its foundation
- 17-58: run to another column (from 1 to 2, 3 ... 7, then from 2 to 1, 3 ...)
- 59-72: card from a foundation back to a column, two actions for each column. If the column has
  cards, the two actions are the two suits that fit, in the order of the suits. If the column is
  empty, they are a black king and a red king.

A deck lists the cards in dealing order: row by row, one card to each of columns 1-7, one to each of
2-7, and so on; then the stock from its top.

REFERENCES names the sources. docs/rules/klondike.md has the full rules.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.kernel.cards import PACK_SIZE, SUITS
from ...core.options import Option
from ...core.schema import (
    CARD,
    FLAG,
    Earlier,
    Features,
    Piece,
    digit_piece,
    option_pieces,
    whole_number,
)

COLUMNS = 7
HIGHEST = 19
"""Maximum number of cards in a column: six face down and a run from king to ace."""
STOCK_SIZE = 24
TABLEAU_SIZE = PACK_SIZE - STOCK_SIZE
KING = 13

DEAL, REDEAL, WASTE_UP, WASTE_DOWN, COLUMN_UP, MOVE, BACK = 0, 1, 2, 3, 10, 17, 59
"""The first action of each kind. UP moves a card to a foundation, DOWN to a column."""
ACTIONS = 73

UNSEEN, COLUMN, WASTE, STOCK, BUILT = 0, 1, 8, 9, 10
"""Codes of the piece ``where``. COLUMN to COLUMN + 6 are the columns."""
MOST_REDEALS = 9
"""Largest number of redeals that the observation can show."""
PENALTY_SECONDS, SHORT_SECONDS, BONUS = 10, 30, 700_000
"""The clock of ``standard`` scoring: seconds between two penalties, the longest game without a
bonus, and the bonus of a win times its seconds."""
HIGHEST_UNTIMED = 745
"""Highest score with ``standard`` scoring and no clock: all 24 stock cards played by way of a
column, 21 cards turned up, and 52 cards on the foundations."""
LOWEST_SCORE, HIGHEST_SCORE = -52, HIGHEST_UNTIMED + BONUS // (SHORT_SECONDS + 1)
"""Lowest score: ``vegas`` with no card on the foundations. Highest score: an upper bound for a
game with a clock."""


class Scoring(IntEnum):
    """Scoring systems."""

    CARDS = 0
    STANDARD = 1
    VEGAS = 2


class Rules(NamedTuple):
    """The options of Klondike. The defaults are those of ``classic``."""

    draw: Annotated[int, Option("number of cards that a DEAL turns", values=(1, 3))] = 3
    passes: Annotated[int, Option("number of passes through the stock; 0: unlimited", 0, 9)] = 0
    partial_runs: Annotated[
        bool, Option("the lower part of a run may move, not only the whole run")
    ] = True
    worry_back: Annotated[bool, Option("cards may return from the foundations to the columns")] = (
        True
    )
    thoughtful: Annotated[
        bool,
        Option("all cards are visible; the legal actions are the same (thoughtful solitaire)"),
    ] = False
    scoring: Annotated[
        Scoring,
        Option(
            "scoring system. cards: number of cards on the foundations; standard: points of the "
            "common computer version; vegas: -52, plus 5 for each card on the foundations"
        ),
    ] = Scoring.CARDS
    # Options of later versions come last: see EARLIER.
    seconds_per_move: Annotated[
        int,
        Option(
            "seconds that each move takes on the clock of standard scoring, which costs 2 points "
            "every 10 seconds and adds 700,000 / seconds to a win; 0: no clock",
            0,
            10,
            is_later=True,
        ),
    ] = 0


DEFAULT = "classic"
"""The default variant."""

VARIANTS = {
    "classic": Rules(),
    "draw-one": Rules(draw=1),
    "three-passes": Rules(passes=3),
    "one-pass": Rules(draw=1, passes=1),
    "vegas": Rules(passes=3, scoring=Scoring.VEGAS),
    "vegas-one": Rules(draw=1, passes=1, scoring=Scoring.VEGAS),
    "timed": Rules(scoring=Scoring.STANDARD, seconds_per_move=1),
    "whole-runs": Rules(partial_runs=False),
    "no-return": Rules(worry_back=False),
    "thoughtful": Rules(thoughtful=True),
    "thoughtful-one": Rules(draw=1, thoughtful=True),
}
"""The variants by name."""
SOURCES = {
    "classic": "Solvitaire: the game studied in the literature",
    "draw-one": "KSolve: one card per DEAL",
    "three-passes": "folk: three cards per DEAL, three passes",
    "one-pass": "folk: one card per DEAL, one pass",
    "vegas": "folk: Vegas scoring, three cards per DEAL",
    "vegas-one": "folk: Vegas scoring, one card per DEAL",
    "timed": "SolitaireCat: points of the common computer version, with its clock",
    "whole-runs": "folk: only whole runs may move",
    "no-return": "folk: cards on a foundation stay there",
    "thoughtful": "Thoughtful: all cards are visible",
    "thoughtful-one": "Thoughtful: all cards are visible, one card per DEAL",
}
REFERENCES = {
    "Solvitaire": "The Winnability of Klondike Solitaire and Many Other Patience Games",
    "Thoughtful": "Solitaire: Man Versus Machine",
    "KSolve": "Klondike-Solver, a program",
    "SolitaireCat": "How does Solitaire scoring work?",
    "folk": "house rules that published rule collections share",
}
"""The sources by their short names in SOURCES."""


def check(rules: Rules) -> None:
    """Do nothing: every combination of options is valid."""


FEATURES = Features(
    [
        Piece("last", COLUMNS, CARD, "last card of each column; 0: empty column"),
        Piece("first", COLUMNS, CARD, "first face-up card of each column; 0: empty column"),
        Piece("waste_top", 1, CARD, "top card of the waste; 0: empty waste"),
        Piece(
            "foundations",
            len(SUITS),
            whole_number(KING),
            "value of the top card of each foundation, in the order c, d, h, s; 0: empty",
        ),
        Piece(
            "face_down",
            COLUMNS,
            whole_number(COLUMNS - 1),
            "number of face-down cards in each column",
        ),
        Piece(
            "where",
            PACK_SIZE,
            whole_number(BUILT),
            "location of each card, from the four aces to the four kings, each in the order c, d, "
            "h, s: 0 not seen yet, 1-7 in column 1-7, 8 in the waste, 9 in the stock and known, 10 "
            "on a foundation",
        ),
        Piece(
            "place",
            PACK_SIZE,
            whole_number(STOCK_SIZE),
            "position of each card in its pile, from 1. In a column: counted from its top end. In "
            "the waste: counted from the bottom. Known in the stock: the position that the card "
            "would have in the waste if the whole stock were turned onto it. All others: 0",
        ),
        Piece("waste_count", 1, whole_number(STOCK_SIZE), "number of cards in the waste"),
        Piece("stock_count", 1, whole_number(STOCK_SIZE), "number of cards in the stock"),
        Piece(
            "redeals", 1, whole_number(MOST_REDEALS), "number of redeals so far; 9: nine or more"
        ),
        Piece(
            "may_redeal",
            1,
            FLAG,
            "a redeal will be allowed when the stock is empty and the waste is not: a pass is "
            "left or, with unlimited passes, an action other than DEAL and REDEAL has been legal "
            "since the last redeal",
        ),
        *option_pieces(Rules),
        digit_piece("seconds", 4, "seconds on the clock of standard scoring; 0: no clock"),
    ]
)
EARLIER = (Earlier(before="seconds_per_move", actions=ACTIONS),)
"""See `core.game.Game.earlier`."""

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("deck", np.int8, (PACK_SIZE,)),
        ("column", np.int8, (COLUMNS, HIGHEST)),  # cards from the top end on, then zeros
        ("count", np.int8, (COLUMNS,)),  # number of cards in each column
        ("waste", np.int8, (STOCK_SIZE,)),  # cards from bottom to top, then zeros
        ("stock", np.int8, (STOCK_SIZE,)),  # cards from bottom to top, then zeros
        ("redeals", np.int32),
        ("shown", FEATURES.dtype),
    ]
)


def count_fewest_moves(rules: Rules) -> int:
    """Return a lower bound on the number of moves of a win.

    Each move puts at most one card on a foundation, and each stock card must be dealt.
    """
    return PACK_SIZE + STOCK_SIZE // rules.draw


def deck_place(column: int, row: int) -> int:
    """Return the deck position of the card dealt to a row of a column, all counted from 0."""
    return row * COLUMNS - row * (row - 1) // 2 + column - row


def move_columns(action: int) -> tuple[int, int]:
    """Return the source and target columns of a MOVE, counted from 0."""
    source, target = divmod(action - MOVE, COLUMNS - 1)
    return source, target + (target >= source)


def label(action: int) -> str:
    """Return the name of an action, such as ``"DEAL"``, ``"WASTE to 3"`` or ``"RUN 2 to 5"``."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"Klondike action must be from 0 to {ACTIONS - 1}, got {action}")
    if action < WASTE_DOWN:
        return ("DEAL", "REDEAL", "WASTE to foundation")[action]
    if action < COLUMN_UP:
        return f"WASTE to {action - WASTE_DOWN + 1}"
    if action < MOVE:
        return f"COLUMN {action - COLUMN_UP + 1} to foundation"
    if action < BACK:
        source, target = move_columns(action)
        return f"RUN {source + 1} to {target + 1}"
    column, which = divmod(action - BACK, 2)
    return f"BACK to {column + 1}, {('first', 'second')[which]} suit"
