"""The double-dummy solver compared with an exhaustive search of the reference."""

from copy import copy

import numpy as np
import pytest

from parlour.agents import load_agent
from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows
from parlour.envs.core.solve import deal_position
from parlour.envs.core.turn import choose_actions, prepare_turn
from parlour.envs.games.fifty_six.rules import ASK, PLAY
from parlour.envs.games.fifty_six.solver import solve, winnable_after
from tests.reference.fifty_six import Game as Reference
from tests.reference.fifty_six_comparison import begin
from tests.walkers import WALKERS

GAME = GAMES["fifty_six"]
VARIANTS = tuple(GAME.variants)


def branch(reference: Reference, action: int) -> Reference:
    """The game after an action. The parts that the play changes are copied."""
    after = copy(reference)
    after.hands = [list(hand) for hand in reference.hands]
    after.tricks = [*reference.tricks[:-1], copy(reference.tricks[-1])]
    after.tricks[-1].plays = list(reference.tricks[-1].plays)
    after.shown_void = [set(suits) for suits in reference.shown_void]
    after.points, after.scores = list(reference.points), list(reference.scores)
    after.step(action)
    return after


def most_points(reference: Reference, side: int) -> int:
    """The total points of a side with best play by all seats, found by exhaustive search."""
    if reference.over:
        return reference.points[side]
    result = [most_points(branch(reference, action), side) for action in reference.legal()]
    return max(result) if reference.seat % 2 == side else min(result)


def late_position(variant: str, cards: int, seed: int) -> tuple[Rows, Reference] | None:
    """A position in play in which all seats together hold no more cards, and its reference.

    Seeds go through the walkers; every other one never asks for trumps.
    """
    rules = GAME.make_rules(variant)
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("double dummy", [seed])
    reference, rng = begin(rows), np.random.default_rng(seed)
    walker = WALKERS["greedy" if seed // 2 % 2 else "uniform"]
    while not rows.states["over"][0]:
        s = rows.states[0]
        if s["shown"]["phase"] == PLAY and s["seats"]["hand"].sum() + (s["card"] > 0) <= cards:
            return rows, reference
        action = walker(rows, rng)
        while action == ASK and seed % 2:
            action = WALKERS["uniform"](rows, rng)
        rows.step(np.array([action]))
        reference.step(action)
    return None


@pytest.mark.parametrize("positions", [12, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_solver_finds_what_trying_everything_finds(variant: str, positions: int) -> None:
    seen = secret = twins = 0
    for seed in range(3 * positions):
        players = GAME.make_rules(variant).players
        result = late_position(variant, 2 * players + seed // 4 % 3, seed)
        if result is None:
            continue
        rows, reference = result
        s = rows.states[0]
        wanted = most_points(reference, int(s["bidder"]) % 2)
        answer = solve(s, rows.rules)
        assert answer.score == wanted, f"{variant}, seed {seed}"
        assert answer.bounds == (wanted, wanted)
        assert answer.winnable == (wanted >= s["shown"]["number"])
        check_bounds(rows, wanted, answer.nodes)
        secret += not s["shown"]["trumps_shown"]
        twins += bool(s["twice"].any())
        seen += 1
        if seen == positions:
            break
    assert seen == positions
    assert twins
    assert secret or variant != "hidden"


def check_bounds(rows: Rows, truth: int, nodes: int) -> None:
    """Check that answers within a small limit are true, and that the limit is kept."""
    s = rows.states[0]
    for limit in (1, nodes // 8 + 1, nodes // 3 + 1):
        answer = solve(s, rows.rules, limit=limit)
        assert answer.nodes <= limit
        assert answer.bounds is not None
        low, high = answer.bounds
        assert low <= truth <= high
        assert answer.score == (truth if low == high else None)
        assert answer.winnable in (None, truth >= s["shown"]["number"])
    assert solve(s, rows.rules, limit=2 * nodes + 1).score == truth


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_said_of_actions_is_what_comes_of_them(variant: str) -> None:
    players, seen = GAME.make_rules(variant).players, set()
    for seed in range(24):
        result = late_position(variant, 2 * players, seed)
        assert result is not None
        rows, reference = result
        s = rows.states[0]
        values = winnable_after(rows.states, rows.rules)[0]
        side = int(s["bidder"]) % 2
        ours = int(s["turn"]) % 2 == side
        for action in list_actions(s["legal"]):
            made = most_points(branch(reference, action), side) >= s["shown"]["number"]
            assert values[action] == (made == ours)
            seen.add(bool(made))
        assert values.sum() == values[list_actions(s["legal"])].sum()
    assert seen == {False, True}


def test_a_limit_leaves_actions_undecided() -> None:
    result = late_position("classic", 30, 4)
    assert result is not None
    rows, _ = result
    legal = list_actions(rows.states[0]["legal"])
    assert set(winnable_after(rows.states, rows.rules, 1)[0, legal]) <= {0.0, 0.5, 1.0}
    assert 0.5 in winnable_after(rows.states, rows.rules, 1)[0, legal]


def test_whole_deals_are_bounded() -> None:
    result = late_position("classic", 48, 2)
    assert result is not None
    rows, _ = result
    answer = solve(rows.states[0], rows.rules, limit=20_000)
    assert answer.score is None
    assert answer.bounds is not None
    assert 0 <= answer.bounds[0] < answer.bounds[1] <= 56
    assert answer.bounds != (0, 56)


def test_pimc_plays_at_the_table() -> None:
    rules = GAME.make_rules()
    agent = load_agent("pimc@2", GAME, rules)
    result = late_position("classic", 18, 3)
    assert result is not None
    rows, _ = result
    turn = prepare_turn(agent, GAME, rows.rules, rows.states, 7)
    assert int(choose_actions(agent, turn)[0]) in list_actions(rows.states[0]["legal"])
    with pytest.raises(ValueError, match="the position must have a contract"):
        solve(deal_position(GAME, rules, "double dummy", 0), rules)
