"""Training games that end when they can no longer be won (setting ``end_lost``)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.core.rows import copy_states
from parlour.training.learning.envs import LOST_LIMIT, EndLostVecEnv, make_env
from parlour.training.learning.methods.ppo import PPORun
from parlour.training.learning.train import main, resume, train
from tests.training.learning.runs import read_result
from tests.training.learning.test_train import ROLLOUT, SMALL, Killed

SETTINGS = replace(
    SMALL, variant="three-passes", reward="win", end_lost=True, total_steps=4 * ROLLOUT
)


def make_games(n: int = 64) -> EndLostVecEnv:
    """Return seeded environments at the start of their games."""
    env = make_env(replace(SETTINGS, n_envs=n))
    assert isinstance(env, EndLostVecEnv)
    env.seed(5)
    env.reset()
    return env


def find_winnable(env: EndLostVecEnv, states: np.ndarray) -> np.ndarray:
    """Return whether each state may be won, bool (n,)."""
    assert env.game.winnable_after is not None
    values = env.game.winnable_after(states, env.rules, LOST_LIMIT)
    return np.asarray(values.max(axis=1) > 0)


def test_no_deal_is_lost_from_the_start() -> None:
    plain = make_env(replace(SETTINGS, n_envs=64, end_lost=False))
    plain.seed(5)
    plain.reset()
    env = make_games()
    could_be_won = find_winnable(env, copy_states(plain.rows.states))
    assert 0 < could_be_won.sum() < 64
    assert find_winnable(env, copy_states(env.rows.states)).all()
    same = (env.rows.states["deck"] == plain.rows.states["deck"]).all(axis=1)
    assert (same == could_be_won).all()


def test_games_end_when_they_are_lost() -> None:
    """Each step is compared with the same step in a game that goes on."""
    env, rng = make_games(), np.random.default_rng(0)
    plain = make_env(replace(SETTINGS, n_envs=64, end_lost=False))
    early = wins = 0
    for _ in range(60):
        plain.reset()
        plain.take_over(copy_states(env.rows.states), np.zeros(64))
        actions = (rng.random((64, env.game.actions)) * env.masks()).argmax(axis=1)
        _, plain_rewards, over, _ = plain.step(actions)
        _, rewards, done, _ = env.step(actions)
        lost = ~over & ~find_winnable(env, copy_states(plain.rows.states))
        assert (done == (over | lost)).all()
        assert (rewards == plain_rewards).all() and (rewards[lost] == 0).all()
        assert find_winnable(env, copy_states(env.rows.states)).all()
        early, wins = early + int(lost.sum()), wins + int(rewards.sum())
    games = env.ended_games
    assert early > 100
    assert games.finished >= early
    assert games.games["won"].sum() == wins


def test_an_early_end_is_recorded_with_its_score() -> None:
    env, rng = make_games(), np.random.default_rng(0)
    while not env.ended_games.finished:
        env.step((rng.random((64, env.game.actions)) * env.masks()).argmax(axis=1))
    ended = env.recent
    assert not ended["won"].any() and not ended["return"].any()
    assert (ended["moves"] > 0).all() and (ended["steps"] > 0).all()


@pytest.mark.parametrize("critic", ["own", "cards"])
def test_killed_and_resumed_it_ends_bit_equal(
    critic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    iterate = PPORun.iterate
    settings = replace(SETTINGS, critic=critic)  # type: ignore[arg-type]

    def iterate_and_die(self: PPORun) -> dict[str, float]:
        if self.steps >= 2 * ROLLOUT:
            raise Killed
        return iterate(self)

    whole = train(replace(settings, runs=str(tmp_path / "whole")), quiet=True)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(PPORun, "iterate", iterate_and_die)
        train(replace(settings, runs=str(tmp_path / "killed")), quiet=True)
    again = resume(tmp_path / "killed" / whole.name, quiet=True)
    for name in ("steps", "final", "evaluations", "weights_sha256"):
        assert read_result(again)[name] == read_result(whole)[name], name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pyramid", "--end-lost", "--reward", "score"], "end_lost requires reward='win'"),
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
    assert main(words) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_every_game_with_a_solver_can_end_lost_games() -> None:
    env = make_env(replace(SETTINGS, game="klondike", variant="classic", n_envs=8))
    assert isinstance(env, EndLostVecEnv)
    env.seed(1)
    env.reset()
    for _ in range(20):
        env.step(env.masks().argmax(axis=1))
    assert find_game("klondike").winnable_after is not None
    assert find_winnable(env, copy_states(env.rows.states)).all()
