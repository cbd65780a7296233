"""Seven Twenty-Seven: the value of a hand for each target, and the division of the pot.

The rank of a hand measures how near its best total is to a target. Smaller ranks are nearer.
"""

import numpy as np

from ...core.batch import Over
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.kernel.table import wrap_seat
from ...core.type_aliases import CardCode, RulesRecord, Seat, State
from .rules import ACE_MORE, CLASSES, FACE, SEATS, SEVEN, TWENTY_SEVEN, BothTie, Declare, Nearness

_WHOLE = [2 * (kind + 1) for kind in range(FACE)] + [1]
HALF_POINTS = np.array([_WHOLE, [*_WHOLE[: FACE - 1], 1, 1]], np.int64)
"""Half points of each class of cards with low aces, by default and with half tens."""
TARGETS = np.array([SEVEN, TWENTY_SEVEN], np.int64)
"""Targets of the sides: 0 is 7, 1 is 27."""
NO_TOTAL = 2048
"""The rank of a hand that cannot win a side."""
LOWEST_BUST = TWENTY_SEVEN + 1
"""With ``over_is_bust``, a hand with this lowest total or a higher one can win nothing."""

assert HALF_POINTS.shape == (2, CLASSES)


@jit
def class_of(card: CardCode) -> int:
    """Return the class of a card: 0 for an ace, 1 to 9 for 2 to 10, `FACE` for a face card."""
    return min((card >> 2) - 1, FACE)


@jit
def is_favoured(total: int, side: int, nearness: int) -> bool:
    """Return whether a total beats a total at the same distance on the other side of the target."""
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
    """Return the best total of a hand for a side as ``2 * rank + above``.

    ``low`` is the lowest total of the hand. Each ace can count `ACE_MORE` more. The rank is twice
    the distance in half points, plus 1 for a total that is not favored, or `NO_TOTAL` if no total
    can win. Of totals with equal ranks the lowest counts. ``above`` is 1 if the total is above the
    target.
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
    """Write the ranks of a seat's hand for both targets."""
    aces, low = s["cards"][seat][0], s["low"][seat]
    for side in range(2):
        best = best_total(aces, low, side, rules.nearness)
        s["rank"][seat][side] = best >> 1
        s["above"][seat][side] = best & 1


ACE_CLASS, FIVE_CLASS = 0, 4
SAYS_7, SAYS_27 = 1, 2
"""A declaration is a set of these sides."""


@jit
def split_among_tied(s: State, rules: RulesRecord, chips: int, winners: int) -> None:
    """Divide chips among a set of seats. Odd chips go one by one from the dealer's left on."""
    num_winners = count(winners)
    share, odd_chips = chips // num_winners, chips % num_winners
    for k in range(1, rules.players + 1):
        seat = wrap_seat(s["dealer"] + k, rules.players)
        if (winners >> seat) & 1:
            s["net"][seat] += share + (odd_chips > 0)
            odd_chips -= odd_chips > 0


@jit
def nearest_seats(s: State, seats: int, side: int) -> int:
    """Return the subset of seats that are nearest to 7 (side 0) or 27 and can win this side."""
    best, nearest = NO_TOTAL, 0
    for seat in range(SEATS):
        if (seats >> seat) & 1:
            rank = s["rank"][seat][side]
            if rank < best:
                best, nearest = rank, 0
            if rank == best and rank < NO_TOTAL:
                nearest |= 1 << seat
    return nearest


@jit
def declared_seats(s: State, side: int) -> int:
    """Return the set of seats still in that have declared a side, possibly with the other side."""
    seats = 0
    for seat in range(SEATS):
        if (s["live"] >> seat) & 1 and s["said"][seat] & side:
            seats |= 1 << seat
    return seats


@jit
def show_declarations(s: State) -> None:
    """Make the declarations of all seats still in public."""
    for seat in range(SEATS):
        if (s["live"] >> seat) & 1:
            s["seats"][seat]["declared"] = s["said"][seat]


@jit
def perfect_seats(s: State) -> int:
    """Return the set of seats still in whose cards are a five and two aces."""
    seats = 0
    for seat in range(SEATS):
        cards = s["cards"][seat]
        num_cards = 0
        for kind in range(CLASSES):
            num_cards += cards[kind]
        if (
            (s["live"] >> seat) & 1
            and num_cards == 3
            and cards[ACE_CLASS] == 2
            and cards[FIVE_CLASS] == 1
        ):
            seats |= 1 << seat
    return seats


@jit
def winning_both_seats(s: State, rules: RulesRecord, tries_7: int, tries_27: int) -> int:
    """Return the set of seats that declared both sides and win both.

    ``tries_7`` and ``tries_27`` are the sets of seats that declared each side.
    """
    nearest_7, nearest_27 = nearest_seats(s, tries_7, 0), nearest_seats(s, tries_27, 1)
    winners = tries_7 & tries_27 & nearest_7 & nearest_27
    if rules.both_tie == BothTie.SHARES or (
        winners == nearest_7 == nearest_27 and winners & (winners - 1) == 0
    ):
        return winners
    return 0


@jit
def show_hands(s: State) -> None:
    """Turn up the cards and declarations of all seats still in."""
    for place in range(s["next"]):
        if (s["live"] >> (s["owner"][place] - 1)) & 1:
            s["up"] |= 1 << place
    for seat in range(SEATS):
        if (s["live"] >> seat) & 1:
            public = s["seats"][seat]
            public["hidden"] = 0
            for kind in range(FACE):
                public["up"][kind] = s["cards"][seat][kind]
            public["up_faces"] = s["cards"][seat][FACE]
    show_declarations(s)


@jit
def find_shares(s: State, rules: RulesRecord) -> tuple[int, int, int]:
    """Return the seats that share the side of 7, the seats that share 27, and the chips of 7.

    Both sets are empty if nobody wins a side. Perfect hands take the whole pot as the side of 7.
    """
    perfect = perfect_seats(s) if rules.perfect else 0
    if perfect:
        return perfect, perfect, s["pot"]
    tries_7 = tries_27 = s["live"]
    if rules.declare != Declare.CARDS_SPEAK:
        tries_7, tries_27 = declared_seats(s, SAYS_7), declared_seats(s, SAYS_27)
        losers = tries_7 & tries_27 & ~winning_both_seats(s, rules, tries_7, tries_27)
        tries_7, tries_27 = tries_7 & ~losers, tries_27 & ~losers
    winners_7, winners_27 = nearest_seats(s, tries_7, 0), nearest_seats(s, tries_27, 1)
    if winners_7 and winners_27:
        return winners_7, winners_27, s["pot"] // 2
    return winners_7, winners_27, s["pot"] if winners_7 else 0


@jit
def split_pot_by_sides(s: State, rules: RulesRecord) -> None:
    """Divide the pot between the seats nearest to 7 and to 27."""
    show_hands(s)
    winners_7, winners_27, chips_7 = find_shares(s, rules)
    if winners_7:
        split_among_tied(s, rules, chips_7, winners_7)
    if winners_27:
        split_among_tied(s, rules, s["pot"] - chips_7, winners_27)
    if not winners_7 | winners_27:
        split_among_tied(s, rules, s["pot"], s["live"])


@jit
def finish_hand(s: State, rules: RulesRecord) -> None:
    """End the hand. The last seat still in takes the pot, or there is a showdown."""
    if s["live"] & (s["live"] - 1) == 0:
        split_among_tied(s, rules, s["pot"], s["live"])
    else:
        split_pot_by_sides(s, rules)
    for seat in range(rules.players):
        s["net"][seat] -= s["paid"][seat]
    s["over"] = Over.TERMINATED
    s["won"] = s["net"][0] > 0
    s["legal"] = 0
