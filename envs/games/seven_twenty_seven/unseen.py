"""Seven Twenty-Seven: the cards that a seat does not see, and hands dealt from them by chance.

Only what cards count matters here, so they lie on rungs, the least first: halves, aces, 2s … 10s.
How many lie on a rung or below it takes a byte, and all these bytes are two numbers: one
multiplication compares a random number with all of them, which finds the rung of a card without a
branch, at about 5 nanoseconds a card.

A hand is one number too: its lowest total, and `ACE` for each ace.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.aliases import RulesRecord, Seat, State
from ...core.kernel.bits import count
from ...core.kernel.jit import jit, plain_python
from ...core.kernel.rng import GAMMA, WORD_MASK, finish_word, plain_finish
from .rules import CLASSES, FACE, MINI, TWENTY_SEVEN, Nearness
from .totals import HALF_POINTS, best_total

COPIES = np.array([[4] * FACE + [12], [0] * CLASSES], np.int64)
"""Cards of each class in a pack."""
for _card in MINI:
    COPIES[1, (_card >> 2) - 1] += 1

RUNGS = 11
BYTE, BITS = 8, 255
LOWER, UPPER = 7, 4
"""Rungs in either number; the sign bit stays free."""
ONES = sum(1 << BYTE * k for k in range(LOWER))
UPPER_ONES = sum(1 << BYTE * k for k in range(UPPER))
TOPS, UPPER_TOPS = ONES << 7, UPPER_ONES << 7
TOP = 128
LAST = BYTE * (UPPER - 1)

ACES = 10
ACE, LOW = 1 << ACES, (1 << ACES) - 1
COUNTS = np.array([1, 2 + ACE, *range(4, 22, 2)], np.int64)
"""What a card of each rung adds to a hand."""
HIGHEST = 20
LESS = np.array([ONES & -(1 << BYTE * k) for k in range(LOWER)] + [0] * UPPER, np.int64)
UPPER_LESS = np.array(
    [UPPER_ONES] * LOWER + [UPPER_ONES & -(1 << BYTE * k) for k in range(UPPER)], np.int64
)
"""What a card of each rung takes from either number."""

DRAW_BITS = 15
DRAW_MASK = (1 << DRAW_BITS) - 1
MARK = 1 << 60
"""Stands above the random bits that are left, four draws of 15: chances are right to 0.2%."""
S4 = np.uint64(4)

RANK = 4095
RANKS = 12
GOES_ON = 1 << 2 * RANKS
NEAR_7, NEAR_27 = 3, 6
"""So many half points from a target, or fewer, a hand takes no more cards in what is played on."""
KNOWN = 64


class Pool(NamedTuple):
    """Cards by rungs, and random bits to draw them with."""

    lower: int
    upper: int
    bits: int
    seed: int


def _make_rank_table() -> np.ndarray:
    """What `rank_totals` finds for lowest totals below `KNOWN`: [nearness, aces, lowest total]."""
    best = plain_python(best_total)
    found = np.zeros((len(Nearness), 5, KNOWN), np.int64)
    for nearness, aces, low in np.ndindex(found.shape):
        seven, other = (int(best(aces, low, side, nearness)) >> 1 for side in range(2))
        goes_on = low < TWENTY_SEVEN and seven >> 1 > NEAR_7 and other >> 1 > NEAR_27
        found[nearness, aces, low] = seven | other << RANKS | goes_on * GOES_ON
    return found


RANK_TABLE = _make_rank_table()


@jit
def rank_totals(hand: int, nearness: int) -> int:
    """The ranks of a hand for 7 and, `RANKS` bits higher, for 27; and whether it `GOES_ON`."""
    low, aces = hand & LOW, hand >> ACES
    if low < KNOWN:
        return RANK_TABLE[nearness, aces, low]
    other = best_total(aces, low, 1, nearness) >> 1
    return (best_total(aces, low, 0, nearness) >> 1) | other << RANKS


def _plain_hash_number(n: int) -> int:
    return plain_finish((int(n) * int(GAMMA)) & WORD_MASK) >> 4


@jit(twin=_plain_hash_number)
def hash_number(n: int) -> int:
    """A random number of 60 bits for each number."""
    return np.int64(finish_word(np.uint64(n) * GAMMA) >> S4)  # type: ignore[return-value]


@jit
def count_up_to(pool: Pool, rung: int) -> int:
    """How many cards lie on a rung or below it."""
    if rung < LOWER:
        return (pool.lower >> (BYTE * rung)) & BITS
    return pool.upper >> (BYTE * (rung - LOWER)) & BITS


@jit
def pool_size(pool: Pool) -> int:
    """How many cards there are."""
    return pool.upper >> LAST


@jit
def count_on_rung(pool: Pool, rung: int) -> int:
    """How many cards lie on a rung."""
    return count_up_to(pool, rung) - (count_up_to(pool, rung - 1) if rung else 0)


@jit
def rung_of_card(pool: Pool, n: int) -> int:
    """The rung of card n, counted from 0 and from the lowest rung."""
    top = n | TOP
    return count((ONES * top - pool.lower) & TOPS) + count(
        (UPPER_ONES * top - pool.upper) & UPPER_TOPS
    )


@jit
def remove_from_pool(pool: Pool, rung: int) -> Any:
    """The cards without one of a rung."""
    return Pool(pool.lower - LESS[rung], pool.upper - UPPER_LESS[rung], pool.bits, pool.seed)


@jit
def draw_from_pool(pool: Pool, lowest: int) -> Any:
    """Draw one of so many lowest cards: its rung, and the cards without it."""
    bits, seed = pool.bits, pool.seed
    if bits <= DRAW_MASK:
        seed += 1
        bits = hash_number(seed) | MARK
    rung = rung_of_card(pool, ((bits & DRAW_MASK) * lowest) >> DRAW_BITS)
    lower, upper = pool.lower - LESS[rung], pool.upper - UPPER_LESS[rung]
    return rung, Pool(lower, upper, bits >> DRAW_BITS, seed)


@jit
def make_pool(s: State, rules: RulesRecord, seat: Seat) -> Pool:
    """The cards that a seat does not see; their random bits come from what it sees alone."""
    lower = upper = 0
    for kind in range(CLASSES):
        left = COPIES[rules.pack, kind] - s["cards"][seat][kind]
        for other in range(rules.players):
            if other != seat:
                public = s["seats"][other]
                left -= public["up_faces"] if kind == FACE else public["up"][kind]
        rung = 0 if HALF_POINTS[rules.half_tens, kind] == 1 else kind + 1
        lower += left * LESS[rung]
        upper += left * UPPER_LESS[rung]
    seed = hash_number(hash_number(lower) ^ upper) ^ (s["low"][seat] + ACE * s["cards"][seat][0])
    for k in range(1, rules.players):
        other = seat + k if seat + k < rules.players else seat + k - rules.players
        if (s["live"] >> other) & 1:
            seed = hash_number(seed) ^ (k + 16 * s["seats"][other]["hidden"])
    return Pool(lower, upper, 1, seed)


@jit
def face_up_hand(s: State, rules: RulesRecord, seat: Seat) -> int:
    """The hand that the face-up cards of a seat make."""
    public = s["seats"][seat]
    hand = public["up_faces"] + ACE * public["up"][0]
    for kind in range(FACE):
        hand += HALF_POINTS[rules.half_tens, kind] * public["up"][kind]
    return hand


@jit
def cards_allowed(s: State, rules: RulesRecord, seat: Seat) -> int:
    """How many cards a seat may still take."""
    most = s["size"] - s["next"]
    if rules.max_stands and s["stands"][seat] >= rules.max_stands:
        return 0
    return min(most, rules.max_extra - s["taken"][seat]) if rules.max_extra else most


@jit
def fill_hand(hand: int, hidden: int, most: int, pool: Pool) -> Any:
    """Deal so many hidden cards to a hand, so that its lowest total stays within ``most``.

    Returns the hand, the cards left and a weight. Each card is drawn from those that leave room
    for the rest, and the weight, the product of their shares of all, makes up for it; 0 if there
    is none.
    """
    weight = 1.0
    for k in range(hidden):
        fit, there = pool_size(pool), pool_size(pool)
        room = most - (hand & LOW) - (hidden - 1 - k)
        if room < HIGHEST:
            fit = count_up_to(pool, room >> 1) if room > 0 else 0
            weight *= fit / max(there, 1)
        if fit == 0:
            return hand, pool, 0.0
        rung, pool = draw_from_pool(pool, fit)
        hand += COUNTS[rung]
    return hand, pool, weight


@jit
def draw_on(hand: int, most: int, nearness: int, pool: Pool) -> Any:
    """Let a hand take up to so many cards as long as it `GOES_ON`; return its look, cards left."""
    found = rank_totals(hand, nearness)
    while most > 0 and found & GOES_ON and pool_size(pool):
        rung, pool = draw_from_pool(pool, pool_size(pool))
        hand += COUNTS[rung]
        most -= 1
        found = rank_totals(hand, nearness)
    return found, pool
