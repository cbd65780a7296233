"""The compiled Pyramid plays exactly as the reference written from the rule text."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import RANKS, card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.games.pyramid.rules import DEAL, REDEAL, STOCK, TABLE, UNDO
from tests.reference.match import Match, few_and_many, legal_now, names
from tests.reference.pyramid import COVERERS, EXTRA, Pyramid, Rules, refused
from tests.reference.test_pyramid_held_reference import VARIANTS

GAME = GAMES["pyramid"]
MAX_MOVES = 120
"""Enough for any game without UNDO and unlimited passes; the reference copies itself each move."""


class DealtReference(Pyramid):
    """The reference of the game in row 0. A redeal shuffles in the same way."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.orders: list[list[str]] = []
        self.made: list[str] = []
        deck = [card_name(int(card)) for card in rows.states["deck"][0]]
        rules = to_plain(rows.rules)
        super().__init__(
            deck, max_moves=MAX_MOVES, shuffle=lambda cards: self.orders.pop(), **rules
        )

    def step(self, action: int) -> None:
        """Play an action that row 0 has played."""
        if action == REDEAL and self.rows.rules.shuffle_redeal:
            self.orders.append(stock_order(self.rows.states[0]))
        if action == UNDO:
            self.made.pop()
        elif action >= DEAL:
            self.made.append("deal" if action == DEAL else "redeal")
        elif (*self.picked, action) in self._removals:
            self.made.append("removal")
        super().step(action)

    def branches(self, action: int | None) -> Iterator[str]:
        """The rules that this position and its next action exercise."""
        if not self.picked:
            yield from self.branches_here()
        if action is None:
            return
        if action == UNDO:
            yield f"undo of a {self.made[-1]}"
        elif action == DEAL:
            yield from self.branches_of_deal()
        elif action == REDEAL:
            yield from self.branches_of_redeal()
        elif (*self.picked, action) in self._removals:
            yield from self.branches_of_removal([*self.picked, action])

    def branches_here(self) -> Iterator[str]:
        rules, now = self._rules, self._now
        known, waste = self.known()["stock"], any(now.wastes)
        if self.won:
            yield "won"
            if rules.clear_all:
                yield "won with all cards gone"
            return
        if self.score == 28:
            yield "pyramid clear, but not all"
        if self.stuck:
            yield "stuck"
        if rules.first_deal and self.moves == 0:
            yield "first deal"
            if rules.deal_when == "blocked" and self._removals:
                yield "first deal although a removal is legal"
        if rules.deal_when == "blocked" and self._removals:
            if now.stock or self.held:
                yield "deal withheld"
            elif self._redeal_is_left():
                yield "redeal withheld"
        if waste and not now.stock and not self.held and not self._redeal_is_left():
            yield "no redeal left" if rules.passes else f"no redeal {self.reason()}"
        if rules.stock_view == "down" and known and known[0]:
            yield "card known after " + ("an undo" if self.passes_used == 1 else "a redeal")

    def reason(self) -> str:
        """Why the waste is not gone through again."""
        return "that could help" if self._rules.shuffle_redeal else "without a removal"

    def branches_of_deal(self) -> Iterator[str]:
        rules, stock = self._rules, self.known()["stock"]
        yield "deal"
        if self.held:
            yield "held card laid down" if stock else "last held card laid down"
        if not stock:
            return
        if rules.turn > 1 and not rules.held:
            yield "several turned" if len(stock) >= rules.turn else "several turned, too few"
        if len(stock) < rules.waste_piles:
            yield "deal with too few cards"
        if stock[0] and self.passes_used == 1 and not rules.undo:
            yield {"top": "top", "all": "stock"}[rules.stock_view] + " known before it is turned"

    def branches_of_redeal(self) -> Iterator[str]:
        rules = self._rules
        yield "redeal, so many" if rules.passes else "redeal, any number"
        if rules.undo and not rules.passes and not self._now.removal_was_legal:
            yield "redeal without a removal"
        if sum(map(bool, self._now.wastes)) > 1:
            yield "redeal of several wastes"
        if rules.shuffle_redeal and not rules.passes and not self._now.removal_was_legal:
            yield "redeal that could help"
        if rules.shuffle_redeal:
            yield "shuffled redeal" if self.passes_used == 1 else "second shuffled redeal"

    def branches_of_removal(self, places: list[int]) -> Iterator[str]:
        covers = {place: COVERERS.get(place, []) for place in places}
        named = {1: "king", 2: "pair", 3: "three cards"}
        yield named.get(len(places), "four cards")
        for place, its in covers.items():
            taken = [cover for cover in its if cover in places]
            if len(places) == 1 and any(self._now.pyramid[cover] for cover in its):
                yield "covered king"
            if len(places) == 2 and taken:
                yield "pair of cover and covered"
            if len(taken) == 2:
                yield "card with both its covers"
            if any(above in places for cover in taken for above in covers[cover]):
                yield "chain of three"
            if place in EXTRA:
                yield "extra card"
            if place in (TABLE + 1, TABLE + 2):
                yield "second waste"
            if place == STOCK:
                yield "held card" if self.held else "stock card"
                if TABLE in places and self.held:
                    yield "held card with the waste"


def known(s: Any) -> dict[str, Any]:
    """What the observation says, in the words of the reference."""
    shown = s["shown"]
    places = names(shown["places"])
    pile = list(zip(names(shown["pile_cards"]), shown["pile_where"], strict=True))
    wastes = [[card for card, where in pile if where == 2 + k] for k in range(3)]
    for k, waste in enumerate(wastes):
        assert places[TABLE + k] == (waste[-1] if waste else None)
        assert len(waste) == shown["waste_counts"][k]
    stock = [card for card, where in pile if where == 1]
    if shown["held"] and places[STOCK]:
        assert places[STOCK] == stock.pop(0)
    elif not shown["held"]:
        assert places[STOCK] == (stock[0] if stock else None)
    assert len(stock) == shown["stock_count"]
    return {"pyramid": places[:28], "extra": places[28:35], "wastes": wastes, "stock": stock}


def stock_order(s: Any) -> list[str]:
    return [card_name(int(s["deck"][i])) for i in range(52) if int(s["stock"]) >> i & 1]


def compare(rows: Rows, reference: DealtReference) -> None:
    s = rows.states[0]
    assert legal_now(rows) == reference.legal()
    assert (s["over"] == 1, s["over"] == 2) == (
        reference.won or reference.lost,
        reference.truncated,
    )
    assert bool(s["won"]) == reference.won
    assert int(s["score"]) == reference.score
    assert int(s["moves"]) == reference.moves
    assert int(s["redeals"]) + 1 == reference.passes_used
    assert known(s) == reference.known()
    held = names(s["deck"])[int(s["held"]).bit_length() - 1] if s["held"] else None
    assert held == reference.held
    hidden = Counter(
        RANKS.index(card[0])
        for card, seen in zip(stock_order(s), reference.known()["stock"], strict=True)
        if seen is None
    )
    assert [hidden[value] for value in range(13)] == s["shown"]["unseen"].tolist()
    picked = [place for place in range(39) if s["shown"]["picked"][place]]
    assert picked == sorted(reference.picked)
    if rows.rules.undo:
        facts = GAME.final_info(rows.states, rows.rules, rows.seats)
        assert facts["stuck"][0] == reference.stuck


def count_branches(hits: Counter[str], reference: DealtReference, action: int | None) -> None:
    hits.update(reference.branches(action))


MATCH = Match(GAME, DealtReference, compare, count_branches, MAX_MOVES)
VARIANTS_HIT = {
    "classic": ("deal", "pair", "king", "first deal"),
    "blocked": ("deal withheld",),
    "second-chance": ("shuffled redeal", "deal withheld"),
    "extra-row": ("extra card", "deal withheld"),
    "turn-back": ("redeal, any number", "no redeal without a removal", "won"),
    "any-sum": ("three cards",),
    "web": ("undo of a redeal", "pair of cover and covered", "redeal without a removal", "won"),
    "three-passes": ("redeal, so many", "no redeal left", "card known after a redeal", "won"),
    "excerpt": ("covered king",),
    "excerpt-all": ("covered king",),
    "book": ("covered king", "held card", "held card with the waste", "redeal, so many"),
    "book-pyramid": ("held card laid down", "last held card laid down", "won"),
    "book-blocked": ("deal withheld", "held card"),
    "by-threes": ("several turned", "several turned, too few"),
    "three-piles": ("second waste",),
    "face-up": ("stock known before it is turned",),
    "open-stock": ("stock card", "top known before it is turned", "redeal, so many", "won"),
}
OPTIONS_HIT = {
    "passes": (
        "redeal, so many",
        "no redeal left",
        "redeal, any number",
        "no redeal without a removal",
        "card known after a redeal",
    ),
    "shuffle_redeal": (
        *("shuffled redeal", "second shuffled redeal"),
        *("no redeal that could help", "redeal that could help"),
    ),
    "deal_when": ("deal withheld", "redeal withheld"),
    "first_deal": ("first deal", "first deal although a removal is legal"),
    "extra_row": ("extra card",),
    "covered_kings": ("covered king",),
    "match_cover": (
        "pair of cover and covered",
        "chain of three",
        "card with both its covers",
    ),
    "many_sum": ("three cards", "four cards"),
    "waste_piles": ("second waste", "deal with too few cards", "redeal of several wastes"),
    "stock_view": ("top known before it is turned", "stock known before it is turned"),
    "stock_play": ("stock card",),
    "clear_all": ("pyramid clear, but not all", "won with all cards gone"),
    "held": (
        *("held card", "held card with the waste"),
        *("held card laid down", "last held card laid down"),
    ),
    "turn": ("several turned", "several turned, too few"),
    "undo": (
        "undo of a removal",
        "undo of a deal",
        "undo of a redeal",
        "card known after an undo",
        "redeal without a removal",
        "stuck",
    ),
}
"""What only this option, set, can bring about: all of it must have been played."""
EASY = {
    "passes": 0,
    "covered_kings": True,
    "match_cover": True,
    "many_sum": True,
    "waste_piles": 2,
    "stock_view": "all",
    "stock_play": True,
}
MEETING = {"passes": 0, "shuffle_redeal": True, "waste_piles": 2}
RARE = {
    "redeal that could help": MEETING,
    "no redeal that could help": MEETING,
    "chain of three": EASY,
    "card with both its covers": EASY,
    "won with all cards gone": EASY | {"many_sum": False, "clear_all": True},
}
"""Options with which games reach positions that random games rarely reach."""


def test_variants_are_those_of_the_rules_page() -> None:
    named = {name: asdict(Rules(**changes)) for name, changes in VARIANTS.items()}
    limits = {"max_moves": Rules.max_moves}
    assert {name: to_plain(rules) | limits for name, rules in GAME.variants.items()} == named


@pytest.mark.parametrize(("variant", "games"), few_and_many(GAME, 20, 100))
def test_variant_matches_reference(variant: str, games: int) -> None:
    hits = MATCH.games(variant, games)
    if games < 100:
        return
    missed = [branch for branch in VARIANTS_HIT[variant] if not hits[branch]]
    assert not missed, f"{variant}: no game reached {missed}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", GAME.variants)
def test_variant_matches_reference_on_2000_games(variant: str) -> None:
    MATCH.games(variant, 2000)


def test_random_options_match_reference() -> None:
    MATCH.random_sets(0, 60)


@pytest.mark.slow
def test_random_options_match_reference_and_reach_every_branch() -> None:
    assert OPTIONS_HIT.keys() == set(GAME.rules._fields)
    hits = MATCH.random_sets(0, 200)
    for branch, options in RARE.items():
        hits += MATCH.games_until(branch, options, 150)
    branches = [branch for branches in OPTIONS_HIT.values() for branch in branches]
    assert len(set(branches)) == len(branches)
    missed = [branch for branch in branches if not hits[branch]]
    assert not missed, f"no game reached {missed}; reached were {hits}"


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    MATCH.random_sets(1000, 2000)


def test_check_refuses_what_the_rules_page_refuses() -> None:
    """Every combination of the options that any refusal names."""
    for passes in (0, 1, 2):
        for flags in range(64):
            for view in ("down", "top", "all"):
                options = {
                    "passes": passes,
                    "shuffle_redeal": bool(flags & 1),
                    "undo": bool(flags & 2),
                    "stock_play": bool(flags & 4),
                    "clear_all": bool(flags & 8),
                    "held": bool(flags & 16),
                    "waste_piles": 1 + bool(flags & 32),
                    "turn": 1 + bool(flags & 8),
                    "first_deal": bool(flags & 4 and flags & 1),
                    "stock_view": view,
                }
                try:
                    GAME.make_rules("classic", options)
                    mine = False
                except ValueError:
                    mine = True
                assert mine == refused(options), options
