"""Puss in the Corner: players by rule, further baselines beside the heuristic."""

from typing import Any

import numpy as np

from ...core.aliases import Action, RulesRecord, Scores, State, Weights
from ...core.kernel.jit import jit
from ...core.values import HOPELESS, best_legal
from .heuristic import (
    PLAYED_BONUS,
    WEIGHTS,
    build_card,
    foundations,
    heuristic,
    unturned_cards,
    weigh_piles,
)
from .rules import CARDS, FOUNDATION, PILES, PLACE, PLAY
from .solver.alive import check_alive, make_alive_room, pack_tops

SORTED = {"under_own": 10.0, "under_other": 10.0, "top": 1.0}
"""The heuristic's weights for a stock in order: bury nothing, and keep the tops high."""
LATER = np.array([SORTED.get(name, 0.0) for name in WEIGHTS])
HAND_SET = np.array(list(WEIGHTS.values()))
# Found by CMA-ES for games of `hopeful` by no-redeal: a game won counts 1, one in which all is lost
# with n cards still to be placed exp(-0.15 (n + 1)). Rounded.
ONE_PASS = {
    "under_own": -0.41,
    "under_other": -0.43,
    "depth": 0.45,
    "fades": -0.0509,
    "lowest": 0.22,
    "top": 0.102,
    "built": -0.0509,
    "height": -0.0276,
    "next_card": 3.72,
    "rest": 0.146,
}
"""The heuristic's weights where there is no redeal, for the win and not for the score."""
FOR_THE_WIN = np.array([ONE_PASS[name] for name in WEIGHTS])
TRIES, REMEMBERED = 200, 64
"""Positions that `check_alive` looks at for each action, and remembers."""


@jit
def pile_of(value: int) -> int:
    """The pile of a card by the tip: kings to tens, nines to sevens, sixes to fours, the rest."""
    return 0 if value >= 10 else 1 if value >= 7 else 2 if value >= 4 else 3


@jit
def tip(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """The tip published with the game (002): in the first pass sort the cards by value into piles.

    The piles turned over, high cards come first: in later passes hardly one need be buried, and the
    heuristic plays with weights for that. Which card is played first is always left to it.
    """
    if s["shown"]["redeals_left"] < rules.redeals:
        heuristic(s, rules, LATER, scores)
        return
    heuristic(s, rules, weights, scores)
    if s["shown"]["card"]:
        for pile in range(PILES):
            scores[PLACE + pile] = 0.0
        scores[PLACE + pile_of(s["shown"]["card"] >> 2)] = PLAYED_BONUS / 2


@jit
def weigh_by_both(s: State, rules: RulesRecord) -> Any:
    """The piles by the heuristic's weights and, after a redeal, by those of `tip`."""
    own = weigh_piles(s, rules, HAND_SET)
    first_pass = s["shown"]["redeals_left"] == rules.redeals
    return own, own if first_pass else weigh_piles(s, rules, LATER)


@jit
def pack_piles(s: State, placed: int, played: int, piles: np.ndarray, cards: np.ndarray) -> None:
    """Write the piles as `check_alive` takes them, numbering their cards pile by pile.

    The card turned up lies on the pile ``placed``, the top of ``played`` is gone (-1: none).
    """
    n = 0
    for pile in range(PILES):
        first, height = n, s["count"][pile] - (pile == played)
        for i in range(height):
            cards[n] = s["pile"][pile][i]
            n += 1
        if pile == placed:
            cards[n] = s["shown"]["card"]
            n += 1
        piles[pile] = (1 << n) - (1 << first)


@jit
def leaves_hope(s: State, rules: RulesRecord, action: Action, ahead: int, room: Any) -> bool:
    """Whether the game could be won after an action of the last pass if all cards to come lay open.

    ``ahead``: the set of these cards.
    """
    if action > FOUNDATION:
        return True
    placed, played = action if action < PLAY else -1, -1
    built = foundations(s)
    if action == FOUNDATION:
        built = build_card(rules, built, s["shown"]["card"])
    elif action >= PLAY:
        played = action - PLAY
        built = build_card(rules, built, s["shown"]["tops"][played])
    piles, cards, more = room
    pack_piles(s, placed, played, piles, cards)
    tops = pack_tops(
        built & 15, (built >> 4) & 15, (built >> 8) & 15, (built >> 12) & 15, rules.suits
    )
    return check_alive(piles, tops, ahead, cards, rules.suits, TRIES, more) != 0


@jit
def hopeful(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """As the heuristic plays, but in the last pass never so that all is lost, if it can be helped.

    Lost is what could not be won if all cards to come lay open: then no order of them helps. Of
    actions that score less than one that leaves hope it is not asked. Without a redeal it goes by
    weights of its own (`ONE_PASS`).
    """
    heuristic(s, rules, weights if rules.redeals else FOR_THE_WIN, scores)
    if s["shown"]["redeals_left"] or rules.sevens:  # a packet may free what lies below
        return
    room = np.empty(PILES, np.int64), np.empty(CARDS, np.int64), make_alive_room(REMEMBERED)
    left, ahead = s["legal"], unturned_cards(s)
    while left:
        action = best_legal(left, scores)
        if leaves_hope(s, rules, action, ahead, room):
            return
        scores[action] += HOPELESS
        left &= ~(1 << action)
