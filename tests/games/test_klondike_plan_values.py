"""Klondike's values of plans: equal positions have equal features, and hidden cards have none."""

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.options import as_record
from parlour.envs.core.plan_values import PlanNetwork
from parlour.envs.core.rows import resample_copies
from parlour.envs.core.solve import deal_position, make_position, play_actions, trace_actions
from parlour.envs.games.klondike.hindsight import TREE
from parlour.envs.games.klondike.plan_values import (
    LISTED_IN_TRAINING,
    NUM_FEATURES,
    PLAN_VALUES,
    find_plan_to_play,
)
from parlour.envs.games.klondike.solver.position import make_search
from tests.marks import slow_if
from tests.networks import make_plan_network

KLONDIKE = find_game("klondike")
RULES = KLONDIKE.variants["classic"]
SYMMETRIES = PLAN_VALUES.symmetries
RED = np.array([0, 1, 1, 0])


def play_deck(deck: list[int], network: PlanNetwork, variant: str) -> list[float | None]:
    """Return the values of all plans of a game."""
    rules, values = KLONDIKE.variants[variant], []
    states = make_position(KLONDIKE, rules, deck)
    while not states["over"][0]:
        plan = PLAN_VALUES.choose_plan(states, rules, network)
        if not plan.actions:
            break
        values.append(plan.value)
        trace = trace_actions(KLONDIKE, rules, states, plan.actions)
        face_down = trace["shown"]["face_down"].sum(axis=1)
        if plan.value is not None:  # after the stock has been looked through
            assert (face_down[:-1] == face_down[0]).all()
            assert face_down[-1] == face_down[0] - 1
        states = trace[-1:]
    return values


@pytest.mark.parametrize(
    "variant", ["classic", slow_if(True, "draw-one"), slow_if(True, "no-return")]
)
def test_renamed_suits_have_the_same_values(variant: str) -> None:
    """A deck with renamed suits is the same game for a network with renumbered features.

    Later in a game, the limit on listed plans may leave out different ones.
    """
    draws, network = np.random.default_rng(3), make_plan_network(NUM_FEATURES)
    for numbers in SYMMETRIES:
        assert sorted(numbers) == list(range(NUM_FEATURES + 1))
        assert numbers[NUM_FEATURES] == NUM_FEATURES
        deck = draws.permutation(np.arange(4, 56))
        suits = rename_suits(numbers)
        assert (RED[suits] == RED).all() or (RED[suits] == 1 - RED).all()
        renamed = (deck & ~3) | suits[deck & 3]
        embedding = np.empty_like(network.embedding)
        embedding[numbers[:-1]] = network.embedding
        values = play_deck(deck.tolist(), network, variant)
        again = play_deck(renamed.tolist(), network._replace(embedding=embedding), variant)
        first, first_again = (
            [value for value in each if value is not None][:8] for each in (values, again)
        )
        assert first and first_again == pytest.approx(first, rel=1e-3)


def rename_suits(numbers: np.ndarray) -> np.ndarray:
    """Return the suits after a renaming, read from the features of the foundations."""
    first = 52 * 7 + 7
    return (numbers[first : first + 4 * 14 : 14] - first) // 14


@pytest.mark.parametrize("variant", ["classic", slow_if(True, "draw-one")])
def test_plans_do_not_depend_on_hidden_cards(variant: str) -> None:
    rules, network, compared = KLONDIKE.variants[variant], make_plan_network(NUM_FEATURES), 0
    for deal in range(5):
        states = make_position(KLONDIKE, rules, np.random.default_rng(deal).permutation(52) + 4)
        while not states["over"][0]:
            plan = PLAN_VALUES.choose_plan(states, rules, network)
            for seed in range(4):
                other = resample_copies(KLONDIKE, rules, states, np.array([seed], np.uint64))
                again = PLAN_VALUES.choose_plan(other, rules, network)
                assert again == plan
                compared += 1
            if not plan.actions:
                break
            states = trace_actions(KLONDIKE, rules, states, plan.actions)[-1:]
    assert compared > 100


def test_recorded_games_repeat_and_hold_together() -> None:
    network, seeds = make_plan_network(NUM_FEATURES), deal_seeds("klondike-1", range(40))
    played = PLAN_VALUES.play_games(RULES, network, seeds, 0.0)
    again = PLAN_VALUES.play_games(RULES, network, seeds, 0.0)
    assert all(np.array_equal(one, other) for one, other in zip(played, again, strict=True))
    assert (np.diff(played.games) >= 0).all()
    assert np.bincount(played.games).max() <= 21
    assert played.ids.min() >= 0 and played.ids.max() == NUM_FEATURES
    rows = [np.sort(row[row < NUM_FEATURES]) for row in played.ids]
    assert all((np.diff(row) > 0).all() for row in rows)  # no feature occurs twice
    explored = PLAN_VALUES.play_games(RULES, network, seeds, 1.0)
    assert not np.array_equal(explored.logits[:20], played.logits[:20])


def test_training_and_play_choose_by_the_same_values() -> None:
    """The first plan of a game has the same logit in both, whatever the hidden cards are."""
    network, seeds = make_plan_network(NUM_FEATURES), deal_seeds("klondike-1", range(40))
    played = PLAN_VALUES.play_games(RULES, network, seeds, 0.0)
    firsts = np.flatnonzero(np.diff(played.games, prepend=-1))
    trees, searches = np.empty(1, TREE), make_search()
    kings = 0
    for first in firsts:
        deal = int(played.games[first])
        states = deal_position(KLONDIKE, RULES, "klondike-1", deal)
        states = play_actions(KLONDIKE, RULES, states, [0] * 8)  # look through the stock
        for seed in range(5):
            arguments = as_record(RULES), network, LISTED_IN_TRAINING, trees, searches
            assert find_plan_to_play(states, *arguments)[1] == played.logits[first]
            states = resample_copies(KLONDIKE, RULES, states, np.array([seed], np.uint64))
            kings += int((states["deck"][0, 1:7] >> 2 == 13).sum())
    assert len(firsts) > 30
    assert kings  # a king at the bottom of a column empties it, if one looks at it


def test_a_search_records_the_plans_that_it_tried() -> None:
    assert PLAN_VALUES.search_game is not None
    won, choices = 0, 0
    for seed in deal_seeds("klondike-1", range(8)):
        played = PLAN_VALUES.search_game(RULES, 60, int(seed))
        assert 0 < played.positions[-1] + 1 <= 20
        assert (np.bincount(played.positions, weights=played.chosen) == 1).all()
        for position in range(played.positions[-1] + 1):
            rows = played.positions == position
            assert played.visits[rows & played.chosen][0] == played.visits[rows].max()
            assert (played.visits[rows & ~played.chosen] >= 8).all()
        assert played.ids.min() >= 0 and played.ids.max() == NUM_FEATURES
        again = PLAN_VALUES.search_game(RULES, 60, int(seed))
        assert all(np.array_equal(one, other) for one, other in zip(played, again, strict=True))
        won += played.won
        choices += int((np.bincount(played.positions) > 1).sum())
    assert 0 < won < 8
    assert choices > 8


@pytest.mark.parametrize("variant", ["one-pass", "whole-runs", "thoughtful"])
def test_rules_without_plans_are_refused(variant: str) -> None:
    rules = KLONDIKE.variants[variant]
    states = make_position(KLONDIKE, rules, list(range(4, 56)))
    with pytest.raises(ValueError, match=r"rules must have .* for plans, got"):
        PLAN_VALUES.choose_plan(states, rules, make_plan_network(NUM_FEATURES))
