"""The oracle follows the solver's solution, solves each deal once, and reports missing solvers."""

from collections.abc import Iterator

import numpy as np
import pytest

from parlour.agents.baselines import GreedyAgent
from parlour.agents.registry import choose_actions, load_agent, prepare_turn
from parlour.agents.search import planner
from parlour.agents.search.planner import OracleAgent
from parlour.envs import find_game
from parlour.envs.core.contract import Solution, Solving
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.rows import Rows
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.play import play_deals
from tests.fake_solver import FakeSolver, SeesAll, solved

GAME = find_game("pyramid")
RULES = GAME.make_rules()
SEEDS = deal_seeds("pyramid-1", range(60))


@pytest.fixture
def fake() -> Iterator[FakeSolver]:
    with solved(GAME) as fake:
        yield fake


def test_it_plays_the_solvers_way_and_asks_once_for_each_deal(fake: FakeSolver) -> None:
    agent = load_agent("oracle", GAME, RULES)
    assert (agent.name, agent.sees_all) == ("oracle", True)
    result = play_deals(GAME, RULES, agent, SEEDS)
    greedy = play_deals(GAME, RULES, SeesAll(), SEEDS)
    for fact, values in greedy.facts.items():
        assert np.array_equal(result.facts[fact], values), fact
    assert fake.asked == len(SEEDS)
    assert 0 < result.facts["won"].sum() < len(SEEDS)


def test_a_way_that_is_not_the_greedy_one_is_taken(fake: FakeSolver) -> None:
    rows = Rows(GAME, RULES, 1)
    rows.deal_numbered("pyramid-1", [0])
    last = int(np.flatnonzero(rows.buffers.masks[0])[-1])

    def solve(*_: object, **keywords: object) -> Solution:
        return Solution(True, ["that"], 1, [last])

    object.__setattr__(GAME, "solving", Solving(solve))
    agent = load_agent("oracle", GAME, RULES)
    assert choose_actions(agent, prepare_turn(agent, GAME, RULES, rows.states, 0)).tolist() == [
        last
    ]


def test_equal_deals_side_by_side_and_again_are_solved_once(fake: FakeSolver) -> None:
    agent = load_agent("oracle:fewest", GAME, RULES)
    assert agent.name == "oracle-fewest"
    for _ in range(2):
        result = play_deals(GAME, RULES, agent, np.repeat(SEEDS[:2], 3))
        assert len(set(result.facts["score"][:3])) == 1
    assert fake.asked == 2


def test_what_it_remembers_is_bounded(fake: FakeSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "MAX_PLANS", 300)
    agent = OracleAgent(GAME, RULES)
    agent.max_batch = 2
    result = play_deals(GAME, RULES, agent, SEEDS)
    assert len(agent.plans) <= 300
    assert fake.asked == len(SEEDS)
    greedy = play_deals(GAME, RULES, SeesAll(), SEEDS)
    assert np.array_equal(result.facts["moves"], greedy.facts["moves"])


def test_a_plan_longer_than_what_is_remembered_is_made_again(
    fake: FakeSolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "MAX_PLANS", 5)
    agent = OracleAgent(GAME, RULES)
    assert len(play_deals(GAME, RULES, agent, SEEDS[:1]).facts["won"]) == 1


def test_no_limit_of_the_plan_is_a_limit_of_the_game(
    fake: FakeSolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "PLAYER_MOVES", 2)
    result = evaluate(GAME, "oracle", deals=12, labels="no").results
    greedy = evaluate(GAME, SeesAll(), deals=12, labels="no").results
    lost = ~greedy.facts["won"]
    assert np.array_equal(result.facts["moves"][lost], greedy.facts["moves"][lost])
    assert np.array_equal(result.facts["won"], greedy.facts["won"])


def test_without_a_solver(fake: FakeSolver) -> None:
    with pytest.raises(ValueError, match=r"Seven Twenty-Seven has no solver\. .* pyramid"):
        load_agent(
            "oracle", find_game("seven_twenty_seven"), find_game("seven_twenty_seven").make_rules()
        )
    with pytest.raises(
        ValueError, match="agent must be oracle or oracle:fewest, got 'oracle:best'"
    ):
        load_agent("oracle:best", GAME, RULES)
    fake.refuses = "no solver for these rules"
    with pytest.raises(ValueError, match="no solver for these rules"):
        load_agent("oracle", GAME, RULES)


def test_it_is_made_for_its_rules(fake: FakeSolver) -> None:
    agent = load_agent("oracle", GAME, RULES)
    with pytest.raises(ValueError, match="agent 'oracle' plays only pyramid with rules "):
        play_deals(GAME, GAME.make_rules("web"), agent, SEEDS[:1])


def test_without_plans_the_player_plays_as_far_as_needed() -> None:
    class NoPlans(planner.Planner):
        name, unit, asked = "no-plans", "", 0

        def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
            self.asked += 1
            return [], np.nan

    game = find_game("klondike")
    rules, seeds = game.make_rules(), deal_seeds("klondike-1", range(20))
    agent = NoPlans(game, rules)
    planned, greedy = (play_deals(game, rules, each, seeds) for each in (agent, GreedyAgent()))
    for fact, values in greedy.facts.items():
        assert np.array_equal(planned.facts[fact], values), fact
    moves = int(greedy.facts["moves"].sum())
    assert moves > 5000
    assert len(agent.plans) < 2 * moves
    assert agent.asked < moves / 2  # after each card that is turned up
