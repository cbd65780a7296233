"""Environments reject invalid arguments, decks, deal sets and actions."""

import inspect
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from parlour.envs import CardEnv, CardVectorEnv, find_game, make_vec
from parlour.envs.interfaces import arguments

GAME = find_game("pyramid")


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        ("rewards", "reward"),
        ("skip_force", "skip_forced"),
        ("max_step", "max_episode_steps"),
        ("render", "render_mode"),
        ("encode", "encoding"),
        ("pases", "passes"),
    ],
)
def test_the_error_for_an_unknown_keyword_suggests_keywords_and_options(
    wrong: str, nearest: str
) -> None:
    output = rf"keyword must be one of .*got '{wrong}'. Did you mean '{nearest}'\?"
    for make in (gym.make, gym.make_vec):
        with pytest.raises(ValueError, match=output):
            make(GAME.id, **{wrong: 1})


def test_the_error_for_an_unknown_keyword_depends_on_the_environment() -> None:
    with pytest.raises(ValueError, match="Did you mean 'autoreset_mode'"):
        gym.make_vec(GAME.id, autoreset="same_step")
    for name in arguments.VECTOR_KEYWORDS:
        with pytest.raises(TypeError, match=f"'{name}': it is an argument of gym.make_vec, not of"):
            gym.make(GAME.id, **{name: 2})


def test_vector_keywords_are_those_that_single_environments_do_not_have() -> None:
    single, vector = (
        inspect.signature(environment).parameters for environment in (CardEnv, CardVectorEnv)
    )
    assert set(arguments.VECTOR_KEYWORDS) == vector.keys() - single.keys()


@pytest.mark.parametrize("field", ["max_moves", "max_episode_steps"])
@pytest.mark.parametrize("wrong", [1.5, 7.0, True, "9", -2, 0, float("nan"), 2**31, 2**63])
def test_limits_must_be_positive_integers(field: str, wrong: Any) -> None:
    output = rf"{field} must be an integer from 1 to 2147483647, or None.*, got {wrong!r}"
    keywords: dict[str, Any] = {field: wrong}
    with pytest.raises(ValueError, match=output):
        CardEnv(GAME, **keywords)
    with pytest.raises(ValueError, match=output):
        CardVectorEnv(GAME, 2, **keywords)


def test_limits_of_any_integer_type() -> None:
    assert CardEnv(GAME, max_moves=np.int32(7)).rows.config.max_moves == 7  # type: ignore[arg-type]
    assert CardEnv(GAME, max_moves=None).rows.config.max_moves == 0
    assert CardEnv(GAME, max_episode_steps=np.int64(-1)).rows.config.max_steps == 0  # type: ignore[arg-type]


def test_only_max_episode_steps_accepts_minus_one_for_no_limit() -> None:
    with pytest.raises(ValueError, match=r"max_moves must be .*, or None for no limit, got -1"):
        CardEnv(GAME, max_moves=-1)


@pytest.mark.parametrize(("given", "read"), [("no", 0), ("Yes", 1), (0, 0), (np.True_, 1)])
def test_skip_forced_accepts_the_same_values_as_options(given: Any, read: int) -> None:
    assert CardEnv(GAME, skip_forced=given).rows.config.skip_forced == read


@pytest.mark.parametrize("wrong", ["perhaps", 2, None])
def test_skip_forced_rejects_other_values(wrong: Any) -> None:
    with pytest.raises(
        ValueError, match=f"skip_forced must be True, False, yes or no, got {wrong!r}"
    ):
        CardEnv(GAME, skip_forced=wrong)


@pytest.mark.parametrize(
    ("options", "output"),
    [
        ({"deck": 5}, "deck must be a text of card names, or a list of card names or codes, got 5"),
        ({"deck": None}, "deck must be .*, got None"),
        ({"deck": [4.0, 5.0]}, r"deck must be .*, got \[4.0, 5.0\]"),
        ({"deal": 1, "deal_set": ""}, "deal_set must be the name of a deal set, got ''"),
        ({"deal": 1, "deal_set": 3}, "deal_set must be the name of a deal set, got 3"),
    ],
)
def test_reset_rejects_invalid_options(options: dict[str, Any], output: str) -> None:
    for env in (CardEnv(GAME), CardVectorEnv(GAME, 2)):
        with pytest.raises(ValueError, match=output):
            env.reset(options=options)


@pytest.mark.parametrize("wrong", [39, np.int64(39), [39], [39] * 3, [[39, 39]]])
def test_a_vector_environment_needs_one_action_for_each_row(wrong: Any) -> None:
    envs = CardVectorEnv(GAME, 2)
    envs.reset(seed=1)
    before = envs.clone()
    with pytest.raises(
        ValueError, match=r"actions must be integers of shape \(2,\), got int64 of shape \("
    ):
        envs.step(wrong)
    assert envs.clone().tobytes() == before.tobytes()


def test_the_error_for_an_autoreset_mode_lists_each_mode_once() -> None:
    assert arguments.autoreset_mode("SameStep") == AutoresetMode.SAME_STEP
    message = "autoreset_mode must be one of next_step, same_step, disabled, got 'x'"
    with pytest.raises(ValueError, match=message):
        arguments.autoreset_mode("x")


def test_the_error_for_the_deals_of_two_rows_allows_a_list() -> None:
    env = make_vec("pyramid", 2)
    message = r"deal must be an integer >= 0, or a list of 2 such integers, got \[1, 2, 3\]"
    with pytest.raises(ValueError, match=message):
        env.reset(options={"deal": [1, 2, 3]})
