"""One seat at a table of several: what it is paid, who plays the others, and how it is made.

The rows of a seat (`seat.SeatRows`) are raw rows, in which agents play the other seats.
"""

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from parlour.envs import (
    GAMES,
    CardEnv,
    CardVectorEnv,
    DictObservation,
    DictVectorObservation,
    Game,
)
from parlour.envs.core.baselines import HeuristicAgent, UniformAgent
from parlour.envs.core.batch import ILLEGAL_PENALTY, DealSource, Over, StepConfig
from parlour.envs.core.kernel.rng import key_words, turn_seeds
from parlour.envs.core.legal import unpack_actions
from parlour.envs.core.options import changed_options
from parlour.envs.core.rows import Rows, observation_codes, view_states
from parlour.envs.core.turn import Agent, Turn, choose_actions, prepare_turn
from parlour.envs.interfaces.seat import SeatRows, make_seat_rows
from tests.contract.cases import (
    CASES,
    SEVERAL,
    Case,
    Crowd,
    check_with_sb3,
    draw_deck,
    ended,
    random_cases,
    unit_of,
)
from tests.contract.test_vector import MODES, Both

FULL = Case(GAMES["seven_twenty_seven"], "ten")


def counts() -> Iterator[Case]:
    """Every number of seats that a game allows, with its variants in turn."""
    for game in GAMES.values():
        variants = [case.variant for case in SEVERAL if case.game is game]
        number = 0
        for players in range(2, game.max_players + 1):
            for variant in [*variants[number:], *variants[:number]]:
                try:
                    rules = game.make_rules(variant, {"players": players})
                except ValueError:
                    continue
                changed = changed_options(rules, game.variants[variant])
                number = (variants.index(variant) + 1) % len(variants)
                yield Case(game, variant, changed)
                break


SEATED = [*SEVERAL, *(case for case in counts() if case.options)]
"""Every variant for several, and every number of seats."""
every_table = pytest.mark.parametrize("table", SEATED, ids=str)
every_variant = pytest.mark.parametrize("table", SEVERAL, ids=str)
every_game = pytest.mark.parametrize(
    "table",
    list({case.game.name: case for case in SEVERAL}.values()),
    ids=lambda case: case.game.name,
)


class Asked:
    """Plays as uniform does, and keeps who was asked, how often and about how many games."""

    name = "asked"
    sees_all = False

    def __init__(self, seed: int = 0) -> None:
        self.player = UniformAgent(seed)
        self.rows: list[int] = []
        self.seats: set[int] = set()
        self.words: set[int] = set()

    def act(self, turn: Turn) -> np.ndarray:
        self.rows.append(len(turn.masks))
        self.seats |= set(turn.states["turn"].tolist())
        self.words |= set(turn.seeds.tolist())
        return self.player.act(turn)


class Choosing(Asked):
    """Chooses always the same action where it can: such as an illegal one."""

    def __init__(self, action: int) -> None:
        super().__init__()
        self.action = action

    def act(self, turn: Turn) -> np.ndarray:
        return np.full(len(turn.masks), self.action)


def casts(table: Case) -> list[Any]:
    """Ways to name the others: one for all, names, agents."""
    others = table.players - 1
    names = ["uniform", "greedy", *table.game.rule_agents]
    mixed: list[str | Agent] = [names[i % len(names)] for i in range(others)]
    mixed[-1] = UniformAgent(9)
    return ["uniform", "greedy", mixed, HeuristicAgent()]


def told(rows: Rows) -> np.ndarray:
    return np.isin(rows.states["over"], (Over.TERMINATED, Over.TRUNCATED))


# ---- what a seat is paid --------------------------------------------------------------------


@every_table
def test_the_rewards_of_a_seat_are_its_net(table: Case) -> None:
    """From every seat, whoever the others are, with illegal actions and with forced ones skipped.

    Also where the seat folded long before the end, and where it never had a turn.
    """
    n = 16
    for seat in range(table.players):
        reward = ("progress", "win", "score")[(seat + table.players) % 3]
        envs = table.vec(
            n,
            opponents=casts(table)[seat % 4],
            seat=seat,
            skip_forced=seat % 3 == 2,
            reward=reward,
            autoreset_mode="disabled",
            encoding="codes",
        )
        fouls, paid = sums(envs, Crowd(table, n, seat, wrong=0.03))
        net = envs.states["net"][:, seat]
        wanted = {"progress": net / unit_of(table), "win": net > 0, "score": net}[reward]
        assert np.allclose(paid, wanted + ILLEGAL_PENALTY * fouls)
        assert not envs.states["net"].sum(axis=1).any(), "what one wins others lose"


def sums(envs: CardVectorEnv, crowd: Crowd) -> tuple[np.ndarray, np.ndarray]:
    """Play every game to its end; return the illegal actions and the sum of rewards of each."""
    envs.reset(seed=crowd.rng.integers(1000).item())
    fouls, paid = np.zeros(envs.num_envs), np.zeros(envs.num_envs)
    while not told(envs.rows).all():
        masks, running = envs.action_masks(), envs.states["over"] == Over.RUNNING
        actions = crowd.choose(envs.states, masks)
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & masks[np.arange(len(masks)), np.where(inside, actions, 0)]
        fouls += running & ~legal
        _, rewards, terminated, truncated, infos = envs.step(actions)
        paid += rewards
        assert not truncated.any()
        now = infos.get("_score", np.zeros(envs.num_envs, np.bool_))
        assert (rewards[~now & ~(running & ~legal)] == 0).all(), "paid before the end"
        if now.any():
            net = envs.states["net"][np.arange(envs.num_envs), envs.rows.seats]
            assert np.array_equal(infos["score"][now], net[now])
            assert np.array_equal(infos["won"][now], net[now] > 0)
            assert np.array_equal(infos["illegal_action"][now], fouls[now] > 0)
            assert terminated[now].all()
    return fouls, paid


@every_variant
def test_the_rewards_of_raw_rows_are_those_of_all_seats(table: Case) -> None:
    """As each seat's own environment has it: nothing is paid to a seat that is not there."""
    n = 40
    rows, crowd = Rows(table.game, table.rules, n), Crowd(table, n, 3, wrong=0.02)
    rows.seed(np.arange(n))
    rows.start(DealSource.DRAW)
    paid, fouls = rows.buffers.rewards.copy(), np.zeros_like(rows.buffers.rewards)
    for _ in range(3000):
        running = rows.states["over"] == Over.RUNNING
        if not running.any():
            break
        turn, before = rows.seats, rows.states["illegal"].copy()
        actions = crowd.choose(rows.states, rows.buffers.masks)
        masks = rows.buffers.masks.copy()
        rows.step(actions)
        inside = (actions >= 0) & (actions < masks.shape[1])
        wrong = running & ~(inside & (masks[np.arange(n), np.where(inside, actions, 0)] != 0))
        fouls[np.arange(n), turn] += wrong
        noted = before | np.where(wrong, 1 << turn, 0)
        assert np.array_equal(rows.states["illegal"], noted)
        paid[running] += rows.buffers.rewards[running]
    assert (rows.states["over"] == Over.TERMINATED).all()
    assert fouls.any()
    nets = np.zeros_like(paid)
    nets[:, : table.players] = rows.states["net"][:, : table.players]
    assert np.allclose(paid, nets / unit_of(table) + ILLEGAL_PENALTY * fouls)
    seats = np.arange(table.players)
    for seat in seats:
        facts = table.game.results(rows.states, table.rules, np.full(n, seat))
        assert np.array_equal(facts["score"], nets[:, seat])
        assert np.array_equal(facts["illegal_action"], fouls[:, seat] > 0)


# ---- who plays the others -------------------------------------------------------------------


KEY = key_words("of these tests")


def by_hand(rows: Rows, agents: Sequence[Agent], own: int) -> None:
    """Play the others' turns in row 0, one after another; ``agents`` are those after the seat."""
    players = rows.game.num_players(rows.rules)
    while not rows.states["over"][0] and rows.states["turn"][0] != own:
        agent = agents[(int(rows.states["turn"][0]) - own - 1) % players]
        seeds = turn_seeds(KEY, rows.states)
        rows.step(
            choose_actions(agent, prepare_turn(agent, rows.game, rows.rules, rows.states, seeds))
        )


def same_but_untold(seat: SeatRows, rows: Rows, own: int) -> None:
    """Assert that both stand the same; of a finished game one's own seat sees the end."""
    states = seat.states.copy()
    untold = states["over"] == Over.ENDED_BEFORE_TURN
    states["over"][untold] = Over.TERMINATED
    other = rows.states
    if other["over"][0]:
        other = view_states(rows.game, rows.rules, other, np.array([own]))
    assert states.tobytes() == other.tobytes()
    assert np.array_equal(seat.codes, observation_codes(other))


@every_table
def test_rows_of_a_seat_are_raw_rows_driven_by_hand(table: Case) -> None:
    """Bit for bit at every own turn, for every seat and any others."""
    for seat in range(table.players):
        cast = casts(table)[(seat + 2) % 4]
        config = StepConfig(skip_forced=seat % 2)
        seated = make_seat_rows(table.game, table.rules, 1, config, cast, seat)
        seated.keys[:] = KEY
        agents = [seated.agents[seated.seating[0, (seat + 1 + i) % table.players]]
                  for i in range(table.players - 1)]  # fmt: skip
        rows, rng = Rows(table.game, table.rules, 1, config), np.random.default_rng(seat)
        for rows_of in (seated, rows):
            rows_of.seed([100 + seat])
        for _ in range(2):
            for rows_of in (seated, rows):
                rows_of.start(DealSource.DRAW)
            by_hand(rows, agents, seat)
            same_but_untold(seated, rows, seat)
            while not told(seated)[0]:
                can = np.flatnonzero(seated.buffers.masks[0])
                action = np.array([rng.choice(can)]) if rng.random() < 0.97 else np.array([-1])
                untold = seated.states["over"][0] == Over.ENDED_BEFORE_TURN
                seated.step(action)
                paid = np.zeros(table.game.max_players)
                if not untold:
                    rows.step(action)
                    paid += rows.buffers.rewards[0]
                    by_hand(rows, agents, seat)
                same_but_untold(seated, rows, seat)


@every_variant
def test_each_agent_is_called_once_for_all_games_that_wait(table: Case) -> None:
    """An agent that plays several seats, too: as often as the longest of the games needs it."""
    n = 12
    agent = Asked()
    envs = table.vec(n, opponents=agent, autoreset_mode="disabled", encoding="codes")
    envs.reset(seed=4)
    assert sum(agent.rows) == envs.states["steps"].sum()
    assert len(agent.rows) == envs.states["steps"].max()
    crowd = Crowd(table, n, 4)
    while not told(envs.rows).all():
        before, running = envs.states["steps"].copy(), envs.states["over"] == Over.RUNNING
        agent.rows.clear()
        envs.step(crowd.choose(envs.states, envs.action_masks()))
        turns = (envs.states["steps"] - before - running).astype(int)
        assert sum(agent.rows) == turns.sum()
        assert len(agent.rows) == turns.max()
    assert len(agent.words) > 3 * n, "the same seeds at several turns"


class AskedBaseline(HeuristicAgent):
    """Chooses as the heuristic does, but is asked: it might choose otherwise."""

    def act(self, turn: Turn) -> np.ndarray:
        return super().act(turn)


class AskedUniform(UniformAgent):
    def act(self, turn: Turn) -> np.ndarray:
        return super().act(turn)


@every_variant
def test_baselines_in_kernels_choose_the_same_actions(
    table: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In compiled code: asking them took a millisecond a turn. With weights of their own, too."""
    weights = np.random.default_rng(3).normal(size=len(table.game.default_weights))
    rules = [None, *table.game.rule_agents]
    pairs: list[tuple[Agent, Agent]] = [
        (UniformAgent(5), AskedUniform(5)),
        (UniformAgent(-3), AskedUniform(-3)),
        (HeuristicAgent(weights=weights), AskedBaseline(weights=weights)),
        *((HeuristicAgent(rule_agent=one), AskedBaseline(rule_agent=one)) for one in rules),
    ]
    for first in range(len(pairs)):
        cast = [pairs[(first + i) % len(pairs)] for i in range(table.players - 1)]
        quick, asked, mixed = (
            table.vec(6, opponents=agents, autoreset_mode="disabled", encoding="codes")
            for agents in (
                [one for one, _ in cast],
                [other for _, other in cast],
                [pair[i % 2] for i, pair in enumerate(cast)],
            )
        )
        crowd = Crowd(table, 6, first, wrong=0.05)
        for envs in (quick, asked, mixed):
            envs.reset(seed=first)
        while not told(asked.rows).all():
            actions = crowd.choose(asked.states, asked.action_masks())
            wanted = asked.step(actions)
            for envs in (quick, mixed):
                actual = envs.step(actions)
                assert envs.clone().tobytes() == asked.clone().tobytes()
                for one, other in zip(actual[:4], wanted[:4], strict=True):
                    assert np.array_equal(one, other)
                assert np.array_equal(actual[4]["action_mask"], wanted[4]["action_mask"])
    monkeypatch.setattr("parlour.envs.interfaces.seat.choose_actions", None)
    for envs, fails in ((quick, False), (asked, True)):
        try:
            envs.reset(seed=1)
            while not told(envs.rows).all():
                envs.step(envs.action_masks().argmax(axis=1))
        except TypeError:
            assert fails, "a baseline was asked"
        else:
            assert not fails


def test_the_default_opponent_is_greedy() -> None:
    """Against uniform whoever raises always earns 83 antes a hand."""
    for table in SEVERAL:
        assert [agent.name for agent in table.env().rows.agents] == ["greedy"]


@every_table
def test_opponents_sit_clockwise_after_the_seat(table: Case) -> None:
    for seat in range(table.players):
        agents = [Asked(i) for i in range(table.players - 1)]
        envs = table.vec(16, opponents=agents, seat=seat, encoding="codes")
        assert envs.rows.seats.tolist() == [seat] * 16
        envs.reset(seed=1)
        crowd = Crowd(table, 16, seat)
        for _ in range(3):
            running = envs.states["over"] == Over.RUNNING
            assert (envs.states["turn"][running] == seat).all()
            envs.step(crowd.choose(envs.states, envs.action_masks()))
        for place, agent in enumerate(agents):
            assert agent.seats <= {(seat + 1 + place) % table.players}
            assert agent.seats


@every_variant
def test_others_are_handed_what_they_may_see(table: Case) -> None:
    """Their own pieces, and states that are dealt anew for whoever does not see all."""
    seen: list[Turn] = []

    class Looking(Asked):
        def act(self, turn: Turn) -> np.ndarray:
            seen.append(turn)
            return super().act(turn)

    for sees_all in (False, True):
        agent = Looking()
        agent.sees_all = sees_all
        seen.clear()
        env = table.env(opponents=agent)
        other_decks = 0
        for seed in range(4):
            env.reset(seed=seed)
            deck, rng = env.state["deck"].copy(), env.state["rng"]
            first = len(seen)
            while not ended(env):
                env.step(int(env.action_masks().argmax()))
            for turn in seen[first:]:
                assert np.array_equal(turn.states["deck"][0], deck) or not sees_all
                assert (turn.states["rng"][0] == rng) == sees_all
                own = view_states(
                    table.game, table.rules, turn.states, turn.states["turn"].astype(int)
                )
                assert turn.observations.tobytes() == own["shown"].tobytes()
                legal = unpack_actions(turn.states["legal"], table.game.actions)[0]
                assert np.array_equal(turn.masks[0], legal != 0)
                other_decks += not np.array_equal(turn.states["deck"][0], deck)
        assert (other_decks > 0) != sees_all


@every_variant
def test_rows_are_single_environments_with_agents_handed_in(table: Case) -> None:
    """Row i as the environment seeded with s + i, for every way to name the others."""
    for i, cast in enumerate(casts(table)):
        both = Both(table, 3, MODES[i % 3], opponents=cast, seat=i % table.players)
        crowd = Crowd(table, 3, i, wrong=0.02)
        both.reset(seed=20 + i)
        for _ in range(12):
            done = both.step(crowd.choose(both.envs.states, both.envs.action_masks()))
            if MODES[i % 3].name == "DISABLED" and done.any():
                both.reset(options={"reset_mask": done})


@every_game
def test_an_illegal_choice_of_another_is_named(table: Case) -> None:
    env = table.env(opponents=Choosing(-3), seat=0)
    with pytest.raises(RuntimeError, match=r"action of agent 'asked' must be .*, got -3"):
        for seed in range(50):
            env.reset(seed=seed)
            while not ended(env):
                env.step(int(env.action_masks().argmax()))


def test_rows_may_have_seats_and_agents_of_their_own() -> None:
    """As training wants it: each row is what it would be alone."""
    game, rules = FULL.game, FULL.game.make_rules("home")
    cast, rng = [UniformAgent(1), HeuristicAgent(), UniformAgent(2)], np.random.default_rng(5)
    own = np.array([0, 1, 2, 3, 3, 0])
    who = rng.integers(0, 3, (6, game.max_players))
    rows = SeatRows(game, rules, 6, StepConfig(), cast, who, own)
    alone = [SeatRows(game, rules, 1, StepConfig(), cast, who[i : i + 1], own[i]) for i in range(6)]
    for part in (rows, *alone):
        part.seed(np.arange(6) if part is rows else [alone.index(part)])
        part.keys[:] = KEY
        part.start(DealSource.DRAW)
    while not told(rows).all():
        actions = (rng.random(rows.buffers.masks.shape) * rows.buffers.masks).argmax(axis=1)
        rows.step(actions)
        for i, one in enumerate(alone):
            one.step(actions[i : i + 1])
            assert one.states.tobytes() == rows.states[i : i + 1].tobytes()
            assert one.rewards[0] == rows.rewards[i]
            assert np.array_equal(one.buffers.masks[0], rows.buffers.masks[i])
    facts = rows.results(rows.states, rows.all_rows)
    assert np.array_equal(facts["score"], rows.states["net"][np.arange(6), own])


# ---- beginning, going back ------------------------------------------------------------------


def over_at_once(table: Case, n: int = 600) -> CardVectorEnv:
    """Games of which some are over before the seat's first turn."""
    envs = table.vec(n, autoreset_mode="disabled", encoding="codes", seat=1, reward="score")
    envs.reset(seed=0)
    return envs


OVER_AT_ONCE = [
    Case(FULL.game, "bust", {"players": 2, "start_down": 2, **changed})
    for changed in ({}, {"ante": 5, "declare": "simultaneous"})
]


@pytest.mark.parametrize("table", OVER_AT_ONCE, ids=str)
def test_a_hand_over_before_ones_first_turn(table: Case) -> None:
    """Its first step, whatever the action, tells: result, reward, facts; a foul it is not."""
    envs = over_at_once(table)
    untold = envs.states["over"] == Over.ENDED_BEFORE_TURN
    assert 3 < untold.sum() < 300
    assert envs.action_masks()[untold].all()
    row = int(np.flatnonzero(untold & (envs.states["net"][:, 1] != 0))[0])
    for illegal in ("end", "raise"):
        env = table.env(illegal=illegal, seat=1, reward="score", encoding="codes")
        with pytest.raises(gym.error.ResetNeeded):
            env.step(0)
        for action in (0, -5, table.game.actions + 3):
            observation, info = env.restore(envs.clone()[row : row + 1])
            assert info["action_mask"].all()
            told = info.keys()
            assert env.explain(observation)["phase"] == 0
            here = env.clone()
            again, reward, terminated, truncated, info = env.step(action)
            assert np.array_equal(again, observation)
            assert (terminated, truncated) == (True, False)
            assert reward == info["score"] == here["net"][0, 1] != 0
            assert info["illegal_action"] is False
            assert info.keys() == told
            with pytest.raises(gym.error.ResetNeeded):
                env.step(0)
    _, rewards, terminated, _, infos = envs.step(
        np.where(untold, -9, envs.action_masks().argmax(1))
    )
    assert terminated[untold].all()
    assert np.array_equal(rewards[untold], envs.states["net"][untold, 1])
    assert infos["_score"][untold].all()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("table", OVER_AT_ONCE, ids=str)
def test_rows_whose_hands_end_at_once_are_single_environments(table: Case, mode: Any) -> None:
    both = Both(table, 30, mode, seat=1, encoding="codes")
    crowd = Crowd(table, 30, 1, wrong=0.02)
    both.reset(seed=3)
    untold = 0
    for _ in range(25):
        untold += (both.envs.states["over"] == Over.ENDED_BEFORE_TURN).sum()
        done = both.step(crowd.choose(both.envs.states, both.envs.action_masks()))
        if mode.name == "DISABLED" and done.any():
            both.reset(options={"reset_mask": done})
    assert untold


@every_variant
def test_a_restored_game_repeats_its_continuation(table: Case) -> None:
    """In any environment of the seat that had the same seed, whoever was asked in between."""
    for cast in casts(table):
        seat = table.players - 1
        env = table.env(opponents=cast, seat=seat, encoding="codes")
        other = table.env(opponents=cast, seat=seat, encoding="codes")
        env.reset(seed=6)
        other.reset(seed=6)
        other.reset()
        rng = np.random.default_rng(1)
        while not ended(env):
            here = env.clone()
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            result, after = env.step(action), env.clone()
            for again in (env, other):
                again.restore(here)
                assert again.rows.rewards[0] == 0
                repeated = again.step(action)
                assert again.clone().tobytes() == after.tobytes()
                assert np.array_equal(repeated[0], result[0])
                assert repeated[1:4] == result[1:4]


@every_game
def test_the_turn_of_another_is_not_restored(table: Case) -> None:
    """What another seat sees is not shown, either: an end is seen from one's own."""
    rows = Rows(table.game, table.rules, 1)
    rows.seed([3])
    rows.start(DealSource.DRAW)
    turn = int(rows.states["turn"][0])
    other = (turn + 1) % table.players
    env = table.env(seat=other, encoding="codes")
    env.reset(seed=1)
    here = env.clone()
    output = f"row 0: turn must be {other}, the seat of this row, got {turn}"
    with pytest.raises(ValueError, match=output):
        env.restore(rows.states)
    assert env.clone().tobytes() == here.tobytes()
    own = table.env(seat=turn, encoding="codes")
    shown, _ = own.restore(view_states(table.game, table.rules, rows.states, np.array([other])))
    assert shown.tobytes() == rows.states["shown"].tobytes()
    while not rows.states["over"][0]:
        rows.step(np.array([np.flatnonzero(rows.buffers.masks[0])[-1]]))
    shown, info = env.restore(rows.states)
    expected = view_states(table.game, table.rules, rows.states, np.array([other]))
    assert shown.tobytes() == expected["shown"].tobytes()
    assert info["score"] == rows.states["net"][0, other]


DEALT = [case for case in SEVERAL if case.game.has_dealer]


@pytest.mark.parametrize("table", DEALT, ids=str)
def test_a_dealer_may_be_chosen(table: Case) -> None:
    """It deals in place of the one drawn, before the shuffle: the cards are the same."""
    deck = draw_deck(table.game, table.rules)
    env, envs = table.env(encoding="codes"), table.vec(2, encoding="codes")
    env.reset(seed=4)
    drawn = env.state["deck"].tobytes()
    for dealer in range(table.players):
        for options in ({}, {"deal": 3}, {"deck": deck}):
            chosen = {**options, "dealer": dealer}
            observation, _ = env.reset(seed=4, options=chosen)
            assert env.state["dealer"] == dealer
            observations, _ = envs.reset(seed=[4, 4], options=chosen)
            assert np.array_equal(observations, [observation] * 2)
            if not options:
                assert env.state["deck"].tobytes() == drawn
            if env.state["over"] == Over.RUNNING:
                assert env.explain(observation)["dealer"] == 1 + dealer
    env.reset(options={"deck": deck})
    assert env.state["dealer"] == table.players - 1, "the first seat begins"
    for wrong in (-1, table.players, 1.0, "1", True):
        before = env.clone().tobytes()
        output = rf"dealer must be an integer from 0 to {table.players - 1}, got {wrong!r}"
        with pytest.raises(ValueError, match=output):
            env.reset(options={"dealer": wrong})
        assert env.clone().tobytes() == before


@pytest.mark.parametrize("table", DEALT, ids=str)
def test_every_seat_deals_equally_often(table: Case) -> None:
    rows = Rows(table.game, table.rules, 6000)
    rows.seed(np.arange(6000))
    rows.start(DealSource.DRAW)
    times = np.bincount(rows.states["dealer"], minlength=table.players)
    expected = 6000 / table.players
    assert len(times) == table.players
    assert ((times - expected) ** 2 / expected).sum() < table.players + 5 * (
        2 * table.players
    ) ** 0.5


def test_games_without_a_dealer_have_no_such_option(game: Game) -> None:
    if "dealer" not in game.state.names:
        with pytest.raises(
            ValueError,
            match=r"reset option must be one of deck, deal, deal_set, got 'dealer'\. Did you .*\?$",
        ):
            CardEnv(game).reset(options={"dealer": 0})


# ---- how it is made -------------------------------------------------------------------------


@every_variant
def test_wrong_opponents_and_seats_are_named(table: Case) -> None:
    others = table.players - 1
    allowed = "1 agent" if others == 1 else f"1 agent or {others} agents"
    near = "uniform, greedy" + "".join(f", {name}" for name in table.game.rule_agents)
    for keywords, output in (
        (
            {"opponents": "greddy"},
            f"agent must be one of {near}, got 'greddy'. Did you mean 'greedy'?",
        ),
        (
            {"opponents": ["uniform"] * (others + 1)},
            f"opponents must be {allowed}, got {others + 1}",
        ),
        ({"opponents": []}, f"opponents must be {allowed}, got 0"),
        ({"opponents": 3}, "opponents must be names of agents or objects with act(turn), got 3"),
        ({"opponents": [None]}, "objects with act(turn), got None"),
        ({"opponents": UniformAgent}, "objects with act(turn), got "),
        ({"opponents": object()}, "objects with act(turn), got "),
        (
            {"seat": table.players},
            f"seat must be an integer from 0 to {others}, got {table.players}",
        ),
        ({"seat": -1}, f"seat must be an integer from 0 to {others}, got -1"),
        ({"seat": "first"}, f"seat must be an integer from 0 to {others}, got 'first'"),
        ({"seat": True}, f"seat must be an integer from 0 to {others}, got True"),
        ({"max_moves": 20}, "max_moves must be left out in multiplayer games, got 20"),
        ({"max_episode_steps": 0}, "max_episode_steps must be an integer from 1 to"),
    ):
        for make in (CardEnv, lambda *args, **kw: CardVectorEnv(args[0], 2, args[1], **kw)):
            with pytest.raises(ValueError) as refused:
                make(table.game, table.variant, **keywords)
            assert output in str(refused.value), refused.value


@pytest.mark.parametrize("one", [case for case in CASES if case.players == 1], ids=str)
def test_one_player_has_no_opponents(one: Case) -> None:
    for keywords in ({"opponents": "uniform"}, {"seat": 1}, {"opponents": [], "seat": 0}):
        with pytest.raises(
            ValueError, match="opponents and seat must be left out in games for one player"
        ):
            one.env(**keywords)
        with pytest.raises(
            ValueError, match="opponents and seat must be left out in games for one player"
        ):
            one.vec(2, **keywords)
    assert type(one.env(seat=0, opponents=None).rows) is Rows


@every_variant
def test_made_by_its_id_with_opponents(table: Case) -> None:
    """And through JSON, as names are; with copies that play on alike."""
    seat = table.players - 1
    keywords: dict[str, Any] = {"variant": table.variant, "opponents": "greedy", "seat": seat}
    made = gym.make(table.game.id, encoding="codes", **keywords)
    own = table.env(encoding="codes", opponents="greedy", seat=seat)
    again = gym.make(EnvSpec.from_json(made.spec.to_json()))
    listed = keywords | {"opponents": ["greedy"] * (table.players - 1)}
    several = gym.make(EnvSpec.from_json(gym.make(table.game.id, **listed).spec.to_json()))
    envs = gym.make_vec(table.game.id, num_envs=1, encoding="codes", **keywords)
    copied = pickle.loads(pickle.dumps(own))
    assert again.spec == made.spec
    rng = np.random.default_rng(0)
    everybody = (made, again, several, envs, own, copied)
    for env in everybody:
        env.reset(seed=5)
    while not ended(own):
        action = int(rng.choice(np.flatnonzero(own.action_masks())))
        for env in everybody:
            env.step([action] if env is envs else action)
            assert env.unwrapped.clone().tobytes() == own.clone().tobytes() or env is not own
        states = {env.unwrapped.clone().tobytes() for env in everybody}
        assert len(states) == 1


@every_variant
def test_checkers_are_content_with_every_seat_and_opponent(table: Case) -> None:
    seats = range(table.players) if table.players < 5 else (1, table.players - 1)
    for seat in seats:
        cast = casts(table)[seat % 4]
        env = table.env(opponents=cast, seat=seat, skip_forced=seat % 2 == 0, encoding="codes")
        check_env(env, skip_render_check=True)
        check_with_sb3(env, warn=True, skip_render_check=True)


@every_game
def test_dictionaries_have_the_mask_of_the_seat(table: Case) -> None:
    """Of single environments and of vectors, at the end of a game, too."""
    keywords: dict[str, Any] = {"variant": table.variant, "opponents": "greedy", "seat": 1}
    env = DictObservation(gym.make(table.game.id, **keywords).unwrapped)
    observation, info = env.reset(seed=1)
    assert observation in env.observation_space
    assert np.array_equal(observation["action_mask"], info["action_mask"])
    envs = DictVectorObservation(
        gym.make_vec(table.game.id, num_envs=4, autoreset_mode="same_step", **keywords)
    )
    observations, infos = envs.reset(seed=1)
    finals = 0
    for _ in range(40):
        assert np.array_equal(observations["action_mask"], infos["action_mask"])
        observations, _, _, _, infos = envs.step(observations["action_mask"].argmax(axis=1))
        for final in infos.get("final_obs", []):
            if final is not None:
                assert final["action_mask"].all()
                finals += 1
    assert finals


def test_any_rules_can_be_played_from_any_seat() -> None:
    """To the end, without an illegal choice of the others."""
    for i, table in enumerate(random_cases(8, seed=17)):
        if table.players == 1:
            continue
        seat = i % table.players
        envs = table.vec(4, opponents=casts(table)[i % 4], seat=seat, autoreset_mode="disabled")
        fouls, paid = sums(envs, Crowd(table, 4, i, wrong=0.02))
        assert np.allclose(
            paid, envs.states["net"][:, seat] / unit_of(table) + ILLEGAL_PENALTY * fouls
        )
