"""Puss in the Corner's values of plans: features, hidden cards, and the plans that are left out."""

import numpy as np
import pytest

from parlour.agents.baselines import GreedyAgent
from parlour.envs import find_game
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.options import as_record
from parlour.envs.core.plan_values import PlanNetwork
from parlour.envs.core.rows import resample_copies
from parlour.envs.core.solve import deal_position, make_position, play_actions, trace_actions
from parlour.envs.core.turn import prepare_turn
from parlour.envs.games.puss_in_the_corner.plan_values import (
    NUM_FEATURES,
    PLAN_VALUES,
    find_plan_to_play,
    list_plans,
    make_tree,
)
from tests.networks import make_plan_network

PUSS = find_game("puss_in_the_corner")
RULES = PUSS.variants["no-redeal"]
ONE_BY_ONE = PUSS.make_rules("no-redeal", {"deal_size": 1})


def play_deck(deck: np.ndarray, network: PlanNetwork) -> list[float]:
    """Return the values of all plans of a game."""
    states, values = make_position(PUSS, RULES, deck.tolist()), []
    while (plan := PLAN_VALUES.choose_plan(states, RULES, network)).actions:
        trace = trace_actions(PUSS, RULES, states, plan.actions)
        stocks = trace["shown"]["stock_count"]
        assert (stocks[:-1] == stocks[0]).all()
        assert trace["over"][-1] or stocks[-1] == stocks[0] - 1
        states = trace[-1:]
        assert plan.value is not None
        values.append(plan.value)
    return values


def test_renamed_suits_have_the_same_values() -> None:
    """Twins have the same features, and exchanged colors the renumbered ones."""
    network = make_plan_network(NUM_FEATURES)
    assert all(sorted(row) == list(range(NUM_FEATURES + 1)) for row in PLAN_VALUES.symmetries)
    for seed in range(10):
        deck = np.random.default_rng(seed).permutation(np.arange(8, 56))
        values = play_deck(deck, network)
        assert len(values) > 5
        for suits, numbers in (
            ([3, 1, 2, 0], PLAN_VALUES.symmetries[0]),
            ([0, 2, 1, 3], PLAN_VALUES.symmetries[0]),
            ([1, 0, 3, 2], PLAN_VALUES.symmetries[1]),
            ([2, 3, 0, 1], PLAN_VALUES.symmetries[1]),
        ):
            renamed = (deck & ~3) | np.array(suits)[deck & 3]
            embedding = np.empty_like(network.embedding)
            embedding[numbers[:-1]] = network.embedding
            again = play_deck(renamed, network._replace(embedding=embedding))
            assert again == pytest.approx(values, rel=1e-3)


def test_plans_do_not_depend_on_hidden_cards() -> None:
    network, compared = make_plan_network(NUM_FEATURES), 0
    for rules in (RULES, ONE_BY_ONE):
        for deal in range(20):
            states = deal_position(PUSS, rules, "puss_in_the_corner-1", deal)
            while (plan := PLAN_VALUES.choose_plan(states, rules, network)).actions:
                for seed in range(4):
                    other = resample_copies(PUSS, rules, states, np.array([seed], np.uint64))
                    assert PLAN_VALUES.choose_plan(other, rules, network) == plan
                    compared += 1
                states = play_actions(PUSS, rules, states, plan.actions)
    assert compared > 1000


def find_ends(states: np.ndarray) -> set[tuple[int, ...]]:
    """Return all positions in which a plan can end, found by trying every order of moves."""
    found, seen, waiting = set(), set(), [(states, False)]
    while waiting:
        position, has_moved = waiting.pop()
        state = position[0]
        if has_moved and (state["over"] or state["shown"]["card"]):
            found.add(describe(state))
            continue
        identity = position["pile"].tobytes(), describe(state), has_moved
        if identity in seen:
            continue
        seen.add(identity)
        legal = int(state["legal"])
        for action in range(PUSS.actions):
            if legal >> action & 1:
                waiting.append((play_actions(PUSS, RULES, position, [action]), True))
    return found


def describe(state: np.ndarray) -> tuple[int, ...]:
    """Return the piles regardless of their order, and the foundations."""
    piles = sorted(tuple(state["pile"][i, : state["count"][i]]) for i in range(4))
    tops = state["shown"]["foundations"]
    return (*piles, *sorted((tops[0], tops[3])), *sorted((tops[1], tops[2])))


def test_plans_lead_to_every_end() -> None:
    """Leaving out orders of safe plays and equal placements loses no end."""
    tree, greedy, several = make_tree(), GreedyAgent(), 0
    for deal in range(40):
        states = deal_position(PUSS, RULES, "puss_in_the_corner-2", deal)
        while not states["over"][0]:
            size = list_plans(states[0], as_record(RULES)[0], tree)
            listed = [
                describe(tree.states[i])
                for i in range(1, size)
                if tree.states[i]["over"] or tree.states[i]["shown"]["card"]
            ]
            assert set(listed) == find_ends(states)
            several += len(listed) > 4
            turn = prepare_turn(greedy, PUSS, RULES, states, np.zeros(1, np.uint64))
            states = play_actions(PUSS, RULES, states, [int(greedy.act(turn)[0])])
    assert several > 10


def test_recorded_games_repeat_and_hold_together() -> None:
    network, seeds = make_plan_network(NUM_FEATURES), deal_seeds("puss_in_the_corner-1", range(100))
    played = PLAN_VALUES.play_games(RULES, network, seeds, 0.0)
    again = PLAN_VALUES.play_games(RULES, network, seeds, 0.0)
    assert all(np.array_equal(one, other) for one, other in zip(played, again, strict=True))
    lengths = np.bincount(played.games, minlength=100)
    assert (lengths + played.num_hidden)[~played.won].tolist() == [48] * int((~played.won).sum())
    assert played.ids.min() >= 0 and played.ids.max() == NUM_FEATURES
    is_feature = played.ids < NUM_FEATURES
    assert (np.diff(is_feature.astype(int), axis=1) <= 0).all()  # the rest comes last
    explored = PLAN_VALUES.play_games(RULES, network, seeds, 1.0)
    assert not np.array_equal(explored.logits[:20], played.logits[:20])


def test_training_and_play_choose_by_the_same_values() -> None:
    network, seeds = make_plan_network(NUM_FEATURES), deal_seeds("puss_in_the_corner-1", range(40))
    played = PLAN_VALUES.play_games(RULES, network, seeds, 0.0)
    tree = make_tree()
    for deal in range(40):
        states = deal_position(PUSS, RULES, "puss_in_the_corner-1", deal)
        for logit in played.logits[played.games == deal]:
            assert find_plan_to_play(states, as_record(RULES), network, tree)[1] == logit
            plan = PLAN_VALUES.choose_plan(states, RULES, network)
            states = play_actions(PUSS, RULES, states, plan.actions)


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ("book", "redeals=0 for plans, got redeals=1"),
        ("two-redeals", "redeals=0 for plans, got redeals=2"),
    ],
)
def test_variants_without_plans_are_refused(variant: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"rules must have {text}"):
        PLAN_VALUES.check_rules(PUSS.variants[variant])


@pytest.mark.parametrize("option", ["hold_back", "direct", "suits", "sevens", "next_open"])
def test_options_without_plans_are_refused(option: str) -> None:
    rules = PUSS.make_rules("no-redeal", {option: True})
    with pytest.raises(ValueError, match=f"rules must have {option}=no for plans, got"):
        PLAN_VALUES.play_games(rules, make_plan_network(NUM_FEATURES), np.zeros(1, np.uint64), 0.0)
