"""Puss in the Corner: what is played.

The four aces are the foundations, which are built up by color to the kings. The other 48 cards are
turned up in groups of four, one at a time. Each goes onto one of four reserve piles before the next
one is seen. After each group, tops of piles that fit go to the foundations. When the stock is
empty, the piles become the stock again, as often as redeals are allowed.

Actions: 0-3 PLACE on pile 1-4, 4-7 PLAY the top of pile 1-4, 8 FOUNDATION (the card turned up goes
there), 9 DEAL, 10 REDEAL, 11-14 GATHER pile 1-4, 15 END, 16-27 PACKET (lay a pile upon another: 1
upon 2, 3, 4, then 2 upon 1, 3, 4 ...). Many of them are legal only with some options.

Source: 002 The Ultimate Book of Card Games.
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
"""Places of a card; PILE to PILE + 3 are the reserve piles."""


class Rules(NamedTuple):
    """The options of Puss in the Corner; variants differ from the defaults."""

    redeals: Annotated[
        int, Option("number of redeals: how often the piles become the stock again", 0, 2)
    ] = 1
    hold_back: Annotated[
        bool,
        Option(
            "playing is never compulsory: after each group, PLAY any top that fits, or DEAL; "
            "REDEAL when the stock is empty, END when no redeal is left"
        ),
    ] = False
    choose_pickup: Annotated[
        bool, Option("at a redeal, the player chooses the order in which the piles are gathered")
    ] = False
    deal_size: Annotated[
        int, Option("cards in a group: 4, or 1 as in other rule books", values=(1, 4))
    ] = 4
    direct: Annotated[
        bool, Option("the card turned up can go straight to a foundation that it fits")
    ] = False
    suits: Annotated[bool, Option("foundations are built by suit instead of by color")] = False
    sevens: Annotated[
        bool,
        Option(
            "while a seven is the last card turned up, one pile can be laid upon another at any "
            "choice, once, in its order (an old rule book)",
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
"""The named variants."""
SOURCES = {
    "book": "002; the order of gathering is ours",
    "no-redeal": "the default for training: 002 without its redeal",
    "two-redeals": "a house rule: 002 with one more redeal",
    "free-hand": "002, but the player decides on playing and gathering",
    "one-by-one": "other rule books: groups of one, straight to the foundations",
    "suits": "a house rule: 002, built by suit",
}
REFERENCES = {"002": "The Ultimate Book of Card Games"}
"""Full names of the sources in SOURCES."""


def check(rules: Rules) -> None:
    """Accept all combinations of options."""


FEATURES = Features(
    [
        Piece("card", 1, CARD, "the card turned up, to place now; 0: none"),
        Piece("tops", PILES, CARD, "the top card of each reserve pile; 0: the pile is empty"),
        Piece("foundations", PILES, whole_number(KING), "top value of each foundation: c, d, h, s"),
        Piece(
            "where",
            CARDS,
            whole_number(TURNED),
            "place of each card, twos to kings, c, d, h, s: 0 not seen yet, 1-4 in pile 1-4, 5 in "
            "the stock and known, 6 on a foundation, 7 turned up",
        ),
        Piece(
            "order",
            CARDS,
            whole_number(CARDS),
            "for each card in a pile: its place from the bottom, from 1; for a known card of the "
            "stock: its place in the packet when that was turned over, 0 in the first pass; else 0",
        ),
        Piece("stock_count", 1, whole_number(CARDS), "cards in the stock"),
        Piece("group_left", 1, whole_number(4), "cards still to place in this group"),
        Piece("redeals_left", 1, whole_number(2), "redeals left"),
        Piece(
            "gathered", PILES, whole_number(PILES), "order in which the piles were gathered, from 1"
        ),
        *option_pieces(Rules),
        Piece("next_card", 1, CARD, "the top of the stock if it is open; else 0"),
        Piece("packet_left", 1, FLAG, "a pile can be laid upon another, after a seven"),
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

    Each card of the stock is placed and played, or with ``direct`` goes straight to a foundation.
    With ``hold_back`` each group but the first begins with a DEAL.
    """
    deals = CARDS // rules.deal_size - 1 if rules.hold_back else 0
    return CARDS * (1 if rules.direct else 2) + deals


def label(action: int) -> str:
    """Return the name of an action: ``"PLACE 1"``, ``"PLAY 4"``, ``"FOUNDATION"``, ``"DEAL"``..."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: Puss in the Corner has actions 0 to {ACTIONS - 1}")
    if action < FOUNDATION:
        return f"{'PLAY' if action >= PLAY else 'PLACE'} {action % PILES + 1}"
    if action >= PACKET:
        return f"PACKET {packet_piles(action)[0] + 1} upon {packet_piles(action)[1] + 1}"
    if GATHER <= action < END:
        return f"GATHER {action - GATHER + 1}"
    return {FOUNDATION: "FOUNDATION", DEAL: "DEAL", REDEAL: "REDEAL", END: "END"}[action]


def packet_piles(action: int) -> tuple[int, int]:
    """Return the pile that a PACKET moves and the pile it is laid upon, numbered from 0."""
    pile, other = divmod(action - PACKET, PILES - 1)
    return pile, other + (other >= pile)
