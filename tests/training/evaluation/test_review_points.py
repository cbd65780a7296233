"""The double-dummy loss of each card in games with partners."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import Game, find_game
from parlour.envs.core.rows import copy_states
from parlour.envs.core.solve import deal_position, trace_actions
from parlour.training.evaluation.reviews.review import review_game
from parlour.training.evaluation.reviews.review_judges import find_points, is_in_play
from tests.training.evaluation.test_review import actions_of

GAME = find_game("twenty_eight")
RULES = GAME.make_rules()


def trace(game: Game, rules: Any, deal: int, actions: list[int]) -> np.ndarray:
    first = deal_position(game, rules, f"{game.name}-1", deal)
    return trace_actions(game, rules, first, actions)


def late_games() -> Iterator[tuple[list[int], np.ndarray]]:
    for deal in range(3):
        actions = actions_of(GAME, RULES, deal, seats=4)
        yield actions, trace(GAME, RULES, deal, actions)


def test_points_fall_to_what_is_taken_by_what_cards_cost() -> None:
    """The points of the bidder's side equal the double-dummy points minus all costs."""
    for actions, states in late_games():
        steps = np.arange(len(actions))
        late = steps[states["tricks"][:-1] >= 4]
        points = find_points(GAME, RULES, states, late)
        assert points is not None
        known = ~np.isnan(points).any(axis=1)
        assert known.sum() >= 6
        before, after = points[known].T
        np.testing.assert_array_equal(before[1:], after[:-1])
        bidders = states["turn"][late][known] % 2 == states["bidder"][late][known] % 2
        assert (np.where(bidders, before - after, after - before) >= 0).all()


def test_a_review_says_what_the_cards_of_its_seat_cost() -> None:
    result = []
    for deal in range(3):
        actions = actions_of(GAME, RULES, deal, seats=4)
        for seat in range(4):
            review = review_game(GAME, RULES, deal, actions, seat=seat, worlds=2, player="greedy")
            costs, known = review.costs, ~np.isnan(review.costs)
            assert known.any()
            result.append(costs[known].sum())
            message = review.decisions()
            assert review.points is not None
            assert [one["points_after"] for one in message if one["points_after"] is not None] == [
                value for value in review.points[:, 1] if not np.isnan(value)
            ]
            text = str(review)
            assert "Double dummy, with all cards known: at #" in text
            assert ("No card of this seat lost" in text) == (costs[known].sum() == 0)
    assert sum(result) > 0


def test_bids_and_other_games_have_no_points() -> None:
    actions = actions_of(GAME, RULES, 3, seats=4)
    states = trace(GAME, RULES, 3, actions)
    bids = np.flatnonzero(states["shown"]["trick"][:-1].sum(axis=1) == 0)[:3]
    points = find_points(GAME, RULES, states, bids)
    assert points is not None
    assert np.isnan(points).all()
    assert not is_in_play(GAME, RULES, copy_states(states, bids)).any()
    assert is_in_play(GAME, RULES, states[-2:-1]).all()
    patience = find_game("pyramid")
    assert find_points(patience, patience.make_rules(), states[:0], np.zeros(0, np.int64)) is None
    with pytest.raises(ValueError, match="seat must be an integer from 0 to 3, got 4"):
        review_game(GAME, RULES, 3, actions, seat=4)
