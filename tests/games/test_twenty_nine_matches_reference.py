"""The compiled Twenty-Nine plays exactly as the reference written from the rule text."""

import pytest

from parlour.envs import GAMES
from parlour.envs.core.options import to_plain
from tests.marks import slow_if
from tests.reference.twenty_eight_comparison import make_match
from tests.reference.twenty_nine import Options

GAME = GAMES["twenty_nine"]
MATCH = make_match(GAME)


def test_the_rules_are_those_of_the_reference() -> None:
    for rules in GAME.variants.values():
        assert vars(Options(**to_plain(rules))) == to_plain(rules)


@pytest.mark.parametrize(
    ("variant", "each"),
    [
        *((one, 40 if one == GAME.default else 10) for one in GAME.variants),
        *(slow_if(True, one, 2000) for one in GAME.variants),
    ],
)
def test_variants(variant: str, each: int) -> None:
    MATCH.games(variant, each)
