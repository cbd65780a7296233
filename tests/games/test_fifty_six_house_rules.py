"""Fifty-Six: what the seats know under its house rules, and what the baselines do."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows, observation_codes, resample_copies, view_states
from parlour.envs.games.fifty_six.rules import (
    AUCTION,
    BID,
    BY_PLUS,
    LOWEST_BID,
    NAMING,
    PASS,
    PLAY,
    PLUS,
    STRAIN,
    STRAIN_BEFORE,
    STRAIN_FIRST,
)

GAME = GAMES["fifty_six"]


def new_rows(variant: str, options: dict[str, Any]) -> Rows:
    rows = Rows(GAME, GAME.make_rules(variant, options), 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("house", [1])
    return rows


def step(rows: Rows, *actions: int) -> Rows:
    for action in actions:
        assert action in list_actions(rows.states[0]["legal"])
        rows.step(np.array([action]))
    return rows


def list_auctions(rows: Rows, calls: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
    """All auctions with bids up to a number, and how they begin."""
    yield calls
    here = rows.states.copy()
    if here[0]["shown"]["phase"] not in (AUCTION, NAMING):
        return
    for action in list_actions(here[0]["legal"]):
        if not BID + most - LOWEST_BID < action < STRAIN:
            rows.restore(here)
            rows.step(np.array([action]))
            yield from list_auctions(rows, (*calls, action), most)


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({"doubling": "none"}, 29),
        ({"doubling": "none", "forced": False, "all_pass": "no_trumps"}, 28),
    ],
)
def test_the_observation_tells_the_whole_auction(options: dict[str, Any], most: int) -> None:
    rows = new_rows("forms", {"players": 4, **options})
    seen: dict[bytes, tuple[int, ...]] = {}
    for calls in list_auctions(rows, (), most):
        viewed = view_states(GAME, rows.rules, rows.states, np.array([0]))
        assert seen.setdefault(observation_codes(viewed).tobytes(), calls) == calls
    assert len(seen) > 100


def test_every_seat_sees_the_forms_and_every_world_keeps_them() -> None:
    rows = new_rows("forms", {"players": 4})
    step(rows, BID, STRAIN_FIRST + 2, PASS, BID + 3, PLUS, PASS)
    forms = [STRAIN_BEFORE, 0, 0, BY_PLUS]
    for seat in range(4):
        shown = view_states(GAME, rows.rules, rows.states, np.array([seat]))[0]["shown"]
        assert shown["forms"].tolist()[:5] == [*forms, 0]
        assert shown["strains"].tolist()[:5] == [3, 0, 0, 3, 0]
        for world in resample_copies(GAME, rows.rules, rows.states.repeat(20), 1, seat):
            assert world["shown"]["forms"].tolist()[:5] == [*forms, 0]
            again = Rows(GAME, rows.rules, 1, StepConfig(reset=Autoreset.DISABLED))
            again.restore(world.reshape(1))
            step(again, PASS, PASS)
            assert again.states["shown"]["phase"][0] == PLAY and again.states["made"][0] == 3


def test_the_baselines_say_the_number_first() -> None:
    rows = new_rows("forms", {"players": 4})
    step(rows, BID, STRAIN, PASS, BID + 1)
    for name in (None, "rule"):
        scores = GAME.score_actions(rows.states, rows.rules, rule_agent=name)[0]
        best = max(list_actions(rows.states[0]["legal"]), key=scores.__getitem__)
        assert STRAIN <= best < PASS


def test_a_passed_out_hand_looks_unlike_a_bid_of_28() -> None:
    shown = []
    for calls in ([PASS] * 6, [BID, STRAIN + 4, *[PASS] * 5]):
        rows = step(new_rows("passed-out", {}), *calls)
        assert rows.states["shown"]["phase"][0] == PLAY and rows.states["made"][0] == 5
        shown.append(observation_codes(rows.states).tobytes())
    assert shown[0] != shown[1]


def test_hands_of_six_cards_are_sampled() -> None:
    rows = new_rows("eight-short", {})
    step(rows, BID, STRAIN, *[PASS] * 7)
    for seat in range(8):
        for world in resample_copies(GAME, rows.rules, rows.states.repeat(10), 3, seat):
            again = Rows(GAME, rows.rules, 1, StepConfig(reset=Autoreset.DISABLED))
            again.states["dealer"] = world["dealer"]
            again.states["deck"] = world["deck"]
            assert (world["hands"][seat] == rows.states["hands"][0, seat]).all()
            assert all(
                bin(int(world["hands"][k])).count("1") + bin(int(world["twice"][k])).count("1") == 6
                for k in range(8)
            )
