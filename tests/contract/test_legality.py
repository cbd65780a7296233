"""One legality in every convention: what the mask allows runs, what it forbids is refused."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from parlour.envs.core.batch import FINISHED, ILLEGAL_PENALTY, Over
from parlour.envs.core.legal import list_actions
from parlour.envs.core.scene.scene import ansi
from tests.contract.cases import SEVERAL, Case, ended, positions, share_keys, unit_of
from tests.marks import slow_if
from tests.walkers import legal_actions

OUTSIDE = (-(2**40), -64, -1, 62, 63, 64, 1000, 2**40)
"""What no game has as an action, besides the number of its actions itself."""


def all_actions(case: Case) -> list[int]:
    return [*range(case.game.actions), case.game.actions, *OUTSIDE]


@pytest.mark.parametrize("games", [2, slow_if(True, 6)])
def test_every_legal_action_runs_and_every_other_ends_the_episode(case: Case, games: int) -> None:
    """At a table of several it counts as a legal one: see the next test."""
    env = case.env(encoding="codes")
    tried = {True: 0, False: 0}
    for _ in positions(env, games if case.players == 1 else 3, seed=1, every=5):
        if env.state["over"]:
            continue
        here, mask = env.clone(), env.action_masks()
        for action in all_actions(case):
            env.restore(here)
            _, reward, terminated, truncated, info = env.step(action)
            legal = 0 <= action < case.game.actions and bool(mask[action])
            if legal:
                assert terminated == (env.state["over"] == 1)
                assert info["illegal_action"] is False
            elif case.players == 1:
                assert (reward, terminated, truncated) == (ILLEGAL_PENALTY, True, False)
                assert info["illegal_action"] is True
                assert info[case.goal] is False
                assert info["score"] == here["score"][0]
                assert info["moves"] == here["moves"][0]
                assert info["action_mask"].all()
            else:
                assert terminated == (env.state["over"] == 1)
                assert info["illegal_action"] is True
                assert reward == ILLEGAL_PENALTY + (
                    info["score"] / unit_of(case) if terminated else 0.0
                )
            taken = env.state["steps"] - here["steps"][0]
            assert taken == 1 if case.players == 1 else taken >= 1
            tried[legal] += 1
    assert tried[True]
    assert tried[False]


@pytest.mark.parametrize("several", SEVERAL, ids=str)
def test_an_illegal_action_counts_as_one_legal_action(several: Case) -> None:
    """All illegal ones as the same, whosever turn it is; only who chose it is noted and pays."""
    whole = several.whole()
    for _ in positions(whole, 3, seed=11, every=4):
        if whole.state["over"]:
            continue
        here, seat = whole.clone(), int(whole.state["turn"])
        legal = legal_actions(whole.rows)
        after = {}
        for action in legal:
            whole.restore(here)
            _, paid, *_ = whole.step(action)
            after[whole.clone().tobytes()] = paid
        result = set()
        for action in set(all_actions(several)) - set(legal):
            whole.restore(here)
            _, paid, *_ = whole.step(action)
            assert whole.state["illegal"] == here["illegal"][0] | 1 << seat
            as_if = whole.clone()
            as_if["illegal"] = here["illegal"]
            paid[seat] -= ILLEGAL_PENALTY
            assert np.array_equal(after[as_if.tobytes()], paid)
            result.add(as_if.tobytes())
        assert len(result) == 1


@pytest.mark.parametrize(("games", "every"), [(1, 33), slow_if(True, 3, 11)])
def test_refused_actions_are_named_and_change_nothing(case: Case, games: int, every: int) -> None:
    env = case.env(illegal="raise")
    other = case.env(illegal="end")
    other.reset(seed=0)
    describe, rules = case.game.describe_action, case.rules
    for _ in positions(env, games, seed=2, every=every):
        if env.state["over"]:
            continue
        here, mask, table = env.clone(), env.action_masks(), ansi(env.scene())
        shown, state = env.rows.codes.copy(), here[0]
        for action in all_actions(case):
            inside = 0 <= action < case.game.actions
            if inside and mask[action]:
                other.restore(here)
                share_keys(env, other)
                expected = other.step(action)
                for one, two in zip(env.step(action)[:4], expected[:4], strict=True):
                    assert np.array_equal(one, two)
                env.restore(here)
                continue
            with pytest.raises(gym.error.InvalidAction) as refused:
                env.step(action)
            output = str(refused.value)
            actual = f"{action} ({describe(state, rules, action)})" if inside else action
            assert f", got {actual}\n" in output
            assert output.endswith(table)
            for legal in np.flatnonzero(mask).tolist():
                assert f"{legal} ({describe(state, rules, legal)})" in output
            assert env.clone().tobytes() == here.tobytes()
            assert np.array_equal(env.action_masks(), mask)
            assert np.array_equal(env.rows.codes, shown)


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
def test_a_vector_refuses_as_a_whole(case: Case, mode: AutoresetMode) -> None:
    """One illegal action among several: the row is named, its table shown, no row is played."""
    envs = case.vec(4, illegal="raise", autoreset_mode=mode)
    envs.reset(seed=3)
    legal = envs.action_masks().argmax(axis=1)
    before, shown = envs.clone(), envs.rows.codes.copy()
    wrong = np.flatnonzero(~envs.action_masks()[2])
    for action in (*wrong, case.game.actions, *OUTSIDE):
        actions = legal.copy()
        actions[2] = action
        with pytest.raises(
            gym.error.InvalidAction, match=f"row 2: action must be .*, got {action}"
        ) as refused:
            envs.step(actions)
        assert str(refused.value).endswith(ansi(envs.scene(2)))
        assert envs.clone().tobytes() == before.tobytes()
        assert np.array_equal(envs.rows.codes, shown)
    envs.step(legal)
    assert envs.clone().tobytes() != before.tobytes()


def test_a_vector_ignores_the_actions_of_finished_rows(case: Case) -> None:
    """``illegal="raise"`` does not look at what a row gets that only waits to begin anew."""
    envs = case.vec(2, illegal="raise", max_moves=1, autoreset_mode="next_step")
    envs.reset(seed=3)
    for _ in range(300):
        over = np.isin(envs.states["over"], (Over.TERMINATED, Over.TRUNCATED))
        actions = np.where(over, -7, envs.action_masks().argmax(axis=1))
        envs.step(actions)
        if over.any():
            assert not np.isin(envs.states["over"][over], (Over.TERMINATED, Over.TRUNCATED)).any()
            return
    raise AssertionError("no game ended")


def test_masks_are_the_same_in_every_convention(case: Case) -> None:
    env = case.env(encoding="codes")
    envs = case.vec(1, encoding="codes")
    envs.reset(seed=0)
    env.reset(seed=0)
    for _ in positions(env, 3, seed=4):
        _, info = env.restore(env.clone())
        _, infos = envs.restore(env.clone())
        legal = list_actions(env.state["legal"])
        over = env.state["over"] in FINISHED
        expected = [over or action in legal for action in range(case.game.actions)]
        assert info["action_mask"].dtype == infos["action_mask"].dtype == np.int8
        assert env.action_masks().dtype == envs.action_masks().dtype == np.bool_
        assert info["action_mask"].tolist() == expected
        assert env.action_masks().tolist() == expected
        assert infos["action_mask"].tolist() == [expected]
        assert envs.action_masks().tolist() == [expected]
        assert env.action_space.contains(env.action_space.sample(mask=info["action_mask"]))
        assert over or legal


def test_terminated_games_alone_allow_everything(case: Case) -> None:
    for keywords in ({}, {"max_moves": 3}, {"max_episode_steps": 3}, {"skip_forced": True}):
        env = case.env(**keywords)
        env.reset(seed=6)
        over = False
        while not over:
            assert not ended(env)
            _, _, terminated, truncated, info = env.step(int(env.action_masks().argmax()))
            over = terminated or truncated
        legal = legal_actions(env.rows)
        assert legal == np.flatnonzero(info["action_mask"]).tolist()
        assert legal == np.flatnonzero(env.action_masks()).tolist()
        listed = list_actions(env.rows.states[0]["legal"])
        assert legal == (list(range(case.game.actions)) if terminated else listed)


def test_labels_name_every_action_once(case: Case) -> None:
    labels = [case.game.label(action) for action in range(case.game.actions)]
    assert len(set(labels)) == len(labels)
    assert all(labels)
    for action in (-1, case.game.actions):
        with pytest.raises(ValueError, match=str(action)):
            case.game.label(action)


def test_actions_are_whole_numbers(case: Case) -> None:
    """Of any integer type; anything else is refused and nothing is played."""
    env, envs = case.env(), case.vec(2)
    env.reset(seed=1)
    envs.reset(seed=1)
    here, rows = env.clone(), envs.clone()
    action = int(env.action_masks().argmax())
    for wrong in (action + 0.5, float(action), "x", None, [action, action]):
        with pytest.raises((TypeError, ValueError)):
            env.step(wrong)
        with pytest.raises((TypeError, ValueError)):
            envs.step([wrong, action])
    for wrong_shape in ([action] * 3, [[action], [action]]):
        with pytest.raises(ValueError, match="shape"):
            envs.step(wrong_shape)
    assert env.clone().tobytes() == here.tobytes()
    assert envs.clone().tobytes() == rows.tobytes()
    env.step(action)
    after = env.clone().tobytes()
    for kind in (np.int8, np.uint8, np.int32, np.int64, np.array):
        env.restore(here)
        env.step(kind(action))
        assert env.clone().tobytes() == after
        envs.restore(rows)
        envs.step(np.array([action, action]).astype(np.int64 if kind is np.array else kind))
        assert envs.clone()[:1].tobytes() == after
