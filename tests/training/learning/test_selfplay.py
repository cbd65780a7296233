"""Self-play: a pool that is drawn and rated as published, and runs that resume bit by bit."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.envs import game
from parlour.envs.core.baselines import UniformAgent
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.deals import bank_seeds
from parlour.training.evaluation.duplicate_play import play_duplicate
from parlour.training.learning.run import validation_key
from parlour.training.learning.selfplay import Pool, PoolRows, SelfplayRun, picture
from parlour.training.learning.settings import PPOSettings, SelfplaySettings
from parlour.training.learning.train import Interrupted, main, resume, train

GAME = game("seven_twenty_seven")
RULES = GAME.make_rules("home")
ROLLOUT = 16 * 16
SMALL = SelfplaySettings(
    game=GAME.name,
    variant="home",
    network="numbers",
    width=16,
    depth=1,
    total_steps=6 * ROLLOUT,
    n_envs=16,
    n_steps=16,
    batch_size=64,
    n_epochs=2,
    eval_interval=2 * ROLLOUT,
    eval_deals=10,
    checkpoint_interval=ROLLOUT,
    snapshot_interval=2 * ROLLOUT,
    opponents=("uniform", "greedy"),
    reward_scale=0.1,
    device="cpu",
    name="small",
)


def trained(runs: Path, **changed: Any) -> Path:
    return train(replace(SMALL, runs=str(runs), **changed), quiet=True)


def result(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "seed-0" / "result.json").read_text())
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("whole"))


def test_a_run_leaves_its_pool_and_its_picture(whole: Path) -> None:
    place = whole / "seed-0"
    past = [f"learner-{k * ROLLOUT}" for k in (2, 4, 6)]
    assert {path.stem for path in (place / "pool").iterdir()} == set(past)
    assert (place / "pool.png").read_bytes().startswith(b"\x89PNG")
    names = [member["name"] for member in result(whole)["pool"]]
    assert names == ["learner", "uniform", "greedy", *past]
    assert all(member["sigma"] > 0 for member in result(whole)["pool"])


def test_the_agent_draws_its_actions_and_plays_again_as_it_did(whole: Path) -> None:
    agent = load_agent(str(whole), GAME, RULES)
    assert isinstance(agent, LearnedAgent)
    assert not agent.deterministic
    seeds = bank_seeds("seven_twenty_seven-validation", range(10))
    field = [load_agent(name, GAME, RULES, 1) for name in SMALL.opponents]
    nets = play_duplicate(GAME, RULES, agent, field, seeds, key=validation_key(0)).nets
    assert nets.mean() == pytest.approx(result(whole)["final"]["score"]["mean"])


def test_a_stopped_run_goes_on_bit_by_bit(whole: Path, tmp_path: Path) -> None:
    iterate = SelfplayRun.iterate

    def interrupted(self: SelfplayRun) -> dict[str, float]:
        values = iterate(self)
        if self.steps == 3 * ROLLOUT:
            os.kill(os.getpid(), signal.SIGINT)
        return values

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Interrupted):
        patch.setattr(SelfplayRun, "iterate", interrupted)
        trained(tmp_path)
    folder = resume(tmp_path / whole.name, quiet=True)
    for fact in ("weights_sha256", "final", "evaluations", "pool"):
        assert result(folder)[fact] == result(whole)[fact], fact


def test_one_player_and_several_are_learned_by_their_own_methods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="method='ppo': 'selfplay'"):
        train(PPOSettings(game=GAME.name, runs=str(tmp_path)), quiet=True)
    with pytest.raises(ValueError, match="method='selfplay'"):
        trained(tmp_path, game="pyramid", variant="classic")
    assert main(["seven-twenty-seven", "--opponents", "nobody", "--runs", str(tmp_path)]) == 2
    assert "nobody" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


class Named(UniformAgent):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


def test_the_pool_draws_whom_the_learner_does_not_beat() -> None:
    """With weight (1 - p) ** 2, and the learner itself for its share of the seats."""
    pool = Pool(Named("learner"), [Named("weak"), Named("strong")], 0.25)
    rating = pool.model.rating
    pool.ratings = [rating(mu=25, sigma=1), rating(mu=5, sigma=1), rating(mu=45, sigma=1)]
    assert pool.win_probability(1) > 0.95
    assert pool.win_probability(2) < 0.05
    drawn = np.zeros(3)
    for k in range(200):
        pool.choose(1, np.random.default_rng(k))
        assert pool.chances[0] == 0.25
        assert pool.chances.sum() == pytest.approx(1)
        drawn += pool.chances > 0
    assert drawn[2] > 190
    members = pool.draw(np.arange(20_000, dtype=np.uint64), 4)
    assert members.shape == (20_000, 4)
    assert abs((members == 0).mean() - 0.25) < 0.01


def test_ratings_follow_the_order_of_the_nets() -> None:
    pool = Pool(Named("learner"), [Named("weak"), Named("strong")], 0.5)
    for _ in range(5):
        members = np.array([[0, 1, 2, 1]] * 10)
        pool.played.append((members, np.array([[1, -3, 5, -3]] * 10)))
        pool.rate()
    learner, weak, strong = (one.mu for one in pool.ratings)
    assert weak < learner < strong
    assert pool.played == []
    entry = {"steps": 1, "members": pool.summary(), "chances": pool.chances.tolist()}
    assert picture([entry]).axes[0].get_xlabel() == "steps"


def test_every_hand_is_noted_with_who_sat_where() -> None:
    pool = Pool(Named("learner"), [Named("other")], 0.5)
    pool.chances = np.array([0.5, 0.5])
    n = 64
    who = np.zeros((n, GAME.max_players), np.int64)
    config = StepConfig(reset=Autoreset.SAME_STEP)
    rows = PoolRows(pool, GAME, RULES, n, config, pool.cast, who, np.arange(n) % 4)
    rows.seed(np.arange(n))
    rows.start(DealSource.DRAW)
    ended, rng = 0, np.random.default_rng(0)
    for _ in range(40):
        drawn = (rng.random(rows.buffers.masks.shape) * rows.buffers.masks).argmax(axis=1)
        rows.step(drawn)
        ended += int(rows.buffers.terminated.sum())
    members = np.concatenate([one for one, _ in pool.played])
    nets = np.concatenate([one for _, one in pool.played])
    assert len(members) == ended > 0
    assert (nets.sum(axis=1) == 0).all()
    assert set(np.unique(members)) == {0, 1}
    assert (rows.states["over"] != Over.TERMINATED).all()
