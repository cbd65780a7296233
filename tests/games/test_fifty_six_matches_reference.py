"""The compiled Fifty-Six plays exactly as the reference written from the rule text."""

import pytest

from tests.marks import slow_if
from tests.reference.fifty_six_branch_names import ALL, OPTIONS_HIT, RARE, SELDOM
from tests.reference.fifty_six_comparison import MATCH


@pytest.mark.parametrize(
    ("variant", "each"),
    [
        *((one, 40 if one == MATCH.game.default else 10) for one in MATCH.game.variants),
        *(slow_if(True, one, 2000) for one in MATCH.game.variants),
    ],
)
def test_variants(variant: str, each: int) -> None:
    MATCH.games(variant, each)


def test_random_options() -> None:
    assert set(MATCH.random_sets(0, 40)) <= ALL, "branches that no option names"


@pytest.mark.slow
def test_random_options_reach_every_branch_but_the_seldom_ones() -> None:
    assert OPTIONS_HIT.keys() | {"void_pointless"} == set(MATCH.game.rules._fields)
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
