"""The solver of Puss in the Corner agrees with a search of the reference."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.contract import LOST, UNDECIDED
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.rules_table import random_options
from parlour.envs.games.puss_in_the_corner.solver import solve
from tests.reference.puss_in_the_corner import PussInTheCorner
from tests.walkers import WALKERS

GAME = GAMES["puss_in_the_corner"]
MOST = 250
"""Positions of the reference that one late position may have: others are passed over."""


def solvable_options(rng: np.random.Generator) -> dict[str, object]:
    """Random options but those that the solver refuses."""
    return random_options(GAME, rng) | {"sevens": False}


def key(game: PussInTheCorner) -> tuple[Any, ...]:
    """All that the rest of a game depends on, as text."""
    return (
        tuple(game.foundations),
        tuple(map(tuple, game.piles)),
        tuple(game.stock),
        game.card,
        game.group_left,
        tuple(game.gathering),
        game.redeals_used,
        tuple(sorted(game.legal())),
    )


def copied(game: PussInTheCorner) -> PussInTheCorner:
    """A copy of a game."""
    copy = object.__new__(PussInTheCorner)
    copy.__dict__.update(game.__dict__)
    copy.foundations, copy.stock = list(game.foundations), list(game.stock)
    copy.piles, copy.gathering = [list(pile) for pile in game.piles], list(game.gathering)
    return copy


def exhausted(game: PussInTheCorner) -> bool | None:
    """Whether a game can be won, by going through all that can come; None if that is too much."""
    stack, seen = [game], set()
    while stack:
        at = stack.pop()
        if at.won:
            return True
        for action in sorted(at.legal()):
            after = copied(at)
            after.step(action)
            if key(after) not in seen:
                seen.add(key(after))
                stack.append(after)
        if len(seen) > MOST:
            return None
    return False


def played(rules: Any, seed: int, cards_left: int) -> Iterator[tuple[np.ndarray, PussInTheCorner]]:
    """The positions of a game with a limited number of cards to build or to come."""
    rng = np.random.default_rng(seed)
    rows = Rows(GAME, rules, 1)
    rows.deal_numbered("solver", [seed])
    if seed % 2:
        # A deck in which the low cards come early: games in which much is built.
        deck = sorted(rows.states["deck"][0].tolist(), key=lambda card: card + rng.normal(0, 12))
        rows.deal_deck(deck)
    deck = [card_name(int(card)) for card in rows.states["deck"][0]]
    reference = PussInTheCorner(deck, max_moves=10**6, **to_plain(rules))
    walk = WALKERS["greedy" if rng.random() < 0.8 else "uniform"]
    while not rows.states["over"][0]:
        left = 52 - int(rows.states["score"][0])
        stock = int(rows.states["shown"]["stock_count"][0])
        if left <= cards_left or (stock <= 4 and not rows.states["shown"]["redeals_left"][0]):
            yield copy_states(rows.states), copied(reference)
        action = walk(rows, rng)
        rows.step(np.array([action]))
        reference.step(action)


def check_last_pass(state: np.ndarray, rules: Any, wanted: bool, told: Counter[str]) -> None:
    """In the last pass neither part of the cards, nor a search too narrow, may claim too much."""
    at = solve._read_last_pass(state[0], rules)
    assert solve._solve_last_pass(at, 10**6, (1,))[0] in (UNDECIDED, wanted)
    for suits in solve._list_suit_sets(rules):
        result = solve._search(solve._restrict_to_suits(at, suits), 1000, 10**6)[0]
        assert result != LOST or not wanted
        told["part lost"] += result == LOST


def check_late_positions(games: int, first: int, a_game: int) -> Counter[str]:
    """Hold the solver against the reference in late positions of games by random options."""
    told: Counter[str] = Counter()
    for seed in range(first, first + games):
        rng = np.random.default_rng([seed, 7])
        rules = GAME.make_rules(None, solvable_options(rng))
        result = list(played(rules, seed, 7))
        for i in rng.permutation(len(result))[:a_game]:
            state, reference = result[i]
            wanted = exhausted(reference)
            if wanted is None:
                continue
            solution = solve.solve(state, rules)
            assert solution.winnable == wanted, (seed, i, rules)
            redeal = bool(state["shown"]["redeals_left"][0])
            if not redeal and not state["over"][0]:
                check_last_pass(state, rules, wanted, told)
            told[f"{'redeal' if redeal else 'last'} {wanted}"] += 1
            for option, value in to_plain(rules).items():
                told[f"{option} {value} {wanted}"] += 1
    return told


SWITCHES = ("hold_back", "choose_pickup", "direct", "suits")


def test_late_positions_are_those_of_the_reference() -> None:
    told = check_late_positions(90, 0, 3)
    assert sum(n for what, n in told.items() if what.startswith(("last", "redeal"))) >= 200
    for switch in SWITCHES:
        for value in (False, True):
            assert min(told[f"{switch} {value} {won}"] for won in (False, True)) >= 5
    assert min(told[what] for what in ("redeal True", "last True", "last False", "part lost")) >= 10


@pytest.mark.slow
def test_many_late_positions_are_those_of_the_reference() -> None:
    told = check_late_positions(1200, 1000, 5)
    assert sum(n for what, n in told.items() if what.startswith(("last", "redeal"))) >= 2000


def wins_by_reference(deck: list[str], rules: Any, actions: list[int]) -> bool:
    game = PussInTheCorner(deck, max_moves=10**6, **to_plain(rules))
    for action in actions:
        game.step(action)
    return game.won


@pytest.mark.parametrize("variant", GAME.variants)
def test_a_way_to_win_wins_by_the_reference(variant: str) -> None:
    rules = GAME.make_rules(variant)
    rows = Rows(GAME, rules, 3)
    rows.deal_numbered("solver", range(3))
    result = 0
    for i in range(3):
        deck = [card_name(int(card)) for card in rows.states["deck"][i]]
        solution = solve.solve(deck, rules, limit=200_000, optimal=True)
        if solution.winnable:
            assert solution.actions is not None
            assert wins_by_reference(deck, rules, solution.actions)
            assert solution.moves == [GAME.label(action) for action in solution.actions]
            assert solution.fewest in (None, len(solution.actions))
            result += 1
    assert result


def test_a_deal_is_lost_by_its_colours_alone() -> None:
    """Threes to kings of each suit, then the twos: far too many cards lie under higher ones."""
    deck = sorted(range(8, 56), key=lambda card: (-(card & 3) % 3, card))
    deck = [card for card in deck if card >> 2 > 2] + [card for card in deck if card >> 2 == 2]
    solution = solve.solve(deck, GAME.make_rules("no-redeal"))
    assert solution.winnable is False and solution.moves is None


def test_a_search_cut_short_is_open() -> None:
    rows = Rows(GAME, GAME.make_rules("no-redeal"), 1)
    rows.deal_numbered("solver", [0])
    assert solve.solve(rows.states, rows.rules, limit=50).winnable is None


def test_equal_questions_have_equal_answers() -> None:
    rows = Rows(GAME, GAME.make_rules("no-redeal"), 1)
    rows.deal_numbered("solver", [1])
    first, second = (solve.solve(rows.states, rows.rules, limit=30_000) for _ in range(2))
    assert first == second


def test_outcomes_are_those_of_the_positions_after() -> None:
    seen: set[float] = set()
    for seed in range(1, 40, 2):
        rules = GAME.make_rules(None, solvable_options(np.random.default_rng([seed, 7])))
        result = list(played(rules, seed, 7))[:1]
        for state, reference in result:
            outcomes = solve.winnable_after(state, rules)[0]
            assert outcomes.shape == (GAME.actions,) and outcomes.dtype == np.float32
            for action in reference.legal():
                after = copied(reference)
                after.step(action)
                wanted = exhausted(after)
                if wanted is not None:
                    assert outcomes[action] == wanted
                    seen.add(float(wanted))
    assert seen == {0.0, 1.0}


def test_limits_below_one_are_refused() -> None:
    rows = Rows(GAME, GAME.make_rules("no-redeal"), 1)
    rows.deal_numbered("solver", [0])
    with pytest.raises(ValueError, match="limit must be 1 or more, got 0"):
        solve.solve(rows.states, rows.rules, limit=0)
