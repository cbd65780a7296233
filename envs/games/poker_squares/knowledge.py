"""Poker Squares: the hidden cards, and sampled worlds that fit what a seat knows."""

import numpy as np

from ...core.aliases import RulesRecord, Seat, State, States
from ...core.game import HiddenCards
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, shuffle
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.schema import CARD, Piece
from .kernel import bring_grid_to_front, legal_squares, place_secretly, view
from .rules import SQUARES

COMING = SQUARES - 1
"""Cards that come after the first one. The rest of the deck is never dealt."""


@jit
def resample_secret_square(s: State, rules: RulesRecord) -> None:
    """Move the secret card of player_0 to a random square where it could have been placed."""
    viewer = s["viewer"]
    bring_grid_to_front(s, 0)
    s["shown"]["grid"][s["secret"]] = 0
    s["filled"] &= ~(1 << s["secret"])
    s["score"] -= s["secret_points"]
    possible = legal_squares(s, rules)
    for _ in range(random_below(s, count(possible))):
        possible &= possible - 1
    place_secretly(s, lowest(possible))
    view(s, rules, viewer)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Replace everything that a seat does not know by a sampled world.

    These are the stock, which is sorted before it is shuffled, so that its order does not matter,
    and a secret square.
    """
    place = s["next"]
    for card in range(PACK_SIZE):
        if s["shown"]["unseen"][card]:
            s["deck"][place] = FIRST_CARD + card
            place += 1
    shuffle(s, s["deck"], s["next"], PACK_SIZE)
    if seat == 1 and s["secret"] >= 0:
        resample_secret_square(s, rules)


def read_hidden(states: States) -> np.ndarray:
    """Return the next cards of the stock in order, int8 (n, 24), then zeros."""
    places = states["next"].astype(np.int64)[:, None] + np.arange(COMING)
    cards = np.take_along_axis(states["deck"], np.minimum(places, PACK_SIZE - 1), axis=1)
    return np.where(places < PACK_SIZE, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece("hidden", COMING, CARD, "the next cards of the stock, in order"), read_hidden
)
"""See `core.game.HiddenCards`."""
