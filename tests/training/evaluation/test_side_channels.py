"""What an agent is handed beside its observation names no deal: attackers who try to read it there.

They know the code, the deal set and their own seed, and may remember what they like from turn to
turn, seat to seat and deal to deal. Each is shown to succeed where the protocol has its old hole,
so that its failure here means something. What the observation itself tells is not their subject:
whoever has seen a few cards of a public deal set can look the deal up.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from parlour.agents.registry import Turn, prepare_turn
from parlour.envs import CardEnv, find_game
from parlour.envs.core.baselines import UniformAgent
from parlour.envs.core.batch import DealSource, Over
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.kernel.rng import GAMMA, derive_key, key_words, mix64, turn_seeds
from parlour.envs.core.rows import HIDDEN_SALT, Rows, resample_copies
from parlour.envs.core.turn import random_floats
from parlour.training.evaluation import play
from parlour.training.evaluation.compare import compare, evaluate
from parlour.training.evaluation.play import play_deals, play_duplicate
from tests.contract.cases import SEVERAL, Case, Whole
from tests.marks import slow_if

POKER = find_game("poker_squares")
TABLE = find_game("seven_twenty_seven")
KNOWN = deal_seeds("poker_squares-1", range(10_000))
STRIDE = np.uint64(0xD1342543DE82EF95)
"""The stride between the seeds of successive steps in an early version."""
SEED = 3
"""A seed that the attackers know."""


def guessed_keys() -> Iterator[np.ndarray]:
    """Yield keys that are not secret enough."""
    texts = ["", "0", str(SEED), "attacker", "poker_squares-1", f"validation of seed {SEED}"]
    for text in texts:
        for key in (text, derive_key(text, "attacker")):
            for rules in (POKER.make_rules(), TABLE.make_rules()):
                yield key_words(derive_key(key, POKER.rules_digest(rules)))
                yield key_words(derive_key(key, TABLE.rules_digest(rules)))
            yield key_words(key)
    yield np.zeros((1, 2), np.uint64)


def after(words: np.ndarray, steps: int) -> np.ndarray:
    """Return words shifted by a number of strides."""
    return words + np.uint64(steps * int(STRIDE) % 2**64)


def words_of(deals: np.ndarray, states: np.ndarray) -> Iterator[np.ndarray]:
    """All that an attacker can think of as a function of deals (their seeds), uint64 (n,) each.

    ``states``: what the deals look like at the turn in question, or zeros.
    """
    for seed in range(SEED + 1):
        digests = [sha256(f"{seed}/{deal}".encode()).digest()[:8] for deal in deals.tolist()]
        hashed = np.array([int.from_bytes(one, "little") for one in digests], np.uint64)
        for step in range(4):
            yield after(hashed, step)
    for begun in (deals, states["rng"]):
        for word in (begun, mix64(begun), mix64(begun ^ np.uint64(HIDDEN_SALT))):
            for step in range(4):
                yield after(word, step)
                yield mix64(after(word, step))
                yield mix64(after(word, step)) >> np.uint64(32)
    for words in guessed_keys():
        yield turn_seeds(words, states)


def states_of(which: Any, deals: np.ndarray, rules: Any) -> np.ndarray:
    rows = Rows(which, rules, len(deals))
    rows.seed(deals)
    rows.start(DealSource.SEED)
    return rows.states


class Reader:
    """Looks everything that it is handed at a first move up in a table of all known deals.

    ``named`` counts the deals that it could name. Random words of deals may be seen at any distance
    of the generator's own steps, too.
    """

    name, sees_all = "reader", False

    def __init__(self, deals: np.ndarray, states: np.ndarray) -> None:
        self.table: dict[int, int] = {}
        for words in words_of(deals, states):
            self.table |= dict(zip(words.tolist(), range(len(deals)), strict=True))
        self.asked = self.named = 0
        self.places: list[int] = []

    def act(self, turn: Turn) -> np.ndarray:
        steps = np.arange(-60, 61).astype(np.uint64) * GAMMA
        for seed, rng in zip(turn.seeds, turn.states["rng"], strict=True):
            self.asked += 1
            around = {int(seed), *(rng + steps).tolist()}
            self.named += any(word in self.table for word in around)
        return np.asarray(turn.masks.argmax(axis=1))


def test_nothing_at_the_first_move_names_one_of_ten_thousand_deals() -> None:
    """With seeds that are hashes of the deal number, an agent can play as if it saw all cards."""
    rules = POKER.make_rules()
    reader = Reader(KNOWN, states_of(POKER, KNOWN, rules))
    evaluate(POKER, reader, deals=100, seed=SEED)
    play_deals(POKER, rules, reader, KNOWN[:50])
    assert reader.asked > 1000
    assert reader.named == 0

    told = Reader(KNOWN, states_of(POKER, KNOWN, rules))
    table = states_of(POKER, KNOWN[:20], rules)
    for words in (next(words_of(KNOWN[:20], table)), table["rng"]):
        told.act(prepare_turn(told, POKER, rules, table, words))
    assert told.named == told.asked == 40, "the attack does not work even where the hole is open"


class Counter:
    """Claims that games come in the order of their numbers in each call, and keeps its claims."""

    name, sees_all = "counter", False

    def __init__(self) -> None:
        self.met = 0
        self.claims: list[bool] = []

    def act(self, turn: Turn) -> np.ndarray:
        if not turn.states["steps"][0]:
            numbers = self.met + np.arange(len(turn.states))
            self.met += len(turn.states)
            decks = states_of(POKER, KNOWN[numbers], turn.rules)["shown"]["card"]
            self.claims += (decks == turn.states["shown"]["card"]).tolist()
        return np.asarray(turn.masks.argmax(axis=1))


@pytest.mark.parametrize("chunk", [slow_if(True, 1), 64, 4096])
def test_the_place_in_a_batch_does_not_name_the_deal(chunk: int) -> None:
    """The first card is that of the claimed deal in one of 52 games by chance."""
    counter = Counter()
    play_deals(POKER, POKER.make_rules(), counter, KNOWN[:1000], chunk=chunk)
    assert len(counter.claims) == 1000
    assert np.mean(counter.claims) < 0.06


class Rememberer:
    """Remembers the deck that each seed turned out to have, for another agent to use."""

    sees_all = False

    def __init__(self, name: str, memory: dict[int, bytes]) -> None:
        self.name, self.memory, self.known = name, memory, 0

    def act(self, turn: Turn) -> np.ndarray:
        for seed, rng in zip(turn.seeds.tolist(), turn.states["rng"].tolist(), strict=True):
            self.known += (seed in self.memory) + (rng in self.memory)
            self.memory[seed] = self.memory[rng] = b"deck"
        return np.asarray(turn.masks.argmax(axis=1))


def test_no_agent_learns_from_another_what_a_seed_stands_for() -> None:
    """Memory does not help in one comparison, with other rules, or in another evaluation."""
    memory: dict[int, bytes] = {}
    agents = [Rememberer(name, memory) for name in ("one", "two", "two")]
    compare(POKER, agents, variants=["classic", "book"], deals=40)
    evaluate(POKER, agents[0], deals=40)
    evaluate(POKER, agents[0], deals=40, variant="british")
    assert sum(agent.known for agent in agents) == 0
    assert len(memory) > 10_000
    key = "the same"
    for _ in range(2):
        evaluate(POKER, agents[0], deals=10, evaluation_seed=key)
    assert agents[0].known, "the attack does not work even where the key is the same"


class Pooler:
    """Plays every seat of a deal and claims, of pairs of its games, that they are one deal.

    By equal seeds, by seeds that differ by a known number, and by places side by side: the claims
    are kept by the way they came about, as pairs of places in a call.
    """

    name, sees_all = "pooler", False

    def __init__(self) -> None:
        self.claims: list[dict[str, list[tuple[int, int]]]] = []
        self.order: list[int] = []

    def act(self, turn: Turn) -> np.ndarray:
        words, n = turn.seeds.tolist(), len(turn.seeds)
        places = {word: i for i, word in enumerate(words)}
        shifts = [s * int(STRIDE) for s in range(-3, 4)] + [1, 1 << 32, 1 << 40, int(GAMMA)]
        by_seed = [
            (i, places[(word + shift) % 2**64])
            for i, word in enumerate(words)
            for shift in shifts
            if places.get((word + shift) % 2**64, i) != i
        ]
        twins = [(i, j) for j, word in enumerate(words) for i in [places[word]] if i != j]
        beside = [(i, i + apart) for apart in (1, 2, 3, n // 4) for i in range(n - apart)]
        self.claims.append({"seeds": by_seed + twins, "places": beside})
        return np.asarray(turn.masks.argmax(axis=1))


def pooled(monkeypatch: pytest.MonkeyPatch, **keywords: Any) -> tuple[int, float, float]:
    """Let it play; return its claims by seeds, and how often those by places are right, by chance.

    The true decks are noted where turns are made: the agent does not get them.
    """
    decks: list[list[bytes]] = []
    made = play.make_turn

    def noting(*given: Any) -> Turn:
        decks.append([deck.tobytes() for deck in given[3]["deck"]])
        return made(*given)

    monkeypatch.setattr(play, "make_turn", noting)
    agent = Pooler()
    rules = TABLE.make_rules()
    play_duplicate(TABLE, rules, agent, [agent], deal_seeds("hands-1", range(300)), **keywords)
    by_seed, right, chance = 0, [], []
    for call, claimed in zip(decks, agent.claims, strict=True):
        by_seed += len(claimed["seeds"])
        right += [call[i] == call[j] for i, j in claimed["places"]]
        if len(call) > 1:
            same = sum(call.count(deck) - 1 for deck in call) / len(call) / (len(call) - 1)
            chance += [same] * len(claimed["places"])
    return by_seed, float(np.mean(right)), float(np.mean(chance))


@pytest.mark.parametrize("chunk", [40, 4096])
def test_an_agent_in_every_seat_cannot_tell_which_of_its_seats_share_a_deal(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal seeds in all seats of a deal reveal 85 % of the others' hidden cards."""
    by_seed, right, chance = pooled(monkeypatch, chunk=chunk)
    assert by_seed == 0
    assert abs(right - chance) < 0.25 * chance + 0.01, (right, chance)


def test_it_could_where_seeds_are_those_of_the_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same attack finds pairs if the seeds do not depend on seat and seating."""

    def leaky(words: np.ndarray, states: np.ndarray, seatings: Any = 0) -> np.ndarray:
        return mix64(states["rng"])

    monkeypatch.setattr(play, "turn_seeds", leaky)
    assert pooled(monkeypatch)[0] > 300


class Inverter:
    """An opponent that looks up its words among ten thousand known deals."""

    name, sees_all = "inverter", False

    def __init__(self, table: dict[int, int]) -> None:
        self.table, self.asked, self.named = table, 0, 0

    def act(self, turn: Turn) -> np.ndarray:
        steps = np.arange(-60, 61).astype(np.uint64) * GAMMA
        for seed, rng in zip(turn.seeds, turn.states["rng"], strict=True):
            self.asked += 1
            self.named += any(
                int(word) in self.table for word in (seed, seed >> np.uint64(32), *(rng + steps))
            )
        return np.asarray(turn.masks.argmax(axis=1))


def test_an_opponent_cannot_look_the_deal_up() -> None:
    """Its seeds were a mix that can be undone: three turns and 2**32 tries gave all 52 cards.

    Here the deal is one of a deal set's first 60, all of which it has looked at.
    """
    rules = TABLE.make_rules()
    deals = deal_seeds("seven_twenty_seven-1", range(60))
    states = states_of(TABLE, deals, rules)
    table: dict[int, int] = {}
    for turn in range(rules.players):
        for step in range(12):
            states["turn"], states["steps"] = turn, step
            for words in words_of(deals, states):
                table |= dict.fromkeys(words.tolist(), 0)
    inverter = Inverter(table)
    env = CardEnv(TABLE, opponents=inverter)
    for deal in range(40):
        env.reset(seed=SEED + deal, options={"deal": deal})
        while env.state["over"] == Over.RUNNING:
            env.step(env.action_masks().argmax())
    assert inverter.asked > 200
    assert inverter.named == 0
    old = mix64(after(mix64(states["rng"][:5] ^ np.uint64(HIDDEN_SALT)), 3)) >> np.uint64(32)
    inverter.act(prepare_turn(inverter, TABLE, rules, states[:5], old))
    assert inverter.named == 5, "the attack does not work even where the hole is open"


class Predictor:
    """Plays against uniform agents with a known seed, and predicts their draws."""

    name, sees_all = "predictor", False

    def __init__(self) -> None:
        self.foretold: list[float] = []

    def act(self, turn: Turn) -> np.ndarray:
        for apart in range(-3, 4):
            self.foretold += random_floats(after(turn.seeds, apart), SEED).tolist()
        return np.asarray(turn.masks.argmax(axis=1))


def test_no_seat_can_foretell_what_another_draws() -> None:
    class Known(UniformAgent):
        drawn: set[float]

        def act(self, turn: Turn) -> np.ndarray:
            self.drawn |= set(random_floats(turn.seeds, SEED).tolist())
            return super().act(turn)

    predictor, uniform = Predictor(), Known(SEED)
    uniform.drawn = set()
    seeds = deal_seeds("hands-1", range(100))
    play_duplicate(TABLE, TABLE.make_rules(), predictor, [uniform], seeds)
    assert len(uniform.drawn) > 500
    assert not uniform.drawn & set(predictor.foretold)


@pytest.mark.parametrize("case", [case for case in SEVERAL if case.is_quick], ids=str)
def test_a_foul_of_another_changes_nothing_that_a_seat_is_handed(case: Case) -> None:
    """The replacement of an illegal action reveals it, such as a secret square."""
    env, rng = Whole(case), np.random.default_rng(5)
    looked = 0
    for number in range(4):
        env.reset(seed=number)
        while not env.state["over"]:
            for seat in range(case.players):
                fouls = env.clone()
                fouls["illegal"] |= ((1 << case.players) - 1) & ~(1 << seat)
                pair = np.concatenate([env.clone(), fouls])
                seen = resample_copies(case.game, case.rules, pair, np.full(2, 9, np.uint64), seat)
                assert seen[0].tobytes() == seen[1].tobytes(), f"seat {seat}"
                looked += 1
            legal = np.flatnonzero(env.rows.buffers.masks[0])
            env.step(int(rng.choice(legal)))
    assert looked > 20


def test_the_secret_square_of_a_foul_is_no_better_known() -> None:
    """In Poker Squares for two, an illegal choice of the other player reveals the square."""
    rules = POKER.make_rules("duel")
    rows = Rows(POKER, rules, 300)
    rows.seed(np.arange(300))
    rows.start(DealSource.DRAW)
    told, squares = [], []
    for _ in range(12):
        rows.step(np.where(rows.states["turn"] == 0, 99, rows.buffers.masks.argmax(axis=1)))
        if not rows.states["turn"].all():
            continue
        handed = resample_copies(POKER, rules, rows.states, np.arange(300, dtype=np.uint64), 1)
        told += handed["illegal"].tolist()
        squares += (handed["secret"] == rows.states["secret"]).tolist()
    assert not any(told)
    assert np.mean(squares) < 0.5, "what is drawn in its place is the true square too often"


class TwoFaced:
    """Declares first that it sees no hidden cards, and later that it does."""

    name = "two-faced"

    def __init__(self, honest: int) -> None:
        self.reads, self.honest = 0, honest
        self.decks: list[bytes] = []

    @property
    def sees_all(self) -> bool:
        self.reads += 1
        return self.reads > self.honest

    def act(self, turn: Turn) -> np.ndarray:
        self.decks += [deck.tobytes() for deck in turn.states["deck"]]
        return np.asarray(turn.masks.argmax(axis=1))


@pytest.mark.parametrize("honest", range(8))
def test_what_an_agent_was_shown_is_what_results_say_of_it(honest: int) -> None:
    """An agent that got true cards is marked whenever it changes its declaration."""
    true = {deck.tobytes() for deck in states_of(POKER, KNOWN[:20], POKER.make_rules())["deck"]}
    agent = TwoFaced(honest)
    result = evaluate(POKER, agent, deals=20)
    assert result.sees_all == bool(true & set(agent.decks))
    rules, deal_set = TABLE.make_rules(), deal_seeds("seven_twenty_seven-1", range(20))
    true = {deck.tobytes() for deck in states_of(TABLE, deal_set, rules)["deck"]}
    agent = TwoFaced(honest)
    match = compare(TABLE, ["greedy"], opponents=[agent], deals=20).evaluations[0]
    assert match.opponents == ("two-faced*" if true & set(agent.decks) else "two-faced",)
    agent = TwoFaced(honest)
    env = CardEnv(TABLE, opponents=agent)
    for deal in range(3):
        env.reset(seed=deal)
        while env.state["over"] == Over.RUNNING:
            env.step(env.action_masks().argmax())
    assert agent.reads <= 3, "it is asked again while it plays"


def test_results_name_their_key_and_can_be_repeated() -> None:
    """No two evaluations have the same evaluation seed, so nobody can know it in advance."""
    first, second = (evaluate(POKER, "uniform", deals=60) for _ in range(2))
    assert first.evaluation_seed != second.evaluation_seed
    assert len(bytes.fromhex(first.evaluation_seed)) == 16
    assert not np.array_equal(first.results.score, second.results.score)
    again = evaluate(POKER, "uniform", deals=60, evaluation_seed=first.summary()["evaluation_seed"])
    assert np.array_equal(first.results.score, again.results.score)
    both = compare(POKER, ["greedy", "uniform"], deals=60, evaluation_seed=first.evaluation_seed)
    assert np.array_equal(both.evaluations[1].results.score, first.results.score)
