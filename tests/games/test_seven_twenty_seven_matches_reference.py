"""The compiled Seven Twenty-Seven plays exactly as the reference written from the rule text."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.rows import Rows
from parlour.envs.games.seven_twenty_seven.rules import Status
from tests.marks import slow_if
from tests.reference.match import Match, few_and_many, legal_now
from tests.reference.seven_twenty_seven import CALL, DECLARE_7, FOLD, NEARNESS, STAND, refused
from tests.reference.seven_twenty_seven_comparison import (
    DECLARE,
    SEATS,
    DealtReference,
    compare,
    pad,
)
from tests.reference.seven_twenty_seven_walkers import WALKERS, low_chips, mixed

GAME = GAMES["seven_twenty_seven"]


def count_branches(hits: Counter[str], reference: DealtReference, action: int | None) -> None:
    hits.update(reference.branches(action))


MATCH = Match(GAME, DealtReference, compare, count_branches, 0, WALKERS, low_chips)
VARIANTS_HIT = {
    "home": ("below and above share", "remainder", "raises used up", "call after a check"),
    "no-cap": ("tenth raise",),
    "any-amount": ("range chosen", "amount chosen from a range"),
    "sarrett": ("lead moved",),
    "six": ("6 seats", "remainder", "odd pot"),
    "ten": ("10 seats", "remainder", "skipped with an empty stock"),
    "bust": ("over_is_bust decides", "bust in a draw round", "end inside a draw round"),
    "low-wins-ties": ("under_beats_over decides",),
    "declare": ("simultaneous", "both wins", "both drops out", "side without a declarer"),
    "open-cards": ("card up",),
    "three-card": ("card down",),
    "mini": ("mini", "one level", "skipped by max_extra", "raises used up by two"),
}
OPTIONS_HIT = {
    "players": (*(f"{players} seats" for players in range(2, 11)), "one is left"),
    "ante": ("odd pot", "remainder"),
    "min_bet": ("five levels", "one level"),
    "max_bet": ("equal levels",),
    "max_raises": (
        *("no raise allowed", "raises used up", "raises used up by two"),
        *("raise after a check", "call after a check", "fold after a check"),
    ),
    "start_down": ("card down",),
    "draw_up": ("card up", "card down"),
    "nearness": (
        *(f"{nearness} decides" for nearness in NEARNESS[1:]),
        *("below and above share", "none can win 7"),
        *("bust in a draw round", "end inside a draw round"),
    ),
    "declare": (
        *("simultaneous", "sequential", "both wins", "both drops out", "all drop out"),
        *("side without a declarer", "declarations from the last bettor"),
        "declarations from the first seat in",
    ),
    "max_extra": ("skipped by max_extra",),
    "max_stands": ("skipped by max_stands",),
    "last_bets": ("last bets", "bet in last_bet", "last bets with an empty stock"),
    "bet_first": ("bet in first_bet",),
    "rotating_lead": ("lead moved",),
    "perfect": ("perfect takes all",),
    "bets_after": ("bet in after_bet", "fold after declaring"),
    "both_tie": ("both shares",),
    "half_tens": ("half tens decide",),
    "any_amount": (
        *("range chosen", "range chosen again", "amount chosen directly"),
        "amount chosen from a range",
    ),
    "pack": ("full", "mini", "skipped with an empty stock"),
}
"""What only this option, set, can bring about: all of it must have been played."""
RARE: dict[str, dict[str, Any]] = {
    **{f"{nearness} decides": {"nearness": nearness, "players": 6} for nearness in NEARNESS[2:]},
    "below and above share": {"players": 6},
    "end inside a draw round": {"players": 2, "nearness": "over_is_bust"},
    "all drop out": {"players": 2, "declare": "simultaneous"},
    "perfect takes all": {
        "players": 2,
        "pack": "mini",
        "perfect": True,
        "declare": "simultaneous",
    },
    "both shares": {"players": 3, "declare": "simultaneous", "both_tie": "shares"},
}
"""Branches that most hands do not reach even with these options."""
OPTIONS_OF_BUSTS = {"start_down": 2, "nearness": "over_is_bust"}


@pytest.mark.parametrize(("variant", "games"), few_and_many(GAME, 15, 100))
def test_variant_matches_reference(variant: str, games: int) -> None:
    hits = MATCH.games(variant, games)
    if games < 100:
        return
    missed = [branch for branch in VARIANTS_HIT[variant] if not hits[branch]]
    assert not missed, f"{variant}: no game reached {missed}: {hits}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", GAME.variants)
def test_variant_matches_reference_on_2000_games(variant: str) -> None:
    MATCH.games(variant, 2000)


def test_random_options_match_reference() -> None:
    MATCH.random_sets(0, 40)


@pytest.mark.slow
def test_random_options_match_reference_and_reach_every_branch() -> None:
    assert OPTIONS_HIT.keys() == set(GAME.rules._fields)
    hits = MATCH.random_sets(0, 200)
    branches = [one for branches in OPTIONS_HIT.values() for one in branches if one not in RARE]
    missed = [one for one in branches if not hits[one]]
    assert not missed, f"no game reached {missed}; reached were {hits}"


@pytest.mark.parametrize("branch", [slow_if("decides" in one, one) for one in RARE])
def test_rare_branches_match_reference(branch: str) -> None:
    assert MATCH.games_until(branch, RARE[branch], 200)[branch]


@pytest.mark.parametrize("players", [2, 3, 10])
def test_busts_after_the_deal_match_reference(players: int) -> None:
    """Few hands bust by the deal: those are looked for first."""
    options = {"players": players, **OPTIONS_OF_BUSTS}
    rules, hits = GAME.make_rules(None, options), Counter[str]()
    deals = Rows(GAME, rules, 4000)
    deals.deal_numbered("reference", range(4000))
    busted = (deals.states["seats"]["status"] == Status.BUSTED).any(axis=1)
    over = deals.states["over"] != 0
    assert over.sum() == (deals.buffers.rewards != 0).any(axis=1).sum()
    rows = MATCH.rows(None, options)
    for seed in [*np.flatnonzero(busted & ~over)[:15], *np.flatnonzero(over)[:15]]:
        MATCH.play_both(rows, int(seed), hits)
    assert hits["bust after the deal"] >= 15
    assert hits["over after the deal"] == (15 if players == 2 else 0)


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    MATCH.random_sets(1000, 2000)


def test_illegal_actions_match_reference() -> None:
    """One action in six is any number: it counts as FOLD, else CHECK, STAND or declaring 7."""
    hits = Counter[int]()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows = MATCH.rows(None, low_chips(GAME, rng))
        rows.deal_numbered("illegal", [seed])
        reference = DealtReference(rows)
        offenders: set[int] = set()
        while not reference.over:
            legal, seat = reference.legal(), reference.turn
            assert seat is not None
            any_number = rng.random() < 1 / 6
            action = int(rng.integers(-3, 20)) if any_number else mixed(rows, rng)
            played, penalty = action, np.zeros(SEATS)
            if action not in legal:
                defaults = FOLD, CALL, STAND, DECLARE_7, *sorted(legal)
                played = next(one for one in defaults if one in legal)
                penalty[seat] = -1
                offenders.add(seat)
                hits[played] += 1
            rows.step(np.array([action]))
            reference.step(played)
            assert legal_now(rows) == reference.legal()
            assert rows.states["illegal"][0] == sum(1 << one for one in offenders)
            net = np.array(pad(reference.net))
            assert (rows.buffers.rewards[0] == net / reference.rules["ante"] + penalty).all()
        assert rows.states["net"][0].tolist() == pad(reference.net)
        seats = np.arange(reference.players)
        facts = GAME.results(rows.states.repeat(reference.players), rows.rules, seats)
        assert set(np.flatnonzero(facts["illegal_action"])) == offenders
    assert min(hits[one] for one in (FOLD, CALL, STAND, DECLARE_7)) > 2, hits


@pytest.mark.parametrize(
    "options",
    [
        *({"players": players} for players in (1, 2, 10, 11)),
        *({"ante": chips} for chips in (0, 1, 1000)),
        *({"min_bet": chips} for chips in (0, 1, 5, 6)),
        *({"max_bet": chips} for chips in (0, 1)),
        {"min_bet": 7, "max_bet": 6},
        {"min_bet": 7, "max_bet": 7},
        *({"max_raises": number} for number in (-1, 0, 60, 61)),
        *({"start_down": number} for number in (0, 1, 2, 3)),
        *({"max_extra": number} for number in (-1, 0, 9, 10)),
        *({"max_stands": number} for number in (-1, 0, 3, 4)),
        *({"nearness": nearness} for nearness in (*NEARNESS, "farthest")),
        *({"declare": declare} for declare in (*DECLARE, "loudly")),
        *({"pack": "mini", "players": 2, "start_down": number} for number in (1, 2)),
        *({"pack": "mini", "players": 3, "start_down": number} for number in (1, 2)),
        {"pack": "mini"},
        {"draw_up": True, "last_bets": True, "half_tens": True},
        {"declare": "sequential", "bets_after": True},
        {"declare": "cards_speak", "bets_after": True},
        {"cards": 3},
    ],
    ids=str,
)
def test_options_are_refused_as_by_the_reference(options: dict[str, Any]) -> None:
    if refused(options):
        with pytest.raises(ValueError, match=next(reversed(options))):
            GAME.make_rules(None, options)
    else:
        GAME.make_rules(None, options)
