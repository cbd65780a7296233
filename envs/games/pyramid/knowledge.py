"""Pyramid: which cards the player knows, and how the cards that nobody has seen are resampled."""

import numpy as np

from ...core.aliases import RulesRecord, Seat, State, States
from ...core.game import HiddenCards
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import PACK_SIZE
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.schema import RANK, Piece
from .rules import KING, PILE, PYRAMID, TABLE


@jit
def reveal(s: State, position: int) -> None:
    """Turn up the card at a deck position. Everything the player learns passes through here."""
    if (s["seen"] >> position) & 1 == 0:
        card = s["deck"][position]
        s["seen"] |= 1 << position
        s["shown"]["pile_cards"][position - PYRAMID] = card
        s["shown"]["unseen"][(card >> 2) - 1] -= 1


@jit
def forget_positions(s: State, positions: int) -> None:
    """Forget which cards are at a set of deck positions."""
    s["seen"] &= ~positions
    shown = s["shown"]
    while positions:
        position = lowest(positions)
        positions &= positions - 1
        shown["pile_cards"][position - PYRAMID] = 0
        shown["unseen"][(s["deck"][position] >> 2) - 1] += 1


@jit
def show_known(s: State) -> None:
    """Write the known cards into the observation, given the options and ``seen``."""
    shown = s["shown"]
    for value in range(KING):
        shown["unseen"][value] = 4
    for position in range(PACK_SIZE):
        is_known = (s["seen"] >> position) & 1
        card = s["deck"][position]
        if is_known:
            shown["unseen"][(card >> 2) - 1] -= 1
        if position >= PYRAMID:
            in_extra_row = position < TABLE and shown["extra_row"]
            shown["pile_cards"][position - PYRAMID] = card if is_known and not in_extra_row else 0


@jit
def sort_positions(s: State, positions: int) -> None:
    """Put the cards at a set of deck positions into the order of their codes."""
    cards = 0
    rest = positions
    while rest:
        cards |= 1 << s["deck"][lowest(rest)]
        rest &= rest - 1
    while positions:
        s["deck"][lowest(positions)] = lowest(cards)
        cards &= cards - 1
        positions &= positions - 1


@jit
def shuffle_positions(s: State, positions: int) -> None:
    """Put the cards at a set of deck positions into a random order."""
    while positions:
        other = positions
        for _ in range(random_below(s, count(positions))):
            other &= other - 1
        first, swap = lowest(positions), lowest(other)
        card = s["deck"][first]
        s["deck"][first] = s["deck"][swap]
        s["deck"][swap] = card
        positions &= positions - 1


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Resample the stock cards whose place the player does not know.

    The cards are sorted first, so that the result does not depend on where they are.
    """
    unknown = s["stock"] & ~s["seen"]
    sort_positions(s, unknown)
    shuffle_positions(s, unknown)


def read_hidden(states: States) -> np.ndarray:
    """Return deck cards 29-52 that are unknown in the stock, int8 (n, 24), else 0."""
    unknown = states["stock"] & ~states["seen"]
    hidden = unknown[:, None] >> np.arange(PYRAMID, PACK_SIZE) & 1
    return states["deck"][:, PYRAMID:] * hidden.astype(np.int8)


HIDDEN = HiddenCards(
    Piece(
        "hidden",
        PILE,
        RANK,
        "deck cards 29-52 in dealing order that lie unknown in the stock, else 0",
        where="pile_where",
    ),
    read_hidden,
)
"""The hidden cards as an observation piece: see `core.game.HiddenCards`."""
