"""What other libraries ask of an environment before they take it."""

from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs import GAMES, CardEnv, CardVectorEnv, make, make_vec
from parlour.envs.interfaces import pettingzoo as aec
from parlour.envs.interfaces.arguments import KeywordError
from parlour.envs.render import pictures

IDS = [one.id for one in GAMES.values()]
GAME = GAMES["pyramid"]


def makers(name: str) -> list[Any]:
    """Every way to an environment of a game."""
    many = []
    if find_spec("stable_baselines3"):
        from parlour.envs.interfaces.sb3 import CardVecEnv

        many = [lambda **keywords: CardVecEnv(GAMES[name], 1, **keywords)]
    return [
        *many,
        lambda **keywords: make(name, **keywords),
        lambda **keywords: make_vec(name, **keywords),
        lambda **keywords: gym.make(GAMES[name].id, **keywords),
        lambda **keywords: gym.make_vec(GAMES[name].id, **keywords),
    ]


@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_keyword_is_also_a_type_error(name: str) -> None:
    """As TorchRL, which probes ``frameskip``, reads it; and a ValueError as all bad values."""
    for maker in makers(name):
        for kind in (TypeError, ValueError):
            with pytest.raises(
                kind, match=r"unexpected keyword argument 'frameskip'.* must be one of "
            ):
                maker(frameskip=4)
    with pytest.raises(KeywordError, match=r"got 'encodng'. Did you mean 'encoding'\?$"):
        aec.env("seven_twenty_seven", encodng="codes")


def test_a_bad_value_is_a_value_error_alone() -> None:
    for keywords in ({"passes": 99}, {"variant": "clasic"}, {"reward": "won"}, {"max_moves": 0}):
        with pytest.raises(ValueError) as caught:
            CardEnv(GAME, **keywords)
        assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize("made", [CardEnv, CardVectorEnv, aec.CardAECEnv])
def test_a_render_mode_that_is_not_there(made: Any) -> None:
    game = GAMES["seven_twenty_seven"]
    for kind in (TypeError, ValueError):
        with pytest.raises(
            kind, match=r"render_mode must be one of ansi, rgb_array, human, got 'rgb'"
        ):
            made(game, render_mode="rgb")


@pytest.mark.parametrize("made", [CardEnv, CardVectorEnv, aec.CardAECEnv])
def test_a_render_mode_whose_libraries_are_missing(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to install; libraries that probe for pictures go on after a TypeError."""
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    for kind in (TypeError, ValueError):
        with pytest.raises(
            kind,
            match=r"'rgb_array' needs .*pip install .parlour\[pictures\].\. Available: ansi$",
        ):
            made(GAMES["seven_twenty_seven"], render_mode="rgb_array")


@pytest.mark.parametrize("id_", IDS)
def test_stable_baselines3_works_without_pictures(
    id_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_util import make_vec_env

    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    assert make_vec_env(id_, n_envs=1).reset().shape[0] == 1


@pytest.mark.parametrize("id_", IDS)
def test_stable_baselines3_makes_environments_by_their_ids(id_: str) -> None:
    """It probes a picture first, and goes on without one."""
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(id_, n_envs=2)
    assert envs.reset().shape[0] == 2
    model = PPO("MlpPolicy", id_, n_steps=8, batch_size=8, n_epochs=1, device="cpu")
    model.learn(8)


@pytest.mark.parametrize("id_", IDS)
def test_entry_points_list_their_render_modes(id_: str) -> None:
    env = gym.make(id_, render_mode="ansi_list")
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    pictures = env.render()
    assert len(pictures) == 2
    assert all(isinstance(picture, str) for picture in pictures)
    assert gym.make_vec(id_, num_envs=1, render_mode="ansi").render_mode == "ansi"
