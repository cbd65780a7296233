"""Sampling of unseen hands: random deals to hands that are known to lack some suits.

All consistent deals are equally likely. The sampler first tries random deals, most of which are
consistent if little is known. Otherwise it counts the consistent deals, hand by hand. The number of
ways to deal to the remaining hands depends only on the number of cards left in each suit, because a
void excludes all cards of a suit. The counts give the probabilities of the number of cards of each
suit in a hand, and the cards themselves are then drawn from the suit.
"""

import math

import numpy as np

from ..kernel.jit import jit
from ..kernel.rng import random_below
from ..type_aliases import State

SUITS = 4
TRIES = 40
"""Number of random deals to try before counting."""
BINOMIALS = np.array([[math.comb(n, k) for k in range(17)] for n in range(17)], np.float64)
"""Binomial coefficients [n][k], up to 16: ways to take k of n cards of a suit."""
PRECISION = 1 << 30


@jit
def try_deal(
    s: State, suits: np.ndarray, sizes: np.ndarray, voids: np.ndarray, holders: np.ndarray
) -> bool:
    """Deal the cards at random, and return whether the deal is consistent with the voids."""
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
    """Return the table for `count_deals`, with entries by hand and by numbers of cards left.

    Args:
        counts: Number of cards of each suit, int64 (4,).
        hands: Number of hands.

    Returns:
        Zeros, float64 (hands + 1, counts[0] + 1, counts[1] + 1, counts[2] + 1). The number of cards
        left in the fourth suit follows from the others.
    """
    return np.zeros((hands + 1, counts[0] + 1, counts[1] + 1, counts[2] + 1), np.float64)


@jit
def count_deals(
    counts: np.ndarray, sizes: np.ndarray, voids: np.ndarray, ways: np.ndarray
) -> float:
    """Return the number of ways to deal cards, ``counts`` of each suit, to the hands.

    The kernel writes into ``ways`` the number of ways to deal the cards that are left to each hand
    and the following hands.
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
    """Count the ways to deal to a hand and the following hands, all of them or up to ``stop``.

    Args:
        a: Number of cards left in the first suit.
        b: Number of cards left in the second suit.
        c: Number of cards left in the third suit.
        d: Number of cards left in the fourth suit.
        size: Number of cards of this hand.
        voids: Set of suits that the hand lacks.
        later: Number of ways to deal the remaining cards to the following hands.
        stop: Number of ways to count; `numpy.inf` for all.
        share: Receives the number of cards of each suit in the hand at ``stop``, int64 (4,).

    Returns:
        The number of ways counted.
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
    """Return a random number in [0, 1)."""
    return (random_below(s, PRECISION) + random_below(s, PRECISION) / PRECISION) / PRECISION


@jit
def deal_counted(
    s: State, suits: np.ndarray, sizes: np.ndarray, voids: np.ndarray, holders: np.ndarray
) -> None:
    """Deal by counting; a consistent deal must exist. See `deal_unseen`."""
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
    """Deal unseen cards at random; a consistent deal must exist.

    Args:
        s: The state whose generator draws.
        suits: Suit of each card, int64 (n,).
        sizes: Number of cards of each hand, int64 (hands,), n in total.
        voids: Set of suits that each hand lacks, int64 (hands,).
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
    """Draw one of several hypotheses, deal the cards consistently, and return its index.

    The probability of a hypothesis is proportional to the number of consistent deals.

    Args:
        s: The state whose generator draws.
        suits: See `deal_unseen`.
        sizes: See `deal_unseen`.
        voids: Set of suits that each hand lacks, for each hypothesis, (k, hands).
        possible: Whether each hypothesis is possible, (k,).
        holders: See `deal_unseen`.
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
