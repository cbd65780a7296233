"""What a seat may expect of a showdown in Seven Twenty-Seven, held against brute force."""

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.rows import Rows, resample_copies
from parlour.envs.games.seven_twenty_seven.expected_share import EXACT
from parlour.envs.games.seven_twenty_seven.heuristic import _equity, equity
from parlour.envs.games.seven_twenty_seven.rules import Nearness, Phase
from tests.games.test_seven_twenty_seven_rule_agents import ME, SIDES, Sight, positions, sight
from tests.reference.seven_twenty_seven_showdown import TWENTY_SEVEN, shares, totals

GAME = GAMES["seven_twenty_seven"]
WHOLE = 24


def brute_force(seen: Sight, rules: Any) -> float:
    """The part of the pot against one other seat, over all hidden cards, through the showdown."""
    nearness, half = Nearness(rules.nearness).name.lower(), rules.half_tens
    sums, cases = np.zeros(len(SIDES)), 0
    for cards in combinations(seen.unseen, seen.hidden[0]):
        other = seen.up[0] + list(cards)
        if rules.nearness == Nearness.OVER_IS_BUST and totals(other, half)[0] > TWENTY_SEVEN:
            continue
        cases += 1
        hands = {ME: seen.own, 1: other}
        if rules.declare:
            said = SIDES[seen.said[0] - 1]
            for k, own in enumerate(SIDES):
                sums[k] += shares(WHOLE, hands, nearness, half, {ME: own, 1: said})[ME]
        else:
            sums += shares(WHOLE, hands, nearness, half)[ME]
    return float(sums.max()) / cases / WHOLE


def against_one(rules: Any, seed: int, most: int) -> Iterator[tuple[np.ndarray, Sight]]:
    """Positions with one other seat in, which has a limited number of hidden cards."""
    for hand in range(seed, seed + 10**4):
        for state in positions(rules, 1, hand, every=3):
            seen = sight(state, rules)
            silent = state["phase"][0] != Phase.DECLARING or not all(seen.said)
            if len(seen.up) == 1 and seen.hidden[0] <= most and not (rules.declare and silent):
                yield state, seen


@pytest.mark.parametrize(
    "options",
    [
        {"players": 2},
        {"players": 2, "pack": "mini"},
        {"players": 2, "half_tens": True},
        {"players": 3, "draw_up": True},
        {"players": 2, "declare": "sequential"},
        *({"players": 2, "nearness": rule.name.lower()} for rule in Nearness),
    ],
    ids=str,
)
def test_exact_equity_is_that_of_brute_force(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(None, options)
    for state, seen in islice(against_one(rules, 10, 2), 8):
        result = equity(state, rules, int(state["turn"][0]))
        assert result.exact and result.low == result.mean == result.high
        assert result.mean == pytest.approx(brute_force(seen, rules), abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"nearness": "over_is_bust"}, {"start_down": 2}], ids=str)
def test_intervals_cover_the_exact_value(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(None, {"players": 2, **options})
    covered, wide = [], []
    for state, _ in islice(against_one(rules, 500, EXACT), 200):
        exact = _equity(state, rules, 1, EXACT)
        result = _equity(state, rules, 16, -1)
        assert (
            exact.exact and not result.exact and 0 <= result.low <= result.mean <= result.high <= 1
        )
        if 0 < exact.mean < 1:
            covered.append(result.low <= exact.mean <= result.high)
            wide.append(result.high - result.low)
    assert len(covered) >= 150
    assert np.mean(covered) >= 0.90
    assert np.mean(wide) < 0.09


def test_parts_of_all_seats_make_about_a_pot() -> None:
    """All know different things, so only on average."""
    rules = GAME.make_rules("home")
    total = []
    for seed in range(60):
        state = next(positions(rules, 1, seed))
        live = [seat for seat in range(rules.players) if state["live"][0] >> seat & 1]
        result = [equity(state, rules, seat) for seat in live]
        assert not any(one.exact for one in result)
        total.append(sum(one.mean for one in result))
    assert abs(np.mean(total) - 1) < 4 * np.std(total) / np.sqrt(len(total)) + 0.02


def test_hidden_cards_and_the_stock_change_nothing() -> None:
    rules = GAME.make_rules("home")
    for seed in range(20):
        state = next(positions(rules, 1, seed))
        seat = int(state["turn"][0])
        other = resample_copies(GAME, rules, state, 5, seat)
        assert equity(state, rules, seat) == equity(other, rules, seat)


def test_what_makes_no_sense_is_refused() -> None:
    rules = GAME.make_rules("home")
    state = next(positions(rules, 1, 0))
    with pytest.raises(ValueError, match="samples must be 32 or more, got 1"):
        equity(state, rules, 0, samples=1)
    with pytest.raises(ValueError, match=r"seat must be .*, got 7"):
        equity(state, rules, 7)
    rows = Rows(GAME, rules, 1)
    rows.restore(state)
    while not rows.states["over"][0]:
        rows.step(np.array([int(rows.states["legal"][0]).bit_length() - 1]))
    with pytest.raises(ValueError, match="over"):
        equity(rows.states, rules, 0)
