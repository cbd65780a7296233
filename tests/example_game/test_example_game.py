"""The compiled game plays exactly as the reference that was written from the rule text."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.options import Option, digest_items, to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from tests.example_game import GAME
from tests.example_game.knowledge import find_wrong
from tests.example_game.reference import HigherOrLower, refused
from tests.marks import slow_if
from tests.reference.match import Match, legal_now, names


class DealtReference(HigherOrLower):
    """The reference of the game dealt in row 0."""

    def __init__(self, rows: Rows) -> None:
        deck = [card_name(int(card)) for card in rows.states["deck"][0]]
        super().__init__(deck, **to_plain(rows.rules))

    def branches(self, action: int | None) -> Iterator[str]:
        """Name the branches of the rules that this position reaches; None: the game is over."""
        if len(self.legal()) == 1:
            yield f"one guess on {self.card[0]}"
        if len(self.turned) > 1 and self.turned[-2][0] == self.card[0]:
            yield "equal"
        if action is None:
            yield "won" if self.won else "lost"


def compare(rows: Rows, reference: DealtReference) -> None:
    s, shown = rows.states[0], rows.states[0]["shown"]
    assert legal_now(rows) == reference.legal()
    assert (bool(s["over"]), bool(s["won"])) == (reference.over, reference.won)
    assert s["score"] == shown["right"] == reference.right
    assert s["moves"] == len(reference.turned) - 1
    assert shown["lives_left"] == reference.lives_left
    assert names([shown["card"]]) == [reference.card]
    assert names(s["deck"][s["next"] :]) == reference.stock
    assert shown["unseen"].tolist() == reference.unseen()


def count_branches(hits: Counter[str], reference: DealtReference, action: int | None) -> None:
    hits.update(reference.branches(action))


MATCH = Match(GAME, DealtReference, compare, count_branches)
MUST_HIT = {"equal", "won", "lost", *(f"one guess on {value}" for value in "A2K")}


@pytest.mark.parametrize("variant", GAME.variants)
def test_variant_matches_reference(variant: str) -> None:
    assert MATCH.games(variant, 300)["won"]


@pytest.mark.parametrize("sets", [400, slow_if(True, 3000)])
def test_random_option_sets_match_reference_and_reach_every_branch(sets: int) -> None:
    hits = MATCH.random_sets(0, sets)
    assert {one for one in MUST_HIT if not hits[one]} == set()


def test_a_worked_example() -> None:
    """HIGHER on a six, LOWER on a queen (equal: a life), LOWER on a queen; an ace has no LOWER."""
    game = HigherOrLower(["6c", "Qd", "Qh", "Ac", "2s"], lives=2, target=3, aces_high=False)
    for action in (0, 1, 1):
        game.step(action)
    assert (game.right, game.lives_left, game.legal(), game.over) == (2, 1, {0}, False)
    game.step(0)
    assert (game.won, game.legal()) == (True, set())


@pytest.mark.parametrize(
    "options",
    [
        {"lives": 9, "target": 43},
        {"lives": 9, "target": 44},
        {"lives": 1, "target": 51},
        {"lives": 0},
        {"lives": 10},
        {"target": 0},
        {"target": 52},
        {"aces_high": True},
        {"aces": "high"},
    ],
    ids=str,
)
def test_options_are_refused_as_by_the_reference(options: dict[str, Any]) -> None:
    if refused(options):
        with pytest.raises(ValueError, match=r"option|unknown"):
            GAME.make_rules(None, options)
    else:
        GAME.make_rules(None, options)


def reachable(deck: list[str], rules: dict[str, Any]) -> set[tuple[int, int]]:
    """Return all possible pairs (guesses, right guesses) on a deck."""
    result, left = set[tuple[int, int]](), [list[int]()]
    while left:
        actions = left.pop()
        game = HigherOrLower(deck, **rules)
        for action in actions:
            game.step(action)
        if (len(actions), game.right) not in result:
            result.add((len(actions), game.right))
            left += [[*actions, action] for action in game.legal()]
    return result


def test_records_are_taken_exactly_if_play_can_make_them() -> None:
    for seed in range(60):
        rows = MATCH.rows(None, random_options(GAME, np.random.default_rng(seed)))
        rows.deal_numbered("records", [seed])
        reference, s, rules = DealtReference(rows), rows.states[0], rows.rules_record[0]
        taken = set()
        for guesses, right in product(range(52), range(52)):
            s["next"], s["shown"]["right"] = guesses + 1, right
            if find_wrong(s, rules) == 0:
                taken.add((guesses, right))
        assert taken == reachable([*reference.turned, *reference.stock], to_plain(rows.rules))


def test_an_option_added_later_leaves_the_digests_of_rules_without_it() -> None:
    """Solver labels, replays and results of old rules stay valid."""

    class LaterRules(NamedTuple):
        lives: Annotated[int, Option("wrong guesses that lose the game", 1, 9)] = 3
        target: Annotated[int, Option("right guesses that win it", 1, 51)] = 12
        aces_high: Annotated[bool, Option("an ace is above the king")] = False
        wild: Annotated[bool, Option("a new house rule", is_later=True)] = False

    assert digest_items(LaterRules(lives=2)) == digest_items(GAME.rules(lives=2))
    assert digest_items(LaterRules(wild=True)) != digest_items(GAME.rules())
