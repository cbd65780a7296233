"""Twenty-Nine: what the seats know under its house rules, and what the baselines do."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.kernel.table import suit_set
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows, observation_codes, resample_copies, view_states
from parlour.envs.core.scene.scene import ansi
from parlour.envs.games.twenty_eight.play import POINT_CARDS
from parlour.envs.games.twenty_eight.rules import (
    AUCTION,
    BID,
    DOUBLE,
    DOUBLING,
    LOWEST_BID,
    MAKE,
    MAKE_SEVENTH,
    MAKING,
    NUMBERS,
    PASS,
    PLAY,
    REDOUBLE,
    SET,
)

GAME = GAMES["twenty_nine"]
DOUBLED_LATE = {"doubles": True, "trumps_first": True, "set_bid": True}


def new_rows(options: dict[str, Any], deal: int = 1) -> Rows:
    rows = Rows(GAME, GAME.make_rules("classic", options), 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("house", [deal])
    return rows


def step(rows: Rows, *actions: int) -> Rows:
    for action in actions:
        assert action in list_actions(rows.states[0]["legal"])
        rows.step(np.array([action]))
    return rows


def bid(number: int) -> int:
    return BID + number - LOWEST_BID


# what the observation tells


def list_calls(rows: Rows, calls: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
    """All calls before the play with bids up to a number. Secret trumps of others are 0."""
    yield calls
    here = rows.states.copy()
    phase = here[0]["shown"]["phase"]
    if phase == PLAY or here[0]["over"]:
        return
    for action in list_actions(here[0]["legal"]):
        if phase == AUCTION and bid(most) < action != PASS:
            continue
        secret = phase == MAKING and here[0]["turn"] != 0 and action != MAKE_SEVENTH
        rows.restore(here)
        rows.step(np.array([action]))
        yield from list_calls(rows, (*calls, 0 if secret else action), most)


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({"one_bid": True, "forced": "nobody"}, 17),
        ({**DOUBLED_LATE, "one_bid": True, "seventh": True, "trump_by": "suit"}, 16),
        ({"doubles": True, "set_bid": True, "players": 6, "one_bid": True}, 15),
    ],
)
def test_the_observation_tells_all_calls(options: dict[str, Any], most: int) -> None:
    rows = new_rows(options)
    seen: dict[bytes, tuple[int, ...]] = {}
    for calls in list_calls(rows, (), most):
        viewed = view_states(GAME, rows.rules, rows.states, np.array([0]))
        assert seen.setdefault(observation_codes(viewed).tobytes(), calls) == calls
    assert len(seen) > 100


# trumps_first


@pytest.mark.parametrize("trump_by", ["card", "suit"])
def test_worlds_while_the_seats_double_after_trumps(trump_by: str) -> None:
    """The undealt cards and secret trumps are sampled; the own cards stay."""
    options = {**DOUBLED_LATE, "trump_by": trump_by, "never_shown": "plays"}
    rows = new_rows(options)
    while rows.states["shown"]["phase"][0] != DOUBLING:
        legal = list_actions(rows.states[0]["legal"])
        step(rows, PASS if PASS in legal else legal[0])
    s = rows.states[0]
    opponent = (int(s["bidder"]) + 1) % 4
    worlds = resample_copies(GAME, rows.rules, rows.states.repeat(300), np.arange(300), opponent)
    assert set(worlds["made"].tolist()) == {1, 2, 3, 4}
    assert (worlds["hands"][:, opponent] == s["hands"][opponent]).all()
    assert len({deck.tobytes() for deck in worlds["deck"]}) == 300
    own = resample_copies(GAME, rows.rules, rows.states.repeat(50), np.arange(50), int(s["bidder"]))
    assert (own["made"] == s["made"]).all() and (own["card"] == s["card"]).all()
    for world in (*worlds[:20], *own[:20]):
        again = Rows(GAME, rows.rules, 1, StepConfig(reset=Autoreset.DISABLED))
        again.restore(world.reshape(1))
        step(again, DOUBLE, REDOUBLE, SET)
        assert again.states["shown"]["all_dealt"][0] and again.states["set_by"][0] >= 0


def test_all_seats_see_that_the_seventh_card_was_chosen_before_it_is_dealt() -> None:
    rows = new_rows({**DOUBLED_LATE, "seventh": True})
    step(rows, bid(15), PASS, PASS, PASS, MAKE_SEVENTH)
    for seat in range(4):
        shown = view_states(GAME, rows.rules, rows.states, np.array([seat]))[0]["shown"]
        assert shown["apart"] == 2 and shown["trumps"] == 0
    assert rows.states["card"][0] == 0
    assert step(rows, PASS, PASS).states["card"][0] > 0


# set_bid


def test_baselines_do_not_set() -> None:
    rows = new_rows({"doubles": True, "set_bid": True})
    step(rows, bid(15), PASS, PASS, PASS, DOUBLE, REDOUBLE)
    for name in (None, "rule"):
        scores = GAME.score_actions(rows.states, rows.rules, rule_agent=name)[0]
        assert scores[PASS] > scores[SET]


def test_who_set_an_earlier_bid_stays_known() -> None:
    """After a higher bid of the second auction, the SET counts no more, but all remember it."""
    seen = set()
    for calls in ((SET,), (PASS, SET), (PASS, PASS)):
        rows = new_rows({"doubles": True, "set_bid": True, "second_auction": 23})
        step(rows, bid(15), PASS, PASS, PASS, DOUBLE, REDOUBLE, *calls)
        step(rows, MAKE, PASS, PASS, bid(23), PASS, MAKE)
        assert rows.states["shown"]["phase"][0] == PLAY
        assert "times" not in ansi(rows.scene(0))
        view = view_states(GAME, rows.rules, rows.states, np.array([0]))
        seen.add(observation_codes(view).tobytes())
    assert len(seen) == 3


# lead_secret and seventh_void


def play_out(rows: Rows, rng: np.random.Generator) -> Iterator[None]:
    """Random actions to the end, with a stop before each."""
    while not rows.states["over"][0]:
        yield
        rows.step(np.array([rng.choice(list_actions(rows.states[0]["legal"]))]))


def test_a_lead_of_the_bidder_says_nothing_about_trumps() -> None:
    """In the first trick, the bidder leads its trump suit; others still think that any suit is."""
    rows = new_rows({"lead_secret": True, "ask": "may"})
    rng = np.random.default_rng(3)
    for deal in range(60):
        rows.deal_numbered("led", [deal])
        for _ in play_out(rows, rng):
            s = rows.states[0]
            if s["shown"]["phase"] == PLAY and not s["shown"]["trumps_shown"]:
                assert not s["shown"]["led_secretly"].any() and not s["shown"]["not_trumps"].any()


@pytest.mark.parametrize("void", [False, True])
def test_worlds_fit_that_a_seventh_card_was_alone_or_not(void: bool) -> None:
    """After the second deal, every sampled hand of the bidder agrees with what followed."""
    rows = new_rows({"seventh": True, "seventh_void": True})
    tested = 0
    for deal in range(200):
        rows.deal_numbered("alone", [deal])
        step(rows, bid(15), PASS, PASS, PASS, MAKE_SEVENTH)
        s = rows.states[0]
        if bool(s["over"]) != void:
            continue
        tested += 1
        bidder = int(s["bidder"])
        for seat in range(4):
            worlds = resample_copies(GAME, rows.rules, rows.states.repeat(40), 5, seat)
            for world in worlds:
                suit, held = int(world["made"]) - 1, int(world["hands"][bidder])
                others = held & POINT_CARDS & suit_set(suit, 9)
                assert (others == 0) == void
            if seat != bidder:
                assert len(set(worlds["made"].tolist())) > 1
        if tested == 10:
            break
    assert tested == 10


def test_worlds_fit_a_lone_seventh_card_also_if_the_opponents_have_no_trumps() -> None:
    """The seventh card ends the hand first, so trumps of the opponents do not matter."""
    rows = Rows(GAME, GAME.make_rules("set"), 1, StepConfig(reset=Autoreset.DISABLED))
    hands = (
        "Jc 9c Ah Th Kc Qh 7d 8s",
        "Jh 9h Ac 8c Qc 7c Kh 8h",
        "Jd 9d Ad Td Kd Qd 8d 7h",
        "Js 9s As Ts Ks Qs 7s Tc",
    )
    rows.deal_deck(
        [card for at in (0, 12) for hand in hands for card in hand[at : at + 11].split()]
    )
    step(rows, bid(16), PASS, PASS, PASS, PASS, PASS, MAKE_SEVENTH)
    assert rows.states["over"][0] and rows.states["made"][0] == 2  # diamonds
    worlds = resample_copies(GAME, rows.rules, rows.states.repeat(400), 1, 2)
    made = worlds["made"].tolist()
    assert {made.count(suit) > 20 for suit in (1, 2, 3, 4)} == {True}


def test_worlds_after_a_second_auction_still_fit_that_the_seventh_was_not_alone() -> None:
    options = {"seventh": True, "seventh_void": True, "second_auction": 23}
    rows = new_rows(options)
    tested = 0
    for deal in range(40):
        rows.deal_numbered("anew", [deal])
        step(rows, bid(15), PASS, PASS, PASS, MAKE_SEVENTH)
        if rows.states["over"][0]:
            continue
        first = int(rows.states["bidder"][0])
        step(rows, PASS, bid(23), PASS, PASS)
        step(rows, list_actions(rows.states[0]["legal"])[0])
        for seat in range(4):
            for world in resample_copies(GAME, rows.rules, rows.states.repeat(20), 7, seat):
                dealt = [int(NUMBERS[code]) for code in world["deck"][:32]]
                order = (first - int(world["dealer"]) - 1) % 4
                hand = dealt[4 * order : 4 * order + 4] + dealt[16 + 4 * order : 20 + 4 * order]
                same = [card for card in hand if card // 9 == hand[6] // 9 and card != hand[6]]
                assert any(POINT_CARDS >> card & 1 for card in same)
        tested += 1
    assert tested >= 10


# half_lost and redeal_two


def test_worlds_have_points_in_both_of_the_first_two_hands() -> None:
    rows = new_rows({"redeal_two": True})
    for deal in range(20):
        rows.deal_numbered("two", [deal])
        for seat in range(4):
            for world in resample_copies(GAME, rows.rules, rows.states.repeat(30), deal, seat):
                first = (int(world["dealer"]) + 1) % 4
                for order in range(2):
                    assert int(world["hands"][(first + order) % 4]) & POINT_CARDS


def test_the_highest_score_is_in_the_range() -> None:
    low, high = GAME.score_range
    assert low <= -5 * 6 * 2 * 2 and high >= 4 * 6 * 2 * 2
