"""Hands that agents play from every seat: which deal and hand, who sat where, what was done."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .action_log import Ended


class PlayedHands(NamedTuple):
    """Hands that have ended, k of them: of which deal, which hand of it, and what was played.

    ``places`` are those of the deals' seeds, ``hands`` count from 0, ``dealers`` are seats: int64
    (k,). ``who``, int64 (k, players), says which agent sat in a seat, 0 the one who plays from
    every seat, then the field as it was given. ``actions`` are those of all seats.
    """

    places: np.ndarray
    hands: np.ndarray
    dealers: np.ndarray
    who: np.ndarray
    actions: list[list[int]]
    states: np.ndarray


RecordHands = Callable[[PlayedHands], None]
"""Called as hands end."""


def log_hands(
    record: RecordHands | None,
    who: np.ndarray,
    dealers: np.ndarray,
    deals: np.ndarray,
    hands: int,
    places: np.ndarray,
) -> Ended | None:
    """Return what hands over the hands of some deals as they end; None where nobody asks for them.

    Rows are in the order of the deals, then of their hands, then of the seats of the one who plays
    from each; ``who``, int64 (n, players), and ``dealers``, int64 (n,), are theirs. ``places`` say
    which in ``who`` each of the agents given is.
    """
    if record is None:
        return None
    _, given = np.unique(places, return_index=True)
    seats = who.shape[1]

    def ended(rows: np.ndarray, actions: list[list[int]], states: np.ndarray) -> None:
        deal, hand = rows // (hands * seats), rows // seats % hands
        seated = given[who[rows]]
        record(PlayedHands(deals[deal], hand, dealers[rows], seated, actions, states))

    return ended
