"""The compiled Twenty-Nine plays exactly as the reference written from the rule text."""

import pytest

from parlour.envs import GAMES
from tests.reference import twenty_nine  # noqa: F401 - its game
from tests.reference.twenty_eight_beside import make_match

GAME = GAMES["twenty_nine"]
MATCH = make_match(GAME)


@pytest.mark.parametrize("each", [40, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", GAME.variants)
def test_variants(variant: str, each: int) -> None:
    MATCH.games(variant, each)
