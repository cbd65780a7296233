"""Rules of Pyramid: options, variants, actions, observation and state.

Twenty-eight cards form a pyramid of seven overlapping rows. The other cards are the stock, which is
turned onto a waste pile. The player removes free cards in sets that total 13 (ace 1, jack 11, queen
12; a king alone) and wins when the pyramid is gone.

Each place of a card is also the action that clicks the card. The cards of a removal are clicked
from the highest place down::

                         0
                       1   2
                     3   4   5
                   6   7   8   9
                10  11  12  13  14
              15  16  17  18  19  20
            21  22  23  24  25  26  27
            28  29  30  31  32  33  34     extra row (option)
            35  36  37   38                tops of waste piles 1-3; top of the stock or held card
            39 DEAL  40 REDEAL  41 UNDO

The numbers 000 to 003 in the options name the sources; see REFERENCES.
"""

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.kernel.cards import PACK_SIZE
from ...core.options import Option, to_plain, value_text
from ...core.schema import FLAG, RANK, Features, Piece, Relation, option_pieces, whole_number

PYRAMID = 28
TABLE = 35
WASTE = 35
STOCK = 38
PLACES = 39
DEAL = 39
"""The action that turns the next cards of the stock."""
REDEAL, UNDO = 40, 41
ACTIONS = 42
PILE = PACK_SIZE - PYRAMID
"""Number of cards that are not in the pyramid: the stock and, if there is one, the extra row."""
KING = 13
TARGET = 13
PACK_POINTS = 4 * sum(range(1, KING + 1))


class DealWhen(IntEnum):
    """When DEAL and REDEAL are allowed."""

    ALWAYS = 0
    BLOCKED = 1


class StockView(IntEnum):
    """Which cards of the stock are face up."""

    DOWN = 0
    TOP = 1
    ALL = 2


class Rules(NamedTuple):
    """The options of Pyramid. Each variant changes some of the defaults.

    In the descriptions of the options, numbers such as (001) name sources; see the page of the
    game.
    """

    passes: Annotated[int, Option("number of passes through the stock; 0: unlimited", 0, 9)] = 1
    shuffle_redeal: Annotated[bool, Option("a redeal shuffles the stock")] = False
    deal_when: Annotated[
        DealWhen,
        Option("blocked: DEAL and REDEAL are legal only when no removal is legal (001)"),
    ] = DealWhen.ALWAYS
    first_deal: Annotated[
        bool, Option("the game starts after one DEAL, which does not count as a move (001, 003)")
    ] = False
    extra_row: Annotated[
        bool,
        Option("seven extra cards below the pyramid, never covered; the stock has 17 cards (001)"),
    ] = False
    covered_kings: Annotated[
        bool, Option("a king in the pyramid may be removed while it is covered (002)")
    ] = False
    match_cover: Annotated[
        bool, Option("a pyramid card may be removed together with a card that it covers (000)")
    ] = False
    many_sum: Annotated[
        bool, Option("more than two cards that total 13 may be removed together (003)")
    ] = False
    waste_piles: Annotated[
        int, Option("number of waste piles; a DEAL turns cards onto each of them (000)", 1, 3)
    ] = 1
    stock_view: Annotated[
        StockView, Option("face-up cards of the stock: none, its top card or all (000)")
    ] = StockView.DOWN
    stock_play: Annotated[
        bool, Option("the top card of the stock may be removed; it must be face up")
    ] = False
    clear_all: Annotated[
        bool, Option("a win requires removing all 52 cards, not only the pyramid (002)")
    ] = False
    held: Annotated[
        bool,
        Option(
            "a DEAL turns one card up, which stays on the stock and may be removed until the next "
            "DEAL moves it to the waste (002)",
            is_later=True,
        ),
    ] = False
    turn: Annotated[
        int,
        Option(
            "number of cards that a DEAL turns onto each waste pile, one on top of the other; no "
            "effect with held",
            1,
            3,
            is_later=True,
        ),
    ] = 1
    undo: Annotated[
        bool, Option("UNDO takes back the last move; cards that were seen stay known (000)")
    ] = False


_WITH_HELD: dict[str, Any] = {
    "waste_piles": 1,
    "stock_view": StockView.DOWN,
    "stock_play": False,
    "first_deal": False,
}
DEFAULT = "three-passes"
"""The default variant, in which skill matters most."""

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
"""The variants by name."""
SOURCES = {
    "classic": "003; 001 without its condition 'if you are blocked'",
    "blocked": "001",
    "second-chance": "001, optional rule",
    "extra-row": "001, optional rule",
    "turn-back": "003, alternative 1",
    "any-sum": "003, alternative 2",
    "web": "000",
    "three-passes": "this project",
    "excerpt": "only an excerpt from the rules of 002; goal: remove the pyramid",
    "excerpt-all": "only an excerpt from the rules of 002; goal: remove all 52 cards",
    "book": "002 in full: held card, two redeals; goal: remove 'pairs of all cards', all 52",
    "book-pyramid": "002 in full; goal: remove the pyramid",
    "book-blocked": "002 in full, 'after exhausting all moves' read strictly",
    "by-threes": "published versions that turn three cards",
    "three-piles": "000, 'some have more waste piles'",
    "face-up": "000, 'some have the stock face-up'",
    "open-stock": "a widely played computer version",
}
REFERENCES = {
    "000": "a web version with undo",
    "001": '"Pyramid Solitaire"',
    "002": "The Ultimate Book of Card Games",
    "003": '"Pyramid Card Game"',
}
"""The sources by their numbers in SOURCES and in the options."""


def check(rules: Rules) -> None:
    """Raise ValueError, naming the options, if options contradict each other."""
    if rules.shuffle_redeal and rules.passes == 1:
        raise ValueError(
            "option passes must be 2–9 or 0 with shuffle_redeal=yes, got 1, which has no redeal"
        )
    if rules.shuffle_redeal and rules.undo:
        raise ValueError(
            "option undo must be no with shuffle_redeal=yes, got yes: a shuffle cannot be undone"
        )
    if rules.stock_play and rules.stock_view == StockView.DOWN:
        raise ValueError("option stock_view must be top or all with stock_play=yes, got down")
    if rules.held:
        _check_held(rules)


def _check_held(rules: Rules) -> None:
    """Raise ValueError for options that contradict ``held``."""
    allowed, values = to_plain(rules._replace(**_WITH_HELD)), to_plain(rules)
    for name in _WITH_HELD:
        if values[name] != allowed[name]:
            raise ValueError(
                f"option {name} must be {value_text(allowed[name])} with held=yes, "
                f"got {value_text(values[name])}"
            )


def count_fewest_moves(rules: Rules) -> int:
    """Return a lower bound on the number of moves of a win, which some deals reach.

    The rules page derives these numbers from the 13 points that a removal takes.
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
"""Whether two card codes total 13, bool (64, 64)."""

_ROW = np.repeat(np.arange(7), np.arange(1, 8))
MIRRORED = np.append(_ROW * (_ROW + 2) - np.arange(PYRAMID), np.arange(PYRAMID, PLACES))
"""The left-right reflection of the layout: place i gets the card of place MIRRORED[i]."""

_COLUMN = np.arange(PYRAMID) - _ROW * (_ROW + 1) // 2
_LOWER, _RIGHT = _ROW - _ROW[:, None], _COLUMN - _COLUMN[:, None]
_ON_TOP = (_LOWER > 0) & (_RIGHT >= 0) & (_RIGHT <= _LOWER)
"""Whether card j of the pyramid lies on card i, directly or on cards between them."""
_LATER = np.triu(np.ones((PILE, PILE), np.float32), 1) / 4
"""Weight 1/4 for each card j of the pile that is dealt later than card i."""
RELATIONS = (
    Relation("places", _ON_TOP.astype(np.float32) / 4),
    Relation("places", (_ON_TOP & (_LOWER == 1)).astype(np.float32)),
    Relation("pile_cards", _LATER, places=(2, 3, 4)),  # j lies above i in a waste pile
    Relation(
        "pile_cards", _LATER, places=(1,)
    ),  # j lies below i in the stock, or i is the held card
)
"""Relations between cards. The weights keep the sum of all relations of a card small."""

FEATURES = Features(
    [
        Piece(
            "places",
            PLACES,
            RANK,
            "card at each place; 0: no card, or an unknown card",
        ),
        Piece(
            "picked",
            PLACES,
            FLAG,
            "cards selected so far in an incomplete removal",
            marks="places",
        ),
        Piece(
            "pile_cards",
            PILE,
            RANK,
            "cards 29-52 of the deck in dealing order; 0: unknown",
            where="pile_where",
        ),
        Piece(
            "pile_where",
            PILE,
            whole_number(4),
            "location of each of these cards: 0 removed or in the extra row, 1 stock or held, 2-4 "
            "waste pile 1-3. In a waste pile, a card that comes later in the deck is on top; in "
            "the stock, the card that comes first in the deck is turned first",
        ),
        Piece(
            "unseen",
            KING,
            whole_number(4),
            "number of cards of each value, ace to king, that are in the stock at an unknown "
            "position",
            by_rank=True,
        ),
        Piece(
            "need",
            1,
            whole_number(12),
            "points still missing in the current removal; 0: no removal has begun",
        ),
        Piece(
            "stock_count",
            1,
            whole_number(PILE),
            "number of cards in the stock, without a held card",
        ),
        Piece("waste_counts", 3, whole_number(PILE), "number of cards in each waste pile"),
        Piece("redeals_left", 1, whole_number(9), "redeals left; 9: unlimited"),
        Piece("removal_seen", 1, FLAG, "a removal has been legal since the last redeal"),
        *sorted(option_pieces(Rules), key=lambda piece: piece.name in ("held", "turn")),
    ],
    BONDS,
    actions_on="places",
    symmetries=[MIRRORED],
    relations=RELATIONS,
)

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("table", np.int64),  # set of places 0-34 that still hold a card
        ("free", np.int64),  # set of places whose card can be removed without its coverers
        ("picked", np.int64),  # set of places clicked so far
        ("stock", np.int64),  # set of deck positions; the lowest is the top
        ("waste", np.int64, (3,)),  # sets of deck positions; the highest is the top
        ("held", np.int64),  # set with the deck position of the held card; empty if there is none
        ("seen", np.int64),  # set of deck positions whose card the player knows
        ("by_value", np.int64, (14,)),  # for each value the set of places in play that hold it
        ("deck", np.int8, (PACK_SIZE,)),
        ("redeals", np.int32),  # int32, since only max_moves limits them with passes=0
        ("turns", np.int32),  # deals and redeals made and not undone
        ("clicks", np.int8),  # clicks of removals made and not undone
        ("click_place", np.int8, (PACK_SIZE,)),
        ("click_turn", np.int32, (PACK_SIZE,)),  # number of deals and redeals before each click
        ("shown", FEATURES.dtype),
    ]
)


def label(action: int) -> str:
    """Return the name of an action, such as ``"pyramid 4"``, ``"waste 1"`` or ``"DEAL"``."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"Pyramid action must be from 0 to {ACTIONS - 1}, got {action}")
    if action < PYRAMID:
        return f"pyramid {action}"
    if action < WASTE:
        return f"extra {action - PYRAMID + 1}"
    if action < STOCK:
        return f"waste {action - WASTE + 1}"
    return ("stock", "DEAL", "REDEAL", "UNDO")[action - STOCK]
