"""The oracle of games for several players: its side makes every contract that can be made."""

import numpy as np
import pytest

from parlour.agents.registry import Agent, load_agent
from parlour.envs import find_game
from parlour.envs.core.batch import Autoreset, Over, StepConfig
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.turn import prepare_turn
from parlour.training import compare
from tests.marks import slow_if

DEALS = 12


def play_hand(rows: Rows, agent: Agent) -> tuple[bool, bool]:
    """Play a hand; return whether the solver makes the contract, and whether the bidder did."""
    can_make = None
    while rows.states["over"][0] == Over.RUNNING:
        if can_make is None and rows.states["size"][0]:
            can_make = rows.game.solve(copy_states(rows.states), rows.rules).winnable
        turn = prepare_turn(agent, rows.game, rows.rules, rows.states, np.zeros(1, np.uint64))
        rows.step(agent.act(turn))
    return can_make, bool(rows.states["net"][0][rows.states["maker"][0]] > 0)


@pytest.mark.parametrize("name", ["twenty_eight", slow_if(True, "twenty_nine")])
def test_if_all_seats_know_all_cards_the_solver_knows_the_result(name: str) -> None:
    game = find_game(name)
    rules = game.make_rules()
    agent = load_agent("oracle", game, rules)
    results = []
    for deal in range(DEALS):
        rows = Rows(game, rules, 1, StepConfig(reset=int(Autoreset.DISABLED)))
        rows.deal_numbered("a test", [deal])
        results.append(play_hand(rows, agent))
    assert {(True, True), (False, False)} == set(results)


def test_it_wins_more_than_greedy_and_is_marked() -> None:
    played = compare("twenty_eight", ["oracle"], opponents=["greedy"], deals=60)
    (one,) = played.evaluations
    assert one.sees_all
    assert one.estimates["net"].mean > 0.1


def test_other_games_for_several_players_have_no_oracle() -> None:
    for name, variant in (("seven_twenty_seven", None), ("poker_squares", "duel")):
        game = find_game(name)
        with pytest.raises(ValueError, match=r"has no solver|only for one player"):
            load_agent("oracle", game, game.make_rules(variant))


def test_it_has_no_option() -> None:
    game = find_game("twenty_eight")
    with pytest.raises(ValueError, match="agent must be oracle in Twenty-Eight, got 'oracle:fewe"):
        load_agent("oracle:fewest", game, game.make_rules())
