"""Looking one step ahead: what it sees, what is learned, and that it sees no hidden card."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import Bonds, build_network, make_value_function
from parlour.agents.networks.card_bonds import list_bonds
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import choose_actions, load_agent, prepare_turn
from parlour.agents.search.lookahead import look_ahead
from parlour.envs import game
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.rows import Rows, resample_copies
from parlour.training.learning.lookahead import LookaheadPPO, lambda_returns
from parlour.training.learning.run_network import make_model
from parlour.training.learning.settings import LookaheadSettings
from parlour.training.learning.train import Interrupted, resume, train

GAME = game("pyramid")
RULES = GAME.make_rules("three-passes")
HOW = StepConfig(reward=1, reset=int(Autoreset.DISABLED), max_moves=500, skip_forced=1)
SMALL = LookaheadSettings(
    network="bonds",
    width=8,
    depth=1,
    reward="win",
    gamma=1.0,
    total_steps=6 * 256,
    warm_up=1 / 3,
    n_envs=16,
    n_steps=16,
    batch_size=64,
    n_epochs=1,
    eval_interval=0,
    eval_deals=10,
    checkpoint_interval=256,
    device="cpu",
    name="small",
    study_options={"stock_view": "all"},
    study=2 / 3,
)


def positions(n: int = 40, steps: int = 12) -> Rows:
    """Games some steps on, none of them over."""
    rows = Rows(GAME, RULES, n, HOW)
    rows.deal_bank("lookahead", range(n))
    rng = np.random.default_rng(3)
    for _ in range(steps):
        masks = rows.buffers.masks.astype(np.float64)
        chances = masks / masks.sum(axis=1, keepdims=True)
        rows.step(np.array([rng.choice(GAME.actions, p=row) for row in chances]))
    assert not rows.states["over"].any()
    return rows


def test_every_legal_action_is_played_and_valued() -> None:
    rows = positions()
    before = rows.states.copy()

    def value(codes: np.ndarray) -> np.ndarray:
        return codes.sum(axis=1).astype(np.float32)

    ahead = look_ahead(GAME, RULES, rows.states, rows.buffers.masks > 0, value, HOW, 0.5)
    assert (rows.states == before).all()
    assert len(ahead.actions) == rows.buffers.masks.sum()
    for k in range(len(ahead.actions)):
        one = Rows(GAME, RULES, 1, HOW)
        one.restore(before[ahead.rows[k] : ahead.rows[k] + 1])
        one.step(ahead.actions[k : k + 1])
        follows = 0.0 if one.states["over"][0] else float(one.codes.astype(int).sum())
        assert ahead.values[k] == pytest.approx(one.buffers.rewards[0] + 0.5 * follows)
    for row, action in enumerate(ahead.best()):
        own = ahead.values[ahead.rows == row]
        assert ahead.actions[ahead.rows == row][own.argmax()] == action


def test_lambda_returns_are_the_sums_they_stand_for() -> None:
    rewards = np.array([[0.0], [0.0], [1.0], [0.0]])
    dones = np.array([[False], [False], [True], [False]])
    after = np.array([[0.2], [0.4], [9.0], [0.6]])
    found = lambda_returns(rewards, dones, after, 1.0, 0.5)
    third, last = 1.0, 0.6
    second = 0.5 * 0.4 + 0.5 * third
    first = 0.5 * 0.2 + 0.5 * second
    assert found.ravel() == pytest.approx([first, second, third, last])


def test_bonds_are_the_pairs_that_total_thirteen() -> None:
    rows = positions()
    net = build_network("bonds", GAME, 8, 1)
    assert isinstance(net, Bonds)
    listed, begins = np.zeros(40 * net.most, np.int64), np.zeros(40, np.int64)
    codes = rows.codes
    found = list_bonds(codes, net.cards, net.wheres, net.firsts, net.bonds, listed, begins)
    ends = [*begins[1:], found]
    places = list(GAME.features.entry_range("places"))
    pile, where = GAME.features.entry_range("pile_cards"), GAME.features.entry_range("pile_where")
    for i in range(40):
        held = [(k, codes[i, k] >> 2) for k in places if codes[i, k]]
        for k, (card, at) in enumerate(zip(pile, where, strict=True)):
            if codes[i, card] and codes[i, at]:
                held.append((39 + 2 * k + min(int(codes[i, at]), 2) - 1, codes[i, card] >> 2))
        pairs = {
            high * (high - 1) // 2 + low
            for high, one in held
            for low, other in held
            if high > low and one + other == 13
        }
        assert set(listed[begins[i] : ends[i]]) == pairs
        assert ends[i] - begins[i] == len(pairs)


def test_a_choice_by_looking_ahead_does_not_know_hidden_cards() -> None:
    rows = positions(steps=6)
    agent = LearnedAgent(build_network("bonds", GAME, 8, 1).eval(), lookahead_config=HOW)
    seeds = np.arange(40, dtype=np.uint64)
    actions = choose_actions(agent, prepare_turn(agent, GAME, RULES, rows.states, seeds))
    for other in (1, 2):
        dealt = resample_copies(GAME, RULES, rows.states, other)
        assert (dealt["deck"] != rows.states["deck"]).any()
        again = choose_actions(agent, prepare_turn(agent, GAME, RULES, dealt, seeds))
        assert (again == actions).all()


def weights(folder: Path) -> str:
    found: dict[str, str] = json.loads((folder / "seed-0" / "result.json").read_text())
    return found["weights_sha256"]


def test_a_run_can_be_stopped_resumed_and_its_agent_played(tmp_path: Path) -> None:
    whole = train(replace(SMALL, runs=str(tmp_path / "a")), quiet=True)
    from parlour.training.learning import run_network as running

    done = 0
    plain = running.NetworkRun.iterate

    def iterate(self: running.NetworkRun) -> dict[str, float]:
        nonlocal done
        done += 1
        if done == 5:
            raise KeyboardInterrupt
        return plain(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running.NetworkRun, "iterate", iterate)
        with pytest.raises((KeyboardInterrupt, Interrupted)):
            train(replace(SMALL, runs=str(tmp_path / "b")), quiet=True)
    stopped = tmp_path / "b" / whole.name
    assert weights(resume(stopped, quiet=True)) == weights(whole)

    agent = load_agent(str(whole / "seed-0" / "agent"), GAME, RULES)
    assert isinstance(agent, LearnedAgent) and agent.lookahead_config == HOW
    rows = positions()
    turn = prepare_turn(agent, GAME, RULES, rows.states, 1)
    assert (choose_actions(agent, turn) == choose_actions(agent, turn)).all()


def read_agent(folder: Path) -> dict[str, Any]:
    """What an agent's folder holds, but for the time that its training took."""
    card = json.loads((folder / "agent.json").read_text())
    assert card["trained"].pop("seconds") > 0
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    return card | {"files": {**files, "agent.json": None}}


@pytest.mark.parametrize("warm_up", [1 / 3, 5 / 6, 1.0], ids=["early", "last rollout", "never"])
def test_a_run_resumed_at_its_very_end_saves_the_same_agent(warm_up: float, tmp_path: Path) -> None:
    """Killed between its last checkpoint and its result: nothing is left to train, only to save."""
    folder = train(replace(SMALL, runs=str(tmp_path), warm_up=warm_up), quiet=True)
    agent, digest = folder / "seed-0" / "agent", weights(folder)
    before = read_agent(agent)
    looks = before["lookahead"]
    assert (looks == HOW._asdict()) if warm_up < 1 else (looks is None)
    shutil.rmtree(agent)
    (folder / "seed-0" / "result.json").unlink()
    resume(folder, quiet=True)
    assert weights(folder) == digest
    assert read_agent(agent) == before


def test_training_can_begin_with_a_saved_agent(tmp_path: Path) -> None:
    first = train(replace(SMALL, runs=str(tmp_path), name="first"), quiet=True)
    start = replace(
        SMALL, runs=str(tmp_path), name="second", initial=str(first), options={"passes": 2}
    )
    none = replace(start, learning_rate=0.0, warm_up=0.0)
    second = train(none, quiet=True)
    assert weights(second) == weights(first)
    with pytest.raises(ValueError, match="another network"):
        train(replace(start, name="third", width=16), quiet=True)


def test_values_are_the_networks_own() -> None:
    for name in ("mlp", "embedding", "bonds"):
        net = build_network(name, GAME, 8, 1).eval()
        codes = positions().codes.copy()
        seen = codes if net.encoding == "codes" else GAME.features.onehot(codes)
        with torch.no_grad():
            expected = net(torch.from_numpy(seen))[1].numpy()
        assert np.array_equal(make_value_function(net)(codes), expected)


def test_truncated_games_are_learned_from_their_last_position() -> None:
    """Every value that is learned of a game cut short says so; no gradient is left behind."""
    model = make_model(replace(SMALL, max_moves=2, warm_up=0.0), 0)
    assert isinstance(model, LookaheadPPO)
    model._setup_learn(0)
    policy = model.policy
    policy.predict_values = lambda seen: torch.full((len(seen), 1), 50.0, requires_grad=True)  # type: ignore[method-assign]
    model.collect_rollouts(model.env)
    assert model.ahead and model.rollout[1].max() > 25
