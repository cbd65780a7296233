"""Duplicate play: rotated seats on the same deals, sessions, and chips."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from parlour.agents.baselines import UniformAgent
from parlour.agents.registry import Agent, IllegalActionError, Turn, load_agent
from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.batch import DealSource
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.rows import Rows
from parlour.training.evaluation.play import (
    EpisodeResults,
    first_dealers,
    hand_seeds,
    play_duplicate,
    play_seated,
)
from tests.marks import slow_if

GAME = find_game("seven_twenty_seven")
RULES = GAME.make_rules()
SEEDS = deal_seeds("hands-1", range(24))
TABLES = [
    (one, name, {})
    for one in GAMES.values()
    for name, rules in one.variants.items()
    if one.num_players(rules) > 1
] + [(GAME, "bust", {"players": 10, "start_down": 2}), (GAME, "declare", {"declare": "sequential"})]


class Cautious:
    """Never bets or draws; declares 27."""

    name, sees_all = "cautious", False
    order = (1, 8, 10, 0)

    def act(self, turn: Turn) -> np.ndarray:
        places = turn.masks[:, self.order].argmax(axis=1)
        return np.array(self.order)[places]


class Dreamer(UniformAgent):
    """Plays by the resampled hidden cards; random only through its input."""

    name = "dreamer"

    def act(self, turn: Turn) -> np.ndarray:
        wished = turn.states["deck"].astype(np.int64).cumsum(axis=1)[:, -5] % turn.game.actions
        legal = turn.masks[np.arange(len(wished)), wished]
        return np.where(legal, wished, turn.masks.argmax(axis=1))


class Recorder(Cautious):
    """Remembers deck, dealer, and seat of each decision."""

    name, sees_all = "recorder", True

    def __init__(self) -> None:
        self.seen: dict[bytes, set[tuple[int, int]]] = defaultdict(set)
        self.calls: list[int] = []

    def act(self, turn: Turn) -> np.ndarray:
        self.calls.append(len(turn.states))
        for state in turn.states:
            self.seen[state["deck"].tobytes()].add((int(state["dealer"]), int(state["turn"])))
        return super().act(turn)


class Wrong(Cautious):
    name, order = "wrong", (11, 11, 11, 11)


def equal(first: EpisodeResults, second: EpisodeResults) -> bool:
    return np.array_equal(first.nets, second.nets) and all(
        np.array_equal(values, second.facts[name]) for name, values in first.facts.items()
    )


def decks_of(seeds: np.ndarray) -> list[tuple[bytes, int]]:
    rows = Rows(GAME, RULES, len(seeds))
    rows.seed(seeds)
    rows.start(DealSource.SEED)
    return [(state["deck"].tobytes(), int(state["dealer"])) for state in rows.states]


def play_sessions(agents: Sequence[Agent], seeds: np.ndarray, hands: int) -> np.ndarray:
    """Return the net results of the seats in sessions, int64 (n, hands, players)."""
    nets = play_seated(GAME, RULES, agents, seeds, hands=hands, evaluation_seed="k").nets
    return nets.reshape(len(seeds), hands, -1)


def test_each_deal_is_played_from_every_seat_with_the_same_deck_and_dealer() -> None:
    agent = Recorder()
    play_duplicate(GAME, RULES, agent, [Cautious()], SEEDS)
    assert {deck: {dealer for dealer, _ in seen} for deck, seen in agent.seen.items()} == {
        deck: {dealer} for deck, dealer in decks_of(SEEDS)
    }
    assert {frozenset(seat for _, seat in seen) for seen in agent.seen.values()} == {
        frozenset(range(4))
    }


def test_all_seatings_are_asked_together() -> None:
    agent = Recorder()
    play_duplicate(GAME, RULES, agent, [agent, agent], SEEDS)
    assert agent.calls[0] == 4 * len(SEEDS)  # the first to act in all seatings is the same agent
    with_others = Recorder()
    play_duplicate(GAME, RULES, with_others, [Cautious()], SEEDS)
    assert with_others.calls[0] == len(SEEDS)


def test_positions_are_counted_from_the_dealers_left() -> None:
    agent, other, third = (
        load_agent("greedy", GAME, RULES),
        Cautious(),
        load_agent("loose", GAME, RULES),
    )
    played = play_duplicate(GAME, RULES, agent, [other, third], SEEDS, order=np.arange(len(SEEDS)))
    for deal in range(len(SEEDS)):
        opponents = [other, third] if deal % 2 == 0 else [third, other]
        for seat in range(4):
            at_table = [agent if k == 0 else opponents[(k - 1) % 2] for k in range(4)]
            agents = [at_table[(k - seat) % 4] for k in range(4)]
            alone = play_seated(GAME, RULES, agents, SEEDS[deal : deal + 1])
            position = (seat - int(alone.dealers[0]) - 1) % 4
            assert alone.nets[0, seat] == played.nets[deal, position]
            for name, values in alone.facts.items():
                assert values[0, seat] == played.facts[name][deal, position], name


@pytest.mark.parametrize(
    ("one", "variant", "options"),
    [
        slow_if(
            variant != one.default and not given,
            *(one, variant, given),
            name="-".join([one.name, variant, *map(str, given)]),
        )
        for one, variant, given in TABLES
    ],
)
def test_chips_are_conserved_and_equals_win_nothing(
    one: Game, variant: str, options: dict[str, object]
) -> None:
    rules = one.make_rules(variant, options)
    agent = load_agent("greedy", one, rules)
    played = play_duplicate(one, rules, agent, [agent], SEEDS, hands=2)
    assert (played.nets.sum(axis=1) == 0).all(), "who draws nothing wins exactly nothing"
    assert played.nets.any() or one is not GAME, "greedy ties with itself on one deck"
    players = one.num_players(rules)
    agents = [UniformAgent(k) for k in range(players)]
    nets = play_seated(one, rules, agents, SEEDS).nets
    assert nets.shape == (len(SEEDS), players)
    assert (nets.sum(axis=1) == 0).all()


def test_a_kernel_that_made_chips_would_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Rows.step

    def steal(self: Rows, *given: np.ndarray) -> None:
        step(self, *given)
        self.states["net"][:, 0] = 5

    monkeypatch.setattr(Rows, "step", steal)
    with pytest.raises(RuntimeError, match="must add up to 0"):
        play_seated(GAME, RULES, [Cautious()] * 4, SEEDS)


@pytest.mark.parametrize("agent", [UniformAgent(), Dreamer()], ids=["uniform", "dreamer"])
def test_a_deal_does_not_depend_on_the_deals_beside_it(agent: UniformAgent) -> None:
    opponents, order = [UniformAgent(3), Cautious()], np.arange(len(SEEDS))
    whole = play_duplicate(
        GAME, RULES, agent, opponents, SEEDS, order=order, evaluation_seed="three"
    )
    for chunk in (20, 1):
        parts = play_duplicate(
            GAME, RULES, agent, opponents, SEEDS, order=order, evaluation_seed="three", chunk=chunk
        )
        assert equal(whole, parts)
    back = play_duplicate(
        GAME, RULES, agent, opponents, SEEDS[::-1], order=order[::-1], evaluation_seed="three"
    )
    assert np.array_equal(back.nets[::-1], whole.nets)
    other = play_duplicate(
        GAME, RULES, agent, opponents, SEEDS, order=order, evaluation_seed="four"
    )
    assert not equal(whole, other)


def test_decisions_and_moves_are_counted() -> None:
    played = play_seated(GAME, RULES, [Cautious()] * 4, SEEDS)
    assert np.array_equal(played.facts["decisions"].sum(axis=1), played.facts["moves"][:, 0])
    assert (played.facts["decisions"] == 3).all()  # the ask, one round of bets, one of draws
    assert (played.facts["paid"] == 1).all()
    assert (played.facts["pot"] == 4).all()
    assert played.facts["showdown"].all()


def test_the_dealer_moves_on_in_a_session() -> None:
    agents = [UniformAgent(k) for k in range(4)]
    played = play_seated(GAME, RULES, agents, SEEDS, hands=6, evaluation_seed="k")
    dealers = played.dealers.reshape(len(SEEDS), 6)
    assert np.array_equal(dealers[:, 0], first_dealers(GAME, RULES, SEEDS))
    assert ((dealers[:, 1:] - dealers[:, :-1]) % 4 == 1).all()
    assert set(dealers[:, 0]) == {0, 1, 2, 3}
    nets = play_sessions(agents, SEEDS, 6)
    assert nets.shape == (len(SEEDS), 6, 4)
    assert np.array_equal(nets.reshape(-1, 4), played.nets)
    assert np.array_equal(
        nets[:, 0], play_seated(GAME, RULES, agents, SEEDS, evaluation_seed="k").nets
    )
    assert np.array_equal(nets[:, :2], play_sessions(agents, SEEDS, 2))


def test_the_dealer_is_the_one_in_the_kernel() -> None:
    agent = Recorder()
    decks = hand_seeds(SEEDS[:5], 3)
    play_seated(GAME, RULES, [agent] * 4, SEEDS[:5], hands=3)
    dealers = {deck: {dealer for dealer, _ in seen} for deck, seen in agent.seen.items()}
    for row in decks:
        (first, dealer), *later = decks_of(row)
        assert dealers[first] == {dealer}
        assert [dealers[deck] for deck, _ in later] == [{(dealer + 1) % 4}, {(dealer + 2) % 4}]


def test_the_seeds_of_hands_stay_in_their_half() -> None:
    for seeds in (SEEDS, SEEDS & np.uint64(2**63 - 1)):
        played = hand_seeds(seeds, 5)
        assert np.array_equal(played[:, 0], seeds)
        assert np.array_equal(
            played >> np.uint64(63), np.repeat(seeds >> np.uint64(63), 5).reshape(-1, 5)
        )
        assert len(np.unique(played)) == played.size


def test_a_session_covers_all_positions_in_each_hand() -> None:
    agent, opponents = load_agent("loose", GAME, RULES), [Cautious()]
    whole = play_duplicate(GAME, RULES, agent, opponents, SEEDS[:6], hands=3)
    assert (whole.facts["decisions"] > 0).all()
    first = play_duplicate(GAME, RULES, agent, opponents, SEEDS[:6])
    two = play_duplicate(GAME, RULES, agent, opponents, SEEDS[:6], hands=2)
    assert not np.array_equal(first.nets, two.nets)
    seats = []
    for seat in range(4):
        agents = [agent if k == seat else opponents[0] for k in range(4)]
        seats.append(play_sessions(agents, SEEDS[:6], 3)[:, :, seat])
    assert np.array_equal(np.sum(seats, axis=(0, 2)), whole.nets.sum(axis=1))


def test_progress_counts_every_deal_once() -> None:
    ended: list[int] = []
    play_duplicate(
        GAME, RULES, Cautious(), [UniformAgent()], SEEDS, hands=2, chunk=30, progress=ended.append
    )
    assert sum(ended) == len(SEEDS)
    assert min(ended) > 0


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="one for each of 4 seats, got 3"):
        play_seated(GAME, RULES, [Cautious()] * 3, SEEDS)
    with pytest.raises(ValueError, match="rules must be for several players, got Pyramid"):
        play_seated(find_game("pyramid"), find_game("pyramid").make_rules(), [Cautious()], SEEDS)
    with pytest.raises(ValueError, match="opponents must have at least one agent, got none"):
        play_duplicate(GAME, RULES, Cautious(), [], SEEDS)
    for seeds, hands in ((SEEDS[:0], 1), (SEEDS, 0)):
        with pytest.raises(ValueError, match="seeds and hands must be at least one each, got"):
            play_duplicate(GAME, RULES, Cautious(), [Cautious()], seeds, hands=hands)
    with pytest.raises(IllegalActionError, match=r"action of agent 'wrong' must be .*, got 11"):
        play_duplicate(GAME, RULES, Cautious(), [Wrong()], SEEDS)


def test_every_player_by_rule_can_play() -> None:
    for name in ("greedy", *GAME.rule_agents):
        agent = load_agent(name, GAME, RULES)
        assert play_duplicate(GAME, RULES, agent, [UniformAgent()], SEEDS[:4]).milliseconds > 0
