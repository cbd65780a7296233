"""The features of crossing lines, compared with a plain count of what they distinguish."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from parlour.envs.core.options import as_record
from parlour.envs.games.poker_squares.values import (
    AFTERSTATES,
    BY_LINE,
    BY_RANK,
    CROSSING,
    LINES,
    MAX_CROSSING_FEATURES,
)
from tests.contract.cases import CASES, Case, positions

ALONE = [case for case in CASES if case.game.name == "poker_squares" and case.players == 1]
SIDES = (1, -1, 5, -5)


def listed(case: Case, state: np.ndarray, action: int) -> list[int]:
    """The numbers of the features in which lines meet, from 0."""
    ids = np.zeros(AFTERSTATES.max_active, np.int32)
    result = AFTERSTATES.active_features(state[0], as_record(case.rules)[0], action, ids)
    return [int(number) - CROSSING for number in ids[LINES + 4 : result]]


def lines_through(square: int) -> tuple[list[int], list[int]]:
    row, column = divmod(square, 5)
    return [5 * row + i for i in range(5)], [5 * i + column for i in range(5)]


def pattern(ranks: list[int]) -> tuple[int, ...]:
    return tuple(sorted(Counter(ranks).values()))


class Table:
    """A grid after a placement, and the unseen cards, as pairs of rank and suit."""

    def __init__(self, case: Case, state: np.ndarray, action: int) -> None:
        shown = state["shown"][0]
        grid = shown["grid"].copy()
        grid[action] = shown["card"]
        self.cards = {i: (int(c) >> 2, int(c) & 3) for i, c in enumerate(grid) if c}
        unseen = np.flatnonzero(shown["unseen"]) + 4
        self.unseen = [(int(card) >> 2, int(card) & 3) for card in unseen]
        self.bound = case.variant == "book"

    def of(self, squares: list[int]) -> list[tuple[int, int]]:
        return [self.cards[square] for square in squares if square in self.cards]

    def reached(self, square: int) -> bool:
        row = square // 5
        beside = [square + step for step in SIDES if abs(step) == 5 or (square + step) // 5 == row]
        return not self.bound or any(other in self.cards for other in beside)

    def flush(self, column: list[tuple[int, int]]) -> tuple[object, int | None]:
        """What a column may become and cards to spare by two; the suit, if it may be a flush."""
        suits, ranks = {suit for _, suit in column}, [rank for rank, _ in column]
        if not column:
            return "empty", None
        suit = min(suits)
        spare = sum(1 for card in self.unseen if card[1] == suit) - (5 - len(column))
        if len(suits) > 1 or len(set(ranks)) < len(ranks) or spare < 0:
            return ("broken", len(set(ranks)) < len(ranks)), None
        return (len(column), min(spare // 2, 3)), suit

    def empty_squares(self) -> Iterator[object]:
        for square in range(25):
            if square not in self.cards:
                row, column = map(self.of, lines_through(square))
                ranks = [rank for rank, _ in row]
                kind, suit = self.flush(column)
                outs = sum(1 for card in self.unseen if card[0] in ranks and card[1] == suit)
                yield len(self.cards), pattern(ranks), kind, min(outs, 3), self.reached(square)

    def ranks(self) -> Iterator[object]:
        rows = [self.of(lines_through(5 * i)[0]) for i in range(5)]
        for rank in range(1, 14):
            counts = [sum(1 for card in row if card[0] == rank) for row in rows if len(row) < 5]
            left = sum(1 for card in self.unseen if card[0] == rank)
            yield len(self.cards), tuple(sorted(count for count in counts if count)), left

    def lines(self) -> Iterator[object]:
        starts = [(lines_through(5 * i)[0], i, "row") for i in range(5)]
        starts += [(lines_through(i)[1], i, "column") for i in range(5)]
        for squares, place, kind in starts if self.bound else []:
            empty = [square for square in squares if square not in self.cards]
            if empty:
                cards = self.of(squares)
                what: object = pattern([rank for rank, _ in cards])
                if kind == "column":
                    what = self.flush(cards)[0]
                    what = what[0] if what[0] != "broken" else what  # type: ignore[index]
                reached = sum(map(self.reached, empty))
                yield len(self.cards), kind, min(place, 4 - place), what, reached


@pytest.mark.parametrize("case", ALONE, ids=str)
def test_features_tell_apart_what_a_plain_count_does(case: Case) -> None:
    """Equal facts have one number, and different facts different numbers, in many games."""
    known: dict[int, object] = {}
    env = case.env(encoding="codes")
    for _ in positions(env, 6, seed=11, every=2):
        state = env.rows.states.copy()
        if state["over"][0] or state["shown"]["placed"][0] == 24:
            continue
        for action in np.flatnonzero(env.action_masks()).tolist():
            numbers, table = listed(case, state, action), Table(case, state, action)
            facts = [*table.empty_squares(), *table.lines(), *table.ranks()]
            assert len(numbers) == len(facts) <= MAX_CROSSING_FEATURES
            for number, fact in zip(numbers, facts, strict=True):
                assert known.setdefault(number, fact) == fact
    assert len(set(known.values())) == len(known) > 500


def test_kinds_of_features_have_ranges_of_their_own() -> None:
    case = next(case for case in ALONE if case.variant == "book")
    env = case.env(encoding="codes")
    env.reset(seed=1)
    action = int(np.flatnonzero(env.action_masks())[0])
    numbers = listed(case, env.rows.states, action)
    kinds = [(number >= BY_LINE) + (number >= BY_RANK) for number in numbers]
    assert Counter(kinds) == {0: 23, 1: 10, 2: 13}


def test_the_last_card_leaves_no_features() -> None:
    case = next(case for case in ALONE if case.variant == "classic")
    env = case.env(encoding="codes")
    env.reset(seed=1)
    for action in range(24):
        env.step(action)
    assert listed(case, env.rows.states, 24) == []
