"""Selection of the sampled worlds that fit the bids."""

from typing import Any

import numpy as np
import pytest

from parlour.agents.baselines import GreedyAgent
from parlour.agents.registry import Agent, choose_actions, load_agent, prepare_turn
from parlour.agents.search.inference import (
    DRAWS,
    count_surprises,
    is_bidding,
    keep_likeliest,
    make_resample,
)
from parlour.agents.search.pimc import sample_worlds
from parlour.agents.search.playout import make_guide, make_playout
from parlour.envs import GAMES, Game
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.kernel.rng import GAMMA
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows, observation_codes
from tests.marks import slow_if
from tests.walkers import WALKERS

TABLES = 60
GAMES_WITH_AUCTIONS = ["twenty_eight", "twenty_nine", "fifty_six"]
SEARCHES = ("rollouts", "rollouts-bids")
GAMMA_INVERSE = pow(int(GAMMA), -1, 2**64)


def choose(agent: Agent, rows: Rows) -> np.ndarray:
    seeds = rows.states["moves"].astype(np.uint64)
    return choose_actions(agent, prepare_turn(agent, rows.game, rows.rules, rows.states, seeds))


def bid_by_greedy(game: Game, rules: Any) -> np.ndarray:
    """Return hands with bids by greedy and one card played, states (TABLES,)."""
    result = []
    for deal in range(TABLES):
        rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.DISABLED))
        rows.deal_numbered("inference", [deal])
        while not rows.states["size"][0]:
            rows.step(choose(GreedyAgent(), rows))
        result.append(rows.states.copy())
    return np.concatenate(result)


@pytest.mark.parametrize("name", GAMES_WITH_AUCTIONS)
def test_true_cards_explain_what_greedy_bid_and_others_less(name: str) -> None:
    game = GAMES[name]
    rules = game.make_rules()
    states = bid_by_greedy(game, rules)
    before = states.copy()
    assert not count_surprises(game, rules, states).any()
    worlds = sample_worlds(game, rules, states, np.arange(TABLES, dtype=np.uint64), 0, DRAWS)
    blind = count_surprises(game, rules, worlds)
    kept = keep_likeliest(game, rules, worlds)
    assert (states == before).all() and len(kept) == TABLES
    chosen = count_surprises(game, rules, kept)
    assert (chosen == blind.reshape(TABLES, DRAWS).min(axis=1)).all()
    assert chosen.mean() < 0.7 * blind.mean()


def test_it_plays_on_where_others_bid_without_a_plan() -> None:
    game = GAMES["twenty_eight"]
    rules, rng = game.make_rules(), np.random.default_rng(0)
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("inference", [0])
    agent = load_agent("pimc-bids@2", game, rules)
    asked = 0
    while not rows.states["over"][0]:
        own = rows.states["turn"][0] == 0
        asked += own
        rows.step(choose(agent, rows) if own else np.array([WALKERS["uniform"](rows, rng)]))
    assert agent.name == "pimc-bids@2" and asked >= 8


@pytest.mark.parametrize("spec", ["pimc-bids@2", "rollouts-bids@2:greedy"])
def test_it_is_for_games_with_an_auction(spec: str) -> None:
    game = GAMES["pyramid"]
    with pytest.raises(
        ValueError, match="the game must have an auction before its tricks, got Pyramid"
    ):
        load_agent(spec, game, game.make_rules())


@pytest.mark.parametrize(
    "name", [slow_if(name == "fifty_six", name) for name in GAMES_WITH_AUCTIONS]
)
def test_rollouts_of_cards_alone_bid_as_the_player_does(name: str) -> None:
    game = GAMES[name]
    rules = game.make_rules()
    agent, player = load_agent("rollouts-cards@6:greedy", game, rules), GreedyAgent()
    rows = Rows(game, rules, 8, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("inference", range(8))
    others = 0
    while not rows.states["over"].any():
        chosen, usual = choose(agent, rows), choose(player, rows)
        bidding = is_bidding(game, rows.states)
        assert (chosen == usual)[bidding].all()
        others += int((chosen != usual).sum())
        rows.step(chosen)
    assert others > 0 and agent.name == "greedy-rollouts-cards@6"


@pytest.mark.parametrize(
    "name", [slow_if(name == "fifty_six", name) for name in GAMES_WITH_AUCTIONS]
)
def test_rollouts_draw_worlds_that_explain_the_bids(name: str) -> None:
    game = GAMES[name]
    rules = game.make_rules()
    states = bid_by_greedy(game, rules)
    before, rules_record = states.copy(), as_record(rules)
    guide, playout = make_guide(GreedyAgent(), game), make_playout(game)
    drawn, worlds = states.copy(), np.zeros(2, game.state)
    resample = make_resample(name, by_bids=True)
    for row in range(TABLES):
        word = resample(states[row], worlds, playout, rules_record, guide, np.uint64(row))
        assert 1 <= (int(word) - row) * GAMMA_INVERSE % 2**64 <= DRAWS
        drawn[row] = worlds[0]
    assert (states == before).all()
    blind = sample_worlds(game, rules, states, np.arange(TABLES, dtype=np.uint64), 0, 1)
    seen = [observation_codes(some).tobytes() for some in (states, drawn)]
    assert seen[0] == seen[1]
    surprises, usual = (count_surprises(game, rules, some) for some in (drawn, blind))
    assert surprises.mean() < 0.7 * usual.mean()
    # Few worlds fit all bids of Fifty-Six, where six players bid several times.
    least = 0.3 if name != "fifty_six" else 0.02
    assert (surprises == 0).mean() > max(least, (usual == 0).mean())


def test_rollouts_by_bids_know_more_than_rollouts() -> None:
    """Where greedy bid, the two searches differ, in the values and in some of the choices."""
    game = GAMES["twenty_nine"]
    rules = game.make_rules()
    states = bid_by_greedy(game, rules)
    plain, by_bids = (load_agent(f"{word}@8:greedy", game, rules) for word in SEARCHES)
    turn = prepare_turn(plain, game, rules, states, np.arange(TABLES, dtype=np.uint64))
    one, other = (agent.judge(turn) for agent in (plain, by_bids))  # type: ignore[attr-defined]
    assert by_bids.name == "greedy-rollouts-bids@8"
    assert (one.values != other.values).any(axis=1).mean() > 0.3
    assert np.abs(one.values - other.values).mean() < 0.2
