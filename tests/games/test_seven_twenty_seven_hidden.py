"""Seven Twenty-Seven: chips and cards are conserved, and resampling replaces only unknown cards."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import PACK_SIZE, card_name, full_pack, parse_card
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, observation_codes, resample_copies, view_states
from parlour.envs.games.seven_twenty_seven.rules import (
    CALL,
    DRAW,
    FAR,
    FOLD,
    RAISE,
    SEATS,
    STAND,
    Declare,
    Nearness,
    Phase,
    Rules,
    Status,
)
from tests.marks import slow_if
from tests.reference.seven_twenty_seven_comparison import kinds, worth
from tests.reference.seven_twenty_seven_walkers import WALKERS, low_chips

GAME = GAMES["seven_twenty_seven"]
BUST = Nearness.OVER_IS_BUST
MOST = 54
"""Half points above which a lowest total is out where over is bust."""
COPIES = 16
ANEW = {"deck", "cards", "low", "rank", "above", "said", "rng", "shown"}
"""Fields that may change when a state is resampled."""


def positions(rules: Any, games: int, first: int = 0, every: int = 1) -> Iterator[np.ndarray]:
    """Play hands with each walker in turn, and yield the state (one row) at regular steps."""
    rows = Rows(GAME, rules, 1)
    for seed in range(first, first + games):
        rng, walk = np.random.default_rng(seed), [*WALKERS.values()][seed % len(WALKERS)]
        rows.deal_numbered("hidden", [seed])
        while not rows.states["over"][0]:
            if rows.states["moves"][0] % every == seed % every:
                yield rows.states.copy()
            rows.step(np.array([walk(rows, rng)]))
        yield rows.states.copy()


def rule_sets(n: int, first: int = 0) -> Iterator[Any]:
    """Rules with random options, every other one where over is bust."""
    for seed in range(first, first + n):
        options = low_chips(GAME, np.random.default_rng(seed))
        yield GAME.make_rules(None, options | {"nearness": "over_is_bust"} if seed % 2 else options)


# Conserved


def check_conserved(s: Any, rules: Any) -> None:
    """Chips and cards of one state."""
    players, dealt = rules.players, int(s["next"])
    assert s["paid"].sum() == s["pot"] and (s["paid"][:players] >= rules.ante).all()
    assert s["net"].sum() == 0 and (s["over"] or not s["net"].any())
    assert (s["net"] + s["paid"] >= 0).all() and not s["paid"][players:].any()
    pack = GAME.pack(rules)
    assert len(pack) == s["size"] == (6 if rules.pack else 52)
    assert sorted(s["deck"][: s["size"]].tolist()) == sorted(pack) and len(set(pack)) == len(pack)
    assert not s["deck"][s["size"] :].any()
    owners = s["owner"]
    assert (owners[:dealt] > 0).all() and not owners[dealt:].any()
    held = np.bincount(owners[:dealt], minlength=players + 1)[1:]
    assert (held == 1 + rules.start_down + s["taken"][:players]).all()
    seats = s["seats"][:players]
    assert (held == seats["hidden"] + seats["up"].sum(axis=1) + seats["up_faces"]).all()
    assert s["over"] or (s["live"] >> s["turn"] & 1 and s["legal"])


@pytest.mark.parametrize("games", [9, slow_if(True, 36)])
@pytest.mark.parametrize("variant", GAME.variants)
def test_chips_and_cards_are_conserved_in_every_state(variant: str, games: int) -> None:
    rules = GAME.variants[variant]
    for states in positions(rules, games):
        check_conserved(states[0], rules)


def test_chips_and_cards_are_conserved_with_random_options() -> None:
    for rules in rule_sets(60):
        for states in positions(rules, 2):
            check_conserved(states[0], rules)


# What resampling changes, and what it keeps


def check_hidden(states: np.ndarray, rules: Any, seat: int, seed: int) -> int:
    """Resample a state for a seat, and return the number of cards that it does not know."""
    s = states[0]
    others = resample_copies(GAME, rules, states.repeat(COPIES), seed, seat)
    places = np.arange(s["size"])
    known = (s["owner"][places] == seat + 1) | (int(s["up"]) >> places & 1 == 1)
    unknown = places[~known]
    moved = others["deck"]
    assert (np.delete(moved, unknown, axis=1) == np.delete(s["deck"], unknown)).all()
    assert (np.sort(moved[:, unknown]) == np.sort(s["deck"][unknown])).all()
    if len(unknown) > 6 and rules.nearness != BUST:
        assert all(len(set(moved[:, place])) > 1 for place in unknown), "a card stayed put"
    for field in set(states.dtype.names or ()) - ANEW:
        assert (others[field] == s[field]).all(), field

    seats = np.full(COPIES, seat)
    seen = observation_codes(view_states(GAME, rules, others, seats))
    assert (seen == observation_codes(view_states(GAME, rules, states, seats[:1]))).all()
    for field in ("cards", "low", "rank", "above"):
        assert (others[field][:, seat] == s[field][seat]).all(), field
    check_said(others, s, rules, seat)
    check_worths(others[0], rules)
    if rules.nearness == BUST:
        for other in others:
            check_busts(other, rules, seat)

    # states as they would stand with these cards, in all that they show
    real = view_states(GAME, rules, others, others["turn"].astype(np.int64))
    again = resample_copies(GAME, rules, real, seed, seat)
    assert again.tobytes() == others.tobytes(), "what the cards were makes a difference"
    assert again.tobytes() == real.tobytes(), "what is shown has not been dealt anew"
    if seat == s["turn"]:
        acting = resample_copies(GAME, rules, states.repeat(COPIES), seed)
        assert acting.tobytes() == others.tobytes()
    return len(unknown)


def check_said(others: np.ndarray, s: Any, rules: Any, seat: int) -> None:
    """Whether the same seats have declared, and known declarations are the same."""
    assert ((others["said"] > 0) == (s["said"] > 0)).all() and (others["said"] <= 3).all()
    if rules.declare != Declare.SIMULTANEOUS or s["over"]:
        assert (others["said"] == s["said"]).all()
    assert (others["said"][:, seat] == s["said"][seat]).all()


def hand(s: Any, seat: int) -> list[str]:
    """The cards of a seat as dealt."""
    return [card_name(int(s["deck"][place])) for place in np.flatnonzero(s["owner"] == seat + 1)]


def check_worths(s: Any, rules: Any) -> None:
    """The hand of each seat is computed again."""
    nearness = to_plain(rules)["nearness"]
    for seat in range(rules.players):
        cards = tuple(sorted(hand(s, seat)))
        low, *bests = worth(cards, nearness, rules.half_tens)
        assert s["cards"][seat].tolist() == kinds(cards) and s["low"][seat] == low
        for side, target in enumerate((14, 54)):
            best = bests[side]
            assert (s["rank"][seat, side] >= 2048) == (best is None)
            if best is not None:
                assert s["rank"][seat, side] >> 1 == abs(best - target)
                assert s["above"][seat, side] == (best > target)


def check_busts(s: Any, rules: Any, viewer: int) -> None:
    """What all know where over is bust: a lowest total is above 27 exactly where it should."""
    unlooked = s["dealer"] if s["over"] and s["moves"] == 0 else -1
    for seat in range(rules.players):
        counts = [worth((card,), "nearest", rules.half_tens)[0] for card in hand(s, seat)]
        if s["seats"][seat]["status"] == Status.BUSTED:
            assert sum(counts) > MOST >= sum(counts[:-1])
        elif seat != unlooked or not s["live"] >> seat & 1:
            assert sum(counts) <= MOST


@pytest.mark.parametrize(
    "variant",
    [slow_if(one not in ("home", "bust", "declare", "mini"), one) for one in GAME.variants],
)
def test_exactly_what_a_seat_cannot_know_is_dealt_anew(variant: str) -> None:
    rules, most = GAME.variants[variant], 0
    for number, states in enumerate(positions(rules, 12, every=11)):
        for seat in range(rules.players):
            most = max(most, check_hidden(states, rules, seat, number))
    assert most == len(GAME.pack(rules)) - rules.players - rules.start_down


@pytest.mark.parametrize("sets", [16, slow_if(True, 60)])
def test_the_same_with_random_options(sets: int) -> None:
    for seed, rules in enumerate(rule_sets(sets, 500)):
        for states in positions(rules, 1, seed, every=13):
            for seat in range(0, rules.players, 2):
                check_hidden(states, rules, seat, seed)


@pytest.mark.parametrize("players", [2, 10])
def test_busts_by_the_deal(players: int) -> None:
    """Who is left is known to be in, if it was looked at, and else may hold anything."""
    rules = Rules(players, start_down=2, nearness=BUST)
    deals = Rows(GAME, rules, 4000)
    deals.deal_numbered("busts", range(4000))
    states = deals.states[(deals.states["seats"]["status"] == Status.BUSTED).any(axis=1)]
    assert len(states) >= 20
    for number in range(20):
        one = states[number : number + 1]
        check_conserved(one[0], rules)
        for seat in range(players):
            check_hidden(one, rules, seat, number)


def test_an_unlooked_hand_may_be_anything_a_looked_at_one_not() -> None:
    """Both hands of two exceed 27, or could: the dealer's is not looked at if the other's does."""
    rules = Rules(2, start_down=2, nearness=BUST)
    for begin, left in (("Tc 9c Td 9d 8h 5h", 1), ("9h Tc Th Td 2d 9c", 0)):
        states = small(begin, PACK_SIZE, [], rules, 20000)
        assert states["over"][0] and states["live"][0] == 1 << left
        others = resample_copies(GAME, rules, states, 3, 1 - left)
        assert (others["low"][:, left] > MOST).any() == (left == 1)


# How likely each deal is

Table = Callable[[Any], Any]


def expect(others: np.ndarray, kind: Table, weights: Counter[Any]) -> None:
    """Chi-square test of the counts in these states against the weights, at the 0.1 % level."""
    result = Counter(kind(s) for s in others)
    assert not set(result) - set(weights), f"impossible: {set(result) - set(weights)}"
    share = len(others) / sum(weights.values())
    assert min(weights.values()) * share > 5, "too few for this test"
    square = sum((result[one] - share * n) ** 2 / (share * n) for one, n in weights.items())
    assert square < chi2.ppf(0.999, len(weights) - 1)


def small(begin: str, size: int, actions: list[int], rules: Any, copies: int) -> np.ndarray:
    """A state after these actions on a deck that begins so, as if it had only ``size`` cards."""
    cards = [parse_card(card) for card in begin.split()]
    rows = Rows(GAME, rules, 1)
    rows.deal_deck(
        cards + [card for card in GAME.pack(rules) if card not in cards], rules.players - 1
    )
    for action in actions:
        assert int(rows.states["legal"][0]) >> action & 1
        rows.step(np.array([action]))
    states = rows.states.copy()
    states["size"] = size
    return states.repeat(copies)


def exact(s: Any, rules: Any, seat: int, kind: Table) -> Counter[Any]:
    """Every order of the cards that a seat does not know, weighed 1 if all know it can be."""
    places = [
        place
        for place in range(s["size"])
        if not int(s["up"]) >> place & 1 and s["owner"][place] != seat + 1
    ]
    weights, one = Counter[Any](), s.copy()
    for order in permutations(s["deck"][places].tolist()):
        one["deck"][places] = order
        try:
            check_busts(one, rules, seat)
        except AssertionError:
            continue
        weights[kind(one)] += 1
    return weights


def test_every_order_of_few_cards_is_equally_likely() -> None:
    states = small("Tc 5c Td Ac", 6, [], GAME.variants["mini"], 6000)

    def order(s: Any) -> tuple[int, ...]:
        return tuple(s["deck"][[2, 3, 4, 5]].tolist())

    others = resample_copies(GAME, GAME.variants["mini"], states, 1, 0)
    expect(others, order, exact(states[0], GAME.variants["mini"], 0, order))
    assert len({order(s) for s in others}) == 6


def card_at(place: int, s: Any) -> int:
    return int(s["deck"][place])


def test_every_unknown_card_is_equally_likely_anywhere() -> None:
    rows = Rows(GAME, GAME.variants["home"], 1)
    rows.deal_numbered("uniform", [5])
    others = resample_copies(GAME, rows.rules, rows.states.repeat(20000), 2, 0)
    mine = {place for place in range(52) if rows.states["owner"][0][place] == 1}
    unknown = sorted(set(range(4, 52)) - mine)
    weights = Counter(rows.states["deck"][0][unknown].tolist())
    assert len(weights) == 47 and set(weights.values()) == {1}
    for place in (unknown[0], unknown[1], unknown[-1]):
        expect(others, partial(card_at, place), weights)


THREE = Rules(3, start_down=2, nearness=BUST)
KNOWN = "2c Tc 9c Kc Td 8c"
"""Face up a 2, 10 and 9; then one hidden card of each."""


def hidden_hands(s: Any) -> tuple[Any, ...]:
    """The hidden cards of seats 1 and 2, those drawn apart from those dealt."""
    result = []
    for seat in (1, 2):
        dealt, drawn = np.split(s["deck"][np.flatnonzero(s["owner"] == seat + 1)[1:]], [2])
        result.append((tuple(sorted(dealt.tolist())), tuple(drawn.tolist())))
    return tuple(result)


@pytest.mark.parametrize(
    ("begin", "size", "actions", "status"),
    [
        # all in
        (f"{KNOWN} Qc 2d 5c Th 9d", 11, [], "III"),
        # seat 1 has folded to a bet
        (f"{KNOWN} Qc 2d 5c Th 9d", 11, [STAND] * 3 + [RAISE, FOLD], "IFI"),
        # seat 1 has taken a third hidden card; seat 2 one that busts it
        (f"{KNOWN} Qc 2d 5c 3c Th 9d", 12, [STAND, DRAW, DRAW], "IIB"),
        # seat 1 has gone bust
        (f"{KNOWN} Qc 2d 5c Th 3c", 11, [STAND, DRAW, STAND], "IBI"),
    ],
)
def test_where_over_is_bust_each_possible_deal_is_equally_likely(
    begin: str, size: int, actions: list[int], status: str
) -> None:
    states = small(begin, size, actions, THREE, 30000)
    here = states[0]["seats"]["status"][:3]
    assert "".join(" IFB"[one] for one in here) == status
    weights = exact(states[0], THREE, 0, hidden_hands)
    unknown = size - 5
    assert len(weights) > 20 and weights.total() < factorial(unknown), "some deals are ruled out"
    expect(resample_copies(GAME, THREE, states, 4, 0), hidden_hands, weights)


def test_where_over_is_bust_a_pair_of_the_whole_pack_is_as_likely_as_it_should_be() -> None:
    """Two hidden cards next to a ten, with a total of at most 17, out of 48 unknown cards."""
    rules = Rules(2, start_down=2, nearness=BUST)
    states = small("2c Tc 9c Kc Qc Jc", PACK_SIZE, [], rules, 40000)

    def low(s: Any) -> int:
        return int(s["low"][1])

    weights = Counter[Any]()
    worths = {card: worth((card_name(card),), "nearest", False)[0] for card in full_pack()}
    mine = {int(card) for card in states[0]["deck"][[0, 2, 4]]}
    ten = int(states[0]["deck"][1])
    unknown = [worths[card] for card in full_pack() if card != ten and card not in mine]
    for one, other in permutations(range(len(unknown)), 2):
        if (total := 20 + unknown[one] + unknown[other]) <= MOST:
            weights[total] += 1
    expect(resample_copies(GAME, rules, states, 5, 0), low, weights)


# Declarations that are not known yet


def declaring(declare: Declare, output: list[int]) -> tuple[np.ndarray, Any]:
    """Four seats have come to declare, the first of them have."""
    rules = Rules(declare=declare)
    rows = Rows(GAME, rules, 1)
    rows.deal_numbered("declaring", [1], dealer=3)
    while rows.states["phase"][0] != Phase.DECLARING:
        rows.step(np.array([CALL if rows.states["legal"][0] >> CALL & 1 else STAND]))
    for action in output:
        rows.step(np.array([action]))
    return rows.states.copy(), rules


def test_simultaneous_declarations_of_others_are_drawn_anew() -> None:
    states, rules = declaring(Declare.SIMULTANEOUS, [9, 11])
    assert states["said"][0].tolist() == [1, 3, *[0] * 8]
    pairs = Counter((one, other) for one in (1, 2, 3) for other in (1, 2, 3))

    def output(s: Any) -> tuple[int, int]:
        return int(s["said"][0]), int(s["said"][1])

    for seat, own in ((0, 1), (1, 3), (2, 0)):
        others = resample_copies(GAME, rules, states.repeat(3000), 6, seat)
        mine = Counter({pair: 1 for pair in pairs if seat == 2 or pair[seat] == own})
        expect(others, output, mine)
        assert not others["said"][:, 2:].any()
        for different in ([9, 9], [10, 11], [11, 10]):
            if seat == 2 or different[seat] == (9, 11)[seat]:
                those, _ = declaring(Declare.SIMULTANEOUS, different)
                anew = resample_copies(GAME, rules, those.repeat(3000), 6, seat)
                assert anew.tobytes() == others.tobytes()
    states, rules = declaring(Declare.SEQUENTIAL, [9, 11])
    assert (resample_copies(GAME, rules, states.repeat(100), 6, 2)["said"] == states["said"]).all()


# What follows


@pytest.mark.parametrize("variant", ["home", "declare", "three-card", "ten"])
def test_what_follows_looks_the_same_until_a_card_is_seen(variant: str) -> None:
    """A seat that takes no card sees the same until the hand is over, for all hidden cards."""
    rules, compared = GAME.variants[variant], 0
    rows, other = Rows(GAME, rules, 1), Rows(GAME, rules, 1)
    for seed, states in enumerate(positions(rules, 12, every=17)):
        seat, rng = seed % rules.players, np.random.default_rng(seed)
        rows.restore(states)
        other.restore(resample_copies(GAME, rules, states, seed, seat))
        seats, walk = np.array([seat]), [*WALKERS.values()][seed % len(WALKERS)]
        while not rows.states["over"][0]:
            drawing = rows.states["turn"][0] == seat and rows.states["legal"][0] >> DRAW & 1
            action = STAND if drawing else walk(rows, rng)
            for one in (rows, other):
                one.step(np.array([action]))
            if rows.states["over"][0]:
                break
            assert rows.states["legal"][0] == other.states["legal"][0]
            codes = [
                observation_codes(view_states(GAME, rules, one.states, seats))
                for one in (rows, other)
            ]
            assert (codes[0] == codes[1]).all()
            compared += 1
        assert other.states["over"][0]
    assert compared > 100


def test_a_critic_is_told_what_the_others_see_of_their_own_hands() -> None:
    assert GAME.hidden_cards is not None
    told = told_of_nobody = 0
    for rules in rule_sets(12):
        for state in positions(rules, 3, every=4):
            result = GAME.hidden_cards.read(state).reshape(SEATS - 1, 3)
            for k, held in enumerate(result.tolist(), 1):
                seat = (int(state["turn"][0]) + k) % rules.players
                if k >= rules.players or not state["live"][0] >> seat & 1:
                    assert held == [0, 0, 0]
                    told_of_nobody += 1
                    continue
                seen = view_states(GAME, rules, state, np.array([seat]))
                facts = GAME.features.explain(observation_codes(seen)[0])
                own = [facts["off_7"], facts["off_27"], facts["low"]]
                assert held == [min(number, FAR) + 1 for number in own]
                told += 1
    assert told > 100 and told_of_nobody > 100


def test_a_critic_is_told_of_cards_that_no_seat_is_shown() -> None:
    assert GAME.hidden_cards is not None
    rules, differing = GAME.make_rules("home"), []
    for state in positions(rules, 10, every=3):
        if state["over"][0] or state["live"][0].bit_count() < 2:
            continue
        other = resample_copies(GAME, rules, state, 3)
        seat = state["turn"].astype(np.int64)
        here, there = (
            observation_codes(view_states(GAME, rules, one, seat)) for one in (state, other)
        )
        assert (here == there).all()
        differing.append((GAME.hidden_cards.read(state) != GAME.hidden_cards.read(other)).any())
    assert np.mean(differing) > 0.9
