"""The compiled Twenty-Eight plays exactly as the reference written from the rule text."""

import pytest

from parlour.envs import GAMES
from tests.reference.twenty_eight_beside import make_match

GAME = GAMES["twenty_eight"]
MATCH = make_match(GAME)


@pytest.mark.parametrize("each", [40, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", GAME.variants)
def test_variants(variant: str, each: int) -> None:
    MATCH.games(variant, each)


@pytest.mark.parametrize("first", range(0, 200, 100))
def test_random_options(first: int) -> None:
    MATCH.random_sets(first, 100)


@pytest.mark.slow
def test_every_branch_is_reached() -> None:
    hits = MATCH.random_sets(200, 2000)
    assert len(hits) > 100
