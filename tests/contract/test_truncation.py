"""A truncated game is not finished: all that it says is what the same game says without a limit.

Every game is played beside one of equal seed without a limit, by the same actions. Where the limit
truncates it, observation, mask, facts and table must be those of the other, whose game goes on.
"""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from parlour.envs import (
    GAMES,
    CardEnv,
    CardVectorEnv,
    DictObservation,
    DictVectorObservation,
    Game,
)
from parlour.envs.core.batch import Over
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import copy_states
from tests.contract.cases import SEVERAL, Case
from tests.contract.test_vector import Both
from tests.marks import slow_if

MODES = list(AutoresetMode)
LONGEST = 2000
ENDED = (Over.TERMINATED, Over.ENDED_BEFORE_TURN)


def true_mask(game: Game, state: np.void) -> np.ndarray:
    """The mask that a state has to have, int8 (actions,): all ones where the game has ended."""
    mask = np.full(game.actions, int(state["over"] in ENDED), np.int8)
    mask[list_actions(state["legal"])] = 1
    return mask


def limits_of(case: Case) -> list[dict[str, int]]:
    """Every way to limit a game of this case: by steps, and for one player by moves."""
    by_steps = [{"max_episode_steps": limit} for limit in (1, 3, 8)]
    return by_steps if case.players > 1 else [*by_steps, {"max_moves": 1}, {"max_moves": 5}]


def play_to_limit(
    limited: gym.Env[Any, Any], free: CardEnv, seed: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Play both alike, at random, to the end of the limited one; return their last results."""
    rng = np.random.default_rng(seed)
    (_, info), _ = limited.reset(seed=seed), free.reset(seed=seed)
    for _ in range(LONGEST):
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        one, other = limited.step(action), free.step(action)
        info = one[-1]
        if one[2] or one[3]:
            return one, other
    raise AssertionError("the game did not end")


def same_facts(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(value, other[key]) for key, value in one.items()
    )


def table_of(env: CardEnv) -> tuple[list[Any], list[Any]]:
    """The cards and words of a table, without what marks them as playable."""
    scene = env.scene()
    cards = [(item.x, item.y, item.card, item.face_up) for item in scene.items]
    return cards, [(text.x, text.y, text.text) for text in scene.texts]


def test_a_truncated_position_says_what_a_running_one_does(case: Case) -> None:
    truncations = 0
    for limits in limits_of(case):
        limited, free = case.env(encoding="codes", **limits), case.env(encoding="codes")
        for seed in range(4):
            one, other = play_to_limit(limited, free, seed)
            mask = one[-1]["action_mask"]
            assert np.array_equal(mask, true_mask(case.game, limited.state))
            assert np.array_equal(mask, limited.action_masks())
            assert np.array_equal(one[0], other[0])
            assert same_facts(one[-1], other[-1])
            assert table_of(limited) == table_of(free)
            if one[2]:
                assert mask.all() and not one[3]
                continue
            truncations += 1
            assert limited.state["over"] == Over.TRUNCATED and not other[2]
            assert list_actions(free.state["legal"]) == np.flatnonzero(mask).tolist()
            observation, info = limited.restore(limited.clone())
            assert np.array_equal(observation, one[0])
            assert np.array_equal(info["action_mask"], mask)
    assert truncations > 3


def test_a_limit_of_steps_is_gymnasiums_own(case: Case) -> None:
    """Both see the same at a truncated position; a game that ends there is terminated alone."""
    for limit in (1, 4):
        keywords: dict[str, Any] = {"variant": case.variant, "encoding": "codes"}
        made = gym.make(case.game.id, max_episode_steps=limit, **keywords)
        own = case.env(encoding="codes", max_episode_steps=limit)
        for seed in range(4):
            one, other = play_to_limit(made, own, seed)
            assert np.array_equal(one[0], other[0])
            assert same_facts(one[-1], other[-1])
            assert one[1:3] == other[1:3]
            assert other[3] == (one[3] and not one[2])


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_a_vector_is_limited_as_single_environments_of_gymnasium_are(
    case: Case, mode: AutoresetMode
) -> None:
    """`gym.make_vec` by our own vector environment, and by Gymnasium's over `gym.make`."""
    keywords: dict[str, Any] = {
        "variant": case.variant,
        "encoding": "codes",
        "max_episode_steps": 3,
        "num_envs": 4,
    }
    envs = gym.make_vec(case.game.id, autoreset_mode=mode, **keywords)
    others = gym.make_vec(
        case.game.id,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **keywords,
    )
    assert isinstance(envs, CardVectorEnv)
    rng, truncations = np.random.default_rng(0), 0
    (seen, infos), (other, _) = envs.reset(seed=2), others.reset(seed=2)
    for _ in range(30):
        actions = (rng.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(axis=1)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        other, paid, ended, cut, expected = others.step(actions)
        assert np.array_equal(seen, other)
        assert np.array_equal(rewards, paid)
        assert np.array_equal(terminated, ended)
        assert np.array_equal(truncated, cut & ~ended)
        assert np.array_equal(infos["action_mask"], expected["action_mask"])
        done = terminated | truncated
        truncations += truncated.sum()
        for row in np.flatnonzero(done) if mode is AutoresetMode.SAME_STEP else ():
            assert np.array_equal(infos["final_obs"][row], expected["final_obs"][row])
            mask = infos["final_info"]["action_mask"][row]
            assert np.array_equal(mask, expected["final_info"]["action_mask"][row])
            assert np.array_equal(mask, true_mask(case.game, envs.rows.buffers.final_states[row]))
        if mode is AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done}
            _, infos = envs.reset(options=dict(options))
            others.reset(options=dict(options))
    assert truncations > 3


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_dictionaries_hold_the_mask_of_a_truncated_position(
    game: Game, mode: AutoresetMode, encoding: str
) -> None:
    """The single one and the vector alike, where rows begin anew and where they do not."""
    case = Case(game, game.default)
    single = DictObservation(case.env(encoding=encoding, max_episode_steps=2))
    truncations = 0
    for seed in range(4):
        one, _ = play_to_limit(Plain(single), case.env(), seed)
        state = single.unwrapped.state  # type: ignore[attr-defined]
        assert np.array_equal(one[-1]["action_mask"], true_mask(game, state))
        truncations += one[3]
    assert truncations
    envs = DictVectorObservation(
        case.vec(4, encoding=encoding, max_episode_steps=2, autoreset_mode=mode)
    )
    bare, rng, truncations = envs.unwrapped, np.random.default_rng(1), 0
    assert isinstance(bare, CardVectorEnv)
    seen, _ = envs.reset(seed=1)
    for _ in range(12):
        masks = seen["action_mask"]
        seen, _, terminated, truncated, infos = envs.step(
            (rng.random(masks.shape) * masks).argmax(axis=1)
        )
        truncations += truncated.sum()
        assert np.array_equal(
            seen["action_mask"], [true_mask(game, state) for state in bare.states]
        )
        for row in np.flatnonzero(infos.get("_final_obs", [])):
            final = infos["final_obs"][row]["action_mask"]
            assert np.array_equal(final, true_mask(game, bare.rows.buffers.final_states[row]))
        if mode is AutoresetMode.DISABLED and (terminated | truncated).any():
            seen, _ = envs.reset(options={"reset_mask": terminated | truncated})
    assert truncations > 3


class Plain(gym.Wrapper[Any, Any, Any, Any]):
    """Puts the mask of a dictionary observation where `play_to_limit` looks for it."""

    def reset(self, **keywords: Any) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(**keywords)
        return seen, info | {"action_mask": seen["action_mask"]}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        return seen, reward, terminated, truncated, info | {"action_mask": seen["action_mask"]}


def test_no_limit_can_be_said_in_every_way_of_gymnasium(game: Game) -> None:
    """None and -1 mean no limit; other numbers below 1 are refused, as Gymnasium refuses them."""
    case = Case(game, game.default)
    for none in (None, -1):
        envs = gym.make_vec(game.id, num_envs=2, max_episode_steps=none)
        assert isinstance(envs, CardVectorEnv)
        made = [envs, case.env(max_episode_steps=none), case.vec(2, max_episode_steps=none)]
        assert gym.make(game.id, max_episode_steps=none).spec.max_episode_steps is None
        for env in made:
            env.reset(seed=0)
            for _ in range(3):
                mask = env.action_masks()
                *_, truncated, _ = env.step(mask.argmax(axis=-1))
                assert not np.any(truncated)
    for wrong in (0, -2, 2.5, "3"):
        output = "max_episode_steps must be an integer from 1 to"
        for make in (case.env, lambda **words: case.vec(2, **words)):
            with pytest.raises(ValueError, match=output):
                make(max_episode_steps=wrong)
        with pytest.raises(ValueError, match=output):
            gym.make_vec(game.id, num_envs=2, max_episode_steps=wrong)
        with pytest.raises((ValueError, TypeError, AssertionError)):  # the last in Gymnasium 1.2
            gym.make(game.id, max_episode_steps=wrong)


@pytest.mark.parametrize("table", SEVERAL, ids=str)
def test_a_table_counts_its_own_decisions_to_the_limit(table: Case) -> None:
    """Not the turns of others; a kept state of the rows keeps the count, a restored one begins."""
    envs = table.vec(3, max_episode_steps=3, autoreset_mode="disabled", opponents="uniform")
    envs.reset(seed=4)
    played = np.zeros(3, np.int64)
    over = np.zeros(3, np.bool_)
    kept: dict[str, np.ndarray] = {}
    while not over.all():
        played += ~over
        _, _, terminated, truncated, _ = envs.step(envs.action_masks().argmax(axis=1))
        assert (played[truncated] == 3).all()
        over = terminated | truncated
        if not kept:
            kept = {name: array.copy() for name, array in envs.rows.state_dict().items()}
    envs.rows.load_state_dict(kept)
    assert [int(envs.rows.state_dict()["own_steps"][row]) for row in range(3)] == [1, 1, 1]
    envs.restore(kept["states"])
    assert not envs.rows.state_dict()["own_steps"].any()


@pytest.mark.parametrize("table", SEVERAL, ids=str)
def test_a_truncated_table_is_not_its_turn_for_others(table: Case) -> None:
    """A truncated state is taken back where it is one's own turn, and refused elsewhere."""
    env = table.env(max_episode_steps=1, opponents="uniform")
    for seed in range(20):
        env.reset(seed=seed)
        if env.step(int(env.action_masks().argmax()))[3]:
            break
    state = env.clone()
    assert state["over"][0] == Over.TRUNCATED
    other = table.env(seat=1, opponents="uniform")
    with pytest.raises(ValueError, match=r"turn must be .*, got 0"):
        other.restore(state)


SOLVED = [
    Case(game, game.default)
    for game in GAMES.values()
    if game.solve is not None and game.goal == "won" and game.max_players == 1
]


@pytest.mark.parametrize(
    "solved", [slow_if(one.game.name == "puss_in_the_corner", one, name=str(one)) for one in SOLVED]
)
def test_a_truncated_position_can_still_be_winnable(solved: Case) -> None:
    """With ``winnable`` the solver answers for it; before, it counted as lost."""
    limited, free = solved.env(max_moves=1, winnable=True), solved.env(winnable=True)
    answers = set()
    for seed in range(6):
        one, other = play_to_limit(limited, free, seed)
        assert one[3]
        assert one[-1]["winnable"] == other[-1]["winnable"]
        answers.add(one[-1]["winnable"])
    assert answers - {0}


def test_final_states_of_truncated_rows_are_kept_as_they_were(case: Case) -> None:
    """SAME_STEP against DISABLED: the same last state, observation and facts."""
    both = Both(case, 3, AutoresetMode.SAME_STEP, encoding="codes", max_episode_steps=2)
    waiting = case.vec(3, encoding="codes", max_episode_steps=2, autoreset_mode="disabled")
    both.reset(seed=5)
    waiting.reset(seed=5)
    for _ in range(2):
        actions = both.envs.action_masks().argmax(axis=1)
        done = both.step(actions)
        waiting.step(actions)
        last = copy_states(both.envs.rows.buffers.final_states, done)
        assert last.tobytes() == copy_states(waiting.states, done).tobytes()
        if done.any():
            break
