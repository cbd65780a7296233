"""The baselines: their choice of actions, and their creation by name."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.baselines import HeuristicAgent, UniformAgent, make_baseline, pick_uniform
from parlour.envs.core.kernel.jit import plain_python
from parlour.envs.core.turn import Turn, prepare_turn
from tests.core.tiny import CARDS, GAME, LEAVE, STOP, TAKE, begin, play


def picked(mask: list[int], share: float) -> int:
    actions = [-1]
    plain_python(pick_uniform)(np.array([mask]), [share], actions)
    return actions[0]


def ask(agent: Any, **options: Any) -> Turn:
    return prepare_turn(agent, GAME, begin(**options).rules, begin(**options).states, 0)


@pytest.mark.parametrize(
    ("share", "action"), [(0.0, 1), (0.33, 1), (0.34, 2), (0.66, 2), (0.67, 4), (0.999999, 4)]
)
def test_equal_shares_of_the_unit_interval_go_to_the_legal_actions(
    share: float, action: int
) -> None:
    assert picked([0, 1, 1, 0, 1], share) == action


def test_each_row_uses_its_own_random_number() -> None:
    actions = np.zeros(2, np.int64)
    pick_uniform(np.ones((2, 4), np.bool_), np.array([0.8, 0.1]), actions)
    assert actions.tolist() == [3, 0]


def test_uniform_plays_legal_actions_about_equally_often() -> None:
    agent = UniformAgent()
    turn = ask(agent, n=3000)
    counts = np.bincount(agent.act(turn), minlength=3)
    assert (abs(counts - 1000) < 120).all()


def test_uniform_plays_no_illegal_action() -> None:
    rows = begin(50, forced=True)
    play(rows, TAKE, TAKE)
    agent = UniformAgent()
    turn = prepare_turn(agent, GAME, rows.rules, rows.states, 0)
    assert set(agent.act(turn).tolist()) == {LEAVE}


def test_uniform_draws_differently_with_another_seed() -> None:
    turn = ask(UniformAgent(), n=100)
    one, again, other = (UniformAgent(seed).act(turn) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(("first", "action"), [(4, LEAVE), (12, LEAVE), (16, TAKE), (24, TAKE)])
def test_greedy_plays_the_action_with_the_highest_score(first: int, action: int) -> None:
    """TAKE scores the value of the card, LEAVE scores 3.5."""
    deck = [first, *(card for card in CARDS if card != first)]
    assert HeuristicAgent().act(ask(HeuristicAgent(), deck=deck)).tolist() == [action]


def test_greedy_plays_no_illegal_action() -> None:
    rows = begin(deck=CARDS[::-1], forced=True)
    play(rows, LEAVE, LEAVE)
    turn = prepare_turn(HeuristicAgent(), GAME, rows.rules, rows.states, 0)
    assert HeuristicAgent().act(turn).tolist() == [LEAVE]


def test_greedy_breaks_ties_by_the_lowest_action() -> None:
    # With this weight, LEAVE scores as much as an ace.
    agent = HeuristicAgent(weights=np.array([1.0]))
    assert agent.act(ask(agent)).tolist() == [TAKE]


def test_weights_replace_those_of_the_game() -> None:
    agent = HeuristicAgent(weights=np.array([-1.0]))
    assert agent.act(ask(agent)).tolist() == [TAKE]


def test_a_rule_based_agent_replaces_the_heuristic() -> None:
    agent = HeuristicAgent(rule_agent="last")
    assert agent.act(ask(agent)).tolist() == [STOP]


def test_baselines_are_created_by_name() -> None:
    uniform, greedy, last = (make_baseline(name, GAME, 3) for name in ("uniform", "greedy", "last"))
    assert isinstance(uniform, UniformAgent) and uniform.seed == 3
    assert isinstance(greedy, HeuristicAgent) and greedy.rule_agent is None
    assert isinstance(last, HeuristicAgent) and last.rule_agent == "last"
    assert [agent.name for agent in (uniform, greedy, last)] == ["uniform", "greedy", "last"]
    assert not any(agent.sees_all for agent in (uniform, greedy, last))


def test_the_error_for_an_unknown_baseline_names_all_baselines() -> None:
    with pytest.raises(
        ValueError, match=r"agent must be one of uniform, greedy, last.*, got 'lst'"
    ):
        make_baseline("lst", GAME)
