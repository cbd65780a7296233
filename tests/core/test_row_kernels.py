"""Kernels of one state over rows: every row, by the rules, with the seat that is asked for."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.row_kernels import (
    make_resample_rows,
    make_score_rows,
    make_view_rows,
)
from tests.core.tiny import STATE, as_python, begin

RULES = begin(players=3).rules_record


def states() -> np.ndarray:
    made = np.zeros(3, STATE)
    made["turn"] = [0, 1, 2]
    made["illegal"] = 0b111
    return made


def note(s: Any, rules: Any, seat: int) -> None:
    """Leave in the state by which rules and for which seat it was called."""
    s["points"][0], s["points"][1] = rules.players, seat


@pytest.mark.parametrize(("seat", "seats"), [(-1, [0, 1, 2]), (0, [0, 0, 0]), (2, [2, 2, 2])])
def test_rows_are_dealt_anew_for_a_seat_or_for_that_at_turn(seat: int, seats: list[int]) -> None:
    made = states()
    as_python(make_resample_rows(note))(made, RULES, seat)
    assert made["points"][:, 1].tolist() == seats
    assert made["points"][:, 0].tolist() == [3, 3, 3]


@pytest.mark.parametrize(("seat", "left"), [(-1, [1, 2, 4]), (1, [2, 2, 2])])
def test_only_ones_own_illegal_action_stays_known(seat: int, left: list[int]) -> None:
    made = states()
    as_python(make_resample_rows(note))(made, RULES, seat)
    assert made["illegal"].tolist() == left


def test_each_row_is_viewed_by_its_own_seat() -> None:
    made = states()
    as_python(make_view_rows(note))(made, RULES, np.array([2, 0, 1]))
    assert made["points"][:, :2].tolist() == [[3, 2], [3, 0], [3, 1]]


def test_each_row_is_scored_into_its_own_row() -> None:
    def score(s: Any, rules: Any, weights: Any, scores: Any) -> None:
        scores[s["turn"]] = rules.players + weights[0]

    scores = np.zeros((3, 3))
    as_python(make_score_rows(score))(states(), RULES, np.array([0.5]), scores)
    assert np.array_equal(scores, 3.5 * np.eye(3))
