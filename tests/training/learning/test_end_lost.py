"""Training games that end when they can no longer be won (setting ``end_lost``)."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.envs.core.rows import copy_states
from parlour.training.learning import envs
from parlour.training.learning.envs import SOLVER_LIMIT, EndLostVecEnv, make_env
from parlour.training.learning.methods.ppo import PPORun
from parlour.training.learning.train import resume, train
from tests.training.learning.runs import (
    assert_equal_results,
    assert_refused,
    train_until_killed,
)
from tests.training.learning.test_train import ROLLOUT, SMALL

SETTINGS = replace(
    SMALL, variant="three-passes", reward="win", end_lost=True, total_steps=4 * ROLLOUT
)


def make_games(**changed: Any) -> EndLostVecEnv:
    """Return seeded environments, 64 by default, at the start of their games."""
    env = make_env(replace(SETTINGS, **{"n_envs": 64, **changed}))
    assert isinstance(env, EndLostVecEnv)
    env.seed(5)
    env.reset()
    return env


def draw_legal(env: EndLostVecEnv, rng: np.random.Generator) -> np.ndarray:
    """Return a random legal action for each game, int64 (n,)."""
    return np.asarray((rng.random((env.num_envs, env.game.actions)) * env.masks()).argmax(axis=1))


def may_win(env: EndLostVecEnv, states: np.ndarray) -> np.ndarray:
    """Return whether each state may be won, bool (n,)."""
    assert env.game.winnable_after is not None
    values = env.game.winnable_after(states, env.rules, SOLVER_LIMIT)
    return np.asarray(values.max(axis=1) > 0)


def test_no_deal_is_lost_from_the_start() -> None:
    plain = make_env(replace(SETTINGS, n_envs=64, end_lost=False))
    plain.seed(5)
    plain.reset()
    env = make_games()
    could_be_won = may_win(env, copy_states(plain.rows.states))
    assert 0 < could_be_won.sum() < 64
    assert may_win(env, copy_states(env.rows.states)).all()
    same = (env.rows.states["deck"] == plain.rows.states["deck"]).all(axis=1)
    assert (same == could_be_won).all()


def test_games_end_when_they_are_lost() -> None:
    """Each step is compared with the same step in a game that goes on."""
    env, rng = make_games(), np.random.default_rng(0)
    plain = make_env(replace(SETTINGS, n_envs=64, end_lost=False))
    plain.reset()
    over, early = 0, []
    for _ in range(60):
        plain.take_over(copy_states(env.rows.states), np.zeros(64))
        actions = draw_legal(env, rng)
        _, plain_rewards, ended, _ = plain.step(actions)
        _, rewards, done, infos = env.step(actions)
        lost = ~ended & ~may_win(env, copy_states(plain.rows.states))
        assert (done == (ended | lost)).all()
        assert (rewards == plain_rewards).all() and not rewards[lost].any()
        assert may_win(env, copy_states(env.rows.states)).all()
        assert [bool(info) for info in infos] == ended.tolist()
        over += int(done.sum())
        early += read_facts(plain.rows.states[lost])
    assert len(early) > 100 and env.ended_games.finished == over
    assert not Counter(early) - Counter(read_facts(env.recent[env.recent["won"] == 0]))


def read_facts(records: np.ndarray) -> list[tuple[int, ...]]:
    """Return the score, moves and steps of states or of finished games."""
    names = ("score", "moves", "steps")
    return list(zip(*(records[name].astype(int).tolist() for name in names), strict=True))


def test_truncated_games_keep_their_flags() -> None:
    """A truncated game stays truncated, even if the next deal in its row is replaced."""
    env, rng = make_games(max_moves=9), np.random.default_rng(0)
    plain = make_env(replace(SETTINGS, n_envs=64, max_moves=9, end_lost=False))
    plain.reset()
    replaced = 0
    for _ in range(30):
        plain.take_over(copy_states(env.rows.states), np.zeros(64))
        actions = draw_legal(env, rng)
        _, _, _, plain_infos = plain.step(actions)
        _, _, _, infos = env.step(actions)
        truncated = plain.rows.buffers.truncated.astype(bool)
        assert (env.rows.buffers.truncated == truncated).all()
        replaced += int((truncated & ~may_win(env, copy_states(plain.rows.states))).sum())
        for i in np.flatnonzero(truncated):
            ends = infos[i]["terminal_observation"], plain_infos[i]["terminal_observation"]
            assert (ends[0] == ends[1]).all()
    assert replaced > 10


@pytest.mark.parametrize("critic", ["own", "cards"])
def test_killed_and_resumed_it_ends_bit_equal(
    critic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(SETTINGS, critic=critic)  # type: ignore[arg-type]
    whole = train(replace(settings, runs=str(tmp_path / "whole")), quiet=True)
    killed = replace(settings, runs=str(tmp_path / "killed"))
    train_until_killed(killed, PPORun, 2 * ROLLOUT, monkeypatch)
    assert_equal_results(resume(tmp_path / "killed" / whole.name, quiet=True), whole)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pyramid", "--end-lost", "--reward", "score"], "end_lost requires reward='win'"),
        (
            ["pyramid", "--end-lost", "--reward", "win", "--options", "undo", "yes"],
            "end_lost must be no with undo=yes: UNDO can save a lost game",
        ),
        (
            ["pyramid", "--end-lost", "--critic", "solver"],
            "critic must be 'own' or 'cards' with end_lost, got 'solver'",
        ),
        (
            ["pyramid", "--end-lost", "--options", "shuffle_redeal", "yes"],
            "shuffle_redeal",
        ),
        (
            ["pyramid", "--end-lost", "--variants", "classic", "book"],
            "end_lost must be no with variants or option_sets",
        ),
        (
            ["poker_squares", "--end-lost", "--method", "ppo"],
            "end_lost must be no because Poker Squares has no exact solver",
        ),
    ],
)
def test_wrong_settings_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(words, message, capsys)


@pytest.mark.parametrize(
    ("game", "variant"), [("klondike", "one-pass"), ("puss_in_the_corner", "book")]
)
def test_other_games_end_when_they_are_lost(game: str, variant: str) -> None:
    env = make_games(game=game, variant=variant, n_envs=8)
    rng, early = np.random.default_rng(0), 0
    for _ in range(60):
        actions = draw_legal(env, rng)
        _, _, done, infos = env.step(actions)
        early += sum(bool(one) and not info for one, info in zip(done, infos, strict=True))
        assert may_win(env, copy_states(env.rows.states)).all()
    assert early > 0


def test_rules_without_a_winnable_deal_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_env(replace(SETTINGS, n_envs=8))
    assert isinstance(env, EndLostVecEnv)
    monkeypatch.setattr(envs, "MOST_DRAWS", 3)
    monkeypatch.setattr(env, "_find_lost", lambda which=None: np.ones(8, np.bool_))
    with pytest.raises(ValueError, match="end_lost must be no: 3 deals in a row cannot be won"):
        env.reset()
