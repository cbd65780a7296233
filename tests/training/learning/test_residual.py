"""Networks with a base policy start with its play and read its action."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from parlour.agents.baselines import GreedyAgent
from parlour.agents.networks.build import build_network
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.networks.options import BASE_PIECE, mark_base_actions
from parlour.agents.registry import load_agent
from parlour.agents.saved import SavedAgentError
from parlour.agents.search.rollouts import RolloutAgent
from parlour.envs import find_game
from parlour.envs.core.baselines import HeuristicAgent
from parlour.envs.core.batch import DealSource, StepConfig
from parlour.envs.core.rows import Rows
from parlour.envs.core.turn import Turn, prepare_turn
from parlour.training.learning.envs import WiderVecEnv, make_env
from parlour.training.learning.methods.distill import DistillLoss, DistillRun, Positions
from parlour.training.learning.settings.methods import DistillSettings
from parlour.training.learning.train import resume, train
from tests.training.learning.runs import read_result

TABLE = DistillSettings(
    game="twenty_eight",
    base_policy="greedy",
    teacher="rollouts@2:greedy",
    width=16,
    n_envs=16,
    n_steps=8,
    batch_size=64,
    n_epochs=2,
    total_steps=4 * 128,
    checkpoint_interval=128,
    eval_interval=0,
    eval_deals=5,
    device="cpu",
    name="table",
)


def random_turn(name: str, steps: int = 12, variant: str | None = None) -> Turn:
    """Return positions some random actions after their deals."""
    result = find_game(name)
    rules, rng = result.make_rules(variant), np.random.default_rng(3)
    rows = Rows(result, rules, 64, StepConfig())
    for row in range(rows.n):
        rows.reseed(row, np.random.default_rng([1, row]))
    rows.start(DealSource.DRAW)
    for _ in range(steps):
        rows.step((rng.random(rows.buffers.masks.shape) * rows.buffers.masks).argmax(axis=1))
    states = rows.states[rows.states["over"] == 0]
    agent = HeuristicAgent()
    return prepare_turn(agent, result, rules, states, np.arange(len(states)).astype(np.uint64))


@pytest.mark.parametrize(
    ("name", "network"),
    [
        *(("pyramid", one) for one in ("mlp", "embedding", "bonds", "ranks", "attention")),
        ("klondike", "embedding"),
        ("twenty_eight", "numbers"),
    ],
)
def test_a_new_network_plays_as_the_player_it_corrects(name: str, network: str) -> None:
    turn = random_turn(name)
    torch.manual_seed(0)
    made = build_network(network, turn.game, 16, 2, {"base": "greedy"})
    agent = LearnedAgent(made.eval())
    wanted = HeuristicAgent().act(turn)
    assert (agent.act(turn) == wanted).all()
    logits = agent.logits(turn, np.arange(len(turn.masks))).detach().numpy()
    assert (logits[np.arange(len(wanted)), wanted] == made.lift).all()
    assert np.abs(np.where(np.eye(turn.game.actions)[wanted], 0, logits)).max() < 2
    values = agent.state_values(turn)
    assert values is not None and values.shape == (len(wanted),)


def test_another_player_by_rule_may_be_corrected() -> None:
    turn = random_turn("klondike")
    agent = LearnedAgent(build_network("embedding", turn.game, 16, 1, {"base": "priority"}).eval())
    rule = HeuristicAgent(rule_agent="priority")
    assert (agent.act(turn) == rule.act(turn)).all()
    assert (rule.act(turn) != HeuristicAgent().act(turn)).any()


def test_at_play_is_read_what_was_read_in_training() -> None:
    settings = DistillSettings(variant="three-passes", base_policy="greedy", n_envs=32, width=16)
    env, spec = make_env(settings), settings.network_spec()
    network = build_network(spec["name"], env.game, 16, spec["depth"], spec["options"]).eval()
    assert isinstance(env, WiderVecEnv)
    env.reset()
    rng = np.random.default_rng(1)
    for _ in range(8):
        masks = env.masks()
        env.step((rng.random(masks.shape) * masks).argmax(axis=1))
    with torch.no_grad():
        trained = network(torch.from_numpy(env.observations()))[0].numpy()
    agent, states = LearnedAgent(network), env.rows.states
    turn = prepare_turn(agent, env.game, env.rules, states, np.arange(32).astype(np.uint64))
    with torch.no_grad():
        played = agent.logits(turn, np.arange(32)).numpy()
    assert (turn.states["deck"] != states["deck"]).any()  # hidden cards are dealt anew for it
    np.testing.assert_allclose(played, trained, rtol=1e-5, atol=1e-6)


def test_each_row_is_told_by_its_own_rules() -> None:
    env = make_env(DistillSettings(variants=("classic", "book"), base_policy="greedy", n_envs=32))
    assert isinstance(env, WiderVecEnv)
    env.reset()
    for _ in range(10):
        env.step(env.masks().argmax(axis=1))
    places = env.features.entry_range(BASE_PIECE)
    marks = env.codes()[:, list(places)]
    assert len(set(env.table.find(env.rows.states).tolist())) == 2
    for number, rows in env.table.split(env.rows.states):
        states, rules = env.rows.states[rows], env.table.rules[number]
        assert (marks[rows] == mark_base_actions(env.game, rules, states, "greedy")).all()
    assert (marks.sum(axis=1) == 1).all() and not (marks * ~env.masks()).any()


@pytest.mark.parametrize(
    ("wrong", "options", "message"),
    [
        ({"base_policy": "magic"}, {"base": "magic"}, "must be .*greedy.*, got 'magic'"),
        (
            {"base_policy": "greedy", "base_logit": 21.0},
            {"base": "greedy", "lift": 21.0},
            r" must be a number from 0 to 20, got 21\.0",
        ),
    ],
)
def test_wrong_players_are_refused(
    wrong: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        DistillSettings(**wrong)
    with pytest.raises(ValueError, match=message):
        build_network("embedding", find_game("pyramid"), 16, 1, options)


def test_what_others_gain_over_the_player_is_learned() -> None:
    """The loss depends on the temperature and the margin; the base's own logit and illegal actions
    do not count. With a margin, equal gains need lower logits."""
    torch.manual_seed(0)
    pyramid = find_game("pyramid")
    network = build_network("embedding", pyramid, 16, 1, {"base": "greedy"})
    turn = random_turn("pyramid")
    marks = mark_base_actions(pyramid, turn.rules, turn.states.copy(), "greedy")
    observations = np.concatenate([turn.observations, marks], axis=1)
    values = np.random.default_rng(0).random(turn.masks.shape).astype(np.float16)
    some = Positions(observations, turn.masks.copy(), values, marks.argmax(axis=1))
    settings = replace(TABLE, game="pyramid", teacher="pimc@2", temperature=0.1)
    result = DistillLoss(network, pyramid, settings).loss(some).item()
    logits = network(torch.from_numpy(observations))[0].detach().numpy()
    errors = []
    for row in range(len(marks)):
        own = marks[row].argmax()
        for action in np.flatnonzero(turn.masks[row]):
            if action != own:
                gain = float(values[row, action]) - float(values[row, own])
                errors.append((logits[row, action] - network.lift) * 0.1 - gain)
    assert result == pytest.approx(np.mean(np.square(errors)), rel=1e-4)
    cautious = DistillLoss(network, pyramid, replace(settings, base_policy="greedy", margin=0.25))
    assert cautious.loss(some).item() == pytest.approx(
        np.mean(np.square(np.add(errors, 0.25))), rel=1e-4
    )


def test_a_margin_needs_a_base_policy() -> None:
    with pytest.raises(ValueError, match=r"margin must be 0 without a base_policy, got 0\.1"):
        replace(TABLE, base_policy=None, margin=0.1).check(find_game("twenty_eight"))


@pytest.mark.slow
def test_rollouts_judge_what_actions_gain_at_a_table() -> None:
    turn = random_turn("twenty_eight")
    judged = RolloutAgent(GreedyAgent(), 20).judge(turn)
    own = HeuristicAgent().act(turn)
    rows = np.arange(len(own))
    assert (judged.values[rows, own] == 0).all() and not (judged.values * ~turn.masks).any()
    assert np.abs(judged.values).max() <= 2 and judged.values.min() < 0
    assert (judged.actions == RolloutAgent(GreedyAgent(), 20).act(turn)).all()


def test_a_table_learns_from_rollouts_and_goes_on_after_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(replace(TABLE, runs=str(tmp_path / "whole")), quiet=True)
    learn = DistillRun._learn

    def die(self: DistillRun, new: int) -> dict[str, float]:
        if self.steps > 256:
            raise KeyError("killed")
        return learn(self, new)

    with monkeypatch.context() as patch, pytest.raises(KeyError):
        patch.setattr(DistillRun, "_learn", die)
        train(replace(TABLE, runs=str(tmp_path / "again")), quiet=True)
    again = resume(tmp_path / "again" / whole.name, quiet=True)
    assert read_result(whole)["weights_sha256"] == read_result(again)["weights_sha256"]

    folder = whole / "seed-0" / "agent"
    agent = load_agent(
        str(folder), find_game("twenty_eight"), find_game("twenty_eight").make_rules()
    )
    assert isinstance(agent, LearnedAgent) and agent.network.base == "greedy"
    card = json.loads((folder / "agent.json").read_text())
    assert card["network"]["options"] == {"base": "greedy", "lift": TABLE.base_logit}
    with pytest.raises(ValueError, match=r"cannot guide a tree search.* This agent can guide pimc"):
        load_agent(
            f"mcts@5:{folder}", find_game("twenty_eight"), find_game("twenty_eight").make_rules()
        )
    card["network"]["options"]["base"] = "magic"
    (folder / "agent.json").write_text(json.dumps(card))
    with pytest.raises(SavedAgentError, match=r"base must be .*, got 'magic'"):
        load_agent(str(folder), find_game("twenty_eight"), find_game("twenty_eight").make_rules())
