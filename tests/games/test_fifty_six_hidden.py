"""Fifty-Six: resampling matches a plain implementation of the rules.

All worlds are tried out: every way to deal the unseen cards, and to lay one of them down, from
which the same hand could have been played, with the same legal actions chosen. Both of a kind are
two cards: a world is as likely as there are ways to deal it.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chi2, chisquare

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.legal import has_action
from parlour.envs.core.rows import Rows, resample_copies, view_states
from parlour.envs.games.fifty_six.rules import NUMBERS, PLAY
from tests.walkers import WALKERS

GAME = GAMES["fifty_six"]
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "four": ("four", {}),
    "four, hidden": ("hidden", {"players": 4}),
    "four, hidden, void without": ("hidden", {"players": 4, "void_without": True}),
    "four, long": ("four-long", {"void_without": True}),
    "six": ("classic", {}),
    "six, passed out": ("passed-out", {"players": 4}),
    "forms": ("forms", {"players": 4}),
    "six, hidden": ("hidden", {"void_pointless": True}),
}
MOST_WORLDS = 150
SAMPLES = 4000
CARDS_LEFT = 2
"""In each hand, at most, where positions are looked at."""
APART = -1
DEALT = 4


class World(NamedTuple):
    """What a seat does not know."""

    hands: tuple[int, ...]
    twice: tuple[int, ...]
    card: int


class Place(NamedTuple):
    """Deck position of an unseen card, and its holder: a seat, or APART."""

    place: int
    holder: int


def world_of(s: Any) -> World:
    return World(tuple(s["hands"].tolist()), tuple(s["twice"].tolist()), int(s["card"]))


def positions(case: str, seed: int) -> Iterator[tuple[Rows, int]]:
    """Late positions of a hand, with a seat that looks at each."""
    rules = GAME.make_rules(*CASES[case])
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("hidden", [seed])
    rng, walker = np.random.default_rng(seed), WALKERS["uniform"]
    while not rows.states["over"][0]:
        s = rows.states[0]
        if s["shown"]["phase"] == PLAY and s["seats"]["hand"].max() <= CARDS_LEFT:
            yield rows, int(rng.integers(rules.players))
        rows.step(np.array([walker(rows, rng)]))


def unseen_places(s: Any, seat: int, players: int) -> list[Place]:
    """Deck positions whose cards a seat does not know."""
    found = []
    first = (int(s["dealer"]) + 1) % players
    for other in range(players):
        if other == seat:
            continue
        known = [copy // 2 for copy, by in enumerate(s["player_of"]) if by == 1 + other]
        known += [int(s["laid"]) - 1] * int(other == s["bidder"] and s["shown"]["laid_back"])
        apart = int(s["card"]) - 1 if other == s["bidder"] else -1
        for place, code in enumerate(s["deck"]):
            card = int(NUMBERS[code])
            if not code or (first + place // DEALT) % players != other:
                continue
            if card in known:
                known.remove(card)
            elif card == apart:
                apart = -1
                found.append(Place(place, APART))
            else:
                found.append(Place(place, other))
    return found


def played_like(rows: Rows, deck: np.ndarray, laid: int, seat: int) -> World | None:
    """The world of this deck, if the hand could have been played with it; else None."""
    s = rows.states[0]
    again = Rows(GAME, rows.rules, 1, StepConfig(reset=Autoreset.DISABLED))
    again.states["dealer"] = s["dealer"]
    again.states["deck"][0] = deck
    again.start(DealSource.DECK)
    for n in range(int(s["moves"])):
        action = laid if laid >= 0 and n == s["laid_at"] else int(s["history"][n]) - 1
        if again.states["over"][0] or not has_action(again.states[0]["legal"], action):
            return None
        again.step(np.array([action]))
    seats = np.array([seat])
    seen = [view_states(GAME, rows.rules, one.states, seats) for one in (rows, again)]
    if seen[0]["shown"].tobytes() != seen[1]["shown"].tobytes():
        return None
    return world_of(again.states[0])


def all_worlds(rows: Rows, seat: int, places: list[Place]) -> Counter[World]:
    """Every world from which this hand could have come, as far as a seat knows; how many ways."""
    s = rows.states[0]
    found: Counter[World] = Counter()
    holders = [one.holder for one in places]
    for order in permutations(range(len(places))):
        if any(a > b and x == y for (a, x), (b, y) in pairwise(zip(order, holders, strict=True))):
            continue  # the same cards for the same holder
        deck, laid = s["deck"].copy(), -1
        for at, one in enumerate(places):
            code = s["deck"][places[order[at]].place]
            deck[one.place] = code
            if one.holder == APART:
                laid = int(NUMBERS[code])
        world = played_like(rows, deck, laid, seat)
        if world is not None:
            found[world] += 1
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_world_that_fits_is_as_likely_as_it_should_be(case: str) -> None:
    tested, total, freedom = 0, 0.0, 0
    for seed in range(60):
        for rows, seat in positions(case, seed):
            places = sorted(
                unseen_places(rows.states[0], seat, rows.rules.players), key=lambda one: one.holder
            )
            if not 3 <= len(places) <= 6:
                continue
            worlds = all_worlds(rows, seat, places)
            if not 2 <= len(worlds) <= MOST_WORLDS:
                continue
            copies = resample_copies(
                GAME, rows.rules, rows.states.repeat(SAMPLES), np.arange(SAMPLES), seat
            )
            found = Counter(world_of(one) for one in copies)
            assert set(found) <= set(worlds), f"{case}, seed {seed}: a world that does not fit"
            ways = np.array(list(worlds.values()))
            expected = SAMPLES * ways / ways.sum()
            total += chisquare([found[one] for one in worlds], expected).statistic
            freedom += len(worlds) - 1
            tested += 1
        if tested >= 12:
            break
    assert tested >= 6
    assert chi2.sf(total, freedom) > 0.01, "together at 99 %"
