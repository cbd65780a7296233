"""The tables of Twenty-Eight, Twenty-Nine and Fifty-Six show partners and taken tricks."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.rows import Rows, view_states
from parlour.envs.core.scene.scene import ansi
from tests.walkers import legal_actions

CASES = [
    ("twenty_eight", "classic", {0: 0, 1: 1, 2: 0, 3: 1}),
    ("twenty_eight", "six", {0: 0, 1: 1, 2: 0, 3: 1, 4: 0, 5: 1}),
    ("twenty_nine", "classic", {0: 0, 1: 1, 2: 0, 3: 1}),
    ("fifty_six", "classic", {0: 0, 1: 1, 2: 0, 3: 1, 4: 0, 5: 1}),
    ("fifty_six", "hidden", {0: 0, 1: 1, 2: 0, 3: 1, 4: 0, 5: 1}),
]


def tables(name: str, variant: str) -> Iterator[tuple[int, Any, str]]:
    """A hand as each seat sees it, position after position: the seat, the state, the text."""
    game = GAMES[name]
    rules = game.make_rules(variant)
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rng = np.random.default_rng(5)
    rows.seed(np.array([7], np.uint64))
    rows.start(DealSource.SEED)
    while True:
        for seat in range(rules.players):
            s = view_states(game, rules, rows.states, np.array([seat]))[0]
            yield seat, s, ansi(game.layout(s, rules))
        if rows.states["over"][0]:
            return
        rows.step(np.array([rng.choice(legal_actions(rows))]))


@pytest.mark.parametrize(("name", "variant", "side"), CASES)
def test_a_seat_sees_its_partners(name: str, variant: str, side: dict[int, int]) -> None:
    for seat, _, text in tables(name, variant):
        partners = [int(one) for one in re.findall(r"partner, seat (\d)", text)]
        wanted = {other for other in side if other != seat and side[other] == side[seat]}
        assert set(partners) == wanted
        assert len(partners) == len(wanted)


@pytest.mark.parametrize(("name", "variant", "side"), CASES)
def test_what_both_sides_have_taken_stands_beside_the_contract(
    name: str, variant: str, side: dict[int, int]
) -> None:
    asked = 0
    for seat, s, text in tables(name, variant):
        assert not re.search(r"\b1 (tricks|points)", text)
        result = re.search(r"points: your side (\d+)( of \d+)?, the others (\d+)( of \d+)?", text)
        if not result:
            assert not s["tricks"]
            continue
        asked += 1
        points = s["seats"]["points"]
        own = sum(int(points[other]) for other in side if side[other] == side[seat])
        assert (int(result[1]), int(result[3])) == (own, int(points.sum()) - own)
        target = s["shown"]["target" if name != "fifty_six" else "number"]
        bids = side[int(s["bidder"])] == side[seat]
        assert result[2 if bids else 4] == f" of {target}"
        assert result[4 if bids else 2] is None
    assert asked > 40


def test_of_three_players_the_two_others_are_partners_once_the_bidder_is_known() -> None:
    counts = set()
    for seat, s, text in tables("twenty_eight", "three"):
        result = re.findall(r"partner, seat (\d)", text)
        if "points: " not in text:
            assert not result
            continue
        counts.add(len(result))
        others = {0, 1, 2} - {int(s["bidder"]), seat}
        assert {int(one) for one in result} == (set() if seat == s["bidder"] else others)
    assert counts == {0, 1}
