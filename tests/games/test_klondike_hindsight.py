"""Klondike's search for plans: it uses no hidden cards, and its plans can be played."""

import numpy as np
import pytest

from parlour.agents import load_agent
from parlour.envs import find_game
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states, resample_copies
from parlour.envs.core.solve import deal_position, play_actions, trace_actions
from parlour.envs.games.klondike.hindsight import NO_NETWORK, TREE, plan_ahead, search_plans
from parlour.envs.games.klondike.solver.position import make_search
from parlour.envs.games.klondike.solver.solve import solve
from parlour.training.evaluation.play import play_deals
from tests.marks import slow_if

KLONDIKE = find_game("klondike")
RULES = KLONDIKE.variants["classic"]


def look_through(deal: int, variant: str = "classic") -> np.ndarray:
    """A deal of the deal set after all of the stock has been seen."""
    rules = KLONDIKE.variants[variant]
    states = deal_position(KLONDIKE, rules, "klondike-1", deal)
    return play_actions(KLONDIKE, rules, states, [0] * (24 // rules.draw))


def face_down(states: np.ndarray) -> int:
    return int(states["shown"]["face_down"].sum())


def test_the_stock_is_looked_through_first() -> None:
    states = deal_position(KLONDIKE, RULES, "klondike-1", 0)
    result = plan_ahead(states, RULES, 10, 1)
    assert result.actions == [0]
    assert result.value is None


@pytest.mark.parametrize(
    "variant", ["classic", slow_if(True, "draw-one"), slow_if(True, "no-return")]
)
def test_a_plan_ends_with_the_first_card_turned_up(variant: str) -> None:
    rules, planned = KLONDIKE.variants[variant], 0
    for deal in range(20):
        states = look_through(deal, variant)
        while not states["over"][0] and face_down(states) > 1:
            result = plan_ahead(states, rules, 50, deal)
            if not result.actions:
                assert result.value == 0
                break
            trace = trace_actions(KLONDIKE, rules, states, result.actions)
            counts = trace["shown"]["face_down"].sum(axis=1)
            assert (counts[:-1] == counts[0]).all()
            assert counts[-1] == counts[0] - 1
            assert result.worlds >= 100
            assert result.value is not None
            assert 0 < result.value <= 1
            states, planned = trace[-1:], planned + 1
    assert planned > 100


def test_many_iterations_have_more_worlds() -> None:
    states = look_through(3)
    counts = [plan_ahead(states, RULES, n, 0).worlds for n in (1, 2000, 4000)]
    assert counts == [100, 100, 200]


def test_hidden_cards_change_nothing() -> None:
    for deal in range(10):
        states = look_through(deal)
        seeds = np.arange(5, dtype=np.uint64)
        others = resample_copies(KLONDIKE, RULES, copy_states(states, np.zeros(5, int)), seeds)
        assert len({state.tobytes() for state in others}) > 1
        plans = [plan_ahead(others[i : i + 1], RULES, 40, 7) for i in range(5)]
        assert all(plan == plans[0] for plan in plans)


def test_the_seed_says_which_worlds_are_dealt() -> None:
    states = look_through(3)
    values = {plan_ahead(states, RULES, 40, seed).value for seed in range(6)}
    assert len(values) > 1
    assert plan_ahead(states, RULES, 40, 2) == plan_ahead(states, RULES, 40, 2)


def test_a_network_guides_the_search() -> None:
    """The agent's network changes plans and values; hidden cards still change nothing."""
    alone, guided = (
        load_agent(f"hindsight@400:{guide}", KLONDIKE, RULES) for guide in ("greedy", "pretrained")
    )
    assert alone.network is None
    differing = set()
    for deal in range(10):
        states = look_through(deal)
        seeds = np.arange(3, dtype=np.uint64)
        others = resample_copies(KLONDIKE, RULES, copy_states(states, np.zeros(3, int)), seeds)
        plans = [guided.make_plan(others[i : i + 1], 7) for i in range(3)]
        assert all(plan == plans[0] for plan in plans)
        assert 0 <= plans[0][1] <= 1
        plain = alone.make_plan(states, 7)
        differing |= {"value"} if plain[1] != plans[0][1] else set()
        differing |= {"plan"} if plain[0] != plans[0][0] else set()
    assert differing == {"plan", "value"}


def test_a_network_multiplies_the_prior_of_a_plan_by_its_odds() -> None:
    trees, searches, record = np.empty(1, TREE), make_search(), as_record(RULES)
    network, additional = load_agent("pretrained", KLONDIKE, RULES).plan_network, 0
    for deal in range(5):
        counts = []
        for guide in (NO_NETWORK, network):
            search_plans(look_through(deal), record, 50, np.uint64(1), guide, trees, searches)
            plans = trees[0]["plans"][: trees[0]["plan_count"]]
            odds = plans["chance"] / (1 - plans["chance"]) if guide is network else 1.0
            found = plans["weight"] / odds
            assert (found > 0.5).all()
            assert found == pytest.approx(found.round())
            root = trees[0]["nodes"][0]
            number, counted = root["plan"], 0
            while number >= 0:
                number, counted = plans[number]["next"], counted + 1
            counts.append(counted)
        assert counts[1] >= counts[0]
        additional += counts[1] - counts[0]
    assert additional > 0


def test_where_nothing_is_hidden_the_solver_says_how_to_go_on() -> None:
    rules = KLONDIKE.variants["thoughtful"]
    states = deal_position(KLONDIKE, rules, "klondike-1", 1)
    known = solve(states, rules)
    result = plan_ahead(states, rules, 10, 0)
    assert result.actions == (known.actions or [])
    assert result.value == float(bool(known.winnable))


@pytest.mark.parametrize(
    ("variant", "output"), [("three-passes", "passes=3"), ("whole-runs", "partial_runs=")]
)
def test_rules_that_it_does_not_know_are_refused(variant: str, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        load_agent("hindsight", KLONDIKE, KLONDIKE.variants[variant])


def test_budgets_and_games_that_it_does_not_know_are_refused() -> None:
    with pytest.raises(ValueError, match="iterations must be from 1 to 65536, got 70000"):
        load_agent("hindsight@70000", KLONDIKE, RULES)
    with pytest.raises(ValueError, match="such as hindsight@20"):
        load_agent("hindsight@5ms", KLONDIKE, RULES)
    pyramid = find_game("pyramid")
    with pytest.raises(ValueError, match="game must be one of klondike for hindsight, got Pyramid"):
        load_agent("hindsight", pyramid, pyramid.variants["classic"])


@pytest.mark.slow
def test_it_beats_greedy_by_far() -> None:
    seeds = deal_seeds("klondike-2", range(40))
    won = {
        name: play_deals(KLONDIKE, RULES, load_agent(name, KLONDIKE, RULES), seeds).facts["won"]
        for name in ("greedy", "hindsight@50")
    }
    assert won["hindsight@50"].sum() >= won["greedy"].sum() + 4


@pytest.mark.parametrize("deals", [4, slow_if(True, 8)])
def test_a_position_is_played_the_same_way_by_whoever_meets_it_when(deals: int) -> None:
    """An agent's stored plans equal the plans that a fresh agent makes."""
    seeds = deal_seeds("klondike-2", range(deals))
    agent = load_agent("hindsight@20", KLONDIKE, RULES)
    first, second = (play_deals(KLONDIKE, RULES, agent, seeds, evaluation_seed=key) for key in "xy")
    fresh = play_deals(
        KLONDIKE,
        RULES,
        load_agent("hindsight@20", KLONDIKE, RULES),
        seeds[::-1],
        evaluation_seed="z",
    )
    for result in (second.moves, fresh.moves[::-1]):
        np.testing.assert_array_equal(result, first.moves)


@pytest.mark.parametrize("player", ["oracle", "human"])
def test_who_cannot_go_on_for_it(player: str) -> None:
    with pytest.raises(ValueError, match=f"^the guide of hindsight must not be .*, got {player}$"):
        load_agent(f"hindsight@5:{player}", KLONDIKE, RULES)
