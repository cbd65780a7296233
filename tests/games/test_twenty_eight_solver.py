"""The double-dummy solver compared with an exhaustive search of the reference."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from parlour.agents import load_agent
from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows
from parlour.envs.core.solve import deal_position, play_actions
from parlour.envs.core.turn import choose_actions, prepare_turn
from parlour.envs.games.twenty_eight.play import pair_of
from parlour.envs.games.twenty_eight.rules import ASK, LABELS, PLAY, SHOW, SINGLE
from parlour.envs.games.twenty_eight.solver import list_contracts, solve, winnable_after
from tests.marks import slow_if
from tests.reference.twenty_eight import Game as Reference
from tests.reference.twenty_eight_comparison import begin

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "28": ("twenty_eight", "classic", {}),
    "29": ("twenty_nine", "classic", {}),
    "28 overtrump": ("twenty_eight", "classic", {"overtrump": True, "force": "whole"}),
    "28 six with the pair": ("twenty_eight", "six", {"pair": True, "pair_from": 17}),
    "29 pair=no": ("twenty_nine", "classic", {"pair": False}),
    "29 no trumps": ("twenty_nine", "no-trumps", {"ask": "may", "force": "later"}),
    **{
        f"{number} {variant}": (name, variant, {})
        for number, name in (("28", "twenty_eight"), ("29", "twenty_nine"))
        for variant in GAMES[name].variants
        if variant != "classic"
    },
}


QUICK = ("28", "28 three", "29")
LEAST, MOST = -99, 99


def points_after(
    reference: Reference, action: int, side: int, low: int = LEAST, high: int = MOST
) -> int:
    """What a side has at the end once an action was played, all playing as well as they can."""
    settled = (reference.options, reference.auction, *reference.tricks[:-1])
    after = deepcopy(reference, {id(part): part for part in settled})
    after.step(action)
    return most_points(after, side, low, high)


def most_points(reference: Reference, side: int, low: int, high: int) -> int:
    """What a side has at the end if all play as well as they can, found by trying everything.

    That is what it takes less what the contract is by then; of three the two others play together.
    What comes to less than ``low`` or more than ``high`` is not played where something better is.
    """
    if reference.over:
        assert reference.counts is not None
        return reference.points[side] - reference.counts
    ours = reference.side(reference.seat) == side
    for action in reference.legal():
        result = points_after(reference, action, side, low, high)
        low, high = (max(low, result), high) if ours else (low, min(high, result))
        if low >= high:
            break
    return low if ours else high


def pair_held(s: Any) -> int:
    """King and queen of trumps, a set of cards, where they are in one hand; or 0."""
    pair = pair_of(int(s["made"]) - 1) if 0 < s["made"] <= 4 else 0
    return pair if pair and any(int(hand) & pair == pair for hand in s["hands"]) else 0


def late_position(
    case: str, cards: int, seed: int, more: int = 0, keep: bool = False
) -> tuple[Rows, Reference] | None:
    """A position of a hand in which nobody holds more cards, some moves on, and its reference.

    ``keep``: one in which somebody holds the pair and has not shown it.
    """
    name, variant, options = CASES[case]
    game = GAMES[name]
    rows = Rows(game, game.make_rules(variant, options), 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("double dummy", [seed])
    reference, rng = begin(rows), np.random.default_rng(seed)
    while not rows.states["over"][0]:
        s = rows.states[0]
        pair = pair_held(s)
        if s["shown"]["phase"] == PLAY:
            if keep and not s["card"] and not pair:
                return None
            if max(int(hand).bit_count() for hand in s["hands"]) <= cards:
                if more == 0:
                    return rows, reference
                more -= 1
        actions = [action for action in list_actions(s["legal"]) if action != SINGLE]
        if keep:
            kept = [one for one in actions if one != SHOW and not (one < ASK and pair >> one & 1)]
            actions = kept or actions
        action = int(rng.choice(actions))
        rows.step(np.array([action]))
        reference.step(action)
    return None


@pytest.mark.parametrize(
    ("case", "positions"),
    [
        *(slow_if(case not in QUICK, case, 12) for case in CASES),
        *(slow_if(True, case, 500) for case in CASES),
    ],
)
def test_the_solver_finds_what_trying_everything_finds(case: str, positions: int) -> None:
    """Score, contract and remaining points after each action, in half of the pair positions."""
    seen, matters = 0, 0
    name, variant, options = CASES[case]
    rules = GAMES[name].make_rules(variant, options)
    for seed in range(100 * positions):
        keep = rules.pair and seen % 2 == 1
        cards = 3 if seed % 3 == 0 and rules.players < 6 else 2
        result = late_position(case, cards, seed, seed // 3 % 4, keep)
        if result is None or result[0].states["alone"][0] >= 0:
            continue
        rows, reference = result
        s = rows.states[0]
        side, target = reference.side(int(s["bidder"])), int(s["shown"]["target"])
        after = {action: points_after(reference, action, side) for action in reference.legal()}
        ours = reference.side(reference.seat) == side
        wanted = max(after.values()) if ours else min(after.values())
        answer = solve(s, rows.rules)
        assert answer.score == wanted + target, f"{case}, seed {seed}"
        assert answer.winnable == (wanted >= 0), f"{case}, seed {seed}"
        values = winnable_after(rows.states, rows.rules)[0]
        made = {action: bool(value >= 0) == ours for action, value in after.items()}
        assert made == {action: bool(values[action]) for action in after}, f"{case}, seed {seed}"
        unpaired = solve(s, rows.rules._replace(pair=False))
        matters += unpaired.winnable != answer.winnable
        seen += 1
        if seen == positions:
            break
    assert seen == positions
    assert matters > 0 or not rules.pair or positions < 100


@pytest.mark.parametrize("case", ["28", "28 pair", "29"])
def test_what_is_said_of_actions_is_what_comes_of_them(case: str) -> None:
    for seed in range(12):
        result = late_position(case, 4, seed, keep=case == "28 pair")
        if result is None:
            continue
        rows, _ = result
        s = rows.states[0]
        values = winnable_after(rows.states, rows.rules)[0]
        legal = list_actions(s["legal"])
        ours = (int(s["turn"]) - int(s["bidder"])) % 2 == 0
        assert max(values[legal]) == (solve(s, rows.rules).winnable == ours)


def test_positions_are_judged_side_by_side_as_alone() -> None:
    """The table that they share tells them apart."""
    result = [late_position("28", 4, seed) for seed in range(8)]
    states = np.concatenate([one[0].states for one in result if one is not None])
    rules = GAMES["twenty_eight"].make_rules()
    together = winnable_after(states, rules)
    for i in range(len(states)):
        np.testing.assert_array_equal(winnable_after(states[i : i + 1], rules)[0], together[i])
    assert together.any() and not together.all()


def test_pimc_plays_at_the_table() -> None:
    game = GAMES["twenty_eight"]
    agent = load_agent("pimc@2", game, game.make_rules())
    result = late_position("28", 5, 3)
    assert result is not None
    rows, _ = result
    turn = prepare_turn(agent, game, rows.rules, rows.states, 7)
    assert int(choose_actions(agent, turn)[0]) in list_actions(rows.states[0]["legal"])
    with pytest.raises(ValueError, match="the position must have a contract"):
        rows.deal_numbered("double dummy", [0])
        solve(rows.states[0], rows.rules)


BY_HAND = {
    "28": ("bid 14", "bid 28"),
    "28 three": ("bid 14", "bid 28"),
    "29 pair=no": ("pass", "bid 29"),
    "29": ("pass", "bid 24", "pass", "pass"),
    "28 pair": ("bid 14", "bid 24", "pass", "pass", "pass"),
}
"""How seat 1 comes to make trumps, where seat 0 speaks first."""


@pytest.mark.parametrize("case", [slow_if(case not in QUICK, case) for case in BY_HAND])
def test_a_contract_is_worth_what_the_play_comes_to(case: str) -> None:
    name, variant, options = CASES[case]
    game = GAMES[name]
    rules = game.make_rules(variant, options)
    start = deal_position(game, rules, "contracts", 5)
    assert start["turn"][0] == 0
    result = list_contracts(start, rules)
    assert {one.seat for one in result} == set(range(rules.players))
    making = play_actions(game, rules, start, [LABELS.index(word) for word in BY_HAND[case]])
    assert making["bidder"][0] == 1
    ways = {
        LABELS[action]: solve(play_actions(game, rules, making, [action]), rules).score
        for action in list_actions(making["legal"][0])
    }
    assert ways == {one.making: one.points for one in result if one.seat == 1}
    assert len(set(ways.values())) > 1


@pytest.mark.parametrize("variant", GAMES["twenty_nine"].variants)
def test_every_seat_has_a_contract_by_all_rules(variant: str) -> None:
    game = GAMES["twenty_nine"]
    rules = game.make_rules(variant)
    result = list_contracts(deal_position(game, rules, "contracts", 0), rules)
    assert {one.seat for one in result} == set(range(4))
    assert all(one.points is not None and -4 <= one.points <= 33 for one in result)


def test_contracts_are_of_a_deal_on_which_nobody_has_bid() -> None:
    game = GAMES["twenty_eight"]
    rules = game.make_rules()
    spoken = play_actions(
        game, rules, deal_position(game, rules, "contracts", 0), [LABELS.index("bid 15")]
    )
    with pytest.raises(
        ValueError, match="deck_or_state must be a deal before the first bid or pass"
    ):
        list_contracts(spoken, rules)
    assert all(one.points is None for one in list_contracts(list(game.pack(rules)), rules, limit=3))
