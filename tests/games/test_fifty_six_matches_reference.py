"""The compiled Fifty-Six plays exactly as the reference written from the rule text."""

import pytest

from tests.reference.fifty_six_beside import MATCH


@pytest.mark.parametrize("each", [40, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", MATCH.game.variants)
def test_variants(variant: str, each: int) -> None:
    MATCH.games(variant, each)


@pytest.mark.parametrize("first", range(0, 200, 100))
def test_random_options(first: int) -> None:
    MATCH.random_sets(first, 100)


@pytest.mark.slow
def test_every_branch_is_reached() -> None:
    hits = MATCH.random_sets(200, 2000)
    assert len(hits) > 100
