"""Nested rollouts: no use of hidden cards, reproducible, better than their player."""

import numpy as np
import pytest

from parlour.agents.registry import load_agent, prepare_turn
from parlour.agents.search.nested import NestedAgent
from parlour.envs import GAMES
from parlour.envs.core.rows import resample_copies
from parlour.training.evaluation.compare import compare
from tests.contract.cases import CASES, Case, positions
from tests.marks import slow_if

ALONE = [case for case in CASES if case.players == 1 and case.variant == case.game.default]
KLONDIKE = GAMES["klondike"]


@pytest.mark.parametrize(
    "case", [slow_if(case.game is not KLONDIKE, case, name=str(case)) for case in ALONE]
)
@pytest.mark.parametrize("most", [2, slow_if(True, 1000)])
def test_hidden_cards_change_no_choice(case: Case, most: int) -> None:
    env, looked = case.env(encoding="codes"), 0
    for step in positions(env, 1, seed=9, every=9):
        if env.rows.states["over"][0]:
            continue
        if looked == most:
            break
        others = resample_copies(case.game, case.rules, env.rows.states.repeat(3), step)
        others["rng"] = env.rows.states["rng"]
        before = others.tobytes()
        chosen = set()
        for n in range(3):  # by an agent each, so that none remembers a plan
            agent = NestedAgent(case.game, case.rules, worlds=2)
            one = others[n : n + 1]
            turn = prepare_turn(agent, case.game, case.rules, one, step)._replace(states=one)
            chosen.add(int(agent.act(turn)[0]))
        assert len(chosen) == 1
        assert others.tobytes() == before
        looked += 1
    assert looked >= 2


def test_a_game_is_played_the_same_way_again() -> None:
    first, again = (
        compare(KLONDIKE, ["nested@2"], deals=4, evaluation_seed="again").evaluations[0].results
        for _ in "12"
    )
    np.testing.assert_array_equal(first.moves, again.moves)
    np.testing.assert_array_equal(first.score, again.score)


@pytest.mark.slow
def test_it_plays_better_than_greedy_and_than_rollouts() -> None:
    agents = ["greedy", "rollouts@16:greedy", "nested@8"]
    result = compare(KLONDIKE, agents, deals=400, evaluation_seed="nested").differences
    better = {one.minus: one for one in result if one.agent == "nested@8"}
    assert len(better) == 2 and all(one.reached.low > 0 for one in better.values())


@pytest.mark.parametrize("spec", ["nested:uniform", "nested:pimc"])
def test_who_cannot_play_games_on_is_refused(spec: str) -> None:
    with pytest.raises(
        ValueError, match=r"^the guide of nested must be greedy, a rule-based agent or"
    ):
        load_agent(spec, KLONDIKE, KLONDIKE.make_rules())


def test_worlds_are_a_number_from_1() -> None:
    with pytest.raises(ValueError, match="worlds must be an integer >= 1, got 0"):
        NestedAgent(KLONDIKE, KLONDIKE.make_rules(), worlds=0)
