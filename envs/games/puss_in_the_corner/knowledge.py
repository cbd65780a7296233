"""Puss in the Corner: the hidden cards, and sampled worlds that fit what the player knows."""

import numpy as np

from ...core.aliases import RulesRecord, Seat, State, States
from ...core.game import HiddenCards
from ...core.kernel.cards import shuffle
from ...core.kernel.jit import jit
from ...core.schema import CARD, Piece
from .rules import CARDS, FIRST, UNSEEN


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Shuffle the unseen cards of the stock, sorted first so that their order does not matter.

    They are behind the top of the stock if that is open.
    """
    first = place = s["next"] + (s["shown"]["next_card"] != 0)
    for card in range(CARDS):
        if s["shown"]["where"][card] == UNSEEN:
            s["deck"][place] = FIRST + card
            place += 1
    shuffle(s, s["deck"], first, place)


def read_hidden(states: States) -> np.ndarray:
    """Return the unseen cards of the stock in order, int8 (n, 48), then zeros."""
    start = states["next"] + (states["shown"]["next_card"] != 0)
    num_unseen = (states["shown"]["where"] == UNSEEN).sum(axis=1)[:, None]
    places = np.minimum(start.astype(np.int64)[:, None] + np.arange(CARDS), CARDS - 1)
    cards = np.take_along_axis(states["deck"], places, axis=1)
    return np.where(np.arange(CARDS) < num_unseen, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece("hidden", CARDS, CARD, "the cards of the stock not seen yet, in order"), read_hidden
)
"""See `core.game.HiddenCards`."""
