"""The compiled Twenty-Eight plays exactly as the reference written from the rule text."""

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.rows import Rows
from tests.marks import slow_if
from tests.reference.match import names
from tests.reference.twenty_eight import Options, would_be_redealt
from tests.reference.twenty_eight_branch_names import ALL, OPTIONS_HIT, RARE, SELDOM
from tests.reference.twenty_eight_comparison import make_match

GAME = GAMES["twenty_eight"]
MATCH = make_match(GAME)
REDEALS = {"redeal_pointless", "redeal_jacks", "redeal_two"}


@pytest.mark.parametrize(
    ("variant", "each"),
    [
        *((one, 40 if one == GAME.default else 10) for one in GAME.variants),
        *(slow_if(True, one, 2000) for one in GAME.variants),
    ],
)
def test_variants(variant: str, each: int) -> None:
    MATCH.games(variant, each)


def test_random_options() -> None:
    assert set(MATCH.random_sets(0, 40)) <= ALL, "branches that no option names"


@pytest.mark.slow
def test_random_options_reach_every_branch_but_the_seldom_ones() -> None:
    assert OPTIONS_HIT.keys() | REDEALS == set(GAME.rules._fields)
    hits = set(MATCH.random_sets(0, 200))
    assert hits <= ALL, "branches that no option names"
    assert not ALL - SELDOM - hits, "branches that no game reached"


@pytest.mark.slow
def test_2000_random_option_sets_reach_every_branch_but_the_rare_ones() -> None:
    hits = set(MATCH.random_sets(200, 2000))
    assert hits <= ALL, "branches that no option names"
    assert not ALL - RARE.keys() - hits, "branches that no game reached"


@pytest.mark.slow
@pytest.mark.parametrize("branch", RARE)
def test_rare_branches_match_reference(branch: str) -> None:
    assert MATCH.games_until(branch, RARE[branch], 3000)[branch]


@pytest.mark.parametrize("option", sorted(REDEALS))
def test_what_is_dealt_again_is_what_the_reference_says(option: str) -> None:
    """Deals that stand are the same by the option; those that would be dealt again are others."""
    n, decks = 600, []
    for on in (False, True):
        rows = Rows(GAME, GAME.make_rules(None, {option: on}), n)
        rows.deal_numbered("reference", np.arange(n))
        first = (rows.states["dealer"] + 1) % 4
        decks.append([[str(card) for card in names(s["deck"]) if card] for s in rows.states])
        assert (rows.states["turn"] == first).all()
    options = Options(**{option: True})
    again = [would_be_redealt(deck, options) for deck in decks[0]]
    assert [one != other for one, other in zip(*decks, strict=True)] == again
    assert any(again) and not any(would_be_redealt(deck, options) for deck in decks[1])
