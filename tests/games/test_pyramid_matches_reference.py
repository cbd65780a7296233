"""The compiled Pyramid plays exactly as the reference written from the rule text."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import How, Reset
from parlour.envs.core.cards import name
from parlour.envs.core.options import plain
from parlour.envs.core.rows import Rows
from parlour.envs.pyramid.rules import DEAL, REDEAL, STOCK, TABLE, UNDO
from tests.reference.pyramid import Pyramid, refused
from tests.walkers import WALKERS, random_options

GAME = GAMES["pyramid"]
MAX_MOVES = 120
"""Enough for any game without UNDO and unlimited passes; the reference copies itself each move."""


def shown_cards(codes: Any) -> list[str | None]:
    return [name(int(code)) if code else None for code in codes]


def known(s: Any) -> dict[str, Any]:
    """What the observation says, in the words of the reference."""
    shown = s["shown"]
    places = shown_cards(shown["places"])
    pile = list(zip(shown_cards(shown["pile_cards"]), shown["pile_where"], strict=True))
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


def compare(rows: Rows, reference: Pyramid) -> None:
    s = rows.states[0]
    over = s["over"] != 0
    legal = set() if over else {a for a in range(GAME.actions) if int(s["legal"]) >> a & 1}
    assert legal == reference.legal()
    assert (s["over"] == 1, s["over"] == 2) == (
        reference.won or reference.lost,
        reference.truncated,
    )
    assert bool(s["won"]) == reference.won
    assert int(s["score"]) == reference.score
    assert int(s["moves"]) == reference.moves
    assert int(s["redeals"]) + 1 == reference.passes_used
    assert known(s) == reference.known()
    picked = [place for place in range(39) if s["shown"]["picked"][place]]
    assert picked == sorted(reference.picked)
    if rows.rules.undo:
        assert GAME.facts(rows.states, rows.rules)["stuck"][0] == reference.stuck


def play_both(rows: Rows, seed: int, walker: str, hits: Counter[str]) -> None:
    """Play one game in both, comparing everything after every click."""
    rng = np.random.default_rng(seed)
    rows.deal_bank("reference", [seed])
    s = rows.states[0]
    orders: list[list[str]] = []
    reference = Pyramid(
        [name(int(card)) for card in s["deck"]],
        max_moves=MAX_MOVES,
        shuffle=lambda cards: orders.pop(),
        **plain(rows.rules),
    )
    compare(rows, reference)
    while not s["over"]:
        action = WALKERS[walker](rows, rng)
        rows.step(np.array([action]))
        if action == REDEAL and rows.rules.shuffle_redeal:
            orders.append(stock_order(s))
        reference.step(action)
        compare(rows, reference)
        count_branches(hits, s, action)
    hits["won"] += int(s["won"])


def count_branches(hits: Counter[str], s: Any, action: int) -> None:
    named = {DEAL: "deal", REDEAL: "redeal", UNDO: "undo", STOCK: "stock"}
    hits[named.get(action, "card")] += 1
    hits["three cards"] += s["shown"]["picked"].sum() >= 2
    hits["extra row"] += 28 <= action < TABLE
    hits["second waste"] += action in (TABLE + 1, TABLE + 2)


def games(options: Mapping[str, Any] | None, variant: str | None, n: int) -> Counter[str]:
    rules = GAME.rules_of(variant, options)
    rows = Rows(GAME, rules, 1, How(reset=Reset.DISABLED, max_moves=MAX_MOVES))
    hits: Counter[str] = Counter()
    for seed in range(n):
        play_both(rows, seed, list(WALKERS)[seed % 3], hits)
    return hits


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
    hits = games(None, variant, 100)
    for branch in MUST_HIT.get(variant, ()):
        assert hits[branch], f"{variant}: no game reached {branch!r}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", GAME.variants)
def test_variant_matches_reference_on_2000_games(variant: str) -> None:
    games(None, variant, 2000)


def random_sets(first: int, n: int) -> None:
    for seed in range(first, first + n):
        rng = np.random.default_rng(seed)
        options = random_options(GAME, rng)
        rules = GAME.rules_of(None, options)
        rows = Rows(GAME, rules, 1, How(reset=Reset.DISABLED, max_moves=MAX_MOVES))
        try:
            play_both(rows, seed, list(WALKERS)[seed % 3], Counter())
        except AssertionError as error:
            raise AssertionError(f"options {options}, seed {seed}: {error}") from error


def test_random_options_match_reference() -> None:
    random_sets(0, 200)


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    random_sets(1000, 2000)


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
