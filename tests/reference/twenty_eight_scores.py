"""Twenty-Eight: how the bid counts, what a hand is worth, and when it is decided. Used by
`twenty_eight`, in whose header the readings are listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.twenty_eight_cards import ALL_POINTS
from tests.reference.twenty_eight_options import Options

if TYPE_CHECKING:
    from tests.reference.twenty_eight_table import Table

STAKES = {  # from this number: made, lost
    "one": [(0, 1, 1)],
    "steps": [(0, 1, 2), (20, 2, 3), (25, 3, 4)],
    "graded": [(0, 1, 2), (20, 2, 3), (24, 3, 4), (28, 4, 5)],
}
SINGLE_STAKE = 3  # if it is won
PAIR = 4


def lowered(number: int, options: Options) -> int:
    """What the bid counts when the bidder's side has shown the pair."""
    if number < options.pair_from:
        return number
    return max(number - PAIR, options.min_bid)


def raised(number: int) -> int:
    """What the bid counts when the others have shown the pair."""
    return max(number, min(number + PAIR, ALL_POINTS))


def change(
    options: Options,
    number: int,
    made: bool,
    doubles: int,
    all_tricks: bool,
    is_set: bool = False,
    below_half: bool = False,
) -> int:
    """What the score of the bidder's side changes by.

    number: the bid as it was made. doubles: 0, 1 doubled, 2 redoubled. all_tricks: whether the
    bidder's side has won them all. is_set: whether a redoubled bid was set. below_half: whether the
    side has taken less than half of the number.
    """
    _, if_made, if_lost = [each for each in STAKES[options.scoring] if each[0] <= number][-1]
    if 0 < options.highest_stake < if_made:
        if_made, if_lost = options.highest_stake, options.highest_stake + 1
    stake: int = (if_made if made else -if_lost) * (6 if is_set else 2**doubles)
    if options.auto_double and number >= options.auto_double:
        stake *= 2
    if options.cot and all_tricks:
        stake *= 2
    if options.half_lost and not made and below_half:
        stake *= 2
    return stake


def is_decided(table: Table) -> bool:
    """Whether everybody can see that nothing changes the score any more."""
    winners = [trick.winner for trick in table.tricks if trick.winner is not None]
    if table.single is not None:
        return any(winner != table.single for winner in winners)
    number, bidder, options = table.number, table.bidder, table.options
    if number is None or bidder is None or (options.never_shown == "void" and not table.shown):
        return False
    lowest = highest = table.counts or number
    if _is_pair_to_come(table):
        lowest, highest = lowered(number, options), raised(number)
    left = ALL_POINTS + options.last_trick - sum(table.points)
    taken = table.points[table.side(bidder)]
    if taken + left < lowest:
        is_half_known = taken >= number / 2 or taken + left < number / 2
        return is_half_known or not options.half_lost
    won_all = all(table.is_bidders_side(winner) for winner in winners)
    return taken >= highest and not (options.cot and won_all)


def _is_pair_to_come(table: Table) -> bool:
    """Whether a pair may still be shown, for all that everybody knows."""
    if not table.options.pair or table.pair is not None:
        return False
    if not table.shown:
        return True
    played = [card for trick in table.tricks for card in trick.cards()]
    return table.trump is not None and not {"K" + table.trump, "Q" + table.trump} & set(played)
