"""The compiled Puss in the Corner plays exactly as the reference written from the rule text."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.games.puss_in_the_corner.rules import (
    DEAL,
    END,
    FIRST,
    FOUNDATION,
    GATHER,
    PACKET,
    PLAY,
    REDEAL,
)
from tests.reference.match import Match, few_and_many, legal_now, names
from tests.reference.puss_in_the_corner import PussInTheCorner, is_black, refused, value

GAME = GAMES["puss_in_the_corner"]
MAX_MOVES = 400


class DealtReference(PussInTheCorner):
    """The reference of the game dealt in row 0."""

    def __init__(self, rows: Rows) -> None:
        self.rules = to_plain(rows.rules)
        deck = [card_name(int(card)) for card in rows.states["deck"][0]]
        self.packet: list[str | None] = []
        super().__init__(deck, max_moves=MAX_MOVES, **self.rules)

    def step(self, action: int) -> None:
        """Play an action that row 0 has played; remember the packet that a redeal turns over."""
        redeals = self.redeals_used
        super().step(action)
        if self.redeals_used > redeals:
            self.packet = [self.card, *self.stock]

    def branches(self, action: int | None) -> Iterator[str]:
        """The rules that this position and its next action exercise."""
        legal = self.legal()
        plays = {one for one in legal if PLAY <= one < FOUNDATION}
        if self.redeals_used:
            yield f"redeal {self.redeals_used}"
            if 0 < self.group_left < self.rules["deal_size"] == 4 and not any(self.piles):
                yield "short group"
        if action is None:
            yield "won" if self.won else "lost" if self.lost else "cut off"
            return
        if self.moves == 0:
            yield f"groups of {self.group_left}"
        if len(plays) > 1:
            yield "choice of tops"
        if action == DEAL:
            yield "deal although a top fits" if plays else "deal"
        if action == REDEAL and plays:
            yield "redeal although a top fits"
        if action == END:
            yield "end"
        if action == FOUNDATION:
            yield "direct" if self.rules["deal_size"] == 1 else "direct inside a group"
        if GATHER <= action < END and self.gathering:
            yield "second pile gathered"
        if action >= PACKET:
            yield "packet" if self.card else "packet after the group"
        if self.rules["next_open"] and self.known_stock()[:1] and not self.redeals_used:
            yield "next card open"
        if action in plays:
            card = self.piles[action - PLAY][-1]
            own = self.foundations["cdhs".index(card[1])]
            yield "own suit" if self.rules["suits"] else "colour"
            if not self.rules["suits"] and own != value(card) - 1:
                yield "on the other suit of its colour"
            others = [self.foundations[i] for i in ((0, 3) if is_black(card[1]) else (1, 2))]
            if others[0] == others[1] and not self.rules["suits"]:
                yield "equal foundations"


def compare(rows: Rows, reference: DealtReference) -> None:
    s = rows.states[0]
    shown = s["shown"]
    assert legal_now(rows) == reference.legal()
    assert (s["over"] == 1, s["over"] == 2) == (
        reference.won or reference.lost,
        reference.truncated,
    )
    assert bool(s["won"]) == reference.won
    assert int(s["score"]) == reference.score
    assert int(s["moves"]) == reference.moves
    assert shown["foundations"].tolist() == reference.foundations
    assert names([shown["card"]])[0] == reference.card
    piles = [names(s["pile"][pile][: s["count"][pile]]) for pile in range(4)]
    assert piles == reference.piles
    assert names(shown["tops"]) == [pile[-1] if pile else None for pile in piles]
    assert shown["group_left"] == reference.group_left
    assert shown["redeals_left"] == rows.rules.redeals - reference.redeals_used
    stock = s["deck"][s["next"] : s["next"] + shown["stock_count"]]
    assert names(stock) == reference.stock
    turns = {turn: pile for pile, turn in enumerate(shown["gathered"].tolist()) if turn}
    assert [turns[turn] for turn in sorted(turns)] == reference.gathering
    assert where(shown) == told_where(reference)
    assert bool(shown["packet_left"]) == reference.packet_left
    is_open = rows.rules.next_open and reference.stock
    assert names([shown["next_card"]])[0] == (reference.stock[0] if is_open else None)


def where(shown: Any) -> dict[str, tuple[int, int]]:
    """Where each card is, by the observation: where and order."""
    pairs = zip(shown["where"].tolist(), shown["order"].tolist(), strict=True)
    return {card_name(FIRST + card): pair for card, pair in enumerate(pairs)}


def told_where(reference: DealtReference) -> dict[str, tuple[int, int]]:
    """The same for the reference. Cards in no other place are on foundations."""
    result = {card_name(card): (6, 0) for card in range(FIRST, 56)}
    for number, pile in enumerate(reference.piles):
        result |= {card: (1 + number, i + 1) for i, card in enumerate(pile)}
    known = reference.known_stock()
    for card, seen in zip(reference.stock, known, strict=True):
        place = reference.packet.index(card) + 1 if card in reference.packet else 0
        result[card] = (5, place) if seen else (0, 0)
    return result | ({reference.card: (7, 0)} if reference.card else {})


def count_branches(hits: Counter[str], reference: DealtReference, action: int | None) -> None:
    hits.update(reference.branches(action))


MATCH = Match(GAME, DealtReference, compare, count_branches, MAX_MOVES)
VARIANTS_HIT = {
    "book": ("redeal 1", "won", "colour", "equal foundations", "groups of 4"),
    "no-redeal": ("lost", "choice of tops"),
    "two-redeals": ("redeal 2", "short group"),
    "free-hand": ("deal although a top fits", "second pile gathered"),
    "one-by-one": ("groups of 1", "direct", "end"),
    "suits": ("own suit",),
}
OPTIONS_HIT = {
    "redeals": ("redeal 1", "redeal 2"),
    "hold_back": ("deal although a top fits", "deal", "redeal although a top fits", "end"),
    "choose_pickup": ("second pile gathered",),
    "deal_size": ("groups of 1", "groups of 4", "short group"),
    "direct": ("direct", "direct inside a group"),
    "suits": ("own suit", "on the other suit of its colour", "equal foundations"),
    "sevens": ("packet", "packet after the group"),
    "next_open": ("next card open",),
}
"""What only this option, set, can bring about: all of it must have been played."""


@pytest.mark.parametrize(("variant", "games"), few_and_many(GAME, 20, 100))
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
    MATCH.random_sets(0, 50)


@pytest.mark.slow
def test_random_options_match_reference_and_reach_every_branch() -> None:
    assert OPTIONS_HIT.keys() == set(GAME.rules._fields)
    hits = MATCH.random_sets(0, 200)
    missed = [one for branches in OPTIONS_HIT.values() for one in branches if not hits[one]]
    assert not missed, f"no game reached {missed}; reached were {hits}"


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    MATCH.random_sets(1000, 2000)


@pytest.mark.parametrize(
    "options",
    [
        *({"redeals": number} for number in (-1, 0, 2, 3)),
        *({"deal_size": number} for number in (0, 1, 2, 3, 4, 5)),
        {"hold_back": True, "choose_pickup": True, "direct": True, "suits": True},
        {"sevens": True, "next_open": True, "hold_back": True},
        {"suit": True},
    ],
    ids=str,
)
def test_options_are_refused_as_by_the_reference(options: dict[str, Any]) -> None:
    if refused(options):
        with pytest.raises(ValueError, match=r"option|unknown|deal_size"):
            GAME.make_rules(None, options)
    else:
        GAME.make_rules(None, options)
