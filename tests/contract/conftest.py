"""A test that asks for ``case`` runs for each variant of each game, for ``game`` for each game."""

import pytest

from parlour.envs import GAMES
from tests.contract.cases import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=str)
    if "game" in metafunc.fixturenames:
        metafunc.parametrize("game", GAMES.values(), ids=list(GAMES))
