"""Rollout agents: better than their player, and no use of hidden cards."""

import numpy as np
import pytest

from parlour.agents.networks.value_table import ValueTableAgent
from parlour.agents.registry import load_agent, prepare_turn
from parlour.agents.search.inference import is_bidding
from parlour.agents.search.rollouts import RolloutAgent
from parlour.envs import GAMES, make
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.rows import Rows, resample_copies
from parlour.training.evaluation.compare import compare
from tests.contract.cases import CASES, Case, positions
from tests.marks import slow_if

PUSS = GAMES["puss_in_the_corner"]
VARIANTS = ("three-passes", "classic", "book", "no-redeal")


@pytest.mark.slow
def test_it_plays_better_than_its_player() -> None:
    rules = PUSS.make_rules()
    agents = [load_agent("greedy", PUSS, rules), load_agent("rollouts:greedy", PUSS, rules)]
    agents[1].worlds = 24  # type: ignore[attr-defined]
    (difference,) = compare(PUSS, agents, deals=60).differences
    assert difference.agent == "greedy-rollouts" and difference.score.low > 0


@pytest.mark.parametrize(
    "case",
    [
        slow_if(case.game.name != "pyramid", case, name=str(case))
        for case in CASES
        if case.variant in VARIANTS
    ],
)
def test_hidden_cards_change_no_choice(case: Case) -> None:
    agent = load_agent("rollouts:greedy", case.game, case.rules)
    assert isinstance(agent, RolloutAgent)
    agent.worlds = 2
    env = case.env(encoding="codes")
    for step in positions(env, 2, seed=9, every=23):
        if env.rows.states["over"][0]:
            continue
        others = resample_copies(case.game, case.rules, env.rows.states.repeat(4), step)
        others["rng"] = env.rows.states["rng"]
        before = others.tobytes()
        turn = prepare_turn(agent, case.game, case.rules, others, step)._replace(states=others)
        assert len(set(agent.act(turn).tolist())) == 1
        assert others.tobytes() == before


def test_a_search_of_cards_alone_teaches_the_bids_of_its_player() -> None:
    """In an auction, every other action has a clear loss; cards have the gains of the search."""
    game = GAMES["fifty_six"]
    rules = game.make_rules()
    specs = ("greedy", "rollouts@2:greedy", "rollouts-cards@2:greedy")
    greedy, whole, cards = (load_agent(spec, game, rules) for spec in specs)
    rows, seen = Rows(game, rules, 20), set()
    rows.deal_numbered("fifty_six-1", np.arange(20))
    while not rows.states["over"].all():
        (running,) = np.nonzero(rows.states["over"] == 0)
        states, seeds = rows.states[running], running.astype(np.uint64)
        turn = prepare_turn(greedy, game, rules, states, seeds)
        actions, judged = greedy.act(turn), cards.judge(turn)
        bids = is_bidding(game, states)
        expected = np.where(turn.masks, -0.1, 0.0)
        np.put_along_axis(expected, actions[:, None], 0.0, axis=1)
        assert (judged.values[bids] == expected[bids]).all()
        assert (judged.actions[bids] == actions[bids]).all()
        for one, other in zip(judged, whole.judge(turn), strict=True):
            assert (one[~bids] == other[~bids]).all()
        seen |= set(bids.tolist())
        moves = np.full(len(rows.states), -1)
        moves[running] = actions
        rows.step(moves, rows.states["over"] == 0)
    assert seen == {False, True}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["twenty_eight", "fifty_six"])
def test_at_a_table_it_plays_better_than_its_player(name: str) -> None:
    result = compare(
        name, ["rollouts@40:greedy"], opponents=["greedy"], deals=400, evaluation_seed="a"
    )
    assert result.evaluations[0].net.low > 0


def test_at_a_table_it_does_as_its_player_where_nothing_is_sure() -> None:
    """The player's own action gains nothing over itself; a chosen alternative gains."""
    game = GAMES["twenty_eight"]
    rules = game.make_rules()
    rows = Rows(game, rules, 40)
    rows.deal_numbered("table", range(40))
    greedy, careful = (load_agent(name, game, rules) for name in ("greedy", "rollouts@3:greedy"))
    turn = prepare_turn(careful, game, rules, rows.states, 1)
    own, result = greedy.act(turn), careful.explain(turn)
    values = result.action_values
    same = result.actions == own
    assert 10 < same.sum() < 40
    assert (values[np.arange(40), own] == 0).all()
    assert (values[np.arange(40), result.actions][~same] > 0).all()


@pytest.mark.slow
def test_a_win_in_sight_is_taken() -> None:
    """Return a state with one card left, which completes the royal flush in only one place."""
    env = make("poker_squares", "classic", encoding="codes")
    first = "Ah Kh Qh Jh 2c 3d 4s 5c 7d 8s 9c 2d 3s 4c 5h 6d 8c 9s 2h 3c 4d 6s 7c Th"
    rest = [card for card in map(card_name, env.game.pack(env.rules)) if card not in first]
    env.reset(options={"deck": f"{first} {' '.join(rest)}"})
    places = [0, 1, 2, 3, *range(5, 24)]
    for place in places:
        env.step(place)
    agent = load_agent("rollouts:greedy", env.game, env.rules)
    turn = prepare_turn(agent, env.game, env.rules, env.rows.states, 1)
    assert agent.act(turn).tolist() == [4]


@pytest.mark.slow
def test_a_player_by_rule_plays_games_on_where_there_is_hope() -> None:
    rules = PUSS.make_rules("no-redeal")
    agent = load_agent("rollouts@8:hopeful", PUSS, rules)
    result = compare(PUSS, [agent], deals=4).evaluations[0]
    assert result.agent == "hopeful-rollouts@8" and not result.sees_all
    rows = Rows(PUSS, rules, 1)
    rows.deal_numbered("hopeless", [0])
    worlds = []
    while not rows.states["over"][0]:
        told = agent.explain(prepare_turn(agent, PUSS, rules, rows.states, 1))  # type: ignore[attr-defined]
        assert told.statistics is not None
        worlds.append(int(told.statistics["worlds"][0]))
        PUSS.kernels.step(rows.states[0], rules, int(told.actions[0]))
    assert max(worlds) == 8 and worlds[-1] == 0  # in the end nothing is left to be tried out


@pytest.mark.slow
def test_the_choice_of_a_player_by_rule_is_left_only_for_a_gain() -> None:
    rules = PUSS.make_rules("no-redeal")
    hopeful, careful = (load_agent(name, PUSS, rules) for name in ("hopeful", "rollouts@8:hopeful"))
    rows = Rows(PUSS, rules, 60)
    rows.deal_numbered("careful", range(60))
    for _ in range(12):
        rows.step(hopeful.act(prepare_turn(hopeful, PUSS, rules, rows.states, 1)))
    turn = prepare_turn(careful, PUSS, rules, rows.states, 1)
    own, result = hopeful.act(turn), careful.explain(turn)  # type: ignore[attr-defined]
    values, worlds = result.action_values, result.statistics["worlds"]
    same, row = result.actions == own, np.arange(60)
    assert 30 < same.sum() < 60 and set(worlds.tolist()) <= {0, 2, 8}  # 2: the rest was dropped
    assert (values[row, own][worlds > 0] == 0).all()
    assert (values[row, result.actions][~same] > 0).all()
    assert same[worlds == 2].all() and np.isnan(values[worlds == 2]).any()


def test_what_cannot_be_played_out_is_refused() -> None:
    rules = PUSS.make_rules("book")
    with pytest.raises(
        ValueError, match=r"^the guide of rollouts must be greedy, a rule-based agent or"
    ):
        load_agent("rollouts:uniform", PUSS, rules)
    with pytest.raises(
        ValueError, match=r"^the guide of rollouts must be greedy, a rule-based agent or"
    ):
        load_agent("rollouts:pimc", PUSS, rules)
    with pytest.raises(ValueError, match="worlds must be an integer >= 1, got 0"):
        RolloutAgent(ValueTableAgent(np.zeros(1, np.float32)), worlds=0)
