"""Twenty-Eight and Twenty-Nine: resampling matches a plain implementation of the rules.

All worlds are tried out: every way to deal the unseen cards and to make trumps from which the same
hand could have been played, with the same legal actions chosen. Each is as likely as any other.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chi2, chisquare

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.legal import has_action
from parlour.envs.core.rows import Rows, resample_copies, view_states
from parlour.envs.games.twenty_eight.rules import (
    ACTIONS,
    CARDS,
    CODES,
    MAKE,
    MAKE_SEVENTH,
    NUMBERS,
    PLAY,
)
from tests.walkers import WALKERS

CASES = {
    "28": ("twenty_eight", "classic", {}),
    "28 overtrump": ("twenty_eight", "classic", {"overtrump": True}),
    "28 void without": ("twenty_eight", "classic", {"void_without": True, "asker_trumps": False}),
    "28 three": ("twenty_eight", "three", {}),
    "28 shown": (
        "twenty_eight",
        "kerala",
        {"overtrump": True, "force": "whole", "second_auction": 0},
    ),
    "29": ("twenty_nine", "classic", {}),
    "29 may": ("twenty_nine", "no-trumps", {"ask": "may"}),
    "29 seventh": ("twenty_nine", "seventh", {}),
    "29 lone seventh": ("twenty_nine", "set", {"single_hand": False}),
    "29 lead": ("twenty_nine", "open-lead", {"ask": "may", "never_shown": "plays"}),
}
MOST_WORLDS = 150
SAMPLES = 4000
CARDS_LEFT = 2
"""In each hand, at most, where positions are looked at."""


class World(NamedTuple):
    """What a seat does not know."""

    hands: tuple[int, ...]
    card: int
    made: int


def world_of(s: Any) -> World:
    return World(tuple(s["hands"].tolist()), int(s["card"]), int(s["made"]))


def positions(case: str, seed: int) -> Iterator[tuple[Rows, int]]:
    """Late positions of a hand, with a seat that looks at each."""
    name, variant, options = CASES[case]
    game = GAMES[name]
    rules = game.make_rules(variant, options)
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("hidden", [seed])
    rng, walker = np.random.default_rng(seed), WALKERS["uniform"]
    while not rows.states["over"][0]:
        s = rows.states[0]
        held = max(int(hand).bit_count() for hand in s["hands"])
        if s["shown"]["phase"] == PLAY and held <= CARDS_LEFT:
            yield rows, int(rng.integers(rules.players))
        rows.step(np.array([walker(rows, rng)]))


def unseen(s: Any, seat: int, players: int) -> tuple[list[int], list[int]]:
    """The cards that a seat does not know, and their holders: a seat, or -1 if set aside."""
    cards, holders = [], []
    for other in range(players):
        for card in range(CARDS):
            if other != seat and int(s["hands"][other] & ~s["seen"][other]) >> card & 1:
                cards.append(card)
                holders.append(other)
    if s["card"] and seat != s["bidder"]:
        cards.append(int(s["card"]) - 1)
        holders.append(-1)
    return cards, holders


def makes(s: Any, seat: int, players: int, card: int) -> list[int]:
    """The actions by which trumps may have been made, as far as the seat knows."""
    action = int(s["history"][s["made_at"][0]]) - 1
    if seat == s["bidder"] or s["shown"]["trumps_shown"] or action == MAKE_SEVENTH:
        return [action]
    if action < CARDS:
        return [card]
    return [one for one in range(MAKE, ACTIONS) if one != MAKE_SEVENTH]


def deck_with(s: Any, moved: dict[int, int]) -> np.ndarray:
    """The deck with other cards in the places of those that moved."""
    numbers = [int(NUMBERS[code]) for code in s["deck"] if code]
    return np.array([CODES[moved.get(card, card)] for card in numbers], np.int8)


def played_like(rows: Rows, deck: np.ndarray, make: int, seat: int) -> World | None:
    """The world of this deck, if the hand could have been played with it; else None."""
    s = rows.states[0]
    again = Rows(rows.game, rows.rules, 1, StepConfig(reset=Autoreset.DISABLED))
    again.states["dealer"] = s["dealer"]
    again.states["deck"][0, : len(deck)] = deck
    again.start(DealSource.DECK)
    for n in range(int(s["moves"])):
        action = make if n == s["made_at"][0] else int(s["history"][n]) - 1
        if again.states["over"][0] or not has_action(again.states[0]["legal"], action):
            return None
        again.step(np.array([action]))
    seats = np.array([seat])
    seen = [view_states(rows.game, rows.rules, one.states, seats) for one in (rows, again)]
    if seen[0]["shown"].tobytes() != seen[1]["shown"].tobytes():
        return None
    return world_of(again.states[0])


def all_worlds(rows: Rows, seat: int) -> set[World]:
    """Every world from which this hand could have come, as far as a seat knows."""
    s, players = rows.states[0], rows.rules.players
    cards, holders = unseen(s, seat, players)
    result = set()
    for order in set(permutations(cards)):
        if any(
            list(order[i] for i in range(len(order)) if holders[i] == one)
            != sorted(order[i] for i in range(len(order)) if holders[i] == one)
            for one in set(holders)
        ):
            continue
        moved = dict(zip(cards, order, strict=True))
        card = moved.get(int(s["card"]) - 1, int(s["card"]) - 1)
        for make in makes(s, seat, players, card):
            world = played_like(rows, deck_with(s, moved), make, seat)
            if world is not None:
                result.add(world)
    return result


@pytest.mark.parametrize("case", CASES)
def test_every_world_that_fits_is_as_likely_as_any_other(case: str) -> None:
    tested, total, freedom = 0, 0.0, 0
    for seed in range(40):
        for rows, seat in positions(case, seed):
            cards, _ = unseen(rows.states[0], seat, rows.rules.players)
            if not 3 <= len(cards) <= 6:
                continue
            worlds = sorted(all_worlds(rows, seat))
            if not 2 <= len(worlds) <= MOST_WORLDS:
                continue
            copies = resample_copies(
                rows.game, rows.rules, rows.states.repeat(SAMPLES), np.arange(SAMPLES), seat
            )
            result = Counter(world_of(one) for one in copies)
            assert set(result) <= set(worlds), f"{case}, seed {seed}: a world that does not fit"
            total += chisquare([result[one] for one in worlds]).statistic
            freedom += len(worlds) - 1
            tested += 1
        if tested >= 12:
            break
    assert tested >= 6
    assert chi2.sf(total, freedom) > 0.01, "together at 99 %"
