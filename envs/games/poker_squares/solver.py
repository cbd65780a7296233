"""Poker Squares: what one who knew the order of the stock could reach. Compiled.

All the cards that will be placed are known then, and the best game is the best arrangement of them
on the squares that are empty. Up to `EXHAUSTIVE_CARDS` cards are arranged in every way. More are
arranged by simulated annealing: two cards change places, from several beginnings in turn. The best
found is a **lower bound** of what could be reached. Chance comes from the cards alone, so that
equal positions have equal answers.

With `adjacent` the order counts, too: a card that nothing lay beside when it came costs points
while the search goes on, and only arrangements without one are kept. Whole rows and columns change
places then, too.
"""

from typing import Any

import numpy as np

from ...core import upper_bound as truth
from ...core.aliases import State
from ...core.contract import Solution
from ...core.game import find_game
from ...core.kernel.cards import next_random_word, random_below
from ...core.kernel.hands import category
from ...core.kernel.jit import jit
from ...core.rows import copy_states
from .rules import LINES, SIZE, SQUARES, Adjacent, Rules, label

EXHAUSTIVE_CARDS = 7
"""So many cards, or fewer, are arranged in every way: 5040 of them."""
STARTS, STEPS = 8, 50_000
"""Beginnings of the annealing of a deal, and how often two cards change places from each."""
WARM, COLD, ISOLATED_COST = 0.05, 0.02, 0.2
"""Temperatures at the beginning and at the end, and what a card costs that nothing lay beside: in
parts of the difference between the best and the worst hand."""
TURNS = 4
"""With `adjacent`, in one of so many turns two whole lines change places instead of two cards."""
NOT_PLACED = 99
"""When a card comes to a square that stays empty."""


@jit
def score_line(grid: np.ndarray, line: int, points: np.ndarray) -> int:
    """The points of a line: rows are 0 to 4, columns 5 to 9."""
    if line < SIZE:
        return points[category(grid[SIZE * line : SIZE * line + SIZE])]
    return points[category(grid[line - SIZE :: SIZE])]


@jit
def count_isolated(when: np.ndarray, first: int, last: int) -> int:
    """How many of the cards that come first to last have nothing beside them when they come."""
    found = 0
    for square in range(SQUARES):
        own = when[square]
        if first <= own <= last:
            row, column = square // SIZE, square % SIZE
            before = NOT_PLACED
            if row:
                before = min(before, when[square - SIZE])
            if row < SIZE - 1:
                before = min(before, when[square + SIZE])
            if column:
                before = min(before, when[square - 1])
            if column < SIZE - 1:
                before = min(before, when[square + 1])
            found += before > own
    return found


@jit
def swap_cards(grid: np.ndarray, when: np.ndarray, a: int, b: int) -> None:
    """Let the cards of two squares change places."""
    card, time = grid[a], when[a]
    grid[a], when[a] = grid[b], when[b]
    grid[b], when[b] = card, time


@jit
def swap_lines(grid: np.ndarray, when: np.ndarray, a: int, b: int) -> None:
    """Let two rows, or two columns, change places: that changes no hand."""
    for k in range(SIZE):
        if a < SIZE:
            swap_cards(grid, when, SIZE * a + k, SIZE * b + k)
        else:
            swap_cards(grid, when, SIZE * k + a - SIZE, SIZE * k + b - SIZE)


@jit
def movable_lines(empty: np.ndarray) -> int:
    """The set of lines on which nothing lay before: rows 0 to 4, columns 5 to 9."""
    found = 0
    for line in range(LINES):
        squares = 0
        for square in empty:
            squares += square // SIZE == line or square % SIZE == line - SIZE
        if squares == SIZE:
            found |= 1 << line
    return found


@jit
def score_lines(grid: np.ndarray, lines: State, points: np.ndarray) -> int:
    """Work out the points of all lines; return their sum."""
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
    """Arrange the cards on the empty squares in every way (Heap's algorithm, 1963).

    ``best`` (25,) receives when the card of each square came. Returns its points and how many
    arrangements there were.
    """
    n = len(empty)
    lines, count = np.zeros(LINES, np.int64), np.zeros(n, np.int64)
    most, nodes, i = -(1 << 30), 0, 0
    while True:
        nodes += 1
        if count_isolated(when, first, last) == 0:
            total = score_lines(grid, lines, points)
            if total > most:
                most = total
                best[:] = when
        while i < n and count[i] >= i:
            count[i] = 0
            i += 1
        if i == n:
            return most, nodes
        swap_cards(grid, when, empty[0] if i % 2 == 0 else empty[count[i]], empty[i])
        count[i] += 1
        i = 0


@jit
def draw_square(
    s: State, empty: np.ndarray, when: np.ndarray, time: int, first: int, last: int
) -> int:
    """Draw a square where the card that comes at a time may go."""
    chosen, seen = -1, 0
    for square in empty:
        if when[square] != NOT_PLACED:
            continue
        when[square] = time
        if count_isolated(when, max(first, time), min(last, time)) == 0:
            seen += 1
            if random_below(s, seen) == 0:
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
    """Place the cards by chance, each where it may go."""
    for square in empty:
        when[square] = NOT_PLACED
    for time in range(len(cards)):
        chosen = draw_square(s, empty, when, time, first, last)
        grid[chosen] = cards[time]
        when[chosen] = time


@jit(inline="always")  # else Numba counts references to the arrays at every call
def line_gain(
    grid: np.ndarray, lines: np.ndarray, changed: tuple[int, ...], points: np.ndarray
) -> int:
    """What the points of four lines, a row and a column twice, are more than ``lines`` says."""
    gain = 0
    for k in range(4):
        if k < 2 or changed[k] != changed[k - 2]:
            gain += score_line(grid, changed[k], points) - lines[changed[k]]
    return gain


@jit
def try_line_swap(
    s: State, free: int, grid: np.ndarray, when: np.ndarray, lines: np.ndarray, first: int,
    last: int, alone: int,
) -> int:  # fmt: skip
    """Let two of the ``free`` lines change places unless more cards are isolated then.

    ``alone``: how many are isolated. Returns how many are then.
    """
    a = random_below(s, LINES)
    b = a // SIZE * SIZE + random_below(s, SIZE)
    if a == b or (free >> a) & (free >> b) & 1 == 0:
        return alone
    swap_lines(grid, when, a, b)
    now = count_isolated(when, first, last)
    if now > alone:
        swap_lines(grid, when, a, b)
        return alone
    lines[a], lines[b] = lines[b], lines[a]
    return now


@jit
def anneal(
    s: State, cards: np.ndarray, empty: np.ndarray, grid: np.ndarray, when: np.ndarray, first: int,
    last: int, points: np.ndarray, steps: int, best: np.ndarray,
) -> int:  # fmt: skip
    """Exchange cards so often from one beginning; return the points of the best, as `try_all`."""
    n = len(empty)
    place_at_random(s, cards, empty, grid, when, first, last)
    lines = np.zeros(LINES, np.int64)
    total, alone = score_lines(grid, lines, points), 0
    most = total
    best[:] = when
    spread = max(float(points.max() - points.min()), 1.0)
    heat, cool = WARM * spread, (COLD / WARM) ** (1.0 / steps)
    free = movable_lines(empty) if first <= last else 0
    for turn in range(steps):
        heat *= cool
        if free and turn % TURNS == 0:
            alone = try_line_swap(s, free, grid, when, lines, first, last, alone)
        else:
            a, b = empty[random_below(s, n)], empty[random_below(s, n)]
            if a == b:
                continue
            swap_cards(grid, when, a, b)
            changed = (a // SIZE, SIZE + a % SIZE, b // SIZE, SIZE + b % SIZE)
            gain = line_gain(grid, lines, changed, points)
            now = count_isolated(when, first, last) if first <= last else 0
            better = gain - (now - alone) * ISOLATED_COST * spread
            chance = float(next_random_word(s) >> np.uint64(11)) / (1 << 53)
            if better < 0 and chance >= np.exp(better / heat):
                swap_cards(grid, when, a, b)
                continue
            for line in changed:
                lines[line] = score_line(grid, line, points)
            total += gain
            alone = now
        if alone == 0 and total > most:
            most = total
            best[:] = when
    return most


def _position(deck_or_state: Any, rules: Rules) -> np.ndarray:
    if rules.players > 1:
        raise ValueError("only games for one player are solved: players=2")
    return truth.make_position(find_game("poker_squares"), rules, deck_or_state)


def _cards(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The squares that are empty, and the cards that will be placed on them, in turn."""
    empty = np.flatnonzero(state["shown"]["grid"][0] == 0)
    first = int(state["next"][0]) - 1
    return empty, state["deck"][0, first : first + len(empty)].copy()


def _generator(state: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """A state whose generator is seeded by what lies and by the cards to come."""
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

    ``deck_or_state``: see `truth.make_position`. ``limit`` is how many arrangements are looked at,
    400 000 by default; up to `EXHAUSTIVE_CARDS` cards all are, whatever it says. ``score`` is that
    of the whole grid: exact up to `EXHAUSTIVE_CARDS` cards, else a lower bound of the best.
    ``winnable`` is None: nobody wins here. ``optimal`` changes nothing. Raises ValueError for games
    of two players and for a limit below 1.
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
        most, nodes = try_all(empty, grid, when, first, last, points, best)
    else:
        steps = STEPS if limit is None else min(limit, STEPS)
        starts = STARTS if limit is None else max(limit // steps, 1)
        most, nodes, found = -(1 << 30), steps * starts, best.copy()
        for _ in range(starts):
            score = anneal(s[0], cards, empty, grid, when, first, last, points, steps, found)
            if score > most:
                most, best = score, found.copy()
    actions = [int(np.flatnonzero(best == time)[0]) for time in range(len(empty))]
    end = truth.play_actions(find_game("poker_squares"), rules, state, actions)
    assert end["over"][0] and end["score"][0] == most
    return Solution(None, [label(action) for action in actions], nodes, actions, int(most))


def _adjacent_range(state: np.ndarray, rules: Rules) -> tuple[int, int]:
    """Which of the cards to come must lie beside another: the first and the last of them."""
    placed = int((state["shown"]["grid"][0] != 0).sum())
    if rules.adjacent == Adjacent.ALL:
        return (0 if placed else 1), SQUARES
    if rules.adjacent == Adjacent.FIRST and rules.starter and placed == 1:
        return 0, 0
    return 1, 0
