"""Seven Twenty-Seven: what cards count, and how near a hand is to a target."""

import numpy as np

from ...core.aliases import CardCode, RulesRecord, Seat, State
from ...core.kernel.jit import jit
from .rules import ACE_MORE, CLASSES, FACE, SEVEN, TWENTY_SEVEN, Nearness

_WHOLE = [2 * (kind + 1) for kind in range(FACE)] + [1]
HALF_POINTS = np.array([_WHOLE, [*_WHOLE[: FACE - 1], 1, 1]], np.int64)
"""Half points of each class of cards, the ace low: as usual, and where tens count a half."""
TARGETS = np.array([SEVEN, TWENTY_SEVEN], np.int64)
"""Of the sides 0 and 1."""
NO_TOTAL = 2048
"""The rank of a hand that cannot win a side."""
LOWEST_BUST = TWENTY_SEVEN + 1
"""From this lowest total on a hand can win nothing where over is bust."""

assert HALF_POINTS.shape == (2, CLASSES)


@jit
def class_of(card: CardCode) -> int:
    """The class of a card: 0 ace, 1 to 9 the cards 2 to 10, `FACE`."""
    return min((card >> 2) - 1, FACE)


@jit
def is_favoured(total: int, side: int, nearness: int) -> bool:
    """Whether a total wins against one as far off on the other side of the target."""
    above = total > TARGETS[side]
    if nearness == Nearness.UNDER_BEATS_OVER:
        return not above
    if nearness == Nearness.OVER_BEATS_UNDER:
        return above
    inside = above if side == 0 else total < TARGETS[side]
    if nearness == Nearness.INSIDE_BEATS_OUTSIDE:
        return inside
    return nearness == Nearness.OUTSIDE_BEATS_INSIDE and not inside


@jit
def best_total(aces: int, low: int, side: int, nearness: int) -> int:
    """How good the best total of a hand is: ``2 * rank + above``, the smaller rank the nearer.

    ``low`` is its lowest total, from which each ace can count `ACE_MORE`. Rank is twice the
    distance in half points, and one more for a total that is not favoured; `NO_TOTAL` if none may
    win. Of totals of equal rank the lower stands.
    """
    target = TARGETS[side]
    best = 2 * NO_TOTAL
    for elevens in range(aces + 1):
        total = low + ACE_MORE * elevens
        above = total > target
        if above and nearness == Nearness.OVER_IS_BUST:
            break
        rank = 2 * abs(total - target) + (not is_favoured(total, side, nearness))
        if rank < best >> 1:
            best = 2 * rank + above
    return best


@jit
def write_ranks(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Work out what a seat's cards are worth for either target."""
    aces, low = s["cards"][seat][0], s["low"][seat]
    for side in range(2):
        best = best_total(aces, low, side, rules.nearness)
        s["rank"][seat][side] = best >> 1
        s["above"][seat][side] = best & 1
