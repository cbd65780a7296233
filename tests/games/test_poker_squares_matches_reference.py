"""Compiled Poker Squares for one player plays exactly like its reference."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, Game
from parlour.envs.core.kernel.cards import FIRST_CARD, card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from tests.reference.match import Match, legal_now, names
from tests.reference.poker_squares import AMERICAN, PokerSquares, hand, refused

GAME = GAMES["poker_squares"]
VARIANTS = [name for name, rules in GAME.variants.items() if rules.players == 1]
ALL = set(range(25))


class DealtReference(PokerSquares):
    """The reference of the game dealt in row 0."""

    def __init__(self, rows: Rows) -> None:
        self.rules = to_plain(rows.rules)
        assert self.rules.pop("players") == 1
        self.rules.pop("wager")  # This option is for two players.
        super().__init__([card_name(int(card)) for card in rows.states["deck"][0]], **self.rules)

    def branches(self, action: int | None) -> Iterator[str]:
        """Yield the branches of the rules that this position and its next action reach."""
        free = {square for square in ALL if self.grid[square] is None}
        if self.rules["starter"] and self.moves == 0:
            yield "starter"
        if self.legal() != free and not self.over:
            yield self.rules["adjacent"]
        if action is None:
            lines = [self.grid[5 * i : 5 * i + 5] for i in range(5)]
            lines += [self.grid[i::5] for i in range(5)]
            for line in lines:
                yield hand([card for card in line if card])
            yield self.rules["scoring"]
            if self.rules["scoring"] == "custom" and self.score < 0:
                yield "points below 0"
            if self.reached:
                yield "chosen target" if self.rules["target"] else "target"


def compare(rows: Rows, reference: DealtReference) -> None:
    s = rows.states[0]
    shown = s["shown"]
    assert legal_now(rows) == reference.legal()
    assert bool(s["over"]) == reference.over
    assert bool(s["won"]) == reference.reached
    assert int(s["score"]) == reference.score
    assert int(s["moves"]) == reference.moves
    assert names(shown["grid"]) == reference.grid
    assert names([shown["card"]])[0] == reference.card
    unseen = {card_name(FIRST_CARD + i) for i in range(52) if shown["unseen"][i]}
    assert unseen == reference.unseen
    assert shown["placed"] == 25 - reference.grid.count(None)
    assert s["suits"].tolist() == [sum(card[1] == suit for card in unseen) for suit in "cdhs"]
    ranks = [sum(card[0] == rank for card in unseen) for rank in "A23456789TJQK"]
    assert s["ranks"].tolist() == ranks


def count_branches(hits: Counter[str], reference: DealtReference, action: int | None) -> None:
    hits.update(reference.branches(action))


def for_one(game: Game, rng: np.random.Generator) -> dict[str, object]:
    return random_options(game, rng) | {"players": 1}


MATCH = Match(GAME, DealtReference, compare, count_branches, options=for_one)
OPTIONS_HIT = {
    "starter": ("starter",),
    "adjacent": ("first", "all"),
    "scoring": ("american", "english", "custom"),
    "points": ("points below 0",),
    "target": ("chosen target",),
}
"""What only this option, set, can bring about: all of it must have been played."""
HANDS = set(AMERICAN)
SELDOM = {"straight flush", "royal flush"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_matches_reference(variant: str) -> None:
    hits = MATCH.games(variant, 150)
    assert {one for one in HANDS if not hits[one]} <= SELDOM
    assert hits["all"] == 0 or variant == "book"


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_matches_reference_on_2000_games(variant: str) -> None:
    MATCH.games(variant, 2000)


def test_random_options_match_reference_and_reach_every_branch() -> None:
    assert OPTIONS_HIT.keys() == {*GAME.rules._fields} - {"players", "wager"}
    hits = MATCH.random_sets(0, 200)
    hits += MATCH.games_until("chosen target", {"target": 10}, 20)
    missed = [one for branches in OPTIONS_HIT.values() for one in branches if not hits[one]]
    assert not missed, f"no game reached {missed}; reached were {hits}"


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    MATCH.random_sets(1000, 2000)


@pytest.mark.parametrize(
    "options",
    [
        {"starter": True, "adjacent": "first"},
        {"adjacent": "some"},
        {"scoring": "custom", "points": (0,) * 10},
        {"points": (0,) * 9},
        {"points": (0,) * 9 + (128,)},
        {"points": (-129,) + (0,) * 9},
        {"points": (0.5,) + (0,) * 9},
        {"target": 1270},
        {"target": 1271},
        {"target": -1},
        {"seats": 2},
    ],
    ids=str,
)
def test_game_and_reference_reject_the_same_options(options: dict[str, Any]) -> None:
    if refused(options):
        with pytest.raises(ValueError, match=r"option|unknown"):
            GAME.make_rules(None, options)
    else:
        GAME.make_rules(None, options)
