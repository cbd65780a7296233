"""The agent that plays every action out: better than its player, and blind to hidden cards."""

import numpy as np
import pytest

from parlour.agents.registry import load_agent, prepare_turn
from parlour.agents.rollouts import RolloutAgent
from parlour.agents.value_table import ValueTableAgent
from parlour.envs import GAMES, make
from parlour.envs.core.cards import card_name
from parlour.envs.core.rows import resample_copies
from parlour.training.evaluation.compare import compare
from tests.contract.cases import CASES, Case, positions

PUSS = GAMES["puss_in_the_corner"]
VARIANTS = ("three-passes", "classic", "book", "no-redeal")


@pytest.mark.slow
def test_it_plays_better_than_its_player() -> None:
    rules = PUSS.make_rules()
    agents = [load_agent("greedy", PUSS, rules), load_agent("rollouts:greedy", PUSS, rules)]
    agents[1].worlds = 24  # type: ignore[attr-defined]
    (difference,) = compare(PUSS, agents, deals=60).differences
    assert difference.agent == "greedy-rollouts" and difference.score.low > 0


ALONE = [case for case in CASES if case.variant in VARIANTS and case.players == 1]


@pytest.mark.parametrize("case", ALONE, ids=str)
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


def test_a_win_in_sight_is_taken() -> None:
    """The last card of a game: only one place for it completes the royal flush."""
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


def test_what_cannot_be_played_out_is_refused() -> None:
    rules = PUSS.make_rules("book")
    with pytest.raises(ValueError, match="only greedy and agents with a table"):
        load_agent("rollouts:uniform", PUSS, rules)
    with pytest.raises(ValueError, match="only greedy and agents with a table"):
        load_agent("rollouts:tip", PUSS, rules)
    with pytest.raises(ValueError, match="worlds=0"):
        RolloutAgent(ValueTableAgent(np.zeros(1, np.float32)), worlds=0)
