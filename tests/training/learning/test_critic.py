"""A critic that sees more than the player, and a player that does not see it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch

from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.envs import find_game
from parlour.envs.core.rows import observation_codes, resample_copies
from parlour.training.evaluation.compare import evaluate
from parlour.training.learning.envs import WiderVecEnv
from parlour.training.learning.methods.ppo import CardPPO, PPORun, make_ppo
from parlour.training.learning.network_run import CardPolicy
from parlour.training.learning.settings.files import preset
from parlour.training.learning.settings.methods import PPOSettings
from parlour.training.learning.train import resume, train
from tests.training.learning.runs import (
    assert_equal_results,
    assert_refused,
    read_result,
    train_until_killed,
)
from tests.training.learning.test_train import ROLLOUT, SMALL

Critic = Literal["cards", "solver"]
CRITICS: tuple[Critic, ...] = ("cards", "solver")
PYRAMID = replace(SMALL, variant="three-passes", reward="win", total_steps=4 * ROLLOUT)


def begin(settings: PPOSettings) -> tuple[CardPPO, CardPolicy, WiderVecEnv]:
    """Return a model after some random steps."""
    model = make_ppo(settings, 0)
    model._setup_learn(0)
    env, policy = model.env, model.policy
    assert isinstance(env, WiderVecEnv) and isinstance(policy, CardPolicy)
    rng = np.random.default_rng(1)
    for _ in range(6):
        probabilities = env.masks() / env.masks().sum(axis=1, keepdims=True)
        env.step(np.array([rng.choice(env.game.actions, p=row) for row in probabilities]))
    return model, policy, env


def observe_dealt_anew(env: WiderVecEnv) -> np.ndarray:
    """Return the observations for other hidden cards."""
    states = resample_copies(env.game, env.rules, env.rows.states, 5)
    assert (states["deck"] != env.rows.states["deck"]).any(axis=1).mean() > 0.9
    return env._observe(states, observation_codes(states))


@pytest.mark.parametrize("network", ["mlp", "embedding"])
@pytest.mark.parametrize("name", ["pyramid", "poker_squares", "puss_in_the_corner"])
def test_hidden_cards_change_the_critic_and_nothing_of_the_policy(name: str, network: str) -> None:
    settings = replace(PYRAMID, game=name, variant=None, network=network, critic="cards")
    _, policy, env = begin(settings)
    here, there = (torch.from_numpy(seen) for seen in (env.observations(), observe_dealt_anew(env)))
    assert not torch.equal(here, there)
    with torch.no_grad():
        torch.nn.init.normal_(policy.network.policy[-1].weight)
        (logits, values), (others, worths) = policy.outputs(here), policy.outputs(there)
        masks = torch.from_numpy(env.masks())
        ways = [policy.get_distribution(seen, masks).distribution.logits for seen in (here, there)]
    assert torch.equal(logits, others) and torch.equal(*ways)
    assert (values != worths).float().mean() > 0.9


@pytest.mark.parametrize("critic", CRITICS)
def test_the_policy_learns_nothing_from_the_values_weights(critic: Critic) -> None:
    """Gradients of the value loss reach only the critic, those of the policy only its network."""
    _, policy, env = begin(replace(PYRAMID, critic=critic))
    assert policy.critic is not None
    logits, values = policy.outputs(torch.from_numpy(env.observations()))
    values.sum().backward(retain_graph=True)  # type: ignore[no-untyped-call]
    assert all(one.grad is None for one in policy.network.parameters())
    policy.zero_grad()
    logits.sum().backward()  # type: ignore[no-untyped-call]
    assert all(one.grad is None for one in policy.critic.parameters())


def test_the_solver_tells_the_critic_what_is_lost() -> None:
    _, _, env = begin(replace(PYRAMID, critic="solver"))
    message = env.observations()[:, -1]
    for i in range(env.num_envs):
        assert env.game.solve is not None
        known = env.game.solve(env.rows.states[i : i + 1], env.rules).winnable
        assert message[i] == 0 or known == (message[i] == 2)
    assert set(message.tolist()) >= {1, 2}
    piece = env.wide_game.features.pieces[-1]
    assert (piece.name, env.observation_space.shape) == ("winnable", (env.game.features.width + 1,))


def test_a_game_that_ends_shows_the_critic_its_own_end() -> None:
    """The last observation belongs to the finished deal, not to the new one."""
    _, _, env = begin(replace(PYRAMID, critic="cards", max_moves=8))
    infos = env.step(env.masks().argmax(axis=1))[3]
    while not len(env.ended):
        infos = env.step(env.masks().argmax(axis=1))[3]
    width = env.game.features.width
    for i in env.ended:
        last = infos[i]["terminal_observation"]
        final = env.rows.buffers.final_states[i : i + 1]
        assert (last[:width] == observation_codes(final)[0]).all()
        assert (last[width:] == env.extra[-1].read(final, env.table)[0]).all()


@pytest.fixture(scope="module", params=CRITICS)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = str(tmp_path_factory.mktemp("whole"))
    return train(replace(PYRAMID, runs=runs, critic=request.param), quiet=True)


def settings_of(folder: Path) -> PPOSettings:
    critic = json.loads((folder / "settings.json").read_text())["critic"]
    return replace(PYRAMID, critic=critic)


def test_killed_and_resumed_it_ends_bit_equal(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = replace(settings_of(whole), runs=str(tmp_path))
    train_until_killed(killed, PPORun, 2 * ROLLOUT, monkeypatch)
    assert_equal_results(resume(tmp_path / whole.name, quiet=True), whole)


def test_the_critic_is_not_in_the_agent(whole: Path, tmp_path: Path) -> None:
    """The agent has the tensors of plain PPO and reads the player's observation."""
    pyramid = find_game("pyramid")
    rules = pyramid.make_rules("three-passes")
    plain = train(replace(PYRAMID, runs=str(tmp_path)), quiet=True)
    shapes = []
    for folder in (whole, plain):
        agent = load_agent(str(folder / "seed-0" / "agent"), pyramid, rules)
        assert isinstance(agent, LearnedAgent) and not agent.sees_all
        assert agent.network.features.width == pyramid.features.width
        shapes.append({name: one.shape for name, one in agent.network.state_dict().items()})
    assert shapes[0] == shapes[1]
    scored = evaluate(
        pyramid, str(whole / "seed-0" / "agent"), deals=10, deal_set="pyramid-validation"
    ).estimate("score")
    assert scored.mean == read_result(whole)["final"]["score"]["mean"]
    digests = [read_result(folder)["weights_sha256"] for folder in (whole, plain)]
    assert digests[0] != digests[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["poker_squares", "--critic", "solver"],
            "critic must be 'own' or 'cards' because Poker Squares has no exact solver, got",
        ),
        (
            ["pyramid", "--critic", "solver", "--options", "shuffle_redeal", "yes"],
            "shuffle_redeal",
        ),
        (
            ["pyramid", "--critic", "everything"],
            "critic must be one of own, cards, solver, got 'everything'",
        ),
        (["pyramid", "--method", "pqn", "--critic", "cards"], "method 'pqn' does not use --critic"),
    ],
)
def test_wrong_settings_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(words, message, capsys)


def test_a_critic_that_sees_cards_learns(tmp_path: Path) -> None:
    settings = replace(
        preset("pyramid", "ppo"),
        reward="progress",
        critic="cards",
        total_steps=60_000,
        n_envs=128,
        n_steps=32,
        batch_size=512,
        width=64,
        seeds=(0,),
        eval_interval=0,
        device="cpu",
        runs=str(tmp_path),
    )
    folder = train(settings, quiet=True)
    learned = evaluate("pyramid", str(folder / "seed-0" / "agent"), deals=1000).estimate("won")
    uniform = evaluate("pyramid", "uniform", deals=1000).estimate("won")
    assert learned.low > uniform.high
