"""Puss in the Corner: whether piles could be played off if all other cards lay open. Compiled.

A pile is a set of places in the order of dealing, and ``cards`` has the code of each place.
``tops`` holds what the foundations show, four bits each: by suits clubs to spades; otherwise the
lower and the higher foundation of black, then of red.

Two foundations of a colour are told apart by their tops alone. So with k cards of a value built,
one more fits if more than k cards of the value below are: that is all that orders building.
"""

from typing import Any

import numpy as np

from ....core.aliases import CardCode
from ....core.kernel.bits import highest
from ....core.kernel.jit import jit
from ..rules import PILES

BLACK, RED = 0b1001, 0b0110
"""Suits of the colours."""
NIBBLE = 15
HIGH = 4
"""The top of the higher foundation of a colour stands so many bits above that of the lower."""
DEEPEST = 64
"""Room for positions while `check_alive` goes through choices, of which there are 24 at most."""
SEEN = 1 << 10
"""Positions that it remembers, a power of two: those that it has been through."""


@jit
def twins(card: CardCode, suits: bool) -> int:
    """The set of all cards of this card's value that are built on the same foundations."""
    suit = card & 3
    if suits:
        return 1 << card
    return (BLACK if suit == 0 or suit == 3 else RED) << (card & ~3)


@jit
def top_shift(card: CardCode, suits: bool) -> int:
    """Where in ``tops`` the lower of the foundations stands on which a card is built."""
    suit = card & 3
    if suits:
        return 4 * suit
    return 0 if suit == 0 or suit == 3 else 8


@jit
def pack_tops(clubs: int, diamonds: int, hearts: int, spades: int, suits: bool) -> int:
    """The top values of the foundations, as all here take them."""
    if suits:
        return clubs | diamonds << 4 | hearts << 8 | spades << 12
    black = min(clubs, spades) | max(clubs, spades) << HIGH
    return black | (min(diamonds, hearts) | max(diamonds, hearts) << HIGH) << 2 * HIGH


@jit
def fit_kind(tops: int, card: CardCode, suits: bool) -> int:
    """Whether a card fits: 0 no; 1 on the higher foundation of its colour; 2 on the lower."""
    at = top_shift(card, suits)
    if (tops >> at) & NIBBLE == (card >> 2) - 1:
        return 2
    return not suits and (tops >> (at + HIGH)) & NIBBLE == (card >> 2) - 1


@jit
def build_on_tops(tops: int, card: CardCode, suits: bool) -> int:
    """The tops of the foundations with a card that fits, the lower one of each colour first."""
    at = top_shift(card, suits)
    low, high = (tops >> at) & NIBBLE, (tops >> (at + HIGH)) & NIBBLE
    if suits or (low < high and low == (card >> 2) - 1):
        return tops + (1 << at)
    return tops + (1 << (at + HIGH))


@jit
def play_safe_cards(
    piles: np.ndarray, tops: int, free: int, cards: np.ndarray, suits: bool
) -> tuple[int, int]:
    """Build all that does no harm, of the tops of piles and of the cards that lie free.

    That is whatever fits the lower foundation of its colour: its twin fits there as well, or has
    been built before. Returns tops and free.
    """
    moved = True
    while moved:
        moved = False
        for at in range(0, 16, 4 if suits else 8):
            while True:
                value = ((tops >> at) & NIBBLE) + 1
                suit = at >> 2 if suits else 0 if at == 0 else 1
                found = free & twins(4 * value + suit, suits)
                if found == 0:
                    break
                free &= ~(found & -found)
                tops = build_on_tops(tops, 4 * value + suit, suits)
                moved = True
        for p in range(PILES):
            while piles[p]:
                place = highest(piles[p])
                if fit_kind(tops, cards[place], suits) != 2:
                    break
                tops = build_on_tops(tops, cards[place], suits)
                piles[p] ^= 1 << place
                moved = True
    return tops, free


@jit
def play_up_to(tops: int, free: int, card: CardCode) -> tuple[int, int]:
    """Build a card on the higher foundation, after free cards where they lack; -1 if it cannot."""
    at = top_shift(card, False) + HIGH
    while (tops >> at) & NIBBLE < (card >> 2) - 1:
        found = free & twins(4 * (((tops >> at) & NIBBLE) + 1) + (card & 3), False)
        if found == 0:
            return -1, free
        free &= ~(found & -found)
        tops += 1 << at
    return tops + (1 << at), free


@jit
def check_alive(
    piles: np.ndarray, tops: int, free: int, cards: np.ndarray, suits: bool, tries: int, room: Any
) -> int:
    """Whether the piles could be played off if the cards still to come lay open: 1 yes, 0 no.

    2: not found out in so many ``tries``. ``room``: stack (DEEPEST, 7), keys, stamps.
    """
    stack, keys, stamps = room
    seen = len(keys)
    stamps[seen] += 1
    stamp = stamps[seen]
    for p in range(PILES):
        stack[0, p] = piles[p]
    stack[0, 4], stack[0, 5] = play_safe_cards(stack[0], tops, free, cards, suits)
    stack[0, 6] = 0
    depth = 0
    while depth >= 0:
        at = stack[depth]
        left = at[0] | at[1] | at[2] | at[3]
        if left == 0:
            return 1
        p = at[6]
        if p == PILES or suits:
            depth -= 1
            continue
        at[6] += 1
        if at[p] == 0:
            continue
        place = highest(at[p])
        card = cards[place]
        if card >> 2 <= (at[4] >> (top_shift(card, False) + HIGH)) & NIBBLE:
            continue
        tops, free = play_up_to(at[4], at[5], card)
        if tops < 0:
            continue
        tries -= 1
        if tries < 0:
            return 2
        below = stack[depth + 1]
        for q in range(PILES):
            below[q] = at[q]
        below[p] ^= 1 << place
        below[4], below[5] = play_safe_cards(below, tops, free, cards, suits)
        below[6] = 0
        key = (below[0] | below[1] | below[2] | below[3]) ^ (below[4] << 48)
        slot = (key ^ (key >> 29) ^ (key >> 47)) & (seen - 1)
        if stamps[slot] == stamp and keys[slot] == key:
            continue
        keys[slot], stamps[slot] = key, stamp
        depth += 1
    return 0


@jit
def make_alive_room(seen: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return room for `check_alive`, which then remembers so many positions, such as `SEEN`."""
    return np.empty((DEEPEST, 7), np.int64), np.zeros(seen, np.int64), np.zeros(seen + 1, np.int64)
