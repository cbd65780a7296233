"""The solver of Poker Squares: the best arrangement of the cards to come, by brute force."""

from copy import copy
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.rules_table import random_options
from parlour.envs.games.poker_squares import solver
from tests.reference.poker_squares import PokerSquares
from tests.walkers import WALKERS

GAME = GAMES["poker_squares"]


def reference_of(deck: list[str], rules: Any, actions: list[int]) -> PokerSquares:
    """The slow game in which so much was played."""
    options = to_plain(rules)
    options.pop("players")
    options.pop("wager")
    game = PokerSquares(deck, **options)
    for action in actions:
        game.step(action)
    return game


def best_of(game: PokerSquares) -> int:
    """The best score that can be reached, by playing the cards in every way."""
    if game.over:
        return game.score
    best = -(10**6)
    for square in game.legal():
        after = copy(game)
        after.grid, after._stock = list(game.grid), list(game._stock)
        after.step(square)
        best = max(best, best_of(after))
    return best


def late(rules: Any, seed: int, empty: int) -> tuple[np.ndarray, PokerSquares]:
    """A game with a given number of squares left, in the fast game and the reference."""
    rows = Rows(GAME, rules, 1)
    rows.deal_numbered("solver", [seed])
    rng, played = np.random.default_rng(seed), []
    while 25 - int(rows.states["shown"]["placed"][0]) > empty:
        played.append(WALKERS["greedy" if seed % 3 else "uniform"](rows, rng))
        rows.step(np.array([played[-1]]))
    deck = [card_name(int(card)) for card in rows.states["deck"][0]]
    return copy_states(rows.states), reference_of(deck, rules, played)


def options_of(seed: int) -> Any:
    return GAME.make_rules(
        None, {**random_options(GAME, np.random.default_rng(seed)), "players": 1}
    )


def check(seeds: range, most: int) -> None:
    for seed in seeds:
        rules = options_of(seed)
        state, reference = late(rules, seed, seed % most + 1)
        wanted = best_of(reference)
        solution = solver.solve(state, rules)
        assert solution.score == wanted, (seed, rules)
        assert solution.actions is not None
        for action in solution.actions:
            reference.step(action)
        assert reference.over and reference.score == wanted


def test_late_positions_are_those_of_brute_force() -> None:
    check(range(20), 5)


@pytest.mark.slow
def test_positions_of_six_squares_are_those_of_brute_force() -> None:
    check(range(1000, 1300), 6)


def test_annealing_finds_the_best_of_six_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all ways can be gone through it finds the same, nearly always."""
    equal = 0
    for seed in range(40):
        rules = options_of(seed)
        state, _ = late(rules, seed, 6)
        wanted = solver.solve(state, rules).score
        with monkeypatch.context() as patch:
            patch.setattr(solver, "EXHAUSTIVE_CARDS", 0)
            result = solver.solve(state, rules, limit=20_000).score
        assert result is not None and wanted is not None and result <= wanted
        equal += result == wanted
    assert equal >= 38


@pytest.mark.parametrize("variant", ["book", "classic", "british"])
def test_whole_games_replay_by_the_reference(variant: str) -> None:
    rules = GAME.make_rules(variant)
    rows = Rows(GAME, rules, 3)
    rows.deal_numbered("solver", range(3))
    for i in range(3):
        deck = [card_name(int(card)) for card in rows.states["deck"][i]]
        solution = solver.solve(deck, rules, limit=50_000)
        assert solution.winnable is None and solution.actions is not None
        assert solution.moves == [GAME.label(action) for action in solution.actions]
        game = reference_of(deck, rules, solution.actions)
        assert game.over and game.score == solution.score
        assert solver.solve(deck, rules, limit=50_000) == solution


def test_one_who_knows_the_stock_does_far_better() -> None:
    """The greedy agent scores 115 with these rules; the README has the results of a full search."""
    rules = GAME.make_rules("classic")
    rows = Rows(GAME, rules, 10)
    rows.deal_numbered("solver", range(10))
    scores = [solver.solve(rows.states[i], rules, limit=100_000).score for i in range(10)]
    assert 185 < np.mean([score for score in scores if score is not None]) < 250


def test_two_players_and_limits_below_one_are_refused() -> None:
    rules = GAME.make_rules("duel")
    rows = Rows(GAME, rules, 1)
    rows.deal_numbered("solver", [0])
    with pytest.raises(ValueError, match=r"option players must be 1 .*, got 2"):
        solver.solve(rows.states, rules)
    with pytest.raises(ValueError, match="limit must be 1 or more, got 0"):
        solver.solve(list(range(4, 56)), GAME.make_rules("classic"), limit=0)
