"""The bridge to RLlib, whose own two names are stood in for: tests/clients play RLlib itself."""

import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs import GAMES, DictObservation, DictVectorObservation
from parlour.envs.core.legal import unpack_actions

MODULE = "parlour.envs.interfaces.rllib"
NAMES = ("ray", "ray.rllib", "ray.rllib.env", "ray.rllib.env.multi_agent_env")
SEVEN = "seven_twenty_seven"


def test_parlour_does_without_ray() -> None:
    code = "import sys, parlour.envs; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_error_for_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray.rllib.env.multi_agent_env", None)
    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "parlour\[ray\]" "ray\[rllib\]"'):
        import parlour.envs.interfaces.rllib  # noqa: F401


@pytest.fixture
def registered() -> dict[str, Any]:
    """What Ray knows."""
    return {}


@pytest.fixture
def rllib(monkeypatch: pytest.MonkeyPatch, registered: dict[str, Any]) -> Iterator[Any]:
    """The module, on a Ray that only remembers what it is given."""
    for name in (*NAMES, "ray.tune", "ray.tune.registry"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    agents, registry = sys.modules[NAMES[-1]], sys.modules["ray.tune.registry"]
    monkeypatch.setattr(agents, "MultiAgentEnv", type("MultiAgentEnv", (), {}), raising=False)
    monkeypatch.setattr(registry, "register_env", registered.__setitem__, raising=False)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    import parlour.envs.interfaces.rllib as result

    yield result
    sys.modules.pop(MODULE, None)


def test_every_game_is_registered(rllib: Any, registered: dict[str, Any]) -> None:
    several = ("SevenTwentySeven", "PokerSquares", "TwentyEight", "TwentyNine", "FiftySix")
    tables = {f"parlour/{name}-table-v0" for name in several}
    assert set(rllib.register()) == set(registered) == {g.id for g in GAMES.values()} | tables


@pytest.mark.parametrize("name", GAMES)
def test_observations_fit_the_masking_module(
    name: str, rllib: Any, registered: dict[str, Any]
) -> None:
    rllib.register()
    make = registered[GAMES[name].id]
    one, many = make({}), make({"num_envs": 3})
    assert isinstance(one, DictObservation) and isinstance(many, DictVectorObservation)
    assert many.metadata["autoreset_mode"] == gym.vector.AutoresetMode.NEXT_STEP
    for space in (one.observation_space, many.single_observation_space):
        assert {key: part.dtype for key, part in space.spaces.items()} == {
            "observations": np.float32, "action_mask": np.float32,
        }  # fmt: skip
    assert many.reset(seed=0)[0] in many.observation_space


def test_an_env_config_is_the_keywords(rllib: Any) -> None:
    envs = rllib.make_env("pyramid", {"num_envs": 2, "variant": "web", "passes": 2})
    assert envs.unwrapped.rules.passes == 2
    assert rllib.make_env("pyramid", {"variant": "web"}).unwrapped.rules.passes != 2
    assert len(rllib.make_multi_agent_env(SEVEN, {"players": 4}).possible_agents) == 4


@pytest.mark.parametrize(
    ("context", "output"),
    [
        ({"varian": "web"}, "unexpected keyword argument 'varian'"),
        ({"num_envs": 2, "variant": "wep"}, "Did you mean 'web'"),
        ({"num_envs": 2, "passes": 99}, "option passes must be an integer from"),
        ({"num_envs": 0}, "num_envs must be an integer from 1 to"),
        (
            {"num_envs": 2, "autoreset_mode": "same_step"},
            "autoreset_mode must be NEXT_STEP for RLlib, got SAME_STEP",
        ),
    ],
)
def test_a_wrong_env_config_is_refused(rllib: Any, context: dict[str, Any], output: str) -> None:
    with pytest.raises(ValueError, match=output):
        rllib.make_env("pyramid", context)


def play(env: Any, rng: np.random.Generator, seed: int) -> tuple[dict[str, float], int]:
    """A random hand: what each seat was paid, and how many seats were asked in its steps."""
    seen, infos = env.reset(seed=seed)
    paid, over, steps = dict.fromkeys(env.possible_agents, 0.0), {"__all__": False}, 0
    while not over["__all__"]:
        assert len(seen) == 1 and infos.keys() == seen.keys()
        ((seat, view),) = seen.items()
        assert view in env.observation_spaces[seat] and view["action_mask"].any()
        action = rng.choice(np.flatnonzero(view["action_mask"]))
        seen, rewards, over, truncated, infos = env.step({seat: action})
        assert over.keys() == truncated.keys() == {*env.possible_agents, "__all__"}
        paid = {seat: paid[seat] + rewards[seat] for seat in paid}
        steps += 1
    assert list(seen) == env.possible_agents and all(over.values())
    return paid, steps


@pytest.mark.parametrize("name", GAMES)
def test_truncated_games_keep_their_masks(name: str, rllib: Any) -> None:
    """RLlib bootstraps from them: single environments and vectors, in float32."""
    context = {"max_episode_steps": 2, "encoding": "codes"}
    one, many = (rllib.make_env(name, context | rows) for rows in ({}, {"num_envs": 3}))
    truncations = 0
    for env in (one, many):
        seen, _ = env.reset(seed=1)
        for _ in range(8):
            seen, _, terminated, truncated, _ = env.step(seen["action_mask"].argmax(axis=-1))
            states = np.atleast_1d(env.unwrapped.clone())
            legal = unpack_actions(states["legal"], env.unwrapped.game.actions)
            rows = np.flatnonzero(truncated)
            assert np.array_equal(np.atleast_2d(seen["action_mask"])[rows], legal[rows])
            truncations += len(rows)
            if env is one and (terminated or truncated):
                seen, _ = env.reset()
    assert truncations > 3


@pytest.mark.parametrize("variant", GAMES[SEVEN].variants)
def test_hands_are_those_of_the_table(rllib: Any, variant: str) -> None:
    env = rllib.make_multi_agent_env(SEVEN, {"variant": variant, "illegal": "raise"})
    rng = np.random.default_rng(0)
    for seed in range(20):
        paid, _ = play(env, rng, seed)
        assert sum(paid.values()) == pytest.approx(0)
        assert env.table.infos["player_0"]["score"] is not None
    with pytest.raises(gym.error.ResetNeeded):
        env.step({"player_0": 0})


def test_a_hand_that_is_over_at_the_deal_asks_once(rllib: Any) -> None:
    env = rllib.make_multi_agent_env(SEVEN, {"players": 2})
    seen, _ = env.reset(seed=0)
    ends = dict.fromkeys(env.possible_agents, True)
    env.table.terminations = ends
    env.table.rewards = {"player_0": 1.0, "player_1": -1.0}
    _, rewards, over, _, _ = env.step({next(iter(seen)): 0})
    assert rewards == {"player_0": 1.0, "player_1": -1.0} and over == ends | {"__all__": True}


def test_the_seat_whose_turn_it_is_has_to_act(rllib: Any) -> None:
    env = rllib.make_multi_agent_env(SEVEN, {"players": 3})
    asked = next(iter(env.reset(seed=0)[0]))
    other = next(seat for seat in env.possible_agents if seat != asked)
    with pytest.raises(ValueError, match=f"action_dict must contain {asked}, whose turn it is"):
        env.step({other: 0})


def test_rules_for_one_player_have_no_multi_agent_environment(rllib: Any) -> None:
    with pytest.raises(ValueError, match="variant must be one of duel, "):
        rllib.make_multi_agent_env("poker_squares", {})
