"""How often simple play clears the pyramid: the figures of the rules page, measured again."""

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.baselines import pick_uniform
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.rows import Rows
from parlour.envs.games.pyramid.rules import DEAL

GAME = GAMES["pyramid"]
ROWS, BATCHES = 20_000, 5


def won(variant: str, passes: int, removals_first: bool) -> int:
    """How many of ROWS * BATCHES games random play wins."""
    rules = GAME.make_rules(variant, {"passes": passes})
    rows = Rows(GAME, rules, ROWS, StepConfig(reset=int(Autoreset.DISABLED), max_moves=500))
    rng = np.random.default_rng(7)
    rows.seed(rng.integers(0, 2**63, ROWS))
    actions = np.zeros(ROWS, np.int64)
    wins = 0
    for _ in range(BATCHES):
        rows.start(DealSource.DRAW)
        while (rows.states["over"] == 0).any():
            masks = rows.buffers.masks.astype(np.bool_)
            if removals_first:
                masks[masks[:, :DEAL].any(axis=1), DEAL:] = False
            pick_uniform(masks, rng.random(ROWS), actions)
            rows.step(actions)
        wins += int(rows.states["won"].sum())
    return wins


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "passes", "removals_first", "percent", "plus_minus"),
    [
        ("three-passes", 1, False, 0.005, 0.004),
        ("three-passes", 2, False, 0.15, 0.07),
        ("three-passes", 3, False, 1.04, 0.09),
        ("three-passes", 0, False, 33.5, 0.7),
        ("open-stock", 3, False, 4.2, 0.2),
        ("three-passes", 3, True, 29.5, 1.0),
    ],
)
def test_random_play_wins_as_often_as_published(
    variant: str, passes: int, removals_first: bool, percent: float, plus_minus: float
) -> None:
    """Within the 99.9 % interval of both samples; an interval the page lacks (2, 6) is assumed."""
    games = ROWS * BATCHES
    wins = won(variant, passes, removals_first)
    share, error = percent / 100, plus_minus / 196
    deviation = (share * (1 - share) / games + error**2) ** 0.5
    assert abs(wins / games - share) < 3.29 * deviation, f"{wins} of {games}"
