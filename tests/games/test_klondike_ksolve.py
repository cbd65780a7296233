"""The solver of Klondike against an independent program, Klondike-Solver."""

from collections import Counter
from typing import Any

import numpy as np
import pyksolve.solver as ksolve
import pytest

from parlour.envs import GAMES
from parlour.envs.games.klondike.deck_strings import to_ksolve
from parlour.envs.games.klondike.solver.solve import solve
from tests.marks import slow_if

GAME = GAMES["klondike"]
STATES = 50_000
"""So many that program may look at."""


def ask(deck: np.ndarray, draw: int) -> bool | None:
    """What that program says: whether a deal can be won, None if it does not find out.

    A win it has found is known by 52 cards on the foundations, whatever the name of the result:
    that only says whether it is the shortest. That there is none is taken from its search for the
    shortest win alone ("Impossible"): the fast one leaves moves out.
    """
    for fast in (True, False):
        other = ksolve.Solitaire()
        other.load_solitaire(to_ksolve(deck))
        other.reset_game(draw)
        search = other.solve_fast if fast else other.solve_minimal
        result = search(max_closed_count=STATES)
        if other.foundation_count == len(deck):
            return True
        if not fast and result == ksolve.SolveResult.Impossible:
            return False
    return None


def compare(draw: int, deals: int, seed: int) -> Counter[tuple[Any, ...]]:
    """Compare on random deals, and return the counts of pairs of answers."""
    rng, rules = np.random.default_rng(seed), GAME.make_rules(None, {"draw": draw})
    output: Counter[tuple[Any, ...]] = Counter()
    for _ in range(deals):
        deck = rng.permutation(np.arange(4, 56)).astype(np.int8)
        own, actual = solve(deck, rules).winnable, ask(deck, draw)
        assert own is None or actual is None or own is actual, (draw, to_ksolve(deck))
        output[own, actual] += 1
    return output


@pytest.mark.parametrize(("draw", "deals"), [(3, 8), slow_if(True, 1, 30), slow_if(True, 3, 30)])
def test_deals(draw, deals):
    assert compare(draw, deals, 5)[True, True] > deals / 3


@pytest.mark.slow
@pytest.mark.parametrize("draw", [1, 3])
def test_many_deals(draw):
    output = compare(draw, 1000, 6)
    assert output[True, True] > 500
    assert output[False, False] > 10
