"""Tests of this folder see only the example; the fixtures ``case`` and ``game`` return it."""

from collections.abc import Iterator

import pytest

from tests.contract.cases import Case
from tests.example_game import GAME
from tests.example_game.alone import alone


@pytest.fixture(autouse=True)
def example_alone() -> Iterator[None]:
    with alone():
        yield


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", [Case(GAME, variant) for variant in GAME.variants], ids=str)
    if "game" in metafunc.fixturenames:
        metafunc.parametrize("game", [GAME], ids=[GAME.name])
