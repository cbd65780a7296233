"""What stands on the tables of games of partners: who plays together, and what sides have taken."""

from collections.abc import Sequence
from typing import Any

from ..batch import FINISHED


def name_seat(s: Any, seat: int, sides: Sequence[int]) -> str:
    """Who a seat is to the viewer: a star for the one at turn, a D for the dealer."""
    name = f"partner, seat {seat}" if sides[seat] == sides[s["viewer"]] else f"seat {seat}"
    name = f"you, seat {seat}" if seat == s["viewer"] else name
    name += " D" if seat == s["dealer"] else ""
    return name + (" *" if s["over"] not in FINISHED and seat == s["turn"] else "")


def count_word(number: Any, word: str) -> str:
    """Write so many of something."""
    return f"{int(number)} {word}" if number == 1 else f"{int(number)} {word}s"


def tell_points(s: Any, sides: Sequence[int], target: Any) -> str:
    """What each side has taken; behind it, for the bidder's, the ``target`` that it must take."""
    points = [0, 0]
    for seat, number in enumerate(sides):
        points[number == sides[s["viewer"]]] += int(s["seats"][seat]["points"])
    others, own = map(str, points)
    if sides[s["bidder"]] == sides[s["viewer"]]:
        own += f" of {int(target)}"
    else:
        others += f" of {int(target)}"
    return f"points: your side {own}, the others {others}"
