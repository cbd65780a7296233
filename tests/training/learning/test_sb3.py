"""The SB3 environments agree with single environments, and CardPPO collects like MaskablePPO."""

from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from parlour.envs import CardEnv, find_game
from parlour.envs.core.baselines import UniformAgent
from parlour.envs.interfaces.arguments import make_rows
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training.learning.envs import make_env, make_selfplay_env
from parlour.training.learning.methods.ppo import make_ppo
from parlour.training.learning.network_run import CardPolicy
from parlour.training.learning.settings.methods import PPOSettings, SelfplaySettings

GAME = find_game("pyramid")
SMALL = PPOSettings(
    n_envs=8, n_steps=32, batch_size=64, n_epochs=1, width=16, depth=1, max_moves=9, device="cpu"
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def drawn(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return random legal actions."""
    return np.asarray((rng.random(masks.shape) * masks).argmax(axis=1))


@pytest.mark.parametrize("encoding", ["codes", "onehot"])
@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("max_moves", [12, 500])
def test_rows_play_as_single_environments(encoding: str, skip_forced: bool, max_moves: int) -> None:
    keywords: dict[str, Any] = {
        "encoding": encoding,
        "skip_forced": skip_forced,
        "max_moves": max_moves,
        "passes": 2,
    }
    n, seed, rng = 4, 11, np.random.default_rng(0)
    many = CardVecEnv(GAME, n, "classic", **keywords)
    singles = [CardEnv(GAME, "classic", **keywords) for _ in range(n)]
    many.seed(seed)
    seen = many.reset()
    first = [single.reset(seed=seed + i)[0] for i, single in enumerate(singles)]
    assert np.array_equal(seen, np.stack(first))
    returns, lengths, ended = np.zeros(n), np.zeros(n, int), 0
    for _ in range(200):
        masks = many.masks()
        assert np.array_equal(masks, np.stack([single.action_masks() for single in singles]))
        actions = drawn(masks, rng)
        seen, rewards, dones, infos = many.step(actions)
        assert rewards.dtype == np.float32
        for i, single in enumerate(singles):
            last, reward, terminated, truncated, message = single.step(actions[i])
            returns[i] += reward
            lengths[i] += 1
            assert rewards[i] == np.float32(reward)
            assert dones[i] == (terminated or truncated)
            if not dones[i]:
                assert infos[i] == {}
                assert np.array_equal(seen[i], last)
                continue
            ended += 1
            episode = infos[i].pop("episode")
            assert (episode["r"], episode["l"]) == (round(returns[i], 6), lengths[i])
            returns[i] = lengths[i] = 0
            assert np.array_equal(infos[i].pop("terminal_observation"), last)
            assert infos[i].pop("TimeLimit.truncated") == truncated
            assert infos[i]["is_success"] == message["won"]
            mask = infos[i].pop("terminal_action_mask")
            assert mask.dtype == np.bool_ and np.array_equal(mask, message.pop("action_mask"))
            assert mask.all() == terminated
            assert infos[i] == message
            assert np.array_equal(seen[i], single.reset()[0])
    assert ended > 5
    assert len(many.recent) == ended


def test_illegal_actions_end_the_game_with_a_penalty() -> None:
    env = CardVecEnv(GAME, 3)
    env.reset()
    wrong = env.masks().argmin(axis=1)
    _, rewards, dones, infos = env.step(wrong)
    assert (rewards == -1).all()
    assert dones.all()
    assert all(info["illegal_action"] for info in infos)


def test_what_sb3_asks_of_an_environment() -> None:
    env = CardVecEnv(GAME, 3)
    env.reset()
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env), env.masks())
    assert env.env_method("action_masks", indices=[1]).shape == (1, GAME.actions)
    assert env.get_attr("game", indices=1) == [GAME]
    assert env.get_attr("render_mode") == [None] * 3
    with pytest.raises(AttributeError, match="share"):
        env.set_attr("encoding", "codes")
    with pytest.raises(AttributeError, match="action_masks"):
        env.env_method("no_such_method")
    with pytest.raises(ValueError, match=r"num_envs must be an integer from 1 to .*, got 0"):
        CardVecEnv(GAME, 0)
    with pytest.raises(ValueError, match=r"variant must be .*, got 'clasic'"):
        CardVecEnv(GAME, 1, "clasic")


def test_observations_infos_and_masks_are_not_reused() -> None:
    env = CardVecEnv(GAME, 2, encoding="codes")
    first, masks = env.reset(), env.masks()
    kept = first.copy(), masks.copy()
    _, _, _, infos = env.step(masks.argmax(axis=1))
    infos[0]["written"] = True
    _, _, _, later = env.step(env.masks().argmax(axis=1))
    assert np.array_equal(first, kept[0]) and np.array_equal(masks, kept[1])
    assert "written" not in later[0] and "written" not in later[1]


def test_goes_on_from_a_kept_state() -> None:
    def play(env: CardVecEnv, steps: int) -> list[np.ndarray]:
        rng, seen = np.random.default_rng(1), []
        for _ in range(steps):
            observations, rewards, dones, _ = env.step(drawn(env.masks(), rng))
            seen += [observations, rewards, dones]
        return seen

    env, other = CardVecEnv(GAME, 5), CardVecEnv(GAME, 5)
    env.reset()
    play(env, 60)
    other.reset()
    assert np.array_equal(other.restore(env.state()), env.observations())
    for a, b in zip(play(env, 100), play(other, 100), strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(env.recent, other.recent)


def test_a_kept_state_is_checked_before_anything_changes() -> None:
    env = CardVecEnv(GAME, 3, encoding="codes")
    env.reset()
    env.step(env.masks().argmax(axis=1))
    kept, fine = env.observations(), env.state()
    wrong = fine["states"].copy()
    wrong["deck"][2] = 0
    for change, message in (
        ({"states": wrong}, "row 2: deck must be all cards of the game"),
        ({"returns": np.zeros(2)}, "state 'returns' must be an array"),
        ({"recent": None}, "state 'recent' must be an array .*, got NoneType"),
    ):
        with pytest.raises(ValueError, match=message):
            env.restore(fine | change)
        assert np.array_equal(env.observations(), kept)
        assert env.state().keys() == fine.keys()
    with pytest.raises(ValueError, match="state 'states' must be an array"):
        env.restore({})


@pytest.mark.parametrize("actions", [[0.5] * 3, [0], None, ["a"] * 3, [True] * 3], ids=str)
def test_actions_are_whole_numbers(actions: Any) -> None:
    env = CardVecEnv(GAME, 3)
    env.reset()
    with pytest.raises(ValueError, match=r"actions must be integers of shape \(3,\)"):
        env.step(actions)


@pytest.mark.parametrize("seed", [-1, 1.5, "3", True, [1]], ids=str)
def test_seeds_are_whole_numbers(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be an integer >= 0 or None, got "):
        CardVecEnv(GAME, 3).seed(seed)


def test_after_an_exception_of_an_opponent_it_is_not_played_on() -> None:
    class Failing:
        name, sees_all, fails = "failing", False, False

        def act(self, turn: Any) -> np.ndarray:
            if self.fails:
                raise KeyError("a mistake of the agent")
            return np.asarray(turn.masks.argmax(axis=1))

    player = Failing()
    make = partial(make_rows, opponents=player)
    env = CardVecEnv(find_game("poker_squares"), 2, "duel", make=make)
    env.reset()
    player.fails = True
    with pytest.raises(KeyError):
        env.step(env.masks().argmax(axis=1))
    player.fails = False
    with pytest.raises(gym.error.ResetNeeded, match="an opponent raised"):
        env.step(env.masks().argmax(axis=1))
    env.reset()
    env.step(env.masks().argmax(axis=1))


def test_plain_maskable_ppo_trains_and_evaluates_on_it() -> None:
    env = CardVecEnv(GAME, 4)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0)
    model.learn(64)
    returns, lengths = evaluate_policy(model, env, 6, return_episode_rewards=True, warn=True)
    assert len(returns) == len(lengths) == 6


@pytest.mark.parametrize("network", ["mlp", "embedding"])
def test_collects_the_same_rollouts_as_maskable_ppo(network: str) -> None:
    settings = replace(SMALL, network=network)
    buffers = []
    for collect in (type(make_ppo(settings, 3)).collect_rollouts, MaskablePPO.collect_rollouts):
        model = make_ppo(settings, 3)
        _, callback = model._setup_learn(0)
        torch.manual_seed(5)
        for _ in range(2):
            collect(model, model.env, callback, model.rollout_buffer, settings.n_steps)
        buffers.append(model.rollout_buffer)
    ours, theirs = buffers
    assert ours.episode_starts.sum() > 10
    for name in ("observations", "actions", "action_masks", "episode_starts"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    for name in ("rewards", "values", "log_probs", "advantages", "returns"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), atol=1e-6), name
    taken = np.take_along_axis(ours.action_masks, ours.actions.astype(int), axis=2)
    assert taken.all()


def test_the_policy_computes_what_sb3_contribs_distribution_does() -> None:
    model = make_ppo(SMALL, 0)
    policy, env = model.policy, model.env
    assert isinstance(policy, CardPolicy) and isinstance(env, CardVecEnv)
    observations, masks = torch.as_tensor(env.reset()), env.masks()
    with torch.no_grad():
        policy.network.policy[-1].weight.normal_()  # far from uniform
    logits, _ = policy.network(observations)
    theirs = MaskableCategoricalDistribution(GAME.actions).proba_distribution(logits)
    theirs.apply_masking(masks)
    actions, _, log_probs = policy(observations, action_masks=masks)
    assert torch.allclose(log_probs, theirs.log_prob(actions), atol=1e-6)
    _, again, entropies = policy.evaluate_actions(observations, actions, masks)
    assert torch.allclose(again, log_probs, atol=1e-6)
    assert torch.allclose(entropies, theirs.entropy(), atol=1e-6)
    likeliest, _, _ = policy(observations, deterministic=True, action_masks=masks)
    assert torch.equal(likeliest, theirs.mode())
    assert torch.equal(likeliest, policy.get_distribution(observations, masks).mode())


def test_chosen_deals_are_played_at_the_next_reset() -> None:
    """Deals are played once, as in `CardEnv`; invalid options change nothing."""
    env, single = CardVecEnv(GAME, 3), CardEnv(GAME)
    env.set_options({"deal": 3})
    same = env.reset()
    assert np.array_equal(same, [single.reset(options={"deal": 3})[0]] * 3)
    assert not np.array_equal(env.reset(), same)
    for options in ([{"deal": deal} for deal in (5, 2, 9)], {"deal": [5, 2, 9]}):
        env.set_options(options)
        wanted = [single.reset(options={"deal": deal})[0] for deal in (5, 2, 9)]
        assert np.array_equal(env.reset(), wanted)
    deck = single.state["deck"].tolist()
    env.set_options({"deck": deck})
    assert np.array_equal(env.reset(), [wanted[-1]] * 3)
    env.set_options({"deal": 3})
    for wrong, message in (
        ({"deel": 1}, "reset option must be .*, got 'deel'"),
        ({"deal": -1}, "reset option deal must be an integer >= 0"),
        ([{"deal": 1}], "options must have 3 entries, one per row, got 1"),
        ([{"deal": 1}, {"deal": 1}, {}], "deal"),
        (
            [{"deal": 1}, {"deal": 1}, {"deal": 1, "deal_set": "b"}],
            "reset options must be equal in all rows",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            env.set_options(wrong)
    assert np.array_equal(env.reset(), same)
    env.set_options()
    env.reset()


def test_a_table_is_chosen_as_for_a_single_environment() -> None:
    table: dict[str, Any] = {"opponents": ["greedy", "tight", "uniform"], "seat": 2}
    seven = find_game("seven_twenty_seven")
    env, single = CardVecEnv(seven, 2, **table), CardEnv(seven, **table)
    assert env.rows.seats.tolist() == [2, 2]
    env.seed(4)
    seen, (first, _) = env.reset(), single.reset(seed=4)
    for _ in range(40):
        assert np.array_equal(seen[0], first)
        action = env.masks().argmax(axis=1)
        seen, rewards, dones, infos = env.step(action)
        first, reward, over, _, info = single.step(action[0])
        assert (rewards[0], dones[0]) == (np.float32(reward), over)
        if over:
            assert infos[0]["score"] == info["score"]
            first, _ = single.reset()
    with pytest.raises(ValueError, match="opponents and seat must be left out"):
        CardVecEnv(GAME, 2, opponents="greedy")
    with pytest.raises(ValueError, match=r"seat must be an integer from .*, got 9"):
        CardVecEnv(seven, 2, seat=9)


def test_sb3_trains_at_a_chosen_table() -> None:
    env = CardVecEnv(find_game("seven_twenty_seven"), 4, opponents="greedy", illegal="random")
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    model.learn(64)


@pytest.mark.parametrize(
    ("settings", "make"),
    [
        (PPOSettings(n_envs=1024), make_rows),
        pytest.param(
            SelfplaySettings(game="twenty_eight", n_envs=1024),
            partial(make_selfplay_env, [UniformAgent()], 0.5),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_threads_do_not_change_training_environments(settings: Any, make: Any) -> None:
    pair = [make_env(replace(settings, threads=threads), make) for threads in (1, 2)]
    assert [env.rows.pool is None for env in pair] == [True, False]
    for env in pair:
        env.seed(5)
    results: list[Any] = [(env.reset(),) for env in pair]
    ended = 0
    for _ in range(100):
        for one, other in zip(*results, strict=True):
            assert one.tobytes() == other.tobytes()
        actions = drawn(pair[0].action_masks(), np.random.default_rng(ended))
        results = [env.step(actions)[:3] for env in pair]
        ended += int(results[0][2].sum())
    assert ended > 1024
    for env in pair:
        env.close()
