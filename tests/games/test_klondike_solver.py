"""The solver of Klondike against an exhaustive search through the game."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.legal import list_actions
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.solve import play_actions
from parlour.envs.games.klondike.kernel import write_outcome
from parlour.envs.games.klondike.knowledge import show_ends, show_waste
from parlour.envs.games.klondike.rules import COLUMN_UP, COLUMNS, MOVE, WASTE_UP
from parlour.envs.games.klondike.solver.solve import solve, winnable_after
from tests.marks import slow_if

GAME = GAMES["klondike"]


def random_deck(rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(np.arange(4, 56)).astype(np.int8)


def check_win(position: Any, rules: Any, solution: Any) -> None:
    assert solution.actions is not None and solution.moves is not None
    assert solution.moves == [GAME.label(action) for action in solution.actions]
    assert play_actions(GAME, rules, position, solution.actions)["won"][0]


# Late positions


def late_heights(rng: np.random.Generator) -> list[int]:
    """How many cards of each suit are up in a late position."""
    while True:
        low, high = ((4, 10), (0, 13))[int(rng.random() < 0.3)]
        heights = rng.integers(low, high + 1, 4).tolist()
        if 12 <= 52 - sum(heights) <= 26:
            return heights


def deal_late(rng: np.random.Generator, cards: list[int]) -> list[list[int]]:
    """Deal cards to seven columns, as many to each as to the others, low cards mostly first."""
    noise = rng.choice([1.0, 3.0, 5.0, 100.0])
    cards = sorted(cards, key=lambda card: (card >> 2) + rng.normal(0, noise))
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    for card in cards:
        open_to = [k for k in range(COLUMNS) if len(columns[k]) <= k]
        high = min(len(columns[k]) for k in open_to)
        columns[int(rng.choice([k for k in open_to if len(columns[k]) == high]))].append(card)
    return columns


def late_position(rng: np.random.Generator, rules: Any) -> np.ndarray:
    """A position with few cards left that can occur in a game, (1,)."""
    heights = late_heights(rng)
    cards = [4 * value + s for s in range(4) for value in range(heights[s] + 1, 14)]
    rng.shuffle(cards)
    size = int(rng.integers(0, 8))
    pile = cards[:size]
    columns = deal_late(rng, cards[size:])
    rows = Rows(GAME, rules, 1)
    rows.deal_deck(list(range(4, 56)))
    states = copy_states(rows.states)
    s, shown = states[0], states["shown"][0]
    turned = int(rng.integers(0, size + 1))
    s["column"][:], s["waste"][:], s["stock"][:] = 0, 0, 0
    s["waste"][:turned] = pile[:turned]
    s["stock"][: size - turned] = pile[turned:][::-1]
    shown["waste_count"], shown["stock_count"] = turned, size - turned
    shown["foundations"][:] = heights
    for column, cards in enumerate(columns):
        s["column"][column][: len(cards)], s["count"][column] = cards, len(cards)
        shown["face_down"][column] = max(len(cards) - 1, 0)
        show_ends(s, column)
    s["redeals"] = rng.integers(0, rules.passes) if rules.passes else 0
    show_waste(s)
    write_outcome(s, as_record(rules)[0])
    return states


def key_of(states: np.ndarray, rules: Any) -> tuple[Any, ...]:
    """All that the rest of the game depends on."""
    s, shown = states[0], states["shown"][0]
    columns = [
        (s["column"][k][: s["count"][k]].tobytes(), int(shown["face_down"][k]))
        for k in range(COLUMNS)
    ]
    memory = int(s["redeals"]) if rules.passes else int(shown["may_redeal"])
    piles = s["waste"].tobytes(), s["stock"].tobytes(), shown["foundations"].tobytes()
    return (*sorted(columns), *piles, memory)


def goes_up(action: int) -> bool:
    return action == WASTE_UP or COLUMN_UP <= action < MOVE


def search_all(states: np.ndarray, rules: Any, most: int) -> bool | None:
    """Whether a position can be won, by trying everything; None if that is too much."""
    record, step = as_record(rules)[0], GAME.kernels.step
    met, todo = {key_of(states, rules)}, [states]
    while todo:
        before = todo.pop()
        if before["won"][0]:
            return True
        for action in sorted(list_actions(before["legal"][0]), key=goes_up):
            after = before.copy()
            step(after[0], record, action)
            key = key_of(after, rules)
            if key not in met:
                met.add(key)
                todo.append(after)
        if len(met) > most:
            return None
    return False


def random_rules(rng: np.random.Generator) -> Any:
    return GAME.make_rules(
        None,
        {
            "draw": int(rng.choice([1, 3])),
            "passes": int(rng.choice([0, 0, 1, 2, 9])),
            "partial_runs": bool(rng.random() < PARTIAL_SHARE),
            "worry_back": bool(rng.random() < 0.6),
        },
    )


PARTIAL_SHARE = 0.6


def compare_late(seed: int, positions: int, most: int) -> Counter[tuple[Any, ...]]:
    """Compare the solver with the search on late positions, and return the counts of results."""
    rng = np.random.default_rng(seed)
    came: Counter[tuple[Any, ...]] = Counter()
    for _ in range(positions):
        rules = random_rules(rng)
        states = late_position(rng, rules)
        if states["over"][0]:
            continue
        truth = search_all(states, rules, most)
        solution = solve(states, rules)
        if truth is not None:
            assert solution.winnable is truth, (rules, key_of(states, rules))
        if solution.winnable:
            check_win(states, rules, solution)
        came[rules.worry_back, rules.partial_runs, truth] += 1
    return came


@pytest.mark.parametrize("positions", [20, slow_if(True, 60)])
def test_late_positions(positions):
    came = compare_late(1, positions, 3000)
    assert came.total() - came[True, True, None] > positions / 2


@pytest.mark.slow
def test_many_late_positions():
    came = compare_late(2, 600, 20_000)
    for worry_back in (False, True):
        for partial_runs in (False, True):
            assert min(came[worry_back, partial_runs, won] for won in (False, True)) > 5


def test_after_each_action():
    rng = np.random.default_rng(3)
    for _ in range(15):
        rules = random_rules(rng)
        states = late_position(rng, rules)
        if states["over"][0]:
            continue
        values = winnable_after(states, rules)
        assert values.shape == (1, GAME.actions) and values.dtype == np.float32
        for action in range(GAME.actions):
            if action not in list_actions(states["legal"][0]):
                assert values[0, action] == 0
                continue
            after = states.copy()
            GAME.kernels.step(after[0], as_record(rules)[0], action)
            assert values[0, action] == solve(after, rules).winnable


# Whole deals


@pytest.mark.parametrize("variant", GAME.variants)
def test_wins_are_wins(variant):
    rules = GAME.make_rules(variant)
    rng = np.random.default_rng(4)
    result = 0
    for _ in range(12):
        deck = random_deck(rng)
        solution = solve(deck.tolist(), rules, limit=200_000)
        assert solution.fewest is None
        if solution.winnable:
            rows = Rows(GAME, rules, 1)
            rows.deal_deck(deck.tolist())
            check_win(copy_states(rows.states), rules, solution)
            result += 1
    assert result


def test_what_is_said_of_a_finished_game():
    rules = GAME.make_rules(None)
    rows = Rows(GAME, rules, 1)
    rng = np.random.default_rng(7)
    while True:
        deck = random_deck(rng).tolist()
        solution = solve(deck, rules)
        if solution.winnable:
            break
    rows.deal_deck(deck)
    end = play_actions(GAME, rules, copy_states(rows.states), solution.actions)
    assert solve(end, rules).winnable and solve(end, rules).actions == []
    assert not winnable_after(end, rules).any()


def test_limit():
    rules = GAME.make_rules(None)
    rng = np.random.default_rng(8)
    open_deals = [solve(random_deck(rng).tolist(), rules, limit=1).winnable for _ in range(5)]
    assert None in open_deals
