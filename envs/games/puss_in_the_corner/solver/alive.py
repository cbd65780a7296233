"""Puss in the Corner: a relaxation of the last pass in which all cards to come are free.

A free card can be played to a foundation ("built") at any time. If the piles cannot be cleared even
then, the position is dead: no order of the cards to come wins it. `check_alive` decides this,
mostly without any search.

A pile is a set of positions in the order of dealing, and ``codes`` has the card code of each
position. ``tops`` packs the top values of the foundations, four bits each. With ``suits`` the order
is clubs to spades; otherwise it is the lower and the higher foundation of black, then of red.

Two foundations of one color differ only in their top values. So if k cards of a value are built,
another card of this value fits if more than k cards of the value below are built. No other
condition applies.

A card's twin is the other card of its value and color.
"""

from typing import Any, NamedTuple

import numpy as np

from ....core.kernel.bits import highest
from ....core.kernel.jit import jit
from ....core.type_aliases import CardCode, CardSet
from ..rules import PILES

BLACK, RED = 0b1001, 0b0110
"""Sets of suits."""
NIBBLE = 15
HIGH = 4
"""Bit offset from the lower to the higher foundation of a color in ``tops``."""
DEPTH = 64
"""Capacity of the stack of `check_alive`, which makes 24 choices at most."""
REMEMBERED = 1 << 10
"""Number of positions that `check_alive` remembers for the solver, a power of two."""

DEAD, ALIVE, UNKNOWN = 0, 1, 2
"""Results of `check_alive`."""

RELAXED = np.dtype(
    [
        ("piles", np.int64, (PILES,)),
        ("tops", np.int64),
        ("free", np.int64),  # set of the codes of the free cards
        ("next_pile", np.int64),  # the pile to try next
    ]
)
"""A position of the relaxed game."""


class AliveMemory(NamedTuple):
    """Memory of `check_alive`: a stack of positions and a lossy hash table of visited ones."""

    stack: np.ndarray  # RELAXED (DEPTH,)
    keys: np.ndarray  # int64 (n,), n a power of two
    stamps: np.ndarray  # int64 (n + 1,): the call that wrote each key; last, the number of calls


@jit
def twins(card: CardCode, suits: bool) -> CardSet:
    """Return the set of cards of a card's value that are built on the same foundations."""
    suit = card & 3
    if suits:
        return 1 << card
    return (BLACK if suit == 0 or suit == 3 else RED) << (card & ~3)


@jit
def top_shift(card: CardCode, suits: bool) -> int:
    """Return the shift in ``tops`` of the (lower) foundation on which a card is built."""
    suit = card & 3
    if suits:
        return 4 * suit
    return 0 if suit == 0 or suit == 3 else 8


@jit
def pack_tops(clubs: int, diamonds: int, hearts: int, spades: int, suits: bool) -> int:
    """Pack the top values of the foundations."""
    if suits:
        return clubs | diamonds << 4 | hearts << 8 | spades << 12
    black = min(clubs, spades) | max(clubs, spades) << HIGH
    return black | (min(diamonds, hearts) | max(diamonds, hearts) << HIGH) << 2 * HIGH


@jit
def fit_kind(tops: int, card: CardCode, suits: bool) -> int:
    """Return whether and where a card fits: 0 nowhere, 1 on the higher foundation, 2 on the lower.

    With ``suits`` a card has only one foundation, and a fit is 2.
    """
    shift = top_shift(card, suits)
    if (tops >> shift) & NIBBLE == (card >> 2) - 1:
        return 2
    return not suits and (tops >> (shift + HIGH)) & NIBBLE == (card >> 2) - 1


@jit
def build_on_tops(tops: int, card: CardCode, suits: bool) -> int:
    """Return ``tops`` after building a card that fits, on the lower foundation if it fits both."""
    shift = top_shift(card, suits)
    low, high = (tops >> shift) & NIBBLE, (tops >> (shift + HIGH)) & NIBBLE
    if suits or (low < high and low == (card >> 2) - 1):
        return tops + (1 << shift)
    return tops + (1 << (shift + HIGH))


@jit
def play_safe_cards(
    piles: np.ndarray, tops: int, free: CardSet, codes: np.ndarray, suits: bool
) -> tuple[int, int]:
    """Build every top of a pile and every free card whose building is safe.

    Building on the lower foundation of a color is safe: the card's twin fits there too, or has been
    built. Removes the cards from ``piles``. Returns the new ``tops`` and ``free``.
    """
    moved = True
    while moved:
        moved = False
        for shift in range(0, 16, 4 if suits else 8):
            while True:
                value = ((tops >> shift) & NIBBLE) + 1
                suit = shift >> 2 if suits else 0 if shift == 0 else 1
                fitting = free & twins(4 * value + suit, suits)
                if fitting == 0:
                    break
                free &= ~(fitting & -fitting)
                tops = build_on_tops(tops, 4 * value + suit, suits)
                moved = True
        for pile in range(PILES):
            while piles[pile]:
                position = highest(piles[pile])
                if fit_kind(tops, codes[position], suits) != 2:
                    break
                tops = build_on_tops(tops, codes[position], suits)
                piles[pile] ^= 1 << position
                moved = True
    return tops, free


@jit
def build_on_higher(tops: int, free: CardSet, card: CardCode) -> tuple[int, int]:
    """Build a card on the higher foundation of its color, after the free cards that it needs.

    Returns the new ``tops`` (-1 if a card is missing) and the new ``free``.
    """
    shift = top_shift(card, False) + HIGH
    while (tops >> shift) & NIBBLE < (card >> 2) - 1:
        fitting = free & twins(4 * (((tops >> shift) & NIBBLE) + 1) + (card & 3), False)
        if fitting == 0:
            return -1, free
        free &= ~(fitting & -fitting)
        tops += 1 << shift
    return tops + (1 << shift), free


@jit(inline="always")  # Without inlining, Numba counts references to the arrays at every call.
def is_new(position: Any, memory: AliveMemory) -> bool:
    """Remember a relaxed position; return False if this call of `check_alive` has seen it."""
    keys, stamps = memory.keys, memory.stamps
    stamp = stamps[len(keys)]
    piles = position["piles"]
    key = (piles[0] | piles[1] | piles[2] | piles[3]) ^ (position["tops"] << 48)
    slot = (key ^ (key >> 29) ^ (key >> 47)) & (len(keys) - 1)
    if stamps[slot] == stamp and keys[slot] == key:
        return False
    keys[slot], stamps[slot] = key, stamp
    return True


@jit
def check_alive(
    piles: np.ndarray,
    tops: int,
    free: CardSet,
    codes: np.ndarray,
    suits: bool,
    tries: int,
    memory: AliveMemory,
) -> int:
    """Return `ALIVE` if the piles can be cleared with all cards to come free, otherwise `DEAD`.

    Returns `UNKNOWN` after ``tries`` positions. Safe cards are always built. The only choice is
    which top card to build on the higher foundation of its color; with ``suits`` there is no
    choice.
    """
    stack = memory.stack
    memory.stamps[len(memory.keys)] += 1
    start = stack[0]
    for pile in range(PILES):
        start["piles"][pile] = piles[pile]
    start["tops"], start["free"] = play_safe_cards(start["piles"], tops, free, codes, suits)
    start["next_pile"] = 0
    depth = 0
    while depth >= 0:
        position = stack[depth]
        left = position["piles"]
        if left[0] | left[1] | left[2] | left[3] == 0:
            return ALIVE
        pile = position["next_pile"]
        if pile == PILES or suits:
            depth -= 1
            continue
        position["next_pile"] += 1
        if left[pile] == 0:
            continue
        top = highest(left[pile])
        card = codes[top]
        if card >> 2 <= (position["tops"] >> (top_shift(card, False) + HIGH)) & NIBBLE:
            continue
        tops, free = build_on_higher(position["tops"], position["free"], card)
        if tops < 0:
            continue
        tries -= 1
        if tries < 0:
            return UNKNOWN
        child = stack[depth + 1]
        for other in range(PILES):
            child["piles"][other] = left[other]
        child["piles"][pile] ^= 1 << top
        child["tops"], child["free"] = play_safe_cards(child["piles"], tops, free, codes, suits)
        child["next_pile"] = 0
        if is_new(child, memory):
            depth += 1
    return DEAD


@jit
def make_alive_memory(remembered: int) -> AliveMemory:
    """Return memory for `check_alive` that remembers up to ``remembered`` positions."""
    return AliveMemory(
        np.empty(DEPTH, RELAXED),
        np.zeros(remembered, np.int64),
        np.zeros(remembered + 1, np.int64),
    )
