"""Afterstates: the best action, the next card put on top, scores by value and by expectation."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core import afterstates as values
from parlour.envs.core.afterstates import AfterstateFeatures
from parlour.envs.core.kernel.jit import plain_python
from tests.core.tiny import (
    CARDS,
    GAME,
    LEAVE,
    SCORE_SCALE,
    STOP,
    TAKE,
    WIN_BONUS,
    as_python,
    begin,
    make_kernels,
)

best_legal, put_on_top = plain_python(values.best_legal), plain_python(values.put_on_top)


@pytest.mark.parametrize(
    ("legal", "scores", "best"),
    [
        (0b111, [1.0, 3.0, 2.0], 1),
        (0b101, [1.0, 3.0, 2.0], 2),
        (0b110, [9.0, 2.0, 2.0], 1),
        (0b111, [-3.0, -2.0, -1.0], 2),
        (0b001, [-9.0, 0.0, 0.0], 0),
        (0, [1.0, 1.0, 1.0], -1),
    ],
)
def test_the_best_legal_action_is_the_lowest_of_the_highest(
    legal: int, scores: Any, best: int
) -> None:
    assert best_legal(legal, scores) == best


@pytest.mark.parametrize(
    ("card", "deck"),
    [(4, [8, 20, 4, 12, 16]), (16, [8, 20, 16, 12, 4]), (12, [8, 20, 12, 4, 16])],
)
def test_a_card_is_swapped_with_the_top_of_the_stock(card: int, deck: list[int]) -> None:
    s = {"deck": [8, 20, 4, 12, 16], "next": 2}
    put_on_top(s, card)
    assert s["deck"] == deck


def score_afterstates(s: Any, rules: Any, table: Any, ids: Any, scores: Any) -> None:
    """TAKE brings the card, LEAVE half a point, STOP what the table says."""
    scores[TAKE], scores[LEAVE], scores[STOP] = s["deck"][s["next"]] >> 2, 0.5, table[0]


def state_value(s: Any, rules: Any, table: Any, ids: Any) -> float:
    return float(s["score"]) + 100


def hidden_cards(s: Any, cards: Any) -> int:
    """All that lie in the stock, where anything is hidden."""
    if s["next"] > 3:
        return 0
    for i, card in enumerate(s["deck"][s["next"] :]):
        cards[i] = card
    return len(CARDS) - int(s["next"])


def nothing(*_: Any) -> Any:
    return 0


FEATURES = AfterstateFeatures(
    num_features=1,
    max_active=1,
    score_afterstates=score_afterstates,
    state_value=state_value,
    active_features=nothing,
    part_scores=nothing,
    possible_cards=hidden_cards,
)
SCORERS = values.make_afterstate_scorers(FEATURES, make_kernels())
TABLE, IDS = np.array([-1.0], np.float32), np.zeros(1, np.int32)
BONUS = WIN_BONUS / SCORE_SCALE


def by_expectation(states: np.ndarray, width: int) -> np.ndarray:
    rows, scores = begin(), np.zeros((len(states), 3))
    kernel = as_python(SCORERS.score_by_expectation)
    work = np.zeros(1, GAME.state)
    kernel(states, rows.rules_record, TABLE, IDS, scores, work, width)
    return scores


def at(place: int, **fields: int) -> np.ndarray:
    """A state whose next card is at a place of the deck."""
    states = begin().states
    states["next"] = place
    for name, value in fields.items():
        states[name] = value
    return states


def test_each_row_is_scored_by_value() -> None:
    states, scores = np.append(at(0), at(3)), np.zeros((2, 3))
    as_python(SCORERS.score_by_value)(states, begin().rules_record, TABLE, IDS, scores)
    assert scores.tolist() == [[1.0, 0.5, -1.0], [4.0, 0.5, -1.0]]


def test_expectation_is_the_mean_over_the_cards_that_may_come() -> None:
    """At the fourth card 4, 5 and 6 are left: TAKE brings their mean, then the best answer."""
    answers = {4: (5 + 100 + 4), 5: (4 + 100 + 5), 6: (5 + 100 + 6)}
    assert by_expectation(at(3), 3)[0, TAKE] == pytest.approx(np.mean(list(answers.values())))


def test_without_a_hidden_card_expectation_looks_at_the_one_that_lies_there() -> None:
    assert by_expectation(at(4), 3)[0, TAKE] == pytest.approx(5 + 100 + 6)


def test_an_end_is_worth_its_score_and_a_win_its_bonus() -> None:
    assert by_expectation(at(4, score=6), 3)[0, STOP] == pytest.approx(6 + BONUS)
    assert by_expectation(at(4, score=5), 3)[0, STOP] == pytest.approx(5)


def test_only_the_best_actions_are_evaluated_and_the_others_score_lower() -> None:
    scores = by_expectation(at(4), 1)[0]
    assert scores[TAKE] > 100
    assert scores[[LEAVE, STOP]].tolist() == [0.5 - values.FAR_BEHIND, -1.0 - values.FAR_BEHIND]


def test_illegal_actions_are_not_evaluated() -> None:
    scores = by_expectation(at(4, legal=1 << LEAVE), 3)[0]
    assert (scores > 0).tolist() == [False, True, False]


def test_expectation_changes_no_state() -> None:
    states = at(2)
    before = states.tobytes()
    by_expectation(states, 3)
    assert states.tobytes() == before


def test_a_win_counts_its_bonus_in_points() -> None:
    assert values.win_bonus_points(GAME.kernels) == BONUS


def test_a_game_without_features_scores_nothing() -> None:
    score, worth = values.find_scorers(None)
    scores = [7.0]
    plain_python(score)({}, None, TABLE, IDS, scores)  # type: ignore[arg-type]
    assert (scores, plain_python(worth)({}, None, TABLE, IDS)) == ([7.0], 0.0)


def test_a_game_with_features_is_scored_by_its_own_functions() -> None:
    assert values.find_scorers(FEATURES) == (score_afterstates, state_value)
