"""A curriculum from a solver's wins: games begin shortly before a win, then further and further.

Florensa et al., "Reverse curriculum generation for reinforcement learning", 2017, from one win a
deal, as Salimans and Chen do in "Learning Montezuma's Revenge from a single demonstration", 2018.
"""

from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import DealSource, StepConfig
from parlour.envs.core.kernel.cards import TRAINING_SEED_MASK
from parlour.envs.core.rows import Rows, copy_states, write_states

POSITIONS = 20_000
"""Positions that the solver may look at for one deal; it is left out where they do not suffice."""


def starts(game: Game, rules: Any, n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return positions (m,) on the way to a win of ``n`` deals: those of them that can be won.

    ``share`` 0 to 1 says how much of the way is left to play, at most: each position is at random
    between that and the last action before the win. Raises ValueError for a game without a solver.
    """
    if game.solve is None:
        raise ValueError(f"curriculum: {game.title} has no solver")
    rows = Rows(game, rules, n, StepConfig())
    rows.seed(rng.integers(0, 2**63, n, np.uint64) & TRAINING_SEED_MASK)
    rows.start(DealSource.SEED)
    found = [game.solve(rows.states[i], rules, limit=POSITIONS).actions or [] for i in range(n)]
    lengths = np.array([len(one) for one in found])
    least = np.ceil((1 - share) * lengths).clip(0, np.maximum(lengths - 1, 0)).astype(np.int64)
    before = rng.integers(least, np.maximum(lengths, least + 1))
    for number in range(int(before.max(initial=0))):
        which = before > number
        actions = [one[number] if go else 0 for one, go in zip(found, which, strict=True)]
        rows.step(np.array(actions, np.int64), which)
    states = copy_states(rows.states, lengths > 0)
    states["rng"] = rng.integers(0, 2**63, len(states), np.uint64)
    states["moves"] = states["steps"] = 0
    return states


class Curriculum:
    """Gives rows that begin a new game a position on the way to a win instead.

    The positions are drawn anew for every rollout, so they need not be saved.
    """

    def __init__(self, game: Game, rules: Any, n: int) -> None:
        self.game, self.rules, self.n = game, rules, n
        self.states = np.zeros(0, game.state)

    def draw(self, share: float, seed: int, rollout: int) -> None:
        """Draw the positions of a rollout; see `starts` for ``share``."""
        rng = np.random.default_rng([seed, rollout])
        self.states = starts(self.game, self.rules, self.n, share, rng)
        self.rng = rng

    def begin(self, rows: Rows, which: np.ndarray) -> None:
        """Put positions on the rows numbered ``which``, where there are any.

        Raises ValueError where rows have rules of their own.
        """
        if rows.table.has_several:
            raise ValueError("curriculum: its positions are those of one variant")
        if len(self.states) and len(which):
            chosen = self.rng.integers(0, len(self.states), len(which))
            write_states(rows.states, which, copy_states(self.states, chosen))
            rows.start(DealSource.DECK, ~rows.all_rows)  # shows them: masks
