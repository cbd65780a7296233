"""Klondike's solver: the cards of stock and waste that can be had from where one stands.

With any number of passes the redeal asks for a legal move since the last one. That never stands in
the way here: a card that can be had after it and can be played was in play in the pass before, at
the same place, or a move has been made in that pass.
"""

from ....core.kernel.bits import count, lowest
from ....core.kernel.jit import jit
from .frames import Search
from .position import Board


@jit
def list_reachable(board: Board, search: Search) -> int:
    """List the cards that can be had, in their order; return all cards of stock and waste as a set.

    A row of ``reach``: the card's number in the stock, the card as a set, the waste and the redeals
    left when it is taken, and whether that takes a redeal. A card that can be had in this pass is
    not listed for the next: that would leave the same, with a redeal less.

    The waste is written as 0 with any number of passes, if it is one that a pass from the beginning
    goes through, or all there is: then the same cards can be had as from the beginning.
    """
    draw, any_passes, reach, cards = (
        search["draw"],
        search["any_passes"],
        search["reach"],
        search["cards"],
    )
    redeal = any_passes or board.redeals > 0
    rest, last = board.stock, count(board.stock) - 1
    found, everything = 0, 0
    step, ahead = 0, -board.waste  # step: the place in its turn of a pass from the beginning
    for place in range(last + 1):
        number = lowest(rest)
        rest &= rest - 1
        card = cards[number]
        everything |= card
        turned = ahead == draw - 1
        now = turned or ahead == -1 or (place == last and ahead >= 0)
        if now or (redeal and (step == draw - 1 or place == last)):
            row = reach[found]
            row[0], row[1], row[2], row[3], row[4] = number, card, place, board.redeals, 0
            if any_passes and (step == 0 or place == last):
                row[2] = 0
            if not now:
                row[3] -= not any_passes
                row[4] = 1
            found += 1
        step = 0 if step == draw - 1 else step + 1
        ahead = 0 if turned else ahead + 1
    search["reached"] = found
    return everything
