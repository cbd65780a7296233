"""Walkers for Seven Twenty-Seven and its reference: random seats, each with its own style."""

from itertools import accumulate

import numpy as np

from parlour.envs import Game
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from tests.reference.seven_twenty_seven import BETS, DRAW
from tests.walkers import Walker, legal_actions

# Walkers: how eager each is to fold, call, bet, draw, stand; one that has taken cards wants fewer


def _walker(fold: float, call: float, bet: float, draw: float, stand: float) -> Walker:
    wishes = [fold, call, *[bet] * len(BETS), draw, stand, 1, 1, 1]

    def walk(rows: Rows, rng: np.random.Generator) -> int:
        can = legal_actions(rows)
        wish = [wishes[action] for action in can]
        if can[0] == DRAW:
            s = rows.states[0]
            wish[0] /= 1 + int(s["taken"][s["turn"]])
        at = rng.random() * sum(wish)
        return next(action for action, upto in zip(can, accumulate(wish), strict=True) if at < upto)

    return walk


STYLES = {
    "uniform": _walker(1, 1, 1, 1, 1),
    "tight": _walker(3, 2, 0.2, 1, 3),
    "loose": _walker(0.1, 1, 3, 8, 1),
    "caller": _walker(0, 1, 0.05, 1, 2),
    "stayer": _walker(0, 2, 0.4, 1, 6),
}


def mixed(rows: Rows, rng: np.random.Generator) -> int:
    """Each seat plays in a style of its own."""
    styles = list(STYLES.values())
    return styles[int(rows.states["turn"][0]) % len(styles)](rows, rng)


WALKERS = {**STYLES, "mixed": mixed}


def low_chips(game: Game, rng: np.random.Generator) -> dict[str, object]:
    """Random options; most have bets so low that levels fall together."""
    chosen = random_options(game, rng)
    if rng.random() < 0.75:
        low = int(rng.integers(1, 5))
        chosen |= {"ante": int(rng.integers(1, 7)), "min_bet": low}
        chosen |= {"max_bet": low + int(rng.integers(0, 8))}
    return chosen
