"""PQN: masked maxima, returns as published, bit-identical resumption, and learning."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import NETWORKS, build_network
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import choose_actions, load_agent, prepare_turn
from parlour.envs import find_game
from parlour.envs.core.rows import Rows
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training.evaluation.compare import evaluate
from parlour.training.learning.envs import make_env
from parlour.training.learning.methods.pqn import CardPQN, PQNRun, lambda_returns
from parlour.training.learning.network_run import make_learner
from parlour.training.learning.settings.files import preset
from parlour.training.learning.settings.methods import PQNSettings, make_settings
from parlour.training.learning.train import main, resume, train
from tests.training.learning.runs import assert_equal_results, read_result, train_until_killed

GAME = find_game("pyramid")
RULES = GAME.make_rules("three-passes")
ROLLOUT = 16 * 16
NORMALISED = ["ranks", "attention"]
"""Networks that are always normalized."""
SMALL = PQNSettings(
    width=8,
    depth=2,
    gamma=0.9,
    gae_lambda=0.5,
    total_steps=4 * ROLLOUT,
    n_envs=16,
    n_steps=16,
    batch_size=64,
    n_epochs=1,
    eval_interval=2 * ROLLOUT,
    eval_deals=10,
    checkpoint_interval=ROLLOUT,
    device="cpu",
    name="small",
)


def begin(settings: PQNSettings) -> CardPQN:
    model = make_learner(CardPQN, settings, 0, make_env(settings))
    assert isinstance(model, CardPQN)
    model._setup_learn(0)
    return model


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_it_plays_what_it_says(epsilon: float) -> None:
    """Without exploration, actions are the best legal ones; with full exploration, all legal ones
    occur."""
    model = begin(replace(SMALL, n_envs=64))
    model.epsilon = epsilon
    masks = torch.from_numpy(model.env.masks())  # type: ignore[union-attr]
    logits = torch.randn(masks.shape)
    logits[~masks] = 9.0  # illegal ones look best
    best = torch.where(masks, logits, -torch.inf).argmax(dim=1)
    played = torch.stack([model._explore(best, masks) for _ in range(200)])
    assert masks.gather(1, played.T).all()
    if epsilon == 0:
        assert (played == best).all()
    else:
        tried = torch.zeros_like(masks).scatter_(1, played.T, True)
        assert (tried == masks).float().mean() > 0.99


def test_a_truncated_game_is_worth_its_best_legal_action() -> None:
    """Illegal actions of the last position look best, but have no effect."""
    model = begin(replace(SMALL, max_moves=3))
    env = model.env
    assert isinstance(env, CardVecEnv)
    truncated = 0
    for _ in range(12):
        masks = env.masks()
        *_, infos = env.step(masks.argmax(axis=1))
        result = model._truncation_values(env, infos)
        for row, info in enumerate(infos):
            if not info.get("TimeLimit.truncated"):
                assert result[row] == 0
                continue
            truncated += 1
            with torch.no_grad():
                seen = torch.from_numpy(info["terminal_observation"][None])
                worths = model.network(seen)[0][0].numpy()
            mask = info["terminal_action_mask"]
            assert 0 < mask.sum() < mask.size
            assert result[row] == pytest.approx(worths[mask].max(), abs=1e-6)
    assert truncated


def test_the_worth_of_a_position_is_that_of_its_best_legal_action() -> None:
    model = begin(SMALL)
    env = model.env
    with torch.no_grad():
        model.network.policy[-1].bias.uniform_(-5, 5)  # illegal actions that seem best
        result = model._action_values(model._last_obs, env.masks()).amax(dim=1)  # type: ignore
        logits = model.network(torch.from_numpy(np.asarray(model._last_obs)))[0].numpy()
    masks = env.masks()  # type: ignore[union-attr]
    assert result.numpy() == pytest.approx(np.where(masks, logits, -np.inf).max(axis=1))
    assert (result.numpy() < logits.max(axis=1)).any()


def test_returns_are_those_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """G = r + gamma (lambda G' + (1 - lambda) max Q'), and G = r at the end of a game."""
    model = begin(replace(SMALL, max_moves=6, reward_scale=2.0))
    steps: list[tuple[np.ndarray, ...]] = []
    play = CardPQN._collect_step

    def watched(self: CardPQN, env: Any) -> tuple[np.ndarray, ...]:
        steps.append(play(self, env))
        return steps[-1]

    monkeypatch.setattr(CardPQN, "_collect_step", watched)
    model.collect_rollouts(model.env)
    with torch.no_grad():
        last = model._action_values(model._last_obs, model.env.masks())  # type: ignore
    ahead = after = last.amax(dim=1).numpy()
    for t in reversed(range(len(steps))):
        _, _, rewards, dones, values = steps[t]
        ahead = rewards + 0.9 * np.where(dones, 0, 0.5 * ahead + 0.5 * after)
        result = model.rollout[2].numpy().reshape(16, 16)[t]
        assert result == pytest.approx(ahead, abs=1e-5)
        after = values
    assert any(step[3].any() for step in steps), "no game ended: nothing is shown of ends"
    assert any((step[2] % 1 != 0)[step[3]].any() for step in steps), "none was cut off"


def test_values_of_actions_are_learned() -> None:
    """The network learns the result of the played actions, and nothing about the others."""
    model = begin(replace(SMALL, learning_rate=1e-2))
    model.collect_rollouts(model.env)
    part = torch.arange(64)
    losses = [model._learn_minibatch(part)[0].item() for _ in range(100)]
    assert losses[-1] < 0.2 * losses[0]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(replace(SMALL, runs=str(tmp_path_factory.mktemp("whole"))), quiet=True)


@pytest.mark.parametrize("after", [1, 3])
def test_killed_and_resumed_it_ends_bit_equal(
    after: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = replace(SMALL, runs=str(tmp_path))
    train_until_killed(killed, PQNRun, after * ROLLOUT, monkeypatch)
    np.random.seed(99)
    torch.manual_seed(99)
    assert_equal_results(resume(tmp_path / whole.name, quiet=True), whole)


def test_its_agent_plays_on_as_it_played(whole: Path) -> None:
    agent = load_agent(str(whole / "seed-0" / "agent"), GAME, RULES)
    assert isinstance(agent, LearnedAgent) and agent.network.layer_norm
    scored = evaluate(GAME, agent, deals=10, deal_set="pyramid-validation").estimate("score")
    assert scored.mean == read_result(whole)["final"]["score"]["mean"]
    rows = Rows(GAME, RULES, 50)
    rows.deal_numbered("pqn", range(50))
    turn = prepare_turn(agent, GAME, RULES, rows.states, 1)
    with torch.no_grad():
        logits = agent.network(torch.from_numpy(turn.observations.copy()))[0].numpy()
    best = np.where(turn.masks, logits, -np.inf).argmax(axis=1)
    assert (choose_actions(agent, turn) == best).all()


@pytest.mark.parametrize("name", ["poker_squares", "puss_in_the_corner"])
@pytest.mark.parametrize("network", ["mlp", "embedding"])
def test_every_game_for_one_trains(name: str, network: str, tmp_path: Path) -> None:
    base = {**vars(SMALL), "options": {}, "game": name, "network": network, "runs": str(tmp_path)}
    folder = train(make_settings("pqn", **base | {"total_steps": ROLLOUT}), quiet=True)
    assert read_result(folder)["steps"] == ROLLOUT
    assert preset(name, "pqn").method == "pqn"


@pytest.mark.parametrize("name", [name for name in NETWORKS if name not in NORMALISED])
def test_every_network_can_normalise_its_layers(name: str) -> None:
    plain, normal = (build_network(name, GAME, 8, 3, {"layer_norm": on}) for on in (0, 1))
    norms = [
        sum(isinstance(part, torch.nn.LayerNorm) for part in net.modules())
        for net in (plain, normal)
    ]
    assert norms[1] == 5 and norms[0] == (name != "mlp")


@pytest.mark.parametrize("name", NORMALISED)
def test_networks_of_tokens_are_always_normalised(name: str) -> None:
    assert build_network(name, GAME, 8, 1, {"layer_norm": 1}).layer_norm
    with pytest.raises(ValueError, match=f"network '{name}': layer_norm must be yes"):
        build_network(name, GAME, 8, 1, {"layer_norm": 0})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--epsilon", "1.5"], "epsilon must be a number from 0 to 1, got 1.5"),
        (["--epsilon-decay", "-1"], "epsilon_decay must be a number from 0 to 1, got -1.0"),
        (["--clip-range", "0.1"], "method 'pqn' does not use --clip-range, which belongs to ppo"),
        (
            ["--network-options", "layer_norm", "2"],
            "layer_norm must be True, False, yes or no, got 2",
        ),
        (
            ["--network-options", "norm", "2"],
            "network 'embedding' has no option 'norm'; its options: layer_norm",
        ),
    ],
)
def test_wrong_settings_are_refused(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = ["--runs", str(tmp_path), "--name", "wrong"]
    assert main(["pyramid", "--method", "pqn", "--no-layer-norm", *runs, *words]) == 2
    error = capsys.readouterr().err
    assert message in error.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_epsilon_falls_to_its_end_and_stays_there(whole: Path) -> None:
    lines = (whole / "seed-0" / "progress.jsonl").read_text().splitlines()
    message = [json.loads(line)["train/epsilon"] for line in lines]
    assert message[0] == 0.5 and message[1:] == pytest.approx([0.02] * 3)
    slow = PQNRun(replace(SMALL, epsilon_decay=1.0), 0, whole.parent / "slow")
    assert slow.set_schedules(0.5)["train/epsilon"] == pytest.approx(0.26)
    slow.close()


@pytest.mark.slow
def test_a_short_run_learns(tmp_path: Path) -> None:
    settings = replace(
        preset("pyramid", "pqn"),
        total_steps=60_000,
        n_envs=128,
        n_steps=32,
        batch_size=512,
        width=64,
        eval_interval=0,
        device="cpu",
        runs=str(tmp_path),
    )
    folder = train(settings, quiet=True)
    learned = evaluate("pyramid", str(folder / "seed-0" / "agent"), deals=1000).estimate("won")
    uniform = evaluate("pyramid", "uniform", deals=1000).estimate("won")
    assert learned.low > uniform.high


def test_lambda_returns_are_the_sums_they_stand_for() -> None:
    rewards = np.array([[0.0], [0.0], [1.0], [0.0]])
    dones = np.array([[False], [False], [True], [False]])
    after = np.array([[0.2], [0.4], [9.0], [0.6]])
    result = lambda_returns(rewards, dones, after, 1.0, 0.5)
    third, last = 1.0, 0.6
    second = 0.5 * 0.4 + 0.5 * third
    first = 0.5 * 0.2 + 0.5 * second
    assert result.ravel() == pytest.approx([first, second, third, last])
