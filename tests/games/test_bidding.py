"""What the bidding games share: the order of the weights of cards, and an end of resampling."""

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.rows import Rows, resample_copies
from parlour.envs.games.bidding.heuristic import CARD_WEIGHTS
from tests.walkers import WALKERS


@pytest.mark.parametrize("name", ["twenty_eight", "twenty_nine", "fifty_six"])
def test_the_weights_of_cards_come_last(name: str) -> None:
    assert tuple(GAMES[name].heuristic_weights)[-len(CARD_WEIGHTS) :] == CARD_WEIGHTS


def test_resampling_gives_up_on_a_state_that_play_cannot_reach() -> None:
    game = GAMES["twenty_eight"]
    rules = game.make_rules("classic", {"overtrump": True})
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("hidden", [3])
    rng = np.random.default_rng(3)
    while not rows.states["shown"]["trumps_shown"][0]:
        rows.step(np.array([WALKERS["uniform"](rows, rng)]))
    resample_copies(game, rules, rows.states, 1)
    rows.states["seats"]["below"] = 1  # nobody may have a trump above the lowest one
    with pytest.raises(
        RuntimeError, match="resampling found no world that fits what the seat knows"
    ):
        resample_copies(game, rules, rows.states, 1)
