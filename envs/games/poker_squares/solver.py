"""Poker Squares: solver with the order of the stock known. Compiled.

All cards that will be placed are known, so the best game is their best arrangement on the empty
squares. Up to `EXHAUSTIVE_CARDS` cards, every arrangement is tried. More cards are arranged by
simulated annealing, which swaps two cards, from several starts. The best arrangement found is a
**lower bound** of the best possible score. The random numbers depend on the cards alone, so that
equal positions have equal answers.

With `adjacent` the order counts, too. During the search a card that was isolated when it came costs
points; only arrangements without isolated cards are kept. The annealing then also swaps whole rows
and columns.
"""

from typing import Any

import numpy as np

from ...core.contract import Solution
from ...core.game import find_game
from ...core.kernel.jit import jit
from ...core.kernel.rng import next_random_word, random_below
from ...core.rows import copy_states
from ...core.solve import make_position, play_actions
from ...core.type_aliases import State
from .kernel import category
from .rules import LINES, SIZE, SQUARES, Adjacent, Rules, label

EXHAUSTIVE_CARDS = 7
"""The largest number of cards of which all arrangements, 5040, are tried."""
STARTS, STEPS = 8, 50_000
"""Starts of the annealing of a deal, and swaps from each start."""
WARM, COLD, ISOLATED_COST = 0.05, 0.02, 0.2
"""First and last temperature, and cost of an isolated card, as fractions of the difference between
the best and the worst hand."""
TURNS = 4
"""With `adjacent`, one of `TURNS` swaps exchanges two whole lines instead of two cards."""
NOT_PLACED = 99
"""Time at which a card comes to a square that stays empty."""


@jit
def score_line(grid: np.ndarray, line: int, points: np.ndarray) -> int:
    """Return the points of a line: rows are 0 to 4, columns 5 to 9."""
    if line < SIZE:
        return points[category(grid[SIZE * line : SIZE * line + SIZE])]
    return points[category(grid[line - SIZE :: SIZE])]


@jit
def count_isolated(when: np.ndarray, first: int, last: int) -> int:
    """Return how many of the cards ``first`` to ``last`` have no neighbor when they come."""
    isolated = 0
    for square in range(SQUARES):
        time = when[square]
        if first <= time <= last:
            row, column = square // SIZE, square % SIZE
            earliest_neighbor = NOT_PLACED
            if row:
                earliest_neighbor = min(earliest_neighbor, when[square - SIZE])
            if row < SIZE - 1:
                earliest_neighbor = min(earliest_neighbor, when[square + SIZE])
            if column:
                earliest_neighbor = min(earliest_neighbor, when[square - 1])
            if column < SIZE - 1:
                earliest_neighbor = min(earliest_neighbor, when[square + 1])
            isolated += earliest_neighbor > time
    return isolated


@jit
def swap_cards(grid: np.ndarray, when: np.ndarray, a: int, b: int) -> None:
    """Swap the cards of two squares."""
    card, time = grid[a], when[a]
    grid[a], when[a] = grid[b], when[b]
    grid[b], when[b] = card, time


@jit
def swap_lines(grid: np.ndarray, when: np.ndarray, a: int, b: int) -> None:
    """Swap two rows, or two columns. That changes no hand."""
    for k in range(SIZE):
        if a < SIZE:
            swap_cards(grid, when, SIZE * a + k, SIZE * b + k)
        else:
            swap_cards(grid, when, SIZE * k + a - SIZE, SIZE * k + b - SIZE)


@jit
def movable_lines(empty: np.ndarray) -> int:
    """Return the set of lines that were empty: rows 0 to 4, columns 5 to 9."""
    lines = 0
    for line in range(LINES):
        squares = 0
        for square in empty:
            squares += square // SIZE == line or square % SIZE == line - SIZE
        if squares == SIZE:
            lines |= 1 << line
    return lines


@jit
def score_lines(grid: np.ndarray, lines: State, points: np.ndarray) -> int:
    """Write the points of all lines; return their sum."""
    total = 0
    for line in range(LINES):
        lines[line] = score_line(grid, line, points)
        total += lines[line]
    return total


@jit
def try_all(
    empty: np.ndarray, grid: np.ndarray, when: np.ndarray, first: int, last: int,
    points: np.ndarray, best: np.ndarray,
) -> tuple[int, int]:  # fmt: skip
    """Try every arrangement of the cards on the empty squares (Heap's algorithm, 1963).

    ``best``, (25,), receives when the card of each square comes. Returns its points and the number
    of arrangements.
    """
    n = len(empty)
    lines, counters = np.zeros(LINES, np.int64), np.zeros(n, np.int64)
    best_points, nodes, i = -(1 << 30), 0, 0
    while True:
        nodes += 1
        if count_isolated(when, first, last) == 0:
            total = score_lines(grid, lines, points)
            if total > best_points:
                best_points = total
                best[:] = when
        while i < n and counters[i] >= i:
            counters[i] = 0
            i += 1
        if i == n:
            return best_points, nodes
        swap_cards(grid, when, empty[0] if i % 2 == 0 else empty[counters[i]], empty[i])
        counters[i] += 1
        i = 0


@jit
def draw_square(
    s: State, empty: np.ndarray, when: np.ndarray, time: int, first: int, last: int
) -> int:
    """Draw a square on which the card that comes at ``time`` can be placed."""
    chosen, candidates = -1, 0
    for square in empty:
        if when[square] != NOT_PLACED:
            continue
        when[square] = time
        if count_isolated(when, max(first, time), min(last, time)) == 0:
            candidates += 1
            if random_below(s, candidates) == 0:
                chosen = square
        when[square] = NOT_PLACED
    return chosen


@jit
def place_at_random(
    s: State,
    cards: np.ndarray,
    empty: np.ndarray,
    grid: np.ndarray,
    when: np.ndarray,
    first: int,
    last: int,
) -> None:
    """Place all cards at random, each where it can be placed."""
    for square in empty:
        when[square] = NOT_PLACED
    for time in range(len(cards)):
        chosen = draw_square(s, empty, when, time, first, last)
        grid[chosen] = cards[time]
        when[chosen] = time


@jit(inline="always")  # Without inlining, Numba counts references to the arrays at every call.
def line_gain(
    grid: np.ndarray, lines: np.ndarray, changed: tuple[int, ...], points: np.ndarray
) -> int:
    """Return how much the points of up to four changed lines exceed those in ``lines``."""
    gain = 0
    for k in range(4):
        if k < 2 or changed[k] != changed[k - 2]:
            gain += score_line(grid, changed[k], points) - lines[changed[k]]
    return gain


@jit
def try_line_swap(
    s: State, movable: int, grid: np.ndarray, when: np.ndarray, lines: np.ndarray, first: int,
    last: int, isolated: int,
) -> int:  # fmt: skip
    """Swap two of the ``movable`` lines unless that isolates more cards.

    ``isolated`` is the number of isolated cards. Returns the new number.
    """
    a = random_below(s, LINES)
    b = a // SIZE * SIZE + random_below(s, SIZE)
    if a == b or (movable >> a) & (movable >> b) & 1 == 0:
        return isolated
    swap_lines(grid, when, a, b)
    isolated_after = count_isolated(when, first, last)
    if isolated_after > isolated:
        swap_lines(grid, when, a, b)
        return isolated
    lines[a], lines[b] = lines[b], lines[a]
    return isolated_after


@jit
def anneal(
    s: State, cards: np.ndarray, empty: np.ndarray, grid: np.ndarray, when: np.ndarray, first: int,
    last: int, points: np.ndarray, steps: int, best: np.ndarray,
) -> int:  # fmt: skip
    """Anneal from one start; return the points of the best arrangement, as `try_all` does."""
    n = len(empty)
    place_at_random(s, cards, empty, grid, when, first, last)
    lines = np.zeros(LINES, np.int64)
    total, isolated = score_lines(grid, lines, points), 0
    best_points = total
    best[:] = when
    spread = max(float(points.max() - points.min()), 1.0)
    temperature, cooling = WARM * spread, (COLD / WARM) ** (1.0 / steps)
    movable = movable_lines(empty) if first <= last else 0
    for turn in range(steps):
        temperature *= cooling
        if movable and turn % TURNS == 0:
            isolated = try_line_swap(s, movable, grid, when, lines, first, last, isolated)
        else:
            a, b = empty[random_below(s, n)], empty[random_below(s, n)]
            if a == b:
                continue
            swap_cards(grid, when, a, b)
            changed = (a // SIZE, SIZE + a % SIZE, b // SIZE, SIZE + b % SIZE)
            gain = line_gain(grid, lines, changed, points)
            isolated_after = count_isolated(when, first, last) if first <= last else 0
            better = gain - (isolated_after - isolated) * ISOLATED_COST * spread
            draw = float(next_random_word(s) >> np.uint64(11)) / (1 << 53)
            if better < 0 and draw >= np.exp(better / temperature):
                swap_cards(grid, when, a, b)
                continue
            for line in changed:
                lines[line] = score_line(grid, line, points)
            total += gain
            isolated = isolated_after
        if isolated == 0 and total > best_points:
            best_points = total
            best[:] = when
    return best_points


def _position(deck_or_state: Any, rules: Rules) -> np.ndarray:
    if rules.players > 1:
        raise ValueError("only games for one player are solved: players=2")
    return make_position(find_game("poker_squares"), rules, deck_or_state)


def _cards(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the empty squares, and the cards that will be placed on them, in order."""
    empty = np.flatnonzero(state["shown"]["grid"][0] == 0)
    first = int(state["next"][0]) - 1
    return empty, state["deck"][0, first : first + len(empty)].copy()


def _generator(state: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """Return a state whose generator is seeded by the grid and the cards to come."""
    seed = 0
    for code in [*state["shown"]["grid"][0].tolist(), *cards.tolist()]:
        seed = (seed * 67 + code) % (1 << 61)
    copy = copy_states(state)
    copy["rng"] = seed
    return copy


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Return the best arrangement found of the cards that will be placed: see the module.

    Args:
        deck_or_state: see `parlour.envs.core.solve.make_position`.
        rules: the rules of the game, for one player.
        optimal: not used.
        limit: number of arrangements to try, 400 000 by default. Up to `EXHAUSTIVE_CARDS` cards all
            arrangements are tried.

    Returns:
        The solution. ``score`` is that of the whole grid: exact up to `EXHAUSTIVE_CARDS` cards,
        else a lower bound of the best. ``winnable`` is None, because nobody wins.

    Raises:
        ValueError: for games of two players and for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: allowed are numbers from 1")
    state = _position(deck_or_state, rules)
    if state["over"][0]:
        return Solution(None, [], 0, [], int(state["score"][0]))
    empty, cards = _cards(state)
    grid = state["shown"]["grid"][0].copy()
    when = np.where(grid == 0, NOT_PLACED, -1)
    points = state["points"][0].astype(np.int64)
    first, last = _adjacent_range(state, rules)
    best, s = when.copy(), _generator(state, cards)
    if len(empty) <= EXHAUSTIVE_CARDS:
        grid[empty], when[empty] = cards, np.arange(len(empty))
        best_points, nodes = try_all(empty, grid, when, first, last, points, best)
    else:
        steps = STEPS if limit is None else min(limit, STEPS)
        starts = STARTS if limit is None else max(limit // steps, 1)
        best_points, nodes, arrangement = -(1 << 30), steps * starts, best.copy()
        for _ in range(starts):
            score = anneal(s[0], cards, empty, grid, when, first, last, points, steps, arrangement)
            if score > best_points:
                best_points, best = score, arrangement.copy()
    actions = [int(np.flatnonzero(best == time)[0]) for time in range(len(empty))]
    end = play_actions(find_game("poker_squares"), rules, state, actions)
    assert end["over"][0] and end["score"][0] == best_points
    return Solution(None, [label(action) for action in actions], nodes, actions, int(best_points))


def _adjacent_range(state: np.ndarray, rules: Rules) -> tuple[int, int]:
    """Return the first and the last of the cards to come that must touch another card."""
    placed = int((state["shown"]["grid"][0] != 0).sum())
    if rules.adjacent == Adjacent.ALL:
        return (0 if placed else 1), SQUARES
    if rules.adjacent == Adjacent.FIRST and rules.starter and placed == 1:
        return 0, 0
    return 1, 0
