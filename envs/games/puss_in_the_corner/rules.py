"""Rules of Puss in the Corner: options, variants, actions, observation and state.

The four aces are the foundations, which are built up by color to the kings. The other 48 cards are
turned up in groups of four, one at a time. The player places each card on one of four reserve piles
before the next card is turned up. After each group, the top cards of the piles that fit go to the
foundations. When the stock is empty and a redeal is left, the piles become the stock again.

Actions, many of which are legal only with some options:

- 0-3: PLACE the turned-up card on pile 1-4
- 4-7: PLAY the top card of pile 1-4 to a foundation
- 8: FOUNDATION, move the turned-up card to a foundation
- 9: DEAL
- 10: REDEAL
- 11-14: GATHER pile 1-4
- 15: END
- 16-27: PACKET, move a whole pile onto another pile (1 onto 2, 3, 4, then 2 onto 1, 3, 4 ...)

REFERENCES names the source. docs/rules/puss_in_the_corner.md has the full rules.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ...core.batch import make_state_head
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE
from ...core.options import Option
from ...core.schema import CARD, FLAG, Features, Piece, option_pieces, whole_number

PILES = 4
ACES = 4
CARDS = PACK_SIZE - ACES
FIRST = FIRST_CARD + ACES
"""Code of the two of clubs: card FIRST + i has number i here, 0 to 47."""
KING = 13
PLACE, PLAY, FOUNDATION, DEAL, REDEAL, GATHER, END, PACKET = 0, 4, 8, 9, 10, 11, 15, 16
ACTIONS = 28
SEVEN = 7

UNSEEN, PILE, STOCK, BUILT, TURNED = 0, 1, 5, 6, 7
"""Codes of the piece ``where``. PILE to PILE + 3 are the reserve piles."""


class Rules(NamedTuple):
    """The options of Puss in the Corner. The defaults are those of ``book``."""

    redeals: Annotated[
        int, Option("number of times that the piles become the stock again", 0, 2)
    ] = 1
    hold_back: Annotated[
        bool,
        Option(
            "playing is optional: after each group the player may PLAY any top card that fits, or "
            "DEAL; when the stock is empty, REDEAL, or END if no redeal is left"
        ),
    ] = False
    choose_pickup: Annotated[
        bool, Option("the player chooses the order in which the piles are gathered at a redeal")
    ] = False
    deal_size: Annotated[
        int, Option("number of cards in a group; other rule books use 1", values=(1, 4))
    ] = 4
    direct: Annotated[
        bool, Option("the turned-up card may go straight to a foundation that it fits")
    ] = False
    suits: Annotated[bool, Option("foundations are built by suit instead of by color")] = False
    sevens: Annotated[
        bool,
        Option(
            "while a seven is the last card turned up, any one pile may be moved onto another "
            "once, with its order unchanged (an old rule book)",
            is_later=True,
        ),
    ] = False
    next_open: Annotated[
        bool,
        Option("the next card of the stock is face up (a computer version)", is_later=True),
    ] = False


DEFAULT = "no-redeal"
"""The default variant, in which skill matters most."""

VARIANTS = {
    "book": Rules(),
    "no-redeal": Rules(redeals=0),
    "two-redeals": Rules(redeals=2),
    "free-hand": Rules(hold_back=True, choose_pickup=True),
    "one-by-one": Rules(deal_size=1, direct=True, choose_pickup=True, hold_back=True),
    "suits": Rules(suits=True),
}
"""The variants by name."""
SOURCES = {
    "book": "002; this project chose the order of gathering",
    "no-redeal": "this project: 002 without its redeal",
    "two-redeals": "house rule: 002 with one more redeal",
    "free-hand": "this project: 002, but the player decides on playing and gathering",
    "one-by-one": "other rule books: groups of one card, which may go straight to a foundation",
    "suits": "house rule: 002, but foundations are built by suit",
}
REFERENCES = {"002": "The Ultimate Book of Card Games"}
"""The sources by their short names in SOURCES."""


def check(rules: Rules) -> None:
    """Do nothing: every combination of options is valid."""


FEATURES = Features(
    [
        Piece("card", 1, CARD, "turned-up card, to place now; 0: none"),
        Piece("tops", PILES, CARD, "top card of each reserve pile; 0: empty pile"),
        Piece(
            "foundations",
            PILES,
            whole_number(KING),
            "value of the top card of each foundation, in the order c, d, h, s",
        ),
        Piece(
            "where",
            CARDS,
            whole_number(TURNED),
            "location of each card, from the four twos to the four kings, each in the order c, d, "
            "h, s: 0 not seen yet, 1-4 in pile 1-4, 5 in the stock and known, 6 on a foundation, 7 "
            "turned up",
        ),
        Piece(
            "order",
            CARDS,
            whole_number(CARDS),
            "position of each card, from 1. In a pile: counted from the bottom. Known in the stock "
            "after a redeal: counted from the first card of the stock, as it was after the redeal. "
            "All others: 0",
        ),
        Piece("stock_count", 1, whole_number(CARDS), "number of cards in the stock"),
        Piece("group_left", 1, whole_number(4), "number of cards still to place in this group"),
        Piece("redeals_left", 1, whole_number(2), "redeals left"),
        Piece(
            "gathered",
            PILES,
            whole_number(PILES),
            "position of each pile in the order of gathering, from 1; 0: not gathered",
        ),
        *option_pieces(Rules),
        Piece("next_card", 1, CARD, "top card of the stock with next_open; otherwise 0"),
        Piece("packet_left", 1, FLAG, "whether a pile may still be moved onto another (sevens)"),
    ]
)

STATE = np.dtype(
    [
        *make_state_head(ACTIONS),
        ("deck", np.int8, (CARDS,)),
        ("next", np.int8),  # position in the deck of the top of the stock
        ("count", np.int8, (PILES,)),
        ("pile", np.int8, (PILES, CARDS)),  # oldest card first, then zeros
        ("gathered", np.int8),  # number of piles gathered at this redeal
        ("shown", FEATURES.dtype),
    ]
)


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the card codes of the deck: all but the aces, whatever the rules."""
    return tuple(range(FIRST, FIRST + CARDS))


def count_fewest_moves(rules: Rules) -> int:
    """Return a lower bound on the number of moves of a win.

    Each stock card is placed and then played or, with ``direct``, goes straight to a foundation.
    With ``hold_back``, each group except the first begins with a DEAL.
    """
    deals = CARDS // rules.deal_size - 1 if rules.hold_back else 0
    return CARDS * (1 if rules.direct else 2) + deals


def label(action: int) -> str:
    """Return the name of an action: ``"PLACE 1"``, ``"PLAY 4"``, ``"FOUNDATION"``, ``"DEAL"``..."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"Puss in the Corner action must be from 0 to {ACTIONS - 1}, got {action}")
    if action < FOUNDATION:
        return f"{'PLAY' if action >= PLAY else 'PLACE'} {action % PILES + 1}"
    if action >= PACKET:
        return f"PACKET {packet_piles(action)[0] + 1} upon {packet_piles(action)[1] + 1}"
    if GATHER <= action < END:
        return f"GATHER {action - GATHER + 1}"
    return {FOUNDATION: "FOUNDATION", DEAL: "DEAL", REDEAL: "REDEAL", END: "END"}[action]


def packet_piles(action: int) -> tuple[int, int]:
    """Return the pile that a PACKET moves and the pile below it, both counted from 0."""
    pile, other = divmod(action - PACKET, PILES - 1)
    return pile, other + (other >= pile)
