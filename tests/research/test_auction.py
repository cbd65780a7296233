"""The environment of `research.auction`."""

from functools import partial

import numpy as np
import pytest

from parlour.agents import load_agent
from parlour.agents.search.inference import is_bidding
from parlour.envs import find_game
from parlour.training.learning.envs import make_env, make_selfplay_env
from research.auction import AuctionEnv, Options, make_settings


@pytest.mark.parametrize("share", [1.0, 0.2])
@pytest.mark.parametrize("name", ["twenty_eight", "twenty_nine"])
def test_the_learner_decides_only_before_the_play(name: str, share: float) -> None:
    game = find_game(name)
    greedy = load_agent("greedy", game, game.make_rules())
    settings = make_settings(Options(game=name), share, 0)  # type: ignore[arg-type]
    env = make_env(settings, partial(make_selfplay_env, [greedy], share, table=AuctionEnv))
    env.reset()
    rng, hands = np.random.default_rng(0), 0
    for _ in range(30):
        masks = np.asarray(env.masks())
        assert is_bidding(game, env.rows.states).all()
        env.step((rng.random(masks.shape) * masks).argmax(axis=1))
        hands += len(env.ended)
    assert hands > 500
