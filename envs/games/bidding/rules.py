"""Cards, actions and observation pieces that Twenty-Eight, Twenty-Nine and Fifty-Six share.

A card has the number ``suit * ranks + rank``: clubs, diamonds, hearts, spades, the weakest rank
first. The four highest ranks, jack, nine, ace and ten, count card points.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ...core.kernel.cards import SUITS as SUIT_LETTERS
from ...core.kernel.cards import card_name, parse_card
from ...core.schema import FLAG, Piece, whole_number

SUITS = 4
SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
POINTS_FROM_TOP = np.array([3, 2, 1, 1, 0, 0, 0, 0, 0], np.int64)
"""Card points by rank, from the highest rank down: jack, nine, ace, ten, and nothing below."""

OVER = 0
"""The phase of a finished hand in all three games."""
NO_TRUMP_YET, NONE = 0, 5
"""Values of the field ``made`` besides the suits 1 to 4: trumps not chosen yet, and no trumps."""


def list_rank_points(ranks: int) -> np.ndarray:
    """Return the card points of each rank, the weakest rank first, int64 (ranks,)."""
    return POINTS_FROM_TOP[:ranks][::-1].copy()


def number_cards(rank_order: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the card code of each card number, and the card number of each card code.

    Args:
        rank_order: The letters of the ranks, the weakest first.

    Returns:
        Codes, int64 (cards,), and numbers, int64 (64,), which are 0 for unused codes.
    """
    codes = np.array([parse_card(rank + suit) for suit in SUIT_LETTERS for rank in rank_order])
    numbers = np.zeros(64, np.int64)
    numbers[codes] = np.arange(len(codes))
    return codes.astype(np.int64), numbers


def list_labels(codes: np.ndarray, lowest_bid: int, highest_bid: int) -> tuple[str, ...]:
    """Return the labels of the first actions: the cards, then the bids."""
    cards = (card_name(int(code)) for code in codes)
    return (*cards, *(f"bid {bid}" for bid in range(lowest_bid, highest_bid + 1)))


def make_label(labels: Sequence[str]) -> Callable[[int], str]:
    """Return a game's function ``label(action)``."""

    def label(action: int) -> str:
        """Return the name of an action, such as ``"Jh"``, ``"bid 16"`` or ``"ask for trumps"``."""
        if not 0 <= action < len(labels):
            raise ValueError(f"action must be from 0 to {len(labels) - 1}, got {action}")
        return labels[action]

    return label


def list_secret_pieces(tricks: int, seats: int) -> tuple[Piece, ...]:
    """Return the observation pieces about secret trumps and how they were shown.

    Args:
        tricks: Number of tricks of the longest hand.
        seats: Maximum number of seats.
    """
    return (
        Piece(
            "led_secretly",
            SUITS,
            FLAG,
            "for each suit (c, d, h, s): the bidder led it while trumps were secret, so if it is "
            "the trump suit, the bidder had only trumps",
        ),
        Piece(
            "not_trumps",
            SUITS,
            FLAG,
            "for each suit (c, d, h, s): it cannot be the trump suit, since the bidder led it "
            "while holding another suit",
        ),
        Piece(
            "shown_trick",
            1,
            whole_number(tricks),
            "number of the trick in which trumps were shown; 0: not shown",
        ),
        Piece(
            "shown_after",
            1,
            whole_number(seats),
            "number of cards in that trick when trumps were shown",
        ),
        Piece("asker", 1, whole_number(seats), "seat that asked for trumps, plus 1; 0: none"),
        Piece(
            "must_trump", 1, FLAG, "whether the seat to act has just asked and must play a trump"
        ),
    )
