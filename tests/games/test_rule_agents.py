"""Strength of the heuristics and the rule-based agents, with some room below measurements."""

import pytest

from parlour.envs import GAMES
from parlour.envs.core.afterstates import HOPELESS
from parlour.envs.core.rows import Rows
from parlour.training.evaluation.compare import evaluate

DEALS = 2000


@pytest.mark.parametrize(
    ("game", "variant", "agent", "fact", "least"),
    [
        ("puss_in_the_corner", "book", "greedy", "won", 0.90),
        ("puss_in_the_corner", "no-redeal", "greedy", "won", 0.008),
        ("puss_in_the_corner", "no-redeal", "greedy", "score", 30.5),
        ("puss_in_the_corner", "no-redeal", "hopeful", "won", 0.10),
        ("puss_in_the_corner", "two-redeals", "greedy", "won", 0.99),
        ("puss_in_the_corner", "free-hand", "greedy", "won", 0.90),
        ("puss_in_the_corner", "one-by-one", "greedy", "won", 0.95),
        ("puss_in_the_corner", "suits", "greedy", "won", 0.70),
        ("puss_in_the_corner", "book", "tip", "won", 0.999),
        ("klondike", "classic", "greedy", "won", 0.26),
        ("klondike", "classic", "priority", "won", 0.15),
        ("klondike", "draw-one", "greedy", "won", 0.58),
        ("klondike", "draw-one", "priority", "won", 0.49),
        ("poker_squares", "classic", "greedy", "score", 110.0),
        ("poker_squares", "book", "greedy", "score", 95.0),
        ("poker_squares", "british", "greedy", "score", 38.0),
    ],
)
def test_plays_at_least_so_well(
    game: str, variant: str, agent: str, fact: str, least: float
) -> None:
    result = evaluate(game, agent, variant=variant, deals=DEALS)
    assert result.agent == agent and not result.sees_all
    assert result.estimate(fact).mean >= least


def test_what_is_hopeless_in_puss_in_the_corner_is_lost() -> None:
    """By the solver, which knows the order of the stock."""
    game = GAMES["puss_in_the_corner"]
    rules, looked = game.make_rules("no-redeal"), 0
    rows = Rows(game, rules, 12)
    rows.deal_numbered("hopeless", range(12))
    for i in range(12):
        state, hope = rows.states[i : i + 1], True
        while hope and not state["over"][0]:
            scores = game.score_actions(state, rules, rule_agent="hopeful")[0]
            legal = int(state["legal"][0])
            action = max(range(game.actions), key=lambda a: (legal >> a & 1, scores[a]))
            hope = scores[action] > HOPELESS / 2
            if not hope:
                assert game.solve(state, rules).winnable is False
                looked += 1
            game.kernels.step(state[0], rules, action)
    assert looked >= 8


def test_flushes_in_columns_score_as_published() -> None:
    """83.8 with an interval of 3.6 to each side, from 100 games of the contest of 2013."""
    result = evaluate("poker_squares", "columns", variant="classic", deals=DEALS).estimate("score")
    assert result.low < 83.8 + 3.6 and result.high > 83.8 - 3.6


def test_no_player_by_rule_has_the_name_of_another_agent() -> None:
    names = [name for game in GAMES.values() for name in game.rule_agents]
    assert not {"uniform", "greedy", "human"} & set(names)
    assert {"tip", "columns", "priority"} <= set(names)
