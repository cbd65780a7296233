"""Unseen hands: dealing cards to holders of which it is known that they lack some suits.

Every deal that fits is equally likely. A few deals are tried first: if little is known, most fit.
Otherwise the ways to deal are counted, hand by hand: how many there are from some hand on depends
only on how many cards of each suit are left, since the cards of a suit are alike to a void. How
many cards of each suit a hand gets is drawn by these counts, and then its cards of the suit.
"""

import math

import numpy as np

from ..kernel.jit import jit
from ..kernel.rng import random_below
from ..type_aliases import State

SUITS = 4
TRIES = 40
"""Deals that are tried before the ways are counted."""
BINOMIALS = np.array([[math.comb(n, k) for k in range(17)] for n in range(17)], np.float64)
"""In how many ways k of n cards of a suit, 16 at most, can be taken: [n][k]."""
PRECISION = 1 << 30


@jit
def try_deal(
    s: State, suits: np.ndarray, sizes: np.ndarray, voids: np.ndarray, holders: np.ndarray
) -> bool:
    """Deal the cards at random, and return whether no hand has a suit that it lacks."""
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
def make_ways(counts: np.ndarray, hands: int) -> np.ndarray:
    """Return room for `count_deals`: for each hand, and one more, and all numbers of cards left.

    Args:
        counts: How many cards there are of each suit, int64 (4,).
        hands: The number of hands.

    Returns:
        Zeros, float64 (hands + 1, counts[0] + 1, counts[1] + 1, counts[2] + 1). How many cards are
        left of the fourth suit follows from the others.
    """
    return np.zeros((hands + 1, counts[0] + 1, counts[1] + 1, counts[2] + 1), np.float64)


@jit
def count_deals(
    counts: np.ndarray, sizes: np.ndarray, voids: np.ndarray, ways: np.ndarray
) -> float:
    """Return in how many ways cards, ``counts`` of each suit, can be dealt to hands.

    Writes to ``ways`` in how many ways the cards left can be dealt to each hand and those after it.
    """
    hands, unused = len(sizes), np.empty(SUITS, np.int64)
    ways[hands, 0, 0, 0] = 1.0
    left = 0
    for hand in range(hands - 1, -1, -1):
        left += sizes[hand]
        for a in range(counts[0] + 1):
            for b in range(counts[1] + 1):
                for c in range(counts[2] + 1):
                    d = left - a - b - c
                    total = 0.0
                    if 0 <= d <= counts[3]:
                        total = _go_through_shares(
                            a, b, c, d, sizes[hand], voids[hand], ways[hand + 1], np.inf, unused
                        )
                    ways[hand, a, b, c] = total
    return ways[0, counts[0], counts[1], counts[2]]


@jit
def _most(voids: int, suit: int, cards: int) -> int:
    return 0 if (voids >> suit) & 1 else cards


@jit
def _go_through_shares(
    a: int,
    b: int,
    c: int,
    d: int,
    size: int,
    voids: int,
    later: np.ndarray,
    stop: float,
    share: np.ndarray,
) -> float:
    """Count the ways to deal to a hand and those after it, all or up to one of them.

    Args:
        a: The number of cards left of the first suit; b, c, d: of the other suits.
        b: See a.
        c: See a.
        d: See a.
        size: The number of cards of this hand.
        voids: The set of suits that it lacks.
        later: In how many ways the cards that it leaves can be dealt to the hands after it.
        stop: The number of the way to stop at, `numpy.inf` to count all ways.
        share: Receives how many cards of each suit the hand has in that way, int64 (4,).

    Returns:
        The number of ways gone through.
    """
    total = 0.0
    for i in range(min(_most(voids, 0, a), size) + 1):
        for j in range(min(_most(voids, 1, b), size - i) + 1):
            for k in range(min(_most(voids, 2, c), size - i - j) + 1):
                rest = size - i - j - k
                if rest > _most(voids, 3, d):
                    continue
                ways = later[a - i, b - j, c - k]
                if ways == 0.0:
                    continue
                ways *= BINOMIALS[a, i] * BINOMIALS[b, j] * BINOMIALS[c, k] * BINOMIALS[d, rest]
                total += ways
                if stop < np.inf:
                    share[0], share[1], share[2], share[3] = i, j, k, rest
                    stop -= ways
                    if stop < 0.0:
                        return total
    return total


@jit
def draw_share(s: State) -> float:
    """Return a random number from 0 to 1, 1 excluded."""
    return (random_below(s, PRECISION) + random_below(s, PRECISION) / PRECISION) / PRECISION


@jit
def deal_counted(
    s: State, suits: np.ndarray, sizes: np.ndarray, voids: np.ndarray, holders: np.ndarray
) -> None:
    """Deal by the counts; some deal must fit. See `deal_unseen`."""
    left, share = np.zeros(SUITS, np.int64), np.zeros(SUITS, np.int64)
    for i in range(len(suits)):
        left[suits[i]] += 1
        holders[i] = -1
    ways = make_ways(left, len(sizes))
    count_deals(left, sizes, voids, ways)
    for hand in range(len(sizes)):
        a, b, c, d = left[0], left[1], left[2], left[3]
        stop = draw_share(s) * ways[hand, a, b, c]
        _go_through_shares(a, b, c, d, sizes[hand], voids[hand], ways[hand + 1], stop, share)
        for suit in range(SUITS):
            for _ in range(share[suit]):
                skip = random_below(s, left[suit])
                left[suit] -= 1
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
    """Deal unseen cards, all deals that fit being equally likely; some deal must fit.

    Args:
        s: The state whose generator draws.
        suits: The suit of each card, int64 (n,).
        sizes: How many cards each hand gets, n together, int64 (hands,).
        voids: The set of suits that each hand lacks, int64 (hands,).
        holders: Receives the hand of each card, (n,).
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
    """Draw which of several suppositions holds, deal as `deal_unseen`, and return which it is.

    ``voids`` (k, hands) are the suits that hands lack by each of them, ``possible`` (k,) says which
    can hold at all. A supposition is drawn as often as there are deals that fit it.
    """
    for _ in range(TRIES):
        drawn = random_below(s, len(possible))
        if possible[drawn] and try_deal(s, suits, sizes, voids[drawn], holders):
            return drawn
    counts = np.zeros(SUITS, np.int64)
    for i in range(len(suits)):
        counts[suits[i]] += 1
    ways = make_ways(counts, len(sizes))
    weights = np.zeros(len(possible), np.float64)
    for k in range(len(possible)):
        if possible[k]:
            weights[k] = count_deals(counts, sizes, voids[k], ways)
    stop = draw_share(s) * weights.sum()
    drawn = -1
    for k in range(len(possible)):
        if weights[k] > 0.0 and stop >= 0.0:
            drawn = k
            stop -= weights[k]
    deal_counted(s, suits, sizes, voids[drawn], holders)
    return drawn
