"""Poker Squares: solver with the order of the stock known.

All cards that will be placed are known, so the best game is their best arrangement on the empty
squares. With up to `EXHAUSTIVE_CARDS` cards the solver tries every arrangement. With more cards it
uses simulated annealing from several starts, with swaps of two cards. The best arrangement that it
finds is a **lower bound** of the best possible score. The random numbers depend only on the cards,
so equal positions have equal answers.

With `adjacent` the order of the cards also matters. During the search, a card that has no neighbor
when it is placed costs points; only arrangements without such isolated cards are kept. The
annealing then also swaps whole rows and columns.
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
"""Maximum number of cards for which the solver tries all arrangements, of which there are 5040."""
STARTS, STEPS = 8, 50_000
"""Number of starts of the annealing, and of swaps from each start."""
WARM, COLD, ISOLATED_COST = 0.05, 0.02, 0.2
"""First and last temperature, and cost of an isolated card, as fractions of the difference between
the best and the worst hand."""
TURNS = 4
"""With `adjacent`, one in `TURNS` swaps exchanges two whole lines instead of two cards."""
NOT_PLACED = 99
"""Stands for the time at which a card is placed, for a square that stays empty."""


@jit
def score_line(grid: np.ndarray, line: int, points: np.ndarray) -> int:
    """Return the points of a line. Lines 0 to 4 are rows, 5 to 9 columns."""
    if line < SIZE:
        return points[category(grid[SIZE * line : SIZE * line + SIZE])]
    return points[category(grid[line - SIZE :: SIZE])]


@jit
def count_isolated(when: np.ndarray, first: int, last: int) -> int:
    """Return the number of cards from ``first`` to ``last`` with no neighbor when placed."""
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
    """Swap two rows or two columns, which does not change any hand."""
    for k in range(SIZE):
        if a < SIZE:
            swap_cards(grid, when, SIZE * a + k, SIZE * b + k)
        else:
            swap_cards(grid, when, SIZE * k + a - SIZE, SIZE * k + b - SIZE)


@jit
def movable_lines(empty: np.ndarray) -> int:
    """Return the set of lines that are empty in the position: rows 0 to 4, columns 5 to 9."""
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
    """Write the points of all lines, and return their sum."""
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

    ``best``, (25,), receives the time at which each square gets its card. Returns the points of the
    best arrangement and the number of arrangements.
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
    """Draw a square on which the card of ``time`` can be placed."""
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
    """Place all cards on random squares where they can be placed."""
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
    """Return the difference of the points of up to four changed lines from those in ``lines``."""
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
    """Swap two of the ``movable`` lines unless the swap isolates more cards.

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
    """Anneal from one start, and return the points of the best arrangement, like `try_all`."""
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
        raise ValueError("option players must be 1 for the solver, got 2")
    return make_position(find_game("poker_squares"), rules, deck_or_state)


def _cards(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the empty squares, and the cards that will be placed on them in order."""
    empty = np.flatnonzero(state["shown"]["grid"][0] == 0)
    first = int(state["next"][0]) - 1
    return empty, state["deck"][0, first : first + len(empty)].copy()


def _generator(state: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """Return a state whose generator is seeded from the grid and the cards to come."""
    seed = 0
    for code in [*state["shown"]["grid"][0].tolist(), *cards.tolist()]:
        seed = (seed * 67 + code) % (1 << 61)
    copy = copy_states(state)
    copy["rng"] = seed
    return copy


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Search for the best arrangement of the cards that will be placed; see the module.

    Args:
        deck_or_state: See `parlour.envs.core.solve.make_position`.
        rules: The rules, for one player.
        optimal: Not used.
        limit: Number of arrangements to try (default: 400 000). With up to `EXHAUSTIVE_CARDS`
            cards, the solver tries all arrangements.

    Returns:
        The solution. ``score`` is the score of the whole grid: exact with up to `EXHAUSTIVE_CARDS`
        cards, otherwise a lower bound of the best score. ``winnable`` is None, since the game has
        no winner.

    Raises:
        ValueError: The game is for two players, or the limit is below 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be 1 or more, got {limit}")
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
    """Return the first and the last coming card that must touch another card."""
    placed = int((state["shown"]["grid"][0] != 0).sum())
    if rules.adjacent == Adjacent.ALL:
        return (0 if placed else 1), SQUARES
    if rules.adjacent == Adjacent.FIRST and rules.starter and placed == 1:
        return 0, 0
    return 1, 0
