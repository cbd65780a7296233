"""The one door by which the example gets into the tables of games: for tests, and for a while.

While a test of this folder runs there is no other game, so that the contract tests, which go
through the tables, take up the example and nothing else; afterwards the tables are as they were. A
process of its own calls `enter_alone` before it is handed anything: a game is pickled as its name.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import gymnasium as gym

from parlour.envs import GAMES
from parlour.envs.core.game import register
from tests.example_game import GAME


def enter_alone() -> None:
    """Leave the example as the only game, and tell Gymnasium of it as `parlour.envs` would."""
    GAMES.clear()
    gym.register(
        id=register(GAME).id,
        entry_point="parlour.envs:make",
        vector_entry_point="parlour.envs:make_vec",
        kwargs={"game_name": GAME.name},
    )


@contextmanager
def alone() -> Iterator[None]:
    """Leave the example as the only game for a while, in the tests' list of cases, too."""
    from tests.contract.cases import CASES, Case

    games, cases = dict(GAMES), list(CASES)
    enter_alone()
    CASES[:] = [Case(GAME, variant) for variant in GAME.variants]
    try:
        yield
    finally:
        del gym.registry[GAME.id]
        GAMES.clear()
        GAMES.update(games)
        CASES[:] = cases
