"""The compiled Pyramid plays exactly as the reference written from the rule text."""

from collections import Counter
from typing import Any

import pytest

from parlour.envs import GAMES
from parlour.envs.core.cards import RANKS, name
from parlour.envs.core.options import plain
from parlour.envs.core.rows import Rows
from parlour.envs.pyramid.rules import DEAL, REDEAL, STOCK, TABLE, UNDO
from tests.reference.match import Match, legal_now, names
from tests.reference.pyramid import Pyramid, refused

GAME = GAMES["pyramid"]
MAX_MOVES = 120
"""Enough for any game without UNDO and unlimited passes; the reference copies itself each move."""


class Told(Pyramid):
    """The reference of the game dealt in row 0; a redeal shuffles as it did there."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.orders: list[list[str]] = []
        deck = [name(int(card)) for card in rows.states["deck"][0]]
        rules = plain(rows.rules)
        super().__init__(
            deck, max_moves=MAX_MOVES, shuffle=lambda cards: self.orders.pop(), **rules
        )

    def step(self, action: int) -> None:
        """Play an action that row 0 has played."""
        if action == REDEAL and self.rows.rules.shuffle_redeal:
            self.orders.append(stock_order(self.rows.states[0]))
        super().step(action)


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
    assert len(stock) == shown["stock_count"]
    assert places[STOCK] == (stock[0] if stock else None)
    return {"pyramid": places[:28], "extra": places[28:35], "wastes": wastes, "stock": stock}


def stock_order(s: Any) -> list[str]:
    return [name(int(s["deck"][i])) for i in range(52) if int(s["stock"]) >> i & 1]


def compare(rows: Rows, reference: Told) -> None:
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
    hidden = Counter(
        RANKS.index(card[0])
        for card, seen in zip(stock_order(s), reference.known()["stock"], strict=True)
        if seen is None
    )
    assert [hidden[value] for value in range(13)] == s["shown"]["unseen"].tolist()
    picked = [place for place in range(39) if s["shown"]["picked"][place]]
    assert picked == sorted(reference.picked)
    if rows.rules.undo:
        assert GAME.facts(rows.states, rows.rules)["stuck"][0] == reference.stuck


def count_branches(hits: Counter[str], s: Any, action: int) -> None:
    named = {DEAL: "deal", REDEAL: "redeal", UNDO: "undo", STOCK: "stock"}
    hits[named.get(action, "card")] += 1
    hits["three cards"] += s["shown"]["picked"].sum() >= 2
    hits["extra row"] += 28 <= action < TABLE
    hits["second waste"] += action in (TABLE + 1, TABLE + 2)
    hits["won"] += int(s["won"])


MATCH = Match(GAME, Told, compare, count_branches, MAX_MOVES)
MUST_HIT = {
    "classic": ("deal", "card"),
    "second-chance": ("redeal",),
    "extra-row": ("extra row",),
    "turn-back": ("redeal", "won"),
    "any-sum": ("three cards",),
    "web": ("undo", "redeal", "won"),
    "three-passes": ("redeal", "won"),
    "three-piles": ("second waste",),
    "open-stock": ("stock", "redeal", "won"),
}


@pytest.mark.parametrize("variant", GAME.variants)
def test_variant_matches_reference(variant: str) -> None:
    hits = MATCH.games(variant, 100)
    for branch in MUST_HIT.get(variant, ()):
        assert hits[branch], f"{variant}: no game reached {branch!r}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", GAME.variants)
def test_variant_matches_reference_on_2000_games(variant: str) -> None:
    MATCH.games(variant, 2000)


def test_random_options_match_reference() -> None:
    MATCH.random_sets(0, 200)


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    MATCH.random_sets(1000, 2000)


def test_check_refuses_what_the_rules_page_refuses() -> None:
    """Every combination of the options that any refusal names."""
    for passes in (0, 1, 2):
        for flags in range(16):
            for view in ("down", "top", "all"):
                options = {
                    "passes": passes,
                    "shuffle_redeal": bool(flags & 1),
                    "undo": bool(flags & 2),
                    "stock_play": bool(flags & 4),
                    "clear_all": bool(flags & 8),
                    "stock_view": view,
                }
                try:
                    GAME.rules_of("classic", options)
                    mine = False
                except ValueError:
                    mine = True
                assert mine == refused(options), options
