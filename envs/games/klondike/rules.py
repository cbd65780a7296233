"""Klondike: the rules.

Column k (1 to 7) is dealt k cards, the last one face up. The other 24 cards are the stock, turned
onto the waste. Columns are built down in alternating colours, kings go to empty ones. The game is
won when the four foundations are built up by suit from ace to king.

Actions: 0 DEAL, 1 REDEAL, 2 the top of the waste to its foundation, 3-9 to column 1-7, 10-16 the
last card of column 1-7 to its foundation, 17-58 a run to another column (from 1 to 2, 3 ... 7, then
from 2 to 1, 3 ...), 59-72 back from a foundation to a column, two for each: of a column with cards
the two suits that fit, in the order of the suits; of an empty one a black king, a red king.

A deck is in dealing order: row by row, one card to each of columns 1-7, one to each of 2-7, and so
on; then the stock from its top.

Sources: named in REFERENCES; the rules in full are in docs/rules/klondike.md.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.kernel.cards import PACK_SIZE, SUITS
from ...core.options import Option
from ...core.schema import CARD, FLAG, Features, Piece, option_pieces, whole_number

COLUMNS = 7
HIGHEST = 19
"""Most cards of a column: six face down, and a run from king to ace."""
STOCK_SIZE = 24
TABLEAU_SIZE = PACK_SIZE - STOCK_SIZE
KING = 13

DEAL, REDEAL, WASTE_UP, WASTE_DOWN, COLUMN_UP, MOVE, BACK = 0, 1, 2, 3, 10, 17, 59
"""The first action of each kind: UP goes onto a foundation, DOWN onto a column."""
ACTIONS = 73

UNSEEN, COLUMN, WASTE, STOCK, BUILT = 0, 1, 8, 9, 10
"""Codes of ``where`` in the observation: COLUMN to COLUMN + 6 are the columns."""
MOST_REDEALS = 9
"""The observation counts redeals up to this number."""
LOWEST_SCORE, HIGHEST_SCORE = -52, 745
"""By ``vegas`` without a card built, and by ``standard``: 24 cards of the waste by way of a column,
21 turned up, 52 built."""


class Scoring(IntEnum):
    """Ways to count the score."""

    CARDS = 0
    STANDARD = 1
    VEGAS = 2


class Rules(NamedTuple):
    """The options of Klondike. Every variant is a diff over the defaults."""

    draw: Annotated[int, Option("cards turned by a DEAL", values=(1, 3))] = 3
    passes: Annotated[
        int, Option("how often the stock may be gone through; 0: any number", 0, 9)
    ] = 0
    partial_runs: Annotated[
        bool, Option("the lower part of a run may move, not only the whole of it")
    ] = True
    worry_back: Annotated[bool, Option("cards may come back from the foundations")] = True
    thoughtful: Annotated[
        bool, Option("all cards are known; what may be done is the same (thoughtful solitaire)")
    ] = False
    scoring: Annotated[
        Scoring,
        Option(
            "what the score is: the cards on the foundations; that of the computer version; or by "
            "the wager, -52 and 5 for each card on the foundations"
        ),
    ] = Scoring.CARDS


DEFAULT = "classic"
"""The default variant."""

VARIANTS = {
    "classic": Rules(),
    "draw-one": Rules(draw=1),
    "three-passes": Rules(passes=3),
    "one-pass": Rules(draw=1, passes=1),
    "vegas": Rules(passes=3, scoring=Scoring.VEGAS),
    "vegas-one": Rules(draw=1, passes=1, scoring=Scoring.VEGAS),
    "whole-runs": Rules(partial_runs=False),
    "no-return": Rules(worry_back=False),
    "thoughtful": Rules(thoughtful=True),
    "thoughtful-one": Rules(draw=1, thoughtful=True),
}
"""The named rules, by name."""
SOURCES = {
    "classic": "Solvitaire: the game of the literature",
    "draw-one": "KSolve, with one card a turn",
    "three-passes": "folk: three cards a turn, three times through the stock",
    "one-pass": "folk: one card a turn, once through the stock",
    "vegas": "folk: for a wager, three cards a turn",
    "vegas-one": "folk: for a wager, one card a turn",
    "whole-runs": "folk: only whole runs move",
    "no-return": "folk: what is on a foundation stays there",
    "thoughtful": "Thoughtful: all cards known",
    "thoughtful-one": "Thoughtful, with one card a turn",
}
REFERENCES = {
    "Solvitaire": "The Winnability of Klondike Solitaire and Many Other Patience Games",
    "Thoughtful": "Solitaire: Man Versus Machine",
    "KSolve": "Klondike-Solver, a program",
    "folk": "house rules that collections of rules agree on",
}
"""The sources, by the short names used in SOURCES."""


def check(rules: Rules) -> None:
    """Accept all rules: every combination of options is possible."""


FEATURES = Features(
    [
        Piece("last", COLUMNS, CARD, "the last card of each column; 0: the column is empty"),
        Piece("first", COLUMNS, CARD, "the first card face up of each column; 0: it is empty"),
        Piece("waste_top", 1, CARD, "the top of the waste; 0: it is empty"),
        Piece("foundations", len(SUITS), whole_number(KING), "top value by suit: c, d, h, s"),
        Piece("face_down", COLUMNS, whole_number(COLUMNS - 1), "cards face down in each column"),
        Piece(
            "where",
            PACK_SIZE,
            whole_number(BUILT),
            "of each card, aces to kings, c, d, h, s: 0 not seen yet, 1-7 in column 1-7, 8 in the "
            "waste, 9 in the stock and known, 10 on a foundation",
        ),
        Piece(
            "place",
            PACK_SIZE,
            whole_number(STOCK_SIZE),
            "of each card in a column: its place from the top end of the column, from 1; of one in "
            "the waste, or known in the stock: its place in the waste, or in what that would be if "
            "the whole stock were turned onto it; else 0",
        ),
        Piece("waste_count", 1, whole_number(STOCK_SIZE), "cards in the waste"),
        Piece("stock_count", 1, whole_number(STOCK_SIZE), "cards in the stock"),
        Piece("redeals", 1, whole_number(MOST_REDEALS), "redeals made; 9: nine or more"),
        Piece(
            "may_redeal",
            1,
            FLAG,
            "a redeal is allowed once the stock is empty and the waste is not: a pass is left and, "
            "with any number of passes, something could be played since the last redeal",
        ),
        *option_pieces(Rules),
    ]
)

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("deck", np.int8, (PACK_SIZE,)),
        ("column", np.int8, (COLUMNS, HIGHEST)),  # from the top end on, then zeros
        ("count", np.int8, (COLUMNS,)),
        ("waste", np.int8, (STOCK_SIZE,)),  # its top is the last one, then zeros
        ("stock", np.int8, (STOCK_SIZE,)),  # its top is the last one, then zeros
        ("redeals", np.int32),
        ("shown", FEATURES.dtype),
    ]
)


def count_fewest_moves(rules: Rules) -> int:
    """Return a lower bound on the moves of a win: a move builds at most one card."""
    return PACK_SIZE + STOCK_SIZE // rules.draw


def deck_place(column: int, row: int) -> int:
    """Return the place in the deck of the card dealt to a row of a column, all from 0."""
    return row * COLUMNS - row * (row - 1) // 2 + column - row


def move_columns(action: int) -> tuple[int, int]:
    """Return the source and the target column of a MOVE, from 0."""
    source, target = divmod(action - MOVE, COLUMNS - 1)
    return source, target + (target >= source)


def label(action: int) -> str:
    """Name an action: ``"DEAL"``, ``"WASTE to 3"``, ``"RUN 2 to 5"``..."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: Klondike has actions 0 to {ACTIONS - 1}")
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
