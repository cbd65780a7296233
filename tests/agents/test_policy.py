"""Policies: ``predict`` in the loops of Gymnasium, PettingZoo and Stable-Baselines3."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from parlour.agents import (
    GreedyAgent,
    choose_actions,
    load_agent,
    load_policy,
    prepare_turn,
)
from parlour.envs import GAMES, CardEnv, CardVectorEnv, DictObservation, find_game

PYRAMID = find_game("pyramid")


def play(env: Any, policy: Any, seed: int) -> list[int]:
    """Return the actions of one game in a loop as Gymnasium's documents show it."""
    observation, info = env.reset(seed=seed)
    actions, over = [], False
    while not over:
        action, _ = policy.predict(observation, action_masks=info["action_mask"])
        observation, _, terminated, truncated, info = env.step(action)
        actions.append(action)
        over = terminated or truncated
    return actions


def play_by_turns(env: CardEnv, agent: Any, seed: int) -> list[int]:
    """Return the actions of one game, asked from the agent itself."""
    env.reset(seed=seed)
    actions, over = [], False
    while not over:
        turn = prepare_turn(agent, env.game, env.rules, env.rows.states, seed=0)
        actions.append(int(choose_actions(agent, turn)[0]))
        _, _, terminated, truncated, _ = env.step(actions[-1])
        over = terminated or truncated
    return actions


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_plays_as_its_agent(name: str) -> None:
    env = gym.make(find_game(name).id)
    inner = env.unwrapped
    assert isinstance(inner, CardEnv)
    policy = load_policy("greedy", env)
    greedy = load_agent("greedy", inner.game, inner.rules)
    assert play(env, policy, 5) == play_by_turns(inner, greedy, 5)


def test_a_network_plays_as_its_agent() -> None:
    env = gym.make("parlour/Pyramid-v0")
    inner = env.unwrapped
    assert isinstance(inner, CardEnv)
    trained = load_agent("pretrained", inner.game, inner.rules)
    assert play(env, load_policy("pretrained", env), 5) == play_by_turns(inner, trained, 5)


class Looks:
    """Keeps the states that it gets."""

    def __init__(self) -> None:
        self.states: list[np.ndarray] = []

    def act(self, turn: Any) -> np.ndarray:
        self.states.append(turn.states)
        return np.asarray(turn.masks.argmax(axis=1))


def test_an_agent_gets_resampled_hidden_cards() -> None:
    env = CardEnv(PYRAMID)
    observation, _ = env.reset(options={"deal": 3})
    agent = Looks()
    for seed in (0, 0, 1):
        load_policy(agent, env, seed).predict(observation)
    first, again, other = agent.states
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert not np.array_equal(first, env.clone())
    action, _ = load_policy("mcts@20", env).predict(observation)
    assert env.action_masks()[action]


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_a_policy_acts_in_all_rows_of_a_vector_environment(mode: str) -> None:
    envs = CardVectorEnv(PYRAMID, 6, autoreset_mode=mode)
    policy = load_policy("greedy", envs)
    observations, infos = envs.reset(seed=3)
    finished = 0
    for _ in range(150):
        actions, _ = policy.predict(observations, action_masks=infos["action_mask"])
        assert actions.shape == (6,) and actions.dtype == np.int64
        observations, _, terminated, truncated, infos = envs.step(actions)
        finished += int((terminated | truncated).sum())
        assert not infos.get("illegal_action", np.zeros(1)).any()
    assert finished >= 6


def test_one_row_of_a_vector_environment_is_a_batch() -> None:
    envs = gym.make_vec("parlour/Pyramid-v0", num_envs=1)
    observations, _ = envs.reset(seed=0)
    assert load_policy("greedy", envs).predict(observations)[0].shape == (1,)


def test_a_dictionary_of_observations_is_one_game() -> None:
    env = DictObservation(CardEnv(PYRAMID))
    observation, _ = env.reset(seed=0)
    assert isinstance(load_policy("greedy", env).predict(observation)[0], int)


def test_the_masks_must_be_those_of_the_environment() -> None:
    env = CardEnv(PYRAMID)
    observation, info = env.reset(seed=0)
    policy = load_policy("greedy", env)
    with pytest.raises(ValueError, match="action_masks must be those of the environment"):
        policy.predict(observation, action_masks=1 - info["action_mask"])


def test_a_game_must_be_running() -> None:
    env = CardEnv(PYRAMID)
    policy = load_policy("greedy", env)
    with pytest.raises(ValueError, match=r"must have a running game: call reset\(\) first"):
        policy.predict(np.zeros(env.observation_space.shape))
    play(env, policy, 0)
    with pytest.raises(ValueError, match=r"must have a running game: call reset\(\) first"):
        policy.predict(np.zeros(env.observation_space.shape))


def test_other_environments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^env must be a Parlour environment, got"):
        load_policy("greedy", gym.make("CartPole-v1"))


def test_sampling_is_chosen_for_each_call() -> None:
    env = CardEnv(PYRAMID)
    module = torch.nn.Linear(PYRAMID.features.columns, PYRAMID.actions)
    torch.nn.init.zeros_(module.weight)
    policy = load_policy(module, env)
    observation, _ = env.reset(seed=0)
    while env.action_masks().sum() < 2:
        observation, *_ = env.step(int(env.action_masks().argmax()))
    drawn = {policy.predict(observation, deterministic=False)[0] for _ in range(60)}
    likely = {policy.predict(observation, deterministic=True)[0] for _ in range(10)}
    assert len(likely) == 1 and len(drawn) > 1
    assert policy.predict(observation)[0] in likely


def test_a_policy_plays_a_hand_of_pettingzoo() -> None:
    aec = pytest.importorskip("parlour.envs.interfaces.pettingzoo")
    env = aec.env("twenty-eight")
    policy = load_policy("greedy", env)
    env.reset(seed=2)
    steps = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        action = None
        if not (terminated or truncated):
            mask = observation["action_mask"]
            action, _ = policy.predict(observation, action_masks=mask)
            assert mask[action]
            steps += 1
        env.step(action)
        assert not info["illegal_action"], agent
    assert steps > 32


def test_stable_baselines_evaluates_a_policy() -> None:
    evaluation = pytest.importorskip("stable_baselines3.common.evaluation")
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    monitor = pytest.importorskip("stable_baselines3.common.monitor")
    env = monitor.Monitor(CardEnv(PYRAMID, reward="win"))
    policy = load_policy("greedy", env)
    one, _ = evaluation.evaluate_policy(policy, env, n_eval_episodes=30)
    several = vec_env.DummyVecEnv([lambda: monitor.Monitor(CardEnv(PYRAMID, reward="win"))] * 3)
    three, _ = evaluation.evaluate_policy(load_policy("greedy", several), several, 30)
    assert 0.1 < one < 0.7 and 0.1 < three < 0.7  # about a third of the deals


def test_sb3_contrib_evaluates_a_policy_with_masks() -> None:
    evaluation = pytest.importorskip("sb3_contrib.common.maskable.evaluation")
    sb3 = pytest.importorskip("parlour.envs.interfaces.sb3")
    envs = sb3.CardVecEnv(PYRAMID, 4, "three-passes", encoding="onehot")
    policy = load_policy(GreedyAgent(), envs)
    rewards, lengths = evaluation.evaluate_policy(
        policy, envs, n_eval_episodes=8, return_episode_rewards=True, warn=False
    )
    assert len(rewards) == len(lengths) == 8 and min(lengths) > 5
