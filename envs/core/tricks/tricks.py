"""Tricks: sets of cards by suits, following, who takes a trick. Knows no game.

A game numbers its cards ``suit * ranks + rank``, the weakest rank first; a set of cards is an
int64 with bit n for card n. Of two equal cards in a trick, where a pack has such, the first wins.
"""

from ..aliases import Places
from ..kernel.jit import jit

NO_SUIT = -1
"""In the place of a suit: no trumps."""


@jit
def suit_set(suit: int, ranks: int) -> Places:
    """Return the set of all cards of a suit; of `NO_SUIT` the empty one."""
    return ((1 << ranks) - 1) << (suit * ranks) if suit >= 0 else 0


@jit
def follow(hand: Places, led: int, ranks: int) -> Places:
    """Return the cards of a hand that follow the suit led: all of them where it has none."""
    own = hand & suit_set(led, ranks)
    return own if own else hand


@jit
def card_strength(card: int, led: int, trumps: int, ranks: int, reverse: bool) -> int:
    """Return what a card is worth in a trick, -1 for one that cannot take it.

    The highest is the best: trumps lie above the suit led. ``reverse`` turns the ranks over.
    """
    suit, rank = card // ranks, card % ranks
    if reverse:
        rank = ranks - 1 - rank
    if suit == trumps:
        return ranks + rank
    return rank if suit == led else -1
