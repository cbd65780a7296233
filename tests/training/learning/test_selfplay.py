"""Self-play: all seats learn, policies approach an equilibrium, and runs resume bit-identically."""

import os
import signal
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import RolloutBuffer

from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.envs import find_game
from parlour.envs.core.baselines import HeuristicAgent, UniformAgent
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.rows import observation_codes, view_states
from parlour.envs.core.turn import Agent
from parlour.envs.games.seven_twenty_seven.knowledge import HIDDEN
from parlour.training.equilibrium.cfr import exploit
from parlour.training.equilibrium.exploitability import extract_policy
from parlour.training.equilibrium.game_tree import Tree, build_tree
from parlour.training.evaluation.play import play_duplicate
from parlour.training.learning import checkpoint
from parlour.training.learning.envs import LEARNER, SelfPlayEnv
from parlour.training.learning.methods.selfplay import MagnetPPO, SelfplayRun, seat_advantages
from parlour.training.learning.network_run import CardPolicy
from parlour.training.learning.run import validation_key
from parlour.training.learning.settings.methods import PPOSettings, SelfplaySettings, check_critic
from parlour.training.learning.train import Interrupted, main, resume, train
from tests.marks import slow_if
from tests.training.learning.runs import read_result

GAME = find_game("seven_twenty_seven")
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
    opponents=("uniform", "greedy"),
    self_share=0.5,
    magnet_rate=0.3,
    reward_scale=0.1,
    device="cpu",
    name="small",
)
TINY = {"max_raises": 0}
"""Rules of `mini`, with no raises, whose equilibria are computed quickly."""


def trained(runs: Path, **changed: Any) -> Path:
    return train(replace(SMALL, runs=str(runs), **changed), quiet=True)


def last_parameters(folder: Path, module: str) -> dict[str, np.ndarray]:
    """Return the weights of a module in the newest checkpoint."""
    result = checkpoint.latest(folder / "seed-0")
    assert result is not None
    prefix = f"{module}."
    return {k.removeprefix(prefix): v for k, v in result.arrays.items() if k.startswith(prefix)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def tiny() -> Tree:
    return build_tree(GAME.make_rules("mini", TINY))


def exploitability(agent: Agent, tree: Tree) -> float:
    return float(exploit(tree, extract_policy(agent, tree).policy).exploitability)


def test_a_tiny_game_is_learned_towards_its_equilibrium(tiny: Tree, tmp_path: Path) -> None:
    settings = replace(
        SMALL,
        variant="mini",
        options=TINY,
        self_share=1.0,
        width=32,
        depth=2,
        n_envs=32,
        n_steps=32,
        batch_size=256,
        total_steps=40_000,
        learning_rate=3e-3,
        magnet_rate=0.1,
        reward_scale=0.3,
        ent_coef=0.04,
        eval_interval=0,
    )
    with closing(SelfplayRun(settings, 0, tmp_path / "run")) as run:
        before = exploitability(run.agent(), tiny)
        while run.share_done() < 1:
            run.iterate()
        assert before > 0.9
        assert exploitability(run.agent(), tiny) < before / 3


def test_the_agent_draws_its_actions_and_plays_again_as_it_did(whole: Path) -> None:
    agent = load_agent(str(whole), GAME, RULES)
    assert isinstance(agent, LearnedAgent)
    assert not agent.deterministic
    seeds = deal_seeds("seven_twenty_seven-validation", range(10))
    opponents = [load_agent(name, GAME, RULES, 1) for name in SMALL.opponents]
    nets = play_duplicate(
        GAME, RULES, agent, opponents, seeds, evaluation_seed=validation_key(0)
    ).nets
    assert nets.mean() == pytest.approx(read_result(whole)["final"]["score"]["mean"])


@pytest.mark.parametrize(
    "changed",
    [
        {},
        slow_if(True, {"self_share": 1.0, "magnet_interval": 2, "critic": "cards"}),
    ],
)
def test_a_stopped_run_goes_on_bit_by_bit(
    changed: dict[str, Any], whole: Path, tmp_path: Path
) -> None:
    straight = trained(tmp_path / "straight", **changed) if changed else whole
    iterate = SelfplayRun.iterate

    def interrupted(self: SelfplayRun) -> dict[str, float]:
        values = iterate(self)
        if self.steps == 3 * ROLLOUT:
            os.kill(os.getpid(), signal.SIGINT)
        return values

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Interrupted):
        patch.setattr(SelfplayRun, "iterate", interrupted)
        trained(tmp_path, **changed)
    folder = resume(tmp_path / whole.name, quiet=True)
    for fact in ("weights_sha256", "final", "evaluations"):
        assert read_result(folder)[fact] == read_result(straight)[fact], fact
    one, other = (last_parameters(run, "magnet") for run in (folder, straight))
    assert one.keys() == other.keys() != set()
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_a_checkpoint_holds_the_magnet(whole: Path) -> None:
    magnet, policy = last_parameters(whole, "magnet"), last_parameters(whole, "policy.network")
    assert magnet.keys() == policy.keys() != set()
    assert any(not np.array_equal(magnet[name], policy[name]) for name in policy)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"magnet_coef": -0.1}, r"magnet_coef must be a number from 0 to 10, got -0\.1"),
        ({"magnet_rate": 1.5}, r"magnet_rate must be a number from 0 to 1, got 1\.5"),
        ({"magnet_interval": 0}, "magnet_interval must be an integer from 1 to 1000000, got 0"),
        ({"self_share": 2.0}, r"self_share must be a number from 0 to 1, got 2\.0"),
        ({"opponents": ()}, r"opponents must name at least one agent, got \(\)"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        replace(SMALL, **wrong)


def rows_of(others: list[Agent], share: float, n: int = 64) -> SelfPlayEnv:
    config = StepConfig(reset=Autoreset.SAME_STEP)
    rows = SelfPlayEnv(GAME, RULES, n, config, others, share)
    for row in range(n):
        rows.reseed(row, np.random.default_rng([1, row]))
    rows.start(DealSource.DRAW)
    return rows


def step_by_chance(rows: SelfPlayEnv, rng: np.random.Generator) -> None:
    rows.step((rng.random(rows.buffers.masks.shape) * rows.buffers.masks).argmax(axis=1))


class Asked(UniformAgent):
    """A random agent that is called from Python, unlike those that compiled code plays."""

    name = "asked"

    def act(self, turn: Any) -> np.ndarray:
        return super().act(turn)


@pytest.mark.parametrize("others", [[], [Asked()], [HeuristicAgent(), Asked(), UniformAgent()]])
def test_each_step_is_a_decision_of_a_seat_of_the_learner(others: list[Agent]) -> None:
    rows, rng = rows_of(others, 0.5 if others else 1.0), np.random.default_rng(0)
    everywhere, unit = np.arange(rows.n), GAME.reward_unit(RULES)
    asked: list[int] = []
    for _ in range(60):
        waiting, turns = rows.waiting, rows.states["turn"].astype(int)
        assert (rows.seating[everywhere, turns][waiting] == LEARNER).all()
        assert (rows.seating[everywhere, rows.own_seat] == LEARNER).all()
        seen = observation_codes(view_states(GAME, RULES, rows.states, turns))
        assert (rows.codes == seen)[waiting].all()  # what that seat sees, and nothing else
        step_by_chance(rows, rng)
        assert (rows.actors == turns).all()
        asked += turns[waiting & (turns != rows.own_seat)].tolist()
        ended, final = rows.buffers.terminated, rows.buffers.final_states
        assert (rows.pays[ended] == final["net"][ended, :4] / unit).all()
        assert not rows.pays[~ended].any()
        assert (rows.rewards == rows.pays[everywhere, rows.own_seat]).all()
    assert set(asked) == {0, 1, 2, 3}


def test_who_sits_where_is_drawn_by_its_share() -> None:
    rows = rows_of([UniformAgent(), Asked()], 0.25, 4096)
    others = np.delete(rows.seating[:4, :4], 0, axis=1)  # of a row: home seat 0
    assert others.shape == (4, 3)
    away = rows.seating[:, :4][np.arange(4)[None] != rows.own_seat[:, None]]
    shares = np.bincount(away, minlength=3) / len(away)
    assert np.abs(shares - [0.25, 0.375, 0.375]).max() < 0.02
    assert (rows_of([UniformAgent()], 0.0).seating[:, :4].sum(axis=1) == 3).all()


def test_partners_are_one_player() -> None:
    tricks, config = find_game("fifty_six"), StepConfig(reset=Autoreset.SAME_STEP)
    rules = tricks.make_rules("eight")
    rows = SelfPlayEnv(tricks, rules, 512, config, [UniformAgent(), Asked()], 0.25)
    for row in range(rows.n):
        rows.reseed(row, np.random.default_rng([1, row]))
    seating = rows._draw_players(np.arange(rows.n))
    own = np.where(rows.own_seat[:, None] % 2, seating[:, 1::2], seating[:, ::2])
    away = np.where(rows.own_seat[:, None] % 2, seating[:, ::2], seating[:, 1::2])
    assert (own == LEARNER).all() and (away == away[:, :1]).all()
    assert np.abs(np.bincount(away[:, 0], minlength=3) / rows.n - [0.25, 0.375, 0.375]).max() < 0.08


def test_rows_go_on_from_what_they_were() -> None:
    rows, rng = rows_of([HeuristicAgent(), Asked()], 0.5), np.random.default_rng(0)
    for _ in range(5):
        step_by_chance(rows, rng)
    again = rows_of([HeuristicAgent(), Asked()], 0.5)
    again.load_state_dict(rows.state_dict())
    for _ in range(20):
        for one in (rows, again):
            step_by_chance(one, np.random.default_rng(7))
        assert (rows.states == again.states).all()
        assert (rows.pays == again.pays).all()


def test_hands_over_before_the_learner_acts_are_no_decisions() -> None:
    rows = rows_of([], 1.0, 4)
    rows.states["over"][2] = Over.TERMINATED
    before = rows.states["rng"][2]
    assert rows.waiting.tolist() == [True, True, False, True]
    rows.step(rows.buffers.masks.argmax(axis=1))
    assert rows.buffers.terminated[2] and rows.waiting[2]
    assert rows.states["rng"][2] != before


def test_advantages_of_one_seat_are_those_of_stable_baselines() -> None:
    rng, steps, n = np.random.default_rng(0), 12, 5
    values, pays = rng.normal(size=(steps, n)), rng.normal(size=(steps, n, 1))
    dones = rng.random((steps, n)) < 0.3
    dones[-1] = True
    pays[~dones] = 0
    box, actions = spaces.Box(0, 1, (1,)), spaces.Discrete(2)
    buffer = RolloutBuffer(steps, box, actions, "cpu", gae_lambda=0.9, gamma=0.8, n_envs=n)
    start = np.ones(n)
    for t in range(steps):
        value, log = torch.tensor(values[t]), torch.zeros(n)
        buffer.add(np.zeros((n, 1)), np.zeros((n, 1)), pays[t, :, 0], start, value, log)
        start = dones[t]
    buffer.compute_returns_and_advantage(torch.zeros(n), dones[-1])
    everybody = np.zeros((steps, n), int), np.ones((steps, n), bool)
    result = seat_advantages(values, *everybody, pays, dones, 0.8, 0.9)
    assert np.allclose(result, buffer.advantages, atol=1e-5)


def test_advantages_follow_each_seat_to_its_own_next_decision() -> None:
    values = np.array([[1.0], [2.0], [3.0], [9.0], [5.0], [6.0]])
    actors = np.array([[0], [1], [0], [1], [1], [0]])
    waiting = np.array([[True], [True], [True], [False], [True], [True]])
    pays = np.zeros((6, 1, 2))
    pays[2, 0] = 7.0, -7.0
    dones = np.array([[False], [False], [True], [True], [False], [False]])
    result = seat_advantages(values, actors, waiting, pays, dones, 1.0, 0.5)[:, 0]
    # Seat 0: 1, then 3, paid 7. Seat 1: 2, paid -7. Nobody's; and two whose next is not known.
    assert result.tolist() == [3 - 1 + 0.5 * 4, -7 - 2, 7 - 3, 0, 0, 0]


def test_the_magnet_holds_the_policy(tmp_path: Path) -> None:
    distances = {}
    for coef in (0.0, 10.0):
        settings = replace(SMALL, magnet_coef=coef, magnet_rate=0.0)
        with closing(SelfplayRun(settings, 0, tmp_path / str(coef))) as run:
            start = magnet_of(run)
            distances[coef] = [run.iterate()["train/magnet_kl"] for _ in range(6)][-1]
            assert all(map(torch.equal, start, magnet_of(run)))
    assert distances[10.0] < distances[0.0] / 4


def test_the_magnet_follows_by_its_rate(tmp_path: Path) -> None:
    settings = replace(SMALL, magnet_rate=0.25, magnet_interval=2)
    with closing(SelfplayRun(settings, 0, tmp_path)) as run:
        start = magnet_of(run)
        run.iterate()
        assert all(map(torch.equal, start, magnet_of(run)))
        run.iterate()
        for was, own, goal in zip(start, magnet_of(run), run.network.parameters(), strict=True):
            assert torch.allclose(own, was + 0.25 * (goal - was), atol=1e-6)


def magnet_of(run: SelfplayRun) -> list[torch.Tensor]:
    """Return copies of the magnet's weights."""
    assert isinstance(run.model, MagnetPPO)
    return [one.clone() for one in run.model.magnet.parameters()]


def test_one_player_and_several_are_learned_by_their_own_methods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        ValueError, match="method must be one of distill, selfplay in games for several"
    ):
        train(PPOSettings(game=GAME.name, runs=str(tmp_path)), quiet=True)
    with pytest.raises(ValueError, match=r"method must be .*, got 'selfplay'"):
        trained(tmp_path, game="pyramid", variant="classic")
    assert main(["seven-twenty-seven", "--opponents", "nobody", "--runs", str(tmp_path)]) == 2
    assert "nobody" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def begun(folder: Path, **changed: Any) -> SelfplayRun:
    """A run after one rollout whose critic sees the cards."""
    run = SelfplayRun(replace(SMALL, critic="cards", **changed), 0, folder)
    run.iterate()
    return run


@pytest.mark.parametrize("network", ["numbers", "mlp"])
def test_a_critic_learns_from_what_the_others_hold_and_the_policy_does_not(
    network: str, tmp_path: Path
) -> None:
    with closing(begun(tmp_path, network=network)) as run:
        env, policy = run.env, cast(CardPolicy, run.model.policy)
        codes = env.codes()
        assert (codes[:, : GAME.features.width] == env.rows.codes).all()
        assert (codes[:, GAME.features.width :] == HIDDEN.read(env.rows.states)).all()
        other = codes.copy()
        other[:, GAME.features.width :] = 7
        here, there = (policy.outputs(run.model._encode(torch.tensor(o))) for o in (codes, other))
        assert torch.equal(here[0], there[0])
        assert (here[1] != there[1]).all()
        assert policy.critic is not None
        own = [one.clone() for one in policy.network.value.parameters()]
        critic = [one.clone() for one in policy.critic.value.parameters()]
        run.iterate()
        assert all(map(torch.equal, own, policy.network.value.parameters()))
        assert not any(map(torch.equal, critic, policy.critic.value.parameters()))


def test_the_agent_of_a_run_comes_without_its_critic(whole: Path, tmp_path: Path) -> None:
    folder = trained(tmp_path, critic="cards")
    shapes = []
    for one in (folder, whole):
        agent = load_agent(str(one), GAME, RULES)
        assert isinstance(agent, LearnedAgent)
        shapes.append({name: value.shape for name, value in agent.network.state_dict().items()})
    assert shapes[0] == shapes[1]
    assert last_parameters(folder, "policy.critic")


def test_a_critic_of_cards_wants_a_game_that_names_them() -> None:
    with pytest.raises(
        ValueError, match=r"^critic must be 'own' because .* does not define its hidden cards"
    ):
        check_critic("cards", replace(GAME, hidden_cards=None))
