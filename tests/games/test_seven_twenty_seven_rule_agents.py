"""Rule-based agents of Seven Twenty-Seven: expected shares, knowledge and play."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.baselines import make_baseline
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows, resample_copies
from parlour.envs.core.rules_table import random_options
from parlour.envs.core.turn import choose_actions, prepare_turn
from parlour.envs.games.seven_twenty_seven import expected_share
from parlour.envs.games.seven_twenty_seven.expected_share import ACE, RANK, RANK_BITS
from parlour.envs.games.seven_twenty_seven.rules import CALL, DRAW, FOLD, Nearness, Phase
from tests.marks import slow_if
from tests.reference.seven_twenty_seven_showdown import SEVEN, TWENTY_SEVEN, shares, totals
from tests.reference.seven_twenty_seven_showdown import best_total as plain_total
from tests.reference.seven_twenty_seven_showdown import rank as plain_rank

GAME = GAMES["seven_twenty_seven"]
ME = 0
SIDES = (9, 10, 11)
DECLARES: dict[str, Any] = {"players": 2, "declare": "sequential"}
LONG = 20_000
"""Samples of which the error does not matter here."""


@jit
def expect(
    states: Any, table: Any, draws: bool, draws_on: bool, samples: int, shares: np.ndarray
) -> None:
    """Write the expected shares of the seat that acts, float64 (n, 2, 3)."""
    for i in range(len(states)):
        s, rules = states[i], table[0]
        max_draws = expected_share.cards_allowed(s, rules, s["turn"]) if draws else 0
        shares[i] = expected_share.expected_shares(s, rules, max_draws, draws_on, samples)


@jit
def sample(states: Any, table: Any, samples: int, shares: np.ndarray) -> None:
    """Write the shares by sampling, even if they could be exact. No seat takes another card."""
    for i in range(len(states)):
        s, rules = states[i], table[0]
        question = expected_share.make_question(s, rules, 0, False)
        pool = expected_share.make_pool(s, rules, s["turn"])
        total = expected_share.sample_shares(question, pool, samples, shares[i])
        shares[i] /= total


@jit
def rank_hands(hands: Any, nearness: int, ranks: Any) -> None:
    """Write the packed ranks of hands."""
    for i in range(len(hands)):
        ranks[i] = expected_share.rank_totals(hands[i], nearness)


def expected(
    states: np.ndarray, rules: Any, draws: bool = True, draws_on: bool = False, samples: int = 64
) -> np.ndarray:
    """Return the expected shares, float64 (n, 6)."""
    shares = np.zeros((len(states), 2, 3))
    expect(states, as_record(rules), draws, draws_on, samples, shares)
    return shares.reshape(-1, 6)


def positions(rules: Any, hands: int, seed: int, every: int = 1) -> Iterator[np.ndarray]:
    """Play random hands that rarely fold, and yield the state (one row) at regular steps."""
    rows, rng = Rows(GAME, rules, 1), np.random.default_rng(seed)
    for hand in range(hands):
        rows.deal_numbered("equity", [seed * 1000 + hand])
        steps = 0
        while not rows.states["over"][0]:
            if steps % every == 0:
                yield rows.states.copy()
            legal = int(rows.states["legal"][0])
            can = [action for action in range(GAME.actions) if legal >> action & 1]
            fair = [1.0 if action > CALL else 4.0 if action == CALL else 0.3 for action in can]
            rows.step(np.array([rng.choice(can, p=np.array(fair) / sum(fair))]))
            steps += 1


# ---- brute force ----------------------------------------------------------------------------


class Sight(NamedTuple):
    """What a seat sees, in cards as the reference writes them; seats in order from its own."""

    own: list[str]
    up: list[list[str]]  # of each other seat still in
    hidden: list[int]
    said: list[int]
    unseen: list[str]


def sight(state: np.ndarray, rules: Any) -> Sight:
    s = state[0]
    seat, faces = int(s["turn"]), int(s["up"])
    cards: dict[int, list[tuple[str, int]]] = {}
    for place in range(int(s["next"])):
        card = card_name(int(s["deck"][place]))
        cards.setdefault(int(s["owner"][place]) - 1, []).append((card, faces >> place & 1))
    others = [other for other in range(rules.players) if other != seat and s["live"] >> other & 1]
    own = [card for card, _ in cards[seat]]
    seen = own + [card for hand in cards.values() for card, up in hand if up]
    return Sight(
        own,
        [[card for card, up in cards[other] if up] for other in others],
        [sum(not up for _, up in cards[other]) for other in others],
        [int(s["seats"][other]["declared"]) for other in others],
        [card for card in map(card_name, GAME.pack(rules)) if card not in seen],
    )


class Judge:
    """What two hands get of each other, by the reference; a hand is a sorted tuple of ranks."""

    def __init__(self, rules: Any) -> None:
        self.rules, self.nearness = rules, Nearness(rules.nearness).name.lower()
        self.fits = cache(self._fits)
        self.parts = cache(self._parts)

    def _fits(self, hand: tuple[str, ...]) -> bool:
        bust = self.rules.nearness == Nearness.OVER_IS_BUST
        return not bust or totals(list(hand), self.rules.half_tens)[0] <= TWENTY_SEVEN

    def side(self, target: int, *hands: tuple[str, ...]) -> float:
        """The part of a side that the first of these hands gets."""
        ranks = []
        for hand in hands:
            total = plain_total(list(hand), target, self.nearness, self.rules.half_tens)
            ranks.append(None if total is None else plain_rank(total, target, self.nearness))
        best = min((rank for rank in ranks if rank is not None), default=None)
        if best is None:
            return self.side(SEVEN + TWENTY_SEVEN - target, *hands)
        return (ranks[0] == best) / ranks.count(best)

    def _parts(
        self, own: tuple[str, ...], said: tuple[int, ...], *others: tuple[str, ...]
    ) -> list[float]:
        if not self.fits(own):
            return [0.0, 0.0, 0.0]
        cards = {seat: list(hand) for seat, hand in enumerate([own, *others])}
        options = (self.nearness, self.rules.half_tens)
        if all(said):
            declared = {seat: SIDES[word - 1] for seat, word in enumerate(said, 1)}
            return [shares(12, cards, *options, {ME: d, **declared})[ME] / 12 for d in SIDES]
        seven, other = self.side(SEVEN, own, *others), self.side(TWENTY_SEVEN, own, *others)
        whole = 24 * 60 * 60
        assert shares(whole, cards, *options)[ME] == pytest.approx(whole * (seven + other) / 2)
        return [seven, other, float(seven == 1 and other == 1)]


def hand_of(cards: Sequence[str]) -> tuple[str, ...]:
    """The ranks of cards: suits count nothing."""
    return tuple(sorted(card[0] for card in cards))


def brute_force(state: np.ndarray, rules: Any, draws: bool) -> list[float]:
    """The equity of the seat that acts against one other, over all cards it does not see."""
    seen, judge = sight(state, rules), Judge(rules)
    (up,), (count,), said = seen.up, seen.hidden, tuple(seen.said)
    sums, cases = np.zeros(6), 0
    for first in range(len(seen.unseen)) if draws else [-1]:
        rest = [card for at, card in enumerate(seen.unseen) if at != first]
        own = hand_of(seen.own)
        then = hand_of([*seen.own, seen.unseen[first]]) if draws else own
        made = Counter(hand_of(up + list(cards)) for cards in combinations(rest, count))
        for other, many in made.items():
            if judge.fits(other):
                parts = judge.parts(own, said, other) + judge.parts(then, said, other)
                sums += many * np.array(parts)
                cases += many
    return (sums / cases).tolist()


def exact_positions(rules: Any, n: int, seed: int, draws: bool, most: int) -> list[np.ndarray]:
    """Positions with two seats in, few unknown cards, and public declarations."""
    found: list[np.ndarray] = []
    for hand in range(400):
        for state in positions(rules, 1, seed + hand, every=3):
            seen = sight(state, rules)
            declaring = state["phase"][0] == Phase.DECLARING
            may = not draws or (state["next"] < state["size"])[0]
            if rules.declare and not (declaring and all(seen.said)):
                continue
            if len(seen.up) == 1 and seen.hidden[0] + draws <= most and may:
                found.append(state)
        if len(found) >= n:
            break
    assert len(found) >= n
    return found[:n]


@pytest.mark.parametrize(
    ("options", "draws"),
    [
        *(({"players": 2, "nearness": rule.name.lower()}, True) for rule in Nearness),
        ({"players": 2, "nearness": "over_is_bust"}, False),
        ({"players": 2, "start_down": 2, "half_tens": True}, True),
        ({"players": 2, "start_down": 2, "half_tens": True}, False),
        ({"players": 3, "draw_up": True}, True),
        ({"players": 2, "pack": "mini", "max_extra": 1}, False),
        ({"players": 2, "pack": "mini"}, True),
        (DECLARES, False),
        (DECLARES | {"nearness": "over_is_bust"}, False),
        (DECLARES | {"nearness": "inside_beats_outside", "start_down": 2}, False),
    ],
    ids=str,
)
def test_exact_equity_is_that_of_brute_force(options: dict[str, Any], draws: bool) -> None:
    rules = GAME.make_rules(None, options)
    for state in exact_positions(rules, 6, 1, draws, expected_share.EXACT):
        wanted = brute_force(state, rules, draws)
        assert expected(state, rules, draws)[0].tolist() == pytest.approx(wanted, abs=1e-12)


def against_two(rules: Any, n: int) -> Iterator[tuple[np.ndarray, Sight]]:
    """Positions with two other seats in, each with one hidden card, after all declarations."""
    for seed in range(400):
        for state in positions(rules, 1, seed):
            seen = sight(state, rules)
            silent = rules.declare and not all(seen.said)
            if seen.hidden == [1, 1] and not silent and n:
                n -= 1
                yield state, seen
                break
    assert n == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"nearness": "over_is_bust"},
        {"half_tens": True},
        {"declare": "sequential", "draw_up": True},
        {"declare": "sequential", "draw_up": True, "nearness": "over_is_bust"},
    ],
    ids=str,
)
def test_many_samples_come_near_brute_force_against_two(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(None, {"players": 3, **options})
    judge = Judge(rules)
    for state, seen in against_two(rules, 8):
        sums, cases = np.zeros(3), 0
        for one in seen.unseen:
            for two in seen.unseen:
                hands = [hand_of([*seen.up[0], one]), hand_of([*seen.up[1], two])]
                if one != two and all(map(judge.fits, hands)):
                    sums += judge.parts(hand_of(seen.own), tuple(seen.said), *hands)
                    cases += 1
        found = expected(state, rules, samples=LONG)[0, :3]
        assert np.abs(found - sums / cases).max() < 0.015


@pytest.mark.parametrize("variant", ["home", "bust", "three-card"])
def test_chance_is_as_far_off_as_is_said(variant: str) -> None:
    rules = GAME.make_rules(variant, {"players": 2})
    states = np.concatenate(exact_positions(rules, 60, 5, False, expected_share.EXACT))
    sampled = np.zeros((len(states), 2, 3))
    sample(states, as_record(rules), expected_share.DECISION_SAMPLES, sampled)
    off = sampled[:, 0] - expected(states, rules, draws=False)[:, :3]
    assert np.sqrt((off**2).mean(axis=0)).max() < 0.0625
    assert np.abs(off.mean(axis=0)).max() < 4 * 0.0625 / np.sqrt(len(states))
    assert np.abs(off).max() < 0.3 and np.abs(off).max() > 0


@pytest.mark.parametrize("draws_on", [False, slow_if(True, True)])
def test_more_samples_tell_the_same_at_a_full_table(draws_on: bool) -> None:
    rules = GAME.make_rules("home")
    states = np.concatenate([s for seed in range(40) for s in positions(rules, 1, seed, every=9)])
    states = states[(states["live"] & states["live"] - 1) != 0]
    few = expected(states, rules, draws_on=draws_on)
    off = few - expected(states, rules, draws_on=draws_on, samples=LONG)
    assert np.sqrt((off**2).mean(axis=0)).max() < 0.0625
    assert np.abs(off.mean(axis=0)).max() < 4 * 0.0625 / np.sqrt(len(states))


@pytest.mark.parametrize("nearness", list(Nearness))
def test_ranks_are_those_of_the_reference(nearness: Nearness) -> None:
    hands = [("A",) * aces + ("2",) * n for aces in range(5) for n in range(60)]
    codes = np.array([2 * h.count("A") + 4 * h.count("2") + ACE * h.count("A") for h in hands])
    found = np.zeros(len(hands), np.int64)
    rank_hands(codes, int(nearness), found)
    rule = nearness.name.lower()
    keys = []
    for target, shift in ((SEVEN, 0), (TWENTY_SEVEN, RANK_BITS)):
        best = [plain_total(list(hand), target, rule) for hand in hands]
        wanted = [(999, 0) if t is None else plain_rank(t, target, rule) for t in best]
        ranks = (found >> shift & RANK).tolist()
        keys.append(dict(zip(ranks, wanted, strict=True)))
        assert [keys[-1][rank] for rank in ranks] == wanted
        assert sorted(keys[-1]) == sorted(keys[-1], key=lambda rank: keys[-1][rank])


# ---- knowledge and play ---------------------------------------------------------------------


@pytest.mark.parametrize("player", [None, "tight", "loose"])
def test_scores_depend_on_nothing_hidden_and_are_those_of_legal_actions(player: str | None) -> None:
    rng = np.random.default_rng(9)
    for seed in range(25):
        rules = GAME.make_rules(None, random_options(GAME, rng))
        for state in positions(rules, 2, seed, every=4):
            anew = np.concatenate([state, resample_copies(GAME, rules, state.repeat(4), seed)])
            scores = GAME.score_actions(anew, rules, rule_agent=player)
            assert np.isfinite(scores).all()
            assert len({row.tobytes() for row in scores}) == 1
            legal = state["legal"] >> np.arange(GAME.actions) & 1
            assert not scores[0][legal == 0].any()


def hot_seat(
    variant: str, cast: Sequence[str], deals: int, deal_set: str, **options: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Let players by name, in turn around the table, play deals, each deal once for each rotation.

    Returns the antes that each wins a hand, their standard errors, and how often each chose what.
    """
    rules, many = GAME.make_rules(variant, options), len(cast)
    agents = [make_baseline(one, GAME, seed) for seed, one in enumerate(cast)]
    rows = Rows(GAME, rules, deals * many)
    rows.deal_numbered(deal_set, np.arange(deals).repeat(many))
    states, seats = rows.states, np.arange(rules.players)
    who = (seats + np.arange(deals * many)[:, None]) % many
    chosen = np.zeros((many, GAME.actions), np.int64)
    rng = np.random.default_rng(1)
    while not (states["over"] != 0).all():
        running = np.flatnonzero(states["over"] == 0)
        actions = np.zeros(rows.n, np.int64)
        players = who[running, states["turn"][running]]
        for k, agent in enumerate(agents):
            mine = running[players == k]
            if len(mine):
                seeds = rng.integers(0, 2**63, len(mine), np.uint64)
                actions[mine] = choose_actions(
                    agent, prepare_turn(agent, GAME, rules, states[mine], seeds)
                )
                chosen[k] += np.bincount(actions[mine], minlength=GAME.actions)
        rows.step(actions, states["over"] == 0)
    assert not states["net"].sum(axis=1).any() and not states["illegal"].any()
    nets = states["net"][:, seats] / rules.ante
    won = np.array(
        [
            [nets[d : d + many][who[d : d + many] == k].mean() for d in range(0, rows.n, many)]
            for k in range(many)
        ]
    )
    return won.mean(axis=1), won.std(axis=1, ddof=1) / np.sqrt(deals), chosen


@pytest.mark.parametrize("variant", ["home", "bust", "declare", "mini"])
def test_greedy_beats_uniform_play(variant: str) -> None:
    least = 0.35 if variant == "mini" else 4.0
    won, error, _ = hot_seat(variant, ["greedy", "uniform"], 400, "players-test")
    assert won[0] > least and won[0] > 5 * error[0]


@pytest.mark.parametrize(
    "variant",
    [slow_if(one in ("bust", "declare"), one) for one in ("home", "bust", "declare", "mini")],
)
@pytest.mark.parametrize("other", ["tight", "loose"])
def test_greedy_beats_the_other_players(variant: str, other: str) -> None:
    won, error, _ = hot_seat(variant, ["greedy", other], 2000, "players-test")
    assert won[0] > 2 * error[0]


def test_three_styles() -> None:
    """Tight folds most and hardly ever raises, loose hardly ever folds, greedy lies between."""
    _, _, chosen = hot_seat("home", ["greedy", "tight", "loose", "uniform"], 300, "players-test")
    bets = chosen[:, :DRAW]
    folds = bets[:, FOLD] / bets.sum(axis=1)
    raises = bets[:, CALL + 1 :].sum(axis=1) / bets.sum(axis=1)
    greedy, tight, loose, _ = folds
    assert tight > 2 * greedy and greedy > 4 * loose and tight > 0.3
    greedy, tight, loose, _ = raises
    assert loose > greedy + 0.1 and greedy > 4 * tight
