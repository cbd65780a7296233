"""The table of PettingZoo: its own checkers, equal to the rows below it, and no leaks."""

import copy
import doctest
import importlib
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, collect_render_results, seed_test
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.batch import ILLEGAL_PENALTY, DealSource, Over, Reward, StepConfig
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.kernel.rng import draw_seed
from parlour.envs.core.rows import Rows, observation_codes, resample_copies, view_states
from parlour.envs.core.scene.scene import ansi, svg
from parlour.envs.interfaces import pettingzoo as aec
from parlour.envs.interfaces.pettingzoo import CardAECEnv
from parlour.envs.render.pictures import usable_modes
from tests.contract.cases import draw_deck
from tests.walkers import WALKERS, uniform


class Seats(NamedTuple):
    """A variant for several, and options that differ from it."""

    game: Game
    variant: str
    options: dict[str, Any]

    def __str__(self) -> str:
        return "-".join([self.game.name, self.variant, *map(str, self.options.values())])

    @property
    def rules(self) -> Any:
        return self.game.make_rules(self.variant, self.options)

    @property
    def players(self) -> int:
        return self.game.num_players(self.rules)

    def env(self, **keywords: Any) -> CardAECEnv:
        return aec.env(self.game.name, self.variant, **keywords, **self.options)

    def rows(self, seed: int, reward: Reward = Reward.PROGRESS) -> Rows:
        """The raw rows, begun as `env` begins by that seed."""
        rows = Rows(self.game, self.rules, 1, StepConfig(reward=int(reward)))
        rows.seed([draw_seed(np.random.default_rng(seed))])
        rows.start(DealSource.DRAW)
        return rows


VARIANTS = [
    Seats(one, variant, {})
    for one in GAMES.values()
    for variant, rules in one.variants.items()
    if one.num_players(rules) > 1
]
FIRST = list({seats.game.name: seats for seats in reversed(VARIANTS)}.values())
"""One of each game for several."""


def can_seat(seats: Seats) -> bool:
    """Whether the rules go with so many players."""
    try:
        seats.game.make_rules(seats.variant, seats.options)
    except ValueError:
        return False
    return True


COUNTS = [
    counted
    for seats in FIRST
    for players in range(2, seats.game.max_players + 1)
    if can_seat(counted := seats._replace(options={"players": players}))
]
VYING = find_game("seven_twenty_seven")

every_variant = pytest.mark.parametrize("seats", VARIANTS, ids=str)
every_count = pytest.mark.parametrize("seats", COUNTS, ids=str)
every_game = pytest.mark.parametrize("seats", FIRST, ids=str)

KNOWN = (
    "Observation is not a NumPy array",  # it is a dict with the mask in it
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",  # of who is not asked any more
    "Agent's maximum and minimum",  # pieces that are always 0
)


def quietly(check: Callable[[], object]) -> None:
    """Run a checker of PettingZoo; what it warns of fails, but for what is meant to be so."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for output in KNOWN:
            warnings.filterwarnings("ignore", output)
        check()


def played(env: CardAECEnv, seed: int, walker: str = "uniform") -> Iterator[int]:
    """Play a hand to its end; yield the number of steps before each, and at the end."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    steps = 0
    yield steps
    while not env.rows.states["over"][0]:
        env.step(WALKERS[walker](env.rows, rng))
        steps += 1
        yield steps


def finish(env: CardAECEnv, seed: int) -> None:
    for _ in played(env, seed):
        pass


# ---- checkers -------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_checkers_are_content(seats: Seats, encoding: str) -> None:
    quietly(lambda: api_test(seats.env(encoding=encoding, render_mode="ansi"), num_cycles=100))
    quietly(lambda: seed_test(lambda: seats.env(encoding=encoding), num_cycles=100))


@every_count
def test_checkers_are_content_with_any_number_of_seats(seats: Seats) -> None:
    env = seats.env()
    assert env.possible_agents == [f"player_{seat}" for seat in range(seats.players)]
    quietly(lambda: api_test(env, num_cycles=50))
    quietly(lambda: seed_test(seats.env, num_cycles=50))


@every_game
def test_other_checkers_are_content(seats: Seats) -> None:
    """Of states and of drawing; those of cycles and of images are for other environments."""
    module = importlib.import_module("pettingzoo.test.state_test")
    quietly(lambda: module.test_state_space(seats.env()))
    quietly(lambda: module.test_state(seats.env(), num_cycles=20))
    env = seats.env(render_mode="ansi")
    assert all(isinstance(one, str) for one in collect_render_results(env))
    wrapped = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(seats.env(render_mode="ansi")))
    quietly(lambda: api_test(wrapped, num_cycles=20))


@every_game
@pytest.mark.parametrize("reward", ["progress", "win", "score"])
def test_checkers_are_content_with_other_keywords(seats: Seats, reward: str) -> None:
    make = {"reward": reward, "illegal": "raise", "skip_forced": True, "render_mode": "ansi"}
    quietly(lambda: api_test(seats.env(**make), num_cycles=50))
    quietly(lambda: seed_test(lambda: seats.env(**make), num_cycles=50))


def test_the_example_of_the_module_runs() -> None:
    ran = doctest.testmod(aec)
    assert ran.attempted > 5
    assert ran.failed == 0


# ---- the same as the rows -------------------------------------------------------------------


def same(env: CardAECEnv, rows: Rows, owed: dict[str, float]) -> None:
    """Hold all that the environment says against the rows; ``owed`` are rewards not yet told."""
    state = rows.states[0]
    over, turn = bool(state["over"]), int(state["turn"])
    assert env.clone().tobytes() == rows.states.tobytes()
    asked = 0 if over else turn
    assert env.agent_selection == f"player_{asked}"
    facts = [rows.game.info_facts(rows.states, rows.rules, np.array([k])) for k in range(len(owed))]
    for seat, agent in enumerate(env.agents):
        seen = env.observe(agent)
        codes = observation_codes(view_states(rows.game, rows.rules, rows.states, np.array([seat])))
        onehot = env.encoding == "onehot"
        wanted = rows.game.features.onehot(codes) if onehot else codes
        assert (seen["observation"] == wanted[0]).all()
        if seat == turn:
            assert (codes == rows.codes).all()
            assert over or (seen["action_mask"] == rows.buffers.masks[0]).all()
        else:
            assert not seen["action_mask"].any()
        assert env.observation_space(agent).contains(seen)
        assert env.rewards[agent] == rows.buffers.rewards[0, seat]
        assert env._cumulative_rewards[agent] == owed[agent]
        assert (env.terminations[agent], env.truncations[agent]) == (over, False)
        output = {fact: values[0] for fact, values in facts[seat].items()}
        assert env.infos[agent] == output
        assert output["is_success"] == output["won"]
        assert over or not (output["won"] or output["score"]), "told before the end"
    observation, reward, terminated, truncated, info = env.last()
    assert observation is not None
    assert reward == owed[env.agent_selection]
    assert (terminated, truncated) == (over, False)
    assert info is env.infos[env.agent_selection]


WAYS = [
    ("uniform", "codes", Reward.PROGRESS),
    ("lowest", "onehot", Reward.WIN),
    ("greedy", "codes", Reward.SCORE),
]


@pytest.mark.parametrize("seats", [*VARIANTS, *COUNTS], ids=str)
def test_the_table_plays_as_the_rows_do(seats: Seats) -> None:
    for number, (walker, encoding, reward) in enumerate(WAYS):
        env, rows = seats.env(encoding=encoding, reward=reward.name.lower()), seats.rows(9, reward)
        rng = np.random.default_rng(number)
        env.reset(seed=9)
        owed = dict.fromkeys(env.agents, 0.0)
        same(env, rows, owed)
        while not rows.states["over"][0]:
            stray = rng.random() < 0.05
            action = int(rng.integers(-2, 70)) if stray else WALKERS[walker](rows, rng)
            owed[env.agent_selection] = 0.0
            env.step(action)
            rows.step(np.array([action]))
            for seat, agent in enumerate(env.agents):
                owed[agent] += rows.buffers.rewards[0, seat]
            same(env, rows, owed)


@every_variant
def test_rewards_of_all_seats_sum_to_nothing(seats: Seats) -> None:
    """Each seat is paid its own, at the end alone."""
    envs = [seats.env(reward=reward) for reward in ("progress", "score", "win")]
    for seed in range(8):
        for _ in played(envs[0], seed, "lowest" if seed % 2 else "uniform"):
            env = envs[0]
            assert env.rows.states["over"][0] or not any(env.rewards.values())
        assert sum(envs[0].rewards.values()) == pytest.approx(0)
        for env in envs[1:]:
            finish(env, seed)
            scores = {agent: info["score"] for agent, info in env.infos.items()}
            won = {agent: info["won"] for agent, info in env.infos.items()}
            assert sum(scores.values()) == 0
            assert won == {agent: score > 0 for agent, score in scores.items()}
            assert env.rewards == (won if env is envs[2] else scores)


def test_progress_is_counted_in_antes() -> None:
    envs = [
        aec.env("seven-twenty-seven", reward=reward, ante=4) for reward in ("progress", "score")
    ]
    for env in envs:
        finish(env, 3)
    assert any(envs[0].rewards.values())
    assert envs[0].rewards == {agent: net / 4 for agent, net in envs[1].rewards.items()}


@every_game
def test_forced_actions_are_skipped(seats: Seats) -> None:
    env = seats.env(skip_forced=True)
    for seed in range(5):
        for steps in played(env, seed):
            mask = env.observe(env.agent_selection)["action_mask"]
            assert steps == 0 or env.rows.states["over"][0] or mask.sum() > 1


# ---- PettingZoo's registry ------------------------------------------------------------------


def test_multiplayer_games_and_no_others_are_registered() -> None:
    names = {name for name in pettingzoo.aec_registry if name.startswith("parlour/")}
    assert names == {f"parlour/{game.name}-v0" for game in GAMES.values() if game.max_players > 1}
    assert "parlour/twenty_eight-v0" in names
    assert not [name for name in pettingzoo.parallel_registry if name.startswith("parlour/")]


@every_game
def test_an_environment_by_its_registered_name_is_the_same(seats: Seats) -> None:
    name, version = f"parlour/{seats.game.name}", seats.game.version
    made = pettingzoo.make("aec", f"{name}_v{version}", variant=seats.variant, encoding="codes")
    env = seats.env(encoding="codes")
    for one in (made, env):
        finish(one, 6)
    assert type(made) is CardAECEnv
    assert made.clone().tobytes() == env.clone().tobytes()


def test_a_keyword_that_no_environment_has_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'max_cycles'"):
        pettingzoo.make("aec", "parlour/twenty_eight-v0", max_cycles=3)
    with pytest.raises(ValueError, match="variant must be one of duel, classic-duel"):
        pettingzoo.make("aec", "parlour/poker_squares-v0")


# ---- matches of several hands ---------------------------------------------------------------


class Hand(NamedTuple):
    """A hand of a match: its dealer, its deck, and the rewards of the step that ended it."""

    dealer: int
    deck: bytes
    rewards: list[float]


def play_match(env: CardAECEnv, seed: int) -> list[Hand]:
    """Play a match with lawful random actions, and check its infos; return the hands."""
    rng, hands, number = np.random.default_rng(seed), [], 0
    env.reset(seed=seed)
    totals = np.zeros(len(env.possible_agents))
    while True:
        info = env.infos[env.agent_selection]
        assert info["hand"] == number == len(hands)
        assert [env.infos[agent]["match_score"] for agent in env.agents] == totals.tolist()
        assert not any(env.terminations.values())
        dealt = int(env.rows.states["dealer"][0]) if env.game.has_dealer else 0
        deck = env.rows.states["deck"][0].tobytes()
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        ended = env.infos["player_0"]["hand"] > number or all(env.terminations.values())
        rewards = [env.rewards[agent] for agent in env.agents]
        assert ended or not any(rewards)
        if ended:
            hands.append(Hand(dealt, deck, rewards))
            totals += rewards
            number += 1
        if all(env.terminations.values()):
            scores = [env.infos[agent]["match_score"] for agent in env.agents]
            assert scores == totals.tolist()
            return hands


@every_game
def test_a_match_is_so_many_hands_and_the_deal_passes_on(seats: Seats) -> None:
    env = seats.env(hands=5, reward="score")
    hands = play_match(env, 21)
    assert len(hands) == 5
    assert len({hand.deck for hand in hands}) == 5
    first = seats.env()
    first.reset(seed=21)
    assert hands[0].deck == first.rows.states["deck"][0].tobytes(), "the first hand is another"
    if seats.game.has_dealer:
        dealers = [hand.dealer for hand in hands]
        assert dealers == [(dealers[0] + k) % seats.players for k in range(5)]
    assert play_match(env, 21) == hands, "the same seed, another match"
    assert play_match(env, 22) != hands


@every_game
def test_checkers_are_content_with_a_match(seats: Seats) -> None:
    quietly(lambda: api_test(seats.env(hands=3), num_cycles=150))
    quietly(lambda: seed_test(lambda: seats.env(hands=3), num_cycles=150))


def test_the_last_reward_of_a_hand_reaches_every_seat_in_the_next() -> None:
    env = aec.env("twenty_eight", hands=3, reward="score", illegal="raise")
    env.reset(seed=1)
    rng, received = np.random.default_rng(1), dict.fromkeys(env.possible_agents, 0.0)
    scores = {}
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        received[agent] += reward
        scores[agent] = info["match_score"]
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated else int(rng.choice(legal)))
    assert any(received.values())
    assert received == scores


def test_a_hand_that_ends_at_the_deal_is_followed_by_the_next() -> None:
    env = bust(hands=2)
    assert {agent: info["hand"] for agent, info in env.infos.items()} == {
        "player_0": 1,
        "player_1": 1,
    }
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert [info["match_score"] for info in env.infos.values()] == [1, -1]
    assert [info["score"] for info in env.infos.values()] == [0, 0]
    assert env.rows.states["dealer"][0] == 1


@pytest.mark.parametrize("hands", [0, -1, 1.5, "8", None])
def test_a_number_of_hands_is_a_positive_integer(hands: Any) -> None:
    with pytest.raises(ValueError, match=r"^hands must be an integer >= 1, got "):
        aec.env("twenty_eight", hands=hands)


def test_a_single_hand_has_no_facts_of_a_match() -> None:
    env = aec.env("twenty_eight")
    env.reset(seed=1)
    assert not {"hand", "match_score"} & set(env.infos["player_0"])


# ---- illegal actions ------------------------------------------------------------------------


@every_variant
def test_an_illegal_action_costs_its_seat_alone(seats: Seats) -> None:
    """It counts as one of the legal actions, or ends the hand: as the game says."""
    env, rng = seats.env(), np.random.default_rng(5)
    for steps in played(env, 12):
        agent = env.agent_selection
        if env.rows.states["over"][0] or steps % 3:
            continue
        mask = env.observe(agent)["action_mask"]
        stray = int(rng.choice([-1, len(mask), 10**6, *np.flatnonzero(mask == 0)]))
        fouled = copy.deepcopy(env)
        fouled.step(stray)
        for each, info in fouled.infos.items():
            assert info["illegal_action"] == (each == agent)
        after, paid = fouled.clone(), dict(fouled.rewards)
        paid[agent] -= ILLEGAL_PENALTY
        after["illegal"] = 0
        legal = []
        for action in np.flatnonzero(mask):
            one = copy.deepcopy(env)
            one.step(action)
            legal.append((one.clone().tobytes(), one.rewards))
        ended = all(fouled.terminations.values())
        assert (after.tobytes(), paid) in legal or (ended and not any(paid.values()))


def test_a_seat_is_told_of_its_penalty_when_it_is_asked_again() -> None:
    env = aec.env("seven-twenty-seven", players=2)
    env.reset(seed=1)
    first = env.agent_selection
    env.step(0)  # nobody has bet: it cannot fold, and stands instead
    assert env.rewards[first] == ILLEGAL_PENALTY
    assert env.agent_selection != first
    assert env.last()[1] == 0
    env.step(8)
    assert env.agent_selection == first
    _, reward, terminated, _, info = env.last()
    assert (reward, terminated, info["illegal_action"]) == (ILLEGAL_PENALTY, False, True)
    env.step(1)
    assert env._cumulative_rewards[first] == 0


@every_variant
def test_an_illegal_action_can_raise(seats: Seats) -> None:
    env = seats.env(illegal="raise")
    env.reset(seed=4)
    agent = env.agent_selection
    mask = env.observe(agent)["action_mask"]
    before, rewards = env.clone().tobytes(), dict(env._cumulative_rewards)
    for stray in (-1, len(mask), *np.flatnonzero(mask == 0)):
        with pytest.raises(
            gym.error.InvalidAction, match=rf"^action of {agent} must be .*, got {stray}"
        ):
            env.step(stray)
    for wrong in (1.5, "fold", None):
        with pytest.raises(ValueError, match=r"action must be an integer, got "):
            env.step(wrong)
    assert (env.clone().tobytes(), env._cumulative_rewards) == (before, rewards)
    env.step(np.int8(mask.argmax()))
    assert env.clone().tobytes() != before


# ---- leaks ----------------------------------------------------------------------------------


def seen_by(env: CardAECEnv, state: np.ndarray, agent: str) -> tuple[object, ...]:
    """All that a state shows to an agent, each way to look."""
    env.restore(state)
    seen = env.observe(agent)
    scene = env.scene(agent)
    return (
        seen["observation"].tobytes(),
        seen["action_mask"].tobytes(),
        env.infos[agent],
        (env.agent_selection, env.terminations[agent], env.rewards[agent]),
        (ansi(scene), svg(scene), repr(scene)),
        env.render() if agent == env.agent_selection else None,
        env.explain(seen),
    )


@pytest.mark.parametrize("every", [18, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seats", [*VARIANTS, COUNTS[-1]], ids=str)
def test_no_agent_sees_what_is_hidden_from_it(seats: Seats, every: int) -> None:
    env, looker = (seats.env(encoding="codes", render_mode="ansi") for _ in range(2))
    differing = False
    for number, walker in enumerate(WALKERS):
        for steps in played(env, 30 + number, walker):
            if (steps + number) % every and not env.rows.states["over"][0]:
                continue
            state = env.clone()
            for seat, agent in enumerate(env.possible_agents):
                shown = seen_by(looker, state, agent)
                assert shown[0] == env.observe(agent)["observation"].tobytes()
                assert shown[2] == env.infos[agent]
                other = resample_copies(seats.game, seats.rules, state, steps, seat)
                assert seen_by(looker, other, agent) == shown
                differing |= other["deck"].tobytes() != state["deck"].tobytes()
    assert differing, "nothing was hidden"


def test_what_is_hidden_from_one_is_seen_by_another() -> None:
    """Else the test above might look at the same seat again and again."""
    env = aec.env("seven-twenty-seven")
    env.reset(seed=2)
    state = env.clone()
    differing = 0
    for seed in range(5):
        other = resample_copies(VYING, env.rules, state, seed, 0)
        env.restore(other)
        hands = env.state()
        env.restore(state)
        assert (hands[0] == env.state()[0]).all()
        differing += (hands[1:] != env.state()[1:]).any()
    assert differing


# ---- resets ---------------------------------------------------------------------------------


@every_variant
def test_a_chosen_deck_and_a_numbered_deal(seats: Seats) -> None:
    env, rows = seats.env(), seats.rows(0)
    deck = draw_deck(seats.game, seats.rules)
    for given in (deck, " ".join(card_name(card) for card in deck)):
        env.reset(options={"deck": given})
        rows.deal_deck(deck)
        assert env.rows.states["deck"].tobytes() == rows.states["deck"].tobytes()
        assert (env.state() == seats.game.features.onehot(all_seen(rows))).all()
    env.reset(options={"deal": 17, "deal_set": "a-set"})
    rows.deal_numbered("a-set", [17])
    assert (env.state() == seats.game.features.onehot(all_seen(rows))).all()
    assert env.agent_selection == f"player_{rows.states['turn'][0]}"


def all_seen(rows: Rows) -> np.ndarray:
    players = rows.game.num_players(rows.rules)
    return observation_codes(
        view_states(rows.game, rows.rules, rows.states.repeat(players), np.arange(players))
    )


def test_a_chosen_dealer() -> None:
    env = aec.env("seven-twenty-seven", "six")
    deck = list(VYING.pack(env.rules))
    for dealer in range(6):
        for more in ({}, {"deck": deck}, {"deal": 3}):
            env.reset(seed=3, options={"dealer": dealer, **more})
            assert env.rows.states["dealer"][0] == dealer
            assert env.agent_selection == f"player_{(dealer + 1) % 6}"
            seen = env.explain(env.observe(f"player_{dealer}"))
            assert seen["dealer"] == 1


@every_game
@pytest.mark.parametrize(
    ("options", "output"),
    [
        ({"dael": 3}, "reset option must be .*, got 'dael'. Did you mean 'deal'"),
        ({"options": 2}, "reset option must be .*got 'options'"),
        ({"deal_set": "a"}, "deal_set needs deal"),
        ({"deck": "Ac"}, "deck"),
    ],
)
def test_wrong_options_of_reset(seats: Seats, options: dict[str, Any], output: str) -> None:
    env = seats.env()
    env.reset(seed=1)
    before = env.clone().tobytes()
    with pytest.raises(ValueError, match=output.replace("?", r"\?")):
        env.reset(options=options)
    assert env.clone().tobytes() == before


def test_a_dealer_must_have_a_seat() -> None:
    env = aec.env("seven-twenty-seven")
    with pytest.raises(ValueError, match="dealer must be an integer from 0 to 3, got 4"):
        env.reset(options={"dealer": 4})


@every_game
def test_resets_with_and_without_seeds(seats: Seats) -> None:
    one, other = seats.env(), seats.env()
    one.reset()
    other.reset()
    assert one.clone().tobytes() != other.clone().tobytes(), "equal without any seed"
    dealt = set()
    for env in (one, other):
        env.reset(seed=11)
    for _ in range(4):
        assert one.clone().tobytes() == other.clone().tobytes()
        dealt.add(one.rows.states["deck"].tobytes())
        one.reset()
        other.reset()
    assert len(dealt) > 1


def test_a_reset_in_the_middle_begins_anew() -> None:
    env, fresh = aec.env("seven-twenty-seven"), aec.env("seven-twenty-seven")
    finish(env, 2)
    env.step(None)
    env.step(None)
    assert len(env.agents) == 2
    env.reset(seed=5)
    fresh.reset(seed=5)
    for _ in range(2):
        assert env.agents == env.possible_agents
        assert (env.agent_selection, env.infos) == (fresh.agent_selection, fresh.infos)
        env.step(-1)
        fresh.step(-1)
        assert env._cumulative_rewards == fresh._cumulative_rewards


# ---- the end --------------------------------------------------------------------------------


@every_variant
def test_the_dead_are_stepped_with_none(seats: Seats) -> None:
    env = seats.env(reward="score")
    finish(env, 8)
    order = []
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        assert (terminated, truncated) == (True, False)
        assert reward == info["score"]
        assert not env.observe(agent)["action_mask"].any()
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        env.step(None)
        order.append(agent)
        assert agent not in {*env.agents, *env.infos, *env.rewards, *env.terminations}
    assert order == env.possible_agents
    assert env.agents == []
    for call in (lambda: env.step(None), lambda: env.step(0), env.last):
        with pytest.raises(gym.error.ResetNeeded):
            call()
    env.reset()
    assert env.agents == env.possible_agents


def bust(**keywords: Any) -> CardAECEnv:
    """A hand that is over as soon as it is dealt: one of the two seats has three tens."""
    bust_rules = {"players": 2, "nearness": "over_is_bust", "start_down": 2}
    env = aec.env("seven-twenty-seven", reward="score", **bust_rules, **keywords)
    top = ["Tc", "2c", "Td", "2d", "Th", "2h"]
    rest = [card_name(card) for card in VYING.pack(env.rules) if card_name(card) not in top]
    env.reset(seed=0, options={"deck": top + rest, "dealer": 0})
    return env


def test_a_hand_may_be_over_at_the_deal() -> None:
    env = bust()
    paid = {}
    for agent in env.agent_iter():
        _, paid[agent], terminated, _, info = env.last()
        assert terminated
        assert paid[agent] == info["score"]
        env.step(None)
    assert paid == {"player_0": 1, "player_1": -1}
    state = env.clone()
    state["over"] = Over.ENDED_BEFORE_TURN  # as the rows of one seat leave it
    env.restore(state)
    assert all(env.terminations.values())


@every_variant
def test_a_truncated_hand_keeps_the_mask_of_its_turn(seats: Seats) -> None:
    """The rows of one seat truncate hands; such a state is not over here, either."""
    env, running = seats.env(), seats.env()
    env.reset(seed=3)
    for _ in range(3):
        if not env.terminations[env.agent_selection]:
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    running.restore(env.clone())
    state = env.clone()
    assert state["over"][0] == Over.RUNNING
    state["over"] = Over.TRUNCATED
    env.restore(state)
    assert env.agent_selection == running.agent_selection
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert env.infos == running.infos
    for agent in env.possible_agents:
        one, other = env.observe(agent), running.observe(agent)
        assert np.array_equal(one["observation"], other["observation"])
        assert np.array_equal(one["action_mask"], other["action_mask"])
        assert one["action_mask"].any() == (agent == env.agent_selection)
    for _ in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        assert (terminated, truncated) == (False, True)
        env.step(None)
    assert not env.agents


# ---- one environment ------------------------------------------------------------------------


@every_game
def test_copies_play_on_alike(seats: Seats) -> None:
    env = seats.env(render_mode="ansi")
    env.reset(seed=6)
    env.step(-1)
    here = env.clone()
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    rng = np.random.default_rng(0)
    while env.agents:
        action = None if env.terminations[env.agent_selection] else uniform(env.rows, rng)
        for one in (env, *copies):
            one.step(action)
        for one in copies:
            assert one.clone().tobytes() == env.clone().tobytes()
            assert (one.agents, one.rewards, one.infos) == (env.agents, env.rewards, env.infos)
            assert one._cumulative_rewards == env._cumulative_rewards
            assert one.render() == env.render()
            assert (one.state() == env.state()).all()
    assert env.clone().tobytes() != here.tobytes()
    env.restore(here)
    assert env.clone().tobytes() == here.tobytes()
    assert env.agents == env.possible_agents
    assert not any(env._cumulative_rewards.values())
    assert copies[0].agents == []


@every_game
def test_a_state_of_something_else_is_refused(seats: Seats) -> None:
    env = seats.env()
    env.reset(seed=6)
    with pytest.raises(ValueError, match="record array"):
        env.restore(env.clone().repeat(2))


@every_game
def test_returned_arrays_are_copies(seats: Seats) -> None:
    env = seats.env(encoding="codes")
    env.reset(seed=3)
    before = env.clone().tobytes()
    for agent in env.agents:
        for array in (*env.observe(agent).values(), env.state()):
            array[:] = 1
    env.clone()["deck"] = 0
    assert env.clone().tobytes() == before
    assert env.observe(env.agent_selection)["action_mask"].sum() < seats.game.actions


@every_game
def test_spaces_names_and_state(seats: Seats) -> None:
    env = seats.env()
    assert str(env) == env.metadata["name"] == f"{seats.game.name}_v{seats.game.version}"
    assert seats.game.title in repr(env)
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_modes"] == usable_modes()
    assert CardAECEnv.metadata["name"] == "parlour"
    env.reset(seed=1)
    for agent in env.agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
    assert len({id(env.action_space(agent)) for agent in env.agents}) == len(env.agents)
    state = env.state()
    assert env.state_space.contains(state)
    for seat, agent in enumerate(env.agents):
        assert (state[seat] == env.observe(agent)["observation"]).all()
    with pytest.warns(UserWarning, match=r"render\(\) needs a render mode"):
        assert env.render() is None
    assert env._repr_svg_().startswith("<svg")
    env.close()
    env.close()


# ---- errors ---------------------------------------------------------------------------------


def test_rules_for_one_player_are_rejected() -> None:
    for one in GAMES.values():
        for variant, rules in one.variants.items():
            if one.num_players(rules) == 1:
                hint = rf"For one player, use parlour.envs.make\('{one.name}'"
                output = rf"must be .*, got '({variant}|{one.name})'.* {hint}"
                with pytest.raises(ValueError, match=output):
                    aec.env(one.name, variant)


@pytest.mark.parametrize(
    ("keywords", "output"),
    [
        ({"variant": "hoem"}, "variant must be .*, got 'hoem'. Did you mean 'home'"),
        ({"encoding": "code"}, "encoding must be .*got 'code'"),
        ({"reward": "net"}, "reward must be .*got 'net'"),
        ({"illegal": "fold"}, "illegal must be .*got 'fold'"),
        ({"render_mode": "film"}, "render_mode must be .*got 'film'"),
        ({"skip_forced": "perhaps"}, "skip_forced must be True, False, yes or no, got 'perhaps'"),
        ({"players": 11}, "option players must be an integer from 2 to 10, got 11"),
        ({"antes": 2}, "keyword must be .*got 'antes'"),
        ({"max_moves": 9}, "keyword must be .*got 'max_moves'"),
    ],
)
def test_wrong_keywords(keywords: dict[str, Any], output: str) -> None:
    with pytest.raises(ValueError, match=output):
        aec.env("seven-twenty-seven", **keywords)


def test_wrong_games_and_agents() -> None:
    with pytest.raises(ValueError, match=r"game must be .*got 'seven'"):
        aec.env("seven")
    env = aec.env("seven_twenty_seven", "six")
    env.reset(seed=1)
    for call in (env.observe, env.scene, env.action_space, env.observation_space):
        with pytest.raises(ValueError, match=r"agent must be one of player_0, .*, got 'player_6'"):
            call("player_6")


def test_nothing_before_the_first_reset() -> None:
    env = aec.env("seven-twenty-seven", render_mode="ansi")
    calls: list[Callable[[], object]] = [
        *(env.render, env.state, env.scene, env.last, env.agent_iter),
        *(lambda: env.step(1), lambda: env.observe("player_0")),
    ]
    for call in calls:
        with pytest.raises(gym.error.ResetNeeded):
            call()


WITHOUT = """
import sys
import parlour.envs
assert "pettingzoo" not in sys.modules
sys.modules["pettingzoo"] = None
import parlour.envs.interfaces.pettingzoo
"""


def test_without_pettingzoo_the_error_names_the_extra() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 1
    assert "needs pettingzoo" in done.stderr.splitlines()[-1]
    assert 'pip install "parlour[pettingzoo]"' in done.stderr.splitlines()[-1]


@every_variant
def test_infos_have_the_same_keys_from_the_reset_to_the_end(seats: Seats) -> None:
    """Of every seat: TorchRL makes one array a key of them."""
    env = seats.env()
    kinds: set[tuple[Any, ...]] = set()
    for seed in range(3):
        for _ in played(env, seed):
            kinds |= {
                tuple((key, type(value)) for key, value in info.items())
                for info in env.infos.values()
            }
    assert len(kinds) == 1
