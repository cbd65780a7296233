"""A state is a plain record: it holds the whole pack, is copied by copying, and plays on alike."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs import CardEnv, Game, make, make_vec
from parlour.envs.core.kernel.cards import FIRST_CARD, PACK_SIZE
from parlour.envs.core.rows import resample_copies
from parlour.envs.interfaces.wrappers import DictObservation, DictVectorObservation
from parlour.envs.render.pictures import missing_modes, usable_modes
from tests.contract.cases import Case, Crowd, ended, positions, random_cases, share_keys
from tests.marks import slow_if
from tests.walkers import WALKERS


def fields(dtype: np.dtype[Any]) -> int:
    """The bytes of all fields of a record, those of records inside it included."""
    if dtype.base.fields is None:
        return int(dtype.base.itemsize * np.prod(dtype.shape, dtype=int))
    one = sum(fields(entry[0]) for entry in dtype.base.fields.values())
    return int(one * np.prod(dtype.shape, dtype=int))


def leaves(dtype: np.dtype[Any]) -> set[np.dtype[Any]]:
    """The types of all numbers in a record."""
    if dtype.base.fields is None:
        return {dtype.base}
    return {leaf for entry in dtype.base.fields.values() for leaf in leaves(entry[0])}


def deck_is_whole(case: Case, states: np.ndarray) -> bool:
    """Whether each deck is a whole pack; behind it there is nothing."""
    pack = np.sort(np.array(case.game.pack(case.rules), np.int8))
    decks = np.sort(states["deck"][:, : len(pack)], axis=1)
    return bool((decks == pack).all()) and not states["deck"][:, len(pack) :].any()


def test_the_record_has_no_padding(game: Game) -> None:
    """So that its bytes are its identity."""
    assert game.state.itemsize == fields(game.state)
    assert game.features.dtype.itemsize == fields(game.features.dtype) == game.features.width
    assert game.state.fields["shown"][0] == game.features.dtype
    assert leaves(game.features.dtype) == {np.dtype(np.int8)}


@pytest.mark.parametrize(("games", "every"), [(3, 2), slow_if(True, 6, 1)])
def test_the_pack_is_whole_in_every_state(case: Case, games: int, every: int) -> None:
    """No card lies in two places, but that each seat may have one of its own to place."""
    env = case.env(encoding="codes")
    for steps in positions(env, games, seed=10, every=every):
        states = env.rows.states
        assert deck_is_whole(case, states)
        for seat in range(case.players):
            assert deck_is_whole(case, resample_copies(case.game, case.rules, states, steps, seat))
        lying = Counter(item.card for item in env.scene().items if item.face_up and item.card)
        assert max(lying.values(), default=0) <= case.players, "a card lies in two places"
        assert lying.keys() <= set(range(FIRST_CARD, FIRST_CARD + PACK_SIZE))


@pytest.mark.parametrize("each", [5, pytest.param(14, marks=pytest.mark.slow)])
def test_the_pack_is_whole_with_random_options(each: int) -> None:
    for case in random_cases(each, seed=8):
        envs = case.vec(6, encoding="codes", autoreset_mode="next_step")
        crowd = Crowd(case, 6, 1)
        envs.reset(seed=2)
        for _ in range(100):
            envs.step(crowd.choose(envs.states, envs.action_masks()))
            assert deck_is_whole(case, envs.states)


def play_on(env: Any, seed: int, steps: int = 25) -> list[Any]:
    """Play on for some steps, through the ends of games; return all that was seen."""
    rng = np.random.default_rng(seed)
    bare = env.unwrapped
    walkers = list(WALKERS.values())
    seen: list[Any] = []
    for step in range(steps):
        if ended(bare):
            observation, info = env.reset()
            result: tuple[Any, ...] = (observation,)
        else:
            *rest, info = env.step(walkers[step % 3](bare.rows, rng))
            result = tuple(rest)
        facts = {key: value for key, value in info.items() if key != "action_mask"}
        seen += [
            [np.asarray(part).tolist() for part in result],
            info["action_mask"].tolist(),
            facts,
        ]
        seen.append(bare.clone().tobytes())
    return seen


def begun(env: Any, steps: int = 12) -> Any:
    env.reset(seed=21)
    play_on(env, 1, steps)
    return env


@pytest.mark.parametrize("every", [18, slow_if(True, 9)])
def test_a_restored_state_has_the_same_future(case: Case, every: int) -> None:
    several: dict[str, Any] = {}
    if case.players > 1:  # opponents choose by deal and turn: they, too, have the same future
        agents = ["uniform"] * (case.players - 2) + ["greedy"]
        several = {"opponents": agents, "seat": case.players - 1}
    for keywords in ({"encoding": "codes"}, {"skip_forced": True, "max_moves": 20, **several}):
        env, other = case.env(**keywords), case.env(**keywords)
        for steps in positions(env, 3, seed=30, every=every if case.players == 1 else 2 * every):
            here = env.clone()
            kept = here.tobytes()
            shown = env.rows.codes.copy()
            future = play_on(env, steps)
            share_keys(env, other)
            for one in (env, other):
                observation, info = one.restore(here)
                assert observation in one.observation_space
                assert np.array_equal(one.rows.codes, shown)
                assert info["is_success"] is info[case.goal]
                assert ended(one) == (here["over"][0] in (1, 2))
                assert play_on(one, steps) == future
            assert here.tobytes() == kept, "the clone is not a copy"


def test_rows_of_a_vector_can_be_put_elsewhere(case: Case) -> None:
    envs = case.vec(5, encoding="codes", autoreset_mode="same_step", **case.drawless)
    crowd = Crowd(case, 5, 4)
    envs.reset(seed=1)
    for _ in range(15):
        envs.step(crowd.choose(envs.states, envs.action_masks()))
    order = np.array([3, 3, 0, 4, 1])
    states = envs.clone()[order]
    actions = envs.action_masks().argmax(axis=1)
    before = envs.step(actions)
    envs.restore(states)
    after = envs.step(actions[order])
    for one, other in zip(before[:4], after[:4], strict=True):
        assert np.array_equal(one[order], other)
    for wrong in (states[:2], np.zeros(5), states["shown"]):
        with pytest.raises(ValueError, match="record array"):
            envs.restore(wrong)


def copies(env: Any) -> dict[str, Any]:
    return {"pickle": pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy(env)}


@pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "gym.make"])
def test_copies_of_an_environment_go_on_alike_and_apart(case: Case, wrapped: bool) -> None:
    made = gym.make(case.game.id, variant=case.variant, encoding="codes") if wrapped else case.env()
    env, steps = begun(made), 150 if case.players == 1 else 40
    for way, other in copies(env).items():
        state = env.unwrapped.clone().tobytes()
        assert other.unwrapped.game is case.game, way
        assert other.unwrapped.clone().tobytes() == state, way
        assert np.array_equal(other.unwrapped.action_masks(), env.unwrapped.action_masks()), way
        future = play_on(other, 5, steps)
        assert env.unwrapped.clone().tobytes() == state, f"{way}: playing the copy changed the env"
        twin = copies(env)["deepcopy"]
        assert play_on(twin, 5, steps) == future, way
        for one in (other, twin):
            one.reset(seed=77)
        assert play_on(other, 6) == play_on(twin, 6), way
    assert play_on(env, 5, steps) == future


SHELLS: dict[str, Callable[..., Any]] = {
    "single": partial(make, "pyramid"),
    "seat": partial(make, "twenty_nine"),
    "gym.make": partial(gym.make, "parlour/Pyramid-v0"),
    "vector": partial(make_vec, "klondike", 2),
    "vector of seats": partial(make_vec, "fifty_six", 2),
    "dict": lambda **given: DictObservation(make("pyramid", **given)),
    "dict vector": lambda **given: DictVectorObservation(make_vec("pyramid", 2, **given)),
}
if find_spec("pettingzoo"):
    SHELLS["aec"] = lambda **given: import_module("parlour.envs.interfaces.pettingzoo").env(
        "twenty_eight", **given
    )


@pytest.mark.parametrize(
    ("mode", "shell"),
    [
        slow_if(mode == "human" and shell not in ("single", "vector of seats"), mode, shell)
        for mode in ("ansi", "rgb_array", "human")
        for shell in SHELLS
    ],
)
def test_copies_leave_pictures_and_windows_behind(
    shell: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(CardEnv.metadata, "render_modes", usable_modes())
    if mode in missing_modes():
        pytest.skip(missing_modes()[mode])
    env = SHELLS[shell](render_mode=mode)
    env.reset(seed=1)
    shown = env.render()
    for way, other in copies(env).items():
        again = other.render()
        assert np.array_equal(np.asarray(again), np.asarray(shown)), way
        other.reset(seed=2)
        other.close()
        env.reset(seed=1)
        assert np.array_equal(np.asarray(env.render()), np.asarray(shown)), way
    env.close()


def test_a_copy_before_the_first_reset_can_begin(game: Game) -> None:
    for way, other in copies(CardEnv(game)).items():
        with pytest.raises(gym.error.ResetNeeded):
            other.step(0)
        assert other.reset(seed=4)[0].tolist() == CardEnv(game).reset(seed=4)[0].tolist(), way


def test_copies_of_a_vector_go_on_alike_and_apart(case: Case) -> None:
    envs = case.vec(4, encoding="onehot", autoreset_mode="same_step", max_moves=15)
    crowd = Crowd(case, 4, 9)
    envs.reset(seed=5)
    for _ in range(10):
        envs.step(crowd.choose(envs.states, envs.action_masks()))
    others = copies(envs)
    before = envs.clone().tobytes()
    for way, other in others.items():
        assert other.clone().tobytes() == before, way
        other.step(other.action_masks().argmax(axis=1))
        assert envs.clone().tobytes() == before, f"{way}: playing the copy changed the env"
    others = copies(envs)
    for _ in range(40):
        actions = crowd.choose(envs.states, envs.action_masks())
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        for way, other in others.items():
            result = other.step(actions)
            assert np.array_equal(result[0], observations), way
            assert np.array_equal(result[1], rewards), way
            assert np.array_equal(result[2] | result[3], terminated | truncated), way
            assert other.clone().tobytes() == envs.clone().tobytes(), way


def test_a_state_is_a_view_and_a_clone_is_not(game: Game) -> None:
    env = CardEnv(game)
    env.reset(seed=1)
    clone, state = env.clone(), env.state
    assert np.shares_memory(state, env.rows.states)
    assert not np.shares_memory(clone, env.rows.states)
    assert clone.shape == (1,)
    assert clone.dtype == game.state


def test_equal_seeds_are_equal_games(case: Case) -> None:
    """Whatever was played before: nothing of the last game is left in the state."""
    steps = 80 if case.players == 1 else 30
    fresh, used = case.env(encoding="codes"), begun(case.env(encoding="codes"), 2 * steps - 10)
    for seed in range(5):
        one, two = fresh.reset(seed=seed), used.reset(seed=seed)
        assert np.array_equal(one[0], two[0])
        assert fresh.clone().tobytes() == used.clone().tobytes()
        assert play_on(fresh, seed, steps) == play_on(used, seed, steps)


def test_resets_without_a_seed_continue_the_generator(case: Case) -> None:
    decks = []
    for _ in range(2):
        env = case.env()
        env.reset(seed=3)
        deals = [env.state["deck"].tobytes()]
        for moves in range(20 if case.players == 1 else 10):
            play_on(env, moves, moves)
            env.reset()
            deals.append(env.state["deck"].tobytes())
        decks.append(deals)
        assert len(set(deals)) == len(deals)
    assert decks[0] == decks[1]


def test_the_first_reset_without_a_seed_is_random(game: Game) -> None:
    decks = set()
    for _ in range(5):
        env = CardEnv(game)
        env.reset()
        decks.add(env.state["deck"].tobytes())
    assert len(decks) == 5


def test_the_generator_is_the_one_that_gymnasium_seeds(game: Game) -> None:
    """A seeded reset draws from ``np_random`` once; the game's chance is then in the state."""
    env = CardEnv(game)
    env.reset(seed=8)
    assert env.np_random_seed == 8
    drawn = env.np_random.bit_generator.state
    play_on(env, 0, 60)
    assert env.np_random.bit_generator.state == drawn
