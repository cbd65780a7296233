"""Unseen hands: dealing cards anew to seats of which it is known that they are void in suits.

Every deal that fits is equally likely. A few deals are tried first: of little knowledge most fit.
Else the ways to deal are counted, hand by hand: how many there are from some hand on depends only
on how many cards of each suit are left, since the cards of a suit are alike to a void. What a hand
takes of each suit is then drawn by these counts, and its cards of the suit by chance.
"""

import math

import numpy as np

from ..aliases import State
from ..kernel.cards import random_below
from ..kernel.jit import jit

SUITS = 4
TRIES = 40
"""Deals that are tried before the ways are counted."""
MOST_UNSEEN = 64
"""Cards that can be unseen."""
BINOMIALS = np.array([[math.comb(n, k) for k in range(17)] for n in range(17)], np.float64)
"""In how many ways k of n cards of a suit can be taken: [n][k]."""
PRECISION = 1 << 30


@jit
def try_deal(
    s: State, suits: np.ndarray, sizes: np.ndarray, voids: np.ndarray, holders: np.ndarray
) -> bool:
    """Deal the cards by chance; return whether no hand has a suit in which it is void."""
    n = 0
    for hand in range(len(sizes)):
        for _ in range(sizes[hand]):
            holders[n] = hand
            n += 1
    for i in range(n - 1, -1, -1):
        j = random_below(s, i + 1)
        hand = holders[j]
        holders[j] = holders[i]
        holders[i] = hand
        if (voids[hand] >> suits[i]) & 1:
            return False
    return True


@jit
def count_deals(
    counts: np.ndarray, sizes: np.ndarray, voids: np.ndarray, ways: np.ndarray
) -> float:
    """Return in how many ways cards, so many of each suit, can be dealt to hands.

    ``ways``, float64 (hands + 1, n), is filled for `draw_hand`; `room_for` says how large n is.
    """
    hands = len(sizes)
    for place in range(ways.shape[1]):
        ways[hands, place] = 0.0
    ways[hands, 0] = 1.0
    left = 0
    second, third = counts[1] + 1, counts[2] + 1
    for hand in range(hands - 1, -1, -1):
        left += sizes[hand]
        for a in range(counts[0] + 1):
            for b in range(counts[1] + 1):
                for c in range(counts[2] + 1):
                    d = left - a - b - c
                    found = 0.0
                    if 0 <= d <= counts[3]:
                        found = _count_hand(a, b, c, d, hand, sizes, voids, ways, second, third)
                    ways[hand, (a * second + b) * third + c] = found
    return ways[0, (counts[0] * second + counts[1]) * third + counts[2]]


@jit
def room_for(counts: np.ndarray) -> int:
    """Return how many entries each row of ``ways`` needs."""
    return (counts[0] + 1) * (counts[1] + 1) * (counts[2] + 1)


@jit
def _most(voids: int, suit: int, cards: int) -> int:
    return 0 if (voids >> suit) & 1 else cards


@jit
def _count_hand(
    a: int,
    b: int,
    c: int,
    d: int,
    hand: int,
    sizes: np.ndarray,
    voids: np.ndarray,
    ways: np.ndarray,
    second: int,
    third: int,
) -> float:
    """In how many ways this hand and those after it are dealt a, b, c and d cards of the suits."""
    size, void = sizes[hand], voids[hand]
    found = 0.0
    for i in range(min(_most(void, 0, a), size) + 1):
        for j in range(min(_most(void, 1, b), size - i) + 1):
            for k in range(min(_most(void, 2, c), size - i - j) + 1):
                rest = size - i - j - k
                if rest <= _most(void, 3, d):
                    later = ways[hand + 1, ((a - i) * second + b - j) * third + c - k]
                    if later:
                        found += (
                            BINOMIALS[a, i] * BINOMIALS[b, j] * BINOMIALS[c, k] * BINOMIALS[d, rest]
                        ) * later
    return found


@jit
def draw_share(s: State) -> float:
    """Return a random number from 0 up to, not with, 1."""
    return (random_below(s, PRECISION) + random_below(s, PRECISION) / PRECISION) / PRECISION


@jit
def draw_hand(
    s: State,
    left: np.ndarray,
    hand: int,
    sizes: np.ndarray,
    voids: np.ndarray,
    ways: np.ndarray,
    second: int,
    third: int,
    taken: np.ndarray,
) -> None:
    """Write to ``taken`` (4,) how many cards of each suit a hand gets, of those ``left``."""
    a, b, c, d = left[0], left[1], left[2], left[3]
    size, void = sizes[hand], voids[hand]
    share = draw_share(s) * ways[hand, (a * second + b) * third + c]
    for i in range(min(_most(void, 0, a), size) + 1):
        for j in range(min(_most(void, 1, b), size - i) + 1):
            for k in range(min(_most(void, 2, c), size - i - j) + 1):
                rest = size - i - j - k
                if rest > _most(void, 3, d):
                    continue
                later = ways[hand + 1, ((a - i) * second + b - j) * third + c - k]
                weight = (
                    BINOMIALS[a, i] * BINOMIALS[b, j] * BINOMIALS[c, k] * BINOMIALS[d, rest]
                ) * later
                if weight > 0.0:
                    taken[0], taken[1], taken[2], taken[3] = i, j, k, rest
                    share -= weight
                    if share < 0.0:
                        return


@jit
def deal_counted(
    s: State, suits: np.ndarray, sizes: np.ndarray, voids: np.ndarray, holders: np.ndarray
) -> None:
    """Deal by the counts; some deal must fit."""
    counts, taken = np.zeros(SUITS, np.int64), np.zeros(SUITS, np.int64)
    for i in range(len(suits)):
        counts[suits[i]] += 1
        holders[i] = -1
    second, third = counts[1] + 1, counts[2] + 1
    ways = np.empty((len(sizes) + 1, room_for(counts)), np.float64)
    count_deals(counts, sizes, voids, ways)
    for hand in range(len(sizes)):
        draw_hand(s, counts, hand, sizes, voids, ways, second, third, taken)
        for suit in range(SUITS):
            for _ in range(taken[suit]):
                skip = random_below(s, counts[suit])
                counts[suit] -= 1
                for i in range(len(suits)):
                    if suits[i] == suit and holders[i] < 0:
                        if skip == 0:
                            holders[i] = hand
                            break
                        skip -= 1


@jit
def deal_unseen(
    s: State, suits: np.ndarray, sizes: np.ndarray, voids: np.ndarray, holders: np.ndarray
) -> None:
    """Write to ``holders`` (n,) which hand each of n cards is dealt to; some deal must fit.

    ``suits`` (n,) are those of the cards; ``sizes`` (hands,), n together, say how many each hand
    gets; ``voids`` (hands,) are sets of suits that it cannot have. The generator of ``s`` draws.
    """
    for _ in range(TRIES):
        if try_deal(s, suits, sizes, voids, holders):
            return
    deal_counted(s, suits, sizes, voids, holders)


@jit
def deal_secret(
    s: State,
    suits: np.ndarray,
    sizes: np.ndarray,
    voids: np.ndarray,
    possible: np.ndarray,
    holders: np.ndarray,
) -> int:
    """Draw which of several suppositions holds, and deal as `deal_unseen`; return which one.

    ``voids`` (k, hands) are what cannot be by each of them, ``possible`` (k,) says which can be at
    all. A supposition is drawn as often as there are deals that fit it.
    """
    for _ in range(TRIES):
        drawn = random_below(s, len(possible))
        if possible[drawn] and try_deal(s, suits, sizes, voids[drawn], holders):
            return drawn
    counts = np.zeros(SUITS, np.int64)
    for i in range(len(suits)):
        counts[suits[i]] += 1
    ways = np.empty((len(sizes) + 1, room_for(counts)), np.float64)
    weights = np.zeros(len(possible), np.float64)
    for k in range(len(possible)):
        if possible[k]:
            weights[k] = count_deals(counts, sizes, voids[k], ways)
    share = draw_share(s) * weights.sum()
    drawn = -1
    for k in range(len(possible)):
        if weights[k] > 0.0 and share >= 0.0:
            drawn = k
            share -= weights[k]
    deal_counted(s, suits, sizes, voids[drawn], holders)
    return drawn
