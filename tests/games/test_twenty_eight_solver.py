"""The double-dummy solver beside the reference, in which all that can be played is tried out."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from parlour.agents import load_agent
from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows
from parlour.envs.core.truth import deal_position, play_actions
from parlour.envs.core.turn import choose_actions, prepare_turn
from parlour.envs.twenty_eight.rules import LABELS, SHOW
from parlour.envs.twenty_eight.solver.contracts import list_contracts
from parlour.envs.twenty_eight.solver.solve import solve, winnable_after
from parlour.envs.twenty_eight.state import PLAY
from tests.reference.twenty_eight import Game as Reference
from tests.reference.twenty_eight_beside import begin
from tests.walkers import WALKERS

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "28": ("twenty_eight", "classic", {}),
    "28 overtrump": ("twenty_eight", "classic", {"overtrump": True, "force": "whole"}),
    "28 six": ("twenty_eight", "six", {}),
    "28 three": ("twenty_eight", "three", {}),
    "29": ("twenty_nine", "classic", {}),
    "29 no trumps": ("twenty_nine", "no-trumps", {"ask": "may", "force": "later"}),
    "29 seventh": ("twenty_nine", "seventh", {}),
}


def most_points(reference: Reference, side: int) -> int:
    """What a side takes in all if all play as well as they can, found by trying everything."""
    if reference.over:
        return reference.points[side]
    ours = reference.side(reference.seat) == side
    found = []
    for action in reference.legal() - {SHOW}:
        after = deepcopy(reference)
        after.step(action)
        found.append(most_points(after, side))
    return max(found) if ours else min(found)


def late_positions(case: str, cards: int, seed: int) -> tuple[Rows, Reference] | None:
    """A position of a hand in which nobody holds more cards, and its reference."""
    name, variant, options = CASES[case]
    game = GAMES[name]
    rows = Rows(game, game.make_rules(variant, options), 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_bank("double dummy", [seed])
    reference, rng = begin(rows), np.random.default_rng(seed)
    stop = cards if seed % 2 else cards - 1
    while not rows.states["over"][0]:
        s = rows.states[0]
        held = max(int(hand).bit_count() for hand in s["hands"])
        if s["shown"]["phase"] == PLAY and held <= stop:
            return rows, reference
        action = WALKERS["uniform"](rows, rng)
        rows.step(np.array([action]))
        reference.step(action)
    return None


@pytest.mark.parametrize("positions", [12, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", CASES)
def test_the_solver_finds_what_trying_everything_finds(case: str, positions: int) -> None:
    seen = 0
    for seed in range(3 * positions):
        found = late_positions(case, 2, seed)
        if found is None:
            continue
        rows, reference = found
        s = rows.states[0]
        side = reference.side(int(s["bidder"]))
        if rows.rules.players == 3:
            wanted = bidder_alone(reference, side)
        else:
            wanted = most_points(reference, side)
        answer = solve(s, rows.rules)
        assert answer.score == wanted, f"{case}, seed {seed}"
        assert answer.winnable == (wanted >= s["shown"]["target"])
        seen += 1
        if seen == positions:
            break
    assert seen == positions


def bidder_alone(reference: Reference, side: int) -> int:
    """The same of three players, of whom the two others play together against the bidder."""
    if reference.over:
        return reference.points[side]
    found = []
    for action in reference.legal() - {SHOW}:
        after = deepcopy(reference)
        after.step(action)
        found.append(bidder_alone(after, side))
    return max(found) if reference.seat == side else min(found)


@pytest.mark.parametrize("case", ["28", "29"])
def test_what_is_said_of_actions_is_what_comes_of_them(case: str) -> None:
    for seed in range(12):
        found = late_positions(case, 4, seed)
        if found is None:
            continue
        rows, _ = found
        s = rows.states[0]
        values = winnable_after(rows.states, rows.rules)[0]
        legal = list_actions(s["legal"])
        ours = (int(s["turn"]) - int(s["bidder"])) % 2 == 0
        assert max(values[legal]) == (solve(s, rows.rules).winnable == ours)


def test_positions_are_judged_side_by_side_as_alone() -> None:
    """The table that they share tells them apart."""
    found = [late_positions("28", 4, seed) for seed in range(8)]
    states = np.concatenate([one[0].states for one in found if one is not None])
    rules = GAMES["twenty_eight"].make_rules()
    together = winnable_after(states, rules)
    for i in range(len(states)):
        np.testing.assert_array_equal(winnable_after(states[i : i + 1], rules)[0], together[i])
    assert together.any() and not together.all()


def test_pimc_plays_at_the_table() -> None:
    game = GAMES["twenty_eight"]
    agent = load_agent("pimc@2", game, game.make_rules())
    found = late_positions("28", 5, 3)
    assert found is not None
    rows, _ = found
    turn = prepare_turn(agent, game, rows.rules, rows.states, 7)
    assert int(choose_actions(agent, turn)[0]) in list_actions(rows.states[0]["legal"])
    with pytest.raises(
        ValueError, match="a position is needed in which a contract is being played"
    ):
        rows.deal_bank("double dummy", [0])
        solve(rows.states[0], rows.rules)


BY_HAND = {
    "28": ("bid 14", "bid 28"),
    "28 three": ("bid 14", "bid 28"),
    "29": ("pass", "bid 29"),
}
"""How seat 1 comes to make trumps, where seat 0 speaks first."""


@pytest.mark.parametrize("case", BY_HAND)
def test_a_contract_is_worth_what_the_play_comes_to(case: str) -> None:
    name, variant, options = CASES[case]
    game = GAMES[name]
    rules = game.make_rules(variant, options)
    start = deal_position(game, rules, "contracts", 5)
    assert start["turn"][0] == 0
    found = list_contracts(start, rules)
    assert {one.seat for one in found} == set(range(rules.players))
    making = play_actions(game, rules, start, [LABELS.index(word) for word in BY_HAND[case]])
    assert making["bidder"][0] == 1
    ways = {
        LABELS[action]: solve(play_actions(game, rules, making, [action]), rules).score
        for action in list_actions(making["legal"][0])
    }
    assert ways == {one.making: one.points for one in found if one.seat == 1}
    assert len(set(ways.values())) > 1


@pytest.mark.parametrize("variant", GAMES["twenty_nine"].variants)
def test_every_seat_has_a_contract_by_all_rules(variant: str) -> None:
    game = GAMES["twenty_nine"]
    rules = game.make_rules(variant)
    found = list_contracts(deal_position(game, rules, "contracts", 0), rules)
    assert {one.seat for one in found} == set(range(4))
    assert all(one.points is not None and 0 <= one.points <= 29 for one in found)


def test_contracts_are_of_a_deal_on_which_nobody_has_bid() -> None:
    game = GAMES["twenty_eight"]
    rules = game.make_rules()
    spoken = play_actions(
        game, rules, deal_position(game, rules, "contracts", 0), [LABELS.index("bid 15")]
    )
    with pytest.raises(ValueError, match="contracts: a deal is needed in which nobody has spoken"):
        list_contracts(spoken, rules)
    assert all(one.points is None for one in list_contracts(list(game.pack(rules)), rules, limit=3))
