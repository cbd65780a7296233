"""A test that asks for ``case`` runs for each variant of each game, for ``game`` for each game.

Of the variants some are quick (`Case.is_quick`), all others slow.
"""

import pytest

from parlour.envs import GAMES
from tests.contract.cases import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        slow = pytest.mark.slow
        cases = [case if case.is_quick else pytest.param(case, marks=slow) for case in CASES]
        metafunc.parametrize("case", cases, ids=str)
    if "game" in metafunc.fixturenames:
        metafunc.parametrize("game", GAMES.values(), ids=list(GAMES))
