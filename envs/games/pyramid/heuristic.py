"""Pyramid: action scores of the greedy agent, which use only what the player knows."""

from ...core.kernel.bits import highest, lowest
from ...core.kernel.jit import jit
from ...core.type_aliases import RulesRecord, Scores, State, Weights
from .kernel import COVERERS, COVERS
from .rules import DEAL, PYRAMID, STOCK, TARGET, UNDO, WASTE

WEIGHTS = {
    "pyramid_card": 1.0,
    "uncovers": 1.0,
    "waste_card": 0.2,
    "extra_card": 0.1,
    "stock_card": 0.3,
}
PYRAMID_CARD, UNCOVERS, WASTE_CARD, EXTRA_CARD, STOCK_CARD = range(5)
"""Indices of the weights: for removing a card of each kind, and for each card it uncovers."""


@jit
def removal_worth(s: State, weights: Weights, place: int) -> float:
    """Return the score of removing the card at a place."""
    if place >= WASTE:
        return weights[STOCK_CARD if place == STOCK else WASTE_CARD]
    if place >= PYRAMID:
        return weights[EXTRA_CARD]
    worth = weights[PYRAMID_CARD]
    for side in range(2):
        under = COVERS[place, side]
        if under >= 0 and s["table"] & COVERERS[under] == 1 << place:
            worth += weights[UNCOVERS]
    return worth


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action. Removals score highest, then turns, then UNDO.

    The score of a first click is the worth of its card plus the worth of the best partner at a
    lower place, if there is one.
    """
    places = s["shown"]["places"]
    has_begun = s["picked"] != 0
    rest = s["legal"]
    while rest:
        action = lowest(rest)
        rest &= rest - 1
        if action >= DEAL:
            scores[action] = -1.0 if action == UNDO else 0.0
            continue
        worth = removal_worth(s, weights, action)
        best_partner = 0.0
        if not has_begun:
            need = TARGET - (places[action] >> 2)
            partners = s["by_value"][need] & s["free"] & ((1 << action) - 1) if need else 0
            while partners:
                partner = highest(partners)
                partners &= ~(1 << partner)
                best_partner = max(best_partner, removal_worth(s, weights, partner))
        scores[action] = worth + best_partner
