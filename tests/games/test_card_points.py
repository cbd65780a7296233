"""Twenty-Eight, Twenty-Nine and Fifty-Six: cards and card points are conserved in every state.

The card points of jack, nine, ace and ten are written here again, from the rules pages.
"""

from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from parlour.envs.games.fifty_six import rules as fifty_six
from parlour.envs.games.twenty_eight import rules as twenty_eight
from tests.marks import slow_if

TABLES = 12
"""Hands that are played at a time."""
NUMBERED = {"twenty_eight": twenty_eight, "twenty_nine": twenty_eight, "fifty_six": fifty_six}
"""Where the numbers of a game's cards are."""
TOTAL = {"twenty_eight": 28, "twenty_nine": 28, "fifty_six": 56}
VARIANTS = [(name, variant) for name in TOTAL for variant in GAMES[name].variants]


def points_of_cards(name: str) -> np.ndarray:
    """What each card of a game counts, by its number."""
    ranks = [card_name(code)[0] for code in NUMBERED[name].CODES]
    return np.array([{"J": 3, "9": 2, "A": 1, "T": 1}.get(rank, 0) for rank in ranks])


def counts(name: str, cards: Any) -> np.ndarray:
    """How often each card, by its number, is among these."""
    return np.bincount(np.asarray(cards, np.int64), minlength=len(NUMBERED[name].CODES))


def held(name: str, s: Any) -> np.ndarray:
    """Number of times that each card is in a hand or face down on the table."""
    sets = [s["hands"], s["twice"]] if "twice" in s.dtype.names else [s["hands"]]
    numbers = range(len(NUMBERED[name].CODES))
    cards = [n for hands in sets for hand in hands for n in numbers if int(hand) >> n & 1]
    return counts(name, [*cards, s["card"] - 1] if s["card"] else cards)


def played(name: str, s: Any) -> np.ndarray:
    """How often each card has been played: where there are two of a kind, they are neighbours."""
    return (s["player_of"] > 0).reshape(len(NUMBERED[name].CODES), -1).sum(axis=1)


def check_conserved(name: str, s: Any, rules: Any) -> None:
    points, bonus = points_of_cards(name), getattr(rules, "last_trick", 0)
    pack = counts(name, NUMBERED[name].NUMBERS[s["deck"][s["deck"] > 0]])
    assert (pack * points).sum() == TOTAL[name]
    known = held(name, s) + played(name, s)
    assert (known == pack).all() if s["tricks"] or s["size"] else (known <= pack).all()

    trick = counts(name, s["shown"]["trick"][: s["size"]] - 1)
    assert (trick <= played(name, s)).all()
    taken = int(s["seats"]["points"].sum())
    in_tricks = int(((played(name, s) - trick) * points).sum())
    assert taken - in_tricks in (0, bonus), "points that no card in the tricks has"
    if s["tricks"] and not held(name, s).any():
        assert taken == TOTAL[name] + bonus


def play_and_check(name: str, rules: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = Rows(GAMES[name], rules, TABLES, StepConfig(reset=Autoreset.DISABLED))
    rows.deal_numbered("points", np.arange(seed * TABLES, (seed + 1) * TABLES))
    running = np.ones(TABLES, bool)
    while running.any():
        for s in rows.states[running]:
            check_conserved(name, s, rules)
        actions = [0 if s["over"] else rng.choice(list_actions(s["legal"])) for s in rows.states]
        running = rows.states["over"] == 0
        rows.step(np.array(actions))


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_in_every_state_of_a_variant(name: str, variant: str) -> None:
    play_and_check(name, GAMES[name].variants[variant], 0)


@pytest.mark.parametrize("name", TOTAL)
@pytest.mark.parametrize("sets", [4, slow_if(True, 12)])
def test_with_random_options(name: str, sets: int) -> None:
    rng = np.random.default_rng(0)
    for seed in range(1, sets + 1):
        play_and_check(name, GAMES[name].make_rules(None, random_options(GAMES[name], rng)), seed)
