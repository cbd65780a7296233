"""Pyramid: the rules.

Twenty-eight cards form a pyramid of seven overlapping rows; the rest is the stock, turned onto a
waste pile. Free cards go out in sets that total 13 (ace 1, jack 11, queen 12; a king alone). The
game is won when the pyramid is gone.

Places, which are also the clicks (a removal is clicked from its highest place down)::

                         0
                       1   2
                     3   4   5
                   6   7   8   9
                10  11  12  13  14
              15  16  17  18  19  20
            21  22  23  24  25  26  27
            28  29  30  31  32  33  34     extra row (option)
            35  36  37   38                tops of waste piles 1-3, stock: its top or the card held
            39 DEAL  40 REDEAL  41 UNDO

Sources of the rules and of the house rules behind each option: 000 the web version with undo;
001 "Pyramid Solitaire"; 002 The Ultimate Book of Card Games; 003 "Pyramid Card Game".
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.kernel.cards import PACK_SIZE
from ...core.options import Option
from ...core.schema import FLAG, RANK, Features, Piece, option_pieces, whole_number

PYRAMID = 28
TABLE = 35
WASTE = 35
STOCK = 38
PLACES = 39
DEAL = 39
"""The action that turns the next cards of the stock over."""
REDEAL, UNDO = 40, 41
ACTIONS = 42
PILE = PACK_SIZE - PYRAMID
"""Cards of the deck behind the pyramid: the stock, or extra row and stock."""
KING = 13
TARGET = 13
PACK_POINTS = 4 * sum(range(1, KING + 1))


class DealWhen(IntEnum):
    """When DEAL and REDEAL are allowed."""

    ALWAYS = 0
    BLOCKED = 1


class StockView(IntEnum):
    """How much of the stock is face up."""

    DOWN = 0
    TOP = 1
    ALL = 2


class Rules(NamedTuple):
    """The options of Pyramid. Every variant is a diff over the defaults."""

    passes: Annotated[
        int, Option("how often the stock may be gone through; 0: any number", 0, 9)
    ] = 1
    shuffle_redeal: Annotated[bool, Option("a redeal shuffles the stock")] = False
    deal_when: Annotated[
        DealWhen, Option("blocked: DEAL and REDEAL only when no removal is legal (001)")
    ] = DealWhen.ALWAYS
    first_deal: Annotated[
        bool, Option("the game starts as if one DEAL had been made, which is no move (001, 003)")
    ] = False
    extra_row: Annotated[
        bool, Option("seven extra cards below the pyramid, always free (001); the stock has 17")
    ] = False
    covered_kings: Annotated[bool, Option("a king in the pyramid is always free (002)")] = False
    match_cover: Annotated[
        bool, Option("a pyramid card may go together with the one it covers (000)")
    ] = False
    many_sum: Annotated[bool, Option("more than two cards that total 13 may go together (003)")] = (
        False
    )
    waste_piles: Annotated[
        int, Option("a DEAL turns cards onto each of so many waste piles (000)", 1, 3)
    ] = 1
    stock_view: Annotated[
        StockView, Option("what of the stock lies face up: none, its top card or all (000)")
    ] = StockView.DOWN
    stock_play: Annotated[bool, Option("the stock's top card is in play; it must lie face up")] = (
        False
    )
    clear_all: Annotated[
        bool, Option("a win needs all 52 cards gone, not only the pyramid (002)")
    ] = False
    held: Annotated[
        bool,
        Option(
            "a DEAL turns one card up where it lies: it is held there, in play, until the next "
            "DEAL lays it on the waste (002)",
            is_later=True,
        ),
    ] = False
    turn: Annotated[
        int,
        Option(
            "a DEAL turns so many cards onto each waste pile, one upon the other; none with held",
            1,
            3,
            is_later=True,
        ),
    ] = 1
    undo: Annotated[
        bool, Option("UNDO takes back the last move; what was seen stays seen (000)")
    ] = False


_WITH_HELD = {
    "waste_piles": 1,
    "stock_view": StockView.DOWN,
    "stock_play": False,
    "first_deal": False,
}
DEFAULT = "three-passes"
"""The default variant: the one in which skill matters most."""

_BASE = Rules()
_CLASSIC = Rules(first_deal=True)
_BLOCKED = _CLASSIC._replace(deal_when=DealWhen.BLOCKED)
_BOOK = Rules(covered_kings=True, held=True, passes=3, clear_all=True)
VARIANTS = {
    "classic": _CLASSIC,
    "blocked": _BLOCKED,
    "second-chance": _BLOCKED._replace(passes=2, shuffle_redeal=True),
    "extra-row": _BLOCKED._replace(extra_row=True),
    "turn-back": _CLASSIC._replace(passes=0),
    "any-sum": _CLASSIC._replace(many_sum=True),
    "web": _BASE._replace(passes=0, match_cover=True, undo=True),
    "three-passes": _BASE._replace(passes=3),
    "excerpt": _BASE._replace(covered_kings=True),
    "excerpt-all": _BASE._replace(covered_kings=True, clear_all=True),
    "book": _BOOK,
    "book-pyramid": _BOOK._replace(clear_all=False),
    "book-blocked": _BOOK._replace(deal_when=DealWhen.BLOCKED),
    "by-threes": _BASE._replace(passes=3, turn=3),
    "three-piles": _BASE._replace(waste_piles=3),
    "face-up": _BASE._replace(stock_view=StockView.ALL),
    "open-stock": _BASE._replace(passes=3, stock_view=StockView.TOP, stock_play=True),
}
"""The named rules, by name."""
SOURCES = {
    "classic": "003; 001 without its condition 'if you are blocked'",
    "blocked": "001",
    "second-chance": "001, option",
    "extra-row": "001, option",
    "turn-back": "003, alternative 1",
    "any-sum": "003, alternative 2",
    "web": "000",
    "three-passes": "the training default",
    "excerpt": "what the excerpt of 002 says by itself; the usual aim",
    "excerpt-all": "the same, 'pairs of all cards'",
    "book": "002 in full: the card held, two redeals, 'pairs of all cards'",
    "book-pyramid": "002 in full, the usual aim",
    "book-blocked": "002 in full, 'after exhausting all moves' read strictly",
    "by-threes": "published versions that turn three cards",
    "three-piles": "000, 'some have more waste piles'",
    "face-up": "000, 'some have the stock face-up'",
    "open-stock": "a widely played computer version",
}
REFERENCES = {
    "000": "the web version with undo",
    "001": '"Pyramid Solitaire"',
    "002": "The Ultimate Book of Card Games",
    "003": '"Pyramid Card Game"',
}
"""The sources, by the numbers used in SOURCES and in the options."""


def check(rules: Rules) -> None:
    """Raise ValueError for options that contradict each other, with the fields and the reason."""
    if rules.shuffle_redeal and rules.passes == 1:
        raise ValueError(
            "shuffle_redeal needs a redeal, but passes 1 has none: allowed are passes 2–9 or 0"
        )
    if rules.shuffle_redeal and rules.undo:
        raise ValueError("shuffle_redeal cannot go with undo: a shuffle is not taken back")
    if rules.stock_play and rules.stock_view == StockView.DOWN:
        raise ValueError(
            "stock_play needs the stock's top card face up: allowed are stock_view top or all"
        )
    if rules.held:
        _check_held(rules)


def _check_held(rules: Rules) -> None:
    """Raise ValueError for options that contradict ``held``."""
    for name, allowed in _WITH_HELD.items():
        if getattr(rules, name) != allowed:
            value = getattr(allowed, "name", str(allowed)).lower()
            raise ValueError(f"held needs {name} {value}: it holds one card turned from the stock")


def count_fewest_moves(rules: Rules) -> int:
    """Return the fewest moves in which any deal can be won.

    The rules page derives these numbers. A removal takes 13 points.
    """
    if rules.clear_all:
        stock = 0 if rules.stock_play else PILE - (TABLE - PYRAMID) * rules.extra_row
        turned = 1 if rules.held else rules.waste_piles * rules.turn
        deals = -(-stock // turned) - (rules.first_deal and stock > 0)
        return PACK_POINTS // TARGET + deals
    if rules.many_sum:
        return 9 if rules.match_cover else 10
    return 14 if rules.match_cover else 15


_VALUES = np.arange(64) >> 2
BONDS = (_VALUES[:, None] + _VALUES == TARGET) & (_VALUES[:, None] > 0) & (_VALUES > 0)
"""Pairs of card codes that total 13."""

_ROW = np.repeat(np.arange(7), np.arange(1, 8))
MIRRORED = np.append(_ROW * (_ROW + 2) - np.arange(PYRAMID), np.arange(PYRAMID, PLACES))
"""The mirror image of the layout: place i gets the card of place MIRRORED[i]."""

FEATURES = Features(
    [
        Piece(
            "places",
            PLACES,
            RANK,
            "the card at each place, 0 where there is none or it is not known",
        ),
        Piece(
            "picked",
            PLACES,
            FLAG,
            "cards clicked so far of a removal not yet complete",
            marks="places",
        ),
        Piece(
            "pile_cards",
            PILE,
            RANK,
            "deck cards 29-52 in dealing order where known; 0: unknown",
            where="pile_where",
        ),
        Piece(
            "pile_where",
            PILE,
            whole_number(4),
            "where each of them is: 0 gone or in the extra row, "
            "1 stock (the card held, too), 2-4 waste pile 1-3; within a pile the later card lies "
            "higher, of the stock the earliest is turned first",
        ),
        Piece(
            "unseen",
            KING,
            whole_number(4),
            "of each value, ace to king: cards of which only is known "
            "that they are somewhere in the stock",
            by_rank=True,
        ),
        Piece(
            "need", 1, whole_number(12), "points still missing in the removal begun; 0: none begun"
        ),
        Piece("stock_count", 1, whole_number(PILE), "cards in the stock, without the one held"),
        Piece("waste_counts", 3, whole_number(PILE), "cards in each waste pile"),
        Piece("redeals_left", 1, whole_number(9), "redeals left; 9: any number"),
        Piece("removal_seen", 1, FLAG, "a removal was legal since the last redeal"),
        *sorted(option_pieces(Rules), key=lambda piece: piece.name in ("held", "turn")),
    ],
    BONDS,
    actions_on="places",
    symmetries=[MIRRORED],
)

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("table", np.int64),  # set of places 0-34 that still hold a card
        ("free", np.int64),  # set of places whose card is free by itself
        ("picked", np.int64),  # set of places clicked so far
        ("stock", np.int64),  # set of deck positions: the lowest is the top
        ("waste", np.int64, (3,)),  # sets of deck positions: the highest is the top
        ("held", np.int64),  # set of the deck position of the card held, if there is one
        ("seen", np.int64),  # set of deck positions whose card the player knows
        ("by_value", np.int64, (14,)),  # for each value the set of places in play that hold it
        ("deck", np.int8, (PACK_SIZE,)),
        ("redeals", np.int32),  # with passes=0 only max_moves limits them
        ("turns", np.int32),  # deals and redeals made and not undone
        ("clicks", np.int8),  # clicks of removals made and not undone
        ("click_place", np.int8, (PACK_SIZE,)),
        ("click_turn", np.int32, (PACK_SIZE,)),  # number of turns before each click
        ("shown", FEATURES.dtype),
    ]
)


def label(action: int) -> str:
    """Name an action: ``"pyramid 4"``, ``"extra 1"``, ``"waste 1"``, ``"stock"``, ``"DEAL"``..."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: Pyramid has actions 0 to {ACTIONS - 1}")
    if action < PYRAMID:
        return f"pyramid {action}"
    if action < WASTE:
        return f"extra {action - PYRAMID + 1}"
    if action < STOCK:
        return f"waste {action - WASTE + 1}"
    return ("stock", "DEAL", "REDEAL", "UNDO")[action - STOCK]
