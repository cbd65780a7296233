"""Training that uses the truth: lessons of a solver or an agent, and a curriculum of its wins."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.envs import game
from parlour.envs.core.rows import Rows
from parlour.training.evaluation.evaluate import evaluate
from parlour.training.learning import run_network
from parlour.training.learning.cloning import CloningPPO
from parlour.training.learning.curriculum import starts
from parlour.training.learning.run_network import make_model
from parlour.training.learning.save_agent import weights_bytes
from parlour.training.learning.settings import CloningSettings, NetworkSettings, PPOSettings
from parlour.training.learning.train import Interrupted, resume, train

GAME = game("pyramid")
RULES = GAME.make_rules("three-passes")
ROLLOUT = 16 * 16
SIZES: dict[str, Any] = {
    "width": 8,
    "depth": 1,
    "reward": "win",
    "gamma": 1.0,
    "total_steps": 4 * ROLLOUT,
    "n_envs": 16,
    "n_steps": 16,
    "batch_size": 64,
    "n_epochs": 1,
    "eval_interval": 0,
    "eval_deals": 10,
    "checkpoint_interval": ROLLOUT,
    "device": "cpu",
    "name": "small",
}
SMALL = CloningSettings(lessons=0.5, **SIZES)
PLAIN = PPOSettings(**SIZES)


def network_of(folder: Path) -> bytes:
    agent = load_agent(str(folder / "seed-0" / "agent"), GAME, RULES)
    assert isinstance(agent, LearnedAgent)
    return weights_bytes(agent.network)


@pytest.mark.parametrize(
    "settings",
    [
        SMALL,
        replace(SMALL, teacher="greedy"),
        replace(PLAIN, curriculum=0.75),
    ],
    ids=["solver", "greedy", "curriculum"],
)
def test_a_run_stopped_and_resumed_comes_to_the_same_weights(
    settings: NetworkSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(replace(settings, runs=str(tmp_path / "a")), quiet=True)
    iterate, count = run_network.NetworkRun.iterate, 0

    def stopping(self: Any) -> dict[str, float]:
        nonlocal count
        count += 1
        if count == 2:
            raise KeyboardInterrupt
        return iterate(self)

    with monkeypatch.context() as patch:
        patch.setattr(run_network.NetworkRun, "iterate", stopping)
        with pytest.raises((KeyboardInterrupt, Interrupted)):
            train(replace(settings, runs=str(tmp_path / "b")), quiet=True)
    again = resume(tmp_path / "b" / whole.name, quiet=True)
    assert network_of(again) == network_of(whole)


def lessons(settings: CloningSettings) -> CloningPPO:
    """A model that has had the lessons of one rollout."""
    model = make_model(settings, 0)
    assert isinstance(model, CloningPPO)
    _, callback = model._setup_learn(0)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, settings.n_steps)
    return model


def test_the_solver_teaches_by_the_true_cards_and_lost_games_are_left() -> None:
    model = lessons(replace(SMALL, network="embedding"))
    _, masks, labels, _ = (part.numpy() for part in model.rollout)
    assert labels.shape == (ROLLOUT, GAME.actions)
    assert (labels.max(axis=1) >= 0.5).all()  # a win is left, or it could not be found out
    assert not labels[~masks].any()
    best = (labels == 1).sum(axis=1)
    assert (best <= 1).mean() > 0.5 and (labels > 0).sum(axis=1).max() > 1  # the judge tells apart


def test_an_agent_is_imitated() -> None:
    model = lessons(replace(SMALL, teacher="greedy"))
    seen, masks, labels, _ = (part.numpy() for part in model.rollout)
    assert (labels.sum(axis=1) == 1).all() and (labels[~masks] == 0).all()
    deal = GAME.actions - 3
    assert labels[:, :deal].sum() > 0 and labels[:, deal].sum() > 0
    greedy = load_agent("greedy", GAME, RULES)
    assert [teacher.name for teacher in model.teachers] == [greedy.name]
    assert len(seen) == ROLLOUT


def test_values_learn_from_what_games_come_to() -> None:
    """A game that is left is worth nothing from then on; a win is worth 1."""
    model = lessons(SMALL)
    returns = model.rollout[3].numpy()
    assert np.isfinite(returns).all() and returns.min() > -1 and returns.max() < 2


def test_values_learn_of_truncated_games_from_their_last_position() -> None:
    model = make_model(replace(SMALL, teacher="greedy", max_moves=2), 0)
    assert isinstance(model, CloningPPO)
    model._setup_learn(0)
    model._truncation_values = lambda env, infos: np.where(  # type: ignore[method-assign]
        env.rows.buffers.truncated, np.float32(50), np.float32(0)
    )
    model.collect_rollouts(model.env)
    assert model.rollout[3].max() > 25


@pytest.mark.slow
def test_lessons_of_greedy_make_its_like(tmp_path: Path) -> None:
    settings = replace(
        SMALL, teacher="greedy", lessons=1.0, width=64, n_envs=128, n_steps=32, batch_size=1024,
        n_epochs=2, total_steps=250_000, checkpoint_interval=10**6, runs=str(tmp_path),
    )  # fmt: skip
    folder = train(settings, quiet=True)
    learned = evaluate("pyramid", str(folder), deals=1000)
    uniform = evaluate("pyramid", "uniform", deals=1000)
    assert learned.estimate("won").low > uniform.estimate("won").high + 0.1


def test_the_curriculum_begins_on_the_way_to_wins() -> None:
    rng = np.random.default_rng(1)
    late, early = (starts(GAME, RULES, 40, share, rng) for share in (0.0, 1.0))
    assert 15 < len(late) < 40 and 15 < len(early) < 40  # of the deals that can be won
    assert GAME.solve is not None
    for states in (late, early):
        assert all(GAME.solve(one, RULES).winnable for one in states)
        assert (states["over"] == 0).all() and not states["steps"].any()
    rows = Rows(GAME, RULES, len(late))
    rows.restore(late)
    last = [GAME.solve(one, RULES).actions for one in late]
    assert all(len(actions or []) == 1 for actions in last)  # one click before the win
    rows.step(np.array([actions[0] for actions in last if actions]))
    assert rows.states["won"].all()
    assert early["score"].mean() < late["score"].mean() - 5


def test_games_of_a_run_begin_where_the_curriculum_says(tmp_path: Path) -> None:
    settings = replace(PLAIN, curriculum=1.0, total_steps=2 * ROLLOUT)
    run = run_network.NetworkRun(settings, 0, tmp_path / "run")
    run.iterate()
    run.close()
    won = run.env.recent["won"]
    assert won.sum() > 10 and won.mean() > 0.2  # a random player hardly ever wins from the deal


@pytest.mark.parametrize(
    ("settings", "changes", "said"),
    [
        (SMALL, {"game": "poker_squares"}, "teacher='solver'"),
        (SMALL, {"curriculum": 0.5}, "setting 'curriculum': method 'cloning' does not use it"),
        (PLAIN, {"curriculum": 1.5}, "curriculum=1.5"),
        (PLAIN, {"curriculum": 0.5, "study": 0.5}, "curriculum=0.5"),
        (PLAIN, {"game": "seven_twenty_seven", "curriculum": 0.5}, "curriculum=0.5"),
    ],
)
def test_settings_that_make_no_sense(
    settings: NetworkSettings, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        replace(settings, **changes)


def test_a_teacher_that_does_not_exist_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nobody"):
        train(replace(SMALL, teacher="nobody", runs=str(tmp_path)), quiet=True)
    assert not list(tmp_path.iterdir())
