"""The compiled Klondike plays exactly as the reference written from the rule text."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import FIRST_CARD, card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from tests.reference.klondike import (
    BACK,
    COLUMN_TO,
    COLUMN_UP,
    COLUMNS,
    DEAL,
    REDEAL,
    SUITS,
    WASTE_TO,
    WASTE_UP,
    Klondike,
    from_and_to,
)
from tests.reference.match import Match, few_and_many, legal_now, names
from tests.walkers import WALKERS, Walker, legal_actions

GAME = GAMES["klondike"]
MAX_MOVES = 300


class DealtReference(Klondike):
    """The reference of the game dealt in row 0."""

    def __init__(self, rows: Rows) -> None:
        deck = [card_name(int(card)) for card in rows.states["deck"][0]]
        super().__init__(deck, max_moves=MAX_MOVES, **to_plain(rows.rules))

    def branches(self, action: int | None) -> Iterator[str]:
        """The rules that this position and its next action exercise."""
        if action is None:
            yield "won" if self.won else "lost" if self.lost else "cut off"
            if self.lost and self.waste and not self.passes:
                yield "no choice since the redeal"
            if self.won and self.seconds:
                yield "time bonus"
            return
        after = self.seconds + (self.seconds_per_move if self.scoring == "standard" else 0)
        if after // 10 > self.seconds // 10:
            yield "time penalty" if self.points else "time penalty at the floor"
        if self.passes and not self.stock and self.waste and not self.may_redeal():
            yield "passes used"
        if action == DEAL:
            yield "short deal" if len(self.stock) < self.draw else f"deal of {self.draw}"
        elif action == REDEAL:
            yield f"redeal {self.redeals_used + 1}"
            dear = self.redeals_used >= (2 if self.draw == 3 else 0)
            if self.scoring == "standard" and dear:
                yield "redeal at a cost" if self.points else "redeal at the floor"
        elif action in range(WASTE_TO, COLUMN_UP):
            yield "ace from the waste" if self.waste[-1][0] == "A" else "waste to column"
        elif COLUMN_TO <= action < BACK:
            source, target = from_and_to(action)
            start = self.run_start(source, target)
            assert start is not None
            yield "king moved" if not self.columns[target] else "run moved"
            if start > self.face_down[source]:
                yield "part of a run"
            elif len(self.columns[source]) - start > 1:
                yield "whole run"
        elif action >= BACK:
            empty = not self.columns[(action - BACK) // 2]
            yield "king brought back" if empty else "brought back"
            yield f"brought back, action {(action - BACK) % 2}"
            if self.scoring == "standard":
                yield "back at the floor" if self.points < 15 else "back at a cost"
        if self.scoring == "vegas":
            yield "vegas"
        if self.thoughtful:
            yield "thoughtful"


def compare(rows: Rows, reference: DealtReference) -> None:
    s = rows.states[0]
    shown = s["shown"]
    assert legal_now(rows) == (set() if reference.truncated else reference.legal())
    over = (reference.won or reference.lost, reference.truncated)
    assert (s["over"] == 1, s["over"] == 2) == over
    assert bool(s["won"]) == reference.won
    assert int(s["score"]) == reference.score
    assert int(s["moves"]) == reference.moves
    columns = [names(s["column"][k][: s["count"][k]]) for k in range(COLUMNS)]
    assert columns == reference.columns
    assert shown["face_down"].tolist() == reference.face_down
    assert names(s["waste"][: shown["waste_count"]]) == reference.waste
    assert names(s["stock"][: shown["stock_count"]])[::-1] == reference.stock
    assert shown["foundations"].tolist() == [len(reference.foundations[suit]) for suit in SUITS]
    assert names(shown["last"]) == [column[-1] if column else None for column in columns]
    open_cards = [column[down:] for column, down in zip(columns, reference.face_down, strict=True)]
    assert names(shown["first"]) == [cards[0] if cards else None for cards in open_cards]
    assert names([shown["waste_top"]]) == (reference.waste[-1:] or [None])
    assert int(s["redeals"]) == reference.redeals_used
    digits = "".join(f"{digit:x}" for digit in shown["seconds"])
    assert int(digits, 16) == reference.seconds
    assert shown["redeals"] == min(reference.redeals_used, 9)
    assert where(shown) == told_where(reference)
    if not reference.stock and reference.waste and not s["over"]:
        assert bool(shown["may_redeal"]) == reference.may_redeal()


def where(shown: Any) -> dict[str, tuple[int, int]]:
    """Where each card is, by the observation: where and place."""
    pairs = zip(shown["where"].tolist(), shown["place"].tolist(), strict=True)
    return {card_name(FIRST_CARD + card): pair for card, pair in enumerate(pairs)}


def told_where(reference: DealtReference) -> dict[str, tuple[int, int]]:
    """The same by the reference."""
    result = {card: (10, 0) for pile in reference.foundations.values() for card in pile}
    for k, column in enumerate(reference.columns):
        result |= {card: (1 + k, i + 1) for i, card in enumerate(column)}
    result |= {card: (8, i + 1) for i, card in enumerate(reference.waste)}
    result |= {card: (9, len(reference.waste) + i + 1) for i, card in enumerate(reference.stock)}
    return {card: pair if reference.knows(card) else (0, 0) for card, pair in result.items()}


def choose_first(rows: Rows, rng: np.random.Generator, *kinds: range) -> int:
    """An action of the first of these kinds of which one is legal; now and then any."""
    can = legal_actions(rows)
    if rng.random() > 0.05:
        for kind in kinds:
            if result := [action for action in can if action in kind]:
                return int(rng.choice(result))
    return int(rng.choice(can))


BUILD, RUNS, RETURN = range(COLUMN_UP, COLUMN_TO), range(COLUMN_TO, BACK), range(BACK, 73)


def build_up(rows: Rows, rng: np.random.Generator) -> int:
    """Onto the foundations, from the waste, then runs for half of the time, then on."""
    runs = RUNS if rng.random() < 0.5 else range(0)
    return choose_first(rows, rng, range(WASTE_UP, WASTE_UP + 1), BUILD, range(3, 10), runs)


def turn_up(rows: Rows, rng: np.random.Generator) -> int:
    """Runs that turn a card up or free a column, at most a few others, and the waste."""
    s, can = rows.states[0], legal_actions(rows)
    freeing = []
    for action in can:
        if COLUMN_TO <= action < BACK:
            source, _ = from_and_to(action)
            down, first = s["shown"]["face_down"][source], s["shown"]["first"][source]
            if down and s["column"][source][down] == first:
                freeing.append(action)
    if freeing and rng.random() < 0.7:
        return int(rng.choice(freeing))
    return choose_first(rows, rng, BUILD, range(WASTE_UP, COLUMN_UP), range(2))


def bring_back(rows: Rows, rng: np.random.Generator) -> int:
    """Up, and back again."""
    kinds = (RETURN, BUILD) if rng.random() < 0.3 else (BUILD, range(WASTE_UP, COLUMN_UP))
    return choose_first(rows, rng, *kinds)


WALKS: dict[str, Walker] = {
    **WALKERS,
    "build": build_up,
    "turn": turn_up,
    "back": bring_back,
}


def count_branches(hits: Counter[str], reference: DealtReference, action: int | None) -> None:
    hits.update(reference.branches(action))


MATCH = Match(GAME, DealtReference, compare, count_branches, MAX_MOVES, WALKS)
VARIANTS_HIT = {
    "classic": ("deal of 3", "part of a run", "king moved", "brought back", "redeal 3"),
    "draw-one": ("deal of 1", "won"),
    "three-passes": ("redeal 2", "passes used"),
    "one-pass": ("passes used", "lost"),
    "vegas": ("vegas", "redeal 2"),
    "vegas-one": ("vegas", "passes used"),
    "timed": ("time penalty", "time penalty at the floor"),
    "whole-runs": ("whole run",),
    "no-return": ("part of a run",),
    "thoughtful": ("thoughtful",),
    "thoughtful-one": ("thoughtful", "deal of 1"),
}
OPTIONS_HIT = {
    "draw": ("deal of 1", "deal of 3", "short deal"),
    "passes": ("redeal 1", "redeal 8", "passes used", "no choice since the redeal"),
    "partial_runs": ("part of a run", "whole run"),
    "worry_back": ("brought back", "brought back, action 0", "brought back, action 1"),
    "thoughtful": ("thoughtful",),
    "scoring": (
        "vegas",
        "redeal at a cost",
        "redeal at the floor",
        "back at the floor",
        "back at a cost",
    ),
    "seconds_per_move": ("time penalty", "time penalty at the floor", "time bonus"),
}
"""What only this option, set, can bring about: all of it must have been played."""


@pytest.mark.parametrize(("variant", "games"), few_and_many(GAME, 6, 18))
def test_variant_matches_reference(variant: str, games: int) -> None:
    hits = MATCH.games(variant, games)
    if games < 18:
        return
    missed = [branch for branch in VARIANTS_HIT[variant] if not hits[branch]]
    assert not missed, f"{variant}: no game reached {missed}: {hits}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", GAME.variants)
def test_variant_matches_reference_on_2000_games(variant: str) -> None:
    hits = MATCH.games(variant, 2000)
    assert hits["won"] and hits["ace from the waste"]


def test_a_win_on_the_clock_matches_reference() -> None:
    options = {"draw": 1, "scoring": "standard", "seconds_per_move": 1}
    assert MATCH.games_until("time bonus", options, 60)["time bonus"]


def test_random_options_match_reference() -> None:
    MATCH.random_sets(0, 30)


@pytest.mark.slow
def test_random_options_match_reference_and_reach_every_branch() -> None:
    assert OPTIONS_HIT.keys() == set(GAME.rules._fields)
    hits = MATCH.random_sets(0, 120)
    missed = [one for branches in OPTIONS_HIT.values() for one in branches if not hits[one]]
    assert not missed, f"no game reached {missed}; reached were {hits}"


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    MATCH.random_sets(1000, 2000)
