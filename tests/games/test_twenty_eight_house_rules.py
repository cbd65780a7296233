"""Twenty-Eight: what the seats know under reentry, may_redeal and play_shown, and the baselines."""

from collections.abc import Iterator

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.kernel.cards import parse_card
from parlour.envs.core.legal import has_action, list_actions
from parlour.envs.core.rows import Rows, observation_codes, resample_copies, view_states
from parlour.envs.games.twenty_eight.play import POINT_CARDS
from parlour.envs.games.twenty_eight.rules import (
    ASK,
    AUCTION,
    BID,
    LOWEST_BID,
    PASS,
    PLAY,
    REDEAL,
    Rules,
)
from tests.reference.twenty_eight_dealt import SUIT_EACH
from tests.walkers import WALKERS

GAME = GAMES["twenty_eight"]
POINTLESS = ("Kc Qc 8c 7c Jc 9c Ac Tc", *SUIT_EACH[1:])


def dealt(rules: Rules, *hands: str) -> Rows:
    """A game of four players with these hands, dealt by the last seat."""
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    deck = [card for at in (0, 4) for hand in hands for card in hand.split()[at : at + 4]]
    rows.states["dealer"] = 3
    rows.states["deck"][0, : len(deck)] = [parse_card(card) for card in deck]
    rows.start(DealSource.DECK)
    return rows


def step(rows: Rows, *actions: int) -> Rows:
    for action in actions:
        assert has_action(rows.states[0]["legal"], action)
        rows.step(np.array([action]))
    return rows


# may_redeal


def test_all_seats_know_the_hand_with_which_a_redeal_was_demanded() -> None:
    rows = step(dealt(GAME.make_rules("reentry"), *POINTLESS), REDEAL)
    assert rows.states["over"][0] and not rows.states["net"].any()
    hand = rows.states["hands"][0, 0]
    for seat in range(4):
        worlds = resample_copies(GAME, rows.rules, rows.states.repeat(50), 1, seat)
        assert (worlds["hands"][:, 0] == hand).all()
        others = [other for other in (1, 2, 3) if other != seat]
        assert all(len(set(worlds["hands"][:, other].tolist())) > 1 for other in others)
        shown = view_states(GAME, rows.rules, rows.states, np.array([seat]))[0]["shown"]
        assert sum(shown["where"] == 9 + (0 - seat) % 4) == 4


@pytest.mark.parametrize("calls", [[], [BID + 14 - LOWEST_BID]])
def test_who_demands_no_redeal_tells_nothing_about_its_cards(calls: list[int]) -> None:
    rows = step(dealt(GAME.make_rules("reentry"), *POINTLESS), *calls)
    worlds = resample_copies(GAME, rows.rules, rows.states.repeat(400), 1, 1)
    pointless = [int(hand) & POINT_CARDS == 0 for hand in worlds["hands"][:, 0]]
    assert 0 < sum(pointless) < 200
    may = [has_action(one["legal"], REDEAL) for one in worlds]
    assert may == (pointless if not calls else [False] * 400)


@pytest.mark.parametrize("forced", ["first", "nobody"])
def test_greedy_and_rule_demand_a_redeal_unless_their_suit_is_long(forced: str) -> None:
    rules = GAME.make_rules("reentry", {"forced": forced})
    short = ("Kc Qc 8d 7d Jc 9c Ac Tc", "Jd 9d Ad Td Kd Qd 8c 7c", *SUIT_EACH[2:])
    for hands, redeals in ((short, True), (POINTLESS, False)):
        rows = dealt(rules, *hands)
        for name in (None, "rule"):
            scores = GAME.score_actions(rows.states, rules, rule_agent=name)[0]
            best = max(list_actions(rows.states[0]["legal"]), key=scores.__getitem__)
            assert (best == REDEAL) == redeals, (name, hands[0])


# reentry


def list_auctions(rows: Rows, calls: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
    """All auctions with bids up to a number, and how they begin."""
    yield calls
    here = rows.states.copy()
    if here[0]["shown"]["phase"] != AUCTION:
        return
    for action in list_actions(here[0]["legal"]):
        if action == PASS or action <= BID + most - LOWEST_BID:
            rows.restore(here)
            rows.step(np.array([action]))
            yield from list_auctions(rows, (*calls, action), most)


@pytest.mark.parametrize("forced", ["first", "nobody"])
def test_the_observation_tells_the_whole_auction(forced: str) -> None:
    rules = GAME.make_rules("three", {"reentry": True, "forced": forced})
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("auction", [1])
    seen: dict[bytes, tuple[int, ...]] = {}
    for calls in list_auctions(rows, (), 15):
        viewed = view_states(GAME, rules, rows.states, np.array([0]))
        assert seen.setdefault(observation_codes(viewed).tobytes(), calls) == calls
    assert len(seen) > 100
    longest = max(seen.values(), key=len)
    assert len(longest) > 3 + 4


def test_the_longest_auction_fits_into_the_history() -> None:
    """Six players bid every number as late as they can, and double, redouble and bid again."""
    options = {
        "players": 6,
        "min_bid": 12,
        "forced": "nobody",
        "partner_min": 0,
        "trump_by": "suit",
        "last_trick": 1,
        "reentry": True,
        "second_auction": 23,
        "doubles": True,
        "single_hand": True,
        "pair": True,
    }
    rules = GAME.make_rules(None, options)
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("long", [1])
    passes = 0
    while rows.states["shown"]["phase"][0] == AUCTION:
        legal = list_actions(rows.states[0]["legal"])
        is_first = rows.states["bidder"][0] < 0
        bids = passes >= (5 if is_first else 4) and legal[0] != BID + 29 - LOWEST_BID
        step(rows, legal[0] if bids else PASS)
        passes = 0 if bids else passes + 1
    assert rows.states["moves"][0] == 5 + 17 + 16 * 4 + 5
    while not rows.states["over"][0]:
        legal = list_actions(rows.states[0]["legal"])
        step(rows, PASS if PASS in legal else ASK if ASK in legal else legal[0])
    assert rows.states["moves"][0] < len(rows.states["history"][0])


# play_shown


def test_greedy_scores_asking_by_the_card_that_must_be_played() -> None:
    """Random games: greedy asks for some cards that it must play, and not for others."""
    rules = GAME.make_rules("classic", {"play_shown": True})
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rng, walker = np.random.default_rng(1), WALKERS["uniform"]
    asked = 0
    positions = 0
    for deal in range(150):
        rows.deal_numbered("shown", [deal])
        while not rows.states["over"][0]:
            s = rows.states[0]
            legal = list_actions(s["legal"])
            if s["shown"]["phase"] == PLAY and s["turn"] == s["bidder"] and ASK in legal:
                scores = GAME.score_actions(rows.states, rules)[0]
                positions += 1
                asked += max(legal, key=scores.__getitem__) == ASK
                laid = int(s["card"]) - 1
                step(rows, ASK)
                assert list_actions(rows.states[0]["legal"]) == [laid]
            else:
                step(rows, walker(rows, rng))
    assert 0 < asked < positions
