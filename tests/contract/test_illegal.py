"""What an illegal action does, by each of the four modes, in every shell."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.core.batch import ILLEGAL_PENALTY
from parlour.envs.interfaces import pettingzoo as aec
from tests.contract.cases import CASES, Case, ended
from tests.contract.test_vector import MODES, Both, Crowd

DEFAULTS = list({case.game.name: case for case in CASES}.values())
TABLES = list({case.game.name: case for case in CASES if case.players > 1}.values())
TRIED = [*DEFAULTS, *(case for case in TABLES if case not in DEFAULTS)]
each = pytest.mark.parametrize("tried", TRIED, ids=str)


def wrong_action(masks: np.ndarray, rng: np.random.Generator) -> int:
    """An illegal action: of the game's, or no action at all."""
    return int(rng.choice([-1, masks.size, *np.flatnonzero(~masks)]))


@each
def test_a_random_legal_action_is_played_instead(tried: Case) -> None:
    """At no cost, and said: playing what was said is the same game but for that note."""
    env = tried.env(illegal="random", encoding="codes", **tried.drawless)
    rng, drawn = np.random.default_rng(1), set()
    for seed in range(4):
        _, info = env.reset(seed=seed)
        assert info["played_action"] == -1
        while not ended(env):
            here, masks = env.clone(), env.action_masks()
            observation, reward, terminated, truncated, info = env.step(wrong_action(masks, rng))
            played, after = info["played_action"], env.clone()
            assert masks[played]
            assert info["illegal_action"] is True
            drawn.add(played)
            env.restore(here)
            again, *same, info = env.step(played)
            assert np.array_equal(again, observation)
            assert same == [reward, terminated, truncated]
            assert info["played_action"] == played
            env.restore(here)
            env.step(-7)
            assert env.clone().tobytes() == after.tobytes(), "a copy draws the same"
    assert len(drawn) > min(2, tried.game.actions - 1)


def test_every_legal_action_is_drawn_equally_often() -> None:
    case = Case(find_game("pyramid"), "classic")
    envs = case.vec(4000, illegal="random", encoding="codes")
    envs.reset(seed=5)
    envs.restore(envs.clone()[:1].repeat(4000))
    legal = np.flatnonzero(envs.action_masks()[0])
    envs.rows.seed(np.random.default_rng(0).integers(0, 2**62, 4000, np.uint64))
    *_, infos = envs.step(np.full(4000, -1))
    times = np.bincount(infos["played_action"], minlength=case.game.actions)
    assert times.sum() == times[legal].sum()
    assert np.allclose(times[legal], 4000 / len(legal), rtol=0.25)


@each
def test_a_penalty_changes_nothing_and_continues(tried: Case) -> None:
    env = tried.env(illegal="penalty", encoding="codes", **tried.drawless)
    rng = np.random.default_rng(2)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        while not ended(env):
            here = env.clone()
            if env.state["over"] == 0:
                stray = wrong_action(env.action_masks(), rng)
                again, reward, terminated, truncated, output = env.step(stray)
                assert (reward, terminated, truncated) == (ILLEGAL_PENALTY, False, False)
                assert np.array_equal(again, observation)
                assert output["illegal_action"] is True
                assert np.array_equal(output["action_mask"], info["action_mask"])
                now = env.clone()
                now["steps"] -= 1
                now["illegal"] = here["illegal"]
                assert now.tobytes() == here.tobytes()
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            observation, *_, info = env.step(action)


def test_only_a_limit_of_steps_ends_penalties() -> None:
    case = Case(find_game("pyramid"), "classic")
    env = case.env(illegal="penalty", max_episode_steps=3)
    env.reset(seed=1)
    ends = [env.step(-1)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


@each
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("illegal", ["random", "penalty"])
def test_rows_are_single_environments(tried: Case, illegal: str, mode: Any) -> None:
    both = Both(tried, 4, mode, illegal=illegal, encoding="codes", max_episode_steps=30)
    crowd = Crowd(tried, 4, 3, wrong=0.3)
    both.reset(seed=6)
    for _ in range(50):
        done = both.step(crowd.choose(both.envs.states, both.envs.action_masks()))
        if mode.name == "DISABLED" and done.any():
            both.reset(options={"reset_mask": done})
    assert both.ends["illegal"]


@pytest.mark.parametrize("tried", TABLES, ids=str)
def test_a_table_says_what_was_played_for_whom(tried: Case) -> None:
    env = aec.env(tried.game.name, tried.variant, illegal="random")
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    while not all(env.terminations.values()):
        agent = env.agent_selection
        mask = env.observe(agent)["action_mask"].astype(bool)
        env.step(wrong_action(mask, rng))
        assert mask[env.infos[agent]["played_action"]]
        others = [info["played_action"] for name, info in env.infos.items() if name != agent]
        assert others == [-1] * (tried.players - 1)
        assert not any(reward == ILLEGAL_PENALTY for reward in env.rewards.values()) or all(
            env.terminations.values()
        )
    env = aec.env(tried.game.name, tried.variant, illegal="penalty")
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(-1)
    assert env.agent_selection == agent
    assert env.last()[1] == ILLEGAL_PENALTY


def test_algorithms_that_cannot_mask_play_on_in_sb3() -> None:
    pytest.importorskip("stable_baselines3")
    from parlour.envs.interfaces.sb3 import CardVecEnv

    env = CardVecEnv(find_game("pyramid"), 3, illegal="random")
    env.reset()
    masks = env.masks()
    _, rewards, dones, infos = env.step(np.full(3, -1))
    assert not dones.any() and (rewards >= 0).all()
    assert all(masks[i, info["played_action"]] for i, info in enumerate(infos))
    env = CardVecEnv(find_game("pyramid"), 3, illegal="penalty")
    env.reset()
    _, rewards, dones, _ = env.step(np.full(3, -1))
    assert not dones.any() and (rewards == ILLEGAL_PENALTY).all()
    env = CardVecEnv(find_game("pyramid"), 3, illegal="raise")
    env.reset()
    before = env.rows.states.tobytes()
    with pytest.raises(gym.error.InvalidAction, match=r"row 0: action must be .*, got -1"):
        env.step(np.full(3, -1))
    assert env.rows.states.tobytes() == before
