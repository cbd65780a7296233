"""The process reward of a decision is minus its loss in a review."""

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.interfaces.text import TextEnv
from parlour.training import ProcessReward, review_game
from tests.marks import slow_if

WORLDS = 12


def play(env: TextEnv, deal: int) -> tuple[list[int], list[float]]:
    """Play a deal by the last listed move; return the actions and the rewards of the moves."""
    env.reset(options={"deal": deal})
    actions, rewards, done = [], [], False
    while not done:
        _, reward, done, info = env.step(env.legal_actions()[-1])
        actions += info["actions"]
        rewards.append(reward)
    return actions, rewards


@pytest.mark.parametrize(
    ("game", "variant"),
    [("pyramid", "web"), ("poker_squares", "classic"), slow_if(True, "puss_in_the_corner", "book")],
)
def test_rewards_are_the_losses_of_the_review(game: str, variant: str) -> None:
    process = ProcessReward(game, variant, worlds=WORLDS, player="greedy" if "_" in game else None)
    actions, rewards = play(TextEnv(game, variant, reward=process), 3)
    player = "greedy" if "_" in game else None
    review = review_game(game, variant, 3, actions, worlds=WORLDS, player=player)
    assert sum(rewards) == pytest.approx(-review.losses.sum())
    assert min(rewards) == pytest.approx(-max(review.losses))
    assert max(rewards) <= 0
    assert process.decisions == review.choices.sum() and process.seconds > 0


@pytest.mark.parametrize("game", ["seven_twenty_seven", "twenty_eight"])
def test_a_seat_is_judged_by_its_net_result(game: str) -> None:
    process = ProcessReward(game, worlds=WORLDS, player="greedy")
    assert process.judge.unit == "net"
    assert np.all(np.array(play(TextEnv(game, reward=process), 1)[1]) <= 0)


def test_forced_actions_and_bids_of_a_double_dummy_judge_are_not_judged() -> None:
    game = find_game("twenty_eight")
    process = ProcessReward(game, worlds=WORLDS, player="double-dummy")
    env = TextEnv(game, reward=process)
    env.reset(seed=1)
    assert env.step(env.legal_actions()[-1])[1] == 0
    assert process.decisions == 0


def test_the_seat_of_another_world_gets_the_same_reward() -> None:
    """The judge resamples the hidden cards, so they do not influence the reward."""
    from parlour.envs.core.rows import resample_copies

    env = TextEnv("pyramid", "web")
    env.reset(seed=4)
    states = resample_copies(env.game, env.rules, env.env.clone().repeat(3), 5)
    rewards = ProcessReward("pyramid", "web").judge_actions(states, np.full(3, 39))
    assert len(set(rewards.tolist())) == 1
