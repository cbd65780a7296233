"""Dictionary observations, and Gymnasium's own wrappers and vector environments over ours."""

import pickle
import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, TransformReward
from gymnasium.wrappers import vector as wrappers

from parlour.envs import GAMES, CardVectorEnv
from parlour.envs.interfaces.wrappers import DictObservation, DictVectorObservation
from tests.contract.cases import check_with_sb3

GAME = GAMES["pyramid"]
MODES = list(AutoresetMode)
N = 5
BELOW_1_4 = gym.__version__.startswith(("1.2.", "1.3."))


def single(**keywords: Any) -> gym.Env[Any, Any]:
    return gym.make(GAME.id, **{"encoding": "codes", "max_moves": 12} | keywords)


def vector(mode: AutoresetMode = AutoresetMode.NEXT_STEP, **keywords: Any) -> VectorEnv:
    return gym.make_vec(
        GAME.id, N, **{"encoding": "codes", "max_moves": 12, "autoreset_mode": mode} | keywords
    )


def legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action of each row."""
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


# ---- dictionary observations ------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_single_dictionaries_pass_the_checkers(encoding: str) -> None:
    bare = single(encoding=encoding).unwrapped
    env = DictObservation(bare)
    with pytest.warns(UserWarning, match="has a wrapper applied") as warned:
        check_env(env, skip_render_check=True)
        check_with_sb3(env)
    assert len(warned) == 1
    assert list(env.observation_space.spaces) == ["action_mask", "observation"]
    assert env.observation_space["observation"] == bare.observation_space
    assert env.observation_space["action_mask"] == gym.spaces.Box(0, 1, (GAME.actions,), np.int8)


def test_single_dictionaries_hold_what_the_environment_says() -> None:
    env, bare = DictObservation(single()), single()
    rng = np.random.default_rng(0)
    results: list[Any] = [(env.reset(seed=1), bare.reset(seed=1))]
    over = False
    while not over:
        action = legal(results[-1][1][-1]["action_mask"], rng)
        results.append((env.step(action), bare.step(action)))
        over = results[-1][1][2] or results[-1][1][3]
    for one, other in results:
        assert one[0] in env.observation_space
        assert np.array_equal(one[0]["observation"], other[0])
        assert np.array_equal(one[0]["action_mask"], other[-1]["action_mask"])
        assert one[1:-1] == other[1:-1]
        assert one[-1].keys() == other[-1].keys()
    assert one[2] != one[3]
    assert one[0]["action_mask"].all() == one[2]


def test_single_dictionaries_keep_options_and_masks_reachable() -> None:
    env = DictObservation(single(variant="open-stock"))
    observation, _ = env.reset(options={"deal": 3})
    assert np.array_equal(env.get_wrapper_attr("action_masks")(), observation["action_mask"])
    assert env.unwrapped.rules == GAME.variants["open-stock"]
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert isinstance(again, DictObservation)
    assert np.array_equal(again.reset(options={"deal": 3})[0]["observation"],
                          observation["observation"])  # fmt: skip
    copied = pickle.loads(pickle.dumps(env))
    assert np.array_equal(copied.step(0)[0]["observation"], env.step(0)[0]["observation"])


def test_a_mask_needs_counted_actions() -> None:
    with pytest.raises(TypeError, match="Discrete"):
        DictObservation(gym.make("Pendulum-v1"))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_vector_dictionaries_in_every_autoreset_mode(mode: AutoresetMode, encoding: str) -> None:
    envs = DictVectorObservation(vector(mode, encoding=encoding))
    bare = vector(mode, encoding=encoding)
    rng = np.random.default_rng(0)
    (observations, infos), (others, _) = envs.reset(seed=1), bare.reset(seed=1)
    assert envs.single_observation_space["observation"] == bare.single_observation_space
    finals = 0
    for _ in range(60):
        assert observations in envs.observation_space
        assert np.array_equal(observations["observation"], others)
        assert np.array_equal(observations["action_mask"], infos["action_mask"])
        actions = legal(observations["action_mask"], rng)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        others, *expected, other_infos = bare.step(actions)
        for one, other in zip((rewards, terminated, truncated), expected, strict=True):
            assert np.array_equal(one, other)
        assert infos.keys() == other_infos.keys()
        done = terminated | truncated
        for i, final in enumerate(infos.get("final_obs", ())):
            assert (final is not None) == done[i]
            if final is not None:
                assert final in envs.single_observation_space
                assert np.array_equal(final["observation"], other_infos["final_obs"][i])
                assert final["action_mask"].all() == terminated[i]
                finals += 1
        if mode is AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done}
            observations, infos = envs.reset(options=options)
            others, _ = bare.reset(options=options)
    assert (finals > 0) == (mode is AutoresetMode.SAME_STEP)


def test_vector_dictionaries_are_those_of_wrapped_single_environments() -> None:
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        envs = DictVectorObservation(vector(mode))
        others = SyncVectorEnv([lambda: DictObservation(single())] * N, autoreset_mode=mode)
        assert envs.observation_space == others.observation_space
        rng = np.random.default_rng(0)
        (one, _), (other, _) = envs.reset(seed=1), others.reset(seed=1)
        for _ in range(50):
            assert np.array_equal(one["observation"], other["observation"])
            assert np.array_equal(one["action_mask"], other["action_mask"])
            actions = legal(one["action_mask"], rng)
            one, *_, infos = envs.step(actions)
            other, *_, other_infos = others.step(actions)
            for final, expected in zip(
                infos.get("final_obs", ()), other_infos.get("final_obs", ()), strict=True
            ):
                assert (final is None) == (expected is None)
                for key in final or ():
                    assert np.array_equal(final[key], expected[key])


LIBRARIES: list[dict[str, Any]] = [
    {"observation_key": "observations", "dtype": "float32", "mask_dtype": np.float32},
    {"observation_key": "obs", "mask_key": "mask", "mask_dtype": "bool"},
]
"""As RLlib wants it, and Tianshou."""


@pytest.mark.parametrize("form", LIBRARIES, ids=lambda form: form["observation_key"])
@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_dictionaries_in_the_forms_that_libraries_expect(
    form: dict[str, Any], encoding: str
) -> None:
    """The same facts under other names and in other types; the specification keeps them."""
    seen, mask = form["observation_key"], form.get("mask_key", "action_mask")
    env = DictObservation(single(encoding=encoding), **form)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    plain = DictObservation(single(encoding=encoding))
    envs = DictVectorObservation(vector(AutoresetMode.SAME_STEP, encoding=encoding), **form)
    assert env.observation_space == again.observation_space == envs.single_observation_space
    assert env.observation_space[mask].dtype == form["mask_dtype"]
    (one, _), (other, _), (expected, _) = (each.reset(seed=3) for each in (env, again, plain))
    many, _ = envs.reset(seed=3)
    rng, finals = np.random.default_rng(0), 0
    for _ in range(40):
        assert one in env.observation_space and many in envs.observation_space
        assert one[seen].dtype == (form.get("dtype") or expected["observation"].dtype)
        assert np.array_equal(one[seen], expected["observation"])
        assert np.array_equal(one[mask], expected["action_mask"])
        assert np.array_equal(one[mask], other[mask])
        actions = legal(many[mask], rng)
        many, *_, infos = envs.step(actions)
        for final in infos.get("final_obs", ()):
            if final is not None:
                assert final in envs.single_observation_space
                finals += 1
        action = legal(one[mask], rng)
        results = [each.step(action) for each in (env, again, plain)]
        if results[0][2] or results[0][3]:
            results = [each.reset(seed=4) for each in (env, again, plain)]
        one, other, expected = (result[0] for result in results)
    assert finals


def test_invalid_arguments_of_dictionaries_are_named() -> None:
    for wrong, output in (
        ({"observation_key": ""}, "observation_key must be a non-empty string, got ''"),
        ({"mask_key": 3}, "mask_key must be a non-empty string, got 3"),
        (
            {"mask_key": "observation"},
            "mask_key must be different from observation_key, got 'observation'",
        ),
        ({"dtype": "floaty"}, r"dtype must be a NumPy number type or bool, .*, got 'floaty'"),
        ({"dtype": "U3"}, r"dtype must be a NumPy number type or bool, .*, got 'U3'"),
        ({"mask_dtype": None}, "mask_dtype must be .*, got None"),
    ):
        for wrap in (lambda **form: DictObservation(single(), **form),
                     lambda **form: DictVectorObservation(vector(), **form)):  # fmt: skip
            with pytest.raises(ValueError, match=output):
                wrap(**wrong)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_vectors_answer_as_gymnasiums_own(mode: AutoresetMode) -> None:
    """`call` and `get_attr`, on the batch and on its wrapper; and when rows begin anew."""
    envs = vector(mode, render_mode="ansi")
    others = SyncVectorEnv([lambda: single(render_mode="ansi")] * N, autoreset_mode=mode)
    wrapped = DictVectorObservation(envs)
    assert wrapped.autoreset_mode is envs.autoreset_mode is mode
    seen, _ = envs.reset(seed=2)
    others.reset(seed=2)
    for one in (envs, wrapped):
        assert np.array_equal(one.call("action_masks"), others.call("action_masks"))
        assert one.call("render") == others.call("render")
        assert repr(one.call("scene")) == repr(others.call("scene"))
        for name in ("game", "rules", "encoding", "illegal", "render_mode", "action_space"):
            assert one.get_attr(name) == others.get_attr(name)
        assert str(one.call("explain", seen[0])) == str(others.call("explain", seen[0]))
        assert b"".join(row.tobytes() for row in one.get_attr("state")) == envs.states.tobytes()
        assert one.get_attr("observation_space") == (envs.single_observation_space,) * N
        with pytest.raises(
            AttributeError, match=r"attribute must be one of action_masks, .*, got 'stepp'"
        ):
            one.call("stepp")


def test_wrappers_need_no_generic_class_of_gymnasiums() -> None:
    """Below 1.4 `VectorWrapper` is none; `make test-lowest` runs them there."""
    code = (
        "import gymnasium.vector as vector\n"
        "vector.VectorWrapper.__class_getitem__ = None\n"
        "import parlour.envs\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- Gymnasium's vector environments over the single one ----------------------------------------


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_sync_and_async_vectors_of_single_environments(kind: str, encoding: str) -> None:
    keywords = {"encoding": encoding, "variant": "web", "max_moves": 12}
    others = gym.make_vec(GAME.id, num_envs=3, vectorization_mode=kind, **keywords)
    envs = gym.make_vec(GAME.id, num_envs=3, **keywords)
    assert isinstance(others, {"sync": SyncVectorEnv, "async": AsyncVectorEnv}[kind])
    assert isinstance(envs, CardVectorEnv)
    try:
        assert others.observation_space == envs.observation_space
        rng = np.random.default_rng(3)
        (_, infos), (other, _) = envs.reset(seed=4), others.reset(seed=4)
        ends = 0
        for _ in range(60):
            actions = legal(infos["action_mask"], rng)
            results, expected = envs.step(actions), others.step(actions)
            infos = results[-1]
            for one, other in zip(results[:4], expected[:4], strict=True):
                assert one.dtype == other.dtype
                assert np.array_equal(one, other)
            assert np.array_equal(infos["action_mask"], expected[-1]["action_mask"])
            done = results[2] | results[3]
            for key in ("won", "moves") if done.any() else ():
                assert np.array_equal(infos[key][done], expected[-1][key][done])
                assert np.array_equal(infos[f"_{key}"], done)
            ends += (results[2] | results[3]).sum()
        assert ends > 6
        assert np.array_equal(others.call("action_masks"), envs.action_masks())
    finally:
        others.close()


def test_an_async_vector_in_fresh_processes() -> None:
    """Nothing is inherited: the children import the game by what stands in the registry."""
    keywords = {"context": "spawn", "shared_memory": False}
    envs = gym.make_vec(GAME.id, num_envs=1, vectorization_mode="async", vector_kwargs=keywords)
    try:
        observations, infos = envs.reset(seed=4)
        own, own_info = gym.make(GAME.id).reset(seed=4)
        assert np.array_equal(observations[0], own)
        assert np.array_equal(infos["action_mask"][0], own_info["action_mask"])
    finally:
        envs.close()


# ---- Gymnasium's wrappers over the batch kernel -------------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_episode_statistics(mode: AutoresetMode) -> None:
    """Returns and lengths of a batch are those of its episodes, counted by hand."""
    if mode is AutoresetMode.SAME_STEP and BELOW_1_4:
        pytest.skip("Gymnasium below 1.4 counts a step too few of rows that begin anew")
    envs = wrappers.RecordEpisodeStatistics(vector(mode), buffer_length=1000)
    rng = np.random.default_rng(5)
    _, infos = envs.reset(seed=6)
    returns, lengths = np.zeros(N), np.zeros(N, int)
    waiting = np.zeros(N, np.bool_)
    episodes: list[tuple[float, int]] = []
    for _ in range(80):
        _, rewards, terminated, truncated, infos = envs.step(legal(infos["action_mask"], rng))
        returns += np.where(waiting, 0, rewards)
        lengths += ~waiting
        done = terminated | truncated
        if done.any():
            assert np.array_equal(infos["_episode"], done)
            assert np.allclose(infos["episode"]["r"][done], returns[done])
            assert np.array_equal(infos["episode"]["l"][done], lengths[done])
            facts = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
            progress = facts["score"] * GAME.kernels.score_scale + facts["won"]
            assert np.allclose(returns[done], progress[done])
            episodes += zip(returns[done].tolist(), lengths[done].tolist(), strict=True)
            returns[done] = lengths[done] = 0
        waiting = done & (mode is AutoresetMode.NEXT_STEP)
        if mode is AutoresetMode.DISABLED and done.any():
            _, infos = envs.reset(options={"reset_mask": done})
    assert len(episodes) > N
    assert np.allclose(envs.return_queue, [one for one, _ in episodes])
    assert list(envs.length_queue) == [one for _, one in episodes]


def test_normalised_rewards() -> None:
    envs, bare = wrappers.NormalizeReward(vector(), gamma=0.9), vector()
    rng = np.random.default_rng(5)
    (_, infos), _ = envs.reset(seed=6), bare.reset(seed=6)
    for _ in range(60):
        actions = legal(infos["action_mask"], rng)
        observations, rewards, _, _, infos = envs.step(actions)
        others, plain, *_ = bare.step(actions)
        assert np.array_equal(observations, others)
        scale = (envs.return_rms.var + envs.epsilon) ** 0.5
        assert np.allclose(rewards, plain / scale)
    assert envs.return_rms.count > 100


def test_transformed_observations_and_rewards() -> None:
    envs = wrappers.TransformObservation(
        wrappers.TransformReward(vector(), lambda rewards: 10 * rewards),
        lambda codes: codes[:, :4] * np.float32(0.5),
        single_observation_space=gym.spaces.Box(0, 99, (4,)),
    )
    bare = vector()
    rng = np.random.default_rng(5)
    (observations, infos), (others, _) = envs.reset(seed=6), bare.reset(seed=6)
    for _ in range(30):
        assert observations.shape == (N, 4)
        assert np.array_equal(observations * 2, others[:, :4])
        actions = legal(infos["action_mask"], rng)
        observations, rewards, _, _, infos = envs.step(actions)
        others, plain, *_ = bare.step(actions)
        assert np.array_equal(rewards, 10 * plain)
    assert envs.observation_space.shape == (N, 4)


@pytest.mark.skipif(BELOW_1_4, reason="there the wrapper wants a mask of each key, given or not")
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_infos_as_lists(mode: AutoresetMode) -> None:
    """Row by row they are the infos of single environments, which say all of each game."""
    envs = wrappers.DictInfoToList(vector(mode, variant="web"))
    others = wrappers.DictInfoToList(
        SyncVectorEnv([lambda: single(variant="web")] * N, autoreset_mode=mode)
    )
    rng = np.random.default_rng(5)
    (_, infos), (_, expected) = envs.reset(seed=6), others.reset(seed=6)
    ended = 0
    for _ in range(60):
        for info, other in zip(infos, expected, strict=True):
            output = {key: other[key] for key in info}
            assert gym.utils.env_checker.data_equivalence(info, output, exact=True)
            ended += "won" in info.get("final_info", info)
        actions = legal(np.stack([info["action_mask"] for info in infos]), rng)
        *_, infos = envs.step(actions)
        *_, expected = others.step(actions)
    assert ended > N


# ---- Gymnasium's wrappers over the single environment -------------------------------------------


def test_single_wrappers() -> None:
    env = RecordEpisodeStatistics(TransformReward(FlattenObservation(single()), lambda r: 2 * r))
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=2)
    total, steps, over = 0.0, 0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(legal(info["action_mask"], rng))
        total, steps, over = total + float(reward), steps + 1, terminated or truncated
    assert info["episode"]["l"] == steps
    assert np.isclose(info["episode"]["r"], total)
    assert np.isclose(total, 2 * (info["score"] * GAME.kernels.score_scale + info["won"]))


def test_a_limit_given_to_gymnasium_make_truncates() -> None:
    env = gym.make(GAME.id, max_episode_steps=3)
    envs = gym.make_vec(GAME.id, num_envs=1, max_episode_steps=3)
    (_, info), _ = env.reset(seed=2), envs.reset(seed=2)
    for step in range(3):
        action = int(info["action_mask"].argmax())
        observation, reward, terminated, truncated, info = env.step(action)
        results = envs.step([action])
        assert (terminated, truncated) == (False, step == 2)
        assert np.array_equal(results[0][0], observation)
        assert (results[1][0], results[2][0], results[3][0]) == (reward, False, step == 2)
