"""Gymnasium's and Stable-Baselines3's own checkers, and every way to make an environment."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from parlour.envs import GAMES, CardEnv, CardVectorEnv, Game
from parlour.envs.core.options import changed_options, to_plain
from parlour.envs.core.rules_table import random_options
from tests.contract.cases import Case, check_with_sb3, ended, random_cases
from tests.marks import slow_if

ENCODINGS = ("onehot", "codes")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_checkers_are_content(case: Case, encoding: str) -> None:
    env = gym.make(case.game.id, variant=case.variant, encoding=encoding, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
        check_with_sb3(env.unwrapped, warn=True, skip_render_check=False)
    env.close()
    env.close()


@pytest.mark.parametrize("illegal", ["end", "raise", "random", "penalty"])
@pytest.mark.parametrize("reward", ["progress", "win", "score"])
def test_checkers_are_content_with_other_keywords(game: Game, reward: str, illegal: str) -> None:
    """With ``illegal="raise"`` they stop at their first illegal action: they look at no mask."""
    case = Case(game, game.default)
    env = case.env(reward=reward, illegal=illegal, skip_forced=True, max_moves=3)
    try:
        check_env(env, skip_render_check=True)
    except gym.error.InvalidAction:
        assert illegal == "raise"


def test_made_by_its_id(case: Case) -> None:
    env = gym.make(case.game.id, variant=case.variant)
    bare = env.unwrapped
    assert isinstance(bare, CardEnv)
    assert bare.rules == case.rules
    assert case.game.variant_name(bare.rules) is not None
    observation, info = env.reset(seed=4)
    own, own_info = case.env().reset(seed=4)
    assert np.array_equal(observation, own)
    assert np.array_equal(info["action_mask"], own_info["action_mask"])


def test_made_by_its_id_as_a_vector(case: Case) -> None:
    """The time limit is the vector environment's own: `test_truncation`."""
    envs = gym.make_vec(case.game.id, num_envs=3, variant=case.variant, max_episode_steps=7)
    assert isinstance(envs, CardVectorEnv)
    assert (envs.rules, envs.num_envs) == (case.rules, 3)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.reset(seed=0)[0] in envs.observation_space


@pytest.mark.parametrize("mode", [mode.name for mode in AutoresetMode])
def test_autoreset_modes_by_name(game: Game, mode: str) -> None:
    """Its own name, Gymnasium's way of writing it, or the member."""
    member = AutoresetMode[mode]
    for given in (mode, mode.lower(), member.value, member):
        envs = gym.make_vec(game.id, num_envs=1, autoreset_mode=given)
        assert envs.metadata["autoreset_mode"] is member
    with pytest.raises(
        ValueError, match=r"autoreset_mode must be one of next_step, .*, got 'sometimes'"
    ):
        CardVectorEnv(game, 1, autoreset_mode="sometimes")


def test_spec_goes_through_json_with_all_options(game: Game) -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        rules = game.make_rules(None, random_options(game, rng))
        options = changed_options(rules, game.variants[game.default])
        keywords: dict[str, Any] = {"max_moves": 30}
        if game.num_players(rules) > 1:
            keywords = {"opponents": "greedy", "seat": 1}
        env = gym.make(game.id, encoding="codes", reward="win", **keywords, **options)
        again = gym.make(EnvSpec.from_json(env.spec.to_json()))
        assert again.unwrapped.rules == env.unwrapped.rules == rules
        assert again.unwrapped.rows.config == env.unwrapped.rows.config
        assert again.spec == env.spec
        assert np.array_equal(again.reset(seed=2)[0], env.reset(seed=2)[0])


def test_spec_of_a_vector_goes_through_json(game: Game) -> None:
    envs = gym.make_vec(game.id, num_envs=2, encoding="codes", autoreset_mode="same_step")
    spec = EnvSpec.from_json(envs.spec.to_json())
    kept = {key: value for key, value in spec.kwargs.items() if key != "vectorization_mode"}
    again = gym.make_vec(spec.id, **{k: v for k, v in kept.items() if k != "game_name"})
    assert again.metadata == envs.metadata
    assert np.array_equal(again.reset(seed=2)[0], envs.reset(seed=2)[0])


@pytest.mark.parametrize("name", [slow_if(k % 3 > 0, name) for k, name in enumerate(GAMES)])
def test_made_by_module_and_id_in_a_process_that_imported_nothing(name: str) -> None:
    game = GAMES[name]
    code = (
        "import gymnasium\n"
        f"env = gymnasium.make('parlour.envs:{game.id}', encoding='codes')\n"
        f"envs = gymnasium.make_vec('parlour.envs:{game.id}', num_envs=2)\n"
        "print(env.reset(seed=0)[0].shape, envs.reset(seed=0)[0].shape)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    features = game.features
    assert run.stdout.split("\n")[0] == f"({features.width},) (2, {features.columns})"


def test_ids_and_names(game: Game) -> None:
    assert GAMES[game.name] is game
    assert game.id in gym.registry
    assert gym.registry[game.id].kwargs == {"game_name": game.name}
    assert game.default in game.variants
    assert game.sources.keys() == game.variants.keys()


def test_variants_differ_and_pass_their_own_check(case: Case) -> None:
    case.game.check(case.rules)
    assert case.game.variant_name(case.rules) == case.variant
    assert case.game.make_rules(case.game.default, to_plain(case.rules)) == case.rules
    digests = [case.game.rules_digest(rules) for rules in case.game.variants.values()]
    assert len(set(digests)) == len(digests)


def test_same_shapes_for_every_variant_and_option(game: Game) -> None:
    """One network can play them all."""
    for case in random_cases(7, seed=3, games=[game]):
        env = case.env(encoding="codes")
        assert env.action_space.n == case.game.actions
        assert env.observation_space.shape == (case.game.features.width,)
        assert env.reset(seed=1)[0] in env.observation_space


def test_invalid_arguments_are_named(game: Game) -> None:
    near = game.default[:-1]
    with pytest.raises(
        ValueError, match=f"variant must be .*, got '{near}'. Did you mean '{game.default}'"
    ):
        gym.make(game.id, variant=near)
    with pytest.raises(ValueError, match=r"keyword must be .*got 'pases'"):
        gym.make(game.id, pases=2)
    for keyword, allowed in (
        ({"encoding": "one-hot"}, "onehot, codes"),
        ({"reward": "won"}, "progress, win, score"),
        ({"illegal": "ignore"}, "end, raise, random, penalty"),
        ({"render_mode": "film"}, "ansi"),
    ):
        with pytest.raises(ValueError, match=allowed):
            CardEnv(game, **keyword)
        with pytest.raises(ValueError, match=allowed):
            CardVectorEnv(game, 2, **keyword)
    for limit in ("max_moves", "max_episode_steps"):
        with pytest.raises(ValueError, match=f"{limit} must be .*, got 0"):
            CardEnv(game, **{limit: 0})
    with pytest.raises(ValueError, match=r"num_envs must be an integer from 1 to .*, got 0"):
        CardVectorEnv(game, 0)


def test_nothing_is_played_before_the_first_reset_or_after_the_end(game: Game) -> None:
    case = Case(game, game.default)
    env = case.env(max_episode_steps=1)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))
    assert ended(env)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    with pytest.raises(gym.error.ResetNeeded):
        CardVectorEnv(game, 2).step([0, 0])


def test_rendering(case: Case) -> None:
    """Text where it was asked for, and a picture for notebooks without asking."""
    env = case.env(render_mode="ansi")
    env.reset(seed=3)
    text, picture = env.render(), env._repr_svg_()
    assert isinstance(text, str)
    assert text.startswith(case.game.title)
    assert picture.startswith("<svg")
    envs = case.vec(2, render_mode="ansi")
    envs.reset(seed=3)
    assert envs.render()[0] == text
    assert case.variant in repr(env)
    with pytest.warns(UserWarning, match="render_mode"):
        assert case.env().render() is None


def test_infos_have_the_same_keys_from_the_reset_to_the_end(case: Case) -> None:
    """With values of the same types: what records infos makes columns of them (Minari, TorchRL)."""
    for keywords in ({}, {"encoding": "codes", "max_moves": 9, "skip_forced": True}):
        env, rng = case.env(**keywords), np.random.default_rng(4)
        for seed in range(3):
            _, info = env.reset(seed=seed)
            first = {key: type(value) for key, value in info.items()}
            assert {case.goal, "is_success", "score", "moves", "illegal_action"} < first.keys()
            while not ended(env):
                action = rng.choice(np.flatnonzero(info["action_mask"]))
                *_, info = env.step(action)
                assert {key: type(value) for key, value in info.items()} == first
                assert info["is_success"] is info[case.goal]
                if not ended(env):
                    assert info["score"] == (env.state["score"] if case.players == 1 else 0)


def test_monitor_keeps_results_of_games_that_gymnasium_truncates(game: Game) -> None:
    """`gym.make(id, max_episode_steps=...)` ends an episode of which the game knows nothing."""
    monitor = pytest.importorskip("stable_baselines3.common.monitor")
    goal = game.goal_name(game.make_rules())
    env = monitor.Monitor(
        gym.make(game.id, max_episode_steps=2), info_keywords=(goal, "score", "moves")
    )
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, over, info = env.step(int(np.argmax(info["action_mask"])))
        over |= terminated
    assert info["episode"].keys() == {"r", "l", "t", goal, "score", "moves"}
    assert info["episode"]["moves"] == env.unwrapped.state["moves"]
