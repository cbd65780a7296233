"""Suits named otherwise: games in which no suit is special are the same with suits exchanged."""

from collections.abc import Collection
from itertools import permutations
from typing import NamedTuple

import numpy as np

from .schema import Features

SUITS = 4


class SuitOrder(NamedTuple):
    """How an observation and its actions read with the suits in another order.

    An observation ``codes`` is then as good as ``codes[:, entries]`` with the entries ``named``
    replaced by ``codes_of[k, value]``, k by k; action a there is ``actions[a]`` here.
    """

    entries: np.ndarray
    """int64 (features.width,)."""
    actions: np.ndarray
    """int64 (actions,)."""
    named: np.ndarray
    """Entries whose values name cards or suits, int64 (k,)."""
    codes_of: np.ndarray
    """int8 (k, 128)."""


def list_suit_orders(
    features: Features,
    actions: int,
    ranks: int,
    first_suit_action: int,
    *,
    by_card: Collection[str],
    by_suit: Collection[str],
    cards: Collection[str],
    suits: Collection[str],
) -> tuple[SuitOrder, ...]:
    """Return the 23 other orders of four suits.

    Pieces ``by_card`` have an entry for each card, those ``by_suit`` (the last part of their names)
    one for each suit; the values of ``cards`` are 1 more than a card, those of ``suits`` 1 more
    than a suit; other values stay. Cards are numbered by suit and rank, and so are the first
    actions; the four from ``first_suit_action`` on name suits.
    """
    found = []
    for order in list(permutations(range(SUITS)))[1:]:
        new = np.array(order)  # of each suit what it becomes
        card = np.concatenate([suit * ranks + np.arange(ranks) for suit in new])
        old_card, old_suit = np.argsort(card), np.argsort(new)
        entries, named, codes_of = np.arange(features.width), [], []
        of_card, of_suit = np.arange(128, dtype=np.int8), np.arange(128, dtype=np.int8)
        of_card[1 : 1 + len(card)], of_suit[1 : 1 + SUITS] = 1 + card, 1 + new
        for piece in features.pieces:
            places = np.array(features.entry_range(piece.name))
            if piece.name in by_card:
                entries[places] = places[0] + old_card
            elif piece.name.split(".")[-1] in by_suit:
                entries[places] = places[0] + old_suit
            elif piece.name in cards or piece.name in suits:
                named += places.tolist()
                codes_of += [of_card if piece.name in cards else of_suit] * len(places)
        moved = np.arange(actions)
        moved[: len(card)] = old_card
        moved[first_suit_action : first_suit_action + SUITS] = first_suit_action + old_suit
        found.append(SuitOrder(entries, moved, np.array(named), np.array(codes_of)))
    return tuple(found)
